"""Feeds over HTTP."""

from typing import Annotated

import msgspec

from signalpost.context import AppContext
from signalpost.feeds import queries, views
from signalpost.feeds.actions import manage, preview
from signalpost.feeds.errors import FeedUnreadable
from signalpost.feeds.queries import FeedRow
from signalpost.feeds.schemas import (
    Feed,
    FeedCreate,
    FeedItem,
    FeedListQuery,
    FeedPreview,
    FeedPreviewed,
    FeedResume,
    FeedUpdate,
)
from signalpost.identity.errors import PlanLimitReached, TestModeOnlySandbox
from signalpost.kit.db import Db
from signalpost.kit.problems import AlreadyExists, Forbidden, InsufficientScope, UnsafeAddress, VersionConflict
from signalpost.kit.wire import Listing
from signalpost.plans.errors import PlanFeatureUnavailable
from signalpost.profiles.errors import ProfileArchived
from signalpost.web.caller import Caller
from signalpost.web.conditional import Conditional
from signalpost.web.fields import FeedId
from signalpost.web.inputs import IfMatch, Mine, require_profile
from signalpost.web.paging import Page
from signalpost.web.routing import Routes

routes = Routes("Feeds")

MyFeed = Annotated[FeedRow, Mine(FeedId, queries.find_mine)]
DEFAULT = FeedResume()
_WRITES = (Forbidden, InsufficientScope, ProfileArchived, TestModeOnlySandbox, UnsafeAddress)


@routes.post(
    "/feeds", scope="posts:write", raises=(*_WRITES, AlreadyExists, PlanLimitReached, PlanFeatureUnavailable), etag=True
)
async def create_feed(db: Db, caller: Caller, data: FeedCreate) -> Feed:
    """Have the new items of an RSS or Atom feed become posts.

    It is read within a second, and then every 15 minutes. What is there already becomes no post, unless `latest` asks
    for it. An item becomes one post at most, also if its id or its link changes. The posts are made with your rights
    of that moment: when they or this credential end, the feed is held.
    """
    return await manage.create_feed(db, caller, data)


@routes.get("/feeds", scope="posts:read")
async def list_feeds(context: AppContext, db: Db, caller: Caller, query: FeedListQuery, page: Page) -> Listing[Feed]:
    """List feeds, newest first."""
    rows = await queries.visible(db, caller, query.profile_id, page)
    if not rows:
        await require_profile(context, db, caller, query.profile_id)
    return page.of(rows, views.feed)


@routes.post("/feeds/preview", scope="posts:write", status=200, history="nothing", raises=(FeedUnreadable,))
async def preview_feed(context: AppContext, caller: Caller, data: FeedPreview) -> FeedPreviewed:
    """Read an address, and show its newest items as they would be posted. Nothing is saved."""
    return await preview.preview_feed(context, caller, data)


@routes.get("/feeds/{id}", scope="posts:read", etag=True)
async def get_feed(feed: MyFeed) -> Conditional[Feed]:
    """Return a feed."""
    return Conditional(feed.version, msgspec.structs.astuple(feed), lambda: views.feed(feed))


@routes.patch("/feeds/{id}", scope="posts:write", raises=(*_WRITES, VersionConflict), etag=True)
async def update_feed(feed: MyFeed, db: Db, caller: Caller, data: FeedUpdate, if_match: IfMatch) -> Feed:
    """Change a feed, pause it, or go on with it. It acts with your rights from now on."""
    return await manage.update_feed(db, caller, feed, data, if_match)


@routes.delete("/feeds/{id}", scope="posts:write", status=204, raises=(TestModeOnlySandbox, VersionConflict))
async def delete_feed(feed: MyFeed, db: Db, caller: Caller, if_match: IfMatch) -> None:
    """Delete a feed. Its posts stay."""
    await manage.delete_feed(db, caller, feed, if_match)


@routes.post("/feeds/{id}/resume", scope="posts:write", status=200, raises=_WRITES, etag=True)
async def resume_feed(feed: MyFeed, db: Db, caller: Caller, data: FeedResume = DEFAULT) -> Feed:
    """Go on with a feed that is held or paused. It is read at once, and acts with your rights from now on."""
    return await manage.resume_feed(db, caller, feed, data)


@routes.get("/feeds/{id}/items", scope="posts:read")
async def list_feed_items(feed: MyFeed, db: Db, page: Page) -> Listing[FeedItem]:
    """List what was seen in a feed, newest first, and what became of it."""
    return page.of(await queries.items(db, feed, page), views.item)
