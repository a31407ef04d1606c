"""What the database lets the role of requests do, with every table and function, is one reviewed list.

`database_rights.tsv` shows the catalog as a database of this version has it. A new table or function is not in it, so
it fails here until someone has thought about whose rows it has.
"""

import re
from pathlib import Path

import asyncpg
import pytest
from tests.helpers.contract import Sample

from signalpost.kit import ids
from signalpost.kit.db import Database, Db
from signalpost.kit.isolation import ENGINE, SERVICE
from signalpost.migrations.rights import RIGHTS

LIST = Path(__file__).parent / "database_rights.tsv"
_RIGHTS = """
coalesce((select string_agg(name, ', ' order by n)
    from unnest(array['select', 'insert', 'update', 'delete', 'truncate']) with ordinality as r(name, n)
    where has_table_privilege('{}', c.oid, name)), '')
"""
_TABLES = f"""
select 'table' as kind, c.relname::text as name, {_RIGHTS.format(SERVICE)} || coalesce((
        select ' select (' || string_agg(a.attname, ', ' order by a.attnum) || ')' from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
            and not has_table_privilege('{SERVICE}', c.oid, 'select')
            and has_column_privilege('{SERVICE}', c.oid, a.attnum, 'select')), '') as service,
    {_RIGHTS.format(ENGINE)} as engine,
    case when not c.relrowsecurity then 'ALL: no row-level security' else coalesce((
        select string_agg(pg_get_expr(p.polqual, c.oid), ' OR ') from pg_policy p
        where p.polrelid = c.oid and p.polroles && array[0::oid, '{SERVICE}'::regrole::oid]), 'none') end as rows
from pg_class c
where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
order by 2
"""
_FUNCTIONS = f"""
select case when p.prosecdef then 'definer' else 'function' end, p.proname::text
        || '(' || array_to_string(array(select t::regtype::text from unnest(p.proargtypes) t), ', ') || ')',
    case when has_function_privilege('{SERVICE}', p.oid, 'execute') then 'execute' else '' end,
    case when has_function_privilege('{ENGINE}', p.oid, 'execute') then 'execute' else '' end,
    case when p.prosecdef and not coalesce('search_path=public, pg_temp' = any(p.proconfig), false)
        then 'NO search_path' when p.prosecdef then 'of the owner' else '' end
from pg_proc p where p.pronamespace = 'public'::regnamespace
    and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
order by 2
"""
_EXTENSION = "select c.relname::text from pg_class c join pg_depend d on d.objid = c.oid and d.deptype = 'e'"
OF_ITS_TENANT = "a request names only the workspace it sees"
DEFINERS = {
    "enqueue_job": OF_ITS_TENANT,
    "find_obstacles": OF_ITS_TENANT,
    "media_uses": OF_ITS_TENANT,
    "note_mail": OF_ITS_TENANT,
    "note_message": OF_ITS_TENANT,
    "posts_containing": OF_ITS_TENANT,
    "posts_tagged": OF_ITS_TENANT,
    "posts_using": OF_ITS_TENANT,
    "prepare_post": OF_ITS_TENANT,
    "count_post": "a trigger: it notes the row that was changed",
    "count_target": "a trigger: it notes the row that was changed",
    "oldest_write": "tells a time only: when the oldest transaction that wrote began",
    "purge_audit": "requests may not call it",
    "rotate_request_log": "requests may not call it",
}
"""Function with the rights of the owner -> why a request gets nothing of others by it."""


_TENANT = "(NULLIF(current_setting('signalpost.tenant'::text, true), ''::text))::uuid"


def _line(*fields: str) -> str:
    return "\t".join(re.sub(r"\s+", " ", field.replace(_TENANT, "TENANT")).strip() or "-" for field in fields)


async def test_what_requests_may_do_in_the_database_is_reviewed(database: Database) -> None:
    """To change it, change `migrations/rights.py`, and then the list by hand."""
    async with database.connection() as db:
        of_extensions = {row[0] for row in await db.fetch(_EXTENSION)}
        tables = [_line(*row) for row in await db.fetch(_TABLES) if row[1] not in of_extensions]
        functions = [_line(*row) for row in await db.fetch(_FUNCTIONS)]

    reviewed = [line for line in LIST.read_text().splitlines() if not line.startswith("#")]
    assert [*tables, *functions] == reviewed


async def test_every_table_has_its_rights_in_code(database: Database) -> None:
    """One that has none is out of reach for requests and engine alike."""
    async with database.connection() as db:
        rows = await db.fetch(
            "select c.relname::text from pg_class c where c.relnamespace = 'public'::regnamespace"
            " and c.relkind in ('r', 'p') and not c.relispartition"
        )
    assert {row[0] for row in rows} == RIGHTS.keys()


