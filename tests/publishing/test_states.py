"""Every ending of a call, in every state it can meet: one line each."""

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
from signalpost.publishing.states import Change, Facing, Postponed, judge, settle

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
INTENT = {"step": "part:0", "value": {}, "at": NOW.isoformat()}
DONE = Published(remote_id="1", url=None)
REFUSED = Refused(code="text_too_long", message="too long")
DEAD = NeedsReconnect(message="token revoked")
BLOCKED = NeedsReconnect(message="spam", restricted=True)
LATER = TryLater(message="503")
LIMITED = TryLater(message="429", code="rate_limited", after_seconds=1_000.0)
LOST = OutcomeUnknown(message="reset")
PENDING = Pending(state={"id": 1}, poll_after_seconds=7)


def facing(status: Any = "publishing", **fields: Any) -> Facing:
    return Facing(status=status, now=NOW, **({"due_at": NOW, "tries": 1} | fields))


def waiting(polls: int = 0, minutes: float = 1, intent: str | None = None) -> dict[str, Any]:
    since = (NOW - timedelta(minutes=minutes)).isoformat()
    return {"state": {}, "polls": polls, "since": since, "intent": intent}


PUBLISHING, OPEN = facing(), facing(intent=INTENT)
PROCESSING = facing("processing", pending=waiting())
UNKNOWN = facing("unknown", intent=INTENT)
BLIND = facing(intent=INTENT, can_reconcile=False)
LATE = timedelta(days=2)

# state, what was asked, its answer -> status, wait in seconds, code of the error, more fields of the change
Line = tuple[Facing, Any, Any, str, float | None, str | None, dict[str, Any]]
ENDINGS: list[Line] = [
    (PUBLISHING, "publish", DONE, "published", None, None, {"closes_intent": True}),
    (OPEN, "publish", DONE, "published", None, None, {"closes_intent": True}),
    (PROCESSING, "poll", DONE, "published", None, None, {}),
    (UNKNOWN, "reconcile", DONE, "published", None, None, {"closes_intent": True}),
    (PUBLISHING, "publish", REFUSED, "failed", None, "text_too_long", {"closes_intent": True}),
    (PROCESSING, "poll", REFUSED, "failed", None, "text_too_long", {}),
    (PUBLISHING, "publish", PENDING, "processing", 7, None, {}),
    (PROCESSING, "poll", PENDING, "processing", 7, None, {}),
    (facing("processing", pending=waiting(3)), "poll", PENDING, "processing", 40, None, {}),
    (facing("processing", pending=waiting(30)), "poll", PENDING, "processing", 300, None, {}),
    (facing("processing", pending=waiting(30, 121)), "poll", PENDING, "failed", None, "media_processing_failed", {}),
    (facing("processing", pending=waiting(30, 121), intent=INTENT), "poll", PENDING, "unknown", 30, "outcome_unknown",
     {}),
    (facing("processing", pending=waiting(30, 121)), "poll", LATER, "failed", None, "media_processing_failed", {}),
    (PUBLISHING, "publish", LATER, "retrying", 60, "platform_unavailable", {"closes_intent": True}),
    (OPEN, "publish", LATER, "retrying", 60, "platform_unavailable", {"closes_intent": True}),
    (facing(tries=2), "publish", LATER, "retrying", 300, "platform_unavailable", {}),
    (facing(tries=3), "publish", LATER, "retrying", 900, "platform_unavailable", {}),
    (facing(tries=4), "publish", LATER, "retrying", 3600, "platform_unavailable", {}),
    (facing(tries=5), "publish", LATER, "failed", None, "platform_unavailable", {"closes_intent": True}),
    (PUBLISHING, "publish", LIMITED, "retrying", 1000, "rate_limited", {"lane_seconds": 1000}),
    (facing(tries=4), "publish", LIMITED, "retrying", 3600, "rate_limited", {"lane_seconds": 1000}),
    (facing(tries=5), "publish", LIMITED, "failed", None, "rate_limited", {"lane_seconds": 1000}),
    (PROCESSING, "poll", LATER, "processing", 5, "platform_unavailable", {"closes_intent": True}),
    (PROCESSING, "poll", LIMITED, "processing", 1000, "rate_limited", {}),
    (UNKNOWN, "reconcile", LATER, "unknown", 90, "outcome_unknown", {"reconciles": 1, "closes_intent": False}),
    (PUBLISHING, "publish", LOST, "unknown", 30, "outcome_unknown", {"reconciles": 0}),
    (OPEN, "publish", LOST, "unknown", 30, "outcome_unknown", {"closes_intent": False}),
    (OPEN, "reconcile", LOST, "unknown", 30, "outcome_unknown", {"reconciles": 0}),  # the first look after a crash
    (UNKNOWN, "reconcile", LOST, "unknown", 90, "outcome_unknown", {"reconciles": 1}),
    (facing("unknown", intent=INTENT, reconciles=1), "reconcile", LOST, "unknown", 480, "outcome_unknown", {}),
    (facing("unknown", intent=INTENT, reconciles=2), "reconcile", LOST, "unknown", 3000, "outcome_unknown", {}),
    (facing("unknown", intent=INTENT, reconciles=3), "reconcile", LOST, "failed", None, "outcome_unknown",
     {"closes_intent": False}),
    (BLIND, "publish", LOST, "failed", None, "outcome_unknown", {"closes_intent": False}),
    (PROCESSING, "poll", LOST, "unknown", 30, "outcome_unknown", {}),
    (UNKNOWN, "reconcile", Absent(), "retrying", 0, None, {"closes_intent": True}),
    (OPEN, "reconcile", Absent(), "retrying", 0, None, {"closes_intent": True}),
    (facing("unknown", intent=INTENT, tries=5), "reconcile", Absent(), "failed", None, "platform_timeout",
     {"closes_intent": True}),
    (PUBLISHING, "publish", DEAD, "retrying", 600, "auth_expired",
     {"held": "account", "uncounted": True, "account": "needs_reauth"}),
    (PUBLISHING, "publish", BLOCKED, "retrying", 600, "account_restricted", {"account": "restricted"}),
    (PROCESSING, "poll", DEAD, "processing", 600, "auth_expired", {"held": "account"}),
    (UNKNOWN, "reconcile", DEAD, "unknown", 600, "auth_expired", {"held": "account", "closes_intent": False}),
    (facing(due_at=NOW - LATE), "publish", DEAD, "failed", None, "auth_expired", {"account": "needs_reauth"}),
    (facing("unknown", intent=INTENT, due_at=NOW - LATE), "reconcile", DEAD, "failed", None, "outcome_unknown",
     {"closes_intent": False}),
]  # fmt: skip


