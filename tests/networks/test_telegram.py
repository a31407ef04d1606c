"""What is particular about Telegram: chats and rights, moved groups, options, albums, and that nothing is sent twice.

What the connector sends is compared with what python-telegram-bot sends for the same message.
"""

import hashlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from simulator import Destination, Simulator
from simulator.messages import File, Request
from telegram import (
    InputMediaDocument,
    InputMediaPhoto,
    InputMediaVideo,
    LinkPreviewOptions,
    ReplyParameters,
)
from tests.helpers.networks.telegram import CHANNEL, GROUP
from tests.helpers.scenes import SCENES
from tests.helpers.scenes.stage import Stage, connected
from tests.helpers.telegram_bots import bot_at

from signalpost.conformance.harness import MemoryJournal, outgoing
from signalpost.kit.http import Client
from signalpost.networks import CONNECTORS, preflight
from signalpost.networks.contract import (
    ApiError,
    BadCredentials,
    InvalidField,
    NeedsReconnect,
    Outgoing,
    OutgoingMedia,
    Published,
    Refused,
    TryLater,
)

TELEGRAM = CONNECTORS["telegram"]
PUBLIC = Destination(CHANNEL, "channel", "Corner Bakery", {"username": "corner_bakery"})
PRIVATE = Destination(GROUP, "supergroup", "Regulars", {"topics": (7,)})
CHATS = (
    PUBLIC,
    PRIVATE,
    Destination("-55", "group", "Old", {}),
    Destination("-1003", "channel", "Lost", {"status": "kicked"}),
    Destination("-1004", "channel", "Quiet", {"rights": {"can_post_messages": False}}),
    Destination("-1005", "supergroup", "Mute", {"status": "member", "permissions": {"can_send_messages": False}}),
    Destination("-1006", "supergroup", "Free", {"status": "member"}),
    Destination("-1007", "supergroup", "Held", {"status": "restricted"}),
)


@pytest.fixture(scope="module")
async def simulator() -> AsyncIterator[Simulator]:
    async with Simulator(start=datetime.now(UTC)) as simulator:
        yield simulator


@pytest.fixture
async def connect(simulator: Simulator) -> AsyncIterator[Callable[..., Awaitable[Stage]]]:
    async with Client() as http:

        async def connect(chat: str = "@corner_bakery", token: str | None = None) -> Stage:
            simulator.world.reset()

            def fields(network: Any) -> Mapping[str, str]:
                return {"botToken": token or network.add_token(network.world.people[-1]), "chat": chat}

            scene = replace(SCENES["telegram"], destinations=CHATS, fields=fields)
            return await connected(simulator, "telegram", scene, http)

        yield connect


Connect = Callable[..., Awaitable[Stage]]


# --- connecting ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "chat",
    ["@corner_bakery", " corner_bakery", "https://t.me/corner_bakery", "t.me/corner_bakery/17", CHANNEL,
     "https://t.me/c/1234567890/17"],
)  # fmt: skip
async def test_a_chat_is_named_in_the_ways_that_people_know(chat: str, connect: Connect) -> None:
    identity = (await connect(chat)).identity

    assert (identity.remote_id, identity.username, identity.display_name) == (CHANNEL, "corner_bakery", "Corner Bakery")
    assert (identity.kind, identity.profile_url) == ("channel", "https://t.me/corner_bakery")
    assert (identity.followers, set(identity.secrets)) == (42, {"botToken"})


@pytest.mark.parametrize(
    ("chat", "token", "words"),
    [
        ("@corner_bakery", "hello", "not the token of a bot"),
        ("@corner_bakery", "123:" + "x" * 35, "does not know this token"),
        ("@corner_bakery", "123:" + "x" * 25, "does not know this token"),
        ("the bakery", None, "Enter the @name"),
        ("@nobody_here", None, "Telegram says: Bad Request: chat not found. Add the bot"),
        ("-1003", None, "bot was kicked from the channel chat. Add the bot"),
        ("-1004", None, "may not post"),
        ("-1005", None, "may not post"),
        ("-1007", None, "may not post"),
    ],
)
async def test_what_cannot_be_connected(chat: str, token: str | None, words: str, connect: Connect) -> None:
    with pytest.raises((BadCredentials, InvalidField), match=words):
        await connect(chat, token)


