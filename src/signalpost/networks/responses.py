"""Reads a network's responses: text that is safe to store, how long to wait, and the members a connector needs."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from signalpost.kit import clock
from signalpost.kit.http import BadResponse
from signalpost.networks.contract import Response

RESPONSE_BYTES_MAX = 4096
MEMBER_LENGTH_MAX = 8_192
"""Of a string member: no id, address or token is longer."""
WAIT_SECONDS_MAX = 86_400.0
# Linear: whatever begins like a secret is one, so nothing is read twice. Each begins with a literal or a set and looks
# behind it afterwards, so that the search skips to it: one pattern of all these took ten times as long, 9 ms for 16 KB.
_SECRETS = {
    re.compile(pattern): replacement
    for pattern, replacement in (
        (r"eyJ[\w-]{8,}(?:\.[\w-]+){0,4}", "[redacted]"),  # JSON Web Tokens
        (r"[0-9](?<![0-9][0-9])[0-9]{5,15}:[\w-]{30,100}", "[redacted]"),  # of Telegram's bots, in addresses too
        (r"xox(?<!\wxox)[a-z]-[\w-]{10,200}", "[redacted]"),  # tokens of Slack
        # tokens of Matrix, as Synapse and its account service make them
        (r"[sm](?<!\w[sm])(?:(?<=s)yt|(?<=m)(?:ct|at|cr))_[\w-]{10,200}", "[redacted]"),
        (r"n(?<!\wn)sec1[02-9ac-hj-np-z]{20,100}", "[redacted]"),  # private keys of Nostr
        # access tokens of Meta, which its errors may quote
        (r"[EIT](?<!\w[EIT])(?:(?<=E)AA|(?<=I)G(?:AA|QV)|(?<=T)HAA)[\w-]{16,}", "[redacted]"),
        (r"[BbDd](?i:(?<=b)(?:earer|asic)|(?<=d)pop)\s+[\w.~+/=-]{8,}", "[redacted]"),
        (r'":"(?i:(?<=token":")|(?<=jwt":")|(?<=secret":")|(?<=password":"))[^"]{4,}', '":"[redacted]'),
    )
}
"""What looks like a credential, and what stands in its place."""


def redacted(text: str) -> str:
    """Return the beginning of `text` without anything that looks like a credential, at most 4 KB of UTF-8."""
    safe = text[: 4 * RESPONSE_BYTES_MAX].replace("\x00", "\N{REPLACEMENT CHARACTER}")
    for secret, replacement in _SECRETS.items():
        safe = secret.sub(replacement, safe)
    return safe.encode("utf-8", "replace")[:RESPONSE_BYTES_MAX].decode("utf-8", "ignore")


def response_text(response: Response) -> str:
    """Return the body of a response, redacted and bounded, for the record of an attempt."""
    return redacted(response.body[: 4 * RESPONSE_BYTES_MAX].decode("utf-8", "replace"))


def members(response: Response) -> Mapping[str, Any]:
    """Return the members of the JSON object in a response; empty when it holds anything else."""
    try:
        value = response.json()
    except BadResponse:
        return {}
    return value if isinstance(value, dict) else {}


def texts(response: Response, *names: str) -> tuple[str, ...]:
    """Return the string members `names` of a response.

    Raises:
        BadResponse: one is missing or is not a `string`. The server responded, so the request may have succeeded.
    """
    body = members(response)
    values = []
    for name in names:
        value = string(body.get(name))
        if value is None:
            raise BadResponse(f"the response has no usable {name!r}", status=response.status)
        values.append(value)
    return tuple(values)


def string(value: Any) -> str | None:
    """Return a member if it is a string that can be stored: not empty, of bounded length, without NUL; else None."""
    usable = isinstance(value, str) and 0 < len(value) <= MEMBER_LENGTH_MAX and "\0" not in value
    return value if usable else None


def number(value: Any) -> int | None:
    """Return a member if it is a number that a column of the database can hold, else None."""
    return value if type(value) is int and 0 <= value < 1 << 31 else None


def wait_seconds(response: Response) -> float | None:
    """Return how long the response asks to wait, from Retry-After or a rate limit reset; at most a day, else None."""
    present = _instant(response.headers.get("Date")) or clock.now()
    retry_after = response.headers.get("Retry-After")
    names = ("RateLimit-Reset", "X-RateLimit-Reset", "X-Rate-Limit-Reset")
    reset = next((value for name in names if (value := response.headers.get(name))), None)
    if retry_after is not None and (seconds := _number(retry_after)) is not None:
        return _bounded(seconds)
    until = _instant(retry_after) or _instant(reset)
    return None if until is None else _bounded((until - present).total_seconds())


def _bounded(seconds: float) -> float:
    return min(max(seconds, 1.0), WAIT_SECONDS_MAX)


def _number(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\d{1,12}(\.\d{1,6})?", text.strip()) else None


def _instant(text: str | None) -> datetime | None:
    """Read an HTTP date, an ISO 8601 instant or epoch seconds."""
    if not text:
        return None
    try:
        if (epoch := _number(text)) is not None:
            return datetime.fromtimestamp(epoch, UTC)
        instant = datetime.fromisoformat(text) if text[:2].isdigit() else parsedate_to_datetime(text)
    except (ValueError, OverflowError, OSError):
        return None
    return instant if instant.tzinfo else instant.replace(tzinfo=UTC)


def single_spaced(text: str | None) -> str:
    """Return a text by which a post is recognised, although its network has changed the white space."""
    return " ".join((text or "").split())
