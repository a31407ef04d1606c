"""The list of comments: statements with the filters of a query string, each of which reads a bounded part of an index.

What no index tells (a text, a tag, what is not answered) is looked for among the next comments of the order. If there
are more, the page leads on from where they end, however many it has.
"""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from signalpost.comments.queries import THERE, CommentRow
from signalpost.comments.schemas import CommentListQuery
from signalpost.kit import rows
from signalpost.kit.db import READ_SECONDS, Db
from signalpost.posts.find.listing import number_parameters
from signalpost.posts.find.search import Condition
from signalpost.web.caller import Caller
from signalpost.web.paging import Page, Position

LOOKED_AT: Final = 5_000
"""So many comments are looked at for a page."""
_AT: Final = "greatest(c.created_at, c.snoozed_until)"
_ORDER: Final = f"order by {_AT} desc, c.id desc"
_AFTER: Final = f"({_AT}, c.id) < ($, $)"
_NOT_BEFORE: Final = f"({_AT}, c.id) >= ($, $)"
# Literals, so that the indexes of what is open are used.
_STATES: Final = {"open": "c.state = 'open'", "done": "c.state = 'done'"}
_COLUMNS: Final = rows.columns(CommentRow, "c")
_read: Final = rows.reader(CommentRow)


def position(row: CommentRow) -> Position:
    """Return what the list is ordered by: when a comment came, or came back to the inbox."""
    return max(row.created_at, row.snoozed_until or row.created_at), row.id


async def visible(
    db: Db, caller: Caller, query: CommentListQuery, page: Page
) -> tuple[Sequence[CommentRow], Position | None]:
    """Return what others wrote, what came last first; and where it was stopped to look, if the page is not full there.

    Raises:
        TimeoutError: the database takes too long.
    """
    indexed, met = _indexed(caller, query), _met(caller, query)
    if page.after_at is not None:
        indexed.append((_AFTER, (page.after_at, page.after_id)))
    async with asyncio.timeout(READ_SECONDS):
        comments = await _next(db, indexed, met, page.limit + 1, among=LOOKED_AT)
        if len(comments) > page.limit:
            return comments, None
        end = await _end(db, indexed)
        if end is None:
            return comments, None
        # Again up to there, so that the two statements see the same comments.
        return await _next(db, [*indexed, (_NOT_BEFORE, end)], met, page.limit + 1, among=2 * LOOKED_AT), end


def _indexed(caller: Caller, query: CommentListQuery) -> list[Condition]:
    """Return the conditions by which an index is read in the order of the list."""
    conditions: list[Condition] = [("c.workspace_id = $", (caller.workspace_id,)), ("not c.is_own", ())]
    for column, value in (
        ("profile_id", query.profile_id), ("account_id", query.account_id), ("post_id", query.post_id),
    ):  # fmt: skip
        if value is not None:
            conditions.append((f"c.{column} = $", (UUID(int=value.int),)))
    if _by_open(query):
        conditions.append((_STATES["open"], ()))
    if query.snoozed is not None:
        conditions.append((f"{_AT} {'>' if query.snoozed else '<='} now()", ()))
    if query.since is not None:
        conditions.append((f"{_AT} >= $", (query.since,)))
    return conditions


def _by_open(query: CommentListQuery) -> bool:
    """Whether there is an index of what is open among these: of a workspace and of a profile, not of an account."""
    return query.state == "open" and query.account_id is None and query.post_id is None


def _met(caller: Caller, query: CommentListQuery) -> list[Condition]:
    """Return the conditions that each comment is compared with."""
    conditions: list[Condition] = []
    if caller.mode != "live":
        conditions.append(("c.mode = 'test'", ()))
    if caller.sees_profiles is not None:
        conditions.append(("c.profile_id = any($)", (caller.sees_profiles,)))
    if query.since is not None:
        conditions.append(("c.created_at >= $", (query.since,)))
    if query.state is not None and not _by_open(query):
        conditions.append((_STATES[query.state], ()))
    if query.unanswered:
        conditions.append(("c.answered_at is null and c.deleted_at is null", ()))
    if query.q is not None:
        conditions.append(("strpos(lower(concat_ws(' ', c.author_name, c.text)), lower($)) > 0", (query.q,)))
    if query.tag is not None:
        conditions.append(("$ = any(c.tags)", (query.tag,)))
    if query.assignee_id is not None:
        conditions.append(("c.assignee_id = $", (UUID(int=query.assignee_id.int),)))
    return conditions


async def _next(
    db: Db, indexed: Sequence[Condition], met: Sequence[Condition], limit: int, *, among: int
) -> list[CommentRow]:
    """Return those of the next comments that meet all conditions; the outer limit ends the reading of the inner one."""
    inner, _ = number_parameters([sql for sql, _ in indexed])
    values = [value for _, values in (*indexed, *met) for value in values]
    outer, _ = number_parameters(["true", *(sql for sql, _ in met)], sum(len(values) for _, values in indexed) + 1)
    records = await db.fetch(
        f"select {_COLUMNS} from (select * from comment c where {inner} {_ORDER} limit {among}) c {THERE}"  # noqa: S608
        f" where {outer} {_ORDER} limit {limit}",
        *values,
    )
    return [_read(record) for record in records]


async def _end(db: Db, indexed: Sequence[Condition]) -> tuple[datetime, UUID] | None:
    """Return the last of the next comments that are looked at; None: there are no more than those."""
    inner, _ = number_parameters([sql for sql, _ in indexed])
    values: list[Any] = [value for _, values in indexed for value in values]
    record = await db.fetchrow(
        f"select {_AT}, c.id from comment c where {inner} {_ORDER} offset {LOOKED_AT - 1} limit 1",  # noqa: S608
        *values,
    )
    return None if record is None else (record[0], record[1])
