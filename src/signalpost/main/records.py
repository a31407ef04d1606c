"""What the commands of operators list: rows of the whole installation, newest first, for people and as JSON.

These commands only read. They need no keys and no HTTP client, so they start in a fraction of the time of the service,
and they use its database while it runs.
"""

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

import asyncpg

from signalpost.embedded_postgres.cluster import is_initialised
from signalpost.identity.queries import plan_in_force
from signalpost.kit import clock, ids
from signalpost.kit.errors import OperatorError
from signalpost.kit.program import command_line
from signalpost.kit.rows import read_all
from signalpost.main.database import database_of
from signalpost.main.interruption import interruptible
from signalpost.settings import Settings

T = TypeVar("T")
Record = dict[str, Any]

_CHOSEN = """
with chosen as (
    select * from workspace
    where ($1::text is null or id = $2 or slug = $1 or name = $1) and deleted_at is null
)
"""
_IS_THERE = "".join((_CHOSEN, "select exists (select from chosen)"))
LISTS: Mapping[str, str] = {
    "users": """
        select u.id as user_id, u.email, u.name, u.timezone, u.is_staff, u.created_at,
            u.password_hash is null as is_demo,
            (select count(*) from member m where m.user_id = u.id and m.status = 'active') as workspaces
        from app_user u where u.deleted_at is null and ($1::text is null or exists (
            select from member m join chosen w on w.id = m.workspace_id where m.user_id = u.id))
        order by u.created_at desc, u.id desc limit $3""",
    "workspaces": """
        select w.id as workspace_id, w.name, w.slug, w.plan, w.timezone, u.email as owner, w.created_at
        from chosen w left join member m on m.workspace_id = w.id and m.role = 'owner' and m.status = 'active'
        left join app_user u on u.id = m.user_id
        order by w.created_at desc, w.id desc limit $3""",
    "keys": """
        select k.id as key_id, k.name, k.mode, k.permission, w.id as workspace_id, w.name as workspace, k.created_at,
            k.last_used_at, k.expires_at, k.revoked_at
        from api_key k join chosen w on w.id = k.workspace_id
        order by k.created_at desc, k.id desc limit $3""",
    "accounts": """
        select a.id as account_id, a.platform, a.username, a.status, a.status_reason, w.id as workspace_id,
            w.name as workspace, a.profile_id, a.last_published_at, a.created_at
        from account a join chosen w on w.id = a.workspace_id
        order by a.created_at desc, a.id desc limit $3""",
    "posts": """
        select p.id as post_id, p.status, p.mode, left(p.text, 60) as text, w.id as workspace_id, w.name as workspace,
            p.scheduled_at, p.published_at, p.created_at, p.deleted_at
        from post p join chosen w on w.id = p.workspace_id
        order by p.created_at desc, p.id desc limit $3""",
    "webhooks": """
        select h.id as webhook_id, h.url, h.status, h.disabled_reason, h.events, w.id as workspace_id,
            w.name as workspace, h.consecutive_failures, h.last_success_at, h.last_failure_at, h.created_at
        from webhook h join chosen w on w.id = h.workspace_id
        order by h.created_at desc, h.id desc limit $3""",
    "feedback": """
        select f.created_at, w.id as workspace_id, w.name as workspace, u.email, f.plan, f.stage, f.reason, f.rating,
            f.comment
        from billing_feedback f join chosen w on w.id = f.workspace_id join app_user u on u.id = f.user_id
        order by f.created_at desc, f.id desc limit $3""",
    "mail": """
        select replace(m.id::text, '-', '') as message, m.recipient, m.template, m.state, m.error, m.attempts,
            m.workspace_id, m.created_at, m.settled_at
        from mail_message m where $1::text is null or exists (select from chosen w where w.id = m.workspace_id)
        order by m.created_at desc, m.id desc limit $3""",
}  # fmt: skip
NONE: Mapping[str, str] = {name: f"There are no {name}.\n" for name in LISTS} | {
    "mail": "There is no unsent mail.\n",
    "feedback": "There is no feedback.\n",
}
_POST = """
select p.id as post_id, p.status, p.mode, p.text, p.workspace_id, p.profile_id, p.scheduled_at, p.published_at,
    p.created_at, p.deleted_at
from post p where p.id = $1
"""
_TARGETS = """
select t.id as target_id, t.platform, a.username, t.status, t.held_reason, t.attempts, t.next_attempt_at, t.url,
    t.error ->> 'code' as error, t.error ->> 'message' as message
from target t join account a on a.id = t.account_id where t.post_id = $1 order by t.position
"""
_PREFIXES = {
    "user_id": "usr", "workspace_id": "wsp", "key_id": "key", "account_id": "acc", "profile_id": "prof",
    "post_id": "pst", "target_id": "tgt", "webhook_id": "whk", "subscription_id": "sub",
}  # fmt: skip


