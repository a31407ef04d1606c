"""Finding a site's Admin API, and checking that a key opens it."""

import re
from collections.abc import Mapping
from typing import Any, Final

from signalpost.kit import clock
from signalpost.kit.http import BadResponse, TooLarge
from signalpost.networks.connectors.ghost.calls import API, answers_as_ghost, call_api, call_site, error_text
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
from signalpost.networks.sites import CONNECT_SECONDS, FIELD, arrive

VERSION_MIN: Final = 5
_KEY: Final = re.compile(r"[0-9a-f]{24}:[0-9a-f]{64}")
_POSTS: Final = "GET /posts/"
_FIRST: Final = {"limit": "1", "fields": "id,title"}
_NO_KEY: Final = (
    "An Admin API key has two parts with a colon between them: 24 and 64 characters. Copy it from Settings, "
    "Integrations in Ghost; the Content API key beside it is another one."
)
_NO_SITE: Final = (
    "There is no Ghost at this address. Enter that of the site's first page, or the one at which you open Ghost's "
    "administration."
)
_OLD: Final = "This Ghost is older than version 5.0. Update it, and connect the site again."
_WRONG: Final = (
    "Ghost does not know this key. Copy the Admin API key of a custom integration (Settings, Integrations). If it is "
    "right, the clock of the site's server may be wrong by more than five minutes."
)


async def connect(server: Server, fields: Mapping[str, str]) -> Identity:
    """Find the Admin API of a site, and open it by a key."""
    key = fields.get("adminApiKey", "").strip()
    if not _KEY.fullmatch(key):
        raise InvalidField("adminApiKey", _NO_KEY)
    site, path, about = await _find_api(server, fields.get(FIELD, "") or server.base_url)
    try:
        await call_site(site, path, key, clock.actual(), _POSTS, params=_FIRST, timeout_seconds=CONNECT_SECONDS)
    except ApiError as error:
        response = error.response
        if not answers_as_ghost(response):
            raise
        if response.status in {400, 401}:
            raise BadCredentials(_WRONG) from None
        if response.status in {403, 501}:
            raise BadCredentials(f"The site refuses: {error_text(response)}") from None
        raise
    name = f"{site.base_url.partition('://')[2]}{path}"
    return Identity(
        remote_id=name,
        username=name,
        display_name=string(about.get("title")) or name,
        secrets={"adminApiKey": key},
        base_url=site.base_url,
        avatar_url=string(about.get("icon")) or string(about.get("logo")),
        profile_url=string(about.get("url")),
        facts={"path": path},
    )


async def _find_api(server: Server, address: str) -> tuple[Server, str, Mapping[str, Any]]:
    """Return server and path of a site's Admin API, and what it says of the site.

    A site whose administration has a host of its own leads there.
    """
    try:
        site, path, response = await arrive(server, address, "GET", f"{API}/site/", ("ghost",))
    except (BadResponse, TooLarge):
        raise InvalidField(FIELD, _NO_SITE) from None
    about = members(response).get("site")
    version = string(about.get("version")) if isinstance(about, dict) else None
    if response.status != 200 or not isinstance(about, dict) or version is None:
        raise InvalidField(FIELD, _NO_SITE)
    major = version.partition(".")[0]
    if major.isdecimal() and len(major) < 5 and int(major) < VERSION_MIN:
        raise InvalidField(FIELD, _OLD)
    return site, path, about


async def check(session: NetworkSession) -> Health:
    """Ask the site whether the key still opens it."""
    await call_api(session, _POSTS, params=_FIRST)
    return Health()
