"""The weekly wall times of a queue, as instants."""

from datetime import UTC, datetime, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st

from signalpost.scheduling.week import ALL_DAYS, SlotTime, WeeklySlot, occurrences

BERLIN = ZoneInfo("Europe/Berlin")
YEAR = timedelta(days=365)


def _slots(*times: str, days: tuple[int, ...] = ALL_DAYS) -> list[WeeklySlot]:
    return [WeeklySlot(time, list(days)) for time in times]


def _between(slots: list[WeeklySlot], zone: ZoneInfo, after: str, until: str) -> list[SlotTime]:
    return list(occurrences(slots, zone, datetime.fromisoformat(after), datetime.fromisoformat(until)))


def test_a_slot_keeps_its_wall_time_over_both_changes_of_the_clock() -> None:
    found = _between(_slots("09:00", days=(0,)), BERLIN, "2026-01-01T00:00Z", "2026-12-31T00:00Z")
    assert len(found) == 52
    assert {slot.at.astimezone(BERLIN).time().isoformat() for slot in found} == {"09:00:00"}
    assert {slot.at.hour for slot in found} == {7, 8}


def test_a_gap_moves_a_slot_forward_and_of_two_at_one_instant_one_is_left() -> None:
    found = _between(_slots("01:59", "02:30", "03:00", "03:30"), BERLIN, "2026-03-29T00:00Z", "2026-03-29T12:00Z")
    assert [(slot.at.isoformat()[11:16], slot.local.isoformat()[11:16], slot.shift) for slot in found] == [
        ("00:59", "01:59", None), ("01:00", "03:00", None), ("01:30", "03:30", None),
    ]  # fmt: skip


def test_an_overlap_means_the_first_time() -> None:
    found = _between(_slots("02:30"), BERLIN, "2026-10-24T22:00Z", "2026-10-25T22:00Z")
    assert [(slot.at.isoformat(), slot.shift) for slot in found] == [("2026-10-25T00:30:00+00:00", "overlap")]


def test_a_day_that_a_zone_leaves_out_is_left_out() -> None:
    """Samoa had no 30 December 2011."""
    found = _between(_slots("09:00"), ZoneInfo("Pacific/Apia"), "2011-12-28T12:00Z", "2012-01-01T12:00Z")
    assert [slot.at.astimezone(ZoneInfo("Pacific/Apia")).day for slot in found] == [28, 29, 31, 1]


def test_a_slot_is_after_the_instant_and_not_at_it() -> None:
    found = _between(_slots("09:00"), ZoneInfo("UTC"), "2026-11-22T09:00Z", "2026-11-24T09:00Z")
    assert [slot.at.day for slot in found] == [23, 24]


def test_no_slots_end_at_once() -> None:
    assert _between([], BERLIN, "2026-01-01T00:00Z", "2027-01-01T00:00Z") == []


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.integers(0, 23), st.integers(0, 59), st.sets(st.integers(0, 6), min_size=1)), max_size=6),
    st.sampled_from(
        ["Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "Asia/Kathmandu", "Africa/Casablanca"]
    ),
    st.datetimes(datetime(2026, 1, 1), datetime(2030, 12, 31)),  # noqa: DTZ001 - made aware below
)
def test_slots_come_in_order_within_their_bounds_and_once(
    times: list[tuple[int, int, set[int]]], zone: str, after: datetime
) -> None:
    slots = [WeeklySlot(f"{hour:02}:{minute:02}", sorted(days)) for hour, minute, days in times]
    start = after.replace(tzinfo=UTC)
    found = list(islice(occurrences(slots, ZoneInfo(zone), start, start + YEAR), 100))
    instants = [slot.at for slot in found]
    assert instants == sorted(set(instants))
    assert all(start < at <= start + YEAR for at in instants)
    for slot in found:
        where = slot.at.astimezone(ZoneInfo(zone)).replace(tzinfo=None)
        assert (where == slot.local) == (slot.shift != "gap")
