"""`signalpost doctor`: looks at everything that an instance needs, and changes and creates nothing.

Each check stands for itself: what cannot be looked at because something else is wrong is left out.
"""

import asyncio
import json
import platform
import stat
import sys
import urllib.request
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import asyncpg

from signalpost.admin import backups
from signalpost.admin.backups import Age
from signalpost.billing import provider
from signalpost.embedded_postgres.cluster import is_initialised
from signalpost.embedded_postgres.sharing import shared_cluster
from signalpost.engine.engine import Engine
from signalpost.kit import clock, crypto, isolation, storage
from signalpost.kit.connections import TRANSACTION_TIMEOUT_SINCE
from signalpost.kit.crypto import KeyRing
from signalpost.kit.db import Database
from signalpost.kit.errors import OperatorError
from signalpost.kit.storage import StorageFailure
from signalpost.mail.smtp import Server
from signalpost.main import messenger_checks, telemetry
from signalpost.main.checks import Check
from signalpost.main.database import require_pooler, require_usable
from signalpost.main.listening import running_service
from signalpost.migrations import runner, search_index
from signalpost.network_packages import loading
from signalpost.settings import RESERVED_SLUGS, Settings

PYTHON_PATCH_MIN = {11: 14, 12: 12, 13: 9}
"""By minor version: earlier ones have known faults in html.parser, urllib and tarfile."""
POSTGRES_MINOR_MIN = {15: 15, 16: 11, 17: 7, 18: 1}
"""By major version: earlier ones have known security faults."""
CLOCK_SECONDS_MAX, SECONDS_MAX = 5.0, 10.0
_EXPECTED = (OperatorError, asyncpg.PostgresError, asyncpg.InterfaceError, OSError, ValueError)

_ROLE = """
select current_user as name, rolsuper as is_superuser, has_schema_privilege('public', 'create') as may_migrate,
    pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as is_read_only
from pg_roles where rolname = current_user
"""
_OVERDUE = """
select count(*) from lane where next_due_at < now() - interval '5 minutes' and owner is null
    and (not_before is null or not_before < now())
"""
_SEALED = "select sealed from instance"


async def examine(settings: Settings, version: str) -> list[Check]:
    """Look at everything; return the results, in the order of the help."""
    checks = [_python(version), *_files(settings)]
    has_folder = settings.data_dir.is_dir()
    if has_folder:
        checks.append(_disk(settings))
    keys = _keys(settings)
    checks += [check for check, _ in keys]
    ring = next((ring for _, ring in keys if ring), None)
    if settings.database_url or is_initialised(settings.data_dir / "postgres"):
        try:
            async with _address(settings) as dsn:
                checks += [check async for check in _database(settings, dsn, ring)]
        except _EXPECTED as error:
            checks.append(_failed("database", error, "Check SIGNALPOST_DATABASE_URL, or the log of the database."))
        if settings.database_url and settings.database_pooler_url:
            checks.append(await _pooler(settings.database_pooler_url, settings.database_url))
    elif has_folder:
        fix = "Start `signalpost serve` once, or set SIGNALPOST_DATABASE_URL."
        checks.append(Check("database", ok=False, detail=f"There is no database in {settings.data_dir}.", fix=fix))
    checks += [await _process(settings, version), await _storage(settings), *await _packages(settings)]
    checks += [_base_url(settings), await _mail(settings)]
    return [*checks, *await messenger_checks.examine(settings), *telemetry.examine(settings)]


def _failed(name: str, error: BaseException | str, fix: str) -> Check:
    if isinstance(error, asyncpg.DiskFullError):
        fix = "Free some space on the disk of the database. It goes on by itself then."
    text = str(error) or ("No response in time." if isinstance(error, TimeoutError) else type(error).__name__)
    return Check(name, ok=False, detail=text, fix=fix)


def _python(version: str) -> Check:
    minor, patch = sys.version_info[1], sys.version_info[2]
    minimum = PYTHON_PATCH_MIN.get(minor, 0)
    fix = f"Update Python to 3.{minor}.{minimum} or newer: this one has known faults." if patch < minimum else None
    return Check("version", ok=True, detail=f"Signalpost {version}, Python {platform.python_version()}", fix=fix)


def _files(settings: Settings) -> Iterator[Check]:
    folder = settings.data_dir
    if not folder.is_dir():
        fix = "Correct --data-dir, or start `signalpost serve` once, which creates the folder."
        needed = settings.database_url is None or settings.master_key is None
        yield Check("data folder", ok=not needed, detail=f"{folder} does not exist.", fix=fix if needed else None)
        return
    yield Check("data folder", ok=True, detail=str(folder))
    for path in (folder / ".env", folder / "master.key"):
        if path.exists():
            mode = stat.S_IMODE(path.stat().st_mode)
            remedy = f"Run `chmod 600 {path}`, and replace the secrets in it." if mode & 0o077 else None
            yield Check(f"mode of {path.name}", ok=remedy is None, detail=f"{mode:03o}", fix=remedy)


