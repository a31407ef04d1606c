"""How large a file may be: the limits of the plan and of this installation."""

from signalpost.context import AppContext
from signalpost.identity.errors import PlanLimitReached
from signalpost.kit import problems
from signalpost.media.receiver import SizeLimits
from signalpost.plans import actions as plans
from signalpost.plans import limits
from signalpost.plans import queries as plan_queries
from signalpost.web.caller import Caller


async def size_limits(context: AppContext, caller: Caller) -> SizeLimits:
    """Return the limits that hold for the next file, before any of its bytes are read.

    Raises:
        PlanLimitReached: the plan's storage is full.
    """
    settings = context.settings
    storage_bytes = limits.STORAGE_BYTES.of(caller.plan)
    if storage_bytes is not None:
        async with context.database.transaction() as db:
            await plans.require_capacity(db, caller, limits.STORAGE_BYTES, 1)
            storage_bytes -= await plan_queries.count(db, caller.workspace_id, limits.STORAGE_BYTES)
    return SizeLimits(
        file_bytes=file_bytes_max(context, caller),
        storage_bytes=storage_bytes,
        free_bytes_min=settings.storage_free_bytes_min,
    )


def file_bytes_max(context: AppContext, caller: Caller) -> int:
    """Return how large one file may be, whatever its type."""
    largest = context.settings.media_file_bytes_max
    return min(limits.FILE_BYTES.of(caller.plan) or largest, largest)


async def over_storage_limit(context: AppContext, caller: Caller, size_limits: SizeLimits) -> problems.Problem:
    """Return the problem of a file that was larger than the storage that the plan had left."""
    try:
        async with context.database.transaction() as db:
            await plans.require_capacity(db, caller, limits.STORAGE_BYTES, (size_limits.storage_bytes or 0) + 1)
    except PlanLimitReached as problem:
        return problem
    return problems.Unavailable("The storage in use changed during the upload.", headers={"Retry-After": "1"})
