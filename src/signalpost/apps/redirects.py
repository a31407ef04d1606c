"""Redirect addresses of apps: which ones can be registered, and which one a request may name."""

import re
from typing import Final
from urllib.parse import SplitResult, urlsplit

URI_LENGTH_MAX: Final = 500
_LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})
_PRINTABLE: Final = re.compile(r"[!#$%&'()*+,\-./0-9:;=?@A-Z\[\]_a-z~]+", re.ASCII)
_NETLOC: Final = re.compile(r"(?:[A-Za-z0-9.\-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?", re.ASCII)
_SCHEME: Final = re.compile(r"[a-z][a-z0-9+.\-]*", re.ASCII)
_OF_BROWSERS: Final = frozenset({
    "about", "blob", "chrome", "data", "file", "filesystem", "ftp", "intent", "javascript", "mailto", "resource", "sms",
    "tel", "vbscript", "view-source", "ws", "wss",
})  # fmt: skip
"""Schemes that a browser acts upon by itself: no app on the machine of a person receives them."""


def why_refused(uri: str) -> str | None:
    """Return why an address cannot be registered as a sentence; None if it can.

    It can be `https`, `http` on this machine only (RFC 8252, section 7.3), or the scheme of an installed app.
    """
    parts = _parts(uri)
    if parts is None:
        return f"Must be an absolute address of at most {URI_LENGTH_MAX} plain characters."
    is_of_web = parts.scheme in ("http", "https")
    reasons = (
        ("#" in uri, "Must have no fragment."),
        ("@" in parts.netloc, "Must have no user name."),
        (is_of_web and not _NETLOC.fullmatch(parts.netloc), "Must name a host."),
        (
            parts.scheme == "http" and parts.hostname not in _LOOPBACK,
            "Must begin with https, unless it is on this machine.",
        ),
        (parts.scheme in _OF_BROWSERS, f"The scheme {parts.scheme} belongs to browsers."),
    )
    return next((reason for holds, reason in reasons if holds), None)


def matches(registered: str, requested: str) -> bool:
    """Whether a request may name this address: the same characters, but for the port of an address on this machine."""
    if registered == requested:
        return True
    ours, theirs = _parts(registered), _parts(requested)
    if ours is None or theirs is None or ours.scheme != "http" or ours.hostname not in _LOOPBACK:
        return False
    return _without_port(ours) == _without_port(theirs) and "#" not in requested


def host_of(uri: str) -> str:
    """Return where an address leads, as a person can judge it: a host, or the scheme of an installed app."""
    parts = urlsplit(uri)
    return parts.hostname or "" if parts.scheme in ("http", "https") else f"{parts.scheme}:"


def form_action(uri: str) -> str:
    """Return the source of a content security policy that lets a form end at this address."""
    parts = urlsplit(uri)
    return f"{parts.scheme}://{parts.netloc}" if parts.scheme in ("http", "https") else f"{parts.scheme}:"


def _parts(uri: str) -> SplitResult | None:
    if len(uri) > URI_LENGTH_MAX or not _PRINTABLE.fullmatch(uri):
        return None
    try:
        parts = urlsplit(uri)
        parts.port  # noqa: B018 - raises for a port that is none
    except ValueError:
        return None
    scheme, colon, rest = uri.partition(":")
    return parts if colon and rest and _SCHEME.fullmatch(scheme) else None


def _without_port(parts: SplitResult) -> tuple[str, str | None, bool, str, str]:
    return parts.scheme, parts.hostname, parts.username is not None, parts.path, parts.query
