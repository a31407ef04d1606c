"""Notices that another server answers than the one that this process knows, before anything is claimed there.

A standby that took over, a cluster restored to a point in time, a disk put back, a dump restored by hand: unless the
server proves that nothing is missing, whatever workers may have sent by the other is looked up before it is sent. See
decision 0300.
"""

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any, Final, TypeAlias
from uuid import UUID
from weakref import WeakKeyDictionary

from signalpost.engine import hold
from signalpost.engine.clock import boottime
from signalpost.engine.position import TIMELINE, Mark, Position, Server
from signalpost.kit import log
from signalpost.kit.db import Db, Row

AfterFailover: TypeAlias = Callable[[Db, datetime], Awaitable[int]]
"""Deals with what may have been done since a time and is not in the database; returns how much that is."""

FRESH_SECONDS: Final = 10.0
"""A connection leads to the same server for as long as it lives; the note of it is kept fresh."""
PROOF_SECONDS: Final = 5.0
"""How long the workers that the new server knows have to say that it has all of theirs."""
_log = log.get("engine")

# Processes of the release before ask how commits were made; this one does not believe it.
_LOOK: Final = f"""
select here.*, known.system_identifier as known_system, known.timeline as known_timeline, known.seen_at,
    known.is_synchronous as was_synchronous, known.seen_at < now() - make_interval(secs => $1) as is_stale
from (
    select (pg_control_system()).system_identifier, {TIMELINE} as timeline,
        (pg_current_wal_insert_lsn() - '0/0')::bigint as written,
        (pg_last_wal_replay_lsn() - '0/0')::bigint as replayed,
        current_setting('synchronous_standby_names') <> ''
            and current_setting('synchronous_commit') not in ('off', 'local') as is_synchronous
) here
left join engine_timeline known on true
"""  # noqa: S608 - a constant
# An id of the future is an error, and one that was given out again is that of another transaction.
_ARE_COMMITTED: Final = """
select coalesce(bool_and(case when u.xid < pg_snapshot_xmax(pg_current_snapshot())::text::bigint
    then pg_xact_status(u.xid::text::xid8) = 'committed' end is true), true)
from unnest($1::bigint[]) as u(xid)
"""
_LOCK: Final = "select from engine_timeline for update"
# The time of the last commit that the server had when it took over, unless it was restarted since.
_HAS_UNTIL: Final = "select case when $2 then coalesce(pg_last_xact_replay_timestamp(), $1) else $1 end"
_NOTE: Final = """
insert into engine_timeline (system_identifier, timeline, is_synchronous) values ($1, $2, $3)
on conflict (singleton) do update set system_identifier = excluded.system_identifier, timeline = excluded.timeline,
    is_synchronous = excluded.is_synchronous, seen_at = now(), successor = null, waits_for = '{}'
"""
# Not waited for: whoever holds the row is noting the same, and may be frozen or wait for a standby with its commit.
_NOTE_AGAIN: Final = """
update engine_timeline t set is_synchronous = $1, seen_at = now()
from (select singleton from engine_timeline for no key update skip locked) free where t.singleton = free.singleton
"""
_NOTICE: Final = """
update engine_timeline set successor = $1, noticed_at = now(), waits_for = array(select id from worker)
where successor is distinct from $1
"""
_PROVE: Final = """
update engine_timeline set waits_for = array(select id from unnest(waits_for) as w(id) where id <> all($1))
returning waits_for = '{}' as is_complete, noticed_at < now() - make_interval(secs => $2) as is_late
"""


