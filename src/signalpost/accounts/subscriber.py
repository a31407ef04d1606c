from signalpost import events
from signalpost.accounts import actions
from signalpost.kit.db import Db


async def on_profile_deleted(db: Db, event: events.ProfileDeleted) -> None:
    """Disconnect every account of the profile."""
    await actions.disconnect_profile(db, event)
