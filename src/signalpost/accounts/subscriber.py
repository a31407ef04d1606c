"""What accounts do when something else happened."""

from collections.abc import Sequence

from signalpost import events
from signalpost.context import AppContext
from signalpost.kit.db import Db
from signalpost.plans import limits

_FIT = """
update account a set over_limit = r.over, updated_at = now()
from (
    select id, row_number() over (order by created_at, id) > coalesce($2, 2147483647) as over
    from account where workspace_id = $1 and status <> 'disconnected'
) r
where a.id = r.id and a.workspace_id = $1 and a.over_limit <> r.over
"""


async def on_plan_changed(_context: AppContext, db: Db, changes: Sequence[events.PlanChanged]) -> None:
    """Make the newest accounts beyond the limit read-only, and the others writable."""
    for change in changes:
        await db.execute(_FIT, change.workspace_id, limits.ACCOUNTS.of(change.plan))
