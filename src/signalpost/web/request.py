"""One HTTP request: headers, client address, body, query string."""

import asyncio
import ipaddress
import re
import string
from collections.abc import Awaitable, Callable, Collection, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, NewType, overload
from urllib.parse import parse_qsl, urlsplit

import msgspec

from signalpost.kit import problems
from signalpost.web.caller import Caller
from signalpost.web.request_ids import next_id

ClientAddress = NewType("ClientAddress", str)
"""The address of the client as it is counted: see `address_bucket`. A handler asks for it by this type."""

BODY_SECONDS = 60
TARGET_BYTES_MAX = 16_384
"""Of path and query together. The HTTP server itself refuses more than 65,534 bytes, without a body."""
TEST_YEARS = range(2000, 2101)  # arithmetic with them stays within what Python and PostgreSQL can hold
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{8,100}")
_HOST_CHARACTERS = (string.ascii_letters + string.digits + "!$&'()*+,;=-._~:[]@%").encode()
_HOST = re.compile(r"(?:[A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?", re.ASCII)
_PROXY_HEADERS = ("forwarded", "via", "x-forwarded-for", "x-real-ip")
_SLASHES = re.compile("//+")
_SHOWN_CHARACTERS_MAX = 200
_SECRET_PARAMETERS = frozenset({"token", "state"})
_BY_A_PERSON = (None, "navigate")
"""Sec-Fetch-Mode of a request for a page; old browsers do not send it."""
_ACCEPTABLE = re.compile(r"json|\*/\*|application/\*|text/")


class Headers:
    """Request headers by their lower-case names. Of a header that is sent several times, the first counts."""

    __slots__ = ("_values",)

    def __init__(self, lines: Sequence[tuple[bytes, bytes]]) -> None:
        self._values = dict(reversed(lines))

    def __contains__(self, name: str) -> bool:
        return name.encode() in self._values

    def raw(self, name: bytes) -> bytes:
        """Return the value of a header as it was sent; empty without it."""
        return self._values.get(name, b"")

    @overload
    def get(self, name: str) -> str | None: ...
    @overload
    def get(self, name: str, default: str) -> str: ...
    def get(self, name: str, default: str | None = None) -> str | None:
        """Return the value of a header, or the default."""
        value = self._values.get(name.encode())
        return default if value is None else value.decode("latin-1")


class Request:
    """One request, as it arrived. Its path has no double slashes and none at the end."""

    __slots__ = ("headers", "id", "path", "path_params", "receive", "scope")

    def __init__(self, scope: Any, receive: Callable[[], Awaitable[Any]]) -> None:
        self.scope = scope
        self.receive = receive
        self.headers = Headers(scope["headers"])
        path: str = scope["path"]
        if "//" in path or not path.startswith("/") or path.endswith("/"):
            path = "/" + _SLASHES.sub("/", path.strip("/"))
        self.path = path
        self.path_params: dict[str, str] = {}
        requested = self.headers.get("x-request-id")
        self.id = requested if requested and _REQUEST_ID.fullmatch(requested) else next_id()

    @property
    def shown_path(self) -> str:
        """The path for logs and problems, without what stands for the right to do something."""
        secrets = {value: name for name, value in self.path_params.items() if name in _SECRET_PARAMETERS and value}
        if not secrets:
            return self.path[:_SHOWN_CHARACTERS_MAX]
        parts = (f"{{{secrets[part]}}}" if part in secrets else part for part in self.path.split("/"))
        return "/".join(parts)[:_SHOWN_CHARACTERS_MAX]


class Call:
    """One request being served, with its caller once that is known, and the headers of its response."""

    __slots__ = ("address", "caller", "headers", "request")

    def __init__(self, request: Request, address: str) -> None:
        self.request = request
        self.address = address
        self.caller: Caller | None = None
        self.headers: list[tuple[bytes, bytes]] = []


def require_valid_host(request: Request) -> None:
    """Verify the Host header.

    Raises:
        MalformedRequest: it contains characters that no host name or address has.
    """
    if request.headers.raw(b"host").translate(None, _HOST_CHARACTERS):
        raise problems.MalformedRequest("The Host header contains characters that no host name has.")


