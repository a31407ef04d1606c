"""An update while the version before is still at work: migrations that it can live with, and that nobody waits for.

Processes of the version before go on during a migration and after it, so a migration only adds: what the older program
reads and writes stays as it is. Here each revision is run, and the catalog before and after is compared, with the locks
that it holds at its end; an exception needs a reason.
"""

import asyncio
import json
import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

import asyncpg
import pytest
from tests.faults import sabotage
from tests.faults.hostile import HostileNetwork, slow
from tests.faults.load import REQUEST_SECONDS_MAX, load
from tests.faults.rolling import balancer, steady_load
from tests.faults.scene import Scene

from signalpost.kit import clock
from signalpost.migrations import runner
from signalpost.migrations.revisions import BASELINE, all_revisions

_UNRELEASED: Final = "No version without it was released, so none is at work while it runs."
_CONCURRENTLY: Final = "It is created concurrently, outside a transaction: no write waits for it."
_FEW: Final = "There is one subscription a workspace."
EXCEPTIONS: Final[dict[tuple[str, str], str]] = {
    ("0089", "blocks writes to subscription (subscription_confirm)"): _FEW,
    ("0089", "blocks writes to subscription (subscription_remote)"): _FEW,
    **{
        ("0090", f"drops search_block.{name}"): _UNRELEASED
        for name in ("workspace_id", "after_at", "after_id", "through_at", "through_id", "grams")
    },
    ("0100", "blocks writes to post (post_undecided)"): _CONCURRENTLY,
    ("0101", "blocks writes to post (post_approved)"): _CONCURRENTLY,
    **{
        ("0117", f"blocks writes to comment ({index})"): _UNRELEASED
        for index in ("comment_account", "comment_listing", "comment_open", "comment_profile", "comment_profile_open")
    },
    ("0119", "blocks writes to comment (comment_kept)"): _UNRELEASED,
    ("0120", "blocks writes to comment (comment_target)"): _UNRELEASED,
    ("0123", "blocks writes to comment_source (comment_source_due)"): _UNRELEASED,
    ("0126", "blocks writes to comment_rule_use (comment_rule_use_due)"): _UNRELEASED,
    ("0135", "blocks writes to app_user (app_user_to_erase)"): "A row a person, and none is in the index yet.",
    ("0137", "blocks writes to target (target_queue)"): _CONCURRENTLY,
    (all_revisions()[-1].number, "blocks writes to post_text (post_text_search)"): "It is made after all revisions, and"
    " only background work writes there.",
}
"""(revision, what it does) -> why the version before can live with it, and why no request waits for it."""
_WAITS = """
exists (select from pg_stat_activity where wait_event_type = 'Lock' and query ilike '%add column newer%'
    and pid <> pg_backend_pid())
"""
WAIT_SECONDS_MAX = 2.5
"""A statement of a migration waits for a lock for two seconds at most, and whoever comes after it just as long."""

_CATALOG = """
select json_build_object(
    'columns', (select json_object_agg(c.relname || '.' || a.attname, json_build_array(
            format_type(a.atttypid, a.atttypmod),
            a.attnotnull and not a.atthasdef and a.attidentity = '' and a.attgenerated = ''))
        from pg_attribute a join pg_class c on c.oid = a.attrelid
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and attnum > 0 and not attisdropped),
    'functions', (select json_object_agg(p.oid::regprocedure, 1) from pg_proc p
        where p.pronamespace = 'public'::regnamespace),
    'files', (select json_object_agg(relname, pg_relation_filenode(oid)) from pg_class
        where relnamespace = 'public'::regnamespace and relkind = 'r'),
    'indexes', (select json_object_agg(i.indexrelid::regclass, json_build_array(
            i.indrelid::regclass, i.indisunique, pg_get_indexdef(i.indexrelid)))
        from pg_index i join pg_class c on c.oid = i.indrelid where c.relnamespace = 'public'::regnamespace),
    'constraints', (select json_object_agg(conrelid::regclass || '.' || conname,
            json_build_array(conrelid::regclass, pg_get_constraintdef(oid))) from pg_constraint
        where connamespace = 'public'::regnamespace and contype in ('c', 'f', 'u', 'p')))
"""


async def catalog(dsn: str) -> dict[str, dict[str, Any]]:
    connection = await asyncpg.connect(dsn)
    try:
        return {name: found or {} for name, found in json.loads(await connection.fetchval(_CATALOG)).items()}
    finally:
        await connection.close()


def changes(before: dict[str, dict[str, Any]], after: dict[str, dict[str, Any]]) -> Iterator[str]:
    """Yield what a migration does that the version before, or a large table, cannot live with."""
    old = before["files"]
    for kind in ("columns", "functions"):
        yield from (f"drops {name}" for name in before[kind].keys() - after[kind].keys())
    for name, (column_type, required) in after["columns"].items():
        if name in before["columns"]:
            if before["columns"][name] != [column_type, required]:
                yield f"changes {name}"
        elif required and name.partition(".")[0] in old:
            yield f"requires {name}"
    yield from (f"rewrites {name}" for name, file in old.items() if after["files"].get(name, file) != file)
    for name, index in after["indexes"].items():
        table, is_unique, _ = index
        if table in old and before["indexes"].get(name) != index:
            yield f"{'adds unique index' if is_unique else 'blocks writes to'} {table} ({name})"
    for name, (table, definition) in after["constraints"].items():
        if table in old and before["constraints"].get(name) != [table, definition]:
            yield f"{'changes' if name in before['constraints'] else 'adds'} constraint {name}"


