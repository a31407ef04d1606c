"""Writing what a network listed: what is new, what was edited, and what is not there any more."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Final, NamedTuple, TypeAlias
from uuid import UUID

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
select remote_id, id, parent_id, thread_id, text, hidden, liked, deleted_at is not null as deleted, removed
from comment where account_id = $1 and workspace_id = $2 and target_id = $3 and remote_id = any($4)
"""
_ROOM: Final = """
select least($3 - count(*) filter (where deleted_at is null), $4 - count(*)) from comment
where target_id = $1 and workspace_id = $2
"""
_INSERT: Final = f"{rows.insert('comment', CommentRow)} on conflict (account_id, remote_id) do nothing returning true"
_EDIT: Final = """
update comment set text = $3, author_name = $4, author_handle = $5, author_avatar_url = $6, author_url = $7,
    edited_at = case when deleted_at is null and text <> $3 and not is_own then coalesce($8, now()) else edited_at end,
    hidden = $9, liked = $10, author_id = $11, reference = $12, deleted_at = null, updated_at = now()
where id = $1 and workspace_id = $2 and not removed
"""
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
update comment set answered_at = coalesce(answered_at, $3) where id = $1 and workspace_id = $2
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
        async with begin() as db:
            new += await _store_some(context, db, account, target, items[start : start + AT_ONCE])
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
    """Return what is stored of these comments, and of those that they answer."""
    if not items:
        return {}
    remote_ids = {item.remote_id for item in items} | {item.parent_id for item in items if item.parent_id}
    records = await db.fetch(_KNOWN, account.id, account.workspace_id, target.target_id, list(remote_ids))
    return {record[0]: Known(*record) for record in records}


def _is_stored(item: RemoteComment, existing: Mapping[str, Known]) -> bool:
    """Return whether nothing of a comment is to be written."""
    stored = existing.get(item.remote_id)
    return stored is not None and not _has_changed(stored, item) and _new_parent(stored, item, existing) is None


async def _store_some(
    context: AppContext, db: Db, account: AccountRow, target: DueTarget, items: Sequence[RemoteComment]
) -> int:
    workspace_id = account.workspace_id
    existing = await _existing(db, account, target, items)
    room = int(await db.fetchval(_ROOM, target.target_id, workspace_id, COMMENTS_MAX, KEPT_MAX))
    written: list[CommentRow] = []
    for item in items:
        stored = existing.get(item.remote_id)
        if stored is not None:
            await _follow(db, workspace_id, stored, item)
            await _move(db, workspace_id, stored, item, existing)
        elif len(written) < room:
            row = _row(account, target, item, existing, clock.now())
            if await db.fetchval(_INSERT, *rows.values(row)):
                written.append(row)
                existing[item.remote_id] = Known(
                    row.remote_id, row.id, row.parent_id, row.thread_id, row.text, row.hidden, row.liked,
                    deleted=False, removed=False,
                )  # fmt: skip
    await apply(context, db, written)
    await _emit(context, db, written)
    return len(written)


def _row(
    account: AccountRow, target: DueTarget, item: RemoteComment, existing: dict[str, Known], now: datetime
) -> CommentRow:
    comment_id = ids.new_id()
    parent = existing.get(item.parent_id) if item.parent_id else None
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


async def _follow(db: Db, workspace_id: UUID, stored: Known, item: RemoteComment) -> None:
    """Write what has changed at the network."""
    if _has_changed(stored, item):
        await db.execute(
            _EDIT, stored.id, workspace_id, item.text, item.author_name, item.author_handle, item.author_avatar_url,
            item.author_url, item.edited_at, item.hidden, item.liked, item.author_id, dict(item.reference),
        )  # fmt: skip


def _new_parent(stored: Known, item: RemoteComment, existing: Mapping[str, Known]) -> Known | None:
    """Return the comment that it answers, if that was not known when it was stored."""
    parent = existing.get(item.parent_id or "")
    return None if stored.parent_id is not None or parent is None or parent.thread_id == stored.thread_id else parent


async def _move(db: Db, workspace_id: UUID, stored: Known, item: RemoteComment, existing: dict[str, Known]) -> None:
    """Hang a comment on the one that it answers, with what hangs on it."""
    parent = _new_parent(stored, item, existing)
    if parent is None:
        return
    await db.execute(_MOVE, stored.id, workspace_id, stored.thread_id, parent.thread_id, parent.id)
    for row in [row for row in existing.values() if row.thread_id == stored.thread_id]:
        parent_id = parent.id if row.id == stored.id else row.parent_id
        existing[row.remote_id] = row._replace(thread_id=parent.thread_id, parent_id=parent_id)


async def _emit(context: AppContext, db: Db, written: Collection[CommentRow]) -> None:
    for row in written:
        if row.is_own and row.parent_id is not None:
            await db.execute(_ANSWERED, row.parent_id, row.workspace_id, row.posted_at)
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
