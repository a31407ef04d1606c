"""Brings the database to the newest revision, one process at a time."""

import asyncio
import runpy
from collections.abc import Sequence
from typing import Final, NamedTuple

import asyncpg

from signalpost.kit import log
from signalpost.kit.db import Db
from signalpost.kit.errors import OperatorError
from signalpost.migrations import policies, revisions, search_index
from signalpost.migrations.revisions import BASELINE, HEAD, Revision

FOLDER = revisions.FOLDER
POSTGRES_MAJOR_MIN = 15
_LOCK = 7_310_569_101  # advisory: one process migrates, the others wait and then find nothing left to do
_LOCK_WAIT_SECONDS = 120
_LOOK_SECONDS = 0.1
# A statement that waits for a table keeps everyone waiting who comes after it, readers too.
_LOCK_TIMEOUT: Final = "lock_timeout = '2s'"
# Whoever has one of the tables, and waits for one that the migration has, would wait for ever: the server ends one of
# both.
_TABLES_IN_USE: Final = (asyncpg.LockNotAvailableError, asyncpg.DeadlockDetectedError)
_PAUSE_SECONDS = 2.0
_TRIES_MAX = 30
_logger = log.get("migrations")

_TABLES: Final = "select to_regclass('schema_migration') is not null, to_regclass('alembic_version') is not null"
_OURS: Final = """
select max(revision) filter (where finished_at is not null), max(name) filter (where finished_at is null)
from schema_migration
"""
_BEGIN: Final = """
insert into schema_migration (revision, name) values ($1, $2) on conflict (revision) do nothing returning revision
"""
_FINISH: Final = "update schema_migration set finished_at = clock_timestamp() where revision = $1"
_NOTE: Final = "insert into schema_migration (revision, name, finished_at) values ($1, $2, clock_timestamp())"
# What `create index concurrently` leaves behind when it is stopped: it costs, serves nobody, and has the index's name.
_HALF_AN_INDEX: Final = """
select format('%I', c.relname) from pg_index i join pg_class c on c.oid = i.indexrelid
where not i.indisvalid and c.relkind = 'i' and c.relnamespace = 'public'::regnamespace
    and pg_has_role(c.relowner, 'USAGE') and c.relname not like '%\\_ccnew%' and c.relname not like '%\\_ccold%'
"""


class DatabaseTooNew(OperatorError):
    """The database was migrated by a newer version of this program."""


class RevisionTooOld(OperatorError):
    """The database, or a backup, is from before the revision that `schema` is."""


class DatabaseTooOld(OperatorError):
    """The server is older than PostgreSQL 15."""


class DatabaseBusy(OperatorError):
    """Another session, such as a dump, uses tables that have to be changed, or another process migrates."""


class MigrationFailed(OperatorError):
    """A statement of a revision was refused."""


class State(NamedTuple):
    """How far a database is.

    Attributes:
        revision: the newest one that it has; None: it is empty.
        unfinished: the name of one that runs outside a transaction, and runs now or was interrupted.
        is_adopted: whether that is written in our table, or still in that of Alembic.
    """

    revision: str | None
    unfinished: str | None = None
    is_adopted: bool = True


async def read_state(connection: Db) -> State:
    """Return how far a database is."""
    row = await connection.fetchrow(_TABLES)
    assert row is not None  # noqa: S101 - a select without a table has one row
    is_ours, is_alembic = row
    if is_ours:
        row = await connection.fetchrow(_OURS)
        assert row is not None  # noqa: S101 - a sum without groups has one row
        return State(row[0], row[1])
    if is_alembic:
        return State(await connection.fetchval("select version_num from alembic_version"), is_adopted=False)
    return State(None)


async def current_revision(connection: Db) -> str | None:
    """Return the revision of the database, or None for an empty database."""
    return (await read_state(connection)).revision


async def is_current(connection: Db) -> bool:
    """Return whether the database is at the newest revision."""
    return _is_at(await read_state(connection), HEAD)


async def migrate(dsn: str, *, superuser_dsn: str | None = None, to: str = HEAD) -> list[str]:
    """Apply the missing revisions and return them, oldest first; then do what is no revision.

    Those that follow one another are one transaction, so that a failed update can go on with the old program. One that
    runs outside a transaction is noted before it begins; if it is interrupted, the next call runs it again.

    `superuser_dsn`: see `policies.ensure`. `to`: an earlier revision to stop at, where tenants are not kept apart yet.

    Raises:
        DatabaseTooNew: the database is at a revision that this program does not know.
        RevisionTooOld: it is at one from before the baseline.
        DatabaseTooOld: PostgreSQL is older than 15.
        DatabaseBusy: tables were in use for minutes, or another process migrated for as long.
        MigrationFailed: a statement was refused.
    """
    connection = await asyncpg.connect(dsn)
    try:
        if connection.get_server_version().major < POSTGRES_MAJOR_MIN:
            raise DatabaseTooOld(f"Signalpost needs PostgreSQL {POSTGRES_MAJOR_MIN} or newer.")
        applied = [] if _is_at(await read_state(connection), to) else await _upgrade(connection, to)
        if applied:
            _logger.info("database.migrated", revisions=len(applied), newest=applied[-1])
        if to == HEAD:
            await _complete(connection, superuser_dsn)
    finally:
        await connection.close()  # and so the lock is free
    return applied


