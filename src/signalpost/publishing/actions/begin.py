"""The beginning of an attempt, before the network is asked. Under the lane's lease."""

from uuid import UUID

import msgspec

from signalpost import networks
from signalpost.accounts import queries as accounts
from signalpost.context import AppContext
from signalpost.kit import ids
from signalpost.kit.db import Db
from signalpost.media import queries as media
from signalpost.networks.contract import Connector
from signalpost.posts import content
from signalpost.posts.states import WAITING, move
from signalpost.publishing import queries
from signalpost.publishing.actions.change import apply_change, derive_post
from signalpost.publishing.attempt import Attempt, take_snapshot
from signalpost.publishing.policy import BACKLOG_SECONDS, Postponed, TargetChange, TargetSnapshot, decide
from signalpost.publishing.queries import DueTarget, LockedTarget, TargetContext

_CLOSE_CRASHED = """
update attempt set finished_at = now(), outcome = 'crashed' where target_id = $1 and finished_at is null
"""
_START = """
with begun as (
    insert into attempt (id, workspace_id, post_id, target_id, number, kind, owner, content_hash)
    values ($2, $3, $4, $1, $5, $6, $7, $8)
)
update target set status = $9, attempts = $5, tries = $10, crashes = $11, held_reason = null,
    intent = case when $12 then null else intent end, pending_state = case when $12 then null else pending_state end,
    started_at = coalesce(started_at, now()), updated_at = now()
where id = $1
"""
# The next target that is on time comes first, then those of the backlog in their order, a gap apart.
_POSTPONE = """
with waiting as (
    select id, row_number() over (order by due_at < now() - make_interval(secs => $4), next_attempt_at, id) - 1 as nth
    from target
    where account_id = $1 and status = any($5) and (next_attempt_at <= now()
        or (next_attempt_at is not null and held_reason is null and due_at < now() - make_interval(secs => $4)))
)
update target t set updated_at = now(),
    next_attempt_at = greatest(t.next_attempt_at, $2::timestamptz + make_interval(secs => w.nth * $3))
from waiting w where t.id = w.id
"""


async def begin_attempt(
    context: AppContext, db: Db, due: DueTarget, *, account_id: UUID, owner: UUID
) -> Attempt | TargetChange | None:
    """Read the target with everything it depends on; start an attempt if one may be made.

    Returns:
        The attempt; or the change that was written instead; or None if there is nothing to do any more.
    """
    locked = await queries.lock_target(db, due)
    if locked is None:
        return None
    target_context = await queries.load_context(db, due.id, locked.post.profile_id)
    if not target_context.is_due:
        return None  # cancelled, edited or moved since it was claimed
    if target_context.crashed:  # its worker died, or lost the lease
        await db.execute(_CLOSE_CRASHED, due.id)
    connector = networks.get(due.platform)
    snapshot = take_snapshot(locked, target_context, connector)
    decision = decide(snapshot)
    if isinstance(decision, Postponed):
        gap_seconds = float(target_context.gap_seconds)
        await db.execute(_POSTPONE, account_id, decision.until, gap_seconds, BACKLOG_SECONDS, WAITING)
        return None
    if isinstance(decision, TargetChange):
        await apply_change(context, db, locked, decision, target_context.now)
        return decision
    assert connector is not None  # noqa: S101 - otherwise `decide` failed the target
    return await _start(db, locked, target_context, snapshot, connector, owner)


async def _start(
    db: Db,
    locked: LockedTarget,
    target_context: TargetContext,
    snapshot: TargetSnapshot,
    connector: Connector,
    owner: UUID,
) -> Attempt:
    post, targets, target = locked
    kind = snapshot.kind
    first = target.status == "pending"
    publishing = kind == "publish"
    tries = snapshot.tries + publishing
    attempt_id, number = ids.new_id(), target.attempts + publishing
    status = "publishing" if publishing or first else target.status
    await db.execute(
        _START, target.id, attempt_id, post.workspace_id, post.id, number, kind, owner, target_context.content_hash,
        status, tries, snapshot.crashes + 1, first and snapshot.intent is None,
    )  # fmt: skip
    move(target, status)
    target.started_at = target.started_at or target_context.now
    await derive_post(db, post, targets, target_context.now)
    account = await accounts.by_id(db, target.account_id)
    assert account is not None  # noqa: S101 - rows of accounts are never deleted
    target_content = content.for_target(post, target)
    files = await media.for_publishing(db, post.workspace_id, target_content.media_ids())
    return Attempt(
        id=attempt_id,
        number=number,
        kind=kind,
        target=DueTarget(target.id, post.id, target.platform),
        snapshot=msgspec.structs.replace(snapshot, status=status, tries=tries, crashes=0),
        connector=connector,
        account=account,
        secrets_version=target_context.secrets_version,
        content=target_content,
        files=list(files.values()),
        steps=target_context.steps,
        dedupe_key=target.dedupe_key,
        created_at=post.created_at,
    )
