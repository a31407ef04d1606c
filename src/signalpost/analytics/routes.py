from typing import Annotated

from signalpost.analytics.actions import ask, timing
from signalpost.analytics.actions import export as exporting
from signalpost.analytics.schemas import (
    AccountAnalytics,
    AccountsQuery,
    BestTimes,
    BestTimesQuery,
    ExportQuery,
    Overview,
    OverviewQuery,
    PostAnalytics,
)
from signalpost.context import AppContext
from signalpost.kit.db import Db
from signalpost.kit.wire import Listing
from signalpost.posts import queries as posts
from signalpost.posts.rows import PostRow
from signalpost.web.caller import Caller
from signalpost.web.fields import PostId
from signalpost.web.inputs import Mine
from signalpost.web.paging import LIST_ALL, Page
from signalpost.web.routing import RawResponse, Routes

routes = Routes("Analytics")

_BYTES = {"schema": {"type": "string", "format": "binary"}}

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


@routes.get("/analytics/accounts", scope="analytics:read", limit_default=LIST_ALL)
async def list_account_analytics(
    context: AppContext, caller: Caller, query: AccountsQuery, page: Page
) -> Listing[AccountAnalytics]:
    """List the accounts: how many follow each, how that changed, and how its posts did.

    Networks are asked once a day. Bluesky, LinkedIn and Threads do not say it to this version.
    """
    return await ask.accounts(context, caller, query, page)


@routes.get("/analytics/best-times", scope="analytics:read")
async def get_best_times(context: AppContext, caller: Caller, query: BestTimesQuery) -> BestTimes:
    """Return the hours of the week by how well posts do in them, best first.

    Each post is compared with the others of its account. Hours with few posts stay near the usual times of the network,
    and each says how many posts it has (`postCount`) and how well they tell it. Fewer than 20 posts decide nothing
    (`basis: defaults`); numbers without a pattern have the confidence `low`.
    """
    return await timing.get_best_times(context, caller, query)


@routes.get(
    "/analytics/export",
    scope="analytics:read",
    documented_response={"text/csv": {"schema": {"type": "string"}}, "application/vnd.apache.parquet": _BYTES},
)
async def export_analytics(context: AppContext, caller: Caller, query: ExportQuery) -> RawResponse:
    """Return the posts of a period with their newest numbers as a table, a row for each post on each network.

    The days are those of the overview; the name of the file says which ones it has, and the header `X-Clipped` whether
    the plan leaves some out. Unknown numbers are empty, in Parquet null. At most 100,000 rows.
    """
    return await exporting.export(context, caller, query)
