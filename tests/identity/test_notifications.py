"""A person chooses what they are mailed about, and hours in which no mail comes."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Make
from tests.helpers.identity import register

from signalpost.identity.schemas import MailTopics, MailTopicsUpdate
from signalpost.mail import topics
from signalpost.mail.actions import KINDS
from signalpost.mail.topics import ALWAYS, TOPICS, QuietHours, Topic, quiet_until

NIGHT = {"start": "22:00", "end": "07:00", "timezone": "Europe/Berlin"}


def test_each_mail_has_a_topic_or_a_reason_why_it_always_comes() -> None:
    """Whoever adds a mail decides which of both; people choose among exactly these topics."""
    templates = {path.stem for path in (Path(topics.__file__).parent / "templates").glob("*.txt")}
    assert templates == set(KINDS) == set(TOPICS) | set(ALWAYS)
    assert not set(TOPICS) & set(ALWAYS)
    assert set(MailTopics.__struct_fields__) == set(MailTopicsUpdate.__struct_fields__) == set(Topic.__args__)
    assert set(TOPICS.values()) == set(Topic.__args__)
    assert all(KINDS[template] == "own" for template in TOPICS), "what is about security always comes"


async def test_a_person_chooses_topics_and_quiet_hours(api: Api) -> None:
    """What is not sent stays; the histories of their workspaces have it."""
    key = (await register(api))["accessToken"]
    before = (await api.get("/auth/notifications", key=key)).json()
    assert before == {"mail": dict.fromkeys(MailTopics.__struct_fields__, True), "quietHours": None}

    body = {"mail": {"decisions": False, "usage": False}, "quietHours": NIGHT}
    changed = await api.patch("/auth/notifications", json=body, key=key)
    assert changed.json() == {"mail": before["mail"] | body["mail"], "quietHours": NIGHT}

    again = await api.patch("/auth/notifications", json={"mail": {"usage": True}}, key=key)
    assert again.json() == {"mail": before["mail"] | {"decisions": False}, "quietHours": NIGHT}
    awake = await api.patch("/auth/notifications", json={"quietHours": None}, key=key)
    assert awake.json() == again.json() | {"quietHours": None}
    assert (await api.get("/auth/notifications", key=key)).json() == awake.json()
    entries = (await api.get("/audit", key=key, params={"action": "update_user"})).json()["data"]
    assert len(entries) == 3


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"quietHours": NIGHT | {"end": "22:00"}}, "/quietHours/end"),
        ({"quietHours": NIGHT | {"start": "24:00"}}, "/quietHours/start"),
        ({"quietHours": NIGHT | {"timezone": "Mars/Olympus"}}, "/quietHours/timezone"),
        ({"quietHours": {"start": "22:00", "end": "07:00"}}, "/quietHours/timezone"),
        ({"mail": {"passwords": False}}, "/mail/passwords"),
        ({"mail": {"usage": None}}, "/mail/usage"),
    ],
)
async def test_what_nobody_can_choose_is_refused(api: Api, body: dict[str, Any], path: str) -> None:
    key = (await register(api))["accessToken"]
    answer = await api.patch("/auth/notifications", json=body, key=key)
    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (422, path)


async def test_a_key_does_not_choose_for_its_owner(api: Api, make: Make) -> None:
    owner = await make.owner()
    answer = await api.patch("/auth/notifications", json={"quietHours": None}, key=owner.key)
    assert answer.status_code == 403


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


BERLIN = QuietHours("22:00", "07:00", "Europe/Berlin")
NOON = QuietHours("12:00", "13:30", "UTC")


@pytest.mark.parametrize(
    ("quiet", "now", "until"),
    [
        (BERLIN, "2026-11-30T21:59:59+01:00", None),
        (BERLIN, "2026-11-30T22:00:00+01:00", "2026-12-01T07:00:00+01:00"),
        (BERLIN, "2026-12-01T06:59:59+01:00", "2026-12-01T07:00:00+01:00"),
        (BERLIN, "2026-12-01T07:00:00+01:00", None),
        (BERLIN, "2026-10-24T23:00:00+02:00", "2026-10-25T07:00:00+01:00"),  # the night that is an hour longer
        (NOON, "2026-11-30T11:59:00+00:00", None),
        (NOON, "2026-11-30T12:30:00+00:00", "2026-11-30T13:30:00+00:00"),
        (NOON, "2026-11-30T13:30:00+00:00", None),
        (QuietHours("12:00", "13:30", "Mars/Olympus"), "2026-11-30T12:30:00+00:00", None),
    ],
)
def test_quiet_hours_end_at_their_wall_time(quiet: QuietHours, now: str, until: str | None) -> None:
    assert quiet_until(quiet, at(now)) == (None if until is None else at(until))
