"""Tumblr in the simulator, with a second blog, and what its documented errors mean."""

from simulator import Destination
from tests.helpers.scenes.scene import Scene, api_error

from signalpost.conformance.harness import FakeResponse
from signalpost.networks.contract import ApiError, NeedsReconnect, OutcomeUnknown, Refused, TryLater

BLOG = "t:798000000000000002"
CREATE, LIST = f"POST /v2/blog/{BLOG}/posts", f"GET /v2/blog/{BLOG}/posts"
ME, TOKEN, DELETE = "GET /v2/user/info", "POST /v2/oauth2/token", f"POST /v2/blog/{BLOG}/post/delete"
PAGE = b"<html><head><title>403 Forbidden</title></head></html>"


def error(status: int, code: int | None = None, call: str = CREATE, **headers: str) -> ApiError:
    errors = {} if code is None else {"errors": [{"title": "Title", "code": code, "detail": "Words."}]}
    return api_error(call, status, {"meta": {"status": status, "msg": "Words"}, "response": [], **errors}, **headers)


SCENE = Scene(
    create_call="POST /v2/blog/{blog}/posts",
    destinations=(Destination("t:5001", "blog", "recipes"),),
    conversion_error="media_unsupported",
    revokes=False,
    errors=[
        (error(400, 8001), Refused, "content_rejected"),
        (error(400, 8005), Refused, "media_unsupported"),
        (error(400, 8016), Refused, "content_rejected"),
        (error(400), Refused, "content_rejected"),
        (error(403), Refused, "permission_missing"),
        *[(error(403, code), TryLater, "platform_quota") for code in (8004, 8010, 8011, 8022, 8023)],
        (error(404), Refused, "destination_missing"),
        (error(413), Refused, "media_too_large"),
        (ApiError(FakeResponse(413, PAGE), CREATE), Refused, "media_too_large"),
        (error(401, 1016), NeedsReconnect, None),
        (error(401, call=ME), NeedsReconnect, None),
        (api_error(TOKEN, 401, {"error": "invalid_grant"}), NeedsReconnect, None),
        (api_error(TOKEN, 401, {"error": "invalid_client"}), TryLater, "platform_unavailable"),
        (error(429), TryLater, "rate_limited"),
        (error(429, **{"X-Ratelimit-Perday-Remaining": "0", "X-Ratelimit-Perday-Reset": "60"}), TryLater,
         "rate_limited"),
        (ApiError(FakeResponse(429, PAGE), LIST), TryLater, "rate_limited"),
        (error(500, 8006), OutcomeUnknown, None),
        (error(500, 8009), OutcomeUnknown, None),
        (error(503), OutcomeUnknown, None),
        (error(504), OutcomeUnknown, None),
        (error(408), OutcomeUnknown, None),
        (error(500, call=LIST), TryLater, "platform_unavailable"),
        (error(503, call=DELETE), TryLater, "platform_unavailable"),
        (ApiError(FakeResponse(403, PAGE), CREATE), OutcomeUnknown, None),
        (ApiError(FakeResponse(403, PAGE), LIST), TryLater, "platform_unavailable"),
    ],
)  # fmt: skip
