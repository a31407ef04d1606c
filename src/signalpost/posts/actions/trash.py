"""Into the trash, out of it, and away for good. The queue follows in the same transaction."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

import msgspec

from signalpost import events, networks
from signalpost.context import AppContext
from signalpost.kit import clock, ids, problems
from signalpost.kit.db import Db
from signalpost.posts import queries
from signalpost.posts.actions import accept, rows
from signalpost.posts.actions.rows import Entry
from signalpost.posts.queries import PostRow, TargetRow
from signalpost.posts.schemas.requests import PostDeleteQuery
from signalpost.posts.schemas.responses import PlatformError, Post, PostDeletion
from signalpost.posts.states import UNDER_WAY, WAITING
from signalpost.web.caller import Caller
from signalpost.web.inputs import IfMatch

KEPT: Final = timedelta(days=30)

_PURGE = "delete from post where id = $1"
_PURGE_EXPIRED = """
delete from post where id = any(array(select id from post where purge_at <= now() order by purge_at limit $1))
"""


async def trash_post(
    context: AppContext, db: Db, caller: Caller, row: PostRow, how: PostDeleteQuery, if_match: IfMatch
) -> PostDeletion:
    """Move a post to the trash for 30 days and take it off the queue; or delete it for good.

    Raises:
        InvalidState: a network is taking it at this moment.
        VersionConflict: it was changed since the caller read it.
        Forbidden: the role may not.
    """
    _require_right(caller, row, for_good=how.permanent or how.cascade)
    if not if_match.allows(row.version):
        raise problems.VersionConflict(f"The post has version {row.version}.")
    post, targets = await _locked(db, row)
    errors = await _remove_from_networks(context, db, caller, post, targets) if how.cascade else []
    if post.deleted_at is None:
        await _trash(db, caller, post, targets)
    if how.permanent:
        await db.execute(_PURGE, post.id)
        post.purge_at = None
    at = clock.wire(post.deleted_at or clock.now())
    return PostDeletion(ids.encode("pst", post.id), True, at, clock.wire_or_none(post.purge_at), errors)  # noqa: FBT003


async def restore_post(context: AppContext, db: Db, caller: Caller, row: PostRow) -> Post:
    """Take a post out of the trash as it was; a schedule that lies in the past meanwhile makes it a draft.

    Raises:
        InvalidState: it is not in the trash.
        ExternalIdConflict: another post has its external id now.
        PlanLimitReached: the plan has no room for its schedule.
    """
    _require_right(caller, row, for_good=False)
    post, targets = await _locked(db, row)
    if post.deleted_at is None:
        raise problems.InvalidState("The post is not in the trash.")
    now = clock.now()
    waited = post.former_status in ("scheduled", "queued")
    due = {target.id: target.scheduled_at or post.scheduled_at for target in targets}
    ahead = bool(targets) and all(at is not None and at > now for at in due.values())
    resumes = waited and ahead and "posts:publish" in caller.scopes
    held_reason = accept.held_reason_of(post.approval)
    for target in targets:
        at = due[target.id]
        if waited and target.status == "cancelled":
            target.status = "pending"
            if resumes and at is not None:
                rows.put_on_queue(target, at, held_reason=held_reason)
    post = msgspec.structs.replace(
        post, deleted_at=None, purge_at=None, former_status=None, updated_at=now, version=post.version + 1
    )
    post.status = queries.derive(targets, now)
    history = [Entry("restored")]
    accepted = resumes and held_reason is None
    if accepted:
        post.queued_at, post.counted = now, True
        history.append(Entry("queued"))
    await accept.refuse_duplicates(db, post, targets, content=False)
    await accept.require_room(db, caller, post)
    await rows.save(db, post, targets, history, actor=caller.actor, payer=caller if accepted else None)
    if accepted:
        await accept.tell_queued(context, db, post, targets)
    return queries.shape(post, targets)


async def purge_expired(db: Db, limit: int) -> int:
    """Delete for good what lay in the trash long enough; return how many posts that were."""
    done = await db.execute(_PURGE_EXPIRED, limit)
    return int(done.rpartition(" ")[2])


def _require_right(caller: Caller, row: PostRow, *, for_good: bool) -> None:
    accept.require_ownership(caller, row)
    own = row.created_by_user_id == caller.user_id
    if for_good and caller.role not in ("owner", "admin") and not (caller.role == "editor" and own):
        raise problems.Forbidden(f"The role {caller.role} deletes for good, or from a network, at most its own posts.")


async def _locked(db: Db, row: PostRow) -> tuple[PostRow, list[TargetRow]]:
    known = await queries.targets_of(db, [row.id])
    locked = await queries.lock(db, row.id, [target.account_id for target in known])
    if locked is None:
        raise problems.NotFound
    return locked


async def _trash(db: Db, caller: Caller, post: PostRow, targets: list[TargetRow]) -> None:
    for target in targets:
        if target.status in UNDER_WAY:
            raise problems.InvalidState(f"The post is on its way: {target.platform} is {target.status}.")
    now = clock.now()
    former = queries.shown_status(post, targets)
    cancelled = cancel_waiting(targets)
    if not any(target.started_at for target in targets):
        await rows.give_back(db, post)
    post.status = queries.derive(targets, now)
    post.former_status, post.deleted_at, post.purge_at = former, now, now + KEPT
    post.updated_at, post.version = now, post.version + 1
    history = [*([Entry("cancelled")] if cancelled else []), Entry("trashed")]
    await rows.save(db, post, targets, history, actor=caller.actor)


def cancel_waiting(targets: Sequence[TargetRow]) -> int:
    """Cancel what waits on the queue; return how many targets that were."""
    waiting = [target for target in targets if target.status in WAITING and target.next_attempt_at is not None]
    for target in waiting:
        target.status = "cancelled"
        rows.take_off_queue(target)
    return len(waiting)


async def _remove_from_networks(
    context: AppContext, db: Db, caller: Caller, post: PostRow, targets: Sequence[TargetRow]
) -> list[PlatformError]:
    """Ask for what was published to be removed from the networks; say where that cannot be done."""
    errors, removable = [], []
    for target in targets:
        if target.status != "published" or target.remote_id is None:
            continue
        connector = networks.get(target.platform)
        if connector is not None and connector.delete is not None:
            removable.append(_removal(target))
        else:
            message = f"{target.platform} does not let a service delete posts; delete it there."
            target_id = ids.encode("tgt", target.id)
            errors.append(PlatformError(target_id, target.platform, "delete_not_supported", message))
    if removable:
        await context.emit(
            db,
            events.RemovalRequested(
                workspace_id=post.workspace_id, at=clock.now(), post_id=post.id, actor=caller.actor, removals=removable
            ),
        )
    return errors


def _removal(target: TargetRow) -> events.Removal:
    return events.Removal(
        target_id=target.id, account_id=target.account_id, platform=target.platform, remote_id=target.remote_id or "",
        thread_ids=tuple(target.thread_ids),
    )  # fmt: skip
