"""The pages of a sign-in with an OpenID provider: to it, back from it, and what the person is asked then."""

from signalpost.accounts.actions.oauth_flows import is_https
from signalpost.console.connect import PRIVATE
from signalpost.console.forms import next_page, read_form
from signalpost.console.site import SECURITY_HEADERS, Site, check_origin
from signalpost.identity.actions import sign_in
from signalpost.identity.errors import InvalidCredentials, LoginThrottled, SecondFactorRequired
from signalpost.kit.tenant import across_workspaces
from signalpost.oidc.actions import answer, finish, start
from signalpost.oidc.actions.answer import Question
from signalpost.oidc.flow import LIFETIME_SECONDS, Client, SignedIn
from signalpost.web.request import Request, address_bucket, client_address, cookie_value, query_values
from signalpost.web.response import Headers, Response
from signalpost.web.session_cookie import set_cookie

START, CALLBACK = start.START_PATH, start.CALLBACK_PATH
ANSWER = "/sign-in/oidc/confirm"
_WRONG = (InvalidCredentials, SecondFactorRequired, LoginThrottled)


class OidcPages:
    """What travels with the browser is sealed and stands in two cookies; no page contains it."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.context = site.web.context

    async def start(self, request: Request) -> Response:
        """Send the browser to the provider."""
        query = query_values(request)
        client = Client(console_page=next_page(request))
        if query.keys() - {"next"}:
            client = Client(query.get("redirectUrl", ""), query.get("codeChallenge", ""), query.get("state"))
        started = await start.start(self.context, client)
        return self._redirect(started.url, [self._cookie("flow", started.cookie)])

    async def finish(self, request: Request) -> Response:
        """Take the provider's answer; go on to whoever began, or ask the person first."""
        outcome = await finish.finish(self.context, query_values(request), self._read(request, "flow"))
        over = self._cookie("flow", "")
        if isinstance(outcome, SignedIn):
            return await self._signed_in(request, outcome, over)
        return self._redirect(self.site.common["root"] + ANSWER, [over, self._cookie("question", outcome.cookie)])

    async def show(self, request: Request) -> Response:
        """Show what the person is asked."""
        return self._form(await self._question(request), "")

    async def answer(self, request: Request) -> Response:
        """Take what the person entered."""
        check_origin(request)
        form = await read_form(request, ["password", "code"])
        try:
            with across_workspaces():  # who signs in may be a member, or invited, anywhere
                signed_in = await answer.answer(
                    self.context, self._read(request, "question"), password=form["password"], code=form["code"],
                    address=self._address(request),
                )  # fmt: skip
        except _WRONG as problem:
            return self._form(await self._question(request), problem.detail, status=problem.status)
        return await self._signed_in(request, signed_in, self._cookie("question", ""))

    async def _signed_in(self, request: Request, signed_in: SignedIn, over: str) -> Response:
        """Go on to whoever began: with a code for a client, with a session for the console."""
        page = signed_in.client.console_page
        if page is None:
            return self._redirect(answer.return_url(self.context, signed_in), [over])
        with across_workspaces():  # see above
            opened = await finish.open_session(self.context, signed_in.user_id, self._address(request))
        response = self._redirect(self.site.common["root"] + page, [over])
        response.headers += set_cookie(self.context, sign_in.session_cookie(self.context, opened.access_token))
        return response

    def _address(self, request: Request) -> str:
        return address_bucket(client_address(request.scope, self.context.settings.trusted_proxies))

    async def _question(self, request: Request) -> Question:
        with across_workspaces():  # see above
            return await answer.question(self.context, self._read(request, "question"))

    def _form(self, question: Question, message: str, *, status: int = 200) -> Response:
        label = self.context.settings.oidc_label
        # Browsers apply `form-action` to where a form is redirected, too: whoever began may wait on this machine.
        policy = next(value for name, value in SECURITY_HEADERS if name == b"content-security-policy")
        waits = b"form-action 'self' http://127.0.0.1:* http://localhost:*"
        headers: Headers = [(b"content-security-policy", policy.replace(b"form-action 'self'", waits))]
        return self.site.page("oidc", status=status, headers=headers, question=question, message=message, label=label)

    def _redirect(self, url: str, cookies: list[str]) -> Response:
        headers: Headers = [(b"location", url.encode()), *PRIVATE]
        headers += [(b"set-cookie", cookie.encode()) for cookie in cookies]
        return Response(303, b"", headers)

    def _name(self, name: str) -> str:
        name = f"signalpost_oidc_{name}"
        return f"__Host-{name}" if is_https(self.context) else name

    def _read(self, request: Request, name: str) -> str | None:
        return cookie_value(request, self._name(name))

    def _cookie(self, name: str, value: str) -> str:
        """Return a cookie that comes along when the provider sends the browser back; an empty one is deleted."""
        seconds = LIFETIME_SECONDS if value else 0
        secure = "; Secure" if is_https(self.context) else ""
        return f"{self._name(name)}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}"
