"""Scheduling stored drafts, many at once: read and locked by a fixed number of statements, and written by one."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from itertools import chain
from typing import Any, Final
from uuid import UUID

from msgspec import Struct
from msgspec.structs import replace

from signalpost.context import AppContext
from signalpost.kit import clock, rows
from signalpost.kit.db import Db
from signalpost.kit.problems import Forbidden
from signalpost.media import queries as media_queries
from signalpost.plans import actions as plans
from signalpost.plans import limits
from signalpost.posts import progress, queries, times
from signalpost.posts.change.changes import changes_of
from signalpost.posts.compose import preflight
from signalpost.posts.compose.draft import PostDraft, TargetDraft
from signalpost.posts.compose.media import PostMedia
from signalpost.posts.documents import Approval, PostWarning
from signalpost.posts.rows import AuditRow, PostRow, TargetRow
from signalpost.posts.times import Moment
from signalpost.posts.write import approvals, audit, emit, permissions, series
from signalpost.posts.write.enqueue import due_at, enqueue
from signalpost.posts.write.guards import guarded_contents
from signalpost.scheduling import queries as slots
from signalpost.web.caller import Caller

_TOUCHED = """
select p.id, p.profile_id, array(select t.account_id from target t where t.post_id = p.id) as account_ids
from post p
where p.id = any($1) and p.workspace_id = $2 and p.deleted_at is null and ($3::uuid[] is null or p.profile_id = any($3))
    and ($4 or p.mode = 'test')
"""
_LOCK_TARGETS = "select from target where post_id = any($1) order by id for no key update"
_LOCK_CONTENTS = """
select pg_advisory_xact_lock(hashtextextended(encode(h.hash, 'hex'), 0))
from (select distinct u.hash from unnest($1::bytea[]) as u(hash) order by 1) h
"""
_DUPLICATES = """
select distinct t.content_hash, p.mode from target t join post p on p.id = t.post_id
where t.content_hash = any($2) and t.workspace_id = $1 and t.due_at is not null
    and t.status not in ('failed', 'cancelled', 'removed')
    and greatest(p.queued_at, t.published_at, p.created_at) > $3::timestamptz - interval '24 hours'
"""
_AUDIT: Final = rows.names(AuditRow)
_WRITE: Final = f"""
with posts as (
    select * from jsonb_to_recordset($1::jsonb) as p(id uuid, status text, approval jsonb, scheduled_at timestamptz,
        scheduled_local timestamp, timezone text, tzdata_version text, warnings jsonb, counted boolean, version integer,
        queued_at timestamptz, updated_at timestamptz)
), changed_posts as (
    update post o set status = p.status, approval = p.approval, publish_mode = 'schedule',
        scheduled_at = p.scheduled_at, scheduled_local = p.scheduled_local, timezone = p.timezone,
        tzdata_version = p.tzdata_version, warnings = p.warnings, counted = p.counted, version = p.version,
        queued_at = p.queued_at, updated_at = p.updated_at
    from posts p where o.id = p.id
), targets as (
    select * from jsonb_to_recordset($2::jsonb) as t(id uuid, account_id uuid, platform text, status text,
        content_hash text, due_at timestamptz, held_reason text)
), changed_targets as (
    update target o set status = t.status, content_hash = decode(t.content_hash, 'base64'), due_at = t.due_at,
        next_attempt_at = t.due_at, held_reason = t.held_reason, error = null, updated_at = now()
    from targets t where o.id = t.id
), history as (
    insert into audit ({_AUDIT}) select {_AUDIT} from jsonb_populate_recordset(null::audit, $3::jsonb)
)
select case when $8 > 0 then spend_usage($5, $6, $7, $8, $9) end, (
    select wake_lanes('target', array_agg(account_id), $4, array_agg(platform), array_agg(due_at)) from targets)
