"""Notify workers that lanes are due, after the commit that made them so.

A transaction that notifies takes a lock of the whole server at its commit and keeps it until its log is on disk (and on
a synchronous standby): all such commits go one after the other. So `wake_lanes` sends a notice to its own client
instead, and the process notifies in a transaction that writes nothing. If it dies in between, a worker looks by
itself within a second (decision 0310).
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextvars import Context
from typing import TypeAlias
from uuid import UUID

from signalpost.kit import clock, log

_logger = log.get("database")

NOTICE = "SPWAK"
"""The code of the notices of `wake_lanes`: the message is the kind of the lanes, the detail their numbers."""
PAUSE_SECONDS = 0.005
"""A process notifies at most once in this time."""

Woken: TypeAlias = dict[str, set[int | None]]
"""Numbers of lanes (`lane_lock` in the migrations) by kind; None: more lanes than one worker can take are ready."""
_CHANNEL = "lane"
"""Every worker listens to it, and to one of its own."""

# A lane has one worker, among those that are alive. It, or who looks after it a moment later: the first worker, and the
# second one for lanes of the first. While no worker is known everybody is notified, those of older versions too.
NOTIFY = f"""
with alive as materialized (
    select coalesce(array_agg(id order by id), '{{}}') as ids, count(*)::integer as count
    from worker where looped_at > now() - interval '2 s'
), woken as materialized (
    select distinct kind, lane is null or count = 0 as is_for_all, 1 + abs(lane % nullif(count, 0)) as place
    from alive, unnest($1::text[], $2::integer[]) as w(kind, lane)
), sent as (
    select kind as payload, case when not is_for_all then place end as place from woken
    union
    select kind || '?', case place when 1 then 2 else 1 end from woken, alive where not is_for_all and count > 1
)
select pg_notify('{_CHANNEL}' || coalesce('_' || replace(ids[place]::text, '-', ''), ''), payload) from sent, alive
"""  # noqa: S608 - a constant


def channel_of(worker: UUID | None = None) -> str:
    """Return where a worker is notified of its lanes (`KIND`: claim, `KIND?`: look after a moment), or all are."""
    return _CHANNEL if worker is None else f"{_CHANNEL}_{worker.hex}"


def columns(woken: Woken) -> tuple[list[str], list[int | None]]:
    """Return the arguments of `NOTIFY`."""
    rows = [(kind, lane) for kind, lanes in woken.items() for lane in lanes]
    return [kind for kind, _ in rows], [lane for _, lane in rows]


def read_notice(fields: Mapping[str, str], woken: Woken) -> None:
    """Add what a notice of the server says to `woken`, if it is about lanes."""
    if fields.get("C") == NOTICE:
        woken.setdefault(fields["M"], set()).update(map(int, fields["D"].split(",")))


class Wakes:
    """Collects the lanes that this process's transactions woke, and has `send` tell of all at hand at once."""

    def __init__(self, send: Callable[[Woken], Awaitable[object]]) -> None:
        self._send = send
        self._woken: Woken = {}
        self._not_before = 0.0
        self._task: asyncio.Task[None] | None = None

    def add(self, woken: Woken) -> None:
        """Tell of these lanes a moment later. Call it after the commit."""
        for kind, lanes in woken.items():
            self._woken.setdefault(kind, set()).update(lanes)
        if self._task is None:
            # Not in the context of whoever woke them: neither its tenant nor its patience are meant.
            self._task = asyncio.get_running_loop().create_task(self._run(), name="wakes", context=Context())

    async def flush(self) -> None:
        """Wait until workers were notified of everything that was added, or could not be."""
        if self._task is not None:
            await asyncio.wait([self._task])

    async def _run(self) -> None:
        try:
            while self._woken:
                await asyncio.sleep(max(0.0, self._not_before - clock.monotonic()))
                woken, self._woken = self._woken, {}
                self._not_before = clock.monotonic() + PAUSE_SECONDS
                try:
                    await self._send(woken)
                except Exception as error:  # noqa: BLE001 - whatever it was: workers look by themselves soon
                    _logger.warning("wakes.not_notified", error=repr(error))
        finally:
            self._task = None
