"""The baseline and the revisions after it, and what applies them."""

import asyncio
import re
import secrets
import shutil
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from signalpost.migrations import revisions, runner
from signalpost.migrations.revisions import BASELINE, HEAD

ADDS = "alter table post add column newer text; create table newer (id uuid primary key);"
INDEXES = "-- outside a transaction\ncreate unique index concurrently if not exists newer_index on two (notes);"
STARTED = """
select count(*) filter (where query like '%create unique%' and wait_event_type = 'Lock') = 1 and count(*) = 3
from pg_stat_activity
where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
"""
FAILS = "create table newest (id uuid primary key); select * from nowhere;"


@pytest.fixture
async def empty_dsn(dsn: str) -> str:
    name = f"empty_{secrets.token_hex(6)}"
    admin = await asyncpg.connect(dsn, database="postgres")
    try:
        await admin.execute(f'create database "{name}"')
    finally:
        await admin.close()
    return re.sub(r"/\w+\?", f"/{name}?", dsn)  # it goes with the cluster: a worker of autovacuum may be at it


@pytest.fixture
async def owner(fresh_dsn: str) -> AsyncIterator["asyncpg.Connection[Any]"]:
    connection = await asyncpg.connect(fresh_dsn)
    yield connection
    await connection.close()


Later = Callable[..., None]


@pytest.fixture
def later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Later:
    """Write revisions of a later version, by their names, beside those that there are."""
    folder = tmp_path / "migrations"
    shutil.copytree(runner.FOLDER, folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "versions").mkdir(exist_ok=True)
    monkeypatch.setattr(runner, "FOLDER", folder)
    monkeypatch.setattr(runner, "_PAUSE_SECONDS", 0.1)

    def write(**files: str) -> None:
        for name, text in files.items():
            path = folder / "versions" / name.removeprefix("r").replace("_py", ".py")
            (path if path.suffix else path.with_suffix(".sql")).write_text(text)

    return write


def test_revisions_are_numbered_and_named() -> None:
    """By four digits, each once, after the baseline; the newest is the head."""
    numbers = [revision.number for revision in revisions.all_revisions()]

    assert numbers == sorted(set(numbers))
    assert [BASELINE, *numbers][-1] == HEAD
    assert [number for number in numbers if number <= BASELINE] == []
    for revision in revisions.all_revisions():
        assert re.fullmatch(r"\d{4}_[a-z0-9_]+\.(sql|py)", revision.path.name)


def test_the_baseline_is_made_of_every_file_of_the_schema() -> None:
    folder = runner.FOLDER / "schema"
    included = re.findall(r"^\\ir (\S+)$", (folder / "all.sql").read_text(), re.MULTILINE)

    assert sorted(included) == sorted(path.name for path in folder.glob("*.sql") if path.name != "all.sql")


async def test_of_processes_that_start_together_one_migrates(empty_dsn: str) -> None:
    applied = await asyncio.gather(*(runner.migrate(empty_dsn) for _ in range(4)))

    assert sorted(applied) == [[], [], [], [BASELINE, *(each.number for each in revisions.all_revisions())]]
    connection = await asyncpg.connect(empty_dsn)
    try:
        assert await runner.is_current(connection)
    finally:
        await connection.close()


async def test_a_baseline_that_fails_leaves_nothing_of_the_migration(empty_dsn: str) -> None:
    connection = await asyncpg.connect(empty_dsn)
    try:
        await connection.execute("create table webhook (in_the_way int)")
        with pytest.raises(runner.MigrationFailed, match="already exists"):
            await runner.migrate(empty_dsn)
        tables = await connection.fetch("select tablename from pg_tables where schemaname = 'public'")
    finally:
        await connection.close()

    assert [row["tablename"] for row in tables] == ["webhook"]


async def test_a_revision_that_fails_takes_those_before_it_back(
    fresh_dsn: str, owner: "asyncpg.Connection[Any]", later: Later
) -> None:
    """All missing revisions are one transaction, so that a failed update can go on with the old program."""
    later(r9001_add=ADDS, r9002_fail=FAILS)

    with pytest.raises(runner.MigrationFailed, match=r"Nothing of it was kept \(9001_add, 9002_fail\)"):
        await runner.migrate(fresh_dsn, to="9002")

    assert await owner.fetchval("select to_regclass('newer')") is None
    assert await runner.is_current(owner)


async def test_a_database_of_a_newer_program_is_refused(fresh_dsn: str, owner: "asyncpg.Connection[Any]") -> None:
    await owner.execute("insert into schema_migration values ('9999', '9999_of_later', now(), now())")

    with pytest.raises(runner.DatabaseTooNew, match="at revision 9999"):
        await runner.migrate(fresh_dsn)


