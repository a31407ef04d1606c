"""Work of this room: deleting links that ended long ago."""

from collections.abc import Mapping
from typing import Any, Final

from signalpost.approval_links.actions.manage import purge
from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import JobKind, RunAgain

JOB: Final = "approval_links.purge"
EVERY_SECONDS: Final = 3_600


def jobs(_context: AppContext) -> list[JobKind]:
    """Return the jobs of this room."""
    return [JobKind(JOB, purge_links, EVERY_SECONDS)]


async def purge_links(lease: Lease, _payload: Mapping[str, Any]) -> RunAgain | None:
    """Delete links that expired a month ago."""
    async with lease.transaction() as db:
        return RunAgain(0) if await purge(db) else None
