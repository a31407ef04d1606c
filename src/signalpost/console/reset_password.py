"""Choosing a new password by the link of a mail. Opening the link uses nothing up: scanners of mail open it too."""

import msgspec

from signalpost.console.forms import read_form, token_of
from signalpost.console.site import Site, check_origin
from signalpost.identity import actions as identity
from signalpost.identity.errors import InvalidCredentials
from signalpost.identity.schemas import PasswordReset
from signalpost.kit import problems
from signalpost.web import validation
from signalpost.web.request import Request
from signalpost.web.response import Response

PATH = "/reset-password"
_DONE = "All sessions have ended: sign in again with the new password. API keys keep working."
_decoder = validation.decoder_of(PasswordReset)


class ResetPages:
    """The form and what follows it. The token stays in the address; no page contains it."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.context = site.web.context

    async def show(self, request: Request) -> Response:
        """Show the form if the link is valid."""
        async with self.context.database.connection() as db:
            if not await identity.is_reset_valid(db, token_of(request)):
                return self._expired()
        return self._form("")

    async def choose(self, request: Request) -> Response:
        """Set the password; this uses up the link."""
        check_origin(request)
        form = await read_form(request, ["password"])
        try:
            body = msgspec.json.encode({"token": token_of(request), "password": form["password"]})
            await identity.reset_with_token(self.context, validation.decode_body(_decoder, body))
        except InvalidCredentials:
            return self._expired()
        except problems.ValidationFailed as problem:
            return self._form(problem.errors[0].message, status=422)
        return self.site.notice("Your new password is set", _DONE, status=200)

    def _form(self, message: str, *, status: int = 200) -> Response:
        return self.site.page("reset_password", status=status, message=message)

    def _expired(self) -> Response:
        text = f"A link to choose a new password works once, within 30 minutes.\n\n{self._again()}"
        return self.site.notice("This link is no longer valid", text, status=410)

    def _again(self) -> str:
        if self.context.settings.smtp_url is None:
            return "Ask the operator of this instance to set a new one with `signalpost users reset-password`."
        return "Request another one with `POST /api/v1/auth/password/forgot`."
