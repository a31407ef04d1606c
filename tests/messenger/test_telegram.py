"""Telegram as a place to write from: what is its own. The dialogue is that of `test_conversation`, run for all."""

import dataclasses
import secrets
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.helpers import media_files
from tests.helpers.factories import Login
from tests.helpers.messenger import BOT, Chat, Lease, Messenger

from signalpost.messenger import telegram
from signalpost.messenger.actions import poll
from signalpost.messenger.contract import Option, Reply, Sender
from signalpost.messenger.messengers import TELEGRAM

SEND, GET, FILE = "POST /bot{token}/sendMessage", "POST /bot{token}/getUpdates", "POST /bot{token}/getFile"
_DUE = "update job set next_attempt_at = now() where kind like 'messenger.%' and next_attempt_at is not null"
_ASKED = "select asked_at from messenger_bot where bot_id = $1"
_WAKE = "update lane set next_due_at = now(), not_before = null where kind = 'job' and owner is null"


def unique(text: str) -> str:
    return f"{text} {secrets.token_hex(6)}"


async def linked(messenger: Messenger, owner: Login) -> Chat:
    chat = await messenger.linked_chat(owner, "tg" + secrets.token_hex(4))
    assert isinstance(chat, Chat)
    return chat


async def posts_of(messenger: Messenger, owner: Login) -> list[dict[str, Any]]:
    posts: list[dict[str, Any]] = (await messenger.api.get("/posts", key=owner.key)).json()["data"]
    return posts


async def status_of(messenger: Messenger, owner: Login) -> dict[str, Any]:
    status: dict[str, Any] = (await messenger.api.get("/wa/status", key=owner.key)).json()
    return status


async def test_the_link_opens_the_chat_and_names_the_account_masked(messenger: Messenger, owner: Login) -> None:
    chat = await messenger.chat("alice_" + secrets.token_hex(3))
    body = {"messenger": "telegram"}
    code = (await messenger.api.post("/wa/link-code", json=body, key=owner.key)).json()

    assert (code["messenger"], code["address"], code["phoneNumber"]) == ("telegram", f"@{BOT}", None)
    assert code["deepLink"] == code["qrText"] == f"https://t.me/{BOT}?start={code['code']}"
    assert "is not linked. Get a code" in await chat.says("/start")
    assert "is linked now" in await chat.says(f"/start {code['code']}")
    status = await status_of(messenger, owner)
    assert (status["linked"], status["messenger"], status["phoneMasked"]) == (True, "telegram", None)
    assert status["userMasked"] == f"@a***{chat.person.username[-1]}"
    assert status["messengers"] == ["whatsapp", "telegram", "slack"]
    assert "*" not in chat.texts[-1], "commands are bold"


async def test_a_person_has_one_link_wherever_it_is(messenger: Messenger, owner: Login) -> None:
    phone = await messenger.linked(owner, "both" + secrets.token_hex(3))
    chat = await linked(messenger, owner)

    assert "the Telegram account @t***" in phone.texts[-1]
    assert (await status_of(messenger, owner))["messenger"] == "telegram"
    assert "is not linked" in await phone.says("status")
    assert "You have made no post here yet" in await chat.says("/status")


async def test_an_update_that_comes_twice_is_handled_once(messenger: Messenger, owner: Login) -> None:
    """Whoever asks again from an older position, as after a restart from a backup, gets the same ones."""
    chat = await linked(messenger, owner)
    chat.telegram.write(messenger.bot, chat.person, {"text": unique("Once")})
    waiting = list(chat.telegram.waiting[messenger.bot.id])
    await chat.heard()
    count = len(chat.entries)

    chat.telegram.waiting[messenger.bot.id] = waiting
    await messenger.execute("update messenger_bot set position = null")
    await chat.heard()

    assert len(await posts_of(messenger, owner)) == 1
    assert len(chat.entries) == count


async def test_an_album_is_one_post_with_the_caption_of_any(messenger: Messenger, owner: Login) -> None:
    chat = await linked(messenger, owner)
    caption, album = unique("Three loaves"), secrets.token_hex(4)
    for number in range(3):
        content = media_files.image("JPEG", size=(60 + number, 40))
        said = caption if number == 1 else ""
        chat.telegram.attachment(messenger.bot, chat.person, "photo", content, "image/jpeg", caption=said, album=album)

    await messenger.ask()
    await messenger.work()
    assert await posts_of(messenger, owner) == [], "more of it may come"
    await chat.heard()
    await messenger.execute(_DUE)
    await messenger.execute(_WAKE)
    await messenger.work()

    (post,) = await posts_of(messenger, owner)
    assert (post["text"], len(post["media"])) == (caption, 3)
    assert "Publish it?" in chat.texts[-1]


