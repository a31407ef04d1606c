"""Load for the benches: keep-alive connections that send one request after the other, and the CPU time of a process."""

import asyncio
import os
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Run:
    """The result of a run. `cpu_us`: CPU of the server process per request, in microseconds, user and system."""

    requests: int
    seconds: float
    cpu_us: float

    @property
    def per_second(self) -> float:
        return self.requests / self.seconds


def cpu_seconds(pid: int) -> float:
    """Return the CPU seconds that a process has used, all its threads."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:  # noqa: PTH123 - read before and after each run
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_bytes(pid: int) -> int:
    """Return the proportional set size of a process: shared pages count proportionally. 0: it has ended."""
    try:
        with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:  # noqa: PTH123
            return sum(int(line.split()[1]) * 1024 for line in file if line.startswith("Pss:"))
    except (FileNotFoundError, ProcessLookupError):
        return 0


def free_port() -> int:
    """Return a free port of this machine."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def run(
    port: int, request: Callable[[], bytes], *, expect: int, pid: int, seconds: float, connections: int = 32
) -> Run:
    """Send requests over `connections` connections for `seconds`; every response must have the expected status."""
    stop_at = time.perf_counter() + seconds
    counts = [0] * connections

    async def one(number: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        while time.perf_counter() < stop_at:
            writer.write(request())
            head = await reader.readuntil(b"\r\n\r\n")
            status = int(head[9:12])
            length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n", 1)[0])
            body = await reader.readexactly(length)
            if status != expect:
                raise RuntimeError(f"{status}: {body[:500]!r}")
            counts[number] += 1
        writer.close()

    started, before = time.perf_counter(), cpu_seconds(pid)
    await asyncio.gather(*(one(number) for number in range(connections)))
    used, took = cpu_seconds(pid) - before, time.perf_counter() - started
    total = sum(counts)
    return Run(total, took, used / total * 1e6)


async def wait_for_port(port: int, seconds: float = 20.0) -> None:
    """Wait until the port accepts connections."""
    stop_at = time.perf_counter() + seconds
    while True:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            if time.perf_counter() > stop_at:
                raise
            await asyncio.sleep(0.02)
        else:
            writer.close()
            return
