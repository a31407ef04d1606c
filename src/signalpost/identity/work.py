"""What happens later: the letter with a new password's link, and forgetting what has expired."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from uuid import UUID

from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import JobKind
from signalpost.identity import tokens
from signalpost.identity.actions.passwords import JOB as RESET_JOB
from signalpost.kit import crypto
from signalpost.kit.crypto import KeyRing
from signalpost.mail import Letter
from signalpost.mail.work import deliver
from signalpost.settings import Settings

RESET_MINUTES = 30
RESETS_PER_HOUR = 3
PURGE_JOB = "identity.purge"
PURGE_SECONDS = 3_600

_WRITE = """
insert into one_time_token (hash, purpose, user_id, expires_at)
select $2, 'password_reset', u.id, now() + make_interval(mins => $3) from app_user u
where u.email_key = lower($1) and (
    select count(*) from one_time_token t where t.user_id = u.id and t.purpose = 'password_reset'
        and t.created_at > now() - interval '1 hour' and t.hash <> $2) < $4
on conflict (hash) do update set expires_at = excluded.expires_at
returning (select email from app_user where id = user_id)
"""


def jobs(context: AppContext) -> list[JobKind]:
    """Return the jobs of this room."""
    reset = password_reset(context.settings, context.keys, context.base_url)
    return [JobKind(RESET_JOB, reset), JobKind(PURGE_JOB, purge, PURGE_SECONDS)]


def password_reset(
    settings: Settings, keys: KeyRing, base_url: str
) -> Callable[[Lease, Mapping[str, Any]], Awaitable[None]]:
    """Return the handler of `identity.password_reset`: makes a link and mails it, if there is such a user.

    The link is made here and not in the request, so that the request does the same for every address; and from the
    letter's id and a key of ours, so that it stands in no row, and a second try sends the same one. At most three
    different ones in an hour.
    """

    async def send(lease: Lease, job: Mapping[str, Any]) -> None:
        letter_id = UUID(job["letter"])
        token = crypto.hmac_sha256(keys.derive("password-reset"), letter_id.bytes).hex()
        async with lease.transaction() as db:
            email = await db.fetchval(_WRITE, job["email"], tokens.digest(token), RESET_MINUTES, RESETS_PER_HOUR)
        if email is not None:
            values = {"email": email, "minutes": RESET_MINUTES, "link": f"{base_url}/reset-password?token={token}"}
            await deliver(settings, Letter(id=letter_id, to=email, template="password_reset", values=values))

    return send


_PURGES = (
    "delete from one_time_token where expires_at < now() - interval '1 day'",
    "delete from session where least(revoked_at, expires_at) < now() - interval '30 days'",
)


async def purge(lease: Lease, _job: Mapping[str, Any]) -> None:
    """Forget tokens and sessions that nobody can use any more."""
    async with lease.transaction() as db:
        for statement in _PURGES:
            await db.execute(statement)
