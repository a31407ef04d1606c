"""Worker processes made to be killed: forked from a server that has imported everything, so that they start at once."""

import asyncio
from multiprocessing.process import BaseProcess
from pathlib import Path

from tests.faults.processes import forks
from tests.helpers import ledger

from signalpost import settings
from signalpost.engine.engine import Engine
from signalpost.identity.queries import tenant_sql
from signalpost.kit import failpoint, log
from signalpost.main.app import open_context
from signalpost.publishing.work import TargetSource

KILLED = 137
_DUE = "select exists (select from target where next_attempt_at < now() + interval '1 second')"


def start(
    dsn: str, folder: Path, url: str, *, failpoint: str = "", can_reconcile: bool = True, forever: bool = False
) -> BaseProcess:
    """Start a worker. It ends at its failpoint, or when nothing in the whole database is due within a second.

    Args:
        dsn: of a database that nothing else leaves due targets in; otherwise the worker publishes those as well.
        folder: the data folder, with the master key.
        url: of the ledger.
        failpoint: as in SIGNALPOST_FAILPOINT.
        can_reconcile: whether the network can tell if a post is there.
        forever: do not end when nothing is due.
    """
    process = forks.Process(target=_run, args=(dsn, folder, url, failpoint, can_reconcile, forever), daemon=True)
    process.start()
    return process


async def ended(process: BaseProcess) -> int | None:
    """Wait for the end; return the exit code."""
    await asyncio.to_thread(process.join)
    return process.exitcode


def _run(dsn: str, folder: Path, url: str, failpoint_spec: str, can_reconcile: bool, forever: bool) -> None:
    log.set_up(level="error", human=False)
    if failpoint_spec:
        failpoint._armed = failpoint._Armed(failpoint_spec)
    ledger.register(url, can_reconcile=can_reconcile)
    asyncio.run(_work(dsn, folder, forever))


async def _work(dsn: str, folder: Path, forever: bool) -> None:
    loaded = settings.load({"SIGNALPOST_DATA_DIR": str(folder), "SIGNALPOST_DATABASE_CONNECTIONS_MAX": "8"})
    async with open_context(loaded, dsn, name="faults") as context:
        engine = Engine(context.database, [TargetSource(context)], tenant_sql=tenant_sql)
        running = asyncio.create_task(engine.run())
        while forever or await context.database.pool.fetchval(_DUE):
            await asyncio.sleep(0.05)
        await engine.stop(5)
        await running
