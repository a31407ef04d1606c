"""Nostr as the simulator has it: a relay, and a media server at the same address."""

import json
from typing import Any

from simulator.networks.nostr import Nostr
from tests.helpers.simulated import simulated

from signalpost.conformance.fake import THREAD, Case, NetworkFake
from signalpost.conformance.harness import FakeResponse, image, json_response, outgoing
from signalpost.networks.contract import ApiError, NeedsReconnect, Refused, TryLater

KEY = "67dea2ed018072d675f5415ecfaed7d2597555e202d85b3d65ea4e58d2d92ffa"
PUBKEY = "7e7e9c42a91bfef19fa929e5fda1b72e0ebc1a4c1141673e2794234d86addf4e"
SEND, ASK, UPLOAD = "EVENT wss://server.example/", "REQ wss://server.example/", "PUT https://server.example/upload"
OPEN = "GET https://server.example/"


def said(*message: Any) -> FakeResponse:
    """Return what a relay answers over the WebSocket."""
    return FakeResponse(101, json.dumps(message).encode())


def refusal(text: str) -> ApiError:
    return ApiError(said("OK", "0" * 64, False, text), SEND)


def closed(text: str) -> ApiError:
    return ApiError(said("CLOSED", "signalpost", text), ASK)


def upload(status: int) -> ApiError:
    return ApiError(json_response(status, {"message": "No."}, X_Reason="No."), UPLOAD)


def seed(network: Any) -> None:
    network.owners[PUBKEY] = network.world.add_person("nostr", "baker")


FAKE = NetworkFake(
    server=simulated(Nostr, seed),
    account={
        "secrets": {"privateKey": KEY}, "remote_id": PUBKEY,
        "facts": {"relays": ["wss://server.example/"], "mediaServer": "https://server.example"},
    },
    create_call="GET /",
    create_calls="EVENT /",
    form={"privateKey": KEY, "relays": "wss://server.example", "mediaServer": "server.example"},
    cases={
        "thread": Case(),
        "texts": Case(post=outgoing("one & only", "<two>", "#three", options={"contentWarning": "Bread"})),
        "with an image": Case(post=outgoing("A picture", media=(image(), image(None, b"two", "image/jpeg")))),
        "two relays": Case(post=THREAD, account={"facts": {
            "relays": ["wss://server.example/", "wss://other.example/"], "mediaServer": "https://server.example"}}),
    },
    refusal=said("OK", "", False, "blocked: no bread here"),
    errors=[
        (refusal("rate-limited: slow down"), TryLater, "rate_limited"),
        (refusal("error: no database"), TryLater, "platform_unavailable"),
        (refusal("blocked: register first"), Refused, "permission_missing"),
        (refusal("restricted: not allowed to write"), NeedsReconnect, None),
        (refusal("auth-required: sign in"), NeedsReconnect, None),
        (refusal("pow: 25 bits are needed"), Refused, "content_rejected"),
        (refusal("invalid: bad signature"), Refused, "content_rejected"),
        (refusal("invalid: event too large: 70000"), Refused, "text_too_long"),
        (refusal("mute: nobody listens"), Refused, "content_rejected"),
        (refusal(""), Refused, "content_rejected"),
        (closed("restricted: not allowed to read"), NeedsReconnect, None),
        (closed("error: shutting down"), TryLater, "platform_unavailable"),
        (ApiError(FakeResponse(403, b""), OPEN), Refused, "permission_missing"),
        (ApiError(FakeResponse(404, b""), OPEN), Refused, "destination_missing"),
        (ApiError(FakeResponse(503, b""), OPEN), TryLater, "platform_unavailable"),
        (upload(401), Refused, "permission_missing"),
        (upload(402), Refused, "billing_required"),
        (upload(403), Refused, "permission_missing"),
        (upload(404), Refused, "destination_missing"),
        (upload(409), Refused, "media_unsupported"),
        (upload(413), Refused, "media_too_large"),
        (upload(415), Refused, "media_unsupported"),
        (upload(429), TryLater, "rate_limited"),
        (upload(500), TryLater, "platform_unavailable"),
    ],
)  # fmt: skip
