"""A restart refuses nobody: the listening socket belongs to the service manager, here a process of the test."""

import asyncio
import json
import signal
import socket
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest
from tests.counterparts.tools import program
from tests.helpers.service_process import PROGRAM, Service, installed

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("e2e")]
HANDED_OVER = """export LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=http; exec "$0" "$@" 3<&%d"""
RESTARTS = 2
CLIENTS = 8


class Manager:
    """What systemd does with the units: it holds a socket, starts the service with it, and hears how it is."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.held = socket.create_server(("127.0.0.1", service.port), backlog=4096)
        self.reports = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.reports.setblocking(False)
        self.reports.bind(str(service.folder / "notify"))

    async def start(self, *arguments: str) -> asyncio.subprocess.Process:
        """Start the service with the socket; nothing is waited for."""
        environment = {"NOTIFY_SOCKET": str(self.service.folder / "notify"), "WATCHDOG_USEC": "500000"}
        folder = self.service.folder
        with (folder / "log").open("ab") as log, (folder / "greeting").open("ab") as greeting:
            self.service.process = await asyncio.create_subprocess_exec(
                "bash", "-c", HANDED_OVER % self.held.fileno(), PROGRAM, "serve", "--data-dir",
                str(folder / "data"), *arguments, pass_fds=[self.held.fileno()], stderr=log,
                stdout=greeting, cwd=folder,
                env=self.service.environment(environment),
            )  # fmt: skip
        return self.service.process

    async def hears(self, state: str) -> None:
        """Wait until the service reports this state; what it reports before is dropped."""
        async with asyncio.timeout(60):
            while await asyncio.get_running_loop().sock_recv(self.reports, 100) != state.encode():
                pass

    def close(self) -> None:
        self.held.close()
        self.reports.close()


@pytest.fixture
async def manager() -> AsyncIterator[Manager]:
    async with installed() as service:
        manager = Manager(service)
        yield manager
        manager.close()


async def ask(port: int) -> int:
    """One request on a connection of its own; returns the status."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(b"GET /api/v1/healthz/api HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
    finally:
        writer.close()
    assert json.loads(body)["status"] in ("ok", "degraded"), body
    return int(head.split()[1])


async def test_a_restart_under_load_refuses_and_breaks_no_connection(manager: Manager) -> None:
    """Clients that connect all the while, each request on a new connection, through restarts."""
    port, results, running = manager.service.port, Counter[str](), True

    async def load() -> None:
        while running:
            try:
                results[f"status {await ask(port)}"] += 1
            except (OSError, ValueError, IndexError, AssertionError) as error:
                results[repr(error)] += 1

    async def answers() -> None:
        enough = results.total() + 20 * CLIENTS

        async def come() -> bool:
            return results.total() >= enough

        await manager.service.until(come, "answers")

    await manager.start()
    clients = [asyncio.create_task(load()) for _ in range(CLIENTS)]  # before it is ready: they wait
    await manager.hears("READY=1")
    for _ in range(RESTARTS):
        await answers()
        assert manager.service.process is not None
        manager.service.process.terminate()
        await manager.hears("STOPPING=1")
        assert await manager.service.ended() == 0
        await manager.start()
        await manager.hears("READY=1")
    await answers()
    running = False
    await asyncio.gather(*clients)

    assert [*results] == ["status 200"], results


async def test_the_watchdog_hears_that_the_event_loop_turns(manager: Manager) -> None:
    """Again and again, and not before the service is ready to be watched; a loop that stands still reports nothing."""
    process = await manager.start()
    await manager.hears("READY=1")
    for _ in range(3):
        await manager.hears("WATCHDOG=1")
    process.send_signal(signal.SIGSTOP)
    try:
        while state_of(process.pid) != "T":
            await asyncio.sleep(0)
        with suppress(BlockingIOError):
            while manager.reports.recv(100):  # what it reported before
                pass
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(1):
                await manager.hears("WATCHDOG=1")
    finally:
        process.send_signal(signal.SIGCONT)
    await manager.hears("WATCHDOG=1")


def state_of(pid: int) -> str:
    """The state of a process as the kernel says it: `T` is stopped."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


async def test_an_address_beside_the_socket_is_refused(manager: Manager) -> None:
    """Otherwise a port in the unit would be without effect, and nobody would know why."""
    process = await manager.start("--port", "9000")
    assert await process.wait() == 1
    expected = (
        f"handed over a socket that listens on 127.0.0.1, port {manager.service.port}. Leave out --host and --port"
    )
    assert expected in manager.service.log
    assert not (manager.service.folder / "data" / "postgres").exists()


async def test_a_connection_starts_the_service_by_the_program_of_systemd() -> None:
    """`systemd-socket-activate` waits for a first connection, and becomes the service."""
    async with installed() as service:
        command = [program("systemd-socket-activate"), f"--listen=127.0.0.1:{service.port}", "--fdname=http"]
        command += [str(PROGRAM), "serve", "--data-dir", str(service.folder / "data")]
        with (service.folder / "log").open("ab") as log, (service.folder / "greeting").open("ab") as greeting:
            service.process = await asyncio.create_subprocess_exec(
                *command, stderr=log, stdout=greeting, cwd=service.folder, env=service.environment({})
            )

        async def listens() -> bool:
            return f"Listening on 127.0.0.1:{service.port} as 3" in service.log

        await service.until(listens, "listening socket")
        assert not (service.folder / "data").exists()
        assert await ask(service.port) == 200
        assert f"Listening on   127.0.0.1:{service.port}\n" in service.greeting
        assert await service.stop() == 0
