"""Searching the texts of posts: only where the string can be, in the order of the list, until its page is full.

Blocks (`actions.search_blocks`) tell which posts cannot contain it. Posts that are newer than all blocks are read, and
so are those that were changed since. See decision 0142.
"""

from collections.abc import Hashable, Iterable, Sequence
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from itertools import chain
from typing import Any, Final, NamedTuple
from uuid import UUID

import asyncpg

from signalpost.kit.db import Db
from signalpost.kit.shares import Shares
from signalpost.posts import grams
from signalpost.web.paging import Position

Condition = tuple[str, tuple[Any, ...]]
"""A condition in SQL, with a "$" for each of its values."""

_CONTAINS: Final = "strpos(lower(concat_ws(' ', p.title, p.text)), lower($)) > 0"
_ROUNDS: Final = (32, 128, 512, 2_048, 8_192)
"""How many blocks are read at a time: few first, as most strings are found soon; the last number stays."""
_QUICK_ROUNDS: Final = 2
"""A search that needs more is long: it may read every post, on a processor of the database for a second."""
_PENDING_MAX: Final = 2_000
"""With as many notes of changed posts, all posts are read: it does not take longer."""
_FIRST: Final = (datetime(1, 1, 1, tzinfo=UTC), UUID(int=0))
_LAST: Final = (datetime(9999, 12, 31, tzinfo=UTC), UUID(int=2**128 - 1))

_STATE: Final = """
select lower($2), b.through_at, b.through_id, array(select pending_searches($1, $3))
from (values (true)) as one left join lateral (
    select through_at, through_id from search_block where workspace_id = $1
    order by through_at desc, through_id desc limit 1) b on true
"""
_MASKED: Final = " ".join(
    f"when {size} then b.grams & ${number}::bit varying = ${number}" for number, size in enumerate(grams.SIZES, 2)
)
_BLOCKS: Final = f"""
select after_at, after_id, through_at, through_id from search_block b
where workspace_id = $1 and {{position}} ($5, $6) and case length(b.grams) {_MASKED} else true end
order by through_at {{order}}, through_id {{order}} limit $7
"""  # noqa: S608 - constants only
_COUNTS: Final = f"""
select count(*), count(*) filter (where case length(b.grams) {_MASKED} else true end) from search_block b
where workspace_id = $1
"""  # noqa: S608 - constants only
_NEWEST_BLOCKS: Final = _BLOCKS.format(position="(through_at, through_id) <=", order="desc")
_OLDEST_BLOCKS: Final = _BLOCKS.format(position="(after_at, after_id) >=", order="asc")

_BETWEEN: Final = "(p.created_at, p.id) > ({}, {}) and (p.created_at, p.id) <= ({}, {})"
_BETWEEN_ROWS: Final = _BETWEEN.format("r.after_at", "r.after_id", "r.through_at", "r.through_id")


class Order(NamedTuple):
    """Which posts a page has, of those that are found; `limit` None: any, since it orders them by something else."""

    limit: int | None
    ascending: bool
    after: Position | None


UNORDERED: Final = Order(None, ascending=False, after=None)


class LongSearches(Shares):
    """One long search of a tenant at a time, so that all of them together keep one processor busy at most."""

    def __init__(self) -> None:
        super().__init__(1)


class Turn:
    """The place of one search among the long ones of its tenant, which it takes if it needs it, until `stack` ends."""

    def __init__(self, stack: AsyncExitStack, searches: LongSearches, tenant_id: Hashable) -> None:
        self._stack, self._searches, self._tenant_id = stack, searches, tenant_id

    async def take(self) -> None:
        """Wait for those that came before. Call it once at most."""
        await self._stack.enter_async_context(self._searches.take(self._tenant_id))


class _Range(NamedTuple):
    """The posts after one position, up to another."""

    after: Position
    through: Position


async def containing(
    db: Db, workspace_id: UUID, text: str, conditions: Sequence[Condition], order: Order, turn: Turn
) -> Condition:
    """Return a condition for the posts that contain `text` in any case; it need hold only within `order`.

    Args:
        db: for any number of statements, each of which sees what is stored by then; whoever calls bounds their time.
        workspace_id: whose posts.
        text: what to search for.
        conditions: what else they have to meet.
        order: the page that is to be read.
        turn: taken if this search is long; then reading what it found belongs to it.
    """
    contains: Condition = (_CONTAINS, (text,))
    ((lowered, at, id_, pending),) = await db.fetch(_STATE, workspace_id, text, _PENDING_MAX)
    if at is None:
        return contains
    bits = grams.bits_of_search(lowered)
    if len(pending) == _PENDING_MAX or (order.limit is None and await _is_frequent(db, workspace_id, bits)):
        await turn.take()
        return contains
    search = _Search(db, [*conditions, contains, *_beyond(order)], order)
    await search.add(set(pending))
    tail = _Range((at, id_), _LAST)
    if not order.ascending:
        await search.read_in_order(tail)
    if not search.is_full:
        await _search_blocks(search, workspace_id, bits, turn)
    if order.ascending and not search.is_full:
        await search.read_in_order(tail)
    return "p.id = any($)", (list(search.found),)


