"""A worker process for tests that kill it: `python -m tests.webhooks.program DSN DATA_DIR`."""

import asyncio
import sys
from pathlib import Path

from signalpost import settings
from signalpost.engine.engine import Engine
from signalpost.main.app import open_context
from signalpost.webhooks.work import DeliverySource


async def main(dsn: str, data_dir: str) -> None:
    loaded = settings.load({"SIGNALPOST_ALLOW_PRIVATE_WEBHOOKS": "true", "SIGNALPOST_DATA_DIR": data_dir})
    async with open_context(loaded, dsn) as context:
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        await Engine(context.database, [DeliverySource(context)]).run()


if __name__ == "__main__":
    Path(sys.argv[2]).mkdir(parents=True, exist_ok=True)
    asyncio.run(main(sys.argv[1], sys.argv[2]))
