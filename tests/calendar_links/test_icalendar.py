"""Calendar files are read by an independent library as they were meant, whatever stands in them."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st
from icalendar import Event

from signalpost.calendar_links import icalendar

# What a post may contain: everything but what PostgreSQL does not store.
TEXTS = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=300)
_REMOVED = {*map(chr, range(0x20)), *map(chr, range(0x7F, 0xA0))} - {"\t", "\n"}


def as_read(value: str) -> str:
    for line_break in ("\r\n", "\r", "\x0b", "\x0c", "\x85", "\u2028", "\u2029"):
        value = value.replace(line_break, "\n")
    return "".join(character for character in value if character not in _REMOVED)


def event(*lines: str) -> Event:
    whole = "".join((icalendar.line("BEGIN", "VEVENT"), *lines, icalendar.line("END", "VEVENT"))).encode()
    for line in whole.removesuffix(b"\r\n").split(b"\r\n"):
        assert len(line) <= icalendar.LINE_BYTES_MAX
        line.decode()  # no character is cut in two
        assert b"\r" not in line
        assert b"\n" not in line
    read = Event.from_ical(whole)
    assert isinstance(read, Event)
    assert not read.errors
    return read


@given(TEXTS)
def test_a_text_is_read_as_it_was(value: str) -> None:
    assert event(icalendar.line("SUMMARY", icalendar.text(value)))["SUMMARY"] == as_read(value)


@given(st.lists(TEXTS.filter(str.strip), min_size=1, max_size=5))
def test_tags_are_read_one_by_one(values: list[str]) -> None:
    read = event(icalendar.line("CATEGORIES", icalendar.texts(values)))
    assert [str(tag) for tag in read["CATEGORIES"].cats] == [as_read(value) for value in values]


@given(st.text("aä€😀", min_size=15, max_size=200))
def test_a_line_is_folded_between_characters(value: str) -> None:
    assert event(icalendar.line("SUMMARY", value))["SUMMARY"] == value


@given(st.datetimes(datetime(2000, 1, 1), datetime(2199, 12, 31), timezones=st.timezones()))  # noqa: DTZ001 - bounds
def test_a_time_is_read_as_that_instant(at: datetime) -> None:
    read = event(icalendar.line("DTSTART", icalendar.utc(at)))["DTSTART"].dt
    assert read.tzinfo is not None
    assert read.utcoffset() == timedelta()
    assert read == at.astimezone(UTC).replace(microsecond=0)
