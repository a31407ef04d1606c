from typing import Annotated

from signalpost.context import AppContext
from signalpost.kit.db import Db
from signalpost.kit.problems import Forbidden, NotFound, TooManyItems
from signalpost.kit.wire import Listing
from signalpost.report_links import queries, views
from signalpost.report_links.actions import manage, read
from signalpost.report_links.errors import ReportLinkEnded
from signalpost.report_links.queries import ReportLinkRow
from signalpost.report_links.schemas import (
    TOKEN_EXAMPLE,
    Report,
    ReportLink,
    ReportLinkCreate,
    ReportLinkQuery,
    ReportQuery,
)
from signalpost.web.caller import PUBLIC, Caller
from signalpost.web.fields import ReportLinkId
from signalpost.web.inputs import Mine, Segment
from signalpost.web.paging import Page
from signalpost.web.routing import Routes

routes = Routes("Reports by link")

MyLink = Annotated[ReportLinkRow, Mine(ReportLinkId, manage.find_mine)]
PathToken = Annotated[str, Segment("token", "The token of the link.", TOKEN_EXAMPLE)]


@routes.post("/report-links", scope="analytics:read", raises=(Forbidden, TooManyItems))
async def create_report_link(context: AppContext, db: Db, caller: Caller, data: ReportLinkCreate) -> ReportLink:
    """Make a link by which someone without a user here reads how the posts of a month did. Whoever has `url` reads it.

    `url` is in this response only, and in the mails to `email`. It shows what you may see, as long as you may.
    """
    return await manage.create_link(context, db, caller, data)


@routes.get("/report-links", scope="analytics:read")
async def list_report_links(db: Db, caller: Caller, query: ReportLinkQuery, page: Page) -> Listing[ReportLink]:
    """List your links, newest first; owners and admins see those of everyone."""
    all_makers = manage.sees_all(caller)
    rows = await queries.visible(db, caller, page, all_makers=all_makers, profile_id=query.profile_id)
    return page.of(rows, views.report_link)


@routes.delete("/report-links/{id}", scope="analytics:read", status=204, raises=(Forbidden,))
async def delete_report_link(link: MyLink, db: Db, caller: Caller) -> None:
    """End a link and its mails at once. Owners and admins may end those of everyone."""
    await manage.delete_link(db, caller, link)


@routes.get("/reports/{token}", scope=PUBLIC, raises=(NotFound, ReportLinkEnded))
async def get_report(token: PathToken, context: AppContext, query: ReportQuery) -> Report:
    """Return a month as a link shows it: the numbers of its posts, followers, what was seen most, and every post.

    Numbers that no network gave are null, never 0.
    """
    return await read.read_report(context, token, query.month)
