"""Slack as a messenger of this room: calls with the token of the operator's bot, and what comes over Socket Mode."""

import hashlib
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from signalpost.accounts.errors import PlatformNotConfigured
from signalpost.context import AppContext
from signalpost.kit import foreign, http, log
from signalpost.kit.clock import monotonic
from signalpost.kit.db import Db
from signalpost.kit.http import Client, Response
from signalpost.media.errors import MediaFetchFailed
from signalpost.messenger import queries, slack, texts
from signalpost.messenger.contract import (
    Fails,
    Invitation,
    Located,
    Message,
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
from signalpost.messenger.slack_line import Line
from signalpost.settings import SLACK_SETTINGS, Settings

if TYPE_CHECKING:
    from signalpost.kit.http.sockets import Socket

BASE_URL: Final = "https://slack.com"
_SEND_SECONDS: Final = 15.0
_CALL_SECONDS: Final = 10.0
_GATHER_SECONDS: Final = 0.05
"""How long to wait for a second message: what was stored is confirmed at once, since Slack waits for three seconds."""
_ENVELOPES_MAX: Final = 20
_PAGE, _PAGES_MAX, _PAGE_BYTES_MAX = 50, 10, 5_000_000
"""Of a history: messages of 40,000 characters, twice each."""
_TEXT_BYTES_MAX: Final = 2_000_000
_logger = log.get("messenger")


class Slack:
    """See `contract.Messenger` and `contract.Polled`."""

    name: Name = "slack"
    kind_of_address = "Slack member"
    window_seconds: float | None = None
    patience_seconds: float | None = 240.0
    """Slack tries for six minutes, the last time five after the one before; without a connection then, it is lost."""
    turn_seconds: float = 10.0
    """How long a turn waits until there is something; a worker that ends waits as long at most."""

    def is_configured(self, settings: Settings) -> bool:
        return all(getattr(settings, name) is not None for name in SLACK_SETTINGS)

    def has_template(self, _settings: Settings) -> bool:
        return False

    async def examine(self, client: Client, settings: Settings) -> Works | Fails:
        """Ask for the bot, and for an address to connect to, which is not used: each proves one token."""
        bot = await _call(client, settings, "auth.test", {})
        if slack.answer_of(bot).get("ok") is not True:
            return Fails(slack.why(bot), "Copy the Bot User OAuth Token again into SIGNALPOST_SLACK_BOT_TOKEN.")
        opened = await _call(client, settings, "apps.connections.open", {}, token=settings.slack_app_token)
        if _address_in(opened, settings) is None:
            fix = "Switch Socket Mode on, and copy an app-level token with connections:write into"
            return Fails(slack.why(opened), f"{fix} SIGNALPOST_SLACK_APP_TOKEN.")
        answer = slack.answer_of(bot)
        return Works(f"@{foreign.line(answer.get('user'), 100)} at {foreign.line(answer.get('team'), 100)}")

    async def invitation(self, db: Db, settings: Settings, code: str) -> Invitation:  # noqa: ARG002 - it is pasted
        username = await queries.bot_username(db, self.bot_id(settings))
        app_id = slack.app_of(settings.slack_app_token or "")
        if username is None or app_id is None:
            raise PlatformNotConfigured(
                "The Slack app of this installation has not answered yet.",
                remediation="Try again in a minute. If it stays so, an operator runs `signalpost doctor`.",
            )
        return Invitation(f"@{username}", f"https://slack.com/app_redirect?app={app_id}")

    def masked(self, sender: Sender) -> str | None:
        """Return the beginning and the end of the member id, which Slack shows in everyone's profile."""
        name = sender.display_name
        return None if name is None else f"{name[:2]}***{name[-2:]}"

    async def send(self, context: AppContext, recipient: Sender, reply: Reply, *, as_template: bool) -> SendResult:  # noqa: ARG002 - there is none
        body = slack.message_body(recipient, reply)
        return slack.send_result(
            await _call(
                context.http.messenger, context.settings, "chat.postMessage", body, timeout_seconds=_SEND_SECONDS
            )
        )

    async def locate(self, context: AppContext, file: MessageFile) -> Located:
        """Ask for the address of a file, which the token of the bot opens."""
        settings = context.settings
        try:
            response = await _call(context.http.messenger, settings, "files.info", {"file": file.id})
        except http.HttpFailure as failure:
            raise MediaFetchFailed(f"The messenger did not say where the file is: {failure.detail}.") from None
        if response.status >= 500 or response.status == 429:
            raise MediaFetchFailed(f"The messenger did not say where the file is: status {response.status}.")
        address, size = slack.located(response)
        if address is None:
            if slack.is_about_tokens(response):
                _logger.error("slack.file_refused", reason=slack.why(response))
            raise Unusable(texts.NO_FILE)
        if size is not None and size > slack.BYTES_MAX:
            raise Unusable(texts.too_large(file.kind, slack.BYTES_MAX))
        ours = urlsplit(address).netloc == urlsplit(_base_url(settings)).netloc
        if not ours and not _is_of_slack(address):
            raise MediaFetchFailed("The messenger named an address that is not its own.")
        return Located(address, _authorization(settings.slack_bot_token), trusted=ours, bytes_max=slack.BYTES_MAX)

    # --- what is heard -----------------------------------------------------------------------------------------------

    def bot_id(self, settings: Settings) -> str:
        return "slack:" + hashlib.sha256((settings.slack_bot_token or "").encode()).hexdigest()[:16]

    async def introduce(self, context: AppContext) -> str | TryAgain:
        try:
            response = await _call(context.http.messenger, context.settings, "auth.test", {})
        except http.HttpFailure as failure:
            return TryAgain(slack.WAIT_SECONDS, failure.detail)
        answer = slack.answer_of(response)
        name = foreign.line_or_none(answer.get("user"), 80) if answer.get("ok") is True else None
        return name or TryAgain(_later(response), slack.why(response))

    async def ask(self, context: AppContext, position: int | None, since: datetime) -> News | TryAgain:  # noqa: ARG002 - what was not confirmed comes by itself
        line = context.state(Line)
        with line.turn():
            heard = await _turn(context, line, self.turn_seconds)
            if heard is None:  # the connection has ended since the last turn, which is seen by reading only
                heard = await _turn(context, line, self.turn_seconds)
        if heard is None:
            return TryAgain(slack.WAIT_SECONDS, "the connection ended at once")
        if isinstance(heard, TryAgain):
            return heard
        acknowledge = partial(_acknowledge, heard.socket, heard.ids)
        is_empty = not heard.ids and not heard.is_leaving
        return News(heard.messages, None, is_all=True, is_empty=is_empty, acknowledge=acknowledge)

    async def written(self, context: AppContext, person: Sender, since: datetime) -> list[Message] | TryAgain:
        """Read the history of a chat, newest first; replies in threads are not in it."""
        body: dict[str, Any] = {"channel": person.chat_id, "oldest": f"{since.timestamp():.6f}", "limit": _PAGE}
        messages: list[Message] = []
        for _ in range(_PAGES_MAX):
            try:
                response = await _call(
                    context.http.messenger, context.settings, "conversations.history", body, bytes_max=_PAGE_BYTES_MAX
                )
            except http.TooLarge:
                break
            except http.HttpFailure as failure:
                return TryAgain(slack.WAIT_SECONDS, failure.detail)
            answer = slack.answer_of(response)
            if answer.get("ok") is not True:
                return TryAgain(_later(response), slack.why(response)) if slack.is_there_later(response) else messages
            messages += slack.read_history(answer, person)
            cursor = slack.next_page(answer)
            if cursor is None:
                return messages
            body["cursor"] = cursor
        _logger.warning("slack.history_cut", messages=len(messages))
        return messages


class _Heard:
    """What came during a turn. `ids`: what is to be confirmed when it is stored."""

    def __init__(self, socket: "Socket") -> None:
        self.socket = socket
        self.messages: list[Message] = []
        self.ids: list[str] = []
        self.is_leaving = False


async def _turn(context: AppContext, line: Line, seconds: float) -> _Heard | TryAgain | None:
    """Hear what comes, over a new connection if there is none; None: it has ended, and nothing came."""
    if (socket := line.socket) is None:
        opened = await _open(context)
        if isinstance(opened, TryAgain):
            return opened
        socket = opened
        line.take(socket)
    heard = await _listen(socket, seconds)
    line.is_leaving = heard.is_leaving
    return heard if heard.ids or socket.is_open else None


async def _listen(socket: "Socket", seconds: float) -> _Heard:
    """Wait until something comes, and take what comes with it."""
    heard, until = _Heard(socket), monotonic() + seconds
    while len(heard.ids) < _ENVELOPES_MAX and not heard.is_leaving:
        text = await socket.receive(_GATHER_SECONDS if heard.ids else until - monotonic())
        if text is None:
            break
        envelope = slack.read_envelope(text)
        heard.messages += envelope.messages
        heard.ids += [] if envelope.id is None else [envelope.id]
        heard.is_leaving = envelope.is_leaving
    return heard


async def _acknowledge(socket: "Socket", ids: Sequence[str]) -> None:
    """Confirm what was stored. What cannot be confirmed comes again, and is known then."""
    try:
        for envelope_id in ids:
            await socket.send({"envelope_id": envelope_id})
    except http.HttpFailure as failure:
        _logger.info("slack.not_confirmed", reason=failure.detail)


async def _open(context: AppContext) -> "Socket | TryAgain":
    """Open a connection, and wait until Slack says that it is ready."""
    client, settings = context.http.messenger, context.settings
    try:
        response = await _call(client, settings, "apps.connections.open", {}, token=settings.slack_app_token)
        address = _address_in(response, settings)
        if address is None:
            return TryAgain(_later(response), slack.why(response))
        trusted = urlsplit(address).netloc == urlsplit(_base_url(settings)).netloc
        socket = await client.connect(
            address, timeout_seconds=_CALL_SECONDS, bytes_max=_TEXT_BYTES_MAX, trusted=trusted
        )
    except http.HttpFailure as failure:
        return TryAgain(slack.WAIT_SECONDS, failure.detail)
    is_ready = False
    try:
        greeting = slack.read_envelope(await socket.receive(_CALL_SECONDS) or b"")
        is_ready = greeting.is_hello
    finally:
        if not is_ready:
            await socket.close()
    reason = greeting.reason or "Slack did not say that the connection is ready"
    return socket if is_ready else TryAgain(slack.WAIT_SECONDS, reason)


def _address_in(response: Response, settings: Settings) -> str | None:
    """Return the address to connect to, as that of a request; None: there is none, or it is not one of Slack's."""
    answer = slack.answer_of(response)
    address = foreign.identifier(answer.get("url"), foreign.URL_MAX) if answer.get("ok") is True else None
    if address is None or not address.startswith(("wss://", "ws://")):
        return None
    address = f"http{address.removeprefix('ws')}"
    ours = urlsplit(address).netloc == urlsplit(_base_url(settings)).netloc
    return address if ours or _is_of_slack(address) else None


def _later(response: Response) -> float:
    return slack.wait_seconds(response) if response.status == 429 else slack.WAIT_SECONDS


async def _call(
    client: Client,
    settings: Settings,
    method: str,
    body: dict[str, Any],
    *,
    token: str | None = None,
    timeout_seconds: float = _CALL_SECONDS,
    bytes_max: int = 1_000_000,
) -> Response:
    """Call a method of the Web API, with the token of the bot unless another one is given."""
    return await client.request(
        "POST", f"{_base_url(settings)}/api/{method}", headers=_authorization(token or settings.slack_bot_token),
        trusted=True, timeout_seconds=timeout_seconds, bytes_max=bytes_max, **_encoded(method, body),
    )  # fmt: skip


def _encoded(method: str, body: dict[str, Any]) -> dict[str, Any]:
    """Return a body as JSON, which methods that write take; others take forms only."""
    return {"json": body} if method.startswith("chat.") else {"data": body}


def _authorization(token: str | None) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def _base_url(settings: Settings) -> str:
    return (settings.network("slack", "base_url") or BASE_URL).rstrip("/")


def _is_of_slack(address: str) -> bool:
    parts = urlsplit(address)
    return parts.scheme == "https" and f".{(parts.hostname or '').lower()}".endswith(f".{slack.HOST}")
