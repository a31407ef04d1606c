"""How a database gets the roles and policies: at once, later, or by whoever may make roles."""

import asyncio
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest
from tests.counterparts.tools import CHECKOUT
from tests.helpers.api import Api
from tests.helpers.factories import Make

from signalpost import settings as settings_module
from signalpost.embedded_postgres.cluster import Cluster
from signalpost.embedded_postgres.start import start_postgres
from signalpost.kit import ids
from signalpost.kit.db import Database
from signalpost.kit.isolation import ENGINE, SERVICE
from signalpost.main import app, doctor
from signalpost.main.app import open_context
from signalpost.main.checks import Check
from signalpost.migrations.runner import migrate

FAST = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
pytestmark = pytest.mark.xdist_group("isolation")


async def run_as_superuser(cluster: Cluster, *statements: str) -> None:
    connection = await asyncpg.connect(cluster.dsn(user="postgres"))
    try:
        for statement in statements:
            await connection.execute(statement)
    finally:
        await connection.close()


@pytest.fixture(scope="module")
def server() -> Iterator[Cluster]:
    folder = Path(tempfile.mkdtemp(prefix="signalpost-isolation-"))
    folder.chmod(0o755)
    cluster = start_postgres(folder, settings=FAST)
    yield cluster
    cluster.stop()
    shutil.rmtree(folder)


@pytest.fixture
async def older(server: Cluster) -> Cluster:
    """A server as the version before left it: migrated, without roles, and its user may not make any."""
    await migrate(server.dsn())
    await run_as_superuser(server, "alter role signalpost nocreaterole")
    connection = await asyncpg.connect(server.dsn(user="postgres"))
    roles = f"{SERVICE}, {ENGINE}"
    if await connection.fetchval("select true from pg_roles where rolname = $1", SERVICE):
        await connection.execute(f"drop owned by {roles}; drop role {roles}")
    await connection.execute(f"set role signalpost; {'; '.join(await plain_tables(connection))}")
    await connection.close()
    return server


async def plain_tables(connection: "asyncpg.Connection[asyncpg.Record]") -> list[str]:
    """Statements that take row-level security away again."""
    rows = await connection.fetch("select tablename from pg_tables where schemaname = 'public' and rowsecurity")
    return [f"alter table {row[0]} disable row level security" for row in rows]


async def is_isolated(cluster: Cluster) -> bool:
    database = await Database.open(cluster.dsn(), connections_max=1, isolate=True)
    try:
        async with database.connection() as db:
            role = await db.fetchval("select current_user::text")
        assert role == (ENGINE if database.is_isolated else "signalpost")
        return database.is_isolated
    finally:
        await database.close()


def of_guide() -> str:
    """The SQL of the guide."""
    guide = (CHECKOUT / "docs/guides/operate.md").read_text()
    [block] = re.findall(r"^```sql\n(.*?)^```", guide, re.MULTILINE | re.DOTALL)
    return block


async def test_an_existing_database_gets_them_while_an_older_process_goes_on(older: Cluster) -> None:
    """That one has the role that owns the tables, and statements that it prepared before."""
    process = await asyncpg.connect(older.dsn())
    read = "select count(*) from post where workspace_id = $1"
    write = "insert into usage (workspace_id, metric, period, stripe, used) values ($1, 'x', now(), 0, 1)"
    await process.fetchval(read, ids.new_id())

    assert await migrate(older.dsn(), superuser_dsn=older.dsn(user="postgres")) == []

    workspace = ids.new_id()
    assert await process.execute(write, workspace) == "INSERT 0 1"
    assert await process.fetchval("select used from usage where workspace_id = $1", workspace) == 1
    assert await process.fetchval(read, workspace) == 0
    await process.close()
    assert await is_isolated(older)


async def test_a_user_who_may_make_roles_makes_them(older: Cluster) -> None:
    await run_as_superuser(older, "alter role signalpost createrole")
    await migrate(older.dsn())

    assert await is_isolated(older)


async def test_a_new_process_beside_several_others_that_start_waits_for_one(older: Cluster) -> None:
    await asyncio.gather(*(migrate(older.dsn(), superuser_dsn=older.dsn(user="postgres")) for _ in range(4)))

    assert await is_isolated(older)


@pytest.mark.parametrize(
    "change",
    [
        "alter policy of_workspace on post using (true)",
        "drop policy of_engine on post",
        "comment on policy of_engine on post is 'of an older version'",
        "create policy added on post using (true)",
        "create policy added on app_user for select to signalpost_service using (true)",
        "grant delete on audit to signalpost_service",
        "grant select (password_hash) on app_user to signalpost_service",
        "revoke insert on post from signalpost_service",
        "alter table one_time_token disable row level security",
    ],
)
async def test_a_start_restores_policies_that_are_not_its_own(older: Cluster, change: str) -> None:
    """Of another version, or changed by hand; rights too."""
    said = """
    select p.tablename::text, p.policyname::text, p.roles::text, p.qual, p.with_check, c.relrowsecurity,
        array(select acl::text from unnest(c.relacl) acl order by 1), (
            select string_agg(a.attname || a.attacl::text, ' ' order by a.attnum) from pg_attribute a
            where a.attrelid = c.oid and a.attacl is not null)
    from pg_policies p join pg_class c on c.oid = format('public.%I', p.tablename)::regclass order by 1, 2
    """
    await migrate(older.dsn(), superuser_dsn=older.dsn(user="postgres"))
    owner = await asyncpg.connect(older.dsn())
    before = await owner.fetch(said)
    await owner.execute(change)
    await migrate(older.dsn())
    after = await owner.fetch(said)
    noted = await owner.fetchval(
        "select count(distinct split_part(obj_description(oid, 'pg_policy'), ' ', 1)) from pg_policy"
    )
    await owner.close()

    assert (after, noted) == (before, 1)


async def test_only_the_engine_may_purge_history(older: Cluster) -> None:
    """The function has the rights of the owner, who sees every workspace."""
    await migrate(older.dsn(), superuser_dsn=older.dsn(user="postgres"))
    owner = await asyncpg.connect(older.dsn())
    may = "select has_function_privilege($1, 'purge_audit(uuid, timestamptz, integer)', 'execute')"
    allowed = {role: await owner.fetchval(may, role) for role in (SERVICE, ENGINE)}
    await owner.close()

    assert allowed == {SERVICE: False, ENGINE: True}


async def test_without_roles_the_service_runs_and_says_so_until_they_are_made(
    older: Cluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A PostgreSQL of one's own, whose user may not make roles; then the statements of the guide."""
    settings = settings_module.load(
        {
            "SIGNALPOST_DATA_DIR": str(tmp_path),
            "SIGNALPOST_DATABASE_URL": older.dsn(),
            "SIGNALPOST_BASE_URL": "http://signalpost.test",
        }
    )

    async def isolation() -> Check:
        checks = await doctor.examine(settings, "0")
        return next(check for check in checks if check.check == "isolation")

    await migrate(older.dsn())
    async with open_context(settings, older.dsn()) as context, Api(app.create(context)) as api:
        owner = await Make(context, api).owner()
        assert (await api.get("/posts", key=owner.key)).status_code == 200
    assert '"event":"isolation.off"' in capsys.readouterr().err
    advice = await isolation()
    assert advice.ok
    assert advice.detail.startswith("Not in force")
    assert "to signalpost (guide Operate)" in (advice.fix or "")
    assert not await is_isolated(older)

    await run_as_superuser(older, of_guide())
    await migrate(older.dsn())

    assert (await isolation()).fix is None
    assert await is_isolated(older)
