"""Deliveries as work of the engine: claimed by webhook, sent in parallel, their results written in few statements."""

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any
from uuid import UUID

from signalpost.context import AppContext
from signalpost.engine.contract import Done, Lease, Source
from signalpost.engine.jobs import Handler, JobKind, RunAgain
from signalpost.engine.turns import Turns
from signalpost.flags.cache import is_enabled
from signalpost.flags.registry import STANDARD_WEBHOOK_HEADERS
from signalpost.kit import clock, ids, tracing
from signalpost.kit.db import Db
from signalpost.kit.http import CALLS_MAX
from signalpost.plans import limits
from signalpost.settings import Settings
from signalpost.webhooks import sending
from signalpost.webhooks.actions import attempts, purge, replay, results
from signalpost.webhooks.sending import Attempt, AttemptResult, sender_of

CRASHES_MAX = 3
"""After this many starts without a result, an attempt counts as failed without being sent again."""
OUR_FAULT_RETRY_SECONDS = 15.0
"""The delay after a failure of our own name server or connection pool, which is not counted."""
OUR_FAULT_AGE_SECONDS_MAX = 86_400.0
"""Once a delivery is this old, such failures count like others, so that every delivery ends."""
PURGE_JOB = "webhooks.purge"
PURGE_EVERY_SECONDS = 3_600


class DeliverySource(Source[Attempt, AttemptResult]):
    """Sends deliveries that are due. An attempt is marked as started before the request, so a crash leaves a trace."""

    kind = "delivery"
    table = "delivery"
    key_column = "webhook_id"
    due_column = "due_at"
    # Deliberately a scalar subquery: the planner turns `exists` into a join and then reads all waiting rows of a lane.
    open_condition = "coalesce((select w.status = 'active' from webhook w where w.id = webhook_id), false)"
    per_lane = 4
    parallel = 4
    lanes = 256
    lanes_per_workspace = CALLS_MAX.per_workspace  # more would wait for the workspace's share of the client
    lanes_per_tenant = CALLS_MAX.per_tenant
    item_seconds_max = 30.0
    pauses_on_clock_step = False

    def __init__(self, context: AppContext) -> None:
        self._context = context
        self._sender = sender_of(context)

    async def due(self, db: Db, leases: Sequence[Lease], per_lane: int) -> Sequence[tuple[UUID, Attempt]]:
        """See `Source`. Marks the attempts as started."""
        webhook_ids = [lease.key for lease in leases]
        return [(attempt.webhook_id, attempt) for attempt in await attempts.start(db, webhook_ids, per_lane)]

    async def run(self, lease: Lease, attempt: Attempt) -> AttemptResult:
        """See `Source`."""
        post_id = None if tracing.recorder is None else sending.post_of(attempt)
        with tracing.Recorded(f"deliver {attempt.type}", parent=post_id) as span:
            result = await self._run(lease, attempt)
            if span is not None:
                _describe(span, attempt, result)
        return result

    async def _run(self, lease: Lease, attempt: Attempt) -> AttemptResult:
        if attempt.crashes >= CRASHES_MAX:
            result = AttemptResult(clock.monotonic(), 0, error="the worker died while it sent this")
        else:
            standard = await is_enabled(self._context, STANDARD_WEBHOOK_HEADERS, workspace_id=attempt.workspace_id)
            lease.ensure_fresh()
            result = await self._sender.send(attempt, standard=standard)
        if not _is_postponed(attempt, result):
            lease.count(results.decide(attempt, result).outcome)
        return result

    async def settle(self, db: Db, done: Sequence[Done[Attempt, AttemptResult]]) -> Collection[UUID]:
        """See `Source`."""
        settled, postponed = [], []
        busy = await results.lock(db, [end.item for end in done])
        for end in done:
            if end.key in busy:
                continue
            result = end.result or AttemptResult(clock.monotonic(), 0, error="an error on our side")
            if _is_postponed(end.item, result):
                postponed.append((end.item, result))
            else:
                settled.append(results.decide(end.item, result))
        if postponed:
            await attempts.postpone(db, postponed, OUR_FAULT_RETRY_SECONDS)
        if settled:
            await results.settle(db, settled)
        return busy

    async def hand_back(self, db: Db, items: Sequence[tuple[UUID, Attempt]]) -> None:
        """See `Source`."""
        await attempts.hand_back(db, [attempt for _, attempt in items])


def _describe(span: tracing.Span, attempt: Attempt, result: AttemptResult) -> None:
    span.set({
        "signalpost.workspace.id": ids.encode("wsp", attempt.workspace_id),
        "signalpost.webhook.id": ids.encode("whk", attempt.webhook_id),
        "signalpost.delivery.id": ids.encode("dlv", attempt.id), "signalpost.event.type": attempt.type,
        "signalpost.attempt.number": attempt.number,
    })  # fmt: skip
    if not result.delivered:
        span.fail("no_response" if result.status is None else str(result.status))


def _is_postponed(attempt: Attempt, result: AttemptResult) -> bool:
    return result.our_fault and attempt.age_seconds < OUR_FAULT_AGE_SECONDS_MAX


def jobs(context: AppContext) -> list[JobKind]:
    """Return the jobs of this room."""
    return [JobKind(PURGE_JOB, _purge(context), PURGE_EVERY_SECONDS), JobKind(replay.JOB, _replay)]


async def _replay(lease: Lease, payload: Mapping[str, Any]) -> RunAgain | None:
    webhook_id = ids.decode("whk", payload["webhookId"])
    if webhook_id is None or lease.workspace_id is None:
        raise ValueError("A job of a replay names no webhook, or has no workspace.")
    async with lease.transaction() as db:
        seconds = await replay.advance(db, lease.workspace_id, webhook_id)
    return None if seconds is None else RunAgain(seconds)


def days_by_plan(settings: Settings) -> dict[str, int]:
    """Return for how many days deliveries are kept; plans that are not named keep them for ever."""
    if settings.billing_enabled:
        return {plan: days for plan in limits.PLANS if (days := limits.DELIVERY_LOG_DAYS.of(plan)) is not None}
    return dict.fromkeys(limits.PLANS, settings.delivery_log_days) if settings.delivery_log_days else {}


def _purge(context: AppContext) -> Handler:
    ended = partial(purge.purge_ended, days_by_plan=days_by_plan(context.settings))
    turns = Turns(purge.webhooks_after, ended, page=purge.WEBHOOKS, rows=purge.ROWS)

    async def run(lease: Lease, _payload: Mapping[str, Any]) -> RunAgain | None:
        async with lease.transaction() as db:
            more = await purge.purge_deleted(db)
        return await turns.run(lease) or (RunAgain(1) if more else None)

    return run
