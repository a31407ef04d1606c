"""Saying that something is due. SQL may also call `wake_lanes(kind, keys, workspace, platforms, due)` itself."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from signalpost.kit.db import Db

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
    """Make lanes known and see that a worker looks at them in time. In the transaction that writes the items.

    `keys`, `platforms` and `due` belong together by position; one lane may stand there several times, and a `due` of
    None is skipped. Only ever moves a lane's time forward to an earlier one; a later or cancelled item needs no call.
    A transaction that wakes lanes of several kinds does so in the order target, delivery, job: no deadlocks.
    """
    await db.execute(_WAKE, kind, keys, workspace_id, platforms, due)
