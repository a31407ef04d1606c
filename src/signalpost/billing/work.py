"""Work of this room: the end of a grace, and what Stripe could not tell us."""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from signalpost.billing import queries
from signalpost.billing.actions.refresh import refresh_outdated
from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import JobKind
from signalpost.kit import clock

UPKEEP_JOB: Final = "billing.upkeep"
EVERY_SECONDS: Final = 600
BATCH: Final = 50
_PURGE_BATCH: Final = 5_000


def jobs(context: AppContext) -> list[JobKind]:
    """Return the jobs of this room."""

    async def upkeep(lease: Lease, _payload: Mapping[str, Any]) -> None:
        await keep_up(context, lease)

    return [JobKind(UPKEEP_JOB, upkeep, EVERY_SECONDS)]


async def keep_up(context: AppContext, lease: Lease) -> None:
    """Read again whose grace or period is over, and forget old notifications."""
    if not (context.settings.billing_enabled and context.settings.stripe_secret_key):
        return
    after: UUID | None = None
    while True:
        after = await refresh_outdated(context, clock.now(), after=after, limit=BATCH)
        if after is None:
            break
    async with lease.transaction() as db:
        await queries.purge_events(db, limit=_PURGE_BATCH)
