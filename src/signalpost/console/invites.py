"""The page that a guest opens: who invites them, what they may connect, a button for each. Opening changes nothing."""

from signalpost import networks
from signalpost.accounts.platforms import oauth_of
from signalpost.console import branding
from signalpost.console.connect import PRIVATE
from signalpost.console.forms import read_form
from signalpost.console.site import Site, check_origin
from signalpost.console.texts import spoken
from signalpost.invites import views
from signalpost.invites.actions import guest
from signalpost.invites.schemas import ConnectQuery
from signalpost.kit import problems
from signalpost.web.request import Request
from signalpost.web.response import Response

PATH = "/platform-invites/{token}"
_TOKEN_LENGTH_MAX = 200
_FIELDS = ("platform", "instanceUrl")
_ENDED = {"expired": "It has expired.", "revoked": "It was withdrawn.", "completed": "It has been used."}


class InvitePages:
    """The page of an invitation, and the click that begins to connect an account."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.context = site.web.context

    async def show(self, request: Request) -> Response:
        """Say what the invitation is about."""
        return await self._page(request)

    async def choose(self, request: Request) -> Response:
        """Begin to connect an account: the page of the flow says who asks for what, and leads on."""
        check_origin(request)
        form = await read_form(request, _FIELDS)
        query = ConnectQuery(platform=form["platform"] or None, instance_url=form["instanceUrl"] or None)
        try:
            begun = await guest.begin(self.context, _token(request), query)
        except (problems.ValidationFailed, problems.HostNotFound, problems.UnsafeAddress) as problem:
            message = problem.errors[0].message if problem.errors else problem.detail
            return await self._page(request, status=problem.status, wrong=form["platform"], message=message)
        return Response(303, b"", [(b"location", begun.auth_url.encode()), *PRIVATE])

    async def _page(self, request: Request, *, status: int = 200, wrong: str = "", message: str = "") -> Response:
        row = await guest.find(self.context, _token(request))
        invite = views.validation(self.context, row)
        words = spoken(request)
        t = words["t"]
        if not invite.valid:
            again = t("Ask whoever sent it for another one.")
            if invite.inviter_name:
                again = t("Ask {name} for another one.", name=invite.inviter_name)
            ended = _ENDED.get(invite.status)
            text = f"{t(ended)} {again}" if ended else again
            return self.site.notice(t("This invitation is over"), text, status=410, **words)
        connectors = {item.platform: networks.get(item.platform) for item in invite.platforms}
        names = {key: connector.facts.name if connector else key for key, connector in connectors.items()}
        flows = {
            key: flow
            for key, connector in connectors.items()
            if connector and (flow := oauth_of(self.context, connector)) is not None
        }
        look = invite.branding
        style = branding.rule_of(look.color if look else None)
        return self.site.page(
            "invite",
            status=status,
            headers=branding.headers_of(style, look.logo_url if look else None),
            invite=invite,
            names=names,
            own_server=[key for key, flow in flows.items() if flow.own_server],
            any_server=[key for key, flow in flows.items() if flow.pushed],
            style=style,
            until=f"{row.expires_at:%Y-%m-%d %H:%M} UTC",
            wrong=wrong,
            message=message,
            **words,
        )


def _token(request: Request) -> str:
    return request.path_params["token"][:_TOKEN_LENGTH_MAX]
