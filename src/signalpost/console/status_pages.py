"""The routes of the status page, its form to subscribe, and the two pages that mails about it link to.

Opening a link changes nothing, since scanners of mail open it too; its button does. Mail programs send the POST to
unsubscribe themselves (RFC 8058), so it needs no origin: the token alone is the right to do it.
"""

from collections.abc import Awaitable, Callable

import msgspec

from signalpost.console import status_page
from signalpost.console.forms import read_form
from signalpost.console.site import PageHandler, Site, check_origin
from signalpost.context import AppContext
from signalpost.kit import problems
from signalpost.kit.db import Db
from signalpost.kit.tenant import across_workspaces
from signalpost.status.actions import subscribers
from signalpost.status.actions.subscribers import CONFIRM_PATH
from signalpost.status.schemas import StatusSubscribe, SubscriptionState
from signalpost.status.tokens import UNSUBSCRIBE_PATH
from signalpost.web import validation
from signalpost.web.request import Request, query_values
from signalpost.web.response import Response
from signalpost.web.router import Route

PATH = "/status"
SUBSCRIBE_PATH = f"{PATH}/subscribe"
_decoder = validation.decoder_of(StatusSubscribe)
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
        *_subscribe(site),
        *_link(
            site,
            CONFIRM_PATH,
            change=subscribers.confirm,
            title="Subscribe to the service status",
            text="Incidents and maintenance are mailed to you. Every mail has a link that ends it.",
            button="Subscribe",
            done="You are subscribed: incidents and maintenance will be mailed to you.",
        ),
        *_link(
            site,
            UNSUBSCRIBE_PATH,
            change=subscribers.unsubscribe,
            title="Unsubscribe from the service status",
            text="Incidents and maintenance are no longer mailed to you.",
            button="Unsubscribe",
            done="You are unsubscribed: no more mails will follow.",
        ),
    ]


def _subscribe(site: Site) -> list[Route]:
    """Return the form to subscribe by e-mail, which names the other ways too, and what it does."""
    context = site.web.context

    def form(*, status: int = 200, email: str = "", message: str = "") -> Response:
        sends_mail = context.settings.smtp_url is not None
        url = site.web.base_url
        return site.page(
            "status_subscribe", status=status, sends_mail=sends_mail, url=url, email=email, message=message
        )

    async def show(_: Request) -> Response:
        return form()

    async def subscribe(request: Request) -> Response:
        check_origin(request)
        fields = await read_form(request, ["email"])
        try:
            data = validation.decode_body(_decoder, msgspec.json.encode({"email": fields["email"]}))
            with across_workspaces():  # subscribers are of the installation
                async with context.database.transaction() as db:
                    await subscribers.subscribe(context, db, data, None)
        except problems.ValidationFailed as problem:
            return form(status=422, email=fields["email"], message=problem.errors[0].message)
        days = subscribers.CONFIRM_WITHIN.days
        text = f"A mail with a link is on its way, unless you have confirmed before. The link works for {days} days."
        return site.notice("Confirm by the link in your mailbox", text, status=200, link=(PATH, "Back to the status"))

    return [
        *site.routes([SUBSCRIBE_PATH], show),
        *site.routes([SUBSCRIBE_PATH], subscribe, method="POST", bucket="login"),
    ]


def _link(site: Site, path: str, *, change: Change, title: str, text: str, button: str, done: str) -> list[Route]:
    """Return the page with a button, and what the button does."""

    async def show(_: Request) -> Response:
        return site.page("status_button", title=title, text=text, button=button)

    async def do(request: Request) -> Response:
        token = query_values(request).get("token", "")
        try:
            with across_workspaces():  # see above
                async with site.web.context.database.transaction() as db:
                    await change(site.web.context, db, token)
        except problems.NotFound as problem:
            return site.notice("This link no longer works", problem.detail, status=410)
        return site.notice(title, done, status=200)

    handlers: list[tuple[str, PageHandler]] = [("GET", show), ("POST", do)]
    return [route for method, handler in handlers for route in site.routes([path], handler, method=method)]
