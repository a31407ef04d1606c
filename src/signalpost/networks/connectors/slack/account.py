"""Connecting a channel by a webhook or by a bot, and checking that it can still be posted to."""

import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from signalpost.kit.http import BadResponse
from signalpost.networks.connectors.slack.calls import call, call_webhook, code_of, is_webhook, response_of
from signalpost.networks.contract import (
    ApiError,
    BadCredentials,
    Health,
    Identity,
    InvalidField,
    NetworkSession,
    Server,
)
from signalpost.networks.responses import members, number, string, texts

HOST: Final = "hooks.slack.com"
_PATH: Final = re.compile(r"/services/(T[A-Z0-9]{5,20}/B[A-Z0-9]{5,20})/([A-Za-z0-9]{20,40})/?")
_TOKEN: Final = re.compile(r"xoxb-[A-Za-z0-9._-]{10,250}")
_CHANNEL: Final = re.compile(r"[CG][A-Z0-9]{7,20}")
_EMPTY: Final = {"no_text", "missing_text_or_fallback_or_attachments"}
"""What a webhook that works says to a message without a text."""
_NEEDED: Final = ("chat:write", "channels:read")
_NO_MEMBER: Final = "The bot is not in the channel: write /invite and its @name there."
_ARCHIVED: Final = "The channel is archived: restore it in Slack, or connect another one."


async def connect(server: Server, fields: Mapping[str, str]) -> Identity:
    """Open the channel of a webhook, or one in which a bot may write."""
    address, token = fields.get("webhookUrl", "").strip(), fields.get("botToken", "").strip()
    channel = fields.get("channelId", "").strip()
    if address and (token or channel):
        raise InvalidField("webhookUrl", "Enter either the address of a webhook, or a bot and its channel.")
    if address:
        return await _by_webhook(server, address)
    if not token:
        raise InvalidField("webhookUrl", "Enter the address of a webhook, or the token of a bot and a channel.")
    if not _TOKEN.fullmatch(token):
        raise InvalidField(
            "botToken", "The token of a bot begins with xoxb-: OAuth & Permissions, in the app's settings."
        )
    if not _CHANNEL.fullmatch(channel):
        message = "The ID of a channel begins with C: it stands at the end of the channel's details in Slack."
        raise InvalidField("channelId", message)
    return await _by_bot(server, token, channel)


# --- webhooks ------------------------------------------------------------------------------------------------------


def webhook_of(server: Server, address: str) -> tuple[str, str]:
    """Return what names a webhook, and its token. Calls go to Slack, wherever the address points.

    Raises:
        InvalidField: it is not an address of a webhook at Slack.
    """
    try:
        parts = urlsplit(address)
        is_slack = (parts.scheme == "https" and parts.netloc.lower() == HOST) or server.has(address)
        match = _PATH.fullmatch(parts.path) if is_slack and not parts.query and not parts.fragment else None
    except ValueError:
        match = None
    if match is None:
        raise InvalidField("webhookUrl", f"Copy the address from Slack: it begins with https://{HOST}/services/T.")
    return match[1], match[2]


async def _by_webhook(server: Server, address: str) -> Identity:
    account, token = webhook_of(server, address)
    try:
        await _try_webhook(server, account, token)
    except ApiError as error:
        if error.response.status in {403, 404, 410} and code_of(error.response):
            message = f"Slack refuses this webhook ({code_of(error.response)}). Make another one and copy its address."
            raise BadCredentials(message) from None
        raise
    return Identity(
        remote_id=account,
        username=f"webhook {account.partition('/')[2]}",
        display_name="Webhook of Slack",
        secrets={"webhookToken": token},
        kind="channel",
        facts={"mode": "webhook"},
    )


async def _try_webhook(server: Server, account: str, token: str) -> None:
    """Send a message without a text, which a webhook that works refuses: nothing else tells without posting.

    Raises:
        ApiError: it does not work.
    """
    try:
        await call_webhook(server, account, token, {"text": ""})
    except ApiError as error:
        if error.response.status != 400 or code_of(error.response) not in _EMPTY:
            raise
    else:
        raise BadResponse("the webhook took a message without a text")


