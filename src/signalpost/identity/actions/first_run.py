"""The first owner: while there is no user, `serve` prints a link that is valid for 30 minutes and creates one owner.

Users of demo workspaces do not count: nobody can sign in as one.
"""

from signalpost.context import AppContext
from signalpost.identity import passwords, tokens
from signalpost.identity.actions.sign_up import NewWorkspace, create_user, create_workspace, validate_owner
from signalpost.identity.errors import InvalidCredentials
from signalpost.kit import cells, crypto
from signalpost.kit.crypto import KeyRing
from signalpost.kit.db import Db
from signalpost.kit.tenant import across_workspaces

_USERS = "select from app_user where password_hash is not null"
_ISSUE = f"""
insert into one_time_token (hash, purpose, expires_at)
select $1, 'first_run', now() + interval '30 minutes' where not exists ({_USERS})
returning true
"""
_VALID = f"""
select true from one_time_token where hash = $1 and purpose = 'first_run' and used_at is null and expires_at > now()
    and not exists ({_USERS})
"""  # noqa: S608 - a constant of ours
_LOCK = "select pg_advisory_xact_lock(hashtextextended('first_run', 0))"
_REDEEM = f"""
update one_time_token set used_at = now()
where hash = $1 and purpose = 'first_run' and used_at is null and expires_at > now()
    and not exists ({_USERS})
returning true
"""  # noqa: S608 - a constant of ours


async def issue_token(keys: KeyRing, db: Db) -> str | None:
    """Return a token for the first-run page, or None if there is a user already."""
    token = cells.with_name(keys.cell, crypto.random_token())
    return token if await db.fetchval(_ISSUE, tokens.digest(token)) else None


async def has_no_users(db: Db) -> bool:
    """Whether the service still waits for its first user."""
    return bool(await db.fetchval(f"select not exists ({_USERS})"))


async def is_valid(db: Db, token: str) -> bool:
    """Whether the page may be shown for this token."""
    return bool(await db.fetchval(_VALID, tokens.digest(token)))


async def redeem(
    context: AppContext, token: str, *, email: str, password: str, workspace_name: str, locale: str | None = None
) -> NewWorkspace:
    """Create the first owner. Their browser knows the time zone, and the console sets it.

    Raises:
        InvalidCredentials: the token is unknown, used or expired, or there is a user by now.
        ValidationFailed: the e-mail address, password or name is invalid; the token stays valid.
    """
    validate_owner(email, password, workspace_name)
    with across_workspaces():  # users are looked for
        async with context.database.connection() as db:
            if not await is_valid(db, token):  # before the costly hash
                raise _link_expired()
    password_hash = await passwords.hash_new(password)
    with across_workspaces():  # there is none yet
        async with context.database.transaction() as db:
            await db.execute(_LOCK)
            if not await db.fetchval(_REDEEM, tokens.digest(token)):
                raise _link_expired()
            user_id = await create_user(db, email=email, password_hash=password_hash, locale=locale)
            workspace_id, profile_id = await create_workspace(context, db, user_id=user_id, name=workspace_name)
    return NewWorkspace(user_id=user_id, workspace_id=workspace_id, profile_id=profile_id)


def _link_expired() -> InvalidCredentials:
    return InvalidCredentials("This first-run link no longer works. Restart the service to get a new one.")
