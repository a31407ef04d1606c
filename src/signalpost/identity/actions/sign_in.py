"""Sessions: login, refresh with rotation, logout."""

from uuid import UUID

from msgspec import Struct

from signalpost.identity import callers, passwords, queries, throttle, tokens
from signalpost.identity.errors import InvalidCredentials, TokenExpired
from signalpost.identity.queries import WorkspaceRow
from signalpost.identity.schemas import LoggedIn, Login, Refreshed
from signalpost.kit import crypto, ids, problems
from signalpost.kit.crypto import KeyRing
from signalpost.kit.db import Database, Db
from signalpost.web.caller import Caller
from signalpost.web.inputs import Tools

GRACE_SECONDS = 30
"""How long a used refresh token still gives the answer it gave: for a client that lost that answer on its way."""


class Session(Struct):
    """What a client gets of a session."""

    access_token: str
    refresh_token: str
    expires_in: int = tokens.ACCESS_SECONDS


async def login(tools: Tools, wish: Login) -> LoggedIn:
    """Open a session in the workspace the user was in last.

    Raises:
        InvalidCredentials: unknown user or wrong password; nobody can tell which.
        LoginThrottled: too many failed for this e-mail address.
        Forbidden: the user is an active member of no workspace.
    """
    throttle.attempt(wish.email)
    async with tools.database.connection() as db:
        known = await queries.find_password(db, wish.email)
    stored = known.password_hash if known else None
    if not await passwords.fits(stored, wish.password) or known is None or stored is None:
        raise InvalidCredentials
    throttle.passed(wish.email)
    fresh = await passwords.hashed(wish.password) if crypto.needs_rehash(stored) else None
    async with tools.database.transaction() as db:
        if fresh:
            await db.execute(_REHASH, known.user_id, fresh, stored)
        user = await queries.read_user(db, known.user_id)
        workspaces = await queries.workspaces_of(db, known.user_id)
        at = _first(workspaces)
        session = await open_session(db, tools.keys, known.user_id, at.id, at.role)
    return LoggedIn(
        user.shown(),
        [workspace.shown(tools.settings) for workspace in workspaces],
        session.access_token,
        session.refresh_token,
        session.expires_in,
    )


_REHASH = "update app_user set password_hash = $2 where id = $1 and password_hash = $3"
_OPEN = """
with opened as (
    insert into session (id, user_id, workspace_id, expires_at) values ($1, $2, $3, now() + $5)
)
insert into refresh_token (hash, session_id, expires_at) values ($4, $1, now() + $5)
"""


async def open_session(db: Db, keys: KeyRing, user_id: UUID, workspace_id: UUID, role: str) -> Session:
    """Write a session and its first refresh token."""
    access = tokens.Access(user_id, workspace_id, ids.new_id())
    refresh_token = tokens.new_refresh_token()
    await db.execute(_OPEN, access.session_id, user_id, workspace_id, tokens.digest(refresh_token), tokens.REFRESH)
    return Session(tokens.mint(keys, access, role), refresh_token)


_LOCKED = f"""
select t.session_id, s.user_id, s.workspace_id, s.revoked_at is not null or s.expires_at <= now() as ended,
    t.expires_at <= now() as expired, t.used_at is not null as used,
    coalesce(t.used_at < now() - interval '{GRACE_SECONDS} seconds' or n.used_at is not null, false) as stolen
from refresh_token t
join session s on s.id = t.session_id
left join refresh_token n on n.hash = $2
where t.hash = $1
for update of t
"""  # noqa: S608 - a number of ours
_ROTATE = """
with used as (
    update refresh_token set used_at = now() where hash = $1
), extended as (
    update session set seen_at = now(), expires_at = now() + $4, workspace_id = $5 where id = $3
)
insert into refresh_token (hash, session_id, expires_at) values ($2, $3, now() + $4)
"""


async def refresh(database: Database, keys: KeyRing, refresh_token: str) -> Refreshed:
    """Exchange a refresh token for an access token and the next refresh token.

    A token used before ends the session: two parties hold it, and nobody knows which one is the thief. Except that a
    client whose answer got lost may ask again within 30 seconds, while nobody has used what it should have got.

    Raises:
        InvalidCredentials: the token is unknown, its session has ended, or it was used before.
        TokenExpired: it was not used for 30 days.
    """
    following = tokens.successor(keys, refresh_token)
    hash_, next_hash = tokens.digest(refresh_token), tokens.digest(following)
    async with database.transaction() as db:
        found = await db.fetchrow(_LOCKED, hash_, next_hash)
        if found is None or found["ended"]:
            raise InvalidCredentials("This session has ended. Sign in again.")
        if found["expired"]:
            raise TokenExpired("This refresh token has expired. Sign in again.")
        if not found["stolen"]:
            workspaces = await queries.workspaces_of(db, found["user_id"])
            at = next((one for one in workspaces if one.id == found["workspace_id"]), None) or _first(workspaces)
            if not found["used"]:
                await db.execute(_ROTATE, hash_, next_hash, found["session_id"], tokens.REFRESH, at.id)
            access = tokens.Access(found["user_id"], at.id, found["session_id"])
            return Refreshed(tokens.mint(keys, access, at.role), following, tokens.ACCESS_SECONDS)
        await end_session(db, found["session_id"], "refresh_token_reused")
    # Raised only here: the end of the session must be committed.
    raise InvalidCredentials("This refresh token was used before, so its session was ended. Sign in again.")


_END = "update session set revoked_at = now(), revoked_reason = $2 where id = $1 and revoked_at is null"
_END_ALL = "update session set revoked_at = now(), revoked_reason = $2 where user_id = $1 and revoked_at is null"


async def end_session(db: Db, session_id: UUID, reason: str) -> None:
    """End one session: its access tokens stop working too."""
    await db.execute(_END, session_id, reason)
    callers.forget(session_id)


async def end_sessions(db: Db, user_id: UUID, reason: str) -> None:
    """End all sessions of a user."""
    await db.execute(_END_ALL, user_id, reason)
    callers.forget(user_id)


async def logout(db: Db, caller: Caller) -> None:
    """End the caller's session.

    Raises:
        InvalidState: an API key has no session.
    """
    if caller.session_id is None:
        raise problems.InvalidState("An API key has no session. Revoke it by DELETE /api-keys/{id}.")
    await end_session(db, caller.session_id, "logout")


def _first(workspaces: list[WorkspaceRow]) -> WorkspaceRow:
    if not workspaces:
        raise problems.Forbidden("You are an active member of no workspace. Ask for an invitation.")
    return workspaces[0]
