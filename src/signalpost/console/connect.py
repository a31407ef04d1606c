"""The page on which a person starts an authorization, and the look of the page to which the platform sends them back.

The link is sent around, so it must be safe to open: only the click changes something.
"""

from urllib.parse import urlsplit

from signalpost.accounts import actions
from signalpost.accounts.actions.oauth_flows import LIFETIME, cookie_name, is_https
from signalpost.accounts.errors import OauthStateInvalid
from signalpost.console.site import SECURITY_HEADERS, Site, check_origin, render
from signalpost.context import AppContext, RenderedPage
from signalpost.web.request import Request, cookie_value, read_body
from signalpost.web.response import Headers, Response

PATH = "/connect/{state}"
FORM_BYTES_MAX = 10_000
_STATE_LENGTH_MAX = 200
_STALE = (
    "A link to connect an account works in one browser, within ten minutes.\n\n"
    "Nothing was connected. Ask for another link."
)


class ConnectPages:
    """What a person reads before they are sent to the platform, and the click that sends them there."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.context = site.web.context

    async def show(self, request: Request) -> Response:
        """Say who wants to connect which account to what."""
        try:
            flow = await actions.describe_flow(self.context, _state(request), self._browser(request))
        except OauthStateInvalid:
            return self._stale()
        # Browsers apply `form-action` to where a form is redirected, too, and to where that leads.
        scheme = urlsplit(flow.authorize_url).scheme
        policy = next(value for name, value in SECURITY_HEADERS if name == b"content-security-policy")
        policy = policy.replace(b"form-action 'self'", f"form-action 'self' {scheme}:".encode())
        headers: Headers = [(b"content-security-policy", policy), _OPENER]
        until = f"{flow.expires_at:%H:%M} UTC"
        return self.site.page("connect", headers=headers, flow=flow, until=until)

    async def start(self, request: Request) -> Response:
        """Bind the flow to this browser and send it to the platform."""
        check_origin(request)
        await read_body(request, FORM_BYTES_MAX)
        state = _state(request)
        try:
            url, browser = await actions.start_flow(self.context, state, self._browser(request))
        except OauthStateInvalid:
            return self._stale()
        cookie = f"{cookie_name(self.context, state)}={browser}; {_attributes(self.context, LIFETIME.total_seconds())}"
        headers: Headers = [(b"location", url.encode()), (b"set-cookie", cookie.encode()), *_PRIVATE]
        return Response(303, b"", headers)

    def _browser(self, request: Request) -> str | None:
        return cookie_value(request, cookie_name(self.context, _state(request)))

    def _stale(self) -> Response:
        return self.site.notice("This link is no longer valid", _STALE, status=410)


_OPENER = (b"cross-origin-opener-policy", b"unsafe-none")  # applications open the page as a window of theirs
_PRIVATE: Headers = [(b"referrer-policy", b"no-referrer")]


def _state(request: Request) -> str:
    return request.path_params["state"][:_STATE_LENGTH_MAX]


def _attributes(context: AppContext, seconds: float) -> str:
    """Return the attributes of the cookie. `Lax`: it comes along when the platform sends the browser back."""
    secure = "; Secure" if is_https(context) else ""
    return f"Path=/; Max-Age={seconds:.0f}; HttpOnly; SameSite=Lax{secure}"


async def render_page(context: AppContext, *, title: str, text: str, continue_url: str | None = None) -> RenderedPage:
    """Answer `context.RenderPage`."""
    body = render(context.base_url, "returned", title=title, text=text, continue_url=continue_url)
    headers = {name.decode(): value.decode() for name, value in [*SECURITY_HEADERS, _OPENER, *_PRIVATE]}
    return RenderedPage(body, headers)
