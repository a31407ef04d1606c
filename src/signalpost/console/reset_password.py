"""Choosing a new password by the link of a mail. Opening the link uses nothing up: scanners of mail open it too."""

import msgspec

from signalpost.console.forms import read_form, token_of
from signalpost.console.site import Site, check_origin
from signalpost.console.texts import DEFAULT, Texts, spoken
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
_decoder = validation.decoder_of(PasswordReset)
_forgot_decoder = validation.decoder_of(PasswordForgot)


class ResetPages:
    """The form and what follows it. The token stays in the address; no page contains it."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.context = site.web.context

    async def ask(self, request: Request) -> Response:
        """Ask for the address to which the link goes."""
        return self.site.page("forgot_password", message="", **spoken(request))

    async def send(self, request: Request) -> Response:
        """Have the link sent, and say the same whether the user exists or not."""
        check_origin(request)
        form = await read_form(request, ["email"])
        try:
            data = validation.decode_body(_forgot_decoder, msgspec.json.encode({"email": form["email"]}))
        except problems.ValidationFailed as problem:
            words = spoken(request)
            t = words["t"]
            message = _sentence(t, problem, t("This is not an e-mail address."))
            return self.site.page("forgot_password", status=422, message=message, **words)
        address = address_bucket(client_address(request.scope, self.context.settings.trusted_proxies))
        with across_workspaces():  # the job belongs to none
            async with self.context.database.transaction() as db:
                await passwords.forgot_password(db, self.context.settings, data, address)
        words = spoken(request)
        t = words["t"]
        text = t("If a user has this e-mail address, a link to choose a new password is on its way, or there already.")
        if self.context.settings.smtp_url is None:
            text = t("Ask the operator of this instance to set a new one with `signalpost users reset-password`.")
        return self.site.notice(t("Look into your mailbox"), text, status=200, **words)

    async def show(self, request: Request) -> Response:
        """Show the form if the link is valid."""
        with across_workspaces():  # the link is of a user, who has workspaces
            async with self.context.database.connection() as db:
                if not await passwords.is_reset_valid(db, token_of(request)):
                    return self._expired(request)
        return self._form(request, "")

    async def choose(self, request: Request) -> Response:
        """Set the password; this uses up the link."""
        check_origin(request)
        form = await read_form(request, ["password"])
        words = spoken(request)
        t = words["t"]
        try:
            body = msgspec.json.encode({"token": token_of(request), "password": form["password"]})
            await passwords.reset_with_token(self.context, validation.decode_body(_decoder, body))
        except InvalidCredentials:
            return self._expired(request)
        except problems.ValidationFailed as problem:
            message = _sentence(
                t, problem, t("Choose another one: 10 to 200 characters, and not one that many people have.")
            )
            return self._form(request, message, status=422)
        text = t("All sessions have ended: sign in again with the new password. API keys keep working.")
        return self.site.notice(t("Your new password is set"), text, status=200, link=("/login", t("Sign in")), **words)

    def _form(self, request: Request, message: str, *, status: int = 200) -> Response:
        return self.site.page("reset_password", status=status, message=message, **spoken(request))

    def _expired(self, request: Request) -> Response:
        words = spoken(request)
        t = words["t"]
        again = t("Request another one from the page where you sign in.")
        if self.context.settings.smtp_url is None:
            again = t("Ask the operator of this instance to set a new one with `signalpost users reset-password`.")
        once = t("A link to choose a new password works once, within 30 minutes.")
        text = f"{once}\n\n{again}"
        link = ("/login", t("Sign in"))
        return self.site.notice(t("This link is no longer valid"), text, status=410, link=link, **words)


def _sentence(t: Texts, problem: problems.ValidationFailed, otherwise: str) -> str:
    """Return what is wrong; the service itself says it in English only."""
    return problem.errors[0].message if t.language == DEFAULT else otherwise
