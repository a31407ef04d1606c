"""The page that a mail of a topic leads to: its reader gets no more of them, without signing in.

Opening the link changes nothing, since scanners of mail open it too; its button does. Mail programs send the POST
themselves (RFC 8058), so it needs no origin: the token alone is the right to do it.
"""

from typing import Final

from signalpost.console.site import Site
from signalpost.console.texts import spoken
from signalpost.identity.actions import notifications
from signalpost.kit import problems
from signalpost.mail.choices import PATH
from signalpost.web.request import Request, query_values
from signalpost.web.response import Response
from signalpost.web.router import Route

_TOKEN_LENGTH_MAX: Final = 200


def routes(site: Site) -> list[Route]:
    """Return the page with a button, and what the button does."""

    async def ask(request: Request) -> Response:
        words = spoken(request)
        t = words["t"]
        texts = {
            "title": t("Unsubscribe"),
            "text": t("No more mails of this kind reach you."),
            "button": t("Unsubscribe"),
        }
        return site.page("status_button", texts=texts, **words)

    async def unsubscribe(request: Request) -> Response:
        words = spoken(request)
        t = words["t"]
        try:
            await notifications.turn_off(site.web.context, query_values(request).get("token", "")[:_TOKEN_LENGTH_MAX])
        except problems.NotFound:
            title, text = t("This link does not exist"), t("Check that it was copied completely.")
            return site.page("review_over", status=404, title=title, text=text, **words)
        text = t("No more mails of this kind reach you.")
        return site.page("review_over", title=t("You are unsubscribed"), text=text, **words)

    return [*site.routes([PATH], ask), *site.routes([PATH], unsubscribe, method="POST")]
