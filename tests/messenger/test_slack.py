"""Slack as a place to write from: what is its own. The dialogue is that of `test_conversation`, run for all."""

import asyncio
import dataclasses
import secrets
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from tests.helpers import media_files
from tests.helpers.factories import Login
from tests.helpers.messenger import SLACK_BOT, Lease, Messenger, SlackChat, confirmed

from signalpost.messenger import slack, slack_line, slack_text
from signalpost.messenger.actions import poll
from signalpost.messenger.contract import Option, Reply, Sender
from signalpost.messenger.messengers import SLACK

SEND, OPEN, LINK = "POST /api/chat.postMessage", "POST /api/apps.connections.open", "GET /link/"
FILE = "POST /api/files.info"
_DUE = "update job set next_attempt_at = now() where kind like 'messenger.%' and next_attempt_at is not null"
_WAKE = "update lane set next_due_at = now(), not_before = null where kind = 'job' and owner is null"


def unique(text: str) -> str:
    return f"{text} {secrets.token_hex(6)}"


async def linked(messenger: Messenger, owner: Login) -> SlackChat:
    chat = await messenger.linked_chat(owner, "slack" + secrets.token_hex(4), at="slack")
    assert isinstance(chat, SlackChat)
    return chat


async def posts_of(messenger: Messenger, owner: Login) -> list[dict[str, Any]]:
    posts: list[dict[str, Any]] = (await messenger.api.get("/posts", key=owner.key)).json()["data"]
    return posts


async def status_of(messenger: Messenger, owner: Login) -> dict[str, Any]:
    status: dict[str, Any] = (await messenger.api.get("/wa/status", key=owner.key)).json()
    return status


async def test_the_link_opens_the_app_and_names_the_member_masked(messenger: Messenger, owner: Login) -> None:
    chat = await messenger.chat("lea" + secrets.token_hex(3), at="slack")
    assert isinstance(chat, SlackChat)
    code = (await messenger.api.post("/wa/link-code", json={"messenger": "slack"}, key=owner.key)).json()

    assert (code["messenger"], code["address"], code["phoneNumber"]) == ("slack", f"@{SLACK_BOT}", None)
    assert code["deepLink"] == "https://slack.com/app_redirect?app=A0BAKERY01"
    assert "is linked now" in await chat.says(code["code"])
    status = await status_of(messenger, owner)
    member = chat.slack.user_id(chat.person)
    assert (status["linked"], status["messenger"], status["phoneMasked"]) == (True, "slack", None)
    assert status["userMasked"] == f"{member[:2]}***{member[-2:]}"
    assert status["messengers"] == ["whatsapp", "telegram", "slack"]


async def test_an_event_that_comes_again_is_handled_once(messenger: Messenger, owner: Login) -> None:
    """Slack sends again what was not confirmed in time, also if it was stored."""
    chat = await linked(messenger, owner)
    delivery = chat.slack.write(messenger.slack_bot, chat.person, unique("Once"))
    await chat.heard()
    count = len(chat.entries)

    again = chat.slack.deliver(delivery.kind, {**delivery.payload, "event_id": "Ev0AGAIN"})
    await chat.heard()

    assert again.attempts >= 1
    assert len(await posts_of(messenger, owner)) == 1
    assert len(chat.entries) == count


async def test_nothing_is_confirmed_before_it_is_stored(messenger: Messenger, owner: Login) -> None:
    """A worker that loses its lease meanwhile stores nothing: the message comes again to the next one."""
    chat = await linked(messenger, owner)

    def lost() -> None:
        raise RuntimeError("the lease is lost")

    lease: Any = Lease(messenger.context)
    lease.transaction = lost
    await chat.connected()
    delivery = chat.slack.write(messenger.slack_bot, chat.person, text := unique("Not yet"))
    with pytest.raises(RuntimeError, match="the lease is lost"):
        await poll.poll(messenger.context, lease, SLACK)

    assert chat.slack.waiting == [delivery]
    chat.slack.world.clock.advance(4)
    assert "Publish it?" in await chat.heard()
    assert [post["text"] for post in await posts_of(messenger, owner)] == [text]
    assert delivery.attempts >= 2


