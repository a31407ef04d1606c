"""What a rule of repetition means, and which ones are refused."""

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.posts.test_recurrence import DAILY, _soon

from signalpost.posts import recurrences
from signalpost.posts.documents import Recurrence
from signalpost.posts.schemas.requests import RecurrenceIn


@pytest.fixture
async def owner(make: Make) -> Login:
    owner = await make.owner()
    await make.account(owner)
    return owner


@pytest.mark.parametrize(
    ("first", "rule"),
    [("2026-03-23T09:00", "FREQ=DAILY"), ("2026-10-19T09:00", "FREQ=DAILY"), ("2026-01-05T09:00", "FREQ=WEEKLY"),
     ("2026-01-31T09:00", "FREQ=MONTHLY;BYMONTHDAY=-1")],
)  # fmt: skip
def test_the_wall_time_stays_over_both_changes_of_the_clock(first: str, rule: str) -> None:
    zone = ZoneInfo("Europe/Berlin")
    start = datetime.fromisoformat(first).replace(tzinfo=zone)
    stored = Recurrence(rule, "Europe/Berlin", None, 60)
    found = list(recurrences.occurrences(stored, start.astimezone(UTC)))
    assert [entry.number for entry in found] == list(range(1, len(found) + 1))
    assert {entry.local.time() for entry in found} == {start.time()}
    assert {entry.at.astimezone(zone).time() for entry in found} == {start.time()}


@pytest.mark.parametrize(
    ("fields", "posts"),
    [({"rrule": "FREQ=DAILY;COUNT=3"}, 3), ({"rrule": "FREQ=DAILY", "count": 4}, 4),
     ({"rrule": "FREQ=DAILY;UNTIL=20261125"}, 3), ({"rrule": "FREQ=DAILY;UNTIL=20261125T075959Z"}, 2),
     ({"rrule": "FREQ=DAILY;UNTIL=20261125T080000Z"}, 3), ({"rrule": "FREQ=DAILY", "until": "2026-11-25T09:00"}, 3),
     ({"rrule": "FREQ=DAILY", "until": "2026-11-30T00:00Z", "count": 2}, 2)],
)  # fmt: skip
def test_the_end_of_a_rule_counts_the_first_post_and_is_inclusive(fields: dict[str, Any], posts: int) -> None:
    first = datetime(2026, 11, 23, 8, tzinfo=UTC)
    stored = recurrences.check(RecurrenceIn(**fields), "Europe/Berlin", first)
    assert isinstance(stored, Recurrence), stored
    assert 1 + len(list(recurrences.occurrences(stored, first))) == posts


def test_variations_are_used_in_turn() -> None:
    stored = Recurrence("FREQ=DAILY", "UTC", None, 9, ["b", "c"])
    assert [recurrences.text_of(stored, "a", number) for number in (1, 2, 3)] == ["b", "c", "b"]


@pytest.mark.parametrize(
    ("recurrence", "path", "code"),
    [
        ({"rrule": "FREQ=SECONDLY;COUNT=3"}, "/recurrence/rrule", "format"),
        ({"rrule": "FREQ=DAILY;COUNT=1000000000"}, "/recurrence/rrule", "format"),
        ({"rrule": "whenever"}, "/recurrence/rrule", "format"),
        ({"rrule": "FREQ=DAILY"}, "/recurrence", "required"),
        ({"rrule": "FREQ=DAILY", "count": 366}, "/recurrence/count", "out_of_range"),
        ({"rrule": "FREQ=DAILY;COUNT=3", "count": 3}, "/recurrence/count", "not_allowed"),
        ({"rrule": "FREQ=DAILY", "until": "2999-01-01T00:00Z"}, "/recurrence", "out_of_range"),
        ({"rrule": "FREQ=DAILY", "until": "2020-01-01T00:00Z"}, "/recurrence", "out_of_range"),
        ({"rrule": "FREQ=DAILY", "until": "soon"}, "/recurrence/until", "format"),
        ({"rrule": "FREQ=YEARLY", "count": 30}, "/recurrence", "out_of_range"),
        ({"rrule": "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "count": 3}, "/recurrence", "out_of_range"),
        ({"rrule": "FREQ=DAILY", "count": 3, "timezone": "Mars/Olympus"}, "/recurrence/timezone", "format"),
        ({"rrule": "X" * 501, "count": 3}, "/recurrence/rrule", "too_long"),
    ],
)
async def test_a_rule_that_cannot_be_followed_is_refused_at_its_field(
    api: Api, owner: Login, recurrence: dict[str, Any], path: str, code: str
) -> None:
    body = {"profileId": owner.profile, "text": "Hi", "platforms": ["sandbox"], "scheduledAt": _soon()}
    answer = await api.post("/posts", json=body | {"recurrence": recurrence}, key=owner.key)
    assert answer.status_code == 422
    assert [(issue["path"], issue["code"]) for issue in answer.json()["errors"]] == [(path, code)]


@pytest.mark.parametrize(
    ("fields", "path"),
    [({}, "/scheduledAt"), ({"publishMode": "slot"}, "/recurrence")],
)
async def test_a_post_that_repeats_needs_a_time_of_its_own(
    api: Api, owner: Login, fields: dict[str, Any], path: str
) -> None:
    body = {"profileId": owner.profile, "text": "Hi", "platforms": ["sandbox"], "recurrence": DAILY} | fields
    answer = await api.post("/posts", json=body, key=owner.key)
    assert path in [issue["path"] for issue in answer.json()["errors"]]
    many = await api.post("/posts/bulk", json={"posts": [body | {"scheduledAt": _soon()}]}, key=owner.key)
    assert many.status_code == 422
