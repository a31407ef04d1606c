"""The statements on the lane table. Each is correct alone; the order in which a release runs them matters (below)."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from signalpost.engine.contract import LEASE_SECONDS, Source
from signalpost.engine.position import MARK
from signalpost.kit.db import Db, Row

# Here and below, {tenant} is SQL of the tenant of lane l: see `Engine`.
_TAKE = """
update lane l set owner = $2, fence = l.fence + 1, lease_until = clock_timestamp() + make_interval(secs => $3)
from picked p where l.kind = $1 and l.key = p.key
returning l.key, l.fence, {tenant} as tenant_id, l.workspace_id, l.platform, l.wake_at,
    extract(epoch from now() - l.next_due_at)::float8 as lag, extract(epoch from clock_timestamp())::float8 as clock
"""
_READY = "l.kind = $1 and l.owner is null and l.next_due_at is not null and l.wake_at <= now()"

_CLAIM = f"""
with picked as materialized (
    select l.key from lane l where {_READY} and l.wake_at >= $5 order by l.wake_at limit $4
    for no key update skip locked
) {_TAKE}
"""  # noqa: S608 - constants only

_CLAIM_NAMED = f"""
with picked as materialized (
    select l.key from unnest($4::uuid[]) as k(key) join lane l on l.key = k.key
    where {_READY} for no key update of l skip locked
) {_TAKE}
"""  # noqa: S608 - constants only

# A tenant's turns go to its workspaces by turns: the first lane of each, the second of each, and so on. The turns that
# a tenant is ahead come first in its sum, as a row without a key. No joins, which would compare each lane with each
# tenant, since the planner expects few lanes; the tenant is looked up once for each workspace.
_BY_TURN = f"""
with ready as materialized (
    select l.*, row_number() over of_workspace as place from (
        select l.key, l.workspace_id, l.platform, l.wake_at from lane l where {_READY} and l.wake_at >= $2
        order by l.wake_at limit 20000) l
    window of_workspace as (partition by l.workspace_id order by l.wake_at)
), counted as (
    select l.key, first_value(case when l.place = 1 then {{tenant}} end) over of_workspace as tenant_id,
        l.workspace_id, l.platform, l.wake_at, l.place, 1 as turns
    from ready l window of_workspace as (partition by l.workspace_id order by l.place)
    union all select null, id, null, null, null, 0, turns from unnest($3::uuid[], $4::int[]) as ahead(id, turns)
), ranked as (
    select key, tenant_id, workspace_id, platform, wake_at,
        sum(turns) over (partition by tenant_id order by place, wake_at rows unbounded preceding) as turn
    from counted
)
select key, tenant_id, workspace_id, platform, wake_at, (select max(wake_at) from ready) as seen_until
from ranked where key is not null order by turn, wake_at limit 2000
"""  # noqa: S608 - constants only

# A lane is visible some moments after its wake_at, when the transaction that woke it has committed. The newest come
# first: of thousands that became ready at the time of the last list, all are in the list or wait for the next one.
_ARRIVED = f"""
select *, max(wake_at) over () as seen_until from (
    select l.key, {{tenant}} as tenant_id, l.workspace_id, l.platform, l.wake_at from lane l
    where {_READY} and l.wake_at >= $2::timestamptz - interval '50 ms' order by l.wake_at desc limit 1000) arrived