async def test_a_member_of_a_group_where_all_may_write_can_post(connect: Connect) -> None:
    stage = await connect("-1006")
    outcome = await stage.publish(outgoing("hello"))
    assert isinstance(outcome, Published)
    assert outcome.url == f"https://t.me/c/6/{outcome.remote_id}"


async def test_the_check_says_what_the_bot_lost(connect: Connect, simulator: Simulator) -> None:
    stage = await connect()
    check, chat = TELEGRAM.check, simulator.world.people[-1].destination(CHANNEL)
    assert check is not None
    assert chat is not None
    assert (await check(stage.session())).can_post
    chat.details["rights"] = {"can_post_messages": False}
    health = await check(stage.session())
    assert (health.can_post, health.missing) == (False, ("can_post_messages",))
    refused = await stage.publish(outgoing("never"))
    assert isinstance(refused, Refused)
    assert refused.code == "permission_missing"
    chat.details["status"] = "kicked"
    with pytest.raises(ApiError) as raised:
        await check(stage.session())
    assert isinstance(TELEGRAM.explain(raised.value), NeedsReconnect)
    assert isinstance(await stage.publish(outgoing("never")), NeedsReconnect)


async def test_errors_do_not_name_the_token(connect: Connect, simulator: Simulator) -> None:
    """It is part of every address."""
    stage = await connect()
    simulator.world.add_fault("telegram", "status", times=None)
    with pytest.raises(ApiError) as raised:
        await TELEGRAM.check(stage.session())  # type: ignore[misc]
    assert raised.value.call == "POST /getChat"
    assert stage.secrets["botToken"] not in repr(TELEGRAM.explain(raised.value))


# --- a group that became a supergroup ------------------------------------------------------------------------------


async def test_a_group_is_followed_to_its_supergroup(connect: Connect, simulator: Simulator) -> None:
    stage = await connect("-55")
    plain = await stage.publish(outgoing("in the group"))
    assert isinstance(plain, Published)
    assert plain.url is None
    chat = simulator.world.people[-1].destination("-55")
    assert chat is not None
    chat.details["migrated_to"] = GROUP

    outcome = await stage.publish(outgoing("in the supergroup"))

    assert isinstance(outcome, Published)
    assert outcome.url == f"https://t.me/c/9876543210/{outcome.remote_id}"
    assert stage.secrets["chatId"] == GROUP
    assert [(entry.account_id, entry.text) for entry in stage.public()] == [
        ("-55", "in the group"), (GROUP, "in the supergroup"),
    ]  # fmt: skip
    assert TELEGRAM.check is not None
    assert (await TELEGRAM.check(stage.session())).can_post


# --- nothing twice -------------------------------------------------------------------------------------------------


async def test_a_wait_is_the_one_that_telegram_names(connect: Connect, simulator: Simulator) -> None:
    stage = await connect()
    post, journal = outgoing(*map(str, range(21))), MemoryJournal()
    first = await TELEGRAM.publish(stage.session(), post, journal)
    assert isinstance(first, TryLater)
    assert (first.code, first.after_seconds) == ("rate_limited", 60.0)

    journal.settle()
    simulator.world.clock.advance(60)
    outcome = await TELEGRAM.publish(stage.session(), post, journal)

    assert isinstance(outcome, Published)
    assert [entry.text for entry in stage.public()] == [str(number) for number in range(21)]


async def test_deleting_takes_every_message_of_an_album(connect: Connect) -> None:
    stage = await connect()
    files = tuple(stage.file("image", number) for number in range(3))
    outcome = await stage.publish(stage.post("album", "reply", files=files))
    assert isinstance(outcome, Published)
    assert (outcome.remote_id, outcome.thread_ids) == ("101,102,103", ("104",))
    assert outcome.url == "https://t.me/corner_bakery/101"
    assert stage.public()[1].parent_id == "101"
    assert TELEGRAM.delete is not None

    await TELEGRAM.delete(stage.session(), outcome.remote_id, outcome.thread_ids)

    assert stage.public() == []


async def test_a_message_that_may_not_be_deleted_says_so(connect: Connect, simulator: Simulator) -> None:
    stage = await connect()
    outcome = await stage.publish(outgoing("old"))
    chat = simulator.world.people[-1].destination(CHANNEL)
    assert isinstance(outcome, Published)
    assert chat is not None
    assert TELEGRAM.delete is not None
    chat.details["rights"] = {"can_delete_messages": False}
    simulator.world.clock.advance(49 * 3_600)
    with pytest.raises(ApiError) as raised:
        await TELEGRAM.delete(stage.session(), outcome.remote_id, ())
    explained = TELEGRAM.explain(raised.value)
    assert isinstance(explained, Refused)
    assert explained.code == "permission_missing"


