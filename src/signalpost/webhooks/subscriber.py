"""Public events become deliveries; a smaller plan stops webhooks."""

from collections.abc import Sequence

from signalpost.context import AppContext
from signalpost.events import PlanChanged, PublicEvent
from signalpost.kit.db import Db
from signalpost.plans import limits
from signalpost.webhooks.actions.deliveries import record_events
from signalpost.webhooks.actions.fit import fit


async def on_plan_changed(_context: AppContext, db: Db, changes: Sequence[PlanChanged]) -> None:
    """Stop the newest webhooks beyond the limit, and let the others work again that were stopped so."""
    for change in changes:
        await fit(db, change.workspace_id, limits.WEBHOOKS.of(change.plan))


async def on_events(_context: AppContext, db: Db, emitted: Sequence[PublicEvent]) -> None:
    """Record public events for the webhooks that receive them, in the transaction of the change."""
    await record_events(db, emitted)
