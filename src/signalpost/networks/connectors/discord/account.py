"""Connecting a channel by a webhook or by a bot, and checking that it can still be posted to."""

import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from signalpost.kit.http import BadResponse
from signalpost.networks.connectors.discord.calls import call_as_bot, call_webhook, code_of, is_webhook
from signalpost.networks.connectors.discord.facts import FACTS, FILE_BYTES_MAX, MIB
from signalpost.networks.connectors.discord.permissions import CHANNELS, HISTORY, NAMES, held, missing
from signalpost.networks.contract import (
    ApiError,
    BadCredentials,
    Health,
    Identity,
    InvalidField,
    NetworkSession,
    Response,
    Server,
)
from signalpost.networks.responses import members, string, texts

HOSTS: Final = frozenset({"discord.com", "discordapp.com", "ptb.discord.com", "canary.discord.com"})
_PATH: Final = re.compile(r"/api(?:/v[0-9]{1,2})?/webhooks/([0-9]{15,20})/([A-Za-z0-9._-]{20,200})/?")
_ID: Final = re.compile(r"[0-9]{15,20}")
_TIER_BYTES: Final[Mapping[Any, int]] = {2: 50 * MIB, 3: 100 * MIB}
_CDN: Final = "https://cdn.discordapp.com/avatars"


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
    if not _ID.fullmatch(channel):
        message = "The ID of a channel is a number of 17 to 20 digits: Copy channel ID, in Discord's developer mode."
        raise InvalidField("channelId", message)
    return await _by_bot(server, token, channel)


# --- webhooks ------------------------------------------------------------------------------------------------------


def webhook_of(server: Server, address: str) -> tuple[str, str]:
    """Return id and token of a webhook. Nothing else of the address is used: calls go to Discord, wherever it points.

    Raises:
        InvalidField: it is not an address of a webhook at Discord.
    """
    try:
        parts = urlsplit(address)
        is_discord = (parts.scheme == "https" and parts.netloc.lower() in HOSTS) or server.has(address)
        match = _PATH.fullmatch(parts.path) if is_discord and not parts.query and not parts.fragment else None
    except ValueError:
        match = None
    if match is None:
        message = "Copy the address from Discord: it begins with https://discord.com/api/webhooks/."
        raise InvalidField("webhookUrl", message)
    return match[1], match[2]


async def _by_webhook(server: Server, address: str) -> Identity:
    webhook_id, token = webhook_of(server, address)
    try:
        response = await call_webhook(server, webhook_id, token, "GET", "")
    except ApiError as error:
        if code_of(error.response) in {10015, 50027}:
            raise BadCredentials("This webhook does not exist any more. Copy the address of another one.") from None
        raise
    (channel_id,), webhook = texts(response, "channel_id"), members(response)
    name = string(webhook.get("name")) or "Webhook"
    return Identity(
        remote_id=webhook_id,
        username=name,
        display_name=name,
        secrets={"webhookToken": token},
        kind="channel",
        avatar_url=_avatar(webhook_id, webhook.get("avatar")),
        facts={"mode": "webhook", "channelId": channel_id, "guildId": string(webhook.get("guild_id"))},
    )


# --- bots ----------------------------------------------------------------------------------------------------------


async def _by_bot(server: Server, token: str, channel_id: str) -> Identity:
    try:
        response = await call_as_bot(server, token, "GET", "/users/@me")
    except ApiError as error:
        if error.response.status == 401:
            raise BadCredentials("Discord does not know this token. Copy it again, or make a new one.") from None
        raise
    (bot_id, bot_name), user = texts(response, "id", "username"), members(response)
    try:
        channel, guild = await _place(server, token, channel_id)
    except ApiError as error:
        if code_of(error.response) == 50001:
            message = "The bot cannot see this channel. Add the bot to the server, and to the channel if it is private."
            raise BadCredentials(message) from None
        if error.response.status == 404:
            raise InvalidField("channelId", "There is no channel with this ID.") from None
        raise
    if channel.get("type") not in CHANNELS:
        raise InvalidField("channelId", "This is not a channel of a server in which messages can be sent.")
    lacking = missing(channel, await held(server, token, bot_id, channel, guild))
    if blocking := [name for name in lacking if name != NAMES[HISTORY]]:
        raise BadCredentials(f"The bot lacks permissions in this channel: {', '.join(blocking)}.")
    bytes_max = _TIER_BYTES.get(guild.get("premium_tier"), FILE_BYTES_MAX)
    name = string(channel.get("name")) or channel_id
    return Identity(
        remote_id=f"{bot_id}@{channel_id}",
        username=f"{bot_name}#{name}",
        display_name=f"#{name} ({string(guild.get('name')) or 'Discord'})",
        secrets={"botToken": token},
        kind="channel",
        avatar_url=_avatar(bot_id, user.get("avatar")),
        facts={
            "mode": "bot",
            "channelId": channel_id,
            "channelType": channel.get("type"),
            "guildId": string(guild.get("id")),
            "limits": {"media": {kind: {"bytes_max": bytes_max} for kind in FACTS.media}},
        },
    )


async def _place(server: Server, token: str, channel_id: str) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Return a channel and its server; a channel without a server, such as a direct message, has no type."""
    channel = members(await call_as_bot(server, token, "GET", f"/channels/{channel_id}"))
    guild_id = string(channel.get("guild_id"))
    if guild_id is None:
        return {**channel, "type": None}, {}
    return channel, members(await call_as_bot(server, token, "GET", f"/guilds/{guild_id}"))


def _avatar(owner_id: str, value: Any) -> str | None:
    name = string(value)
    return f"{_CDN}/{owner_id}/{name}.png" if name is not None and re.fullmatch(r"[a-z0-9_]{1,80}", name) else None


# --- checking ------------------------------------------------------------------------------------------------------


async def check(session: NetworkSession) -> Health:
    """Ask Discord whether the webhook is still there, or what the bot may do in its channel."""
    if is_webhook(session):
        return _health_of_webhook(
            await call_webhook(session.server, session.remote_id, session.secrets["webhookToken"], "GET", "")
        )
    try:
        allowed, channel = await permissions_of(session, str(session.facts.get("channelId")))
    except ApiError as error:
        if code_of(error.response) != 50001:
            raise
        return Health(can_post=False, message="The bot cannot see the channel any more.", missing=("VIEW_CHANNEL",))
    lacking = missing(channel, allowed)
    can_post = not {"VIEW_CHANNEL", "SEND_MESSAGES", "SEND_MESSAGES_IN_THREADS"} & set(lacking)
    message = None if can_post else f"The bot lacks permissions in its channel: {', '.join(lacking)}."
    return Health(can_post=can_post, message=message, missing=lacking)


def _health_of_webhook(response: Response) -> Health:
    webhook = members(response)
    if string(webhook.get("id")) is None:
        raise BadResponse("the response is no webhook", status=response.status)
    return Health(display_name=string(webhook.get("name")))


async def permissions_of(session: NetworkSession, channel_id: str) -> tuple[int, Mapping[str, Any]]:
    """Return what the bot may do in a channel now, and the channel."""
    token, bot_id = session.secrets["botToken"], session.remote_id.partition("@")[0]
    channel, guild = await _place(session.server, token, channel_id)
    return await held(session.server, token, bot_id, channel, guild), channel
