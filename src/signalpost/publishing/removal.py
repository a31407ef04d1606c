"""Removing published posts from their networks, later and as often as it takes: a job per target."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final
from uuid import UUID

from signalpost import networks
from signalpost.accounts import queries as accounts
from signalpost.accounts.token_store import open_session
from signalpost.context import AppContext
from signalpost.engine import jobs
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import JobKind
from signalpost.events import RemovalRequested
from signalpost.kit import ids
from signalpost.kit.db import Db

JOB: Final = "publishing.remove"

_REMOVED = """
with gone as (
    update target set status = 'removed', removed_at = now(), updated_at = now()
    where id = $1 and status = 'published' and remote_id = $2 returning id, post_id, workspace_id
)
insert into audit (id, workspace_id, post_id, target_id, action, actor, changes)
select $3, workspace_id, post_id, id, 'updated', $4, $5 from gone
"""


async def on_removal_requested(_context: AppContext, db: Db, event: RemovalRequested) -> None:
    """Write a job for every post that is to go."""
    for removal in event.removals:
        payload = {
            "targetId": str(removal.target_id),
            "accountId": str(removal.account_id),
            "platform": removal.platform,
            "remoteId": removal.remote_id,
            "threadIds": list(removal.thread_ids),
            "actor": event.actor,
        }
        await jobs.enqueue(
            db, JOB, payload, unique_key=f"{JOB}/{removal.target_id}", workspace_id=event.workspace_id
        )  # fmt: skip


def removal_jobs(context: AppContext) -> list[JobKind]:
    """Return the job that removes posts from their networks."""
    return [JobKind(JOB, remover(context))]


def remover(context: AppContext) -> Callable[[Lease, Mapping[str, Any]], Awaitable[None]]:
    """Return the handler of the job: whatever goes wrong raises, and the job comes again."""

    async def remove(lease: Lease, payload: Mapping[str, Any]) -> None:
        connector = networks.CONNECTORS.get(payload["platform"])
        async with context.database.connection() as db:
            account = await accounts.by_id(db, UUID(payload["accountId"]))
        if connector is None or connector.delete is None or account is None:
            return
        session = await open_session(context, account)
        await connector.delete(session, payload["remoteId"], payload["threadIds"])
        changes = [{"field": "status", "from": "published", "to": "removed"}]
        async with lease.transaction() as db:
            await db.execute(
                _REMOVED, UUID(payload["targetId"]), payload["remoteId"], ids.new_id(), payload["actor"], changes
            )  # fmt: skip

    return remove
