"""Write the results of attempts, many in one statement: the delivery, its webhook, and webhooks to be disabled."""

import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple
from uuid import UUID

from signalpost import mail
from signalpost.kit import clock, ids, log
from signalpost.kit.db import Db
from signalpost.webhooks.sending import Attempt, AttemptResult
from signalpost.webhooks.states import JITTER_SECONDS, LOST_DAYS, LOST_MAX, DeliveryState, after_failure

_logger = log.get("webhooks")

# One statement, since round trips bound the number of deliveries per second. Ages are measured before it is sent and
# subtracted from the time it arrives: a result may look younger than it is, never older, so no retry comes too early.
# A delivery without next_attempt_at was dropped meanwhile (its webhook was deleted): no result schedules it again.
# A resend that was requested while a resend was under way (resend_at > started_at) stays due.
_SETTLE = """
with counted as (
    update webhook w set
        consecutive_failures = c.failures + case when c.success_age is null then w.consecutive_failures else 0 end,
        consecutive_lost = c.lost + case when c.success_age is null then w.consecutive_lost else 0 end,
        last_success_at =
            greatest(w.last_success_at, statement_timestamp() - make_interval(secs => c.success_age)),
        last_failure_at =
            greatest(w.last_failure_at, statement_timestamp() - make_interval(secs => c.failure_age))
    from unnest($13::uuid[], $14::int[], $15::int[], $16::float8[], $17::float8[])
        as c(id, failures, lost, success_age, failure_age)
    where w.id = c.id
)
update delivery d set
    started_at = null, crashes = 0, attempts = d.attempts + 1,
    scheduled = d.scheduled + case when e.resend then 0 else 1 end,
    state = coalesce(e.state, d.state),
    next_attempt_at = case
        when e.state is null then d.next_attempt_at
        when d.next_attempt_at is not null then e.at + make_interval(secs => e.retry_seconds) end,
    resend_at = case when not e.resend or d.resend_at > d.started_at then d.resend_at end,
    last_attempt_at = e.at, last_status = e.status, last_error = e.error, last_response = e.response,
    last_duration_ms = e.duration_ms,
    delivered_at = case when e.state = 'delivered' then coalesce(d.delivered_at, e.at) else d.delivered_at end,
    log = case when jsonb_array_length(d.log) >= 20 then d.log - 0 else d.log end || jsonb_build_object(
        'at', to_char(e.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'resend', e.resend,
        'status', e.status, 'error', e.error, 'duration_ms', e.duration_ms, 'number', e.number,
        'timestamp', e.timestamp, 'url', e.url, 'response', e.response)
from (
    select u.*, statement_timestamp() - make_interval(secs => u.age) as at
    from unnest($1::uuid[], $2::bool[], $3::text[], $4::float8[], $5::float8[], $6::int[], $7::int[], $8::text[],
        $9::text[], $10::int[], $11::int8[], $12::text[])
        as u(id, resend, state, retry_seconds, age, duration_ms, status, error, response, number, timestamp, url)
) e
where d.id = e.id
"""
_BUSY = """
with free_webhook as materialized (
    select id from webhook where id = any($1) order by id for no key update skip locked
), free_delivery as materialized (
    select id from delivery where id = any($2) order by id for no key update skip locked
)
select id from webhook where id = any($1) and id not in (select id from free_webhook)
union select webhook_id from delivery where id = any($2) and id not in (select id from free_delivery)
"""
_DISABLE = """
update webhook w set status = 'disabled', disabled_reason = $4, stopped_at = now(), updated_at = now()
from workspace s join member m on m.workspace_id = s.id and m.role = 'owner' and m.status = 'active'
    join app_user u on u.id = m.user_id
where w.id = any($1) and w.status = 'active' and w.delivery_mode <> 'poll' and w.consecutive_lost >= $2
    and greatest(w.last_success_at, w.enabled_at) < now() - make_interval(days => $3) and s.id = w.workspace_id
returning w.id, w.workspace_id, w.url, w.name, w.consecutive_lost, s.name, u.email
"""


