from datetime import UTC, datetime, timedelta
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signalpost.posts.states import (
    OVER,
    POST_STATUSES,
    TARGET_MOVES,
    UNDER_WAY,
    WAITING,
    IllegalMove,
    TargetStatus,
    move,
    post_status,
    sources,
)

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
LATER = NOW + timedelta(hours=1)
STATUSES = get_args(TargetStatus)


@pytest.mark.parametrize(
    ("targets", "due", "expected"),
    [
        ([], None, "draft"),
        (["pending"], None, "draft"),
        (["cancelled", "cancelled"], None, "draft"),
        (["pending", "pending"], LATER, "scheduled"),
        (["pending", "cancelled"], LATER, "scheduled"),
        (["pending", "pending"], NOW, "queued"),
        (["publishing", "pending"], NOW, "publishing"),
        (["published", "pending"], LATER, "publishing"),
        (["failed", "pending"], LATER, "publishing"),
        (["processing"], None, "publishing"),
        (["retrying"], LATER, "publishing"),
        (["unknown", "published"], None, "publishing"),
        (["published", "published"], None, "published"),
        (["published", "cancelled"], None, "published"),
        (["published", "removed"], None, "published"),
        (["published", "failed"], None, "partial"),
        (["removed", "failed"], None, "partial"),
        (["failed", "failed"], None, "failed"),
    ],
)
def test_a_post_is_what_its_targets_are(targets: list[TargetStatus], due: datetime | None, expected: str) -> None:
    assert post_status(targets, due, NOW) == expected


def test_an_account_lost_before_the_start_leaves_the_others_scheduled() -> None:
    assert post_status(["failed", "pending"], LATER, NOW, started=False) == "scheduled"
    assert post_status(["failed", "pending"], NOW, NOW, started=False) == "queued"
    assert post_status(["failed", "failed"], None, NOW, started=False) == "failed"


@given(st.lists(st.sampled_from(STATUSES), max_size=8), st.none() | st.timedeltas(-timedelta(3), timedelta(3)))
def test_any_targets_make_a_post_statuswhatever_their_order(
    targets: list[TargetStatus], away: timedelta | None
) -> None:
    due = None if away is None else NOW + away
    status = post_status(targets, due, NOW)

    assert status in POST_STATUSES
    assert status == post_status(sorted(targets), due, NOW)
    assert status == post_status([*targets, "cancelled"], due, NOW)
    live = [status for status in targets if status != "cancelled"]
    ended = bool(live) and all(status in OVER for status in live)
    assert (status in ("published", "partial", "failed")) == ended


class Target:
    def __init__(self, status: TargetStatus) -> None:
        self.status = status


def test_the_table_of_moves_names_every_state() -> None:
    assert set(TARGET_MOVES) == set(STATUSES)
    assert all(moves <= set(STATUSES) for moves in TARGET_MOVES.values())


@pytest.mark.parametrize("status", STATUSES)
@pytest.mark.parametrize("to", STATUSES)
def test_a_target_moves_only_as_the_table_says(status: TargetStatus, to: TargetStatus) -> None:
    target = Target(status)
    if to == status or to in TARGET_MOVES[status]:
        move(target, to)
        assert target.status == to
    else:
        with pytest.raises(IllegalMove):
            move(target, to)
        assert target.status == status


def test_nothing_that_is_under_way_or_over_can_be_cancelled() -> None:
    """A create call may have been sent: cancelling would only hide that."""
    assert set(sources("cancelled")) == set(WAITING)


def test_a_set_based_update_is_bound_to_the_states_of_the_table() -> None:
    assert sources("failed", WAITING) == list(WAITING)
    assert sources("removed") == ["published"]
    assert sources("cancelled", UNDER_WAY) == []
