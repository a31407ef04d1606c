"""Running the service: database, migrations, application, engine, and a graceful shutdown."""

import asyncio
import contextlib
import errno
import gc
import resource
import signal
import socket
import sys
from collections.abc import Iterator

from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.server.embed import Server

from signalpost.context import AppContext
from signalpost.embedded_postgres.watch import watch
from signalpost.identity.actions import first_run
from signalpost.kit import log
from signalpost.kit.db import Database
from signalpost.kit.errors import OperatorError
from signalpost.main import app, metrics, wiring
from signalpost.main.database import database_of
from signalpost.settings import Settings
from signalpost.web.lingering import Lingering

GRACE_SECONDS = 24.0
"""How long work in flight may take at shutdown; the whole shutdown takes at most a second more."""
IDLE_SECONDS = 75
"""How long a connection may be idle between requests, or request headers take: longer than proxies keep theirs."""
CONNECTIONS_MAX = 8_192
_logger = log.get("main")


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


async def serve(settings: Settings, host: str, port: int, *, worker: bool = True) -> None:
    """Serve until SIGTERM or SIGINT; then stop taking work, finish work in flight and release leases.

    Raises:
        PortBusy: the port is in use; nothing has been started.
    """
    refuse_busy_port(host, port)
    base_url = settings.base_url or f"http://{f'[{host}]' if ':' in host else host}:{port}"
    stop = asyncio.Event()
    with stop_signals(stop):
        async with (
            database_of(settings) as (dsn, cluster),
            app.open_context(settings, dsn, base_url=base_url) as context,
            contextlib.AsyncExitStack() as stack,
        ):
            engine = context.engine
            assert engine is not None  # noqa: S101 - open_context made it
            await wiring.prepare(context)
            tasks = []
            if cluster:
                tasks.append(asyncio.create_task(watch(cluster)))
            if worker:
                tasks.append(asyncio.create_task(engine.run()))
            for task in tasks:
                stack.callback(task.cancel)
            server = _server(context, host, port)
            tune_garbage_collection()
            serving = asyncio.create_task(server.serve())
            await greet(context.database, base_url)
            await _run_until(stop, serving, tasks)
            server.stop()  # type: ignore[no-untyped-call]
            await asyncio.gather(engine.stop(GRACE_SECONDS), serving)
    _logger.info("service.stopped")


def tune_garbage_collection() -> None:
    """Exclude objects that live as long as the process from garbage collection, and collect less often.

    Reading a page of posts creates thousands of objects without reference cycles: with the default thresholds, the
    collector traverses the whole program several times for each such request.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def _server(context: AppContext, host: str, port: int) -> Server:
    return Server(
        Lingering(app.create(context)),
        address=host,
        port=port,
        interface=Interfaces.ASGINL,
        log_enabled=False,
        websockets=False,
        backlog=1024,
        backpressure=_connections_max(),
        http=HTTPModes.http1,  # what proxies use; with `auto`, silent connections are never closed
        http1_settings=HTTP1Settings(header_read_timeout=IDLE_SECONDS * 1_000),
    )


def _connections_max() -> int:
    """Raise the limit of open files as far as allowed, and leave a part of it to the database, storage and networks."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = CONNECTIONS_MAX + 1_024
    if soft != resource.RLIM_INFINITY and soft < needed:
        soft = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return CONNECTIONS_MAX if soft == resource.RLIM_INFINITY else max(64, min(CONNECTIONS_MAX, soft - soft // 8))


async def _run_until(stop: asyncio.Event, serving: "asyncio.Task[None]", tasks: "list[asyncio.Task[None]]") -> None:
    """Wait for the stop signal; if anything else ends, raise its exception."""
    stopping = asyncio.create_task(stop.wait())
    done, _ = await asyncio.wait([stopping, serving, *tasks], return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    for task in done - {stopping}:
        task.result()
        raise RuntimeError("a part of the service ended unexpectedly")


async def greet(database: Database, base_url: str) -> None:
    """Print the address of the service, and the first-run link while there is no user."""
    async with database.transaction() as db:
        token = await first_run.issue_token(db)
    lines = [f"Signalpost is ready: {base_url}", f"API reference:       {base_url}/docs"]
    if token:
        lines.append(f"There is no user yet. Create one within 30 minutes: {base_url}/first-run?token={token}")
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()


async def work(settings: Settings, metrics_port: int | None = None) -> None:
    """Run only the engine, until SIGTERM or SIGINT.

    Raises:
        PortBusy: the metrics port is in use.
    """
    if metrics_port is not None:
        refuse_busy_port("127.0.0.1", metrics_port)
    stop = asyncio.Event()
    with stop_signals(stop):
        async with (
            database_of(settings) as (dsn, _),
            app.open_context(settings, dsn, name="signalpost-worker") as context,
            contextlib.AsyncExitStack() as stack,
        ):
            if metrics_port is not None:
                stack.enter_context(metrics.own_port(metrics_port))
            engine = context.engine
            assert engine is not None  # noqa: S101 - open_context made it
            await wiring.prepare(context)
            running = asyncio.create_task(engine.run())
            await _run_until(stop, running, [])
            await engine.stop(GRACE_SECONDS)
            running.cancel()
    _logger.info("worker.stopped")
