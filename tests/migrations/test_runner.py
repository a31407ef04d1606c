"""The chain of revisions, and what applies it."""

import asyncio
import os
import re
import secrets
import subprocess
import sys

import asyncpg
import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory

from signalpost.migrations import runner
from signalpost.migrations.head import HEAD


@pytest.fixture
async def empty_dsn(dsn: str) -> str:
    name = f"empty_{secrets.token_hex(6)}"
    admin = await asyncpg.connect(dsn, database="postgres")
    try:
        await admin.execute(f'create database "{name}"')
    finally:
        await admin.close()
    return re.sub(r"/\w+\?", f"/{name}?", dsn)  # it goes with the cluster: a worker of autovacuum may be at it


def scripts() -> ScriptDirectory:
    config = Config()
    config.set_main_option("script_location", str(runner.FOLDER))
    return ScriptDirectory.from_config(config)


def revisions() -> list[str]:
    return [script.revision for script in scripts().walk_revisions()][::-1]


def test_the_stated_head_is_the_head_of_the_chain() -> None:
    assert scripts().get_heads() == [HEAD]


def test_every_revision_follows_the_one_before_it_and_its_file_is_named_by_it() -> None:
    chain = [*scripts().walk_revisions()][::-1]

    assert [script.down_revision for script in chain] == [None, *revisions()[:-1]]
    for script in chain:
        assert re.fullmatch(rf"{script.revision}_[a-z0-9_]+\.py", os.path.basename(script.path))  # noqa: PTH119


async def test_of_processes_that_start_together_one_migrates(empty_dsn: str) -> None:
    applied = await asyncio.gather(*(runner.migrate(empty_dsn) for _ in range(4)))

    assert sorted(applied) == [[], [], [], revisions()]
    connection = await asyncpg.connect(empty_dsn)
    try:
        assert await runner.is_current(connection)
    finally:
        await connection.close()


async def test_a_revision_that_fails_leaves_nothing_of_the_migration(empty_dsn: str) -> None:
    """All missing revisions are one transaction, so that a failed upgrade can go on with the old program."""
    connection = await asyncpg.connect(empty_dsn)
    try:
        await connection.execute("create table webhook (in_the_way int)")
        with pytest.raises(asyncpg.DuplicateTableError):
            await runner.migrate(empty_dsn)
        tables = await connection.fetch("select tablename from pg_tables where schemaname = 'public'")
    finally:
        await connection.close()

    assert [row["tablename"] for row in tables] == ["webhook"]


async def test_a_database_of_a_newer_program_is_refused(fresh_dsn: str) -> None:
    connection = await asyncpg.connect(fresh_dsn)
    try:
        await connection.execute("update alembic_version set version_num = '9999'")
    finally:
        await connection.close()

    with pytest.raises(runner.DatabaseTooNew, match="at revision 9999"):
        await runner.migrate(fresh_dsn)


def test_a_start_without_anything_to_migrate_imports_neither_alembic_nor_sqlalchemy(dsn: str) -> None:
    """They cost 0.3 s."""
    program = f"""
import asyncio, sys
from signalpost.migrations.runner import migrate
assert asyncio.run(migrate({dsn!r})) == []
assert not {{"alembic", "sqlalchemy"}} & set(sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=30, check=False)

    assert (done.returncode, done.stderr) == (0, "")
