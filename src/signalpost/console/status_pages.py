"""The routes of the status page, and the two pages that mails about it link to.

Opening a link changes nothing, since scanners of mail open it too; its button does. Mail programs send the POST to
unsubscribe themselves (RFC 8058), so it needs no origin: the token alone is the right to do it.
"""

from collections.abc import Awaitable, Callable

from signalpost.console import status_page
from signalpost.console.site import PageHandler, Site
from signalpost.context import AppContext
from signalpost.kit import problems
from signalpost.kit.db import Db
from signalpost.service_status.actions import subscribers
from signalpost.service_status.actions.subscribers import CONFIRM_PATH, UNSUBSCRIBE_PATH
from signalpost.service_status.schemas import SubscriptionState
from signalpost.web.request import Request, query_values
from signalpost.web.response import Response
from signalpost.web.router import Route

PATH = "/status"
Change = Callable[[AppContext, Db, str], Awaitable[SubscriptionState]]


def routes(site: Site) -> list[Route]:
    """Return the routes. The page is one copy for all, so it has no rate limit."""
    context = site.web.context

    async def page(request: Request) -> Response:
        return (await status_page.current(context))[0].reply(request)

    async def feed(request: Request) -> Response:
        return (await status_page.current(context))[1].reply(request)

    return [
        *site.routes([PATH], page, bucket=None),
        *site.routes([f"{PATH}/feed.atom"], feed, bucket=None),
        *_link(
            site,
            CONFIRM_PATH,
            change=subscribers.confirm,
            title="Subscribe to the service status",
            button="Subscribe",
            done="You are subscribed: incidents and maintenance will be mailed to you.",
        ),
        *_link(
            site,
            UNSUBSCRIBE_PATH,
            change=subscribers.unsubscribe,
            title="Unsubscribe from the service status",
            button="Unsubscribe",
            done="You are unsubscribed: no more mails will follow.",
        ),
    ]


def _link(site: Site, path: str, *, change: Change, title: str, button: str, done: str) -> list[Route]:
    """Return the page with a button, and what the button does."""

    async def show(_: Request) -> Response:
        return site.page("status_button", title=title, button=button)

    async def do(request: Request) -> Response:
        token = query_values(request).get("token", "")
        try:
            async with site.web.context.database.transaction() as db:
                await change(site.web.context, db, token)
        except problems.NotFound as problem:
            return site.notice("This link no longer works", problem.detail, status=410)
        return site.notice(title, done, status=200)

    handlers: list[tuple[str, PageHandler]] = [("GET", show), ("POST", do)]
    return [route for method, handler in handlers for route in site.routes([path], handler, method=method)]
