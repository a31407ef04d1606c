"""Public events become deliveries."""

from collections.abc import Sequence

from signalpost.context import AppContext
from signalpost.events import PublicEvent
from signalpost.kit.db import Db
from signalpost.webhooks.actions.deliveries import record_events


async def on_events(_context: AppContext, db: Db, emitted: Sequence[PublicEvent]) -> None:
    """Record public events for the webhooks that receive them, in the transaction of the change."""
    await record_events(db, emitted)
