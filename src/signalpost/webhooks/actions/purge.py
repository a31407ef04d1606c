"""Remove deleted webhooks with their deliveries, and deliveries that ended so long ago that nobody keeps them."""

from collections.abc import Mapping

from signalpost.kit.db import Db
from signalpost.webhooks.states import MISSED_DAYS

_BATCH = 1_000

# The webhooks that were deleted first are worked off first, so that no step looks at all of them.
_DELETED = "select id from webhook where deleted_at < now() - interval '1 hour' order by deleted_at, id limit $1"
_PURGE_DELETED = f"""
delete from delivery where id in (
    select d.id from ({_DELETED}) w join delivery d on d.webhook_id = w.id limit $1)
"""  # noqa: S608 - a constant
_DELETE_WEBHOOKS = f"""
with deleted as (
    delete from webhook where id = any(array(
        select id from ({_DELETED}) w where not exists (select from delivery d where d.webhook_id = w.id)))
    returning id
), lanes as (
    delete from lane where kind = 'delivery' and owner is null and key in (select id from deleted)
)
select count(*) from deleted
"""  # noqa: S608 - a constant
_PURGE_OLD = """
delete from delivery where id in (
    select d.id from unnest($1::text[], $2::int[]) as p(plan, days)
    join workspace s on s.plan = p.plan join webhook w on w.workspace_id = s.id
    cross join lateral (
        select id from delivery where webhook_id = w.id and created_at < now() - make_interval(days => p.days)
            and due_at is null and state not in ('pending', 'skipped') order by created_at limit $3) d
    limit $3)
"""
_PURGE_MISSED = f"""
delete from delivery where id in (
    select d.id from webhook w cross join lateral (
        select id from delivery where webhook_id = w.id and due_at is null and state in ('pending', 'skipped')
            and created_at < now() - interval '{MISSED_DAYS} days' order by created_at, id limit $1) d
    limit $1)
"""  # noqa: S608 - constants only


async def purge_deleted(db: Db) -> bool:
    """Remove a batch of deliveries of deleted webhooks, and deleted webhooks without any; return whether to repeat."""
    removed = await db.execute(_PURGE_DELETED, _BATCH)
    ended: int = await db.fetchval(_DELETE_WEBHOOKS, _BATCH)
    return removed == f"DELETE {_BATCH}" or ended == _BATCH


async def purge_old(db: Db, days_by_plan: Mapping[str, int]) -> bool:
    """Remove a batch of ended deliveries older than the plan keeps them; return whether to repeat.

    What was missed, or waits to be fetched, has not ended: see `purge_missed`.
    """
    return await db.execute(_PURGE_OLD, list(days_by_plan), list(days_by_plan.values()), _BATCH) == f"DELETE {_BATCH}"


async def purge_missed(db: Db) -> bool:
    """Remove a batch of what stopped webhooks missed, and nobody fetched, long ago; return whether to repeat."""
    return await db.execute(_PURGE_MISSED, _BATCH) == f"DELETE {_BATCH}"
