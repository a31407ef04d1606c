"""DEV as the simulator has it, with a person's API key."""

from typing import Any

from simulator.networks.devto import Dev
from tests.helpers.simulated import simulated

from signalpost.conformance.fake import Case, NetworkFake
from signalpost.conformance.harness import FakeResponse, json_response, outgoing
from signalpost.networks.contract import ApiError, NeedsReconnect, OutcomeUnknown, Refused, TryLater

CREATE, UPDATE, LIST = "POST /articles", "PUT /articles/17", "GET /articles/me/all"
KEY = "bakerKey00000000000000000001"
PAGE = b"<html>Application error</html>"
TAKEN = "Body markdown has already been taken"


def error(status: int, text: str = "Sorry.", call: str = CREATE, **headers: str) -> ApiError:
    return ApiError(json_response(status, {"error": text, "status": status}, **headers), call)


def seed(network: Any) -> None:
    network.add_key(network.world.add_person("devto", "baker"), KEY)


FAKE = NetworkFake(
    server=simulated(Dev, seed),
    account={"secrets": {"apiKey": KEY}, "remote_id": "2000001", "facts": {}},
    create_call="POST /api/articles",
    cases={
        "post": Case(post=outgoing("one & *only*\n\n<two>", title="Rye")),
        "in a series": Case(
            post=outgoing("x", title="Rye", options={"series": "Bread", "tags": ["rye"], "excerpt": "Dark."})
        ),
    },
    post=outgoing("x", title="Rye"),
    form={"apiKey": KEY},
    refusal=json_response(422, {"error": "Title is too long (maximum is 128 characters)", "status": 422}),
    errors=[
        (error(401, "unauthorized"), NeedsReconnect, None),
        (error(401, "unauthorized", LIST), NeedsReconnect, None),
        (error(403, "unauthorized"), Refused, "permission_missing"),
        (error(404, "not found", UPDATE), Refused, "destination_missing"),
        (error(422), Refused, "content_rejected"),
        (error(422, TAKEN), Refused, "duplicate_content"),
        (error(422, "Canonical url has already been taken"), Refused, "duplicate_content"),
        (error(413), Refused, "text_too_long"),
        (error(429, **{"Retry-After": "30"}), TryLater, "rate_limited"),
        (ApiError(FakeResponse(429, PAGE), CREATE), TryLater, "rate_limited"),
        (error(500), OutcomeUnknown, None),
        (error(500, call=LIST), TryLater, "platform_unavailable"),
        (error(408), OutcomeUnknown, None),
        (ApiError(FakeResponse(503, PAGE), CREATE), OutcomeUnknown, None),
        (ApiError(FakeResponse(403, PAGE), CREATE), OutcomeUnknown, None),
        (ApiError(FakeResponse(403, PAGE), LIST), TryLater, "platform_unavailable"),
        (ApiError(FakeResponse(401, PAGE), LIST), TryLater, "platform_unavailable"),
    ],
)
