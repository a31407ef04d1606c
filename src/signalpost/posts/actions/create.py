from typing import Any
from uuid import UUID

from signalpost.context import AppContext
from signalpost.kit import clock, ids
from signalpost.kit.db import Db
from signalpost.posts import queries, times
from signalpost.posts.actions import accept, rows
from signalpost.posts.actions.compose import Chosen, Composed, compose, is_draft, refuse
from signalpost.posts.actions.fetch import Fetched
from signalpost.posts.actions.rows import Entry
from signalpost.posts.queries import PostRow, TargetRow
from signalpost.posts.schemas import Post
from signalpost.posts.wishes import CreatePost
from signalpost.web.caller import Caller


async def create_post(
    context: AppContext, db: Db, caller: Caller, wish: CreatePost, fetched: Fetched | None = None
) -> Post:
    """Write the post, one target per account due at its time, and wake their lanes.

    Nothing is sent here: `publishing` takes up targets whose time has come.

    Raises:
        ValidationFailed, ScheduleInPast, ScheduleTooFar, TimezoneRequired: see `compose`.
        PreflightFailed: a network would refuse it.
        DuplicateContent, ExternalIdConflict: another post is in the way.
        PlanLimitReached: the plan has no post left.
        Forbidden, InsufficientScope, TestModeOnlySandbox: the caller may not.
    """
    if not is_draft(wish):
        accept.require_publishing(caller)
    composed = await compose(db, caller, wish, fetched=fetched)
    await accept.require_within_plan(db, caller, composed)
    if not composed.draft:
        refuse(composed)
    post, targets = new_rows(caller, wish, composed)
    await accept.refuse_twins(db, post, targets, content=not composed.draft)
    await accept.require_room(db, caller, post)
    history = [Entry("created"), Entry("queued")] if post.counted else [Entry("created")]
    payer = caller if post.counted else None
    await rows.save(db, post, targets, history, actor=caller.actor, new=True, payer=payer)
    if post.counted:
        await accept.tell_queued(context, db, post, targets)
    return queries.shape(post, targets)


def new_rows(caller: Caller, wish: CreatePost, composed: Composed) -> tuple[PostRow, list[TargetRow]]:
    """Return the rows of a new post: due at its time, held while an approval is missing, or resting as a draft."""
    now = clock.now()
    approval = accept.NOT_REQUIRED
    if not composed.draft:
        approval = accept.approval_for(caller, approval, required=composed.holding.approval_required)
    post_id = ids.new_id()
    targets = [target_of(post_id, position, one, composed) for position, one in enumerate(composed.chosen)]
    held = accept.held_by(approval)
    accepted = not composed.draft and held is None
    if not composed.draft:
        for target in targets:
            rows.put_on_queue(target, accept.due_of(target, composed.scheduled_at, composed.holding.now), held=held)
    post = PostRow(
        id=post_id, workspace_id=caller.workspace_id, profile_id=composed.profile_id, title=composed.title,
        text=composed.text, media=composed.media, media_ids=composed.media_ids,
        link=composed.link, thread=composed.thread,
        first_comment=composed.first_comment, status=queries.derive(targets, composed.holding.now), approval=approval,
        publish_mode=composed.publish_mode, scheduled_at=composed.scheduled_at,
        scheduled_local=composed.scheduled_local, timezone=composed.timezone, tzdata_version=times.tzdata_version(),
        recurrence=None, recurrence_parent_id=None, source_post_id=None, fanout_id=None,
        external_id=wish.external_id, tags=wish.tags, campaign=wish.campaign, utm=None, shorten_links=False,
        notes=wish.notes, options=composed.options, auto_fit=wish.auto_fit, allow_duplicate=wish.allow_duplicate,
        warnings=composed.warnings, created_by=caller.actor, created_by_user_id=caller.user_id,
        source="api" if caller.auth == "api_key" else "dashboard", mode=caller.mode, counted=accepted, version=1,
        created_at=now, updated_at=now, queued_at=now if accepted else None, published_at=None, deleted_at=None,
        purge_at=None, former_status=None,
    )  # fmt: skip
    return post, targets


def target_of(post_id: UUID, position: int, one: Chosen, composed: Composed) -> TargetRow:
    """Return the new target of a chosen account."""
    return rows.target_row(
        post_id, position, account_id=one.holder.id, platform=one.platform, username=one.holder.username,
        text=one.text, media=one.media, title=one.title, options=one.options, scheduled_at=one.scheduled_at,
        content_hash=one.content_hash, first_comment=first_comment(composed),
    )  # fmt: skip


def first_comment(composed: Composed) -> dict[str, Any]:
    """Return how far the first comment of a target is that was not sent yet."""
    return {"status": "pending" if composed.first_comment else "none", "id": None, "error": None}
