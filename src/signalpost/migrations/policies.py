"""Makes the database keep tenants apart: two roles, what they may do, and a policy for each table with tenants.

The names of the roles are in `kit.isolation`, what they may do in `migrations.rights`. It is not a revision, because it
can only be done where roles may be made, perhaps long after the migrations. It is done again for tables that come
later, by a version that has other rights or policies, and where someone changed one.
"""

import hashlib
from collections.abc import Mapping
from typing import Final

import asyncpg

from signalpost.kit import log
from signalpost.kit.db import Db
from signalpost.kit.isolation import ENGINE, SERVICE, are_in_force
from signalpost.migrations import rights
from signalpost.migrations.rights import Rights

_logger = log.get("migrations")

_MAY_MAKE_ROLES: Final = "select rolcreaterole or rolsuper from pg_roles where rolname = current_user"
_ROLES: Final = "select count(*) from pg_roles where rolname = any($1) and pg_has_role(current_user, oid, 'MEMBER')"
# Roles belong to the whole server: another database of it may make them at the same moment.
_MAKE_ROLES: Final = "\n".join(
    f"""
    do $$ begin
        create role {role} nologin;
    exception when duplicate_object or unique_violation then null;
    end $$;
    grant {role} to {{login}};
    """
    for role in (SERVICE, ENGINE)
)

# Of each of our tables: the column that says whose a row is, or null.
_TABLES: Final = """
select c.relname, a.attname from pg_class c
left join pg_attribute a on a.attrelid = c.oid and not a.attisdropped
    and a.attname = case when c.relname = 'workspace' then 'id' else 'workspace_id' end
where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
    and pg_has_role(c.relowner, 'USAGE')
order by c.relname
"""
# Whatever else lets our roles see rows goes: policies add up.
_DROP_POLICIES: Final = f"""
do $$ declare
    name text;
begin
    for name in
        select polname from pg_policy where polrelid = '{{table}}'::regclass
            and polroles && array[0::oid, '{SERVICE}'::regrole::oid, '{ENGINE}'::regrole::oid]
    loop
        execute format('drop policy %I on {{table}}', name);
    end loop;
end $$;
"""  # noqa: S608 - names of ours
_POLICY_OF_ENGINE: Final = f"create policy of_engine on {{table}} to {ENGINE} using (true);"
_POLICY_OF_REQUESTS: Final = f"create policy of_workspace on {{table}} to {SERVICE} using ({{sees}});"
# Nobody may use a partition itself: the policies of its table hold for those who use that.
_PARTITIONS: Final = f"""
do $$ declare
    partition regclass;
begin
    for partition in
        select c.oid::regclass from pg_class c
        where c.relispartition and c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace
            and pg_has_role(c.relowner, 'USAGE')
    loop
        execute format('alter table %s enable row level security', partition);
        execute format('revoke all on %s from {SERVICE}, {ENGINE}', partition);
    end loop;
end $$;
"""  # noqa: S608 - names of ours
_UNPROTECTED_PARTITION: Final = """
select exists (
    select from pg_class c where c.relispartition and c.relkind in ('r', 'p') and not c.relrowsecurity
        and c.relnamespace = 'public'::regnamespace and pg_has_role(c.relowner, 'USAGE'))
"""
# Everyone may make temporary tables unless someone took that away; health needs one to see whether writing works.
# Whoever may see one workspace could otherwise delete the history of others by the functions.
_FUNCTIONS: Final = (
    "".join(
        f"""
    revoke all on function {name} from public, {SERVICE};
    grant execute on function {name} to {ENGINE}{f", {SERVICE}" if may_requests else ""};
    """
        for name, may_requests in rights.FUNCTIONS.items()
    )
    + f"grant usage on sequence event_sequence to {SERVICE}, {ENGINE};"
)
# What is noted at each table's policy of the engine, and a digest of all that lets anyone see its rows.
_NOTED: Final = """
select c.relname::text, obj_description(own.oid, 'pg_policy'), md5(concat_ws(' ', c.relrowsecurity, c.relacl, (
        select string_agg(a.attname || a.attacl::text, ' ' order by a.attnum) from pg_attribute a
        where a.attrelid = c.oid and a.attacl is not null), (
        select string_agg(concat_ws(' ', p.polname, p.polcmd, p.polpermissive, p.polroles,
            pg_get_expr(p.polqual, c.oid), pg_get_expr(p.polwithcheck, c.oid)), ' ' order by p.polname)
        from pg_policy p where p.polrelid = c.oid)))
from pg_class c join pg_policy own on own.polrelid = c.oid and own.polname = 'of_engine'
where c.relnamespace = 'public'::regnamespace and not c.relispartition
"""
_GRANT_TEMPORARY: Final = f"""
do $$ begin
    execute format('grant temporary on database %I to {SERVICE}, {ENGINE}', current_database());
exception when insufficient_privilege then null;
end $$
"""
# Keys from before the column, or from when nobody kept workspaces apart: of a session with a workspace, or of a key.
_PREPARED: Final = {
    "idempotency": """
    update idempotency i set workspace_id = coalesce(
        substring(i.credential from '@([0-9a-f]{32})$')::uuid,
        (select k.workspace_id from api_key k where k.id = substring(i.credential from '^key:([0-9a-f]{32})$')::uuid))
    where i.workspace_id is null;
    """
}
"""Table -> what has to be in its rows before requests see only some of them."""