# --- what is sent, beside what python-telegram-bot sends -------------------------------------------------------------


def sent(logged: Any) -> tuple[str, dict[str, Any]]:
    """Return method and parameters of a request, in whatever form they came; files by their content."""
    fields = Request("POST", logged.target, logged.headers, logged.body).fields
    files = {
        name: hashlib.sha256(value.content).hexdigest() for name, value in fields.items() if isinstance(value, File)
    }
    named = {f"attach://{name}": file for name, file in files.items()}
    values: dict[str, Any] = {}
    for name, value in fields.items():
        if name in files:
            values |= {} if f"attach://{name}" in str(fields.get("media")) else {name: files[name]}
            continue
        try:
            values[name] = json.loads(value) if isinstance(value, str) and name not in {"text", "caption"} else value
        except ValueError:
            values[name] = value
    for item in values.get("media", ()):
        item["media"] = named[item["media"]]
    return logged.call, values | {"chat_id": int(values["chat_id"])}


def content(file: OutgoingMedia, number: int = 0) -> bytes:
    return f"{file.kind} {number} ".encode() * 10_000


async def test_the_same_messages_as_the_library(connect: Connect, simulator: Simulator) -> None:
    stage = await connect(GROUP)
    image, video, gif, document, audio = (
        stage.file(kind)
        for kind in ("image", "video", "gif", "document", "audio")  # type: ignore[arg-type]
    )
    second = stage.file("document", 1)
    everywhere = {"disable_notification": True, "protect_content": True, "message_thread_id": 7}
    options = {"silent": True, "protect": True, "topicId": 7}
    text, poll = "Hello <b>&</b> 🎉", {"options": ["Rye", "Wheat"]}
    async with bot_at(simulator.url("telegram"), stage.secrets["botToken"]) as bot:
        same: list[tuple[Outgoing, Callable[[], Awaitable[Any]]]] = [
            (stage.post(text), lambda: bot.send_message(GROUP, text)),
            (stage.post(text, options=options), lambda: bot.send_message(GROUP, text, **everywhere)),
            (
                stage.post(text, options={"parseMode": "HTML", "linkPreview": "off"}),
                lambda: bot.send_message(
                    GROUP, text, "HTML", link_preview_options=LinkPreviewOptions(is_disabled=True)
                ),
            ),
            (
                stage.post(
                    text,
                    options={"linkPreview": "large", "linkPreviewUrl": "https://a.example", "linkPreviewAbove": True},
                ),
                lambda: bot.send_message(
                    GROUP, text,
                    link_preview_options=LinkPreviewOptions(
                        url="https://a.example", prefer_large_media=True, show_above_text=True
                    ),
                ),
            ),
            (
                stage.post(text, files=(image,), options={**options, "spoiler": True, "captionAbove": True}),
                lambda: bot.send_photo(
                    GROUP, content(image), text, has_spoiler=True, show_caption_above_media=True, **everywhere
                ),
            ),
            (stage.post("", files=(image,)), lambda: bot.send_photo(GROUP, content(image))),
            (
                stage.post(text, files=(video,)),
                lambda: bot.send_video(
                    GROUP, content(video), 10, text, width=1080, height=1920, supports_streaming=True
                ),
            ),
            (
                stage.post(text, files=(gif,)),
                lambda: bot.send_animation(GROUP, content(gif), caption=text, width=320, height=240),
            ),
            (stage.post(text, files=(document,)), lambda: bot.send_document(GROUP, content(document), text)),
            (stage.post(text, files=(audio,)), lambda: bot.send_audio(GROUP, content(audio), 10, caption=text)),
            (
                stage.post(text, files=(image, video), options={"spoiler": True, "parseMode": "HTML"}),
                lambda: bot.send_media_group(GROUP, [
                    InputMediaPhoto(content(image), text, "HTML", has_spoiler=True),
                    InputMediaVideo(
                        content(video), width=1080, height=1920, duration=10, supports_streaming=True, has_spoiler=True
                    ),
                ]),
            ),
            (
                stage.post(text, files=(document, second)),
                lambda: bot.send_media_group(
                    GROUP, [InputMediaDocument(content(document), text), InputMediaDocument(content(second, 1))]
                ),
            ),
            (
                stage.post("Rye?", options={"poll": {**poll, "anonymous": False, "multiple": True, "minutes": 10}}),
                lambda: bot.send_poll(
                    GROUP, "Rye?", ["Rye", "Wheat"], is_anonymous=False, allows_multiple_answers=True, open_period=600
                ),
            ),
            (
                stage.post("Rye?", options={"poll": {**poll, "correct": 1, "explanation": "So."}}),
                lambda: bot.send_poll(
                    GROUP, "Rye?", ["Rye", "Wheat"], is_anonymous=True, type="quiz", correct_option_ids=[1],
                    explanation="So.",
                ),
            ),
        ]  # fmt: skip
        for post, by_the_library in same:
            simulator.world.clock.advance(61)
            assert [issue.rule for issue in preflight.check(TELEGRAM, post, stage.identity.facts)] == []
            outcome = await stage.publish(post)
            assert isinstance(outcome, Published), outcome
            ours = sent(simulator.world.log[-1])
            await by_the_library()
            assert ours == sent(simulator.world.log[-1])
        await stage.publish(outgoing("one", "two"))
        ours, first = sent(simulator.world.log[-1]), stage.public()[-2]
        await bot.send_message(GROUP, "two", reply_parameters=ReplyParameters(int(first.remote_id)))
        assert ours == sent(simulator.world.log[-1])
        assert [entry.parent_id for entry in stage.public()][-2:] == [first.remote_id] * 2


