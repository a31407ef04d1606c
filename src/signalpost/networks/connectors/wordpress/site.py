"""Finding the REST API of a site: where its pages say it is, or at the usual places."""

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from signalpost.kit.http import BadResponse, TooLarge
from signalpost.networks.contract import InvalidField, Response, Server
from signalpost.networks.responses import members
from signalpost.networks.sites import FIELD, LINK_LENGTH_MAX, arrive, call_unknown

_INSIDE: Final = frozenset(("wp-json", "wp-admin", "wp-login.php"))
_REL: Final = "https://api.w.org/"
_NO_SITE: Final = "There is no WordPress with a REST API at this address. Enter the address of the site's first page."
_NOT_JSON: Final = (
    "The site answers with a page instead of its REST API: a firewall or a security plugin is in the way. Ask whoever "
    "runs the site to let calls of /wp-json through."
)


async def find_api(server: Server, address: str) -> tuple[Server, dict[str, Any], Mapping[str, Any]]:
    """Return the server of a site, where on it the REST API is, and what its index says.

    Raises:
        InvalidField: there is none.
    """
    site, path, first = await arrive(server, address, "HEAD", "/", _INSIDE)
    link = _link_of(site, first.headers.get("Link") or "")
    places = [] if link is None else [link]
    places += [{"path": f"{path}/wp-json", "query": False}, {"path": path, "query": True}]
    page_seen = False
    for place in places:
        response = await _index(site, place)
        index = {} if response is None else members(response)
        if response is not None and response.status == 200 and isinstance(index.get("namespaces"), list):
            if "wp/v2" not in index["namespaces"]:
                break
            return site, place, index
        page_seen |= response is not None and response.status in {200, 401, 403, 406, 503} and not index
    raise InvalidField(FIELD, _NOT_JSON if page_seen else _NO_SITE)


def _link_of(site: Server, header: str) -> dict[str, Any] | None:
    """Return the place of the REST API by a `Link` header; one at another host is not the site's."""
    for entry in header[:LINK_LENGTH_MAX].split(","):
        address, _, rest = entry.strip().partition(">")
        if _REL not in rest or not address.startswith("<"):
            continue
        parts = urlsplit(address[1:])
        if f"{parts.scheme}://{parts.netloc}".lower() != site.base_url:
            continue
        if "rest_route" in parse_qs(parts.query):
            return {"path": parts.path.rstrip("/").removesuffix("/index.php"), "query": True}
        return {"path": parts.path.rstrip("/"), "query": False}
    return None


async def _index(site: Server, place: Mapping[str, Any]) -> Response | None:
    """Read the index of the REST API, without credentials; None if there is nothing that could be one."""
    params = {"_fields": "name,url,home,namespaces,authentication"}
    path = f"{place['path']}/"
    if place["query"]:
        params = {"rest_route": "/", **params}
    try:
        return await call_unknown(site, "GET", path, params)
    except (BadResponse, TooLarge):
        return None
