"""Whether a target may be sent now, and what becomes of it otherwise. Pure, no I/O; `outcomes` is the other half."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final, Literal

from msgspec import Struct

from signalpost.networks.contract import Published
from signalpost.posts.documents import TargetError
from signalpost.posts.states import WAITING, HeldReason, TargetStatus
from signalpost.posts.target_errors import target_error

AttemptKind = Literal["publish", "poll", "reconcile"]

CRASHES_MAX: Final = 3
"""Attempts that never ended, after which the post is assumed to be the cause."""
CRASH_PAUSE_SECONDS: Final = 30.0
"""After its second crash a target waits up to this long, at random."""
LATE_SECONDS_MIN: Final = 60.0
"""A delay that even the smallest tolerance allows: waking, claiming and rounding of clocks take time."""
BACKLOG_SECONDS: Final = 180.0
"""A target later than this belongs to a backlog: the account's minimum gap holds before and after it. One whose first
call was lost is not later than this when it is tried again, up to 72 s after that."""
HELD_CHECK_SECONDS: Final = 600.0
"""How often a held target is checked, in case no event reported that it is free."""

_TRASHED: Final = "The post was moved to the trash when a part of the thread was public."
_USABLE: Final = ("active", "expiring")
_ACCOUNT_CODES: Final[Mapping[str, str]] = {"needs_reauth": "auth_expired", "restricted": "account_restricted"}


class Intent(Struct, frozen=True):
    """A create call that may have been sent: the journal step it belongs to, and what identifies the post."""

    step: str
    value: Any
    at: datetime
    only: bool = False  # no earlier attempt may have made this call: what is known of this one is known of the post


class PendingState(Struct, frozen=True, kw_only=True):
    """A post that the network is still processing. `state` is the connector's own; `intent` is the step it answered."""

    state: dict[str, Any]
    polls: int
    since: datetime
    intent: str | None


class TargetSnapshot(Struct, frozen=True, kw_only=True):
    """A target with its post, account and profile, as read under the locks that allow changing it."""

    status: TargetStatus
    now: datetime
    due_at: datetime | None = None
    tries: int = 0  # since it was last queued, including the current one
    crashes: int = 0  # attempts in a row that never ended
    crashed: bool = False  # the last attempt never ended
    jitter: float = 0.5  # 0 to 1, random
    reconciles: int = 0  # reconciles that found out nothing
    intent: Intent | None = None
    pending_state: PendingState | None = None
    error: TargetError | None = None  # of the last attempt
    trashed: bool = False
    public: bool = False  # a part of the thread
    can_publish: bool = True
    can_reconcile: bool = True
    approval: str = "not_required"
    account_status: str = "active"
    account_reason: str | None = None
    over_limit: bool = False
    last_published_at: datetime | None = None  # the account's latest publication
    last_published_due_at: datetime | None = None  # and when that was due
    tolerance_seconds: float = 43_200.0
    gap_seconds: float = 60.0
    gap_chosen: bool = False  # by a person: it holds for every post, the default for a backlog only

    @property
    def late_at(self) -> datetime:
        """The end of the window in which this target may be sent."""
        window = timedelta(seconds=max(self.tolerance_seconds, LATE_SECONDS_MIN))
        return (self.due_at or self.now) + window

    @property
    def kind(self) -> AttemptKind:
        """What to ask the network: a create call that may have got through is never repeated before a reconcile."""
        if self.status == "processing":
            polled_step = None if self.pending_state is None else self.pending_state.intent
            return "poll" if self.intent is None or self.intent.step == polled_step else "reconcile"
        if self.status == "unknown" or self.intent is not None:
            return "reconcile"
        return "publish"


class TargetChange(Struct, frozen=True, kw_only=True):
    """What to write. `after_seconds` None: nothing is left to do."""

    status: TargetStatus
    after_seconds: float | None = None
    held_reason: HeldReason | None = None
    error: TargetError | None = None
    published: Published | None = None
    closes_intent: bool = False
    drops_step: str | None = None  # of the journal: its only call created nothing, so the next attempt begins it afresh
    reconciles: int = 0
    crashes: int = 0
    pending_state: PendingState | None = None
    uncounted: bool = False  # the try does not count: the post did not cause its failure
    lane_pause_seconds: float = 0.0  # keep the whole account back for this long
    limits_app: bool = False  # and all accounts of the app on this server
    account_status: Literal["needs_reauth", "restricted"] | None = None  # what the account becomes
    account_message: str | None = None


class Postponed(Struct, frozen=True):
    """Not now: the account works off a backlog, with a minimum gap between posts."""

    until: datetime


