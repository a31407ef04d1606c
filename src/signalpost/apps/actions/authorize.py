"""A request for authorization: what an app asks for, and the code that answers when a person allows it."""

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit
from uuid import UUID

from msgspec import Struct

from signalpost.apps import queries, redirects, tokens
from signalpost.apps.errors import Code, RefusedAtApp, UnknownApp, redirect_url
from signalpost.apps.queries import AppRow
from signalpost.context import AppContext
from signalpost.identity import queries as identity_queries
from signalpost.identity.queries import WorkspaceRow
from signalpost.identity.roles import SCOPES_OF
from signalpost.kit import clock, ids
from signalpost.kit.db import Db
from signalpost.web.caller import Caller
from signalpost.web.fields import AppId

PARAMETERS: Final = (
    "client_id", "redirect_uri", "response_type", "scope", "state", "code_challenge", "code_challenge_method",
    "resource",
)  # fmt: skip
STATE_LENGTH_MAX: Final = 1_000
PROFILES_MAX: Final = 500
PUBLISH: Final = "posts:publish"
_NEEDED: Final = "keys:write"
"""Whoever allows an app gives it a key: the role has to have keys."""


class AppRequest(Struct, frozen=True):
    """What an app asks of a person, verified."""

    app: AppRow
    redirect_uri: str
    state: str | None
    scopes: tuple[str, ...]
    challenge: str

    def refused(self, issuer: str, code: Code, description: str) -> str:
        """Return where the browser is sent with a refusal."""
        return redirect_url(self.redirect_uri, issuer, self.state, error=code, error_description=description)


async def read_request(db: Db, parameters: Mapping[str, str], issuer: str) -> AppRequest:
    """Verify a request for authorization.

    Raises:
        UnknownApp: of this app nobody knows where to send the browser; the person reads why.
        RefusedAtApp: it is refused where the app reads it.
    """
    app_id = AppId.parse(parameters.get("client_id", ""))
    app = None if app_id is None else await queries.find_app(db, app_id)
    redirect_uri = parameters.get("redirect_uri", "")
    if app is None:
        raise UnknownApp("client_id")
    if not any(redirects.matches(registered, redirect_uri) for registered in app.redirect_uris):
        raise UnknownApp("redirect_uri")
    state = parameters.get("state")
    scopes, unknown = tokens.requested_scopes(parameters.get("scope"))
    request = AppRequest(app, redirect_uri, state, scopes, parameters.get("code_challenge", ""))
    error = _error(parameters, request, unknown, issuer)
    if error is not None:
        raise RefusedAtApp(request.refused(issuer, *error))
    return request


def _error(
    parameters: Mapping[str, str], request: AppRequest, unknown: str | None, issuer: str
) -> tuple[Code, str] | None:
    """Return the first thing that is wrong with a request, in the words of OAuth; None: nothing is."""
    has_pkce = bool(request.challenge) and parameters.get("code_challenge_method") == "S256"
    rules: tuple[tuple[bool, Code, str], ...] = (
        (
            len(request.state or "") <= STATE_LENGTH_MAX, "invalid_request",
            f"state has at most {STATE_LENGTH_MAX} characters",
        ),
        (parameters.get("response_type") == "code", "unsupported_response_type", "response_type must be code"),
        (has_pkce, "invalid_request", "PKCE is required: code_challenge, and code_challenge_method=S256"),
        (
            tokens.is_challenge(request.challenge), "invalid_request",
            "code_challenge must be the SHA-256 of the verifier as base64url: 43 characters",
        ),
        (unknown is None, "invalid_scope", f"No app can have the scope {(unknown or '')[:50]!a}"),
        (
            is_resource(parameters.get("resource"), issuer), "invalid_target",
            f"resource must be {issuer}/mcp or {issuer}/api/v1",
        ),
    )  # fmt: skip
    return next(((code, description) for holds, code, description in rules if not holds), None)


def is_resource(resource: str | None, issuer: str) -> bool:
    """Whether this service serves a resource (RFC 8707): itself, its API or its `/mcp`. Hosts have no case."""
    if resource is None:
        return True
    parts, ours = urlsplit(resource), urlsplit(issuer)
    same = (parts.scheme.lower(), parts.netloc.lower()) == (ours.scheme, ours.netloc.lower())
    below = parts.path.rstrip("/").removeprefix(ours.path.rstrip("/"))
    return same and not parts.query and not parts.fragment and below in ("", "/mcp", "/api/v1")


async def workspaces(db: Db, user_id: UUID) -> list[WorkspaceRow]:
    """Return the workspaces for which this user may allow apps, the one they used last first."""
    mine = await identity_queries.workspaces_of(db, user_id)
    return [workspace for workspace in mine if _NEEDED in SCOPES_OF[workspace.role]]


def offered(request: AppRequest, caller: Caller) -> tuple[str, ...]:
    """Return what a person can allow of what is asked for: no app does what they may not do."""
    return tuple(scope for scope in request.scopes if scope in caller.scopes)


def allowed(request: AppRequest, caller: Caller, *, publish: bool) -> tuple[str, ...]:
    """Return what a person allows who was shown what is offered; publishing only if they say so."""
    return tuple(scope for scope in offered(request, caller) if publish or scope != PUBLISH)


def allow(
    context: AppContext, request: AppRequest, caller: Caller, *, profile_id: UUID | None, publish: bool, issuer: str
) -> str:
    """Return where the browser is sent with a code.

    Args:
        context: of the process.
        request: what the app asks for.
        caller: the session in which a person allows it, with the workspace that they chose.
        profile_id: the only profile that the app sees; None: those of the person.
        publish: whether it may publish, if it asks for that; else it drafts.
        issuer: who answers.
    """
    assert caller.session_id is not None  # noqa: S101 - a page has the cookie of a session
    authorization = tokens.Authorization(
        id=ids.new_id(),
        app_id=request.app.id,
        user_id=caller.user_id,
        session_id=caller.session_id,
        workspace_id=caller.workspace_id,
        scopes=allowed(request, caller, publish=publish),
        profile_ids=None if profile_id is None else (profile_id,),
        redirect_uri=request.redirect_uri,
        challenge=request.challenge,
        expires=clock.actual().timestamp() + tokens.CODE_SECONDS,
    )
    code = tokens.code_of(context.keys, authorization)
    return redirect_url(request.redirect_uri, issuer, request.state, code=code)
