"""What becomes of a target: may it go out now (`judge`), and what an outcome makes of it (`settle`). Pure, no I/O."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final, Literal

from msgspec import Struct

from signalpost.networks.contract import (
    Absent,
    NeedsReconnect,
    Outcome,
    OutcomeUnknown,
    Pending,
    Published,
    Reconciled,
    Refused,
    TryLater,
)
from signalpost.posts.states import WAITING, TargetStatus
from signalpost.posts.target_errors import target_error

Kind = Literal["publish", "poll", "reconcile"]
Held = Literal["approval", "account", "plan"]

TRIES_MAX: Final = 5
RETRY_SECONDS: Final = (60.0, 300.0, 900.0, 3600.0)
"""Waits after the first to the fourth failed try; a longer wish of the network wins."""
LOOK_SECONDS: Final = (30.0, 90.0, 480.0, 3000.0)
"""Waits between looks for a post whose fate is unknown: 30 s, 2, 10 and 60 min after the call."""
POLL_SECONDS_MIN: Final = 5.0
POLL_SECONDS_MAX: Final = 300.0
PROCESSING_MAX: Final = timedelta(hours=2)
CRASHES_MAX: Final = 3
"""Tries that never came to an end, after which the post is taken for the cause."""
CRASH_PAUSE_SECONDS: Final = 30.0
"""After its second crash a target waits up to so long, at random."""
LATE_SECONDS_MIN: Final = 60.0
"""A delay that no tolerance is too small for: waking, claiming and a clock's rounding take time."""
BACKLOG_SECONDS: Final = 60.0
"""A target later than this comes from a backlog: the account's minimum gap holds before and after it."""
HELD_LOOK_SECONDS: Final = 600.0
"""How often a held target is looked at, in case nobody said that it is free."""

_READY: Final = ("active", "expiring")
_HELD_CODES: Final[Mapping[str, str]] = {"needs_reauth": "auth_expired", "restricted": "account_restricted"}


class Facing(Struct, frozen=True, kw_only=True):
    """A target and what is around it, as read under the locks that let it be changed."""

    status: TargetStatus
    now: datetime
    due_at: datetime | None = None
    tries: int = 0  # since it was last accepted, the present one counted
    crashes: int = 0  # tries and looks in a row that never came to an end
    crashed: bool = False  # the last one did not
    chance: float = 0.5  # 0 to 1, drawn anew each time
    reconciles: int = 0  # looks that could not tell
    intent: Mapping[str, Any] | None = None  # open: a create call may have been sent
    pending: Mapping[str, Any] | None = None  # {state, polls, since, intent}: the network still works
    error: Mapping[str, Any] | None = None  # of the last try
    trashed: bool = False
    can_publish: bool = True
    can_reconcile: bool = True
    approval: str = "not_required"
    account: str = "active"
    account_reason: str | None = None
    over_limit: bool = False
    published_at: datetime | None = None  # the account's last publication
    published_due_at: datetime | None = None  # and when that had been due
    tolerance_seconds: float = 43_200.0
    gap_seconds: float = 60.0

    @property
    def late_at(self) -> datetime:
        """When the window ends in which this target may go out."""
        window = timedelta(seconds=max(self.tolerance_seconds, LATE_SECONDS_MIN))
        return (self.due_at or self.now) + window

    @property
    def kind(self) -> Kind:
        """What to ask the network first: a create call that may have got through is never sent again before a look."""
        if self.status == "processing":
            known = None if self.pending is None else self.pending.get("intent")
            return "poll" if self.intent is None or self.intent.get("step") == known else "reconcile"
        if self.status == "unknown" or self.intent is not None:
            return "reconcile"
        return "publish"


class Change(Struct, frozen=True, kw_only=True):
    """What to write. `after_seconds` None: nothing more to do."""

    status: TargetStatus
    after_seconds: float | None = None
    held: Held | None = None
    error: dict[str, Any] | None = None
    published: Published | None = None
    closes_intent: bool = False
    reconciles: int = 0
    crashes: int = 0
    pending: dict[str, Any] | None = None
    uncounted: bool = False  # the try does not count: it was not the post's fault
    lane_seconds: float = 0.0  # keep all of the account back for so long
    account: Literal["needs_reauth", "restricted"] | None = None
    account_message: str | None = None


class Postponed(Struct, frozen=True):
    """Not now: the account works off a backlog, a minimum gap apart."""

    until: datetime


# --- before the call -----------------------------------------------------------------------------------------------


def judge(facing: Facing) -> Change | Postponed | None:  # noqa: PLR0911 - a list of reasons
    """Say whether the target may be worked on now (None), or what becomes of it instead."""
    if facing.trashed and facing.status in WAITING:
        return Change(status="cancelled")
    if (failed := _hopeless(facing)) is not None:
        return failed
    if facing.account not in _READY:
        return _hold(facing, "account")
    if facing.crashed and facing.crashes >= CRASHES_MAX - 1:
        return _set_apart(facing)
    if facing.kind != "publish":
        return None
    if facing.approval not in ("not_required", "approved"):
        return _hold(facing, "approval")
    if facing.over_limit:
        return _hold(facing, "plan")
    return _missed(facing) if facing.now >= facing.late_at else _gap(facing)


