"""Where the service listens, under which address it can be reached, and how other commands find it."""

import contextlib
import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from signalpost.kit import log

_FILE = "service.json"
_CONNECT_SECONDS_MAX = 2.0
_ELSEWHERE = ("192.0.2.1", 9)  # an address for documentation (RFC 5737); nothing is sent to it
_WILDCARDS = ("0.0.0.0", "::")  # noqa: S104 - compared, not bound
_logger = log.get("main")


class Listening(Struct, frozen=True):
    """An address and a port of this machine."""

    address: str
    port: int
    handed_over: socket.socket | None = None
    """That a service manager holds and handed over; None: we bind the address ourselves."""

    def __str__(self) -> str:
        return _with_port(self.address, self.port)

    @property
    def url(self) -> str:
        """An address that a browser can open: for all interfaces, that of the one towards the internet."""
        address = _outward_address() if self.address in _WILDCARDS else self.address
        return f"http://{_with_port(address, self.port)}"

    @contextlib.contextmanager
    def recorded(self, data_dir: Path, url: str) -> Iterator[None]:
        """Write into the data folder where the service runs, until the block ends.

        A process that was there before, and still is when this one stops, is what commands find again.
        """
        file = data_dir / _FILE
        before = file.read_text() if running_service(data_dir) else None
        content = json.dumps({"url": url, "address": self.address, "port": self.port, "pid": os.getpid()}) + "\n"
        try:
            fresh = file.with_name(f"{_FILE}.{os.getpid()}")
            fresh.write_text(content)
            fresh.replace(file)
        except OSError as error:  # a folder that may only be read: then commands do not find the service
            _logger.warning("address.not_recorded", file=str(file), reason=error.strerror)
        try:
            yield
        finally:
            with contextlib.suppress(OSError):  # removed, or never written
                if file.read_text() == content:  # not that of another process
                    file.write_text(before or "")
                    if running_service(data_dir) is None:
                        file.unlink()


def running_service(data_dir: Path) -> str | None:
    """Return the address of the service that runs on this data folder, or None if none answers there."""
    try:
        record = json.loads((data_dir / _FILE).read_text())
        host = "localhost" if record["address"] in _WILDCARDS else record["address"]
        with socket.create_connection((host, record["port"]), timeout=_CONNECT_SECONDS_MAX):
            return str(record["url"])
    except (OSError, ValueError, KeyError, TypeError):  # no record, a damaged one, or what kill -9 left
        return None


def _with_port(address: str, port: int) -> str:
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def _outward_address() -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(_ELSEWHERE)
        except OSError:  # no network
            return "127.0.0.1"
        return str(probe.getsockname()[0])
