"""Forgetting what others wrote: as many days after it was collected as the plan of the workspace says."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final
from uuid import UUID

from signalpost.engine.turns import Turns
from signalpost.kit.db import Db
from signalpost.plans import limits
from signalpost.settings import Settings

WORKSPACES: Final = 500
"""How many workspaces one transaction looks at."""
ROWS: Final = 5_000
"""How many comments one transaction deletes."""
_FIRST: Final = UUID(int=0)
_WORKSPACES: Final = "select id from workspace where id > $1 order by id limit $2"
_FORGET: Final = """
with gone as (
    delete from comment where id = any(array(
        select c.id from unnest($1::uuid[]) as k(id)
        cross join lateral (
            select p.days from workspace w join unnest($2::text[], $3::int[]) as p(plan, days) on p.plan = w.plan
            where w.id = k.id limit 1) o
        cross join lateral (
            select id from comment where workspace_id = k.id and created_at < now() - make_interval(days => o.days)
            order by created_at limit $4) c))
    returning workspace_id
)
select workspace_id, count(*)::int from gone group by 1
"""


def days_by_plan(settings: Settings) -> dict[str, int]:
    """Return for how many days comments are kept, by plan."""
    if settings.billing_enabled:
        return {plan: limits.COMMENT_DAYS.of(plan) or settings.comments_days for plan in limits.PLANS}
    return dict.fromkeys(limits.PLANS, settings.comments_days)


def turns(settings: Settings) -> Turns[None]:
    """Return the turns that forget what is old."""
    return Turns(workspaces_after, partial(forget, days=days_by_plan(settings)), page=WORKSPACES, rows=ROWS)


async def workspaces_after(db: Db, after: UUID | None, limit: int) -> Sequence[UUID]:
    """Return the next workspaces after this one, in the order of their ids."""
    return [record[0] for record in await db.fetch(_WORKSPACES, after or _FIRST, limit)]


async def forget(db: Db, positions: Mapping[UUID, None], share: int, *, days: Mapping[str, int]) -> Mapping[UUID, None]:
    """Delete the oldest comments of each of these workspaces; return those that have more."""
    records = await db.fetch(_FORGET, list(positions), list(days), list(days.values()), share)
    return {workspace_id: None for workspace_id, deleted in records if deleted >= share}
