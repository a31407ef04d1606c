"""The minute: what networks and receivers answered decides automatic components, and every component gets a sample."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final
from uuid import UUID

from signalpost.engine.contract import EngineStatus
from signalpost.kit import clock, ids
from signalpost.kit.db import Db
from signalpost.kit.worker_threads import in_thread
from signalpost.status import queries
from signalpost.status.actions import components
from signalpost.status.queries import ComponentRow, IncidentRow
from signalpost.status.states import COMPONENT_STATUSES, ComponentStatus, worst
from signalpost.status.uptime import DAY_MINUTES, together_within, within

WINDOW: Final = timedelta(minutes=15)
ENOUGH: Final = 20
"""Fewer results in the window say nothing."""
DEGRADED_BELOW: Final = 0.9
OUTAGE_BELOW: Final = 0.5
LATE_SECONDS: Final = 300.0
VERY_LATE_SECONDS: Final = 1_800.0
_ROWS_MAX: Final = 5_000
KEEP_DAYS: Final = 400

# The newest attempts by their ids, which are ordered by time. Mistakes of users say nothing about a network.
_PUBLISHED: Final = f"""
select t.platform as name, count(*) filter (where a.outcome in ('published', 'processing'))::int as good,
    count(*)::int as total
from (select target_id, outcome, error from attempt where id >= $1 and finished_at is not null order by id desc
    limit {_ROWS_MAX}) a
join target t on t.id = a.target_id
where a.outcome in ('published', 'processing') or a.error ->> 'source' in ('platform', 'system')
group by t.platform
"""  # noqa: S608 - a constant
# Each receiver counts once, however many events it has: one that is down for good says nothing about us.
_DELIVERED: Final = f"""
select 'webhooks' as name, count(*) filter (where good)::int as good, count(*)::int as total from (
    select webhook_id, bool_or(state = 'delivered') as good from (
        select webhook_id, state from delivery where id >= $1 and attempts > 0 order by id desc limit {_ROWS_MAX}) d
    group by webhook_id) receivers
"""  # noqa: S608 - a constant
_SEED: Final = """
insert into status_component (id, key, name, position, platform, automatic)
select id, key, name, 100, key, true from unnest($1::uuid[], $2::text[], $3::text[]) as n(id, key, name)
where not exists (select from status_component c where c.key = n.key or c.platform = n.key)
on conflict do nothing
"""
_SAMPLE: Final = """
insert into status_day as d (component_id, day, sampled, sampled_at)
select c.id, $1::date, array(select (s = c.status)::int from unnest($2::text[]) with ordinality as u(s, n) order by n),
    $3 from status_component c
on conflict (component_id, day) do update set sampled_at = excluded.sampled_at, sampled = array[
    d.sampled[1] + excluded.sampled[1], d.sampled[2] + excluded.sampled[2], d.sampled[3] + excluded.sampled[3],
    d.sampled[4] + excluded.sampled[4], d.sampled[5] + excluded.sampled[5]]
