"""Lemmy as the simulator has it, with the session of a person."""

from typing import Any

from simulator.networks.lemmy import Lemmy
from tests.helpers.simulated import simulated

from signalpost.conformance.fake import TOKEN, Case, NetworkFake
from signalpost.conformance.harness import FakeResponse, image, json_response, outgoing
from signalpost.networks.contract import ApiError, NeedsReconnect, OutcomeUnknown, Refused, TryLater

CREATE, IMAGE, SITE, LIST = "POST /post", "POST /pictrs/image", "GET /site", "GET /user"
PAGE = b"<html>Blocked</html>"
OPTIONS = {"community": "bread"}
REFUSED = {
    "destination_missing": ("couldnt_find_community", "deleted", "invalid_community", "community_has_no_followers"),
    "permission_missing": (
        "banned_from_community", "person_is_banned_from_community", "only_mods_can_post_in_community",
        "registration_application_is_pending", "email_not_verified",
    ),
    "text_too_long": ("invalid_body_field", "alt_text_length_overflow", "url_length_overflow"),
    "content_rejected": (
        "invalid_post_title", "language_not_allowed", "slurs", "blocked_url", "invalid_url", "invalid_url_scheme",
        "nsfw_not_allowed", "a_new_one",
    ),
}  # fmt: skip
OPEN = ("unknown", "couldnt_create_post", "couldnt_like_post", "couldnt_mark_post_as_read", "couldnt_find_post")


def error(code: str, call: str = CREATE, status: int = 400) -> ApiError:
    return ApiError(json_response(status, {"error": code}), call)


def page(status: int, call: str = CREATE) -> ApiError:
    return ApiError(FakeResponse(status, PAGE), call)


def seed(network: Any) -> None:
    person = network.world.add_person("lemmy", "baker", id="7")
    network.add_user(person)
    network.add_session(person, TOKEN)
    network.add_community()


FAKE = NetworkFake(
    server=simulated(Lemmy, seed),
    account={"secrets": {"jwt": TOKEN}, "remote_id": "7@server.example", "facts": {"version": "0.19.20"}},
    create_call="POST /api/v3/post",
    cases={
        "post": Case(post=outgoing("one & *only*\n\n<two>", title="Rye", options=OPTIONS)),
        "pictures": Case(
            post=outgoing(
                "x", title="Rye", media=(image(), image()), options=OPTIONS | {"language": "en", "nsfw": True}
            )
        ),
        "link": Case(post=outgoing("x", title="Rye", link="https://example.com/rye", options=OPTIONS)),
    },
    post=outgoing("x", title="Rye", options=OPTIONS),
    form={"instanceUrl": "https://server.example", "username": "baker", "password": "a long password"},
    refusal=json_response(400, {"error": "slurs"}),
    errors=[
        *[(error(code), Refused, kind) for kind, codes in REFUSED.items() for code in codes],
        *[(error(code), OutcomeUnknown, None) for code in OPEN],
        (error("couldnt_find_post", "GET /post"), Refused, "destination_missing"),
        (error("not_found", status=404), Refused, "destination_missing"),
        (error("unknown", LIST), TryLater, "platform_unavailable"),
        (error("rate_limit_error"), TryLater, "rate_limited"),
        (error("rate_limit_error", IMAGE), TryLater, "rate_limited"),
        (page(429), TryLater, "rate_limited"),
        (error("not_logged_in"), NeedsReconnect, None),
        (error("not_logged_in", status=401), NeedsReconnect, None),
        (error("incorrect_login", status=401), NeedsReconnect, None),
        (error("instance_is_private", LIST), NeedsReconnect, None),
        (error("site_ban"), NeedsReconnect, None),
        (ApiError(json_response(200, {"version": "0.19.20"}), SITE), NeedsReconnect, None),
        (ApiError(json_response(400, {"msg": "File too large"}), IMAGE), Refused, "media_too_large"),
        (ApiError(json_response(400, {"msg": "Unsupported media type"}), IMAGE), Refused, "media_unsupported"),
        (ApiError(json_response(200, {"msg": "Invalid image"}), IMAGE), Refused, "media_unsupported"),
        (page(413, IMAGE), Refused, "media_too_large"),
        (page(413), Refused, "text_too_long"),
        (page(403, IMAGE), TryLater, "platform_unavailable"),
        (page(403), OutcomeUnknown, None),
        (page(403, LIST), TryLater, "platform_unavailable"),
        (page(503), OutcomeUnknown, None),
        (page(503, LIST), TryLater, "platform_unavailable"),
        (error("unknown", status=500), OutcomeUnknown, None),
    ],
)