# --- bots ----------------------------------------------------------------------------------------------------------


async def _by_bot(server: Server, token: str, channel_id: str) -> Identity:
    try:
        response = await response_of(server, token, "POST auth.test")
    except ApiError as error:
        if code_of(error.response) in {"invalid_auth", "not_authed", "token_revoked", "account_inactive"}:
            raise BadCredentials("Slack does not know this token. Copy it again, or install the app again.") from None
        raise
    (bot_id, team_id), answer = texts(response, "user_id", "team_id"), members(response)
    scopes = _scopes(response.headers.get("X-OAuth-Scopes"))
    if scopes and (missing := [scope for scope in _NEEDED if scope not in scopes]):
        raise BadCredentials(f"The app lacks permissions: {', '.join(missing)}. Add them and install it again.")
    channel = await _channel(server, token, channel_id)
    if problem := _problem_of(channel, scopes):
        raise InvalidField("channelId", problem)
    kind = "groups" if channel.get("is_private") is True else "channels"
    name, team = string(channel.get("name")) or channel_id, string(answer.get("team")) or "Slack"
    return Identity(
        remote_id=f"{bot_id}@{channel_id}",
        username=f"{string(answer.get('user')) or bot_id}#{name}",
        display_name=f"#{name} ({team})",
        secrets={"botToken": token},
        kind="channel",
        scopes=scopes,
        followers=number(channel.get("num_members")),
        facts={
            "mode": "bot",
            "channelId": channel_id,
            "teamId": team_id,
            "botUserId": bot_id,
            "history": f"{kind}:history" in scopes,
            "files": "files:write" in scopes,
        },
    )


def _scopes(header: str | None) -> tuple[str, ...]:
    return tuple([scope.strip() for scope in (header or "")[:4_000].split(",") if scope.strip()])


async def _channel(server: Server, token: str, channel_id: str) -> Mapping[str, Any]:
    try:
        answer = await call(
            server, token, "GET conversations.info", params={"channel": channel_id, "include_num_members": "true"}
        )
    except ApiError as error:
        if code_of(error.response) == "channel_not_found":
            message = (
                "There is no channel with this ID, or it is private and the bot is not in it: write /invite there."
            )
            raise InvalidField("channelId", message) from None
        if code_of(error.response) == "missing_scope":
            message = "The app may not see this channel: add channels:read, or groups:read for a private channel."
            raise BadCredentials(message) from None
        raise
    channel = answer.get("channel")
    if not isinstance(channel, dict):
        raise BadResponse("the response describes no channel")
    return channel


def _problem_of(channel: Mapping[str, Any], scopes: tuple[str, ...]) -> str | None:
    """Return why the bot cannot post in a channel, or None."""
    if channel.get("is_archived") is True:
        return _ARCHIVED
    may_without = channel.get("is_private") is not True and "chat:write.public" in scopes
    return None if channel.get("is_member") is True or may_without else _NO_MEMBER


async def check(session: NetworkSession) -> Health:
    """Ask Slack whether the webhook still works, or whether the bot may still post in its channel."""
    if is_webhook(session):
        await _try_webhook(session.server, session.remote_id, session.secrets["webhookToken"])
        return Health()
    token, channel_id = session.secrets["botToken"], str(session.facts.get("channelId"))
    response = await response_of(session.server, token, "POST auth.test")
    scopes = _scopes(response.headers.get("X-OAuth-Scopes"))
    answer = await call(
        session.server, token, "GET conversations.info", params={"channel": channel_id, "include_num_members": "true"}
    )
    channel = answer.get("channel")
    if not isinstance(channel, dict):
        raise BadResponse("the response describes no channel")
    problem = _problem_of(channel, scopes)
    return Health(
        can_post=problem is None,
        message=problem,
        missing=tuple([scope for scope in _NEEDED if scopes and scope not in scopes]),
        followers=number(channel.get("num_members")),
    )
