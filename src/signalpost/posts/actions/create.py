from typing import Any
from uuid import UUID

import msgspec

from signalpost.context import AppContext
from signalpost.kit import clock, ids
from signalpost.kit.db import Db
from signalpost.posts import queries, times
from signalpost.posts.actions import accept, rows
from signalpost.posts.actions.draft import PostDraft, TargetDraft, build_draft, require_preflight, wants_draft
from signalpost.posts.actions.fetch import Fetched
from signalpost.posts.actions.rows import Entry
from signalpost.posts.queries import PostRow, TargetRow
from signalpost.posts.schemas.requests import PostCreate
from signalpost.posts.schemas.responses import Post
from signalpost.web.caller import Caller


async def create_post(
    context: AppContext, db: Db, caller: Caller, data: PostCreate, fetched: Fetched | None = None
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
    if not wants_draft(data):
        accept.require_publishing(caller)
    draft = await build_draft(db, caller, data, fetched=fetched)
    await accept.require_within_plan(db, caller, draft)
    if not draft.is_draft:
        require_preflight(draft)
    post, targets = new_rows(caller, data, draft)
    await accept.refuse_duplicates(db, post, targets, content=not draft.is_draft)
    await accept.require_room(db, caller, post)
    history = [Entry("created"), Entry("queued")] if post.counted else [Entry("created")]
    payer = caller if post.counted else None
    await rows.save(db, post, targets, history, actor=caller.actor, new=True, payer=payer)
    if post.counted:
        await accept.tell_queued(context, db, post, targets)
    return queries.shape(post, targets)


def new_rows(caller: Caller, data: PostCreate, draft: PostDraft) -> tuple[PostRow, list[TargetRow]]:
    """Return the rows of a new post: due at its time, held while an approval is missing, or resting as a draft."""
    now = clock.now()
    approval = accept.NOT_REQUIRED
    if not draft.is_draft:
        approval = accept.approval_for(caller, approval, required=draft.profile.approval_required)
    post_id = ids.new_id()
    targets = [target_of(post_id, position, target, draft) for position, target in enumerate(draft.targets)]
    held_reason = accept.held_reason_of(approval)
    accepted = not draft.is_draft and held_reason is None
    if not draft.is_draft:
        for target in targets:
            rows.put_on_queue(
                target, accept.due_of(target, draft.scheduled_at, draft.profile.now), held_reason=held_reason
            )
    post = PostRow(
        id=post_id, workspace_id=caller.workspace_id, profile_id=draft.profile_id, title=draft.title,
        text=draft.text, media=draft.media, media_ids=draft.media_ids,
        link=draft.link, thread=draft.thread,
        first_comment=draft.first_comment, status=queries.derive(targets, draft.profile.now), approval=approval,
        publish_mode=draft.publish_mode, scheduled_at=draft.scheduled_at,
        scheduled_local=draft.scheduled_local, timezone=draft.timezone, tzdata_version=times.tzdata_version(),
        recurrence=None, recurrence_parent_id=None, source_post_id=None, fanout_id=None,
        external_id=data.external_id, tags=data.tags, campaign=data.campaign, utm=None, shorten_links=False,
        notes=data.notes, options=draft.options, auto_fit=data.auto_fit, allow_duplicate=data.allow_duplicate,
        warnings=draft.warnings, created_by=msgspec.to_builtins(caller.actor), created_by_user_id=caller.user_id,
        source="api" if caller.auth == "api_key" else "dashboard", mode=caller.mode, counted=accepted, version=1,
        created_at=now, updated_at=now, queued_at=now if accepted else None, published_at=None, deleted_at=None,
        purge_at=None, former_status=None,
    )  # fmt: skip
    return post, targets


def target_of(post_id: UUID, position: int, target: TargetDraft, draft: PostDraft) -> TargetRow:
    """Return the new target of a chosen account."""
    return rows.target_row(
        post_id, position, account_id=target.account.id, platform=target.platform, username=target.account.username,
        text=target.text, media=target.media, title=target.title, options=target.options,
        scheduled_at=target.scheduled_at, content_hash=target.content_hash, first_comment=first_comment(draft),
    )  # fmt: skip


def first_comment(draft: PostDraft) -> dict[str, Any]:
    """Return how far the first comment of a target is that was not sent yet."""
    return {"status": "pending" if draft.first_comment else "none", "id": None, "error": None}
