"""Remove deleted webhooks with their deliveries, and deliveries that ended so long ago that nobody keeps them."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TypeAlias
from uuid import UUID

from signalpost.kit.db import Db
from signalpost.webhooks.states import MISSED_DAYS

ROWS = 1_000
"""How many deliveries one transaction looks at."""
WEBHOOKS = 200
"""How many webhooks one transaction looks at."""

# The webhooks that were deleted first are worked off first, so that no step looks at all of them.
_DELETED = "select id from webhook where deleted_at < now() - interval '1 hour' order by deleted_at, id limit $1"
# Named by an array, and looked for webhook by webhook: after many came at once, what the server knows of the sizes of
# tables is wrong, and a join of them would read them all.
_PURGE_DELETED = f"""
delete from delivery where id = any(array(
    select d.id from ({_DELETED}) w cross join lateral (
        select id from delivery where webhook_id = w.id limit $1) d
    limit $1))
"""  # noqa: S608 - a constant
_DELETE_WEBHOOKS = f"""
with deleted as (
    delete from webhook where id = any(array(
        select id from ({_DELETED}) w where (select id from delivery d where d.webhook_id = w.id limit 1) is null))
    returning id
), lanes as (
    delete from lane where kind = 'delivery' and owner is null and key = any(array(select id from deleted))
)
select count(*) from deleted
"""  # noqa: S608 - a constant
_WEBHOOKS = "select id from webhook where id > $1 order by id limit $2"
# Looks at so many old deliveries of each webhook after its position, whether they are kept or not: one that keeps many
# of them makes no step longer. Each plan is looked up too: PostgreSQL 15 would read all webhooks for a join.
_PURGE_ENDED = f"""
with looked as materialized (
    select w.id as webhook_id, d.id, d.created_at, d.due_at, d.state, p.days
    from unnest($1::uuid[], $2::timestamptz[], $3::uuid[]) as w(id, after_at, after_id)
    cross join lateral (
        select s.plan from webhook h join workspace s on s.id = h.workspace_id where h.id = w.id limit 1) o
    left join unnest($5::text[], $6::int[]) as p(plan, days) on p.plan = o.plan
    cross join lateral (
        select id, created_at, due_at, state from delivery
        where webhook_id = w.id and (created_at, id) > (w.after_at, w.after_id)
            and created_at < greatest(now() - make_interval(days => p.days), now() - interval '{MISSED_DAYS} days')
        order by created_at, id limit $4) d
), gone as (
    delete from delivery where id = any(array(
        select id from looked where due_at is null and created_at < now() - case
            when state in ('pending', 'skipped') then interval '{MISSED_DAYS} days'
            else make_interval(days => days) end))
)
select webhook_id, count(*)::int, max(created_at), (array_agg(id order by created_at desc, id desc))[1]
from looked group by webhook_id
"""  # noqa: S608 - constants only
_FIRST = (datetime(1970, 1, 1, tzinfo=UTC), UUID(int=0))

Position: TypeAlias = tuple[datetime, UUID]
"""The last delivery of a webhook that was looked at: when it was created, and its id."""


async def purge_deleted(db: Db) -> bool:
    """Remove a batch of deliveries of deleted webhooks, and deleted webhooks without any; return whether to repeat."""
    removed = await db.execute(_PURGE_DELETED, ROWS)
    ended: int = await db.fetchval(_DELETE_WEBHOOKS, ROWS)
    return removed == f"DELETE {ROWS}" or ended == ROWS


async def webhooks_after(db: Db, after: UUID | None, limit: int) -> Sequence[UUID]:
    """Return the next webhooks after this one, in the order of their ids."""
    return [record[0] for record in await db.fetch(_WEBHOOKS, after or UUID(int=0), limit)]


async def purge_ended(
    db: Db, positions: Mapping[UUID, Position | None], share: int, *, days_by_plan: Mapping[str, int]
) -> dict[UUID, Position]:
    """Look at the next `share` old deliveries of each webhook, and remove those that nobody keeps.

    These are the ones that ended before what the plan keeps, and what stopped webhooks missed, and nobody fetched, long
    ago. Returns the webhooks that have more, each with its new position.
    """
    starts = [position or _FIRST for position in positions.values()]
    records = await db.fetch(
        _PURGE_ENDED, list(positions), [at for at, _ in starts], [last for _, last in starts], share,
        list(days_by_plan), list(days_by_plan.values()),
    )  # fmt: skip
    return {webhook_id: (at, last) for webhook_id, looked, at, last in records if looked == share}
