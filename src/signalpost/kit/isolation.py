"""Which rows a connection sees: PostgreSQL's row-level security holds even for a statement that forgot its condition.

The role of the address that we connect with owns the tables. Connections leave that role as soon as they are lent:

- SERVICE sees the rows of one workspace, the one in the setting `signalpost.tenant`, and none while it is empty.
- ENGINE sees all rows.

Neither owns anything, and the log of what was done takes only new rows from them. `migrations.policies` makes the
roles and policies; where it cannot, connections keep their role. See decision 0137.
"""

from typing import Any, Final, TypeAlias
from uuid import UUID

from signalpost.kit.tenant import across, tenant

SERVICE: Final = "signalpost_service"
ENGINE: Final = "signalpost_engine"

Visible: TypeAlias = UUID | str | None
"""The rows of a workspace, of every one (ENGINE), or of none (SERVICE). None: the connection keeps its own role."""

# Which tables have rows of tenants follows from their columns, so that a new one cannot be left out.
_IN_FORCE: Final = """
select (
        select count(*) = 2 and bool_and(
            pg_has_role(current_user, oid, $1) and has_database_privilege(oid, current_database(), 'TEMP'))
        from pg_roles where rolname = any($2))
    and not exists (
        select from pg_class c
        where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace and exists (
            select from pg_attribute a where a.attrelid = c.oid and a.attname = 'workspace_id' and not a.attisdropped)
        and not (c.relrowsecurity and has_table_privilege($3, c.oid, 'select') and exists (
            select from pg_policy p join pg_roles r on r.oid = any(p.polroles)
            where p.polrelid = c.oid and r.rolname = $3)))
"""


async def are_in_force(connection: Any) -> bool:
    """Return whether the database keeps tenants apart: roles that may be taken, and a policy for every table."""
    if await connection.fetchval("select count(*) from pg_roles where rolname = any($1)", [SERVICE, ENGINE]) < 2:
        return False
    privilege = "SET" if connection.get_server_version().major >= 16 else "MEMBER"
    in_force: bool = await connection.fetchval(_IN_FORCE, privilege, [SERVICE, ENGINE], ENGINE)
    return in_force


def of_task() -> Visible:
    """Return the rows that the current task may see."""
    if across.get():
        return ENGINE
    current = tenant.get()
    if current is None or current.workspace_id is None:
        return SERVICE
    if not isinstance(current.workspace_id, UUID):
        raise TypeError(f"{current.workspace_id!r} is not the id of a workspace")
    return current.workspace_id


def of_engine() -> Visible:
    """Return the rows that claiming and settling need: all."""
    return ENGINE


def show_sql(visible: Visible, *, local: bool = False) -> str:
    """Return the statements by which a connection sees these rows; `local`: until the end of the transaction."""
    if visible is None:
        return ""
    role = ENGINE if visible == ENGINE else SERVICE
    workspace = str(visible) if isinstance(visible, UUID) else ""
    word = "set local" if local else "set"
    return f"{word} role {role}; {word} signalpost.tenant = '{workspace}'"
