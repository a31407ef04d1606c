from signalpost import events
from signalpost.kit.db import Db
from signalpost.plans import actions


async def on_api_key_created(db: Db, event: events.ApiKeyCreated) -> None:
    """Refuse a key too many. `identity` stands below plans, so it tells of keys instead of asking for room."""
    await actions.keep_within(db, event.workspace_id, event.plan, "apiKeys")
