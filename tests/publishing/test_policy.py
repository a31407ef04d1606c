"""Every reason not to send and every outcome of a call, in every state it can meet: one line each."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from signalpost.networks.codes import CATEGORIES
from signalpost.networks.contract import (
    Absent,
    NeedsReconnect,
    OutcomeUnknown,
    Pending,
    Published,
    Refused,
    TryLater,
)
from signalpost.posts.states import TARGET_MOVES
from signalpost.posts.target_errors import TARGET_ERRORS, target_error
from signalpost.publishing.outcomes import settle
from signalpost.publishing.policy import Intent, PendingState, Postponed, TargetChange, TargetSnapshot, decide

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
INTENT = Intent("part:0", {}, NOW)
DONE = Published(remote_id="1", url=None)
REFUSED = Refused(code="text_too_long", message="too long")
DEAD = NeedsReconnect(message="token revoked")
BLOCKED = NeedsReconnect(message="spam", restricted=True)
LATER = TryLater(message="503")
LIMITED = TryLater(message="429", code="rate_limited", after_seconds=1_000.0)
LOST = OutcomeUnknown(message="reset")
OURS = TryLater(message="no connection became free", uncounted=True)
TOO_EARLY = OutcomeUnknown(message="still under way", tells_after_seconds=40.0)
YEARS_TOO_EARLY = OutcomeUnknown(message="a clock was wrong", tells_after_seconds=1e9)
LOST_BY_US = OutcomeUnknown(message="no name server", uncounted=True)
APP_LIMITED = TryLater(message="429", code="rate_limited", limit_of="app")
A_DAY = TryLater(message="429", code="rate_limited", after_seconds=86_400.0)
PENDING = Pending(state={"id": 1}, poll_after_seconds=7)


def snapshot(status: Any = "publishing", **fields: Any) -> TargetSnapshot:
    return TargetSnapshot(status=status, now=NOW, **({"due_at": NOW, "tries": 1, "jitter": 0.0} | fields))


def waiting(polls: int = 0, minutes: float = 1, intent: str | None = None) -> PendingState:
    return PendingState(state={}, polls=polls, since=NOW - timedelta(minutes=minutes), intent=intent)


PUBLISHING, OPEN = snapshot(), snapshot(intent=INTENT)
PROCESSING = snapshot("processing", pending_state=waiting())
TOO_SLOW = snapshot("processing", pending_state=waiting(30, 121))
UNKNOWN = snapshot("unknown", intent=INTENT)
BLIND = snapshot(intent=INTENT, can_reconcile=False)
LATE = timedelta(days=2)

# target, kind of attempt, outcome -> status, wait in seconds, code of the error, more fields of the change
Line = tuple[TargetSnapshot, Any, Any, str, float | None, str | None, dict[str, Any]]
OUTCOMES: list[Line] = [
    (PUBLISHING, "publish", DONE, "published", None, None, {"closes_intent": True}),
    (OPEN, "publish", DONE, "published", None, None, {"closes_intent": True}),
    (PROCESSING, "poll", DONE, "published", None, None, {}),
    (UNKNOWN, "reconcile", DONE, "published", None, None, {"closes_intent": True}),
    (PUBLISHING, "publish", REFUSED, "failed", None, "text_too_long", {"closes_intent": True}),
    (PROCESSING, "poll", REFUSED, "failed", None, "text_too_long", {}),
    (PUBLISHING, "publish", PENDING, "processing", 7, None, {}),
    (PROCESSING, "poll", PENDING, "processing", 7, None, {}),
    (snapshot("processing", pending_state=waiting(3)), "poll", PENDING, "processing", 40, None, {}),
    (snapshot("processing", pending_state=waiting(30)), "poll", PENDING, "processing", 300, None, {}),
    (TOO_SLOW, "poll", PENDING, "failed", None, "media_processing_failed", {}),
    (snapshot("processing", pending_state=waiting(30, 121), intent=INTENT), "poll", PENDING, "unknown", 30,
     "outcome_unknown", {}),
    (TOO_SLOW, "poll", LATER, "failed", None, "media_processing_failed", {}),
    (PUBLISHING, "publish", LATER, "retrying", 60, "platform_unavailable", {"closes_intent": True}),
    (OPEN, "publish", LATER, "retrying", 60, "platform_unavailable", {"closes_intent": True}),
    (snapshot(tries=2), "publish", LATER, "retrying", 300, "platform_unavailable", {}),
    (snapshot(tries=3), "publish", LATER, "retrying", 900, "platform_unavailable", {}),
    (snapshot(tries=4), "publish", LATER, "retrying", 3600, "platform_unavailable", {}),
    (snapshot(tries=5), "publish", LATER, "failed", None, "platform_unavailable", {"closes_intent": True}),
    (snapshot(jitter=1.0), "publish", LATER, "retrying", 72, "platform_unavailable", {}),
    (snapshot(jitter=1.0), "publish", LOST, "unknown", 36, "outcome_unknown", {}),
    (snapshot(jitter=1.0), "publish", LIMITED, "retrying", 1000, "rate_limited", {}),
    (PUBLISHING, "publish", LIMITED, "retrying", 1000, "rate_limited", {"lane_pause_seconds": 900}),
    (PUBLISHING, "publish", LIMITED, "retrying", 1000, "rate_limited", {"limits_app": False}),
    (PUBLISHING, "publish", APP_LIMITED, "retrying", 60, "rate_limited", {"limits_app": True}),
    (PUBLISHING, "publish", A_DAY, "retrying", 86_400, "rate_limited", {"lane_pause_seconds": 900}),
    (snapshot(tries=4), "publish", LIMITED, "retrying", 3600, "rate_limited", {"lane_pause_seconds": 900}),
    (snapshot(tries=5), "publish", LIMITED, "failed", None, "rate_limited", {"lane_pause_seconds": 900}),
    (PUBLISHING, "publish", OURS, "retrying", 5, "network_error", {"uncounted": True, "closes_intent": True}),
    (snapshot(tries=5), "publish", OURS, "retrying", 5, "network_error", {"uncounted": True}),
    (snapshot(due_at=NOW - timedelta(minutes=10)), "publish", OURS, "retrying", 60, "network_error", {}),
    (snapshot(due_at=NOW - timedelta(hours=12)), "publish", OURS, "retrying", 300, "network_error", {}),
    (snapshot(due_at=NOW - LATE), "publish", OURS, "retrying", 60, "platform_unavailable", {"uncounted": False}),
    (PROCESSING, "poll", OURS, "processing", 5, "network_error", {"pending_state": PROCESSING.pending_state}),
    (UNKNOWN, "reconcile", OURS, "unknown", 5, "outcome_unknown", {"reconciles": 0, "closes_intent": False}),
    (snapshot("unknown", intent=INTENT, reconciles=3), "reconcile", LOST_BY_US, "unknown", 5, "outcome_unknown",
     {"reconciles": 3, "uncounted": False, "closes_intent": False}),
    (OPEN, "publish", LOST_BY_US, "unknown", 5, "outcome_unknown", {"closes_intent": False, "uncounted": True}),
    (PROCESSING, "poll", LATER, "processing", 5, "platform_unavailable", {"closes_intent": True}),
    (PROCESSING, "poll", LIMITED, "processing", 1000, "rate_limited", {}),
    (UNKNOWN, "reconcile", LATER, "unknown", 90, "outcome_unknown", {"reconciles": 1, "closes_intent": False}),
    (PUBLISHING, "publish", LOST, "unknown", 30, "outcome_unknown", {"reconciles": 0}),
    (OPEN, "publish", LOST, "unknown", 30, "outcome_unknown", {"closes_intent": False}),
    (OPEN, "reconcile", LOST, "unknown", 30, "outcome_unknown", {"reconciles": 0}),  # the first reconcile after a crash
    (UNKNOWN, "reconcile", LOST, "unknown", 90, "outcome_unknown", {"reconciles": 1}),
    (OPEN, "reconcile", TOO_EARLY, "unknown", 40, "outcome_unknown", {"reconciles": 0}),
    (UNKNOWN, "reconcile", TOO_EARLY, "unknown", 40, "outcome_unknown", {"reconciles": 1}),
    (UNKNOWN, "reconcile", YEARS_TOO_EARLY, "unknown", 3000, "outcome_unknown", {"reconciles": 1}),
    (BLIND, "publish", TOO_EARLY, "failed", None, "outcome_unknown", {}),
    (snapshot("unknown", intent=INTENT, reconciles=1), "reconcile", LOST, "unknown", 480, "outcome_unknown", {}),
    (snapshot("unknown", intent=INTENT, reconciles=2), "reconcile", LOST, "unknown", 3000, "outcome_unknown", {}),
    (snapshot("unknown", intent=INTENT, reconciles=3), "reconcile", LOST, "failed", None, "outcome_unknown",
     {"closes_intent": False}),
    (BLIND, "publish", LOST, "failed", None, "outcome_unknown", {"closes_intent": False}),
    (PROCESSING, "poll", LOST, "unknown", 30, "outcome_unknown", {}),
    (UNKNOWN, "reconcile", Absent(), "retrying", 0, None, {"closes_intent": True}),
    (OPEN, "reconcile", Absent(), "retrying", 0, None, {"closes_intent": True}),
    (snapshot("unknown", intent=INTENT, tries=5), "reconcile", Absent(), "retrying", 0, None, {"closes_intent": True}),
    (snapshot("unknown", intent=INTENT, tries=8), "reconcile", Absent(), "failed", None, "outcome_unknown",
     {"closes_intent": False}),
    (PUBLISHING, "publish", DEAD, "retrying", 600, "auth_expired",
     {"held_reason": "account", "uncounted": True, "account_status": "needs_reauth"}),
    (PUBLISHING, "publish", BLOCKED, "retrying", 600, "account_restricted", {"account_status": "restricted"}),
    (PROCESSING, "poll", DEAD, "processing", 600, "auth_expired", {"held_reason": "account"}),
    (UNKNOWN, "reconcile", DEAD, "unknown", 600, "auth_expired", {"held_reason": "account", "closes_intent": False}),
    (snapshot(due_at=NOW - LATE), "publish", DEAD, "failed", None, "auth_expired", {"account_status": "needs_reauth"}),
    (snapshot("unknown", intent=INTENT, due_at=NOW - LATE), "reconcile", DEAD, "failed", None, "outcome_unknown",
     {"closes_intent": False}),
]  # fmt: skip


@pytest.mark.parametrize("line", OUTCOMES, ids=lambda line: f"{line[0].status}-{line[1]}-{type(line[2]).__name__}")
def test_every_outcome_has_one_next_state(
    line: tuple[TargetSnapshot, Any, Any, str, float | None, str | None, dict[str, Any]],
) -> None:
    """The table of the contract (C9); and no outcome makes a move that the table of moves does not have."""
    before, kind, outcome, status, wait, code, more = line
    change = settle(before, kind, outcome)

    assert (change.status, change.after_seconds) == (status, wait)
    assert (change.error and change.error.code) == code
    assert {name: getattr(change, name) for name in more} == more
    assert change.status in {before.status, *TARGET_MOVES[before.status]}
    assert (change.after_seconds is None) == (change.status in ("published", "failed"))


OLD = NOW - timedelta(minutes=10)
DECISIONS: list[tuple[TargetSnapshot, str | None, float | None, str | None]] = [
    # target -> status instead of an attempt, wait, code
    (snapshot("pending"), None, None, None),
    (snapshot("pending", account_status="expiring"), None, None, None),
    (snapshot("pending", approval="approved"), None, None, None),
    (snapshot("pending", trashed=True), "cancelled", None, None),
    (snapshot("retrying", trashed=True), "cancelled", None, None),
    (snapshot("pending", can_publish=False), "failed", None, "internal_error"),
    (snapshot("pending", approval="pending"), "pending", 600, None),
    (snapshot("pending", over_limit=True), "pending", 600, None),
    (snapshot("pending", account_status="paused"), "pending", 600, None),
    (snapshot("pending", account_status="needs_reauth", tolerance_seconds=300.0), "pending", 300, None),
    (snapshot("retrying", account_status="needs_reauth"), "retrying", 600, None),
    (snapshot("unknown", account_status="needs_reauth", intent=INTENT), "unknown", 600, None),
    (snapshot("processing", account_status="paused", pending_state=waiting()), "processing", 600, None),
    (snapshot("publishing", account_status="paused", intent=INTENT), "unknown", 600, None),
    (snapshot("publishing", account_status="paused"), "retrying", 600, None),
    (snapshot("pending", account_status="needs_reauth", due_at=NOW - LATE), "failed", None, "auth_expired"),
    (snapshot("pending", account_status="restricted", due_at=NOW - LATE), "failed", None, "account_restricted"),
    (snapshot("pending", account_status="paused", due_at=NOW - LATE), "failed", None, "missed_window"),
    (snapshot("pending", approval="pending", due_at=NOW - LATE), "failed", None, "missed_window"),
    (snapshot("pending", over_limit=True, due_at=NOW - LATE), "failed", None, "plan_limit"),
    (
        snapshot("unknown", account_status="needs_reauth", intent=INTENT, due_at=NOW - LATE),
        "failed",
        None,
        "outcome_unknown",
    ),
    (snapshot("pending", account_status="disconnected"), "failed", None, "account_disconnected"),
    (snapshot("unknown", account_status="disconnected", intent=INTENT), "failed", None, "outcome_unknown"),
    (snapshot("pending", due_at=NOW - LATE), "failed", None, "missed_window"),
    (snapshot("retrying", due_at=NOW - LATE), "failed", None, "missed_window"),
    (snapshot("pending", due_at=NOW - timedelta(seconds=59), tolerance_seconds=0.0), None, None, None),
    (snapshot("pending", due_at=NOW - timedelta(seconds=61), tolerance_seconds=0.0), "failed", None, "missed_window"),
    (snapshot("unknown", intent=INTENT, due_at=NOW - LATE), None, None, None),  # a reconcile is never too late
    (snapshot("processing", pending_state=waiting(), due_at=NOW - LATE), None, None, None),
    (snapshot("publishing", intent=INTENT, can_reconcile=False), "failed", None, "outcome_unknown"),
    (snapshot("publishing", crashes=1, crashed=True), None, None, None),
    (
        snapshot("publishing", crashes=2, crashed=True, jitter=0.5),
        "retrying",
        16,
        None,
    ),  # apart from the others
    (snapshot("publishing", crashes=2, crashed=True, intent=INTENT, jitter=0.5), "unknown", 16, None),
    (snapshot("unknown", crashes=5, crashed=True, intent=INTENT, jitter=0.5), "unknown", 16, None),
    (snapshot("retrying", crashes=2), None, None, None),
    (snapshot("publishing", crashes=3), "failed", None, "internal_error"),
    (snapshot("publishing", crashes=3, intent=INTENT), None, None, None),
    (snapshot("publishing", crashes=6, intent=INTENT), "failed", None, "outcome_unknown"),
    (snapshot("pending", due_at=OLD, last_published_at=NOW - timedelta(seconds=61)), None, None, None),
    (snapshot("publishing", due_at=OLD, last_published_at=NOW), None, None, None),  # it had begun before it crashed
    (snapshot("pending", last_published_at=NOW), None, None, None),  # on time: no gap
]


@pytest.mark.parametrize("line", DECISIONS)
def test_every_reason_not_to_send_has_its_code(
    line: tuple[TargetSnapshot, str | None, float | None, str | None],
) -> None:
    """The API says what prevents sending, and nothing waits for ever."""
    before, status, wait, code = line
    decision = decide(before)

    if status is None:
        assert decision is None
        return
    assert isinstance(decision, TargetChange)
    assert (decision.status, decision.after_seconds) == (status, wait)
    assert (decision.error and decision.error.code) == code
    waits = status in {"pending", "retrying", "unknown", "processing"}
    assert (decision.held_reason is not None) == (waits and before.crashes == 0)
    assert code == "outcome_unknown" or not (decision.status == "failed" and not decision.closes_intent)


@pytest.mark.parametrize(("late", "keeps"), [(0, False), (72, False), (150, False), (200, True)])
def test_the_gap_is_for_backlogs_not_for_a_retry(late: int, keeps: bool) -> None:
    """One lost connection makes the posts of a minute late by a retry; they are not a minute apart for that."""
    due_at = NOW - timedelta(seconds=late)
    decision = decide(snapshot("retrying", tries=1, due_at=due_at, last_published_at=NOW, last_published_due_at=due_at))
    assert (decision is not None) == keeps


@pytest.mark.parametrize(("late", "gap", "until"), [(0, 20.0, 20), (72, 20.0, 20), (200, 20.0, 20), (72, 0.0, None)])
def test_a_gap_that_someone_set_is_kept_whatever_the_delay(late: int, gap: float, until: int | None) -> None:
    """A restart of a minute is no backlog; whoever asks for a gap does not want a burst after it either."""
    decision = decide(
        snapshot(
            "pending",
            due_at=NOW - timedelta(seconds=late),
            last_published_at=NOW,
            last_published_due_at=NOW,
            gap_seconds=gap,
            gap_chosen=True,
        )
    )
    assert decision == (None if until is None else Postponed(NOW + timedelta(seconds=until)))


def test_a_backlog_keeps_the_accounts_gap() -> None:
    """After downtime an account must not burst: the next post waits for a gap after the last one."""
    decision = decide(snapshot("pending", due_at=OLD, last_published_at=NOW - timedelta(seconds=20), gap_seconds=90.0))

    assert decision == Postponed(NOW + timedelta(seconds=70))


def test_a_post_on_time_keeps_the_gap_to_a_late_one() -> None:
    """The last post of a backlog and the first one after it must not burst either."""
    last = NOW - timedelta(seconds=20)
    decision = decide(snapshot("pending", last_published_at=last, last_published_due_at=last - timedelta(hours=1)))

    assert decision == Postponed(NOW + timedelta(seconds=40))


@pytest.mark.parametrize(
    ("before", "kind"),
    [
        (snapshot("pending"), "publish"),
        (snapshot("pending", intent=INTENT), "reconcile"),
        (snapshot("retrying"), "publish"),
        (snapshot("publishing"), "publish"),
        (snapshot("publishing", intent=INTENT), "reconcile"),
        (snapshot("unknown"), "reconcile"),
        (snapshot("processing", pending_state=waiting()), "poll"),
        (snapshot("processing", pending_state=waiting(), intent=INTENT), "reconcile"),
        (snapshot("processing", pending_state=waiting(intent="part:0"), intent=INTENT), "poll"),
    ],
)
def test_an_open_intent_is_reconciled_and_never_sent_again(before: TargetSnapshot, kind: str) -> None:
    """The rule against double posts. An intent that the network answered with "still processing" is polled."""
    assert before.kind == kind


def test_every_code_has_a_message_and_a_remediation() -> None:
    """People read these; a code without them would show as an empty line."""
    assert set(TARGET_ERRORS) == set(CATEGORIES)
    for code in TARGET_ERRORS:
        error = target_error(code, "x" * 5_000 + "\x00\ud800", NOW, response="é" * 5_000)
        assert error.user_message
        assert error.remediation
        assert len(error.message) <= 1_000
        assert error.platform_response is not None
        assert len(error.platform_response.encode()) <= 4_096
    assert target_error("no_such_code", "?", NOW).code == "content_rejected"


def test_the_guide_lists_every_code() -> None:
    """A code without an explanation, or with a wrong one, costs someone an evening."""
    guide = (Path(__file__).parents[2] / "docs/guides/outcomes.md").read_text()
    rows = [line.split("|") for line in guide.partition("## Codes")[2].splitlines() if line.startswith("| `")]
    documented = {code: row[2].strip() == "yes" for row in rows for code in re.findall(r"`(\w+)`", row[1])}

    assert documented == {code: kind.retry == "later" for code, kind in TARGET_ERRORS.items()}