def _disk(settings: Settings) -> Check:
    free = storage.free_bytes(settings.data_dir)
    ok = free >= settings.storage_free_bytes_min
    fix = None if ok else "Free some space: uploads are refused already, and the database stops when there is none."
    return Check("disk", ok=ok, detail=f"{free / 1e9:.1f} GB are free", fix=fix)


def _keys(settings: Settings) -> list[tuple[Check, KeyRing | None]]:
    path = settings.data_dir / "master.key"
    if settings.master_key:
        check = Check("master key", ok=True, detail="from SIGNALPOST_MASTER_KEY")
        return [(check, KeyRing.from_master(settings.master_key))]
    if not path.exists():
        if not settings.data_dir.is_dir():
            return []
        fix = "Restore it from a backup, or start `signalpost serve` once if this instance is new."
        return [(Check("master key", ok=False, detail=f"{path} does not exist.", fix=fix), None)]
    try:
        ring = KeyRing.from_master(crypto.master_key_file(path))
    except _EXPECTED as error:
        return [(_failed("master key", error, "Restore it from a backup."), None)]
    return [(Check("master key", ok=True, detail=str(path)), ring)]


@asynccontextmanager
async def _address(settings: Settings) -> AsyncIterator[str]:
    """Yield the address of the database; the embedded one runs at least until the end of the block."""
    if settings.database_url:
        yield settings.database_url
    else:
        async with shared_cluster(settings.data_dir) as cluster:
            yield cluster.dsn()


async def _database(settings: Settings, dsn: str, ring: KeyRing | None) -> AsyncIterator[Check]:
    if settings.database_url:
        await require_usable(dsn)
    started = clock.monotonic()
    connection = await asyncpg.connect(dsn, timeout=SECONDS_MAX, command_timeout=SECONDS_MAX)
    try:
        at = await connection.fetchval("select clock_timestamp()")
        apart = abs((at - clock.actual()).total_seconds())
        yield _server(connection, clock.monotonic() - started)
        role: Any = await connection.fetchrow(_ROLE)
        yield _rights(role)
        yield Check("encoding", ok=True, detail=str(await connection.fetchval("show server_encoding")))
        fix = None if apart < CLOCK_SECONDS_MAX else "Synchronise the clocks of both machines (NTP)."
        yield Check("clock", ok=fix is None, detail=f"{apart:.1f} s from that of the database", fix=fix)
        is_current = await runner.is_current(connection)
        yield _migrations(await runner.read_state(connection), is_current=is_current)
        if not is_current:
            return
        yield _isolation(role["name"], in_force=await isolation.are_in_force(connection))
        yield _search(
            is_ready=await connection.fetchval(search_index.IS_READY),
            knows_letters=await connection.fetchval(search_index.KNOWS_LETTERS),
        )
        if ring is not None:
            yield _marker(ring, await connection.fetchval(_SEALED))
        yield await _engine(dsn, await connection.fetchval(_OVERDUE))
        age = await backups.age(connection)
        if age is not None and age.is_used:
            yield _backup(age, settings.backup_age_warning_days)
        if settings.billing_enabled and settings.stripe_secret_key:
            yield _payments(await provider.heard(connection))
    finally:
        await connection.close()


def _payments(heard: provider.Heard) -> Check:
    last = "never" if heard.notified_at is None else clock.wire(heard.notified_at)
    detail = f"The provider of payments notified this installation last: {last}."
    return Check("payments", ok=not heard.is_deaf, detail=detail, fix=heard.remedy if heard.is_deaf else None)


def _server(connection: "asyncpg.Connection[Any]", seconds: float) -> Check:
    version = connection.get_server_version()
    minor = version.micro  # asyncpg numbers 18.6 as 18.0.6
    detail = f"PostgreSQL {version.major}.{minor}, connected in {seconds * 1000:.0f} ms"
    fix: str | None = None
    if version.major < runner.POSTGRES_MAJOR_MIN:
        fix = f"Update to PostgreSQL {runner.POSTGRES_MAJOR_MIN} or newer."
        return Check("database", ok=False, detail=detail, fix=fix)
    if minor < (minimum := POSTGRES_MINOR_MIN.get(version.major, 0)):
        fix = f"Update PostgreSQL to {version.major}.{minimum} or newer: this one has known faults."
    elif version.major < TRANSACTION_TIMEOUT_SINCE:
        fix = (
            f"Update to PostgreSQL {TRANSACTION_TIMEOUT_SINCE} or newer, which ends a transaction that takes too long: "
            "with this one, a process that freezes in it can hold up others until it is killed."
        )
    return Check("database", ok=True, detail=detail, fix=fix)


