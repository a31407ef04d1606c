"""The second half of the authorization flow: a person comes back from the platform. Nothing they bring is trusted."""

from signalpost import networks
from signalpost.accounts import queries, views
from signalpost.accounts.actions.connect_request import ConnectRequest, no_response_problem, refused_problem
from signalpost.accounts.actions.network_apps import delete_unknown_app, get_or_register_app
from signalpost.accounts.actions.oauth_flows import OAuthFlow, open_verifier, use_flow
from signalpost.accounts.actions.upsert import upsert_account
from signalpost.accounts.errors import OauthStateInvalid, PlatformNotConfigured
from signalpost.accounts.platforms import canonical_slug, redirect_uri, server_of
from signalpost.accounts.schemas import CallbackQuery, CallbackResult
from signalpost.context import AppContext
from signalpost.identity.queries import tenant_sql
from signalpost.identity.roles import SCOPES_OF
from signalpost.kit import log, problems
from signalpost.kit.crypto import Undecipherable
from signalpost.kit.db import Db
from signalpost.kit.http import HttpFailure
from signalpost.kit.tenant import Tenant, tenant
from signalpost.networks.contract import ApiError, BadCredentials, Connector, Identity, InvalidField, OAuth

_STARTER = f"""
select m.role, m.profile_ids, {tenant_sql("m.workspace_id")} as tenant_id from member m
where m.workspace_id = $1 and m.user_id = $2 and m.status = 'active' and ($3::uuid is null or exists (
    select from api_key k where k.id = $3 and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())))
"""  # noqa: S608 - constants only
_logger = log.get("accounts")


async def finish_authorization(
    context: AppContext, platform: str, query: CallbackQuery
) -> tuple[CallbackResult, str | None]:
    """Use up the state, exchange the code and store the account.

    Returns:
        The result, and the `redirectUrl` of the flow if it has one.

    Raises:
        OauthStateInvalid: the state is unknown, used, too old, or belongs to another platform.
    """
    slug = canonical_slug(platform)
    if query.code is None and query.error is None:
        raise problems.invalid("code", "required", "Either code or error is required.")
    async with context.database.transaction() as db:
        flow = await use_flow(db, slug, query.state)
    if flow is None:
        raise OauthStateInvalid
    if query.error is not None:
        result = CallbackResult("failed", error=query.error, error_description=query.error_description)
    else:
        result = await _connect(context, flow, state=query.state, code=query.code or "")
    result.log_id = query.logid
    _logger.info(
        "account.authorization_finished", platform=slug, status=result.status, workspace=str(flow.workspace_id)
    )
    return result, flow.redirect_url


async def _connect(context: AppContext, flow: OAuthFlow, *, state: str, code: str) -> CallbackResult:
    """Return the connected account, or why there is none: the person reads it, so the status is 200 either way."""
    connector = networks.get(flow.platform)
    if connector is None or connector.oauth is None:
        return _failed(PlatformNotConfigured())
    try:
        async with context.database.connection() as db:
            await _require_starter(db, flow)
        identity = await _exchange(context, connector, connector.oauth, flow, state=state, code=code)
        request = ConnectRequest(
            workspace_id=flow.workspace_id,
            profile_id=flow.profile_id,
            platform=flow.platform,
            via=flow.started_by.via,
            mode=flow.started_by.mode,
            account_id=flow.account_id,
        )
        async with context.database.transaction() as db:
            await _require_starter(db, flow)
            row = await upsert_account(context, db, request, identity)
            posts_today = await queries.posts_today(db, [row.id])
        return CallbackResult("connected", account=views.account(row, posts_today=posts_today.get(row.id, 0)))
    except problems.Problem as problem:
        if problem.status >= 500 and not problem.retryable:
            raise
        return _failed(problem)


async def _exchange(
    context: AppContext, connector: Connector, oauth: OAuth, flow: OAuthFlow, *, state: str, code: str
) -> Identity:
    try:
        code_verifier = open_verifier(context, flow, state)
    except Undecipherable:
        raise OauthStateInvalid from None
    server = server_of(context, connector, flow.base_url, context.http.accounts)
    callback = redirect_uri(context.base_url, flow.platform)
    try:
        app = await get_or_register_app(context, connector, server)
        return await oauth.exchange(server, app, redirect_uri=callback, code=code, code_verifier=code_verifier)
    except (BadCredentials, InvalidField) as error:
        raise problems.invalid("code", "not_allowed", str(error)) from None
    except ApiError as error:
        await delete_unknown_app(context, connector, server, error)
        raise refused_problem(connector, error) from None
    except HttpFailure as failure:
        raise no_response_problem(connector, failure, chosen=not server.trusted) from None


async def _require_starter(db: Db, flow: OAuthFlow) -> None:
    """Check again who began: a removed or demoted member, or a revoked key, must not complete the flow.

    From then on the request, which has no credential, counts as their workspace's.

    Raises:
        Forbidden: they may no longer connect accounts to this profile.
    """
    starter = flow.started_by
    member = await db.fetchrow(_STARTER, flow.workspace_id, starter.user_id, starter.key_id)
    sees = member is not None and (member["profile_ids"] is None or flow.profile_id in member["profile_ids"])
    if member is None or not sees or "accounts:write" not in SCOPES_OF[member["role"]]:
        raise problems.Forbidden("The person who began this may no longer connect accounts here.")
    tenant.set(Tenant(member["tenant_id"], flow.workspace_id))


def _failed(problem: problems.Problem) -> CallbackResult:
    return CallbackResult("failed", error=problem.code, error_description=problem.detail)