"""  # noqa: S608 - constants only

_NEXT = """
select extract(epoch from min(wake_at) - clock_timestamp())::float8 from lane
where kind = $1 and owner is null and next_due_at is not null and wake_at >= $2
"""

# Served lanes leave dead entries at the low end of the index, and a forgotten transaction elsewhere keeps vacuum from
# removing them. So claims start reading at a floor, and only once a second a claim reads from the bottom.
_FLOOR = """
select least(min(wake_at), now() - interval '10 s') from lane
where kind = $1 and owner is null and next_due_at is not null
"""

# The row is locked before the mark is taken.
CHECK = f"""
with held as materialized (
    select from lane where kind = $1 and key = $2 and owner = $3 and fence = $4 for no key update
)
select {MARK} from held
"""  # noqa: S608 - a constant

_OURS = """
select l.key from lane l join unnest($2::uuid[], $3::bigint[]) as m(key, fence) on l.key = m.key and l.fence = m.fence
where l.kind = $1 and l.owner = $4
"""
_LOCK = f"{_OURS} order by l.key for no key update of l skip locked"

# Whoever writes items of a lane shares this lock until commit (`wake_lanes` says why); never waits for them.
_EXCLUDE_WAKERS = "select key from unnest($2::uuid[]) as k(key) where pg_try_advisory_xact_lock(1, lane_lock($1, key))"

# A lane whose items are being written right now stays ready: the time computed here may be outdated.
_FREE = """
with due as materialized (
    select m.key, m.pause_seconds, m.key = any($4) as exact,
        (select min(t.{due}) from {table} t where t.{key} = m.key and t.{due} is not null and ({open})) as at
    from unnest($2::uuid[], $3::float8[]) as m(key, pause_seconds)
)
update lane l set owner = null, lease_until = null,
    next_due_at = case when d.exact then d.at else least(d.at, now()) end,
    not_before = greatest(
        case when l.not_before > now() then l.not_before end,
        case when d.pause_seconds > 0 then now() + make_interval(secs => d.pause_seconds) end,
        case when d.at <= now() then now() when not d.exact then now() + interval '25 ms' end)
from due d where l.kind = $1 and l.key = d.key
returning extract(epoch from l.wake_at - clock_timestamp())::float8
"""

# Never waits: a row locked by an item or a release is renewed a second later. A lane that is not ours is lost.
RENEW = """
with named as materialized (
    select m.kind, m.key, m.fence from unnest($1::text[], $2::uuid[], $3::bigint[]) as m(kind, key, fence)
), free as materialized (
    select l.kind, l.key from lane l join named n on l.kind = n.kind and l.key = n.key and l.fence = n.fence
    where l.owner = $4 order by l.kind, l.key for no key update of l skip locked
), renewed as (
    update lane l set lease_until = clock_timestamp() + make_interval(secs => $5)
    from free f where l.kind = f.kind and l.key = f.key returning l.kind, l.key
)
select n.kind, n.key, n.fence, r.key is not null as renewed, exists (
    select from lane l where l.kind = n.kind and l.key = n.key and l.fence = n.fence and l.owner = $4) as ours
from named n left join renewed r on r.kind = n.kind and r.key = n.key
"""

# Frees lanes of workers whose lock nobody holds, of workers that are no longer registered, and (if the clock can be
# trusted: a step would end every lease) lanes whose lease expired. Locked rows are left to the next round.
FREE_ABANDONED = """
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
DELETE_DEAD_WORKERS = "delete from worker where id <> $1 and pg_try_advisory_xact_lock(lock_key)"

# A lane that a worker holds counts once its items should long have ended: it may hang, or be frozen.
_BACKLOG = """
with ready as materialized (
    select key, next_due_at from lane
    where kind = $1 and owner is null and next_due_at is not null and wake_at <= now()
    order by wake_at limit 10000
), late as materialized (
    select key, next_due_at, $2::float8 as seconds from ready
    union all
    select key, next_due_at, $2 + $3 from lane
    where kind = $1 and owner is not null and next_due_at <= now() - make_interval(secs => $2 + $3)
)
select (select count(*) from ready) as ready_lanes, (
    select count(*) from (
        select from late l join {table} t on t.{key} = l.key
        where t.{due} <= now() - make_interval(secs => l.seconds) and ({open}) limit 10000) as x) as items,
    coalesce((select extract(epoch from now() - min(next_due_at)) from late), 0)::float8 as oldest
"""


