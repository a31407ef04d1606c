"""Makes the database keep tenants apart: two roles, what they may do, and a policy for each table with tenants.

The names of the roles and what they see are in `kit.isolation`. It is not a revision, because it can only be done where
roles may be made, perhaps long after the migrations. It is done again for tables that come later, by a version that has
other policies, and where someone changed one.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Final

import asyncpg

from signalpost.kit import log
from signalpost.kit.db import Db
from signalpost.kit.isolation import ENGINE, SERVICE, are_in_force

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

_TABLES: Final = """
select c.relname, a.attname from pg_class c
left join pg_attribute a on a.attrelid = c.oid and not a.attisdropped
    and a.attname = case when c.relname = 'workspace' then 'id' else 'workspace_id' end
where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
    and pg_has_role(c.relowner, 'USAGE')
order by c.relname
"""
# An equality, which the planner merges with that of the statement, and then checks once instead of for each row.
_POLICIES: Final = f"""
alter table {{table}} enable row level security;
drop policy if exists of_workspace on {{table}};
create policy of_workspace on {{table}} to {SERVICE}
    using ({{column}} = nullif(current_setting('signalpost.tenant', true), '')::uuid);
drop policy if exists of_engine on {{table}};
create policy of_engine on {{table}} to {ENGINE} using (true);
"""
# Everyone may make temporary tables unless someone took that away; health needs one to see whether writing works.
# Whoever may see one workspace could otherwise delete the history of others by it.
_FUNCTIONS: Final = f"""
revoke all on function purge_audit from public, {SERVICE};
grant execute on function purge_audit to {ENGINE};
revoke all on function rotate_request_log from public, {SERVICE};
grant execute on function rotate_request_log to {ENGINE};
grant usage on sequence event_sequence to {SERVICE}, {ENGINE};
"""
_NOTED: Final = """
select c.relname::text, p.polname::text, obj_description(p.oid, 'pg_policy'), md5(pg_get_expr(p.polqual, p.polrelid))
from pg_policy p join pg_class c on c.oid = p.polrelid
where c.relnamespace = 'public'::regnamespace and p.polname in ('of_workspace', 'of_engine')
"""
_GRANT_TEMPORARY: Final = f"""
do $$ begin
    execute format('grant temporary on database %I to {SERVICE}, {ENGINE}', current_database());
exception when insufficient_privilege then null;
end $$
"""
_ALL: Final = "select, insert, update, delete"
_RIGHTS: Final = {
    "alembic_version": ("", "select"),
    "audit": ("select, insert", "select, insert"),
    "audit_seal": ("select", "select, insert"),
    "backup": ("", "select"),
    "engine_timeline": ("", _ALL),
    "feature_flag": ("select", _ALL),
    "instance": ("", _ALL),
    "rate_bucket": ("", _ALL),
    "request_log": ("select", "select, insert"),
    "worker": ("", _ALL),
}
"""Table -> what SERVICE may do, and ENGINE; of all others: everything."""


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
    await connection.execute(_FUNCTIONS)
    await _note(connection, tables)
    _logger.info("database.isolated")
    return await are_in_force(connection)


async def are_current(connection: Db) -> bool:
    """Return whether tenants are kept apart as this version does it, and nobody changed a policy since."""
    if not await are_in_force(connection):
        return False
    tables = await _tables(connection)
    version = _version(tables)
    noted = {(row[0], row[1]): row[2] == f"{version} {row[3]}" for row in await connection.fetch(_NOTED)}
    policies = [(table, name) for table, column in tables.items() if column for name in ("of_workspace", "of_engine")]
    return all(noted.get(policy, False) for policy in policies)


async def _note(connection: Db, tables: Mapping[str, str | None]) -> None:
    """Note at each policy the version that made it, and what it says; last of all, so that an interruption is seen."""
    version = _version(tables)
    for table, name, _, digest in await connection.fetch(_NOTED):
        if table in tables:
            await connection.execute(f"""comment on policy {name} on "{table}" is '{version} {digest}'""")


async def _tables(connection: Db) -> dict[str, str | None]:
    """Return our tables, each with the column that says whose a row is, or None."""
    return {row[0]: row[1] for row in await connection.fetch(_TABLES)}


def _version(tables: Mapping[str, str | None]) -> str:
    """Return a digest of all that is done here."""
    statements = [_FUNCTIONS, *(_table_sql(table, column) for table, column in tables.items())]
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
    statements: Sequence[str] = [_POLICIES.format(table=f'"{table}"', column=column)] if column else []
    rights = zip((SERVICE, ENGINE), _RIGHTS.get(table, (_ALL, _ALL)), strict=True)
    grants = [f'grant {right} on "{table}" to {role};' for role, right in rights if right]
    return "\n".join([*statements, f'revoke all on "{table}" from {SERVICE}, {ENGINE};', *grants])
