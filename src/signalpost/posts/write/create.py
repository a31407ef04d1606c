"""Creating a post: a read, a decision, a write. The write proves that what was read, maybe earlier, still holds."""

from collections.abc import Sequence
from contextlib import nullcontext
from functools import reduce
from operator import xor
from typing import Final

from signalpost.context import AppContext
from signalpost.events import PostQueued, PublicEvent
from signalpost.kit import clock, problems
from signalpost.kit.db import Db
from signalpost.plans import actions as plans
from signalpost.plans import limits
from signalpost.posts import progress, views
from signalpost.posts.compose import preflight
from signalpost.posts.compose.draft import Existing, PostDraft, build_draft, read_profile, wants_draft
from signalpost.posts.compose.fetch import Fetched
from signalpost.posts.compose.media import names_media
from signalpost.posts.compose.preflight import TargetIssue
from signalpost.posts.compose.slot import take_slot
from signalpost.posts.compose.variations import require_variations_accepted
from signalpost.posts.queries import ProfileWithAccounts
from signalpost.posts.schemas.requests import PostCreate
from signalpost.posts.schemas.responses import Post
from signalpost.posts.write import approvals, audit, emit, guards, permissions, series, writer
from signalpost.posts.write.enqueue import due_at, enqueue
from signalpost.posts.write.queue import CreateQueue
from signalpost.posts.write.recent import RecentReads
from signalpost.posts.write.writer import NewPost, Seen
from signalpost.web.caller import Caller, Mode
from signalpost.web.idempotency import Keep, NotKept

ATTEMPTS_MAX: Final = 5
"""How often a post is built because its profile or an account was changed since it was read."""


async def create_post(
    context: AppContext,
    db: Db | None,
    caller: Caller,
    data: PostCreate,
    fetched: Fetched | None = None,
    keep: Keep | None = None,
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
        keep: without `db`, makes the row of the response, to be written with the post.

    Raises:
        ValidationFailed, ScheduleInPast, ScheduleTooFar, TimezoneRequired, NoFreeSlot: see `build_draft`.
        PreflightFailed: a network would refuse the post.
        DuplicateContent, ExternalIdConflict: another post is in the way.
        PlanLimitReached: the plan has no post left.
        Forbidden, InsufficientScope, TestModeOnlySandbox: the caller may not.
        NotKept: it cannot be written with the row of `keep`.
    """
    if not wants_draft(data):
        permissions.require_publishing(caller)
    recent = context.state(RecentReads).get(caller, data)
    if db is None and recent is not None and _may_wait(caller, data, recent):
        new = await _built_from(context, caller, data, recent)
        if new is not None:
            post = views.post(new.post, new.targets)
            new.key_row = None if keep is None else keep(post)
            if await context.state(CreateQueue).write(context.database, new) is None:
                return post
        recent = None  # if something is in the way now, it is time to read again
    if keep is not None:
        raise NotKept
    is_locking = data.publish_mode == "slot" or data.recurrence is not None  # before the post is written
    lend = context.database.transaction if is_locking else context.database.connection
    async with lend() if db is None else nullcontext(db) as connection:
        for _ in range(ATTEMPTS_MAX):
            profile, is_recent, recent = recent or await _read(context, connection, caller, data), bool(recent), None
            try:
                existing = Existing(fetched or {}, profile)
                draft = await build_draft(context, connection, caller, data, existing=existing)
                target_issues = await preflight.run_preflight(context, draft)
                await require_variations_accepted(context, draft)
                await guards.require_within_plan(connection, caller, draft)
                new = new_post(context, caller, draft, target_issues)
            except problems.Problem:
                if not is_recent:
                    raise
                continue  # nothing is refused because of what is no longer so
            if await _write(context, connection, caller, draft, new):
                return views.post(new.post, new.targets)
    raise problems.Unavailable("Too many concurrent changes to the same data.", headers={"Retry-After": "1"})


async def _write(context: AppContext, db: Db, caller: Caller, draft: PostDraft, new: NewPost) -> bool:
    """Write the post, and what follows from it. Return False if it has to be built again, since something changed."""
    events = events_of(new)
    async with db.transaction() if events or clock.is_simulated() else nullcontext():
        if clock.is_simulated():  # the statement looks for duplicates by the real clock
            await guards.require_no_duplicate(db, new.post, new.targets)
        obstacle = (await writer.write(db, [new]))[0]
        if obstacle is None:
            await take_slot(db, draft.slot, new.post)
            await series.start(db, [new.post])
            await context.emit(db, *events)
            return True
    if obstacle == "taken":
        await guards.require_no_duplicate(db, new.post, new.targets)
    elif obstacle == "limit":
        await plans.check_spent(db, caller, limits.POSTS, None)
    elif obstacle == "full":
        await guards.require_capacity(db, caller, new.post)  # there may be room again by now
    return False


def _may_wait(caller: Caller, data: PostCreate, profile: ProfileWithAccounts) -> bool:
    """Whether the post can be written with others: nothing but its profile has to be read, and nobody hears of it."""
    unlimited = limits.POSTS.of(caller.plan) is None and limits.SCHEDULED_POSTS.of(caller.plan) is None
    alone = clock.is_simulated() or data.publish_mode == "slot" or data.recurrence is not None or names_media(data)
    return unlimited and not alone and not profile.heard and not profile.over_limit


async def _built_from(
    context: AppContext, caller: Caller, data: PostCreate, profile: ProfileWithAccounts
) -> NewPost | None:
    """Return the post as it is if what was read before still holds; None: that does not do."""
    try:
        draft = await build_draft(context, None, caller, data, existing=Existing(profile=profile))
        new = new_post(context, caller, draft, await preflight.run_preflight(context, draft))
    except problems.Problem:
        return None  # nothing is refused because of what may no longer be so
    return None if new.post.approval.state == "pending" or any(t.account.over_limit for t in draft.targets) else new


async def _read(context: AppContext, db: Db, caller: Caller, data: PostCreate) -> ProfileWithAccounts:
    profile = await read_profile(db, caller, data, heard_sql(context, caller.mode))
    context.state(RecentReads).put(caller, data, profile)
    return profile


def heard_sql(context: AppContext, mode: Mode) -> str:
    """Return whether a subscriber acts on post.queued, as SQL over the profile `p`."""
    return context.heard_sql(PostQueued, workspace_id="p.workspace_id", profile_id="p.id", mode=f"'{mode}'")


def new_post(context: AppContext, caller: Caller, draft: PostDraft, target_issues: Sequence[TargetIssue]) -> NewPost:
    """Make the post what it is to be: queued, held for approval, or a draft; with its first audit entries.

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
    history = [audit.entry(post, action, post.created_by) for action in actions]
    digest = reduce(xor, (target.account.digest for target in draft.targets), profile.digest)
    return NewPost(post, targets, Seen(digest, profile.heard, heard_sql(context, caller.mode)), history, caller.plan)


def events_of(new: NewPost) -> list[PublicEvent]:
    """Return the events about a post that was just written; only those that are heard."""
    if new.post.approval.state == "pending":
        return [emit.approval_requested_event(new.post, new.targets)]
    return [emit.post_queued_event(new.post, new.targets)] if new.post.counted and new.seen.heard else []
