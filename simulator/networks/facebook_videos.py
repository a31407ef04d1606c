"""Videos, reels and stories of a Page: an id, the bytes in parts or as a whole, and a call that publishes."""

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from simulator.ledger import Entry
from simulator.messages import Fail, File, Request, Response
from simulator.network import route
from simulator.networks.facebook_login import FacebookLogin
from simulator.networks.graph import image_type
from simulator.world import Destination, World

PROCESSING_SECONDS = 20
PART_BYTES = 1_048_576
REELS_A_DAY = 30
DAY = 86_400
POSTS = ("pages_manage_posts", "pages_read_engagement")


@dataclass
class Video:
    id: str
    page_id: str
    kind: str  # video, reel, story
    size: int | None = None
    content: bytes = b""
    session: str = ""
    ready_at: datetime | None = None  # None: nobody has published it
    draft: bool = False
    failed: bool = False
    entry: Entry | None = None


class Videos(FacebookLogin):
    key = "facebook"

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.videos: dict[str, Video] = {}

    def page_of(self, request: Request, page_id: str) -> Destination:
        raise NotImplementedError

    @route("POST /{version}/{page}/videos", scopes=POSTS)
    def video(self, request: Request) -> Response:
        page, params = self.page_of(request, request.args["page"]), self.params(request)
        self.only(
            params, "upload_phase", "file_size", "upload_session_id", "start_offset", "video_file_chunk", "title",
            "description", "published", "unpublished_content_type", "thumb", "source", "file_url",
        )  # fmt: skip
        match params.get("upload_phase"):
            case "start":
                video = self._begin(page, "video")
                video.size, video.session = int(params["file_size"]), f"session-{video.id}"
                return Response(200, {"video_id": video.id, "upload_session_id": video.session} | self._next(video))
            case "transfer":
                video = self._of_session(params)
                chunk = params.get("video_file_chunk")
                if not isinstance(chunk, File) or int(params.get("start_offset", -1)) != len(video.content):
                    refused = self.error(400, 6001, "The chunk does not begin at the offset of the upload", 1363037)
                    refused.json["error"]["error_data"] = self._next(video)
                    raise Fail(refused)
                video.content += chunk.content
                return Response(200, self._next(video))
            case "finish":
                video = self._of_session(params)
                draft = params.get("published") == "false"
                text = str(params.get("description") or "")
                self._finish(request, video, text, draft=draft, title=params.get("title"))
                return Response(200, {"success": True})
        raise self.fail(100, "upload_phase has to be start, transfer or finish")

    def _of_session(self, params: dict[str, Any]) -> Video:
        found = [one for one in self.videos.values() if one.session and one.session == params.get("upload_session_id")]
        if not found:
            raise self.fail(100, "There is no such upload session", 1363030)
        return found[0]

    def _next(self, video: Video) -> dict[str, str]:
        start = len(video.content)
        return {"start_offset": str(start), "end_offset": str(min(start + PART_BYTES, video.size or 0))}

    @route("POST /{version}/{page}/video_reels", scopes=POSTS)
    def reel(self, request: Request) -> Response:
        return self._in_three_phases(request, "reel")

    @route("POST /{version}/{page}/video_stories", scopes=POSTS)
    def video_story(self, request: Request) -> Response:
        return self._in_three_phases(request, "story")

    def _in_three_phases(self, request: Request, kind: str) -> Response:
        page, params = self.page_of(request, request.args["page"]), self.params(request)
        more = ("video_state", "description", "title", "place", "scheduled_publish_time") if kind == "reel" else ()
        self.only(params, "upload_phase", "video_id", *more)
        if params.get("upload_phase") == "start":
            video = self._begin(page, kind)
            url = f"{self.url}/video-upload/{request.args['version']}/{video.id}"
            return Response(200, {"video_id": video.id, "upload_url": url})
        video_or_none = self.videos.get(str(params.get("video_id")))
        if params.get("upload_phase") != "finish" or video_or_none is None or video_or_none.page_id != page.id:
            raise self.fail(100, "upload_phase has to be start or finish, with a video_id")
        video, state = video_or_none, params.get("video_state", "PUBLISHED")
        if state not in {"PUBLISHED", "DRAFT"}:
            raise self.fail(100, "video_state is not one of PUBLISHED, DRAFT, SCHEDULED")
        if (
            kind == "reel"
            and video.ready_at is None
            and not self.world.count(("reels", page.id), REELS_A_DAY, DAY).allowed
        ):
            raise self.fail(368, "The Page has published too many reels in 24 hours", 1390008)
        self._finish(request, video, str(params.get("description") or ""), draft=state == "DRAFT")
        return Response(200, {"success": True, "post_id": video.id})

    def _begin(self, page: Destination, kind: str) -> Video:
        video = Video(self.new_id(), page.id, kind)
        self.videos[video.id] = video
        return video

    @route("POST /video-upload/{version}/{video}", scopes=POSTS)
    def receive(self, request: Request) -> Response:
        video = self.videos.get(request.args["video"])
        scheme = request.headers.get("authorization", "").partition(" ")[0]
        if video is None or scheme != "OAuth":
            raise self.fail(100, "There is no such upload", 1363030)
        offset, size = int(request.headers.get("offset", "-1")), int(request.headers.get("file_size", "-1"))
        if offset != len(video.content) or offset + len(request.body) != size:
            raise self.fail(100, "The bytes do not fit offset and file_size", 1363037)
        video.content, video.size = video.content + request.body, size
        return Response(200, {"success": True})

    def _finish(self, request: Request, video: Video, text: str, *, draft: bool, title: Any = None) -> None:
        if video.size is None or len(video.content) != video.size:
            raise self.fail(6000, "There was a problem uploading your video file", 1363041)
        if image_type(video.content) != "video/mp4":
            raise self.fail(100, "The video file has a format that is not supported", 1363024)
        if video.ready_at is not None:
            return  # it is published already
        video.draft = draft
        video.ready_at = self.world.clock() + timedelta(seconds=PROCESSING_SECONDS)
        video.failed = self.struck("processing_fails")
        if draft or video.failed:
            return
        digest = hashlib.sha256(video.content).hexdigest()
        video.entry = self.publish(
            request, video.kind, text, account_id=video.page_id, remote_id=video.id, media=(digest,),
            details={"title": title},
        )  # fmt: skip

    def video_fields(self, video: Video) -> dict[str, Any]:
        """Return a video as the API shows it, with its status."""
        begun = video.ready_at is not None
        ready = video.ready_at is not None and video.ready_at <= self.world.clock() and not video.failed
        failed = video.failed and video.ready_at is not None and video.ready_at <= self.world.clock()
        uploaded = video.size is not None and len(video.content) == video.size
        whole = "ready" if ready else "processing" if begun else "upload_complete" if uploaded else "uploading"
        processing: dict[str, Any] = {"status": "complete" if ready else "in_progress" if begun else "not_started"}
        if failed:
            whole, processing = "error", {"status": "error", "errors": [{"code": 1363024, "message": "Format"}]}
        published = ready and not video.draft
        return {
            "id": video.id,
            "status": {
                "video_status": whole,
                "uploading_phase": {
                    "status": "complete" if uploaded else "in_progress",
                    "bytes_transfered": len(video.content),
                },
                "processing_phase": processing,
                "publishing_phase": {
                    "status": "complete" if ready else "not_started",
                    "publish_status": "draft" if video.draft else "published" if ready else None,
                },
            },
            "published": published,
            "permalink_url": f"/reel/{video.id}/" if video.kind == "reel" else f"/{video.page_id}/videos/{video.id}/",
            "description": video.entry.text if video.entry else "",
        }
