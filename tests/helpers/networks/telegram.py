"""Telegram as the simulator has it, with a channel: nobody can ask it what became of a call."""

from typing import Any

from simulator.networks.telegram import Telegram
from simulator.world import Destination
from tests.helpers.simulated import simulated

from signalpost.conformance.fake import TOKEN, Case, NetworkFake
from signalpost.conformance.harness import FakeResponse, image, json_response, outgoing
from signalpost.networks.contract import ApiError, NeedsReconnect, OutcomeUnknown, Refused, TryLater

CHANNEL, GROUP = "-1001234567890", "-1009876543210"
BOT_TOKEN = f"7000000001:{TOKEN}"
FILE = image(None)


SEND, PHOTO, READ = "POST /sendMessage", "POST /sendPhoto", "POST /getChat"


def error(status: int, description: str, call: str = SEND, **parameters: int) -> ApiError:
    body = {"ok": False, "error_code": status, "description": description}
    return ApiError(json_response(status, body | ({"parameters": parameters} if parameters else {})), call)


def bad(words: str) -> ApiError:
    return error(400, f"Bad Request: {words}")


ERRORS: list[tuple[ApiError, type, str | None]] = [
    (error(429, "Too Many Requests: retry after 35", retry_after=35), TryLater, "rate_limited"),
    (error(500, "Internal Server Error: restart"), OutcomeUnknown, None),
    (error(502, "Bad Gateway", PHOTO), OutcomeUnknown, None),
    (error(500, "Internal Server Error", READ), TryLater, "platform_unavailable"),
    (ApiError(FakeResponse(502, b"<html>"), SEND), OutcomeUnknown, None),
    (ApiError(FakeResponse(403, b"<html>"), SEND), OutcomeUnknown, None),
    (ApiError(FakeResponse(413, b"<html>"), PHOTO), Refused, "media_too_large"),
    (error(413, "Request Entity Too Large", PHOTO), Refused, "media_too_large"),
    (error(401, "Unauthorized"), NeedsReconnect, None),
    (error(404, "Not Found"), NeedsReconnect, None),
    (error(403, "Forbidden: bot was kicked from the channel chat"), NeedsReconnect, None),
    (error(403, "Forbidden: bot was kicked from the supergroup chat"), NeedsReconnect, None),
    (error(403, "Forbidden: bot is not a member of the channel chat"), NeedsReconnect, None),
    (error(403, "Forbidden: the group chat was deleted"), NeedsReconnect, None),
    (bad("chat not found"), Refused, "destination_missing"),
    (bad("message thread not found"), Refused, "destination_missing"),
    (bad("TOPIC_CLOSED"), Refused, "destination_missing"),
    (bad("group chat was upgraded to a supergroup chat"), Refused, "destination_missing"),
    (bad("need administrator rights in the channel chat"), Refused, "permission_missing"),
    (bad("not enough rights to send text messages to the chat"), Refused, "permission_missing"),
    (bad("have no rights to send a message"), Refused, "permission_missing"),
    (bad("CHAT_WRITE_FORBIDDEN"), Refused, "permission_missing"),
    (bad("CHAT_SEND_PHOTOS_FORBIDDEN"), Refused, "permission_missing"),
    (bad("CHAT_ADMIN_REQUIRED"), Refused, "permission_missing"),
    (bad("message can't be deleted for everyone"), Refused, "permission_missing"),
    (bad("message is too long"), Refused, "text_too_long"),
    (bad("message caption is too long"), Refused, "text_too_long"),
    (bad("MEDIA_CAPTION_TOO_LONG"), Refused, "text_too_long"),
    (bad("message text is empty"), Refused, "content_rejected"),
    (bad("can't parse entities: Unsupported start tag \"x\" at byte offset 0"), Refused, "content_rejected"),
    (bad("message to be replied not found"), Refused, "content_rejected"),
    (bad("file of size 10485761 bytes is too big for a photo"), Refused, "media_too_large"),
    (bad("PHOTO_INVALID_DIMENSIONS"), Refused, "media_unsupported"),
    (bad("IMAGE_PROCESS_FAILED"), Refused, "media_processing_failed"),
    (bad("can't use the media of the specified type in the album"), Refused, "media_unsupported"),
    (bad("file must be non-empty"), Refused, "media_unsupported"),
    (bad("wrong file_id or the file is temporarily unavailable"), TryLater, "platform_unavailable"),
]  # fmt: skip


def seed(network: Any) -> None:
    channel = Destination(CHANNEL, "channel", "Corner Bakery", {"username": "corner_bakery"})
    bot = network.world.add_person("telegram", "bakery_bot", id="7000000001", destinations=[channel])
    network.add_token(bot, BOT_TOKEN)


FAKE = NetworkFake(
    server=simulated(Telegram, seed),
    account={
        "secrets": {"botToken": BOT_TOKEN}, "remote_id": CHANNEL, "username": "corner_bakery",
        "facts": {"botId": 7_000_000_001, "bot": "bakery_bot", "type": "channel"},
    },
    create_call=f"POST /bot{BOT_TOKEN}/sendMessage",
    errors=ERRORS,
    tells=False,
    cases={
        "thread": Case(post=outgoing("one & only", "two", "three"), tells_later=False),
        "album": Case(post=outgoing("one", "two", media=(FILE, FILE)), tells_later=False),
        "poll": Case(post=outgoing("Rye?", options={"poll": {"options": ["yes", "no"]}}), tells_later=False),
    },
    form={"botToken": BOT_TOKEN, "chat": CHANNEL},
)  # fmt: skip
