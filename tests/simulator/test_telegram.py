"""The Bot API of the simulator, as python-telegram-bot uses it, unmodified: what is right is not only our opinion."""

import hashlib
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest
from simulator import Destination, Simulator
from telegram import (
    Bot,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    InputMediaDocument,
    InputMediaPhoto,
    InputMediaVideo,
    LinkPreviewOptions,
    Message,
    Poll,
    ReplyParameters,
)
from telegram.constants import ParseMode
from telegram.error import (
    BadRequest,
    ChatMigrated,
    Conflict,
    Forbidden,
    InvalidToken,
    NetworkError,
    RetryAfter,
    TelegramError,
)
from tests.helpers.telegram_bots import bot_at

from signalpost.conformance.harness import PNG

CHANNEL, GROUP = "-1001234567890", "-1009876543210"
SHA = hashlib.sha256(PNG).hexdigest()


def chats() -> list[Destination]:
    return [
        Destination(CHANNEL, "channel", "Corner Bakery", {"username": "corner_bakery"}),
        Destination(GROUP, "supergroup", "Regulars", {"topics": (7,), "members": 5}),
        Destination("-55", "group", "Old", {"migrated_to": GROUP}),
        Destination("-1003", "channel", "Lost", {"status": "kicked"}),
        Destination("-1004", "channel", "Quiet", {"rights": {"can_post_messages": False}}),
        Destination("-1005", "supergroup", "Mute", {"status": "member", "permissions": {"can_send_messages": False}}),
    ]


@pytest.fixture
async def bot(simulator: Simulator) -> AsyncIterator[Bot]:
    network: Any = simulator.world.networks["telegram"]
    token = network.add_token(simulator.world.add_person("telegram", "bakery_bot", destinations=chats()))
    async with bot_at(simulator.url("telegram"), token) as bot:
        yield bot


async def test_the_bot_its_chats_and_its_rights(bot: Bot) -> None:
    chat = await bot.get_chat("@Corner_Bakery")
    member = await bot.get_chat_member(chat.id, bot.id)

    assert (bot.username, chat.id, chat.type, chat.title) == ("bakery_bot", int(CHANNEL), "channel", "Corner Bakery")
    assert (member.status, getattr(member, "can_post_messages")) == ("administrator", True)  # noqa: B009 - by status
    assert await bot.get_chat_member_count(int(GROUP)) == 5
    assert (await bot.get_chat(GROUP)).is_forum


async def test_texts_with_everything_beside_them(bot: Bot, simulator: Simulator) -> None:
    first = await bot.send_message(
        CHANNEL, "<b>We</b> are open &amp; warm", parse_mode=ParseMode.HTML, protect_content=True,
        disable_notification=True, link_preview_options=LinkPreviewOptions(is_disabled=True),
    )  # fmt: skip
    second = await bot.send_message(
        CHANNEL, r"*Come* in\!", parse_mode=ParseMode.MARKDOWN_V2, reply_parameters=ReplyParameters(first.message_id)
    )
    topic = await bot.send_message(GROUP, "  In the topic ", message_thread_id=7)

    entries = simulator.world.ledger.of("telegram")
    assert [entry.text for entry in entries] == ["We are open & warm", "Come in!", "In the topic"]
    assert [entry.parent_id for entry in entries] == [None, str(first.message_id), None]
    assert entries[0].details["link_preview_options"] == {"is_disabled": True}
    assert (entries[0].details["protect_content"], entries[0].details["disable_notification"]) == (True, True)
    assert (second.link, first.chat.username) == (f"https://t.me/corner_bakery/{second.message_id}", "corner_bakery")
    assert (topic.message_thread_id, topic.link) == (7, f"https://t.me/c/9876543210/{topic.message_id}?thread=7")


async def test_files_of_every_kind(bot: Bot, simulator: Simulator) -> None:
    photo = await bot.send_photo(CHANNEL, PNG, "A photo", has_spoiler=True, show_caption_above_media=True)
    video = await bot.send_video(
        CHANNEL, b"film", 3, "A film", width=640, height=360, supports_streaming=True, filename="a.mp4"
    )
    animation = await bot.send_animation(CHANNEL, b"GIF89a", filename="a.gif")
    document = await bot.send_document(CHANNEL, b"%PDF", filename="menu.pdf")
    audio = await bot.send_audio(CHANNEL, b"sound", filename="a.mp3")

    entries = simulator.world.ledger.of("telegram")
    assert [entry.details["media_kinds"] for entry in entries] == [
        ["photo"],
        ["video"],
        ["animation"],
        ["document"],
        ["audio"],
    ]
    assert (photo.caption, entries[0].media, entries[0].details["has_spoiler"]) == ("A photo", (SHA,), True)
    assert video.video is not None
    assert (video.video.width, video.video.height) == (640, 360)
    assert animation.animation is not None
    assert document.document is not None
    assert document.document.file_name == "menu.pdf"
    assert audio.audio is not None


