"""What a route asks for by type: the caller, a page, a row of the caller's, an id, the version expected."""

import base64
import hashlib
import hmac
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Generic, TypeVar
from uuid import UUID

import msgspec

from signalpost.context import AppContext
from signalpost.kit import problems, wire
from signalpost.kit.db import Db
from signalpost.web.caller import Caller

Row = TypeVar("Row")
Item = TypeVar("Item")

LIMIT_DEFAULT = 20
LIMIT_MAX = 100
LIST_ALL = 500
"""`limit_default` of a list that the specification shows without paging: all of it, up to this many."""


@dataclass(frozen=True)
class Mine(Generic[Row]):
    """`Annotated[Row, Mine("pst", find)]`: the row named in the path, if the caller may see it; 404 otherwise.

    `find(db, caller, id)` returns the row or None; it filters by workspace and by the caller's profiles. `param` is the
    path parameter, by default the route's only one.
    """

    prefix: str
    find: Callable[[Db, Caller, UUID], Awaitable[Row | None]]
    param: str | None = None


@dataclass(frozen=True)
class Id:
    """`Annotated[UUID, Id("dlv", "deliveryId")]`: an id from the path; anything else is a 404."""

    prefix: str
    param: str | None = None


@dataclass(frozen=True)
class Segment:
    """`Annotated[str, Segment("platform")]`: a path segment as text, at most 200 characters."""

    param: str


@dataclass(frozen=True)
class Before:
    """`Annotated[Found | None, Before(needed, run)]`: what `run` found out before the transaction was opened.

    For the rare body that needs other servers to be asked first. `needed(data)` is cheap and tells whether this one
    does; if not, the argument is None. A repeat under an Idempotency-Key that has its answer does not run it again.
    """

    needed: Callable[[Any], bool]
    run: Callable[[AppContext, Any, Any], Awaitable[Any]]
    """(context, caller, data); the caller is a `Caller`, on a public route None."""


class IfMatch(int):
    """The version in `If-Match`; -1 when the header is absent. Compare with `.allows(version)`."""

    def allows(self, version: int) -> bool:
        """Whether a row of this version is the one the caller read."""
        return self in (-1, version)


@dataclass(frozen=True, slots=True)
class Page:
    """Where a list goes on: at most `limit` rows strictly after `after_at, after_id`, newest first.

    Queries take `limit + 1` rows to know whether there are more: `... and ($3::timestamptz is null or
    (created_at, id) < ($3, $4)) order by created_at desc, id desc limit $5` with `page.after_at, page.after_id,
    page.fetch`.
    """

    limit: int
    after_at: datetime | None
    after_id: UUID | None
    key: bytes
    filters: bytes

    @property
    def fetch(self) -> int:
        """Rows to ask the database for."""
        return self.limit + 1

    def listing(self, items: Sequence[Item], positions: Sequence[tuple[datetime, UUID]]) -> "wire.Listing[Item]":
        """Return the answer; `positions` are the (created_at, id) of up to `fetch` rows, `items` as many or `limit`."""
        more = len(positions) > self.limit
        shown = list(items[: self.limit])
        cursor = None
        if more:
            at, row_id = positions[self.limit - 1]
            cursor = _sign(self.key, self.filters, at, row_id)
        return wire.Listing(data=shown, next_cursor=cursor, has_more=more)


def _sign(key: bytes, filters: bytes, at: datetime, row_id: UUID) -> str:
    micros = int(at.timestamp()) * 1_000_000 + at.microsecond
    body = micros.to_bytes(8, "big") + row_id.bytes
    return base64.urlsafe_b64encode(body + _mac(key, filters, body)).decode().rstrip("=")


def _mac(key: bytes, filters: bytes, body: bytes) -> bytes:
    return hmac.digest(key, filters + body, hashlib.sha256)[:12]


def read_page(key: bytes, filters: bytes, limit: str | None, cursor: str | None, default: int = LIMIT_DEFAULT) -> Page:
    """Decode `limit` and `cursor`. `filters` identifies every other parameter, so a cursor fits only its own list.

    Raises:
        ValidationFailed: a limit outside 1..100.
        MalformedRequest: a cursor that we did not sign for this list.
    """
    size = default
    if limit:
        if not limit.isascii() or not limit.isdigit() or len(limit) > 3 or not 1 <= int(limit) <= LIMIT_MAX:
            raise problems.invalid(
                "limit", "out_of_range", f"limit is a whole number from 1 to {LIMIT_MAX}.", min=1, max=LIMIT_MAX
            )
        size = int(limit)
    if not cursor:
        return Page(size, None, None, key, filters)
    try:
        raw = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
    except ValueError:
        raw = b""
    if len(raw) != 36 or not hmac.compare_digest(raw[24:], _mac(key, filters, raw[:24])):
        raise problems.MalformedRequest(
            "This cursor does not belong to this list. Use nextCursor as it was answered, with the same filters.",
            errors=[problems.Issue("cursor", "format", "Unknown cursor.")],
        )
    micros = int.from_bytes(raw[:8], "big")
    at = datetime.fromtimestamp(micros // 1_000_000, UTC).replace(microsecond=micros % 1_000_000)
    return Page(size, at, UUID(bytes=raw[8:24]), key, filters)


def fingerprint(value: Any) -> bytes:
    """Return a short stable digest of plain data."""
    return hashlib.sha256(msgspec.json.encode(value, order="sorted")).digest()[:16]
