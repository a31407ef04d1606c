"""Creating a post: a read, a decision, a write. The write proves that what was read, maybe earlier, still holds."""

from collections.abc import Sequence
from contextlib import nullcontext
from functools import reduce
from operator import xor
from typing import Final

from signalpost.context import AppContext
from signalpost.events import PostQueued
from signalpost.kit import clock, problems
from signalpost.kit.db import Db
from signalpost.plans import actions as plans
from signalpost.plans import limits
from signalpost.posts import progress, views
from signalpost.posts.actions import approvals, audit, emit, guards, permissions, preflight, series, write
from signalpost.posts.actions.draft import Existing, PostDraft, build_draft, read_profile, wants_draft
from signalpost.posts.actions.enqueue import due_at, enqueue
from signalpost.posts.actions.fetch import Fetched
from signalpost.posts.actions.group_write import GroupWriter, is_groupable
from signalpost.posts.actions.media import names_media
from signalpost.posts.actions.preflight import TargetIssue
from signalpost.posts.actions.recent import RecentReads
from signalpost.posts.actions.slot import take_slot
from signalpost.posts.actions.variations import require_variations_accepted
from signalpost.posts.actions.write import NewPost, Obstacle, Seen
from signalpost.posts.queries import ProfileWithAccounts
from signalpost.posts.rows import AuditRow
from signalpost.posts.schemas.requests import PostCreate
from signalpost.posts.schemas.responses import Post
from signalpost.web.caller import Caller, Mode

ATTEMPTS_MAX: Final = 5
"""How often a post is built because its profile or an account was changed since it was read."""


async def create_post(
    context: AppContext, db: Db | None, caller: Caller, data: PostCreate, fetched: Fetched | None = None
) -> Post:
    """Write the post and one target per account, due at its time, and wake their lanes.

    Everything is written by one statement, or together with events in a transaction. Nothing is sent here: `publishing`
    takes the targets whose time has come.

    Args:
        context: lends a connection, if there is none yet.
        db: in a transaction of which the post is to be a part; None: the post may be written together with others that
            arrive at the same moment.
        caller: whose post it is.
        data: the body.
        fetched: see `build_draft`.

    Raises:
        ValidationFailed, ScheduleInPast, ScheduleTooFar, TimezoneRequired, NoFreeSlot: see `build_draft`.
        PreflightFailed: a network would refuse the post.
        DuplicateContent, ExternalIdConflict: another post is in the way.
        PlanLimitReached: the plan has no post left.
        Forbidden, InsufficientScope, TestModeOnlySandbox: the caller may not.
    """
    if not wants_draft(data):
        permissions.require_publishing(caller)
    recent = context.state(RecentReads).get(caller, data)
    if data.publish_mode == "slot" or data.recurrence is not None:
        lent = context.database.connection() if db is None else nullcontext(db)
        async with lent as connection, connection.transaction():  # with the slot, or the series
            return await _create(context, connection, caller, data, fetched, recent)
    if db is not None:
        return await _create(context, db, caller, data, fetched, recent)
    if recent is not None and (new := await _groupable(context, caller, data, recent)) is not None:
        recent = None  # if something is in the way now, it is time to read again
        if await context.state(GroupWriter).create(context.database, new) is None:
            return views.post(new.post, new.targets)
    async with context.database.connection() as connection:
        return await _create(context, connection, caller, data, fetched, recent)


async def _groupable(
    context: AppContext, caller: Caller, data: PostCreate, profile: ProfileWithAccounts
) -> NewPost | None:
    """Return the post if its profile is all that it takes to build it, and it can be written in a group with others."""
    if clock.is_simulated() or data.external_id or names_media(data) or not is_unlimited(caller):
        return None
    if profile.heard or profile.over_limit:
        return None
    try:
        draft = await build_draft(context, None, caller, data, existing=Existing(profile=profile))
        if any(target.account.over_limit for target in draft.targets):
            return None
        new = _new_post(context, caller, draft, await preflight.run_preflight(context, draft))
    except problems.Problem:
        return None  # nothing is refused because of what may no longer be so
    return new if is_groupable(new) else None


