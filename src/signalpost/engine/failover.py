"""Notices that a standby has become the primary, before anything is claimed there.

A standby that followed asynchronously lacks the last commits, those of intents among them. So whatever workers may have
sent by the old primary is looked up before it is sent. See decision 0264.
"""

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any, Final, TypeAlias
from weakref import WeakKeyDictionary

from signalpost.engine import hold
from signalpost.engine.clock import boottime
from signalpost.kit import log
from signalpost.kit.db import Db, Row

AfterFailover: TypeAlias = Callable[[Db, datetime], Awaitable[int]]
"""Deals with what may have been done since a time and is not in the database; returns how much that is."""

FRESH_SECONDS: Final = 10.0
"""A connection leads to the same server for as long as it lives, but whether commits wait for a standby may change."""
_log = log.get("engine")

# The name of a log file begins with the timeline, which the control file learns only with the next checkpoint.
_LOOK: Final = """
select here.*, known.system_identifier as known_system, known.timeline as known_timeline,
    known.is_synchronous as was_synchronous, known.seen_at,
    known.seen_at < now() - make_interval(secs => $1) as is_stale
from (
    select (pg_control_system()).system_identifier,
        ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer as timeline,
        current_setting('synchronous_standby_names') <> ''
            and current_setting('synchronous_commit') not in ('off', 'local') as is_synchronous
) here
left join engine_timeline known on true
"""
_LOCK: Final = "select from engine_timeline for update"
# The time of the last commit that the standby had, unless its server was restarted since.
_HAS_UNTIL: Final = "select coalesce(pg_last_xact_replay_timestamp(), $1)"
_NOTE: Final = """
insert into engine_timeline (system_identifier, timeline, is_synchronous) values ($1, $2, $3)
on conflict (singleton) do update set system_identifier = excluded.system_identifier, timeline = excluded.timeline,
    is_synchronous = excluded.is_synchronous, seen_at = now()
"""


class Failover:
    """Looks at the server of each connection on which this process claims."""

    def __init__(self, after_failover: AfterFailover | None) -> None:
        """`after_failover`: left out, nothing is looked at."""
        self._after_failover = after_failover
        self._looked_at: WeakKeyDictionary[Any, float] = WeakKeyDictionary()

    async def may_claim(self, db: Db) -> bool:
        """Whether the server of this connection is known; if not, it is from the commit of this transaction on.

        Raises:
            whatever the database raises; then nothing may be claimed.
        """
        now = boottime()
        if self._after_failover is None or now - self._looked_at.get(db, float("-inf")) < FRESH_SECONDS:
            return True
        server = await self._look(db)
        if not _is_promoted(server):
            if server["is_stale"] is not False or server["is_synchronous"] != server["was_synchronous"]:
                await _note(db, server)
            self._looked_at[db] = now
            return True
        await db.execute(_LOCK)
        server = await self._look(db)
        if _is_promoted(server):  # nobody was faster
            await self._take_over(db, server, self._after_failover)
        return False

    @staticmethod
    async def _look(db: Db) -> Row:
        server = await db.fetchrow(_LOOK, FRESH_SECONDS)
        assert server is not None  # noqa: S101 - an outer join of one row
        return server

    @staticmethod
    async def _take_over(db: Db, server: Row, after_failover: AfterFailover) -> None:
        since, count = None, 0
        if not server["was_synchronous"]:
            since = await db.fetchval(_HAS_UNTIL, server["seen_at"])
            await hold.free_lanes(db)
            count = await after_failover(db, since)
        await _note(db, server)
        _log.warning("engine.failed_over", timeline=server["timeline"], looked_up_since=since, looked_up=count)


def _is_promoted(server: Row) -> bool:
    """Whether the server is a successor of the one that we knew, rather than a copy or the first."""
    is_same_cluster: bool = server["known_system"] == server["system_identifier"]
    return is_same_cluster and server["timeline"] > server["known_timeline"]


async def _note(db: Db, server: Row) -> None:
    await db.execute(_NOTE, server["system_identifier"], server["timeline"], server["is_synchronous"])