async def test_partitions_show_their_rows_to_nobody(database: Database) -> None:
    """Those of today, and the ones that the engine makes later."""
    unprotected = """
    select c.relname::text from pg_class c cross join unnest($1::text[]) as role(name)
    where c.relispartition and c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and (
        not c.relrowsecurity or exists (select from pg_policy where polrelid = c.oid)
        or has_table_privilege(role.name, c.oid, 'select, insert, update, delete, truncate'))
    """
    async with database.connection() as db:
        transaction = db.transaction()
        await transaction.start()
        await db.execute("select rotate_request_log()")
        assert await db.fetchval("select count(*) from pg_inherits where inhparent = 'request_log'::regclass") >= 4
        assert await db.fetch(unprotected, [SERVICE, ENGINE]) == []
        added = "create table request_log_19990101 partition of request_log for values from ('{}') to ('{}')"
        await db.execute(added.format("1999-01-01", "1999-01-02"))
        assert len(await db.fetch(unprotected, [SERVICE, ENGINE])) == 2
        await transaction.rollback()


async def _as_request(db: Db, workspace_id: object) -> None:
    await db.execute(f"set local role {SERVICE}")
    await db.execute("select set_config('signalpost.tenant', $1, true)", str(workspace_id or ""))


def test_functions_with_the_rights_of_the_owner_are_known() -> None:
    lines = [line.split("\t") for line in LIST.read_text().splitlines() if line.startswith("definer")]
    assert {line[1].partition("(")[0] for line in lines} == DEFINERS.keys()


@pytest.mark.parametrize("name", sorted(name for name, why in DEFINERS.items() if why == OF_ITS_TENANT))
@pytest.mark.parametrize("whose", ["another", "nobody"])
async def test_no_function_of_the_owner_works_for_another_workspace(
    database: Database, sample: Sample, foreign: Sample, name: str, whose: str
) -> None:
    """Whatever else it is given: it refuses, or returns nothing."""
    async with database.connection() as db:
        arguments = await db.fetchrow(
            "select proargnames, array(select t::regtype::text from unnest(proargtypes) t) as types from pg_proc"
            " where proname = $1 and prosecdef",
            name,
        )
        assert arguments is not None
        workspace = f"'{foreign.owner.workspace_id}'" if whose == "another" else "null"
        values = [
            f"{workspace}::uuid" if argument == "p_workspace" else f"null::{kind}"
            for argument, kind in zip(arguments["proargnames"], arguments["types"], strict=False)
        ]
        transaction = db.transaction()
        await transaction.start()
        await _as_request(db, sample.owner.workspace_id)
        try:
            rows = await db.fetch(f"select * from {name}({', '.join(values)})")
        except asyncpg.InsufficientPrivilegeError:
            rows = []
        await transaction.rollback()
    assert rows == []


@pytest.mark.parametrize("whose", ["another", "nobody"])
async def test_a_request_replaces_no_job_of_others(
    database: Database, sample: Sample, foreign: Sample, whose: str
) -> None:
    """Jobs run with all rows in sight, so one that a request may write freely would be the way around each policy."""
    call = "select enqueue_job($1, $1, $2, $3, $4, $5, '2030-01-01')"
    theirs = foreign.owner.workspace_id if whose == "another" else None
    key, mine = f"test/{ids.new_id()}", sample.owner.workspace_id
    async with database.connection() as db:
        transaction = db.transaction()
        await transaction.start()
        await db.execute(call, ids.new_id(), "media.encode", theirs, {"of": "them"}, key)
        before = await db.fetch("select * from job where unique_key = $1", key)
        for workspace in (mine, None, foreign.owner.workspace_id):
            savepoint = db.transaction()
            await savepoint.start()
            await _as_request(db, mine)
            with pytest.raises(asyncpg.InsufficientPrivilegeError, match="another workspace"):
                await db.execute(call, ids.new_id(), "workspaces.erase", workspace, {"of": "me"}, key)
            await savepoint.rollback()
        assert await db.fetch("select * from job where unique_key = $1", key) == before
        await transaction.rollback()


