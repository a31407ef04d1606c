"""The routes of the status page, its form to subscribe, and the two pages that mails about it link to.

Opening a link changes nothing, since scanners of mail open it too; its button does. Mail programs send the POST to
unsubscribe themselves (RFC 8058), so it needs no origin: the token alone is the right to do it.
"""

from collections.abc import Awaitable, Callable
from typing import NamedTuple

import msgspec

from signalpost.console import status_page
from signalpost.console.forms import read_form
from signalpost.console.site import PageHandler, Site, check_origin
from signalpost.console.texts import Texts, language_of, spoken
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
        return (await status_page.current(context, language_of(request)))[0].reply(request)

    async def feed(request: Request) -> Response:
        return (await status_page.current(context, language_of(request)))[1].reply(request)

    return [
        *site.routes([PATH], page, bucket=None),
        *site.routes([f"{PATH}/feed.atom"], feed, bucket=None),
        *_subscribe(site),
        *_link(site, CONFIRM_PATH, subscribers.confirm, _of_confirming),
        *_link(site, UNSUBSCRIBE_PATH, subscribers.unsubscribe, _of_leaving),
    ]


def _subscribe(site: Site) -> list[Route]:
    """Return the form to subscribe by e-mail, which names the other ways too, and what it does."""
    context = site.web.context

    def form(request: Request, *, status: int = 200, email: str = "", message: str = "") -> Response:
        values = {"sends_mail": context.settings.smtp_url is not None, "url": site.web.base_url, **spoken(request)}
        return site.page("status_subscribe", status=status, email=email, message=message, **values)

    async def show(request: Request) -> Response:
        return form(request)

    async def subscribe(request: Request) -> Response:
        check_origin(request)
        fields = await read_form(request, ["email"])
        words = spoken(request)
        t = words["t"]
        try:
            body = {"email": fields["email"], "language": words["language"]}
            data = validation.decode_body(_decoder, msgspec.json.encode(body))
            with across_workspaces():  # subscribers are of the installation
                async with context.database.transaction() as db:
                    await subscribers.subscribe(context, db, data, None)
        except problems.ValidationFailed:
            return form(request, status=422, email=fields["email"], message=t("This is not an e-mail address."))
        text = t(
            "A mail with a link is on its way, unless you have confirmed before. The link works for {days} days.",
            days=subscribers.CONFIRM_WITHIN.days,
        )
        link = (PATH, t("Back to the status"))
        return site.notice(t("Confirm by the link in your mailbox"), text, status=200, link=link, **words)

    return [
        *site.routes([SUBSCRIBE_PATH], show),
        *site.routes([SUBSCRIBE_PATH], subscribe, method="POST", bucket="login"),
    ]


class _LinkTexts(NamedTuple):
    """What the page of a link says before and after its button is pressed."""

    title: str
    text: str
    button: str
    done: str


def _of_confirming(t: Texts) -> _LinkTexts:
    return _LinkTexts(
        title=t("Subscribe to the service status"),
        text=t("Incidents and maintenance are mailed to you. Every mail has a link that ends it."),
        button=t("Subscribe"),
        done=t("You are subscribed: incidents and maintenance will be mailed to you."),
    )


def _of_leaving(t: Texts) -> _LinkTexts:
    return _LinkTexts(
        title=t("Unsubscribe from the service status"),
        text=t("Incidents and maintenance are no longer mailed to you."),
        button=t("Unsubscribe"),
        done=t("You are unsubscribed: no more mails will follow."),
    )


def _link(site: Site, path: str, change: Change, texts_of: Callable[[Texts], _LinkTexts]) -> list[Route]:
    """Return the page with a button, and what the button does."""

    async def show(request: Request) -> Response:
        words = spoken(request)
        return site.page("status_button", texts=texts_of(words["t"]), **words)

    async def do(request: Request) -> Response:
        token = query_values(request).get("token", "")
        words = spoken(request)
        t = words["t"]
        try:
            with across_workspaces():  # see above
                async with site.web.context.database.transaction() as db:
                    await change(site.web.context, db, token)
        except problems.NotFound:
            text = t("There is no such subscription. Subscribe again on the status page.")
            return site.notice(t("This link no longer works"), text, status=410, **words)
        texts = texts_of(t)
        return site.notice(texts.title, texts.done, status=200, **words)

    handlers: list[tuple[str, PageHandler]] = [("GET", show), ("POST", do)]
    return [route for method, handler in handlers for route in site.routes([path], handler, method=method)]
