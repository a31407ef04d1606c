"""The endpoint for tokens: a code or a refresh token for an access token; and what an app gives back itself."""

import base64
import binascii
from collections.abc import Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import unquote_plus
from uuid import UUID

from signalpost.api_keys.actions.keys import KeyTerms, create_key_for, extend_key
from signalpost.apps import queries, redirects, tokens
from signalpost.apps.actions import authorize, grants
from signalpost.apps.errors import OauthError
from signalpost.apps.queries import AppRow, GrantRow
from signalpost.apps.tokens import Authorization
from signalpost.audit.actions import record as audit
from signalpost.context import AppContext
from signalpost.identity import queries as identity_queries
from signalpost.identity import roles
from signalpost.kit import clock, crypto, ids
from signalpost.kit.crypto import ApiKeyParts
from signalpost.kit.db import Db
from signalpost.web.fields import AppId

APP_ALLOWED: Final = "allow_app"
CODE_REUSED: Final = "app_code_reused"
REFRESH_TOKEN_REUSED: Final = "app_refresh_token_reused"  # noqa: S105 - the name of an entry
GRANTS_MAX: Final = 10
"""Of one app, of one person, for one workspace: the oldest ends when there is another."""
_SPENT: Final = "This code is not valid: it was used before, is older than a minute, or is of another app."
_GONE: Final = "The grant of this refresh token has ended. Ask the person again."


class Credentials(NamedTuple):
    """How an app says who it is."""

    client_id: str
    secret: str | None
    by_header: bool


def credentials_of(form: Mapping[str, str], authorization: str) -> Credentials:
    """Return what a request says of its app: in the header (`client_secret_basic`) or in the form.

    Raises:
        OauthError: neither can be read, or it says both.
    """
    if not authorization:
        return Credentials(form.get("client_id", ""), form.get("client_secret") or None, by_header=False)
    scheme, _, value = authorization.partition(" ")
    try:
        text = base64.b64decode(value.strip(), validate=True).decode("ascii") if scheme.lower() == "basic" else None
    except (binascii.Error, ValueError):
        text = None
    if text is None:
        raise OauthError("invalid_client", "Authorization must be Basic, with client_id and secret.", status=401)
    client_id, colon, secret = text.partition(":")
    client_id, secret = unquote_plus(client_id), unquote_plus(secret)
    if not colon or "client_secret" in form or form.get("client_id", client_id) != client_id:
        raise OauthError("invalid_request", "Send client_id and client_secret once: in the header or in the form.")
    return Credentials(client_id, secret or None, by_header=True)


async def authenticated(context: AppContext, db: Db, credentials: Credentials) -> AppRow:
    """Return the app that a request comes from.

    Raises:
        OauthError: there is none, or its secret is missing or wrong.
    """
    app_id = AppId.parse(credentials.client_id)
    app = None if app_id is None else await queries.find_app(db, app_id)
    if app is None:
        raise OauthError("invalid_client", "No app has this client_id.", status=401)
    if app.auth_method == "none":
        if credentials.secret is not None:
            raise OauthError("invalid_client", "This app is public and has no secret.", status=401)
        return app
    parts = crypto.parse_api_key(credentials.secret or "")
    is_right = parts is not None and parts.prefix == tokens.SECRET_PREFIX
    if parts is None or not is_right or not tokens.is_stored(context.keys, parts, app.secret_hmac):
        raise OauthError("invalid_client", "The secret of the app is missing or wrong.", status=401)
    return app


