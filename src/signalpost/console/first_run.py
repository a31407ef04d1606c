"""First run: the one-time link that `serve` prints opens a form that creates the first user and an API key."""

from collections.abc import Mapping, Sequence
from functools import cached_property

from msgspec import Struct

from signalpost.api_keys.actions import keys as api_keys
from signalpost.console.forms import read_form, token_of
from signalpost.console.sign_in import open_session
from signalpost.console.site import Site, check_origin
from signalpost.identity.actions import first_run
from signalpost.identity.errors import InvalidCredentials
from signalpost.kit import ids, problems, zones
from signalpost.kit.machine_zone import machine_zone
from signalpost.kit.tenant import Tenant, across_workspaces, work_for
from signalpost.web.request import Request
from signalpost.web.response import Response

CREATE_OWNER = "create-owner --email you@example.com --workspace Me"
_FIELDS = ("email", "password", "workspaceName", "timezone")


class Step(Struct):
    """A next step and the command for it."""

    title: str
    command: str


class FirstRunPages:
    """The form and the page that follows it. The token stays in the address; no page contains it."""

    def __init__(self, site: Site) -> None:
        self.site = site

    @cached_property
    def zones(self) -> Sequence[str]:
        """What the form offers as the time zone."""
        places = (zone for zone in zones.names() if "/" in zone and not zone.startswith("Etc/"))
        return [*sorted(places), "UTC"]

    async def show(self, request: Request) -> Response:
        """Show the form if the link is valid."""
        with across_workspaces():  # the link works while there is no user
            async with self.site.web.context.database.connection() as db:
                if not await first_run.is_valid(db, token_of(request)):
                    return self._expired(request)
        return self._form({"timezone": machine_zone() or ""}, {})

    async def redeem(self, request: Request) -> Response:
        """Create the user, workspace, profile and API key; this uses up the link."""
        check_origin(request)
        form = await read_form(request, _FIELDS)
        token = token_of(request)
        context = self.site.web.context
        try:
            owner = await first_run.redeem(
                context,
                token,
                email=form["email"],
                password=form["password"],
                workspace_name=form["workspaceName"],
                timezone=form["timezone"],
            )
        except InvalidCredentials:
            return self._expired(request)
        except problems.ValidationFailed as problem:
            messages = {issue.path.removeprefix("/"): issue.message for issue in reversed(problem.errors)}
            return self._form(form, messages, status=422)
        work_for(Tenant(owner.user_id, owner.workspace_id))
        async with context.database.transaction() as db:
            _, key = await api_keys.create_key_for(
                db, context.keys, user_id=owner.user_id, workspace_id=owner.workspace_id, name="First key"
            )
        profile_id, workspace_id = ids.encode("prof", owner.profile_id), ids.encode("wsp", owner.workspace_id)
        another = f'keys create --workspace {workspace_id} --name "Second key"'
        cookie = await open_session(self.site, request, form["email"], form["password"])
        return self.site.page(
            "ready",
            headers=cookie,
            workspace_name=form["workspaceName"],
            workspace_id=workspace_id,
            profile_id=profile_id,
            timezone=form["timezone"],
            key=key,
            another_key=self.site.command(another, request),
            steps=steps(self.site.web.base_url, key, profile_id),
        )

    def _form(self, values: Mapping[str, str], messages: Mapping[str, str], *, status: int = 200) -> Response:
        return self.site.page("first_run", status=status, values=values, messages=messages, zones=self.zones)

    def _expired(self, request: Request) -> Response:
        text = (
            "A first-run link works once, within 30 minutes, and only as long as no user exists.\n\n"
            "If no user exists yet, restart the service to get a new link. Otherwise, ask the owner for an API key, or"
            " create another user and workspace in a terminal of the machine on which the service runs:"
        )
        command = self.site.command(CREATE_OWNER, request)
        return self.site.notice("This link is no longer valid", text, status=410, command=command)


def steps(base_url: str, key: str, profile_id: str) -> list[Step]:
    """Return the steps of the README with the values filled in."""
    api = f"{base_url}/api/v1"
    bearer = f"-H 'Authorization: Bearer {key}'"
    json = "-H 'Content-Type: application/json'"
    account = f'{{"profileId": "{profile_id}", "fields": {{"username": "demo"}}}}'
    post = f'{{"profileId": "{profile_id}", "platforms": ["sandbox"], "text": "Hello from Signalpost"}}'
    commands = {
        "Connect a sandbox account.": (f"curl {api}/platforms/sandbox/connect", bearer, json, f"-d '{account}'"),
        "Publish a post. The response contains its id.": (f"curl {api}/posts", bearer, json, f"-d '{post}'"),
        "Check the result.": (f"curl {api}/posts/POST_ID/status", bearer),
    }
    return [Step(title, " \\\n  ".join(parts)) for title, parts in commands.items()]