# --- preflight -----------------------------------------------------------------------------------------------------


def picture(**values: Any) -> OutgoingMedia:
    async def read() -> AsyncIterator[bytes]:
        yield b""

    given = {"kind": "image", "mime_type": "image/png", "size_bytes": 1, "sha256": b"", "read": read}
    return OutgoingMedia(**given | values)


GIF = picture(kind="gif", mime_type="image/gif")
PDF = picture(kind="document", mime_type="application/pdf")


def asked(text: str = "Rye?", media: tuple[OutgoingMedia, ...] = (), **poll: Any) -> Outgoing:
    return outgoing(text, media=media, options={"poll": {"options": ["Rye", "Wheat"], **poll}})


@pytest.mark.parametrize(
    ("post", "rules"),
    [
        (outgoing("x" * 4_096), []),
        (outgoing("x" * 4_095 + "👍"), ["text.max_utf16"]),
        (outgoing("x" * 1_024, media=(picture(),)), []),
        (outgoing("x" * 1_025, media=(picture(),)), ["text.max_utf16"]),
        (outgoing("x", media=(picture(),) * 10), []),
        (outgoing("x", media=(picture(),) * 11), ["media.max_count", "media.max_total"]),
        (outgoing("x", media=(picture(), PDF)), ["media.mixed"]),
        (outgoing("x", media=(GIF, GIF)), ["media.max_count"]),
        (outgoing("x", media=(picture(), GIF)), ["media.mixed"]),
        (outgoing("x", media=(picture(size_bytes=10_000_001),)), ["media.max_bytes"]),
        (outgoing("x", media=(picture(width=5_001, height=4_000),)), ["media.max_long_side"]),
        (outgoing("x", media=(picture(width=4_000, height=200),)), []),
        (outgoing("x", media=(picture(width=4_000, height=199),)), ["media.ratio"]),
        (asked(), []),
        (asked(media=(picture(),)), ["poll.with_media"]),
        (asked("x" * 301), ["text.max_utf16"]),
        (asked(options=["Rye", "x" * 99 + "👍"]), ["poll.max_option_length"]),
        (asked(options=["Rye", " Rye"]), ["poll.options_differ"]),
        (asked(options=["Rye"]), ["options.type"]),
        (asked(anonymous=False), ["poll.anonymous"]),
        (asked(correct=1, explanation="So."), []),
        (asked(correct=2), ["poll.quiz"]),
        (asked(correct=1, multiple=True), ["poll.quiz"]),
        (asked(correct=1, explanation="a\nb\nc\nd"), ["poll.quiz"]),
        (asked(explanation="So."), ["poll.quiz"]),
    ],
)  # fmt: skip
def test_preflight(post: Outgoing, rules: list[str]) -> None:
    found = preflight.check(TELEGRAM, post, {"type": "channel"})
    assert [issue.rule for issue in found] == [f"telegram.{rule}" for rule in rules]
