"""What posts do when something happens to their accounts and profiles: answers to hooks, and listeners to events."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from signalpost import events
from signalpost.accounts import queries as accounts
from signalpost.context import AppContext, DeletedProfile, DisconnectedAccount, TrashedPosts
from signalpost.engine.wake import resume, wake
from signalpost.identity.errors import TestModeOnlySandbox
from signalpost.kit import problems
from signalpost.kit.db import Db
from signalpost.plans import actions as plans
from signalpost.plans import limits
from signalpost.posts import progress, queries
from signalpost.posts.change.trash import TRASH_PERIOD
from signalpost.posts.many.repost import enqueue_repost
from signalpost.posts.states import UNDER_WAY, WAITING, HeldReason, sources
from signalpost.posts.target_errors import target_error
from signalpost.posts.write import audit, emit
from signalpost.profiles import queries as profiles

_POSTS_OF: Final = """
select distinct post_id from target
where account_id = $1 and workspace_id = $2 and status = any($3) and next_attempt_at is not null
"""
_FAIL: Final = """
update target set status = 'failed', error = $4, due_at = null, next_attempt_at = null, held_reason = null,
    updated_at = $5
where account_id = $1 and post_id = any($2) and status = any($3) and next_attempt_at is not null
returning id
"""
_SET_STATUS: Final = """
update post p set status = u.status, published_at = u.published_at, version = p.version + 1, updated_at = $3
from unnest($1::uuid[], $2::text[], $4::timestamptz[]) as u(id, status, published_at) where p.id = u.id
"""


async def fail_waiting_targets(context: AppContext, db: Db, account: DisconnectedAccount) -> list[UUID]:
    """Fail what waits for an account that is being disconnected; return the ids of the posts concerned.

    Those that are under way are among them: an attempt makes nothing more public once this transaction is committed.
    """
    await queries.take_profile_of(db, account.account_id)
    await queries.lock_lanes(db, [account.account_id])
    waiting = sources("failed", WAITING)
    records = await db.fetch(_POSTS_OF, account.account_id, account.workspace_id, UNDER_WAY)
    under_way = [record["post_id"] for record in records]
    records = await db.fetch(_POSTS_OF, account.account_id, account.workspace_id, waiting)
    posts = await queries.lock_all(db, [record["post_id"] for record in records])
    if not posts:
        return under_way
    post_ids = [post.id for post in posts]
    message = "The account was disconnected before the post was published."
    error = target_error("account_disconnected", message, account.at)
    records = await db.fetch(_FAIL, account.account_id, post_ids, waiting, error, account.at)
    failed_ids = {record["id"] for record in records}
    targets = await queries.targets_by_post(db, post_ids)
    for post in posts:
        post.status = progress.status_of(targets[post.id], account.at)
        post.published_at = progress.published_at(post.status, targets[post.id])
    statuses, published = [post.status for post in posts], [post.published_at for post in posts]
    await db.execute(_SET_STATUS, post_ids, statuses, account.at, published)
    failed = [(post, target) for post in posts for target in targets[post.id] if target.id in failed_ids]
    await audit.record(
        db, [audit.entry(post, "target.failed", account.actor, target_id=target.id) for post, target in failed]
    )
    for post in posts:
        for target in targets[post.id]:
            if target.id in failed_ids:
                await emit.target_ended(context, db, post, targets[post.id], target, account.at)
        await emit.post_ended(context, db, post, targets[post.id], account.at)
    return [*post_ids, *(post_id for post_id in under_way if post_id not in post_ids)]


_WAITING_OF: Final = """
select count(*) from (
    select t.post_id from account a join target t on t.account_id = a.id
    where a.profile_id = $1 and a.workspace_id = $2 and t.next_attempt_at is not null
    union
    select s.post_id from recurrence_series s join post p on p.id = s.post_id
    where s.workspace_id = $2 and p.profile_id = $1
) waiting
"""


async def count_waiting_posts(db: Db, workspace_id: UUID, profile_id: UUID) -> int:
    """Return how many posts of the profile are on the queue or repeat; see `CountWaitingPosts`.

    An account with a post on the queue does not move to another profile, so its posts are those of this one.
    """
    await queries.take_profile(db, profile_id)
    return int(await db.fetchval(_WAITING_OF, profile_id, workspace_id))


_OF_PROFILE: Final = "select id from post where profile_id = $1 and workspace_id = $2 and deleted_at is null"
_UNDER_WAY: Final = "select platform from target where post_id = any($1) and status = any($2) limit 1"
_CANCEL: Final = """
update target set status = case when remote_id is null then 'cancelled' else 'failed' end,
    error = case when remote_id is null then error else $4 end,
    due_at = null, next_attempt_at = null, held_reason = null, updated_at = $3
