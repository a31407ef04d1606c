"""Telegram as a messenger of this room: calls with the token of the operator's bot, whose updates are asked for."""

from datetime import datetime
from typing import Any, Final
from urllib.parse import quote

from signalpost.accounts.errors import PlatformNotConfigured
from signalpost.context import AppContext
from signalpost.kit import http, log
from signalpost.kit.db import Db
from signalpost.kit.http import Client, Response
from signalpost.media.errors import MediaFetchFailed
from signalpost.messenger import queries, telegram, texts
from signalpost.messenger.contract import (
    Fails,
    Invitation,
    Located,
    MessageFile,
    News,
    Reply,
    Sender,
    SendResult,
    TryAgain,
    Unusable,
    Works,
)
from signalpost.messenger.names import Name
from signalpost.settings import Settings

BASE_URL: Final = "https://api.telegram.org"
_SEND_SECONDS: Final = 15.0
_CALL_SECONDS: Final = 10.0
_POLL_SECONDS: Final = 10
"""How long Telegram holds the answer until there is something; a worker that ends waits as long at most."""
_ANSWER_BYTES_MAX: Final = 5_000_000
_CONFLICT: Final = 409
_logger = log.get("messenger")


class Telegram:
    """See `contract.Messenger` and `contract.Polled`."""

    name: Name = "telegram"
    kind_of_address = "Telegram account"
    window_seconds: float | None = None
    patience_seconds: float | None = None
    """Telegram keeps what nobody asks for a day, and bots read no history."""

    def is_configured(self, settings: Settings) -> bool:
        return settings.telegram_bot_token is not None

    def has_template(self, _settings: Settings) -> bool:
        return False

    async def examine(self, client: Client, settings: Settings) -> Works | Fails:
        """Ask for the bot, which proves the token."""
        response = await _request(client, settings, "getMe", {}, _CALL_SECONDS)
        username = telegram.username_of(telegram.result_of(response))
        if username is None:
            return Fails(
                telegram.why(response), "Copy the token of @BotFather again into SIGNALPOST_TELEGRAM_BOT_TOKEN."
            )
        return Works(f"@{username}")

    async def invitation(self, db: Db, settings: Settings, code: str) -> Invitation:
        username = await queries.bot_username(db, self.bot_id(settings))
        if username is None:
            raise PlatformNotConfigured(
                "The bot of this installation has not answered yet.",
                remediation="Try again in a minute. If it stays so, an operator checks SIGNALPOST_TELEGRAM_BOT_TOKEN.",
            )
        return Invitation(f"@{username}", f"https://t.me/{username}?start={quote(code)}")

    def masked(self, sender: Sender) -> str | None:
        """Return the beginning and the end of a name."""
        name = sender.display_name
        return None if name is None else f"{name[:2]}***{name[-1]}"

    async def send(self, context: AppContext, recipient: Sender, reply: Reply, *, as_template: bool) -> SendResult:  # noqa: ARG002 - there is none
        if (tap := telegram.tap_of(reply)) is not None:
            await _answer_tap(context, tap)
        body = telegram.message_body(recipient, reply)
        return telegram.send_result(await _call(context, "sendMessage", body, _SEND_SECONDS))

    async def locate(self, context: AppContext, file: MessageFile) -> Located:
        """Ask for the address of a file, which contains the token, and is neither stored nor logged."""
        if file.size is not None and file.size > telegram.BYTES_MAX:
            raise Unusable(texts.too_large(file.kind, telegram.BYTES_MAX))
        try:
            response = await _call(context, "getFile", {"file_id": file.id}, _CALL_SECONDS)
        except http.HttpFailure as failure:
            raise MediaFetchFailed(f"The messenger did not say where the file is: {failure.detail}.") from None
        if response.status >= 500 or response.status == 429:
            raise MediaFetchFailed(f"The messenger did not say where the file is: status {response.status}.")
        path = telegram.file_path(telegram.result_of(response))
        if path is None:
            too_big = "too big" in telegram.why(response)
            raise Unusable(texts.too_large(file.kind, telegram.BYTES_MAX) if too_big else texts.NO_FILE)
        address = f"{_base_url(context.settings)}/file/bot{_token(context.settings)}/{path}"
        return Located(address, {}, trusted=True, bytes_max=telegram.BYTES_MAX)

    # --- what is asked for -------------------------------------------------------------------------------------------

    def bot_id(self, settings: Settings) -> str:
        return (settings.telegram_bot_token or "").partition(":")[0]

    async def introduce(self, context: AppContext) -> str | TryAgain:
        try:
            response = await _call(context, "getMe", {}, _CALL_SECONDS)
        except http.HttpFailure as failure:
            return TryAgain(telegram.WAIT_SECONDS, failure.detail)
        username = telegram.username_of(telegram.result_of(response))
        return username or TryAgain(telegram.wait_seconds(response), telegram.why(response))

    async def ask(self, context: AppContext, position: int | None, since: datetime) -> News | TryAgain:
        body: dict[str, Any] = {
            "limit": telegram.UPDATES_MAX, "timeout": _POLL_SECONDS, "allowed_updates": list(telegram.UPDATES),
        }  # fmt: skip
        if position is not None:
            body["offset"] = position
        try:
            response = await _call(context, "getUpdates", body, _POLL_SECONDS + _CALL_SECONDS)
        except http.HttpFailure as failure:
            return TryAgain(telegram.WAIT_SECONDS, failure.detail)
        result = telegram.result_of(response)
        if not isinstance(result, list):
            if response.status == _CONFLICT and "webhook" in telegram.why(response):
                return await _end_webhook(context)
            return TryAgain(telegram.wait_seconds(response), telegram.why(response))
        updates = telegram.read_updates(result, self.bot_id(context.settings), since)
        is_all = updates.count < telegram.UPDATES_MAX
        return News(updates.messages, updates.following, is_all=is_all, is_empty=updates.following is None)


async def _end_webhook(context: AppContext) -> TryAgain:
    """End the webhook of the bot, which an earlier program has set: as long as it has one, nobody can ask."""
    _logger.warning("telegram.webhook_ended")
    try:
        await _call(context, "deleteWebhook", {}, _CALL_SECONDS)
    except http.HttpFailure as failure:
        return TryAgain(telegram.WAIT_SECONDS, failure.detail)
    return TryAgain(1, "the webhook of the bot was ended")


async def _answer_tap(context: AppContext, tap: str) -> None:
    """Say that a tap arrived. Whether that succeeds changes nothing: the reply follows."""
    try:
        await _call(context, "answerCallbackQuery", {"callback_query_id": tap}, _CALL_SECONDS)
    except http.HttpFailure as failure:
        _logger.info("telegram.tap_not_answered", reason=failure.detail)


async def _call(context: AppContext, method: str, body: dict[str, Any], seconds: float) -> Response:
    return await _request(context.http.messenger, context.settings, method, body, seconds)


async def _request(client: Client, settings: Settings, method: str, body: dict[str, Any], seconds: float) -> Response:
    address = f"{_base_url(settings)}/bot{_token(settings)}/{method}"
    return await client.request(
        "POST", address, json=body, trusted=True, timeout_seconds=seconds, bytes_max=_ANSWER_BYTES_MAX
    )


def _base_url(settings: Settings) -> str:
    return (settings.network("telegram", "base_url") or BASE_URL).rstrip("/")


def _token(settings: Settings) -> str:
    return quote(settings.telegram_bot_token or "", safe=":")