class SettledAttempt(NamedTuple):
    """An attempt that counts, its result, and the delivery's next state and retry; `state` None: unchanged."""

    attempt: Attempt
    result: AttemptResult
    state: DeliveryState | None
    retry_seconds: float | None

    @property
    def lost(self) -> bool:
        """Whether the schedule ended without success."""
        return self.state is not None and self.state != "delivered" and self.retry_seconds is None

    @property
    def outcome(self) -> str:
        """A word for metrics."""
        if self.result.delivered:
            return "delivered"
        return "failed" if self.retry_seconds is None else "retrying"


def decide(attempt: Attempt, result: AttemptResult) -> SettledAttempt:
    """Return what a result makes of the delivery. A failed resend leaves state and schedule as they are."""
    if result.delivered:
        return SettledAttempt(attempt, result, "delivered", None)
    if attempt.resend:
        return SettledAttempt(attempt, result, None, None)
    after = after_failure(attempt.mode, attempt.scheduled + 1)
    later = None if after.retry_seconds is None else after.retry_seconds + random.random() * JITTER_SECONDS  # noqa: S311
    return SettledAttempt(attempt, result, after.state, later)


class _Counts:
    """What the results of one turn add to a webhook: failures and losses since its last success; ages in seconds."""

    def __init__(self) -> None:
        self.success_age: float | None = None
        self.failure_age: float | None = None
        self.failures = self.lost = 0

    def add(self, settled: SettledAttempt, age: float) -> None:
        """Count the next result, in chronological order."""
        if settled.result.delivered:
            self.success_age, self.failures, self.lost = age, 0, 0
        else:
            self.failure_age = age
            self.failures += 1
            self.lost += settled.lost


async def lock(db: Db, attempts: Sequence[Attempt]) -> set[UUID]:
    """Lock what the results of these attempts change; return the webhooks of which another transaction holds a row."""
    webhook_ids = list({attempt.webhook_id for attempt in attempts})
    return {row[0] for row in await db.fetch(_BUSY, webhook_ids, [attempt.id for attempt in attempts])}


async def settle(db: Db, settled_attempts: Sequence[SettledAttempt]) -> None:
    """Write the results of attempts that count, of any number of webhooks."""
    now = clock.monotonic()
    updates: list[tuple[object, ...]] = []
    counts: dict[UUID, _Counts] = defaultdict(_Counts)
    for settled in sorted(settled_attempts, key=lambda settled: settled.result.at):
        attempt, result, age = settled.attempt, settled.result, now - settled.result.at
        counts[attempt.webhook_id].add(settled, age)
        updates.append(
            (attempt.id, attempt.resend, settled.state, settled.retry_seconds, age, result.duration_ms, result.status,
             result.error, result.response, attempt.number, result.timestamp, result.timestamp and attempt.url)
        )  # fmt: skip
    added = [
        (webhook_id, count.failures, count.lost, count.success_age, count.failure_age)
        for webhook_id, count in counts.items()
    ]
    await db.execute(_SETTLE, *_transpose(updates), *_transpose(added))
    if lost := [webhook_id for webhook_id, count in counts.items() if count.lost]:
        await _disable(db, lost)


async def _disable(db: Db, webhook_ids: Sequence[UUID]) -> None:
    """Disable those of the webhooks that lost every delivery for long enough, and mail the owner once."""
    reason = f"At least {LOST_MAX} deliveries in a row failed permanently, and none succeeded for {LOST_DAYS} days."
    for record in await db.fetch(_DISABLE, webhook_ids, LOST_MAX, LOST_DAYS, reason):
        webhook_id, workspace_id, url, name, lost, workspace, email = record
        _logger.warning(
            "webhook.disabled",
            webhook=ids.encode("whk", webhook_id),
            workspace=ids.encode("wsp", workspace_id),
            lost=lost,
        )
        values = {"workspace": workspace, "url": url, "name": name, "lost": lost, "days": LOST_DAYS}
        message = mail.Message(to=email, template="webhook_disabled", values=values)
        await mail.enqueue(db, message, workspace_id=workspace_id)


def _transpose(tuples: Iterable[tuple[object, ...]]) -> list[list[object]]:
    """Return one list per column, as `unnest` takes them."""
    return [list(column) for column in zip(*tuples, strict=True)]
