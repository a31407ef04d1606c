"""Real `signalpost worker` and `signalpost serve` processes, forked from one that has imported everything.

They start in a tenth of the time of a command, and a test can build failures into them (`sabotage`).
"""

import asyncio
import multiprocessing
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Literal

import uvloop

from signalpost import settings
from signalpost.kit import log
from signalpost.main import serve

Sabotage = Callable[[], None]

forks = multiprocessing.get_context("forkserver")
forks.set_forkserver_preload(
    [
        "signalpost.main.service", "tests.engine.program", "tests.faults.dying", "tests.faults.processes",
        "tests.faults.sabotage", "tests.faults.worker",
    ]
)  # fmt: skip


class Process:
    """One running process."""

    def __init__(self, process: BaseProcess, log_file: Path = Path(os.devnull), port: int | None = None) -> None:
        self._process = process
        self.log_file = log_file
        self.port = port

    @property
    def process_id(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    @property
    def name(self) -> str:
        """What others see after `sabotage.named`."""
        return self.log_file.stem

    @property
    def runs(self) -> bool:
        return self._process.is_alive()

    @property
    def is_frozen(self) -> bool:
        """Whether it was stopped, by us or by the sabotage in it."""
        stat = Path(f"/proc/{self.process_id}/stat").read_text()
        return stat.rpartition(")")[2].split()[0] == "T"

    def freeze(self) -> None:
        os.kill(self.process_id, signal.SIGSTOP)

    def thaw(self) -> None:
        os.kill(self.process_id, signal.SIGCONT)

    def kill(self) -> None:
        """End it by kill -9, frozen or not."""
        self._process.kill()
        self._process.join()

    async def stop(self) -> int | None:
        """SIGTERM; returns the exit code."""
        self._process.terminate()
        await asyncio.to_thread(self._process.join)
        return self._process.exitcode


def start(
    command: Literal["worker", "serve"],
    environment: Mapping[str, str],
    log_file: Path,
    *,
    port: int | None = None,
    with_worker: bool = False,
    sabotage: Sequence[Sabotage] = (),
) -> Process:
    """Start a worker, or the service on this port, without waiting for anything."""
    arguments = (dict(environment), log_file, port if command == "serve" else None, with_worker, list(sabotage))
    process = forks.Process(target=_run, args=arguments, daemon=True)
    process.start()
    return Process(process, log_file, port)


def _run(
    environment: Mapping[str, str], log_file: Path, port: int | None, with_worker: bool, sabotage: Sequence[Sabotage]
) -> None:
    output = os.open(log_file, os.O_CREAT | os.O_APPEND | os.O_WRONLY)
    os.dup2(output, 1)
    os.dup2(output, 2)
    for build_in in sabotage:
        build_in()
    loaded = settings.load(environment)
    log.set_up(level="debug", human=False)
    if port is None:
        uvloop.run(serve.work(loaded))
    else:
        uvloop.run(serve.serve(loaded, "127.0.0.1", port, worker=with_worker))