async def _pooler(pooler_dsn: str, dsn: str) -> Check:
    try:
        await require_pooler(pooler_dsn, dsn)
    except _EXPECTED as error:
        return _failed("pooler", error, "Correct it (guide Operate), or unset SIGNALPOST_DATABASE_POOLER_URL.")
    return Check("pooler", ok=True, detail="It leads to this database and keeps prepared statements.")


def _migrations(state: runner.State, *, is_current: bool) -> Check:
    if is_current:
        return Check("migrations", ok=True, detail="current")
    if state.unfinished:
        detail = f"The migration {state.unfinished} began and has not come to its end."
        fix = "If no process migrates now, run `signalpost migrate`: it does what is left."
        return Check("migrations", ok=False, detail=detail, fix=fix)
    fix = "Run `signalpost migrate`, or start the newest version."
    return Check("migrations", ok=False, detail="The schema is not that of this version.", fix=fix)


def _rights(role: Any) -> Check:
    if role["is_read_only"]:
        fix = "Use the address of the primary, or allow writing."
        return Check("role", ok=False, detail="The database is read-only.", fix=fix)
    detail = f"{role['name']}{', a superuser' if role['is_superuser'] else ''}"
    if not role["may_migrate"]:
        fix = f"Run `grant create on schema public to {role['name']}`."
        return Check("role", ok=False, detail=f"{detail}, may not create tables", fix=fix)
    advice = "Use a separate role that is not a superuser." if role["is_superuser"] else None
    return Check("role", ok=True, detail=detail, fix=advice)


def _isolation(login: str, *, in_force: bool) -> Check:
    if in_force:
        return Check("isolation", ok=True, detail="The database itself keeps workspaces apart.")
    roles = f"{isolation.SERVICE}, {isolation.ENGINE}"
    fix = f"As a superuser, create the roles {roles} and grant them to {login} (guide Operate); restart the service."
    return Check("isolation", ok=True, detail="Not in force: only the program keeps workspaces apart.", fix=fix)


def _search(*, is_ready: bool, knows_letters: bool) -> Check:
    if not is_ready:
        commands = "; ".join(f"create extension {name}" for name in search_index.EXTENSIONS)
        detail = "Texts are not indexed: a search looks at 10,000 posts for a page, the newest first."
        fix = f"As a superuser, run `{commands}` in this database; then restart the service."
        return Check("search", ok=True, detail=detail, fix=fix)
    if not knows_letters:
        detail = "Only letters from a to z are indexed: a search for others looks at 10,000 posts for a page."
        fix = "Restore a backup into a database with LC_CTYPE C.UTF-8, if texts are not in English (guide Operate)."
        return Check("search", ok=True, detail=detail, fix=fix)
    return Check("search", ok=True, detail="Texts are indexed.")


def _marker(ring: KeyRing, sealed: bytes | None) -> Check:
    try:
        if sealed is not None:
            ring.open(sealed, context="instance")
    except crypto.Undecipherable:
        fix = "Set SIGNALPOST_MASTER_KEY to the right key, or restore master.key in the data folder."
        return Check("key of the database", ok=False, detail="It was created with another master key.", fix=fix)
    return Check("key of the database", ok=True, detail="The master key opens what is stored.")


async def _engine(dsn: str, overdue: int) -> Check:
    database = await Database.open(dsn, connections_max=1, application_name="signalpost-doctor")
    try:
        status = await Engine(database, ()).status()
    finally:
        await database.close()
    if not status.running:
        fix = "Start `signalpost serve`, or `signalpost worker` where serve runs with --no-worker."
        return Check("engine", ok=False, detail="No engine is running: nothing is published.", fix=fix)
    if status.hold:
        fix = "Run `signalpost resume` when the saved instance is stopped."
        return Check("engine", ok=False, detail=status.hold, fix=fix)
    if status.clock_problem:
        return Check("engine", ok=False, detail=status.clock_problem, fix="Look at the clocks and the log.")
    if overdue:
        fix = "Look at the log of the worker, and at `GET /metrics`."
        return Check("engine", ok=False, detail=f"{overdue} lanes are overdue by more than 5 minutes.", fix=fix)
    return Check("engine", ok=True, detail=f"{status.workers} running, nothing overdue")


def _backup(age: Age, warning_days: int) -> Check:
    """Warn, but let the exit code be: nothing is broken, and other tools may save this database."""
    detail = "none that this database knows of"
    if age.made_at is not None:
        detail = f"the last one was made on {age.made_at:%Y-%m-%d %H:%M} UTC, {_days(age.seconds)} ago"
    if not (warning_days and (age.made_at is None or age.is_too_old(warning_days))):
        return Check("backup", ok=True, detail=detail)
    fix = "Run `signalpost backup FILE`, or set SIGNALPOST_BACKUP_AGE_WARNING_DAYS=0 if other tools make backups."
    return Check("backup", ok=True, detail=detail, fix=fix)


