from signalpost.context import AppContext
from signalpost.kit.db import Db
from signalpost.posts import progress, views
from signalpost.posts.actions import approvals, audit, emit, guards, permissions, preflight, write
from signalpost.posts.actions.draft import build_draft, wants_draft
from signalpost.posts.actions.enqueue import due_at, enqueue
from signalpost.posts.actions.fetch import Fetched
from signalpost.posts.schemas.requests import PostCreate
from signalpost.posts.schemas.responses import Post
from signalpost.web.caller import Caller


async def create_post(
    context: AppContext, db: Db, caller: Caller, data: PostCreate, fetched: Fetched | None = None
) -> Post:
    """Write the post and one target per account, due at its time, and wake their lanes.

    Nothing is sent here: `publishing` takes the targets whose time has come.

    Raises:
        ValidationFailed, ScheduleInPast, ScheduleTooFar, TimezoneRequired: see `build_draft`.
        PreflightFailed: a network would refuse the post.
        DuplicateContent, ExternalIdConflict: another post is in the way.
        PlanLimitReached: the plan has no post left.
        Forbidden, InsufficientScope, TestModeOnlySandbox: the caller may not.
    """
    if not wants_draft(data):
        permissions.require_publishing(caller)
    draft = await build_draft(db, caller, data, fetched=fetched)
    target_issues = await preflight.run_preflight(draft)
    post, targets, profile = draft.post, draft.target_rows, draft.profile
    accepted = False
    await guards.require_within_plan(db, caller, draft)
    if not draft.is_draft:
        preflight.require_accepted(target_issues)
        post.approval = approvals.for_publishing(caller, post.approval, required=profile.approval_required)
        held_reason = approvals.held_reason(post.approval)
        for target in targets:
            enqueue(target, due_at(target, post.scheduled_at, profile.now), held_reason=held_reason)
        accepted = held_reason is None
    post.status = progress.status_of(targets, profile.now)
    if accepted:
        post.counted, post.queued_at = True, post.created_at
    await guards.require_no_duplicate(db, post, targets, content=not draft.is_draft)
    await guards.require_capacity(db, caller, post)
    actions = ["created", "queued"] if accepted else ["created"]
    history = [audit.entry(post, action, caller.actor) for action in actions]
    await write.create(db, post, targets, history, payer=caller if accepted else None)
    if accepted:
        await emit.post_queued(context, db, post, targets)
    return views.post(post, targets)
