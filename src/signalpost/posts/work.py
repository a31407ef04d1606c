"""Periodic work of this room: posts that were in the trash for 30 days are deleted permanently."""

from collections.abc import Mapping
from typing import Any, Final

from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import JobKind, RunAgain
from signalpost.posts.actions.trash import delete_expired

JOB: Final = "posts.purge"
EVERY_SECONDS: Final = 3_600
_BATCH: Final = 200


def jobs(_context: AppContext) -> list[JobKind]:
    """Return the jobs of this room."""
    return [JobKind(JOB, purge, EVERY_SECONDS)]


async def purge(lease: Lease, _payload: Mapping[str, Any]) -> RunAgain | None:
    """Delete posts whose time in the trash is over."""
    async with lease.transaction() as db:
        done = await delete_expired(db, _BATCH)
    return RunAgain(0) if done == _BATCH else None
