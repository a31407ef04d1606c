"""Paths of the tools that `scripts/install-test-tools` installs."""

import errno
import hashlib
import os
import platform
import random
import shutil
import socket
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
HERE = Path(__file__).parent
_random = random.SystemRandom()


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
    machine = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    return node_packages("node") / "node_modules" / f"node-linux-{machine}" / "bin" / "node"


def node_script(name: str) -> Path:
    """`tests/counterparts/NAME/start.mjs`, put beside the packages it imports, where Node looks for them."""
    place = node_packages(name)
    fresh = place / f".start.{os.getpid()}.mjs"
    shutil.copyfile(HERE / name / "start.mjs", fresh)
    return fresh.replace(place / "start.mjs")


def program(name: str) -> str:
    """A program of the operating system.

    Raises:
        NotInstalled: it is missing.
    """
    path = shutil.which(name)
    if path is None:
        raise NotInstalled(f"{name} is not installed; run `make test-tools`")
    return path


def free_port() -> int:
    """A port that nothing uses, below those that the system gives to connections: none of them takes it meanwhile."""
    while True:
        port = _random.randint(10_000, 32_000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    raise
            else:
                return port