async def ensure(connection: Db, *, superuser_dsn: str | None) -> bool:
    """Do what is missing or outdated, as far as we may; return whether tenants are kept apart now.

    Each table has a transaction of its own, so that a process that uses several of them is not in a deadlock with this.
    Until the last one, and for processes of an older version, connections keep the role that owns the tables.

    `superuser_dsn`: the address of someone who may make roles, if we may not.
    """
    if await are_current(connection):
        return True
    if not await _ensure_roles(connection, superuser_dsn):
        return False
    await connection.execute(_GRANT_TEMPORARY)
    await connection.execute(f"grant usage on schema public to {SERVICE}, {ENGINE}")
    tables = await _tables(connection)
    for table, column in tables.items():
        async with connection.transaction():
            await connection.execute(_table_sql(table, column))
    await connection.execute(_PARTITIONS + _FUNCTIONS)
    await _note(connection, tables)
    _logger.info("database.isolated")
    return await are_in_force(connection)


async def are_current(connection: Db) -> bool:
    """Return whether tenants are kept apart as this version does it, and nobody changed a right or policy since."""
    if not await are_in_force(connection) or await connection.fetchval(_UNPROTECTED_PARTITION):
        return False
    tables = await _tables(connection)
    version = _version(tables)
    noted = {row[0]: row[1] == f"{version} {row[2]}" for row in await connection.fetch(_NOTED)}
    return all(noted.get(table, False) for table in tables)


async def _note(connection: Db, tables: Mapping[str, str | None]) -> None:
    """Note at each table the version that did it, and what it did; last of all, so that an interruption is seen."""
    version = _version(tables)
    for table, _, digest in await connection.fetch(_NOTED):
        if table in tables:
            await connection.execute(f"""comment on policy of_engine on "{table}" is '{version} {digest}'""")


async def _tables(connection: Db) -> dict[str, str | None]:
    """Return our tables, each with the column that says whose a row is, or None."""
    return {row[0]: row[1] for row in await connection.fetch(_TABLES)}


def _version(tables: Mapping[str, str | None]) -> str:
    """Return a digest of all that is done here."""
    statements = [_PARTITIONS, _FUNCTIONS, *(_table_sql(table, column) for table, column in tables.items())]
    return hashlib.sha256("\n".join(statements).encode()).hexdigest()[:16]


async def _ensure_roles(connection: Db, superuser_dsn: str | None) -> bool:
    if await connection.fetchval(_ROLES, [SERVICE, ENGINE]) == 2:
        return True
    login = await connection.fetchval("select quote_ident(current_user)")
    if await connection.fetchval(_MAY_MAKE_ROLES):
        return await _try(connection, _MAKE_ROLES.format(login=login))
    if superuser_dsn is None:
        return False
    superuser: Db = await asyncpg.connect(superuser_dsn)
    try:
        return await _try(superuser, _MAKE_ROLES.format(login=login))
    finally:
        await superuser.close()


async def _try(connection: Db, script: str) -> bool:
    try:
        await connection.execute(script)
    except asyncpg.InsufficientPrivilegeError:  # such as a role of this name that is not ours to grant
        return False
    return True


def _table_sql(table: str, column: str | None) -> str:
    right = rights.RIGHTS.get(table, Rights("", ""))
    name = f'"{table}"'
    # An equality, which the planner merges with that of the statement, and then checks once instead of for each row.
    sees = right.sees or (f"{column} = {rights.TENANT}" if column else None)
    statements = [_PREPARED.get(table, ""), _DROP_POLICIES, f"alter table {name} enable row level security;"]
    statements += [_POLICY_OF_ENGINE, _POLICY_OF_REQUESTS if sees else ""]
    grants = [
        f"grant {allowed} on {name} to {role};"
        for role, allowed in ((SERVICE, right.service), (ENGINE, right.engine))
        if allowed
    ]
    filled = [statement.replace("{table}", name).replace("{sees}", sees or "") for statement in statements]
    return "\n".join([*filled, f"revoke all on {name} from {SERVICE}, {ENGINE};", *grants])
