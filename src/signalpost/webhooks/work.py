"""Deliveries as work of the engine: claimed by webhook, sent side by side, their ends written in a few statements."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any
from uuid import UUID

from signalpost.context import AppContext
from signalpost.engine.contract import Done, Lease, Source
from signalpost.engine.jobs import JobKind, RunAgain
from signalpost.kit import clock
from signalpost.kit.db import Db
from signalpost.plans import limits
from signalpost.webhooks import actions
from signalpost.webhooks.actions.results import SettledAttempt
from signalpost.webhooks.sending import Attempt, AttemptResult, Sender
from signalpost.webhooks.states import after_failure

CRASHES_MAX = 3
"""After so many starts that never came to an end, an attempt counts as failed without being sent again."""
OURS_SECONDS = 15.0
"""When our own name server or connection pool was at fault, we try again so soon, without counting."""
OURS_AGE_SECONDS_MAX = 86_400.0
"""Until the delivery is this old: then such failures count like others, so that every delivery ends."""
SLOW_AFTER_FAILURES = 4
PURGE_JOB = "webhooks.purge"
PURGE_EVERY_SECONDS = 3_600
_PURGE_BATCH = 1_000

# A webhook that failed four times in a row is tried one at a time: one that hangs then holds one connection, not four.
_DUE = """
with picked as materialized (
    select d.id, w.url, w.delivery_mode, w.secret, w.former_secret, w.former_secret_until,
        coalesce(d.next_attempt_at <= now(), false) as by_schedule
    from unnest($1::uuid[]) as k(key)
    join webhook w on w.id = k.key and w.status = 'active'
    cross join lateral (
        select id, next_attempt_at from delivery where webhook_id = k.key and due_at <= now() order by due_at
        limit case when w.consecutive_failures >= $3 then 1 else $2 end) d
)
update delivery d set started_at = now(), crashes = case when d.started_at is null then 0 else d.crashes + 1 end,
    state = case when p.by_schedule then 'pending' else d.state end
from picked p where d.id = p.id
returning d.id, d.webhook_id, d.workspace_id, d.type, d.body, not p.by_schedule, d.scheduled, d.crashes,
    extract(epoch from now() - d.created_at)::float8, p.url, p.delivery_mode,
    case when p.former_secret_until > now() then array[p.secret, p.former_secret] else array[p.secret] end
"""
_HAND_BACK = """
update delivery set started_at = null,
    state = case when state = 'pending' and scheduled > 0 then 'failed' else state end
where id = any($1)
"""
_PURGE_DELETED = """
delete from delivery where id in (
    select d.id from webhook w join delivery d on d.webhook_id = w.id
    where w.deleted_at < now() - interval '1 hour' limit $1)
"""
_FORGET_WEBHOOKS = """
with gone as (
    delete from webhook w where w.deleted_at < now() - interval '1 hour'
        and not exists (select from delivery d where d.webhook_id = w.id)
    returning w.id
)
delete from lane where kind = 'delivery' and owner is null and key in (select id from gone)
"""
_PURGE_OLD = """
delete from delivery where id in (
    select d.id from unnest($1::text[], $2::int[]) as p(plan, days)
    join workspace s on s.plan = p.plan join webhook w on w.workspace_id = s.id
    cross join lateral (
        select id from delivery where webhook_id = w.id and created_at < now() - make_interval(days => p.days)
            and due_at is null order by created_at limit $3) d
    limit $3)
"""


class DeliverySource(Source[Attempt, AttemptResult]):
    """Sends what is due. An attempt is marked as started before the call, so a crash leaves its trace."""

    kind = "delivery"
    table = "delivery"
    key_column = "webhook_id"
    due_column = "due_at"
    # A scalar subquery on purpose: the planner turns `exists` into a join, and then reads all waiting rows of a lane.
    open_condition = "coalesce((select w.status = 'active' from webhook w where w.id = webhook_id), false)"
    per_lane = 4
    parallel = 4
    lanes = 256
    lanes_per_workspace = 64
    item_seconds_max = 30.0
    pauses_on_clock_step = False

    def __init__(self, context: AppContext) -> None:
        settings = context.settings
        self._sender = Sender(
            context.http,
            context.keys,
            brand=settings.brand,
            version=context.version,
            trusted=settings.allow_private_webhooks,
        )

    async def due(self, db: Db, keys: Sequence[UUID], per_lane: int) -> Sequence[tuple[UUID, Attempt]]:
        """See `Source`. Marks the start."""
        attempts = [Attempt(*row) for row in await db.fetch(_DUE, keys, per_lane, SLOW_AFTER_FAILURES)]
        return [(attempt.webhook_id, attempt) for attempt in attempts]

    async def run(self, lease: Lease, item: Attempt) -> AttemptResult:
        """See `Source`."""
        if item.crashes >= CRASHES_MAX:
            result = AttemptResult(clock.monotonic(), 0, error="the worker died while it sent this")
        else:
            lease.ensure_fresh()
            result = await self._sender.send(item)
        if not _postponed(item, result):
            lease.count(_word(item, result))
        return result

    async def settle(self, db: Db, done: Sequence[Done[Attempt, AttemptResult]]) -> None:
        """See `Source`."""
        ended, postponed = [], []
        for one in done:
            result = one.result or AttemptResult(clock.monotonic(), 0, error="an error on our side")
            if _postponed(one.item, result):
                postponed.append((one.item, result))
            else:
                ended.append(_settled(one.item, result))
        if postponed:
            await actions.postpone(db, postponed, OURS_SECONDS)
        if ended:
            await actions.settle(db, ended)

    async def hand_back(self, db: Db, items: Sequence[tuple[UUID, Attempt]]) -> None:
        """See `Source`."""
        await db.execute(_HAND_BACK, [attempt.id for _, attempt in items])


def _postponed(item: Attempt, result: AttemptResult) -> bool:
    return result.ours and item.age_seconds < OURS_AGE_SECONDS_MAX


def _word(item: Attempt, result: AttemptResult) -> str:
    if result.delivered:
        return "delivered"
    return "failed" if item.extra or after_failure(item.mode, item.scheduled + 1).final else "retrying"


def _settled(item: Attempt, result: AttemptResult) -> SettledAttempt:
    """Say what the row becomes. A failed extra attempt leaves state and schedule alone."""
    if result.delivered:
        return SettledAttempt(item, result, "delivered", None)
    if item.extra:
        return SettledAttempt(item, result, None, None)
    return SettledAttempt(item, result, *after_failure(item.mode, item.scheduled + 1))


def jobs(context: AppContext) -> list[JobKind]:
    """Return the jobs of this room."""
    return [JobKind(PURGE_JOB, purger(context), PURGE_EVERY_SECONDS)]


def purger(context: AppContext) -> Callable[[Lease, Mapping[str, Any]], Awaitable[RunAgain | None]]:
    """Return the handler of `PURGE_JOB`.

    Removes deleted webhooks with their deliveries, and ended deliveries older than the plan keeps them.
    """
    kept = {plan: days for plan in limits.PLANS if (days := limits.DELIVERY_LOG_DAYS.of(plan)) is not None}

    async def purge(lease: Lease, _payload: Mapping[str, Any]) -> RunAgain | None:
        async with lease.transaction() as db:
            removed = [await db.execute(_PURGE_DELETED, _PURGE_BATCH)]
            await db.execute(_FORGET_WEBHOOKS)
            if context.settings.billing_enabled:
                removed.append(await db.execute(_PURGE_OLD, list(kept), list(kept.values()), _PURGE_BATCH))
        return RunAgain(1) if f"DELETE {_PURGE_BATCH}" in removed else None

    return purge
