"""Asking a network for the numbers of an account's posts."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from signalpost import networks
from signalpost.accounts import queries as accounts
from signalpost.accounts.queries import AccountRow
from signalpost.accounts.secrets import NoCredentials
from signalpost.accounts.token_store import open_session
from signalpost.analytics import queries, schedule
from signalpost.analytics.queries import DueTarget, MetricRow
from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import RunAgain
from signalpost.kit import clock, log, rows
from signalpost.kit.db import Db
from signalpost.networks.contract import ApiError, Connector, Metrics, TryLater
from signalpost.posts.actions.missing_posts import mark_missing

CALLS_MAX: Final = 10
"""Of one account in a run; the rest follows after a pause, so that publishing keeps most of the network's quota."""
PAUSE_SECONDS: Final = 60.0
REFUSED_HOURS: Final = 24
"""How long an account is left alone whose network gives it no numbers."""
_logger = log.get("analytics")

_STORE: Final = f"""
{rows.insert("metric", MetricRow)} on conflict (target_id, bucket) do update set
    {", ".join(f"{name} = excluded.{name}" for name in MetricRow.__struct_fields__[4:])}
"""
_NEXT: Final = """
update metric_schedule s set due_at = n.due_at, collected_at = coalesce(n.collected_at, s.collected_at)
from unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[]) as n(target_id, due_at, collected_at)
where s.target_id = n.target_id and s.workspace_id = $4
"""
# What was removed since, by us or by someone at the network.
_END: Final = """
update metric_schedule s set due_at = null from target t
where t.id = s.target_id and s.account_id = $1 and s.workspace_id = $2 and s.due_at <= now()
    and (t.status <> 'published' or t.remote_id is null)
"""
_LEAVE_ALONE: Final = """
update metric_schedule set due_at = now() + make_interval(hours => $2)
where account_id = $1 and workspace_id = $3 and due_at <= now()
"""


async def collect(context: AppContext, lease: Lease, account_id: UUID) -> RunAgain | None:
    """Ask for the numbers of what is due on an account, and store them. Repeating it stores nothing twice.

    Raises:
        HttpFailure: the network could not be reached; try again.
    """
    async with context.database.connection() as db:
        account = await accounts.by_id(db, account_id)
        connector = networks.get(account.platform) if account else None
        if account is None or connector is None or connector.metrics is None:
            return None
        per_call = connector.facts.metrics_per_call
        await db.execute(_END, account_id, account.workspace_id)
        due = await queries.due(db, account_id, per_call * CALLS_MAX + 1)
    for start in range(0, min(len(due), per_call * CALLS_MAX), per_call):
        batch = due[start : start + per_call]
        try:
            answer = await _ask(context, account, connector, batch)
        except (ApiError, NoCredentials) as error:
            return await _refused(lease, account, connector, error)
        async with lease.transaction() as db:
            await store(db, account, batch, answer)
    return RunAgain(PAUSE_SECONDS) if len(due) > per_call * CALLS_MAX else None


async def _ask(
    context: AppContext, account: AccountRow, connector: Connector, batch: Sequence[DueTarget]
) -> Mapping[str, Metrics | None]:
    if connector.metrics is None:
        raise LookupError(f"{account.platform} gives no numbers")
    session = await open_session(context, account, context.http.publishing)
    return await connector.metrics(session, [target.remote_id for target in batch])


async def _refused(lease: Lease, account: AccountRow, connector: Connector, error: Exception) -> RunAgain | None:
    """Wait as long as the network says; if it gives this account no numbers, leave it alone for a day."""
    outcome = connector.explain(error) if isinstance(error, ApiError) else None
    if isinstance(outcome, TryLater):
        return RunAgain(max(outcome.after_seconds or 0.0, PAUSE_SECONDS))
    _logger.warning("metrics.refused", platform=account.platform, account=str(account.id), reason=str(error)[:200])
    async with lease.transaction() as db:
        await db.execute(_LEAVE_ALONE, account.id, REFUSED_HOURS, account.workspace_id)
    return None


async def store(db: Db, account: AccountRow, batch: Sequence[DueTarget], answer: Mapping[str, Metrics | None]) -> None:
    """Store what the network said, mark posts that it no longer has, and set when to ask next."""
    now = clock.now()
    numbers = [
        _row(account, target, metrics, now) for target in batch if (metrics := answer.get(target.remote_id)) is not None
    ]
    if numbers:
        await db.executemany(_STORE, [rows.values(row) for row in numbers])
    missing = [target.target_id for target in batch if target.remote_id in answer and answer[target.remote_id] is None]
    if missing:
        await mark_missing(db, account.workspace_id, missing)
    collected = {row.target_id for row in numbers}
    due = [None if target.target_id in missing else schedule.next_due(target.published_at, now) for target in batch]
    ids = [target.target_id for target in batch]
    at = [now if target_id in collected else None for target_id in ids]
    await db.execute(_NEXT, ids, due, at, account.workspace_id)


def _row(account: AccountRow, target: DueTarget, metrics: Metrics, now: datetime) -> MetricRow:
    return MetricRow(
        target_id=target.target_id,
        workspace_id=target.workspace_id,
        account_id=account.id,
        bucket=now.replace(minute=0, second=0, microsecond=0),
        collected_at=now,
        **vars(metrics),
    )
