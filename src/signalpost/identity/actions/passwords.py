"""Choosing a new password: with a link that was mailed, or by the operator."""

from uuid import UUID

from signalpost.audit.actions import record as audit
from signalpost.context import AppContext
from signalpost.engine import jobs
from signalpost.identity import offspring, passwords, queries, tokens
from signalpost.identity.actions.second_factor import check_password_and_code
from signalpost.identity.actions.sign_in import end_sessions, record_in_workspaces
from signalpost.identity.errors import InvalidCredentials, password_help
from signalpost.identity.login_throttle import LoginThrottle, network_of
from signalpost.identity.schemas import PasswordChange, PasswordForgot, PasswordReset
from signalpost.kit import ids, log, problems
from signalpost.kit.db import Db
from signalpost.kit.problems import Issue
from signalpost.kit.tenant import across_workspaces
from signalpost.settings import Settings
from signalpost.web.caller import Caller

_SAME = Issue("/password", "not_unique", "This is the password that you have. Choose another one.")
RESET_JOB = "identity.password_reset"
_logger = log.get("identity")


async def forgot_password(db: Db, settings: Settings, data: PasswordForgot, address: str) -> None:
    """Have a link sent, if there is such a user. The request does the same for every e-mail address; a job looks it up.

    `address`: of the client.
    """
    if settings.smtp_url is None:
        _logger.warning("mail.off", template="password_reset", remedy="signalpost users reset-password")
        return
    payload = {"email": data.email, "message_id": ids.new_id().hex, "network": network_of(address)}
    await jobs.enqueue(db, RESET_JOB, payload, unique_key=f"{RESET_JOB}:{data.email.lower()}")


def forgotten_password_message(settings: Settings) -> str:
    """Return what follows on a request for a link, whether there is such a user or not."""
    if settings.smtp_url is None:
        return password_help(settings)
    return "If a user has this e-mail address, a link to choose a new password is on its way, or there already."


_VALID = """
select true from one_time_token
where hash = $1 and purpose = 'password_reset' and used_at is null and expires_at > now()
"""
# Whoever ends what a person has holds the person first: two links of one, and a new password, wait for one another.
_LOCK_PERSON = """
select id from app_user
where id = (select user_id from one_time_token where hash = $1 and purpose = 'password_reset') for no key update
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


async def is_reset_valid(db: Db, token: str) -> bool:
    """Whether a new password can be chosen with this token. This does not use it up."""
    return bool(await db.fetchval(_VALID, tokens.digest(token)))


async def reset_with_token(context: AppContext, data: PasswordReset) -> None:
    """Set the password with the token of a mailed link, and end all sessions.

    Raises:
        InvalidCredentials: the token is unknown, was used, or is older than 30 minutes.
    """
    digest = tokens.digest(data.token)
    with across_workspaces():  # a user has workspaces, not the other way round
        async with context.database.connection() as db:
            if not await db.fetchval(_VALID, digest):  # before the costly hash
                raise _link_expired()
    password_hash = await passwords.hash_new(data.password)
    with across_workspaces():  # all of the user
        async with context.database.transaction() as db:
            await db.execute(_LOCK_PERSON, digest)
            user = await db.fetchrow(_REDEEM, digest, password_hash)
            if user is None:
                raise _link_expired()
            await end_sessions(context, db, user["id"], "password_reset")
            await offspring.end_of_person(db, user["id"])
            await record_in_workspaces(db, user["id"], "reset_password")
    await context.state(LoginThrottle).reset(context.database, user["email"])


def _link_expired() -> InvalidCredentials:
    return InvalidCredentials(
        "This link no longer works.", remediation="Request a new one with `POST /auth/password/forgot`."
    )


_CHANGE = (
    "update app_user set password_hash = $2, updated_at = now() where id = $1 and password_hash = $3 returning email"
)


async def change_password(context: AppContext, caller: Caller, data: PasswordChange) -> None:
    """Set the password of a person who is signed in and knows the one that counts; all other sessions end.

    Raises:
        Forbidden: the caller is an API key.
        InvalidCredentials, SecondFactorRequired, LoginThrottled: the password or the code is wrong or missing.
        ValidationFailed: it is the same password.
    """
    stored = await check_password_and_code(context, caller, data.current_password, data.code)
    if data.password == data.current_password:
        raise problems.ValidationFailed(errors=[_SAME])
    password_hash = await passwords.hash_new(data.password)
    async with context.database.transaction() as db:
        email: str | None = await db.fetchval(_CHANGE, caller.user_id, password_hash, stored)
        if email is None:
            raise InvalidCredentials("The password was changed meanwhile.")
        await end_sessions(context, db, caller.user_id, "password_changed", but=caller.session_id)
        await offspring.end_of_person(db, caller.user_id)
        await record_in_workspaces(db, caller.user_id, "change_password")
    await context.state(LoginThrottle).reset(context.database, email)


_SET = "update app_user set password_hash = $2, updated_at = now() where email_key = lower($1) returning id"


async def reset_password(context: AppContext, db: Db, *, email: str, password: str) -> None:
    """Set a user's password and end their sessions, for the operator.

    Raises:
        NotFound: there is no such user.
    """
    password_hash = await passwords.hash_new(password)
    user_id: UUID | None = await db.fetchval(_SET, email, password_hash)
    if user_id is None:
        raise problems.NotFound(f"There is no user {email}.")
    await end_sessions(context, db, user_id, "password_reset")
    await offspring.end_of_person(db, user_id)
    subject = ids.encode("usr", user_id)
    for workspace in await queries.workspaces_of(db, user_id):
        await audit.command(db, "users reset-password", workspace_id=workspace.id, subject=subject)
    await audit.command(db, "users reset-password", subject=subject)
