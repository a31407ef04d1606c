"""Reads of comments, of answers, and of what is due to be asked for."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

import msgspec
from msgspec import Struct

from signalpost.comments.states import CommentState, ReplyState
from signalpost.events import Actor
from signalpost.identity.queries import tenant_sql
from signalpost.kit import rows
from signalpost.kit.db import Db
from signalpost.web.caller import Caller, Mode
from signalpost.web.paging import Page, keyset

REPLIES_SHOWN: Final = 20
"""Of one comment."""
ANSWERS_SHOWN: Final = 200
"""Comments that hang on one under the post."""
ANSWERS_OF_PAGE: Final = 1_000
"""Of all threads of a page together, in equal shares: a text has up to 20 kB."""


class CommentRow(Struct, frozen=True):
    """A comment as it is stored."""

    id: UUID
    workspace_id: UUID
    profile_id: UUID
    account_id: UUID
    post_id: UUID
    target_id: UUID
    platform: str
    mode: Mode
    remote_id: str
    parent_id: UUID | None
    thread_id: UUID
    reference: dict[str, Any]
    author_id: str
    author_name: str
    author_handle: str | None
    author_avatar_url: str | None
    author_url: str | None
    is_own: bool
    text: str
    url: str | None
    posted_at: datetime
    created_at: datetime
    updated_at: datetime
    state: CommentState = "open"
    assignee_id: UUID | None = None
    assignee_name: str | None = None
    tags: list[str] = msgspec.field(default_factory=list)
    snoozed_until: datetime | None = None
    hidden: bool = False
    liked: bool = False
    edited_at: datetime | None = None
    deleted_at: datetime | None = None
    removed: bool = False
    answered_at: datetime | None = None


class ReplyError(Struct, frozen=True):
    """The JSON column `error`."""

    code: str
    message: str


class ReplyRow(Struct, frozen=True):
    """An answer as it is stored. `steps` and `intent`: its journal."""

    id: UUID
    workspace_id: UUID
    comment_id: UUID
    account_id: UUID
    text: str
    state: ReplyState
    author: Actor
    user_id: UUID
    created_at: datetime
    decided_by: Actor | None = None
    steps: dict[str, Any] = msgspec.field(default_factory=dict)
    intent: str | None = None
    attempts: int = 0
    remote_id: str | None = None
    url: str | None = None
    error: ReplyError | None = None
    sent_at: datetime | None = None


class LastAnswers(NamedTuple):
    """How many seconds ago an account answered under a post, in no order."""

    to_author: list[float]
    in_thread: list[float]
    under_post: list[float]


class DueTarget(NamedTuple):
    """A target whose comments are to be asked for."""

    target_id: UUID
    post_id: UUID
    profile_id: UUID
    mode: Mode
    remote_id: str
    thread_ids: list[str]
    published_at: datetime
    read_at: datetime | None
    failures: int


class DueOfAll(NamedTuple):
    """A target that is due, with what its account may do."""

    target: DueTarget
    next_attempt_at: datetime
    account_id: UUID
    workspace_id: UUID
    tenant_id: UUID
    listed: int
    is_asked: bool
    """Whether its account is active at a network that gives comments."""
    is_busy: bool
    """Whether the account is about to publish, or has a job of its own."""
    is_there: bool
    """Whether it is still public, as far as is known here."""


_SELECT: Final = f"select {rows.columns(CommentRow, 'c')} from comment c"  # noqa: S608 - constants only
# What is in the trash is not there, nor is what belongs to a deleted profile.
THERE: Final = """
join post o on o.id = c.post_id and o.deleted_at is null
join profile f on f.id = c.profile_id and f.deleted_at is null
"""
_SEEN: Final = "c.workspace_id = $1 and ($2 or c.mode = 'test') and ($3::uuid[] is null or c.profile_id = any($3))"
_MINE: Final = f"{_SELECT} {THERE} where {_SEEN} and c.id = $4"
_ROOTS: Final = f"""{_SELECT}
where c.workspace_id = $1 and c.post_id = $2 and c.parent_id is null
    and {keyset("c.created_at", "c.id", first=3, ascending=True)}
