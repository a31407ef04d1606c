"""Failures to build into a process before it starts its work: functions for `processes.start(sabotage=...)`."""

import asyncio
import dataclasses
import functools
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import asyncpg
import uvloop

from signalpost import networks
from signalpost.accounts.token_store import TokenStore
from signalpost.engine.engine import Engine
from signalpost.kit import connections, db, failpoint
from signalpost.kit.http.transport import Transport
from signalpost.migrations import runner


def constants(**values: Any) -> None:
    """Give constants of the service another value wherever they were imported; fails if there is no such name."""
    for name, value in values.items():
        modules = [m for key, m in list(sys.modules.items()) if key.startswith("signalpost") and hasattr(m, name)]
        assert modules, name
        for module in modules:
            setattr(module, name, value)


def short_waits() -> None:
    """Leases end after three seconds, and a network shows within two whether it has a post: for quick tests."""
    constants(LEASE_SECONDS=3, RENEW_SECONDS=1.0, RECONCILE_SECONDS=(2.0, 4.0, 6.0, 8.0), CRASH_PAUSE_SECONDS=0.5)
    constants(TOO_EARLY_SECONDS=2, TOO_EARLY_WITH_KEY_SECONDS=1, REAP_SECONDS=0.5)


def later_version(migrations: Path, head: str) -> None:
    """This program with the migrations of a later one, which migrates as that one would."""
    constants(HEAD=head)
    runner.FOLDER = migrations
    runner.migrate.__kwdefaults__["to"] = head


def short_claims() -> None:
    """Short waits; who died while it renewed tokens is replaced after sixteen seconds, also on a busy machine."""
    short_waits()
    constants(CLAIM_SECONDS=16, RENEWAL_SECONDS_MAX=7.0, SAVE_SECONDS_MAX=7.0)


def named(name: str) -> None:
    """Networks and the database see this name for the process."""
    transport, pool = Transport.__init__, db._pool

    def init(self: Transport, guard: Any, resolver: Any, _user_agent: str, limits: Any) -> None:
        transport(self, guard, resolver, name, limits)

    patched: Any = Transport
    patched.__init__ = init
    db._pool = lambda dsn, size, _application_name, pooler, **more: pool(dsn, size, name, pooler, **more)


def slow_saves(seconds: float) -> None:
    """New tokens are stored so long after the network's answer."""
    save = TokenStore.save

    async def delayed(self: TokenStore, *arguments: Any) -> None:
        await asyncio.sleep(seconds)
        await save(self, *arguments)

    patched: Any = TokenStore
    patched.save = delayed


def short_looks() -> None:
    """A network that answers everything shows at once what it has: where no process dies, nothing is on its way."""
    constants(RECONCILE_SECONDS=(0.2, 0.4, 0.6, 0.8), TOO_EARLY_SECONDS=0.2, TOO_EARLY_WITH_KEY_SECONDS=0.1)


TRANSACTION_SECONDS = 2


def short_transactions(seconds: int = TRANSACTION_SECONDS) -> None:
    """The server ends a session whose transaction stands still after two seconds, not after fifteen (or thirty)."""
    limits = connections.SESSION_LIMITS | {
        "idle_in_transaction_session_timeout": f"{seconds}s",
        "transaction_timeout": f"{2 * seconds}s",
    }
    constants(SESSION_LIMITS=limits, SET_SESSION=connections.session_sql(connections.SESSION | limits))


TICK_SECONDS = 2


def short_ticks() -> None:
    """A call of /queue/process waits for what it runs for two seconds at most, not for twenty."""
    patched: Any = Engine
    patched.tick = functools.partialmethod(Engine.tick, budget_seconds=TICK_SECONDS)


def no_renewal() -> None:
    """Short waits, but for that until a network is believed that a post is missing; leases are never renewed."""
    short_waits()
    constants(RENEW_SECONDS=1e9, TOO_EARLY_SECONDS=10, REAP_SECONDS=5.0)


