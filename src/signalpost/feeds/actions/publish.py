"""Turning items into posts: each in one transaction with its row, with the rights of whoever answers for the feed."""

from collections.abc import Sequence
from typing import Final

import msgspec

from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.feeds import queries, template
from signalpost.feeds.actions import accounts, hold
from signalpost.feeds.actions.manage import require_rights
from signalpost.feeds.queries import FeedRow, ItemRow
from signalpost.feeds.states import HeldReason, ReadError
from signalpost.identity.authenticate import caller_by_grant
from signalpost.identity.errors import KeyRevoked, PlanLimitReached, TokenExpired
from signalpost.kit import clock, ids
from signalpost.kit.db import Db
from signalpost.kit.problems import Forbidden, InsufficientScope, Problem
from signalpost.plans import limits
from signalpost.plans.errors import PlanFeatureUnavailable
from signalpost.posts.queries import ConnectedAccount
from signalpost.posts.schemas.requests import PostCreate, TargetIn
from signalpost.posts.schemas.responses import Post
from signalpost.posts.write import create
from signalpost.profiles.errors import ProfileArchived
from signalpost.scheduling.errors import NoFreeSlot
from signalpost.web.caller import Caller
from signalpost.web.fields import AccountId, ProfileId, QueueId

_POSTED: Final = """
update feed_item set state = 'posted', post_id = $3, posted_at = $4, reason = $5
where id = $1 and workspace_id = $2 and state = 'waiting'
"""
_REFUSED: Final = """
update feed_item set state = 'refused', reason = $3 where id = $1 and workspace_id = $2 and state = 'waiting'
"""
_WAITS: Final = "update feed set last_error = $3 where id = $1 and workspace_id = $2"


class _Held(Exception):
    """The feed has to stop."""

    def __init__(self, reason: HeldReason) -> None:
        super().__init__(reason)
        self.reason: HeldReason = reason


async def post_next(context: AppContext, lease: Lease, feed: FeedRow) -> bool:
    """Make a post of the oldest item that waits; return whether another one may follow at once."""
    async with lease.transaction() as db:
        current = await queries.lock(db, feed.workspace_id, feed.id)
        if current is None or current.state != "active":
            return False
        try:
            return await _post_next(context, db, current)
        except ProfileArchived:  # at this moment
            return False
        except _Held as held:
            await hold.hold(db, current, held.reason)
            return False


async def require_answerable(context: AppContext, lease: Lease, feed: FeedRow) -> bool:
    """Hold a feed for which nobody answers any more, before its server is asked; return whether it goes on."""
    async with lease.transaction() as db:
        try:
            await _caller(context, db, feed)
        except _Held as held:
            await hold.hold(db, feed, held.reason)
            return False
    return True


async def _post_next(context: AppContext, db: Db, feed: FeedRow) -> bool:
    item = await queries.next_waiting(db, feed)
    if item is None or await queries.posted_today(db, feed) >= feed.daily_max:
        return False
    caller = await _caller(context, db, feed)
    targets = await accounts.usable(db, caller, feed.profile_id, feed.account_ids)
    if not targets:
        raise _Held("accounts")
    data = _body(feed, item, targets)
    try:
        post, reason = await _create(context, db, caller, data)
    except (PlanLimitReached, PlanFeatureUnavailable):
        return await _wait(db, feed, "plan_limit")
    except NoFreeSlot:
        return await _wait(db, feed, "no_free_slot")
    except (Forbidden, InsufficientScope):
        raise _Held("rights") from None
    except ProfileArchived:
        raise
    except Problem as problem:
        if problem.status >= 500:
            raise
        await db.execute(_REFUSED, item.id, feed.workspace_id, problem.code)
        return True
    await db.execute(_POSTED, item.id, feed.workspace_id, ids.decode("pst", post.id), clock.actual(), reason)
    return True


async def _wait(db: Db, feed: FeedRow, error: ReadError) -> bool:
    await db.execute(_WAITS, feed.id, feed.workspace_id, error)
    return False


async def _caller(context: AppContext, db: Db, feed: FeedRow) -> Caller:
    """Return whoever answers for the feed, with what is left of their rights.

    Raises:
        _Held: they may not write such posts any more, or the plan covers fewer feeds.
    """
    try:
        caller = await caller_by_grant(context.settings, db, feed, f"feed:{feed.id.hex}", limits.API_KEYS.of)
        if caller is None or not caller.may_see_profile(feed.profile_id):
            raise _Held("rights")
        require_rights(caller, feed.publish_mode)
    except (KeyRevoked, TokenExpired, Forbidden, InsufficientScope):
        raise _Held("rights") from None
    maximum = limits.FEEDS.of(caller.plan)
    if maximum is not None and await queries.count_older(db, feed) >= maximum:
        raise _Held("plan")
    auth = "session" if feed.key_id is None else "api_key"
    return msgspec.structs.replace(caller, auth=auth, guest=feed.created_by)


def _body(feed: FeedRow, item: ItemRow, targets: Sequence[ConnectedAccount]) -> PostCreate:
    return PostCreate(
        profile_id=ProfileId(int=feed.profile_id.int),
        text=template.text_of(feed.template, item.content, accounts.facts_of(targets)),
        title=item.content.title[:200] or None,
        targets=[TargetIn(account_id=AccountId(int=account.id.int)) for account in targets],
        draft=feed.publish_mode == "draft",
        publish_mode=None if feed.publish_mode == "draft" else feed.publish_mode,
        queue_id=None if feed.queue_id is None else QueueId(int=feed.queue_id.int),
    )


async def _create(context: AppContext, db: Db, caller: Caller, data: PostCreate) -> tuple[Post, str | None]:
    """Create the post; what cannot be published as it is becomes a draft. Return it, and why it is only that.

    Raises:
        Problem: what `create_post` raises of a draft, and what says that there is no room now.
    """
    try:
        async with db.transaction():
            return await create.create_post(context, db, caller, data), None
    except (PlanLimitReached, PlanFeatureUnavailable, NoFreeSlot, Forbidden, InsufficientScope, ProfileArchived):
        raise
    except Problem as problem:
        if data.draft or problem.status >= 500:
            raise
        draft = msgspec.structs.replace(data, draft=True, publish_mode=None, queue_id=None)
        async with db.transaction():
            return await create.create_post(context, db, caller, draft), problem.code
