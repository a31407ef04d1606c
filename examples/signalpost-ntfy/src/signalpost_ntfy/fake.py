"""An ntfy server for `signalpost networks check signalpost_ntfy.fake`; written from its documentation."""

import json
from typing import Any

from signalpost.conformance.fake import TOKEN, Case, NetworkFake
from signalpost.conformance.harness import Clock, FakeResponse, Request, json_response, outgoing
from signalpost.networks.contract import ApiError, NeedsReconnect, OutcomeUnknown, Refused, TryLater
from signalpost_ntfy import CONNECTOR

__all__ = ["CONNECTOR", "FAKE"]


class NtfyServer:
    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.messages: list[dict[str, Any]] = []
        self.created: list[str] = []
        self.broken: dict[str, FakeResponse] = {}

    def __call__(self, request: Request) -> FakeResponse:
        if request.headers.get("Authorization") != f"Bearer {TOKEN}":
            return json_response(401, {"code": 40101, "error": "unauthorized"})
        if f"{request.method} {request.path}" == "POST /":
            number = len(self.messages) + 1
            message = {"id": f"m{number}", "time": int(self.clock.now.timestamp()), "event": "message", **request.json}
            self.messages.append(message)
            self.created.append(message["message"])
            return json_response(200, message)
        since = request.params.get("since", "0")
        listed = [item for item in self.messages if since == "1m" or item["time"] >= int(since)]
        return FakeResponse(200, b"".join([json.dumps(item).encode() + b"\n" for item in listed]))


def error(status: int, text: str) -> ApiError:
    return ApiError(json_response(status, {"code": status * 100 + 1, "http": status, "error": text}), "POST /")


FAKE = NetworkFake(
    server=NtfyServer,
    account={"secrets": {"token": TOKEN}, "remote_id": "news"},
    create_call="POST /",
    cases={"message": Case(post=outgoing("We are back & open."))},
    form={"topic": "news", "token": TOKEN},
    errors=[
        (error(429, "limit reached: too many requests"), TryLater, "rate_limited"),
        (error(401, "unauthorized"), NeedsReconnect, None),
        (error(403, "forbidden"), NeedsReconnect, None),
        (error(400, "invalid request: priority invalid"), Refused, "content_rejected"),
        (error(413, "attachment too large"), Refused, "text_too_long"),
        (error(500, "internal server error"), OutcomeUnknown, None),
    ],
)
