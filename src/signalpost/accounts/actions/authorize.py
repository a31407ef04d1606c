"""The authorization flow: a one-time state of ten minutes, PKCE, and a return that trusts nothing it is told."""

import base64
import hashlib
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import quote, urlsplit
from uuid import UUID

from signalpost import networks
from signalpost.accounts import queries
from signalpost.accounts.actions import apps, upsert
from signalpost.accounts.actions.connect import connect_request, connector_of, lost, refused
from signalpost.accounts.actions.upsert import ConnectRequest
from signalpost.accounts.errors import OauthStateInvalid, PlatformNotConfigured
from signalpost.accounts.platforms import form_of, redirect_uri
from signalpost.accounts.queries import AccountRow
from signalpost.accounts.schemas import Authorization, AuthUrlQuery, CallbackQuery, CallbackResult
from signalpost.accounts.token_store import server_of
from signalpost.context import AppContext
from signalpost.identity.roles import SCOPES_OF
from signalpost.kit import clock, crypto, ids, log, problems
from signalpost.kit.crypto import Undecipherable
from signalpost.kit.db import Db
from signalpost.kit.http import HttpFailure, UnsafeUrl
from signalpost.kit.problems import Issue
from signalpost.networks.contract import (
    ApiError,
    BadCredentials,
    Connector,
    Identity,
    InvalidField,
    OAuth,
    OAuthApp,
    Server,
)
from signalpost.web.caller import Caller

FLOW = timedelta(minutes=10)

_ALLOWED = "select $2 = any(redirect_urls) from workspace where id = $1"
_BEGIN = """
insert into oauth_flow (state_hash, workspace_id, profile_id, platform, account_id, base_url, redirect_url,
    code_verifier, started_by, created_at, expires_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, now(), now() + $10::interval)
returning expires_at
"""
# The state is spent by the first request that shows it, whatever becomes of that request.
_SPEND = """
update oauth_flow set used_at = now()
where state_hash = $1 and platform = $2 and used_at is null and expires_at > now()
returning workspace_id, profile_id, platform, account_id, base_url, redirect_url, code_verifier, started_by
"""
_STARTER = """
select m.role, m.profile_ids from member m
where m.workspace_id = $1 and m.user_id = $2 and m.status = 'active' and ($3::uuid is null or exists (
    select from api_key k where k.id = $3 and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())))
"""
_logger = log.get("accounts")


@dataclass(frozen=True, slots=True)
class Flow:
    """An authorization under way, as `start` wrote it."""

    workspace_id: UUID
    profile_id: UUID
    platform: str
    account_id: UUID | None
    base_url: str
    redirect_url: str | None
    code_verifier: bytes
    started_by: dict[str, Any]


async def start(context: AppContext, caller: Caller, platform: str, query: AuthUrlQuery) -> Authorization:
    """Begin an authorization, or name the fields of a platform that takes credentials instead.

    Raises:
        ValidationFailed: a profile or account is not known, redirectUrl is not on the workspace's list, or the platform
            needs to know the server.
        PlatformNotConfigured: the operator's app credentials are missing.
    """
    connector = connector_of(caller, platform)
    async with context.database.connection() as db:
        request, findings = await connect_request(db, caller, connector, query.profile_id, query.account_id)
        if query.redirect_url is not None and not await db.fetchval(_ALLOWED, caller.workspace_id, query.redirect_url):
            findings.append(Issue("redirectUrl", "not_allowed", "This address is not on the workspace's list."))
        known = await queries.find_mine(db, caller, request.account_id) if request and request.account_id else None
    if findings or request is None:
        raise problems.ValidationFailed(errors=findings)
    if connector.oauth is None:
        return _form(connector, query)
    server = await _server(context, connector, query.instance_url, known)
    app = await _app(context, connector, server)
    return await _begin(context, caller, connector.oauth, request, server, app, query)


