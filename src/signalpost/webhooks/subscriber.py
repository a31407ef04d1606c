"""Public events become deliveries."""

from signalpost.context import AppContext
from signalpost.events import PublicEvent
from signalpost.kit.db import Db
from signalpost.webhooks.actions.deliveries import record_event


async def on_event(_context: AppContext, db: Db, event: PublicEvent) -> None:
    """Record a public event for the webhooks that receive it, in the transaction of the change."""
    await record_event(db, event)
