"""Sessions: sign in, refresh with rotation, sign out."""

from uuid import UUID

from msgspec import Struct

from signalpost.audit.actions import record as audit
from signalpost.context import AppContext
from signalpost.identity import offspring, passwords, queries, tokens, views
from signalpost.identity.actions.second_factor import check_code
from signalpost.identity.caller_cache import CallerCache
from signalpost.identity.errors import InvalidCredentials, TokenExpired, password_help
from signalpost.identity.login_throttle import LoginThrottle
from signalpost.identity.queries import PasswordRow, WorkspaceRow
from signalpost.identity.schemas import Login, Tokens, UserLogin
from signalpost.kit import crypto, ids, log, problems
from signalpost.kit.crypto import KeyRing
from signalpost.kit.db import Db
from signalpost.kit.rows import columns, reader
from signalpost.web.caller import Caller

GRACE_SECONDS = 30
"""How long a used refresh token still returns the same response: for a client that did not receive it."""

USER_AGENT_MAX = 300
"""So many characters are kept of what a client calls itself."""

# Not `for share`: who joins a workspace changes the user afterwards, and two who did so would wait for each other.
_PASSWORD_UNCHANGED = "select true from app_user where id = $1 and password_hash = $2 for no key update"  # noqa: S105 - SQL
_REHASH = "update app_user set password_hash = $2 where id = $1 and password_hash = $3 returning true"
_INSERT = """
insert into session (id, user_id, workspace_id, address, expires_at, second_factor, user_agent)
values ($1, $2, $3, $4, now() + $5, $6, $7)
"""


async def login(context: AppContext, data: UserLogin, address: str) -> Login:
    """Open a session in the workspace that the user used last.

    An address from which the user signed in lately is judged by the password, whatever others guess meanwhile.

    Raises:
        InvalidCredentials: the user is unknown or the password is wrong; the response does not tell which.
        SecondFactorRequired: the password is right, and the user has a second factor.
        LoginThrottled: too many sign-ins failed for this e-mail address, from there or from everywhere.
        Forbidden: the user is not an active member of any workspace.
    """
    row, stored = await check_credentials(context, data.email, data.password, data.code, address)
    async with context.database.transaction() as db:
        await require_unchanged(context, db, row.user_id, stored)
        return await sign_in(context, db, row.user_id, address, "login")


async def sign_in(
    context: AppContext, db: Db, user_id: UUID, address: str, action: str, *, second_factor: bool = False
) -> Login:
    """Open a session for a user who has proved who they are; history calls it `action`.

    `second_factor`: whether someone else whom the operator trusts asked for one.

    Raises:
        Forbidden: the user is not an active member of any workspace.
    """
    user = await queries.read_user(db, user_id)
    workspaces = await queries.workspaces_of(db, user_id)
    current = _first(workspaces)
    opened = await open_session(
        db, context.keys, user_id, current.id, current.role, address, second_factor=second_factor
    )
    await _record(db, current.id, user_id, user.name, action)
    return Login(
        user=views.user(user),
        workspaces=[views.workspace(context.settings, workspace) for workspace in workspaces],
        access_token=opened.access_token,
        refresh_token=opened.refresh_token,
        expires_in=opened.expires_in,
    )


async def check_credentials(
    context: AppContext, email: str, password: str, code: str | None, address: str
) -> tuple[PasswordRow, str]:
    """Return the user with this address, password and second factor, and the hash of the password.

    Raises:
        InvalidCredentials, SecondFactorRequired, LoginThrottled: see `login`.
    """
    throttle = context.state(LoginThrottle)
    refusal = await throttle.count_attempt(context.database, email, address)
    async with context.database.connection() as db:
        row = await queries.find_password(db, email, address)
    if refusal is not None and not (row and row.knows_address):
        raise refusal
    stored = row.password_hash if row else None
    if not await passwords.verify_password(stored, password) or row is None or stored is None:
        if row is not None and throttle.is_worth_recording(email):
            await _record_failure(context, row.user_id)
        raise _wrong_password(context)
    if row.totp_enabled:
        try:
            await check_code(context, row.user_id, code)
        except InvalidCredentials:
            if throttle.is_worth_recording(email):
                await _record_failure(context, row.user_id)
            raise
    await throttle.forgive(context.database, email, address)  # not before: who knows only the password guesses codes
    if crypto.needs_rehash(stored):
        stored = await _rehash(context, row.user_id, email, password, stored)
    return row, stored


