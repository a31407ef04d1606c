"""Choosing a new password: by a link that came by mail, or by the operator."""

from uuid import UUID

from signalpost.context import AppContext
from signalpost.engine import jobs
from signalpost.identity import passwords, tokens
from signalpost.identity.actions.sign_in import end_sessions
from signalpost.identity.errors import InvalidCredentials
from signalpost.identity.login_throttle import LoginThrottle
from signalpost.identity.schemas import ForgotPassword, ResetPassword
from signalpost.kit import ids, log, problems
from signalpost.kit.db import Db
from signalpost.settings import Settings

JOB = "identity.password_reset"
_logger = log.get("identity")


async def forgot_password(db: Db, settings: Settings, wish: ForgotPassword) -> None:
    """Have a link sent, if there is such a user. Known and unknown addresses take the same way: a job finds out."""
    if settings.smtp_url is None:
        _logger.warning("mail.off", letter="password_reset", remedy="signalpost users reset-password")
        return
    job = {"email": wish.email, "letter": ids.new_id().hex}
    await jobs.enqueue(db, JOB, job, unique_key=f"{JOB}:{wish.email.lower()}")


_VALID = """
select true from one_time_token
where hash = $1 and purpose = 'password_reset' and used_at is null and expires_at > now()
"""
_REDEEM = """
with redeemed as (
    select user_id from one_time_token
    where hash = $1 and purpose = 'password_reset' and used_at is null and expires_at > now()
    for update
), used as (
    update one_time_token t set used_at = now() from redeemed r
    where t.user_id = r.user_id and t.purpose = 'password_reset' and t.used_at is null
)
update app_user u set password_hash = $2, updated_at = now() from redeemed r where u.id = r.user_id
returning u.id, u.email
"""


async def reset_with_token(context: AppContext, wish: ResetPassword) -> None:
    """Set the password by a link from a mail, and end all sessions.

    Raises:
        InvalidCredentials: the link is unknown, was used, or is older than 30 minutes.
    """
    hash_ = tokens.digest(wish.token)
    async with context.database.connection() as db:
        if not await db.fetchval(_VALID, hash_):  # before the costly hash
            raise _dead()
    password_hash = await passwords.hashed(wish.password)
    async with context.database.transaction() as db:
        user = await db.fetchrow(_REDEEM, hash_, password_hash)
        if user is None:
            raise _dead()
        await end_sessions(context, db, user["id"], "password_reset")
    context.state(LoginThrottle).reset(user["email"])


def _dead() -> InvalidCredentials:
    return InvalidCredentials("This link does not work any more. Ask for a new one.")


_SET = "update app_user set password_hash = $2, updated_at = now() where email_key = lower($1) returning id"


async def reset_password(context: AppContext, db: Db, *, email: str, password: str) -> None:
    """Set a user's password and end their sessions: the operator's way.

    Raises:
        NotFound: there is no such user.
    """
    user_id: UUID | None = await db.fetchval(_SET, email, await passwords.hashed(password))
    if user_id is None:
        raise problems.NotFound(f"There is no user {email}.")
    await end_sessions(context, db, user_id, "password_reset")
