"""Between the two halves of the authorization flow: a person reads who asks for their account, and agrees in a browser.

Without this, whoever began a flow could send its address to someone else and get their account.
"""

from datetime import datetime
from urllib.parse import urlsplit
from uuid import UUID

from msgspec import Struct

from signalpost import networks
from signalpost.accounts import queries
from signalpost.accounts.actions.connect_request import network_problems
from signalpost.accounts.actions.oauth_flows import (
    OAuthFlow,
    bind_flow,
    code_challenge_of,
    find_flow,
    is_of_browser,
    keep_notes,
    open_authorize_url,
    open_notes,
    open_verifier,
)
from signalpost.accounts.errors import OVER, UNREADABLE, OauthStateInvalid, PlatformNotConfigured
from signalpost.accounts.platforms import installation, redirect_uri, server_of
from signalpost.context import AppContext
from signalpost.identity.queries import ROLE_SQL, tenant_sql
from signalpost.identity.roles import SCOPES_OF
from signalpost.kit import crypto, problems, rows
from signalpost.kit.crypto import Undecipherable
from signalpost.kit.db import Db
from signalpost.kit.tenant import Tenant, across_workspaces, work_for
from signalpost.networks.contract import AuthorizationRequest, Connector, CredentialField, PushedFlow, PushedRequest
from signalpost.web.caller import Role


class Starter(Struct, frozen=True):
    """Who began a flow, as the database knows them now; `profile` is None if it was deleted."""

    role: Role
    tenant_id: UUID
    member_profiles: list[UUID] | None
    key_profiles: list[UUID] | None
    workspace: str
    profile: str | None
    user: str | None
    email: str
    key: str | None


_STARTER = f"""
select {ROLE_SQL}, {tenant_sql("m.workspace_id")}, m.profile_ids, k.profile_ids, w.name, p.name, u.name, u.email, k.name
from member m join workspace w on w.id = m.workspace_id join app_user u on u.id = m.user_id
left join profile p on p.id = $4 and p.workspace_id = m.workspace_id and p.deleted_at is null
left join api_key k on k.id = $3
where m.workspace_id = $1 and m.user_id = $2 and m.status = 'active'
    and ($3::uuid is null or k.revoked_at is null and (k.expires_at is null or k.expires_at > now()))
"""  # noqa: S608 - constants only
_read = rows.reader(Starter)


class FlowDescription(Struct, frozen=True, kw_only=True):
    """What a person should know before they agree."""

    network: str
    host: str
    workspace: str
    profile: str
    requester: str
    api_key: str | None
    """The name of the key by which they asked."""
    reconnects: str | None
    """The name of the account that is to be connected again."""
    return_host: str | None
    expires_at: datetime
    authorize_url: str
    """Empty: they fill in `fields` here instead."""
    fields: tuple[CredentialField, ...]


async def describe_flow(context: AppContext, state: str, browser: str | None) -> FlowDescription:
    """Return what a flow is about; this changes nothing, so that a preview of the link does no harm.

    Raises:
        OauthStateInvalid: there is no such flow, it is over, or another browser started it.
        Forbidden, NotFound: as `require_starter`.
    """
    with across_workspaces():  # the state tells the workspace
        async with context.database.connection() as db:
            flow = await find_flow(db, state)
            if flow is None or (flow.browser_hash is not None and not is_of_browser(flow, browser)):
                raise OauthStateInvalid(OVER)
            starter = await require_starter(context, db, flow)
            account = None if flow.account_id is None else await queries.by_id(db, flow.account_id)
    url, hint = _authorize_url(context, flow, state), _notes(context, flow, state).get("loginHint")
    connector = networks.get(flow.platform)
    person = account.username if account else hint
    return FlowDescription(
        network=connector.facts.name if connector else flow.platform,
        host=f"the server of {person}" if hint and person else urlsplit(url).netloc,
        workspace=starter.workspace,
        profile=starter.profile or "",
        requester=f"{starter.user} ({starter.email})" if starter.user else starter.email,
        api_key=None if flow.started_by.invite_id else starter.key,
        reconnects=account.username if account else None,
        return_host=urlsplit(flow.redirect_url).netloc if flow.redirect_url else None,
        expires_at=flow.expires_at,
        authorize_url=url,
        fields=connector.facts.credential_fields if connector and not url else (),
    )


