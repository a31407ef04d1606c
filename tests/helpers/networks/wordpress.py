"""WordPress as the simulator has it, with an editor's application password."""

import json
from typing import Any

from simulator.networks.wordpress import WordPress
from tests.helpers.simulated import simulated, write_comment

from signalpost.conformance.fake import TOKEN, Case, NetworkFake
from signalpost.conformance.harness import FakeResponse, image, json_response, outgoing
from signalpost.networks.contract import ApiError, NeedsReconnect, OutcomeUnknown, Refused, TryLater

CREATE, MEDIA, TERM = "POST /wp/v2/posts", "POST /wp/v2/media", "POST /wp/v2/categories"
LIST, DELETE = "GET /wp/v2/posts", "DELETE /wp/v2/posts/17"
PAGE = b"<html>Blocked</html>"


def error(status: int, code: str, call: str = CREATE, message: str = "Sorry.") -> ApiError:
    return ApiError(json_response(status, {"code": code, "message": message, "data": {"status": status}}), call)


def seed(network: Any) -> None:
    person = network.world.add_person("wordpress", "baker", id="7", details={"role": "editor"})
    network.add_password(person, TOKEN)


FACTS = {"path": "/wp-json", "query": False, "userId": 7, "publish": True, "upload": True}
QUERY = {**FACTS, "path": "", "query": True}

FAKE = NetworkFake(
    server=simulated(WordPress, seed),
    write_comment=write_comment,
    account={
        "secrets": {"username": "baker", "applicationPassword": TOKEN}, "remote_id": "7@server.example", "facts": FACTS,
    },
    create_call="POST /wp-json/wp/v2/posts",
    cases={
        "post": Case(post=outgoing("one & only\n\n<two>", title="Rye", media=(image(),))),
        "by a parameter": Case(post=outgoing("x", options={"categories": ["Bread"], "tags": ["rye"]}),
                               account={"facts": QUERY}),
    },
    form={"siteUrl": "https://server.example", "username": "baker", "applicationPassword": TOKEN},
    refusal=json_response(400, {"code": "rest_invalid_param", "message": "Invalid parameter(s): title"}),
    errors=[
        (error(401, "incorrect_password"), NeedsReconnect, None),
        (error(401, "invalid_username"), NeedsReconnect, None),
        (error(401, "application_passwords_disabled"), NeedsReconnect, None),
        (error(401, "rest_not_logged_in", LIST), NeedsReconnect, None),
        (error(401, "rest_cannot_create"), NeedsReconnect, None),
        (error(403, "rest_cannot_create"), Refused, "permission_missing"),
        (error(403, "rest_cannot_create", TERM), Refused, "permission_missing"),
        (error(403, "rest_cannot_publish"), Refused, "permission_missing"),
        (error(403, "rest_cannot_assign_term"), Refused, "permission_missing"),
        (error(403, "rest_cannot_delete", DELETE), Refused, "permission_missing"),
        (error(403, "of_a_plugin"), Refused, "permission_missing"),
        (error(400, "rest_invalid_param"), Refused, "content_rejected"),
        (error(400, "empty_content"), Refused, "content_rejected"),
        (error(404, "rest_post_invalid_id", DELETE), Refused, "content_rejected"),
        (error(404, "rest_no_route"), Refused, "destination_missing"),
        (error(400, "rest_upload_file_too_big", MEDIA), Refused, "media_too_large"),
        (error(400, "rest_upload_limited_space", MEDIA), Refused, "media_too_large"),
        (ApiError(FakeResponse(413, PAGE), MEDIA), Refused, "media_too_large"),
        (error(500, "rest_upload_unknown_error", MEDIA), Refused, "media_unsupported"),
        (error(500, "rest_upload_unknown_error", MEDIA, "It exceeds upload_max_filesize in php.ini."), Refused,
         "media_too_large"),
        (error(500, "rest_upload_sideload_error", MEDIA), Refused, "media_unsupported"),
        (error(500, "rest_upload_unknown_error", MEDIA,
            "Das Verzeichnis uploads/2026/11 konnte nicht erstellt werden."), TryLater, "platform_unavailable"),
        (error(500, "rest_upload_sideload_error", MEDIA,
            "The uploaded file could not be moved to wp-content/uploads/2026/02."), TryLater, "platform_unavailable"),
        (error(400, "rest_upload_image_type_not_supported", MEDIA), Refused, "media_unsupported"),
        (error(400, "rest_upload_no_data", MEDIA), Refused, "media_too_large"),
        (error(400, "rest_upload_no_content_disposition", MEDIA), Refused, "media_too_large"),
        (error(400, "of_a_plugin", MEDIA), Refused, "media_unsupported"),
        (error(500, "db_insert_error"), OutcomeUnknown, None),
        (error(400, "db_update_error"), OutcomeUnknown, None),
        (error(500, "internal_server_error"), OutcomeUnknown, None),
        (error(500, "internal_server_error", MEDIA), TryLater, "platform_unavailable"),
        (error(503, "under_maintenance", LIST), TryLater, "platform_unavailable"),
        (error(429, "too_many_requests"), TryLater, "rate_limited"),
        (ApiError(FakeResponse(403, PAGE), CREATE), OutcomeUnknown, None),
        (ApiError(FakeResponse(403, PAGE), LIST), TryLater, "platform_unavailable"),
        (ApiError(FakeResponse(502, PAGE), CREATE), OutcomeUnknown, None),
        (ApiError(FakeResponse(200, json.dumps([1]).encode()), CREATE), OutcomeUnknown, None),
    ],
)  # fmt: skip