async def test_an_album_is_several_messages(bot: Bot, simulator: Simulator) -> None:
    album = await bot.send_media_group(
        CHANNEL, [InputMediaPhoto(PNG, caption="An album", has_spoiler=True), InputMediaVideo(b"film")]
    )

    [entry] = simulator.world.ledger.of("telegram")
    assert [message.message_id for message in album] == entry.details["message_ids"] == [101, 102]
    assert len({message.media_group_id for message in album}) == 1
    assert [message.caption for message in album] == ["An album", None]
    assert entry.media == (SHA, hashlib.sha256(b"film").hexdigest())

    for message in album:
        assert await bot.delete_message(CHANNEL, message.message_id)
    assert simulator.world.ledger.of("telegram") == []
    with pytest.raises(BadRequest, match="to delete not found"):
        await bot.delete_message(CHANNEL, 101)


async def test_polls_and_quizzes(bot: Bot) -> None:
    poll = await bot.send_poll(
        CHANNEL, "Rye or wheat?", ["Rye", "Wheat"], allows_multiple_answers=True, open_period=600
    )
    quiz = await bot.send_poll(
        GROUP, "2 + 2?", ["4", "5"], type=Poll.QUIZ, correct_option_ids=[0], explanation="So.", is_anonymous=False
    )

    assert poll.poll is not None
    assert [option.text for option in poll.poll.options] == ["Rye", "Wheat"]
    assert quiz.poll is not None
    assert quiz.poll.correct_option_ids == (0,)


async def refused(call: Any) -> str:
    with pytest.raises(TelegramError) as raised:
        await call
    return f"{type(raised.value).__name__}: {raised.value.message}"


async def test_what_telegram_refuses(bot: Bot, simulator: Simulator) -> None:
    photo = InputMediaPhoto(PNG)
    wide = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (9_000).to_bytes(4) + (1_001).to_bytes(4)
    asked = [
        (bot.send_message(CHANNEL, "x" * 4_095 + "👍"), "BadRequest: Message is too long"),
        (bot.send_message(CHANNEL, " \n"), "BadRequest: Message text is empty"),
        (bot.send_message(CHANNEL, "<b>x", parse_mode="HTML"), "BadRequest: Can't parse entities: can't find end tag"),
        (bot.send_message(CHANNEL, "a.b", parse_mode="MarkdownV2"), "BadRequest: Can't parse entities: character '.'"),
        (bot.send_message(CHANNEL, "x", parse_mode="BBCode"), "BadRequest: Unsupported parse_mode"),
        (bot.send_message(-7, "x"), "BadRequest: Chat not found"),
        (bot.send_message(-1003, "x"), "Forbidden: Forbidden: bot was kicked from the channel chat"),
        (bot.send_message(-1004, "x"), "BadRequest: Need administrator rights in the channel chat"),
        (bot.send_message(-1005, "x"), "BadRequest: Not enough rights to send text messages"),
        (bot.send_message(GROUP, "x", message_thread_id=9), "BadRequest: Message thread not found"),
        (bot.send_message(CHANNEL, "x", reply_to_message_id=9), "BadRequest: Message to be replied not found"),
        (bot.send_photo(CHANNEL, PNG, "x" * 1_025), "BadRequest: Message caption is too long"),
        (bot.send_photo(CHANNEL, b"x" * 10_485_761), "BadRequest: File of size 10485761 bytes is too big for a photo"),
        (bot.send_photo(CHANNEL, wide), "BadRequest: Photo_invalid_dimensions"),
        (bot.send_document(CHANNEL, b""), "BadRequest: File must be non-empty"),
        (bot.send_media_group(CHANNEL, [photo]), "BadRequest: An album must have from 2 to 10 items"),
        (bot.send_media_group(CHANNEL, [photo] * 11), "BadRequest: An album must have from 2 to 10 items"),
        (bot.send_media_group(CHANNEL, [photo, InputMediaDocument(b"x")]), "BadRequest: Documents and audio files"),
        (bot.send_poll(CHANNEL, "x" * 301, ["a", "b"]), "BadRequest: Poll question must be from 1 to 300"),
        (bot.send_poll(CHANNEL, "x", [str(at) for at in range(13)]), "BadRequest: Poll must have from 1 to 12 options"),
        (bot.send_poll(CHANNEL, "x", ["a", "a"]), "BadRequest: Poll options must be different"),
        (bot.send_poll(CHANNEL, "x", ["a", "b"], is_anonymous=False), "BadRequest: Non-anonymous polls can't be sent"),
        (bot.send_poll(CHANNEL, "x", ["a", "b"], type="quiz"), "BadRequest: Quiz must have correct options"),
    ]
    for call, words in asked:
        assert (await refused(call)).lower().startswith(words.lower())
    assert simulator.world.ledger.of("telegram") == []


async def test_a_group_that_became_a_supergroup_says_where(bot: Bot) -> None:
    with pytest.raises(ChatMigrated) as raised:
        await bot.send_message(-55, "x")
    assert raised.value.new_chat_id == int(GROUP)


