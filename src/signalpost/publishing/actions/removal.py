"""Removing published posts from their networks: a job per target, tried again until it succeeds or is given up."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

import msgspec
from msgspec import Struct

from signalpost import networks
from signalpost.accounts import queries as accounts
from signalpost.accounts.secrets import NoCredentials
from signalpost.accounts.token_store import open_session
from signalpost.context import AppContext
from signalpost.engine import jobs
from signalpost.engine.contract import Lease
from signalpost.events import Actor, Removal
from signalpost.kit import clock, ids, log
from signalpost.kit.db import Db
from signalpost.kit.http import HttpFailure
from signalpost.networks.contract import ApiError
from signalpost.posts.change.removals import FAILED, REMOVE, job_key
from signalpost.posts.documents import Change
from signalpost.posts.states import UNDER_WAY, WAITING, sources
from signalpost.posts.target_errors import target_error
from signalpost.posts.write import audit
from signalpost.posts.write.audit import PostRef

_logger = log.get("publishing")

# A job that failed for good may be run again weeks later. By then the post may be restored, by people who read that it
# is still public, and a thread may have gone on. Of a post that was deleted for good there is no row.
_IS_OUTDATED = """
select t.remote_id is distinct from $2 or t.thread_ids <> $3 or t.status = any($4)
    or (p.deleted_at is null and coalesce(t.error ->> 'code' = 'removal_failed', false))
from target t join post p on p.id = t.post_id where t.id = $1
"""
_MARK_REMOVED = """
update target set status = 'removed', removed_at = now(), error = null, updated_at = now()
where id = $1 and status = any($3) and remote_id = $2 returning post_id, workspace_id
"""
# A thread that failed after some parts were public stays failed; to the network, the next attempt is a new post.
_FORGET_PARTS = """
update target set remote_id = null, url = null, thread_ids = '{}', steps = '{}', error = case
        when error ->> 'code' = 'removal_failed' then null else error end,
    dedupe_key = replace(gen_random_uuid()::text, '-', ''), updated_at = now()
where id = $1 and status = 'failed' and remote_id = $2 returning post_id, workspace_id
"""
_MARK_FAILED = """
update target set error = $3, updated_at = now()
where id = $1 and status in ('published', 'failed') and remote_id = $2 returning post_id, workspace_id
"""


class RemovalPayload(Struct, frozen=True, kw_only=True):
    """What the job stores: a target with something public, as it was when its removal was requested."""

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
    key = job_key(removal.target_id)
    await jobs.enqueue(db, REMOVE, msgspec.to_builtins(payload), unique_key=key, workspace_id=workspace_id)


async def remove_from_network(context: AppContext, lease: Lease, payload: Mapping[str, Any]) -> None:
    """Delete what is public at the network and write that down. Whatever it raises, the job is tried again.

    A published target becomes removed; one that failed on the way has nothing public any more. Nothing happens if the
    target is not what it was when its removal was requested.
    """
    removal = msgspec.convert(payload, RemovalPayload)
    connector = networks.get(removal.platform)
    async with context.database.connection() as db:
        account = await accounts.by_id(db, removal.account_id)
        is_outdated = await db.fetchval(
            _IS_OUTDATED, removal.target_id, removal.remote_id, removal.thread_ids, [*WAITING, *UNDER_WAY]
        )
    if is_outdated:
        _logger.info("target.removal_outdated", target=ids.encode("tgt", removal.target_id), platform=removal.platform)
        return
    if connector is None or connector.delete is None or account is None:
        await tell_failure(lease, payload, None, "The account is no longer here.")
        return
    session = await open_session(context, account, context.http.publishing)
    await connector.delete(session, removal.remote_id, removal.thread_ids)
    changes = [Change("status", "published", "removed")]
    async with lease.transaction() as db:
        row = await db.fetchrow(_MARK_REMOVED, removal.target_id, removal.remote_id, sources("removed"))
        if row is None:
            row = await db.fetchrow(_FORGET_PARTS, removal.target_id, removal.remote_id)
            changes = [Change("platform_post_id", removal.remote_id, None)]
        if row is not None:
            entry = audit.entry(PostRef(*row), "updated", removal.actor, target_id=removal.target_id, changes=changes)
            await audit.record(db, [entry])


async def tell_failure(
    lease: Lease, payload: Mapping[str, Any], error: Exception | None, message: str | None = None
) -> None:
    """Note on the target and in the audit log that its post is still at the network, and why.

    Nothing is noted if the target is not the one that it was when its removal was requested.
    """
    removal = msgspec.convert(payload, RemovalPayload)
    failure = target_error(FAILED, message or _reason(removal.platform, error), clock.now())
    _logger.error(
        "target.not_removed",
        target=ids.encode("tgt", removal.target_id),
        platform=removal.platform,
        reason=failure.message,
    )
    changes = [Change("error", None, failure.message)]
    async with lease.transaction() as db:
        row = await db.fetchrow(_MARK_FAILED, removal.target_id, removal.remote_id, failure)
        if row is not None:
            actor = Actor(type="system", id=None, name="publisher")
            entry = audit.entry(PostRef(*row), "updated", actor, target_id=removal.target_id, changes=changes)
            await audit.record(db, [entry])


def _reason(platform: str, error: Exception | None) -> str:
    """Return why the network still has the post, in its own words if it gave any."""
    connector = networks.get(platform)
    if isinstance(error, ApiError) and connector is not None:
        return getattr(connector.explain(error), "message", None) or str(error)
    if isinstance(error, HttpFailure | NoCredentials):
        return str(error)
    return "Removing the post failed unexpectedly." if error else "Removing the post crashed the service several times."
