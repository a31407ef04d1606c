"""A program that a test exchanges lines with, and that never outlives the test."""

import asyncio
import contextlib
import json
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from tests.counterparts.tools import listens
from tests.helpers.limits import TEST_SECONDS

_LINE_BYTES_MAX = 16_000_000


class ProgramFailed(Exception):
    """It ended or stayed silent instead of doing what was expected; the message contains its last output."""


class Program:
    def __init__(self, process: asyncio.subprocess.Process, log: Path) -> None:
        self._process = process
        self._log = log

    def failed(self, what: str) -> ProgramFailed:
        return ProgramFailed(f"{what}. Its last output:\n{self._log.read_text(errors='replace')[-3000:]}")

    @property
    def ended(self) -> bool:
        return self._process.returncode is not None

    def kill(self) -> None:
        """End it and its children at once, as a failing machine does."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    async def json_line(self, *, within_seconds: float | None = TEST_SECONDS) -> dict[str, Any]:
        """The next line of output that is a JSON object; other lines are skipped.

        Raises:
            ProgramFailed: it ended, or took longer.
        """
        assert self._process.stdout is not None
        try:
            async with asyncio.timeout(within_seconds):
                while line := await self._process.stdout.readline():
                    if line.startswith(b'{"'):
                        return dict(json.loads(line))
        except TimeoutError as error:
            raise self.failed(f"no line within {within_seconds} s") from error
        raise self.failed("it ended")

    async def send(self, order: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(order).encode() + b"\n")
        await self._process.stdin.drain()

    async def wait_for_port(self, port: int, *, within_seconds: float = TEST_SECONDS) -> None:
        """Return when it listens on `port` of this machine.

        Raises:
            ProgramFailed: it ended, or took longer.
        """
        try:
            async with asyncio.timeout(within_seconds):
                while not self.ended:
                    if await listens(port):
                        return
                    await asyncio.sleep(0.02)
        except TimeoutError as error:
            raise self.failed(f"not on port {port} within {within_seconds} s") from error
        raise self.failed("it ended")


@contextlib.asynccontextmanager
async def running(
    *command: str | Path, folder: Path, environment: dict[str, str] | None = None
) -> AsyncIterator[Program]:
    """Run a program with its error output in `folder`/stderr.log; closing its input tells it to end."""
    log = folder / "stderr.log"
    with log.open("ab") as stderr:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=stderr,
            cwd=folder,
            env=os.environ | {"TMPDIR": str(folder)} | (environment or {}),
            start_new_session=True,  # one signal ends it with all its children
            limit=_LINE_BYTES_MAX,
        )
    try:
        yield Program(process, log)
    finally:
        assert process.stdin is not None
        process.stdin.close()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        try:
            async with asyncio.timeout(5):
                await process.communicate()
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):  # it has ended in this moment
                os.killpg(process.pid, signal.SIGKILL)
            await process.communicate()
