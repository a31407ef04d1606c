"""Sessions: login, refresh with rotation, logout."""

from uuid import UUID

from msgspec import Struct

from signalpost.context import AppContext
from signalpost.identity import passwords, queries, tokens
from signalpost.identity.caller_cache import CallerCache
from signalpost.identity.errors import InvalidCredentials, TokenExpired
from signalpost.identity.login_throttle import LoginThrottle
from signalpost.identity.queries import WorkspaceRow
from signalpost.identity.schemas import LoggedIn, Login, Refreshed
from signalpost.kit import crypto, ids, problems
from signalpost.kit.crypto import KeyRing
from signalpost.kit.db import Db
from signalpost.web.caller import Caller

GRACE_SECONDS = 30
"""How long a used refresh token still gives the answer it gave: for a client that lost that answer on its way."""


class Session(Struct):
    """What a client gets of a session."""

    access_token: str
    refresh_token: str
    expires_in: int = tokens.ACCESS_SECONDS


async def login(context: AppContext, wish: Login) -> LoggedIn:
    """Open a session in the workspace the user was in last.

    Raises:
        InvalidCredentials: unknown user or wrong password; nobody can tell which.
        LoginThrottled: too many failed for this e-mail address.
        Forbidden: the user is an active member of no workspace.
    """
    throttle = context.state(LoginThrottle)
    throttle.count_attempt(wish.email)
    async with context.database.connection() as db:
        known = await queries.find_password(db, wish.email)
    stored = known.password_hash if known else None
    if not await passwords.fits(stored, wish.password) or known is None or stored is None:
        raise InvalidCredentials
    throttle.reset(wish.email)
    fresh = await passwords.hashed(wish.password) if crypto.needs_rehash(stored) else None
    async with context.database.transaction() as db:
        if not await db.fetchval(_STILL, known.user_id, stored):  # a new password was chosen meanwhile
            raise InvalidCredentials
        if fresh:
            await db.execute(_REHASH, known.user_id, fresh, stored)
        user = await queries.read_user(db, known.user_id)
        workspaces = await queries.workspaces_of(db, known.user_id)
        at = _first(workspaces)
        session = await open_session(db, context.keys, known.user_id, at.id, at.role)
    return LoggedIn(
        user.shown(),
        [workspace.shown(context.settings) for workspace in workspaces],
        session.access_token,
        session.refresh_token,
        session.expires_in,
    )


_STILL = "select true from app_user where id = $1 and password_hash = $2 for share"
_REHASH = "update app_user set password_hash = $2 where id = $1 and password_hash = $3"
_OPEN = "insert into session (id, user_id, workspace_id, expires_at) values ($1, $2, $3, now() + $4)"


async def open_session(db: Db, keys: KeyRing, user_id: UUID, workspace_id: UUID, role: str) -> Session:
    """Write a session and return its first tokens."""
    access = tokens.Access(user_id, workspace_id, ids.new_id())
    await db.execute(_OPEN, access.session_id, user_id, workspace_id, tokens.REFRESH)
    return Session(tokens.mint(keys, access, role), tokens.refresh_token(keys, access.session_id, 0))


_LOCKED = f"""
select user_id, workspace_id, generation, revoked_at is not null as revoked, expires_at <= now() as expired,
    coalesce(rotated_at > now() - interval '{GRACE_SECONDS} seconds', false) as just_rotated
from session where id = $1 for update
"""  # noqa: S608 - a number of ours
_ROTATE = """
update session set generation = generation + 1, rotated_at = now(), expires_at = now() + $2, workspace_id = $3
where id = $1
"""


async def refresh(context: AppContext, refresh_token: str) -> Refreshed:
    """Exchange a refresh token for an access token and the next refresh token.

    A token used before ends the session: two parties hold it, and nobody knows which one is the thief. Except that a
    client whose answer got lost may ask again within 30 seconds, while nobody has used what it should have got.

    Raises:
        InvalidCredentials: it is no token of ours, its session has ended, or it was used before.
        TokenExpired: the session was not used for 30 days.
    """
    known = tokens.read_refresh_token(context.keys, refresh_token)
    if known is None:
        raise InvalidCredentials("This is no refresh token of this service.")
    session_id, generation = known
    async with context.database.transaction() as db:
        found = await db.fetchrow(_LOCKED, session_id)
        if found is None or found["revoked"] or generation > found["generation"]:
            raise InvalidCredentials("This session has ended. Sign in again.")
        if found["expired"]:
            raise TokenExpired("This session was not used for 30 days. Sign in again.")
        current = generation == found["generation"]
        if current or (generation == found["generation"] - 1 and found["just_rotated"]):
            workspaces = await queries.workspaces_of(db, found["user_id"])
            at = next((one for one in workspaces if one.id == found["workspace_id"]), None) or _first(workspaces)
            if current:
                await db.execute(_ROTATE, session_id, tokens.REFRESH, at.id)
            access = tokens.mint(context.keys, tokens.Access(found["user_id"], at.id, session_id), at.role)
            following = tokens.refresh_token(context.keys, session_id, generation + 1)
            return Refreshed(access, following, tokens.ACCESS_SECONDS)
        await end_session(context, db, session_id, "refresh_token_reused")
    # Raised only here: the end of the session must be committed.
    raise InvalidCredentials("This refresh token was used before, so its session was ended. Sign in again.")


_END = "update session set revoked_at = now(), revoked_reason = $2 where id = $1 and revoked_at is null"
_END_ALL = "update session set revoked_at = now(), revoked_reason = $2 where user_id = $1 and revoked_at is null"


async def end_session(context: AppContext, db: Db, session_id: UUID, reason: str) -> None:
    """End one session: its access tokens stop working too."""
    await db.execute(_END, session_id, reason)
    context.state(CallerCache).invalidate(session_id)


async def end_sessions(context: AppContext, db: Db, user_id: UUID, reason: str) -> None:
    """End all sessions of a user."""
    await db.execute(_END_ALL, user_id, reason)
    context.state(CallerCache).invalidate(user_id)


async def logout(context: AppContext, db: Db, caller: Caller) -> None:
    """End the caller's session.

    Raises:
        InvalidState: an API key has no session.
    """
    if caller.session_id is None:
        raise problems.InvalidState("An API key has no session. Revoke it by DELETE /api-keys/{id}.")
    await end_session(context, db, caller.session_id, "logout")


def _first(workspaces: list[WorkspaceRow]) -> WorkspaceRow:
    if not workspaces:
        raise problems.Forbidden("You are an active member of no workspace. Ask for an invitation.")
    return workspaces[0]