@pytest.mark.parametrize(("kind", "mime_type"), [("video", "video/mp4"), ("document", "image/png")])
async def test_files_become_media(
    messenger: Messenger, owner: Login, tmp_path: Path, kind: str, mime_type: str
) -> None:
    chat = await linked(messenger, owner)
    content = media_files.video(tmp_path) if kind == "video" else media_files.image("PNG")
    text = unique("Look")

    chat.telegram.attachment(messenger.bot, chat.person, kind, content, mime_type, caption=text)
    await chat.heard()

    (post,) = await posts_of(messenger, owner)
    media = (await messenger.api.get(f"/media/{post['media'][0]['mediaId']}", key=owner.key)).json()
    assert (post["text"], media["mimeType"], media.get("sourceUrl")) == (text, mime_type, None)
    stored = "select count(*) from media where file_name like '%bot%' or source_url is not null and workspace_id = $1"
    assert await messenger.value(stored, owner.workspace_id) == 0, "the address contains the token"


async def test_files_that_cannot_be_used_are_refused_with_a_reason(messenger: Messenger, owner: Login) -> None:
    chat, bot = await linked(messenger, owner), messenger.bot
    network = chat.telegram
    big = network.add_file(b"\0" * 20_000_001, "video", "video/mp4")

    network.write(bot, chat.person, {"video": big})
    assert "a video may have at most 20 MB" in await chat.heard()
    network.write(bot, chat.person, {"video": {**big, "file_size": 5}})
    assert "a video may have at most 20 MB" in await chat.heard(), "Telegram says so itself"
    network.write(bot, chat.person, {"document": {"file_id": "unknown", "mime_type": "image/png"}})
    assert "could not be fetched" in await chat.heard()
    network.attachment(bot, chat.person, "document", b"PK\3\4", "application/zip")
    assert "Files of type application/zip cannot be posted" in await chat.heard()
    fault = {"status": 200, "body": {"ok": True, "result": {"file_path": "../../bot1/getMe"}}}
    messenger.simulator.world.add_fault("telegram", "answer", FILE, **fault)
    network.attachment(bot, chat.person, "photo", media_files.image("JPEG"), "image/jpeg")
    assert "could not be fetched" in await chat.heard()
    for content in ({"voice": {"file_id": "v"}}, {"sticker": {}}, {"location": {"latitude": 1}}):
        network.write(bot, chat.person, content)
        assert "not this kind of message" in await chat.heard()
    assert await posts_of(messenger, owner) == []


async def test_a_tap_is_answered_and_an_old_one_publishes_nothing(messenger: Messenger, owner: Login) -> None:
    """Telegram does not say when a button was tapped: while nobody asks, it may be as long ago."""
    chat = await linked(messenger, owner)
    await chat.says(unique("Tapped"))
    button = chat.options["Post now"]
    await messenger.execute("update messenger_bot set asked_at = now() - interval '2 hours'")

    chat.telegram.tap(messenger.bot, chat.person, button)

    assert "an hour late" in await chat.heard()
    chat.telegram.tap(messenger.bot, chat.person, button)
    assert "Published (1 of 1):" in await chat.heard()
    assert set(chat.telegram.taps.values()) == {True}


async def test_groups_channels_bots_and_edits_are_not_heard(messenger: Messenger, owner: Login) -> None:
    chat, network, bot = await linked(messenger, owner), messenger.telegram, messenger.bot
    count, message = len(chat.entries), network.written(bot, chat.person, {"text": unique("Overheard")})

    network.update(bot, "message", message | {"chat": {"id": -5, "type": "group", "title": "Regulars"}})
    network.update(bot, "channel_post", message | {"chat": {"id": -100, "type": "channel", "title": "News"}})
    network.update(bot, "message", message | {"from": {**network.user(chat.person), "is_bot": True}})
    network.update(bot, "edited_message", message | {"edit_date": message["date"]})
    await chat.heard()

    assert len(chat.entries) == count
    assert await posts_of(messenger, owner) == []


async def test_whoever_blocks_the_bot_has_no_link_any_more(messenger: Messenger, owner: Login) -> None:
    chat = await linked(messenger, owner)
    count = len(chat.entries)

    chat.telegram.block(messenger.bot, chat.person)
    await chat.heard()

    assert (await status_of(messenger, owner))["linked"] is False
    assert len(chat.entries) == count


async def test_a_reply_to_whoever_blocked_the_bot_ends_the_link(messenger: Messenger, owner: Login) -> None:
    """They may have done so after they wrote, and before the reply."""
    chat = await linked(messenger, owner)
    chat.telegram.write(messenger.bot, chat.person, {"text": "help"})
    chat.telegram.private_chat(messenger.bot, chat.person).details["status"] = "kicked"

    await chat.heard()

    assert (await status_of(messenger, owner))["linked"] is False
    refused = "select error from messenger_reply where state = 'failed' order by id desc limit 1"
    assert await messenger.value(refused) == "403: Forbidden: bot was blocked by the user"


