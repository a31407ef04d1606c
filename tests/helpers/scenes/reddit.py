"""Reddit in the simulator: a subreddit with flairs, one with rules, and what its documented errors mean."""

from typing import Any

from simulator import Destination
from tests.helpers.scenes.scene import Scene, api_error

from signalpost.conformance.harness import FakeResponse
from signalpost.networks.contract import ApiError, NeedsReconnect, OutcomeUnknown, Refused, TryLater

CREATE, GALLERY, ASSET = "POST /api/submit", "POST /api/submit_gallery_post.json", "POST /api/media/asset.json"
LIST, ABOUT, TOKEN, FILES = "GET /user/alice/submitted", "GET /r/bread/about", "POST /api/v1/access_token", "POST /"
FLAIRS = (
    {"id": "0f7a1c3e-5a11-11ef-9d6c-2a1c5f8e0b01", "text": "Recipe", "text_editable": True, "mod_only": False},
    {"id": "0f7a1c3e-5a11-11ef-9d6c-2a1c5f8e0b02", "text": "Announcement", "text_editable": False, "mod_only": True},
)
BREAD = Destination("bread", "subreddit", "Bread", {"flairs": FLAIRS})


def said(code: str, message: str = "words", call: str = CREATE, **more: Any) -> ApiError:
    return api_error(call, 200, {"json": {"errors": [[code, message, "sr"]], **more}})


def error(status: int, reason: str | None = None, call: str = CREATE, **headers: str) -> ApiError:
    body = {"message": "words", "error": status} | ({"reason": reason} if reason else {})
    return api_error(call, status, body, **headers)


def unmet(code: str) -> ApiError:
    body = {
        "fields": ["title"],
        "explanation": "words",
        "message": "Bad Request",
        "reason": f"SUBMIT_VALIDATION_{code}",
    }
    return api_error(CREATE, 400, body)


REFUSED = {
    "destination_missing": ("SUBREDDIT_NOEXIST", "SUBREDDIT_REQUIRED", "BAD_SR_NAME"),
    "permission_missing": (
        "SUBREDDIT_NOTALLOWED", "SUBREDDIT_NO_ACCESS", "BANNED_FROM_SUBREDDIT", "NO_VERIFIED_EMAIL",
    ),
    "duplicate_content": ("ALREADY_SUB",),
    "text_too_long": ("TOO_LONG",),
    "content_rejected": (
        "NO_SELFS", "NO_LINKS", "DOMAIN_BANNED", "BAD_URL", "NO_URL", "NO_TEXT", "INVALID_OPTION", "NEW_ONE",
    ),
    "media_unsupported": ("IMAGES_NOTALLOWED", "GALLERIES_DISABLED", "BAD_IMAGE"),
}  # fmt: skip

SCENE = Scene(
    create_call=CREATE,
    create_calls={"comment": "POST /api/comment"},
    destinations=(BREAD, Destination("5001", "subreddit", "Five thousand and one")),
    options={"subreddit": "bread"},
    title="A title",
    converts=("image", "gif", "video"),
    errors=[
        *[(said(code), Refused, kind) for kind, codes in REFUSED.items() for code in codes],
        *[(unmet(code), Refused, "content_rejected") for code in (
            "FLAIR_REQUIRED", "TITLE_BLACKLISTED_STRING", "BODY_REQUIRED", "BODY_NOT_ALLOWED", "LINK_BLACKLIST",
        )],
        (unmet("MAX_LENGTH"), Refused, "text_too_long"),
        (unmet("REPOST"), Refused, "duplicate_content"),
        (said("RATELIMIT", "Take a break for 11 minutes before trying again."), TryLater, "rate_limited"),
        (said("SUBREDDIT_RATELIMIT"), TryLater, "rate_limited"),
        (said("QUOTA_FILLED", "Please try again in an hour."), TryLater, "platform_quota"),
        (said("USER_REQUIRED"), NeedsReconnect, None),
        (said("IN_TIMEOUT"), NeedsReconnect, None),
        (error(401), NeedsReconnect, None),
        (error(400, call=TOKEN), NeedsReconnect, None),
        (api_error(TOKEN, 200, {"error": "invalid_grant"}), NeedsReconnect, None),
        (error(401, call=TOKEN), TryLater, "platform_unavailable"),
        (error(503, call=TOKEN), TryLater, "platform_unavailable"),
        (error(429), TryLater, "rate_limited"),
        (ApiError(FakeResponse(429, b"<html>"), ABOUT), TryLater, "rate_limited"),
        (error(403), Refused, "permission_missing"),
        (error(403, "private", ABOUT), Refused, "permission_missing"),
        (error(403, "quarantined", ABOUT), Refused, "permission_missing"),
        (error(404, "banned", ABOUT), Refused, "destination_missing"),
        (error(404, call=ABOUT), Refused, "destination_missing"),
        (error(403, **{"WWW-Authenticate": 'Bearer realm="reddit", error="insufficient_scope"'}), Refused,
         "permission_missing"),
        (error(500), OutcomeUnknown, None),
        (error(500, call=GALLERY), OutcomeUnknown, None),
        (error(500, call=LIST), TryLater, "platform_unavailable"),
        (ApiError(FakeResponse(403, b"<html>"), CREATE), OutcomeUnknown, None),
        (ApiError(FakeResponse(503, b"<html>"), CREATE), OutcomeUnknown, None),
        (ApiError(FakeResponse(503, b"<html>"), ASSET), TryLater, "platform_unavailable"),
        (ApiError(FakeResponse(403, b"<Error><Code>AccessDenied</Code></Error>"), FILES), TryLater, None),
        (ApiError(FakeResponse(400, b"<Error><Code>EntityTooLarge</Code></Error>"), FILES), Refused, "media_too_large"),
    ],
)  # fmt: skip