async def test_several_files_are_one_post_at_once(messenger: Messenger, owner: Login) -> None:
    """Slack says how many there are, so nothing is waited for."""
    chat = await linked(messenger, owner)
    contents = [media_files.image("PNG", size=(60 + number, 40)) for number in range(3)]
    files = [chat.slack.add_file(chat.person, content, "image/png") for content in contents]

    chat.slack.write(messenger.slack_bot, chat.person, caption := unique("Three loaves"), files)
    await chat.heard()

    (post,) = await posts_of(messenger, owner)
    assert (post["text"], len(post["media"])) == (caption, 3)
    assert "Publish it?" in chat.texts[-1]
    media = [(await messenger.api.get(f"/media/{one['mediaId']}", key=owner.key)).json() for one in post["media"]]
    assert [one["height"] for one in media] == [60, 61, 62]
    stored = "select count(*) from media where source_url is not null and workspace_id = $1"
    assert await messenger.value(stored, owner.workspace_id) == 0


async def test_files_that_cannot_be_used_are_refused_with_a_reason(messenger: Messenger, owner: Login) -> None:
    chat, bot = await linked(messenger, owner), messenger.slack_bot
    network, world = chat.slack, chat.slack.world
    picture = network.add_file(chat.person, media_files.image("PNG"), "image/png")

    network.write(bot, chat.person, "", [network.add_file(chat.person, b"PK\3\4", "application/zip")])
    assert "Files of type application/zip cannot be posted" in await chat.heard()
    network.write(bot, chat.person, "", [dataclasses.replace(picture, id="F0GONE")])
    assert "could not be fetched" in await chat.heard()
    network.write(bot, chat.person, "", [dataclasses.replace(picture, id="../../secret")])
    assert "not this kind of message" in await chat.heard()
    body = {"ok": True, "file": {"id": picture.id, "size": 2_000_000_000, "url_private": f"{network.url}/x"}}
    world.add_fault("slack", "answer", FILE, status=200, body=body)
    network.write(bot, chat.person, "", [picture])
    assert "may have at most 1000 MB" in await chat.heard()
    scopes, bot.scopes = bot.scopes, bot.scopes - {"files:read"}
    network.write(bot, chat.person, "", [picture])
    assert "could not be fetched" in await chat.heard()
    bot.scopes = scopes
    assert await posts_of(messenger, owner) == []


async def test_the_token_goes_to_slack_only(messenger: Messenger, owner: Login) -> None:
    chat = await linked(messenger, owner)
    picture = chat.slack.add_file(chat.person, media_files.image("PNG"), "image/png")
    elsewhere = messenger.simulator.url("slack").replace("127.0.0.1", "localhost")
    for url in (f"{elsewhere}/thief", "http://files.slack.com/x", "https://files.slack.com.example/x", "file:///etc"):
        answer = {"ok": True, "file": {"id": picture.id, "url_private_download": url, "size": 5}}
        chat.slack.world.add_fault("slack", "answer", FILE, status=200, body=answer)
        chat.slack.write(messenger.slack_bot, chat.person, "", [picture])
        await chat.heard()
        chat.slack.world.faults.clear()

    assert not [logged for logged in messenger.simulator.world.log if "thief" in logged.target]
    await messenger.execute("delete from messenger_message where handled_at is null")


async def test_only_what_people_write_to_the_bot_is_heard(messenger: Messenger, owner: Login) -> None:
    chat, network, bot = await linked(messenger, owner), messenger.slack, messenger.slack_bot
    count, text = len(chat.entries), unique("Overheard")

    for more in (
        {"channel_type": "channel", "channel": "C0NEWS00001"}, {"subtype": "message_changed"}, {"bot_id": "B0OTHER"},
        {"subtype": "message_deleted"}, {"user": None}, {"type": "app_mention"}, {"channel_type": "mpim"},
    ):  # fmt: skip
        network.write(bot, chat.person, text, **more)
    network.deliver("slash_commands", {"command": "/publish", "text": text})
    network.deliver("events_api", {"event": []})
    await chat.heard()

    assert len(chat.entries) == count
    assert await posts_of(messenger, owner) == []


