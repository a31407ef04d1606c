"""What posts do when something happens to the accounts and profiles they hang on."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from signalpost import events
from signalpost.context import AppContext, DeletedProfile, DisconnectedAccount, TrashedPosts
from signalpost.engine.wake import wake
from signalpost.kit import ids, problems
from signalpost.kit.db import Db
from signalpost.plans import actions as plans
from signalpost.plans import limits
from signalpost.posts import event_data, queries
from signalpost.posts.actions.trash import KEPT
from signalpost.posts.queries import PostRow, TargetRow
from signalpost.posts.states import UNDER_WAY, WAITING
from signalpost.posts.target_errors import target_error

_LOCK_LANE = "select from lane where kind = 'target' and key = $1 for no key update"
_WAITING_POSTS = """
select distinct post_id from target
where account_id = $1 and workspace_id = $2 and status = any($3) and next_attempt_at is not null
"""
_FAIL = """
update target set status = 'failed', error = $4, due_at = null, next_attempt_at = null, held_reason = null,
    updated_at = $5
where account_id = $1 and post_id = any($2) and status = any($3) and next_attempt_at is not null
returning id
"""
_STATUS = """
update post p set status = u.status, version = p.version + 1, updated_at = $3
from unnest($1::uuid[], $2::text[]) as u(id, status) where p.id = u.id
"""
_AUDIT = """
insert into audit (id, workspace_id, post_id, target_id, at, action, actor)
select u.id, $1, u.post_id, u.target_id, $2, $3, $4 from unnest($5::uuid[], $6::uuid[], $7::uuid[])
    as u(id, post_id, target_id)
"""


async def fail_waiting_targets(context: AppContext, db: Db, event: DisconnectedAccount) -> list[UUID]:
    """Fail what waits for an account that is being disconnected; return the ids of the posts concerned."""
    await db.execute(_LOCK_LANE, event.account_id)
    found = await db.fetch(_WAITING_POSTS, event.account_id, event.workspace_id, WAITING)
    posts = await queries.lock_all(db, [row["post_id"] for row in found])
    if not posts:
        return []
    post_ids = [post.id for post in posts]
    error = _disconnected(event)
    failed = {row["id"] for row in await db.fetch(_FAIL, event.account_id, post_ids, WAITING, error, event.at)}
    targets: dict[UUID, list[TargetRow]] = {post_id: [] for post_id in post_ids}
    for target in await queries.targets_of(db, post_ids):
        targets[target.post_id].append(target)
    for post in posts:
        post.status = queries.derive(targets[post.id], event.at)
    await db.execute(_STATUS, post_ids, [post.status for post in posts], event.at)
    ended = [target for post_id in post_ids for target in targets[post_id] if target.id in failed]
    await db.execute(
        _AUDIT, event.workspace_id, event.at, "target.failed", event.actor, [ids.new_id() for _ in ended],
        [target.post_id for target in ended], [target.id for target in ended],
    )  # fmt: skip
    for post in posts:
        await _tell(context, db, event, post, targets[post.id], [t for t in targets[post.id] if t.id in failed])
    return post_ids


async def _tell(
    context: AppContext,
    db: Db,
    event: DisconnectedAccount,
    post: PostRow,
    targets: Sequence[TargetRow],
    failed: Sequence[TargetRow],
) -> None:
    common: dict[str, Any] = {
        "workspace_id": post.workspace_id, "at": event.at, "profile_id": post.profile_id, "mode": post.mode,
    }  # fmt: skip
    for target in failed:
        data = event_data.post_data(post, targets, "target", target=event_data.target_data(target))
        await context.emit(db, events.PostFailed(**common, data=data))
    if post.status not in ("failed", "partial"):
        return
    live = [event_data.target_data(target) for target in targets if target.status != "cancelled"]
    kind = events.PostFailed if post.status == "failed" else events.PostPartial
    await context.emit(db, kind(**common, data=event_data.post_data(post, targets, targets=live)))
    settled = events.PostSettled(workspace_id=post.workspace_id, at=event.at, post_id=post.id, status=post.status)
    await context.emit(db, settled)


def _disconnected(event: DisconnectedAccount) -> dict[str, Any]:
    message = "The account was disconnected before the post went out."
    return target_error("account_disconnected", message, event.at)


_LOCK_LANES = """
select from lane where kind = 'target' and key in (select id from account where profile_id = $1)
order by key for no key update
"""
_OF_PROFILE = "select id from post where profile_id = $1 and workspace_id = $2 and deleted_at is null"
_UNDER_WAY = "select platform from target where post_id = any($1) and status = any($2) limit 1"
_CANCEL = """
update target set status = 'cancelled', due_at = null, next_attempt_at = null, held_reason = null, updated_at = $3
where post_id = any($1) and status = any($2) and next_attempt_at is not null
returning post_id
"""
_UNSTARTED = """
select p.queued_at from post p where p.id = any($1) and p.counted
    and not exists (select from target t where t.post_id = p.id and t.started_at is not null)
