"""The HTTP application and its process context: database pool, outgoing client, keys, storage."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from importlib import metadata

from signalpost.audit.actions.operations import record_operation
from signalpost.console import pages
from signalpost.console.oauth import challenge_of_mcp
from signalpost.console.openapi import openapi_document
from signalpost.console.site import Site
from signalpost.context import AppContext
from signalpost.identity.authenticate import authenticator
from signalpost.kit import crypto, log, storage
from signalpost.kit.crypto import KEY_BYTES, KeyRing
from signalpost.kit.db import RESERVE_CONNECTIONS, WORKER_CONNECTIONS, Database
from signalpost.kit.errors import OperatorError
from signalpost.kit.http import Clients
from signalpost.kit.settings_loader import BadSettings
from signalpost.kit.tenant import across
from signalpost.main import metrics, wiring
from signalpost.mcp import routes as mcp
from signalpost.migrations.revisions import HEAD
from signalpost.plans import limits as plan_limits
from signalpost.request_log.recorder import Recorder
from signalpost.settings import Settings
from signalpost.web import limits
from signalpost.web.app import Application, build
from signalpost.web.components import Document
from signalpost.web.guesses import Guesses
from signalpost.web.request import Request
from signalpost.web.response import Response
from signalpost.web.serve import Web
from signalpost.web.served import Report
from signalpost.web.shared_buckets import SharedBuckets

_logger = log.get("main")


def key_ring(settings: Settings) -> KeyRing:
    """Return the keys: from the setting, or from a file in the data folder, which is created at the first start.

    Raises:
        BadSettings: the file does not contain a valid key.
        KeyFileUnsafe: other users can read the file.
    """
    try:
        master = settings.master_key or crypto.master_key_file(settings.data_dir / "master.key")
        return KeyRing.from_master(master, cell=settings.cell)
    except ValueError as error:
        raise BadSettings([f"{settings.data_dir / 'master.key'}: {error}"]) from None


class WrongMasterKey(OperatorError):
    """The database was created with another master key."""


@asynccontextmanager
async def open_context(
    settings: Settings, dsn: str, *, url: str | None = None, name: str = "signalpost", only_works: bool = False,
    pooler: str | None = None, only_serves: bool = False,
) -> AsyncIterator[AppContext]:  # fmt: skip
    """Open the process context, and close it at the end.

    `url`: where it listens, if it serves. `only_works`: it answers no requests, so that a few connections will do.
    `pooler`: address of a pooler in transaction mode for all but the engine; `only_serves`: no engine runs here.

    What the process does by itself is about the whole installation; a request begins without any rows.

    Raises:
        BadSettings: the master key, the storage address or the name of an extension is invalid.
        WrongMasterKey: the database was created with another master key.
    """
    on = wiring.rooms(settings)
    keys = key_ring(settings)
    try:
        store = storage.open_store(settings.storage_url, settings.data_dir / "media")
    except ValueError as error:
        raise BadSettings([f"SIGNALPOST_STORAGE_URL: {error}"]) from None
    connections = WORKER_CONNECTIONS if only_works else (settings.database_connections_max, RESERVE_CONNECTIONS)
    database = await Database.open(
        dsn, connections_max=connections[0], reserve_max=connections[1], application_name=name, isolate=True,
        pooler_dsn=pooler, reserve_is_pooled=only_serves,
    )  # fmt: skip
    if not database.is_isolated:
        _logger.warning("isolation.off", reason="roles are missing in the database", remedy="signalpost doctor")
    across.set(True)
    try:
        await check_master_key(database, keys)
        async with Clients.create(settings.allowed_private_hosts) as http:
            context = AppContext(
                settings=settings, database=database, http=http, keys=keys, storage=store,
                version=metadata.version("signalpost"), revision=HEAD, hooks=wiring.hooks(on),
                listening_url=url or AppContext.listening_url,
            )  # fmt: skip
            wiring.subscribe(context)
            context.engine = wiring.engine(context)
            try:
                yield context
            finally:
                await context.engine.stop()  # it is registered as soon as it was asked for one round
                for room in on:
                    await room.end(context)
    finally:
        await database.close()


_MARKER, _ROOT = "instance", "instance.root"
_INSERT_MARKER = """
insert into instance (name, sealed, sealed_root) values ('signalpost', $1, $2) on conflict (name) do nothing
"""
_ADD_ROOT = "update instance set sealed_root = $1 where sealed_root is null"
_SEALED = "select sealed, sealed_root from instance"
_RESEAL = "update instance set sealed = $1, sealed_root = $2 where sealed_root = $3"


async def check_master_key(database: Database, keys: KeyRing) -> None:
    """Verify that the database was created with this master key, and read the root of all subkeys, which it seals.

    The first start stores both. A database without a root is older: its subkeys were those of the master key, so that
    becomes the root.

    Raises:
        WrongMasterKey: the database was created with another key.
    """
    async with database.transaction() as db:
        first = (keys.seal(b"signalpost", context=_MARKER), keys.seal(os.urandom(KEY_BYTES), context=_ROOT))
        await db.execute(_INSERT_MARKER, *first)
        await db.execute(_ADD_ROOT, keys.seal(keys.current_key, context=_ROOT))
        row = await db.fetchrow(_SEALED)
        assert row is not None  # noqa: S101 - inserted if it was not there
        try:
            keys.open(row["sealed"], context=_MARKER)
            root = keys.open(row["sealed_root"], context=_ROOT)
        except crypto.Undecipherable:
            raise WrongMasterKey(
                "This database was created with another master key, so no API key, token or secret in it can be read."
                " Set SIGNALPOST_MASTER_KEY to the right key, or restore master.key in the data folder."
            ) from None
        if keys.needs_rewrap(row["sealed"]) or keys.needs_rewrap(row["sealed_root"]):
            again = (keys.seal(b"signalpost", context=_MARKER), keys.seal(root, context=_ROOT))
            await db.execute(_RESEAL, *again, row["sealed_root"])
    keys.adopt_root(root)


def _report(context: AppContext) -> Report | None:
    if "request_log" in context.settings.extensions_off or not context.settings.request_log_days:
        return None
    return partial(context.state(Recorder).add, context.database)


def create(context: AppContext) -> Application:
    """Return the application: every endpoint, the pages, `/metrics` and `/mcp`."""
    rates = plan_limits.rates(context.settings)
    limiter = limits.Limiter(SharedBuckets(context.database))
    web = Web(
        context=context,
        authenticate=authenticator(context, rates=rates, keys_max=plan_limits.API_KEYS.of, guesses=Guesses(limiter)),
        page_key=context.keys.derive("page-cursor"),
        limiter=limiter,
        record=record_operation,
        report=_report(context),
    )
    on = wiring.rooms(context.settings)
    endpoints = wiring.endpoints(on)

    def document() -> Document:
        return openapi_document(
            endpoints, base_url=context.fixed_url, version=context.version, brand=context.settings.brand
        )

    async def serve(request: Request) -> Response:
        return await application.router.match(request).handler(request)

    site = Site(web, document)
    routes = [*pages.handlers(site), metrics.route(web)]
    if "mcp" not in context.settings.extensions_off:
        challenge = None if "apps" in context.settings.extensions_off else challenge_of_mcp
        routes.append(mcp.route(web, endpoints, serve, challenge=challenge))
    application = build(web, endpoints, pages=routes, problem_page=site.problem)
    return application
