"""A person chooses what they are mailed about, and hours in which no mail comes."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Make
from tests.helpers.identity import register
from tests.helpers.mail import Inbox, send_waiting, serving, text_of, with_smtp

from signalpost import mail
from signalpost.context import AppContext
from signalpost.identity.schemas import NotificationTopics, NotificationTopicsUpdate
from signalpost.kit import ids
from signalpost.mail import choices, topics
from signalpost.mail.actions import KINDS
from signalpost.mail.topics import ALWAYS, TOPICS, QuietHours, Topic, quiet_until
from signalpost.push.actions.announce import PAGES

NIGHT = {"start": "22:00", "end": "07:00", "timezone": "Europe/Berlin"}


def test_each_mail_has_a_topic_or_a_reason_why_it_always_comes() -> None:
    """Whoever adds a mail decides which of both; people choose among exactly these topics."""
    templates = {path.stem for path in (Path(topics.__file__).parent / "templates").glob("*.txt")}
    assert templates == set(KINDS) == set(TOPICS) | set(ALWAYS)
    assert not set(TOPICS) & set(ALWAYS)
    chosen = [set(choice.__struct_fields__) for choice in (NotificationTopics, NotificationTopicsUpdate)]
    assert chosen == [set(Topic.__args__)] * 2
    assert set(PAGES) == set(Topic.__args__)
    assert set(TOPICS.values()) == set(Topic.__args__)
    assert all(KINDS[template] in {"own", "failure"} for template in TOPICS), "what is about security always comes"


async def test_a_person_chooses_topics_and_quiet_hours(api: Api) -> None:
    """What is not sent stays; the histories of their workspaces have it."""
    key = (await register(api))["accessToken"]
    before = (await api.get("/auth/notifications", key=key)).json()
    everything = dict.fromkeys(NotificationTopics.__struct_fields__, True)
    assert before == {"mail": everything, "push": everything, "quietHours": None}

    body = {"mail": {"decisions": False, "usage": False}, "push": {"tickets": False}, "quietHours": NIGHT}
    changed = await api.patch("/auth/notifications", json=body, key=key)
    push = everything | {"tickets": False}
    mails = everything | {"decisions": False, "usage": False}
    assert changed.json() == {"mail": mails, "push": push, "quietHours": NIGHT}

    again = await api.patch("/auth/notifications", json={"mail": {"usage": True}}, key=key)
    assert again.json() == {"mail": everything | {"decisions": False}, "push": push, "quietHours": NIGHT}
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


async def held_feed(context: AppContext, email: str) -> None:
    """Have a mail of the topic `feeds` sent, as when a feed is held."""
    values = {"workspace": "Acme", "feed": "News", "reason": "It is gone.", "url": "https://news.example.com/feed"}
    async with context.database.transaction() as db:
        await mail.enqueue(db, mail.Message(to=email, template="feed_held", values=values))
    await send_waiting(context, email)


async def test_one_click_in_a_mail_ends_its_topic_without_signing_in(api: Api, context: AppContext) -> None:
    """As mail programs do it (RFC 8058): a POST to the address in the header. Opening the address changes nothing."""
    person, inbox = await register(api), Inbox()
    key, email = person["accessToken"], person["email"]

    async def topics_off() -> set[str]:
        choices_now = (await api.get("/auth/notifications", key=key)).json()["mail"]
        return {topic for topic, is_on in choices_now.items() if not is_on}

    async with serving(inbox) as address:
        mailing = with_smtp(context, address)
        await held_feed(mailing, email)
        [message] = inbox.messages
        link = message["List-Unsubscribe"].removeprefix("<").removesuffix(">")
        assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
        assert link in text_of(message)
        assert email not in link
        path = link.removeprefix(mailing.fixed_url)

        opened = await api.call("GET", path, bare=True)
        assert (opened.status_code, await topics_off()) == (200, set())
        for _ in range(2):
            done = await api.call("POST", path, bare=True, data={"List-Unsubscribe": "One-Click"})
            assert (done.status_code, await topics_off()) == (200, {"feeds"})
        await held_feed(mailing, email)
    assert len(inbox.messages) == 1


async def test_a_link_ends_one_topic_of_one_person(api: Api, context: AppContext) -> None:
    """Neither the topic nor the person in it can be changed."""
    person, other = await register(api), await register(api)
    token = choices.issue(context.keys, person["user"]["id"], "feeds")
    user, topic, mac = token.split(".")
    wrong = (
        f"{other['user']['id']}.{topic}.{mac}", f"{user}.usage.{mac}", f"{user}.passwords.{mac}", f"{user}.{topic}.",
        "", "x", "usr_é.feeds.ü", f"{user}.{topic}.{mac[::-1]}",
    )  # fmt: skip
    transport = httpx.ASGITransport(app=api.app)
    async with httpx.AsyncClient(transport=transport, base_url="http://signalpost.test") as pages:
        answers = [await pages.post("/mails/unsubscribe", params={"token": each}) for each in wrong]
    assert [answer.status_code for answer in answers] == [404] * len(wrong)
    for each in (person, other):
        assert all((await api.get("/auth/notifications", key=each["accessToken"])).json()["mail"].values())
    assert choices.read(context.keys, token) == (ids.decode("usr", user), "feeds")
