"""The page of a team invitation. Opening the link changes nothing: scanners of mail open it too."""

import msgspec

from signalpost.console.forms import read_form
from signalpost.console.site import Site, check_origin
from signalpost.console.texts import spoken
from signalpost.identity.errors import InviteExpired, InviteRevoked, InviteUsed
from signalpost.kit import problems
from signalpost.kit.tenant import across_workspaces
from signalpost.oidc.actions import start
from signalpost.team import invites
from signalpost.team.schemas import InviteAccept
from signalpost.web import validation
from signalpost.web.request import Request, address_bucket, client_address
from signalpost.web.response import Response

PATH = "/invites/{token}"
_TOKEN_LENGTH_MAX = 200
_ENDED = (problems.NotFound, InviteExpired, InviteRevoked, InviteUsed)
_decoder = validation.decoder_of(InviteAccept)


class TeamInvitePages:
    """The form and what follows it. The token stays in the address; no page contains it."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.context = site.web.context

    async def show(self, request: Request) -> Response:
        """Show who invites to what, if the link is valid."""
        return await self._form(request, {}, "")

    async def respond(self, request: Request) -> Response:
        """Accept or decline."""
        check_origin(request)
        form = await read_form(request, ["decision", "name", "password", "code"])
        try:
            if form["decision"] == "decline":
                return await self._decline(request)
            return await self._accept(request, form)
        except _ENDED as problem:
            return self._ended(problem)
        except problems.ValidationFailed as problem:
            return await self._form(request, form, problem.errors[0].message, status=422)
        except problems.Problem as problem:
            return await self._form(request, form, problem.detail, status=problem.status)

    async def _accept(self, request: Request, form: dict[str, str]) -> Response:
        fields = {"name": form["name"] or None, "password": form["password"], "code": form["code"] or None}
        body = msgspec.json.encode(fields)
        data = validation.decode_body(_decoder, body)
        address = address_bucket(client_address(request.scope, self.context.settings.trusted_proxies))
        words = spoken(request)
        with across_workspaces():  # the token tells the workspace
            accepted = await invites.accept(
                self.context, _token(request), data, bearer=None, address=address, locale=words["language"]
            )
        t = words["t"]
        text = t(
            "You are a member of {workspace} now. Sign in as {email}.",
            workspace=accepted.workspace.name, email=accepted.member.email,
        )  # fmt: skip
        return self.site.notice(t("You joined the workspace"), text, status=200, link=("/login", t("Sign in")), **words)

    async def _decline(self, request: Request) -> Response:
        with across_workspaces():  # see above
            async with self.context.database.transaction() as db:
                await invites.decline(self.context, db, _token(request))
        words = spoken(request)
        t = words["t"]
        return self.site.notice(t("You declined the invitation"), t("Nothing else happens."), status=200, **words)

    async def _form(self, request: Request, values: dict[str, str], message: str, *, status: int = 200) -> Response:
        try:
            with across_workspaces():  # see above
                async with self.context.database.connection() as db:
                    invite, _ = await invites.find_open(self.context, db, _token(request))
        except _ENDED as problem:
            return self._ended(problem)
        name = values.get("name", "")
        return self.site.page(
            "team_invite", status=status, invite=invite, name=name, message=message, provider=self._provider(),
            **spoken(request),
        )  # fmt: skip

    def _provider(self) -> str:
        settings = self.context.settings
        return settings.oidc_label if start.is_on(settings) else ""

    def _ended(self, problem: problems.Problem) -> Response:
        return self.site.notice(
            "This link is no longer valid", f"{problem.detail} {problem.remediation}", status=problem.status
        )


def _token(request: Request) -> str:
    return request.path_params["token"][:_TOKEN_LENGTH_MAX]