async def test_members_of_another_workspace_are_others(messenger: Messenger, owner: Login) -> None:
    """Ids of people are unique in their workspace only."""
    chat = await linked(messenger, owner)
    delivery = chat.slack.write(messenger.slack_bot, chat.person, "status")
    chat.slack.waiting.remove(delivery)

    chat.slack.deliver("events_api", {**delivery.payload, "team_id": "T0ANOTHER1"})

    assert "is not linked" in await chat.heard()


async def test_an_old_tap_publishes_nothing(messenger: Messenger, owner: Login) -> None:
    chat = await linked(messenger, owner)
    await chat.says(unique("Tapped"))
    button, hour = chat.options["Post now"], datetime.now(UTC).timestamp() - 3_700
    await chat.connected()

    chat.slack.tap(messenger.slack_bot, chat.person, button, action_ts=f"{hour:.6f}")
    assert "an hour late" in await chat.heard()
    await chat.connected()
    tap = chat.slack.tap(messenger.slack_bot, chat.person, button)
    assert "Published (1 of 1):" in await chat.heard()
    await chat.connected()
    count = len(chat.entries)
    chat.slack.deliver(tap.kind, tap.payload)
    await chat.heard()

    assert len(chat.entries) == count
    assert chat.slack.lost == []


async def test_whoever_is_gone_has_no_link_any_more(messenger: Messenger, owner: Login) -> None:
    chat = await linked(messenger, owner)
    body = {"ok": False, "error": "user_disabled"}
    chat.slack.world.add_fault("slack", "answer", SEND, status=200, body=body)

    await chat.says("help")

    assert (await status_of(messenger, owner))["linked"] is False


@pytest.mark.parametrize(
    ("fault", "state", "arrived"),
    [
        ({"kind": "lost"}, "unknown", 1),
        ({"kind": "dropped"}, "unknown", 0),
        ({"kind": "answer", "status": 200, "body": "<html>"}, "unknown", 1),
        ({"kind": "answer", "status": 200, "body": {"ok": False, "error": "internal_error"}}, "unknown", 1),
        ({"kind": "answer", "status": 200, "body": {"ok": True}}, "unknown", 1),
        ({"kind": "status", "status": 503}, "unknown", 0),
        ({"kind": "status", "status": 401}, "failed", 0),
        ({"kind": "status", "status": 429, "headers": {"Retry-After": "60"}}, "waiting", 0),
    ],
)
async def test_a_reply_is_sent_at_most_once(
    messenger: Messenger, owner: Login, fault: dict[str, Any], state: str, arrived: int
) -> None:
    chat = await linked(messenger, owner)
    count = len(chat.entries)
    chat.slack.world.add_fault("slack", call=SEND, **fault)

    await chat.says("help")

    assert (await status_of(messenger, owner))["lastReply"]["state"] == state
    await messenger.execute(_DUE)
    await messenger.execute(_WAKE)
    await messenger.work(seconds=1)
    assert len(chat.entries) - count == (1 if state == "waiting" else arrived)


@pytest.mark.parametrize(
    ("call", "fault", "seconds"),
    [
        (OPEN, {"kind": "status", "status": 500}, 30.0),
        (OPEN, {"kind": "dropped"}, 30.0),
        (OPEN, {"kind": "status", "status": 401}, 30.0),
        (OPEN, {"kind": "answer", "status": 200, "body": {"ok": True, "url": "wss://slack.com.example/"}}, 30.0),
        (OPEN, {"kind": "answer", "status": 200, "body": {"ok": True, "url": 5}}, 30.0),
        (OPEN, {"kind": "answer", "status": 429, "body": {}, "headers": {"Retry-After": "12"}}, 12.0),
        (LINK, {"kind": "status", "status": 503}, 30.0),
        (LINK, {"kind": "dropped"}, 30.0),
    ],
)
async def test_who_cannot_connect_does_it_later(
    messenger: Messenger, owner: Login, call: str, fault: dict[str, Any], seconds: float
) -> None:
    chat = await linked(messenger, owner)
    await ended(chat)
    chat.slack.world.add_fault("slack", call=call, times=2, **fault)  # what is dropped may be asked for once more

    assert (await messenger.ask(SLACK)).after_seconds == seconds
    chat.slack.world.faults.clear()
    assert "discard the last draft" in await chat.says("help")


