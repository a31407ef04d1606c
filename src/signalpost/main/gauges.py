"""What `GET /metrics` reads when it is asked: the state of the installation, not what this process counted.

The page is needed most when the database hangs, so each reading has a second and is NaN after it. Only a process with
the API reads: the page of one that only runs the engine has NaN, or no series.
"""

import asyncio
import math
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Final

import asyncpg
from prometheus_client import Gauge

from signalpost.admin import backups
from signalpost.admin import queries as figures
from signalpost.billing import differences, provider
from signalpost.context import AppContext
from signalpost.health import queries
from signalpost.kit import problems
from signalpost.kit.db import DATABASE_UNREACHABLE, Database, Db
from signalpost.kit.storage import free_bytes
from signalpost.kit.tenant import across_workspaces

READING_SECONDS: Final = 1.0
"""How long one reading may take."""
_UNKNOWN: Final = (
    problems.Unavailable, TimeoutError, asyncpg.PostgresError, queries.DatabaseSlow, queries.DatabaseUnreachable,
    *DATABASE_UNREACHABLE,
)  # fmt: skip

BACKUP_AGE = Gauge(
    "signalpost_backup_age_seconds",
    "Age of the newest backup, or of the installation if there is none; NaN if the database does not respond",
)
PAYMENTS_NOTIFIED = Gauge(
    "signalpost_payments_notified_timestamp_seconds",
    "When the provider of payments notified last, in seconds since 1970; 0: never, NaN: no payments, or not known",
)
PAYMENT_DIFFERENCES = Gauge(
    "signalpost_payment_differences",
    "Differences between what is charged and what workspaces have, that wait for staff; NaN: no payments, or not known",
)
OVERDUE = Gauge(
    "signalpost_engine_overdue_items", "Items due more than a minute ago that no worker has taken", ("source",)
)
OLDEST_DUE = Gauge("signalpost_engine_oldest_due_seconds", "For how long the oldest due item waits", ("source",))
WORKERS = Gauge("signalpost_engine_workers", "Processes that run the engine; NaN if the database does not respond")
PAUSED = Gauge(
    "signalpost_engine_paused",
    "1 while nothing is published: the database clock jumped (clock), or it came from a backup (restored)",
    ("reason",),
)
WRITABLE = Gauge(
    "signalpost_database_writable", "1 if the database responds and accepts changes, 0 if it is read-only, full or away"
)
FREE_BYTES = Gauge("signalpost_data_free_bytes", "Free space on the disk of the data folder")

ACCOUNTS = Gauge("signalpost_accounts", "Connected accounts by their state", ("status",))
OUTCOMES_WAITING = Gauge(
    "signalpost_outcomes_waiting", "Posts whose outcome is unknown and that wait to be looked for at their network"
)
_STATUSES: Final = ("active", "expiring", "needs_reauth", "restricted", "paused")

for _gauge in (OUTCOMES_WAITING, BACKUP_AGE, PAYMENTS_NOTIFIED, PAYMENT_DIFFERENCES, WORKERS, WRITABLE, FREE_BYTES):
    _gauge.set(math.nan)


async def read(context: AppContext) -> None:
    """Set all gauges."""
    with across_workspaces():
        await asyncio.gather(
            _engine(context),
            _database(context),
            _backup(context.database),
            _publishing(context.database),
            _payments(context),
        )
    FREE_BYTES.set(await asyncio.to_thread(free_bytes, context.settings.data_dir))


async def _engine(context: AppContext) -> None:
    try:
        status = await queries.engine_status(context)
    except _UNKNOWN:
        status = None
    WORKERS.set(math.nan if status is None else status.workers)
    PAUSED.labels("clock").set(math.nan if status is None else status.clock_problem is not None)
    PAUSED.labels("restored").set(math.nan if status is None else status.hold is not None)
    for gauge in (OVERDUE, OLDEST_DUE):
        gauge.clear()
    for source, backlog in (status.sources if status else {}).items():
        OVERDUE.labels(source).set(backlog.overdue)
        OLDEST_DUE.labels(source).set(backlog.oldest_due_age_seconds)


async def _database(context: AppContext) -> None:
    try:
        async with asyncio.timeout(READING_SECONDS):
            await queries.datastore_status(context)
    except _UNKNOWN:
        WRITABLE.set(0)
    else:
        WRITABLE.set(1)


async def _backup(database: Database) -> None:
    try:
        async with _connection(database) as db:
            age = await backups.age(db)
    except _UNKNOWN:
        age = None
    BACKUP_AGE.set(math.nan if age is None else age.seconds)


async def _publishing(database: Database) -> None:
    try:
        async with _connection(database) as db:
            accounts: Mapping[str, float] = await figures.accounts_by_status(db)
            waiting = float(await figures.outcomes_waiting(db))
    except _UNKNOWN:
        accounts, waiting = dict.fromkeys(_STATUSES, math.nan), math.nan
    for status in _STATUSES:
        ACCOUNTS.labels(status).set(accounts.get(status, 0))
    OUTCOMES_WAITING.set(waiting)


async def _payments(context: AppContext) -> None:
    if not (context.settings.billing_enabled and context.settings.stripe_secret_key):
        return
    try:
        async with _connection(context.database) as db:
            at, waiting = (await provider.heard(db)).notified_at, float(await differences.count_open(db))
    except _UNKNOWN:
        PAYMENTS_NOTIFIED.set(math.nan)
        PAYMENT_DIFFERENCES.set(math.nan)
        return
    PAYMENTS_NOTIFIED.set(0.0 if at is None else at.timestamp())
    PAYMENT_DIFFERENCES.set(waiting)


@asynccontextmanager
async def _connection(database: Database) -> AsyncIterator[Db]:
    async with asyncio.timeout(READING_SECONDS), database.connection() as db:
        yield db