@pytest.fixture
async def of_alembic(fresh_dsn: str, owner: "asyncpg.Connection[Any]") -> str:
    """A database as the version before left it: it kept its revision in the table of Alembic."""
    await owner.execute("drop schema public cascade; create schema public")
    await runner.migrate(fresh_dsn, to=BASELINE)
    await owner.execute(
        "drop table schema_migration; create table alembic_version (version_num varchar(32) primary key);"
        f"insert into alembic_version values ('{BASELINE}'); grant select on alembic_version to signalpost_engine"
    )
    return fresh_dsn


async def test_a_database_of_alembic_goes_on(of_alembic: str, owner: "asyncpg.Connection[Any]", later: Later) -> None:
    """Processes of the version before still read its revision, and refuse to start once it is newer."""
    later(r9001_add=ADDS)

    assert await runner.migrate(of_alembic, to=BASELINE) == []
    assert await runner.read_state(owner) == runner.State(BASELINE)
    before = await owner.fetchval("select version_num from alembic_version")
    later_ones = [revision.number for revision in revisions.all_revisions()]
    assert await runner.migrate(of_alembic, to="9001") == [*later_ones, "9001"]

    assert (before, await owner.fetchval("select version_num from alembic_version")) == (BASELINE, "9001")
    assert await owner.fetchval("select has_table_privilege('signalpost_engine', 'alembic_version', 'select')")


async def test_a_database_from_before_the_baseline_is_refused(
    of_alembic: str, owner: "asyncpg.Connection[Any]"
) -> None:
    await owner.execute("update alembic_version set version_num = '0071'")

    with pytest.raises(runner.RevisionTooOld, match=f"at revision 0071, and this program goes on from {BASELINE}"):
        await runner.migrate(of_alembic)

    assert await owner.fetchval("select version_num from alembic_version") == "0071"


async def test_a_step_outside_a_transaction_that_stopped_is_said_and_resumed(
    fresh_dsn: str, owner: "asyncpg.Connection[Any]", later: Later
) -> None:
    """What came before it stays. Half an index that it left is made again: `if not exists` would keep it."""
    later(r9001_add=ADDS, r9002_index=INDEXES, r9003_add="create table newest (id uuid primary key)")
    await owner.execute("create table two (notes text); insert into two values ('same'), ('same')")

    with pytest.raises(runner.MigrationFailed, match=r"9002_index stopped on its way: could not create unique index"):
        await runner.migrate(fresh_dsn, to="9003")
    assert await runner.read_state(owner) == runner.State("9001", unfinished="9002_index")
    assert await owner.fetchval("select not indisvalid from pg_index where indexrelid = 'newer_index'::regclass")

    await owner.execute("delete from two where ctid = '(0,1)'")
    assert await runner.migrate(fresh_dsn, to="9003") == ["9002", "9003"]

    assert await runner.read_state(owner) == runner.State("9003")
    assert await owner.fetchval("select indisvalid from pg_index where indexrelid = 'newer_index'::regclass")


async def test_processes_that_wait_hold_up_no_index(
    fresh_dsn: str, owner: "asyncpg.Connection[Any]", later: Later
) -> None:
    """Building an index concurrently waits for the end of all statements: also of one that waits for the migration."""
    later(r9001_index=INDEXES)
    await owner.execute("create table two (notes text)")
    async with owner.transaction():
        await owner.execute("lock table two in share row exclusive mode")  # until the others wait
        migrating = [asyncio.create_task(runner.migrate(fresh_dsn, to="9001")) for _ in range(3)]
        async with asyncio.timeout(300):
            while not await owner.fetchval(STARTED):
                await owner.execute("select pg_stat_clear_snapshot()")  # else a transaction sees what it saw first
    applied = await asyncio.gather(*migrating)

    assert sorted(applied) == [[], [], ["9001"]]


async def test_a_step_in_python_goes_on_where_it_was_killed(
    fresh_dsn: str, owner: "asyncpg.Connection[Any]", later: Later
) -> None:
    """The process dies between two of its statements: the next one runs it again, and does what is left."""
    await owner.execute("create table done (step int)")
    script = (
        "async def run(db):\n"
        "    for step in range(await db.fetchval('select count(*) from done'), 4):\n"
        "        await db.execute('insert into done values ($1)', step)\n"
        "        if step == 1:\n"
        "            await db.fetchval('select pg_terminate_backend(pg_backend_pid())')\n"
    )
    later(r9001_fill_py=script)

    with pytest.raises(runner.MigrationFailed, match="9001_fill stopped on its way"):
        await runner.migrate(fresh_dsn, to="9001")
    assert await runner.read_state(owner) == runner.State(HEAD, unfinished="9001_fill")
    assert await runner.migrate(fresh_dsn, to="9001") == ["9001"]

    assert [row[0] for row in await owner.fetch("select step from done order by 1")] == [0, 1, 2, 3]
