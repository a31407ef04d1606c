"""Writing how attempts ended, many in one statement: the delivery, its webhook, and when nobody answers any more."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple
from uuid import UUID

from signalpost.engine import jobs
from signalpost.kit import clock, log
from signalpost.kit.db import Db
from signalpost.mail import JOB as MAIL
from signalpost.mail import Letter, payload
from signalpost.webhooks.sending import Attempt, AttemptResult
from signalpost.webhooks.states import LOST_DAYS, LOST_MAX, DeliveryState

_logger = log.get("webhooks")

# One statement, since its round trips are what bounds the deliveries a second. Ages are taken before it is sent and
# subtracted from the time it arrived: what happened may look younger than it is, never older, so no retry is too early.
# A row without next_attempt_at was dropped meanwhile (its webhook is deleted): no result brings it back.
# Asked for again while an extra attempt ran: one more.
_SETTLE = """
with counted as (
    update webhook w set
        consecutive_failures = c.failures + case when c.success_age is null then w.consecutive_failures else 0 end,
        consecutive_lost = c.lost + case when c.success_age is null then w.consecutive_lost else 0 end,
        last_success_at =
            greatest(w.last_success_at, statement_timestamp() - make_interval(secs => c.success_age)),
        last_failure_at =
            greatest(w.last_failure_at, statement_timestamp() - make_interval(secs => c.failure_age))
    from unnest($10::uuid[], $11::int[], $12::int[], $13::float8[], $14::float8[])
        as c(id, failures, lost, success_age, failure_age)
    where w.id = c.id
)
update delivery d set
    started_at = null, crashes = 0, attempts = d.attempts + 1,
    scheduled = d.scheduled + case when e.extra then 0 else 1 end,
    state = coalesce(e.state, d.state),
    next_attempt_at = case
        when e.state is null then d.next_attempt_at
        when d.next_attempt_at is not null then e.at + make_interval(secs => e.retry_seconds) end,
    resend_at = case when not e.extra or d.resend_at > d.started_at then d.resend_at end,
    last_attempt_at = e.at, last_status = e.status, last_error = e.error, last_response = e.response,
    last_duration_ms = e.duration_ms,
    delivered_at = case when e.state = 'delivered' then coalesce(d.delivered_at, e.at) else d.delivered_at end,
    log = case when jsonb_array_length(d.log) >= 20 then d.log - 0 else d.log end || jsonb_build_object(
        'at', to_char(e.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'resend', e.extra,
        'status', e.status, 'error', e.error, 'durationMs', e.duration_ms)
from (
    select u.*, statement_timestamp() - make_interval(secs => u.age) as at
    from unnest($1::uuid[], $2::bool[], $3::text[], $4::float8[], $5::float8[], $6::int[], $7::int[], $8::text[],
        $9::text[]) as u(id, extra, state, retry_seconds, age, duration_ms, status, error, response)
) e
where d.id = e.id
"""
_POSTPONE = """
update delivery d set started_at = null, last_error = e.error,
    state = case when d.state = 'pending' and d.scheduled > 0 then 'failed' else d.state end,
    next_attempt_at = case when e.extra or d.next_attempt_at is null then d.next_attempt_at
        else now() + make_interval(secs => $4) end,
    resend_at = case when not e.extra or d.resend_at is null then d.resend_at
        else now() + make_interval(secs => $4) end
from unnest($1::uuid[], $2::bool[], $3::text[]) as e(id, extra, error) where d.id = e.id
"""
_DISABLE = """
update webhook w set status = 'disabled', disabled_reason = $4, updated_at = now()
from workspace s join member m on m.workspace_id = s.id and m.role = 'owner' and m.status = 'active'
    join app_user u on u.id = m.user_id
where w.id = any($1) and w.status = 'active' and w.consecutive_lost >= $2
    and greatest(w.last_success_at, w.enabled_at) < now() - make_interval(days => $3) and s.id = w.workspace_id
returning w.id, w.workspace_id, w.url, w.name, w.consecutive_lost, s.name, u.email
"""


class SettledAttempt(NamedTuple):
    """An attempt that counts, and what its row becomes; `state` None: as it was."""

    attempt: Attempt
    result: AttemptResult
    state: DeliveryState | None
    retry_seconds: float | None

    @property
    def lost(self) -> bool:
        """Whether the schedule ended without success."""
        return self.state is not None and self.state != "delivered" and self.retry_seconds is None


class _Tally:
    """What a turn did to one webhook: failures and losses since the last success in it; ages in seconds."""

    def __init__(self) -> None:
        self.success_age: float | None = None
        self.failure_age: float | None = None
        self.failures = self.lost = 0

    def add(self, one: SettledAttempt, age: float) -> None:
        """Take the next result, in the order of time."""
        if one.result.delivered:
            self.success_age, self.failures, self.lost = age, 0, 0
        else:
            self.failure_age = age
            self.failures += 1
            self.lost += one.lost


async def settle(db: Db, ended: Sequence[SettledAttempt]) -> None:
    """Write the ends of attempts that count, of any number of webhooks."""
    now = clock.monotonic()
    rows: list[tuple[object, ...]] = []
    tallies: dict[UUID, _Tally] = defaultdict(_Tally)
    for one in sorted(ended, key=lambda one: one.result.at):
        attempt, result, age = one.attempt, one.result, now - one.result.at
        tallies[attempt.webhook_id].add(one, age)
        rows.append(
            (attempt.id, attempt.extra, one.state, one.retry_seconds, age, result.duration_ms, result.status,
             result.error, result.response)
        )  # fmt: skip
    counts = [(key, tally.failures, tally.lost, tally.success_age, tally.failure_age) for key, tally in tallies.items()]
    await db.execute(_SETTLE, *_columns(rows), *_columns(counts))
    if lost := [webhook_id for webhook_id, tally in tallies.items() if tally.lost]:
        await _disable(db, lost)


async def postpone(db: Db, items: Sequence[tuple[Attempt, AttemptResult]], seconds: float) -> None:
    """Try again in so many seconds; nothing is counted or charged to the receiver."""
    rows = [(attempt.id, attempt.extra, result.error) for attempt, result in items]
    await db.execute(_POSTPONE, *_columns(rows), seconds)


async def _disable(db: Db, webhook_ids: Sequence[UUID]) -> None:
    """Disable those that lost everything for long enough, and tell the owner, once."""
    reason = f"At least {LOST_MAX} deliveries in a row failed for good, and none succeeded for {LOST_DAYS} days."
    for row in await db.fetch(_DISABLE, webhook_ids, LOST_MAX, LOST_DAYS, reason):
        webhook_id, workspace_id, url, name, lost, workspace, email = row
        _logger.warning("webhook.disabled", webhook=str(webhook_id), workspace=str(workspace_id), lost=lost)
        values = {"workspace": workspace, "url": url, "name": name, "lost": lost, "days": LOST_DAYS}
        letter = Letter(to=email, template="webhook_disabled", values=values)
        await jobs.enqueue(db, MAIL, payload(letter), workspace_id=workspace_id)


def _columns(rows: Iterable[tuple[object, ...]]) -> list[list[object]]:
    return [list(column) for column in zip(*rows, strict=True)]
