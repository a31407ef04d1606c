"""Moving posts to the trash, restoring them, and deleting them permanently. The queue follows in the transaction."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Final
from uuid import UUID

import msgspec

from signalpost import events, networks
from signalpost.context import AppContext
from signalpost.events import Actor
from signalpost.kit import clock, ids, problems
from signalpost.kit.db import RETRYABLE, Db
from signalpost.media import queries as media_queries
from signalpost.posts import progress, queries, views
from signalpost.posts.change import removals
from signalpost.posts.compose import slot
from signalpost.posts.documents import MediaRef, PostWarning
from signalpost.posts.holds import USABLE
from signalpost.posts.rows import PostRow, TargetRow
from signalpost.posts.schemas.requests import PostDeleteQuery
from signalpost.posts.schemas.responses import PlatformError, Post, PostDeletion
from signalpost.posts.states import UNDER_WAY, move
from signalpost.posts.write import approvals, audit, emit, guards, permissions, series, writer
from signalpost.posts.write.enqueue import cancel_waiting, enqueue
from signalpost.posts.write.lock import lock_post
from signalpost.profiles import queries as profile_queries
from signalpost.web.caller import Caller
from signalpost.web.inputs import IfMatch

ATTEMPTS_MAX: Final = 3
"""Of a transaction that ends in a deadlock."""
TRASH_PERIOD: Final = timedelta(days=30)

_DELETE = "delete from post where id = $1"
_DELETE_EXPIRED = """
delete from post where id = any(array(select id from post where purge_at <= now() order by purge_at limit $1))
returning id, workspace_id
"""
_SYSTEM: Final = Actor(type="system", id=None, name="trash")
MISSING_CODES = MEDIA_MISSING, PROFILE_MISSING = "media_missing", "profile_missing"


async def delete_post(
    context: AppContext, caller: Caller, post: PostRow, query: PostDeleteQuery, if_match: IfMatch
) -> PostDeletion:
    """Do what `trash_post` does, and wait a few seconds for the networks if it asked them to remove something."""
    deletion, target_ids = await _trash(context, caller, post, query, if_match, attempts=ATTEMPTS_MAX)
    if target_ids:
        errors, deletion.pending = await removals.wait_for(context, target_ids)
        deletion.platform_errors += errors
    return deletion


async def _trash(
    context: AppContext, caller: Caller, post: PostRow, query: PostDeleteQuery, if_match: IfMatch, *, attempts: int
) -> tuple[PostDeletion, list[UUID]]:
    """Run `trash_post` in a transaction, again if that ends in a deadlock."""
    try:
        async with context.database.transaction() as db:
            return await trash_post(context, db, caller, post, query, if_match)
    except RETRYABLE:
        if attempts == 1:
            raise
    return await _trash(context, caller, post, query, if_match, attempts=attempts - 1)


async def trash_post(
    context: AppContext, db: Db, caller: Caller, post: PostRow, query: PostDeleteQuery, if_match: IfMatch
) -> tuple[PostDeletion, list[UUID]]:
    """Move a post to the trash for 30 days and take it off the queue; or delete it permanently.

    Returns:
        What was done, and the targets that networks are asked to remove.

    Raises:
        InvalidState: a network is receiving it at this moment.
        VersionConflict: the post was changed since the caller read it.
        Forbidden: the role may not.
    """
    permissions.require_ownership(caller, post)
    if query.permanent or query.cascade:
        permissions.require_permanent_deletion(caller, post)
    await series.lock_series(db, post)
    post, targets = await lock_post(db, post, trashed=True)
    if_match.require(post.version)
    if post.deleted_at is None:
        await _move_to_trash(context, db, caller, post, targets)
    errors, target_ids = await _remove_from_networks(context, db, caller, post, targets) if query.cascade else ([], [])
    if query.permanent:
        await audit.record(db, [audit.entry(post, "purged", caller.actor)])
        await db.execute(_DELETE, post.id)
        post.purge_at = None
    deletion = PostDeletion(
        id=ids.encode("pst", post.id),
        deleted=True,
        deleted_at=clock.wire(post.deleted_at or clock.now()),
        purge_at=clock.wire_or_none(post.purge_at),
        platform_errors=errors,
        pending=bool(target_ids),
        warnings=[] if query.cascade else removals.stays_public(post.id, targets, in_trash=not query.permanent),
    )
    return deletion, target_ids


async def restore_post(context: AppContext, db: Db, caller: Caller, post: PostRow) -> Post:
    """Take a post out of the trash as it was; as a draft, with warnings, if it could not be published at its time.

    That time has passed, its slot was given to another post, a file was deleted, an account cannot publish, or the
    profile is gone.

    Raises:
        InvalidState: the post is not in the trash.
        ExternalIdConflict: another post has its external id now.
        PlanLimitReached: the plan has no room for its schedule.
        ProfileArchived: its profile is archived.
    """
    permissions.require_ownership(caller, post)
    await profile_queries.require_in_use(db, post.workspace_id, post.profile_id)
    await slot.lock_queue_of(db, post)
    await series.lock_series(db, post)
    old, targets = await lock_post(db, post, trashed=True)
    if old.deleted_at is None:
        raise problems.InvalidState("The post is not in the trash.")
    now = clock.now()
    post = msgspec.structs.replace(
        old, deleted_at=None, purge_at=None, former_status=None, updated_at=now, version=old.version + 1
    )
    held_reason = approvals.held_reason(post.approval)
    resumes = "posts:publish" in caller.scopes and _lies_ahead(old, targets)
    gone = await missing_warnings(db, post)
    outdated = (*MISSING_CODES, slot.TAKEN.code, *removals.CODES)
    post.warnings = [warning for warning in post.warnings if warning.code not in outdated] + gone
    post.warnings += await removals.warnings(db, targets)
    if resumes and await slot.is_lost(db, old):
        post.warnings.append(slot.TAKEN)
        resumes = False
    if gone or any(target.account_status not in USABLE for target in targets):
        resumes = False  # every view of the post has warnings of its accounts
    if _was_waiting(old):
        for target in targets:
            due = target.scheduled_at or post.scheduled_at
            if target.status == "cancelled" and resumes and due is not None:
                enqueue(target, due, held_reason=held_reason)
            elif target.status == "cancelled":
                move(target, "pending")
    post.status = progress.status_of(targets, now)
    history = [audit.entry(post, "restored", caller.actor)]
    accepted = resumes and held_reason is None
    if accepted:
        post.queued_at, post.counted = now, True
        history.append(audit.entry(post, "queued", caller.actor))
    await guards.require_no_duplicate(db, post, targets, content=False)
    await guards.require_capacity(db, caller, post)
    await writer.update(db, post, targets, history, payer=caller if accepted else None)
    await series.start(db, [post])
    if accepted:
        await emit.post_queued(context, db, post, targets)
    return views.post(post, targets)


def _was_waiting(post: PostRow) -> bool:
    return post.former_status in ("scheduled", "queued")


def _lies_ahead(post: PostRow, targets: Sequence[TargetRow]) -> bool:
    """Whether a trashed post waited for a time that is still to come, for every target."""
    due = [target.scheduled_at or post.scheduled_at for target in targets]
    return _was_waiting(post) and bool(due) and all(at is not None and at > clock.now() for at in due)


async def delete_expired(db: Db, limit: int) -> int:
    """Delete permanently what has been in the trash long enough; return how many posts there were."""
    deleted = await db.fetch(_DELETE_EXPIRED, limit)
    await audit.record(db, [audit.entry(audit.PostRef(*record), "purged", _SYSTEM) for record in deleted])
    return len(deleted)


async def _move_to_trash(context: AppContext, db: Db, caller: Caller, post: PostRow, targets: list[TargetRow]) -> None:
    for target in targets:
        if target.status in UNDER_WAY:
            raise problems.InvalidState(f"The post is being published: {target.platform} is {target.status}.")
    now = clock.now()
    post.former_status = progress.current_status(post, targets)
    cancelled, stopped = cancel_waiting(targets, now)
    if not any(target.started_at for target in targets):
        await writer.refund(db, post)
    post.status = progress.status_of(targets, now)
    post.published_at = progress.published_at(post.status, targets)
    post.deleted_at, post.purge_at = now, now + TRASH_PERIOD
    post.updated_at, post.version = now, post.version + 1
    actions = ["cancelled", "trashed"] if cancelled else ["trashed"]
    await writer.update(db, post, targets, [audit.entry(post, action, caller.actor) for action in actions])
    if stopped:
        await emit.stopped(context, db, post, targets, stopped, now)
    if post.recurrence is not None:
        await stop_series(context, db, caller, post)


async def stop_series(context: AppContext, db: Db, caller: Caller, post: PostRow) -> None:
    """End the series of a post; what still waits of it goes to the trash."""
    for child_id in await series.stop(db, post):
        targets = await queries.targets_of(db, [child_id])
        locked = await queries.lock(db, child_id, [target.account_id for target in targets])
        if locked is not None and locked[0].deleted_at is None and locked[0].status in ("scheduled", "queued"):
            await _move_to_trash(context, db, caller, *locked)


async def _remove_from_networks(
    context: AppContext, db: Db, caller: Caller, post: PostRow, targets: Sequence[TargetRow]
) -> tuple[list[PlatformError], list[UUID]]:
    """Ask for what is public to be removed from the networks; return where that is not possible, and what was asked."""
    errors, public = [], []
    for target in targets:
        if target.remote_id is None or not progress.public_parts(target):
            continue
        connector = networks.get(target.platform)
        if connector is not None and connector.delete is not None:
            public.append(_removal(target, target.remote_id))
        else:
            errors.append(_delete_not_supported(target))
    if public:
        event = events.RemovalRequested(
            workspace_id=post.workspace_id, at=clock.now(), post_id=post.id, actor=caller.actor, removals=public
        )
        await context.emit(db, event)
    return errors, [removal.target_id for removal in public]


def _removal(target: TargetRow, remote_id: str) -> events.Removal:
    return events.Removal(
        target_id=target.id,
        account_id=target.account_id,
        platform=target.platform,
        remote_id=remote_id,
        thread_ids=tuple(target.thread_ids),
    )


def _delete_not_supported(target: TargetRow) -> PlatformError:
    return PlatformError(
        target_id=ids.encode("tgt", target.id),
        platform=target.platform,
        code="delete_not_supported",
        message=f"{target.platform} does not let a service delete posts; delete it there.",
    )


async def missing_warnings(db: Db, post: PostRow) -> list[PostWarning]:
    """Return a warning for each thing that the post needs and that was deleted: files, its profile."""
    gone_warnings: list[PostWarning] = []
    if not await profile_queries.profile_exists(db, post.workspace_id, post.profile_id):
        message = "The profile of this post was deleted: create the post again for another profile."
        gone_warnings.append(PostWarning(PROFILE_MISSING, "/profileId", message))
    if not post.media_ids:
        return gone_warnings
    files = await media_queries.for_publishing(db, post.workspace_id, post.media_ids)
    paths = dict(_paths(post))
    for media_id in dict.fromkeys([*paths, *post.media_ids]):  # in the order of the post
        if media_id not in files or files[media_id].status != "ready":
            message = f"The file {ids.encode('med', media_id)} was deleted: choose another one, or leave it out."
            gone_warnings.append(PostWarning(MEDIA_MISSING, paths.get(media_id, "/media"), message))
    return gone_warnings


def _paths(post: PostRow) -> Iterator[tuple[UUID, str]]:
    yield from _places("/media", post.media)
    for index, part in enumerate(post.thread):
        yield from _places(f"/thread/{index}/media", part.media)


def _places(path: str, media: list[MediaRef]) -> Iterator[tuple[UUID, str]]:
    yield from ((entry.media_id, f"{path}/{index}") for index, entry in enumerate(media))
