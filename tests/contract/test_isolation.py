"""PostgreSQL keeps workspaces apart, also from a statement that forgot its condition."""

import re
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import asyncpg
import pytest
from tests.contract.test_ids import ABOUT_MINE, MINE
from tests.helpers.api import Api
from tests.helpers.contract import Sample, name_of

from signalpost.context import AppContext
from signalpost.kit import ids, isolation
from signalpost.kit.db import Database, Db
from signalpost.kit.isolation import ENGINE, SERVICE
from signalpost.kit.tenant import Tenant, across, tenant, work_for
from signalpost.request_log.recorder import Recorder
from signalpost.web.routing import Endpoint

ROLES = [SERVICE, ENGINE]
_TENANT_TABLES = """
select c.relname, case c.relname when 'workspace' then 'id' else 'workspace_id' end as column from pg_class c
where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
    and (c.relname = 'workspace' or exists (
    select from pg_attribute a where a.attrelid = c.oid and a.attname = 'workspace_id' and not a.attisdropped))
order by 1
"""
_UNPROTECTED = f"""
select t.relname from ({_TENANT_TABLES}) t join pg_class c on c.oid = t.relname::regclass
where not c.relrowsecurity or not exists (
    select from pg_policies p where p.tablename = t.relname and p.roles = array['{SERVICE}'::name] and p.cmd = 'ALL'
        and (p.qual like '%' || t.column || ' = %signalpost.tenant%'
            or p.qual like '%NOT (' || t.column || ' IS DISTINCT FROM %signalpost.tenant%'))
or exists (
    select from pg_policies p where p.tablename = t.relname and ('public' = any(p.roles)
        or '{SERVICE}' = any(p.roles) and p.qual not like '%signalpost.tenant%'))
"""
_OWNED = """
select r.rolname, c.relname from pg_roles r
left join pg_class c on c.relowner = r.oid and c.relnamespace = 'public'::regnamespace
where r.rolname = any($1) and (c.relname is not null or r.rolsuper or r.rolbypassrls or r.rolcreaterole or r.rolcreatedb
    or r.rolcanlogin or exists (
        select from pg_class o where o.relname = 'post' and pg_has_role(r.oid, o.relowner, 'MEMBER')))
"""
_CONDITION = re.compile(r"\b(?:\w+\.)?workspace_id (?:=|is not distinct from) (\$\d+)")


@pytest.fixture
def as_tenant(context: AppContext, sample: Sample) -> Iterator[Database]:
    """What the code of a request borrows from, for the sample's workspace."""
    work_for(Tenant(sample.owner.user_id, sample.owner.workspace_id))
    yield context.database
    tenant.set(None)
    across.set(True)


