"""Signals at every moment of a start, and a terminal that is closed: nothing is printed, nothing stays behind."""

import asyncio
import os
import pty
import re
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from tests.counterparts.tools import free_port
from tests.helpers.service_process import Service, installed, postmaster

pytestmark = pytest.mark.slow
PROGRAM = (sys.executable, "-m", "signalpost")


def environment(**settings: str) -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("SIGNALPOST_")} | settings


@pytest.fixture
async def service() -> AsyncIterator[Service]:
    async with installed() as found:
        yield found


async def interrupted(folder: Path, after: Callable[[asyncio.subprocess.Process], Awaitable[None]]) -> tuple[int, str]:
    """Send SIGINT to `serve` after something; return the exit status as a shell shows it, and what it printed."""
    process = await asyncio.create_subprocess_exec(
        *PROGRAM, "serve", "--port", str(free_port()), "--data-dir", str(folder / "data"), cwd=folder,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT, env=environment(),
    )  # fmt: skip
    await after(process)
    process.send_signal(signal.SIGINT)
    printed, _ = await process.communicate()
    assert process.returncode is not None
    status = 128 - process.returncode if process.returncode < 0 else process.returncode
    return status, re.sub(r"^\{.*database\.migrated.*\}\n", "", printed.decode(), flags=re.MULTILINE)


def wait_for_our_code(process_id: int) -> None:
    """Wait until Python has set its own handler of SIGINT and we have replaced it: before that, Python reports it.

    Who does not run for that long, and sees nothing of it, sees later that the service handles SIGTERM.
    """

    def handles(number: int) -> bool:
        return bool(int(mask, 16) & 1 << number - 1)

    seen = [False]
    while seen[-2:] != [True, False]:
        mask = re.findall(r"^SigCgt:\s*(\w+)$", Path(f"/proc/{process_id}/status").read_text(), re.MULTILINE)[0]
        if handles(signal.SIGTERM):
            return
        seen.append(handles(signal.SIGINT))


@pytest.mark.parametrize("milliseconds", [0, 60, 200, 500])
async def test_an_interrupted_start_says_nothing(service: Service, milliseconds: int) -> None:
    """While it imports, while it creates the database, while it migrates: what was begun is stopped."""

    async def moment(process: asyncio.subprocess.Process) -> None:
        await asyncio.to_thread(wait_for_our_code, process.pid)
        await asyncio.sleep(milliseconds / 1000)

    assert await interrupted(service.folder, moment) == (130, "")
    assert postmaster(service) is None


async def test_an_interrupted_start_leaves_a_folder_that_can_be_used(service: Service) -> None:
    """The interruption comes when the database server is being launched, or shortly after."""
    log = service.folder / "data" / "postgres" / "server.log"

    async def launched(_: asyncio.subprocess.Process) -> None:
        while not log.exists():
            await asyncio.sleep(0.002)

    assert await interrupted(service.folder, launched) == (130, "")
    assert postmaster(service) is None
    await service.start()
    assert await service.stop() == 0


@pytest.mark.parametrize("command", ["serve", "worker", "migrate", "demo"])
def test_waiting_for_a_database_can_be_interrupted(tmp_path: Path, command: str) -> None:
    """The database accepts connections and says nothing, as a firewall or a frozen server does."""
    with socket.create_server(("127.0.0.1", free_port())) as silent:
        url = f"postgresql://signalpost@127.0.0.1:{silent.getsockname()[1]}/x"
        port = ["--port", str(free_port())] if command == "serve" else []
        with subprocess.Popen(
            [*PROGRAM, command, *port], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env=environment(SIGNALPOST_DATABASE_URL=url, SIGNALPOST_DATA_DIR=str(tmp_path)),
        ) as process:  # fmt: skip
            try:
                connection, _ = silent.accept()
                process.send_signal(signal.SIGINT)
                printed, _ = process.communicate()
                connection.close()
            finally:
                process.kill()

    assert (process.returncode, printed) == (130, b"")


async def test_closing_the_terminal_ends_the_service_and_its_database(service: Service) -> None:
    """The kernel sends SIGHUP, and whatever is written to the terminal from then on fails."""
    terminal, inner = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        *PROGRAM, "serve", "--port", str(service.port), "--data-dir", str(service.folder / "data"),
        stdin=inner, stdout=inner, stderr=inner, cwd=service.folder, env=environment(), start_new_session=True,
        preexec_fn=lambda: os.close(os.open(os.ttyname(0), os.O_RDWR)),  # it becomes the controlling terminal
    )  # fmt: skip
    os.close(inner)
    shown = b""
    while b"Ctrl-C stops the service." not in shown:
        shown += await asyncio.to_thread(os.read, terminal, 4096)
    assert postmaster(service) is not None
    os.close(terminal)

    assert await process.wait() == 0
    assert postmaster(service) is None
    assert not (service.folder / "data" / "service.json").exists()


async def test_a_second_signal_ends_it_at_once(service: Service) -> None:
    """The database is adopted by the next start, as after kill -9."""
    process = await service.launch("--port", str(service.port))
    await service.until(lambda: asyncio.sleep(0, "Signalpost is ready" in service.greeting), "ready service", 30)
    os.kill(process.pid, signal.SIGSTOP)  # so that both are there when it looks
    process.send_signal(signal.SIGTERM)
    process.send_signal(signal.SIGINT)
    os.kill(process.pid, signal.SIGCONT)

    assert await service.ended() in (128 + signal.SIGINT, 128 + signal.SIGTERM)
    await service.start()


def typed(arguments: list[str], folder: Path, lines: list[str]) -> tuple[int, str]:
    """Run a command at a terminal, and type a line at each prompt; return its exit code and what was shown."""
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(folder)
        os.execve(sys.executable, [*PROGRAM, *arguments], environment())  # noqa: S606 - our own program
    shown = ""
    for line in lines:
        while not shown.endswith((": ",)):
            shown += os.read(terminal, 1024).decode()
        shown += "\n"
        os.write(terminal, line.encode())
    try:
        while piece := os.read(terminal, 1024):
            shown += piece.decode()
    except OSError:  # the other end is closed
        pass
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), shown


OWNER = ["create-owner", "--email", "ada@example.test", "--workspace", "Bakery", "--timezone", "Europe/Berlin"]


async def test_a_password_is_asked_for_twice_and_never_shown(service: Service) -> None:
    secret = "correct horse battery"
    (service.folder / "data").mkdir()
    mistyped = await asyncio.to_thread(typed, OWNER, service.folder, [f"{secret}\n", f"{secret}!\n"])
    cancelled = await asyncio.to_thread(typed, OWNER, service.folder, [f"{secret}\n", "\x03"])
    status, shown = await asyncio.to_thread(typed, OWNER, service.folder, [f"{secret}\n", f"{secret}\n"])
    key = re.findall(r"sp_live_[\w.]+", shown)

    assert (mistyped[0], "The two passwords are not the same." in mistyped[1]) == (1, True)
    assert cancelled[0] == 130
    assert "Traceback" not in mistyped[1] + cancelled[1]
    assert (status, len(key)) == (0, 1), shown
    assert "timezone     Europe/Berlin" in shown
    assert secret not in mistyped[1] + cancelled[1] + shown
