"""Work of this room: sealing what was written."""

from collections.abc import Mapping
from typing import Any, Final

from signalpost.audit.actions.seal import BATCH, seal
from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import JobKind, RunAgain

JOB: Final = "audit.seal"
EVERY_SECONDS: Final = 5


def jobs(_context: AppContext) -> list[JobKind]:
    """Return the jobs of this room."""
    return [JobKind(JOB, run, EVERY_SECONDS)]


async def run(lease: Lease, _payload: Mapping[str, Any]) -> RunAgain | None:
    """Seal what was written some seconds ago."""
    async with lease.transaction() as db:
        done = await seal(db)
    return RunAgain(0) if done >= BATCH else None