class LaneStatements:
    """The statements for one source."""

    def __init__(self, source: Source[Any, Any], tenant_sql: Callable[[str], str] = str) -> None:
        self.kind = source.kind
        self._item_seconds_max = source.item_seconds_max
        self._floor = datetime.min.replace(tzinfo=UTC)
        self._claim, self._claim_named, self._by_turn, self._arrived = (
            statement.format(tenant=tenant_sql("l.workspace_id"))
            for statement in (_CLAIM, _CLAIM_NAMED, _BY_TURN, _ARRIVED)
        )
        columns = {"table": source.table, "key": source.key_column, "due": source.due_column}
        self._free = _FREE.format(**columns, open=source.open_condition)
        self._backlog = _BACKLOG.format(**columns, open=source.open_condition)

    async def find_floor(self, db: Db) -> None:
        """Look at all waiting lanes, for those woken with a time long past. Call it about once a second."""
        self._floor = await db.fetchval(_FLOOR, self.kind)

    async def claim(self, db: Db, owner: UUID, lanes: int) -> list[Row]:
        """Claim up to `lanes` ready lanes, those that have been ready longest."""
        return await db.fetch(self._claim, self.kind, owner, float(LEASE_SECONDS), lanes, self._floor)

    async def claim_named(self, db: Db, owner: UUID, keys: Sequence[UUID]) -> list[Row]:
        """Claim those of the lanes that are ready."""
        return await db.fetch(self._claim_named, self.kind, owner, float(LEASE_SECONDS), keys)

    async def by_turn(self, db: Db, ahead: tuple[Sequence[UUID], Sequence[int]]) -> list[Row]:
        """Return the best 2,000 of the (at most 20,000) lanes that have been ready longest; see `Backlog`."""
        return await db.fetch(self._by_turn, self.kind, self._floor, *ahead)

    async def arrived(self, db: Db, since: datetime) -> list[Row]:
        """Return lanes that became ready after `since`, or shortly before."""
        return await db.fetch(self._arrived, self.kind, since)

    async def seconds_to_next(self, db: Db, after: datetime | None = None) -> float | None:
        """Return in how many seconds the next lane is ready (negative: it is, but was locked), or None."""
        seconds: float | None = await db.fetchval(_NEXT, self.kind, after or self._floor)
        return seconds

    async def lock(self, db: Db, keys: Sequence[UUID], fences: Sequence[int], owner: UUID) -> set[UUID]:
        """Lock the lanes that are still ours, and return their keys; lanes that are locked elsewhere are left out."""
        return {row["key"] for row in await db.fetch(_LOCK, self.kind, keys, fences, owner)}

    async def ours(self, db: Db, keys: Sequence[UUID], fences: Sequence[int], owner: UUID) -> set[UUID]:
        """Return which lanes are ours, whether or not another transaction holds their rows locked."""
        return {row["key"] for row in await db.fetch(_OURS, self.kind, keys, fences, owner)}

    async def exclude_wakers(self, db: Db, keys: Sequence[UUID]) -> list[UUID]:
        """Keep others from waking these lanes until commit; return those for which nobody is doing it already.

        Call it last before `free`: who holds this lock must not wait for others any more.
        """
        return [row["key"] for row in await db.fetch(_EXCLUDE_WAKERS, self.kind, keys)]

    async def free(
        self, db: Db, keys: Sequence[UUID], pause_seconds: Sequence[float], excluded: Sequence[UUID]
    ) -> float | None:
        """Release locked lanes, and compute again when each is due; return in how many seconds the first one is.

        Must be a later statement than `exclude_wakers` in the same transaction, never combined with it: a single
        statement would read the items as of before it got the locks, and an item committed in between would never be
        woken. A lane that is not in `excluded` stays ready, to be looked at again a moment later.
        A lane with work left goes behind all lanes that are waiting already.
        """
        rows = await db.fetch(self._free, self.kind, keys, pause_seconds, excluded)
        return min((row[0] for row in rows if row[0] is not None), default=None)

    async def backlog(self, db: Db, older_than_seconds: float) -> Row:
        """Count the ready lanes that no worker holds, and the items due at least this long ago.

        Items of lanes that a worker holds count only if they have been due for as much longer as one may take.
        """
        row = await db.fetchrow(self._backlog, self.kind, older_than_seconds, self._item_seconds_max)
        assert row is not None  # noqa: S101 - an aggregate
        return row