async def test_a_request_brings_forward_what_runs_periodically_and_changes_nothing_of_it(
    database: Database, sample: Sample
) -> None:
    """The kind and the empty payload are all it may name, and they are those of the row."""
    call = "select enqueue_job($1, $1, $2, null, $3, $2, now())"
    async with database.connection() as db:
        transaction = db.transaction()
        await transaction.start()
        kind = f"test.{ids.new_id()}"
        await _as_request(db, sample.owner.workspace_id)
        assert await db.fetchval(call, ids.new_id(), kind, {}) is None
        await db.execute("reset role")
        assert await db.fetchval("select count(*) from job where kind = $1", kind) == 0
        await db.execute(
            "insert into job (id, queue, kind, unique_key, next_attempt_at) values ($1, $1, $2, $2, '2030-01-01')",
            ids.new_id(), kind,
        )  # fmt: skip
        async with db.transaction():
            await _as_request(db, sample.owner.workspace_id)
            assert await db.fetchval(call, ids.new_id(), kind, {}) is not None
        await db.execute("reset role")
        row = await db.fetchrow("select next_attempt_at <= now(), payload, workspace_id from job where kind = $1", kind)
        assert row is not None
        assert tuple(row) == (True, {}, None)
        await transaction.rollback()


async def _fetch_as_request(database: Database, workspace_id: object, statement: str) -> list[asyncpg.Record]:
    async with database.connection() as db:
        transaction = db.transaction()
        await transaction.start()
        try:
            await _as_request(db, workspace_id)
            rows: list[asyncpg.Record] = await db.fetch(statement)
        finally:
            await transaction.rollback()
    return rows


async def test_requests_see_the_people_of_their_workspace_and_staff(
    database: Database, sample: Sample, foreign: Sample
) -> None:
    """Without any condition; whoever left is still named with what they made."""
    mine = sample.owner.workspace_id
    async with database.connection() as db:
        people = await db.fetch(
            "select id from app_user where is_staff union select user_id from member where workspace_id = $1", mine
        )
        everyone = await db.fetchval("select count(*) from app_user")
    seen = {row[0] for row in await _fetch_as_request(database, mine, "select id from app_user")}
    assert seen == {row[0] for row in people if row[0]}
    assert sample.owner.user_id in seen
    assert foreign.owner.user_id not in seen
    assert everyone > len(seen)


@pytest.mark.parametrize(
    "statement",
    [
        "select password_hash from app_user",
        "select totp_secret from app_user",
        "select recovery_hashes from app_user",
        "update app_user set name = 'x'",
        "update workspace set plan = 'enterprise'",
        "update workspace set redirect_urls = '{}'",
        "insert into job (id, queue, kind, next_attempt_at) values (gen_random_uuid(), gen_random_uuid(), 'x', now())",
        "update session set revoked_at = null",
        *(f"select from {table}" for table, right in sorted(RIGHTS.items()) if not right.service),
        *(f"delete from {table}" for table, right in sorted(RIGHTS.items()) if "delete" not in right.service),
    ],
)
async def test_requests_have_no_right_to(database: Database, sample: Sample, statement: str) -> None:
    """Not even with a statement of the attacker's, as long as it does not change its role."""
    with pytest.raises(asyncpg.InsufficientPrivilegeError, match="permission denied for table"):
        await _fetch_as_request(database, sample.owner.workspace_id, statement)


async def test_requests_see_no_idempotency_keys_of_others(database: Database, sample: Sample, foreign: Sample) -> None:
    """Whose a key is follows from the connection that wrote it, so no statement can forget it."""
    write = "insert into idempotency (credential, key, fingerprint) values ($1, 'x', '')"
    async with database.connection() as db:
        transaction = db.transaction()
        await transaction.start()
        for number, workspace in enumerate((sample.owner.workspace_id, foreign.owner.workspace_id, None)):
            async with db.transaction():
                await _as_request(db, workspace)
                await db.execute(write, f"test:{number}")
        read = "select credential from idempotency where credential like 'test:%'"
        for number, workspace in enumerate((sample.owner.workspace_id, foreign.owner.workspace_id, None)):
            await _as_request(db, workspace)
            assert [row[0] for row in await db.fetch(read)] == [f"test:{number}"]
        await transaction.rollback()


async def test_whose_people_are_seen_is_found_once_for_each_statement(database: Database, sample: Sample) -> None:
    """Before the first row, from an index; the rows are then found by their keys."""
    workspace_id = sample.owner.workspace_id
    joined = "select u.name from api_key k join app_user u on u.id = k.created_by where k.workspace_id = "
    async with database.connection() as db:
        transaction = db.transaction()
        await transaction.start()
        await _as_request(db, workspace_id)
        for way in ("seqscan", "bitmapscan", "hashjoin", "mergejoin"):  # whatever is known of the sizes of tables
            await db.execute(f"set local enable_{way} = off")
        plan = "\n".join(row[0] for row in await db.fetch(f"explain {joined} '{workspace_id}'"))
        await transaction.rollback()
    assert "InitPlan" in plan
    assert "SubPlan" not in plan
    assert "Index Scan using app_user_pkey" in plan