"""
_TRASH = """
update post p set former_status = p.status, deleted_at = $2, purge_at = $3, updated_at = $2, version = p.version + 1,
    counted = p.counted and exists (select from target t where t.post_id = p.id and t.started_at is not null),
    status = u.status
from unnest($1::uuid[], $4::text[]) as u(id, status) where p.id = u.id
"""


async def trash_profile_posts(_context: AppContext, db: Db, event: DeletedProfile) -> TrashedPosts:
    """Move the posts of a profile to the trash, off the queue, and count them.

    Raises:
        InvalidState: a network is taking one of them at this moment.
    """
    await db.execute(_LOCK_LANES, event.profile_id)
    found = await db.fetch(_OF_PROFILE, event.profile_id, event.workspace_id)
    posts = await queries.lock_all(db, [row["id"] for row in found])
    post_ids = [post.id for post in posts]
    if platform := await db.fetchval(_UNDER_WAY, post_ids, UNDER_WAY):
        raise problems.InvalidState(f"A post of this profile is on its way to {platform}. Try again in a moment.")
    cancelled = {row["post_id"] for row in await db.fetch(_CANCEL, post_ids, WAITING, event.at)}
    by_post: dict[UUID, list[TargetRow]] = {post_id: [] for post_id in post_ids}
    for target in await queries.targets_of(db, post_ids):
        by_post[target.post_id].append(target)
    for row in await db.fetch(_UNSTARTED, post_ids):
        await plans.refund(db, event.workspace_id, limits.POSTS, 1, spent_at=row["queued_at"])
    statuses = [queries.derive(by_post[post_id], event.at) for post_id in post_ids]
    await db.execute(_TRASH, post_ids, event.at, event.at + KEPT, statuses)
    await db.execute(
        _AUDIT, event.workspace_id, event.at, "trashed", event.actor, [ids.new_id() for _ in post_ids], post_ids,
        [None for _ in post_ids],
    )  # fmt: skip
    return TrashedPosts(len(post_ids), len(cancelled))


_UNHOLD = """
update target set held_reason = null, next_attempt_at = least(next_attempt_at, greatest(due_at, now())), updated_at = $2
where account_id = $1 and held_reason = 'account' and next_attempt_at is not null
returning next_attempt_at
"""


async def on_account_ready(_context: AppContext, db: Db, event: events.AccountReady) -> None:
    """Let go of what waited for an account that could not publish."""
    await db.execute(_LOCK_LANE, event.account_id)
    due = [row["next_attempt_at"] for row in await db.fetch(_UNHOLD, event.account_id, event.at)]
    if due:
        await wake(
            db, "target", [event.account_id], workspace_id=event.workspace_id, platforms=[event.platform],
            due=[min(due)],
        )  # fmt: skip
