"""Worker processes made to be killed: forked from a server that has everything imported, so they start at once."""

import asyncio
import multiprocessing
from multiprocessing.process import BaseProcess
from pathlib import Path

from tests.helpers import ledger

from signalpost import settings
from signalpost.engine.engine import Engine
from signalpost.kit import failpoint, log
from signalpost.main.app import open_context
from signalpost.publishing.work import TargetSource

KILLED = 137
_LEFT = "select exists (select from target where next_attempt_at < now() + interval '1 second')"
_processes = multiprocessing.get_context("forkserver")
_processes.set_forkserver_preload(["tests.faults.worker"])


def start(
    dsn: str, folder: Path, url: str, *, failpoint: str = "", blind: bool = False, forever: bool = False
) -> BaseProcess:
    """Start a worker. It ends when nothing is due within a second, unless `forever`, or at its failpoint."""
    process = _processes.Process(target=_run, args=(dsn, folder, url, failpoint, blind, forever), daemon=True)
    process.start()
    return process


async def ended(process: BaseProcess, seconds: float = 30.0) -> int | None:
    """Wait for the end; return the exit code."""
    await asyncio.to_thread(process.join, seconds)
    assert process.exitcode is not None, "the worker does not end"
    return process.exitcode


def _run(dsn: str, folder: Path, url: str, wish: str, blind: bool, forever: bool) -> None:
    log.set_up(level="error", human=False)
    if wish:
        failpoint._armed = failpoint._Armed(wish)
    ledger.register(url, blind=blind)
    asyncio.run(_work(dsn, folder, forever))


async def _work(dsn: str, folder: Path, forever: bool) -> None:
    opened = settings.load({"SIGNALPOST_DATA_DIR": str(folder), "SIGNALPOST_DATABASE_CONNECTIONS_MAX": "8"})
    async with open_context(opened, dsn, name="faults") as context:
        engine = Engine(context.database, [TargetSource(context)])
        running = asyncio.create_task(engine.run())
        while forever or await context.database.pool.fetchval(_LEFT):
            await asyncio.sleep(0.05)
        await engine.stop(5)
        await running