async def start_flow(context: AppContext, state: str, browser: str | None) -> tuple[str, str]:
    """Bind the flow to the browser of a person who agrees.

    Args:
        context: of the process.
        state: of the flow.
        browser: the flow's cookie; who has it may go through the start page again.

    Returns:
        The address at the platform, and the secret for the cookie.

    Raises:
        OauthStateInvalid: there is no such flow, it is over, or another browser started it.
        Forbidden, NotFound: as `require_starter`.
        Problem: the platform does not accept the request, where it wants to see that first.
    """
    pushed = await _push_first(context, state, browser)
    with across_workspaces():
        async with context.database.transaction() as db:
            flow = await find_flow(db, state)
            if flow is None or browser is None or not is_of_browser(flow, browser):
                browser = crypto.random_token()  # never the value of a cookie that we did not set
                flow = await bind_flow(db, state, browser)
            if flow is None:
                raise OauthStateInvalid(OVER)
            await require_starter(context, db, flow)
            if pushed is not None:
                await keep_notes(context, db, flow, state, {**pushed.notes, "issuer": pushed.issuer})
    return (_authorize_url(context, flow, state) if pushed is None else pushed.authorize_url), browser


async def _push_first(context: AppContext, state: str, browser: str | None) -> PushedRequest | None:
    """Bring the request to a platform that wants it before the person comes; None for others.

    Nothing is bound yet: if the platform cannot be reached, the person may click again.
    """
    with across_workspaces():
        async with context.database.connection() as db:
            flow = await find_flow(db, state)
            if flow is None or (flow.browser_hash is not None and not is_of_browser(flow, browser)):
                raise OauthStateInvalid(OVER)
            connector = networks.get(flow.platform)
            if connector is None or connector.oauth is None or connector.oauth.pushed is None:
                return None
            await require_starter(context, db, flow)
    return await _push(context, connector, connector.oauth.pushed, flow, state)


async def _push(
    context: AppContext, connector: Connector, pushed: PushedFlow, flow: OAuthFlow, state: str
) -> PushedRequest:
    app = pushed.client(installation(context, connector))
    if app is None:
        raise PlatformNotConfigured(f"{connector.facts.name} can no longer be connected by authorization here.")
    notes = _notes(context, flow, state)
    try:
        verifier = open_verifier(context, flow, state)
    except Undecipherable:
        raise OauthStateInvalid(UNREADABLE) from None
    server = server_of(context, connector, flow.base_url, context.http.accounts)
    request = AuthorizationRequest(
        redirect_uri=redirect_uri(context.fixed_url, connector, flow.base_url),
        state=state,
        code_challenge=code_challenge_of(verifier),
        login_hint=notes.get("loginHint", ""),
        seed=notes["seed"],
    )
    with network_problems(connector, path="loginHint", chosen=not server.trusted):
        return await pushed.push(server, app, request)


async def require_starter(context: AppContext, db: Db, flow: OAuthFlow) -> Starter:
    """Return who began; a removed or demoted member, a revoked key or an ended invitation must not complete the flow.

    From then on the request, which has no credential, counts as their workspace's.

    Raises:
        Forbidden: they may no longer connect accounts to this profile.
        NotFound: the profile was deleted.
        InviteExpired, InviteRevoked, InviteUsed: a guest came by an invitation that has ended.
    """
    by = flow.started_by
    if by.invite_id is not None:
        await context.hooks.require_open_invite(db, flow.workspace_id, by.invite_id)
    record = await db.fetchrow(_STARTER, flow.workspace_id, by.user_id, by.key_id, flow.profile_id)
    starter = None if record is None else _read(record)
    if starter is None or "accounts:write" not in SCOPES_OF[starter.role] or not _sees(starter, flow.profile_id):
        raise problems.Forbidden("The person who began this may no longer connect accounts here.")
    if starter.profile is None:
        raise problems.NotFound("The profile was deleted.")
    work_for(Tenant(starter.tenant_id, flow.workspace_id))
    return starter


def _notes(context: AppContext, flow: OAuthFlow, state: str) -> dict[str, str]:
    try:
        return open_notes(context, flow, state)
    except Undecipherable:
        raise OauthStateInvalid(UNREADABLE) from None


def _sees(starter: Starter, profile_id: UUID) -> bool:
    return all(ids is None or profile_id in ids for ids in (starter.member_profiles, starter.key_profiles))


def _authorize_url(context: AppContext, flow: OAuthFlow, state: str) -> str:
    try:
        return open_authorize_url(context, flow, state)
    except Undecipherable:
        raise OauthStateInvalid(UNREADABLE) from None
