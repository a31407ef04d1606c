"""Reads of posts. A caller sees its workspace, the profiles it is limited to, and under a test key only test posts."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

from msgspec import Struct

from signalpost.context import MediaUse
from signalpost.kit import clock, ids
from signalpost.kit.db import Db
from signalpost.posts.schemas.responses import (
    Delivery,
    Mode,
    Post,
    PostProgress,
    PublishMode,
    Source,
    Target,
    TargetCounts,
    TargetSummary,
)
from signalpost.posts.states import PostStatus, TargetStatus, post_status
from signalpost.web.caller import Caller


class PostRow(Struct, gc=False):
    """A post as stored."""

    id: UUID
    workspace_id: UUID
    profile_id: UUID
    title: str | None
    text: str
    media: list[Any]
    media_ids: list[UUID]
    link: str | None
    thread: list[Any]
    first_comment: str | None
    status: PostStatus
    approval: dict[str, Any]
    publish_mode: PublishMode
    scheduled_at: datetime | None
    scheduled_local: datetime | None
    timezone: str
    tzdata_version: str | None
    recurrence: dict[str, Any] | None
    recurrence_parent_id: UUID | None
    source_post_id: UUID | None
    fanout_id: UUID | None
    external_id: str | None
    tags: list[str]
    campaign: str | None
    utm: dict[str, Any] | None
    shorten_links: bool
    notes: str | None
    options: dict[str, dict[str, Any]]
    auto_fit: bool
    allow_duplicate: bool
    warnings: list[Any]
    created_by: dict[str, Any]
    created_by_user_id: UUID | None
    source: Source
    mode: Mode
    counted: bool
    version: int
    created_at: datetime
    updated_at: datetime
    queued_at: datetime | None
    published_at: datetime | None
    deleted_at: datetime | None
    purge_at: datetime | None
    former_status: PostStatus | None


class TargetRow(Struct, gc=False):
    """A post on one account, as stored; `username` is the account's."""

    id: UUID
    post_id: UUID
    account_id: UUID
    position: int
    platform: str
    username: str
    status: TargetStatus
    text: str | None
    media: list[Any] | None
    title: str | None
    options: dict[str, Any] | None
    scheduled_at: datetime | None
    content_hash: bytes
    due_at: datetime | None
    next_attempt_at: datetime | None
    held_reason: str | None
    attempts: int
    dedupe_key: str
    delivery: Delivery | None
    remote_id: str | None
    url: str | None
    thread_ids: list[str]
    first_comment: dict[str, Any]
    error: dict[str, Any] | None
    started_at: datetime | None
    published_at: datetime | None
    removed_at: datetime | None


class ConnectedAccount(Struct):
    """An account of a profile, as far as a post needs to know it."""

    id: UUID
    platform: str
    username: str
    status: str
    facts: dict[str, Any]
    over_limit: bool


class ProfileWithAccounts(Struct):
    """A profile with its connected accounts, oldest first. `now` is the database's clock, by which things are due."""

    now: datetime
    timezone: str
    approval_required: bool
    over_limit: bool
    accounts: list[ConnectedAccount]


POST: Final = "p." + ", p.".join(PostRow.__struct_fields__)
_TARGET = ", ".join("a.username" if name == "username" else "t." + name for name in TargetRow.__struct_fields__)

# --- rows ----------------------------------------------------------------------------------------------------------

_MINE = f"""
select {POST} from post p
where p.id = $1 and p.workspace_id = $2 and ($3::uuid[] is null or p.profile_id = any($3)) and ($4 or p.mode = 'test')
"""  # noqa: S608 - constants only
_LOCK = f"select {POST} from post p where p.id = $1 for no key update"  # noqa: S608 - constants only
_LOCK_ALL = f"select {POST} from post p where p.id = any($1) order by p.id for no key update"  # noqa: S608
_TARGETS = f"""
select {_TARGET} from target t join account a on a.id = t.account_id where t.post_id = any($1)
order by t.post_id, t.position
"""  # noqa: S608 - constants only
_LOCK_TARGETS = "select id from target where post_id = $1 order by id for no key update"
_LOCK_LANES = "select from lane where kind = 'target' and key = any($1) order by key for no key update"
_PROFILE = "select true from profile where id = $1 and workspace_id = $2 and deleted_at is null"
_HOLDING = """
select now(), p.timezone, p.approval_required, p.over_limit, a.id, a.platform, a.username, a.status, a.facts,
    a.over_limit
from profile p left join account a on a.profile_id = p.id and a.status <> 'disconnected'
where p.id = $1 and p.workspace_id = $2 and p.deleted_at is null
order by a.created_at, a.id
for share of p
"""


