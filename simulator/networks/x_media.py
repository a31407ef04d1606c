"""The media of X: uploads in one shot or in segments, processing, alt texts; and the words of its errors."""

import base64
import binascii
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from simulator.messages import File, Request, Response
from simulator.network import Limit, Network, route
from simulator.world import Quota, World

QUARTER, DAY = 900, 86_400
PROCESSING_SECONDS = 8
MEDIA_SECONDS = 86_400
TYPES = {
    "tweet_image": {"image/jpeg", "image/png", "image/webp", "image/bmp", "image/tiff"},
    "tweet_gif": {"image/gif"},
    "tweet_video": {"video/mp4", "video/quicktime", "video/webm", "video/mp2t"},
}
BYTES_MAX = {"tweet_image": 5_000_000, "tweet_gif": 15_000_000, "tweet_video": 512_000_000}
SEGMENT_BYTES_MAX = 5 * 1024 * 1024
PROBLEMS = "https://api.x.com/2/problems/"
FAILURES: Mapping[int, tuple[str, str]] = {
    400: ("Invalid Request", f"{PROBLEMS}invalid-request"),
    401: ("Unauthorized", "about:blank"),
    402: ("CreditsDepleted", f"{PROBLEMS}credits"),
    403: ("Forbidden", "about:blank"),
    404: ("Not Found Error", f"{PROBLEMS}resource-not-found"),
    429: ("Too Many Requests", "about:blank"),
    500: ("Internal Server Error", "about:blank"),
    503: ("Service Unavailable", "about:blank"),
}


@dataclass
class Media:
    id: str
    owner_id: str
    category: str
    mime_type: str
    total_bytes: int
    expires_at: datetime
    segments: dict[int, bytes] = field(default_factory=dict)
    content: bytes | None = None  # None until it is finalized
    ready_at: datetime | None = None
    failed: bool = False
    alt_text: str | None = None


