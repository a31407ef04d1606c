"""TikTok at the simulator."""

import io
from typing import Any

from PIL import Image
from simulator.networks.tiktok import TikTok
from tests.helpers.networks.simulated import with_account
from tests.helpers.simulated import SimulatedServer

from signalpost.conformance.fake import TOKEN, Case, NetworkFake
from signalpost.conformance.harness import Clock, FakeResponse, image, json_response, outgoing
from signalpost.networks.connectors.tiktok.calls import CREATE_PHOTOS, LAST_PART
from signalpost.networks.contract import ApiError, NeedsReconnect, OutcomeUnknown, Refused, TryLater

MP4 = b"\x00\x00\x00\x18ftypmp42"
OPTIONS = {"privacyLevel": "PUBLIC_TO_EVERYONE", "allowComment": True}
INIT = "POST /v2/post/publish/video/init/"
STATUS = "POST /v2/post/publish/status/fetch/"


def video(size: int = 100, **values: Any) -> Any:
    defaults = {"kind": "video", "file_name": "film.mp4", "width": 720, "height": 1280, "duration_ms": 9_000}
    return image(None, MP4 + bytes(size - len(MP4)), "video/mp4", **defaults | values)


def photo(number: int, size: tuple[int, int] = (1080, 1440)) -> Any:
    width, height = size
    url = f"https://service.example/media/{number}-{width}x{height}"
    return image(None, mime_type="image/jpeg", width=width, height=height, url=lambda: url)


def put_photos(network: Any, *photos: Any) -> None:
    """Let TikTok find photos at their addresses."""
    for file in photos:
        content = io.BytesIO()
        Image.new("L", (file.width, file.height)).save(content, "JPEG", comment=file.url().encode())
        network.files[file.url()] = content.getvalue()


def error(status: int, code: str, call: str = INIT) -> ApiError:
    return ApiError(json_response(status, {"data": {}, "error": {"code": code, "message": "w", "log_id": "7"}}), call)


def _server(clock: Clock, **values: Any) -> SimulatedServer:
    return with_account(TikTok, clock, **values)


FAKE = NetworkFake(
    server=_server,
    account={"secrets": {"accessToken": TOKEN}, "remote_id": "me"},
    create_call="PUT /video/",
    post=outgoing("x", media=(video(),), options=OPTIONS),
    cases={
        "one part": Case(post=outgoing("Look at this", media=(video(),), options=OPTIONS)),
        "two parts": Case(post=outgoing("Look at this", media=(video(65_000_000),), options=OPTIONS)),
        "inbox": Case(post=outgoing("", media=(video(),), options={"mode": "inbox"})),
    },
    refusal=json_response(400, {"data": {}, "error": {"code": "invalid_param", "message": "rude"}}),
    errors=[
        (error(429, "rate_limit_exceeded"), TryLater, "rate_limited"),
        (error(500, "internal_error"), TryLater, "platform_unavailable"),
        (error(500, "internal_error", CREATE_PHOTOS), OutcomeUnknown, None),
        (error(503, "", LAST_PART), OutcomeUnknown, None),
        (error(503, "", "PUT a part"), TryLater, "platform_unavailable"),
        (error(403, "spam_risk_too_many_posts"), TryLater, "platform_quota"),
        (error(403, "spam_risk_too_many_pending_share"), TryLater, "platform_quota"),
        (error(403, "spam_risk_user_banned_from_posting"), NeedsReconnect, None),
        (error(403, "spam_risk"), NeedsReconnect, None),
        (error(401, "access_token_invalid"), NeedsReconnect, None),
        (ApiError(json_response(200, {"error": "invalid_grant"}), "POST /v2/oauth/token/"), NeedsReconnect, None),
        (
            ApiError(json_response(401, {"error": "invalid_client"}), "POST /v2/oauth/token/"),
            TryLater,
            "platform_unavailable",
        ),
        (ApiError(FakeResponse(403, b""), LAST_PART), TryLater, "media_processing_failed"),
        (ApiError(FakeResponse(404, b""), "PUT a part"), TryLater, "media_processing_failed"),
        (ApiError(FakeResponse(416, b""), "PUT a part"), TryLater, "media_processing_failed"),
        (error(401, "scope_not_authorized"), Refused, "permission_missing"),
        (error(400, "scope_permission_missed"), Refused, "permission_missing"),
        (error(403, "token_not_authorized_for_specified_publish_id", STATUS), Refused, "permission_missing"),
        (error(403, "unaudited_client_can_only_post_to_private_accounts"), Refused, "permission_missing"),
        (error(403, "url_ownership_unverified", CREATE_PHOTOS), Refused, "permission_missing"),
        (error(403, "reached_active_user_cap"), Refused, "permission_missing"),
        (error(403, "app_version_check_failed"), Refused, "permission_missing"),
        (error(403, "privacy_level_option_mismatch"), Refused, "content_rejected"),
        (error(400, "invalid_param"), Refused, "content_rejected"),
        (error(400, "invalid_params", "POST /v2/video/query/"), Refused, "content_rejected"),
        (error(400, "invalid_publish_id", STATUS), Refused, "content_rejected"),
        (error(400, "invalid_file_upload"), Refused, "media_unsupported"),
        (ApiError(FakeResponse(400, b""), "PUT a part"), Refused, "media_unsupported"),
        (ApiError(FakeResponse(502, b"<html>"), LAST_PART), OutcomeUnknown, None),
        (ApiError(FakeResponse(502, b"<html>"), STATUS), TryLater, "platform_unavailable"),
    ],
)
