"""Pinterest, API v5: pins on boards, carousels, videos by an upload like that of S3, refresh tokens that are replaced.

Source: developers.pinterest.com (OpenAPI 5.28.0). Not certain at the real network, and so
chosen here: the inner codes of errors; parameters of PKCE are ignored; an app with trial access
(`app.details["trial"]`) is refused with code 29.
"""

import base64
import binascii
import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from simulator.ledger import Entry
from simulator.messages import Fail, File, Request, Response
from simulator.network import Limit, Network, route
from simulator.oauth import Grant, OAuthError, OAuthRules
from simulator.specification import Specification
from simulator.world import Destination, Quota, World

READ, WRITE = ("boards:read", "pins:read"), ("boards:read", "boards:write", "pins:read", "pins:write")
PER_SECOND = Limit(100, 1)
PROCESSING_SECONDS = 8
IMAGES = {"image/jpeg", "image/png"}
IMAGE_BYTES_MAX = 20_000_000
DISCLOSURES = ("AI_MODIFIED", "SYNTHETIC_PERFORMER")
VIDEO_BYTES_MAX = 2_000_000_000
_CODES = {400: 1, 401: 2, 403: 29, 404: 40, 429: 8}
_METRICS = {"IMPRESSION": 30.0, "SAVE": 1.0, "PIN_CLICK": 3.0, "OUTBOUND_CLICK": 1.5, "TOTAL_COMMENTS": 0.3,
            "TOTAL_REACTIONS": 0.6, "VIDEO_MRC_VIEW": 9.0, "VIDEO_V50_WATCH_TIME": 9_000.0}  # fmt: skip


@dataclass
class Upload:
    id: str
    owner_id: str
    key: str
    content: bytes | None = None
    ready_at: datetime | None = None
    failed: bool = False


