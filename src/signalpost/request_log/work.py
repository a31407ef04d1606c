"""The job that makes the partitions of the next days and drops those of days that are too old."""

from collections.abc import Mapping
from typing import Any, Final

from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import JobKind

JOB: Final = "request_log.rotate"
EVERY_SECONDS: Final = 3_600


def jobs(_context: AppContext) -> list[JobKind]:
    """Return the jobs of this room."""
    return [JobKind(JOB, run, EVERY_SECONDS)]


async def run(lease: Lease, _payload: Mapping[str, Any]) -> None:
    """Rotate the partitions."""
    async with lease.transaction() as db:
        await db.execute("select rotate_request_log()")