@pytest.fixture
def unscoped(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Every statement loses its condition on the workspace; returns the statements that had one."""
    found: set[str] = set()

    def without_condition(statement: str) -> str:
        changed = _CONDITION.sub(r"\1::uuid is not null", statement)
        if changed != statement:
            found.add(statement)
        return changed

    def forgetful(method: Any) -> Any:
        async def run(self: Db, statement: str, *arguments: Any, **options: Any) -> Any:
            return await method(self, without_condition(statement), *arguments, **options)

        return run

    for name in ("fetch", "fetchrow", "fetchval", "execute"):
        monkeypatch.setattr(asyncpg.Connection, name, forgetful(getattr(asyncpg.Connection, name)))
    return found


async def test_every_table_of_tenants_has_a_policy(database: Database) -> None:
    async with database.connection() as db:
        assert [row[0] for row in await db.fetch(_UNPROTECTED)] == []
        assert len(await db.fetch(_TENANT_TABLES)) > 20


async def test_a_table_without_a_policy_is_noticed(database: Database) -> None:
    """By the test above, and by a start, which then makes the policy."""
    async with database.connection() as db:
        assert await isolation.are_in_force(db)
        transaction = db.transaction()
        await transaction.start()
        await db.execute("create table forgotten (workspace_id uuid)")
        assert [row[0] for row in await db.fetch(_UNPROTECTED)] == ["forgotten"]
        assert not await isolation.are_in_force(db)
        await transaction.rollback()


async def test_the_roles_of_the_service_own_nothing(database: Database) -> None:
    """Nor can they become someone who does, or make themselves an exception."""
    async with database.connection() as db:
        assert await db.fetch(_OWNED, ROLES) == []


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("table", ["audit", "audit_seal"])
@pytest.mark.parametrize("statement", ["update {} set workspace_id = workspace_id", "delete from {}", "truncate {}"])
async def test_history_only_grows(database: Database, role: str, table: str, statement: str) -> None:
    """By their rights already, before any trigger looks."""
    async with database.connection() as db:
        transaction = db.transaction()
        await transaction.start()
        await db.execute(f"set local role {role}")
        with pytest.raises(asyncpg.InsufficientPrivilegeError, match=f"permission denied for table {table}"):
            await db.execute(statement.format(table))
        await transaction.rollback()


async def test_a_lease_sees_only_its_workspace(
    database: Database, as_tenant: Database, sample: Sample, foreign: Sample
) -> None:
    """Whatever is asked, of every table; the other workspace has rows in most of them."""
    theirs, mine = foreign.owner.workspace_id, sample.owner.workspace_id
    async with database.connection() as db, as_tenant.connection() as leased:
        tables = [(row[0], row[1]) for row in await db.fetch(_TENANT_TABLES) if await _may_read(leased, row[0])]
        seen, filled = [], 0
        for table, column in tables:
            filled += await db.fetchval(f"select count(*) from {table} where {column} = $1", theirs) > 0
            seen += [(table, row[0]) for row in await leased.fetch(f"select distinct {column} from {table}")]
    assert {workspace for _, workspace in seen} == {mine}
    assert len(seen) >= 10
    assert filled >= 10


class _Undo(Exception):
    pass


async def _change_all(database: Database, theirs: UUID, before: dict[str, int]) -> None:
    """Change and delete all that a lease reaches, look for what is left, and undo it."""
    async with database.transaction() as leased:
        with pytest.raises(asyncpg.InsufficientPrivilegeError, match="row-level security"):
            async with leased.transaction():
                await leased.execute("update profile set workspace_id = $1", theirs)
        with pytest.raises(asyncpg.InsufficientPrivilegeError, match="another workspace"):
            async with leased.transaction():
                await leased.fetchval("select enqueue_job($1, $1, 'x', $2, '{}', null, null)", ids.new_id(), theirs)
        await leased.execute("update account set status = 'paused'")
        for table in ("post", "target", "profile_link", "delivery", "webhook"):
            await leased.execute(f"delete from {table}")
        assert await leased.fetchval("select count(*) from post") == 0
        await leased.execute("reset role")  # in this transaction the owner sees what was done, and what was not
        assert await _count(leased, await _tables(leased), theirs) == before
        assert (
            await leased.fetchval("select count(*) from account where workspace_id = $1 and status = 'paused'", theirs)
            == 0
        )
        raise _Undo


async def test_a_lease_changes_nothing_of_others(
    context: AppContext, database: Database, as_tenant: Database, foreign: Sample
) -> None:
    """In a transaction too, where the tenant is set together with its begin."""
    await context.state(Recorder).flush()  # what they called lately is written by and by
    async with database.connection() as db:
        before = await _count(db, await _tables(db), foreign.owner.workspace_id)
    with pytest.raises(_Undo):
        await _change_all(as_tenant, foreign.owner.workspace_id, before)


async def test_the_uses_of_foreign_files_are_not_counted(
    as_tenant: Database, foreign: Sample, database: Database, api: Api
) -> None:
    """The function has the rights of the owner, so it has to look itself."""
    media = ids.decode("med", foreign.ids["med"])
    theirs = foreign.owner.workspace_id
    statement = "select posts from media_uses($1, array[$2::uuid])"
    async with database.transaction() as db:
        post = ids.decode("pst", foreign.ids["pst"])
        kept = await db.fetchval("select media_ids from post where id = $1", post)
        await db.execute("update post set media_ids = array[$2::uuid] where id = $1", post, media)
        assert await db.fetchval(statement, theirs, media) == 1
        await db.execute("set local role signalpost_service")
        assert await db.fetchval(statement, theirs, media) is None
        await db.execute("select set_config('signalpost.tenant', $1, true)", str(theirs))
        assert await db.fetchval(statement, theirs, media) == 1
        await db.execute("reset role")
        await db.execute("update post set media_ids = $2 where id = $1", post, kept)


async def test_without_a_tenant_there_are_no_rows(context: AppContext, database: Database, sample: Sample) -> None:
    """A lease that nobody said anything about fails closed."""
    across.set(False)
    try:
        async with context.database.connection() as db:
            tables = [table for table in await _tables(db) if table != "idempotency" and await _may_read(db, table)]
            assert len(tables) > 20
            assert [table for table in tables if await db.fetchval(f"select exists (select from {table})")] == []
            assert await db.fetchval("select current_user::text") == SERVICE
    finally:
        across.set(True)


async def test_a_tenant_has_to_be_a_workspace(context: AppContext) -> None:
    work_for(Tenant("x", "'; reset role; --"))
    try:
        with pytest.raises(TypeError, match="not the id of a workspace"):
            async with context.database.connection():
                pass
    finally:
        tenant.set(None)
        across.set(True)


async def _may_read(db: Db, table: str) -> bool:
    """Whether requests read the table at all: see `test_rights`."""
    return bool(await db.fetchval("select has_table_privilege($1, $2, 'select')", SERVICE, table))


async def _tables(db: Db) -> list[str]:
    return [row[0] for row in await db.fetch(_TENANT_TABLES)]


async def _count(db: Db, tables: list[str], workspace_id: UUID) -> dict[str, int]:
    columns = {"workspace": "id"}
    return {
        table: await db.fetchval(
            f"select count(*) from {table} where {columns.get(table, 'workspace_id')} = $1", workspace_id
        )
        for table in tables
    }


@pytest.mark.parametrize("endpoint", MINE, ids=name_of)
async def test_a_forgotten_condition_shows_nothing_of_others(
    api: Api, sample: Sample, foreign: Sample, unscoped: set[str], endpoint: Endpoint
) -> None:
    """Each operation that names a row, with the id of a foreign one, and without any condition in our statements."""
    theirs = await foreign.prepare(endpoint).send(api, key=sample.owner.key)

    assert (theirs.status_code, theirs.json()["code"]) == (404, "not_found")
    assert unscoped or endpoint.path.startswith(("/workspaces/{id}", "/auth/sessions/{id}", "/auth/push/{id}"))


async def test_lists_without_a_condition_show_nothing_of_others(
    api: Api, context: AppContext, sample: Sample, foreign: Sample, unscoped: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same lists do show it if the policies are left out: so the conditions are gone indeed."""

    async def leaks() -> set[str]:
        texts = {endpoint.path: (await sample.prepare(endpoint).send(api)).text for endpoint in ABOUT_MINE}
        return {path for path, text in texts.items() if any(text_id in text for text_id in foreign.ids.values())}

    assert await leaks() == set()
    monkeypatch.setattr(context.database.pool, "visible", isolation.of_engine)
    assert len(await leaks()) >= 5