async def _create(
    context: AppContext,
    db: Db,
    caller: Caller,
    data: PostCreate,
    fetched: Fetched | None,
    recent: ProfileWithAccounts | None,
) -> Post:
    for attempt in range(ATTEMPTS_MAX):
        recent = recent if attempt == 0 else None
        profile = recent or await _read(context, db, caller, data)
        try:
            draft = await build_draft(context, db, caller, data, existing=Existing(fetched or {}, profile))
            target_issues = await preflight.run_preflight(context, draft)
            await require_variations_accepted(context, draft)
            await guards.require_within_plan(db, caller, draft)
            new = _new_post(context, caller, draft, target_issues)
        except problems.Problem:
            if recent is None:
                raise
            continue  # nothing is refused because of what is no longer so
        if clock.is_simulated():
            obstacle = await _write_guarded(context, db, caller, new)
        else:
            obstacle = await _write(context, db, caller, new)
        if obstacle is None:
            await take_slot(db, draft.slot, new.post)
            await series.start(db, [new.post])
            return views.post(new.post, new.targets)
        if obstacle == "taken":
            await guards.require_no_duplicate(db, new.post, new.targets)
    raise problems.Unavailable("Too many concurrent changes to the same data.", headers={"Retry-After": "1"})


async def _read(context: AppContext, db: Db, caller: Caller, data: PostCreate) -> ProfileWithAccounts:
    profile = await read_profile(db, caller, data, heard_sql(context, caller.mode))
    context.state(RecentReads).put(caller, data, profile)
    return profile


def heard_sql(context: AppContext, mode: Mode) -> str:
    """Return whether a subscriber acts on post.queued, as SQL over the profile `p`."""
    return context.heard_sql(PostQueued, workspace_id="p.workspace_id", profile_id="p.id", mode=f"'{mode}'")


def decide(caller: Caller, draft: PostDraft, target_issues: Sequence[TargetIssue]) -> tuple[list[AuditRow], bool]:
    """Make the post what it is to be: queued, held for approval, or a draft.

    Returns:
        Its first entries of the audit log, and whether it is queued, so that a unit of the plan is spent on it.

    Raises:
        PreflightFailed: a network would refuse the post, which is no draft.
    """
    post, targets, profile = draft.post, draft.target_rows, draft.profile
    accepted = False
    if not draft.is_draft:
        preflight.require_accepted(target_issues)
        post.approval = approvals.for_publishing(caller, post.approval, required=profile.approval_required)
        held_reason = approvals.held_reason(post.approval)
        common = due_at(post.scheduled_at, profile.now)
        for target in targets:
            due = common if target.scheduled_at is None else due_at(target.scheduled_at, profile.now)
            enqueue(target, due, held_reason=held_reason)
        accepted = held_reason is None
    post.status = progress.status_of(targets, profile.now)
    if accepted:
        post.counted, post.queued_at = True, post.created_at
    pending = post.approval.state == "pending"
    actions = ["created", *(["queued"] if accepted else []), *(["approval_requested"] if pending else [])]
    return [audit.entry(post, action, post.created_by) for action in actions], accepted


def _new_post(context: AppContext, caller: Caller, draft: PostDraft, target_issues: Sequence[TargetIssue]) -> NewPost:
    history, accepted = decide(caller, draft, target_issues)
    digest = reduce(xor, (target.account.digest for target in draft.targets), draft.profile.digest)
    seen = Seen(digest, draft.profile.heard, heard_sql(context, caller.mode))
    return NewPost(draft.post, draft.target_rows, seen, history, accepted, caller.plan)


def is_unlimited(caller: Caller) -> bool:
    """Whether no limit of the plan concerns a new post."""
    return limits.POSTS.of(caller.plan) is None and limits.SCHEDULED_POSTS.of(caller.plan) is None


async def _write_guarded(context: AppContext, db: Db, caller: Caller, new: NewPost) -> Obstacle | None:
    """Look for duplicates by the simulated clock, and write; one transaction, since the look locks the contents."""
    async with db.transaction():
        await guards.require_no_duplicate(db, new.post, new.targets)
        return await _write(context, db, caller, new)


async def _write(context: AppContext, db: Db, caller: Caller, new: NewPost) -> Obstacle | None:
    """Write the post: alone, or in a transaction with what subscribers do.

    Raises:
        PlanLimitReached: the plan has no room for it.
    """
    pending = new.post.approval.state == "pending"
    if not pending and not (new.seen.heard and new.accepted):
        obstacle = await write.create(db, new)
    else:
        async with db.transaction():
            obstacle = await write.create(db, new)
            if obstacle is None:
                emit_event = emit.approval_requested if pending else emit.post_queued
                await emit_event(context, db, new.post, new.targets)
    if obstacle == "limit":
        await plans.check_spent(db, caller, limits.POSTS, None)
    elif obstacle == "full":
        await plans.require_capacity(db, caller, limits.SCHEDULED_POSTS)  # there may be room again by now
    return obstacle