async def redeem(context: AppContext, app: AppRow, form: Mapping[str, str], issuer: str) -> dict[str, Any]:
    """Exchange a code for tokens, once: the second time ends what the first one gave.

    Raises:
        OauthError: the code is not valid for this app, address or verifier, or the person may not allow it any more.
    """
    authorization = tokens.read_code(context.keys, form.get("code", ""))
    if authorization is None or authorization.app_id != app.id:
        raise OauthError("invalid_grant", _SPENT)
    if form.get("redirect_uri", "") != authorization.redirect_uri:
        raise OauthError("invalid_grant", "redirect_uri is not the one of the request for authorization.")
    if not tokens.answers(form.get("code_verifier", ""), authorization.challenge):
        raise OauthError("invalid_grant", "code_verifier is not the one of this code's challenge.")
    if not authorize.is_resource(form.get("resource"), issuer):
        raise OauthError("invalid_target", "resource is not served here.")
    async with context.database.transaction() as db:
        answer = await _grant(context, db, app, authorization)
    if answer is not None:
        return answer
    async with context.database.transaction() as db:
        earlier = await queries.find_grant_of_code(db, authorization.id)
        locked = None if earlier is None else await queries.lock_grant(db, earlier)
        if locked is not None:
            await grants.end_recorded(context, db, locked, why=CODE_REUSED)
    raise OauthError("invalid_grant", _SPENT)


_CLAIM: Final = "select pg_advisory_xact_lock(hashtextextended('app-code:' || $1::text, 0))"
_INSERT: Final = """
insert into app_grant (id, workspace_id, app_id, app_name, redirect_host, authorization_id, access_hmac,
    access_expires_at, created_at)
values ($1, $2, $3, $4, $5, $6, $7, now() + $8, now())
"""
_USED: Final = "update app set used_at = now() where id = $1 and coalesce(used_at < now() - interval '1 hour', true)"


async def _grant(
    context: AppContext, db: Db, app: AppRow, authorization: Authorization
) -> dict[str, Any] | None:  # fmt: skip
    """Write a grant and return its tokens; None: the code was used before."""
    await db.execute(_CLAIM, str(authorization.id))
    if await queries.find_grant_of_code(db, authorization.id) is not None:
        return None
    name = await _require_allowing(db, authorization)
    for older in await queries.older_grants(
        db, app.id, authorization.workspace_id, authorization.user_id, GRANTS_MAX - 1
    ):
        await grants.end(context, db, older)
    profile_ids = authorization.profile_ids
    key, _ = await create_key_for(
        db,
        context.keys,
        workspace_id=authorization.workspace_id,
        user_id=authorization.user_id,
        name=app.name,
        terms=KeyTerms(
            scopes=authorization.scopes,
            profile_ids=None if profile_ids is None else [*profile_ids],
            expires_at=clock.actual() + tokens.REFRESH,
        ),
        app_id=app.id,
    )
    access = tokens.new_access_token(context.keys, key.key_id)
    await db.execute(
        _INSERT, key.id, authorization.workspace_id, app.id, app.name, redirects.host_of(authorization.redirect_uri),
        authorization.id, tokens.hmacs(context.keys, access)[0], tokens.ACCESS,
    )  # fmt: skip
    await db.execute(_USED, app.id)
    actor = audit.user(authorization.user_id, name)
    subject = ids.encode("agr", key.id)
    entry = audit.Entry(workspace_id=authorization.workspace_id, action=APP_ALLOWED, actor=actor, subject=subject)
    await audit.record(db, entry)
    return _answer(access, tokens.refresh_token(context.keys, key.id, 1), authorization.scopes)


async def _require_allowing(db: Db, authorization: Authorization) -> str:
    """Ensure that the session in which the person allowed it goes on, and their role has keys; return their name."""
    session = await identity_queries.find_session_credential(
        db, authorization.session_id, authorization.user_id, authorization.workspace_id
    )
    membership = None if session is None or session.ended else session.membership
    if session is None or membership is None or membership.status != "active":
        raise OauthError("invalid_grant", "Whoever allowed this has signed out or left the workspace.")
    if "keys:write" not in roles.SCOPES_OF[membership.role]:
        raise OauthError("invalid_grant", "The role of whoever allowed this has no API keys, and so no apps.")
    return session.user_name


_ROTATE: Final = """
update app_grant set generation = generation + 1, rotated_at = now() where id = $1
"""
_NEXT_ACCESS: Final = """
update app_grant set former_hmac = access_hmac, former_expires_at = access_expires_at, access_hmac = $2,
    access_expires_at = now() + $3
where id = $1
"""


