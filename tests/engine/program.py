"""A worker process for tests that kill or stop it."""

import asyncio
import os
import signal
from collections.abc import Collection, Sequence
from multiprocessing.connection import Connection
from uuid import UUID

from tests.faults import sabotage
from tests.helpers.engine import Work

from signalpost.engine.contract import Done, Lease
from signalpost.engine.engine import Engine
from signalpost.kit.db import Database, Db

FROZEN_SECONDS = 5
"""After this long the server ends the session of a frozen worker."""


class Freezing(Work):
    """Stops this process, in the middle of a transaction of the engine."""

    where = ""

    async def due(self, db: Db, leases: Sequence[Lease], per_lane: int) -> Sequence[tuple[UUID, UUID]]:
        items = await super().due(db, leases, per_lane)
        self._freeze("claim")
        return items

    async def settle(self, db: Db, done: Sequence[Done[UUID, str]]) -> Collection[UUID]:
        busy = await super().settle(db, done)
        self._freeze("settle")
        return busy

    def _freeze(self, where: str) -> None:
        if self.where == where:
            os.kill(os.getpid(), signal.SIGSTOP)


def run(dsn: str, seconds: float, freeze: str, started: Connection) -> None:
    """Work until SIGTERM; say so when it begins.

    Args:
        dsn: of the database.
        seconds: that each item takes.
        freeze: where it stops itself, as a hung host does: `claim` or `settle`, in both inside a transaction that the
            server ends soon.
        started: gets a word.
    """
    if freeze:
        sabotage.short_transactions(FROZEN_SECONDS)
    asyncio.run(_work(dsn, seconds, freeze, started))


async def _work(dsn: str, seconds: float, freeze: str, started: Connection) -> None:
    database = await Database.open(dsn, connections_max=6)
    source = Freezing(database, seconds=seconds, batch=bool(freeze))
    source.where, source.notes_claims = freeze, True
    engine = Engine(database, [source])
    stopped = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopped.set)
    task = asyncio.create_task(engine.run())
    started.send(True)
    await stopped.wait()
    await engine.stop()
    await task
    await database.close()
