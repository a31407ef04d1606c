"""Discord at the simulator, by a bot; webhooks, of which nothing can be looked for, are in `tests/helpers/scenes`."""

from functools import partial
from typing import Any

from simulator.networks.discord import Discord
from simulator.networks.discord_server import EVERYTHING, FORUM, Channel, Guild
from tests.helpers.simulated import SimulatedServer

from signalpost.conformance.fake import TOKEN, Case, NetworkFake
from signalpost.conformance.harness import Clock, FakeResponse, json_response, outgoing
from signalpost.networks.contract import ApiError, NeedsReconnect, OutcomeUnknown, Refused, TryLater

GUILD, CHANNEL, FORUM_CHANNEL = "100000000000000001", "100000000000000002", "100000000000000003"
BOT = "100000000000000004"
CREATE = f"POST /api/v10/channels/{CHANNEL}/messages"
READ = f"GET /api/v10/channels/{CHANNEL}"
WEBHOOK = "POST /api/v10/webhooks/100000000000000005"


def facts(channel: str = CHANNEL, kind: int = 0) -> dict[str, Any]:
    return {"mode": "bot", "channelId": channel, "channelType": kind, "guildId": GUILD}


def _seed(network: Any, *, permissions: int) -> None:
    guild = network.guilds[GUILD] = Guild(GUILD, "Corner Bakery", roles={GUILD: permissions})
    network.channels[CHANNEL] = Channel(CHANNEL, GUILD, "news")
    network.channels[FORUM_CHANNEL] = Channel(FORUM_CHANNEL, GUILD, "recipes", FORUM)
    network.add_bot(guild, network.world.add_person("discord", "baker", id=BOT), TOKEN)


def server(clock: Clock, permissions: int = EVERYTHING) -> SimulatedServer:
    """Return Discord with a bot in a server with a channel and a forum."""
    return SimulatedServer(clock, Discord, partial(_seed, permissions=permissions))


def error(status: int, code: int, message: str = "words", call: str = CREATE, **rest: Any) -> ApiError:
    return ApiError(json_response(status, {"code": code, "message": message, **rest}), call)


def invalid(path: str) -> ApiError:
    errors: dict[str, Any] = {"_errors": [{"code": "BASE_TYPE_MAX_LENGTH", "message": "Must be fewer in length."}]}
    for step in reversed(path.split(".")):
        errors = {step: errors}
    return error(400, 50035, "Invalid Form Body", errors=errors)


FAKE = NetworkFake(
    server=server,
    account={"secrets": {"botToken": TOKEN}, "remote_id": f"{BOT}@{CHANNEL}", "facts": facts()},
    create_call=CREATE,
    form={"botToken": TOKEN, "channelId": CHANNEL},
    cases={
        "thread": Case(),
        "forum": Case(
            post=outgoing("one & only", "two", "three", options={"threadName": "Bread"}),
            account={"remote_id": f"{BOT}@{FORUM_CHANNEL}", "facts": facts(FORUM_CHANNEL, FORUM)},
        ),
    },
    refusal=json_response(400, {"code": 200000, "message": "Message was blocked by automatic moderation"}),
    errors=[
        (error(429, 0, retry_after=1.5), TryLater, "rate_limited"),
        (error(429, 20016, retry_after=17.5), TryLater, "rate_limited"),
        (error(500, 0), OutcomeUnknown, None),
        (error(500, 0, call=READ), TryLater, "platform_unavailable"),
        (error(503, 130000), TryLater, "platform_unavailable"),
        (error(400, 40006), TryLater, "platform_unavailable"),
        (ApiError(FakeResponse(502, b"<html>"), CREATE), OutcomeUnknown, None),
        (ApiError(FakeResponse(403, b"<html>"), CREATE), OutcomeUnknown, None),
        (ApiError(FakeResponse(403, b"<html>"), READ), TryLater, "platform_unavailable"),
        (error(401, 0, "401: Unauthorized"), NeedsReconnect, None),
        (error(401, 40001), NeedsReconnect, None),
        (error(401, 50014), NeedsReconnect, None),
        (error(404, 10015, "Unknown Webhook", WEBHOOK), NeedsReconnect, None),
        (error(401, 50027, "Invalid Webhook Token", WEBHOOK), NeedsReconnect, None),
        (error(404, 10003, "Unknown Channel", READ), NeedsReconnect, None),
        (error(404, 10003, "Unknown Channel"), Refused, "destination_missing"),
        (error(403, 50001, "Missing Access"), Refused, "permission_missing"),
        (error(403, 50013, "Missing Permissions"), Refused, "permission_missing"),
        (error(403, 160002), Refused, "permission_missing"),
        (error(400, 160005, "Thread is locked"), Refused, "destination_missing"),
        (error(400, 50083), Refused, "destination_missing"),
        (error(400, 220001), Refused, "destination_missing"),
        (error(400, 50008), Refused, "destination_missing"),
        (error(400, 220003), Refused, "content_rejected"),
        (error(400, 40067), Refused, "content_rejected"),
        (error(400, 50006, "Cannot send an empty message"), Refused, "content_rejected"),
        (error(400, 200000), Refused, "content_rejected"),
        (error(400, 240000), Refused, "content_rejected"),
        (error(400, 20009), Refused, "content_rejected"),
        (error(404, 10008, "Unknown Message"), Refused, "content_rejected"),
        (error(413, 40005, "Request entity too large"), Refused, "media_too_large"),
        (ApiError(FakeResponse(413, b"<html>"), CREATE), Refused, "media_too_large"),
        (error(400, 30015), Refused, "media_unsupported"),
        (error(400, 50110), Refused, "media_unsupported"),
        (invalid("content"), Refused, "text_too_long"),
        (invalid("attachments.0.description"), Refused, "media_unsupported"),
        (invalid("poll.answers.0.poll_media.text"), Refused, "content_rejected"),
    ],
)