def require_short_target(request: Request) -> None:
    """Verify the length of path and query.

    Raises:
        UriTooLong: no operation needs so many characters.
    """
    if len(request.path) + len(request.scope["query_string"]) > TARGET_BYTES_MAX:
        message = f"Path and query have at most {TARGET_BYTES_MAX} bytes. Send long values in a body, or fewer of them."
        raise problems.UriTooLong(message, limit={"max": TARGET_BYTES_MAX})


class ForeignHost(problems.Problem, status=421):
    """The request is for a host that is not this service.

    Use `localhost` or an address of this machine, or set SIGNALPOST_BASE_URL to the address that people use.
    """


def is_misdirected(request: Request, base_url: str | None, trusted_proxies: int) -> bool:
    """Whether a client on this machine asks for a host that is not ours.

    So does a browser whose page has its name resolve to 127.0.0.1 meanwhile: it would read what only this machine
    learns. Behind a proxy on the same machine the host is whatever the proxy passes on; it says that it is one.
    """
    client = request.scope.get("client")
    if client is None or not is_loopback(client[0]):
        return False
    if trusted_proxies and any(name in request.headers for name in _PROXY_HEADERS):
        return False
    return not is_own_host(request.headers.get("host", ""), base_url)


@lru_cache(maxsize=256)
def is_own_host(host: str, base_url: str | None) -> bool:
    """Whether no foreign name server can make this host one of ours; without the header nobody asked for a name."""
    name = re.sub(r":\d*$", "", host).rstrip(".").lower()
    if name in ("", "localhost") or name.endswith(".localhost") or (base_url and name == urlsplit(base_url).hostname):
        return True
    try:
        ipaddress.ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True


@lru_cache(maxsize=4_096)
def is_loopback(client: str) -> bool:
    """Whether a client is on this machine."""
    try:
        address = ipaddress.ip_address(client)
    except ValueError:
        return False
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback


@lru_cache(maxsize=256)
def url_of(host: str, forwarded_scheme: str) -> str | None:
    """Return the address that a request with this Host header was sent to; None if the header is not a host."""
    scheme = "https" if forwarded_scheme.strip().lower() == "https" else "http"
    return f"{scheme}://{host}" if _HOST.fullmatch(host) else None


def client_address(scope: Any, trusted_proxies: int) -> str:
    """Return the address of the client: that of the peer, or the one that the outermost trusted proxy reported."""
    if trusted_proxies:
        # A proxy may add a header line of its own after the client's: all lines form one list.
        lines = b",".join(value for name, value in scope["headers"] if name == b"x-forwarded-for")
        hops = [hop.strip() for hop in lines.decode("latin-1").split(",") if hop.strip()]
        if hops:
            return str(hops[-min(trusted_proxies, len(hops))])
    client = scope.get("client")
    return client[0] if client else "unknown"


def comes_from_this_machine(request: Request) -> bool:
    """Whether the peer is a loopback address and not a reverse proxy, behind which the client may be anyone."""
    client = request.scope.get("client")
    return client is not None and is_loopback(client[0]) and not any(name in request.headers for name in _PROXY_HEADERS)