async def find_any(db: Db, caller: Caller, post_id: UUID) -> PostRow | None:
    """Return the post if this caller may see it, in the trash or not."""
    row = await db.fetchrow(_MINE, post_id, caller.workspace_id, caller.sees_profiles, caller.mode == "live")
    return None if row is None else PostRow(*row)


async def find_mine(db: Db, caller: Caller, post_id: UUID) -> PostRow | None:
    """Return the post if this caller may see it and it is not in the trash."""
    row = await find_any(db, caller, post_id)
    return None if row is None or row.deleted_at is not None else row


async def targets_of(db: Db, post_ids: Sequence[UUID]) -> list[TargetRow]:
    """Return the targets of these posts, in order."""
    return [TargetRow(*row) for row in await db.fetch(_TARGETS, post_ids)] if post_ids else []


async def lock(db: Db, post_id: UUID, account_ids: Iterable[UUID]) -> tuple[PostRow, list[TargetRow]] | None:
    """Return post and targets as they are now and keep workers off them until the transaction ends; None: purged.

    Lanes first, like the workers, who hold a lane while they write its targets: else both would wait for each other.
    """
    await db.execute(_LOCK_LANES, list(account_ids))
    row = await db.fetchrow(_LOCK, post_id)
    if row is None:
        return None
    await db.execute(_LOCK_TARGETS, post_id)
    return PostRow(*row), await targets_of(db, [post_id])


async def lock_all(db: Db, post_ids: Sequence[UUID]) -> list[PostRow]:
    """Return these posts as they are now, locked in the order of their ids. Lock the lanes of their targets before."""
    return [PostRow(*row) for row in await db.fetch(_LOCK_ALL, post_ids)] if post_ids else []


async def lock_alone(db: Db, post_id: UUID) -> PostRow | None:
    """Return the post as it is now, its targets left to the workers; None: purged."""
    row = await db.fetchrow(_LOCK, post_id)
    return None if row is None else PostRow(*row)


async def profile_exists(db: Db, caller: Caller, profile_id: UUID) -> bool:
    """Whether there is such a profile for this caller."""
    return caller.may_see_profile(profile_id) and bool(await db.fetchval(_PROFILE, profile_id, caller.workspace_id))


async def profile_with_accounts(db: Db, caller: Caller, profile_id: UUID) -> ProfileWithAccounts | None:
    """Return the profile and its accounts, if the caller may see it; nobody deletes it until the transaction ends."""
    if not caller.may_see_profile(profile_id):
        return None
    rows = await db.fetch(_HOLDING, profile_id, caller.workspace_id)
    if not rows:
        return None
    accounts = [ConnectedAccount(*row[4:]) for row in rows if row[4] is not None]
    return ProfileWithAccounts(rows[0][0], rows[0][1], rows[0][2], rows[0][3], accounts)


_DUPLICATES = "select kind, post_id, account_id from find_duplicates($1, $2, $3, $4, $5)"


class Duplicate(NamedTuple):
    """Another post in the way: of the same `content` on an account, or with the same `external` id."""

    kind: str
    post_id: UUID
    account_id: UUID | None


async def duplicates(db: Db, post: PostRow, hashes: Sequence[bytes]) -> list[Duplicate]:
    """Return posts in the way of one with these contents; others that ask for the same wait until we are through."""
    found = await db.fetch(_DUPLICATES, post.workspace_id, post.mode, hashes, post.external_id, post.id)
    return [Duplicate(*row) for row in found]


# --- the wire ------------------------------------------------------------------------------------------------------


def shape_target(row: TargetRow, post_id: str) -> Target:
    """Return a target as it goes over the wire."""
    at = clock.wire_or_none
    error: Any = row.error
    first_comment: Any = row.first_comment
    return Target(
        ids.encode("tgt", row.id), post_id, ids.encode("acc", row.account_id), row.platform, row.username, row.status,
        row.delivery, row.text, row.media, row.title, at(row.scheduled_at), row.options,
        row.remote_id, row.url, row.thread_ids, first_comment, row.attempts,
        at(row.next_attempt_at), error, at(row.started_at),
        at(row.published_at), at(row.removed_at),
    )  # fmt: skip


