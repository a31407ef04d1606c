"""X in the simulator, and what its documented errors mean."""

from typing import Any

from tests.helpers.scenes.scene import Scene, api_error

from signalpost.conformance.harness import FakeResponse
from signalpost.networks.contract import ApiError, NeedsReconnect, OutcomeUnknown, Refused, TryLater

CREATE, MEDIA, TOKEN = "POST /2/tweets", "POST /2/media/upload", "POST /2/oauth2/token"
PROBLEMS = "https://api.x.com/2/problems/"


def problem(status: int, detail: str = "words", kind: str = "about:blank", call: str = CREATE) -> ApiError:
    kind = kind if kind == "about:blank" else PROBLEMS + kind
    return api_error(call, status, {"title": "Title", "detail": detail, "type": kind, "status": status})


def invalid(message: str, call: str = CREATE) -> ApiError:
    body: Any = {"errors": [{"parameters": {}, "message": message}], "title": "Invalid Request"}
    return api_error(call, 400, body | {"type": f"{PROBLEMS}invalid-request"})


SCENE = Scene(
    create_call=CREATE,
    refuses_duplicates=True,
    errors=[
        (problem(429), TryLater, "rate_limited"),
        (problem(429, kind="usage-capped"), TryLater, "platform_quota"),
        (problem(402, kind="credits"), TryLater, "billing_required"),
        (problem(500), OutcomeUnknown, None),
        (problem(503), OutcomeUnknown, None),
        (problem(503, call=MEDIA), TryLater, "platform_unavailable"),
        (ApiError(FakeResponse(502, b"<html>"), CREATE), OutcomeUnknown, None),
        (ApiError(FakeResponse(403, b"<html>blocked</html>"), CREATE), OutcomeUnknown, None),
        (ApiError(FakeResponse(403, b"<html>blocked</html>"), MEDIA), TryLater, "platform_unavailable"),
        (problem(401, "Unauthorized"), NeedsReconnect, None),
        (problem(403, kind="user-suspended"), NeedsReconnect, None),
        (api_error(TOKEN, 400, {"error": "invalid_request", "error_description": "Value"}), NeedsReconnect, None),
        (api_error(TOKEN, 400, {"error": "invalid_grant"}), NeedsReconnect, None),
        (api_error(TOKEN, 401, {"error": "unauthorized_client"}), TryLater, "platform_unavailable"),
        (problem(403, "Forbidden", "unsupported-authentication"), Refused, "permission_missing"),
        (problem(403, "Forbidden", "oauth1-permissions"), Refused, "permission_missing"),
        (problem(403, "Forbidden", "client-forbidden"), Refused, "permission_missing"),
        (problem(403, "Your token lacks the required scopes: media.write."), Refused, "permission_missing"),
        (problem(403, "You are not allowed to create a Tweet with duplicate content."), Refused, "duplicate_content"),
        (problem(403, "You are not permitted to perform this action."), Refused, "content_rejected"),
        (problem(403, "You are not allowed to post a video longer than 2 minutes."), Refused, "media_unsupported"),
        (
            problem(403, "You attempted to reply to a Tweet that is deleted or not visible to you."),
            Refused,
            "destination_missing",
        ),
        (problem(404, kind="resource-not-found"), Refused, "destination_missing"),
        (invalid("Your Tweet text is too long."), Refused, "text_too_long"),
        (invalid("Your media IDs are invalid."), Refused, "media_missing"),
        (invalid("must be between 5 and 10080"), Refused, "content_rejected"),
        (invalid("media type unrecognized.", MEDIA), Refused, "media_unsupported"),
        (invalid("File size exceeds 5242880 bytes.", MEDIA), Refused, "media_too_large"),
        (api_error(CREATE, 403, {"errors": [{"code": 187, "message": "Status is a duplicate."}]}), Refused,
         "duplicate_content"),
    ],
)  # fmt: skip