def freeze_at(place: str, trigger: Path) -> None:
    """Stop the process (SIGSTOP) at this failpoint once there is the file `trigger`, which is removed then."""
    armed: Any = failpoint
    armed._armed = _Freezer(place, trigger)


class _Freezer:
    """Stands in for an armed failpoint: when it is passed, it freezes instead of killing."""

    number = 1

    def __init__(self, place: str, trigger: Path) -> None:
        self.name = place
        self.passages = self
        self._trigger = trigger

    def __next__(self) -> int:
        _freeze(self._trigger)
        return 0  # is not the number: nobody is killed


def freeze_after_statement(part: str, trigger: Path) -> None:
    """Stop the process inside a transaction, after a statement with `part`, once there is the file `trigger`."""
    for name in ("fetch", "fetchrow", "fetchval", "execute", "executemany"):
        setattr(asyncpg.Connection, name, _freezing(getattr(asyncpg.Connection, name), part, trigger))


def _freezing(method: Callable[..., Any], part: str, trigger: Path) -> Callable[..., Any]:
    async def run(self: Any, query: str, *values: Any, **options: Any) -> Any:
        result = await method(self, query, *values, **options)
        if part in query and self.is_in_transaction():
            _freeze(trigger)
        return result

    return run


def _freeze(trigger: Path) -> None:
    try:
        trigger.unlink()
    except FileNotFoundError:
        return
    os.kill(os.getpid(), signal.SIGSTOP)


def poisonous(word: str = "poison", naps_seconds: float = 0.0) -> None:
    """A sandbox post with this word in its text kills the process; all others take `naps_seconds`."""
    connector = networks.CONNECTORS["sandbox"]
    publish = connector.publish
    assert publish is not None

    async def poisoned(session: Any, outgoing: Any, journal: Any) -> Any:
        if word in outgoing.text:
            os.kill(os.getpid(), signal.SIGKILL)
        await asyncio.sleep(naps_seconds)
        return await publish(session, outgoing, journal)

    connectors: Any = networks.CONNECTORS
    connectors["sandbox"] = dataclasses.replace(connector, publish=poisoned)


def slow_statements(word: str, seconds: float) -> None:
    """Statements with this word among their values take so long: the server sleeps on their connection first."""
    fetch = asyncpg.Connection.fetch

    async def slowed(self: Any, query: str, *values: Any, **options: Any) -> Any:
        if any(isinstance(value, str) and word in value for value in values):
            await self.execute("select pg_sleep($1)", seconds, timeout=options.get("timeout"))
        return await fetch(self, query, *values, **options)

    asyncpg.Connection.fetch = slowed  # type: ignore[method-assign]


def count_statements(file: Path) -> None:
    """Append a byte to the file for each statement."""
    file.touch()
    for name in ("fetch", "fetchrow", "fetchval", "execute", "executemany"):
        setattr(asyncpg.Connection, name, _counting(getattr(asyncpg.Connection, name), file))


def _counting(method: Callable[..., Any], file: Path) -> Callable[..., Any]:
    async def run(*arguments: Any, **options: Any) -> Any:
        with file.open("ab") as counter:
            counter.write(b".")
        return await method(*arguments, **options)

    return run


_NOTICED_SECONDS = 0.002


def watch_loop(report: Path) -> None:
    """Keep in the file the longest CPU time, in seconds, that the loop took to come round again."""
    report.write_text("0")
    original = uvloop.run

    def run(main: Any, **options: Any) -> Any:
        async def watched() -> Any:
            watching = asyncio.create_task(_watch(report))
            try:
                return await main
            finally:
                watching.cancel()

        return original(watched(), **options)

    uvloop.run = run


async def _watch(report: Path) -> None:
    before = time.thread_time()
    while True:
        await asyncio.sleep(0)
        _note(time.thread_time() - before, report)
        before = time.thread_time()


def _note(held_seconds: float, report: Path) -> None:
    if held_seconds > _NOTICED_SECONDS and held_seconds > float(report.read_text() or 0):
        report.write_text(str(held_seconds))