async def ended(chat: SlackChat) -> None:
    """Have Slack end the connection, and wait until both ends know."""
    chat.slack.disconnect()
    line = chat.messenger.context.state(slack_line.Line)
    if line.socket is not None:
        assert await line.socket.receive(5) is None
    assert line.socket is None


async def test_a_new_connection_is_there_before_the_old_one_ends(messenger: Messenger, owner: Login) -> None:
    chat = await linked(messenger, owner)
    await chat.connected()
    (before,) = chat.slack.lines
    before.leave("refresh_requested")
    assert (await messenger.ask(SLACK)).after_seconds == 0

    assert "discard the last draft" in await chat.says("help")

    (after,) = chat.slack.lines
    assert after is not before
    assert before.is_closed


async def test_a_connection_that_ended_is_replaced_in_the_same_turn(messenger: Messenger, owner: Login) -> None:
    chat = await linked(messenger, owner)
    await chat.connected()
    chat.slack.disconnect()
    chat.slack.write(messenger.slack_bot, chat.person, text := unique("In between"))
    chat.slack.world.clock.advance(61)

    await messenger.ask(SLACK)
    await confirmed(chat.slack)
    await messenger.work(seconds=1)

    assert [post["text"] for post in await posts_of(messenger, owner)] == [text]


async def test_a_worker_that_reads_no_more_leaves_the_connection(
    messenger: Messenger, owner: Login, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Slack hands messages to any connection that is open, so none may stay that nobody reads."""
    monkeypatch.setattr(slack_line, "IDLE_SECONDS", 0.2)
    chat = await linked(messenger, owner)
    await chat.connected()

    async with asyncio.timeout(10):
        while chat.slack.lines:
            await asyncio.sleep(0.02)

    assert messenger.context.state(slack_line.Line).socket is None


async def test_before_the_bot_has_answered_there_is_no_code(messenger: Messenger, owner: Login) -> None:
    settings = dataclasses.replace(messenger.context.settings, slack_bot_token="xoxb-of-nobody-at-all")
    context = dataclasses.replace(messenger.context, settings=settings, states={})
    lease: Any = Lease(context)

    assert (await poll.poll(context, lease, SLACK)).after_seconds == slack.WAIT_SECONDS
    async with context.database.connection() as db:
        with pytest.raises(Exception, match="has not answered yet"):
            await SLACK.invitation(db, settings, "CODE")


PERSON = Sender(user_id="T0BAKERY01:U1", messenger="slack", chat_id="D1")


def test_texts_are_cut_and_written_as_slack_reads_them() -> None:
    body = slack.message_body(PERSON, Reply("Write *publish* & <b>", [Option("now:x", "Post" * 30)]))

    assert body["channel"] == "D1"
    assert body["text"] == body["blocks"][0]["text"]["text"] == "Write *publish* &amp; &lt;b&gt;"
    (button,) = body["blocks"][1]["elements"]
    assert (len(button["text"]["text"]), button["value"]) == (slack.TITLE_MAX, "now:x")
    for text in ("x" * 9_000, "&" * 9_000, "<x>" * 3_000):
        long = slack.message_body(PERSON, Reply(text))["text"]
        assert slack.TEXT_MAX - 10 <= len(long) <= slack.TEXT_MAX
        assert long.endswith("…")
    rows = [Option(f"profile:{number}", f"Profile {number}") for number in range(12)]
    elements = slack.message_body(PERSON, Reply("Choose", rows=rows))["blocks"][1]["elements"]
    assert len({one["action_id"] for one in elements}) == len(elements) == 10


@pytest.mark.parametrize(
    ("event", "text"),
    [
        ({"text": "Rye &amp; wheat &lt;3"}, "Rye & wheat <3"),
        ({"text": "See <http://example.com|example.com> and <https://a.example/x?y=1>"},
         "See example.com and https://a.example/x?y=1"),
        ({"text": "<https://a.example|Our menu>, <mailto:a@b.example|a@b.example>"},
         "Our menu (https://a.example), a@b.example"),
        ({"text": "<@U1|anna> in <#C1|news> <!here> <!subteam^S1|@bakers>"}, "@anna in #news @here @bakers"),
        ({"text": "x", "blocks": [{"type": "rich_text", "elements": [
            {"type": "rich_text_section", "elements": [
                {"type": "text", "text": "Fresh <bread> "},
                {"type": "emoji", "name": "cook", "unicode": "1f469-200d-1f373"},
                {"type": "emoji", "name": "our-logo"}, {"type": "text", "text": " "},
                {"type": "link", "url": "http://example.com", "text": "example.com"}, {"type": "text", "text": "\n"},
            ]},
            {"type": "rich_text_list", "style": "bullet", "elements": [
                {"type": "rich_text_section", "elements": [{"type": "text", "text": "Rye"}]},
                {"type": "rich_text_section", "elements": [{"type": "text", "text": "Spelt"}]},
            ]},
            {"type": "rich_text_list", "style": "ordered", "elements": [
                {"type": "rich_text_section", "elements": [{"type": "text", "text": "Knead"}]},
            ]},
            {"type": "rich_text_quote", "elements": [{"type": "user", "user_id": "U1"}, {"type": "unknown"}]},
        ]}]}, "Fresh <bread> 👩‍🍳:our-logo: example.com\n• Rye\n• Spelt\n1. Knead\n@U1"),
        ({"text": 5, "blocks": [{"type": "section"}, "x"]}, ""),
        ({"text": "x", "blocks": [{"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [
            {"type": "emoji", "name": "odd", "unicode": "d800"}, {"type": "text", "text": None}]}]}]}, ":odd:"),
    ],
)  # fmt: skip
def test_texts_are_read_as_they_were_typed(event: dict[str, Any], text: str) -> None:
    assert slack_text.written(event) == text


MESSAGE: dict[str, Any] = {
    "type": "message", "channel_type": "im", "user": "U1A", "channel": "D1A", "ts": "1795927389.000009", "text": "x",
}  # fmt: skip


@pytest.mark.parametrize("change", [
    {"ts": "1795927389"}, {"ts": "99999999999.000009"}, {"ts": None}, {"ts": "1e9.000000"}, {"user": "B1A"},
    {"channel": "C1A"}, {"channel": ["D1A"]}, {"user": "U1A:x"}, {"subtype": ["x"]},
])  # fmt: skip
def test_what_is_no_message_makes_none(change: dict[str, Any]) -> None:
    assert len(slack.read_event(MESSAGE, "T1A")) == 1

    assert slack.read_event(MESSAGE | change, "T1A") == []
    assert slack.read_event(MESSAGE, None) == slack.read_event(MESSAGE, "T1A:U") == []


@pytest.mark.parametrize("text", [
    b"", b"null", b"[]", b"\xff", b'{"type": "events_api"}', b'{"type": "interactive", "payload": {"type": "x"}}',
    b'{"type": "interactive", "payload": {"type": "block_actions", "actions": [5]}}', b"[" * 100_000,
    b'{"type": "events_api", "payload": {"event": {"type": "message", "channel_type": "im", "files": 5}}}',
    b'{"type": ["hello"]}', b'{"type": "hello\\ud800"}',
])  # fmt: skip
def test_what_is_no_envelope_says_nothing(text: bytes) -> None:
    envelope = slack.read_envelope(text)

    assert (envelope.messages, envelope.is_hello, envelope.is_leaving) == ([], False, False)


def test_more_files_than_a_post_has_are_one_message() -> None:
    files = [{"id": f"F0{number}", "mimetype": "image/png"} for number in range(12)]

    messages = slack.read_event(MESSAGE | {"subtype": "file_share", "files": files}, "T1A")

    assert len(messages) == slack.FILES_MAX
    assert {message.album_count for message in messages} == {slack.FILES_MAX}
    assert len({message.remote_id for message in messages}) == slack.FILES_MAX
    assert msgspec.json.decode(msgspec.json.encode(messages), type=list[type(messages[0])]) == messages  # type: ignore[misc]
