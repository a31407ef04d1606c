"""The page on which a person chooses what a grant posts to, after they agreed at the network."""

from signalpost import networks
from signalpost.accounts import callback_page
from signalpost.accounts.actions import choices as page_choices
from signalpost.accounts.errors import OauthStateInvalid
from signalpost.accounts.schemas import CallbackResult
from signalpost.console.connect import STATE_LENGTH_MAX, stale
from signalpost.console.forms import read_form
from signalpost.console.site import HTML, Site, check_origin
from signalpost.console.texts import spoken
from signalpost.web.request import Request
from signalpost.web.response import Response

PATH = "/connect/{state}/choose"


class ChoosePages:
    """What there is to choose from, and the click that connects it. The address is the right to choose."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.context = site.web.context

    async def show(self, request: Request) -> Response:
        """List what the grant can post to."""
        try:
            flow, choices = await page_choices.read_choices(self.context, _token(request))
        except OauthStateInvalid:
            return stale(self.site, request)
        pages = page_choices.candidates(choices.destinations, [])
        return self.site.page("choose", network=networks.name_of(flow.platform), pages=pages, **spoken(request))

    async def choose(self, request: Request) -> Response:
        """Connect what was chosen."""
        check_origin(request)
        form = await read_form(request, ("pageId",))
        try:
            account, redirect_url = await page_choices.choose(self.context, _token(request), form["pageId"])
        except OauthStateInvalid:
            return stale(self.site, request)
        page = await callback_page.render(
            self.context, CallbackResult("connected", account=account), account.platform, redirect_url or None
        )
        return Response(200, page.body, [(name.encode(), value.encode()) for name, value in page.headers.items()], HTML)


def _token(request: Request) -> str:
    return request.path_params["state"][:STATE_LENGTH_MAX]
