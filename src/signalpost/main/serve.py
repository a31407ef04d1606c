"""`signalpost serve` and `signalpost worker`: the database starts while the service is being imported."""

import asyncio
import contextlib
import errno
import gc
import importlib
import signal
import socket
import sys
from collections.abc import Iterator

from signalpost.kit.errors import OperatorError
from signalpost.main.database import database_of
from signalpost.settings import Settings


class PortBusy(OperatorError):
    """The address is in use, or it is not an address of this machine."""


def refuse_busy_port(host: str, port: int) -> None:
    """Verify that the port is free: the server binds with SO_REUSEPORT and would silently share it.

    Raises:
        PortBusy: another process listens there.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise PortBusy(f"{host}:{port} is in use. Stop the other program, or choose another port.") from None
            raise PortBusy(f"{host}:{port} cannot be used: {error.strerror}. Choose another host or port.") from None


@contextlib.contextmanager
def stop_signals(stop: asyncio.Event) -> Iterator[None]:
    """Set `stop` on SIGTERM and SIGINT; a second signal ends the process at once."""
    loop = asyncio.get_running_loop()

    def request_stop() -> None:
        if stop.is_set():
            sys.exit(1)
        stop.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, request_stop)
    try:
        yield
    finally:
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(number)


def _import_service() -> None:
    """Import nearly everything: half a second, in which the embedded database starts.

    Until the service tunes it, the garbage collector is off: importing makes many objects and hardly any garbage.
    """
    gc.disable()
    importlib.import_module("signalpost.main.service")


async def serve(settings: Settings, host: str, port: int, *, worker: bool = True) -> None:
    """Serve until SIGTERM or SIGINT; then stop taking work, finish work in flight and release leases.

    Raises:
        PortBusy: the port is in use; nothing has been started.
    """
    refuse_busy_port(host, port)
    stop = asyncio.Event()
    with stop_signals(stop):
        async with database_of(settings, meanwhile=_import_service) as (dsn, cluster):
            from signalpost.main import service  # noqa: PLC0415 - imported above

            await service.serve(settings, dsn, cluster, host, port, stop, worker=worker)


async def work(settings: Settings, metrics_port: int | None = None) -> None:
    """Run only the engine, until SIGTERM or SIGINT.

    Raises:
        PortBusy: the metrics port is in use.
    """
    if metrics_port is not None:
        refuse_busy_port("127.0.0.1", metrics_port)
    stop = asyncio.Event()
    with stop_signals(stop):
        async with database_of(settings, meanwhile=_import_service) as (dsn, _):
            from signalpost.main import service  # noqa: PLC0415 - imported above

            await service.work(settings, dsn, metrics_port, stop)
