"""Removing published posts from their networks: a job per target, tried again until it succeeds or is given up."""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

import msgspec
from msgspec import Struct

from signalpost import networks
from signalpost.accounts import queries as accounts
from signalpost.accounts.token_store import open_session
from signalpost.context import AppContext
from signalpost.engine import jobs
from signalpost.engine.contract import Lease
from signalpost.events import Actor, Removal
from signalpost.kit import ids
from signalpost.kit.db import Db

REMOVE: Final = "publishing.remove"

_MARK_REMOVED = """
with gone as (
    update target set status = 'removed', removed_at = now(), updated_at = now()
    where id = $1 and status = 'published' and remote_id = $2 returning id, post_id, workspace_id
)
insert into audit (id, workspace_id, post_id, target_id, action, actor, changes)
select $3, workspace_id, post_id, id, 'updated', $4, $5 from gone
"""


class RemovalPayload(Struct, frozen=True, kw_only=True):
    """What the job stores: a published target as it was when its removal was requested."""

    target_id: UUID
    account_id: UUID
    platform: str
    remote_id: str
    thread_ids: list[str]
    actor: Actor


async def enqueue_removal(db: Db, removal: Removal, *, workspace_id: UUID, actor: Actor) -> None:
    """Write the job that removes one post from its network."""
    payload = RemovalPayload(
        target_id=removal.target_id,
        account_id=removal.account_id,
        platform=removal.platform,
        remote_id=removal.remote_id,
        thread_ids=list(removal.thread_ids),
        actor=actor,
    )
    await jobs.enqueue(
        db, REMOVE, msgspec.to_builtins(payload), unique_key=f"{REMOVE}/{removal.target_id}", workspace_id=workspace_id
    )


async def remove_from_network(context: AppContext, lease: Lease, payload: Mapping[str, Any]) -> None:
    """Delete the post at its network and mark the target as removed. Whatever it raises, the job is tried again."""
    removal = msgspec.convert(payload, RemovalPayload)
    connector = networks.get(removal.platform)
    async with context.database.connection() as db:
        account = await accounts.by_id(db, removal.account_id)
    if connector is None or connector.delete is None or account is None:
        return
    session = await open_session(context, account)
    await connector.delete(session, removal.remote_id, removal.thread_ids)
    changes = [{"field": "status", "from": "published", "to": "removed"}]
    async with lease.transaction() as db:
        await db.execute(_MARK_REMOVED, removal.target_id, removal.remote_id, ids.new_id(), removal.actor, changes)
