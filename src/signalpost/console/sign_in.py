"""Signing in and out in a browser. The form works without scripts; what follows is the console."""

import re
from collections.abc import Mapping
from typing import Final

import msgspec

from signalpost.console.forms import next_page, read_form
from signalpost.console.site import Site, check_origin
from signalpost.console.texts import DEFAULT, LANGUAGES, Texts, spoken
from signalpost.identity.actions import sign_in
from signalpost.identity.errors import InvalidCredentials, LoginThrottled, SecondFactorRequired
from signalpost.identity.schemas import UserLogin
from signalpost.kit import problems
from signalpost.kit.tenant import across_workspaces
from signalpost.oidc.actions import start
from signalpost.web import validation
from signalpost.web.request import Request, address_bucket, client_address, cookie_value, query_values
from signalpost.web.response import Headers, Response
from signalpost.web.session_cookie import cookie_name, set_cookie

PATH = "/login"
OUT_PATH = "/logout"
_FIELDS = ("email", "password", "code")
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_decoder = validation.decoder_of(UserLogin)


class SignInPages:
    """The form, and the end of a session."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.context = site.web.context

    async def show(self, request: Request) -> Response:
        """Show the form."""
        return self._form(request, {}, "")

    async def sign_in(self, request: Request) -> Response:
        """Open a session, whose cookie scripts cannot read."""
        check_origin(request)
        form = await read_form(request, _FIELDS)
        try:
            cookie = await open_session(self.site, request, form["email"], form["password"], form["code"])
        except (InvalidCredentials, SecondFactorRequired, LoginThrottled) as problem:
            headers: Headers = [(name.lower().encode(), value.encode()) for name, value in problem.headers.items()]
            text = _sentence(request, problem)
            needs_code = isinstance(problem, SecondFactorRequired) or bool(form["code"])
            return self._form(request, form, text, status=problem.status, headers=headers, needs_code=needs_code)
        except problems.ValidationFailed as problem:
            return self._form(request, form, problem.errors[0].message, status=422)
        return Response(303, b"", [(b"location", (self._root() + next_page(request)).encode()), *cookie])

    async def sign_out(self, request: Request) -> Response:
        """End the session of this browser."""
        check_origin(request)
        cookie = cookie_value(request, cookie_name(self.context))
        if cookie:
            with across_workspaces():  # a session is of a user, whatever workspace they look at
                await sign_in.end_session_of_cookie(self.context, cookie)
        location = f"{self._root()}{PATH}".encode()
        headers = [(b"location", location), (b"clear-site-data", b'"cache"')]  # pages that Back would show again
        return Response(303, b"", [*headers, *set_cookie(self.context, "", seconds=0)])

    def _root(self) -> str:
        return self.site.common["root"]

    def _form(
        self,
        request: Request,
        values: dict[str, str],
        message: str,
        *,
        status: int = 200,
        headers: Headers | None = None,
        needs_code: bool = False,
    ) -> Response:
        settings = self.context.settings
        return self.site.page(
            "login",
            status=status,
            headers=headers,
            email=values.get("email", ""),
            message=message,
            deleted=_deleted(query_values(request)),
            needs_code=needs_code,
            has_mail=settings.smtp_url is not None,
            next_page=next_page(request),
            is_open=settings.registration == "open",
            provider=settings.oidc_label if start.is_on(settings) else "",
            **spoken(request),
        )


def _sentence(request: Request, problem: problems.Problem) -> str:
    """Return why nobody was signed in; the service itself explains problems in English only."""
    t = spoken(request)["t"]
    if t.language == DEFAULT:
        return f"{problem.detail} {problem.remediation}"
    if isinstance(problem, LoginThrottled):
        return str(t("Too many attempts. Try again in a few minutes."))
    if isinstance(problem, SecondFactorRequired):
        return str(t("Enter the code of your authenticator app."))
    return str(t("The e-mail or the password is not right."))


def _deleted(query: Mapping[str, str]) -> tuple[str, str] | None:
    """Return a language and a text if the console leads here after the deletion of a workspace or an account."""
    language, day = query.get("lang", ""), query.get("deleted", "")
    t = Texts(language if language in LANGUAGES else DEFAULT)
    if day == "account":
        return t.language, t("Your account is deleted.")
    if not _DAY.fullmatch(day):
        return None
    return t.language, t("The workspace is deleted. The operator of this instance can restore it until {day}.", day=day)


async def open_session(site: Site, request: Request, email: str, password: str, code: str = "") -> Headers:
    """Sign in, and return the header that stores the cookie.

    Raises:
        InvalidCredentials, SecondFactorRequired, LoginThrottled: as at `POST /auth/login`.
    """
    context = site.web.context
    data = validation.decode_body(
        _decoder, msgspec.json.encode({"email": email, "password": password, "code": code or None})
    )
    address = address_bucket(client_address(request.scope, context.settings.trusted_proxies))
    with across_workspaces():  # the user tells the workspace
        opened = await sign_in.login(context, data, address)
    return set_cookie(context, sign_in.session_cookie(context, opened.access_token))
