"""Another server than the one that this process knows is noticed before anything is claimed there; a restart is none.

What real servers do is in `tests/faults/test_failover.py`; here their databases are made to look as they would.
"""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.helpers.engine import ALL_DONE, Work, add, until, value

from signalpost.engine import failover, registration
from signalpost.engine.engine import Engine
from signalpost.engine.position import Mark, Position, Server
from signalpost.kit import ids
from signalpost.kit.db import Database, Db

SEEN_AT = datetime(2026, 11, 1, tzinfo=UTC)
BEFORE = "update engine_timeline set timeline = timeline - 1"
"""As a standby finds it: its row came from the server before."""
STRANGER = "insert into worker (id, lock_key, host) values (gen_random_uuid(), 1, 'gone')"


class Calls:
    """Engines of one installation after another, and what they had looked up."""

    def __init__(self, store: Database) -> None:
        self.store = store
        self.made: list[tuple[datetime, int]] = []

    async def after_failover(self, db: Db, since: datetime) -> int:
        self.made.append((since, await db.fetchval("select count(*) from ledger")))
        return 1

    def engine(self, folder: Path | None = None) -> Engine:
        return Engine(
            self.store, [Work(self.store)], after_failover=self.after_failover, position_folder=folder
        )  # fmt: skip

    async def drain(self, *engines: Engine) -> None:
        for one in engines:
            await one.tick()
            await one.tick()
            await one.stop(1)

    async def run(self, *statements: str) -> None:
        async with self.store.connection() as db:
            for statement in (*statements, f"update engine_timeline set seen_at = '{SEEN_AT}'"):
                await db.execute(statement)
        await add(self.store, [ids.new_id() for _ in range(3)])


@pytest.fixture
def calls(store: Database, monkeypatch: pytest.MonkeyPatch) -> Calls:
    monkeypatch.setattr(failover, "PROOF_SECONDS", 0.5)
    monkeypatch.setattr(registration, "HEARTBEAT_SECONDS", 1_000.0)  # after the first: they note commits of their own
    return Calls(store)


@pytest.mark.parametrize(
    ("change", "remembers", "made"),
    [
        (BEFORE, False, 1),  # nobody knows what the other server had
        (BEFORE, True, 0),  # all of it is here
        (f"{BEFORE}; {STRANGER}", True, 1),  # another worker may have known more, and does not say
        (f"{BEFORE}, is_synchronous = true", False, 1),  # how the other one committed says nothing of this one
        ("update engine_timeline set system_identifier = 1", False, 1),  # a dump, restored by hand
        ("update engine_timeline set timeline = timeline", False, 0),
        ("update engine_timeline set timeline = timeline", True, 0),
        ("delete from engine_timeline", True, 0),  # filled by `restore`, which holds the engine
    ],
)
async def test_what_may_be_missing_is_dealt_with_once(
    calls: Calls, tmp_path: Path, change: str, remembers: bool, made: int
) -> None:
    """Whoever claims first does it, before; the server was restarted since, so it does not know what it had."""
    folder = tmp_path if remembers else None
    await calls.drain(calls.engine(tmp_path))
    await calls.run(*change.split("; "))
    first, second = calls.engine(folder), calls.engine()
    async with asyncio.timeout(20):
        while not await value(calls.store, ALL_DONE):
            await first.tick()
            await asyncio.sleep(0.02)
    await calls.drain(first, second)

    assert calls.made == [(SEEN_AT, 0)] * made
    here: Any = "(select timeline from engine_timeline) = (select timeline_id from pg_control_checkpoint())"
    assert await value(calls.store, here)
    assert await value(calls.store, "seen_at > now() - interval '1 minute' from engine_timeline")


async def test_who_notes_the_server_stops_nobody_from_claiming(calls: Calls) -> None:
    """It may be frozen, or wait with its commit for a standby that is gone; what it writes is known anyway."""
    await calls.drain(calls.engine())
    await calls.run()
    async with calls.store.transaction() as db:
        await db.execute("update engine_timeline set seen_at = now()")
        await calls.drain(calls.engine())
        assert await value(calls.store, ALL_DONE)
        assert await value(calls.store, f"seen_at = '{SEEN_AT}' from engine_timeline")
    await calls.run()
    await calls.drain(calls.engine())
    assert await value(calls.store, "seen_at > now() - interval '1 minute' from engine_timeline")


def far_ahead(position: Position) -> None:
    """The disk was put back: the log ends before what this process has seen."""
    position.marks = tuple(mark._replace(lsn=mark.lsn + 2**40) for mark in position.marks)


def next_id(position: Position) -> None:
    """The log goes on after it, with other transactions. (A heartbeat now would stand for this mark too.)"""
    position.marks = (*position.marks, Mark(position.marks[-1].timeline, 1, 2**40))


def elsewhere(position: Position) -> None:
    """A dump was restored by hand, and its own workers have noted the server already."""
    assert position.server is not None
    position.server = position.server._replace(system_identifier=1)


@pytest.mark.parametrize("lacks", [far_ahead, next_id, elsewhere])
async def test_who_misses_something_has_it_looked_up_though_others_do_not(
    calls: Calls, lacks: Callable[[Position], None]
) -> None:
    mine, other = calls.engine(), calls.engine()
    await mine.tick()
    await other.tick()
    lacks(mine._position)
    await calls.run()
    mine._failover._looked_at.clear()  # it is on a new connection
    await calls.drain(mine, other)
    await until(calls.store, ALL_DONE)
    assert calls.made == [(SEEN_AT, 0)]


def test_a_commit_stands_for_those_that_ended_before_it_began() -> None:
    position = Position()
    position.committed((), [1, 100, 7])
    before = position.began()
    position.committed(before, [1, 300, 9])  # began before the next, and ends first
    position.committed(before, [1, 200, 8])
    assert {mark.xid for mark in position.marks} == {8, 9}
    position.committed(position.began(), [1, 400, 10])
    assert position.marks == (Mark(1, 400, 10),)
    position.committed(position.began(), [1, 50, 11])  # of a server that has less
    assert {mark.xid for mark in position.marks} == {10, 11}


def test_a_process_leaves_what_it_knew_to_the_next(tmp_path: Path) -> None:
    """A killed one too: nothing is written at the end. One that lives keeps its own; a torn file is nobody's."""
    lives, killed, found = Position(), Position(), Position()
    killed.open(tmp_path)
    killed.note_worker(worker := ids.new_id())
    killed.settle(Server(5, 1), ())
    killed.committed((), [1, 100, 7])
    [path] = tmp_path.iterdir()
    content = path.read_bytes()
    killed.close()
    path.unlink()
    lives.open(tmp_path)
    lives.committed((), [1, 200, 8])
    (tmp_path / "killed.position").write_bytes(content)
    (tmp_path / "torn.position").write_bytes(content.replace(b"100", b"101"))
    found.open(tmp_path)
    assert (found.server, found.marks, found.workers) == (Server(5, 1), (Mark(1, 100, 7),), (worker,))
    assert len(list(tmp_path.iterdir())) == 2
    found.close()
    lives.close()
    again = Position()
    again.open(tmp_path)
    assert {mark.xid for mark in again.marks} == {7}  # who was never sure of a server leaves nothing
    again.close()
