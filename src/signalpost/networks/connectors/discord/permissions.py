"""What a bot may do in a channel, computed from its roles as Discord's documentation says."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from signalpost.networks.connectors.discord.calls import call_as_bot
from signalpost.networks.contract import Server
from signalpost.networks.responses import members, string

VIEW, SEND, EMBED, ATTACH, HISTORY = 1 << 10, 1 << 11, 1 << 14, 1 << 15, 1 << 16
SEND_IN_THREADS: Final = 1 << 38
NAMES: Final[Mapping[int, str]] = {
    VIEW: "VIEW_CHANNEL", SEND: "SEND_MESSAGES", SEND_IN_THREADS: "SEND_MESSAGES_IN_THREADS", EMBED: "EMBED_LINKS",
    ATTACH: "ATTACH_FILES", HISTORY: "READ_MESSAGE_HISTORY",
}  # fmt: skip
_ADMINISTRATOR: Final = 1 << 3
_ALL: Final = (1 << 64) - 1
THREADS: Final = (10, 11, 12)
FORUMS: Final = (15, 16)
CHANNELS: Final = (0, 2, 5, *THREADS, 13, *FORUMS)
"""Types of channels of a server in which messages can be sent."""


async def held(server: Server, token: str, bot_id: str, channel: Mapping[str, Any], guild: Mapping[str, Any]) -> int:
    """Return the permissions of a bot in a channel of a server. Threads have those of their channel."""
    member = members(await call_as_bot(server, token, "GET", f"/guilds/{guild.get('id')}/members/{bot_id}"))
    place, parent = channel, string(channel.get("parent_id"))
    if channel.get("type") in THREADS and parent is not None:
        place = members(await call_as_bot(server, token, "GET", f"/channels/{parent}"))
    roles = member.get("roles")
    return computed(bot_id, roles if isinstance(roles, list) else [], place, guild)


def computed(bot_id: str, roles: Iterable[Any], channel: Mapping[str, Any], guild: Mapping[str, Any]) -> int:
    """Return the permissions by the documented order: everyone, roles, then what the channel changes of both."""
    everyone, own = str(guild.get("id")), {str(role) for role in roles}
    allowed = 0
    for role in _objects(guild.get("roles")):
        if role.get("id") == everyone or role.get("id") in own:
            allowed |= _bits(role.get("permissions"))
    if guild.get("owner_id") == bot_id or allowed & _ADMINISTRATOR:
        return _ALL
    changes = list(_objects(channel.get("permission_overwrites")))
    for owners in ({everyone}, own, {bot_id}):
        theirs = [change for change in changes if change.get("id") in owners]
        for change in theirs:
            allowed &= ~_bits(change.get("deny"))
        for change in theirs:
            allowed |= _bits(change.get("allow"))
    return allowed


def missing(channel: Mapping[str, Any], allowed: int) -> tuple[str, ...]:
    """Return the names of the permissions that publishing needs and the bot has not; nothing counts without a view."""
    send = SEND_IN_THREADS if channel.get("type") in THREADS else SEND
    return tuple(NAMES[needed] for needed in (VIEW, send, EMBED, ATTACH, HISTORY) if not allowed & needed)


def _objects(value: Any) -> Iterable[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _bits(value: Any) -> int:
    return int(value) if isinstance(value, str) and len(value) <= 20 and value.isascii() and value.isdigit() else 0