_SUBSCRIBERS = """
select id as subscription_id, coalesce(url, email) as address, active, failures, network, heard_at, created_at
from status_subscriber order by created_at desc, id desc limit $1
"""
_END_SUBSCRIBER = "delete from status_subscriber where id = $1 returning coalesce(url, email)"


class NothingThere(OperatorError):
    """The data folder has no database, or the database has no such row."""


async def subscribers(db: "asyncpg.Connection[Any]", limit: int) -> list[Record]:
    """Return the newest subscriptions to the service status."""
    return await read_all(db, _record, _SUBSCRIBERS, limit)


async def end_subscriber(db: "asyncpg.Connection[Any]", subscription: str) -> Record:
    """End a subscription to the service status.

    Raises:
        NothingThere: there is no such subscription.
    """
    address = await db.fetchval(_END_SUBSCRIBER, ids.decode("sub", subscription))
    if address is None:
        raise NothingThere(f"There is no subscription {subscription!r}. `status subscribers` shows their ids.")
    return {"ended": subscription, "address": address}


async def listing(
    settings: Settings, db: "asyncpg.Connection[Any]", name: str, workspace: str | None, limit: int
) -> list[Record]:
    """Return the newest records, of one workspace or of all. The plan of a workspace is the one in force.

    Raises:
        NothingThere: no workspace has this id, slug or name.
    """
    workspace_id = ids.decode("wsp", workspace) if workspace else None
    if workspace and not await db.fetchval(_IS_THERE, workspace, workspace_id):
        raise NothingThere(f"There is no workspace {workspace!r}. `workspaces list` shows their ids, names and slugs.")
    rows = [_record(row) for row in await db.fetch("".join((_CHOSEN, LISTS[name])), workspace, workspace_id, limit)]
    if name == "workspaces":
        for row in rows:
            row["plan"] = plan_in_force(settings, row["plan"])
    return rows


async def post(db: "asyncpg.Connection[Any]", post_id: str) -> Record:
    """Return a post with its targets.

    Raises:
        NothingThere: no post has this id.
    """
    row = await db.fetchrow(_POST, ids.decode("pst", post_id))
    if row is None:
        raise NothingThere(f"There is no post {post_id!r}. `posts list` shows their ids (pst_...).")
    return _record(row) | {"targets": [_record(target) for target in await db.fetch(_TARGETS, row["post_id"])]}


async def with_connection(settings: Settings, work: "Callable[[asyncpg.Connection[Any]], Awaitable[T]]") -> T:
    """Run `work` on a connection; the embedded database is started only if no service runs on the folder.

    Raises:
        NothingThere: the data folder has no database.
    """
    if settings.database_url is None and not is_initialised(settings.data_dir / "postgres"):
        start = command_line("serve", settings.data_dir)
        raise NothingThere(
            f"There is no database in {settings.data_dir}. `{start}` creates one; --data-dir names another."
        )
    with interruptible():
        async with database_of(settings) as (dsn, _):
            connection = await asyncpg.connect(dsn, server_settings={"application_name": "signalpost-cli"})
            try:
                return await work(connection)
            finally:
                await connection.close()


def _record(row: "asyncpg.Record") -> Record:
    """Return a row with the names and values of the API."""
    return {_camel(name): _value(name, value) for name, value in row.items()}


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.title, others))


def _value(name: str, value: Any) -> Any:
    if isinstance(value, UUID):
        return ids.encode(_PREFIXES[name], value)
    return clock.wire(value) if isinstance(value, datetime) else value


def table(records: list[Record]) -> str:
    """Return records as columns for people; empty columns are left out."""
    names = [name for name in records[0] if any(record[name] not in (None, "", [], False) for record in records)]
    rows = [names, *([_cell(record[name]) for name in names] for record in records)]
    widths = [max(len(row[index]) for row in rows) for index in range(len(names))]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "".join(line.rstrip() + "\n" for line in lines)


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = ", ".join(value) if isinstance(value, list) else "" if value is None else str(value)
    return " ".join(text.split())