def _hopeless(facing: Facing) -> Change | None:  # noqa: PLR0911 - a list of reasons
    """Return how a target fails that no waiting helps."""
    lost = facing.intent is not None
    if not facing.can_publish:
        return _fail(facing, "internal_error", "This version of the service cannot publish to the network.")
    if facing.kind == "reconcile" and not facing.can_reconcile:
        return _fail(facing, "outcome_unknown", "The network offers no way to find out whether the post is there.")
    if facing.crashes >= CRASHES_MAX and not lost:
        return _fail(facing, "internal_error", f"{CRASHES_MAX} tries in a row never came to an end.")
    if facing.crashes >= 2 * CRASHES_MAX:
        return _fail(facing, "outcome_unknown", "Looking for the post ended this program several times.")
    if facing.account == "disconnected":
        if lost:
            return _fail(facing, "outcome_unknown", "The account was disconnected before the post could be looked for.")
        return _fail(facing, "account_disconnected", "The account was disconnected.")
    return None


def _set_apart(facing: Facing) -> Change:
    """Let some time pass, so that what only died beside the cause of a crash is not there at the next one."""
    return Change(
        status=_resting(facing.status, facing.kind),
        after_seconds=1 + facing.chance * CRASH_PAUSE_SECONDS,
        error=_as_dict(facing.error),
        crashes=facing.crashes,
        reconciles=facing.reconciles,
        pending=_as_dict(facing.pending),
    )


def _gap(facing: Facing) -> Postponed | None:
    if facing.due_at is None or facing.published_at is None or facing.status == "publishing":
        return None
    if not _late(facing.due_at, facing.now) and not _late(facing.published_due_at, facing.published_at):
        return None
    free_at = min(facing.published_at, facing.now) + timedelta(seconds=facing.gap_seconds)
    return Postponed(free_at) if free_at > facing.now else None


def _late(due_at: datetime | None, at: datetime) -> bool:
    return due_at is not None and (at - due_at).total_seconds() > BACKLOG_SECONDS


def _hold(facing: Facing, held: Held) -> Change:
    """Keep the target waiting as long as it is not too late; what is at the network already stays unknown till then."""
    left = (facing.late_at - facing.now).total_seconds()
    if left <= 0:
        return _held_too_long(facing, held)
    return Change(
        status=_resting(facing.status, facing.kind),
        after_seconds=min(left, HELD_LOOK_SECONDS),
        held=held,
        error=_as_dict(facing.error),
        reconciles=facing.reconciles,
        pending=_as_dict(facing.pending),
    )


def _held_too_long(facing: Facing, held: Held) -> Change:
    if facing.intent is not None:
        return _fail(facing, "outcome_unknown", "The account could not be asked in time whether the post is there.")
    if held == "account" and (code := _HELD_CODES.get(facing.account)) is not None:
        return _fail(facing, code, facing.account_reason or "The account was not connected again in time.")
    if held == "plan":
        return _fail(facing, "plan_limit", "The account or its profile stayed over the limits of the plan.")
    if held == "approval":
        return _fail(facing, "missed_window", "Nobody approved the post in time.")
    return _fail(facing, "missed_window", "The account stayed paused until it was too late.")


def _missed(facing: Facing) -> Change:
    message = "The post was due too long ago."
    if facing.error is not None:
        message = f"The post was tried until it was too late. The last error: {facing.error.get('message')}"
    return _fail(facing, "missed_window", message)


# --- after the call ------------------------------------------------------------------------------------------------


def settle(facing: Facing, kind: Kind, outcome: Outcome | Reconciled) -> Change:  # noqa: PLR0911 - one for each
    """Turn what the network answered to `kind` into the target's next state.

    `facing` is as things are after the call: `status` as while asking, `intent` as the journal has it.
    """
    match outcome:
        case Published():
            return Change(status="published", published=outcome, closes_intent=True)
        case Pending():
            return _pending(facing, outcome)
        case Refused():
            error = target_error(
                outcome.code, outcome.message, facing.now, rule=outcome.rule, http_status=outcome.http_status,
                platform_code=outcome.platform_code, response=outcome.response, remediation=outcome.remediation,
            )  # fmt: skip
            return Change(status="failed", error=error, closes_intent=True)
        case NeedsReconnect():
            return _needs_reconnect(facing, kind, outcome)
        case TryLater():
            return _try_later(facing, kind, outcome)
        case OutcomeUnknown():
            return _look_later(facing, outcome.message, outcome.http_status, outcome.response)
        case Absent():
            return _absent(facing)


def _pending(facing: Facing, outcome: Pending) -> Change:
    polls = facing.pending["polls"] + 1 if facing.pending else 0
    since = datetime.fromisoformat(facing.pending["since"]) if facing.pending else facing.now
    if facing.now - since >= PROCESSING_MAX:
        return _too_slow(facing)
    wait = max(outcome.poll_after_seconds, _poll_seconds(polls) if polls else 0.0)
    pending = {
        "state": dict(outcome.state),
        "polls": polls,
        "since": since.isoformat(),
        "intent": None if facing.intent is None else facing.intent.get("step"),
    }
    return Change(status="processing", after_seconds=min(wait, POLL_SECONDS_MAX), pending=pending)


