"""Which months a report has, and when the mail about one is due."""

from datetime import UTC, date, datetime

import pytest

from signalpost.analytics.period import EARLIEST
from signalpost.report_links import months


def test_thirteen_months_can_be_chosen_or_those_that_the_plan_shows() -> None:
    today = date(2026, 3, 31)
    assert months.choices(today, EARLIEST) == [
        "2026-03", "2026-02", "2026-01", "2025-12", "2025-11", "2025-10", "2025-09", "2025-08", "2025-07", "2025-06",
        "2025-05", "2025-04", "2025-03",
    ]  # fmt: skip
    assert months.choices(today, date(2026, 2, 2)) == ["2026-03", "2026-02"]
    assert months.choices(today, date(2026, 3, 1)) == ["2026-03"]


def test_the_last_month_that_is_over_is_shown_first() -> None:
    assert months.default(["2026-03", "2026-02"]) == "2026-02"
    assert months.default(["2026-03"]) == "2026-03"
    assert months.before(date(2026, 1, 31)) == "2025-12"


def test_days_of_a_month() -> None:
    assert months.days_of("2028-02") == (date(2028, 2, 1), date(2028, 2, 29))
    assert months.days_of("2026-12") == (date(2026, 12, 1), date(2026, 12, 31))


@pytest.mark.parametrize(
    ("now", "zone", "due"),
    [
        ("2026-11-30T12:00", "UTC", "2026-12-02T08:00"),
        ("2026-12-02T07:59", "UTC", "2026-12-02T08:00"),
        ("2026-12-02T08:00", "UTC", "2027-01-02T08:00"),
        ("2026-03-02T08:00", "Europe/Berlin", "2026-04-02T06:00"),  # clocks changed between them
        ("2026-11-30T23:30", "Pacific/Auckland", "2026-12-01T19:00"),  # it is December there
        ("2026-12-01T02:00", "America/Los_Angeles", "2026-12-02T16:00"),  # it is November there, whose day has passed
    ],
)
def test_a_mail_is_due_in_the_morning_of_the_second_day(now: str, zone: str, due: str) -> None:
    at = datetime.fromisoformat(now).replace(tzinfo=UTC)
    assert months.next_mail(at, zone) == datetime.fromisoformat(due).replace(tzinfo=UTC)
