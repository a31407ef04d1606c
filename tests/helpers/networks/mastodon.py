"""A Mastodon server, or with `knows_keys=False` a compatible one that ignores Idempotency-Key."""

import itertools
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from signalpost.conformance.fake import TOKEN, Case, NetworkFake
from signalpost.conformance.harness import Clock, FakeResponse, Request, json_response
from signalpost.networks.contract import ApiError, NeedsReconnect, OutcomeUnknown, OutgoingReply, Refused, TryLater

CREATE = "POST /api/v1/statuses"
MEDIA = "POST /api/v2/media"


@dataclass
class MastodonServer:
    clock: Clock
    knows_keys: bool = True
    slow_media: bool = False
    statuses: list[dict[str, Any]] = field(default_factory=list)
    created: list[str] = field(default_factory=list)
    broken: dict[str, FakeResponse] = field(default_factory=dict)
    _keys: dict[str, tuple[datetime, dict[str, Any]]] = field(default_factory=dict)
    _ids: Any = field(default_factory=lambda: itertools.count(1))
    _converting: dict[str, int] = field(default_factory=dict)

    def __call__(self, request: Request) -> FakeResponse:
        name = f"{request.method} {request.path}"
        if name in self.broken:
            return self.broken.pop(name)
        if name == "POST /api/v2/media":
            media_id = str(next(self._ids))
            self._converting[media_id] = 2 if self.slow_media else 0
            return json_response(202 if self.slow_media else 200, {"id": media_id, "url": None})
        if name.startswith("GET /api/v1/media/"):
            media_id = request.path.rpartition("/")[2]
            self._converting[media_id] -= 1
            return json_response(206 if self._converting[media_id] > 0 else 200, {"id": media_id})
        if name == "POST /api/v1/statuses":
            return self._create(request)
        if name.startswith("GET /api/v1/accounts/"):
            before, length = int(request.params.get("max_id", "999999")), int(request.params.get("limit", "20"))
            earlier = [status for status in reversed(self.statuses) if int(status["id"]) < before]
            return FakeResponse(200, json.dumps(earlier[: min(length, 40)]).encode())
        return json_response(404, {"error": "Record not found"})

    def _create(self, request: Request) -> FakeResponse:
        key = request.headers.get("Idempotency-Key")
        earlier = self._keys.get(key) if self.knows_keys else None
        if earlier is not None and self.clock.now - earlier[0] < timedelta(hours=1):
            return json_response(200, earlier[1])
        status_data = request.json
        status = {
            "id": str(next(self._ids)),
            "url": "https://server.example/@me/1",
            "content": "<p>" + status_data["status"].replace("&", "&amp;").replace("\n\n", "</p><p>") + "</p>",
            "spoiler_text": status_data.get("spoiler_text", ""),
            "in_reply_to_id": status_data.get("in_reply_to_id"),
            "media_attachments": [{"id": media_id} for media_id in status_data.get("media_ids", ())],
            "created_at": self.clock.now.isoformat().replace("+00:00", "Z"),
        }
        self.statuses.append(status)
        self.created.append(status_data["status"])
        self._keys[key] = (self.clock.now, status)
        return json_response(200, status)


def error(status: int, text: str, call: str = CREATE) -> ApiError:
    return ApiError(json_response(status, {"error": text}), call)


FAKE = NetworkFake(
    server=MastodonServer,
    account={"secrets": {"accessToken": TOKEN}, "remote_id": "7@server.example", "facts": {"dedupes": True}},
    create_call=CREATE,
    comment=OutgoingReply(
        post_id="1",
        comment_id="2",
        author_handle="ada@other.example",
        reference={"visibility": "unlisted"},
        text="Thank you!",
        dedupe_key="reply-1",
        created_at=datetime(2026, 11, 21, tzinfo=UTC),
    ),
    cases={
        "thread": Case(),
        "converting media": Case(server=partial(MastodonServer, slow_media=True)),
        "a server without keys": Case(
            server=partial(MastodonServer, knows_keys=False), account={"facts": {"dedupes": False}}
        ),
    },
    errors=[
        (error(429, "Too many requests"), TryLater, "rate_limited"),
        (error(500, "Error processing thumbnail", MEDIA), TryLater, "platform_unavailable"),
        (error(500, "oops"), OutcomeUnknown, None),
        (error(503, "There was a temporary problem serving your request"), TryLater, "platform_unavailable"),
        (ApiError(FakeResponse(503, b"<html>"), CREATE), OutcomeUnknown, None),
        (error(422, "Cannot attach files that have not finished processing."), TryLater, None),
        (error(401, "The access token is invalid"), NeedsReconnect, None),
        (error(401, "The access token was revoked"), NeedsReconnect, None),
        (error(403, "Your login is currently disabled"), NeedsReconnect, None),
        (ApiError(FakeResponse(403, b"<html>Request blocked</html>"), CREATE), OutcomeUnknown, None),
        (ApiError(FakeResponse(403, b"<html>Request blocked</html>"), MEDIA), TryLater, "platform_unavailable"),
        (ApiError(FakeResponse(401, b""), "GET /api/v1/accounts/verify_credentials"), TryLater, "platform_unavailable"),
        (ApiError(FakeResponse(401, b'{"message": "Unauthenticated."}'), CREATE), NeedsReconnect, None),
        (error(422, "This method requires an authenticated user"), NeedsReconnect, None),
        (error(403, "This action is outside the authorized scopes"), Refused, "permission_missing"),
        (error(422, "Validation failed: Text can't be blank"), Refused, "content_rejected"),
        (error(422, "Validation failed: Text character limit of 500 exceeded"), Refused, "text_too_long"),
        (error(422, "Validation failed: File content type is invalid", MEDIA), Refused, "media_unsupported"),
        (error(422, "failed", "GET /api/v1/media/1"), Refused, "media_processing_failed"),
        (error(413, "too large", MEDIA), Refused, "media_too_large"),
        (error(404, "Record not found"), Refused, "destination_missing"),
    ],
)
