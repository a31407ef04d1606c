from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signalpost.posts import times
from signalpost.posts.errors import ScheduleInPast, ScheduleTooFar, TimezoneRequired
from signalpost.posts.times import InvalidTime, Moment

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def at(text: str, zone: str = "Europe/Berlin", now: datetime = NOW) -> Moment:
    moment = times.schedule(text, zone, now, "/scheduledAt")
    assert isinstance(moment, Moment), moment
    return moment


@pytest.mark.parametrize(
    ("text", "zone", "instant", "warns"),
    [
        ("2026-03-28T09:00", "Europe/Berlin", "2026-03-28T08:00:00+00:00", False),
        ("2026-03-30T09:00", "Europe/Berlin", "2026-03-30T07:00:00+00:00", False),  # nine o'clock stays nine o'clock
        ("2026-03-29T02:30", "Europe/Berlin", "2026-03-29T01:30:00+00:00", True),  # the gap: 03:30 summer time
        ("2026-10-25T02:30", "Europe/Berlin", "2026-10-25T00:30:00+00:00", True),  # the overlap: the first one
        ("2026-10-25T03:30", "Europe/Berlin", "2026-10-25T02:30:00+00:00", False),
        ("2026-03-08T02:15:00", "America/New_York", "2026-03-08T07:15:00+00:00", True),
        ("2026-04-05T01:45", "Australia/Lord_Howe", "2026-04-04T14:45:00+00:00", True),  # half an hour only
        ("2026-06-01T09:00:00.250", "Asia/Kathmandu", "2026-06-01T03:15:00.250000+00:00", False),
        ("2026-03-29T02:30:00+01:00", "Europe/Berlin", "2026-03-29T01:30:00+00:00", False),
        ("2026-06-01T09:00:00Z", "Europe/Berlin", "2026-06-01T09:00:00+00:00", False),
        ("2026-06-01t09:00:00z", "Europe/Berlin", "2026-06-01T09:00:00+00:00", False),
        ("2026-06-01 09:00-05:30", "UTC", "2026-06-01T14:30:00+00:00", False),
    ],
)
def test_a_wall_time_means_one_instant(text: str, zone: str, instant: str, warns: bool) -> None:
    moment = at(text, zone)
    assert moment.at.isoformat() == instant
    assert (moment.warning is not None) == warns


def test_the_wished_wall_time_is_kept_beside_the_instant() -> None:
    assert at("2026-03-29T02:30").local == datetime(2026, 3, 29, 2, 30)  # noqa: DTZ001 - a wall time
    assert at("2026-06-01T09:00:00Z").local is None  # an instant was asked for


@pytest.mark.parametrize(
    ("seconds", "problem"),
    [(-61, ScheduleInPast), (-60, None), (-1, None), (0, None), (60, None), (365 * 86_400, None),
     (365 * 86_400 + 1, ScheduleTooFar)],
)  # fmt: skip
def test_a_schedule_lies_between_a_minute_ago_and_a_year_ahead(seconds: int, problem: type | None) -> None:
    text = (NOW + timedelta(seconds=seconds)).isoformat()
    moment = times.schedule(text, "UTC", NOW, "/scheduledAt")
    assert (moment.problem if isinstance(moment, InvalidTime) else None) is problem


def test_a_local_time_without_a_known_zone_asks_for_one() -> None:
    moment = times.schedule("2026-06-01T09:00", "Mars/Olympus", NOW, "/scheduledAt")
    assert isinstance(moment, InvalidTime)
    assert moment.problem is TimezoneRequired
    assert moment.issue.path == "/timezone"


@pytest.mark.parametrize(
    "text",
    ["tomorrow", "2026-06-01", "2026-13-01T00:00", "2026-02-30T00:00", "2026-06-01T24:00", "2026-06-01T23:59:60Z",
     "0000-01-01T00:00Z", "0001-01-01T00:00+14:00", "9999-12-31T23:59:59-14:00", "2026-W23-1T09:00", "20260601T0900",
     "2026-06-01T09:00+99:00", "\uff12026-06-01T09:00Z", "1780000000", "-2026-06-01T09:00Z"],
)  # fmt: skip
def test_anything_else_is_no_time(text: str) -> None:
    moment = times.read(text, "Europe/Berlin", "/scheduledAt")
    assert isinstance(moment, InvalidTime)
    assert moment.issue.code == "format"


@given(st.text(max_size=40), st.sampled_from(["UTC", "Europe/Berlin", "", "../x", "Etc/GMT+14"]))
def test_no_text_breaks_the_reader(text: str, zone: str) -> None:
    assert isinstance(times.read(text, zone, "/x"), Moment | InvalidTime)


@given(st.datetimes(datetime(2026, 3, 1), datetime(2027, 2, 28)))  # noqa: DTZ001 - wall times
def test_every_wall_time_of_a_year_is_read_and_never_moved_back(wall: datetime) -> None:
    moment = at(wall.isoformat(), "Europe/Berlin", datetime(2026, 2, 28, tzinfo=UTC))
    assert moment.at.astimezone(ZoneInfo("Europe/Berlin")).replace(tzinfo=None) >= wall


def test_the_version_of_the_zone_rules_is_known() -> None:
    assert times.tzdata_version()