@pytest.mark.parametrize("line", ENDINGS, ids=lambda line: f"{line[0].status}-{line[1]}-{type(line[2]).__name__}")
def test_every_ending_has_one_next_state(
    line: tuple[Facing, Any, Any, str, float | None, str | None, dict[str, Any]],
) -> None:
    """The table of the contract (C9), and that no ending makes a move that it does not have."""
    before, kind, outcome, status, wait, code, more = line
    change = settle(before, kind, outcome)

    assert (change.status, change.after_seconds) == (status, wait)
    assert (change.error or {}).get("code") == code
    assert {name: getattr(change, name) for name in more} == more
    assert change.status in {before.status, *TARGET_MOVES[before.status]}
    assert (change.after_seconds is None) == (change.status in ("published", "failed"))


OLD = NOW - timedelta(minutes=10)
VERDICTS: list[tuple[Facing, str | None, float | None, str | None]] = [
    # what is there -> status instead of an attempt, wait, code
    (facing("pending"), None, None, None),
    (facing("pending", account="expiring"), None, None, None),
    (facing("pending", approval="approved"), None, None, None),
    (facing("pending", trashed=True), "cancelled", None, None),
    (facing("retrying", trashed=True), "cancelled", None, None),
    (facing("pending", can_publish=False), "failed", None, "internal_error"),
    (facing("pending", approval="pending"), "pending", 600, None),
    (facing("pending", over_limit=True), "pending", 600, None),
    (facing("pending", account="paused"), "pending", 600, None),
    (facing("pending", account="needs_reauth", tolerance_seconds=300.0), "pending", 300, None),
    (facing("retrying", account="needs_reauth"), "retrying", 600, None),
    (facing("unknown", account="needs_reauth", intent=INTENT), "unknown", 600, None),
    (facing("processing", account="paused", pending=waiting()), "processing", 600, None),
    (facing("publishing", account="paused", intent=INTENT), "unknown", 600, None),
    (facing("publishing", account="paused"), "retrying", 600, None),
    (facing("pending", account="needs_reauth", due_at=NOW - LATE), "failed", None, "auth_expired"),
    (facing("pending", account="restricted", due_at=NOW - LATE), "failed", None, "account_restricted"),
    (facing("pending", account="paused", due_at=NOW - LATE), "failed", None, "missed_window"),
    (facing("pending", approval="pending", due_at=NOW - LATE), "failed", None, "missed_window"),
    (facing("pending", over_limit=True, due_at=NOW - LATE), "failed", None, "plan_limit"),
    (facing("unknown", account="needs_reauth", intent=INTENT, due_at=NOW - LATE), "failed", None, "outcome_unknown"),
    (facing("pending", account="disconnected"), "failed", None, "account_disconnected"),
    (facing("unknown", account="disconnected", intent=INTENT), "failed", None, "outcome_unknown"),
    (facing("pending", due_at=NOW - LATE), "failed", None, "missed_window"),
    (facing("retrying", due_at=NOW - LATE), "failed", None, "missed_window"),
    (facing("pending", due_at=NOW - timedelta(seconds=59), tolerance_seconds=0.0), None, None, None),
    (facing("pending", due_at=NOW - timedelta(seconds=61), tolerance_seconds=0.0), "failed", None, "missed_window"),
    (facing("unknown", intent=INTENT, due_at=NOW - LATE), None, None, None),  # a look is never too late
    (facing("processing", pending=waiting(), due_at=NOW - LATE), None, None, None),
    (facing("publishing", intent=INTENT, can_reconcile=False), "failed", None, "outcome_unknown"),
    (facing("publishing", crashes=1, crashed=True), None, None, None),
    (facing("publishing", crashes=2, crashed=True), "retrying", 16, None),  # apart from what died beside it
    (facing("publishing", crashes=2, crashed=True, intent=INTENT), "unknown", 16, None),
    (facing("unknown", crashes=5, crashed=True, intent=INTENT), "unknown", 16, None),
    (facing("retrying", crashes=2), None, None, None),
    (facing("publishing", crashes=3), "failed", None, "internal_error"),
    (facing("publishing", crashes=3, intent=INTENT), None, None, None),
    (facing("publishing", crashes=6, intent=INTENT), "failed", None, "outcome_unknown"),
    (facing("pending", due_at=OLD, published_at=NOW - timedelta(seconds=61)), None, None, None),
    (facing("publishing", due_at=OLD, published_at=NOW), None, None, None),  # it had begun before it crashed
    (facing("pending", published_at=NOW), None, None, None),  # on time: no gap
]


