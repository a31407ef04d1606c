"""The page on which a person allows an app to act for a workspace, or does not. It needs no scripts."""

import base64
import binascii
from collections.abc import Awaitable, Mapping
from typing import Final
from urllib.parse import urlencode
from uuid import UUID

from signalpost.accounts.actions.oauth_flows import is_https
from signalpost.apps import queries, redirects
from signalpost.apps.actions import authorize
from signalpost.apps.actions.authorize import PUBLISH, AppRequest
from signalpost.apps.errors import RefusedAtApp, UnknownApp
from signalpost.console import sign_in
from signalpost.console.connect import PRIVATE
from signalpost.console.forms import read_form
from signalpost.console.oauth import AUTHORIZE
from signalpost.console.site import SECURITY_HEADERS, Site, check_origin
from signalpost.console.texts import spoken
from signalpost.identity.errors import TokenExpired
from signalpost.identity.queries import WorkspaceRow
from signalpost.kit import ids, problems
from signalpost.kit.tenant import across_workspaces
from signalpost.web.caller import Caller
from signalpost.web.fields import ProfileId, WorkspaceId
from signalpost.web.request import Request, client_address, cookie_value, query_values
from signalpost.web.response import Headers, Response
from signalpost.web.session_cookie import cookie_name

_COOKIE: Final = "signalpost_app_request"
_COOKIE_SECONDS: Final = 1_800
_QUERY_LENGTH_MAX: Final = 2_500
_FORM: Final = (*authorize.PARAMETERS, "workspace", "profile", "publish", "decision")

SCOPE_WORDS: Final = {
    "profiles:read": "See clients and their settings",
    "profiles:write": "Create, change and delete clients and their queues",
    "accounts:read": "See connected accounts",
    "accounts:write": "Connect accounts and change them",
    "posts:read": "See posts, drafts and what the team says about them",
    "posts:write": "Create and change drafts",
    "posts:publish": "Schedule and publish posts without asking you again",
    "comments:read": "See what people write under posts",
    "comments:write": "Answer, hide, like and delete comments under posts",
    "media:write": "Upload pictures and videos",
    "analytics:read": "See the numbers of posts and accounts",
    "webhooks:read": "See webhooks",
    "webhooks:write": "Have events of this workspace sent to addresses of its choice",
    "invites:write": "Invite others to connect their accounts",
    "support:write": "Write to support",
}
"""Scope -> what it lets an app do, in the words of a person."""


class _MayNotAllow(Exception):
    """Whoever is signed in cannot give an app a key."""


