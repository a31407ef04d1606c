from typing import Annotated

from signalpost.analytics.actions import ask
from signalpost.analytics.schemas import Overview, OverviewQuery, PostAnalytics
from signalpost.context import AppContext
from signalpost.kit.db import Db
from signalpost.posts import queries as posts
from signalpost.posts.rows import PostRow
from signalpost.web.caller import Caller
from signalpost.web.fields import PostId
from signalpost.web.inputs import Mine
from signalpost.web.routing import Routes

routes = Routes("Analytics")

MyPost = Annotated[PostRow, Mine(PostId, posts.find_mine, why_absent=posts.why_absent)]


@routes.get("/analytics/overview", scope="analytics:read")
async def get_analytics_overview(context: AppContext, caller: Caller, query: OverviewQuery) -> Overview:
    """Return how the posts of a period have done so far, compared with as many days before.

    A post counts on the day on which it was published, in the time zone of its profile, with its newest numbers: those
    that come late correct the past. Numbers that no network gave are left out, and `sampleSizes` says of how many posts
    a total is the sum. Days that the plan does not show are left out (`clipped`). With a test key, posts of test mode.
    """
    return await ask.overview(context, caller, query)


@routes.get("/analytics/posts/{postId}", scope="analytics:read")
async def get_post_analytics(post: MyPost, db: Db, caller: Caller) -> PostAnalytics:
    """Return the numbers of a post on each network, now and over time.

    They are collected 1, 6 and 24 hours after publishing, then daily to 30 days and weekly to a year. A post that is
    not published has none yet.
    """
    return await ask.of_post(db, caller, post)
