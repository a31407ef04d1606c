"""Sites that people run themselves: what an address that a user entered means, and where it leads."""

from collections.abc import Collection
from dataclasses import replace
from typing import Final
from urllib.parse import urljoin, urlsplit

from signalpost.kit.http import UnsafeUrl, parse_url
from signalpost.networks.contract import InvalidField, Response, Server

CONNECT_SECONDS: Final = 15.0
HOPS_MAX: Final = 3
LINK_LENGTH_MAX: Final = 4_000
SITE_BYTES_MAX: Final = 5_000_000
FIELD: Final = "siteUrl"
_EXAMPLE: Final = "Enter the address of your site, for example https://blog.example.com."
_HTTPS: Final = "Enter an address that begins with https://: a password or key must not travel unencrypted."
_ENDLESS: Final = "The address leads from one to another without an end. Enter that of the first page."


def site_of(server: Server, address: str, inside: Collection[str]) -> tuple[Server, str]:
    """Return server and path that a user means by `blog.example.com`, or by an address there.

    Args:
        server: of the operator; an address that a user names is trusted only if it is the same.
        address: what the user entered.
        inside: first segments of paths that lie within a site, such as `wp-admin`.

    Raises:
        InvalidField: the address is not one, or is without encryption.
    """
    text = address.strip()
    url = text if "://" in text else f"https://{text}"
    try:
        target = parse_url(url)
    except UnsafeUrl:
        raise InvalidField(FIELD, _EXAMPLE) from None
    trusted = server.trusted and target.base_url == server.base_url
    if not target.base_url.startswith("https://") and not trusted:
        raise InvalidField(FIELD, _HTTPS)
    segments = urlsplit(url).path.rstrip("/").split("/")
    end = next((index for index, segment in enumerate(segments) if segment in inside), len(segments))
    return replace(server, base_url=target.base_url, trusted=trusted), "/".join(segments[:end]).rstrip("/")


async def arrive(
    server: Server, address: str, method: str, suffix: str, inside: Collection[str]
) -> tuple[Server, str, Response]:
    """Call `suffix` of a site, follow its redirects, and return where it is and what it answered there.

    Each address on the way is checked like the first one, so that no credentials leave encryption.

    Raises:
        InvalidField: the address may not be called, or leads to one without encryption.
        kit.http.HttpFailure: no usable answer.
    """
    site, path = site_of(server, address, inside)
    for _ in range(HOPS_MAX):
        response = await call_unknown(site, method, f"{path}{suffix}")
        target = response.headers.get("Location") if response.status in {301, 302, 303, 307, 308} else None
        if not target:
            return site, path, response
        site, path = site_of(site, urljoin(f"{site.base_url}{path}{suffix}", target[:LINK_LENGTH_MAX]), inside)
    raise InvalidField(FIELD, _ENDLESS)


async def call_unknown(site: Server, method: str, path: str, params: dict[str, str] | None = None) -> Response:
    """Call a site of which nothing is known yet, without credentials; every status is an answer.

    Raises:
        InvalidField: its address may not be called.
        kit.http.HttpFailure: no usable answer.
    """
    try:
        return await site.call(
            method, path, params=params, timeout_seconds=CONNECT_SECONDS, bytes_max=SITE_BYTES_MAX, expect=None
        )
    except UnsafeUrl as failure:
        raise InvalidField(FIELD, failure.detail) from None