async def test_a_limit_is_waited_for_and_a_lost_answer_is_not_repeated(messenger: Messenger, owner: Login) -> None:
    chat = await linked(messenger, owner)
    count = len(chat.entries)
    body = {"ok": False, "error_code": 429, "description": "Too Many Requests: retry after 37",
            "parameters": {"retry_after": 37}}  # fmt: skip
    messenger.simulator.world.add_fault("telegram", "answer", SEND, status=429, body=body)

    begun = await messenger.value("select clock_timestamp()")
    await chat.says("help")
    reply = (await status_of(messenger, owner))["lastReply"]
    due = "select next_attempt_at from job where kind = 'messenger.send' and workspace_id = $1"
    due_at, now = await messenger.value(due, owner.workspace_id), await messenger.value("select clock_timestamp()")
    wait = timedelta(seconds=37)
    assert reply["state"] == "waiting"
    assert begun + wait <= due_at <= now + wait
    await messenger.execute(_DUE)
    await messenger.execute(_WAKE)
    await messenger.work()
    assert (await status_of(messenger, owner))["lastReply"]["state"] == "sent"

    count = len(chat.entries)
    messenger.simulator.world.add_fault("telegram", "lost", SEND)
    await chat.says("status")
    assert (await status_of(messenger, owner))["lastReply"]["state"] == "unknown"
    assert len(chat.entries) == count + 1


@pytest.mark.parametrize(
    ("fault", "seconds"),
    [
        ({"kind": "status", "status": 500}, 30.0),
        ({"kind": "dropped"}, 30.0),
        ({"kind": "status", "status": 401}, 30.0),
        ({"kind": "answer", "status": 200, "body": "<html>"}, 30.0),
        ({"kind": "answer", "status": 429, "body": {"ok": False, "parameters": {"retry_after": 12}}}, 12.0),
    ],
)
async def test_who_cannot_ask_asks_later(messenger: Messenger, fault: dict[str, Any], seconds: float) -> None:
    await messenger.ask()
    messenger.simulator.world.add_fault("telegram", call=GET, **fault)

    assert (await messenger.ask()).after_seconds == seconds


async def test_a_webhook_of_an_earlier_program_is_ended(messenger: Messenger, owner: Login) -> None:
    chat = await linked(messenger, owner)
    messenger.telegram.webhooks[messenger.bot.id] = {"url": "https://earlier.example"}

    await messenger.ask()

    assert messenger.telegram.webhooks == {}
    assert "discard the last draft" in await chat.says("/help")


async def test_more_than_one_answer_is_read_to_the_end(messenger: Messenger, owner: Login) -> None:
    chat = await linked(messenger, owner)
    for number in range(telegram.UPDATES_MAX + 5):
        chat.telegram.write(messenger.bot, chat.person, {"sticker": {"number": number}})
    bot_id = TELEGRAM.bot_id(messenger.context.settings)
    asked = await messenger.value(_ASKED, bot_id)

    assert (await messenger.ask()).after_seconds == 0
    assert await messenger.value(_ASKED, bot_id) == asked, "older ones are waiting"
    await messenger.ask()

    assert (await messenger.ask()).after_seconds == poll.PAUSE_SECONDS
    await messenger.execute("delete from messenger_message where handled_at is null")


async def test_before_the_bot_has_answered_there_is_no_code(messenger: Messenger, owner: Login) -> None:
    token = "7999999999:" + "A" * 35
    settings = dataclasses.replace(messenger.context.settings, telegram_bot_token=token)
    context = dataclasses.replace(messenger.context, settings=settings)
    lease: Any = Lease(context)

    assert (await poll.poll(context, lease, TELEGRAM)).after_seconds == telegram.WAIT_SECONDS
    assert await messenger.value("select count(*) from messenger_bot where bot_id = '7999999999'") == 0


def test_texts_are_cut_and_written_as_telegram_reads_them() -> None:
    person = Sender(user_id="7", messenger="telegram")
    body = telegram.message_body(
        person, Reply("Write *publish* & <b>", [Option("now:x", "Post" * 30)], [], "message:5")
    )

    assert body["text"] == "Write <b>publish</b> &amp; &lt;b&gt;"
    assert body["reply_parameters"]["message_id"] == 5
    (button,) = body["reply_markup"]["inline_keyboard"][0]
    assert (len(button["text"]), button["callback_data"]) == (telegram.TITLE_MAX, "now:x")
    long = telegram.message_body(person, Reply("🥐" * 4_096))["text"]
    assert len(long.encode("utf-16-le")) // 2 <= telegram.TEXT_MAX


@pytest.mark.parametrize("update", [
    None, "x", [], {}, {"update_id": "1"}, {"update_id": -1}, {"update_id": 1, "message": []},
    {"update_id": 1, "message": {"from": {"id": True}, "chat": {"id": 1, "type": "private"}, "date": 1}},
    {"update_id": 1, "message": {"from": {"id": 1}, "chat": {"id": 2, "type": "private"}, "date": 1}},
    {"update_id": 1, "message": {"from": {"id": 1}, "chat": {"id": 1, "type": "private"}, "date": 1e99}},
    {"update_id": 1, "callback_query": {"id": 5, "from": {"id": 1}, "data": "now:x"}},
    {"update_id": 1, "my_chat_member": {"new_chat_member": "kicked"}},
])  # fmt: skip
def test_what_is_not_an_update_makes_no_message(update: Any) -> None:
    read = telegram.read_updates([update], "1", datetime.now(UTC) - timedelta(seconds=5))

    assert read.messages == []
