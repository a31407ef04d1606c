"""A worker process for tests that kill or stop it: `python -m tests.engine.program DSN SECONDS_PER_ITEM`."""

import asyncio
import signal
import sys

from tests.helpers.engine import Work

from signalpost.engine.engine import Engine
from signalpost.kit.db import Database


async def main(dsn: str, seconds: float) -> None:
    database = await Database.open(dsn, connections_max=6)
    engine = Engine(database, [Work(database, seconds=seconds)])
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
    asyncio.run(main(sys.argv[1], float(sys.argv[2])))
