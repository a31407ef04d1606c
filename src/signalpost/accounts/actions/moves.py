from uuid import UUID

from signalpost import events
from signalpost.accounts import states
from signalpost.accounts.queries import AccountRow
from signalpost.context import AppContext
from signalpost.kit import clock, log
from signalpost.kit.db import Db

REASON_CHARACTERS_MAX = 500

_MOVE = """
update account set status = $2, status_reason = $3, updated_at = now()
where id = $1 and status = any($4) and ($5::int is null or secrets_version = $5)
returning true
"""
_logger = log.get("accounts")


async def move(
    db: Db, account_id: UUID, to: states.State, reason: str | None, *, secrets_version: int | None = None
) -> bool:
    """Change an account's state if its present one allows it; return whether it changed."""
    reason = reason and reason.replace("\x00", "")[:REASON_CHARACTERS_MAX]
    changed = await db.fetchval(_MOVE, account_id, to, reason, states.from_states(to), secrets_version)
    if changed:
        _logger.info("account.moved", account=str(account_id), status=to)
    return bool(changed)


async def mark_needs_reauth(db: Db, account_id: UUID, reason: str, *, secrets_version: int | None = None) -> bool:
    """Say that a person has to connect the account again; return whether that is news.

    Args:
        db: a connection inside a transaction.
        account_id: which account.
        reason: shown to the user; the network's own words.
        secrets_version: of the row the failed call was made with. Credentials stored since are not blamed for it.
    """
    return await move(db, account_id, "needs_reauth", reason, secrets_version=secrets_version)


async def mark_restricted(db: Db, account_id: UUID, reason: str, *, secrets_version: int | None = None) -> bool:
    """Say that the network blocks the account itself; return whether that is news."""
    return await move(db, account_id, "restricted", reason, secrets_version=secrets_version)


async def mark_ready(context: AppContext, db: Db, account: AccountRow) -> states.State:
    """Return the account to what its token makes of it, and wake what waited for it; return its state then."""
    to = states.standing(clock.now(), account.token_expires_at, refreshable=account.refreshable)
    changed = await move(db, account.id, to, None)
    if changed and to in states.READY and account.status not in states.READY:
        ready = events.AccountReady(
            workspace_id=account.workspace_id, at=clock.now(), account_id=account.id, platform=account.platform
        )
        await context.emit(db, ready)
    return to if changed else account.status