@lru_cache(maxsize=4_096)
def address_bucket(address: str) -> str:
    """Return the name under which an address is counted: for IPv6 its /64, since a client has all of that."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if parsed.version == 4:
        return address
    mapped = parsed.ipv4_mapped  # how a socket for both versions names a client with IPv4
    return str(mapped or ipaddress.ip_network((parsed, 64), strict=False))


async def read_body(request: Request, bytes_max: int) -> bytes:
    length = request.headers.get("content-length", "")
    if length.isdigit() and int(length) > bytes_max:
        raise problems.PayloadTooLarge(f"The body is larger than {bytes_max} bytes.", limit={"max": bytes_max})
    pieces: list[bytes] = []
    size = 0
    receive = request.receive
    try:
        async with asyncio.timeout(BODY_SECONDS):
            while True:
                message: Any = await receive()
                if message["type"] == "http.disconnect":
                    raise problems.MalformedRequest("The connection was closed before the whole body arrived.")
                pieces.append(message.get("body", b""))
                size += len(pieces[-1])
                if size > bytes_max:
                    raise problems.PayloadTooLarge(
                        f"The body is larger than {bytes_max} bytes.", limit={"max": bytes_max}
                    )
                if not message.get("more_body"):
                    return b"".join(pieces)
    except TimeoutError:
        raise problems.MalformedRequest(f"The body did not arrive within {BODY_SECONDS} seconds.") from None


def check_encoding(headers: Headers) -> None:
    coding = headers.get("content-encoding", "identity").strip().lower()
    if coding not in ("", "identity"):
        raise problems.UnsupportedMediaType(
            f"Content-Encoding {coding[:100]} is not supported. Send the body uncompressed.",
            headers={"Accept-Encoding": "identity"},
        )


def media_type_of(headers: Headers) -> str:
    """Return the media type of the body, without parameters; empty if none is named."""
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def check_media_types(
    request_types: Sequence[str], response_types: Collection[str], headers: Headers, body: bytes
) -> None:
    """Verify that the operation reads what is sent and returns what is accepted: JSON, or one of `response_types`.

    Raises:
        UnsupportedMediaType, NotAcceptable: it does not.
    """
    if body:
        media_type = media_type_of(headers) or "application/json"
        if media_type not in request_types and not (
            media_type.endswith("+json") and media_type.startswith("application/")
        ):
            raise problems.UnsupportedMediaType(
                f"This operation accepts {' or '.join(request_types)}, not {media_type}."
            )
    accept = headers.get("accept", "")
    if accept and not _ACCEPTABLE.search(accept) and not any(media_type in accept for media_type in response_types):
        returned = " or ".join(response_types) or "application/json"
        raise problems.NotAcceptable(f"This operation returns {returned}, which Accept: {accept[:100]!r} excludes.")


def accepts_html(request: Request) -> bool:
    """Return whether a browser shows the response to a person, and it is not a script that asks."""
    return "text/html" in request.headers.get("accept", "") and request.headers.get("sec-fetch-mode") in _BY_A_PERSON


def navigates(request: Request) -> bool:
    """Return whether a person asked for the page: a program, or a script of a page, reads problems as JSON.

    Browsers say so in `Sec-Fetch-Mode`. Of what does not, only what asks for HTML first does, outside of the API.
    """
    if "sec-fetch-mode" in request.headers:
        return accepts_html(request)
    in_api = request.path.startswith(("/api/", "/v1/"))
    return not in_api and request.headers.get("accept", "").lstrip().startswith("text/html")


def cookie_value(request: Request, name: str) -> str | None:
    """Return the value of a cookie; None without it. HTTP/2 may spread cookies over several header lines."""
    lines = [value.decode("latin-1") for header, value in request.scope["headers"] if header == b"cookie"]
    for pair in "; ".join(lines).split(";"):
        key, _, value = pair.strip().partition("=")
        if key == name:
            return value
    return None


def query_values(request: Request) -> dict[str, str]:
    raw = request.scope["query_string"]
    if not raw:
        return {}
    try:
        pairs = parse_qsl(raw.decode("ascii"), keep_blank_values=True, max_num_fields=100, errors="strict")
    except (UnicodeDecodeError, ValueError) as error:
        raise problems.MalformedRequest("The query string is not percent-encoded UTF-8.") from error
    values: dict[str, str] = {}
    for name, value in pairs:
        if name in values:
            raise problems.invalid(name, "not_unique", "This parameter appears twice: send one value.")
        values[name] = value
    return values


def test_now(call: Call) -> datetime | None:
    """Return the time that `X-Test-Now` sets for a request with a test key; None without the header."""
    value = call.request.headers.get("x-test-now")
    if not value or call.caller is None or call.caller.mode != "test":
        return None
    try:
        instant = msgspec.convert(value, datetime)
    except msgspec.ValidationError:
        instant = None
    if instant is None or instant.tzinfo is None or instant.year not in TEST_YEARS:
        raise problems.invalid(
            "X-Test-Now", "format", "Must be an RFC 3339 time with an offset or Z, from 2000 to 2100."
        )
    return instant