class Pinterest(Network):
    key = "pinterest"
    specification = Specification(
        "pinterest",
        {
            "POST /upload/": "the host of files is that of Amazon S3",
            **dict.fromkeys(("GET /oauth/", "POST /oauth/"), "a page for people"),
        },
    )
    ids_from = 813_744_226_000_000_000
    oauth_rules = OAuthRules(
        authorize="/oauth/",
        token="/v5/oauth/token",  # noqa: S106 - a path
        scopes=frozenset({*WRITE, "user_accounts:read", "boards:read_secret", "pins:read_secret"}),
        separator=",",
        client="basic",
        access_seconds=2_592_000,
        refresh_seconds=5_184_000,
        rotates=True,
        authorize_extras=frozenset({"code_challenge", "code_challenge_method"}),
    )

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.uploads: dict[str, Upload] = {}

    # --- the words of Pinterest --------------------------------------------------------------------------------------

    def failure(self, status: int, message: str) -> Response:
        return Response(status, {"code": _CODES.get(status, status), "message": message})

    def unauthorized(self) -> Response:
        return self.failure(401, "Authentication failed.")

    def missing_scopes(self, missing: Iterable[str]) -> Response:
        return self.failure(403, f"Your token lacks: {', '.join(missing)}")

    def rate_headers(self, quota: Quota) -> dict[str, str]:
        seconds = max(int((quota.reset - self.world.clock()).total_seconds()), 1)
        return {
            "x-ratelimit-limit": str(quota.limit),
            "x-ratelimit-remaining": str(quota.remaining),
            "x-ratelimit-reset": str(seconds),
        }

    def token_answer(self, grant: Grant) -> dict[str, Any]:
        expires_at = grant.refresh_expires_at.timestamp() if grant.refresh_expires_at else 0
        refresh = {"refresh_token_expires_in": 5_184_000, "refresh_token_expires_at": int(expires_at)}
        return {"response_type": "authorization_code"} | super().token_answer(grant) | refresh

    def token_error(self, error: OAuthError) -> Response:
        return self.failure(error.status, error.description)

    # --- accounts and boards -----------------------------------------------------------------------------------------

    @route("GET /v5/user_account", scopes=("user_accounts:read",), limits=(PER_SECOND,))
    def account(self, request: Request) -> Response:
        person = request.person
        kind = person.details.get("account_type", "BUSINESS")
        return Response(200, {
            "id": person.id, "username": person.username, "account_type": kind,
            "business_name": person.name, "profile_image": f"https://i.pinimg.com/{person.id}.jpg",
            "follower_count": person.details.get("followers", 3), "monthly_views": 0,
            "pin_count": len(self.world.ledger.of("pinterest", person.id)),
        })  # fmt: skip

    @route("GET /v5/boards", scopes=("boards:read",), limits=(PER_SECOND,))
    def boards(self, request: Request) -> Response:
        self.only(request.query, "page_size", "bookmark", "privacy")
        size, first = self._page_size(request), int(request.query.get("bookmark", "0"))
        boards = request.person.destinations
        items = [self._board(board) for board in boards[first : first + size]]
        return Response(200, {"items": items, "bookmark": str(first + size) if first + size < len(boards) else None})

    @route("GET /v5/boards/{id}/sections", scopes=("boards:read",), limits=(PER_SECOND,))
    def sections(self, request: Request) -> Response:
        self.only(request.query, "page_size", "bookmark")
        size, first = self._page_size(request), int(request.query.get("bookmark", "0"))
        sections = self._own_board(request, request.args["id"]).details.get("sections", {})
        items = [{"id": number, "name": sections[number]} for number in sections][first : first + size]
        bookmark = str(first + size) if first + size < len(sections) else None
        return Response(200, {"items": items, "bookmark": bookmark})

    def _page_size(self, request: Request) -> int:
        size = int(request.query.get("page_size", "25"))
        if not 1 <= size <= 250:
            raise self.refuse(400, f"{size} is greater than the maximum of 250")
        return size

    def _board(self, board: Destination) -> dict[str, Any]:
        privacy = board.details.get("privacy", "PUBLIC")
        return {"id": board.id, "name": board.name, "description": "", "privacy": privacy, "pin_count": 0}

    def _own_board(self, request: Request, board_id: Any) -> Destination:
        if not isinstance(board_id, str) or not board_id.isdigit():
            raise self.refuse(400, f"{board_id!r} does not match '^\\\\d+$'")
        board: Destination | None = request.person.destination(board_id)
        if board is None:
            raise self.refuse(404, "Board not found.")
        return board

    # --- pins --------------------------------------------------------------------------------------------------------

    @route("POST /v5/pins", scopes=WRITE, limits=(PER_SECOND, Limit(100, 60)))
    def create(self, request: Request) -> Response:
        body = request.json
        self.only(
            body, "board_id", "board_section_id", "title", "description", "link", "alt_text", "dominant_color",
            "parent_pin_id", "media_source", "note", "ai_disclosures",
        )  # fmt: skip
        if request.grant.app.details.get("trial"):
            raise self.refuse(403, "Your application consumer type is not supported, please contact support.")
        board = self._own_board(request, body.get("board_id"))
        section = body.get("board_section_id")
        if section is not None and section not in board.details.get("sections", ()):
            raise self.refuse(404, "Board section not found.")
        for name, limit in (("title", 100), ("description", 800), ("link", 2_048), ("alt_text", 500)):
            if not isinstance(body.get(name, ""), str) or len(body.get(name, "")) > limit:
                raise self.refuse(400, f"'{name}' is too long")
        if str(body.get("link", "")).startswith("https://spam."):
            raise self.refuse(400, "Sorry! We blocked this link because it may lead to spam.")
        source = body.get("media_source")
        if not isinstance(source, dict):
            raise self.refuse(400, "'media_source' is a required property")
        files = self._files(request, source)
        disclosures = self._disclosures(body)
        entry = self.publish(
            request,
            "pin",
            body.get("description", ""),
            media=tuple(hashlib.sha256(content).hexdigest() for content in files),
            details={
                "board_id": board.id, "board_section_id": section, "title": body.get("title"), "link": body.get("link"),
                "alt_texts": [body.get("alt_text")], "source": source["source_type"],
                "ai_disclosures": disclosures,
            },
        )  # fmt: skip
        return Response(201, self._pin(entry))

    def _disclosures(self, body: Mapping[str, Any]) -> list[str]:
        if "ai_disclosures" not in body:
            return []
        given = body["ai_disclosures"]
        values = given.get("values") if isinstance(given, dict) else None
        if not isinstance(values, list) or not values or set(given) != {"values"}:
            raise self.refuse(400, "'ai_disclosures': 'values' is a required property and not empty")
        if wrong := [value for value in values if value not in DISCLOSURES]:
            raise self.refuse(400, f"{wrong[0]!r} is not one of {list(DISCLOSURES)}")
        return values

    def _files(self, request: Request, source: Mapping[str, Any]) -> list[bytes]:
        kind = source.get("source_type")
        if kind == "image_base64":
            self.only(source, "source_type", "content_type", "data", "is_standard")
            return [self._image(source)]
        if kind == "multiple_image_base64":
            self.only(source, "source_type", "items", "index")
            items = source.get("items", [])
            if not 2 <= len(items) <= 5:
                raise self.refuse(400, f"{len(items)} items; minItems=2, maxItems=5")
            for item in items:
                self.only(item, "content_type", "data", "title", "description", "link")
            return [self._image(item) for item in items]
        if kind == "video_id":
            return [self._video(request, source)]
        raise self.refuse(400, f"{kind!r} is not a source_type of this simulator")

    def _image(self, source: Mapping[str, Any]) -> bytes:
        if source.get("content_type") not in IMAGES:
            raise self.refuse(400, f"{source.get('content_type')!r} is not one of ['image/jpeg', 'image/png']")
        try:
            content = base64.b64decode(source.get("data", ""), validate=True)
        except (binascii.Error, ValueError, TypeError):
            raise self.refuse(400, "'data' is not base64") from None
        if not 0 < len(content) <= IMAGE_BYTES_MAX:
            raise self.refuse(400, "The image is too large.")
        return content

    def _video(self, request: Request, source: Mapping[str, Any]) -> bytes:
        covers = ("cover_image_url", "cover_image_data", "cover_image_key_frame_time")
        self.only(source, "source_type", "media_id", "cover_image_content_type", *covers)
        if not any(source.get(name) is not None for name in covers):
            raise self.refuse(400, "cover_image_url, cover_image_data or cover_image_key_frame_time is required")
        upload = self.uploads.get(str(source.get("media_id")))
        if upload is None or upload.owner_id != request.person.id:
            raise self.refuse(404, "Media not found.")
        if upload.content is None or self._status(upload) != "succeeded":
            raise self.refuse(400, "The media has not been processed.")
        return upload.content

    def _pin(self, entry: Entry) -> dict[str, Any]:
        details = entry.details
        return {
            "id": entry.remote_id, "created_at": entry.at.strftime("%Y-%m-%dT%H:%M:%S"), "link": details["link"],
            "title": details["title"], "description": entry.text or None, "alt_text": details["alt_texts"][0],
            "board_id": details["board_id"], "board_section_id": details["board_section_id"], "is_owner": True,
            "parent_pin_id": None,
            "media": {"media_type": "video" if details["source"] == "video_id" else "image"},
            "board_owner": {"username": self._owner(entry)},
        }  # fmt: skip

    def _owner(self, entry: Entry) -> str:
        return next(one.username for one in self.world.people if one.id == entry.account_id)

    @route("GET /v5/boards/{id}/pins", scopes=READ, limits=(PER_SECOND,))
    def pins(self, request: Request) -> Response:
        self.only(request.query, "page_size", "bookmark", "creative_types", "pin_metrics")
        board = self._own_board(request, request.args["id"])
        size, first = self._page_size(request), int(request.query.get("bookmark", "0"))
        entries = [one for one in self.listed(request.person.id) if one.details["board_id"] == board.id]
        if board.details.get("arranged"):
            entries.reverse()
        items = [self._pin(entry) for entry in entries[first : first + size]]
        return Response(200, {"items": items, "bookmark": str(first + size) if first + size < len(entries) else None})

    def _entry(self, request: Request) -> Entry:
        entry = self.world.ledger.find("pinterest", request.args["id"])
        if entry is None:
            raise self.refuse(404, "Pin not found.")
        if entry.account_id != request.person.id:
            raise self.refuse(403, "You are not permitted to access that resource.")
        return entry

    @route("DELETE /v5/pins/{id}", scopes=WRITE, limits=(PER_SECOND, Limit(100, 60)))
    def remove(self, request: Request) -> Response:
        self._entry(request).deleted_at = self.world.clock()
        return Response(204)

    @route("GET /v5/pins/{id}/analytics", scopes=READ, limits=(PER_SECOND,))
    def analytics(self, request: Request) -> Response:
        query = request.query
        self.only(query, "start_date", "end_date", "metric_types", "app_types", "split_field")
        entry, now = self._entry(request), self.world.clock()
        start = datetime.fromisoformat(f"{query.get('start_date', '')}T00:00:00+00:00")
        if now - start > timedelta(days=91):
            raise self.refuse(400, "start_date may be at most 90 days back")
        names = query.get("metric_types", "").split(",")
        if unknown := sorted(set(names) - _METRICS.keys()):
            raise self.refuse(400, f"{unknown[0]!r} is not one of the metric types")
        numbers = {name: self.count_of(entry, name, _METRICS[name]) for name in names}
        return Response(200, {"all": {"daily_metrics": [], "lifetime_metrics": numbers, "summary_metrics": numbers}})

    # --- videos ------------------------------------------------------------------------------------------------------

    @route("POST /v5/media", scopes=WRITE, limits=(PER_SECOND,))
    def register(self, request: Request) -> Response:
        if request.json != {"media_type": "video"}:
            raise self.refuse(400, "'media_type' is not one of ['video']")
        upload = Upload(self.new_id(), request.person.id, self.world.secret("upload"))
        self.uploads[upload.id] = upload
        parameters = {"key": upload.key, "policy": "p", "x-amz-algorithm": "AWS4-HMAC-SHA256", "x-amz-signature": "s"}
        answer = {"media_id": upload.id, "media_type": "video", "upload_url": f"{self.url}/upload/"}
        return Response(201, answer | {"upload_parameters": parameters})

    @route("POST /upload/", auth=False)
    def receive(self, request: Request) -> Response:
        """The host of files: a form with every parameter, and then the file."""
        form = request.form
        upload = next((one for one in self.uploads.values() if one.key == form.get("key")), None)
        file = form.get("file")
        if upload is None or not {"policy", "x-amz-algorithm", "x-amz-signature"} <= set(form):
            raise Fail(Response(403, body=b"<Error><Code>AccessDenied</Code></Error>"))
        if not isinstance(file, File) or list(form)[-1] != "file" or len(file.content) > VIDEO_BYTES_MAX:
            raise Fail(Response(400, body=b"<Error><Code>InvalidArgument</Code></Error>"))
        upload.content = file.content
        upload.ready_at = self.world.clock() + timedelta(seconds=PROCESSING_SECONDS)
        upload.failed = self.struck("processing_fails")
        return Response(204)

    @route("GET /v5/media/{id}", scopes=READ, limits=(PER_SECOND,))
    def media(self, request: Request) -> Response:
        upload = self.uploads.get(request.args["id"])
        if upload is None or upload.owner_id != request.person.id:
            raise self.refuse(404, "Media not found.")
        return Response(200, {"media_id": upload.id, "media_type": "video", "status": self._status(upload)})

    def _status(self, upload: Upload) -> str:
        if upload.ready_at is None:
            return "registered"
        if upload.ready_at > self.world.clock():
            return "processing"
        return "failed" if upload.failed else "succeeded"


NETWORK: type[Network] = Pinterest
