"""Changes of an account's state. `move` is the only statement that updates `account.status`."""

from datetime import datetime
from uuid import UUID

from signalpost import events
from signalpost.accounts import states
from signalpost.accounts.queries import AccountRow
from signalpost.context import AppContext
from signalpost.engine import jobs
from signalpost.kit import clock, ids, log
from signalpost.kit.db import Db

REASON_CHARACTERS_MAX = 500
UPKEEP = "account.upkeep"
"""Kind of the job that renews an account's token or records that it expires."""

_MOVE = """
update account set status = $2, status_reason = $3, updated_at = now()
where id = $1 and status = any($4) and ($5::int is null or secrets_version = $5)
returning true
"""
_SET_PUSHED = "update account set comments_pushed = $2 where id = $1 and status <> 'disconnected'"
_logger = log.get("accounts")


async def move(
    db: Db,
    account_id: UUID,
    to: states.State,
    reason: str | None,
    *,
    only_from: states.State | None = None,
    secrets_version: int | None = None,
) -> bool:
    """Change an account's state if `states.MOVES` allows it from the present one; return whether it changed.

    Args:
        db: a connection inside a transaction.
        account_id: which account.
        to: the new state.
        reason: shown to the user; cut at 500 characters.
        only_from: the one state from which to make this move; None: every state that allows it.
        secrets_version: of the row that the failed call was made with; newer credentials are not blamed for it.
    """
    reason = reason and reason.replace("\x00", "")[:REASON_CHARACTERS_MAX]
    present = [state for state in states.from_states(to) if only_from in {None, state}]
    changed = await db.fetchval(_MOVE, account_id, to, reason, present, secrets_version)
    if changed:
        _logger.info("account.moved", account=ids.encode("acc", account_id), status=to)
    return bool(changed)


async def set_comments_pushed(db: Db, account_id: UUID, *, pushed: bool) -> None:
    """Note whether an account's network says at once that something was written under a post."""
    await db.execute(_SET_PUSHED, account_id, pushed)


async def mark_needs_reauth(db: Db, account_id: UUID, reason: str, *, secrets_version: int | None = None) -> bool:
    """Record that a person has to connect the account again; return whether the state changed. Arguments as `move`."""
    return await move(db, account_id, "needs_reauth", reason, secrets_version=secrets_version)


async def mark_restricted(db: Db, account_id: UUID, reason: str, *, secrets_version: int | None = None) -> bool:
    """Record that the network blocks the account itself; return whether the state changed. Arguments as `move`."""
    return await move(db, account_id, "restricted", reason, secrets_version=secrets_version)


async def mark_ready(context: AppContext, db: Db, account: AccountRow) -> states.State:
    """Move the account to the state that its token's age implies, and emit AccountReady; return its state then.

    The upkeep of its token, which ends when the grant seems dead, begins again.
    """
    now = clock.now()
    to = states.state_of_token(now, account.token_expires_at, refreshable=account.refreshable)
    if not await move(db, account.id, to, None):
        return account.status
    if to in states.READY and account.status not in states.READY:
        await emit_ready(context, db, account)
    await schedule_upkeep(db, account, now)  # after the event: lanes of jobs are woken last
    return to


async def emit_ready(context: AppContext, db: Db, account: AccountRow) -> None:
    """Emit AccountReady: what waited for the account is woken."""
    await context.emit(
        db,
        events.AccountReady(
            workspace_id=account.workspace_id, at=clock.now(), account_id=account.id, platform=account.platform
        ),
    )


async def schedule_upkeep(db: Db, account: AccountRow, at: datetime) -> None:
    """Have the account's token looked after from then on."""
    await jobs.enqueue(
        db,
        UPKEEP,
        {"accountId": ids.encode("acc", account.id)},
        run_at=at,
        unique_key=f"{UPKEEP}:{account.id}",
        workspace_id=account.workspace_id,
    )
