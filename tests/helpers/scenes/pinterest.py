"""Pinterest in the simulator, with two boards, and what its documented errors mean."""

from simulator import Destination
from tests.helpers.scenes.scene import Scene, api_error

from signalpost.conformance.harness import FakeResponse
from signalpost.networks.contract import ApiError, NeedsReconnect, OutcomeUnknown, Refused, TryLater

CREATE, MEDIA, TOKEN = "POST /v5/pins", "POST /v5/media", "POST /v5/oauth/token"


def error(status: int, code: int, message: str = "words", call: str = CREATE) -> ApiError:
    return api_error(call, status, {"code": code, "message": message})


SCENE = Scene(
    create_call=CREATE,
    destinations=(Destination("5001", "board", "Recipes"), Destination("5002", "board", "Travel")),
    options={"boardId": "5001"},
    kind="pin",
    errors=[
        (error(429, 8), TryLater, "rate_limited"),
        (error(500, 0), OutcomeUnknown, None),
        (error(500, 0, call=MEDIA), TryLater, "platform_unavailable"),
        (ApiError(FakeResponse(503, b"<html>"), CREATE), OutcomeUnknown, None),
        (ApiError(FakeResponse(403, b"<html>"), CREATE), OutcomeUnknown, None),
        (error(401, 2, "Authentication failed."), NeedsReconnect, None),
        (error(400, 1, "The refresh token is invalid", TOKEN), NeedsReconnect, None),
        (error(401, 2, "Authentication failed.", TOKEN), TryLater, "platform_unavailable"),
        (error(403, 29, "consumer type is not supported"), Refused, "permission_missing"),
        (error(404, 40, "Board not found."), Refused, "destination_missing"),
        (error(400, 1, "'5a' does not match '^\\d+$'"), Refused, "content_rejected"),
        (error(400, 1, "Sorry! We blocked this link because it may lead to spam."), Refused, "content_rejected"),
        (error(400, 1, "Unable to reach the URL."), TryLater, "media_fetch_failed"),
        (error(400, 1, "'media_type' is not one of ['video']", MEDIA), Refused, "media_unsupported"),
    ],
)
