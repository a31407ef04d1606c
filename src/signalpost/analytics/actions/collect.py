"""Asking a network for the numbers of an account's posts."""

from collections import deque
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple
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
from signalpost.kit.http import BadResponse
from signalpost.networks.contract import ApiError, Connector, Metrics, NeedsReconnect, TryLater
from signalpost.posts.find.missing_posts import mark_missing

CALLS_MAX: Final = 10
"""Of one account in a run; the rest follows after a pause, so that publishing keeps most of the network's quota."""
ISOLATING_CALLS_MAX: Final = 20
"""More of them, to find the post that a network does not like among those of one call."""
REFUSALS_MAX: Final = 3
PAUSE_SECONDS: Final = 60.0
REFUSED_HOURS: Final = 24
"""How long a post is left alone that the network refuses, or an account that gets no numbers."""
_logger = log.get("analytics")

_STORE: Final = f"""
{rows.insert("metric", MetricRow)} on conflict (target_id, bucket) do update set
    {", ".join(f"{name} = excluded.{name}" for name in MetricRow.__struct_fields__[4:])}
"""
_NUMBERS: Final = MetricRow.__struct_fields__[5:]
# A number that arrives late, or out of order, never replaces a newer one.
_LATEST: Final = f"""
update metric_latest l set {", ".join(f"{name} = n.{name}" for name in ("collected_at", *_NUMBERS))}
from unnest($1::uuid[], $2::timestamptz[], {", ".join(f"${place}::bigint[]" for place, _ in enumerate(_NUMBERS, 3))})
    as n(target_id, collected_at, {", ".join(_NUMBERS)})
where l.target_id = n.target_id and (l.collected_at is null or l.collected_at <= n.collected_at)
"""  # noqa: S608 - constants only
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
    count = min(len(due), per_call * CALLS_MAX)
    batches = deque([due[start : start + per_call] for start in range(0, count, per_call)])
    return await _ask_all(_Account(context, lease, account, connector), batches, more=len(due) > count)


class _Account(NamedTuple):
    """Whose numbers are asked for, and how."""

    context: AppContext
    lease: Lease
    row: AccountRow
    connector: Connector


async def _ask_all(account: _Account, batches: deque[list[DueTarget]], *, more: bool) -> RunAgain | None:
    """Ask for each batch; one that the network refuses is halved until the post is found that it does not like.

    The other posts get their numbers. If it refuses several single posts before it answers for any, it gives this
    account no numbers.
    """
    answered, refused = False, 0
    for _ in range(CALLS_MAX + ISOLATING_CALLS_MAX):
        if not batches:
            break
        batch = batches.popleft()
        try:
            answer = await _ask(account, batch)
        except (ApiError, BadResponse, NoCredentials) as error:
            outcome = account.connector.explain(error) if isinstance(error, ApiError) else None
            if isinstance(outcome, TryLater):
                return RunAgain(max(outcome.after_seconds or 0.0, PAUSE_SECONDS))
            if isinstance(error, NoCredentials) or isinstance(outcome, NeedsReconnect):
                await _leave_alone(account, error)
                return None
            if len(batch) > 1:
                middle = len(batch) // 2
                batches.extendleft((batch[middle:], batch[:middle]))
                continue
            refused += 1
            if not answered and refused >= REFUSALS_MAX:
                await _leave_alone(account, error)
                return None
            await _postpone(account, batch[0], error)
        else:
            answered = True
            async with account.lease.transaction() as db:
                await store(db, account.row, batch, answer)
    return RunAgain(PAUSE_SECONDS) if batches or more else None


async def _ask(account: _Account, batch: Sequence[DueTarget]) -> Mapping[str, Metrics | None]:
    if account.connector.metrics is None:
        raise LookupError(f"{account.row.platform} gives no numbers")
    session = await open_session(account.context, account.row, account.context.http.publishing)
    return await account.connector.metrics(session, [target.remote_id for target in batch])


async def _postpone(account: _Account, target: DueTarget, error: Exception) -> None:
    """Ask for this post again in a day: the network refused it, but may answer for others."""
    reason = str(error)[:200]
    _logger.warning("metrics.post_refused", platform=account.row.platform, target=str(target.target_id), reason=reason)
    async with account.lease.transaction() as db:
        due_at = clock.actual() + timedelta(hours=REFUSED_HOURS)
        await db.execute(_NEXT, [target.target_id], [due_at], [None], account.row.workspace_id)


async def _leave_alone(account: _Account, error: Exception) -> None:
    """Ask again in a day: the network gives this account no numbers."""
    row = account.row
    _logger.warning("metrics.refused", platform=row.platform, account=str(row.id), reason=str(error)[:200])
    async with account.lease.transaction() as db:
        await db.execute(_LEAVE_ALONE, row.id, REFUSED_HOURS, row.workspace_id)


async def store(db: Db, account: AccountRow, batch: Sequence[DueTarget], answer: Mapping[str, Metrics | None]) -> None:
    """Store what the network said, mark posts that it no longer has, and set when to ask next."""
    now = clock.now()
    numbers = [
        _row(account, target, metrics, now) for target in batch if (metrics := answer.get(target.remote_id)) is not None
    ]
    if numbers:
        await db.executemany(_STORE, [rows.values(row) for row in numbers])
        columns = [[getattr(row, name) for row in numbers] for name in ("target_id", "collected_at", *_NUMBERS)]
        await db.execute(_LATEST, *columns)
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
