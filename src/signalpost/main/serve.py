"""`signalpost serve` and `signalpost worker`: the database starts while the service is being imported."""

import errno
import gc
import importlib
import socket
from ipaddress import ip_address

from signalpost.kit.errors import OperatorError
from signalpost.kit.service_manager import ServiceManager
from signalpost.main.database import database_of
from signalpost.main.interruption import interruptible
from signalpost.main.listening import Listening
from signalpost.settings import Settings

HOST, PORT = "127.0.0.1", 8000
"""Where the service listens unless it is given another address."""


class PortBusy(OperatorError):
    """The address is in use, or it is not an address of this machine."""


class TwoAddresses(OperatorError):
    """An address was named, and the service manager handed over a socket of its own."""


def listen_on(host: str, port: int) -> Listening:
    """Return where to listen: of a name, its first IPv4 address, else its first one.

    Verifies that the port is free: the server binds with SO_REUSEPORT and would silently share it.

    Raises:
        PortBusy: another process listens there, or it is not an address of this machine.
    """
    bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    try:
        entries = socket.getaddrinfo(bare, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        raise PortBusy(
            f"{host!r} is not an address of this machine. Give --host a name or an address, such as 127.0.0.1 or"
            " 0.0.0.0, and the port with --port."
        ) from None
    family, _, _, _, address = min(entries, key=lambda entry: entry[0] != socket.AF_INET)
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise PortBusy(f"{host}:{port} is in use. Stop the other program, or choose another port.") from None
            raise PortBusy(f"{host}:{port} cannot be used: {error.strerror}. Choose another host or port.") from None
    return Listening(str(address[0]), port)


def _import_service() -> None:
    """Import nearly everything: half a second, in which the embedded database starts.

    Until the service tunes it, the garbage collector is off: importing makes many objects and hardly any garbage.
    """
    gc.disable()
    importlib.import_module("signalpost.main.service")


def _listening(manager: ServiceManager, host: str | None, port: int | None) -> Listening:
    """Return where to listen: at the socket that was handed over, else at the address that was named."""
    if manager.socket is None:
        return listen_on(HOST if host is None else host, PORT if port is None else port)
    address, handed_port, *_ = manager.socket.getsockname()
    if host is not None or port is not None:
        raise TwoAddresses(
            f"The service manager handed over a socket that listens on {address}, port {handed_port}. Leave out --host"
            " and --port, and change ListenStream= in the socket unit to listen elsewhere."
        )
    return Listening(address, handed_port, manager.socket)


async def serve(settings: Settings, host: str | None, port: int | None, *, worker: bool = True) -> None:
    """Serve until SIGTERM, SIGINT or SIGHUP; then stop taking work, finish work in flight and release leases.

    Raises:
        PortBusy: the port is in use; nothing has been started.
        BadHandover: what a service manager handed over is not one listening TCP socket.
        TwoAddresses: a socket was handed over, and `host` or `port` is given.
    """
    manager = ServiceManager.of_process()
    listening = _listening(manager, host, port)
    with interruptible() as interruption:
        async with database_of(settings, meanwhile=_import_service, requests=True) as (dsn, cluster):
            from signalpost.main import service  # noqa: PLC0415 - imported above

            await service.serve(settings, dsn, cluster, listening, interruption, manager, worker=worker)


async def work(settings: Settings, metrics_host: str = "127.0.0.1", metrics_port: int | None = None) -> None:
    """Run only the engine, until SIGTERM, SIGINT or SIGHUP; with a port, serve `/metrics` there.

    Raises:
        PortBusy: the metrics port is in use.
        OperatorError: other machines can reach the metrics, and no token is set.
    """
    metrics_on = None if metrics_port is None else listen_on(metrics_host, metrics_port)
    if metrics_on is not None and not ip_address(metrics_on.address).is_loopback and settings.metrics_token is None:
        raise OperatorError(f"Set SIGNALPOST_METRICS_TOKEN to serve /metrics on {metrics_host}: others can reach it.")
    with interruptible() as interruption:
        async with database_of(settings, meanwhile=_import_service) as (dsn, _):
            from signalpost.main import service  # noqa: PLC0415 - imported above

            await service.work(settings, dsn, metrics_on, interruption)
