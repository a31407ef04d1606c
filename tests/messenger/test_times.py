"""Times as people write them. It is Monday 23 November 2026, 11:00 in Berlin."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from signalpost.messenger import times
from signalpost.messenger.times import NotUnderstood
from signalpost.posts import times as post_times

NOW = datetime(2026, 11, 23, 10, 0, tzinfo=UTC)
BERLIN = ZoneInfo("Europe/Berlin")


def understood(text: str, now: datetime = NOW) -> list[str] | str:
    choices = times.understand(text, now, "Europe/Berlin", BERLIN)
    if isinstance(choices, NotUnderstood):
        return choices.reason
    return [times.in_words(choice, "Europe/Berlin", BERLIN).removesuffix(" (Europe/Berlin)") for choice in choices]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tomorrow 9", ["Tuesday 24 November 2026, 09:00"]),
        ("Tomorrow at 9:30 a.m.", ["Tuesday 24 November 2026, 09:30"]),
        ("18:30 tomorrow", ["Tuesday 24 November 2026, 18:30"]),
        ("tomorrow noon", ["Tuesday 24 November 2026, 12:00"]),
        ("day after tomorrow 8", ["Wednesday 25 November 2026, 08:00"]),
        ("in 2 hours", ["Monday 23 November 2026, 13:00"]),
        ("in half an hour", ["Monday 23 November 2026, 11:30"]),
        ("in 1 hour and 30 minutes", ["Monday 23 November 2026, 12:30"]),
        ("in a week", ["Monday 30 November 2026, 11:00"]),
        ("fri 18:30", ["Friday 27 November 2026, 18:30"]),
        ("this friday 6pm", ["Friday 27 November 2026, 18:00"]),
        ("2026-12-24 18:00", ["Thursday 24 December 2026, 18:00"]),
        ("2026-12-24T18:00Z", ["Thursday 24 December 2026, 19:00"]),
        ("2026-12-24T18:00:00+05:00", ["Thursday 24 December 2026, 14:00"]),
        ("24 dec 18:00", ["Thursday 24 December 2026, 18:00"]),
        ("dec 24th 6 pm", ["Thursday 24 December 2026, 18:00"]),
        ("24.12. 18:00", ["Thursday 24 December 2026, 18:00"]),
        ("13/12 18:00", ["Sunday 13 December 2026, 18:00"]),
        ("9", ["Tuesday 24 November 2026, 09:00"]),
        ("noon", ["Monday 23 November 2026, 12:00"]),
        ("mon 9", ["Monday 30 November 2026, 09:00"]),
        ("6", ["Monday 23 November 2026, 18:00", "Tuesday 24 November 2026, 06:00"]),
        ("mon 18", ["Monday 23 November 2026, 18:00", "Monday 30 November 2026, 18:00"]),
        ("next friday 18:30", ["Friday 27 November 2026, 18:30", "Friday 4 December 2026, 18:30"]),
        ("03/04 18:00", ["Thursday 4 March 2027, 18:00", "Saturday 3 April 2027, 18:00"]),
        ("03/04 6", "That can mean several times."),
        ("tomorrow", "Which time of day? For example: tomorrow 18:30."),
        ("10.12", "Which time of day? For example: 10.12 18:30."),
        ("yesterday 9", "I could not read a time there."),
        ("29 feb 10:00", "I could not read a time there."),
        ("25:00", "I could not read a time there."),
        ("today 9:60", "I could not read a time there."),
        ("wed 13pm", "I could not read a time there."),
        ("in x hours", "I could not read a time there."),
        ("in half an day", "I could not read a time there."),
        ("", "I could not read a time there."),
        ("tomorrow 9" + " " * 60, "I could not read a time there."),
        ("today 9", "That time has passed already."),
        ("2026-11-23 09:00", "That time has passed already."),
        ("2026-02-30 09:00", "The calendar or the clock has no such moment."),
        ("in 400 days", "A post can be scheduled at most 365 days ahead."),
        ("2027-12-24 18:00", "A post can be scheduled at most 365 days ahead."),
    ],
)
def test_what_is_understood(text: str, expected: list[str] | str) -> None:
    assert understood(text) == expected


@pytest.mark.parametrize(
    ("text", "now", "at", "note"),
    [
        ("tomorrow 2:30", datetime(2027, 3, 27, 10, tzinfo=UTC), "2027-03-28T01:30", "does not exist"),
        ("tomorrow 2:30", datetime(2027, 10, 30, 10, tzinfo=UTC), "2027-10-31T00:30", "occurs twice"),
    ],
)
def test_clocks_that_change_are_mentioned(text: str, now: datetime, at: str, note: str) -> None:
    choices = times.understand(text, now, "Europe/Berlin", BERLIN)

    assert not isinstance(choices, NotUnderstood)
    assert f"{choices[0].at:%Y-%m-%dT%H:%M}" == at
    assert note in (choices[0].note or "")


KNOWN = [
    "tomorrow", "today", "next", "this", "fri", "monday", "in", "and", "half", "an", "2", "9", "31", "feb", "24.12.",
    "03/04", "18:30", "6pm", "13pm", "noon", "hours", "days", "2027", "at", "2026-12-24", "0", "99:99", "9999",
]  # fmt: skip
WORDS = st.lists(st.sampled_from(KNOWN) | st.text(max_size=8), max_size=6).map(" ".join)
MOMENTS = st.integers(1_577_836_800, 3_786_912_000).map(lambda seconds: datetime.fromtimestamp(seconds, UTC))


@given(WORDS, MOMENTS)
@example("29 feb 10:00", datetime(2088, 2, 28, 12, tzinfo=UTC))
def test_whatever_is_understood_can_be_scheduled(text: str, now: datetime) -> None:
    """Up to three instants in order, each in the window in which posts are scheduled, as `POST /posts` reads them."""
    choices = times.understand(text, now, "Europe/Berlin", BERLIN)

    if isinstance(choices, NotUnderstood):
        assert choices.reason
        return
    assert 1 <= len(choices) <= 3
    assert [choice.at for choice in choices] == sorted({choice.at for choice in choices})
    for choice in choices:
        assert now - timedelta(minutes=1) <= choice.at <= now + timedelta(days=365)
        read = post_times.schedule(choice.written, "Europe/Berlin", now, "")
        assert isinstance(read, post_times.Moment)
        assert read.at == choice.at
