"""The days that a question is about. Pure."""

from datetime import date, timedelta
from typing import Final

from msgspec import Struct

from signalpost.kit.problems import Issue, ValidationFailed

DAYS_DEFAULT: Final = 30
DAYS_MAX: Final = 366
EARLIEST: Final = date(2000, 1, 1)


class Days(Struct, frozen=True):
    """From `start` to `end`, both included. `clipped`: the plan does not show days before `start`."""

    start: date
    end: date
    clipped: bool = False

    @property
    def count(self) -> int:
        """How many days there are."""
        return (self.end - self.start).days + 1

    @property
    def dates(self) -> list[date]:
        """All of them."""
        return [self.start + timedelta(days=number) for number in range(self.count)]

    @property
    def previous(self) -> "Days":
        """As many days before."""
        return Days(self.start - timedelta(days=self.count), self.start - timedelta(days=1))


def resolve(start: str | None, end: str | None, *, today: date, days_shown: int | None) -> Days:
    """Return the days that a request means, without those that the plan does not show: None shows all.

    Raises:
        ValidationFailed: a day does not exist or is in the future, they are reversed or too many, or the plan shows
            none of them.
    """
    issues: list[Issue] = []
    last = _day("endDate", end, today, issues) or today
    first = _day("startDate", start, today, issues) or last - timedelta(days=DAYS_DEFAULT - 1)
    if not issues and first > last:
        issues.append(Issue("startDate", "out_of_range", f"Must not be after endDate, {last}."))
    if not issues and (last - first).days >= DAYS_MAX:
        issues.append(Issue("startDate", "out_of_range", f"At most {DAYS_MAX} days; ask for each year by itself."))
    earliest = first if days_shown is None else earliest_shown(today, days_shown)
    if not issues and last < earliest:
        issues.append(Issue("endDate", "out_of_range", f"The plan shows {days_shown} days: since {earliest}."))
    if issues:
        raise ValidationFailed(errors=issues)
    return Days(max(first, earliest), last, clipped=first < earliest)


def earliest_shown(today: date, days_shown: int) -> date:
    """Return the first day that a plan shows."""
    return today - timedelta(days=days_shown - 1)


def _day(path: str, text: str | None, today: date, issues: list[Issue]) -> date | None:
    if not text:
        return None
    try:
        day = date.fromisoformat(text)
    except ValueError:
        issues.append(Issue(path, "format", "The calendar has no such day."))
        return None
    if day > today:
        issues.append(Issue(path, "out_of_range", f"Must not be in the future: today is {today}."))
    if day < EARLIEST:
        issues.append(Issue(path, "out_of_range", f"Must not be before {EARLIEST}."))
        return None
    return day
