"""A worker process for tests that kill or stop it: `python -m tests.engine.program DSN SECONDS_PER_ITEM [FREEZE]`.

FREEZE: where it stops itself, as a hung host does: `claim` or `settle`, in both inside a transaction.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Collection, Sequence
from uuid import UUID

from tests.helpers.engine import Work

from signalpost.engine.contract import Done, Lease
from signalpost.engine.engine import Engine
from signalpost.kit.db import Database, Db


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


async def main(dsn: str, seconds: float, freeze: str = "") -> None:
    database = await Database.open(dsn, connections_max=6)
    source = Freezing(database, seconds=seconds, batch=bool(freeze))
    source.where = freeze
    engine = Engine(database, [source])
    stopped = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopped.set)
    task = asyncio.create_task(engine.run())
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    await stopped.wait()
    await engine.stop()
    await task
    await database.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], float(sys.argv[2]), *sys.argv[3:]))
