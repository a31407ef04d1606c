"""The second half of the authorization flow: a person comes back from the platform. Nothing they bring is trusted."""

from msgspec import Struct
from msgspec.structs import replace

from signalpost import networks
from signalpost.accounts import queries
from signalpost.accounts.actions.choices import candidates, choices_of, chosen_already, offer
from signalpost.accounts.actions.connect_request import network_problems
from signalpost.accounts.actions.network_apps import delete_unknown_app, get_or_register_app
from signalpost.accounts.actions.oauth_flows import (
    OAuthFlow,
    find_flow,
    is_of_browser,
    open_notes,
    open_verifier,
    redirect_url_of,
    use_flow,
)
from signalpost.accounts.actions.start import require_starter
from signalpost.accounts.actions.store import store_account
from signalpost.accounts.errors import OVER, UNREADABLE, OauthStateInvalid, PlatformNotConfigured
from signalpost.accounts.platforms import canonical_slug, redirect_uri, server_key, server_of
from signalpost.accounts.schemas import CallbackQuery, CallbackResult
from signalpost.context import AppContext
from signalpost.kit import ids, log, problems
from signalpost.kit.crypto import Undecipherable
from signalpost.kit.db import Db
from signalpost.kit.tenant import across_workspaces
from signalpost.networks.contract import ApiError, AuthorizationCode, Connector, Identity, OAuth, OAuthApp, Server

_logger = log.get("accounts")


class Return(Struct, frozen=True, kw_only=True):
    """A person comes back: to which address, from which browser, and with what the platform said."""

    platform: str
    server_key: str | None
    """The last segment of the address, see `platforms.server_key`."""
    browser: str | None
    """The value of the flow's cookie."""
    query: CallbackQuery


class FinishedFlow(Struct, frozen=True, kw_only=True):
    """What became of a flow."""

    result: CallbackResult
    redirect_url: str | None
    guest: bool
    """Whether someone without an account here came by an invitation, who learns nothing of the workspace."""


async def finish_authorization(context: AppContext, returned: Return) -> FinishedFlow:
    """Use up the state if its own browser brings it, exchange the code and store the account.

    Raises:
        OauthStateInvalid: the state is unknown, used, too old, of another platform, server or browser.
    """
    slug, query = canonical_slug(returned.platform), returned.query
    if query.code is None and query.error is None:
        raise problems.invalid("code", "required", "Either code or error is required.")
    with across_workspaces():  # the state tells the workspace
        async with context.database.transaction() as db:
            flow = await _use_flow(db, slug, query.state, returned.browser)
            redirect_url = await redirect_url_of(db, flow)
    connector = networks.get(flow.platform)
    if connector is None or server_key(connector, flow.base_url) != returned.server_key:
        raise OauthStateInvalid("Another server than the one to connect sent you back.")
    if query.error is not None:
        result = CallbackResult("failed", error=query.error, error_description=query.error_description)
    else:
        result = await _connect(context, connector, flow, query)
    result.log_id = query.logid
    _logger.info(
        "account.authorization_finished",
        platform=slug,
        status=result.status,
        workspace=ids.encode("wsp", flow.workspace_id),
    )
    return FinishedFlow(result=result, redirect_url=redirect_url, guest=flow.started_by.invite_id is not None)


async def _use_flow(db: Db, platform: str, state: str, browser: str | None) -> OAuthFlow:
    if browser is not None and (flow := await use_flow(db, platform, state, browser)) is not None:
        return flow
    if (flow := await find_flow(db, state)) is not None and not is_of_browser(flow, browser):
        raise OauthStateInvalid("This browser did not start the authorization. Open the link in it and continue there.")
    raise OauthStateInvalid(OVER)


async def _connect(context: AppContext, connector: Connector, flow: OAuthFlow, query: CallbackQuery) -> CallbackResult:
    """Return the connected account, or why there is none: the person reads it, so the status is 200 either way."""
    if connector.oauth is None:
        return _failed(PlatformNotConfigured(f"{connector.facts.name} is no longer connected by authorization."))
    try:
        with across_workspaces():
            async with context.database.connection() as db:
                await require_starter(context, db, flow)
        identity = await _exchange(context, connector, connector.oauth, flow, query)
        if connector.destinations is None:
            return CallbackResult("connected", account=await store_account(context, flow, identity))
        return await _choose(context, connector, flow, identity)
    except OauthStateInvalid:
        raise
    except problems.Problem as problem:
        if problem.status == 410 or (problem.status >= 500 and not problem.retryable):
            raise
        return _failed(problem)


async def _choose(context: AppContext, connector: Connector, flow: OAuthFlow, grant: Identity) -> CallbackResult:
    """Connect what the grant can post to, if that needs no choice, or offer the choice."""
    choices = await choices_of(context, connector, flow, grant)
    entry = await chosen_already(context, flow, choices)
    if entry is not None:
        account = await store_account(context, flow, entry.identity, grant=grant)
        return CallbackResult("connected", account=account)
    token = await offer(context, flow, choices)
    async with context.database.connection() as db:
        accounts = await queries.of_platform(db, flow.workspace_id, flow.platform, flow.profile_id)
    pages = candidates(choices.destinations, [] if flow.started_by.invite_id else accounts)
    return CallbackResult("selection_required", candidates=pages, selection_token=token)


async def _exchange(
    context: AppContext, connector: Connector, oauth: OAuth, flow: OAuthFlow, query: CallbackQuery
) -> Identity:
    try:
        code_verifier, notes = (open_verifier(context, flow, query.state), open_notes(context, flow, query.state))
    except Undecipherable:
        raise OauthStateInvalid(UNREADABLE) from None
    server = server_of(context, connector, flow.base_url, context.http.accounts)
    callback = redirect_uri(context.fixed_url, connector, flow.base_url)
    with network_problems(connector, path="code", chosen=not server.trusted):
        app = await get_or_register_app(context, connector, server)
        if oauth.pushed is not None:
            app = replace(app, issuer=notes.get("issuer", ""), sends_issuer=True)
        _check_issuer(app, server, query.iss)
        code = AuthorizationCode(code=query.code or "", redirect_uri=callback, code_verifier=code_verifier, notes=notes)
        try:
            return await oauth.exchange(server, app, code)
        except ApiError as error:
            await delete_unknown_app(context, connector, server, error)
            raise


def _check_issuer(app: OAuthApp, server: Server, issuer: str | None) -> None:
    """Compare who says that they sent the person back (RFC 9207) with who was to do so.

    From then on the request, which has no credential, counts as their workspace's.

    Raises:
        OauthStateInvalid: it is someone else, or does not say so although it always does.
    """
    expected = app.issuer or server.base_url
    missing = issuer is None and app.sends_issuer
    if missing or (issuer is not None and issuer.rstrip("/") != expected.rstrip("/")):
        raise OauthStateInvalid("Another server than the one to connect sent you back.")


def _failed(problem: problems.Problem) -> CallbackResult:
    return CallbackResult("failed", error=problem.code, error_description=problem.detail)
