"""Times as people write them: "tomorrow 9", "in 2 hours", "fri 18:30", or ISO 8601. Pure.

What can mean two times is not guessed: both are offered.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta, tzinfo
from itertools import product
from typing import Final

from msgspec import Struct

from signalpost.kit import clock
from signalpost.posts import times
from signalpost.posts.times import AHEAD_MAX, GRACE, InvalidTime

LENGTH_MAX: Final = 60
CHOICES_MAX: Final = 3
WEEKDAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
EXAMPLES: Final = "tomorrow 9, fri 18:30, in 2 hours, 24 dec 18:00, or 2026-12-24 18:00"
_EARLY_HOURS: Final = range(1, 8)
"""Written alone, such an hour may be in the morning or in the evening."""

_UNITS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), "minutes"),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), "hours"),
    **dict.fromkeys(("d", "day", "days"), "days"),
    **dict.fromkeys(("w", "week", "weeks"), "weeks"),
}
_AMOUNT: Final = re.compile(r"(\d{1,4}|an?|half an) ?([a-z]{1,7})", re.ASCII)
_ISO: Final = re.compile(r"\d{4}-\d\d-\d\d[t ]\d\d:\d\d(:\d\d)?(z|[+-]\d\d:\d\d)?", re.ASCII)
_CLOCK: Final = re.compile(r"(\d{1,2})(?:[:h](\d\d))?(h|am|pm)?", re.ASCII)
_DAY_MONTH: Final = re.compile(r"(\d{1,2})(?:st|nd|rd|th|\.)? (?:of )?([a-z]{3,9})(?: (\d{4}))?", re.ASCII)
_MONTH_DAY: Final = re.compile(r"([a-z]{3,9}) (\d{1,2})(?:st|nd|rd|th)?(?: (\d{4}))?", re.ASCII)
_NUMBERS: Final = re.compile(r"(\d{1,2})([./])(\d{1,2})(?:\2(\d{4})?)?", re.ASCII)
_ISO_DATE: Final = re.compile(r"(\d{4})-(\d\d)-(\d\d)", re.ASCII)


class Choice(Struct, frozen=True):
    """A time that was meant. `written`: as `POST /posts` takes it; `note`: what daylight saving does to it."""

    at: datetime
    written: str
    note: str | None = None


class NotUnderstood(Struct, frozen=True):
    """Why no time could be read, as a sentence."""

    reason: str


def understand(text: str, now: datetime, zone_name: str, zone: tzinfo) -> list[Choice] | NotUnderstood:
    """Return the times that the text may mean in a zone, at most three; one if it is clear.

    `now`: when the text was written.
    """
    words = _normalized(text)
    if not words or len(text) > LENGTH_MAX:
        return NotUnderstood("I could not read a time there.")
    if _ISO.fullmatch(words):
        return _iso(words, now, zone_name)
    if words.startswith("in "):
        return _later(words[3:], now, zone_name, zone)
    local = now.astimezone(zone).replace(tzinfo=None)
    candidates = _split(words, local)
    if isinstance(candidates, NotUnderstood):
        return candidates
    return _possible([_choice(naive, zone_name, zone) for naive in candidates], now)


def in_words(choice: Choice, zone_name: str, zone: tzinfo) -> str:
    """Return a time as a person reads it, with its zone: Friday 4 December 2026, 18:30 (Europe/Berlin)."""
    at = choice.at.astimezone(zone)
    return f"{WEEKDAYS[at.weekday()]} {at.day} {MONTHS[at.month - 1]} {at.year}, {at:%H:%M} ({zone_name})"


def title(choice: Choice, zone: tzinfo) -> str:
    """Return a time for a button: Fri 4 Dec 18:30."""
    at = choice.at.astimezone(zone)
    return f"{WEEKDAYS[at.weekday()][:3]} {at.day} {MONTHS[at.month - 1][:3]} {at:%H:%M}"


def _normalized(text: str) -> str:
    lower = text[: 2 * LENGTH_MAX].lower().replace(",", " ").replace("a.m.", "am").replace("p.m.", "pm")
    words = [word for word in lower.split() if word not in ("at", "on", "o'clock")]
    joined = " ".join(words).rstrip("!?")
    return re.sub(r"(?<=\d) (?=(?:am|pm)\b)", "", joined)


def _iso(words: str, now: datetime, zone_name: str) -> list[Choice] | NotUnderstood:
    written = words.upper().replace(" ", "T")
    moment = times.read(written, zone_name, "")
    if isinstance(moment, InvalidTime):
        return NotUnderstood("The calendar or the clock has no such moment.")
    return _possible([Choice(moment.at, written, moment.warning)], now)


def _later(words: str, now: datetime, zone_name: str, zone: tzinfo) -> list[Choice] | NotUnderstood:
    """Read "2 hours", "1 hour and 30 minutes", "3 days"."""
    exact, days = timedelta(), 0
    for part in re.split(r" and ", words):
        match = _AMOUNT.fullmatch(part)
        unit = None if match is None else _UNITS.get(match[2])
        if match is None or unit is None or (match[1] == "half an" and unit != "hours"):
            return NotUnderstood("I could not read a time there.")
        if match[1] == "half an":
            exact += timedelta(minutes=30)
            continue
        count = 1 if match[1] in ("a", "an") else int(match[1])
        if unit in ("minutes", "hours"):
            exact += timedelta(**{unit: count})
        else:
            days += count * (7 if unit == "weeks" else 1)
    if timedelta(days=days) + exact > AHEAD_MAX:
        return NotUnderstood("A post can be scheduled at most 365 days ahead.")
    if not days:
        at = (now + exact).replace(second=0, microsecond=0)
        return _possible([Choice(at, clock.wire(at))], now)
    naive = (now.astimezone(zone).replace(tzinfo=None) + timedelta(days=days) + exact).replace(second=0, microsecond=0)
    return _possible([_choice(naive, zone_name, zone)], now)


def _split(words: str, local: datetime) -> list[datetime] | NotUnderstood:
    """Return the local times that the words may mean: a day before or after a time of day, or one of them alone."""
    parts = words.split(" ")
    for position in range(len(parts) + 1):
        head, tail = " ".join(parts[:position]), " ".join(parts[position:])
        for day_words, clock_words in ((head, tail), (tail, head)):
            clocks = _clocks(clock_words) if clock_words else []
            if day_words:
                days = _days(day_words, local.date())
                if not clock_words and days:
                    return NotUnderstood(f"Which time of day? For example: {day_words} 18:30.")
            else:
                days = [local.date()] if clocks else []
            if days and clocks:
                naive = [datetime.combine(day, at) for day, at in product(days, clocks)]
                return naive if day_words else [at if at > local else at + timedelta(days=1) for at in naive]
    return NotUnderstood("I could not read a time there.")


def _clocks(words: str) -> list[time]:
    """Return the times of day that the words may mean."""
    if words in ("noon", "midday"):
        return [time(12)]
    match = _CLOCK.fullmatch(words)
    if match is None:
        return []
    hour, minute, half = int(match[1]), int(match[2] or 0), match[3]
    if minute > 59 or hour > (12 if half in ("am", "pm") else 23) or (half in ("am", "pm") and hour == 0):
        return []
    if half in ("am", "pm"):
        return [time(hour % 12 + (12 if half == "pm" else 0), minute)]
    if match[2] is None and half is None and hour in _EARLY_HOURS:
        return [time(hour), time(hour + 12)]
    return [time(hour, minute)]


def _days(words: str, today: date) -> list[date]:
    """Return the days that the words may mean."""
    fixed = {"today": 0, "tonight": 0, "tomorrow": 1, "tmrw": 1, "day after tomorrow": 2, "the day after tomorrow": 2}
    if words in fixed:
        return [today + timedelta(days=fixed[words])]
    word, _, rest = words.rpartition(" ")
    rest = rest.rstrip(".")
    weekday = next((number for number, name in enumerate(WEEKDAYS) if _names(rest, name)), None)
    if weekday is not None and word in ("", "this", "next"):
        ahead = (weekday - today.weekday()) % 7
        return [today + timedelta(days=days) for days in _weekday_distances(word, ahead)]
    return list(_dates(words, today))


def _weekday_distances(word: str, ahead: int) -> Sequence[int]:
    if word == "next":
        return (7,) if ahead == 0 else (ahead, ahead + 7)
    return (ahead,) if ahead or word == "this" else (0, 7)


def _names(word: str, name: str) -> bool:
    """Whether a word is a name or at least three letters of its beginning."""
    return (len(word) >= 3 and name.lower().startswith(word)) or (word == "weds" and name == "Wednesday")


def _dates(words: str, today: date) -> Iterator[date]:
    if match := _ISO_DATE.fullmatch(words):
        yield from _date(int(match[1]), int(match[2]), int(match[3]), today)
    elif match := _DAY_MONTH.fullmatch(words):
        yield from _date(match[3] and int(match[3]), _month(match[2]), int(match[1]), today)
    elif match := _MONTH_DAY.fullmatch(words):
        yield from _date(match[3] and int(match[3]), _month(match[1]), int(match[2]), today)
    elif match := _NUMBERS.fullmatch(words):
        year, first, second = match[4] and int(match[4]), int(match[1]), int(match[3])
        yield from _date(year, second, first, today)
        if match[2] == "/" and first != second:  # with dots the day is always first
            yield from _date(year, first, second, today)


def _month(word: str) -> int:
    return next((number for number, name in enumerate(MONTHS, 1) if _names(word, name)), 0)


def _date(year: int | str | None, month: int, day: int, today: date) -> Iterator[date]:
    """Yield the date; without a year, the next one from today."""
    for candidate in (int(year),) if year else (today.year, today.year + 1):
        try:
            day_of_year = date(candidate, month, day)
        except ValueError:
            continue
        if year or day_of_year >= today:
            yield day_of_year
            return


def _choice(naive: datetime, zone_name: str, zone: tzinfo) -> Choice:
    at, shift = clock.resolve_local(naive, zone)
    return Choice(at, naive.isoformat(timespec="minutes"), times.dst_warning(shift, at, zone_name))


def _possible(choices: Sequence[Choice], now: datetime) -> list[Choice] | NotUnderstood:
    """Return those that a post can be scheduled for."""
    ahead = sorted({choice.at: choice for choice in choices if choice.at >= now - GRACE}.values(), key=lambda c: c.at)
    if not ahead:
        return NotUnderstood("That time has passed already.")
    within = [choice for choice in ahead if choice.at <= now + AHEAD_MAX]
    if not within:
        return NotUnderstood("A post can be scheduled at most 365 days ahead.")
    if len(within) > CHOICES_MAX:
        return NotUnderstood("That can mean several times.")
    return within
