"""Finding a homeserver, opening a room there by an access token, and checking that it can still be posted to."""

import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import unquote

from signalpost.kit.http import BadResponse, HttpFailure
from signalpost.networks.connectors.matrix.calls import call_server, code_of, error_text, segment
from signalpost.networks.connectors.matrix.facts import FACTS
from signalpost.networks.connectors.matrix.homeserver import find_homeserver
from signalpost.networks.connectors.matrix.room import NO_MEMBER, problem_of, state
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

_ROOM: Final = re.compile(r"[!#][^\s,/?]{1,254}")
_LINK: Final = re.compile(r"https://matrix\.to/#/([^\s/?]{1,500})(\?[^\s]*)?")
_WHOAMI: Final = "GET /account/whoami"
_UNREACHED: Final = (
    "The homeserver cannot reach the server in the address of the room. Check what stands after its colon, or enter "
    "the ID of the room, which begins with an !."
)
_LIMITS: Final = ("GET /_matrix/client/v1/media/config", "GET /_matrix/media/v3/config")


async def connect(server: Server, fields: Mapping[str, str]) -> Identity:
    """Open a room without encryption in which the user of an access token may write."""
    room = _room_of(fields.get("room", ""))
    token = fields.get("accessToken", "").strip()
    if not token or not token.isascii() or not token.isprintable() or " " in token:
        raise InvalidField("accessToken", "Copy the access token again: it has no spaces and no special characters.")
    homeserver = await find_homeserver(server, fields.get("homeserverUrl", "") or server.base_url)
    who = await _whoami(homeserver, token)
    (user_id,), device_id = texts(who, "user_id"), string(members(who).get("device_id"))
    try:
        room_id = await _id_of(homeserver, token, room)
        problem = await problem_of(homeserver, token, room_id, user_id)
    except ApiError as error:
        if code_of(error.response) in {"M_NOT_FOUND", "M_INVALID_PARAM"}:
            raise InvalidField("room", "The homeserver knows no room of this name. Check its address.") from None
        if code_of(error.response) == "M_FORBIDDEN":
            raise InvalidField("room", NO_MEMBER) from None
        if error.response.status == 502 and "/directory/" in error.call and code_of(error.response):
            raise InvalidField("room", _UNREACHED) from None
        raise
    if problem is not None:
        raise InvalidField("room", problem)
    named = await state(homeserver, token, room_id, "m.room.name") or {}
    canonical = await state(homeserver, token, room_id, "m.room.canonical_alias") or {}
    alias = string(canonical.get("alias")) or (room if room.startswith("#") else None)
    return Identity(
        remote_id=f"{user_id}/{room_id}",
        username=f"{user_id.removeprefix('@')}/{alias or room_id}",
        display_name=string(named.get("name")) or alias or room_id,
        secrets={"accessToken": token},
        base_url=homeserver.base_url,
        profile_url=f"https://matrix.to/#/{alias or room_id}",
        kind="channel",
        facts={
            "userId": user_id, "roomId": room_id, "deviceId": device_id, "limits": await _limits(homeserver, token),
        },
    )  # fmt: skip


def _room_of(text: str) -> str:
    """Return the id or address that a user means by it, or by a link to the room."""
    link = _LINK.fullmatch(text.strip())
    room = unquote(link[1]) if link else text.strip()
    if not _ROOM.fullmatch(room):
        message = "Enter the address of the room, such as #news:example.org, or its ID, which begins with an !."
        raise InvalidField("room", message)
    return room


async def _whoami(server: Server, token: str) -> Response:
    try:
        return await call_server(server, token, _WHOAMI)
    except ApiError as error:
        if code_of(error.response) and error.response.status in {401, 403}:
            message = f"The homeserver rejected this access token: {error_text(error.response)}"
            raise BadCredentials(message) from None
        raise


async def _id_of(server: Server, token: str, room: str) -> str:
    if room.startswith("!"):
        return room
    (room_id,) = texts(await call_server(server, token, f"GET /directory/room/{segment(room)}"), "room_id")
    if not _ROOM.fullmatch(room_id):
        raise BadResponse("the response names no room")
    return room_id


async def _limits(server: Server, token: str) -> dict[str, Any]:
    """Return how large files may be at this server; nothing if it does not say."""
    for call in _LIMITS:
        try:
            size = members(await call_server(server, token, call)).get("m.upload.size")
        except (ApiError, HttpFailure):
            continue
        if type(size) is int and 0 < size < 1 << 40:
            return {"media": {kind: {"bytes_max": size} for kind in FACTS.media}}
    return {}


async def check(session: NetworkSession) -> Health:
    """Ask the homeserver whether the token still works, and whether its user may still write in the room."""
    server, token = session.server, session.secrets["accessToken"]
    (user_id,) = texts(await call_server(server, token, _WHOAMI), "user_id")
    problem = await problem_of(server, token, str(session.facts.get("roomId")), user_id)
    return Health(can_post=problem is None, message=problem)
