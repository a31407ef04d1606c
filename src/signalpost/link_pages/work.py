"""Work of this room: what nobody can ask for any more is deleted."""

from collections.abc import Mapping
from typing import Any, Final

from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import JobKind, RunAgain
from signalpost.kit import batches
from signalpost.link_pages.actions import manage

JOB: Final = "link_pages.purge"
EVERY_SECONDS: Final = 86_400


def jobs(_context: AppContext) -> list[JobKind]:
    """Return the jobs of this room."""
    return [JobKind(JOB, purge, EVERY_SECONDS)]


async def purge(lease: Lease, _payload: Mapping[str, Any]) -> RunAgain | None:
    """Delete numbers that are too old, and pages of deleted profiles."""
    async with lease.transaction() as db:
        return RunAgain(0) if await batches.run(db, manage.PURGES) else None