async def _rehash(context: AppContext, user_id: UUID, email: str, password: str, stored: str) -> str:
    """Store another hash of the same password; return the one that counts now.

    A user who signs in twice at once, as with a second press of the button, does this twice.

    Raises:
        InvalidCredentials: another password was chosen meanwhile.
    """
    renewed = await passwords.hash_password(password)
    async with context.database.transaction() as db:
        if await db.fetchval(_REHASH, user_id, renewed, stored):
            return renewed
    async with context.database.connection() as db:
        row = await queries.find_password(db, email, "")
    if row is None or row.password_hash is None or not await passwords.verify_password(row.password_hash, password):
        raise _wrong_password(context)
    return row.password_hash


async def require_unchanged(context: AppContext, db: Db, user_id: UUID, password_hash: str) -> None:
    """Ensure that the password which was checked is still the user's, until the transaction ends.

    Raises:
        InvalidCredentials: another one was chosen meanwhile.
    """
    if not await db.fetchval(_PASSWORD_UNCHANGED, user_id, password_hash):
        raise _wrong_password(context)


async def find_user(
    context: AppContext, email: str, password: str | None, code: str | None, address: str
) -> tuple[UUID, str] | None:
    """Return the user with this address and the hash of the password; None if there is no such user.

    Raises:
        InvalidCredentials, SecondFactorRequired: one of them is wrong or missing.
        LoginThrottled: too many were wrong.
    """
    async with context.database.connection() as db:
        if await queries.find_password(db, email, address) is None:
            return None
    row, stored = await check_credentials(context, email, password or "", code, address)
    return row.user_id, stored


async def _record(db: Db, workspace_id: UUID, user_id: UUID, name: str | None, action: str) -> None:
    actor = audit.user(user_id, name)
    await audit.record(db, audit.Entry(workspace_id=workspace_id, action=action, actor=actor, subject=actor.id))


async def record_in_workspaces(db: Db, user_id: UUID, action: str) -> None:
    """Write into the history of each of the user's workspaces that something happened to the user."""
    for workspace in await queries.workspaces_of(db, user_id):
        await _record(db, workspace.id, user_id, None, action)


async def _record_failure(context: AppContext, user_id: UUID) -> None:
    async with context.database.transaction() as db:
        await record_in_workspaces(db, user_id, "login_failed")


async def open_session(
    db: Db, keys: KeyRing, user_id: UUID, workspace_id: UUID, role: str, address: str, *, second_factor: bool = False
) -> Tokens:
    """Write a session that was opened from this address, and return its first tokens."""
    session = tokens.Access(user_id=user_id, workspace_id=workspace_id, session_id=ids.new_id())
    values = (session.session_id, user_id, workspace_id, address, tokens.REFRESH, second_factor, _user_agent())
    await db.execute(_INSERT, *values)
    return Tokens(
        access_token=tokens.mint(keys, session, role),
        refresh_token=tokens.refresh_token(keys, session.session_id, 0),
        expires_in=tokens.ACCESS_SECONDS,
    )


def _user_agent() -> str | None:
    text = log.user_agent.get()[:USER_AGENT_MAX].decode("ascii", "replace")
    return "".join(character for character in text if character.isprintable()).strip() or None


class _SessionRow(Struct):
    user_id: UUID
    workspace_id: UUID
    generation: int
    revoked: bool
    expired: bool
    just_rotated: bool


_SESSION_COLUMNS = columns(
    _SessionRow,
    revoked="revoked_at is not null",
    expired="expires_at <= now()",
    just_rotated=f"coalesce(rotated_at > now() - interval '{GRACE_SECONDS} seconds', false)",
)
_LOCK = f"select {_SESSION_COLUMNS} from session where id = $1 for update"  # noqa: S608 - columns of a struct
_ROTATE = """
update session set generation = generation + 1, rotated_at = now(), expires_at = now() + $2, workspace_id = $3
where id = $1
"""
_read_session = reader(_SessionRow)


