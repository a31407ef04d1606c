"""YouTube's resumable uploads: a session, parts with ranges, and a video that is processed, refused or a duplicate."""

import re
from abc import abstractmethod
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from simulator.ledger import Entry
from simulator.messages import Fail, Request, Response
from simulator.network import Limit, Network, route
from simulator.upload import Upload
from simulator.world import Person

SCOPE = "https://www.googleapis.com/auth/"
DAY = 86_400
PART_MULTIPLE = 262_144
PROCESSING_SECONDS = 20
SESSION_SECONDS = 7 * DAY
UPLOADS_MAX = 100  # of an app in a day
_RANGE = re.compile(r"bytes (?:(\d+)-(\d+)|\*)/(\d+)")
_TITLE_MAX, _DESCRIPTION_BYTES_MAX, _TAGS_MAX = 100, 5_000, 500


@dataclass
class Session:
    resource: dict[str, Any]
    size: int
    person: Person
    expires_at: datetime
    content: Upload = field(default_factory=Upload)
    video_id: str | None = None  # once it is whole


@dataclass
class Video:
    entry: Entry
    resource: dict[str, Any]
    ready_at: datetime
    end: dict[str, str] = field(default_factory=lambda: {"uploadStatus": "processed"})

    @property
    def kids(self) -> bool:
        return self.resource["status"].get("selfDeclaredMadeForKids") is True


