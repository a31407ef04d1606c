"""Writing what a network listed: what is new, what was edited, and what is not there any more."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Any, Final, NamedTuple, TypeAlias
from uuid import UUID

import asyncpg
from msgspec import Struct

from signalpost.accounts.queries import AccountRow
from signalpost.comments import views
from signalpost.comments.actions.apply import apply
from signalpost.comments.queries import CommentRow, DueTarget
from signalpost.context import AppContext
from signalpost.events import CommentReceived
from signalpost.kit import clock, ids, rows
from signalpost.kit.db import Db
from signalpost.networks.contract import Comments, RemoteComment

Begin: TypeAlias = Callable[[], AbstractAsyncContextManager[Db]]
"""Opens a transaction."""
COMMENTS_MAX: Final = 2_000
"""Under one post on one account; later ones are not collected until some are deleted."""
KEPT_MAX: Final = 10_000
"""With those that were deleted, of which is kept that they were there."""
AT_ONCE: Final = 100
"""How many one transaction writes, each perhaps with deliveries to webhooks."""

_KNOWN: Final = """
select remote_id, id, parent_id, thread_id, text, hidden, liked, deleted_at is not null, removed, target_id = $3
from comment where account_id = $1 and workspace_id = $2 and remote_id = any($4)
"""
_ROOM: Final = """
select least($3 - count(*) filter (where deleted_at is null), $4 - count(*)) from comment
where target_id = $1 and workspace_id = $2
"""
_ROWS: Final = rows.Arrays(CommentRow)
_INSERT: Final = f"""
insert into comment ({", ".join(_ROWS.names)}) select {_ROWS.select("c")} from {_ROWS.table("c", 1)} order by c.place
on conflict (account_id, remote_id) do nothing returning id
"""  # noqa: S608 - constants only


class _Edit(Struct, frozen=True):
    """What a network shows of a comment that is stored."""

    id: UUID
    text: str
    author_id: str
    author_name: str
    author_handle: str | None
    author_avatar_url: str | None
    author_url: str | None
    reference: dict[str, Any]
    edited_at: datetime | None
    hidden: bool
    liked: bool


_EDITS: Final = rows.Arrays(_Edit)
_EDIT: Final = f"""
update comment c set text = e.text, author_name = e.author_name, author_handle = e.author_handle,
    author_avatar_url = e.author_avatar_url, author_url = e.author_url,
    edited_at = case when c.deleted_at is null and c.text <> e.text and not c.is_own then coalesce(e.edited_at, now())
        else c.edited_at end,
    hidden = e.hidden, liked = e.liked, author_id = e.author_id, reference = e.reference::jsonb, deleted_at = null,
    updated_at = now()
from {_EDITS.table("e", 2)} where c.id = e.id and c.workspace_id = $1 and not c.removed
"""  # noqa: S608 - constants only
# What came before the comment that it answers stood under the post itself, with what hangs on it.
_MOVE: Final = """
update comment set thread_id = $4, parent_id = case when id = $1 then $5 else parent_id end
where thread_id = $3 and workspace_id = $2
"""
# Of what people deleted, nothing is kept but that it was there. An answer that was just sent may not be listed yet.
_NOT_LISTED: Final = """
deleted_at is null and remote_id <> all($3)
    and created_at < $4::timestamptz - case when is_own then interval '1 hour' else interval '0' end
"""
_DELETED: Final = f"""
update comment set deleted_at = now(), text = '', author_id = '', author_name = '', author_handle = null,
    author_avatar_url = null, author_url = null, reference = '{{}}', updated_at = now()
