"""Moving the clock of a workspace's sandbox, and returning it to the real time. See decision 0086."""

from datetime import UTC, datetime, timedelta
from typing import Final

from msgspec import UNSET

from signalpost.engine import jobs
from signalpost.kit import clock, problems
from signalpost.kit.db import Db
from signalpost.posts import times
from signalpost.posts.change.retime import follow_clock
from signalpost.sandbox_clock import queries
from signalpost.sandbox_clock.queries import ClockRow
from signalpost.sandbox_clock.schemas import SandboxClockMove
from signalpost.web.caller import Caller

JOB: Final = "sandbox.clock"
LAST: Final = datetime(2100, 12, 31, 23, 59, 59, tzinfo=UTC)
"""The last instant that a clock can be moved to: arithmetic with it stays within what Python and PostgreSQL hold."""
LIFE: Final = timedelta(days=1)
"""A clock ends so long after it was last moved: nobody comes back to a sandbox that lives in another year."""

# The row is locked until commit, so that of two moves at the same time the second one starts from the first. The clock
# of the statement, not of the transaction: the second one may have waited.
_LOCK: Final = """
insert into sandbox_clock as c (workspace_id, ahead, ends_at) values ($1, interval '0', now())
on conflict (workspace_id) do update set ends_at = c.ends_at
returning clock_timestamp(), case when c.ends_at > clock_timestamp() then c.ahead else interval '0' end, c.ends_at
"""
_MOVE: Final = """
update sandbox_clock set ahead = $2, ends_at = $3::timestamptz + $4::interval where workspace_id = $1 returning ends_at
"""
_END: Final = "delete from sandbox_clock where workspace_id = $1"


async def move_clock(db: Db, caller: Caller, data: SandboxClockMove) -> ClockRow:
    """Move the clock forward; the test posts whose time has come by it are due when this is committed.

    Raises:
        Forbidden: the caller has no sandbox of its own to move.
        ValidationFailed: neither or both of the members; the clock would go back, or beyond 2100.
    """
    require_test_key(caller)
    row = ClockRow(*await db.fetchrow(_LOCK, caller.workspace_id) or ())
    target = _target(data, row.real_now + row.ahead)
    ahead = target - row.real_now
    ends_at = await db.fetchval(_MOVE, caller.workspace_id, ahead, row.real_now, LIFE)
    await follow_clock(db, caller.workspace_id, ahead=ahead, moved=ahead - row.ahead)
    await _enqueue(db, caller)
    return ClockRow(row.real_now, ahead, ends_at)


async def end_clock(db: Db, caller: Caller) -> None:
    """Return to the real time. Targets whose scheduled time has not come wait for it again.

    Raises:
        Forbidden: the caller has no sandbox of its own.
    """
    require_test_key(caller)
    await db.execute(_END, caller.workspace_id)
    await follow_clock(db, caller.workspace_id, ahead=timedelta(0))
    await _enqueue(db, caller)


async def read_clock(db: Db, caller: Caller) -> ClockRow:
    """Return the clock.

    Raises:
        Forbidden: the caller has no sandbox of its own.
    """
    require_test_key(caller)
    return await queries.find_clock(db, caller.workspace_id)


def require_test_key(caller: Caller) -> None:
    """Refuse whoever could see live posts, and keys that are limited to profiles: the clock is of the whole sandbox.

    Raises:
        Forbidden: it is one of them.
    """
    if caller.mode != "test":
        raise problems.Forbidden("Only a test key has a sandbox clock. Live posts always go by the real time.")
    if caller.profile_ids is not None:
        raise problems.Forbidden("The clock is that of the whole sandbox; this key is limited to profiles.")


def _target(data: SandboxClockMove, present: datetime) -> datetime:
    """Return the instant to move to."""
    if data.now is not UNSET and data.advance_seconds is not UNSET:
        raise problems.invalid("/advanceSeconds", "not_allowed", "Send either `now` or `advanceSeconds`.")
    if data.advance_seconds is not UNSET:
        path, target = "/advanceSeconds", present + timedelta(seconds=data.advance_seconds)
    elif data.now is not UNSET:
        moment = times.read(data.now, "", path := "/now")
        if isinstance(moment, times.InvalidTime):
            message = "Not a valid time. Send RFC 3339 with an offset or Z, such as 2026-11-21T18:00:00Z."
            raise problems.invalid(path, "format", message)
        target = moment.at
    else:
        raise problems.invalid("/now", "required", "Send `now` or `advanceSeconds`.")
    if target <= present:
        message = f"It is {clock.wire(present)} in the sandbox, and its clock only moves forward. To return to the"
        raise problems.invalid(path, "out_of_range", f"{message} real time, delete it.")
    if target > LAST:
        raise problems.invalid(path, "out_of_range", "The clock can be moved to the end of 2100 at most.")
    return target


async def _enqueue(db: Db, caller: Caller) -> None:
    """Have a worker keep the queue in line with the clock, for posts that are made or edited from now on."""
    payload = {"workspace_id": str(caller.workspace_id)}
    key = f"{JOB}:{caller.workspace_id}"
    await jobs.enqueue(db, JOB, payload, unique_key=key, workspace_id=caller.workspace_id)
