"""Work of this room: what deleted profiles leave is deleted."""

from collections.abc import Mapping
from typing import Any, Final

from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import JobKind, RunAgain
from signalpost.kit import batches
from signalpost.snippets.actions import manage

JOB: Final = "snippets.purge"
EVERY_SECONDS: Final = 86_400


def jobs(_context: AppContext) -> list[JobKind]:
    """Return the jobs of this room."""
    return [JobKind(JOB, purge, EVERY_SECONDS)]


async def purge(lease: Lease, _payload: Mapping[str, Any]) -> RunAgain | None:
    """Delete the snippets of deleted profiles."""
    async with lease.transaction() as db:
        return RunAgain(0) if await batches.run(db, manage.PURGES) else None