def count(targets: Iterable[TargetRow]) -> TargetCounts:
    """Count targets by how they ended."""
    live = [target.status for target in targets if target.status != "cancelled"]
    failed = live.count("failed")
    published = live.count("published") + live.count("removed")
    return TargetCounts(len(live), published, failed, len(live) - failed - published)


def shown_status(row: PostRow, targets: Sequence[TargetRow]) -> PostStatus:
    """Return the status as of now: a schedule whose time has come is queued, also when no worker looked at it yet."""
    if row.status != "scheduled" or row.deleted_at is not None or any(target.held_reason for target in targets):
        return row.status
    due = first_due(targets)
    return "queued" if due is not None and due <= clock.now() else "scheduled"


def first_due(targets: Iterable[TargetRow]) -> datetime | None:
    """Return when the earliest waiting target is to go out."""
    waiting = [target.next_attempt_at for target in targets if target.next_attempt_at is not None]
    return min(waiting, default=None)


def derive(targets: Sequence[TargetRow], now: datetime) -> PostStatus:
    """Return what the post is, by its targets; one that failed without ever being tried is no start."""
    started = any(target.started_at is not None for target in targets)
    status = post_status([target.status for target in targets], first_due(targets), now, started=started)
    return "scheduled" if status == "queued" and any(target.held_reason == "approval" for target in targets) else status


def shape(row: PostRow, rows: Sequence[TargetRow]) -> Post:
    """Return a post as it goes over the wire."""
    post_id = ids.encode("pst", row.id)
    targets = [shape_target(target, post_id) for target in rows]
    results: dict[str, list[Target]] = {}
    for target in targets:
        results.setdefault(target.platform, []).append(target)
    at = clock.wire_or_none
    media: Any = row.media
    approval: Any = row.approval
    created_by: Any = row.created_by
    return Post(
        post_id, ids.encode("prof", row.profile_id), row.title, row.text, media, row.link, row.thread,
        row.first_comment, list(results), targets, shown_status(row, rows), approval,
        at(row.scheduled_at), row.timezone, row.publish_mode, row.recurrence,
        ids.encode_or_none("pst", row.recurrence_parent_id),
        ids.encode_or_none("pst", row.source_post_id),
        ids.encode_or_none("job", row.fanout_id), row.external_id, row.tags,
        row.campaign, row.utm, row.shorten_links, row.notes, row.options,
        row.auto_fit, row.allow_duplicate, count(rows), results, row.warnings, created_by,
        row.source, row.mode, row.version, clock.wire(row.created_at), clock.wire(row.updated_at), at(row.queued_at),
        at(row.published_at), at(row.deleted_at),
        at(row.purge_at),
    )  # fmt: skip


def progress(row: PostRow, rows: Sequence[TargetRow]) -> PostProgress:
    """Return how far a post is."""
    counts = count(rows)
    approval: Any = row.approval
    summaries = []
    for target in rows:
        error: Any = target.error
        summaries.append(
            TargetSummary(
                ids.encode("tgt", target.id), target.platform, ids.encode("acc", target.account_id), target.username,
                target.status, target.delivery, target.url, target.attempts, error,
            )
        )  # fmt: skip
    return PostProgress(
        ids.encode("pst", row.id), shown_status(row, rows), approval, counts.published, counts.failed, counts.pending,
        counts.total, clock.wire_or_none(row.scheduled_at), clock.wire_or_none(first_due(rows)), summaries,
        clock.wire(row.updated_at),
    )  # fmt: skip


async def shown(db: Db, row: PostRow) -> Post:
    """Return the post with its targets."""
    return shape(row, await targets_of(db, [row.id]))


_USES = """
select m.id, count(*), count(*) filter (where p.status not in ('published', 'partial', 'failed'))
from unnest($2::uuid[]) as m(id)
join post p on p.media_ids @> array[m.id] and p.media_ids <> '{}' and p.workspace_id = $1 and p.deleted_at is null
group by m.id
"""


async def media_uses(db: Db, workspace_id: UUID, media_ids: Sequence[UUID]) -> dict[UUID, MediaUse]:
    """Return how many posts have each of these files; what waits is not only what is queued, but also a draft."""
    return {row[0]: MediaUse(row[1], row[2]) for row in await db.fetch(_USES, workspace_id, media_ids)}
