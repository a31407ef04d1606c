"""The first half of the authorization flow: from a caller's request to the address of our start page."""

from urllib.parse import quote

from signalpost.accounts import queries, views
from signalpost.accounts.actions.connect_request import (
    ConnectRequest,
    find_unknown_ids,
    no_response_problem,
    refused_problem,
)
from signalpost.accounts.actions.network_apps import get_or_register_app
from signalpost.accounts.actions.oauth_flows import FlowSecrets, FlowStarter, insert_flow
from signalpost.accounts.platforms import redirect_uri, require_connector, server_of, start_url
from signalpost.accounts.queries import AccountRow
from signalpost.accounts.schemas import Authorization, AuthUrlQuery
from signalpost.context import AppContext
from signalpost.kit import clock, ids, problems
from signalpost.kit.db import Db
from signalpost.kit.http import HttpFailure, UnknownHost, UnsafeUrl, parse_url
from signalpost.kit.problems import Issue
from signalpost.networks import oauth2
from signalpost.networks.contract import ApiError, Connector, OAuth, OAuthApp, Server
from signalpost.web.caller import Caller

_ALLOWED = "select $2 = any(redirect_urls) from workspace where id = $1"


async def start_authorization(context: AppContext, caller: Caller, platform: str, query: AuthUrlQuery) -> Authorization:
    """Begin an authorization, or return the fields of the form if the platform takes credentials instead.

    Raises:
        NotFound: the profile or the account is unknown.
        ValidationFailed: `redirectUrl` is not on the workspace's list, or the platform needs `instanceUrl`.
        PlatformNotConfigured: the operator's app credentials are missing.
    """
    connector = require_connector(caller, platform)
    async with context.database.connection() as db:
        account = await _check(db, caller, connector, query)
    if connector.oauth is None:
        return _credential_form(connector, query)
    server = await _server(context, connector, query.instance_url, account)
    app = await _app(context, connector, server)
    return await _begin(context, caller, connector, connector.oauth, server, app, query)


async def _check(db: Db, caller: Caller, connector: Connector, query: AuthUrlQuery) -> AccountRow | None:
    """Check the ids and the redirect URL; return the account to connect again, if one is named."""
    unknown = await find_unknown_ids(
        db, caller, connector, profile_id=query.profile_id, account_id=query.account_id, pointer=""
    )
    if unknown:
        raise problems.NotFound(errors=unknown)
    if query.redirect_url is not None and not await db.fetchval(_ALLOWED, caller.workspace_id, query.redirect_url):
        raise problems.invalid(
            "redirectUrl",
            "not_allowed",
            "This address is not one of the workspace's redirectUrls. An owner can add it: PATCH /workspaces/{id}.",
        )
    return None if query.account_id is None else await queries.find_mine(db, caller, query.account_id)


def _credential_form(connector: Connector, query: AuthUrlQuery) -> Authorization:
    return Authorization(
        url=None,
        auth_url=None,
        state=None,
        platform=connector.facts.key,
        profile_id=ids.encode("prof", query.profile_id),
        expires_at=None,
        redirect_uri=None,
        mode="credentials",
        fields=views.credential_fields(connector),
    )


async def _server(
    context: AppContext, connector: Connector, instance_url: str | None, account: AccountRow | None
) -> Server:
    """Return the server to authorize at: the one the caller names, else that of the account, else the network's."""
    base_url = None
    if connector.oauth is not None and connector.oauth.own_server:
        base_url = _origin(instance_url) if instance_url else account.base_url if account else None
    http = context.http.accounts
    server = server_of(context, connector, base_url, http)
    if not server.base_url:
        raise problems.invalid("instanceUrl", "required", "Name the account's server. Example: mastodon.social.")
    try:
        await http.check_url(server.base_url, trusted=server.trusted)
    except UnknownHost as failure:
        message = f"The server is unknown: {failure.detail}."
        raise problems.HostNotFound(message, errors=[Issue("instanceUrl", "host_not_found", message)]) from None
    except UnsafeUrl as failure:
        message = f"This server cannot be used: {failure.detail}."
        raise problems.UnsafeAddress(message, errors=[Issue("instanceUrl", "unsafe_url", message)]) from None
    return server


def _origin(text: str) -> str:
    """Return the address of what a person calls their server: a host name, a handle, or any address there."""
    text = text.strip()
    try:
        return parse_url(text if "://" in text else f"https://{text.rpartition('@')[2]}").base_url
    except UnsafeUrl:
        raise problems.invalid("instanceUrl", "format", "Not the name of a server. Example: mastodon.social.") from None


async def _app(context: AppContext, connector: Connector, server: Server) -> OAuthApp:
    try:
        return await get_or_register_app(context, connector, server)
    except ApiError as error:
        raise refused_problem(connector, error) from None
    except HttpFailure as failure:
        raise no_response_problem(connector, failure, chosen=not server.trusted) from None


async def _begin(
    context: AppContext,
    caller: Caller,
    connector: Connector,
    oauth: OAuth,
    server: Server,
    app: OAuthApp,
    query: AuthUrlQuery,
) -> Authorization:
    request = ConnectRequest.of(caller, connector, profile_id=query.profile_id, account_id=query.account_id)
    secrets = FlowSecrets.new()
    callback = redirect_uri(context.fixed_url, connector, server.base_url)
    authorize_url = oauth2.authorize_url(
        oauth.facts, server, app, redirect_uri=callback, state=secrets.state, code_challenge=secrets.code_challenge
    )
    if query.login_hint:
        authorize_url += f"{'&' if '?' in authorize_url else '?'}login_hint={quote(query.login_hint, safe='')}"
    started_by = FlowStarter(
        actor=caller.actor, user_id=caller.user_id, key_id=caller.key_id, mode=caller.mode, via=request.via
    )
    expires_at = await insert_flow(
        context,
        request,
        secrets,
        base_url=server.base_url,
        authorize_url=authorize_url,
        redirect_url=query.redirect_url,
        started_by=started_by,
    )
    url = start_url(context, secrets.state)
    return Authorization(
        url=url,
        auth_url=url,
        state=secrets.state,
        platform=request.platform,
        profile_id=ids.encode("prof", request.profile_id),
        expires_at=clock.wire(expires_at),
        redirect_uri=callback,
        mode="oauth",
        fields=None,
    )
