"""Work of this room: forgetting apps that nobody used, and ending what apps were allowed that are gone."""

from collections.abc import Mapping
from typing import Any, Final

from signalpost.apps import queries
from signalpost.apps.actions import grants, register
from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import JobKind, RunAgain
from signalpost.kit import batches

JOB: Final = "apps.purge"
EVERY_SECONDS: Final = 3_600
_ENDED_AT_ONCE: Final = 100


def jobs(context: AppContext) -> list[JobKind]:
    """Return the jobs of this room."""

    async def run(lease: Lease, _payload: Mapping[str, Any]) -> RunAgain | None:
        """Forget what registered itself and was never used; end what is left of apps that were deleted."""
        async with lease.transaction() as db:
            more = await batches.run(db, register.PURGE)
            ended = await queries.grants_of_ended_apps(db, _ENDED_AT_ONCE)
        for grant_id in ended:  # one transaction for each: none wakes the lanes of two workspaces
            async with lease.transaction() as db:
                await grants.end(context, db, grant_id)
        return RunAgain(0) if more or len(ended) == _ENDED_AT_ONCE else None

    return [JobKind(JOB, run, EVERY_SECONDS)]
