"""Work of this room: sealing what was written."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final

from signalpost.audit.actions.seal import BATCH, OVERLAP, seal
from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import JobKind, RunAgain

JOB: Final = "audit.seal"
EVERY_SECONDS: Final = 15
_PASSES: Final = 20


def jobs(_context: AppContext) -> list[JobKind]:
    """Return the jobs of this room."""
    return [JobKind(JOB, run, EVERY_SECONDS)]


async def run(lease: Lease, _payload: Mapping[str, Any]) -> RunAgain | None:
    """Seal what was written some seconds ago."""
    overlap = OVERLAP
    for _ in range(_PASSES):
        async with lease.transaction() as db:
            if await seal(db, overlap=overlap) < BATCH:
                return None
        overlap = timedelta(0)  # looked at once: all that was sealed meanwhile would be read again in each pass
    return RunAgain(0)
