"""Processes that are killed at the n-th step of a piece of work: before or after a statement or a change of a file."""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable, Mapping
from itertools import count
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from tests.faults.processes import forks
from tests.helpers.api import Api

from signalpost import settings
from signalpost.context import AppContext
from signalpost.kit import connections, log
from signalpost.kit.storage import Store
from signalpost.main import app
from signalpost.media import pieces

Work = Callable[[AppContext, Api], Awaitable[None]]


def start(work: Work, environment: Mapping[str, str], step: int) -> BaseProcess:
    """Do a piece of work in a process that is killed (SIGKILL) at this step; it ends with 0 if there are fewer."""
    process = forks.Process(target=_run, args=(work, dict(environment), step), daemon=True)
    process.start()
    return process


def _run(work: Work, environment: Mapping[str, str], step: int) -> None:
    log.set_up(level="error", human=False)
    asyncio.run(_work(work, environment, step))


async def _work(work: Work, environment: Mapping[str, str], step: int) -> None:
    loaded = settings.load(environment)
    opened = app.open_context(loaded, environment["SIGNALPOST_DATABASE_URL"], name="dying")
    async with opened as context, Api(app.create(context)) as api:
        _die_at(step)
        await work(context, api)


def _die_at(step: int) -> None:
    steps = count(1)

    def pass_step() -> None:
        if next(steps) == step:
            os.kill(os.getpid(), signal.SIGKILL)

    def around_awaited(owner: Any, name: str) -> None:
        function = getattr(owner, name)

        async def stepped(*arguments: Any, **options: Any) -> Any:
            pass_step()
            result = await function(*arguments, **options)
            pass_step()
            return result

        setattr(owner, name, stepped)

    def around(owner: Any, name: str) -> None:
        function = getattr(owner, name)

        def stepped(*arguments: Any, **options: Any) -> Any:
            pass_step()
            result = function(*arguments, **options)
            pass_step()
            return result

        setattr(owner, name, stepped)

    for name in ("execute", "fetch", "fetchrow", "fetchval"):
        around_awaited(connections.Connection, name)
    around_awaited(Store, "move")
    around(pieces._Writer, "_write")
    around(Path, "rename")
