"""What the network's response changes in a target. Pure, no I/O; `policy` is the half before the call."""

from datetime import timedelta
from typing import Final, Literal

from msgspec.structs import replace

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
from signalpost.posts.target_errors import target_error
from signalpost.publishing.policy import (
    HELD_CHECK_SECONDS,
    AttemptKind,
    PendingState,
    TargetChange,
    TargetSnapshot,
    fail,
    waiting_status,
)

TRIES_MAX: Final = 5
RETRY_SECONDS: Final = (60.0, 300.0, 900.0, 3600.0)
"""Waits after the first to the fourth failed try; a longer Retry-After of the network takes precedence."""
LOST_TRIES_MAX: Final = 3
"""How often a post is sent again after its last try if the answer to that was lost and it may be sent again."""
RECONCILE_SECONDS: Final = (30.0, 90.0, 480.0, 3000.0)
"""Waits before each reconcile of a post whose outcome is unknown: 30 s, 2, 10 and 60 min after the call."""
_LOOKED_FOR: Final = "Nothing yet: the network is asked again. If it cannot tell, the target fails, and you decide."
LANE_PAUSE_SECONDS_MAX: Final = 900.0
"""How long a network's Retry-After keeps the account's other posts back; the one that met it waits as it says."""
OUR_FAULT_SECONDS: Final = (5.0, 300.0)
"""The least and the longest wait after a failure of our own side: a tenth of the time that the post is late."""
OUR_FAULT_LATE_SECONDS_MAX: Final = 86_400.0
"""Once a post is this late, such failures count like others, so that every post ends."""
JITTER: Final = 0.2
"""Waits are up to this much longer, at random: an outage's retries would otherwise come as one wave."""
POLL_SECONDS_MIN: Final = 5.0
POLL_SECONDS_MAX: Final = 300.0
PROCESSING_MAX: Final = timedelta(hours=2)


def settle(target: TargetSnapshot, kind: AttemptKind, outcome: Outcome | Reconciled) -> TargetChange:
    """Turn what the network answered to an attempt of `kind` into the target's next state.

    `target` is the target after the call: `status` as during the attempt, `intent` as the journal has it.
    """
    change = _settle(target, kind, outcome)
    if change.closes_intent and change.published is None and target.intent is not None and target.intent.only:
        return replace(change, drops_step=target.intent.step)
    return change


def _settle(target: TargetSnapshot, kind: AttemptKind, outcome: Outcome | Reconciled) -> TargetChange:  # noqa: PLR0911 - one for each
    match outcome:
        case Published():
            return TargetChange(status="published", published=outcome, closes_intent=True)
        case Pending():
            return _pending(target, outcome)
        case Refused():
            error = target_error(
                outcome.code, outcome.message, target.now, rule=outcome.rule, http_status=outcome.http_status,
                platform_code=outcome.platform_code, response=outcome.response, remediation=outcome.remediation,
            )  # fmt: skip
            return TargetChange(status="failed", error=error, closes_intent=True)
        case NeedsReconnect():
            return _needs_reconnect(target, kind, outcome)
        case TryLater() | OutcomeUnknown() if outcome.uncounted and _late_seconds(target) < OUR_FAULT_LATE_SECONDS_MAX:
            return _our_fault(target, kind, outcome)
        case TryLater():
            return _try_later(target, kind, outcome)
        case OutcomeUnknown():
            return _reconcile_later(
                target, outcome.message, outcome.http_status, outcome.response, tells_after=outcome.tells_after_seconds
            )
        case Absent():
            return _absent(target)


def _pending(target: TargetSnapshot, outcome: Pending) -> TargetChange:
    earlier = target.pending_state
    polls = 0 if earlier is None else earlier.polls + 1
    since = target.now if earlier is None else earlier.since
    if target.now - since >= PROCESSING_MAX:
        return _processing_too_long(target)
    wait = max(outcome.poll_after_seconds, _poll_seconds(polls) if polls else 0.0)
    step = None if target.intent is None else target.intent.step
    pending_state = PendingState(state=dict(outcome.state), polls=polls, since=since, intent=step)
    return TargetChange(status="processing", after_seconds=min(wait, POLL_SECONDS_MAX), pending_state=pending_state)


def _poll_seconds(polls: int) -> float:
    return min(POLL_SECONDS_MIN * 2.0 ** min(max(polls - 1, 0), 10), POLL_SECONDS_MAX)


def _processing_too_long(target: TargetSnapshot) -> TargetChange:
    message = "The network did not finish within two hours."
    if target.intent is not None:
        return _reconcile_later(target, message, None, None)
    return fail(target, "media_processing_failed", message)


def _needs_reconnect(target: TargetSnapshot, kind: AttemptKind, outcome: NeedsReconnect) -> TargetChange:
    code = "account_restricted" if outcome.restricted else "auth_expired"
    account_status: Literal["needs_reauth", "restricted"] = "restricted" if outcome.restricted else "needs_reauth"
    error = target_error(
        code, outcome.message, target.now, http_status=outcome.http_status,
        platform_code=outcome.platform_code, response=outcome.response,
    )  # fmt: skip
    closes_intent = _closes_intent(target, kind)
    left = (target.late_at - target.now).total_seconds()
    if left <= 0:
        return TargetChange(
            status="failed",
            error=error if closes_intent else target_error("outcome_unknown", outcome.message, target.now),
            closes_intent=closes_intent,
            account_status=account_status,
            account_message=outcome.message,
        )
    return TargetChange(
        status=waiting_status(target.status, kind),
        after_seconds=min(left, HELD_CHECK_SECONDS),
        held_reason="account",
        error=error,
        closes_intent=closes_intent,
        reconciles=target.reconciles,
        pending_state=target.pending_state,
        uncounted=kind == "publish",
        account_status=account_status,
        account_message=outcome.message,
    )