"""
_ANSWERS: Final = f"""
select {rows.columns(CommentRow, "c")} from unnest($2::uuid[]) as k(thread_id) cross join lateral (
    select * from comment where thread_id = k.thread_id and parent_id is not null and workspace_id = $1
    order by created_at, id limit $3) c
"""  # noqa: S608 - constants only
_LOCK: Final = f"{_SELECT} where c.id = $1 and c.workspace_id = $2 for no key update of c"
_BY_ID: Final = f"{_SELECT} where c.id = $1"
_REPLIES: Final = f"""
select {rows.columns(ReplyRow, "r")} from unnest($2::uuid[]) as k(comment_id) cross join lateral (
    select * from comment_reply where comment_id = k.comment_id and workspace_id = $1
    order by created_at desc, id desc limit {REPLIES_SHOWN}) r
"""  # noqa: S608 - constants only
_REPLY: Final = f"select {rows.columns(ReplyRow, 'r')} from comment_reply r where r.id = $1"  # noqa: S608
_LOCK_REPLY: Final = f"{_REPLY} and r.workspace_id = $2 for no key update"
_POST_REMOTE_ID: Final = "select remote_id from target where id = $1 and workspace_id = $2 and status = 'published'"
# A deleted comment has no author any more: it counts as everybody's.
_LAST_ANSWERS: Final = """
select extract(epoch from now() - r.created_at)::float8, c.author_id in ($2, ''), c.thread_id = $3
from comment_reply r join comment c on c.id = r.comment_id
where c.target_id = $1 and r.workspace_id = $4 and r.state = any($5) and r.created_at > now() - interval '1 hour'
"""
_DUE: Final = """
select s.target_id, t.post_id, o.profile_id, o.mode, t.remote_id, t.thread_ids, s.published_at, s.read_at, s.failures
from comment_source s join target t on t.id = s.target_id join post o on o.id = t.post_id
where s.account_id = $1 and s.workspace_id = $3 and s.next_attempt_at <= now() and t.status = 'published'
    and t.remote_id is not null and o.deleted_at is null
order by s.next_attempt_at limit $2
"""
_PUBLISHES = """
exists (select from target where account_id = {account_id} and next_attempt_at <= now() + interval '30 seconds'
    and held_reason is null)
"""
# Of each account once: whether it may be asked, and whether that has to wait. Its own job asks for all that is due.
_DUE_OF_ALL: Final = f"""
with due as materialized (
    select * from comment_source where next_attempt_at <= now() and (next_attempt_at, target_id) > ($1, $2)
        and mod(get_byte(uuid_send(account_id), 15), $6) = any($7)
    order by next_attempt_at, target_id limit $3
), accounts as materialized (
    select a.id, {tenant_sql("a.workspace_id")} as tenant_id,
        a.status in ('active', 'expiring') and a.platform = any($5) as is_asked,
        exists (select from job j where j.unique_key = $4 || a.id) or {_PUBLISHES.format(account_id="a.id")} as is_busy
    from account a where a.id = any(array(select account_id from due))
)
select d.target_id, t.post_id, o.profile_id, o.mode, t.remote_id, t.thread_ids, d.published_at, d.read_at, d.failures,
    d.next_attempt_at, d.account_id, d.workspace_id, a.tenant_id, d.listed, a.is_asked, a.is_busy,
    t.status = 'published' and t.remote_id is not null and o.deleted_at is null
