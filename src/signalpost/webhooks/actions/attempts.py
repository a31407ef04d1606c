"""Start attempts, and undo the start of those that did not count."""

from collections.abc import Sequence
from uuid import UUID

from signalpost.kit import rows
from signalpost.kit.db import Db
from signalpost.webhooks.sending import Attempt, AttemptResult

SLOW_AFTER_FAILURES = 4
"""A webhook that failed this often in a row, or never succeeded, gets one delivery at a time: one connection hangs."""

_ATTEMPT = rows.columns(
    Attempt,
    "d",
    resend="not p.by_schedule",
    age_seconds="extract(epoch from now() - d.created_at)::float8",
    url="p.url",
    mode="p.delivery_mode",
    secrets="array_remove(array[p.secret, p.former_secret, p.next_secret], null)",
)
_START = f"""
with picked as materialized (
    select d.id, w.url, w.delivery_mode, w.secret, w.next_secret,
        case when w.former_secret_until > now() then w.former_secret end as former_secret,
        coalesce(d.next_attempt_at <= now(), false) as by_schedule
    from unnest($1::uuid[]) as k(key)
    join webhook w on w.id = k.key and w.status = 'active'
    cross join lateral (
        select id, next_attempt_at from delivery where webhook_id = k.key and due_at <= now() order by due_at
        limit case when w.last_success_at is null or w.consecutive_failures >= $3 then 1 else $2 end
        for no key update skip locked) d
)
update delivery d set started_at = now(), crashes = case when d.started_at is null then 0 else d.crashes + 1 end,
    state = case when p.by_schedule then 'pending' else d.state end
from picked p where d.id = p.id
returning {_ATTEMPT}
"""  # noqa: S608 - constants only
# `pending` after an earlier attempt of the schedule means that this start set it: before, the delivery was `failed`.
_STATE_BEFORE_START = "case when d.state = 'pending' and d.scheduled > 0 then 'failed' else d.state end"
_HAND_BACK = f"update delivery d set started_at = null, state = {_STATE_BEFORE_START} where id = any($1)"  # noqa: S608
_POSTPONE = f"""
update delivery d set started_at = null, last_error = e.error, state = {_STATE_BEFORE_START},
    next_attempt_at = case when e.resend or d.next_attempt_at is null then d.next_attempt_at
        else now() + make_interval(secs => $4) end,
    resend_at = case when not e.resend or d.resend_at is null then d.resend_at
        else now() + make_interval(secs => $4) end
from unnest($1::uuid[], $2::bool[], $3::text[]) as e(id, resend, error) where d.id = e.id
"""  # noqa: S608 - constants only

_read_attempt = rows.reader(Attempt)


async def start(db: Db, webhook_ids: Sequence[UUID], per_webhook: int) -> list[Attempt]:
    """Mark due deliveries as started and return them. A start that is never followed by a result is a crash."""
    return await rows.read_all(db, _read_attempt, _START, webhook_ids, per_webhook, SLOW_AFTER_FAILURES)


async def hand_back(db: Db, attempts: Sequence[Attempt]) -> None:
    """Undo the start of attempts that were not made."""
    await db.execute(_HAND_BACK, [attempt.id for attempt in attempts])


async def postpone(db: Db, failed: Sequence[tuple[Attempt, AttemptResult]], seconds: float) -> None:
    """Repeat attempts that failed through our own fault after `seconds`. Nothing is counted."""
    await db.execute(
        _POSTPONE,
        [attempt.id for attempt, _ in failed],
        [attempt.resend for attempt, _ in failed],
        [result.error for _, result in failed],
        seconds,
    )