def decide(target: TargetSnapshot) -> TargetChange | Postponed | None:  # noqa: PLR0911 - a list of reasons
    """Decide whether the network may be asked now (None), or what becomes of the target instead."""
    if target.trashed and target.status in WAITING:
        return fail(target, "cancelled", _TRASHED) if target.public else TargetChange(status="cancelled")
    if (failure := _final_failure(target)) is not None:
        return failure
    if target.account_status not in _USABLE:
        return _hold(target, "account")
    if target.crashed and target.crashes >= CRASHES_MAX - 1:
        return _pause_after_crash(target)
    if target.kind != "publish":
        return None
    if target.approval not in ("not_required", "approved"):
        return _hold(target, "approval")
    if target.over_limit:
        return _hold(target, "plan")
    return _missed_window(target) if target.now >= target.late_at else _keep_gap(target)


def _final_failure(target: TargetSnapshot) -> TargetChange | None:  # noqa: PLR0911 - a list of reasons
    """Return the failure of a target that waiting cannot help."""
    may_be_public = target.intent is not None
    if not target.can_publish:
        return fail(target, "internal_error", "This version of the service cannot publish to the network.")
    if target.kind == "reconcile" and not target.can_reconcile:
        return fail(target, "outcome_unknown", "The network offers no way to find out whether the post is there.")
    if target.crashes >= CRASHES_MAX and not may_be_public:
        return fail(target, "internal_error", f"{CRASHES_MAX} attempts in a row never ended.")
    if target.crashes >= 2 * CRASHES_MAX:
        return fail(target, "outcome_unknown", "Looking for the post crashed the service several times.")
    if target.account_status == "disconnected":
        if may_be_public:
            return fail(target, "outcome_unknown", "The account was disconnected before the post could be looked for.")
        return fail(target, "account_disconnected", "The account was disconnected.")
    return None


def _pause_after_crash(target: TargetSnapshot) -> TargetChange:
    """Let some time pass, so that targets that only ran beside the cause of a crash do not run beside it again."""
    return TargetChange(
        status=waiting_status(target.status, target.kind),
        after_seconds=1 + target.jitter * CRASH_PAUSE_SECONDS,
        error=target.error,
        crashes=target.crashes,
        reconciles=target.reconciles,
        pending_state=target.pending_state,
    )


def _keep_gap(target: TargetSnapshot) -> Postponed | None:
    if target.due_at is None or target.last_published_at is None or target.status == "publishing":
        return None
    of_backlog = _is_late(target.due_at, target.now) or _is_late(target.last_published_due_at, target.last_published_at)
    if not of_backlog and not target.gap_chosen:
        return None
    free_at = min(target.last_published_at, target.now) + timedelta(seconds=target.gap_seconds)
    return Postponed(free_at) if free_at > target.now else None


def _is_late(due_at: datetime | None, at: datetime) -> bool:
    return due_at is not None and (at - due_at).total_seconds() > BACKLOG_SECONDS


def _hold(target: TargetSnapshot, reason: HeldReason) -> TargetChange:
    """Keep the target waiting until it is too late; what may be at the network already stays unknown until then."""
    left = (target.late_at - target.now).total_seconds()
    if left <= 0:
        return _held_too_long(target, reason)
    return TargetChange(
        status=waiting_status(target.status, target.kind),
        after_seconds=min(left, HELD_CHECK_SECONDS),
        held_reason=reason,
        error=target.error,
        reconciles=target.reconciles,
        pending_state=target.pending_state,
    )


def _held_too_long(target: TargetSnapshot, reason: HeldReason) -> TargetChange:
    if target.intent is not None:
        return fail(target, "outcome_unknown", "The account could not be asked in time whether the post is there.")
    if reason == "account" and (code := _ACCOUNT_CODES.get(target.account_status)) is not None:
        return fail(target, code, target.account_reason or "The account was not connected again in time.")
    if reason == "plan":
        return fail(target, "plan_limit", "The account or its profile stayed over the limits of the plan.")
    if reason == "approval":
        return fail(target, "missed_window", "Nobody approved the post in time.")
    return fail(target, "missed_window", "The account stayed paused until it was too late.")


def _missed_window(target: TargetSnapshot) -> TargetChange:
    message = "The post was due too long ago."
    if target.error is not None:
        message = f"The post was tried until it was too late. The last error: {target.error.message}"
    return fail(target, "missed_window", message)


def fail(target: TargetSnapshot, code: str, message: str) -> TargetChange:
    error = target_error(code, message, target.now)
    return TargetChange(status="failed", error=error, closes_intent=code != "outcome_unknown")


def waiting_status(status: TargetStatus, kind: AttemptKind) -> TargetStatus:
    """Return the status of a target while it waits for something other than the network."""
    if kind == "publish" or status == "pending":
        return "retrying" if status == "publishing" else status
    return "processing" if kind == "poll" else "unknown"
