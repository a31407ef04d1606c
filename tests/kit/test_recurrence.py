"""Rules of RFC 5545, compared with an independent implementation."""

import random
import sys
from datetime import date, datetime, timedelta
from itertools import islice

import pytest
from dateutil.rrule import rrulestr
from hypothesis import given
from hypothesis import strategies as st

from signalpost.kit import recurrence
from signalpost.kit.recurrence import InvalidRule, days_after, parse


def _days(text: str, first: str, count: int = 6) -> list[str]:
    return [day.isoformat() for day in islice(days_after(parse(text), date.fromisoformat(first)), count)]


@pytest.mark.parametrize(
    ("text", "first", "expected"),
    [
        ("FREQ=DAILY", "2026-02-27", ["2026-02-28", "2026-03-01"]),
        ("RRULE:freq=daily;interval=3", "2026-11-22", ["2026-11-25", "2026-11-28"]),
        ("FREQ=WEEKLY", "2026-11-22", ["2026-11-29", "2026-12-06"]),
        ("FREQ=WEEKLY;BYDAY=MO,TH", "2026-11-22", ["2026-11-23", "2026-11-26"]),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=TU;WKST=SU", "2026-11-22", ["2026-11-24", "2026-12-08"]),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=TU;WKST=MO", "2026-11-22", ["2026-12-01", "2026-12-15"]),
        ("FREQ=MONTHLY", "2026-01-31", ["2026-03-31", "2026-05-31"]),
        ("FREQ=MONTHLY;BYMONTHDAY=-1", "2026-01-31", ["2026-02-28", "2026-03-31"]),
        ("FREQ=MONTHLY;BYDAY=2TU,-1FR", "2026-11-22", ["2026-11-27", "2026-12-08"]),
        ("FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13", "2026-01-01", ["2026-02-13", "2026-03-13"]),
        ("FREQ=YEARLY", "2024-02-29", ["2028-02-29", "2032-02-29"]),
        ("FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24", "2026-11-22", ["2026-12-24", "2027-12-24"]),
        ("FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3,10", "2026-11-22", ["2027-03-28", "2027-10-31"]),
    ],
)
def test_a_rule_names_days(text: str, first: str, expected: list[str]) -> None:
    assert _days(text, first, 2) == expected


def _random_rule(draw: random.Random) -> str:
    """A rule of any parts. Days with and without a number are not mixed: the other implementation intersects them."""
    parts = [f"FREQ={draw.choice(['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'])}"]
    if draw.random() < 0.5:
        parts.append(f"INTERVAL={draw.randint(1, 20)}")
    if draw.random() < 0.5:
        days = draw.choice([["MO", "TU", "FR", "SU"], ["1MO", "-1FR", "3WE", "5SA", "-2TU"]])
        parts.append(f"BYDAY={','.join(draw.sample(days, draw.randint(1, 3)))}")
    if draw.random() < 0.4:
        numbers = draw.sample(["1", "15", "29", "31", "-1", "-2", "-31"], draw.randint(1, 3))
        parts.append(f"BYMONTHDAY={','.join(numbers)}")
    if draw.random() < 0.3:
        parts.append(f"BYMONTH={','.join(map(str, draw.sample(range(1, 13), draw.randint(1, 3))))}")
    if draw.random() < 0.3:
        parts.append(f"WKST={draw.choice(['MO', 'SU', 'WE'])}")
    return ";".join(parts)


@pytest.mark.parametrize("seed", range(10))
def test_the_days_are_those_of_another_implementation(seed: int) -> None:
    draw, compared = random.Random(seed), 0
    for _ in range(12):
        text, first = _random_rule(draw), date(2024, 1, 1) + timedelta(days=draw.randrange(3_000))
        try:
            rule = parse(text)
        except InvalidRule:
            continue  # combinations that the RFC forbids, or that nobody means
        compared += 1
        start = datetime(first.year, first.month, first.day)  # noqa: DTZ001 - days have no zone
        end = first + timedelta(days=1_200)
        others = rrulestr(f"{text};UNTIL={end:%Y%m%d}T000000", dtstart=start)
        expected = [day.date() for day in others if day.date() > first]
        assert [day for day in days_after(rule, first) if day <= end] == expected, (text, first)
    assert compared > 3


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("FREQ=SECONDLY", "repeats within a day"),
        ("FREQ=HOURLY;COUNT=3", "repeats within a day"),
        ("FREQ=FORTNIGHTLY", "FREQ is one of"),
        ("INTERVAL=2", "FREQ is one of"),
        ("every monday", "NAME=VALUE"),
        ("FREQ=DAILY;COUNT=1000000000", "COUNT is a whole number from 1 to 365"),
        ("FREQ=DAILY;COUNT=99999999999999999999999999", "COUNT is a whole number"),
        ("FREQ=DAILY;INTERVAL=0", "INTERVAL is a whole number from 1 to 366"),
        ("FREQ=DAILY;COUNT=3;UNTIL=20271231", "not by both"),
        ("FREQ=DAILY;UNTIL=20271331", "UNTIL is a day or a time"),
        ("FREQ=DAILY;UNTIL=tomorrow", "UNTIL is a day or a time"),
        ("FREQ=DAILY;BYSETPOS=1", "BYSETPOS is not supported"),
        ("FREQ=DAILY;BYHOUR=9", "BYHOUR is not supported"),
        ("FREQ=DAILY;FREQ=DAILY", "stands there twice"),
        ("FREQ=WEEKLY;BYDAY=1MO", "needs FREQ=MONTHLY or YEARLY"),
        ("FREQ=WEEKLY;BYMONTHDAY=1", "does not go with FREQ=WEEKLY"),
        ("FREQ=MONTHLY;BYDAY=54MO", "BYDAY is a list of days"),
        ("FREQ=MONTHLY;BYMONTHDAY=0", "counts from 1"),
        ("FREQ=MONTHLY;BYMONTHDAY=32", "BYMONTHDAY is a whole number"),
        ("FREQ=YEARLY;BYMONTH=13", "BYMONTH is a whole number"),
        ("FREQ=WEEKLY;WKST=XX", "WKST is one of"),
        ("", "NAME=VALUE"),
    ],
)
def test_what_is_not_supported_is_refused_with_what_is(text: str, names: str) -> None:
    with pytest.raises(InvalidRule, match=names):
        parse(text)


@pytest.mark.parametrize(
    "text",
    ["FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=31", "FREQ=MONTHLY;BYDAY=53MO",
     "FREQ=YEARLY;INTERVAL=366", "FREQ=DAILY", "FREQ=DAILY;BYDAY=" + ",".join(["MO"] * 150)],
)  # fmt: skip
def test_every_rule_ends_soon(text: str) -> None:
    """Also one that names no day at all, and one that never ends."""
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        days = list(days_after(parse(text), date(2026, 11, 22)))
    finally:
        sys.setprofile(None)
    assert len(days) <= 366 * recurrence.YEARS_MAX
    assert calls <= 10 * 366 * recurrence.YEARS_MAX, "about four for each day of ten years"


@given(st.text(max_size=60))
def test_no_text_breaks_the_reader(text: str) -> None:
    for candidate in (text, f"FREQ=DAILY;{text}"):
        try:
            rule = parse(candidate)
        except InvalidRule:
            continue
        assert next(days_after(rule, date(2026, 1, 1)), date.max) > date(2026, 1, 1)


def test_the_end_of_the_calendar_is_no_error() -> None:
    assert list(days_after(parse("FREQ=YEARLY"), date(9_990, 1, 1)))[-1] <= date.max - timedelta(days=365)
