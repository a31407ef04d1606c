"""What a service manager hands over: one listening TCP socket, by the variables of systemd, and nothing else."""

import os
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.counterparts.tools import free_port

from signalpost.kit.service_manager import BadHandover, ServiceManager

TAKE = """
import os, sys
from signalpost.kit.errors import OperatorError
from signalpost.kit.service_manager import ServiceManager
try:
    manager = ServiceManager.of_process()
except OperatorError as error:
    sys.exit(str(error))
held = manager.socket
left = sorted(name for name in os.environ if name.startswith(("LISTEN_", "NOTIFY_", "WATCHDOG_")))
print(held and held.getsockname()[1], held and held.get_inheritable(), manager.watchdog_seconds, left)
"""


def taken(handed: socket.socket | None, variables: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """What a process takes that is started as systemd starts it; `$$` in a variable is its id."""
    script = "".join(f'export {name}="{value}"; ' for name, value in variables.items())
    script += f"exec {sys.executable} -c '{TAKE.replace(chr(39), chr(34))}'"
    script += f" 3<&{handed.fileno()}" if handed else " 3<&-"
    fds = (handed.fileno(),) if handed else ()
    return subprocess.run(["bash", "-c", script], pass_fds=fds, capture_output=True, text=True, check=False)


OURS = {"LISTEN_PID": "$$", "LISTEN_FDS": "1"}


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_a_listening_socket_is_taken_and_its_variables_are_removed(host: str) -> None:
    """They are for this process alone: a child that found them would take whatever its descriptor 3 is."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, 0), family=family) as server:
        more = {"LISTEN_FDNAMES": "http", "NOTIFY_SOCKET": "/run/x", "WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "$$"}
        done = taken(server, OURS | more)
        assert done.stdout == f"{server.getsockname()[1]} False 3.0 []\n", done.stderr


def test_without_a_manager_nothing_is_taken() -> None:
    assert taken(None, {}).stdout == "None None None []\n"


def test_what_is_for_another_process_is_left_alone_and_said() -> None:
    """As when a script between the manager and the service does not `exec` it."""
    with socket.create_server(("127.0.0.1", free_port())) as server:
        done = taken(server, {"LISTEN_PID": "1", "LISTEN_FDS": "1", "WATCHDOG_PID": "1", "WATCHDOG_USEC": "1000"})
    assert done.stdout == "None None None []\n"
    assert done.stderr.count("service_manager.other_process") == 2
    assert "exec signalpost" in done.stderr


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        (OURS | {"LISTEN_FDS": "one"}, "LISTEN_FDS must be a whole number, not 'one'"),
        (OURS | {"LISTEN_FDS": "-1"}, "LISTEN_FDS must be a whole number"),
        (OURS | {"LISTEN_PID": "x"}, "LISTEN_PID must be a whole number"),
        (OURS | {"LISTEN_FDS": "2"}, "2 listening sockets were handed over, and the service takes one"),
        (OURS | {"LISTEN_FDS": "2", "LISTEN_FDNAMES": "a:b"}, "handed over (a, b), and the service takes one"),
        (OURS | {"LISTEN_FDNAMES": "a:b"}, "LISTEN_FDS says 1, but LISTEN_FDNAMES has 2 names"),
        (OURS | {"WATCHDOG_USEC": "2s"}, "WATCHDOG_USEC must be a whole number"),
        (OURS | {"NOTIFY_SOCKET": "vsock:2:1234"}, "NOTIFY_SOCKET must be a path or begin with @"),
    ],
)
def test_wrong_variables_are_explained(variables: dict[str, str], words: str) -> None:
    with socket.create_server(("127.0.0.1", free_port())) as server:
        done = taken(server, variables)
    assert done.returncode == 1
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_what_does_not_listen_for_tcp_is_refused(tmp_path: Path) -> None:
    """Connections as `Accept=yes` hands over, datagrams, Unix paths, a file, and nothing."""
    unix = socket.socket(socket.AF_UNIX)
    unix.bind(str(tmp_path / "s"))
    unix.listen()
    with (
        socket.create_server(("127.0.0.1", free_port())) as server,
        socket.create_connection(server.getsockname()) as connected,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams,
        unix,
    ):
        for wrong in (connected, datagrams, unix):
            done = taken(wrong, OURS | {"LISTEN_FDNAMES": "http"})
            assert (done.returncode, done.stdout) == (1, "")
            assert "(http) is not a listening TCP socket" in done.stderr
            assert "ListenStream=" in done.stderr
    done = taken(None, OURS)
    assert (done.returncode, done.stderr) == (
        1,
        "LISTEN_FDS says that file descriptor 3 is a socket: Bad file descriptor.\n",
    )


@pytest.mark.parametrize("kind", ["path", "abstract"])
def test_states_are_reported_to_the_manager(kind: str, tmp_path: Path) -> None:
    address = str(tmp_path / "notify") if kind == "path" else f"\0signalpost-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as receiver:
        receiver.bind(address)
        manager = ServiceManager.of_process({"NOTIFY_SOCKET": address.replace("\0", "@")})
        manager.notify("READY=1")
        assert receiver.recv(100) == b"READY=1"


def test_a_manager_that_cannot_be_reached_stops_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ServiceManager.of_process({"NOTIFY_SOCKET": str(tmp_path / "nobody")}).notify("READY=1")
    assert "service_manager.unreachable" in capsys.readouterr().err


def test_numbers_are_bounded() -> None:
    with pytest.raises(BadHandover, match="WATCHDOG_USEC"):
        ServiceManager.of_process({"WATCHDOG_USEC": "9" * 16})
