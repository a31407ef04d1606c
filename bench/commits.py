"""Commits a second that make a lane due at once: `python -m bench.commits [--quick]`. Starts its own PostgreSQL.

Each commit is made to take 10 ms more, as with a synchronous standby in another zone. Many clients commit at the same
time: with the lane woken and workers notified, against lanes that are due later, without notification (the floor), and
against a transaction that notifies by itself. Target: at least 0.9 of the floor.
"""

import argparse
import asyncio
import shutil
import tempfile
import time
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path

import asyncpg
import uvloop

from signalpost.embedded_postgres.start import start_postgres
from signalpost.kit import ids
from signalpost.kit.db import Database, Db
from signalpost.migrations.runner import migrate

COMMIT_MS = 10
CLIENTS = 32
_WAKE = "select wake_lanes('bench', array[$1::uuid], null, array['sandbox'], array[now() + $2::interval])"
_REST = "update lane set next_due_at = null where kind = 'bench' and key = $1"
_NOW, _LATER = timedelta(0), timedelta(minutes=1)


async def _write(db: Db, due_in: timedelta = _LATER) -> None:
    key = ids.new_id()
    await db.execute(_WAKE, key, due_in)
    await db.execute(_REST, key)


async def _wake(db: Db) -> None:
    await _write(db, _NOW)


async def _notify(db: Db) -> None:
    await _write(db)
    await db.execute("select pg_notify('bench', 'target')")


async def rate(database: Database, work: Callable[[Db], Awaitable[None]], seconds: float) -> float:
    """Commits a second of all clients."""
    until = time.perf_counter() + seconds
    commits = 0

    async def client() -> None:
        nonlocal commits
        while time.perf_counter() < until:
            async with database.transaction() as db:
                await work(db)
            commits += 1

    started = time.perf_counter()
    await asyncio.gather(*(client() for _ in range(CLIENTS)))
    return commits / (time.perf_counter() - started)


async def measure(dsn: str, superuser_dsn: str, seconds: float) -> None:
    """Print the table. The kinds of commits take turns, so that each meets the same machine."""
    superuser = await asyncpg.connect(superuser_dsn)
    for name, value in (("commit_delay", COMMIT_MS * 1000), ("commit_siblings", 0)):
        await superuser.execute(f"alter system set {name} = {value}")
    await superuser.execute("select pg_reload_conf()")
    await superuser.close()
    database = await Database.open(dsn, connections_max=CLIENTS)
    listener = await asyncpg.connect(dsn)
    for channel in ("lane", "bench"):
        await listener.add_listener(channel, lambda *_: None)
    kinds = {
        "due later, no notification (floor)": _write,
        "due now, notified after the commit": _wake,
        "NOTIFY in the commit": _notify,
    }
    rates: dict[str, list[float]] = {name: [] for name in kinds}
    for _ in range(3):
        for name, work in kinds.items():
            rates[name].append(await rate(database, work, seconds))
    floor = sorted(rates["due later, no notification (floor)"])[1]
    print(f"| commits that take {COMMIT_MS} ms, {CLIENTS} clients | commits/s | of the floor |\n|---|---|---|")
    for name, each in rates.items():
        print(f"| {name} | {sorted(each)[1]:,.0f} | {sorted(each)[1] / floor:.2f} |")
    await listener.close()
    await database.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    seconds = 1.0 if parser.parse_args().quick else 4.0
    folder = Path(tempfile.mkdtemp(prefix="signalpost-bench-"))
    cluster = start_postgres(folder)
    try:
        asyncio.run(migrate(cluster.dsn()))
        uvloop.run(measure(cluster.dsn(), cluster.dsn(user="postgres"), seconds))
    finally:
        cluster.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
