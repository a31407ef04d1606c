"""Waking lanes when something is due: the only module that calls the SQL function `wake_lanes`."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from signalpost.kit.db import Db


def wake_sql(kind: str, *, keys: str, due: str, workspace_id: str = "null", platforms: str | None = None) -> str:
    """Return an expression that wakes lanes, for statements that write the items too; see `wake` for the rules.

    Args:
        kind: of the lanes.
        keys: SQL of a uuid[].
        due: SQL of a timestamptz[], one for each key.
        workspace_id: SQL of a uuid.
        platforms: SQL of a text[], one for each key; None: the lanes belong to no platform.
    """
    platforms = platforms or f"array_fill(null::text, array[cardinality({keys})])"
    return f"wake_lanes('{kind}', {keys}, {workspace_id}, {platforms}, {due})"


_WAKE = "select wake_lanes($1, $2, $3, $4, $5)"


async def wake(
    db: Db,
    kind: str,
    keys: Sequence[UUID],
    *,
    workspace_id: UUID | None,
    platforms: Sequence[str | None],
    due: Sequence[datetime | None],
) -> None:
    """Create missing lanes, and have a worker look at them in time. Call it in the transaction that writes the items.

    `keys`, `platforms` and `due` belong together by position; the same lane may occur several times, and a `due` of
    None is skipped. A lane's time only moves to an earlier one; an item that is put off or cancelled needs no call.
    Transactions that wake the same lanes do not wait for each other, except for those that make a lane's time nearer.
    A transaction that wakes lanes of several kinds does so in the order target, delivery, job, to avoid deadlocks.
    """
    await db.execute(_WAKE, kind, keys, workspace_id, platforms, due)


_RESUME = "update lane set not_before = null where kind = $1 and key = any($2) and not_before > now()"


async def resume(db: Db, kind: str, keys: Sequence[UUID]) -> None:
    """End pauses of lanes: what is due there is looked at within a second."""
    await db.execute(_RESUME, kind, keys)