where d.sampled_at is null or d.sampled_at < excluded.sampled_at
"""
_PURGE: Final = "delete from status_day where day < $1"


async def seed(db: Db, platforms: Mapping[str, str]) -> None:
    """Create a component for each network (key -> name) that has none."""
    keys = list(platforms)
    await db.execute(_SEED, [ids.new_id() for _ in keys], keys, list(platforms.values()))


async def measure(db: Db, engine: EngineStatus | None) -> dict[str, ComponentStatus]:
    """Return the status that the figures of the last 15 minutes give to networks, the queue and webhooks, by key."""
    since = ids.first_at(clock.actual() - WINDOW)
    records = [*await db.fetch(_PUBLISHED, since), *await db.fetch(_DELIVERED, since)]
    measured = {record["name"]: rate(record["good"], record["total"]) for record in records}
    for key, kind in (("queue", "target"), ("webhooks", "delivery")):
        measured[key] = worst([measured.get(key, "operational"), lateness(engine, kind)])
    return measured


def rate(good: int, total: int) -> ComponentStatus:
    """Return what a share of good results means."""
    if total < ENOUGH or good >= total * DEGRADED_BELOW:
        return "operational"
    return "degraded_performance" if good >= total * OUTAGE_BELOW else "partial_outage"


def lateness(engine: EngineStatus | None, kind: str) -> ComponentStatus:
    """Return what work that is overdue means."""
    backlog = None if engine is None else engine.sources.get(kind)
    if backlog is None or backlog.oldest_due_age_seconds <= LATE_SECONDS:
        return "operational"
    return "degraded_performance" if backlog.oldest_due_age_seconds <= VERY_LATE_SECONDS else "partial_outage"


async def apply(db: Db, measured: Mapping[str, ComponentStatus]) -> None:
    """Give automatic components their measured status, except those that an active incident decides."""
    await components.lock(db)  # an incident that is being declared decides, too
    held = await components.held_statuses(db)
    await components.change(
        db,
        {
            row.id: status
            for row in await queries.components(db)
            if row.automatic and row.id not in held
            for status in (measured.get(row.platform or row.key, "operational"),)
            if status != row.status
        },
    )


async def sample(db: Db, at: datetime) -> None:
    """Count this minute, once, for every component with the status that it has."""
    minute = at.replace(second=0, microsecond=0)
    await db.execute(_SAMPLE, minute.date(), list(COMPONENT_STATUSES), minute)
    if minute.minute == 0:
        await db.execute(_PURGE, minute.date() - timedelta(days=KEEP_DAYS))


_SAMPLED: Final = "select component_id, day, sampled from status_day where day between $1 and $2"
_FILL: Final = """
insert into status_day (component_id, day, filled)
select component_id, day, array(select jsonb_array_elements_text(minutes)::int)
from jsonb_to_recordset($1) as f(component_id uuid, day date, minutes jsonb)
on conflict (component_id, day) do update set filled = excluded.filled
"""


async def backfill(db: Db, rows: list[ComponentRow], first: date, last: date, now: datetime) -> int:
    """Fill the minutes of these days that were not recorded: operational where no incident was active.

    Return how many days of components were written. Doing it again gives the same.
    """
    sampled = {(row[0], row[1]): row[2] for row in await db.fetch(_SAMPLED, first, last)}
    incidents = await queries.overlapping(db, _start(first), _start(last) + timedelta(days=1))
    filled = await in_thread(_plan, [row.id for row in rows], first, last, sampled, incidents, now)
    await db.execute(_FILL, filled)
    return len(filled)


def _plan(
    component_ids: list[UUID],
    first: date,
    last: date,
    sampled: dict[tuple[UUID, date], list[int]],
    incidents: list[IncidentRow],
    now: datetime,
) -> list[dict[str, Any]]:
    """Return the rows to write: some milliseconds of work, for a thread."""
    return [
        {
            "component_id": str(component_id),
            "day": day.isoformat(),
            "minutes": _filled(component_id, day, sampled.get((component_id, day), [0] * 5), incidents, now),
        }
        for component_id in component_ids
        for day in (first + timedelta(days=number) for number in range((last - first).days + 1))
    ]


def _start(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def _filled(
    component_id: UUID, day: date, sampled: list[int], incidents: list[IncidentRow], now: datetime
) -> list[int]:
    """Return the missing minutes by status: the worst first, as far as incidents last longer than what is recorded."""
    start = _start(day)
    end = min(start + timedelta(days=1), max(start, now))
    missing = max(0, min(DAY_MINUTES, within(start, end, start, end)) - sum(sampled))
    filled = [0] * len(COMPONENT_STATUSES)
    concerned = [incident for incident in incidents if component_id in incident.component_ids]
    worse = 0
    for index in reversed(range(1, len(filled))):
        so_bad = COMPONENT_STATUSES[index:]
        lasted = together_within(
            [(row.started_at, row.ended_at or now) for row in concerned if row.component_status in so_bad], start, end
        )
        filled[index] = min(missing, max(0, lasted - worse - sampled[index]))
        missing -= filled[index]
        worse = lasted
    filled[0] = missing
    return filled
