"""Paged lists: keyset pagination over (instant, id), with signed cursors that fit only their own list."""

import base64
import hashlib
import hmac
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, TypeVar
from uuid import UUID

import msgspec
from msgspec import Struct

from signalpost.kit import clock, problems
from signalpost.kit.pace import Pace
from signalpost.kit.wire import Listing, encode

Row = TypeVar("Row")
Item = TypeVar("Item")
Position = tuple[datetime, UUID]

LIMIT_DEFAULT = 20
LIMIT_MAX = 100
PAGE_BYTES_MAX = 4_000_000
"""A page ends before the item that would make it longer; it has at least one item."""
LIST_ALL = 500
"""`limit_default` of a list that clients expect to be complete: all of it, up to this many."""


def keyset(at: str, row_id: str, *, first: int, ascending: bool = False, limit: int | None = None) -> str:
    """Return the end of a paged statement: the bound, `order by` and `limit`; `*page.bounds` gives its parameters.

    The start of a list is a bound beyond all rows instead of "is null or": so the bound limits the index scan in a
    generic plan too. It is a `case`, since PostgreSQL takes `coalesce` for something that could tell of hidden rows,
    and would check it only after the policy of the table.

    Args:
        at: SQL of the instant that the list is ordered by.
        row_id: SQL of the id that tells rows of one instant apart.
        first: number of the first of three parameters.
        ascending: oldest first.
        limit: a literal instead of the third parameter, so that a generic plan knows how few rows are wanted.
    """
    sign, order, instant, uuid = (">", "asc", "-infinity", "0") if ascending else ("<", "desc", "infinity", "f")
    no_bound = "-".join(uuid * length for length in (8, 4, 4, 4, 12))
    return f"""({at}, {row_id}) {sign} (
        case when ${first}::timestamptz is null then '{instant}' else ${first} end,
        case when ${first + 1}::uuid is null then '{no_bound}' else ${first + 1} end)
    order by {at} {order}, {row_id} {order} limit {limit or f"${first + 2}"}"""


def _created(row: Any) -> Position:
    return row.created_at, row.id


class Page(Struct, frozen=True):
    """One page of a list: at most `limit` rows strictly after (`after_at`, `after_id`). Statements end in `keyset`."""

    limit: int
    after_at: datetime | None
    after_id: UUID | None
    key: bytes
    filters: bytes

    @property
    def bounds(self) -> tuple[datetime | None, UUID | None, int]:
        """The three parameters of `keyset`: one row more than `limit` is read, to know whether there are more."""
        return self.after_at, self.after_id, self.limit + 1

    def of(
        self, rows: Sequence[Row], view: Callable[[Row], Item], *, position: Callable[[Row], Position] = _created
    ) -> Listing[Item]:
        """Return the response: `view` of at most `limit` rows and 4 MB, with a cursor if more follow.

        Args:
            rows: what the statement returned.
            view: row -> item of the response.
            position: row -> the (instant, id) that the list is ordered by.
        """
        return self._listing(rows, list(self._items(rows, view)), position)

    async def of_large(
        self, rows: Sequence[Row], view: Callable[[Row], Item], *, position: Callable[[Row], Position] = _created
    ) -> Listing[Item]:
        """Do what `of` does, in several steps: for rows that take half a millisecond and more."""
        items: list[msgspec.Raw] = []
        pace = Pace()
        for item in self._items(rows, view):
            items.append(item)
            await pace.keep()
        return self._listing(rows, items, position)

    def _items(self, rows: Sequence[Row], view: Callable[[Row], Any]) -> Iterator[msgspec.Raw]:
        """Yield the items of the response, encoded one by one, since their size is known only then."""
        size = 0
        for row in self.trim(rows):
            item = encode(view(row))
            size += len(item)
            if size > PAGE_BYTES_MAX and size > len(item):
                return
            yield msgspec.Raw(item)

    def _listing(self, rows: Sequence[Row], items: list[Any], position: Callable[[Row], Position]) -> Listing[Any]:
        if len(rows) <= len(items):
            return Listing(data=items)
        cursor = _sign(self.key, self.filters, *position(rows[len(items) - 1]))
        return Listing(data=items, next_cursor=cursor, has_more=True)

    def leading_on(self, listing: Listing[Item], end: Position) -> Listing[Item]:
        """Return this page as one that more may follow: where it ends, no more rows were looked at."""
        return Listing(data=listing.data, next_cursor=_sign(self.key, self.filters, *end), has_more=True)

    def trim(self, rows: Sequence[Row]) -> Sequence[Row]:
        """Return the rows of the response, without the extra one."""
        return rows[: self.limit]


def _sign(key: bytes, filters: bytes, at: datetime, row_id: UUID) -> str:
    payload = clock.to_micros(at).to_bytes(8, "big") + row_id.bytes
    return base64.urlsafe_b64encode(payload + _mac(key, filters, payload)).decode().rstrip("=")


def _mac(key: bytes, filters: bytes, payload: bytes) -> bytes:
    mac = _keyed(key).copy()
    mac.update(filters + payload)
    return mac.digest()[:12]


@lru_cache(maxsize=4)
def _keyed(key: bytes) -> hmac.HMAC:
    # `hmac.digest` gives up the interpreter lock, and getting it back costs many times the digest.
    return hmac.new(key, digestmod=hashlib.sha256)


def read_page(key: bytes, filters: bytes, limit: str | None, cursor: str | None, default: int = LIMIT_DEFAULT) -> Page:
    """Decode `limit` and `cursor`. `filters` identifies every other parameter, so that a cursor fits only its own list.

    Raises:
        ValidationFailed: the limit is outside 1..100.
        MalformedRequest: we did not sign this cursor for this list.
    """
    size = default
    if limit:
        if not limit.isascii() or not limit.isdigit() or len(limit) > 3 or not 1 <= int(limit) <= LIMIT_MAX:
            raise problems.invalid(
                "limit", "out_of_range", f"Must be a whole number from 1 to {LIMIT_MAX}.", min=1, max=LIMIT_MAX
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
            "This cursor does not belong to this list. Send nextCursor as you received it, with the same filters.",
            errors=[problems.Issue("cursor", "format", "Unknown cursor.")],
        )
    at = clock.from_micros(int.from_bytes(raw[:8], "big"))
    return Page(size, at, UUID(bytes=raw[8:24]), key, filters)


def fingerprint(value: Any) -> bytes:
    """Return a short stable digest of plain data."""
    return hashlib.sha256(msgspec.json.encode(value, order="sorted")).digest()[:16]
