"""Jobs: mail the link to choose a new password, and purge what has expired."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from signalpost import mail
from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import JobKind
from signalpost.identity import tokens
from signalpost.identity.actions.passwords import RESET_JOB
from signalpost.identity.actions.sign_in import record_in_workspaces
from signalpost.kit import crypto

RESET_MINUTES = 30
RESETS_PER_HOUR = 3
PURGE_JOB = "identity.purge"
PURGE_SECONDS = 3_600


def jobs(context: AppContext) -> list[JobKind]:
    """Return the jobs of this room."""

    async def reset(lease: Lease, payload: Mapping[str, Any]) -> None:
        await send_reset_link(context, lease, payload)

    return [JobKind(RESET_JOB, reset), JobKind(PURGE_JOB, purge, PURGE_SECONDS)]


_INSERT = """
insert into one_time_token (hash, purpose, user_id, expires_at)
select $2, 'password_reset', u.id, now() + make_interval(mins => $3) from app_user u
where u.email_key = lower($1) and (
    select count(*) from one_time_token t where t.user_id = u.id and t.purpose = 'password_reset'
        and t.created_at > now() - interval '1 hour' and t.hash <> $2) < $4
on conflict (hash) do update set expires_at = excluded.expires_at
returning (select email from app_user where id = user_id), user_id
"""


async def send_reset_link(context: AppContext, lease: Lease, payload: Mapping[str, Any]) -> None:
    """Create a link and mail it, if there is such a user; at most three different links in an hour.

    The link is created here and not in the request, so that the request does the same for every address. It is derived
    from the message's id and a key of ours, and stored only sealed: a second try makes the same link.
    """
    message_id = UUID(payload["message_id"])
    token = crypto.hmac_sha256(context.keys.derive("password-reset"), message_id.bytes).hex()
    async with lease.transaction() as db:
        row = await db.fetchrow(_INSERT, payload["email"], tokens.digest(token), RESET_MINUTES, RESETS_PER_HOUR)
        if row is None:
            return
        await record_in_workspaces(db, row["user_id"], "forgot_password")
        link = f"{context.fixed_url}/reset-password?token={token}"
        message = mail.Message(
            id=message_id,
            to=row["email"],
            template="password_reset",
            values={"email": row["email"], "minutes": RESET_MINUTES},
            secrets=mail.seal(context.keys, {"link": link}),
        )
        await mail.enqueue(db, message, reserved=RESETS_PER_HOUR)  # or others could lock the user out


_PURGES = (
    "delete from one_time_token where expires_at < now() - interval '1 day'",
    "delete from session where least(revoked_at, expires_at) < now() - interval '30 days'",
)


async def purge(lease: Lease, _payload: Mapping[str, Any]) -> None:
    """Delete tokens and sessions that can no longer be used."""
    async with lease.transaction() as db:
        for statement in _PURGES:
            await db.execute(statement)
