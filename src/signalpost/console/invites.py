"""The page that a guest opens: who invites them, what they may connect, a button for each. Opening changes nothing."""

import base64
import hashlib
from urllib.parse import urlsplit

from signalpost import networks
from signalpost.accounts.platforms import oauth_of
from signalpost.console.connect import PRIVATE
from signalpost.console.forms import read_form
from signalpost.console.site import SECURITY_HEADERS, Site, check_origin
from signalpost.invites import views
from signalpost.invites.actions import guest
from signalpost.invites.schemas import Branding, ConnectQuery
from signalpost.kit import problems
from signalpost.web.request import Request
from signalpost.web.response import Headers, Response

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
        if not invite.valid:
            text = f"{_ENDED.get(invite.status, '')} Ask {invite.inviter_name or 'whoever sent it'} for another one."
            return self.site.notice("This invitation is over", text, status=410)
        connectors = {item.platform: networks.get(item.platform) for item in invite.platforms}
        names = {key: connector.facts.name if connector else key for key, connector in connectors.items()}
        flows = {
            key: flow
            for key, connector in connectors.items()
            if connector and (flow := oauth_of(self.context, connector)) is not None
        }
        style = _style(invite.branding)
        return self.site.page(
            "invite",
            status=status,
            headers=_headers(invite.branding, style),
            invite=invite,
            names=names,
            own_server=[key for key, flow in flows.items() if flow.own_server],
            any_server=[key for key, flow in flows.items() if flow.pushed],
            style=style,
            until=f"{row.expires_at:%Y-%m-%d %H:%M} UTC",
            wrong=wrong,
            message=message,
        )


def _token(request: Request) -> str:
    return request.path_params["token"][:_TOKEN_LENGTH_MAX]


def _style(branding: Branding | None) -> str:
    """Return the one rule that is the workspace's; its colour has the form `#1f6feb`."""
    return f".top{{border-top:6px solid {branding.color}}}" if branding and branding.color else ""


def _headers(branding: Branding | None, style: str) -> Headers:
    """Allow exactly this rule, and pictures of the logo's host."""
    policy = next(value for name, value in SECURITY_HEADERS if name == b"content-security-policy").decode()
    if style:
        digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
        policy = policy.replace("style-src 'self'", f"style-src 'self' 'sha256-{digest}'")
    if branding and branding.logo_url:
        policy = policy.replace("img-src 'self'", f"img-src 'self' https://{urlsplit(branding.logo_url).netloc}")
    return [(b"content-security-policy", policy.encode())]