@pytest.mark.parametrize(("statement", "found"), [
    ("alter table post drop column notes", "drops post.notes"),
    ("alter table post add column newer int not null", "requires post.newer"),
    ("alter table post alter column version type bigint", "changes post.version"),
    ("alter table post add column newer timestamptz default clock_timestamp()", "rewrites post"),
    ("create index newer on post (notes)", "blocks writes to post (newer)"),
    ("alter table post add constraint newer check (version > 0)", "adds constraint post.newer"),
])  # fmt: skip
async def test_the_check_finds(fresh_dsn: str, statement: str, found: str) -> None:
    before = await catalog(fresh_dsn)
    connection = await asyncpg.connect(fresh_dsn)
    await connection.execute(statement)
    await connection.close()
    assert found in set(changes(before, await catalog(fresh_dsn)))


async def test_the_version_before_can_live_with_every_revision(fresh_dsn: str) -> None:
    """Each revision by itself, in order; what it does beyond adding is in the reviewed list, and nothing else is."""
    connection = await asyncpg.connect(fresh_dsn)
    await connection.execute("drop schema public cascade; create schema public")
    await connection.close()
    await runner.migrate(fresh_dsn, to=BASELINE)
    found = set()
    before = await catalog(fresh_dsn)
    for revision in all_revisions():
        await runner.migrate(fresh_dsn, to=revision.number)
        after = await catalog(fresh_dsn)
        found |= {(revision.number, change) for change in changes(before, after)}
        before = after
    assert found == set(EXCEPTIONS)


NEXT: Final = "9001"
_NEXT_REVISION = """
alter table post add column newer text not null default '', add column newest timestamptz;
alter table target add column newer text not null default '';
create table newer (id uuid primary key, workspace_id uuid not null);
"""


@pytest.fixture
def next_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Migrations as the next version might have them: what there is, and one revision that only adds."""
    folder = tmp_path / "migrations"
    shutil.copytree(runner.FOLDER, folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "versions").mkdir(exist_ok=True)
    (folder / "versions" / f"{NEXT}_add.sql").write_text(_NEXT_REVISION)
    monkeypatch.setattr(runner, "FOLDER", folder)
    monkeypatch.setattr(runner, "_PAUSE_SECONDS", 0.2)
    return folder


@pytest.mark.usefixtures("next_version")
async def test_processes_of_the_version_before_go_on_during_and_after_a_migration(
    scene: Scene, network: HostileNetwork
) -> None:
    """Service and worker run; a dump uses the tables for a while, so that the migration has to come back later."""
    dump = await asyncpg.connect(scene.dsn)
    try:
        async with load(scene, network, workers=1) as running:
            await running.accepted(clock.monotonic())
            await dump.execute("begin; lock table post, target in access share mode")
            migration = asyncio.create_task(runner.migrate(scene.dsn, to=NEXT))
            await scene.until(lambda: scene.value(_WAITS), "a migration that waits for the dump")
            await running.accepted(clock.monotonic() + WAIT_SECONDS_MAX)  # while the dump goes on: in a pause of it
            assert not migration.done()
            await dump.execute("commit")
            assert await migration == [NEXT]
            made = len(network.made())
            await running.accepted(clock.monotonic())
            await scene.until(lambda: len(network.made()) > made, "publishing with the newer schema")
    finally:
        await dump.close()
    await scene.all_done()
    assert running.codes.keys() == {201}, running.codes
    assert running.slowest < REQUEST_SECONDS_MAX
    assert network.doubles() == {}


@pytest.mark.usefixtures("next_version")
async def test_a_migration_that_waits_in_a_circle_is_tried_again(fresh_dsn: str) -> None:
    """Someone has the second table and wants the first: the server ends one of both, by chance."""
    other, watcher = await asyncpg.connect(fresh_dsn), await asyncpg.connect(fresh_dsn)
    try:
        await other.execute("begin; lock table target in access share mode")
        migration = asyncio.create_task(runner.migrate(fresh_dsn, to=NEXT))
        while not await watcher.fetchval(f"select {_WAITS}"):
            await asyncio.sleep(0.01)
        with suppress(asyncpg.DeadlockDetectedError):
            await other.execute("lock table post in access share mode")
        await other.execute("rollback")
        assert await migration == [NEXT]
    finally:
        await other.close()
        await watcher.close()


async def test_processes_are_replaced_by_those_of_the_next_version_without_a_failed_request(
    scene: Scene, network: HostileNetwork, next_version: Path
) -> None:
    """Fifty requests a second through nginx: the first new process migrates while the old ones serve; then they go."""
    network.on("", slow(0.2))
    tenant = await scene.tenant()
    await tenant.late_policy()
    accounts = [await tenant.mastodon(network, f"a{number}") for number in range(10)]
    later = partial(sabotage.later_version, next_version, NEXT)
    old = [await scene.serve(with_worker=True) for _ in range(2)]
    async with (
        balancer([process.port for process in old if process.port]) as port,
        scene.client_at(port, tenant) as client,
    ):
        await scene.until(lambda: scene.answers(client), "an answer through nginx")
        codes: Counter[object] = Counter()
        load = asyncio.create_task(steady_load(client, tenant, accounts, codes))
        try:
            first = await scene.serve(later, with_worker=True)
            assert await scene.value("max(revision) from schema_migration") == NEXT
            for process in old:
                before = codes.total()
                await scene.until(lambda before=before: codes.total() >= before + 20, "requests to all that run")
                assert await process.stop() == 0
                await scene.serve(later, with_worker=True, port=process.port)
            before = codes.total()
            await scene.until(lambda: codes.total() >= before + 20, "requests to the new ones")
        finally:
            load.cancel()
        texts = await load
    await scene.all_done()
    assert await first.stop() == 0
    assert codes.keys() <= {200, 201}, codes
    assert texts
    assert sorted(network.public()) == sorted(texts)
    assert network.doubles() == {}
