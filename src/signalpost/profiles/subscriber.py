"""What profiles do when something else happened."""

from collections.abc import Sequence

from signalpost import events
from signalpost.context import AppContext
from signalpost.kit.db import Db
from signalpost.plans import limits

_FIT = """
update profile p set over_limit = r.over, version = p.version + 1, updated_at = now()
from (
    select id, row_number() over (order by is_default desc, created_at, id) > coalesce($2, 2147483647) as over
    from profile where workspace_id = $1 and deleted_at is null
) r
where p.id = r.id and p.workspace_id = $1 and p.over_limit <> r.over
"""


async def on_plan_changed(_context: AppContext, db: Db, changes: Sequence[events.PlanChanged]) -> None:
    """Make the newest profiles beyond the limit read-only, and the others writable."""
    for change in changes:
        await db.execute(_FIT, change.workspace_id, limits.PROFILES.of(change.plan))
