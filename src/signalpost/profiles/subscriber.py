from signalpost import events
from signalpost.kit.db import Db
from signalpost.profiles import actions


async def on_workspace_created(db: Db, event: events.WorkspaceCreated) -> None:
    """Give the workspace its first profile."""
    await actions.create_default(db, event)