@pytest.mark.parametrize("line", VERDICTS)
def test_every_reason_not_to_send_has_its_word(line: tuple[Facing, str | None, float | None, str | None]) -> None:
    """What stands in the way is told, and ends: nothing waits for ever."""
    before, status, wait, code = line
    verdict = judge(before)

    if status is None:
        assert verdict is None
        return
    assert isinstance(verdict, Change)
    assert (verdict.status, verdict.after_seconds) == (status, wait)
    assert (verdict.error or {}).get("code") == code
    waits = status in {"pending", "retrying", "unknown", "processing"}
    assert (verdict.held is not None) == (waits and before.crashes == 0)
    assert code == "outcome_unknown" or not (verdict.status == "failed" and not verdict.closes_intent)


def test_a_backlog_keeps_the_accounts_gap() -> None:
    """After downtime an account must not burst: the next one goes a gap after the last one."""
    verdict = judge(facing("pending", due_at=OLD, published_at=NOW - timedelta(seconds=20), gap_seconds=90.0))

    assert verdict == Postponed(NOW + timedelta(seconds=70))


def test_what_is_on_time_keeps_the_gap_to_a_late_one() -> None:
    """The last one of a backlog and the first one after it are two publications as well."""
    last = NOW - timedelta(seconds=20)
    verdict = judge(facing("pending", published_at=last, published_due_at=last - timedelta(hours=1)))

    assert verdict == Postponed(NOW + timedelta(seconds=40))


@pytest.mark.parametrize(
    ("before", "asked"),
    [
        (facing("pending"), "publish"),
        (facing("pending", intent=INTENT), "reconcile"),
        (facing("retrying"), "publish"),
        (facing("publishing"), "publish"),
        (facing("publishing", intent=INTENT), "reconcile"),
        (facing("unknown"), "reconcile"),
        (facing("processing", pending=waiting()), "poll"),
        (facing("processing", pending=waiting(), intent=INTENT), "reconcile"),
        (facing("processing", pending=waiting(intent="part:0"), intent=INTENT), "poll"),
    ],
)
def test_an_open_intent_is_looked_into_and_never_sent_again(before: Facing, asked: str) -> None:
    """The one rule against double posts. An intent that the network answered with "still working" is polled."""
    assert before.kind == asked


def test_every_code_has_words_and_a_way_out() -> None:
    """A person reads these; a code without them would show as an empty line."""
    assert set(TARGET_ERRORS) == set(CATEGORIES)
    for code in TARGET_ERRORS:
        error = target_error(code, "x" * 5_000 + "\x00\ud800", NOW, response="é" * 5_000)
        assert error["userMessage"]
        assert error["remediation"]
        assert len(error["message"]) <= 1_000
        assert len(error["platformResponse"].encode()) <= 4_096
    assert target_error("no_such_code", "?", NOW)["code"] == "content_rejected"


def test_the_guide_lists_every_code() -> None:
    """A code that nobody explained, or explained wrongly, costs somebody an evening."""
    guide = (Path(__file__).parents[2] / "docs/guides/outcomes.md").read_text()
    rows = [line.split("|") for line in guide.partition("## Codes")[2].splitlines() if line.startswith("| `")]
    told = {code: row[2].strip() == "yes" for row in rows for code in re.findall(r"`(\w+)`", row[1])}

    assert told == {code: fault.again == "later" for code, fault in TARGET_ERRORS.items()}
