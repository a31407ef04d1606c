"""A Bluesky server: a record key exists once, and a second create of it is an internal error."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from signalpost.conformance.fake import TOKEN, Case, NetworkFake
from signalpost.conformance.harness import Clock, FakeResponse, Request, image, json_response, outgoing
from signalpost.networks.contract import ApiError, NeedsReconnect, OutcomeUnknown, OutgoingReply, Refused, TryLater

DID = "did:plc:me"
CREATE = "POST /xrpc/com.atproto.repo.createRecord"
UPLOAD = "POST /xrpc/com.atproto.repo.uploadBlob"
FILM = image(None, b"\x00\x00\x00\x18ftypmp42" + bytes(900), "video/mp4", kind="video", file_name="film.mp4")
CAPTIONS = {"language": "en", "text": "WEBVTT\n\n00:00.000 --> 00:02.000\nRye bread"}


@dataclass
class BlueskyServer:
    clock: Clock
    records: dict[tuple[str, str], Any] = field(default_factory=dict)
    created: list[str] = field(default_factory=list)
    broken: dict[str, FakeResponse] = field(default_factory=dict)

    def __call__(self, request: Request) -> FakeResponse:  # noqa: PLR0911
        call = f"{request.method} {request.path}"
        if call in self.broken:
            return self.broken.pop(call)
        match request.path.removeprefix("/xrpc/com.atproto."):
            case "repo.createRecord":
                return self._create([(request.json["collection"], request.json["rkey"], request.json["record"])])
            case "repo.applyWrites":
                return self._create([(w["collection"], w["rkey"], w["value"]) for w in request.json["writes"]])
            case "repo.getRecord":
                key = (request.params["collection"], request.params["rkey"])
                if key not in self.records:
                    return json_response(400, {"error": "RecordNotFound", "message": "Could not locate record: at://x"})
                return json_response(200, self._reference(*key))
            case "repo.listRecords":
                keys = sorted((key for key in self.records if key[0] == request.params["collection"]), reverse=True)
                first, length = int(request.params.get("cursor", "0")), int(request.params.get("limit", "50"))
                page = keys[first : first + length]
                listed = [self._reference(*key) | {"value": self.records[key]} for key in page]
                more = {"cursor": str(first + length)} if first + length < len(keys) else {}
                return json_response(200, {"records": listed} | more)
            case "repo.uploadBlob":
                blob = {"$type": "blob", "ref": {"$link": "x"}, "mimeType": request.headers.get("Content-Type")}
                return json_response(200, {"blob": blob | {"size": len(request.body)}})
            case "repo.deleteRecord":
                self.records.pop((request.json["collection"], request.json["rkey"]), None)
                return json_response(200)
            case "identity.resolveHandle":
                return json_response(400, {"error": "InvalidRequest", "message": "Unable to resolve handle"})
        return json_response(501, {"error": "MethodNotImplemented"})

    def _create(self, writes: list[tuple[str, str, Any]]) -> FakeResponse:
        if any((collection, rkey) in self.records for collection, rkey, _ in writes):
            return json_response(500, {"error": "InternalServerError", "message": "Internal Server Error"})
        for collection, rkey, value in writes:
            self.records[collection, rkey] = value
            if collection == "app.bsky.feed.post":
                self.created.append(value["text"])
        references = [self._reference(collection, rkey) for collection, rkey, _ in writes]
        return json_response(200, {"results": references} if len(writes) > 1 else references[0])

    @staticmethod
    def _reference(collection: str, rkey: str) -> dict[str, str]:
        return {"uri": f"at://{DID}/{collection}/{rkey}", "cid": f"cid-{rkey}"}


def error(status: int, name: str, message: str = "words", call: str = CREATE) -> ApiError:
    return ApiError(json_response(status, {"error": name, "message": message}), call)


FAKE = NetworkFake(
    server=BlueskyServer,
    account={"secrets": {"accessJwt": TOKEN, "refreshJwt": TOKEN}, "remote_id": DID},
    create_call=CREATE,
    comment=OutgoingReply(
        post_id="at://did:plc:me/app.bsky.feed.post/3kroot",
        comment_id="at://did:plc:ada/app.bsky.feed.post/3kada",
        author_handle="ada.example",
        text="Thank you!",
        dedupe_key="reply-1",
        reference={"cid": "bafy", "root": {"id": "at://did:plc:me/app.bsky.feed.post/3kroot", "cid": "bafyroot"}},
        created_at=datetime(2026, 11, 21, tzinfo=UTC),
    ),
    cases={
        "thread": Case(),
        "reply gate": Case(post=outgoing("one", "two", options={"replyGate": "nobody"})),
        "captions": Case(post=outgoing("film", media=(FILM,), options={"captions": [CAPTIONS]})),
    },
    errors=[
        (error(429, "RateLimitExceeded"), TryLater, "rate_limited"),
        (error(500, "InternalServerError"), OutcomeUnknown, None),
        (error(500, "InternalServerError", call=UPLOAD), TryLater, "platform_unavailable"),
        (error(502, "UpstreamFailure"), OutcomeUnknown, None),
        (error(502, "UpstreamFailure", call=UPLOAD), TryLater, "platform_unavailable"),
        (error(503, "NotEnoughResources"), TryLater, "platform_unavailable"),
        (error(504, "UpstreamTimeout"), OutcomeUnknown, None),
        (error(400, "BlobNotFound"), TryLater, "platform_unavailable"),
        (error(400, "InvalidSwap"), TryLater, "platform_unavailable"),
        (error(400, "ExpiredToken"), NeedsReconnect, None),
        (error(400, "InvalidToken"), NeedsReconnect, None),
        (error(401, "AuthenticationRequired"), NeedsReconnect, None),
        (error(401, "AuthMissing"), NeedsReconnect, None),
        (error(401, "AccountTakedown"), NeedsReconnect, None),
        (error(400, "AccountDeactivated"), NeedsReconnect, None),
        (error(400, "RepoSuspended"), NeedsReconnect, None),
        (error(403, "AccountNotFound"), NeedsReconnect, None),
        (error(400, "InvalidRequest", "Invalid app.bsky.feed.post record"), Refused, "content_rejected"),
        (error(400, "InvalidMimeType", call=UPLOAD), Refused, "media_unsupported"),
        (error(400, "InvalidSize"), Refused, "media_too_large"),
        (error(413, "PayloadTooLarge", call=UPLOAD), Refused, "media_too_large"),
        (error(400, "VideoTooLong"), Refused, "media_unsupported"),
        (error(403, "UploadForbidden", call=UPLOAD), Refused, "permission_missing"),
        (error(403, "ScopeMissingError"), Refused, "permission_missing"),
        (ApiError(FakeResponse(502, b"<html>bad gateway"), CREATE), OutcomeUnknown, None),
        (ApiError(FakeResponse(200, b"?"), CREATE), OutcomeUnknown, None),
    ],
)
