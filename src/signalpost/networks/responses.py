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
_SECRETS = re.compile(  # linear: whatever begins like a secret is one, so nothing is read twice
    r"eyJ[\w-]{8,}(?:\.[\w-]+){0,4}"  # JSON Web Tokens
    r"|\b[0-9]{6,16}:[\w-]{30,100}"  # tokens of Telegram's bots
    r"|\bxox[a-z]-[\w-]{10,200}"  # tokens of Slack
    r"|\b(?:syt|mct|mat|mcr)_[\w-]{10,200}"  # tokens of Matrix, as Synapse and its account service make them
    r"|\b(?:EAA|IGAA|THAA|IGQV)[\w-]{16,}"  # access tokens of Meta, which its errors may quote
    r"|(?i:bearer|dpop|basic)\s+[\w.~+/=-]{8,}"
    r'|(?i:(?<=token":")|(?<=jwt":")|(?<=secret":")|(?<=password":"))[^"]{4,}'
)


def redacted(text: str) -> str:
    """Return the beginning of `text` without anything that looks like a credential, at most 4 KB of UTF-8."""
    safe = _SECRETS.sub("[redacted]", text[: 4 * RESPONSE_BYTES_MAX]).replace("\x00", "\N{REPLACEMENT CHARACTER}")
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
