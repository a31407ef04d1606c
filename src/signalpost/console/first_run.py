"""First run: the one-time link that `serve` prints opens a form, which creates the first user and opens the console."""

from collections.abc import Mapping

from signalpost.console.forms import read_form, token_of
from signalpost.console.sign_in import open_session
from signalpost.console.site import Site, check_origin
from signalpost.console.texts import language_of, spoken
from signalpost.identity.actions import first_run
from signalpost.identity.errors import InvalidCredentials
from signalpost.kit import problems
from signalpost.kit.tenant import across_workspaces
from signalpost.web.request import Request
from signalpost.web.response import Response

CREATE_OWNER = "create-owner --email you@example.com --workspace Me"
_FIELDS = ("email", "password", "workspaceName")


class FirstRunPages:
    """The form, after which the console is open. The token stays in the address; no page contains it."""

    def __init__(self, site: Site) -> None:
        self.site = site

    async def show(self, request: Request) -> Response:
        """Show the form if the link is valid."""
        with across_workspaces():  # the link works while there is no user
            async with self.site.web.context.database.connection() as db:
                if not await first_run.is_valid(db, token_of(request)):
                    return self._expired(request)
        return self._form(request, {}, {})

    async def redeem(self, request: Request) -> Response:
        """Create the user, workspace and profile, and sign in; this uses up the link."""
        check_origin(request)
        form = await read_form(request, _FIELDS)
        token, email, password = token_of(request), form["email"], form["password"]
        try:
            await first_run.redeem(
                self.site.web.context,
                token,
                email=email,
                password=password,
                workspace_name=form["workspaceName"],
                locale=language_of(request),
            )
        except InvalidCredentials:
            return self._expired(request)
        except problems.ValidationFailed as problem:
            messages = {issue.path.removeprefix("/"): issue.message for issue in reversed(problem.errors)}
            return self._form(request, form, messages, status=422)
        cookie = await open_session(self.site, request, email, password)
        return Response(303, b"", [(b"location", f"{self.site.common['root']}/console".encode()), *cookie])

    def _form(
        self, request: Request, values: Mapping[str, str], messages: Mapping[str, str], *, status: int = 200
    ) -> Response:
        return self.site.page("first_run", status=status, values=values, messages=messages, **spoken(request))

    def _expired(self, request: Request) -> Response:
        words = spoken(request)
        t = words["t"]
        sentences = (
            t("A first-run link works once, within 30 minutes, and only as long as no user exists."),
            t("If no user exists yet, restart the service to get a new link. Otherwise, ask the owner to invite you."),
            t("Or create another user and workspace in a terminal of the machine on which the service runs:"),
        )
        command, text = self.site.command(CREATE_OWNER, request), "\n\n".join(sentences)
        return self.site.notice(t("This link is no longer valid"), text, status=410, command=command, **words)