"""  # noqa: S608 - names of columns only


class Refusal(Struct, frozen=True):
    """Why a draft is not scheduled: the code of the problem that submitting it would raise, and what happened."""

    code: str
    message: str


class StoredDraft(Struct):
    """A locked draft as it is stored, and as it is to be written."""

    post: PostRow
    targets: list[TargetRow]
    new: PostDraft

    @property
    def account_ids(self) -> list[UUID]:
        """The accounts that it goes to."""
        return [target.account_id for target in self.targets]


class _Slim(Struct, gc=False):
    """The columns of a post that change."""

    id: UUID
    status: str
    approval: Approval
    scheduled_at: datetime | None
    scheduled_local: datetime | None
    timezone: str
    tzdata_version: str | None
    warnings: list[PostWarning]
    counted: bool
    version: int
    queued_at: datetime | None
    updated_at: datetime


class _SlimTarget(Struct, gc=False):
    """The columns of a target that change, and those by which its lane is woken."""

    id: UUID
    account_id: UUID
    platform: str
    status: str
    content_hash: bytes
    due_at: datetime | None
    held_reason: str | None


_SLIM: Final = _Slim.__struct_fields__
_SLIM_TARGET: Final = _SlimTarget.__struct_fields__


async def lock_drafts(
    context: AppContext, db: Db, caller: Caller, post_ids: Sequence[UUID]
) -> tuple[dict[UUID, StoredDraft], dict[UUID, Refusal]]:
    """Lock these posts with what decides about them; return the drafts that can be scheduled, and why others cannot.

    Nobody gives slots of their profiles to other posts until the transaction ends.
    """
    records = await db.fetch(_TOUCHED, post_ids, caller.workspace_id, caller.sees_profiles, caller.mode == "live")
    stored_ids, profile_ids = [row["id"] for row in records], list({row["profile_id"] for row in records})
    account_ids = list(set(chain.from_iterable(row["account_ids"] for row in records)))
    await queries.share_profiles(db, profile_ids)
    await slots.lock_of_profiles(db, caller.workspace_id, profile_ids)
    await queries.lock_lanes(db, account_ids)
    posts = {post.id: post for post in await queries.lock_all(db, stored_ids) if post.deleted_at is None}
    await db.execute(_LOCK_TARGETS, stored_ids)
    targets = await queries.targets_by_post(db, stored_ids)
    profiles = await queries.profiles_with_accounts(db, caller, profile_ids, account_ids=account_ids, platforms=[])
    media_ids = {media_id for post in posts.values() for media_id in post.media_ids}
    files = await media_queries.for_publishing(db, caller.workspace_id, list(media_ids))
    drafts: dict[UUID, StoredDraft] = {}
    refused: dict[UUID, Refusal] = {}
    for post_id in post_ids:
        post = posts.get(post_id)
        profile = profiles.get(post.profile_id) if post is not None else None
        if post is None or profile is None:
            refused[post_id] = Refusal("not_found", "There is no such post.")
            continue
        accounts = {account.id: account for account in profile.accounts}
        own = targets[post_id]
        if (refusal := _refusal(caller, post, own, {*accounts}, {*files})) is not None:
            refused[post_id] = refusal
            continue
        if profile.archived:
            refused[post_id] = Refusal("profile_archived", "Its profile is archived: restore the profile first.")
            continue
        if profile.over_limit or any(accounts[target.account_id].over_limit for target in own):
            refused[post_id] = Refusal("plan_limit_reached", "The plan does not cover its profile or an account.")
            continue
        new = [TargetDraft(replace(row), accounts[row.account_id], index) for index, row in enumerate(own)]
        its_files = {media_id: files[media_id] for media_id in post.media_ids}
        media = PostMedia(post.media, post.thread, [row.media for row in own], its_files, post.media_ids)
        draft = PostDraft(replace(post, warnings=[]), new, profile, media, is_draft=False)
        if errors := preflight.errors_of(await preflight.run_preflight(context, draft)):
            refused[post_id] = Refusal("preflight_failed", errors[0].message)
            continue
        drafts[post_id] = StoredDraft(post, own, draft)
    await _refuse_duplicates(db, caller, drafts, refused)
    return drafts, refused


def _refusal(
    caller: Caller, post: PostRow, targets: Sequence[TargetRow], account_ids: set[UUID], media_ids: set[UUID]
) -> Refusal | None:
    try:
        permissions.require_ownership(caller, post)
    except Forbidden as problem:
        return Refusal(problem.code, problem.detail)
    if post.status != "draft":
        return Refusal("invalid_state", f"Only drafts are scheduled; this post is {post.status}.")
    if not targets:
        return Refusal("validation_failed", "It names no account: send platforms or targets.")
    if any(target.account_id not in account_ids for target in targets):
        return Refusal("validation_failed", "One of its accounts was disconnected: connect it again, or leave it out.")
    if any(media_id not in media_ids for media_id in post.media_ids):
        return Refusal("validation_failed", "One of its files was deleted: choose another one, or leave it out.")
    return None


async def _refuse_duplicates(
    db: Db, caller: Caller, drafts: dict[UUID, StoredDraft], refused: dict[UUID, Refusal]
) -> None:
    """Take out drafts whose content was, or will be, published to the same account within 24 hours, by each other too.

    Other transactions that ask for the same contents wait until this one ends.
    """
    contents = {key: guarded_contents(draft.post, _due(draft.new.target_rows)) for key, draft in drafts.items()}
    hashes = list(chain.from_iterable(contents.values()))
    await db.execute(_LOCK_CONTENTS, hashes)
    records = await db.fetch(_DUPLICATES, caller.workspace_id, hashes, clock.now())
    taken = {(row["content_hash"], row["mode"]) for row in records}
    for post_id, its_hashes in contents.items():
        its = {(content, drafts[post_id].post.mode) for content in its_hashes}
        if its & taken:
            refused[post_id] = Refusal("duplicate_content", "An account has, or will have, the same content already.")
            del drafts[post_id]
        taken |= its


def _due(targets: Sequence[TargetRow]) -> list[TargetRow]:
    """Return the targets as `guarded_contents` counts them, before they have a time."""
    return [replace(target, due_at=clock.now()) for target in targets]


async def schedule_drafts(
    context: AppContext,
    db: Db,
    caller: Caller,
    drafts: Sequence[StoredDraft],
    moments: Mapping[UUID, Moment],
    zone: str,
) -> None:
    """Write locked drafts as scheduled for these moments, in this zone; all of them or none.

    Raises:
        PlanLimitReached: the plan does not cover all of them.
    """
    if not drafts:
        return
    await plans.require_capacity(db, caller, limits.SCHEDULED_POSTS, len(drafts))
    history: list[AuditRow] = []
    events = []
    accepted = 0
    for draft in drafts:
        post, targets = draft.new.post, draft.new.target_rows
        _set_time(post, moments[post.id], zone)
        post.approval = approvals.for_publishing(caller, post.approval, required=draft.new.profile.approval_required)
        held_reason = approvals.held_reason(post.approval)
        for target in targets:
            due = due_at(target.scheduled_at or post.scheduled_at, draft.new.profile.now)
            enqueue(target, due, held_reason=held_reason)
        post.status = progress.status_of(targets, draft.new.profile.now)
        post.version, post.updated_at = post.version + 1, clock.now()
        changes = changes_of(draft.post, post, draft.targets, targets)
        history.append(audit.entry(post, "updated", caller.actor, changes=changes))
        if held_reason is None:
            accepted += 1
            post.queued_at, post.counted = post.updated_at, True
            history.append(audit.entry(post, "queued", caller.actor))
            events.append(emit.post_queued_event(post, targets))
        elif post.approval != draft.post.approval:
            history.append(audit.entry(post, "approval_requested", caller.actor))
            events.append(emit.approval_requested_event(post, targets))
    slim = [_Slim(*(getattr(draft.new.post, name) for name in _SLIM)) for draft in drafts]
    rows_of = [row for draft in drafts for row in draft.new.target_rows]
    slim_targets = [_SlimTarget(*(getattr(row, name) for name in _SLIM_TARGET)) for row in rows_of]
    payment: Sequence[Any] = plans.spend_parameters(caller, limits.POSTS, accepted)
    used = await db.fetchval(_WRITE, slim, slim_targets, history, caller.workspace_id, *payment)
    if accepted:
        await plans.check_spent(db, caller, limits.POSTS, used)
    await series.start(db, [draft.new.post for draft in drafts])
    await context.emit(db, *events)


def _set_time(post: PostRow, moment: Moment, zone_name: str) -> None:
    post.publish_mode = "schedule"
    post.scheduled_at, post.scheduled_local = moment.at, moment.local
    post.timezone, post.tzdata_version = zone_name, times.tzdata_version()
    if moment.warning is not None:
        post.warnings.append(PostWarning("schedule.dst", "/scheduledAt", moment.warning))


_BUSY = """
select c.at, t.account_id from unnest($2::timestamptz[]) as c(at) join target t
    on t.account_id = any($3) and t.next_attempt_at between c.at and c.at + $4::interval
where t.workspace_id = $1
group by c.at, t.account_id
"""


async def busy_accounts(
    db: Db, workspace_id: UUID, instants: Sequence[datetime], account_ids: Sequence[UUID], spread: timedelta
) -> set[tuple[datetime, UUID]]:
    """Return which of the accounts publish something at which of these instants, or within `spread` after it."""
    records = await db.fetch(_BUSY, workspace_id, instants, account_ids, spread)
    return {(row["at"], row["account_id"]) for row in records}
