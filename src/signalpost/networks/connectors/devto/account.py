"""Connecting a person by an API key, and checking that it still opens the account."""

from collections.abc import Mapping
from typing import Final

from signalpost.kit.http import BadResponse
from signalpost.networks.connectors.devto.calls import call_api, call_with
from signalpost.networks.contract import (
    ApiError,
    BadCredentials,
    Health,
    Identity,
    InvalidField,
    NetworkSession,
    Server,
)
from signalpost.networks.responses import members, string

_ME: Final = "GET /users/me"
_KEY_LENGTH_MAX: Final = 200
_WRONG: Final = "DEV does not know this key. Copy it from Settings, Extensions, DEV Community API Keys."


async def connect(server: Server, fields: Mapping[str, str]) -> Identity:
    """Open the account of a person."""
    key = fields.get("apiKey", "").strip()
    if not key.isascii() or not key.isprintable() or not 0 < len(key) <= _KEY_LENGTH_MAX:
        raise InvalidField("apiKey", "An API key of DEV is one word of letters and digits.")
    try:
        response = await call_with(server, key, _ME)
    except ApiError as error:
        if error.response.status == 401:
            raise BadCredentials(_WRONG) from None
        raise
    person = members(response)
    number, username = person.get("id"), string(person.get("username"))
    if type(number) is not int or username is None:
        raise BadResponse("the response names no person", status=response.status)
    return Identity(
        remote_id=str(number),
        username=username,
        display_name=string(person.get("name")) or username,
        secrets={"apiKey": key},
        avatar_url=string(person.get("profile_image")),
        profile_url=f"{server.base_url}/{username}",
    )


async def check(session: NetworkSession) -> Health:
    """Ask DEV whether the key still opens the account, and as what."""
    person = members(await call_api(session, _ME))
    return Health(
        username=string(person.get("username")),
        display_name=string(person.get("name")),
        avatar_url=string(person.get("profile_image")),
    )
