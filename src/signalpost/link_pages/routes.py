from functools import partial
from typing import Annotated

from signalpost.context import AppContext
from signalpost.identity.errors import PlanLimitReached, TestModeOnlySandbox
from signalpost.kit.db import Db
from signalpost.kit.wire import Listing
from signalpost.link_pages import queries, views
from signalpost.link_pages.actions import manage
from signalpost.link_pages.errors import SlugTaken
from signalpost.link_pages.schemas import LinkPage, LinkPageStats, LinkPageStatsQuery, LinkPageUpdate
from signalpost.profiles import queries as profiles
from signalpost.profiles.errors import ProfileArchived
from signalpost.profiles.queries import ProfileRow
from signalpost.web.caller import Caller
from signalpost.web.fields import ProfileId
from signalpost.web.inputs import Mine
from signalpost.web.paging import LIST_ALL, Page
from signalpost.web.routing import Routes

routes = Routes("Link pages")

MyProfile = Annotated[ProfileRow, Mine(ProfileId, profiles.find_mine)]


@routes.get("/link-pages", scope="profiles:read", limit_default=LIST_ALL)
async def list_link_pages(context: AppContext, db: Db, caller: Caller, page: Page) -> Listing[LinkPage]:
    """List the link pages of the workspace, newest first, published or not. Without `limit`, up to 500 are returned."""
    rows = await queries.visible(db, caller, page)
    return page.of(rows, partial(views.link_page, context), position=lambda row: (row.created_at, row.profile_id))


@routes.get("/profiles/{id}/link-page", scope="profiles:read")
async def get_link_page(profile: MyProfile, context: AppContext, db: Db) -> LinkPage:
    """Return the link page of a profile, published or not; 404: it has none."""
    return views.link_page(context, await manage.find_page(db, profile))


@routes.put(
    "/profiles/{id}/link-page",
    scope="profiles:write",
    raises=(PlanLimitReached, ProfileArchived, SlugTaken, TestModeOnlySandbox),
)
async def put_link_page(
    profile: MyProfile, context: AppContext, db: Db, caller: Caller, data: LinkPageUpdate
) -> LinkPage:
    """Make the link page of a profile, or replace it: its links, its words, its address, and whether it is public.

    With `isPublished: true` everyone can open `url`. A page whose profile is archived or deleted is not there.
    A link whose `id` is sent keeps its clicks; one without `id` is new.
    """
    return await manage.put_page(context, db, caller, profile.id, data)


@routes.delete("/profiles/{id}/link-page", scope="profiles:write", status=204, raises=(TestModeOnlySandbox,))
async def delete_link_page(profile: MyProfile, db: Db, caller: Caller) -> None:
    """Delete the link page of a profile with its numbers. Its addresses are free for others then."""
    await manage.delete_page(db, caller, profile)


@routes.get("/profiles/{id}/link-page/stats", scope="profiles:read")
async def get_link_page_stats(profile: MyProfile, db: Db, query: LinkPageStatsQuery) -> LinkPageStats:
    """Return how often the page was opened, and each of its links clicked, in the last days.

    Counted without cookies and without anything of a visitor; what says that it is a bot is left out. A click appears
    within some seconds.
    """
    return await manage.read_stats(db, profile, query.days)