class Uploads(Network):
    """The part of X that takes files."""

    key = "x"

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.media: dict[str, Media] = {}

    def failure(self, status: int, message: str) -> Response:
        title, kind = FAILURES.get(status, ("Error", "about:blank"))
        detail = title if status in {401, 429} else message
        body: dict[str, Any] = {"title": title, "detail": detail, "type": kind, "status": status}
        if status == 400:
            body = {"errors": [{"parameters": {}, "message": message}], "title": title, "type": kind}
            body["detail"] = "One or more parameters to your request was invalid."
        return Response(status, body)

    def missing_scopes(self, missing: Iterable[str]) -> Response:
        body = {"title": "Forbidden", "type": "about:blank", "status": 403}
        return Response(403, body | {"detail": f"Your token lacks the required scopes: {' '.join(missing)}."})

    def rate_headers(self, quota: Quota) -> dict[str, str]:
        return {
            "x-rate-limit-limit": str(quota.limit),
            "x-rate-limit-remaining": str(quota.remaining),
            "x-rate-limit-reset": str(int(quota.reset.timestamp())),
        }

    # --- uploads ---------------------------------------------------------------------------------------------------

    @route("POST /2/media/upload", scopes=("media.write",), limits=(Limit(500, QUARTER), Limit(50_000, DAY, "app")))
    def upload(self, request: Request) -> Response:
        """One shot, for images only."""
        fields = request.fields
        self.only(fields, "media", "media_category", "additional_owners")  # X's specification has no others
        content = self._content(fields.get("media"))
        declared = getattr(fields.get("media"), "content_type", "") or "image/jpeg"
        media = self._register(request, fields.get("media_category"), declared, len(content))
        if media.category != "tweet_image":
            raise self.refuse(400, "This media_category needs a chunked upload.")
        media.content = content
        return Response(200, {"data": self._shown(media)})

    @route("POST /2/media/upload/initialize", scopes=("media.write",), limits=(Limit(1_875, QUARTER),))
    def initialize(self, request: Request) -> Response:
        body = request.json
        self.only(body, "media_type", "total_bytes", "media_category", "additional_owners", "shared")
        total = body.get("total_bytes")
        if type(total) is not int or total < 1:
            raise self.refuse(400, "$.total_bytes: must be an integer above 0")
        media = self._register(request, body.get("media_category"), body.get("media_type"), total)
        return Response(200, {"data": self._shown(media)})

    def _register(self, request: Request, category: Any, mime_type: Any, total: int) -> Media:
        if category not in TYPES:
            raise self.refuse(400, "$.media_category: does not have a value in the enumeration")
        if mime_type not in TYPES[category]:
            raise self.refuse(400, "media type unrecognized.")
        if total > BYTES_MAX[category]:
            raise self.refuse(400, f"File size exceeds {BYTES_MAX[category]} bytes.")
        expires_at = self.world.clock() + timedelta(seconds=MEDIA_SECONDS)
        media = Media(self.new_id(), request.person.id, category, mime_type, total, expires_at)
        self.media[media.id] = media
        return media

    def _content(self, value: Any) -> bytes:
        if isinstance(value, File):
            return value.content
        try:
            return base64.b64decode(value or "", validate=True)
        except (binascii.Error, ValueError, TypeError):
            raise self.refuse(400, "$.media: is not base64") from None

    def _own(self, request: Request, media_id: str) -> Media:
        media = self.media.get(media_id)
        if media is None or media.owner_id != request.person.id:
            raise self.refuse(400, "Your media IDs are invalid.")
        return media

    @route("POST /2/media/upload/{id}/append", scopes=("media.write",), limits=(Limit(1_875, QUARTER),))
    def append(self, request: Request) -> Response:
        fields = request.fields
        self.only(fields, "segment_index", "media")
        media, content = self._own(request, request.args["id"]), self._content(fields.get("media"))
        index = str(fields.get("segment_index"))
        self._require_open(media)
        if not index.isdigit() or int(index) > 999:
            raise self.refuse(400, "$.segment_index: must be between 0 and 999")
        if not 0 < len(content) <= SEGMENT_BYTES_MAX:
            raise self.refuse(400, "a segment has at most 5 MB")
        media.segments[int(index)] = content
        return Response(200, {"data": {"expires_at": int(media.expires_at.timestamp())}})

    @route("POST /2/media/upload/{id}/finalize", scopes=("media.write",), limits=(Limit(1_875, QUARTER),))
    def finalize(self, request: Request) -> Response:
        media = self._own(request, request.args["id"])
        self._require_open(media)
        if sorted(media.segments) != list(range(len(media.segments))):
            raise self.refuse(400, "Segments do not add up to provided total file size.")
        content = b"".join(media.segments[index] for index in sorted(media.segments))
        if len(content) != media.total_bytes:
            raise self.refuse(400, "Segments do not add up to provided total file size.")
        media.content = content
        if media.category != "tweet_image":
            media.ready_at = self.world.clock() + timedelta(seconds=PROCESSING_SECONDS)
            media.failed = self.struck("processing_fails")
        return Response(200, {"data": self._shown(media)})

    def _require_open(self, media: Media) -> None:
        if media.content is not None:
            raise self.refuse(400, "This upload is finalized.")

    def _shown(self, media: Media) -> dict[str, Any]:
        left = int((media.expires_at - self.world.clock()).total_seconds())
        values: dict[str, Any] = {"id": media.id, "media_key": f"3_{media.id}", "expires_after_secs": left}
        if media.content is not None:
            values["size"] = len(media.content)
        if media.ready_at is not None:
            values["processing_info"] = self._processing(media, media.ready_at)
        return values

    def _processing(self, media: Media, ready_at: datetime) -> dict[str, Any]:
        left = (ready_at - self.world.clock()).total_seconds()
        if left > 0:
            state = "pending" if left > PROCESSING_SECONDS / 2 else "in_progress"
            return {"state": state, "check_after_secs": max(int(left), 1), "progress_percent": 50}
        if media.failed:
            error = {"code": 1, "name": "InvalidMedia", "message": "Unsupported video format"}
            return {"state": "failed", "error": error}
        return {"state": "succeeded", "progress_percent": 100}

    @route("GET /2/media/upload", scopes=("media.write",), limits=(Limit(1_000, QUARTER),))
    def status(self, request: Request) -> Response:
        self.only(request.query, "command", "media_id")
        if request.query.get("command") != "STATUS":
            raise self.refuse(400, "The `command` query parameter is not STATUS")
        return Response(200, {"data": self._shown(self._own(request, request.query.get("media_id", "")))})

    @route("POST /2/media/metadata", scopes=("media.write",), limits=(Limit(500, QUARTER),))
    def metadata(self, request: Request) -> Response:
        self.only(request.json, "id", "metadata")
        media = self._own(request, str(request.json.get("id")))
        metadata = request.json.get("metadata")
        if not isinstance(metadata, dict):
            raise self.refuse(400, "$.metadata: is missing but it is required")
        self.only(metadata, "alt_text", "sensitive_media_warning")
        text = metadata.get("alt_text", {}).get("text", "")
        if not 1 <= len(text) <= 1000:
            raise self.refuse(400, "$.metadata.alt_text.text: must have 1 to 1000 characters")
        media.alt_text = text
        return Response(200, {"data": {"id": media.id, "associated_metadata": metadata}})
