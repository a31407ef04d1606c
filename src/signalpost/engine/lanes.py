"""The statements over the lane table. Each is correct alone; the order in which a release runs them matters (below)."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from signalpost.engine.contract import LEASE_SECONDS, Source
from signalpost.kit.db import Db, Row

# Looks at four times as many ready lanes as wanted and takes them round robin over workspaces, so that one tenant's
# ready lanes cannot fill a claim; those of workspaces that are at their cap are not even looked at.
_CLAIM = """
with ready as materialized (
    select r.key, r.wake_at, r.workspace_id, row_number() over (partition by r.workspace_id order by r.wake_at)
        + coalesce((select b.held from unnest($4::uuid[], $5::int[]) as b(id, held)
            where b.id = r.workspace_id), 0) as nth
    from (
        select key, wake_at, workspace_id from lane
        where kind = $1 and owner is null and next_due_at is not null and wake_at <= now() and wake_at >= $9
            and (workspace_id is null or workspace_id <> all($6::uuid[]))
        order by wake_at limit $2 * 4
    ) r
), picked as materialized (
    select l.key from ready r join lane l on l.kind = $1 and l.key = r.key
    where (r.nth <= $7 or r.workspace_id is null)
        and l.owner is null and l.next_due_at is not null and l.wake_at <= now()
    order by r.nth, r.wake_at limit $2
    for no key update of l skip locked
)
update lane l set owner = $3, fence = l.fence + 1, lease_until = now() + make_interval(secs => $8)
from picked p where l.kind = $1 and l.key = p.key
returning l.key, l.fence, l.workspace_id, l.platform, l.wake_at,
    extract(epoch from now() - l.next_due_at)::float8 as lag, extract(epoch from clock_timestamp())::float8 as clock
"""

_NEXT = """
select extract(epoch from min(wake_at) - clock_timestamp())::float8 from lane
where kind = $1 and owner is null and next_due_at is not null and wake_at >= $3
    and (workspace_id is null or workspace_id <> all($2::uuid[]))
"""

# Lanes that were served leave dead entries at the low end of the index, and somebody's forgotten transaction keeps
# vacuum from removing them. So claims begin to read at a floor, and only once a second somebody reads from the bottom.
_FLOOR = """
select least(min(wake_at), now() - interval '10 s') from lane
where kind = $1 and owner is null and next_due_at is not null
"""

# A worker that stops dead inside a transaction keeps the lane row locked: the server ends that transaction.
CHECK = """
select set_config('idle_in_transaction_session_timeout', '15s', true) from lane
where kind = $1 and key = $2 and owner = $3 and fence = $4 for no key update
"""

_LOCK = """
select l.key from lane l join unnest($2::uuid[], $3::bigint[]) as m(key, fence) on l.key = m.key and l.fence = m.fence
where l.kind = $1 and l.owner = $4 order by l.key for no key update of l
"""

_FREE = """
with due as materialized (
    select m.key, m.hold,
        (select min(t.{due}) from {table} t where t.{key} = m.key and t.{due} is not null and ({open})) as at
    from unnest($2::uuid[], $3::float8[]) as m(key, hold)
)
update lane l set owner = null, lease_until = null, next_due_at = d.at, not_before = greatest(
    case when l.not_before > now() then l.not_before end,
    case when d.hold > 0 then now() + make_interval(secs => d.hold) end,
    case when d.at <= now() then now() end)
from due d where l.kind = $1 and l.key = d.key
"""

# Never waits: a row that an item or a release holds locked is renewed a second later. What is not ours is lost.
RENEW = """
with held as materialized (
    select m.kind, m.key, m.fence from unnest($1::text[], $2::uuid[], $3::bigint[]) as m(kind, key, fence)
), free as materialized (
    select l.kind, l.key from lane l join held h on l.kind = h.kind and l.key = h.key and l.fence = h.fence
    where l.owner = $4 order by l.kind, l.key for no key update of l skip locked
), renewed as (
    update lane l set lease_until = now() + make_interval(secs => $5)
    from free f where l.kind = f.kind and l.key = f.key returning l.kind, l.key
)
select h.kind, h.key, h.fence, r.key is not null as renewed, exists (
    select from lane l where l.kind = h.kind and l.key = h.key and l.fence = h.fence and l.owner = $4) as ours
