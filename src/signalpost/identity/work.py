"""Jobs: mail the link to choose a new password, and purge what has expired."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from signalpost import mail
from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import JobKind, RunAgain
from signalpost.identity import tokens
from signalpost.identity.actions.passwords import RESET_JOB
from signalpost.identity.actions.sign_in import record_in_workspaces
from signalpost.kit import batches, cells, crypto
from signalpost.kit.crypto import KeyRing

RESET_MINUTES = 30
RESETS_FROM_NETWORK = 3
RESETS_PER_HOUR = 5
"""Different links of one user in an hour: that one network asks for, and all together."""
FRESH_MINUTES = 15
"""A user always has a link that works for at least so long, or gets one, whoever asked for the others."""
RESET_MAILS = RESETS_PER_HOUR + 60 // FRESH_MINUTES
"""How many links an hour can bring; the places of a mailbox for what concerns security are more."""
PURGE_JOB = "identity.purge"
PURGE_SECONDS = 3_600


def jobs(context: AppContext) -> list[JobKind]:
    """Return the jobs of this room."""

    async def reset(lease: Lease, payload: Mapping[str, Any]) -> None:
        await send_reset_link(context, lease, payload)

    return [JobKind(RESET_JOB, reset), JobKind(PURGE_JOB, purge, PURGE_SECONDS)]


_INSERT = """
insert into one_time_token (hash, purpose, user_id, expires_at, asked_from)
select $2, 'password_reset', u.id, now() + make_interval(mins => $3), $4 from app_user u
cross join lateral (
    select count(*) < $5 and count(*) filter (where t.asked_from is not distinct from $4) < $6 as few,
        coalesce(bool_or(t.used_at is null and t.expires_at > now() + make_interval(mins => $7)), false) as works
    from one_time_token t where t.user_id = u.id and t.purpose = 'password_reset'
        and t.created_at > now() - interval '1 hour' and t.hash <> $2) others
where u.email_key = lower($1) and (others.few or not others.works)
on conflict (hash) do update set expires_at = excluded.expires_at
returning (select email from app_user where id = user_id), user_id
"""


def reset_token(keys: KeyRing, message_id: UUID) -> str:
    """Return the token of the link in a message."""
    return cells.with_name(keys.cell, crypto.hmac_sha256(keys.derive("password-reset"), message_id.bytes).hex())


async def send_reset_link(context: AppContext, lease: Lease, payload: Mapping[str, Any]) -> None:
    """Create a link and mail it, if there is such a user. Beyond the bounds of an hour only if no other works.

    The link is created here and not in the request, so that the request does the same for every address. It is derived
    from the message's id and a key of ours, and stored only sealed: a second try makes the same link.
    """
    message_id = UUID(payload["message_id"])
    token = reset_token(context.keys, message_id)
    async with lease.transaction() as db:
        row = await db.fetchrow(
            _INSERT, payload["email"], tokens.digest(token), RESET_MINUTES, payload.get("network"),
            RESETS_PER_HOUR, RESETS_FROM_NETWORK, FRESH_MINUTES,
        )  # fmt: skip
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
        await mail.enqueue(db, message)


_PURGES = (
    batches.delete("one_time_token", "expires_at < now() - interval '1 day'"),
    batches.delete("session", "least(revoked_at, expires_at) < now() - interval '30 days'"),
)


async def purge(lease: Lease, _payload: Mapping[str, Any]) -> RunAgain | None:
    """Delete tokens and sessions that can no longer be used."""
    async with lease.transaction() as db:
        return RunAgain(0) if await batches.run(db, _PURGES) else None
