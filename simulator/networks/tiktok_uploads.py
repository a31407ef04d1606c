"""TikTok's files: videos in parts by their ranges, photos by address, and what becomes of them step by step."""

import hashlib
import re
from abc import abstractmethod
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from simulator.ledger import Entry
from simulator.messages import Fail, Request, Response
from simulator.network import route
from simulator.networks.downloads import DownloadingNetwork, image_size
from simulator.upload import Upload
from simulator.world import App, Person

PART_BYTES = (5_000_000, 64_000_000)
LAST_PART_BYTES_MAX = 128_000_000
PARTS_MAX = 1_000
PHOTO_SIDES_MAX = (1_080, 1_920)  # the shorter and the longer one
ADDRESS_SECONDS = 3_600
PROCESSING_SECONDS = 10
MODERATION_SECONDS = 40
_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+)")


@dataclass
class Post:
    id: str
    person: Person
    kind: str  # video, photo, inbox
    info: dict[str, Any]
    url: str = ""
    size: int = 0
    part_size: int = 0
    expires_at: datetime | None = None
    content: Upload = field(default_factory=Upload)
    at: datetime | None = None  # of the last byte; None while some are missing
    post_id: str = ""
    fail_reason: str = ""


class TikTokUploads(DownloadingNetwork):
    """The part of TikTok that takes files."""

    def __init__(self, world: Any) -> None:
        super().__init__(world)
        self.posts: dict[str, Post] = {}
        self._addresses: dict[str, Post] = {}

    @abstractmethod
    def because(self, status: int, code: str, message: str) -> Response:
        """Return an error response with a code."""

    def announce(self, post: Post, source: Any) -> None:
        """Give a video an address to upload to, if its parts are what TikTok wants."""
        if not isinstance(source, dict) or source.get("source") != "FILE_UPLOAD":
            raise self.refuse(400, "source_info is missing")
        self.only(source, "source", "video_size", "chunk_size", "total_chunk_count")
        size, part, count = (source.get(name) for name in ("video_size", "chunk_size", "total_chunk_count"))
        if type(size) is not int or type(part) is not int or type(count) is not int or not 0 < size <= 4_000_000_000:
            raise self.refuse(400, "The sizes are invalid")
        least, most = PART_BYTES
        whole = part == size and count == 1 and size <= most
        parts = least <= part <= most and 2 <= count <= PARTS_MAX and count == size // part
        if not whole and not parts:
            raise self.refuse(400, "The chunk size or the total chunk count is invalid")
        post.size, post.part_size = size, part
        post.expires_at = self.world.clock() + timedelta(seconds=ADDRESS_SECONDS)
        name = self.new_id()
        post.url = f"{self.url}/video/?upload_id={name}&upload_token={self.world.secret('upload')[:20]}"
        self.posts[post.id] = self._addresses[name] = post

    @route("PUT /video/", auth=False)
    def put(self, request: Request) -> Response:
        post = self._addresses.get(request.query.get("upload_id", ""))
        if post is None or post.expires_at is None or post.expires_at <= self.world.clock():
            return Response(404 if post is None else 403)
        match = _RANGE.fullmatch(request.headers.get("content-range", ""))
        if match is None or not request.headers.get("content-type", "").startswith("video/"):
            return Response(400)
        start, end, total = int(match[1]), int(match[2]) + 1, int(match[3])
        last, stored = end == total, len(post.content)
        fits = end - start <= LAST_PART_BYTES_MAX if last else end - start == post.part_size
        if total != post.size or len(request.body) != end - start or not fits:
            return Response(400)
        if start != stored:
            return Response(416, headers={"Content-Range": f"bytes 0-{stored - 1}/{total}"} if stored else {})
        post.content.write(request.body)
        if last:
            self._complete(post)
        return Response(201 if last else 206, headers={"Content-Range": f"bytes 0-{end - 1}/{total}"})

    def _complete(self, post: Post) -> None:
        post.at = self.world.clock()
        if self.struck("processing_fails"):
            post.fail_reason = "frame_rate_check_failed"
        elif self.struck("internal"):
            post.fail_reason = "internal"
        else:
            self._make_public(post, (post.content.sha256(),))

    def _make_public(self, post: Post, media: tuple[str, ...]) -> None:
        text = post.info.get("description") or post.info.get("title", "")
        post.post_id = self.new_id()
        entry = Entry(
            self.key, post.person.id, post.kind, post.post_id, text, self.world.clock(), media,
            details={"publish_id": post.id, **post.info},
        )  # fmt: skip
        self.world.ledger.add(entry)

    def pull(self, post: Post, app: App, source: Any) -> None:
        """Take the addresses of photos, and download them."""
        if not isinstance(source, dict) or source.get("source") != "PULL_FROM_URL":
            raise self.refuse(400, "source_info is missing")
        self.only(source, "source", "photo_images", "photo_cover_index")
        urls = source.get("photo_images", [])
        if not 1 <= len(urls) <= 35 or not 0 <= source.get("photo_cover_index", 0) < len(urls):
            raise self.refuse(400, "There have to be 1 to 35 photos, and the cover has to be one of them")
        if unverified := [url for url in urls if urlsplit(url).hostname in app.details.get("unverified", ())]:
            message = f"The ownership of {unverified[0]} is not verified"
            raise Fail(self.because(403, "url_ownership_unverified", message))
        post.info["cover"] = urls[source.get("photo_cover_index", 0)]
        post.at = self.world.clock()
        self.posts[post.id] = post
        contents = [content for url in urls if (content := self.download(url)) is not None]
        if len(contents) < len(urls) or self.struck("pull_fails"):
            post.fail_reason = "photo_pull_failed"
        elif not all(map(_has_fitting_size, contents)):
            post.fail_reason = "picture_size_check_failed"
        else:
            self._make_public(post, tuple(hashlib.sha256(content).hexdigest() for content in contents))

    def state(self, post: Post) -> dict[str, Any]:
        """Return what becomes of a post, as its status says."""
        if post.at is None:
            return {"status": "PROCESSING_UPLOAD", "uploaded_bytes": len(post.content)}
        age = (self.world.clock() - post.at).total_seconds()
        done = {"uploaded_bytes": post.size} if post.size else {"downloaded_bytes": 1}
        if age < PROCESSING_SECONDS:
            return {"status": "PROCESSING_UPLOAD" if post.size else "PROCESSING_DOWNLOAD", **done}
        if post.fail_reason:
            return {"status": "FAILED", "fail_reason": post.fail_reason, **done}
        if post.kind == "inbox":
            return {"status": "SEND_TO_USER_INBOX", **done}
        public = post.info.get("privacy_level") == "PUBLIC_TO_EVERYONE" and age >= MODERATION_SECONDS
        return {
            "status": "PUBLISH_COMPLETE",
            "publicaly_available_post_id": [int(post.post_id)] if public else [],
            **done,
        }


def _has_fitting_size(content: bytes) -> bool:
    size = image_size(content)
    return size is None or (min(size) <= PHOTO_SIDES_MAX[0] and max(size) <= PHOTO_SIDES_MAX[1])
