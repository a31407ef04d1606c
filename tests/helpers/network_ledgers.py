"""Small independent stand-ins of the networks' servers: they keep a ledger of what they made public."""

import itertools
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from tests.helpers.connector_harness import Clock, Reply, Request, reply

DID = "did:plc:me"


@dataclass
class LedgerPds:
    """A Bluesky server: a record key exists once, and a second create of it is an internal error."""

    clock: Clock
    records: dict[tuple[str, str], Any] = field(default_factory=dict)
    created: list[str] = field(default_factory=list)
    broken: dict[str, Reply] = field(default_factory=dict)

    def __call__(self, request: Request) -> Reply:  # noqa: PLR0911
        name = request.path.removeprefix("/xrpc/com.atproto.")
        if name in self.broken:
            return self.broken.pop(name)
        match name:
            case "repo.createRecord":
                return self._create([(request.json["collection"], request.json["rkey"], request.json["record"])])
            case "repo.applyWrites":
                return self._create([(w["collection"], w["rkey"], w["value"]) for w in request.json["writes"]])
            case "repo.getRecord":
                key = (request.params["collection"], request.params["rkey"])
                if key not in self.records:
                    return reply(400, {"error": "RecordNotFound", "message": "Could not locate record: at://x"})
                return reply(200, self._reference(*key))
            case "repo.uploadBlob":
                blob = {"$type": "blob", "ref": {"$link": "x"}, "mimeType": request.headers.get("Content-Type")}
                return reply(200, {"blob": blob | {"size": len(request.body)}})
            case "repo.deleteRecord":
                self.records.pop((request.json["collection"], request.json["rkey"]), None)
                return reply(200)
            case "identity.resolveHandle":
                return reply(400, {"error": "InvalidRequest", "message": "Unable to resolve handle"})
        return reply(501, {"error": "MethodNotImplemented"})

    def _create(self, writes: list[tuple[str, str, Any]]) -> Reply:
        if any((collection, rkey) in self.records for collection, rkey, _ in writes):
            return reply(500, {"error": "InternalServerError", "message": "Internal Server Error"})
        for collection, rkey, value in writes:
            self.records[collection, rkey] = value
            if collection == "app.bsky.feed.post":
                self.created.append(value["text"])
        references = [self._reference(collection, rkey) for collection, rkey, _ in writes]
        return reply(200, {"results": references} if len(writes) > 1 else references[0])

    @staticmethod
    def _reference(collection: str, rkey: str) -> dict[str, str]:
        return {"uri": f"at://{DID}/{collection}/{rkey}", "cid": f"cid-{rkey}"}


@dataclass
class LedgerMastodon:
    """A Mastodon server, or with `knows_keys=False` a relative that ignores Idempotency-Key."""

    clock: Clock
    knows_keys: bool = True
    slow_media: bool = False
    statuses: list[dict[str, Any]] = field(default_factory=list)
    created: list[str] = field(default_factory=list)
    broken: dict[str, Reply] = field(default_factory=dict)
    _keys: dict[str, tuple[datetime, dict[str, Any]]] = field(default_factory=dict)
    _ids: Any = field(default_factory=lambda: itertools.count(1))
    _converting: dict[str, int] = field(default_factory=dict)

    def __call__(self, request: Request) -> Reply:
        name = f"{request.method} {request.path}"
        if name in self.broken:
            return self.broken.pop(name)
        if name == "POST /api/v2/media":
            media_id = str(next(self._ids))
            self._converting[media_id] = 2 if self.slow_media else 0
            return reply(202 if self.slow_media else 200, {"id": media_id, "url": None})
        if name.startswith("GET /api/v1/media/"):
            media_id = request.path.rpartition("/")[2]
            self._converting[media_id] -= 1
            return reply(206 if self._converting[media_id] > 0 else 200, {"id": media_id})
        if name == "POST /api/v1/statuses":
            return self._create(request)
        if name.startswith("GET /api/v1/accounts/"):
            before = int(request.params.get("max_id", "999999"))
            return Reply(200, _json([s for s in reversed(self.statuses) if int(s["id"]) < before][:40]))
        return reply(404, {"error": "Record not found"})

    def _create(self, request: Request) -> Reply:
        key = request.headers.get("Idempotency-Key")
        known = self._keys.get(key) if self.knows_keys else None
        if known is not None and self.clock.now - known[0] < timedelta(hours=1):
            return reply(200, known[1])
        wish = request.json
        status = {
            "id": str(next(self._ids)),
            "url": "https://server.example/@me/1",
            "content": "<p>" + wish["status"].replace("&", "&amp;").replace("\n\n", "</p><p>") + "</p>",
            "spoiler_text": wish.get("spoiler_text", ""),
            "in_reply_to_id": wish.get("in_reply_to_id"),
            "media_attachments": [{"id": media_id} for media_id in wish.get("media_ids", ())],
            "created_at": self.clock.now.isoformat().replace("+00:00", "Z"),
        }
        self.statuses.append(status)
        self.created.append(wish["status"])
        self._keys[key] = (self.clock.now, status)
        return reply(200, status)


def _json(value: Any) -> bytes:
    import json

    return json.dumps(value).encode()