async def test_twenty_messages_a_minute(bot: Bot, simulator: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    """An album counts each of its files."""
    monkeypatch.setenv("PTB_TIMEDELTA", "1")  # else the library warns of its old form
    await bot.send_media_group(GROUP, [InputMediaPhoto(PNG)] * 9)
    for _ in range(11):
        await bot.send_message(GROUP, "x")
    with pytest.raises(RetryAfter) as raised:
        await bot.send_message(GROUP, "x")
    assert raised.value.retry_after == timedelta(seconds=60)
    simulator.world.clock.advance(60)
    assert isinstance(await bot.send_message(GROUP, "x"), Message)


async def test_tokens_that_open_nothing(bot: Bot, simulator: Simulator) -> None:
    network: Any = simulator.world.networks["telegram"]
    network.grants[-1].revoked = True
    assert (await refused(bot.get_me())).startswith("InvalidToken: Unauthorized")
    for token in ("123:" + "x" * 35, "123:x"):
        stranger = bot_at(simulator.url("telegram"), token)
        with pytest.raises(InvalidToken):
            await stranger.initialize()
        await stranger.request.shutdown()


async def test_a_message_whose_answer_is_lost_is_there(bot: Bot, simulator: Simulator) -> None:
    simulator.world.add_fault("telegram", "lost", "POST /bot{token}/sendMessage")
    with pytest.raises(NetworkError):
        await bot.send_message(CHANNEL, "once")
    assert [entry.text for entry in simulator.world.ledger.of("telegram")] == ["once"]


async def test_old_messages_are_deleted_by_administrators_only(bot: Bot, simulator: Simulator) -> None:
    chat = simulator.world.person("telegram", "bakery_bot").destination(CHANNEL)
    assert chat is not None
    chat.details["rights"] = {"can_delete_messages": False}
    old = await bot.send_message(CHANNEL, "old")
    simulator.world.clock.advance(49 * 3_600)
    new = await bot.send_message(CHANNEL, "new")

    assert await bot.delete_message(CHANNEL, new.message_id)
    with pytest.raises(BadRequest, match="can't be deleted for everyone"):
        await bot.delete_message(CHANNEL, old.message_id)


async def test_a_bot_that_was_removed_is_told_so(bot: Bot, simulator: Simulator) -> None:
    chat = simulator.world.person("telegram", "bakery_bot").destination(CHANNEL)
    assert chat is not None
    chat.details["status"] = "left"
    with pytest.raises(Forbidden, match="is not a member"):
        await bot.get_chat(CHANNEL)


# --- people who write to the bot -------------------------------------------------------------------------------------


async def test_private_chats_with_buttons_taps_and_files(bot: Bot, simulator: Simulator) -> None:
    network: Any = simulator.world.networks["telegram"]
    own, person = simulator.world.person("telegram", "bakery_bot"), simulator.world.add_person("telegram", "mina")
    network.hear({"bot": "bakery_bot", "username": "mina", "text": "/start CODE"})
    network.attachment(own, person, "photo", PNG, "image/png", caption="Look", album="7")
    network.tap(own, person, "now:pst_1")
    network.update(own, "edited_message", network.written(own, person, {"text": "Edited", "edit_date": 1}))

    text, photo, tap = await bot.get_updates(allowed_updates=["message", "callback_query"])
    assert text.message is not None
    assert photo.message is not None
    assert tap.callback_query is not None
    assert (text.message.text, text.message.chat.type, text.message.from_user and text.message.from_user.username) == (
        "/start CODE", "private", "mina")  # fmt: skip
    assert (photo.message.caption, photo.message.media_group_id) == ("Look", "7")
    file = await photo.message.photo[-1].get_file()
    assert hashlib.sha256(await file.download_as_bytearray()).hexdigest() == SHA
    assert tap.callback_query.data == "now:pst_1"
    assert await tap.callback_query.answer()
    with pytest.raises(BadRequest, match="too old"):
        await tap.callback_query.answer()

    buttons = InlineKeyboardMarkup([[InlineKeyboardButton("Post now", callback_data="now:pst_1")]])
    sent = await bot.send_message(person.id, "Publish it?", reply_markup=buttons)
    assert sent.reply_markup == buttons
    too_long = InlineKeyboardMarkup([[InlineKeyboardButton("Post", callback_data="x" * 65)]])
    with pytest.raises(BadRequest, match="Button_data_invalid"):
        await bot.send_message(person.id, "Publish it?", reply_markup=too_long)
    assert await bot.get_updates(offset=tap.update_id + 1) == ()
    assert await bot.get_updates() == (), "what is confirmed does not come again"
    network.block(own, person)
    with pytest.raises(Forbidden, match="blocked by the user"):
        await bot.send_message(person.id, "Still there?")


async def test_a_webhook_and_questions_exclude_each_other(bot: Bot) -> None:
    with pytest.raises(BadRequest, match="an https url must be provided"):
        await bot.set_webhook("http://social.example")
    assert await bot.set_webhook("https://social.example/hook", secret_token="a-secret", allowed_updates=["message"])
    assert (await bot.get_webhook_info()).url == "https://social.example/hook"
    with pytest.raises(Conflict, match="webhook is active"):
        await bot.get_updates()
    assert await bot.delete_webhook()
    assert await bot.get_updates() == ()
