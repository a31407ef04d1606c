"""What a room says of itself: its name, whether it is encrypted, and who may write in it."""

from collections.abc import Mapping
from typing import Any, Final

from signalpost.networks.connectors.matrix.calls import call_server, code_of, segment
from signalpost.networks.contract import ApiError, Server
from signalpost.networks.responses import members

ENCRYPTED: Final = (
    "The room is encrypted, and what is sent from here would not be. Connect a room without encryption: once it is on, "
    "it cannot be turned off."
)
NO_MEMBER: Final = "The user is not in the room: invite them there, and accept that with any client of Matrix."
NO_POWER: Final = "The user may not write in the room: raise their power level in its settings."
_CREATORS_RULE_FROM: Final = 12
"""From this version of rooms on, those who made a room may do everything in it, whatever its levels say."""
ROOMS_BYTES_MAX: Final = 5_000_000


async def state(server: Server, token: str, room_id: str, kind: str, **params: str) -> Mapping[str, Any] | None:
    """Return the content of a state event of a room; None if it has none."""
    call = f"GET /rooms/{segment(room_id)}/state/{kind}/"
    try:
        return members(await call_server(server, token, call, params=params))
    except ApiError as error:
        if code_of(error.response) != "M_NOT_FOUND":
            raise
        return None


async def is_encrypted(server: Server, token: str, room_id: str) -> bool:
    """Whether a room is encrypted; that stays so for ever, whatever the event says later."""
    return await state(server, token, room_id, "m.room.encryption") is not None


async def problem_of(server: Server, token: str, room_id: str, user_id: str) -> str | None:
    """Return why a user cannot post in a room, or None."""
    joined = members(await call_server(server, token, "GET /joined_rooms", bytes_max=ROOMS_BYTES_MAX))
    rooms = joined.get("joined_rooms")
    if not isinstance(rooms, list) or room_id not in rooms:
        return NO_MEMBER
    if await is_encrypted(server, token, room_id):
        return ENCRYPTED
    levels = await state(server, token, room_id, "m.room.power_levels")
    if levels is None or _may_write(levels, user_id):
        return None
    return None if await _has_made(server, token, room_id, user_id) else NO_POWER


def _may_write(levels: Mapping[str, Any], user_id: str) -> bool:
    needed = _level(levels.get("events"), "m.room.message", levels.get("events_default"))
    return _level(levels.get("users"), user_id, levels.get("users_default")) >= needed


def _level(named: Any, key: str, default: Any) -> int:
    """Return a power level; in old rooms some are texts."""
    value = named[key] if isinstance(named, dict) and key in named else default
    text = str(value)[:20]
    return int(text) if text.lstrip("-").isdecimal() and text.isascii() else 0


async def _has_made(server: Server, token: str, room_id: str, user_id: str) -> bool:
    event = await state(server, token, room_id, "m.room.create", format="event") or {}
    content = event.get("content")
    if not isinstance(content, dict):  # a server from before such rooms
        return False
    others = content.get("additional_creators")
    version = str(content.get("room_version"))
    is_such = version.isdecimal() and len(version) < 4 and int(version) >= _CREATORS_RULE_FROM
    return is_such and user_id in [event.get("sender"), *(others if isinstance(others, list) else [])]