async def finish(context: AppContext, platform: str, query: CallbackQuery) -> tuple[CallbackResult, str | None]:
    """Take a person who comes back from a platform: spend the state, exchange the code, store the account.

    Returns:
        What became of it, and the address to move on to if one was asked for.

    Raises:
        OauthStateInvalid: the state is unknown, used, too old, or belongs to another platform.
    """
    slug = networks.canonical(platform)
    if slug is None:
        raise problems.invalid("platform", "not_allowed", "There is no such platform.")
    if query.code is None and query.error is None:
        raise problems.invalid("code", "required", "Either code or error is required.")
    async with context.database.transaction() as db:
        row = await db.fetchrow(_SPEND, _hash(query.state), slug)
    if row is None:
        raise OauthStateInvalid
    flow = Flow(*row)
    if query.error is not None:
        result = CallbackResult("failed", error=query.error, error_description=query.error_description)
    else:
        result = await _connected(context, flow, query.code or "", _hash(query.state))
    result.log_id = query.logid
    _logger.info("account.authorized", platform=slug, status=result.status, workspace=str(flow.workspace_id))
    return result, flow.redirect_url


def _form(connector: Connector, query: AuthUrlQuery) -> Authorization:
    return Authorization(
        url=None,
        auth_url=None,
        state=None,
        platform=connector.facts.key,
        profile_id=query.profile_id,
        expires_at=None,
        redirect_uri=None,
        mode="credentials",
        fields=form_of(connector),
    )


async def _server(context: AppContext, connector: Connector, given: str | None, known: AccountRow | None) -> Server:
    """Return the server to authorize at: the one the caller names, else that of the account, else the network's."""
    assert connector.oauth is not None  # noqa: S101 - checked by the caller
    own = None
    if connector.oauth.own_server:
        own = _origin_of_address(given) if given else known.base_url if known else None
    server = server_of(context, connector, own)
    if not server.base_url:
        raise problems.invalid("instanceUrl", "required", "Name the server, for example mastodon.social.")
    try:
        await context.http.check_url(server.base_url, trusted=server.trusted)
    except UnsafeUrl as failure:
        raise problems.UnsafeAddress(
            failure.detail, errors=[Issue("instanceUrl", "not_allowed", failure.detail)]
        ) from None
    return server


def _origin_of_address(given: str) -> str:
    """Return scheme and host of what a person calls their server: `mastodon.social`, or any address of it."""
    given = given.strip()
    try:
        parts = urlsplit(given if "://" in given else f"https://{given.rpartition('@')[2]}")
    except ValueError:
        parts = urlsplit("")
    if not parts.netloc or "@" in parts.netloc:
        raise problems.invalid("instanceUrl", "format", "Name the server, for example mastodon.social.")
    return f"{parts.scheme}://{parts.netloc.lower()}"


async def _app(context: AppContext, connector: Connector, server: Server) -> OAuthApp:
    try:
        return await apps.app_at(context, connector, server)
    except ApiError as error:
        raise refused(connector, error) from None
    except HttpFailure as failure:
        raise lost(connector, failure, chosen=not server.trusted) from None


async def _begin(
    context: AppContext,
    caller: Caller,
    oauth: OAuth,
    request: ConnectRequest,
    server: Server,
    app: OAuthApp,
    query: AuthUrlQuery,
) -> Authorization:
    state, verifier = crypto.random_token(), crypto.random_token()
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
    back = redirect_uri(context.base_url, request.platform)
    url = oauth.authorize_url(server, app, redirect_uri=back, state=state, code_challenge=challenge)
    if query.login_hint:
        url += f"{'&' if '?' in url else '?'}login_hint={quote(query.login_hint, safe='')}"
    started_by = {
        "actor": caller.actor,
        "user_id": str(caller.user_id),
        "key_id": str(caller.key_id) if caller.key_id else None,
        "mode": caller.mode,
        "via": request.via,
    }
    sealed = context.keys.seal(verifier.encode(), context=_context(_hash(state), request.workspace_id))
    async with context.database.transaction() as db:
        expires_at = await db.fetchval(
            _BEGIN,
            _hash(state),
            request.workspace_id,
            request.profile_id,
            request.platform,
            request.account_id,
            server.base_url,
            query.redirect_url,
            sealed,
            started_by,
            FLOW,
        )
    return Authorization(
        url=url,
        auth_url=url,
        state=state,
        platform=request.platform,
        profile_id=ids.encode("prof", request.profile_id),
        expires_at=clock.wire(expires_at),
        redirect_uri=back,
        mode="oauth",
        fields=None,
    )


