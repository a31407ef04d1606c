"""The page on which a person starts an authorization, and the look of the page to which the platform sends them back.

The link is sent around, so it must be safe to open: only the click changes something.
"""

from typing import Any
from urllib.parse import urlsplit

import msgspec

from signalpost import networks
from signalpost.accounts import callback_page
from signalpost.accounts.actions import form as connect_form
from signalpost.accounts.actions import start
from signalpost.accounts.actions.oauth_flows import LIFETIME, cookie_name, is_https
from signalpost.accounts.actions.start import FlowDescription
from signalpost.accounts.errors import OauthStateInvalid
from signalpost.accounts.platforms import installation
from signalpost.accounts.schemas import CallbackResult
from signalpost.console.forms import FORM_BYTES_MAX, read_form
from signalpost.console.site import HTML, SECURITY_HEADERS, Site, check_origin, render
from signalpost.console.texts import spoken
from signalpost.context import AppContext, RenderedPage
from signalpost.kit import problems
from signalpost.web.request import Request, cookie_value, read_body
from signalpost.web.response import Headers, Response

PATH = "/connect/{state}"
STATE_LENGTH_MAX = 200


class ConnectPages:
    """What a person reads before they are sent to the platform, and the click that sends them there."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.context = site.web.context

    async def show(self, request: Request) -> Response:
        """Say who wants to connect which account to what."""
        try:
            flow = await start.describe_flow(self.context, _state(request), self._browser(request))
        except OauthStateInvalid:
            return stale(self.site, request)
        return self._form(request, flow)

    def _form(self, request: Request, flow: FlowDescription, *, status: int = 200, **values: Any) -> Response:
        # Browsers apply `form-action` to where a form is redirected, too, and to where that leads.
        scheme = urlsplit(flow.authorize_url).scheme or "https"
        policy = next(value for name, value in SECURITY_HEADERS if name == b"content-security-policy")
        policy = policy.replace(b"form-action 'self'", f"form-action 'self' {scheme}:".encode())
        headers: Headers = [(b"content-security-policy", policy), _OPENER]
        until = f"{flow.expires_at:%H:%M} UTC"
        values = {"messages": {}, "filled": {}, **spoken(request)} | values
        return self.site.page("connect", status=status, headers=headers, flow=flow, until=until, **values)

    async def start(self, request: Request) -> Response:
        """Bind the flow to this browser and send it to the platform."""
        check_origin(request)
        state = _state(request)
        try:
            flow = await start.describe_flow(self.context, state, self._browser(request))
            if flow.fields:
                return await self._fill_in(request, state, flow)
            await read_body(request, FORM_BYTES_MAX)
            url, browser = await start.start_flow(self.context, state, self._browser(request))
        except OauthStateInvalid:
            return stale(self.site, request)
        cookie = f"{cookie_name(self.context, state)}={browser}; {_attributes(self.context, LIFETIME.total_seconds())}"
        headers: Headers = [(b"location", url.encode()), (b"set-cookie", cookie.encode()), *PRIVATE]
        return Response(303, b"", headers)

    async def _fill_in(self, request: Request, state: str, flow: FlowDescription) -> Response:
        """Connect with what the person has filled in; on a mistake the form is shown again, without its secrets."""
        names = [field.name for field in flow.fields]
        form = await read_form(request, names)
        fields = {name: value for name, value in form.items() if value}
        try:
            account, redirect_url = await connect_form.connect_by_form(self.context, state, fields)
        except problems.Problem as problem:
            if problem.status in {401, 403, 404, 410} or isinstance(problem, OauthStateInvalid):
                raise
            messages = {issue.path.rpartition("/")[2]: issue.message for issue in reversed(problem.errors)}
            filled = {field.name: form[field.name] for field in flow.fields if not field.secret}
            general = "" if messages.keys() & set(names) else problem.detail
            return self._form(request, flow, status=problem.status, messages=messages | {"": general}, filled=filled)
        page = await callback_page.render(
            self.context, CallbackResult("connected", account=account), account.platform, redirect_url or None
        )
        return Response(200, page.body, [(name.encode(), value.encode()) for name, value in page.headers.items()], HTML)

    async def describe_client(self, _: Request) -> Response:
        """Say who this service is, to networks that read it here instead of registering their clients."""
        for connector in networks.CONNECTORS.values():
            pushed = connector.oauth.pushed if connector.oauth else None
            if pushed is not None:
                body = msgspec.json.encode(pushed.describe(installation(self.context, connector)))
                return Response(200, body, [], b"application/json")
        raise problems.NotFound("No network reads who this service is.")

    def _browser(self, request: Request) -> str | None:
        return cookie_value(request, cookie_name(self.context, _state(request)))


def stale(site: Site, request: Request) -> Response:
    """Say that the link leads nowhere any more."""
    words = spoken(request)
    t = words["t"]
    first = t("A link to connect an account works in one browser, within ten minutes.")
    again = t("Nothing was connected. Ask for another link.")
    text = f"{first}\n\n{again}"
    return site.notice(t("This link is no longer valid"), text, status=410, **words)


_OPENER = (b"cross-origin-opener-policy", b"unsafe-none")  # applications open the page as a window of theirs
PRIVATE: Headers = [(b"referrer-policy", b"no-referrer")]


def _state(request: Request) -> str:
    return request.path_params["state"][:STATE_LENGTH_MAX]


def _attributes(context: AppContext, seconds: float) -> str:
    """Return the attributes of the cookie. `Lax`: it comes along when the platform sends the browser back."""
    secure = "; Secure" if is_https(context) else ""
    return f"Path=/; Max-Age={seconds:.0f}; HttpOnly; SameSite=Lax{secure}"


async def render_page(context: AppContext, *, title: str, text: str, continue_url: str | None = None) -> RenderedPage:
    """Answer `context.RenderPage`."""
    body = render(context.base_url, "returned", title=title, text=text, continue_url=continue_url)
    headers = {name.decode(): value.decode() for name, value in [*SECURITY_HEADERS, _OPENER, *PRIVATE]}
    return RenderedPage(body, headers)
