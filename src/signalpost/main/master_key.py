"""What `signalpost master-key rewrap` does: seal everything again under the current master key while all else runs."""

from collections.abc import Callable
from typing import Any

from signalpost.audit.actions import record as audit
from signalpost.context import AppContext
from signalpost.kit.crypto.sealed_columns import count, rewrap_batch
from signalpost.main import wiring


async def values(context: AppContext) -> int:
    """Return how many values there are to look at."""
    async with context.database.connection() as db:
        return sum([await count(db, column) for column in wiring.SEALED])


async def rewrap(context: AppContext, progress: Callable[[int], None]) -> dict[str, Any]:
    """Seal every value again that is sealed under an older key. Stopped anywhere, it goes on when it is run again.

    `progress` is called with the number of values that a batch looked at.
    """
    changed = unreadable = 0
    for column in wiring.SEALED:
        after: tuple[Any, ...] | None = None
        while True:
            async with context.database.transaction() as db:
                batch = await rewrap_batch(db, context.keys, column, after)
            progress(batch.looked_at)
            changed, unreadable, after = changed + batch.changed, unreadable + batch.unreadable, batch.last
            if after is None:
                break
    async with context.database.transaction() as db:
        await audit.command(db, "master-key rewrap")
    return {"current": context.keys.current_key_id, "rewrapped": changed, "unreadable": unreadable}
