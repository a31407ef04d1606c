"""Base structs of request and response bodies: camelCase on the wire, snake_case in the code."""

from typing import Annotated, Generic, TypeVar

import msgspec
from msgspec import Meta, Struct

T = TypeVar("T")

Instant = Annotated[str, Meta(extra_json_schema={"format": "date-time"}, examples=["2026-11-21T18:00:00.000Z"])]
"""RFC 3339 UTC with milliseconds, made by `clock.wire`. A string, since msgspec writes datetimes with microseconds."""
UNAVAILABLE = {"x-unavailable": True}
"""`extra_json_schema` of a field that is understood but still refused: the documentation leaves it out."""


class Input(Struct, rename="camel", forbid_unknown_fields=True, kw_only=True):
    """What a client sends. Unknown fields are refused, so that nothing is silently dropped."""


class Output(Struct, rename="camel"):
    """What the service answers. Every declared key is always present; an unset one is null."""


class Listing(Output, Generic[T]):
    """A page of a list: at most `limit` items, and 4 MB. `nextCursor` leads to the next page; null on the last one."""

    data: list[T]
    next_cursor: str | None = None
    has_more: bool = False


encode = msgspec.json.Encoder().encode
