"""What teams do when something else happened."""

from collections.abc import Sequence

from signalpost import events
from signalpost.context import AppContext
from signalpost.kit.db import Db
from signalpost.team import actions


async def on_plan_changed(context: AppContext, db: Db, changes: Sequence[events.PlanChanged]) -> None:
    """Have the newest members beyond the limit act as viewers, and the others as what they are."""
    for change in changes:
        await actions.fit(context, db, change.workspace_id)
