"""What accounts do when something else happened."""

from collections.abc import Sequence

from signalpost import events
from signalpost.context import AppContext
from signalpost.kit.db import Db
from signalpost.plans import limits

_FIT = """
with changing as materialized (
    select a.id, r.over
    from account a join (
        select id, row_number() over (order by created_at, id) > coalesce($2, 2147483647) as over
        from account where workspace_id = $1 and status <> 'disconnected'
    ) r on r.id = a.id
    where a.workspace_id = $1 and a.over_limit <> r.over
    order by a.id for no key update of a  -- as all do that lock several accounts
)
update account a set over_limit = c.over, updated_at = now() from changing c where a.id = c.id and a.workspace_id = $1
"""


async def on_plan_changed(_context: AppContext, db: Db, changes: Sequence[events.PlanChanged]) -> None:
    """Make the newest accounts beyond the limit read-only, and the others writable."""
    for change in changes:
        await db.execute(_FIT, change.workspace_id, limits.ACCOUNTS.of(change.plan))