async def _is_frequent(db: Db, workspace_id: UUID, bits: Sequence[asyncpg.BitString]) -> bool:
    """Whether so many blocks may contain the string that reading all posts at once takes less time."""
    ((count, possible),) = await db.fetch(_COUNTS, workspace_id, *bits)
    return bool(possible * 4 > count)


async def _search_blocks(search: "_Search", workspace_id: UUID, bits: Sequence[asyncpg.BitString], turn: Turn) -> None:
    ascending, bound = search.order.ascending, search.order.after
    statement = _OLDEST_BLOCKS if ascending else _NEWEST_BLOCKS
    position = _FIRST if ascending else _LAST
    for number, count in enumerate(chain(_ROUNDS, iter(lambda: _ROUNDS[-1], None))):
        if number == _QUICK_ROUNDS:
            await turn.take()
        rows = await search.db.fetch(statement, workspace_id, *bits, *position, count)
        ranges = [_Range((row[0], row[1]), (row[2], row[3])) for row in rows]
        if bound is not None:
            ranges = [range_ for range_ in ranges if (range_.through > bound if ascending else range_.after < bound)]
        await search.read(ranges)
        if search.is_full or len(rows) < count:
            return
        position = (rows[-1][2], rows[-1][3]) if ascending else (rows[-1][0], rows[-1][1])


class _Search:
    """What was found so far."""

    def __init__(self, db: Db, conditions: Sequence[Condition], order: Order) -> None:
        self.db, self.order = db, order
        self.found: set[UUID] = set()
        self._in_order: set[UUID] = set()
        where, self._next = number_parameters(sql for sql, _ in conditions)
        self._values = [value for _, values in conditions for value in values]
        self._posts = f"from post p where {where}"

    @property
    def is_full(self) -> bool:
        """Whether no post that is not found yet can be on the page."""
        return self.order.limit is not None and len(self._in_order) >= self.order.limit

    async def add(self, post_ids: set[UUID]) -> None:
        """Look at these posts, wherever they stand."""
        if post_ids:
            self.found |= await self._ids(f"select p.id {self._posts} and p.id = any(${self._next})", post_ids)

    async def read_in_order(self, range_: _Range) -> None:
        """Read one range, until the page is full."""
        direction = "asc" if self.order.ascending else "desc"
        limit = "all" if self.order.limit is None else self.order.limit  # a literal, to be planned for few rows
        between = _BETWEEN.format(*(f"${self._next + n}" for n in range(4)))
        order = f"order by p.created_at {direction}, p.id {direction} limit {limit}"
        self._note(await self._ids(f"select p.id {self._posts} and {between} {order}", *range_.after, *range_.through))

    async def read(self, ranges: Sequence[_Range]) -> None:
        """Read these ranges, which follow those that were read before."""
        joined = list(_joined(ranges))
        if not joined:
            return
        types = ("timestamptz", "uuid", "timestamptz", "uuid")
        arrays = ", ".join(f"${self._next + n}::{type_}[]" for n, type_ in enumerate(types))
        statement = f"""
            select p.id from unnest({arrays}) as r(after_at, after_id, through_at, through_id)
            cross join lateral (select p.id {self._posts} and {_BETWEEN_ROWS} offset 0) p
        """  # noqa: S608 - no text of a client
        columns = zip(*((*range_.after, *range_.through) for range_ in joined), strict=True)
        self._note(await self._ids(statement, *columns))

    def _note(self, post_ids: set[UUID]) -> None:
        self._in_order |= post_ids
        self.found |= post_ids

    async def _ids(self, statement: str, *values: Any) -> set[UUID]:
        rows = await self.db.fetch(statement, *self._values, *values)
        return {row[0] for row in rows}


def _joined(ranges: Iterable[_Range]) -> Iterable[_Range]:
    """Join ranges that follow one another."""
    last: _Range | None = None
    for range_ in sorted(ranges):
        if last is not None and last.through == range_.after:
            last = _Range(last.after, range_.through)
            continue
        if last is not None:
            yield last
        last = range_
    if last is not None:
        yield last


def _beyond(order: Order) -> list[Condition]:
    """Return the condition that leaves out the posts of the pages before."""
    if order.after is None or order.limit is None:
        return []
    return [(f"(p.created_at, p.id) {'>' if order.ascending else '<'} ($, $)", order.after)]


def number_parameters(conditions: Iterable[str], first: int = 1) -> tuple[str, int]:
    """Return these conditions as one, its parameters numbered from `first` on, and the number after the last one."""
    start, *rest = " and ".join(conditions).split("$")
    return start + "".join(f"${number}{sql}" for number, sql in enumerate(rest, first)), first + len(rest)