def _days(seconds: float) -> str:
    days = int(seconds // backups.DAY_SECONDS)
    return "less than a day" if days == 0 else "1 day" if days == 1 else f"{days} days"


async def _process(settings: Settings, version: str) -> Check:
    """Ask the service itself: where it runs, if that is this machine, or where users reach it."""
    address = running_service(settings.data_dir) or settings.base_url
    fix = "Start `signalpost serve`; if it runs on another machine, set SIGNALPOST_BASE_URL to where it can be reached."
    if address is None:  # whatever answers at the usual port could be another instance
        return Check("service", ok=False, detail=f"No service is running on {settings.data_dir}.", fix=fix)
    try:
        health = await asyncio.to_thread(_health, f"{address}/api/v1/healthz/api")
    except (OSError, ValueError) as error:  # urllib's errors are OSErrors
        return _failed("service", f"{address} does not answer: {error}", fix)
    if health.get("version") != version:
        fix = "Restart it: another version was installed meanwhile."
        return Check("service", ok=False, detail=f"{address} runs version {health.get('version')}.", fix=fix)
    if health.get("status") != "ok":
        detail = f"{address} is {health.get('status')}: {' '.join(health.get('reasons', []))}"
        return Check("service", ok=False, detail=detail, fix="Look at the other checks and at its log.")
    return Check("service", ok=True, detail=f"{address} answers")


def _health(address: str) -> dict[str, Any]:
    with urllib.request.urlopen(address, timeout=SECONDS_MAX) as response:  # noqa: S310 - the operator's own address
        health = json.loads(response.read(100_000))
    return health if isinstance(health, dict) else {}


async def _storage(settings: Settings) -> Check:
    """Store, read and remove a small object."""
    url = settings.storage_url or "file://" + str(settings.data_dir / "media")
    name = url.partition("?")[0]
    if _is_missing_folder(url):
        fix = "Start `signalpost serve` once, which creates it, or correct SIGNALPOST_STORAGE_URL."
        return Check("storage", ok=False, detail=f"{name} does not exist.", fix=fix)
    fix = "Check SIGNALPOST_STORAGE_URL and the credentials of the store (AWS_ACCESS_KEY_ID, …; see the guide)."
    if url.startswith("file://"):
        fix = "Check that the disk has room, and that the account of the service may write there."
    try:
        async with asyncio.timeout(3 * SECONDS_MAX):
            await storage.open_store(url, settings.data_dir).check()
    except StorageFailure as failure:
        return Check("storage", ok=False, detail=f"{name}: {failure}. {failure.reason}".strip(), fix=fix)
    except _EXPECTED as error:
        return _failed("storage", error, fix)
    return Check("storage", ok=True, detail=f"{name}: stored, read and removed")


async def _packages(settings: Settings) -> list[Check]:
    """Import each package that the operator named, in a process of its own."""
    examined = await loading.examine(settings.networks_extra, reserved=RESERVED_SLUGS)
    fix = "Install or update the package, or take it out of SIGNALPOST_NETWORKS_EXTRA."
    return [
        Check(f"network {package.slug}", ok=True, detail=package.package or "")
        if package.problem is None
        else _failed(f"network {package.slug}", f"{package.problem} {package.detail}", fix)
        for package in examined
    ]


def _is_missing_folder(url: str) -> bool:
    return url.startswith("file://") and not Path(url.removeprefix("file://")).is_dir()


def _base_url(settings: Settings) -> Check:
    if settings.base_url is None:
        fix = "Set SIGNALPOST_BASE_URL to where users reach it: links in mails, authorization and media need that."
        return Check("base url", ok=True, detail="not set", fix=fix)
    is_public = settings.base_url.startswith("https://") or "://127.0.0.1" in settings.base_url
    advice = None if is_public else "Use https: credentials are sent to this address."
    return Check("base url", ok=True, detail=settings.base_url, fix=advice)


async def _mail(settings: Settings) -> Check:
    if settings.smtp_url is None:
        fix = "Set SIGNALPOST_SMTP_URL to send invitations and password resets."
        return Check("mail", ok=True, detail="off", fix=fix)
    fix = "Check SIGNALPOST_SMTP_URL and the mail server."
    try:
        server = Server.of(settings.smtp_url)
        async with asyncio.timeout(SECONDS_MAX):
            _, writer = await asyncio.open_connection(server.host, server.port)
        writer.close()
    except (OSError, ValueError) as error:
        return _failed("mail", error, fix)
    return Check("mail", ok=True, detail=f"{server.host}:{server.port} answers")
