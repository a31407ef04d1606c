"""YouTube at the simulator."""

from functools import partial
from typing import Any

from simulator.networks.youtube import YouTube
from tests.helpers.networks.simulated import with_account
from tests.helpers.simulated import SimulatedServer, write_comment

from signalpost.conformance.fake import TOKEN, Case, NetworkFake
from signalpost.conformance.harness import Clock, FakeResponse, image, json_response, outgoing
from signalpost.networks.connectors.youtube.calls import CREATE
from signalpost.networks.contract import ApiError, NeedsReconnect, OutcomeUnknown, Refused, TryLater

BEGIN = "POST /upload/youtube/v3/videos"
LIST = "GET /youtube/v3/videos"
MP4 = b"\x00\x00\x00\x18ftypmp42"
VIDEO = image(
    None, MP4 + bytes(100), "video/mp4", kind="video", file_name="film.mp4", width=1280, height=720, duration_ms=60_000
)
POST = outgoing("What it shows", title="A film", media=(VIDEO,), first_comment="first")


def large() -> Any:
    """Return a video of three parts."""
    return image(None, MP4 + bytes(19_999_988), "video/mp4", kind="video", width=720, height=1280, duration_ms=9_000)


def error(status: int, reason: str, call: str = CREATE) -> ApiError:
    body = {"error": {"code": status, "message": "words", "errors": [{"reason": reason, "domain": "youtube"}]}}
    return ApiError(json_response(status, body), call)


def _server(clock: Clock, **values: Any) -> SimulatedServer:
    return with_account(YouTube, clock, **values)


FAKE = NetworkFake(
    server=_server,
    write_comment=write_comment,
    account={"secrets": {"accessToken": TOKEN}, "remote_id": "UCme", "facts": {"uploads": "UUme"}},
    create_call=CREATE,
    post=outgoing("x", title="A film", media=(VIDEO,)),
    cases={
        "one part": Case(post=POST),
        "three parts": Case(post=outgoing("What it shows", title="A film", media=(large(),))),
        "parts that are cut": Case(
            post=outgoing("What it shows", title="A film", media=(large(),)),
            server=partial(_server, prepare=lambda world, _person: world.add_fault("youtube", "part_cut")),
        ),
    },
    refusal=json_response(400, {"error": {"code": 400, "message": "rude", "errors": [{"reason": "invalidTitle"}]}}),
    errors=[
        (error(403, "quotaExceeded", BEGIN), TryLater, "platform_quota"),
        (error(403, "dailyLimitExceeded", LIST), TryLater, "platform_quota"),
        (error(400, "uploadLimitExceeded", BEGIN), TryLater, "platform_quota"),
        (error(403, "rateLimitExceeded"), TryLater, "rate_limited"),
        (error(403, "userRateLimitExceeded"), TryLater, "rate_limited"),
        (error(429, "rateLimitExceeded"), TryLater, "rate_limited"),
        (error(500, "backendError"), OutcomeUnknown, None),
        (error(503, "backendError"), OutcomeUnknown, None),
        (error(500, "internalError", BEGIN), TryLater, "platform_unavailable"),
        (error(409, "processingFailure"), TryLater, "platform_unavailable"),
        (error(400, "processingFailure"), TryLater, "platform_unavailable"),
        (error(401, "authError"), NeedsReconnect, None),
        (error(401, "youtubeSignupRequired", BEGIN), NeedsReconnect, None),
        (error(403, "authenticatedUserAccountSuspended"), NeedsReconnect, None),
        (error(403, "authenticatedUserAccountClosed"), NeedsReconnect, None),
        (ApiError(json_response(400, {"error": "invalid_grant"}), "POST /token"), NeedsReconnect, None),
        (ApiError(json_response(401, {"error": "invalid_client"}), "POST /token"), TryLater, "platform_unavailable"),
        (error(403, "insufficientPermissions"), Refused, "permission_missing"),
        (error(403, "forbidden"), Refused, "permission_missing"),
        (error(403, "accessNotConfigured", BEGIN), Refused, "permission_missing"),
        (error(400, "invalidTitle", BEGIN), Refused, "content_rejected"),
        (error(400, "invalidDescription", BEGIN), Refused, "content_rejected"),
        (error(400, "invalidTags", BEGIN), Refused, "content_rejected"),
        (error(400, "invalidCategoryId", BEGIN), Refused, "content_rejected"),
        (error(400, "invalidVideoMetadata", BEGIN), Refused, "content_rejected"),
        (error(403, "forbiddenPrivacySetting", BEGIN), Refused, "content_rejected"),
        (error(400, "mediaBodyRequired", BEGIN), Refused, "media_unsupported"),
        (error(403, "commentsDisabled", "POST /youtube/v3/commentThreads"), Refused, "content_rejected"),
        (error(413, ""), Refused, "media_too_large"),
        (error(404, "videoNotFound", LIST), Refused, "destination_missing"),
        (ApiError(FakeResponse(502, b"<html>"), CREATE), OutcomeUnknown, None),
        (ApiError(FakeResponse(502, b"<html>"), "PUT a part"), TryLater, "platform_unavailable"),
    ],
)