from held h left join renewed r on r.kind = h.kind and r.key = h.key
"""

# Freed are lanes of workers whose lock nobody holds, of workers that are no longer known, and (unless the clock is in
# doubt: a step would end every lease) those whose lease ran out. Locked rows are left to the next second.
REAP = """
with dead as materialized (select id from worker where id <> $1 and pg_try_advisory_xact_lock(lock_key)),
taken as materialized (
    select kind, key from lane
    where owner is not null and (owner in (select id from dead) or not exists (select from worker w where w.id = owner)
        or ($2 and lease_until < now()))
    order by kind, key for no key update skip locked
),
freed as (
    update lane l set owner = null, lease_until = null, not_before = greatest(l.not_before, now())
    from taken t where l.kind = t.kind and l.key = t.key
    returning l.kind
)
select kind, count(*) as lanes from freed group by kind
"""
FORGET_DEAD = "delete from worker where id <> $1 and pg_try_advisory_xact_lock(lock_key)"

_BACKLOG = """
with ready as materialized (
    select key, next_due_at from lane
    where kind = $1 and owner is null and next_due_at is not null and wake_at <= now()
    order by wake_at limit 10000
)
select (select count(*) from ready) as ready_lanes, (
    select count(*) from (
        select from ready r join {table} t on t.{key} = r.key
        where t.{due} <= now() - make_interval(secs => $2) and ({open}) limit 10000) as x) as items,
    coalesce((select extract(epoch from now() - min(next_due_at)) from ready), 0)::float8 as oldest
"""


class LaneStatements:
    """The statements for one source."""

    def __init__(self, source: Source[Any, Any]) -> None:
        self.kind = source.kind
        self._floor = datetime.min.replace(tzinfo=UTC)
        self._cap = source.lanes_per_workspace
        columns = {"table": source.table, "key": source.key_column, "due": source.due_column}
        self._free = _FREE.format(**columns, open=source.open_condition)
        self._backlog = _BACKLOG.format(**columns, open=source.open_condition)

    async def find_floor(self, db: Db) -> None:
        """Look at all waiting lanes, for those that were woken with a time long past. Call it about once a second."""
        self._floor = await db.fetchval(_FLOOR, self.kind)

    async def claim(self, db: Db, lanes: int, owner: UUID, busy: dict[UUID, int]) -> list[Row]:
        """Take up to `lanes` ready lanes; `busy`: how many each workspace has in flight here."""
        counts = (list(busy), list(busy.values()), self._full(busy), self._cap)
        return await db.fetch(_CLAIM, self.kind, lanes, owner, *counts, float(LEASE_SECONDS), self._floor)

    async def seconds_to_next(self, db: Db, busy: dict[UUID, int]) -> float | None:
        """Return when the next lane is ready (negative: it is, but was locked), or None."""
        seconds: float | None = await db.fetchval(_NEXT, self.kind, self._full(busy), self._floor)
        return seconds

    async def lock(self, db: Db, keys: Sequence[UUID], fences: Sequence[int], owner: UUID) -> set[UUID]:
        """Lock those lanes that are still ours, and return them."""
        return {row["key"] for row in await db.fetch(_LOCK, self.kind, keys, fences, owner)}

    async def free(self, db: Db, keys: Sequence[UUID], holds: Sequence[float]) -> None:
        """Give locked lanes back, and work out anew when each is due.

        Must be a statement after `lock` in the same transaction, never one with it: a single statement would read the
        items as they were before it got the lock, and an item committed in between would never be woken.
        A lane with work left goes behind all that wait already.
        """
        await db.execute(self._free, self.kind, keys, holds)

    async def backlog(self, db: Db, older_than_seconds: float) -> Row:
        """Count what is ready and nobody holds, and of that the items due longer ago than given."""
        row = await db.fetchrow(self._backlog, self.kind, older_than_seconds)
        assert row is not None  # noqa: S101 - an aggregate
        return row

    def _full(self, busy: dict[UUID, int]) -> list[UUID]:
        return [workspace for workspace, held in busy.items() if held >= self._cap]
