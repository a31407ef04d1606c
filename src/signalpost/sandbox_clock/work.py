"""Work of this room: keeping queue and series in line with sandbox clocks, as posts are made, until a clock ends."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final
from uuid import UUID

from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import JobKind, RunAgain
from signalpost.posts.change.retime import follow_clock
from signalpost.posts.many.repeat import Sandbox, repeat_next
from signalpost.sandbox_clock import queries
from signalpost.sandbox_clock.actions import JOB

EVERY_SECONDS: Final = 0.5
"""How soon a post that was scheduled under a moved clock follows it."""
REPETITIONS_MAX: Final = 20
"""How many repetitions of posts are created in one run, before the queue is looked at again."""


def jobs(context: AppContext) -> list[JobKind]:
    """Return the jobs of this room."""
    return [JobKind(JOB, partial(keep_up, context))]


async def keep_up(context: AppContext, lease: Lease, payload: Mapping[str, Any]) -> RunAgain | None:
    """Bring the test posts of a workspace in line with its clock; run again as long as it has one."""
    workspace_id = UUID(payload["workspace_id"])
    async with lease.transaction() as db:
        row = await queries.find_clock(db, workspace_id)
        is_done = await follow_clock(db, workspace_id, ahead=row.ahead)
    if not is_done:
        return RunAgain(0)
    for _ in range(REPETITIONS_MAX if row.ends_at is not None else 0):
        if not await repeat_next(context, lease, Sandbox(workspace_id, row.ahead)):
            break
    return RunAgain(EVERY_SECONDS) if row.ends_at is not None else None
