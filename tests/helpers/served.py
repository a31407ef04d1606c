"""An application behind the real HTTP server, inside the test process."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from granian.constants import HTTPModes, Interfaces
from granian.server.embed import Server
from tests.counterparts.tools import free_port, listens
from tests.helpers.limits import TEST_SECONDS

from signalpost.web.lingering import Lingering


@asynccontextmanager
async def served(app: Any, port: int = 0) -> AsyncIterator[int]:
    """Serve an application on a port of 127.0.0.1, a free one unless it is named; return the port.

    As in the service, a connection survives a response that came before the body was read.
    """
    port = port or free_port()
    server = Server(
        Lingering(app), address="127.0.0.1", port=port, interface=Interfaces.ASGINL, log_enabled=False,
        websockets=False, http=HTTPModes.http1,
    )  # fmt: skip
    running = asyncio.create_task(server.serve())
    try:
        async with asyncio.timeout(TEST_SECONDS):
            while not await listens(port):
                await asyncio.sleep(0.02)
        yield port
    finally:
        server.stop()  # type: ignore[no-untyped-call]
        await running