async def _connected(context: AppContext, flow: Flow, code: str, state_hash: bytes) -> CallbackResult:
    """Return the connected account, or why there is none. Whatever fails here is the person's to read: status 200."""
    connector = networks.get(flow.platform)
    if connector is None or connector.oauth is None:
        return _failed(PlatformNotConfigured())
    try:
        async with context.database.connection() as db:
            await _ensure_may_connect(db, flow)
        identity = await _exchange(context, connector, connector.oauth, flow, code, state_hash)
        request = ConnectRequest(
            workspace_id=flow.workspace_id,
            profile_id=flow.profile_id,
            platform=flow.platform,
            via=flow.started_by["via"],
            mode=flow.started_by["mode"],
            account_id=flow.account_id,
        )
        async with context.database.transaction() as db:
            await _ensure_may_connect(db, flow)
            row = await upsert.upsert_account(db, context, request, identity)
            return CallbackResult("connected", account=(await queries.shown(db, [row]))[0])
    except problems.Problem as problem:
        if problem.status >= 500 and not problem.retryable:
            raise
        return _failed(problem)


async def _exchange(
    context: AppContext, connector: Connector, oauth: OAuth, flow: Flow, code: str, state_hash: bytes
) -> Identity:
    try:
        verifier = context.keys.open(flow.code_verifier, context=_context(state_hash, flow.workspace_id)).decode()
    except Undecipherable:
        raise OauthStateInvalid from None
    server = server_of(context, connector, flow.base_url)
    back = redirect_uri(context.base_url, flow.platform)
    try:
        app = await apps.app_at(context, connector, server)
        return await oauth.exchange(server, app, redirect_uri=back, code=code, code_verifier=verifier)
    except (BadCredentials, InvalidField) as error:
        raise problems.invalid("code", "not_allowed", str(error)) from None
    except ApiError as error:
        await apps.forget_if_unknown(context, connector, server.base_url, error)
        raise refused(connector, error) from None
    except HttpFailure as failure:
        raise lost(connector, failure, chosen=not server.trusted) from None


async def _ensure_may_connect(db: Db, flow: Flow) -> None:
    """HealthCheck again at who began: a removed or demoted member, or a revoked key, ends nothing any more.

    Raises:
        Forbidden: they may not connect accounts to this profile any more.
    """
    by = flow.started_by
    row = await db.fetchrow(
        _STARTER, flow.workspace_id, UUID(by["user_id"]), UUID(by["key_id"]) if by["key_id"] else None
    )
    sees = row is not None and (row["profile_ids"] is None or flow.profile_id in row["profile_ids"])
    if row is None or not sees or "accounts:write" not in SCOPES_OF[row["role"]]:
        raise problems.Forbidden("Whoever began this may not connect accounts here any more.")


def _failed(problem: problems.Problem) -> CallbackResult:
    return CallbackResult("failed", error=problem.code, error_description=problem.detail)


def _hash(state: str) -> bytes:
    return hashlib.sha256(state.encode("utf-8", "replace")).digest()


def _context(state_hash: bytes, workspace_id: UUID) -> str:
    return f"oauth_flow.code_verifier|{state_hash.hex()}|{workspace_id}"