def _poll_seconds(polls: int) -> float:
    return min(POLL_SECONDS_MIN * 2.0 ** min(max(polls - 1, 0), 10), POLL_SECONDS_MAX)


def _too_slow(facing: Facing) -> Change:
    message = "The network did not finish within two hours."
    if facing.intent is not None:
        return _look_later(facing, message, None, None)
    return _fail(facing, "media_processing_failed", message)


def _needs_reconnect(facing: Facing, kind: Kind, outcome: NeedsReconnect) -> Change:
    code = "account_restricted" if outcome.restricted else "auth_expired"
    account: Literal["needs_reauth", "restricted"] = "restricted" if outcome.restricted else "needs_reauth"
    error = target_error(
        code, outcome.message, facing.now, http_status=outcome.http_status,
        platform_code=outcome.platform_code, response=outcome.response,
    )  # fmt: skip
    left = (facing.late_at - facing.now).total_seconds()
    if left <= 0:
        if not _closes(facing, kind):
            error = target_error("outcome_unknown", outcome.message, facing.now)
        return Change(
            status="failed",
            error=error,
            closes_intent=_closes(facing, kind),
            account=account,
            account_message=outcome.message,
        )
    return Change(
        status=_resting(facing.status, kind),
        after_seconds=min(left, HELD_LOOK_SECONDS),
        held="account",
        error=error,
        closes_intent=_closes(facing, kind),
        reconciles=facing.reconciles,
        pending=_as_dict(facing.pending),
        uncounted=True,
        account=account,
        account_message=outcome.message,
    )


def _try_later(facing: Facing, kind: Kind, outcome: TryLater) -> Change:
    wished = max(outcome.after_seconds or 0.0, 0.0)
    if kind == "reconcile":
        return _look_later(facing, outcome.message, outcome.http_status, outcome.response, wished)
    error = target_error(
        outcome.code, outcome.message, facing.now, http_status=outcome.http_status,
        platform_code=outcome.platform_code, response=outcome.response,
    )  # fmt: skip
    lane = wished or RETRY_SECONDS[0] if error["code"] == "rate_limited" else 0.0
    if kind == "poll" and facing.pending is not None:
        if facing.now - datetime.fromisoformat(facing.pending["since"]) >= PROCESSING_MAX:
            return _too_slow(facing)
        polls = facing.pending["polls"] + 1
        return Change(
            status="processing",
            after_seconds=max(_poll_seconds(polls), wished),
            error=error,
            closes_intent=_closes(facing, kind),
            pending={**facing.pending, "polls": polls},
            lane_seconds=lane,
        )
    if facing.tries >= TRIES_MAX:
        return Change(status="failed", error=error, closes_intent=True, lane_seconds=lane)
    wait = max(RETRY_SECONDS[max(facing.tries, 1) - 1], wished)
    return Change(status="retrying", after_seconds=wait, error=error, closes_intent=True, lane_seconds=lane)


def _look_later(
    facing: Facing, message: str, http_status: int | None, response: str | None, wished: float = 0.0
) -> Change:
    """Look for the post after a while; when all looks are used up, leave it to a person."""
    error = target_error("outcome_unknown", message, facing.now, http_status=http_status, response=response)
    looks = facing.reconciles + 1 if facing.status == "unknown" else 0
    if not facing.can_reconcile or looks >= len(LOOK_SECONDS):
        return Change(status="failed", error=error, reconciles=looks)
    return Change(status="unknown", after_seconds=max(LOOK_SECONDS[looks], wished), error=error, reconciles=looks)


def _absent(facing: Facing) -> Change:
    """Send again, unless that was the last try."""
    if facing.tries >= TRIES_MAX:
        failed = _fail(facing, "platform_timeout", "The network lost the post in every try; it is surely not there.")
        return Change(status="failed", error=failed.error, closes_intent=True)
    return Change(status="retrying", after_seconds=0.0, error=_as_dict(facing.error), closes_intent=True)


def _fail(facing: Facing, code: str, message: str) -> Change:
    error = target_error(code, message, facing.now)
    return Change(status="failed", error=error, closes_intent=code != "outcome_unknown")


def _resting(status: TargetStatus, kind: Kind) -> TargetStatus:
    """Return what a target is while it waits for something other than the network."""
    if kind == "publish" or status == "pending":
        return "retrying" if status == "publishing" else status
    return "processing" if kind == "poll" else "unknown"


def _closes(facing: Facing, kind: Kind) -> bool:
    """Whether an answer that proves nothing was created ends the open intent: not one of an earlier call."""
    return kind == "publish" or (kind == "poll" and (facing.pending is None or facing.pending.get("intent") is None))


def _as_dict(value: Mapping[str, Any] | None) -> dict[str, Any] | None:
    return None if value is None else dict(value)
