"""Google Business Profile at the simulator: a location, a photo, and what Google's errors mean."""

from functools import partial
from typing import Any

from simulator import Destination
from simulator.networks.google_business import GoogleBusiness
from tests.helpers.networks.simulated import with_account
from tests.helpers.simulated import SimulatedServer

from signalpost.conformance.fake import TOKEN, Case, NetworkFake
from signalpost.conformance.harness import Clock, FakeResponse, image, json_response, outgoing
from signalpost.networks.contract import ApiError, NeedsReconnect, OutcomeUnknown, Refused, TryLater

POSTS = "/v4/accounts/me/locations/17/localPosts"
CREATE = f"POST {POSTS}"
LOCATIONS = "GET /v1/accounts/me/locations"
URL = "https://service.example/shop.jpg"
JPEG = b"\xff\xd8\xff\xc0\x00\x11\x08\x02\x58\x03\x20" + bytes(12_000)
"""A photo of 800 by 600 pixels, as far as the network looks at it."""
PHOTO = image(None, JPEG, "image/jpeg", url=lambda: URL, width=800, height=600)
EVENT = {
    "title": "Bread & jam",
    "startDate": "2027-01-30", "startTime": "00:00", "endDate": "2027-01-31", "endTime": "18:30",
}  # fmt: skip
OFFER = {"couponCode": "RYE", "termsConditions": "One each."}


def error(status: int, *details: Any, call: str = CREATE, message: str = "words") -> ApiError:
    body = {"code": status, "message": message, "status": "STATUS", "details": list(details)}
    return ApiError(json_response(status, {"error": body}), call)


def info(reason: str, **metadata: str) -> dict[str, Any]:
    return {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "metadata": metadata}


def wrong(code: int, field: str, message: str = "no") -> dict[str, Any]:
    kind = "type.googleapis.com/google.mybusiness.v4.ValidationError"
    return {"@type": kind, "errorDetails": [{"code": code, "field": field, "message": message}]}


def _server(clock: Clock) -> SimulatedServer:
    def prepare(world: Any, _person: Any) -> None:
        world.networks["google_business"].files[URL] = JPEG

    person = {"destinations": [Destination("17", "location", "Corner Bakery")]}
    return with_account(GoogleBusiness, clock, person=person, prepare=prepare)


_limited = partial(info, "RATE_LIMIT_EXCEEDED", quota_limit="defaultPerMinutePerProject")
FAKE = NetworkFake(
    server=_server,
    account={"secrets": {"accessToken": TOKEN}, "remote_id": "17", "facts": {"account": "accounts/me"}},
    create_call=CREATE,
    cases={
        "text": Case(post=outgoing("We are open.")),
        "photo and button": Case(post=outgoing("Fresh rye", media=(PHOTO,), link="https://example.com/rye")),
        "photo alone": Case(post=outgoing("", media=(PHOTO,))),
        "event": Case(post=outgoing("Come in", options={"event": EVENT, "callToAction": {"actionType": "CALL"}})),
        "offer": Case(post=outgoing("Buy one", options={"event": EVENT, "offer": OFFER})),
    },
    refusal=json_response(400, {"error": {"code": 400, "message": "rude", "status": "INVALID_ARGUMENT"}}),
    errors=[
        (error(429, _limited(quota_limit_value="300")), TryLater, "rate_limited"),
        (error(429, _limited(quota_limit_value="0")), Refused, "permission_missing"),
        (error(429), TryLater, "rate_limited"),
        (error(401, info("ACCESS_TOKEN_EXPIRED")), NeedsReconnect, None),
        (ApiError(json_response(400, {"error": "invalid_grant"}), "POST /token"), NeedsReconnect, None),
        (ApiError(json_response(401, {"error": "invalid_client"}), "POST /token"), TryLater, "platform_unavailable"),
        (error(403, info("SERVICE_DISABLED", service="mybusiness.googleapis.com")), Refused, "permission_missing"),
        (error(403, info("ACCESS_TOKEN_SCOPE_INSUFFICIENT")), Refused, "permission_missing"),
        (error(403), Refused, "permission_missing"),
        (error(404), Refused, "destination_missing"),
        (error(400, wrong(2, "topic_type", "Topic type is required.")), Refused, "content_rejected"),
        (error(400, wrong(8, "event.schedule")), Refused, "content_rejected"),
        (error(400, wrong(1000, "", "Fetch photo from the specified URL failed.")), TryLater, "media_fetch_failed"),
        (error(400, wrong(1001, "media", "Too small.")), Refused, "media_unsupported"),
        (error(400), Refused, "content_rejected"),
        (error(409), TryLater, "platform_unavailable"),
        (error(500), OutcomeUnknown, None),
        (error(503), OutcomeUnknown, None),
        (error(503, call=LOCATIONS), TryLater, "platform_unavailable"),
        (ApiError(FakeResponse(502, b"<html>"), CREATE), OutcomeUnknown, None),
        (ApiError(FakeResponse(404, b"<html>"), CREATE), OutcomeUnknown, None),
        (ApiError(FakeResponse(502, b"<html>"), LOCATIONS), TryLater, "platform_unavailable"),
    ],
)
