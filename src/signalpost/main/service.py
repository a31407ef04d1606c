"""The service in one process: application, engine, the watch over the database, and a graceful shutdown."""

import asyncio
import contextlib
import gc
import resource
import sys
from functools import partial

from signalpost.accounts.token_store import Renewals
from signalpost.context import AppContext
from signalpost.embedded_postgres.cluster import Cluster
from signalpost.embedded_postgres.watch import watch
from signalpost.identity.actions import first_run
from signalpost.kit import clock, log, loop_watch
from signalpost.kit.program import command_line
from signalpost.kit.service_manager import ServiceManager
from signalpost.kit.storage import StorageFailure, Store
from signalpost.main import app, gauges, http_server, metrics, telemetry, wiring
from signalpost.main.interruption import Interruption
from signalpost.main.listening import Listening
from signalpost.network_packages import loading
from signalpost.settings import RESERVED_SLUGS, Settings
from signalpost.stream.hub import Hub
from signalpost.web.connections import Connections, guard
from signalpost.web.lingering import Lingering

GRACE_SECONDS = 24.0
"""How long work in flight may take at shutdown; the whole shutdown takes at most a second more, and two more to send
telemetry."""
STORAGE_SECONDS_MAX = 30.0
_logger = log.get("main")


async def serve(
    settings: Settings,
    dsn: str,
    cluster: Cluster | None,
    listening: Listening,
    interruption: Interruption,
    manager: ServiceManager,
    *,
    worker: bool,
) -> None:
    """Serve the API, and with `worker` run the engine, until a signal; then finish work in flight, release leases.

    The service manager hears when requests are answered, and when no more are accepted.
    """
    await loading.load(settings.networks_extra, reserved=RESERVED_SLUGS)
    opened = app.open_context(
        settings, dsn, url=listening.url, pooler=settings.database_pooler_url, only_serves=not worker
    )
    async with telemetry.exporting(settings) as exporting, opened as context, contextlib.AsyncExitStack() as stack:
        engine = context.engine
        assert engine is not None  # noqa: S101 - open_context made it
        await wiring.prepare(context)
        interruption.stop = asyncio.Event()
        tasks = [asyncio.create_task(loop_watch.measure_lag())]
        if manager.watchdog_seconds:
            tasks.append(asyncio.create_task(manager.feed_watchdog()))
        if cluster:
            tasks.append(asyncio.create_task(watch(cluster)))
        if worker:
            tasks.append(asyncio.create_task(engine.run()))
        connections_max = _connections_max(settings.connections_max)
        connections = Connections(
            Lingering(app.create(context), behind_proxy=context.settings.trusted_proxies > 0),
            connections_max=connections_max,
            per_address_max=None if settings.trusted_proxies else settings.connections_per_address_max,
        )
        tasks.append(asyncio.create_task(guard(connections, listening.port)))
        for task in tasks:
            stack.callback(task.cancel)
        server = http_server.create(connections, listening, connections_max)
        if exporting is not None:
            stack.callback(asyncio.create_task(exporting.send_metrics(partial(gauges.read, context))).cancel)
        if context.storage.is_remote:
            stack.callback(asyncio.create_task(check_storage(context.storage)).cancel)
        tune_garbage_collection()
        serving = asyncio.create_task(server.serve())
        await greet(context, listening)
        stack.enter_context(listening.recorded(settings.data_dir, context.fixed_url))
        manager.notify("READY=1")
        await _run_until(interruption.stop, serving, tasks)
        manager.notify("STOPPING=1")
        grace_until = clock.monotonic() + GRACE_SECONDS
        await context.state(Hub).end()
        stopping = http_server.stop(server, connections, listening.port)
        await asyncio.gather(engine.stop(GRACE_SECONDS), stopping, serving)
        await context.state(Renewals).end(grace_until)
    _logger.info("service.stopped")


async def work(settings: Settings, dsn: str, metrics_on: Listening | None, interruption: Interruption) -> None:
    """Run only the engine, until a signal; with an address, serve `/metrics` there."""
    await loading.load(settings.networks_extra, reserved=RESERVED_SLUGS)
    async with (
        telemetry.exporting(settings) as exporting,
        app.open_context(settings, dsn, name="signalpost-worker", only_works=True) as context,
        contextlib.AsyncExitStack() as stack,
    ):
        if metrics_on is not None:
            stack.enter_context(metrics.own_port(metrics_on.port, metrics_on.address, settings.metrics_token))
        engine = context.engine
        assert engine is not None  # noqa: S101 - open_context made it
        await wiring.prepare(context)
        tune_garbage_collection()
        interruption.stop = asyncio.Event()
        running, lag = asyncio.create_task(engine.run()), asyncio.create_task(loop_watch.measure_lag())
        stack.callback(lag.cancel)
        if exporting is not None:
            stack.callback(asyncio.create_task(exporting.send_metrics()).cancel)
        sys.stdout.write("The engine is running. Ctrl-C stops it.\n")
        sys.stdout.flush()
        await _run_until(interruption.stop, running, [lag])
        grace_until = clock.monotonic() + GRACE_SECONDS
        await engine.stop(GRACE_SECONDS)
        running.cancel()
        await context.state(Renewals).end(grace_until)
    _logger.info("worker.stopped")


async def check_storage(store: Store) -> None:
    """Log it if files cannot be stored: otherwise the first to know is whoever uploads one. Nothing waits for it."""
    try:
        async with asyncio.timeout(STORAGE_SECONDS_MAX):
            await store.check()
    except (StorageFailure, TimeoutError) as failure:
        _logger.warning("storage.unusable", reason=str(failure) or "no response in time", remedy="signalpost doctor")


def tune_garbage_collection() -> None:
    """Exclude objects that live as long as the process from garbage collection, and collect less often.

    Reading a page of posts creates thousands of objects without reference cycles: with the default thresholds, the
    collector traverses the whole program several times for each such request.
    """
    gc.freeze()  # without collecting first: that takes 40 ms and finds next to nothing
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


def _connections_max(configured: int) -> int:
    """Raise the limit of open files as far as allowed, and leave a part of it to the database, storage and networks."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = configured + 1_024
    if soft != resource.RLIM_INFINITY and soft < needed:
        soft = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return configured if soft == resource.RLIM_INFINITY else max(64, min(configured, soft - soft // 8))


async def _run_until(stop: asyncio.Event, serving: "asyncio.Task[None]", tasks: "list[asyncio.Task[None]]") -> None:
    """Wait for the stop signal; if anything else ends, raise its exception."""
    stopping = asyncio.create_task(stop.wait())
    done, _ = await asyncio.wait([stopping, serving, *tasks], return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    for task in done - {stopping}:
        task.result()
        raise RuntimeError("a part of the service ended unexpectedly")


async def greet(context: AppContext, listening: Listening) -> None:
    """Print where the service listens, where its data are and, while there is no user, the first-run link."""
    async with context.database.transaction() as db:
        token = await first_run.issue_token(context.keys, db)
    settings, url = context.settings, context.fixed_url
    env_file = settings.data_dir / ".env"
    lines = [
        "Signalpost is ready.",
        f"  Listening on   {listening}",
        f"  Reachable as   {url}",
        f"  API reference  {url}/docs",
        f"  Data folder    {settings.data_dir}" + (", settings from its .env" if env_file.exists() else ""),
    ]
    if token:
        lines.append(f"Create the first user within 30 minutes: {url}/first-run?token={token}")
    lines.append(
        f"Try it with {command_line('demo', settings.data_dir)} in another terminal. Ctrl-C stops the service."
    )
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()