def _try_later(target: TargetSnapshot, kind: AttemptKind, outcome: TryLater) -> TargetChange:
    after_seconds = max(outcome.after_seconds or 0.0, 0.0)
    if kind == "reconcile":
        return _reconcile_later(target, outcome.message, outcome.http_status, outcome.response, after_seconds)
    error = target_error(
        outcome.code, outcome.message, target.now, http_status=outcome.http_status,
        platform_code=outcome.platform_code, response=outcome.response,
    )  # fmt: skip
    lane_pause = after_seconds or RETRY_SECONDS[0] if error.code == "rate_limited" else 0.0
    lane_pause = min(lane_pause, LANE_PAUSE_SECONDS_MAX)
    limits_app = error.code == "rate_limited" and outcome.limit_of == "app"
    if kind == "poll" and target.pending_state is not None:
        if target.now - target.pending_state.since >= PROCESSING_MAX:
            return _processing_too_long(target)
        polls = target.pending_state.polls + 1
        return TargetChange(
            status="processing",
            after_seconds=max(_poll_seconds(polls), after_seconds),
            error=error,
            closes_intent=_closes_intent(target, kind),
            pending_state=replace(target.pending_state, polls=polls),
            lane_pause_seconds=lane_pause,
            limits_app=limits_app,
        )
    if target.tries >= TRIES_MAX:
        return TargetChange(
            status="failed", error=error, closes_intent=True, lane_pause_seconds=lane_pause, limits_app=limits_app
        )
    wait = max(_spread(target, RETRY_SECONDS[max(target.tries, 1) - 1]), after_seconds)
    return TargetChange(
        status="retrying",
        after_seconds=wait,
        error=error,
        closes_intent=True,
        lane_pause_seconds=lane_pause,
        limits_app=limits_app,
    )


def _spread(target: TargetSnapshot, seconds: float) -> float:
    return seconds * (1 + JITTER * target.jitter)


def _after_our_fault(target: TargetSnapshot) -> float:
    shortest, longest = OUR_FAULT_SECONDS
    return _spread(target, min(max(_late_seconds(target) / 10, shortest), longest))


def _late_seconds(target: TargetSnapshot) -> float:
    return (target.now - (target.due_at or target.now)).total_seconds()


def _our_fault(target: TargetSnapshot, kind: AttemptKind, outcome: TryLater | OutcomeUnknown) -> TargetChange:
    """Do the same again after a while, as if this attempt had not been made."""
    unknown = kind == "reconcile" or isinstance(outcome, OutcomeUnknown)
    code = "outcome_unknown" if unknown else "network_error"
    return TargetChange(
        status="unknown" if unknown else waiting_status(target.status, kind),
        after_seconds=_after_our_fault(target),
        error=target_error(code, outcome.message, target.now, remediation=_LOOKED_FOR if unknown else None),
        closes_intent=not unknown and _closes_intent(target, kind),
        reconciles=target.reconciles,
        pending_state=None if unknown else target.pending_state,
        uncounted=kind == "publish",
    )


def _reconcile_later(
    target: TargetSnapshot, message: str, http_status: int | None, response: str | None, after_seconds: float = 0.0,
    tells_after: float | None = None,
) -> TargetChange:  # fmt: skip
    """Look for it after a while, or when the network can tell; when no reconcile is left, leave it to a person."""
    reconciles = target.reconciles + 1 if target.status == "unknown" else 0
    is_over = not target.can_reconcile or reconciles >= len(RECONCILE_SECONDS)
    error = target_error(
        "outcome_unknown", message, target.now, http_status=http_status, response=response,
        remediation=None if is_over else _LOOKED_FOR,
    )  # fmt: skip
    if is_over:
        return TargetChange(status="failed", error=error, reconciles=reconciles)
    usual = RECONCILE_SECONDS[reconciles] if tells_after is None else min(tells_after, RECONCILE_SECONDS[-1])
    wait = max(_spread(target, usual), after_seconds)
    return TargetChange(status="unknown", after_seconds=wait, error=error, reconciles=reconciles)


def _absent(target: TargetSnapshot) -> TargetChange:
    """Send it again, a few times even after the last try: that one may have made it public, if it was sent under a key.

    With a key, absent means that the network recognises the post; so sending it again is the way to find out.
    """
    if target.tries >= TRIES_MAX + LOST_TRIES_MAX:
        message = "The network's answer was lost in every try. Look at the account before you post this again."
        return TargetChange(status="failed", error=target_error("outcome_unknown", message, target.now))
    return TargetChange(status="retrying", after_seconds=0.0, error=target.error, closes_intent=True)


def _closes_intent(target: TargetSnapshot, kind: AttemptKind) -> bool:
    """Whether an answer that proves nothing was created closes the open intent: not if that is of an earlier call."""
    if kind == "poll":
        return target.pending_state is None or target.pending_state.intent is None
    return kind == "publish"