def require_known(revision: str) -> None:
    """Verify that this program knows a revision.

    Raises:
        DatabaseTooNew: it does not yet.
        RevisionTooOld: it does not any more.
    """
    if revision < BASELINE:
        raise RevisionTooOld(
            f"The data is at revision {revision}, and this program goes on from {BASELINE}. Bring it there with an"
            " earlier version first: the guide Operate says with which one, under Upgrade. Nothing was changed."
        )
    if revision != BASELINE and revision not in {later.number for later in revisions.all_revisions(FOLDER)}:
        raise DatabaseTooNew(f"The data is at revision {revision}; this program knows revisions up to {HEAD}.")


def _is_at(state: State, revision: str) -> bool:
    return state == State(revision)


async def _complete(connection: Db, superuser_dsn: str | None) -> None:
    if await policies.are_current(connection) and await connection.fetchval(search_index.IS_READY):
        return
    await _lock(connection)
    await search_index.ensure(connection)
    await connection.execute(f"set {_LOCK_TIMEOUT}")
    await policies.ensure(connection, superuser_dsn=superuser_dsn)


async def _lock(connection: Db) -> None:
    """Let one process migrate, until its connection is closed.

    Raises:
        DatabaseBusy: another process has it for minutes.
    """
    # Asking again and again, since who waits in one statement has a snapshot, and building an index concurrently waits
    # for the end of every snapshot: both would wait for each other.
    for _ in range(int(_LOCK_WAIT_SECONDS / _LOOK_SECONDS)):
        if await connection.fetchval(f"select pg_try_advisory_lock({_LOCK})"):
            await connection.execute(f"set lock_timeout = '{_LOCK_WAIT_SECONDS}s'")
            return
        await asyncio.sleep(_LOOK_SECONDS)
    raise DatabaseBusy("Another process has been migrating this database for minutes. Start again when it has ended.")


async def _upgrade(connection: Db, to: str) -> list[str]:
    await _lock(connection)
    applied: list[str] = []
    for _ in range(_TRIES_MAX):
        try:
            await _apply_missing(connection, to, applied)
        except _TABLES_IN_USE:
            _logger.warning("database.tables_in_use", again_in_seconds=_PAUSE_SECONDS)
            await asyncio.sleep(_PAUSE_SECONDS)
        else:
            return applied
    raise DatabaseBusy(
        "The database cannot be migrated: another session, such as a dump or a long query, uses the tables. What was"
        " begun was taken back. Start again when it has ended; pg_stat_activity shows it."
    )


async def _apply_missing(connection: Db, to: str, applied: list[str]) -> None:
    """Apply what is missing; `applied` gets the revisions that stay."""
    state = await read_state(connection)
    if state.revision is not None:
        require_known(state.revision)
    missing = [
        revision for revision in revisions.all_revisions(FOLDER) if (state.revision or BASELINE) < revision.number <= to
    ]
    outside = next((index for index, revision in enumerate(missing) if revision.is_outside()), len(missing))
    await _apply_together(connection, state, missing[:outside], applied)
    if outside < len(missing):
        await _apply_outside(connection, missing[outside], applied)
        await _apply_missing(connection, to, applied)


async def _apply_together(connection: Db, state: State, together: Sequence[Revision], applied: list[str]) -> None:
    """Apply revisions in one transaction, after the baseline if the database is empty."""
    done = [revision.number for revision in together]
    try:
        async with connection.transaction():
            await connection.execute(f"set local {_LOCK_TIMEOUT}")
            if state.revision is None or not state.is_adopted:
                await connection.execute((FOLDER / "schema_migration.sql").read_text(encoding="utf-8"))
                await connection.execute(_NOTE, state.revision or BASELINE, "schema")
            if state.revision is None:
                await connection.execute(revisions.baseline_script(FOLDER))
                done = [BASELINE, *done]
            elif not state.is_adopted:
                await connection.execute((FOLDER / "adopt.sql").read_text(encoding="utf-8"))
            for revision in together:
                await connection.execute(revision.script())
                await connection.execute(_NOTE, revision.number, revision.name)
    except _TABLES_IN_USE:
        raise
    except asyncpg.PostgresError as error:
        names = ", ".join([BASELINE, *(revision.name for revision in together)][state.revision is not None :])
        raise MigrationFailed(
            f"The database could not be migrated: {error}. Nothing of it was kept ({names}): the old version goes on."
        ) from error
    applied.extend(done)


async def _apply_outside(connection: Db, revision: Revision, applied: list[str]) -> None:
    """Run a revision that cannot be taken back. It is written so that running it again does what is left.

    It keeps no table from others, so it may wait for them as long as for the lock.
    """
    if await connection.fetchval(_BEGIN, revision.number, revision.name) is None:
        _logger.warning("database.migration_resumed", revision=revision.name)
        for (index,) in await connection.fetch(_HALF_AN_INDEX):
            await connection.execute(f"drop index concurrently if exists {index}")
    try:
        if revision.path.suffix == ".py":
            await runpy.run_path(str(revision.path))["run"](connection)
        else:
            await connection.execute(revision.script())
        await connection.execute(_FINISH, revision.number)
    except _TABLES_IN_USE:
        raise
    except asyncpg.PostgresError as error:
        raise MigrationFailed(
            f"The migration {revision.name} stopped on its way: {error}. The revisions before it stay. Remove the"
            " cause, and start Signalpost or run `signalpost migrate` again: it does what is left."
        ) from error
    applied.append(revision.number)