class Failover:
    """Looks at the server of each connection on which this process claims."""

    def __init__(
        self, after_failover: AfterFailover | None, position: Position, owner: Callable[[], UUID | None]
    ) -> None:
        """Look at nothing yet.

        Args:
            after_failover: left out, nothing is looked at.
            position: the memory of this process.
            owner: returns the id of the worker that this process is.
        """
        self._after_failover = after_failover
        self._position = position
        self._owner = owner
        self.asked_at = float("-inf")
        """When `may_claim` was called last, by boottime()."""
        self._looked_at: WeakKeyDictionary[Any, float] = WeakKeyDictionary()
        self._settled: WeakKeyDictionary[Any, tuple[Server, tuple[Mark, ...]]] = WeakKeyDictionary()

    async def may_claim(self, db: Db) -> bool:
        """Whether the server of this connection is known, and has everything. If not, nothing may be claimed there.

        Then the transaction is to be committed, and `committed` called: it may be known afterwards.

        Raises:
            whatever the database raises; then nothing may be claimed.
        """
        self._settled.pop(db, None)
        self.asked_at = now = boottime()
        if self._after_failover is None or now - self._looked_at.get(db, float("-inf")) < FRESH_SECONDS:
            return True
        server = await self._look(db)
        if await self._has_mine(db, server) is not False and _is_known(server):
            if server["is_stale"] is None:
                await _note(db, server)
            elif server["is_stale"] or server["is_synchronous"] != server["was_synchronous"]:
                await db.execute(_NOTE_AGAIN, server["is_synchronous"])
            self._position.settle(_server(server), self._older_than(server))
            self._looked_at[db] = now
            return True
        await db.execute(_LOCK)
        server = await self._look(db)
        await self._decide(db, server, self._after_failover)
        return False

    def committed(self, db: Db) -> None:
        """Go by what the transaction of `may_claim` has decided."""
        if (settled := self._settled.pop(db, None)) is not None:
            self._position.settle(*settled)

    async def _decide(self, db: Db, server: Row, after_failover: AfterFailover) -> None:
        """Settle that the server has everything, or look up what it may lack; or wait for what others say."""
        marks = self._position.marks
        has_mine = await self._has_mine(db, server)
        if has_mine is not False and _is_known(server):
            return  # someone was faster
        if has_mine is not False and server["known_system"] == server["system_identifier"]:
            await db.execute(_NOTICE, server["timeline"])
            mine = [*self._position.workers, *filter(None, [self._owner()])]
            proof = await db.fetchrow(_PROVE, mine, PROOF_SECONDS)
            assert proof is not None  # noqa: S101 - it is locked
            if has_mine and proof["is_complete"]:
                await self._settle(db, server, marks, since=None, count=0)
                return
            if not (proof["is_complete"] or proof["is_late"]):
                return
        if server["seen_at"] is None:  # an empty database, or one that `restore` has filled, which holds the engine
            await self._settle(db, server, marks, since=None, count=0)
            return
        is_same = server["known_system"] == server["system_identifier"]
        since: datetime = await db.fetchval(_HAS_UNTIL, server["seen_at"], is_same)
        await hold.free_lanes(db)
        await self._settle(db, server, marks, since=since, count=await after_failover(db, since))

    async def _settle(
        self, db: Db, server: Row, marks: tuple[Mark, ...], *, since: datetime | None, count: int
    ) -> None:
        await _note(db, server)
        self._settled[db] = _server(server), marks
        _log.warning("engine.failed_over", timeline=server["timeline"], looked_up_since=since, looked_up=count)

    def _older_than(self, server: Row) -> tuple[Mark, ...]:
        return tuple(mark for mark in self._position.marks if mark.timeline != server["timeline"])

    @staticmethod
    async def _look(db: Db) -> Row:
        server = await db.fetchrow(_LOOK, FRESH_SECONDS)
        assert server is not None  # noqa: S101 - an outer join of one row
        return server

    async def _has_mine(self, db: Db, server: Row) -> bool | None:
        """Whether the server has all commits that this process knows of; None: it has no memory."""
        before, marks = self._position.server, self._position.marks
        if before is None:
            return None
        if before.system_identifier != server["system_identifier"] or (before != _server(server) and not marks):
            return False
        if not all(_is_passed(server, mark) for mark in marks):
            return False
        has_mine: bool = await db.fetchval(_ARE_COMMITTED, [mark.xid for mark in marks])
        return has_mine


def _is_passed(server: Row, mark: Mark) -> bool:
    """Whether the log of the server has that position, or had it when the server took over."""
    if mark.timeline == server["timeline"]:
        return bool(mark.lsn <= server["written"])
    return bool(mark.timeline < server["timeline"] and mark.lsn <= (server["replayed"] or 0))


def _server(server: Row) -> Server:
    return Server(server["system_identifier"], server["timeline"])


def _is_known(server: Row) -> bool:
    """Whether it is the server that was noted in its database, or none was."""
    return server["known_system"] is None or Server(server["known_system"], server["known_timeline"]) == _server(server)


async def _note(db: Db, server: Row) -> None:
    await db.execute(_NOTE, server["system_identifier"], server["timeline"], server["is_synchronous"])
