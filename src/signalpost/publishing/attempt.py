"""An attempt at a target, and the snapshot that it is decided on. Pure."""

import random
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

import msgspec
from msgspec import Struct

from signalpost.events import Actor
from signalpost.media.queries import MediaRow
from signalpost.networks.contract import Connector
from signalpost.networks.threads import part_step
from signalpost.publishing.policy import AttemptKind, TargetChange, TargetSnapshot
from signalpost.publishing.queries import Due

SYSTEM: Final = Actor(type="system", id=None, name="publisher")


class CallRecord(NamedTuple):
    """What the attempt's record says of the call."""

    duration_ms: int
    request: dict[str, str] | None = None
    http_status: int | None = None
    response: str | None = None


class End(NamedTuple):
    """What becomes of a target, after an attempt or instead of one."""

    target_id: UUID
    post_id: UUID
    change: TargetChange
    kind: AttemptKind | None = None  # of the attempt; None: no attempt was made
    attempt_id: UUID | None = None
    number: int = 0
    record: CallRecord | None = None
    steps: Mapping[str, Any] | None = None  # of the journal, to be written
    intended_at: datetime | None = None
    actor: Actor = SYSTEM


class Attempt(Struct):
    """An attempt that has begun: its row is committed, the network has not been asked."""

    id: UUID
    number: int
    kind: AttemptKind
    due: Due
    snapshot: TargetSnapshot
    connector: Connector
    files: list[MediaRow]
    unwritten: dict[str, Any] = msgspec.field(default_factory=dict)
    """Steps of the journal that are written with whatever is written next of this target."""
    intent_closed: bool = False
    """Whether the open intent is closed by them."""
    intended_at: datetime | None = None

    @property
    def target_id(self) -> UUID:
        return self.due.target.id

    @property
    def post_id(self) -> UUID:
        return self.due.post.id

    def end(self, change: TargetChange, record: CallRecord | None) -> End:
        """Return the end of this attempt, with what its journal has not written yet."""
        if self.intent_closed:
            change = msgspec.structs.replace(change, closes_intent=True)
        return End(
            self.target_id, self.post_id, change, self.kind, self.id, self.number, record, self.unwritten,
            self.intended_at,
        )  # fmt: skip


class Unreadable(NamedTuple):
    """A due target at which no attempt could begin: its rows, or what was decided from them, raised an error."""

    target_id: UUID
    post_id: UUID
    error: Exception


def take_snapshot(due: Due, connector: Connector | None) -> TargetSnapshot:
    """Gather what `decide` needs. An intent whose step is gone belonged to other content: it says nothing of this."""
    post, target, account, circumstances = due
    first = target.status == "pending"
    intent = target.intent
    return TargetSnapshot(
        status=target.status,
        now=circumstances.now,
        due_at=target.due_at,
        tries=0 if first else target.tries,
        crashes=0 if first else target.crashes,
        crashed=circumstances.crashed,
        jitter=random.random(),  # noqa: S311 - spreads load
        reconciles=target.reconciles if target.status == "unknown" else 0,
        intent=intent if intent is not None and intent.step in target.steps else None,
        pending_state=target.pending_state if target.status == "processing" else None,
        error=None if first else target.error,
        trashed=post.deleted_at is not None,
        public="id" in (target.steps.get(part_step(0)) or {}),
        can_publish=connector is not None,
        can_reconcile=connector is not None and connector.reconcile is not None,
        approval=post.approval,
        account_status=account.status,
        account_reason=account.status_reason,
        over_limit=circumstances.over_limit,
        last_published_at=circumstances.last_published_at,
        last_published_due_at=circumstances.last_published_due_at,
        tolerance_seconds=circumstances.tolerance_minutes * 60.0,
        gap_seconds=float(circumstances.gap_seconds),
        gap_chosen=circumstances.gap_chosen,
    )
