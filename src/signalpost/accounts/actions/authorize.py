"""The first half of the authorization flow: from a caller's request to the address of our start page."""

from datetime import datetime
from urllib.parse import quote

from msgspec import Struct, structs

from signalpost.accounts import queries, views
from signalpost.accounts.actions.connect_request import (
    ConnectRequest,
    find_unknown_ids,
    no_response_problem,
    refused_problem,
)
from signalpost.accounts.actions.network_apps import get_or_register_app
from signalpost.accounts.actions.oauth_flows import FlowSecrets, FlowStarter, insert_flow
from signalpost.accounts.platforms import oauth_of, redirect_uri, require_connector, server_of, start_url
from signalpost.accounts.queries import AccountRow
from signalpost.accounts.schemas import Authorization, AuthUrlQuery
from signalpost.context import AppContext
from signalpost.kit import clock, crypto, ids, problems
from signalpost.kit.db import Db
from signalpost.kit.http import HttpFailure, UnknownHost, UnsafeUrl, parse_url
from signalpost.kit.problems import Issue
from signalpost.networks import oauth2
from signalpost.networks.contract import ApiError, Connector, OAuthApp, Server
from signalpost.web.caller import Caller

_ALLOWED = "select $2 = any(redirect_urls) from workspace where id = $1"


class BegunFlow(Struct, frozen=True, kw_only=True):
    """A flow that was stored; its start page is `platforms.start_url(context, state)`."""

    state: str
    expires_at: datetime
    redirect_uri: str | None
    """Where the platform sends people back to; None: they fill in a form of ours."""


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
    oauth = oauth_of(context, connector)
    if oauth is None:
        return _credential_form(connector, query)
    request = ConnectRequest.of(caller, connector, profile_id=query.profile_id, account_id=query.account_id)
    started_by = FlowStarter(
        actor=caller.actor, user_id=caller.user_id, key_id=caller.key_id, mode=caller.mode, via=request.via
    )
    flow = await begin_flow(
        context,
        connector,
        request,
        started_by,
        server=await find_server(context, connector, query.instance_url, account),
        redirect_url=query.redirect_url,
        login_hint=query.login_hint or (account.remote_id if account and oauth.pushed else None),
    )
    url = start_url(context, flow.state)
    return Authorization(
        url=url,
        auth_url=url,
        state=flow.state,
        platform=request.platform,
        profile_id=ids.encode("prof", request.profile_id),
        expires_at=clock.wire(flow.expires_at),
        redirect_uri=flow.redirect_uri,
        mode="oauth",
        fields=views.credential_fields(connector) if oauth.pushed else None,
    )


async def begin_flow(
    context: AppContext,
    connector: Connector,
    request: ConnectRequest,
    started_by: FlowStarter,
    *,
    server: Server | None,
    redirect_url: str | None = None,
    login_hint: str | None = None,
) -> BegunFlow:
    """Store a flow whose start page leads to the platform or, where that takes credentials, shows their form.

    Args:
        context: of the process.
        connector: of the platform.
        request: who connects what.
        started_by: as the flow stores it.
        server: to authorize at, see `find_server`; None for a platform that takes credentials.
        redirect_url: where the browser goes afterwards.
        login_hint: fills in the name at the platform.

    Raises:
        PlatformNotConfigured: the operator's app credentials are missing.
        PlatformError, PlatformTimeout: the server does not register an app.
    """
    secrets, callback, authorize_url = FlowSecrets.new(context.keys.cell), None, ""
    if connector.oauth is not None and server is not None:
        app = await _app(context, connector, server)
        callback = redirect_uri(context.fixed_url, connector, server.base_url)
        if connector.oauth.pushed is not None:  # by the click on the start page: such requests live for minutes
            authorize_url = server.base_url
            notes = {"seed": crypto.random_token(), "loginHint": login_hint or ""}
            secrets = structs.replace(secrets, notes=notes)
        else:
            authorize_url = oauth2.authorize_url(
                connector.oauth.facts_for(app),
                server,
                app,
                redirect_uri=callback,
                state=secrets.state,
                code_challenge=secrets.code_challenge,
            )
            if login_hint:
                authorize_url += f"{'&' if '?' in authorize_url else '?'}login_hint={quote(login_hint, safe='')}"
    expires_at = await insert_flow(
        context,
        request,
        secrets,
        base_url=server.base_url if server else "",
        authorize_url=authorize_url,
        redirect_url=redirect_url,
        started_by=started_by,
    )
    return BegunFlow(state=secrets.state, expires_at=expires_at, redirect_uri=callback)


async def _check(db: Db, caller: Caller, connector: Connector, query: AuthUrlQuery) -> AccountRow | None:
    """Check the ids and the redirect URL; return the account to connect again, if one is named."""
    unknown = await find_unknown_ids(
        db, caller, connector.facts.key, profile_id=query.profile_id, account_id=query.account_id, pointer=""
    )
    if unknown:
        raise problems.NotFound(errors=unknown)
    await require_listed(db, caller, query.redirect_url, path="redirectUrl")
    return None if query.account_id is None else await queries.find_mine(db, caller, query.account_id)


async def require_listed(db: Db, caller: Caller, redirect_url: str | None, *, path: str) -> None:
    """Ensure that an address is exactly one of the workspace's `redirectUrls`; None is none.

    Raises:
        ValidationFailed: it is not; the issue is at `path`.
    """
    if redirect_url is not None and not await db.fetchval(_ALLOWED, caller.workspace_id, redirect_url):
        raise problems.invalid(
            path,
            "not_allowed",
            "This address is not one of the workspace's redirectUrls. An owner can add it: PATCH /workspaces/{id}.",
        )


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


async def find_server(
    context: AppContext, connector: Connector, instance_url: str | None, account: AccountRow | None = None
) -> Server:
    """Return the server to authorize at: the one that was named, else that of the account, else the network's.

    Raises:
        ValidationFailed: the platform has many servers, and none was named.
        HostNotFound, UnsafeAddress: the server cannot be used.
    """
    base_url = None
    if connector.oauth is not None and (connector.oauth.own_server or connector.oauth.pushed):
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