async def refresh(context: AppContext, refresh_token: str) -> Tokens:
    """Exchange a refresh token for an access token and the next refresh token.

    A token that was used before ends the session: two parties have it, and it is unknown which of them is the thief.
    The exception is a client that lost the response: it may ask again within 30 seconds, as long as the token that it
    should have received is unused.

    Raises:
        InvalidCredentials: the token is not ours, its session has ended, or it was used before.
        TokenExpired: the session was not used for 30 days.
    """
    parsed = tokens.read_refresh_token(context.keys, refresh_token)
    if parsed is None:
        raise InvalidCredentials("This is not a refresh token of this service.")
    session_id, generation = parsed
    async with context.database.transaction() as db:
        record = await db.fetchrow(_LOCK, session_id)
        row = _read_session(record) if record else None
        if row is None or row.revoked or generation > row.generation:
            raise InvalidCredentials("This session has ended. Sign in again.")
        if row.expired:
            raise TokenExpired("This session was not used for 30 days. Sign in again.")
        if generation == row.generation or (generation == row.generation - 1 and row.just_rotated):
            return await _next_tokens(context, db, row, session_id, generation)
        await end_session(context, db, session_id, "refresh_token_reused")
        await offspring.end_of_session(db, session_id)
        await _record(db, row.workspace_id, row.user_id, None, "refresh_token_reused")
    # Raised only here: the end of the session must be committed.
    raise InvalidCredentials("This refresh token was used before, so its session was ended. Sign in again.")


async def _next_tokens(context: AppContext, db: Db, row: _SessionRow, session_id: UUID, generation: int) -> Tokens:
    workspaces = await queries.workspaces_of(db, row.user_id)
    same = (workspace for workspace in workspaces if workspace.id == row.workspace_id)
    current = next(same, None) or _first(workspaces)
    if generation == row.generation:
        await db.execute(_ROTATE, session_id, tokens.REFRESH, current.id)
    await _record(db, current.id, row.user_id, None, "refresh")
    session = tokens.Access(user_id=row.user_id, workspace_id=current.id, session_id=session_id)
    return Tokens(
        access_token=tokens.mint(context.keys, session, current.role),
        refresh_token=tokens.refresh_token(context.keys, session_id, generation + 1),
        expires_in=tokens.ACCESS_SECONDS,
    )


_END = "update session set revoked_at = now(), revoked_reason = $2 where id = $1 and revoked_at is null"
_END_ALL = """
update session set revoked_at = now(), revoked_reason = $2
where user_id = $1 and revoked_at is null and id is distinct from $3
returning id
"""


_FORGET_DEVICES = "delete from push_device where session_id = any($1)"


async def end_session(context: AppContext, db: Db, session_id: UUID, reason: str) -> None:
    """End one session, including its access tokens."""
    await db.execute(_END, session_id, reason)
    await db.execute(_FORGET_DEVICES, [session_id])
    context.state(CallerCache).invalidate(session_id)


async def end_sessions(
    context: AppContext, db: Db, user_id: UUID, reason: str, *, but: UUID | None = None
) -> list[UUID]:
    """End all sessions of a user, `but` this one; return their ids."""
    ended = [record["id"] for record in await db.fetch(_END_ALL, user_id, reason, but)]
    await db.execute(_FORGET_DEVICES, ended)
    context.state(CallerCache).invalidate(user_id)
    return ended


def session_cookie(context: AppContext, access_token: str) -> str:
    """Return what a browser stores to stay in the session that this access token is of.

    Raises:
        Unauthenticated: it is not an access token of this service.
    """
    access = tokens.read(context.keys, access_token)
    if access is None:
        raise problems.Unauthenticated("This is not an access token of this service.")
    return tokens.cookie_token(context.keys, access)


async def end_session_of_cookie(context: AppContext, cookie: str) -> None:
    """End the session of a browser; nothing happens if it has ended."""
    access = tokens.read_cookie_token(context.keys, cookie)
    if access is not None:
        async with context.database.transaction() as db:
            await end_session(context, db, access.session_id, "logout")


async def logout(context: AppContext, db: Db, caller: Caller) -> None:
    """End the caller's session.

    Raises:
        InvalidState: an API key has no session.
    """
    if caller.session_id is None:
        raise problems.InvalidState(
            "An API key has no session to end.", remediation="Revoke the key: `DELETE /api-keys/{id}`."
        )
    await end_session(context, db, caller.session_id, "logout")


def _wrong_password(context: AppContext) -> InvalidCredentials:
    """Return the same for an unknown user and for a wrong password."""
    return InvalidCredentials(
        "The e-mail address or the password is wrong.", remediation=f"Check both. {password_help(context.settings)}"
    )


def _first(workspaces: list[WorkspaceRow]) -> WorkspaceRow:
    if not workspaces:
        raise problems.Forbidden(
            "You are not an active member of any workspace.", remediation="Ask a workspace's owner for an invitation."
        )
    return workspaces[0]


_LATELY = "select created_at > now() - interval '15 minutes' from session where id = $1"


async def signed_in_lately(db: Db, session_id: UUID) -> bool:
    """Whether the session began in the last 15 minutes; renewing its tokens does not count."""
    return bool(await db.fetchval(_LATELY, session_id))
