"""Rules of RFC 5545 for days: the subset that repeats a post. Pure; every rule is read and followed in bounded time.

FREQ (DAILY, WEEKLY, MONTHLY, YEARLY), INTERVAL, BYDAY, BYMONTHDAY, BYMONTH, WKST, COUNT and UNTIL. A rule is about
days, so none can repeat within a day.
"""

import calendar
import re
from collections.abc import Iterator, Mapping
from datetime import date, datetime, timedelta
from typing import Final, NamedTuple

from msgspec import Struct

YEARS_MAX: Final = 10
"""A rule is followed so far beyond its first day, and no further."""
INTERVAL_MAX: Final = 366
COUNT_MAX: Final = 365
_FREQUENCIES: Final = ("DAILY", "WEEKLY", "MONTHLY", "YEARLY")
_TOO_OFTEN: Final = ("SECONDLY", "MINUTELY", "HOURLY")
_DAYS: Final = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_BYDAY: Final = re.compile(r"([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)", re.ASCII)
_NUMBER: Final = re.compile(r"[+-]?\d{1,9}", re.ASCII)
_UNTIL: Final = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z)?)?", re.ASCII)
_PARTS: Final = ("FREQ", "INTERVAL", "BYDAY", "BYMONTHDAY", "BYMONTH", "WKST", "COUNT", "UNTIL")


class InvalidRule(ValueError):
    """The text is not such a rule; the message says why, and what to write instead."""


class Weekday(NamedTuple):
    """A day of the week; 0 is Monday. `nth` of the month or year, from the end if negative; 0: every one."""

    nth: int
    day: int


class Until(NamedTuple):
    """The end of a rule, inclusive: a day, or a moment in UTC or in local time."""

    moment: datetime
    is_utc: bool
    is_day: bool


class Rule(Struct, frozen=True):
    """A rule that was read. Empty tuples: not limited by that."""

    frequency: str
    interval: int = 1
    by_day: tuple[Weekday, ...] = ()
    by_month_day: tuple[int, ...] = ()
    by_month: tuple[int, ...] = ()
    week_start: int = 0
    count: int | None = None
    until: Until | None = None


def parse(text: str) -> Rule:
    """Read a rule such as `FREQ=WEEKLY;BYDAY=MO,TH;COUNT=10`, with or without `RRULE:` before it.

    Raises:
        InvalidRule: it is none, or not one of this subset.
    """
    values: dict[str, str] = {}
    for part in text.strip().upper().removeprefix("RRULE:").removesuffix(";").split(";"):
        name, equals, value = part.partition("=")
        if not equals or not value:
            raise InvalidRule("Write NAME=VALUE, separated by semicolons, as in FREQ=WEEKLY;BYDAY=MO,TH;COUNT=10.")
        if name not in _PARTS:
            raise InvalidRule(f"{name[:20]} is not supported. The parts of a rule are {', '.join(_PARTS)}.")
        if name in values:
            raise InvalidRule(f"{name} stands there twice.")
        values[name] = value
    rule = Rule(
        _frequency(values),
        interval=_number("INTERVAL", values.get("INTERVAL", "1"), 1, INTERVAL_MAX),
        by_day=_weekdays(values["BYDAY"]) if "BYDAY" in values else (),
        by_month_day=_numbers("BYMONTHDAY", values["BYMONTHDAY"], -31, 31) if "BYMONTHDAY" in values else (),
        by_month=_numbers("BYMONTH", values["BYMONTH"], 1, 12) if "BYMONTH" in values else (),
        week_start=_week_start(values.get("WKST", "MO")),
        count=_number("COUNT", values["COUNT"], 1, COUNT_MAX) if "COUNT" in values else None,
        until=_until(values["UNTIL"]) if "UNTIL" in values else None,
    )
    _require_consistent(rule)
    return rule


def _frequency(values: Mapping[str, str]) -> str:
    frequency = values.get("FREQ")
    if frequency in _TOO_OFTEN:
        raise InvalidRule(f"FREQ={frequency} repeats within a day. Use {', '.join(_FREQUENCIES)}.")
    if frequency not in _FREQUENCIES:
        raise InvalidRule(f"FREQ is one of {', '.join(_FREQUENCIES)}.")
    return frequency


def _number(name: str, text: str, least: int, most: int) -> int:
    if not _NUMBER.fullmatch(text) or not least <= int(text) <= most:
        raise InvalidRule(f"{name} is a whole number from {least} to {most}.")
    return int(text)


def _numbers(name: str, text: str, least: int, most: int) -> tuple[int, ...]:
    numbers = tuple(dict.fromkeys(_number(name, item, least, most) for item in text.split(",", 100)))
    if 0 in numbers:
        raise InvalidRule(f"{name} counts from 1, or from -1 at the end.")
    return numbers


def _weekdays(text: str) -> tuple[Weekday, ...]:
    days = []
    for item in text.split(",", 400):
        match = _BYDAY.fullmatch(item)
        if match is None or (match[1] is not None and not 1 <= abs(int(match[1])) <= 53):
            raise InvalidRule(
                "BYDAY is a list of days such as MO,TH; in a month or year also 1MO (first) or -1FR (last)."
            )
        days.append(Weekday(int(match[1] or 0), _DAYS.index(match[2])))
    return tuple(dict.fromkeys(days))


def _week_start(text: str) -> int:
    if text not in _DAYS:
        raise InvalidRule(f"WKST is one of {', '.join(_DAYS)}.")
    return _DAYS.index(text)