class AuthorizePages:
    """The request of an app is in the address, and verified again with the answer."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.context = site.web.context

    async def show(self, request: Request) -> Response:
        """Show what an app asks for; who is not signed in does that first."""
        if not request.scope["query_string"]:
            return self._resumed(request)
        return await self._guarded(request, self._ask(request, query_values(request)))

    async def decide(self, request: Request) -> Response:
        """Take the answer, and send the browser back to the app with it."""
        check_origin(request)
        form = await read_form(request, _FORM)
        values = {name: value for name, value in form.items() if value or name not in authorize.PARAMETERS}
        return await self._guarded(request, self._decided(request, values))

    async def _guarded(self, request: Request, work: Awaitable[Response]) -> Response:
        try:
            return await work
        except UnknownApp as error:
            return self._unknown(request, str(error))
        except RefusedAtApp as refusal:
            return self._redirect(refusal.url)
        except _MayNotAllow:
            return self._cannot(request)

    async def _ask(self, request: Request, values: Mapping[str, str]) -> Response:
        caller = await self._caller(request, values.get("workspace"))
        try:
            app_request = await self._read(values)
        except RefusedAtApp:
            if caller is None:  # else any link to us could lead anyone to wherever an app says
                return self._to_sign_in(values)
            raise
        if caller is None:
            return self._to_sign_in(values)
        choices = await self._choices(caller)
        if caller.workspace_id not in [workspace.id for workspace in choices]:  # the one that they used last
            caller = await self._caller(request, _id(choices[0])) or caller
        _require_second_factor(caller)
        return await self._page(request, values, app_request, caller, choices)

    async def _decided(self, request: Request, values: Mapping[str, str]) -> Response:
        app_request = await self._read(values)
        if values["decision"] != "allow":
            issuer = self.site.web.base_url
            return self._redirect(app_request.refused(issuer, "access_denied", "The person did not allow it."))
        caller = await self._caller(request, values["workspace"])
        if caller is None:
            return self._to_sign_in(values)
        if caller.workspace_id not in [workspace.id for workspace in await self._choices(caller)]:
            raise _MayNotAllow
        _require_second_factor(caller)
        return await self._allowed(app_request, caller, values)

    async def _read(self, values: Mapping[str, str]) -> AppRequest:
        with across_workspaces():  # an app is of no workspace, or of another one than those that it acts for
            async with self.context.database.connection() as db:
                return await authorize.read_request(db, values, self.site.web.base_url)

    async def _choices(self, caller: Caller) -> list[WorkspaceRow]:
        with across_workspaces():  # the workspaces of a user are what is looked for
            async with self.context.database.connection() as db:
                choices = await authorize.workspaces(db, caller.user_id)
        if not choices:
            raise _MayNotAllow
        return choices

    async def _allowed(self, app_request: AppRequest, caller: Caller, values: Mapping[str, str]) -> Response:
        chosen = ProfileId.parse(values["profile"]) if values["profile"] else None
        profile_id = next((row_id for row_id, _ in await self._profiles(caller) if row_id == chosen), None)
        publish = values["publish"] == "yes"
        if (values["profile"] and profile_id is None) or not authorize.allowed(app_request, caller, publish=publish):
            raise problems.MalformedRequest("This is not a form of this page. Start again at the app.")
        return self._redirect(
            authorize.allow(
                self.context, app_request, caller, profile_id=profile_id, publish=publish, issuer=self.site.web.base_url
            )
        )

    async def _profiles(self, caller: Caller) -> list[tuple[UUID, str]]:
        with across_workspaces():  # the workspace is the chosen one, which the statement names
            async with self.context.database.connection() as db:
                return await queries.profile_names(db, caller, authorize.PROFILES_MAX)

    async def _caller(self, request: Request, workspace: str | None) -> Caller | None:
        """Return whoever is signed in in this browser, for the workspace that they chose.

        The browser comes from the app, so this is not a page of ours that sends the cookie; the answer comes from one.
        """
        cookie = cookie_value(request, cookie_name(self.context))
        if not cookie:
            return None
        address = client_address(request.scope, self.context.settings.trusted_proxies)
        try:
            caller = await self.site.web.authenticate(cookie, workspace or None, address)
        except (problems.Unauthenticated, TokenExpired):
            return None
        return None if caller.session_id is None else caller

    async def _page(
        self,
        request: Request,
        values: Mapping[str, str],
        app_request: AppRequest,
        caller: Caller,
        choices: list[WorkspaceRow],
    ) -> Response:
        chosen = next(workspace for workspace in choices if workspace.id == caller.workspace_id)
        offered = authorize.offered(app_request, caller)
        # Browsers apply `form-action` to where a form is redirected, too: the app gets the answer.
        policy = next(value for name, value in SECURITY_HEADERS if name == b"content-security-policy")
        target = f"form-action 'self' {redirects.form_action(app_request.redirect_uri)}".encode()
        headers: Headers = [(b"content-security-policy", policy.replace(b"form-action 'self'", target))]
        return self.site.page(
            "authorize",
            headers=headers,
            app=app_request.app,
            host=redirects.host_of(app_request.redirect_uri),
            person=caller.user_name,
            parameters={name: values[name] for name in authorize.PARAMETERS if name in values},
            workspaces=[(_id(workspace), workspace.name) for workspace in choices],
            workspace=(_id(chosen), chosen.name),
            profiles=[(ids.encode("prof", profile_id), name) for profile_id, name in await self._profiles(caller)],
            scopes=[SCOPE_WORDS[scope] for scope in offered if scope != PUBLISH],
            publish=SCOPE_WORDS[PUBLISH] if PUBLISH in offered else "",
            **spoken(request),
        )

    def _to_sign_in(self, values: Mapping[str, str]) -> Response:
        """Send the browser to sign in, and have it remember the request meanwhile: addresses of forms are short."""
        query = urlencode({name: values[name] for name in authorize.PARAMETERS if name in values})
        if len(query) > _QUERY_LENGTH_MAX:
            raise problems.UriTooLong(f"The parameters have at most {_QUERY_LENGTH_MAX} characters.")
        value = base64.urlsafe_b64encode(query.encode()).decode()
        location = f"{self._root()}{sign_in.PATH}?next={AUTHORIZE}"
        return self._redirect(location, self._cookie(value, _COOKIE_SECONDS))

    def _resumed(self, request: Request) -> Response:
        """Go on with the request that the browser remembers from before it signed in."""
        value = cookie_value(request, self._name()) or ""
        try:
            query = base64.b64decode(value.encode("ascii"), altchars=b"-_", validate=True).decode("ascii")
        except (binascii.Error, ValueError):
            query = ""
        if not query or len(query) > _QUERY_LENGTH_MAX or not query.isprintable() or " " in query:
            return self._unknown(request, "client_id")
        return self._redirect(f"{self._root()}{AUTHORIZE}?{query}", self._cookie("", 0))

    def _unknown(self, request: Request, parameter: str) -> Response:
        words = spoken(request)
        t = words["t"]
        text = (
            t("No app here has this client_id. It may have been deleted; start again in the app.")
            if parameter == "client_id"
            else t("The redirect_uri is none of those that the app has registered. Nothing was sent there.")
        )
        return self.site.notice(t("This request of an app cannot be answered"), text, status=400, **words)

    def _cannot(self, request: Request) -> Response:
        words = spoken(request)
        t = words["t"]
        text = t("For this, your role needs API keys, and you need the second factor if it is required. Ask an admin.")
        return self.site.notice(t("You cannot allow this"), text, status=403, link=("/console", t("Console")), **words)

    def _redirect(self, url: str, *cookies: str) -> Response:
        headers: Headers = [(b"location", url.encode()), *PRIVATE]
        headers += [(b"set-cookie", cookie.encode()) for cookie in cookies]
        return Response(303, b"", headers)

    def _root(self) -> str:
        return self.site.common["root"]

    def _name(self) -> str:
        return f"__Host-{_COOKIE}" if is_https(self.context) else _COOKIE

    def _cookie(self, value: str, seconds: int) -> str:
        secure = "; Secure" if is_https(self.context) else ""
        return f"{self._name()}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}"


def _require_second_factor(caller: Caller) -> None:
    """Ensure that the person has the second factor that their workspace requires."""
    if caller.needs_second_factor:
        raise _MayNotAllow


def _id(workspace: WorkspaceRow) -> str:
    return ids.encode(WorkspaceId.prefix, workspace.id)
