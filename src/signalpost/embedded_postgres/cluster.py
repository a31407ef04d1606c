"""A cluster of the embedded PostgreSQL: where its files are, whether its server runs, and how to stop it.

In `folder` lie `cluster` (PGDATA), `run` (the socket), `server.log`, and two lock files:

- `start.lock` is held while a process starts or stops the server, so that only one does at a time.
- `server.lock` is inherited by the server and all its processes. If it is free, no process of that server is alive.
  That holds after kill -9, for zombies, reused process ids and orphaned backends, where `postmaster.pid` misleads.
"""

import contextlib
import fcntl
import os
import signal
import socket
import struct
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from signalpost.kit.errors import OperatorError

PORT_FILE = ".s.PGSQL.5432"
_STOP_SECONDS_MAX = 30.0
_LOCK_SECONDS_MAX = 150.0
_POLL_SECONDS = 0.005
_PROCESS_ID_LINE = 0
_SOCKET_DIR_LINE = 4


class PostgresFailed(OperatorError):
    """The embedded PostgreSQL did not start or stop; the message ends with the end of its log."""


@dataclass(frozen=True)
class Cluster:
    """A cluster whose server runs. If the server was stopped or killed, call `start_postgres` again for a new value."""

    folder: Path
    socket_dir: Path

    def dsn(self, database: str = "signalpost", *, user: str = "signalpost") -> str:
        """The address for asyncpg, over the unix socket: as the role that owns `signalpost`, or as `postgres`."""
        return f"postgresql://{user}@/{quote(database, safe='')}?host={quote(str(self.socket_dir))}"

    def pid(self) -> int:
        """The postmaster's process id.

        Raises:
            PostgresFailed: no server has written one.
        """
        line = _pid_file_line(self.folder, _PROCESS_ID_LINE)
        if not line:
            raise PostgresFailed(f"No PostgreSQL server runs in {self.folder}.")
        return int(line)

    def exists(self) -> bool:
        """Whether its files are there, running or not."""
        return is_initialised(self.folder)

    def stop(self) -> None:
        """Shut the server down ("fast" mode: open transactions roll back, then a checkpoint), if it runs.

        Raises:
            PostgresFailed: it still runs after 30 s.
        """
        with one_at_a_time(self.folder):
            if not accepts_connections(self.socket_dir):
                return
            os.kill(self.pid(), signal.SIGINT)
            deadline = time.monotonic() + _STOP_SECONDS_MAX
            while (lock := take_server_lock(self.folder)) is None:
                wait_before(deadline, self.folder, "still runs after the request to stop")
            os.close(lock)


def is_initialised(folder: Path) -> bool:
    """Whether initdb has finished there."""
    return (folder / "cluster" / "PG_VERSION").exists()


def recorded_socket_dir(folder: Path) -> Path | None:
    """The socket folder in `postmaster.pid`, or None while there is none."""
    line = _pid_file_line(folder, _SOCKET_DIR_LINE)
    return Path(line) if line else None


def _pid_file_line(folder: Path, number: int) -> str:
    """A line of `postmaster.pid`, or an empty string while it is missing."""
    try:
        lines = (folder / "cluster" / "postmaster.pid").read_text().splitlines()
    except FileNotFoundError:
        return ""
    return lines[number] if number < len(lines) else ""


def accepts_connections(socket_dir: Path) -> bool:
    """Ask the server what `pg_isready` asks, without starting a program."""
    body = struct.pack("!I", 196608) + b"user\0signalpost\0database\0signalpost\0\0"
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(2)
        try:
            connection.connect(str(socket_dir / PORT_FILE))
            connection.sendall(struct.pack("!I", len(body) + 4) + body)
            reply = connection.recv(1024)
        except OSError:
            return False
    return reply.startswith(b"R") or b"C53300" in reply  # authenticated, or healthy with all connections in use


@contextlib.contextmanager
def one_at_a_time(folder: Path) -> Iterator[None]:
    """Hold `start.lock`: only one process at a time starts or stops the server."""
    deadline = time.monotonic() + _LOCK_SECONDS_MAX
    while (lock := _try_lock(folder / "start.lock")) is None:
        wait_before(deadline, folder, "is being started or stopped by another process that does not finish")
    try:
        yield
    finally:
        os.close(lock)


def take_server_lock(folder: Path) -> int | None:
    """Return an open file that holds `server.lock`, or None while a process of the server is alive."""
    return _try_lock(folder / "server.lock")


def _try_lock(path: Path) -> int | None:
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(file)
        return None
    return file


def wait_before(deadline: float, folder: Path, complaint: str, *, seconds: float = _POLL_SECONDS) -> None:
    """Sleep for a moment.

    Raises:
        PostgresFailed: the deadline has passed; carries the end of the log.
    """
    if time.monotonic() > deadline:
        log = folder / "server.log"
        tail = log.read_bytes()[-2000:].decode(errors="replace") if log.exists() else "(no log)"
        raise PostgresFailed(f"The embedded PostgreSQL {complaint} ({folder}). End of its log:\n{tail}")
    time.sleep(seconds)  # noqa: TID251 - callers run in a thread of their own