class YouTubeUploads(Network):
    """The part of YouTube that takes files."""

    def __init__(self, world: Any) -> None:
        super().__init__(world)
        self.sessions: dict[str, Session] = {}
        self.videos: dict[str, Video] = {}

    @abstractmethod
    def because(self, status: int, reason: str, message: str, name: str = "", domain: str = "youtube") -> Response:
        """Return an error response with a reason."""

    @abstractmethod
    def spend(self, request: Request, units: int) -> None:
        """Count the units of a call."""

    def channel_id(self, person: Person) -> str:
        return f"UC{person.id}"

    @route(
        "POST /upload/youtube/v3/videos", scopes=(f"{SCOPE}youtube.upload",), limits=(Limit(UPLOADS_MAX, DAY, "app"),)
    )
    def begin(self, request: Request) -> Response:
        query, headers = request.query, request.headers
        self.only(query, "uploadType", "part", "notifySubscribers", "alt")
        size = headers.get("x-upload-content-length", "")
        if query.get("uploadType") != "resumable" or not size.isdigit():
            raise Fail(self.because(400, "mediaBodyRequired", "The request does not include the video content."))
        if not headers.get("x-upload-content-type", "").startswith(("video/", "application/octet-stream")):
            raise Fail(self.because(400, "mediaBodyRequired", "X-Upload-Content-Type has to be a video"))
        if request.person.details.get("no_channel"):
            raise Fail(self.because(401, "youtubeSignupRequired", "Unauthorized"))
        if request.person.details.get("upload_limit") or self.struck("upload_limit"):
            message = "The user has exceeded the number of videos they may upload."
            raise Fail(self.because(400, "uploadLimitExceeded", message))
        resource = self._resource(request, query.get("part", ""))
        name = f"upload-{self.new_id()}"
        expires_at = self.world.clock() + timedelta(seconds=SESSION_SECONDS)
        self.sessions[name] = Session(resource, int(size), request.person, expires_at)
        location = f"{self.url}/upload/youtube/v3/videos?uploadType=resumable&upload_id={name}"
        return Response(200, headers={"Location": location, "X-GUploader-UploadID": name})

    def _resource(self, request: Request, parts: str) -> dict[str, Any]:
        body = request.json
        self.only(body, "snippet", "status", "recordingDetails", "paidProductPlacementDetails", "localizations")
        if not set(body) <= set(parts.split(",")):
            raise self.refuse(400, "part: has to name every part of the body")
        snippet, status = body.get("snippet"), body.get("status", {})
        if not isinstance(snippet, dict) or not isinstance(status, dict):
            raise Fail(self.because(400, "invalidVideoMetadata", "The snippet is required."))
        self.only(snippet, "title", "description", "tags", "categoryId", "defaultLanguage", "defaultAudioLanguage")
        self.only(
            status, "privacyStatus", "publishAt", "selfDeclaredMadeForKids", "containsSyntheticMedia", "license",
            "embeddable", "publicStatsViewable",
        )  # fmt: skip
        self._check(snippet)
        if status.get("privacyStatus", "public") not in {"public", "unlisted", "private"}:
            raise Fail(self.because(400, "invalidVideoMetadata", "The privacy status is invalid."))
        for name in ("selfDeclaredMadeForKids", "containsSyntheticMedia", "embeddable"):
            if not isinstance(status.get(name, False), bool):
                raise self.refuse(400, f"status.{name} has to be a boolean")
        shown = {"privacyStatus": "public", **status}
        if request.person.details.get("keeps_private"):
            shown["privacyStatus"] = "private"
        return {"snippet": snippet, "status": shown}

    def _check(self, snippet: dict[str, Any]) -> None:
        title, description, tags = (snippet.get(name, default) for name, default in
                                    (("title", ""), ("description", ""), ("tags", [])))  # fmt: skip
        if not isinstance(title, str) or not 0 < len(title) <= _TITLE_MAX or re.search("[<>]", title):
            raise Fail(
                self.because(400, "invalidTitle", "The request metadata specifies an invalid or empty video title.")
            )
        if len(description.encode()) > _DESCRIPTION_BYTES_MAX or re.search("[<>]", description):
            raise Fail(
                self.because(400, "invalidDescription", "The request metadata specifies an invalid description.")
            )
        length = sum(len(tag) + 2 * (" " in tag) for tag in tags) + max(len(tags) - 1, 0)
        if length > _TAGS_MAX or any(re.search("[<>]", tag) for tag in tags):
            raise Fail(self.because(400, "invalidTags", "The request metadata specifies invalid video keywords."))
        if not str(snippet.get("categoryId", "22")).isdigit():
            raise Fail(self.because(400, "invalidCategoryId", "The category does not exist."))

    @route("PUT /upload/youtube/v3/videos", scopes=(f"{SCOPE}youtube.upload",))
    def put(self, request: Request) -> Response:
        session = self.sessions.get(request.query.get("upload_id", ""))
        if session is None or session.expires_at <= self.world.clock() or session.person is not request.person:
            return Response(404, body=b"Not Found")
        if session.video_id is not None:
            return Response(200, self.resource(self.videos[session.video_id]))
        match = _RANGE.fullmatch(request.headers.get("content-range", f"bytes 0-{session.size - 1}/{session.size}"))
        if match is None or int(match[3]) != session.size:
            raise self.refuse(400, "Invalid Content-Range")
        if match[1] is not None:
            start, end = int(match[1]), int(match[2]) + 1
            last = end == session.size
            if len(request.body) != end - start or start > len(session.content):
                raise self.refuse(400, "The range is not what follows, or not what was sent")
            if not last and (end - start) % PART_MULTIPLE:
                raise self.refuse(400, "The size of a part has to be a multiple of 262144")
            session.content.cut(start)
            session.content.write(request.body)
            if self.struck("part_cut"):
                session.content.cut(start + (end - start) // 2)
        if len(session.content) < session.size:
            stored = {"Range": f"bytes=0-{len(session.content) - 1}"} if session.content else {}
            return Response(308, headers=stored)
        return Response(200, self.resource(self._complete(request, session)))

    def _complete(self, request: Request, session: Session) -> Video:
        sha256 = session.content.sha256()
        channel = self.channel_id(session.person)
        same = [one for one in self.world.ledger.of("youtube", channel) if one.kind == "video" and sha256 in one.media]
        snippet, status = session.resource["snippet"], session.resource["status"]
        entry = self.publish(
            request, "video", snippet.get("description", ""), account_id=channel, remote_id=f"v{self.new_id()[-10:]}",
            media=(sha256,), details={"title": snippet["title"], "tags": snippet.get("tags", []), **status},
        )  # fmt: skip
        video = Video(entry, session.resource, self.world.clock() + timedelta(seconds=PROCESSING_SECONDS))
        if same:
            video.end = {"uploadStatus": "rejected", "rejectionReason": "duplicate"}
        elif self.struck("processing_fails"):
            video.end = {"uploadStatus": "failed", "failureReason": "codec"}
        self.videos[entry.remote_id] = video
        session.video_id = entry.remote_id
        return video

    def resource(self, video: Video) -> dict[str, Any]:
        ready = video.ready_at <= self.world.clock()
        state = video.end if ready else {"uploadStatus": "uploaded"}
        if ready and state["uploadStatus"] != "processed" and video.entry.deleted_at is None:
            video.entry.deleted_at = self.world.clock()  # nobody sees it
        return {
            "kind": "youtube#video",
            "id": video.entry.remote_id,
            "snippet": video.resource["snippet"],
            "status": video.resource["status"] | state,
            "processingDetails": {"processingStatus": "succeeded" if ready else "processing"},
        }