async def refresh(context: AppContext, app: AppRow, form: Mapping[str, str]) -> dict[str, Any]:
    """Exchange a refresh token for an access token and the next refresh token.

    One that was used before ends the grant: two parties have it, and it is unknown which of them is the thief. The
    exception is an app that lost the response: it may come again within 30 seconds, as long as the token that it
    should have received is unused.

    Raises:
        OauthError: the token is not of this app, was used before, or its grant has ended.
    """
    parsed = tokens.read_refresh_token(context.keys, form.get("refresh_token", ""))
    if parsed is None:
        raise OauthError("invalid_grant", "This is not a refresh token of this service.")
    grant_id, generation = parsed
    async with context.database.transaction() as db:
        grant = await queries.lock_grant(db, grant_id)
        if grant is None or grant.app_id != app.id or _has_ended(grant) or generation > grant.generation:
            raise OauthError("invalid_grant", _GONE)
        is_repeated = generation == grant.generation - 1 and grant.just_rotated
        if generation == grant.generation or is_repeated:
            scopes = _narrowed(grant, form.get("scope"))
            return await _next_tokens(context, db, grant, generation, scopes)
        await grants.end_recorded(context, db, grant, why=REFRESH_TOKEN_REUSED)
    # Raised only here: the end of the grant must be committed.
    raise OauthError(
        "invalid_grant", "This refresh token was used before, so the grant was ended. Ask the person again."
    )


def _has_ended(grant: GrantRow) -> bool:
    expires_at = grant.expires_at
    return grant.revoked_at is not None or expires_at is None or expires_at <= clock.actual()


def _narrowed(grant: GrantRow, scope: str | None) -> list[str]:
    """Return the scopes of a grant; a refresh may repeat them, and not ask for more."""
    requested, unknown = tokens.requested_scopes(scope)
    if scope and (unknown is not None or not set(requested) <= set(grant.scopes)):
        raise OauthError("invalid_scope", "A refresh token gives the scopes that the person allowed, and no others.")
    return grant.scopes


async def _next_tokens(
    context: AppContext, db: Db, grant: GrantRow, generation: int, scopes: list[str]
) -> dict[str, Any]:
    if generation == grant.generation:
        await db.execute(_ROTATE, grant.id)
    access = tokens.new_access_token(context.keys, grant.key_id)
    await db.execute(
        _NEXT_ACCESS, grant.id, tokens.hmacs(context.keys, access)[0], tokens.ACCESS
    )  # fmt: skip
    await extend_key(db, grant.id, clock.actual() + tokens.REFRESH)
    return _answer(access, tokens.refresh_token(context.keys, grant.id, generation + 1), scopes)


async def revoke(context: AppContext, app: AppRow, form: Mapping[str, str]) -> None:
    """End the grant of an access token or a refresh token (RFC 7009). What is no token of the app's changes nothing."""
    token = form.get("token", "")
    async with context.database.transaction() as db:
        grant = await _grant_of(context, db, token)
        if grant is not None and grant.app_id == app.id:
            await grants.end_recorded(context, db, grant, why=grants.APP_ENDS)


async def _grant_of(context: AppContext, db: Db, token: str) -> GrantRow | None:
    grant_id: UUID | None = None
    if (parsed := tokens.read_refresh_token(context.keys, token)) is not None:
        grant_id = parsed[0]
    parts = crypto.parse_api_key(token)
    if parts is not None and parts.prefix == tokens.ACCESS_PREFIX:
        holder = await queries.find_grant_of_key(db, parts.key_id)
        stored = () if holder is None else (holder.access_hmac, holder.former_hmac)
        if holder is not None and any(tokens.is_stored(context.keys, parts, hmac) for hmac in stored):
            grant_id = holder.id
    return None if grant_id is None else await queries.lock_grant(db, grant_id)


def _answer(access: ApiKeyParts, refresh_token: str, scopes: tuple[str, ...] | list[str]) -> dict[str, Any]:
    return {
        "access_token": access.text,
        "token_type": "Bearer",
        "expires_in": int(tokens.ACCESS.total_seconds()),
        "refresh_token": refresh_token,
        "scope": " ".join(scopes),
    }
