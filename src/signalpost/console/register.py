"""Registering in a browser, where the operator lets everyone: a user with a workspace, who is then signed in."""

from collections.abc import Mapping

import msgspec

from signalpost.console.forms import read_form
from signalpost.console.site import Site, check_origin
from signalpost.console.texts import language_of, spoken
from signalpost.identity.actions import sign_in, sign_up
from signalpost.identity.schemas import UserRegister
from signalpost.kit import problems
from signalpost.kit.tenant import across_workspaces
from signalpost.web import validation
from signalpost.web.request import Request, address_bucket, client_address
from signalpost.web.response import Response
from signalpost.web.session_cookie import set_cookie

PATH = "/register"
_FIELDS = ("email", "password", "name", "workspaceName")
_decoder = validation.decoder_of(UserRegister)


class RegisterPages:
    """The form. Who is refused sees it again, with what is wrong at its field."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.context = site.web.context

    async def show(self, request: Request) -> Response:
        """Show the form, if everyone may register."""
        return self._form(request, {}, {}) if self.context.settings.registration == "open" else self._closed(request)

    async def register(self, request: Request) -> Response:
        """Create the user, and store the cookie of their session."""
        check_origin(request)
        if self.context.settings.registration != "open":
            return self._closed(request)
        form = await read_form(request, _FIELDS)
        address = address_bucket(client_address(request.scope, self.context.settings.trusted_proxies))
        try:
            data = validation.decode_body(
                _decoder, msgspec.json.encode({name: value for name, value in form.items() if value})
            )
            with across_workspaces():  # the user is new, and so is the workspace
                registration = await sign_up.register(self.context, data, address, locale=language_of(request))
        except (problems.ValidationFailed, problems.AlreadyExists) as problem:
            messages = {issue.path.removeprefix("/"): issue.message for issue in reversed(problem.errors)}
            return self._form(request, form, messages, status=422)
        cookie = set_cookie(self.context, sign_in.session_cookie(self.context, registration.access_token))
        return Response(303, b"", [(b"location", f"{self.site.common['root']}/console".encode()), *cookie])

    def _form(
        self, request: Request, values: Mapping[str, str], messages: Mapping[str, str], *, status: int = 200
    ) -> Response:
        return self.site.page("register", status=status, values=values, messages=messages, **spoken(request))

    def _closed(self, request: Request) -> Response:
        words = spoken(request)
        t = words["t"]
        text = t("Ask a member of the workspace that you want to join for an invitation.")
        return self.site.notice(t("Nobody can register here"), text, status=403, link=("/login", t("Sign in")), **words)