where post_id = any($1) and status = any($2) and next_attempt_at is not null
returning post_id
"""
_UNSTARTED: Final = """
select p.queued_at from post p where p.id = any($1) and p.counted
    and not exists (select from target t where t.post_id = p.id and t.started_at is not null)
"""
_TRASH: Final = """
update post p set former_status = p.status, deleted_at = $2, purge_at = $3, updated_at = $2, version = p.version + 1,
    counted = p.counted and exists (select from target t where t.post_id = p.id and t.started_at is not null),
    status = u.status
from unnest($1::uuid[], $4::text[]) as u(id, status) where p.id = u.id
"""


async def trash_profile_posts(_context: AppContext, db: Db, profile: DeletedProfile) -> TrashedPosts:
    """Move the posts of a profile that is being deleted to the trash, off the queue.

    Raises:
        InvalidState: a network is receiving one of them at this moment.
        TestModeOnlySandbox: one of them is live, and the mode is test.
    """
    await accounts.lock_of_profile(db, profile.workspace_id, profile.profile_id)  # first, as whoever disconnects one
    await queries.take_profile(db, profile.profile_id)
    await queries.lock_profile_lanes(db, profile.profile_id)
    records = await db.fetch(_OF_PROFILE, profile.profile_id, profile.workspace_id)
    posts = await queries.lock_all(db, [record["id"] for record in records])
    if profile.mode == "test" and any(post.mode == "live" for post in posts):
        raise TestModeOnlySandbox("This profile has live posts. Delete it with a live key.")
    post_ids = [post.id for post in posts]
    if platform := await db.fetchval(_UNDER_WAY, post_ids, UNDER_WAY):
        raise problems.InvalidState(f"A post of this profile is being published to {platform}. Try again in a moment.")
    error = target_error("cancelled", "The profile was deleted when a part of the thread was public.", profile.at)
    records = await db.fetch(_CANCEL, post_ids, sources("cancelled", WAITING), profile.at, error)
    cancelled = {record["post_id"] for record in records}
    targets = await queries.targets_by_post(db, post_ids)
    for record in await db.fetch(_UNSTARTED, post_ids):
        await plans.refund(db, profile.workspace_id, limits.POSTS, 1, spent_at=record["queued_at"])
    statuses = [progress.status_of(targets[post_id], profile.at) for post_id in post_ids]
    await db.execute(_TRASH, post_ids, profile.at, profile.at + TRASH_PERIOD, statuses)
    await audit.record(db, [audit.entry(post, "trashed", profile.actor) for post in posts])
    return TrashedPosts(trashed=len(post_ids), cancelled=len(cancelled))


async def on_posts_settled(_context: AppContext, db: Db, settled: Sequence[events.PostSettled]) -> None:
    """Have posts passed on that were published, if their profiles have links that do so."""
    ended = [event for event in settled if event.status in ("published", "partial")]
    if not ended:
        return
    parents = await profiles.passing_on(db, {(event.workspace_id, event.profile_id) for event in ended})
    for event in ended:
        if event.profile_id in parents:
            await enqueue_repost(db, event.workspace_id, event.post_id)


# By the account: its targets that wait are few, and have an index.
_COVERED: Final = """
select distinct t.account_id, t.platform
from account a join profile f on f.id = a.profile_id join target t on t.account_id = a.id
where a.workspace_id = $1 and not a.over_limit and not f.over_limit
    and t.held_reason = 'plan' and t.next_attempt_at is not null
"""


async def on_plan_changed(_context: AppContext, db: Db, changes: Sequence[events.PlanChanged]) -> None:
    """Release what was held because the plan did not cover its account or profile."""
    for change in changes:
        covered = await db.fetch(_COVERED, change.workspace_id)
        for account_id, platform in sorted(map(tuple, covered)):
            await _release(db, change.workspace_id, account_id, platform, reason="plan", at=change.at)


_RELEASE: Final = """
update target set held_reason = null, next_attempt_at = least(next_attempt_at, greatest(due_at, now())), updated_at = $2
where account_id = $1 and held_reason = $3 and next_attempt_at is not null
returning next_attempt_at
"""


async def on_account_ready(_context: AppContext, db: Db, ready: Sequence[events.AccountReady]) -> None:
    """Release what was held because its account could not publish, or because its network asked to wait."""
    for event in ready:
        await queries.lock_lanes(db, [event.account_id])
        await resume(db, "target", [event.account_id])
        await _release(db, event.workspace_id, event.account_id, event.platform, reason="account", at=event.at)


async def _release(
    db: Db, workspace_id: UUID, account_id: UUID, platform: str, *, reason: HeldReason, at: datetime
) -> None:
    await queries.lock_lanes(db, [account_id])
    due = [record["next_attempt_at"] for record in await db.fetch(_RELEASE, account_id, at, reason)]
    if due:
        await wake(db, "target", [account_id], workspace_id=workspace_id, platforms=[platform], due=[min(due)])
