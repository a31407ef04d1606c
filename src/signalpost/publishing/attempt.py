"""An attempt at a target, and the snapshot that it is decided on. Pure."""

import random
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from signalpost.accounts.queries import AccountRow
from signalpost.media.queries import MediaRow
from signalpost.networks.contract import Connector
from signalpost.posts.content import Content
from signalpost.publishing.policy import AttemptKind, TargetSnapshot
from signalpost.publishing.queries import DueTarget, LockedTarget, TargetContext


class Attempt(NamedTuple):
    """An attempt that has begun: its row is committed, the network has not been asked."""

    id: UUID
    number: int
    kind: AttemptKind
    target: DueTarget
    snapshot: TargetSnapshot
    connector: Connector
    account: AccountRow
    secrets_version: int
    content: Content
    files: list[MediaRow]
    steps: dict[str, Any]
    dedupe_key: str
    created_at: datetime


class CallRecord(NamedTuple):
    """What the attempt's record says of the call."""

    duration_ms: int
    request: dict[str, str] | None = None
    http_status: int | None = None
    response: str | None = None


def take_snapshot(locked: LockedTarget, target_context: TargetContext, connector: Connector | None) -> TargetSnapshot:
    """Gather what `decide` needs. An intent whose step is gone belonged to other content: it says nothing of this."""
    post, _, target = locked
    first = target.status == "pending"
    intent = target_context.intent
    return TargetSnapshot(
        status=target.status,
        now=target_context.now,
        due_at=target.due_at,
        tries=0 if first else target_context.tries,
        crashes=0 if first else target_context.crashes,
        crashed=target_context.crashed,
        jitter=random.random(),  # noqa: S311 - spreads load
        reconciles=target_context.reconciles if target.status == "unknown" else 0,
        intent=intent if intent is not None and intent.step in target_context.steps else None,
        pending_state=target_context.pending_state if target.status == "processing" else None,
        error=None if first else target.error,
        trashed=post.deleted_at is not None,
        can_publish=connector is not None,
        can_reconcile=connector is not None and connector.reconcile is not None,
        approval=post.approval.state,
        account_status=target_context.account_status,
        account_reason=target_context.account_reason,
        over_limit=target_context.over_limit,
        last_published_at=target_context.last_published_at,
        last_published_due_at=target_context.last_published_due_at,
        tolerance_seconds=target_context.tolerance_minutes * 60.0,
        gap_seconds=float(target_context.gap_seconds),
    )
