"""Reads of sandbox clocks."""

from datetime import datetime, timedelta
from typing import Final, NamedTuple
from uuid import UUID

from signalpost.kit.db import Db


class ClockRow(NamedTuple):
    """A clock as of now. `ends_at` None: nobody moved it."""

    real_now: datetime
    ahead: timedelta
    ends_at: datetime | None


_FIND: Final = """
select now(), coalesce(c.ahead, interval '0'), c.ends_at
from (select) as one left join sandbox_clock c on c.workspace_id = $1 and c.ends_at > now()
"""


async def find_clock(db: Db, workspace_id: UUID) -> ClockRow:
    """Return the clock of a workspace; it shows the real time if nobody moved it, or if it has ended."""
    row = await db.fetchrow(_FIND, workspace_id)
    assert row is not None  # noqa: S101 - the statement always returns a row
    return ClockRow(*row)
