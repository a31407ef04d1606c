"""Slack at the simulator, by a bot; webhooks, of which nothing can be looked for, are in `test_slack.py`."""

from functools import partial
from typing import Any

from simulator.networks.slack import Slack
from simulator.networks.slack_workspace import SCOPES, Channel
from tests.helpers.simulated import SimulatedServer

from signalpost.conformance.fake import TOKEN, Case, NetworkFake
from signalpost.conformance.harness import Clock, FakeResponse, json_response, outgoing
from signalpost.networks.contract import ApiError, NeedsReconnect, OutcomeUnknown, Refused, TryLater

CHANNEL, BOT_USER = "C0NEWS00001", "U0000000001"
BOT_TOKEN = f"xoxb-{TOKEN}"
POST, SHARE, WEBHOOK = "POST /api/chat.postMessage", "POST /api/files.completeUploadExternal", "POST /services"
READ, DELETE = "GET /api/conversations.history", "POST /api/chat.delete"


def facts(**changes: Any) -> dict[str, Any]:
    known = {"mode": "bot", "channelId": CHANNEL, "botUserId": BOT_USER, "history": True, "files": True}
    return known | changes


def _seed(network: Any, *, scopes: frozenset[str]) -> None:
    channel = network.channels[CHANNEL] = Channel(CHANNEL, "news")
    network.add_bot(channel, network.world.add_person("slack", "baker"), BOT_TOKEN, scopes)
    network.bots[BOT_TOKEN].user_id = BOT_USER


def server(clock: Clock, scopes: frozenset[str] = SCOPES) -> SimulatedServer:
    """Return Slack with a bot in a channel."""
    return SimulatedServer(clock, Slack, partial(_seed, scopes=scopes))


def error(word: str, call: str = POST, status: int = 200, **rest: str) -> ApiError:
    return ApiError(json_response(status, {"ok": False, "error": word}, **rest), call)


def plain(status: int, word: str) -> ApiError:
    return ApiError(FakeResponse(status, word.encode()), WEBHOOK)


def refusals(code: str, *words: str, call: str = POST) -> list[tuple[ApiError, type, str | None]]:
    return [(error(word, call), Refused, code) for word in words]


FAKE = NetworkFake(
    server=server,
    account={"secrets": {"botToken": BOT_TOKEN}, "remote_id": f"{BOT_USER}@{CHANNEL}", "facts": facts()},
    create_call=POST,
    form={"botToken": BOT_TOKEN, "channelId": CHANNEL},
    cases={"thread": Case(), "texts": Case(post=outgoing("one & only", "<two>"))},
    refusal=json_response(200, {"ok": False, "error": "restricted_action"}),
    errors=[
        (error("ratelimited", status=429, Retry_After="30"), TryLater, "rate_limited"),
        (error("rate_limited"), TryLater, "rate_limited"),
        (plain(429, "rate_limited"), TryLater, "rate_limited"),
        (error("message_limit_exceeded"), TryLater, "platform_unavailable"),
        (error("request_timeout"), TryLater, "platform_unavailable"),
        (error("internal_error"), OutcomeUnknown, None),
        (error("fatal_error", SHARE), OutcomeUnknown, None),
        (error("service_unavailable", status=503), OutcomeUnknown, None),
        (error("internal_error", READ), TryLater, "platform_unavailable"),
        (ApiError(FakeResponse(502, b"<html>"), POST), OutcomeUnknown, None),
        (ApiError(FakeResponse(403, b"<html>"), SHARE), OutcomeUnknown, None),
        (ApiError(FakeResponse(502, b"<html>"), READ), TryLater, "platform_unavailable"),
        (plain(500, "rollup_error"), OutcomeUnknown, None),
        *[(error(word), NeedsReconnect, None) for word in (
            "invalid_auth", "not_authed", "token_revoked", "token_expired", "account_inactive",
            "team_access_not_granted")],
        *[(plain(404, word), NeedsReconnect, None) for word in ("no_service", "no_team", "no_active_hooks")],
        (plain(403, "invalid_token"), NeedsReconnect, None),
        *refusals("permission_missing", "missing_scope", "not_in_channel", "restricted_action", "no_permission",
                  "restricted_action_thread_locked", "ekm_access_denied", "access_denied", "not_allowed_token_type"),
        (plain(403, "action_prohibited"), Refused, "permission_missing"),
        (plain(403, "posting_to_general_channel_denied"), Refused, "permission_missing"),
        *refusals("permission_missing", "cant_delete_message", call=DELETE),
        *refusals("destination_missing", "channel_not_found", "is_archived", "messages_tab_disabled",
                  "thread_not_found", "cannot_reply_to_message"),
        (plain(404, "channel_not_found"), Refused, "destination_missing"),
        (plain(410, "channel_is_archived"), Refused, "destination_missing"),
        *refusals("text_too_long", "msg_too_long", "msg_blocks_too_long"),
        *refusals("content_rejected", "no_text", "invalid_arguments", "invalid_metadata_format",
                  "too_many_attachments"),
        (plain(400, "invalid_payload"), Refused, "content_rejected"),
        *refusals("media_too_large", "file_upload_size_restricted", "storage_limit_reached", call=SHARE),
        (ApiError(FakeResponse(413, b"<html>"), "POST https://files.slack.com/upload"), Refused, "media_too_large"),
        *refusals("media_unsupported", "file_type_not_allowed", "file_uploads_except_images_disabled", call=SHARE),
        *refusals("media_processing_failed", "file_not_found", call=SHARE),
    ],
)  # fmt: skip
