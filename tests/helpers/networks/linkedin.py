"""LinkedIn at the simulator: a member of a self-serve app, and an organization of a partner's app."""

from functools import partial
from typing import Any

from simulator import Destination, Person, World
from simulator.networks.linkedin import LinkedIn
from tests.helpers.networks.simulated import with_account
from tests.helpers.simulated import SimulatedServer

from signalpost.conformance.fake import TOKEN, Case, NetworkFake
from signalpost.conformance.harness import Clock, FakeResponse, image, json_response, outgoing
from signalpost.networks.contract import ApiError, NeedsReconnect, OutcomeUnknown, Refused, TryLater

CREATE = "POST /rest/posts"
MEMBER, ORGANIZATION = "urn:li:person:me", "urn:li:organization:4711"
MP4 = b"\x00\x00\x00\x18ftypmp42" + bytes(5_000_000)
VIDEO = image(
    None, MP4, "video/mp4", kind="video", file_name="film.mp4", width=1280, height=720, duration_ms=5_000
)  # fmt: skip
PARTNER = {"details": {"partner": True}}


def _organization(_world: World, person: Person) -> None:
    person.destinations.append(Destination("4711", "organization", "Acme"))


def _server(clock: Clock, **app: Any) -> SimulatedServer:
    return with_account(LinkedIn, clock, app=app, prepare=_organization)


def error(status: int, code: str, message: str = "words", call: str = CREATE) -> ApiError:
    return ApiError(json_response(status, {"status": status, "code": code, "message": message}), call)


DAILY = "Resource level throttle APPLICATION_AND_MEMBER DAY limit for calls to this resource is reached."
TWIN = "Content is a duplicate of urn:li:share:7000"
IMAGES = "POST /rest/images?action=initializeUpload"

FAKE = NetworkFake(
    server=_server,
    account={"secrets": {"accessToken": TOKEN}, "remote_id": MEMBER},
    create_call=CREATE,
    cases={
        "of a member": Case(
            post=outgoing("one & (only) #1st", media=(image(), image("another dot"))), tells_later=False
        ),
        "of an organization": Case(
            post=outgoing("one [and] only", media=(VIDEO,), first_comment="first"),
            server=partial(_server, **PARTNER),
            account={"remote_id": ORGANIZATION},
        ),
        "poll of an organization": Case(
            post=outgoing("Vote!", options={"poll": {"question": "Which bread?", "options": ["Rye", "Wheat"]}}),
            server=partial(_server, **PARTNER),
            account={"remote_id": ORGANIZATION},
        ),
    },
    errors=[
        (error(429, "TOO_MANY_REQUESTS"), TryLater, "rate_limited"),
        (error(429, "TOO_MANY_REQUESTS", DAILY), TryLater, "platform_quota"),
        (error(500, "INTERNAL_SERVER_ERROR"), OutcomeUnknown, None),
        (error(503, "SERVICE_UNAVAILABLE"), OutcomeUnknown, None),
        (error(504, "GATEWAY_TIMEOUT"), OutcomeUnknown, None),
        (error(500, "INTERNAL_SERVER_ERROR", call=IMAGES), TryLater, "platform_unavailable"),
        (error(400, "MEDIA_ASSET_WAITING_UPLOAD"), TryLater, "media_processing_failed"),
        (error(400, "EXPIRED_UPLOAD_URL"), TryLater, "platform_unavailable"),
        (error(409, "CONFLICT"), TryLater, "platform_unavailable"),
        (error(401, "EXPIRED_ACCESS_TOKEN"), NeedsReconnect, None),
        (error(401, "REVOKED_ACCESS_TOKEN"), NeedsReconnect, None),
        (error(401, "INVALID_ACCESS_TOKEN"), NeedsReconnect, None),
        (error(401, "EMPTY_ACCESS_TOKEN"), NeedsReconnect, None),
        (ApiError(json_response(400, {"error": "invalid_grant"}), "POST /oauth/v2/accessToken"), NeedsReconnect, None),
        (
            ApiError(json_response(401, {"error": "invalid_client"}), "POST /oauth/v2/accessToken"),
            TryLater,
            "platform_unavailable",
        ),
        (error(409, "DUPLICATE_POST"), Refused, "duplicate_content"),
        (error(403, "ACCESS_DENIED", "Not enough permissions to access: posts"), Refused, "permission_missing"),
        (error(422, "UNPROCESSABLE_ENTITY", TWIN), Refused, "duplicate_content"),
        (error(422, "DUPLICATE_POST"), Refused, "duplicate_content"),
        (error(426, "NONEXISTENT_VERSION"), Refused, "internal_error"),
        (error(400, "VERSION_MISSING"), Refused, "internal_error"),
        (error(400, "FIELD_LENGTH_TOO_LONG", "commentary: exceeds the maximum length"), Refused, "text_too_long"),
        (error(400, "INVALID_VALUE_FOR_FIELD"), Refused, "content_rejected"),
        (error(400, "MISSING_FIELD"), Refused, "content_rejected"),
        (error(400, "INVALID_IMAGE_ID"), Refused, "media_unsupported"),
        (error(400, "MEDIA_ASSET_PROCESSING_FAILED"), Refused, "media_processing_failed"),
        (error(413, "", call="PUT /dms-uploads/1"), Refused, "media_too_large"),
        (error(415, ""), Refused, "media_unsupported"),
        (error(404, "NOT_FOUND"), Refused, "destination_missing"),
        (ApiError(FakeResponse(502, b"<html>"), CREATE), OutcomeUnknown, None),
        (
            ApiError(FakeResponse(502, b"<html>"), "PUT https://server.example/dms-uploads/1"),
            TryLater,
            "platform_unavailable",
        ),
    ],
)
