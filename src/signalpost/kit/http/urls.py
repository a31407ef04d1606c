"""The part of the guard that needs no lookup: which URLs are well formed."""

import re
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

from msgspec import Struct

from signalpost.kit.addresses import Address, literal
from signalpost.kit.http.errors import UnsafeUrl

if TYPE_CHECKING:
    from yarl import URL

URL_LENGTH_MAX = 2048
_NAME = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*\.?")
_DEFAULT_PORTS = {"https": 443, "http": 80}


class Target(Struct, frozen=True):
    """A well-formed URL, parsed once."""

    url: "URL"
    scheme: str
    #: In ASCII form, lower case, without brackets.
    host: str
    port: int
    #: Set if the host is an address, not a name.
    address: Address | None

    @property
    def origin(self) -> tuple[str, str, int]:
        return self.scheme, self.host, self.port

    @property
    def base_url(self) -> str:
        """Scheme, host and port in one spelling: ASCII, lower case, without the default port."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == _DEFAULT_PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{host}{port}"


@lru_cache(maxsize=2048)
def parse(text: str) -> Target:
    """Parse an http or https URL. Only the text is checked (so the result can be cached), not where it leads.

    Raises:
        UnsafeUrl: too long, forbidden characters, userinfo, a missing or invalid host or port, another scheme.
    """
    from yarl import URL  # noqa: PLC0415 - a megabyte and 6 ms that an idle service does not need

    if len(text) > URL_LENGTH_MAX:
        raise UnsafeUrl(f"the address is longer than {URL_LENGTH_MAX} characters")
    if "\\" in text or " " in text or not text.isprintable():
        raise UnsafeUrl("the address contains a space, a control character or a backslash")
    try:
        url = URL(text)
        scheme, host, port = url.scheme, url.raw_host, url.explicit_port
    except (ValueError, UnicodeError):
        raise UnsafeUrl("the address is malformed: its host or port is invalid") from None
    if scheme not in _DEFAULT_PORTS:
        raise UnsafeUrl("the address must start with https://")
    authority = re.split(r"[/?#]", text.partition("://")[2], maxsplit=1)[0]
    if "@" in authority:
        raise UnsafeUrl("the address must not contain a user name or password")
    if not host or host.strip(".") == "":
        raise UnsafeUrl("the address has no host")
    if port == 0:
        raise UnsafeUrl("port 0 is not allowed")
    address = _address(host)
    if "[" in authority and address is None:
        raise UnsafeUrl("the address is malformed: only an IPv6 address may be in brackets")
    return Target(url, scheme, host, port or _DEFAULT_PORTS[scheme], address)


def _address(host: str) -> Address | None:
    """Parse an address; refuse names that a resolver might read as one (2130706433, 0x7f.1, 127.1, 1.2.3.4.)."""
    address = literal(host)
    if address is not None:
        return address
    last = host.rstrip(".").rpartition(".")[2]
    if last.isdigit() or last.startswith("0x"):
        raise UnsafeUrl(f"{host} is an unusual notation of an address")
    if len(host) > 253 or not _NAME.fullmatch(host):
        raise UnsafeUrl("the host name is malformed")
    return None


def redact_url(url: str) -> str:
    """Return `url` without userinfo, query and fragment, which may contain secrets. Never raises."""
    try:
        parts = urlsplit(url)
        return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
    except ValueError:
        return "(malformed address)"
