"""What people wrote to Slack's bot while nobody was connected for longer than Slack tries: found in their chats."""

import asyncio
import dataclasses
import secrets
from datetime import timedelta
from typing import Any

import pytest
from tests.helpers import media_files
from tests.helpers.factories import Login
from tests.helpers.limits import TEST_SECONDS
from tests.helpers.messenger import Lease, Messenger, SlackChat, confirmed

from signalpost.engine.jobs import RunAgain
from signalpost.kit import clock
from signalpost.messenger import slack, slack_line
from signalpost.messenger.actions import recall
from signalpost.messenger.contract import Sender, TryAgain
from signalpost.messenger.messengers import SLACK

HISTORY = "POST /api/conversations.history"
_AGO = "update messenger_bot set asked_at = now() - $1::interval where bot_id like 'slack:%'"
_MISSED = "select missed_since from messenger_bot where bot_id like 'slack:%'"
_DUE = "update job set next_attempt_at = now() where kind = 'messenger.recall_slack'"
_WAKE = "update lane set next_due_at = now(), not_before = null where kind = 'job' and owner is null"


@pytest.fixture(autouse=True)
async def quick(messenger: Messenger, monkeypatch: pytest.MonkeyPatch) -> None:
    """A turn waits shortly, no chat of another test is looked at, and Slack counts from zero."""
    monkeypatch.setattr(SLACK, "turn_seconds", 0.2)
    await messenger.execute("delete from messenger_link")
    await messenger.execute("delete from job where kind = 'messenger.recall_slack'")
    await messenger.execute("update messenger_bot set missed_since = null, missed_after = null")
    messenger.simulator.world.clock.advance(61)


def unique(text: str) -> str:
    return f"{text} {secrets.token_hex(6)}"


async def linked(messenger: Messenger, owner: Login) -> SlackChat:
    chat = await messenger.linked_chat(owner, "recall" + secrets.token_hex(4), at="slack")
    assert isinstance(chat, SlackChat)
    return chat


async def texts_of(messenger: Messenger, owner: Login) -> list[str]:
    posts = (await messenger.api.get("/posts", key=owner.key)).json()["data"]
    return sorted(post["text"] for post in posts)


async def outage(chat: SlackChat, **length: float) -> None:
    """Have nobody be connected for this long, up to now, after what is to be written was written."""
    chat.slack.disconnect()
    socket = chat.messenger.context.state(slack_line.Line).socket
    if socket is not None:
        assert await socket.receive(5) is None
    chat.slack.world.clock.advance(timedelta(**length).total_seconds())
    chat.slack.fail_overdue()
    await chat.messenger.execute(_AGO, timedelta(**length))


async def catch_up(chat: SlackChat) -> None:
    """Connect again, and do what follows from it."""
    messenger = chat.messenger
    await messenger.ask(SLACK)
    await confirmed(chat.slack)
    async with asyncio.timeout(TEST_SECONDS):
        while await messenger.value(_MISSED) is not None:
            await messenger.execute(_DUE)
            await messenger.execute(_WAKE)
            await messenger.work(seconds=2)
    await messenger.work(seconds=2)


async def test_after_an_hour_what_slack_gave_up_is_handled_once(messenger: Messenger, owner: Login) -> None:
    chat, network, bot = await linked(messenger, owner), messenger.slack, messenger.slack_bot
    heard, first, second = unique("Heard"), unique("Missed & <first>"), unique("Missed second")
    await chat.says(heard)
    before = len(chat.entries)
    network.disconnect()
    network.write(bot, chat.person, first)
    files = [network.add_file(chat.person, media_files.image("PNG", size=(50, 40)), "image/png") for _ in range(2)]
    network.write(bot, chat.person, second, files)
    lost = len(network.lost)
    await outage(chat, hours=1)
    assert len(network.lost) == lost + 2, "Slack does not deliver them any more"

    await catch_up(chat)

    assert await texts_of(messenger, owner) == sorted([heard, first, second])
    replies = chat.texts[before:]
    assert len(replies) == 2
    assert all("Publish it?" in reply for reply in replies)
    await outage(chat, hours=1)
    await catch_up(chat)
    assert await texts_of(messenger, owner) == sorted([heard, first, second])
    assert len(chat.entries) == before + 2


