from collections.abc import Mapping
from typing import Any, Final

from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import JobKind, RunAgain
from signalpost.identity import members

JOB: Final = "team.expire"
EVERY_SECONDS: Final = 3_600


def jobs(_context: AppContext) -> list[JobKind]:
    """Return the jobs of this room."""
    return [JobKind(JOB, expire, EVERY_SECONDS)]


async def expire(lease: Lease, _payload: Mapping[str, Any]) -> RunAgain | None:
    """Note which invitations have expired."""
    async with lease.transaction() as db:
        return RunAgain(0) if await members.expire_invites(db) else None
