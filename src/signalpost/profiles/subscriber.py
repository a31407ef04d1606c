"""What profiles do when something else happened."""

from collections.abc import Sequence

from signalpost import events
from signalpost.context import AppContext
from signalpost.kit.db import Db
from signalpost.plans import limits

_FIT = """
with changing as materialized (
    select p.id, r.over
    from profile p join (
        select id, row_number() over (order by is_default desc, created_at, id) > coalesce($2, 2147483647) as over
        from profile where workspace_id = $1 and deleted_at is null
    ) r on r.id = p.id
    where p.workspace_id = $1 and p.over_limit <> r.over
    order by p.id for no key update of p  -- as all do that lock several profiles
)
update profile p set over_limit = c.over, version = p.version + 1, updated_at = now()
from changing c where p.id = c.id and p.workspace_id = $1
"""


async def on_plan_changed(_context: AppContext, db: Db, changes: Sequence[events.PlanChanged]) -> None:
    """Make the newest profiles beyond the limit read-only, and the others writable."""
    for change in changes:
        await db.execute(_FIT, change.workspace_id, limits.PROFILES.of(change.plan))
