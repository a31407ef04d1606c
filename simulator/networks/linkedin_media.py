"""LinkedIn's files: announced, uploaded in one piece or, for videos, in parts with ETags, and processed."""

import hashlib
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import unquote

from simulator.messages import Fail, Request, Response
from simulator.network import Network, route

PART_BYTES = 4_194_304
PROCESSING_SECONDS = 6
ADDRESS_SECONDS = 86_400
POLL_DURATIONS = frozenset({"ONE_DAY", "THREE_DAYS", "SEVEN_DAYS", "FOURTEEN_DAYS"})


@dataclass
class File:
    urn: str
    owner: str
    expires_at: datetime
    size: int | None = None  # of a video, as announced
    parts: dict[int, bytes] = field(default_factory=dict)
    content: bytes | None = None  # None until it is complete
    ready_at: datetime | None = None
    failed: bool = False

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.content or b"").hexdigest()


class LinkedInMedia(Network):
    """The part of LinkedIn that takes files; `may_post_as` and `checked` are of the other part."""

    def __init__(self, world: Any) -> None:
        super().__init__(world)
        self.files: dict[str, File] = {}

    @abstractmethod
    def may_post_as(self, request: Request, urn: Any) -> None:
        """Refuse an author or owner in whose name the member may not post."""

    @abstractmethod
    def checked(self, given: Mapping[str, Any], *allowed: str) -> None:
        """Refuse members that a body does not have."""

    def error(self, status: int, code: str, message: str) -> Fail:
        return Fail(Response(status, {"status": status, "code": code, "message": message}))

    @route("POST /rest/images")
    def images(self, request: Request) -> Response:
        return self._announce(request, "image")

    @route("POST /rest/documents")
    def documents(self, request: Request) -> Response:
        return self._announce(request, "document")

    @route("POST /rest/videos")
    def videos(self, request: Request) -> Response:
        if request.query.get("action") == "finalizeUpload":
            return self._finalize(request)
        return self._announce(request, "video")

    def _announce(self, request: Request, kind: str) -> Response:
        self.checked(request.json, "initializeUploadRequest")
        wanted = request.json.get("initializeUploadRequest")
        if request.query.get("action") != "initializeUpload" or not isinstance(wanted, dict):
            raise self.refuse(400, "Unknown action")
        own = ("fileSizeBytes", "uploadCaptions", "uploadThumbnail") if kind == "video" else ()
        self.checked(wanted, "owner", *own)
        self.may_post_as(request, wanted.get("owner"))
        expires_at = self.world.clock() + timedelta(seconds=ADDRESS_SECONDS)
        file = File(f"urn:li:{kind}:C4E{self.new_id()}", wanted["owner"], expires_at)
        self.files[file.urn] = file
        until = int(expires_at.timestamp() * 1000)
        name = file.urn.rpartition(":")[2]
        if kind != "video":
            url = f"{self.url}/dms-uploads/{kind}/{name}"
            return Response(200, {"value": {"uploadUrlExpiresAt": until, "uploadUrl": url, kind: file.urn}})
        size = wanted.get("fileSizeBytes")
        if type(size) is not int or not 0 < size <= 5_000_000_000:
            raise self.refuse(400, "/fileSizeBytes: invalid")
        file.size = size
        instructions = [
            {"uploadUrl": f"{self.url}/dms-uploads/video/{name}/{number}", "firstByte": first,
             "lastByte": min(first + PART_BYTES, size) - 1}
            for number, first in enumerate(range(0, size, PART_BYTES))
        ]  # fmt: skip
        value = {"uploadUrlsExpireAt": until, "video": file.urn, "uploadInstructions": instructions, "uploadToken": ""}
        return Response(200, {"value": value})

    @route("PUT /dms-uploads/{kind}/{name}")
    def put(self, request: Request) -> Response:
        file = self._open(request)
        file.content = request.body
        if request.args["kind"] == "document":
            self._process(file)
        return Response(201)

    @route("PUT /dms-uploads/video/{name}/{number}")
    def put_part(self, request: Request) -> Response:
        request.args["kind"] = "video"
        file, number = self._open(request), int(request.args["number"])
        assert file.size is not None  # noqa: S101 - of every video
        if len(request.body) != min(PART_BYTES, file.size - number * PART_BYTES):
            raise self.error(400, "INVALID_VALUE_FOR_FIELD", "The part has the wrong size")
        file.parts[number] = request.body
        return Response(200, headers={"ETag": f'"/ambry-video/{hashlib.sha256(request.body).hexdigest()}"'})

    def _open(self, request: Request) -> File:
        file = self.files.get(f"urn:li:{request.args['kind']}:{request.args['name']}")
        if file is None:
            raise self.refuse(404, "There is no such upload")
        if file.expires_at <= self.world.clock():
            raise self.error(400, "EXPIRED_UPLOAD_URL", "The upload URL has expired")
        return file

    def _finalize(self, request: Request) -> Response:
        self.checked(request.json, "finalizeUploadRequest")
        wanted = request.json.get("finalizeUploadRequest") or {}
        self.checked(wanted, "video", "uploadToken", "uploadedPartIds")
        file = self.files.get(str(wanted.get("video")))
        if file is None or file.size is None:
            raise self.error(400, "INVALID_VIDEO_ID", "There is no such video")
        self.may_post_as(request, file.owner)
        parts = [file.parts[number] for number in sorted(file.parts)]
        etags = [f'"/ambry-video/{hashlib.sha256(part).hexdigest()}"' for part in parts]
        if wanted.get("uploadedPartIds") != etags or sum(map(len, parts)) != file.size:
            raise self.refuse(400, "/uploadedPartIds: the ETags of all parts, in their order, are required")
        file.content = b"".join(parts)
        self._process(file)
        return Response(200)

    def _process(self, file: File) -> None:
        file.ready_at = self.world.clock() + timedelta(seconds=PROCESSING_SECONDS)
        file.failed = self.struck("processing_fails")

    @route("GET /rest/images/{urn}")
    @route("GET /rest/videos/{urn}")
    @route("GET /rest/documents/{urn}")
    def look(self, request: Request) -> Response:
        file = self.files.get(unquote(request.args["urn"]))
        if not request.grant.app.details.get("partner"):
            raise self.refuse(403, f"Not enough permissions to access: {request.path.split('/')[2]}.GET")
        if file is None:
            raise self.refuse(404, "Not found")
        body = {"id": file.urn, "owner": file.owner, "status": self._state(file)}
        if body["status"] == "PROCESSING_FAILED":
            body["processingFailureReason"] = "The file could not be transcoded"
        return Response(200, body)

    def _state(self, file: File) -> str:
        if file.content is None:
            return "WAITING_UPLOAD"
        if file.ready_at is not None and file.ready_at > self.world.clock():
            return "PROCESSING"
        return "PROCESSING_FAILED" if file.failed else "AVAILABLE"

    def attached(self, content: Any, author: Any) -> list[File]:
        """Return the files of a post, each of the right kind, the author's, and ready."""
        if not isinstance(content, dict):
            raise self.refuse(400, "/content is not an object")
        self.checked(content, "media", "multiImage", "article", "poll", "reference", "carousel")
        if len(content) > 1:
            raise self.refuse(400, "/content is a union: only one member may be set")
        if "multiImage" in content:
            images = content["multiImage"].get("images", [])
            if not 2 <= len(images) <= 20:
                raise self.refuse(400, "/content/multiImage/images: there have to be 2 to 20")
            return [self._usable(image, author, "image") for image in images]
        if "media" in content:
            kind = str(content["media"].get("id")).split(":")[2] if isinstance(content["media"].get("id"), str) else ""
            if kind == "document" and not content["media"].get("title"):
                raise self.error(400, "MISSING_FIELD", "/content/media/title: is required for documents")
            return [self._usable(content["media"], author, "image", "video", "document")]
        if "article" in content:
            return self._article(content["article"], author)
        if "poll" in content:
            self._poll(content["poll"])
        return []

    def _poll(self, poll: Any) -> None:
        """Check a poll: 2 to 4 answers to one question, for one of four durations."""
        if not isinstance(poll, dict):
            raise self.refuse(400, "/content/poll is not an object")
        self.checked(poll, "question", "options", "settings")
        question, options, settings = (poll.get(name) for name in ("question", "options", "settings"))
        if not isinstance(question, str) or not 0 < len(question) <= 140:
            raise self.error(400, "INVALID_VALUE_FOR_FIELD", "/content/poll/question: has to have 1 to 140 characters")
        if not isinstance(options, list) or not 2 <= len(options) <= 4:
            raise self.error(400, "INVALID_VALUE_FOR_FIELD", "/content/poll/options: there have to be 2 to 4")
        for option in options:
            self.checked(option if isinstance(option, dict) else {"option": option}, "text")
            if not isinstance(option.get("text"), str) or not 0 < len(option["text"]) <= 30:
                raise self.error(400, "INVALID_VALUE_FOR_FIELD", "/content/poll/options: 1 to 30 characters each")
        if not isinstance(settings, dict) or settings.get("duration") not in POLL_DURATIONS:
            raise self.error(400, "MISSING_FIELD", "/content/poll/settings/duration: is required")
        self.checked(settings, "duration", "voteSelectionType", "isVoterVisibleToAuthor")
        if settings.get("voteSelectionType", "SINGLE_VOTE") != "SINGLE_VOTE":
            raise self.error(400, "INVALID_VALUE_FOR_FIELD", "/content/poll/settings/voteSelectionType: not supported")
        if settings.get("isVoterVisibleToAuthor", True) is not True:
            raise self.error(400, "INVALID_VALUE_FOR_FIELD", "isVoterVisibleToAuthor=false is not supported")

    def _article(self, article: Mapping[str, Any], author: Any) -> list[File]:
        self.checked(article, "source", "title", "description", "thumbnail", "thumbnailAltText")
        if not article.get("source") or not article.get("title"):
            raise self.error(400, "MISSING_FIELD", "/content/article: source and title are required")
        if "thumbnail" in article:
            self._usable({"id": article["thumbnail"]}, author, "image")
        return []

    def _usable(self, media: Mapping[str, Any], author: Any, *kinds: str) -> File:
        self.checked(media, "id", "altText", "title")
        file = self.files.get(str(media.get("id")))
        if file is None or file.owner != author or file.urn.split(":")[2] not in kinds:
            raise self.error(400, "INVALID_IMAGE_ID", "The file does not exist, or is not the author's")
        if len(media.get("altText", "")) > 4_086:
            raise self.error(400, "FIELD_LENGTH_TOO_LONG", "altText: exceeds the maximum length of 4086")
        state = self._state(file)
        if state == "PROCESSING_FAILED":
            raise self.error(400, "MEDIA_ASSET_PROCESSING_FAILED", f"{file.urn} could not be processed")
        if state != "AVAILABLE":
            raise self.error(400, "MEDIA_ASSET_WAITING_UPLOAD", f"{file.urn} is {state}")
        return file
