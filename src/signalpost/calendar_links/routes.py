from typing import Annotated

from signalpost.calendar_links import queries, views
from signalpost.calendar_links.actions import manage, read
from signalpost.calendar_links.errors import CalendarLinkEnded
from signalpost.calendar_links.queries import CalendarLinkRow
from signalpost.calendar_links.schemas import (
    FILE_EXAMPLE,
    CalendarLink,
    CalendarLinkCreate,
    CalendarLinkQuery,
)
from signalpost.context import AppContext
from signalpost.kit.db import Db
from signalpost.kit.problems import Forbidden, NotFound, TooManyItems
from signalpost.kit.wire import Listing
from signalpost.web.caller import PUBLIC, Caller
from signalpost.web.fields import CalendarLinkId
from signalpost.web.inputs import Mine, Segment
from signalpost.web.paging import Page
from signalpost.web.request import Request
from signalpost.web.routing import RawResponse, Routes

routes = Routes("Calendar links")

MyLink = Annotated[CalendarLinkRow, Mine(CalendarLinkId, manage.find_mine)]
PathToken = Annotated[str, Segment("token", "The token of the link, with `.ics` behind it.", FILE_EXAMPLE)]


@routes.post("/calendar-links", scope="posts:read", raises=(Forbidden, TooManyItems))
async def create_calendar_link(context: AppContext, db: Db, caller: Caller, data: CalendarLinkCreate) -> CalendarLink:
    """Make a link by which a calendar program shows when posts go out. Whoever has `url` reads these posts.

    `url` is in this response only. It shows what you may see, as long as you may, and changes nothing.
    """
    return await manage.create_link(context, db, caller, data)


@routes.get("/calendar-links", scope="posts:read")
async def list_calendar_links(db: Db, caller: Caller, query: CalendarLinkQuery, page: Page) -> Listing[CalendarLink]:
    """List your links, newest first; owners and admins see those of everyone."""
    all_makers = manage.sees_all(caller)
    rows = await queries.visible(db, caller, page, all_makers=all_makers, profile_id=query.profile_id)
    return page.of(rows, views.calendar_link)


@routes.post("/calendar-links/{id}/rotate", scope="posts:read", status=200, raises=(Forbidden,))
async def rotate_calendar_link(link: MyLink, context: AppContext, db: Db, caller: Caller) -> CalendarLink:
    """Give a link of yours another `url`. The one before ends at once. It acts with your rights of now."""
    return await manage.rotate_link(context, db, caller, link)


@routes.delete("/calendar-links/{id}", scope="posts:read", status=204, raises=(Forbidden,))
async def delete_calendar_link(link: MyLink, db: Db, caller: Caller) -> None:
    """End a link at once. Owners and admins may end those of everyone."""
    await manage.delete_link(db, caller, link)


@routes.get(
    "/calendar/{token}",
    scope=PUBLIC,
    raises=(NotFound, CalendarLinkEnded),
    documented_headers={"If-None-Match": "The `ETag` of the file that you have. If it is still the same, you get 304."},
    documented_response={"text/calendar": {"schema": {"type": "string"}}},
)
async def get_calendar(token: PathToken, context: AppContext, request: Request) -> RawResponse:
    """Return the posts of a link as a calendar file (RFC 5545), for programs that subscribe to it.

    It has the posts of the last 30 days and the next 180, at most 2,000: those that come next first.
    """
    return await read.read_calendar(context, token, request.headers.get("if-none-match", ""))
