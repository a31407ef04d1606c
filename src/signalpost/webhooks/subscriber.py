from signalpost.context import AppContext
from signalpost.events import PublicEvent
from signalpost.kit.db import Db
from signalpost.webhooks import actions


async def on_event(_context: AppContext, db: Db, event: PublicEvent) -> None:
    """Record a public event for the webhooks that want it, in the transaction of the change."""
    await actions.record_event(db, event)
