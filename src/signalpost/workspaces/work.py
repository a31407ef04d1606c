"""The job that erases what was deleted 30 days ago."""

from collections.abc import Mapping
from typing import Any, Final

from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import JobKind, RunAgain
from signalpost.workspaces import actions

JOB: Final = "workspaces.erase"
EVERY_SECONDS: Final = 3_600
_BATCH: Final = 20
_STEPS: Final = 50
"""Transactions in a row before other jobs have their turn."""


def jobs(context: AppContext) -> list[JobKind]:
    """Return the jobs of this room."""

    async def erase(lease: Lease, _payload: Mapping[str, Any]) -> RunAgain | None:
        return await erase_expired(context, lease)

    return [JobKind(JOB, erase, EVERY_SECONDS)]


async def erase_expired(context: AppContext, lease: Lease) -> RunAgain | None:
    """Erase workspaces whose time is over, some steps at a time."""
    async with lease.transaction() as db:
        expired = await actions.find_expired(db, _BATCH)
    steps = 0
    for workspace_id in expired:
        while not await actions.erase_step(context, lease, workspace_id):
            steps += 1
            if steps == _STEPS:
                return RunAgain(1)
        lease.count("erased")
    return RunAgain(0) if len(expired) == _BATCH else None
