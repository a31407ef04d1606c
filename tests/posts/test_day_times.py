"""At which times of a day posts are spread."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signalpost.posts.many.auto_schedule import best_slots, spread, weekly_slots


@pytest.mark.parametrize(
    ("times", "count", "expected"),
    [
        (["20:00", "09:00"], 2, ["09:00", "20:00"]),
        (["09:00", "12:00", "17:00", "20:00"], 2, ["09:00", "12:00", "17:00", "20:00"]),
        (["09:00", "21:00"], 3, ["09:00", "15:00", "21:00"]),
        (["09:00", "21:00"], 5, ["09:00", "12:00", "15:00", "18:00", "21:00"]),
        (["08:00"], 2, ["08:00", "15:00"]),
        (["23:30"], 2, ["15:45", "23:30"]),
    ],
)
def test_extra_times_lie_in_the_middle_of_the_widest_gaps(times: list[str], count: int, expected: list[str]) -> None:
    assert spread(times, count) == expected


@settings(max_examples=50)
@given(st.lists(st.times().map(lambda time: f"{time:%H:%M}"), min_size=1, max_size=24), st.integers(1, 24))
def test_there_are_enough_times_all_different_and_the_own_ones_among_them(times: list[str], count: int) -> None:
    found = spread(times, count)
    assert len(found) >= count
    assert set(times) <= set(found)
    assert all(earlier < later for earlier, later in pairwise(found))


def test_skipped_days_have_no_times() -> None:
    assert {day for slot in weekly_slots(["09:00"], 1, [5, 6]) for day in slot.days} == {0, 1, 2, 3, 4}
    assert {day for slot in best_slots([[9, 12, 17]] * 7, 3, [0]) for day in slot.days} == {1, 2, 3, 4, 5, 6}


def test_the_best_times_of_a_day_come_first() -> None:
    hours = [[17, 9, 12], *[[20]] * 6]
    on_monday = [slot.time for slot in best_slots(hours, 2, []) if slot.days == [0]]
    assert on_monday == ["09:00", "17:00"]
