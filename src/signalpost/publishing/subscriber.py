"""Events that publishing acts upon."""

from collections.abc import Sequence

from signalpost.context import AppContext
from signalpost.events import RemovalRequested
from signalpost.kit.db import Db
from signalpost.publishing.actions import removal


async def on_removal_requested(_context: AppContext, db: Db, requested: Sequence[RemovalRequested]) -> None:
    """Enqueue the removal of each published target from its network."""
    for event in requested:
        for target in event.removals:
            await removal.enqueue_removal(db, target, workspace_id=event.workspace_id, actor=event.actor)