where target_id = $1 and workspace_id = $2 and {_NOT_LISTED}
"""  # noqa: S608 - constants only
_IS_MISSING: Final = f"""
select exists (select from comment where target_id = $1 and workspace_id = $2 and {_NOT_LISTED})
"""  # noqa: S608 - constants only
_ANSWERED: Final = """
update comment c set answered_at = a.at
from (select id, min(at) as at from unnest($2::uuid[], $3::timestamptz[]) as a(id, at) group by id) a
where c.id = a.id and c.workspace_id = $1 and c.answered_at is null
"""


class Known(NamedTuple):
    """A comment that is stored."""

    remote_id: str
    id: UUID
    parent_id: UUID | None
    thread_id: UUID
    text: str
    hidden: bool
    liked: bool
    deleted: bool
    removed: bool
    is_here: bool = True
    """Whether it is stored under this target: a comment stays where it was first."""


async def store(
    context: AppContext, begin: Begin, account: AccountRow, target: DueTarget, listed: Comments, *, began_at: datetime
) -> int:
    """Write what a network listed under a target, some at a time; return how many comments are new.

    Most looks find what is stored already: then nothing is written, and no transaction begun.
    """
    own_parts = {target.remote_id, *target.thread_ids}
    items = in_order([item for item in listed.items if item.remote_id not in own_parts])
    there = [item.remote_id for item in items]
    deleted = (target.target_id, account.workspace_id, there, began_at)
    async with context.database.connection() as db:
        is_missing = listed.complete and await db.fetchval(_IS_MISSING, *deleted)
        existing = await _existing(db, account, target, items)
    if is_missing:  # before the others, which may need the room
        async with begin() as db:
            await db.execute(_DELETED, *deleted)
    if all(_is_stored(item, existing) for item in items):
        return 0
    new = 0
    for start in range(0, len(items), AT_ONCE):
        some = items[start : start + AT_ONCE]
        try:
            async with begin() as db:
                new += await _store_some(context, db, account, target, some)
        except asyncpg.ForeignKeyViolationError:  # what it answers was stored by an answer from here at this moment
            async with begin() as db:
                new += await _store_some(context, db, account, target, some)
    return new


def in_order(listed: Sequence[RemoteComment]) -> list[RemoteComment]:
    """Return each comment once, behind the one that it answers: networks repeat pages, and list in any order."""
    by_id = {item.remote_id: item for item in listed}
    ordered: dict[str, RemoteComment] = {}
    for item in by_id.values():
        branch: dict[str, RemoteComment] = {}  # from the comment up to what is in its place, or hangs on itself
        at: RemoteComment | None = item
        while at is not None and at.remote_id not in ordered and at.remote_id not in branch:
            branch[at.remote_id] = at
            at = by_id.get(at.parent_id or "")
        ordered |= dict(reversed(branch.items()))
    return list(ordered.values())


async def _existing(db: Db, account: AccountRow, target: DueTarget, items: Sequence[RemoteComment]) -> dict[str, Known]:
    """Return what is stored of these comments, and of those that they answer, under any target of the account."""
    if not items:
        return {}
    remote_ids = {item.remote_id for item in items} | {item.parent_id for item in items if item.parent_id}
    records = await db.fetch(_KNOWN, account.id, account.workspace_id, target.target_id, list(remote_ids))
    return {record[0]: Known(*record) for record in records}


def _is_stored(item: RemoteComment, existing: Mapping[str, Known]) -> bool:
    """Return whether nothing of a comment is to be written."""
    stored = existing.get(item.remote_id)
    if stored is None:
        return False
    return not stored.is_here or (not _has_changed(stored, item) and _new_parent(stored, item, existing) is None)


async def _store_some(
    context: AppContext, db: Db, account: AccountRow, target: DueTarget, items: Sequence[RemoteComment]
) -> int:
    """Write these in one statement for what is new and one for what has changed; return how many are new."""
    workspace_id = account.workspace_id
    existing = await _existing(db, account, target, items)
    room = int(await db.fetchval(_ROOM, target.target_id, workspace_id, COMMENTS_MAX, KEPT_MAX))
    new: list[CommentRow] = []
    edits: list[_Edit] = []
    there_before: list[RemoteComment] = []
    for item in items:
        stored = existing.get(item.remote_id)
        if stored is None and len(new) < room:
            row = _row(account, target, item, existing, clock.now())
            new.append(row)
            existing[item.remote_id] = Known(
                row.remote_id, row.id, row.parent_id, row.thread_id, row.text, row.hidden, row.liked,
                deleted=False, removed=False,
            )  # fmt: skip
        elif stored is not None and stored.is_here:
            if _has_changed(stored, item):
                edits.append(_edit(stored, item))
            there_before.append(item)
    written = {record[0] for record in await db.fetch(_INSERT, *_ROWS.values(new))} if new else set()
    if edits:
        await db.execute(_EDIT, workspace_id, *_EDITS.values(edits))
    for item in there_before:  # with those that are new: what hangs on one that moves goes along
        await _move(db, workspace_id, existing[item.remote_id], item, existing)
    there = [row for row in new if row.id in written]  # what was stored by an answer from here meanwhile is not new
    await apply(context, db, there)
    await _emit(context, db, workspace_id, there)
    return len(there)


def _row(
    account: AccountRow, target: DueTarget, item: RemoteComment, existing: dict[str, Known], now: datetime
) -> CommentRow:
    comment_id = ids.new_id()
    parent = _here(existing, item.parent_id)
    return CommentRow(
        id=comment_id,
        workspace_id=account.workspace_id,
        profile_id=target.profile_id,
        account_id=account.id,
        post_id=target.post_id,
        target_id=target.target_id,
        platform=account.platform,
        mode=target.mode,
        remote_id=item.remote_id,
        parent_id=parent.id if parent else None,
        thread_id=parent.thread_id if parent else comment_id,
        reference=dict(item.reference),
        author_id=item.author_id,
        author_name=item.author_name,
        author_handle=item.author_handle,
        author_avatar_url=item.author_avatar_url,
        author_url=item.author_url,
        is_own=item.is_own,
        text=item.text,
        url=item.url,
        posted_at=min(item.posted_at, now),  # clocks of others
        created_at=now,
        updated_at=now,
        state="done" if item.is_own else "open",
        hidden=item.hidden,
        liked=item.liked,
        edited_at=item.edited_at,
    )


def _has_changed(stored: Known, item: RemoteComment) -> bool:
    changed = (stored.text, stored.hidden, stored.liked) != (item.text, item.hidden, item.liked)
    return not stored.removed and (changed or stored.deleted)


def _edit(stored: Known, item: RemoteComment) -> _Edit:
    return _Edit(
        stored.id, item.text, item.author_id, item.author_name, item.author_handle, item.author_avatar_url,
        item.author_url, dict(item.reference), item.edited_at, item.hidden, item.liked,
    )  # fmt: skip


def _here(existing: Mapping[str, Known], remote_id: str | None) -> Known | None:
    """Return the comment of this id, if it is stored under this target."""
    stored = existing.get(remote_id or "")
    return stored if stored is not None and stored.is_here else None


def _new_parent(stored: Known, item: RemoteComment, existing: Mapping[str, Known]) -> Known | None:
    """Return the comment that it answers, if that was not known when it was stored."""
    parent = _here(existing, item.parent_id)
    return None if stored.parent_id is not None or parent is None or parent.thread_id == stored.thread_id else parent


async def _move(db: Db, workspace_id: UUID, stored: Known, item: RemoteComment, existing: dict[str, Known]) -> None:
    """Hang a comment on the one that it answers, with what hangs on it."""
    parent = _new_parent(stored, item, existing)
    if parent is None:
        return
    await db.execute(_MOVE, stored.id, workspace_id, stored.thread_id, parent.thread_id, parent.id)
    for row in [row for row in existing.values() if row.is_here and row.thread_id == stored.thread_id]:
        parent_id = parent.id if row.id == stored.id else row.parent_id
        existing[row.remote_id] = row._replace(thread_id=parent.thread_id, parent_id=parent_id)


async def _emit(context: AppContext, db: Db, workspace_id: UUID, written: Collection[CommentRow]) -> None:
    answers = [row for row in written if row.is_own and row.parent_id is not None]
    if answers:
        parents, instants = [row.parent_id for row in answers], [row.posted_at for row in answers]
        await db.execute(_ANSWERED, workspace_id, parents, instants)
    received = [
        CommentReceived(
            workspace_id=row.workspace_id,
            at=row.created_at,
            profile_id=row.profile_id,
            mode=row.mode,
            data=views.event_data(row),
        )
        for row in written
        if not row.is_own  # what we write must not set off who answers
    ]
    if received:
        await context.emit(db, *received)
