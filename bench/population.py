"""Many tenants, written set-based: copies of the rows of one workspace."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import asyncpg

from signalpost.accounts.token_store import seal, unseal
from signalpost.kit import ids
from signalpost.kit.crypto import KeyRing

_COLUMNS = """
select attname from pg_attribute
where attrelid = $1::text::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attidentity = ''
order by attnum
"""
_TENANTS = """
create temp table tenant (
    number serial, user_id uuid, workspace_id uuid, profile_id uuid, account_id uuid, username text, secrets bytea)
"""
_PLAN = """
create temp table plan on commit drop as
select n as number, uuidv7() as post_id, uuidv7() as target_id, t.account_id, t.workspace_id, t.profile_id
from generate_series(1, $1::int) as n join tenant t on t.number = 1 + n % (select count(*) from tenant)
"""
_WAKE = """
select count(wake_lanes('target', account_ids, workspace_id, platforms, due)) from (
    select workspace_id, array_agg(account_id) as account_ids, array_agg('sandbox'::text) as platforms,
        array_agg($1::timestamptz) as due
    from (select distinct workspace_id, account_id from plan) as lane group by workspace_id) as lanes
"""


@dataclass(frozen=True)
class Template:
    """The workspace whose rows are copied."""

    workspace_id: UUID
    profile_id: UUID
    account_id: UUID


async def populate(
    db: "asyncpg.Connection[Any]", keys: KeyRing, template: Template, *, workspaces: int, accounts_each: int
) -> None:
    """Write workspaces with owner, profile and sandbox accounts each, listed in the temporary table `tenant`."""
    await db.execute(_TENANTS)
    sealed = await db.fetchval("select secrets from account where id = $1", template.account_id)
    secrets = unseal(keys, template.workspace_id, template.account_id, sealed)
    rows = []
    for _ in range(workspaces):
        user_id, workspace_id, profile_id = ids.new_id(), ids.new_id(), ids.new_id()
        for _ in range(accounts_each):
            account_id = ids.new_id()
            sealed = seal(keys, workspace_id, account_id, secrets)
            rows.append((user_id, workspace_id, profile_id, account_id, f"tenant{account_id.hex}", sealed))
    names = ("user_id", "workspace_id", "profile_id", "account_id", "username", "secrets")
    await db.copy_records_to_table("tenant", records=rows, columns=names)
    some = "(select distinct user_id, workspace_id, profile_id from tenant) as n"
    whose = {"workspace_id": "n.workspace_id"}
    await copy(
        db,
        "workspace",
        "t.id = $1",
        {"id": "n.workspace_id", "slug": "n.workspace_id::text"},
        some,
        template.workspace_id,
    )
    user = {"id": "n.user_id", "email": "n.user_id || '@bench.test'"}
    of_owner = "t.id = (select user_id from member where workspace_id = $1)"
    await copy(db, "app_user", of_owner, user, some, template.workspace_id)
    member = whose | {"id": "uuidv7()", "user_id": "n.user_id"}
    await copy(db, "member", "t.workspace_id = $1", member, some, template.workspace_id)
    await copy(db, "profile", "t.id = $1", whose | {"id": "n.profile_id"}, some, template.profile_id)
    account = whose | {
        "id": "n.account_id", "profile_id": "n.profile_id", "username": "n.username", "remote_id": "n.username",
        "secrets": "n.secrets",
    }  # fmt: skip
    await copy(db, "account", "t.id = $1", account, "tenant as n", template.account_id)


async def write_posts(
    db: "asyncpg.Connection[Any]", post_id: UUID, count: int, *, when: datetime | None = None
) -> None:
    """Write copies of a post with one target, for all accounts of `tenant` in turn.

    Args:
        db: the connection that has populated the database.
        post_id: the post to copy, with its target and its history.
        count: how many.
        when: their time, at which lanes are woken. None: the time of the copied post, and nothing wakes.
    """
    async with db.transaction():
        await db.execute(_PLAN, count)
        scheduled, due = ({}, {}) if when is None else _times(f"'{when.isoformat()}'")
        whose = {"workspace_id": "n.workspace_id", "post_id": "n.post_id"}
        post = scheduled | whose | {"id": "n.post_id", "profile_id": "n.profile_id", "text": "'Post ' || n.number"}
        await copy(db, "post", "t.id = $1", post, "plan as n", post_id)
        target = due | whose | {
            "id": "n.target_id", "account_id": "n.account_id", "dedupe_key": "n.target_id::text",
            "content_hash": "sha256(uuid_send(n.target_id))",
        }  # fmt: skip
        await copy(db, "target", "t.post_id = $1", target, "plan as n", post_id)
        await copy(db, "audit", "t.post_id = $1", whose | {"id": "uuidv7()"}, "plan as n", post_id)
        if when is not None:
            await db.execute(_WAKE, when)


def _times(when: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return the columns of `post` and of `target` that hold the time of a post."""
    return {"scheduled_at": when}, {"due_at": when, "next_attempt_at": when}


async def copy(
    db: "asyncpg.Connection[Any]", table: str, which: str, changes: Mapping[str, str], rows: str, *arguments: Any
) -> None:
    """Insert a copy of the chosen rows `t` of a table for every row `n`, with other values in some columns."""
    columns = [row[0] for row in await db.fetch(_COLUMNS, table)]
    values = ", ".join(changes.get(name, f"t.{name}") for name in columns)
    names = ", ".join(columns)
    await db.execute(f"insert into {table} ({names}) select {values} from {table} t, {rows} where {which}", *arguments)
