"""Days that lie ahead whenever the tests run: a post is planned for one of the next 365 days."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

BERLIN = "Europe/Berlin"
_TODAY = datetime.now(UTC).date()
_SOON = _TODAY + timedelta(days=7)


def day(months: int, number: int) -> date:
    """Return the day with this number in the month that comes so many months after this one: from 2 to 11."""
    years, index = divmod(_TODAY.month - 1 + months, 12)
    return date(_TODAY.year + years, index + 1, number)


def weekday(months: int, number: int) -> date:
    """Return a day of the second week of that month: 0 is a Monday."""
    second = day(months, 8)
    return second + timedelta(days=(number - second.weekday()) % 7)


def change_of_clocks(*months: int) -> date:
    """Return the next day on which clocks change in the European Union: in March they go forward, in October back."""
    years = (_TODAY.year, _TODAY.year + 1)
    found = (_last_sunday(year, month) for year in years for month in months or (3, 10))
    return min(each for each in found if each >= _SOON)


def _last_sunday(year: int, month: int) -> date:
    last = date(year, month, 31)
    return last - timedelta(days=(last.weekday() + 1) % 7)


def instant(wall: str, zone: str = BERLIN) -> str:
    """Return a wall time, such as 2027-03-30T09:30, as the API writes it."""
    at = datetime.fromisoformat(wall).replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
    return f"{at:%Y-%m-%dT%H:%M:%S}.000Z"


def short(of: date) -> str:
    """Return a day and its month, as British English has them."""
    return f"{of.day} {'Sept' if of.month == 9 else f'{of:%b}'}"
