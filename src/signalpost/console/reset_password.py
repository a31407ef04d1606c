"""Choosing a new password by the link of a mail. Opening the link uses nothing up: scanners of mail open it too."""

import msgspec

from signalpost.console.forms import read_form, token_of
from signalpost.console.site import Site, check_origin
from signalpost.identity.actions import passwords
from signalpost.identity.errors import InvalidCredentials
from signalpost.identity.schemas import PasswordForgot, PasswordReset
from signalpost.kit import problems
from signalpost.kit.tenant import across_workspaces
from signalpost.web import validation
from signalpost.web.request import Request, address_bucket, client_address
from signalpost.web.response import Response

PATH = "/reset-password"
FORGOT_PATH = "/forgot-password"
_DONE = "All sessions have ended: sign in again with the new password. API keys keep working."
_decoder = validation.decoder_of(PasswordReset)
_forgot_decoder = validation.decoder_of(PasswordForgot)


class ResetPages:
    """The form and what follows it. The token stays in the address; no page contains it."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.context = site.web.context

    async def ask(self, _: Request) -> Response:
        """Ask for the address to which the link goes."""
        return self.site.page("forgot_password", message="")

    async def send(self, request: Request) -> Response:
        """Have the link sent, and say the same whether the user exists or not."""
        check_origin(request)
        form = await read_form(request, ["email"])
        try:
            data = validation.decode_body(_forgot_decoder, msgspec.json.encode({"email": form["email"]}))
        except problems.ValidationFailed as problem:
            return self.site.page("forgot_password", status=422, message=problem.errors[0].message)
        address = address_bucket(client_address(request.scope, self.context.settings.trusted_proxies))
        with across_workspaces():  # the job belongs to none
            async with self.context.database.transaction() as db:
                await passwords.forgot_password(db, self.context.settings, data, address)
        text = passwords.forgotten_password_message(self.context.settings)
        return self.site.notice("Look into your mailbox", text, status=200)

    async def show(self, request: Request) -> Response:
        """Show the form if the link is valid."""
        with across_workspaces():  # the link is of a user, who has workspaces
            async with self.context.database.connection() as db:
                if not await passwords.is_reset_valid(db, token_of(request)):
                    return self._expired()
        return self._form("")

    async def choose(self, request: Request) -> Response:
        """Set the password; this uses up the link."""
        check_origin(request)
        form = await read_form(request, ["password"])
        try:
            body = msgspec.json.encode({"token": token_of(request), "password": form["password"]})
            await passwords.reset_with_token(self.context, validation.decode_body(_decoder, body))
        except InvalidCredentials:
            return self._expired()
        except problems.ValidationFailed as problem:
            return self._form(problem.errors[0].message, status=422)
        return self.site.notice("Your new password is set", _DONE, status=200, link=("/login", "Sign in"))

    def _form(self, message: str, *, status: int = 200) -> Response:
        return self.site.page("reset_password", status=status, message=message)

    def _expired(self) -> Response:
        text = f"A link to choose a new password works once, within 30 minutes.\n\n{self._again()}"
        return self.site.notice("This link is no longer valid", text, status=410, link=("/login", "Sign in"))

    def _again(self) -> str:
        if self.context.settings.smtp_url is None:
            return "Ask the operator of this instance to set a new one with `signalpost users reset-password`."
        return "Request another one from the page where you sign in."
