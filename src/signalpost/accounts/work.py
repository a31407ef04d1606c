"""Upkeep: tokens are renewed at four fifths of their life, never in a request; restricted accounts are looked at."""

import random
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from signalpost import networks
from signalpost.accounts import queries, states, token_store
from signalpost.accounts.actions.health import check_account
from signalpost.accounts.moves import UPKEEP, mark_needs_reauth, mark_restricted, move
from signalpost.accounts.queries import AccountRow
from signalpost.accounts.secrets import NoCredentials
from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import JobKind, RunAgain, enqueue
from signalpost.kit import batches, clock, ids, log
from signalpost.kit.db import Db
from signalpost.kit.http import HttpFailure
from signalpost.networks.contract import ApiError, Connector, NeedsReconnect

PURGE = "account.purge_flows"
PURGE_EVERY_SECONDS = 3_600
RESTRICTED_SECONDS = 86_400.0
"""How long until the tokens of an account that its network blocks are tried again."""
RECHECK = "account.recheck"
RECHECK_DUE = "account.recheck_due"
RECHECK_EVERY_SECONDS = 900
RECHECKS_MAX = 500
"""How many one statement finds."""
# Soon at first: posts that wait for the account go out if it returns within their window. A month later nobody waits.
_RECHECK_DUE = """
select id, workspace_id from account
where status = 'restricted' and platform = any($1)
    and greatest(last_checked_at, updated_at)
        < now() - least(greatest((now() - updated_at) / 4, interval '1 hour'), interval '1 day')
    and ($2::uuid is null or id > $2)
order by id limit $3
"""
_UPKEEP_AT = "select upkeep_at from account where id = $1"
_SET_UPKEEP = "update account set upkeep_at = $2 where id = $1"
_PURGE = batches.delete("oauth_flow", "expires_at < now() - interval '1 day'")
_logger = log.get("accounts")


def jobs(context: AppContext) -> list[JobKind]:
    """Return the jobs of this room."""

    async def upkeep(_lease: Lease, payload: Mapping[str, Any]) -> RunAgain | None:
        account_id = ids.decode("acc", payload["accountId"])
        async with context.database.connection() as db:
            row = await queries.by_id(db, account_id) if account_id else None
            due_at = await db.fetchval(_UPKEEP_AT, account_id)
        if row is None or due_at is None or row.status == "disconnected":
            return None
        return await maintain_token(context, row, due_at)

    async def purge(lease: Lease, _payload: Mapping[str, Any]) -> RunAgain | None:
        async with lease.transaction() as db:
            return RunAgain(0) if await batches.run(db, [_PURGE]) else None

    async def recheck(_lease: Lease, payload: Mapping[str, Any]) -> None:
        await recheck_account(context, ids.decode("acc", payload["accountId"]))

    return [
        JobKind(UPKEEP, upkeep),
        JobKind(PURGE, purge, PURGE_EVERY_SECONDS),
        JobKind(RECHECK, recheck),
        JobKind(RECHECK_DUE, Rechecks().enqueue, RECHECK_EVERY_SECONDS),
    ]


class Rechecks:
    """Goes through the accounts that are blocked, a page of them in a run."""

    def __init__(self) -> None:
        self._after: UUID | None = None

    async def enqueue(self, lease: Lease, _payload: Mapping[str, Any]) -> RunAgain | None:
        """Have them looked at: an hour after that began, later more and more seldom, once a day at least."""
        checkable = [platform for platform, connector in networks.CONNECTORS.items() if connector.check is not None]
        async with lease.transaction() as db:
            rows = await db.fetch(_RECHECK_DUE, checkable, self._after, RECHECKS_MAX)
        for account_id, workspace_id in rows:
            async with lease.transaction() as db:  # each wakes a lane, and no transaction holds two of them
                await _enqueue_recheck(db, account_id, workspace_id)
        self._after = rows[-1][0] if len(rows) == RECHECKS_MAX else None
        return None if self._after is None else RunAgain(0)


async def _enqueue_recheck(db: Db, account_id: UUID, workspace_id: UUID) -> None:
    seconds = random.uniform(0, RECHECK_EVERY_SECONDS)  # noqa: S311 - spreads load
    await enqueue(
        db,
        RECHECK,
        {"accountId": ids.encode("acc", account_id)},
        run_at=clock.now() + timedelta(seconds=seconds),
        unique_key=f"{RECHECK}:{account_id}",
        workspace_id=workspace_id,
    )


async def recheck_account(context: AppContext, account_id: UUID | None) -> None:
    """Ask the network whether it still blocks the account; if not, what waits for the account goes out."""
    async with context.database.connection() as db:
        row = await queries.by_id(db, account_id) if account_id else None
    if row is not None and row.status == "restricted":
        await check_account(context, row, may_renew=True)


async def maintain_token(context: AppContext, account: AccountRow, due_at: datetime) -> RunAgain | None:
    """Renew the token if it is due, or record that it expires; return when to do this again."""
    now = clock.now()
    connector = networks.get(account.platform)
    if due_at > now:
        return RunAgain((due_at - now).total_seconds())
    if account.status == "needs_reauth" or connector is None:
        return None
    if account.refreshable and connector.refresh is not None:
        return await _renew(context, connector, account)
    return await _record_expiry(context, account, now)


async def _renew(context: AppContext, connector: Connector, account: AccountRow) -> RunAgain | None:
    assert connector.refresh is not None  # noqa: S101 - checked by the caller
    try:
        store = token_store.TokenStore(context, account)
        await store.read()
        if store.version == account.secrets_version:  # else they were renewed since the account was read
            await store.session().renew(connector.refresh)
    except NoCredentials as error:
        await _give_up(context, account, str(error))
        return None
    except ApiError as error:
        outcome = connector.explain(error)
        if isinstance(outcome, NeedsReconnect):
            await _give_up(context, account, outcome.message, restricted=outcome.restricted)
            return RunAgain(RESTRICTED_SECONDS) if outcome.restricted else None
        return _retry(account)
    except HttpFailure as failure:
        _logger.info(
            "account.not_renewed",
            account=ids.encode("acc", account.id),
            platform=account.platform,
            reason=failure.detail,
        )
        return _retry(account)
    async with context.database.connection() as db:
        next_at = await db.fetchval(_UPKEEP_AT, account.id)
    return None if next_at is None else RunAgain(max((next_at - clock.now()).total_seconds(), 1.0))


async def _give_up(context: AppContext, account: AccountRow, reason: str, *, restricted: bool = False) -> None:
    mark = mark_restricted if restricted else mark_needs_reauth
    async with context.database.transaction() as db:
        await mark(db, account.id, reason, secrets_version=account.secrets_version)


async def _record_expiry(context: AppContext, account: AccountRow, now: datetime) -> RunAgain | None:
    """Move an account whose token cannot be renewed: to `expiring` a week before the end, then to `needs_reauth`."""
    to = states.state_of_token(now, account.token_expires_at, refreshable=False)
    next_at = states.upkeep_at(now, account.token_expires_at, refreshable=False, chance=0.0)
    reason = "The token expires and cannot be renewed."
    async with context.database.transaction() as db:
        if to != "active":
            await move(db, account.id, to, reason, secrets_version=account.secrets_version)
        await db.execute(_SET_UPKEEP, account.id, next_at)
    return None if next_at is None else RunAgain(max((next_at - now).total_seconds(), 1.0))


def _retry(account: AccountRow) -> RunAgain:
    return RunAgain(states.retry_seconds(clock.now(), account.token_expires_at))