async def test_a_short_outage_asks_for_nothing(messenger: Messenger, owner: Login) -> None:
    """Slack itself tries for six minutes."""
    chat = await linked(messenger, owner)
    await outage(chat, minutes=3)
    asked = len(messenger.simulator.world.log)

    await messenger.ask(SLACK)

    assert await messenger.value(_MISSED) is None
    assert not [one for one in messenger.simulator.world.log[asked:] if "conversations.history" in one.target]


async def test_what_is_written_meanwhile_is_not_handled_twice(messenger: Messenger, owner: Login) -> None:
    """It comes over the connection, and stands in the history too."""
    chat = await linked(messenger, owner)
    await outage(chat, hours=1)
    messenger.slack.write(messenger.slack_bot, chat.person, text := unique("Both ways"))
    messenger.simulator.world.clock.advance(1)
    lease: Any = Lease(messenger.context)

    await catch_up(chat)
    await messenger.execute(
        "update messenger_bot set missed_since = now() - interval '1 hour', missed_noted_at = now()"
    )
    while await recall.recall(messenger.context, lease, SLACK):
        messenger.simulator.world.clock.advance(10)
    await messenger.work(seconds=2)

    assert await texts_of(messenger, owner) == [text]


async def test_chats_are_looked_at_some_at_a_time(
    messenger: Messenger, owner: Login, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run asks for so many, and the next one goes on, also in another process."""
    monkeypatch.setattr(recall, "CHATS_MAX", 2)
    owners = [owner, *[await messenger.make.owner() for _ in range(4)]]
    chats = [await linked(messenger, one) for one in owners]
    written = [unique("Missed") for _ in chats]
    chats[0].slack.disconnect()
    for chat, text in zip(chats, written, strict=True):
        messenger.slack.write(messenger.slack_bot, chat.person, text)
    await outage(chats[0], hours=1)
    await messenger.ask(SLACK)
    lease: Any = Lease(messenger.context)

    runs, calls = 0, len(messenger.simulator.world.log)
    while (again := await recall.recall(messenger.context, lease, SLACK)) is not None:
        assert again == RunAgain(recall.PAUSE_SECONDS)
        asked = [one for one in messenger.simulator.world.log[calls:] if "conversations.history" in one.target]
        assert len(asked) <= 2
        runs, calls = runs + 1, len(messenger.simulator.world.log)
        messenger.simulator.world.clock.advance(again.after_seconds)

    assert runs >= 2
    await messenger.work(seconds=2)
    assert [await texts_of(messenger, one) for one in owners] == [[text] for text in written]


async def test_a_second_outage_begins_again(messenger: Messenger, owner: Login) -> None:
    """Chats that were looked at before it are looked at once more, from the first outage on."""
    chat = await linked(messenger, owner)
    await outage(chat, hours=3)
    await messenger.ask(SLACK)
    since = await messenger.value(_MISSED)
    await messenger.execute("update messenger_bot set missed_after = $1", owner.workspace_id)
    await outage(chat, hours=1)
    await messenger.ask(SLACK)

    assert await messenger.value(_MISSED) == since
    assert await messenger.value("select missed_after from messenger_bot where bot_id like 'slack:%'") is None


@pytest.mark.parametrize(
    ("fault", "seconds"),
    [
        ({"kind": "status", "status": 503}, 30.0),
        ({"kind": "dropped"}, 30.0),
        ({"kind": "answer", "status": 200, "body": "<html>"}, 30.0),
        ({"kind": "answer", "status": 200, "body": {"ok": False, "error": "missing_scope"}}, 30.0),
        ({"kind": "answer", "status": 429, "body": {}, "headers": {"Retry-After": "45"}}, 45.0),
    ],
)
async def test_what_cannot_be_read_now_is_read_later(
    messenger: Messenger, owner: Login, fault: dict[str, Any], seconds: float
) -> None:
    chat = await linked(messenger, owner)
    chat.slack.disconnect()
    messenger.slack.write(messenger.slack_bot, chat.person, text := unique("Later"))
    await outage(chat, hours=1)
    await messenger.ask(SLACK)
    messenger.simulator.world.add_fault("slack", call=HISTORY, times=2, **fault)
    lease: Any = Lease(messenger.context)

    again = await recall.recall(messenger.context, lease, SLACK)

    assert again == RunAgain(seconds)
    messenger.simulator.world.faults.clear()
    await catch_up(chat)
    assert await texts_of(messenger, owner) == [text]


async def test_a_chat_that_is_gone_holds_up_no_other(messenger: Messenger, owner: Login) -> None:
    body = {"ok": False, "error": "channel_not_found"}
    chat = await linked(messenger, owner)
    person = Sender(user_id="T0BAKERY01:U0GONE", messenger="slack", chat_id="D0GONE")
    assert await SLACK.written(messenger.context, person, clock.actual()) == []
    messenger.simulator.world.add_fault("slack", "answer", HISTORY, status=200, body=body)
    assert await SLACK.written(messenger.context, Sender(user_id="T:U", messenger="slack"), clock.actual()) == []
    messenger.simulator.world.faults.clear()
    settings = dataclasses.replace(messenger.context.settings, slack_bot_token="xoxb-of-nobody-at-all")
    context = dataclasses.replace(messenger.context, settings=settings, states={})
    assert isinstance(await SLACK.written(context, person, clock.actual()), TryAgain)
    assert await texts_of(messenger, owner) == []
    assert chat.texts


async def test_pages_are_read_to_the_end(messenger: Messenger, owner: Login) -> None:
    chat = await linked(messenger, owner)
    since = messenger.simulator.world.clock()
    messenger.simulator.world.clock.advance(1)
    for number in range(120):
        event = messenger.slack.written(messenger.slack_bot, chat.person, f"Loaf {number}")
        messenger.slack.said.append(event)
    person = Sender(
        user_id=f"T0BAKERY01:{messenger.slack.user_id(chat.person)}", messenger="slack",
        chat_id=messenger.slack.chat(messenger.slack_bot, chat.person).id,
    )  # fmt: skip

    found = await SLACK.written(messenger.context, person, since)

    assert isinstance(found, list)
    assert {message.text for message in found} == {f"Loaf {number}" for number in range(120)}
    assert len({message.remote_id for message in found}) == 120


def test_a_history_says_what_the_events_said() -> None:
    """The bot's own messages, those of others and changes are none; ids are those of the events."""
    person = Sender(user_id="T1A:U1A", messenger="slack", chat_id="D1A")
    mine = {"type": "message", "user": "U1A", "ts": "1795927389.000009", "text": "Rye"}
    event = mine | {"channel": "D1A", "channel_type": "im"}
    others = [mine | {"user": "U2B"}, mine | {"bot_id": "B1"}, mine | {"subtype": "bot_add"}, None, 5, {}]

    found = slack.read_history({"messages": [mine, *others]}, person)

    assert found == slack.read_event(event, "T1A")
    assert slack.read_history({"messages": "x"}, person) == slack.read_history({}, person) == []
    assert slack.next_page({"response_metadata": {"next_cursor": ""}}) is None
    assert slack.next_page({"response_metadata": {"next_cursor": "dXNlcg=="}}) == "dXNlcg=="


@pytest.mark.parametrize(("days", "seconds"), [(0.0, 30.0), (1 / 24, 360.0), (5.0, 3_600.0), (6.01, None)])
async def test_what_is_refused_for_days_is_tried_ever_more_rarely_and_given_up(
    messenger: Messenger, owner: Login, days: float, seconds: float | None
) -> None:
    """Such as an app without the scope: after six days nothing that was missed may be handled any more."""
    chat = await linked(messenger, owner)
    await outage(chat, hours=1)
    await messenger.ask(SLACK)
    await messenger.execute("update messenger_bot set missed_noted_at = now() - $1::interval", timedelta(days=days))
    refused = {"kind": "answer", "status": 200, "body": {"ok": False, "error": "missing_scope"}}
    messenger.simulator.world.add_fault("slack", call=HISTORY, times=1, **refused)
    lease: Any = Lease(messenger.context)

    again = await recall.recall(messenger.context, lease, SLACK)

    messenger.simulator.world.faults.clear()
    assert (again and again.after_seconds) == (seconds and pytest.approx(seconds, abs=1.0))
    assert (await messenger.value(_MISSED) is None) == (seconds is None)
