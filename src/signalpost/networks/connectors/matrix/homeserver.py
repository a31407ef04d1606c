"""Finding a homeserver: where its domain says it is, or at the address itself."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

from signalpost.kit.http import BadResponse, TooLarge, UnsafeUrl, parse_url
from signalpost.networks.contract import InvalidField, Response, Server
from signalpost.networks.responses import members, string

CONNECT_SECONDS: Final = 15.0
HOPS_MAX: Final = 3
_FIELD: Final = "homeserverUrl"
_ENTER: Final = "Enter the address of your homeserver, for example matrix.org."
_HTTPS: Final = "Enter an address that begins with https://: an access token must not travel unencrypted."
_NONE: Final = "There is no homeserver of Matrix at this address. Enter the domain in the name of the user."
_VERSIONS: Final = "/_matrix/client/versions"
_WELL_KNOWN: Final[str] = "/.well-known/matrix/client"


async def find_homeserver(server: Server, address: str) -> Server:
    """Return the homeserver that a user means by `example.org`, by `@alice:example.org`, or by an address.

    Raises:
        InvalidField: there is none, or it may not be called.
    """
    text = address.strip()
    if text.startswith("@"):
        text = text.partition(":")[2]
    entered = _server_at(server, text)
    announced = await _announced(entered)
    for homeserver in [entered] if announced is None else [_server_at(server, announced), entered]:
        response = await _get(homeserver, _VERSIONS)
        if response is not None and isinstance(members(response).get("versions"), list):
            return homeserver
    raise InvalidField(_FIELD, _NONE)


def _server_at(server: Server, address: str) -> Server:
    text = address if "://" in address else f"https://{address}"
    try:
        target = parse_url(text)
    except UnsafeUrl:
        raise InvalidField(_FIELD, _ENTER) from None
    trusted = server.trusted and target.base_url == server.base_url
    if not target.base_url.startswith("https://") and not trusted:
        raise InvalidField(_FIELD, _HTTPS)
    path = urlsplit(text).path.partition("/_matrix")[0].partition("/.well-known")[0].rstrip("/")
    return replace(server, base_url=f"{target.base_url}{path}", trusted=trusted)


async def _announced(entered: Server) -> str | None:
    """Return the address that a domain announces for its homeserver; None if it announces none."""
    site, path = _root_of(entered), _WELL_KNOWN
    for _ in range(HOPS_MAX):
        response = await _get(site, path)
        if response is None or response.status not in {301, 302, 303, 307, 308}:
            return _named(response)
        target = urljoin(f"{site.base_url}{path}", (response.headers.get("Location") or "")[:2_000])
        site, path = _root_of(_server_at(entered, target)), urlsplit(target).path or "/"
    return None


def _root_of(server: Server) -> Server:
    parts = urlsplit(server.base_url)
    return replace(server, base_url=f"{parts.scheme}://{parts.netloc}")


def _named(response: Response | None) -> str | None:
    body: Mapping[str, Any] = {} if response is None or response.status != 200 else members(response)
    homeserver = body.get("m.homeserver")
    return string(homeserver.get("base_url")) if isinstance(homeserver, dict) else None


async def _get(server: Server, path: str) -> Response | None:
    """Call without credentials; None if there is nothing of use.

    Raises:
        InvalidField: the address may not be called.
    """
    try:
        return await server.call("GET", path, timeout_seconds=CONNECT_SECONDS, expect=None)
    except UnsafeUrl as failure:
        raise InvalidField(_FIELD, failure.detail) from None
    except (BadResponse, TooLarge):
        return None
