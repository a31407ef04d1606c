"""Matrix as the simulator has it, with a user in a room."""

from typing import Any
from urllib.parse import quote

from simulator.networks.matrix import Matrix, Room
from tests.helpers.simulated import simulated

from signalpost.conformance.fake import THREAD, TOKEN, Case, NetworkFake
from signalpost.conformance.harness import FakeResponse, image, json_response, outgoing
from signalpost.networks.connectors.matrix.message import key_of
from signalpost.networks.contract import ApiError, NeedsReconnect, OutcomeUnknown, Refused, TryLater

ROOM, USER, DEVICE = "!news:bakery.example", "@baker:bakery.example", "DEVICE"
_PATH = f"/_matrix/client/v3/rooms/{quote(ROOM, safe='')}"
SEND = f"PUT {_PATH}/send/m.room.message/{key_of('target-1', 0, 0)}"
LIST, UPLOAD, REDACT = f"GET {_PATH}/messages", "POST /_matrix/media/v3/upload", f"PUT {_PATH}/redact/%241/1"
PAGE = b"<html>Bad gateway</html>"


def error(status: int, code: str, call: str = SEND, **headers: str) -> ApiError:
    return ApiError(json_response(status, {"errcode": code, "error": "No."}, **headers), call)


def seed(network: Any) -> None:
    person = network.world.add_person("matrix", "baker")
    network.rooms[ROOM] = Room(ROOM, "#news:bakery.example", members={USER})
    network.add_token(person, TOKEN, DEVICE)


FACTS = {"userId": USER, "roomId": ROOM, "deviceId": DEVICE}

FAKE = NetworkFake(
    server=simulated(Matrix, seed),
    account={"secrets": {"accessToken": TOKEN}, "remote_id": f"{USER}/{ROOM}", "facts": FACTS},
    create_call=SEND,
    create_calls="PUT /_matrix/client/v3/rooms/{room}/send/{kind}/{txn}",
    form={"homeserverUrl": "https://server.example", "accessToken": TOKEN, "room": "#news:bakery.example"},
    cases={
        "thread": Case(),
        "texts": Case(post=outgoing("one & only", "<two>", options={"markdown": True})),
        "of another device": Case(post=THREAD, account={"facts": {**FACTS, "deviceId": None}}),
        "with an image": Case(post=outgoing("A picture", media=(image(),))),
    },
    refusal=json_response(403, {"errcode": "M_FORBIDDEN", "error": "This message had been rejected as probable spam"}),
    errors=[
        *[(error(401, code), NeedsReconnect, None) for code in ("M_UNKNOWN_TOKEN", "M_MISSING_TOKEN", "M_USER_LOCKED")],
        (error(403, "M_USER_DEACTIVATED"), NeedsReconnect, None),
        *[(error(403, code), Refused, "permission_missing") for code in (
            "M_FORBIDDEN", "M_USER_SUSPENDED", "M_CONSENT_NOT_GIVEN", "M_GUEST_ACCESS_FORBIDDEN", "M_OF_A_SERVER")],
        (error(403, "M_FORBIDDEN", REDACT), Refused, "permission_missing"),
        (error(403, "M_FORBIDDEN", UPLOAD), Refused, "permission_missing"),
        (error(404, "M_NOT_FOUND"), Refused, "destination_missing"),
        (error(404, "M_UNRECOGNIZED"), Refused, "destination_missing"),
        (error(413, "M_TOO_LARGE"), Refused, "text_too_long"),
        (error(413, "M_TOO_LARGE", UPLOAD), Refused, "media_too_large"),
        (ApiError(FakeResponse(413, PAGE), UPLOAD), Refused, "media_too_large"),
        (error(400, "M_BAD_JSON"), Refused, "content_rejected"),
        (error(400, "M_INVALID_PARAM"), Refused, "content_rejected"),
        (error(400, "M_UNKNOWN", UPLOAD), Refused, "media_unsupported"),
        (error(429, "M_LIMIT_EXCEEDED", Retry_After="30"), TryLater, "rate_limited"),
        (error(403, "M_RESOURCE_LIMIT_EXCEEDED"), TryLater, "platform_unavailable"),
        (ApiError(FakeResponse(429, PAGE), LIST), TryLater, "rate_limited"),
        (error(500, "M_UNKNOWN"), OutcomeUnknown, None),
        (error(500, "M_UNKNOWN", LIST), TryLater, "platform_unavailable"),
        (error(408, "M_UNKNOWN", UPLOAD), TryLater, "platform_unavailable"),
        (ApiError(FakeResponse(502, PAGE), SEND), OutcomeUnknown, None),
        (ApiError(FakeResponse(403, PAGE), SEND), OutcomeUnknown, None),
        (ApiError(FakeResponse(502, PAGE), LIST), TryLater, "platform_unavailable"),
    ],
)  # fmt: skip
