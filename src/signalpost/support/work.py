"""Work of this room: closing tickets that were resolved long ago."""

from collections.abc import Mapping
from typing import Any, Final

from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import JobKind, RunAgain
from signalpost.support.actions import close

JOB: Final = "support.close"
EVERY_SECONDS: Final = 3_600


def jobs(_context: AppContext) -> list[JobKind]:
    """Return the jobs of this room."""
    return [JobKind(JOB, run, EVERY_SECONDS)]


async def run(lease: Lease, _payload: Mapping[str, Any]) -> RunAgain | None:
    """Close a batch; again at once if there may be more."""
    async with lease.transaction() as db:
        closed = await close.close_resolved(db)
    return RunAgain(0) if closed >= close.BATCH else None