from due d join accounts a on a.id = d.account_id join target t on t.id = d.target_id join post o on o.id = t.post_id
order by d.next_attempt_at, d.target_id
"""  # noqa: S608 - constants only
_PUBLISHES_SOON: Final = f"select {_PUBLISHES.format(account_id='$1')}"

_read: Final = rows.reader(CommentRow)
_read_reply: Final = rows.reader(ReplyRow)


def _visible_to(caller: Caller) -> tuple[UUID, bool, list[UUID] | None]:
    return caller.workspace_id, caller.mode == "live", caller.sees_profiles


async def find_mine(db: Db, caller: Caller, comment_id: UUID) -> CommentRow | None:
    """Return the comment if this caller may see it."""
    record = await db.fetchrow(_MINE, *_visible_to(caller), comment_id)
    return None if record is None else _read(record)


async def roots(db: Db, workspace_id: UUID, post_id: UUID, page: Page) -> Sequence[CommentRow]:
    """Return the comments under a post itself, oldest first."""
    return [_read(record) for record in await db.fetch(_ROOTS, workspace_id, post_id, *page.bounds)]


async def answers(
    db: Db, workspace_id: UUID, thread_ids: Sequence[UUID], limit: int
) -> Mapping[UUID, list[CommentRow]]:
    """Return what hangs on each of these threads, oldest first, at most `limit` on each."""
    by_thread: dict[UUID, list[CommentRow]] = {thread_id: [] for thread_id in thread_ids}
    for record in await db.fetch(_ANSWERS, workspace_id, thread_ids, limit):
        row = _read(record)
        by_thread[row.thread_id].append(row)
    return by_thread


async def lock(db: Db, workspace_id: UUID, comment_id: UUID) -> CommentRow | None:
    """Return the comment as it is now, and keep it so until the transaction ends."""
    record = await db.fetchrow(_LOCK, comment_id, workspace_id)
    return None if record is None else _read(record)


async def by_id(db: Db, comment_id: UUID) -> CommentRow | None:
    """Return the comment, for work that runs without a caller."""
    record = await db.fetchrow(_BY_ID, comment_id)
    return None if record is None else _read(record)


async def replies(db: Db, workspace_id: UUID, comment_ids: Sequence[UUID]) -> Mapping[UUID, list[ReplyRow]]:
    """Return the last answers from here to each comment, oldest first."""
    by_comment: dict[UUID, list[ReplyRow]] = {comment_id: [] for comment_id in comment_ids}
    for record in await db.fetch(_REPLIES, workspace_id, comment_ids):
        row = _read_reply(record)
        by_comment[row.comment_id].insert(0, row)
    return by_comment


async def reply(db: Db, reply_id: UUID) -> ReplyRow | None:
    """Return an answer."""
    record = await db.fetchrow(_REPLY, reply_id)
    return None if record is None else _read_reply(record)


async def lock_reply(db: Db, workspace_id: UUID, reply_id: UUID) -> ReplyRow | None:
    """Return an answer as it is now, and keep it so until the transaction ends."""
    record = await db.fetchrow(_LOCK_REPLY, reply_id, workspace_id)
    return None if record is None else _read_reply(record)


async def post_remote_id(db: Db, comment: CommentRow) -> str | None:
    """Return what the network calls the post of a comment; None: it is not public any more."""
    remote_id: str | None = await db.fetchval(_POST_REMOTE_ID, comment.target_id, comment.workspace_id)
    return remote_id


async def last_answers(db: Db, comment: CommentRow, states: Sequence[ReplyState]) -> LastAnswers:
    """Return how many seconds ago answers were written under the post of a comment within an hour."""
    values = (comment.target_id, comment.author_id, comment.thread_id, comment.workspace_id, list(states))
    rows = await db.fetch(_LAST_ANSWERS, *values)
    return LastAnswers(
        to_author=[row[0] for row in rows if row[1]],
        in_thread=[row[0] for row in rows if row[2]],
        under_post=[row[0] for row in rows],
    )


async def due(db: Db, account_id: UUID, workspace_id: UUID, limit: int) -> list[DueTarget]:
    """Return the targets of an account whose comments are due, those that wait longest first."""
    return [DueTarget(*record) for record in await db.fetch(_DUE, account_id, limit, workspace_id)]


async def due_of_all(
    db: Db,
    after: tuple[datetime, UUID],
    limit: int,
    *,
    job_key: str,
    platforms: Sequence[str],
    shares: tuple[int, Sequence[int]],
) -> list[DueOfAll]:
    """Return the next targets whose comments are due, of all accounts, those that wait longest first.

    `shares`: how many there are, and the numbers of those that are asked for; an account is in one of them.
    """
    records = await db.fetch(_DUE_OF_ALL, *after, limit, job_key, platforms, *shares)
    return [DueOfAll(DueTarget(*record[:9]), *record[9:]) for record in records]


async def publishes_soon(db: Db, account_id: UUID) -> bool:
    """Whether the account has a post to publish now or within 30 s."""
    return bool(await db.fetchval(_PUBLISHES_SOON, account_id))