def _until(text: str) -> Until:
    message = "UNTIL is a day or a time, such as 20271231 or 20271231T170000Z."
    match = _UNTIL.fullmatch(text)
    if match is None:
        raise InvalidRule(message)
    try:
        is_day = match[4] is None
        time = (23, 59, 59) if is_day else (int(match[4]), int(match[5]), int(match[6]))
        moment = datetime(int(match[1]), int(match[2]), int(match[3]), *time)  # noqa: DTZ001 - see `is_utc`
    except ValueError:
        raise InvalidRule(message) from None
    return Until(moment, is_utc=match[7] is not None, is_day=is_day)


def _require_consistent(rule: Rule) -> None:
    if rule.count is not None and rule.until is not None:
        raise InvalidRule("A rule ends by COUNT or by UNTIL, not by both.")
    if rule.frequency in ("DAILY", "WEEKLY") and any(day.nth for day in rule.by_day):
        raise InvalidRule("A number before a day, as in 1MO, needs FREQ=MONTHLY or YEARLY.")
    if rule.frequency == "YEARLY" and rule.by_month_day and any(day.nth for day in rule.by_day):
        raise InvalidRule("A number before a day does not go with BYMONTHDAY in a year: leave one of them out.")
    if rule.frequency == "WEEKLY" and rule.by_month_day:
        raise InvalidRule("BYMONTHDAY does not go with FREQ=WEEKLY: use FREQ=MONTHLY, or DAILY.")


def days_after(rule: Rule, first: date) -> Iterator[date]:
    """Yield the days after the first one, in order, for at most `YEARS_MAX` years. COUNT and UNTIL are the caller's.

    The first day itself counts as the first of the rule, as in calendars, whether or not the rule says so.
    """
    last = min(_years_later(first, YEARS_MAX), date.max - timedelta(days=400))
    for period in _PERIODS[rule.frequency](rule, first, last):
        for day in sorted(set(period)):
            if first < day <= last:
                yield day


def _years_later(day: date, years: int) -> date:
    return date(min(day.year + years, 9_999), day.month, min(day.day, 28))


def _daily(rule: Rule, first: date, last: date) -> Iterator[list[date]]:
    weekdays = {day.day for day in rule.by_day}
    for number in range(0, (last - first).days + 1, rule.interval):
        day = first + timedelta(days=number)
        if (
            (not weekdays or day.weekday() in weekdays)
            and _in_months(rule, day)
            and (not rule.by_month_day or day.day in _month_days(rule, day.year, day.month))
        ):
            yield [day]


def _weekly(rule: Rule, first: date, last: date) -> Iterator[list[date]]:
    weekdays = {day.day for day in rule.by_day} or {first.weekday()}
    week = first - timedelta(days=(first.weekday() - rule.week_start) % 7)
    while week <= last:
        days = [week + timedelta(days=number) for number in range(7)]
        yield [day for day in days if day.weekday() in weekdays and _in_months(rule, day)]
        week += timedelta(days=7 * rule.interval)


def _monthly(rule: Rule, first: date, last: date) -> Iterator[list[date]]:
    number = first.year * 12 + first.month - 1
    while number <= last.year * 12 + last.month - 1:
        year, month = number // 12, number % 12 + 1
        yield _of_month(rule, first, year, month) if not rule.by_month or month in rule.by_month else []
        number += rule.interval


def _yearly(rule: Rule, first: date, last: date) -> Iterator[list[date]]:
    for year in range(first.year, last.year + 1, rule.interval):
        if rule.by_day and not rule.by_month and not rule.by_month_day:
            yield list(_weekdays_in(rule.by_day, date(year, 1, 1), date(year, 12, 31)))
            continue
        every_month = bool(rule.by_month_day)
        months = rule.by_month or (tuple(range(1, 13)) if every_month else (first.month,))
        yield [day for month in months for day in _of_month(rule, first, year, month)]


_PERIODS: Final = {"DAILY": _daily, "WEEKLY": _weekly, "MONTHLY": _monthly, "YEARLY": _yearly}


def _in_months(rule: Rule, day: date) -> bool:
    return not rule.by_month or day.month in rule.by_month


def _of_month(rule: Rule, first: date, year: int, month: int) -> list[date]:
    """Return the days of a month that the rule names; without any, the first day's number, if the month has it."""
    length = calendar.monthrange(year, month)[1]
    begin, end = date(year, month, 1), date(year, month, length)
    numbers = _month_days(rule, year, month)
    if rule.by_day:
        days = _weekdays_in(rule.by_day, begin, end)
        return [day for day in days if not rule.by_month_day or day.day in numbers]
    if not rule.by_month_day:
        numbers = {first.day} if first.day <= length else set()
    return [date(year, month, number) for number in sorted(numbers)]


def _month_days(rule: Rule, year: int, month: int) -> set[int]:
    length = calendar.monthrange(year, month)[1]
    numbers = {number if number > 0 else length + 1 + number for number in rule.by_month_day}
    return {number for number in numbers if 1 <= number <= length}


def _weekdays_in(weekdays: tuple[Weekday, ...], begin: date, end: date) -> Iterator[date]:
    for nth, weekday in weekdays:
        days = range((weekday - begin.weekday()) % 7, (end - begin).days + 1, 7)
        if nth == 0:
            yield from (begin + timedelta(days=number) for number in days)
        elif abs(nth) <= len(days):
            yield begin + timedelta(days=days[nth - 1 if nth > 0 else nth])
