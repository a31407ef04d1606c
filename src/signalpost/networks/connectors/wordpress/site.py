"""Finding the REST API of a site: where its pages say it is, or at the usual places."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final
from urllib.parse import parse_qs, urljoin, urlsplit

from signalpost.kit.http import BadResponse, TooLarge, UnsafeUrl, parse_url
from signalpost.networks.contract import ApiError, InvalidField, Response, Server
from signalpost.networks.responses import members

CONNECT_SECONDS: Final = 15.0
HOPS_MAX: Final = 3
INDEX_BYTES_MAX: Final = 5_000_000
LINK_LENGTH_MAX: Final = 4_000
_REL: Final = "https://api.w.org/"
_NO_SITE: Final = "There is no WordPress with a REST API at this address. Enter the address of the site's first page."
_NOT_JSON: Final = (
    "The site answers with a page instead of its REST API: a firewall or a security plugin is in the way. Ask whoever "
    "runs the site to let calls of /wp-json through."
)
_HTTPS: Final = "Enter an address that begins with https://: an application password must not travel unencrypted."


async def find_api(server: Server, address: str) -> tuple[Server, dict[str, Any], Mapping[str, Any]]:
    """Return the server of a site, where on it the REST API is, and what its index says.

    Raises:
        InvalidField: there is none.
    """
    site, path = _site_of(server, address)
    site, path, link = await _announced(site, path)
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
    raise InvalidField("siteUrl", _NOT_JSON if page_seen else _NO_SITE)


def _site_of(server: Server, address: str) -> tuple[Server, str]:
    """Return server and path that a user means by `blog.example.com`, or by an address there."""
    text = address.strip()
    try:
        target = parse_url(text if "://" in text else f"https://{text}")
    except UnsafeUrl:
        raise InvalidField("siteUrl", "Enter the address of your site, for example https://blog.example.com.") from None
    trusted = server.trusted and target.base_url == server.base_url
    if not target.base_url.startswith("https://") and not trusted:
        raise InvalidField("siteUrl", _HTTPS)
    path = urlsplit(text if "://" in text else f"https://{text}").path
    path = path.partition("/wp-json")[0].partition("/wp-admin")[0].partition("/wp-login.php")[0].rstrip("/")
    return replace(server, base_url=target.base_url, trusted=trusted), path


async def _announced(site: Server, path: str) -> tuple[Server, str, dict[str, Any] | None]:
    """Follow the redirects of the first page, and return where it says that the REST API is, if it says so.

    Raises:
        InvalidField: the address may not be called, or leads to one without encryption.
    """
    for _ in range(HOPS_MAX):
        try:
            response = await site.call("HEAD", f"{path}/", timeout_seconds=CONNECT_SECONDS, expect=None)
        except UnsafeUrl as failure:
            raise InvalidField("siteUrl", failure.detail) from None
        target = response.headers.get("Location") if response.status in {301, 302, 303, 307, 308} else None
        if not target:
            return site, path, _link_of(site, response.headers.get("Link") or "")
        site, path = _site_of(site, urljoin(f"{site.base_url}{path}/", target[:LINK_LENGTH_MAX]))
    raise InvalidField("siteUrl", "The address leads from one to another without an end. Enter that of the first page.")


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
        return await site.call(
            "GET", path, params=params, timeout_seconds=CONNECT_SECONDS, bytes_max=INDEX_BYTES_MAX, expect=None
        )
    except UnsafeUrl as failure:
        raise InvalidField("siteUrl", failure.detail) from None
    except (ApiError, BadResponse, TooLarge):
        return None
