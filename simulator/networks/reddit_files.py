"""Reddit's files, lists of posts, comments, and deleting."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from simulator.ledger import Entry
from simulator.messages import Fail, File, Request, Response
from simulator.network import Limit, Network, route

PROCESSING_SECONDS = 8
PICTURE_BYTES_MAX, VIDEO_BYTES_MAX = 20_000_000, 1_000_000_000
_CALLS = Limit(1_000, 600, "app")
_HOSTS = {
    "image": "//reddit-uploaded-media.s3-accelerate.amazonaws.com",
    "video": "//reddit-uploaded-video.s3-accelerate.amazonaws.com",
}


@dataclass
class Lease:
    """A place for a file; `digest` once it has come."""

    id: str
    key: str
    kind: str
    digest: str | None = None

    @property
    def url(self) -> str:
        return f"https:{_HOSTS[self.kind]}/{self.key}"


class Files(Network):
    leases: dict[str, Lease]

    def errors(self, *errors: tuple[str, str, str], data: Any = None, **more: Any) -> Response:
        raise NotImplementedError

    def wrong(self, code: str, message: str, field: str, **more: Any) -> Fail:
        raise NotImplementedError

    def page(self, request: Request, things: list[tuple[str, dict[str, Any]]], name: str) -> Response:
        raise NotImplementedError

    # --- files -------------------------------------------------------------------------------------------------------

    @route("POST /api/media/asset.json", scopes=("submit",), limits=(_CALLS,))
    def lease(self, request: Request) -> Response:
        form = request.form
        self.only(form, "filepath", "mimetype", "api_type")
        kind = form.get("mimetype", "").partition("/")[0]
        if kind not in _HOSTS or not form.get("filepath"):
            raise self.refuse(400, "Bad Request")
        asset_id = self.new_id()
        lease = Lease(asset_id, asset_id if kind == "video" else f"rte_images/{asset_id}", kind)
        self.leases[asset_id] = lease
        names = ("acl", "X-Amz-Credential", "X-Amz-Date", "policy", "x-amz-security-token", "X-Amz-Signature")
        fields = [{"name": name, "value": "x"} for name in names]
        fields += [{"name": "key", "value": lease.key}, {"name": "content-type", "value": form["mimetype"]}]
        asset = {"asset_id": asset_id, "processing_state": "incomplete", "websocket_url": "wss://ws.redditmedia.com/"}
        return Response(200, {"args": {"action": _HOSTS[kind], "fields": fields}, "asset": asset})

    @route("POST /", auth=False)
    def receive(self, request: Request) -> Response:
        """The hosts of files: a form with every field, and then the file."""
        form = request.form
        lease = next((one for one in self.leases.values() if one.key == form.get("key")), None)
        file = form.get("file")
        if lease is None or not {"policy", "X-Amz-Signature"} <= set(form) or "authorization" in request.headers:
            raise Fail(Response(403, body=b"<Error><Code>AccessDenied</Code></Error>"))
        if not isinstance(file, File) or list(form)[-1] != "file":
            raise Fail(Response(400, body=b"<Error><Code>InvalidArgument</Code></Error>"))
        limit = VIDEO_BYTES_MAX if lease.kind == "video" else PICTURE_BYTES_MAX
        if len(file.content) > limit or self.struck("too_large"):
            words = f"<ProposedSize>{len(file.content)}</ProposedSize><MaxSizeAllowed>{limit}</MaxSizeAllowed>"
            error = f"<Error><Code>EntityTooLarge</Code><Message>too large</Message>{words}</Error>"
            raise Fail(Response(400, body=error.encode()))
        lease.digest = hashlib.sha256(file.content).hexdigest()
        location = f"<PostResponse><Location>{lease.url}</Location><Key>{lease.key}</Key></PostResponse>"
        return Response(201, body=location.encode(), headers={"Location": lease.url})

    def taken(self, form: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the digest of the file that a post names by its address."""
        names = ("url", "video_poster_url") if form["kind"].startswith("video") else ("url",)
        found = [next((one for one in self.leases.values() if one.url == form.get(name)), None) for name in names]
        if any(one is None or one.digest is None for one in found):
            raise self.wrong("MISSING_VIDEO_URLS" if len(names) > 1 else "BAD_URL", "the media is not there", "url")
        return (str(found[0].digest),)  # type: ignore[union-attr]

    def asset(self, item: Mapping[str, Any]) -> str:
        """Return the digest of an item of a gallery."""
        self.only(item, "media_id", "caption", "outbound_url")
        lease = self.leases.get(str(item.get("media_id")))
        if lease is None or lease.digest is None or lease.kind != "image" or len(item.get("caption", "")) > 180:
            raise self.wrong("INVALID_MEDIA_ID", "one of the pictures is not there", "items")
        return lease.digest

    def ready_at(self) -> datetime:
        return self.world.clock() + timedelta(seconds=PROCESSING_SECONDS)

    # --- lists -------------------------------------------------------------------------------------------------------

    def permalink(self, entry: Entry) -> str:
        post_id = entry.remote_id.removeprefix("t3_")
        return f"/r/{entry.details['subreddit']}/comments/{post_id}/{entry.details['title'].lower().replace(' ', '_')}/"

    def post_of(self, entry: Entry) -> dict[str, Any]:
        """Return a post as lists show it."""
        details, kind = entry.details, entry.details["kind"]
        gone = entry.deleted_at is not None
        found = {
            "id": entry.remote_id.removeprefix("t3_"), "name": entry.remote_id,
            "title": details["title"],
            "subreddit": details["subreddit"], "selftext": entry.text, "is_self": kind == "self",
            "permalink": self.permalink(entry),
            "created_utc": entry.at.timestamp(), "link_flair_text": details["flair"],
            "over_18": details["nsfw"], "spoiler": details["spoiler"], "url": details.get("url"),
            "is_video": kind in {"video", "videogif"}, "is_reddit_media_domain": kind in {"image", "video", "videogif"},
            "removed_by_category": "deleted" if gone else details.get("removed"), "view_count": None,
            "author": "[deleted]" if gone else "alice", "upvote_ratio": 0.97, "num_crossposts": 0,
            "ups": self.count_of(entry, "ups", 4.0), "score": self.count_of(entry, "ups", 4.0),
            "num_comments": len(self.world.ledger.replies("reddit", entry.remote_id)),
        }  # fmt: skip
        if kind == "gallery":
            found["is_gallery"] = True
        if "crosspost_parent" in details:
            found["crosspost_parent"] = details["crosspost_parent"]
        return found

    @route("GET /user/{name}/submitted", scopes=("history",), limits=(_CALLS,))
    def submitted(self, request: Request) -> Response:
        if request.args["name"].casefold() != request.person.username.casefold():
            raise self.refuse(403, "Forbidden")
        now = self.world.clock()
        posts = [
            entry for entry in self.listed(request.person.id)
            if entry.kind == "post" and entry.details.get("ready_at", now) <= now
        ]  # fmt: skip
        return self.page(request, [("t3", self.post_of(entry)) for entry in posts], "name")

    @route("GET /api/info", scopes=("read",), limits=(_CALLS,))
    def info(self, request: Request) -> Response:
        self.only(request.query, "id", "raw_json")
        ids = request.query.get("id", "").split(",")[:100]
        posts = [one for one in self.world.ledger.of("reddit", deleted=True) if one.remote_id in ids]
        children = [{"kind": "t3", "data": self.post_of(one)} for one in posts if one.kind == "post"]
        return Response(200, {"kind": "Listing", "data": {"after": None, "children": children}})

    # --- comments and deleting ---------------------------------------------------------------------------------------

    @route("POST /api/comment", scopes=("submit",), limits=(_CALLS,))
    def comment(self, request: Request) -> Response:
        form = request.form
        self.only(form, "api_type", "thing_id", "text")
        if self.world.ledger.find("reddit", form.get("thing_id", "")) is None:
            raise self.wrong("DELETED_LINK", "that link has been deleted", "parent")
        text = form.get("text", "")
        if not text.strip() or len(text) > 10_000:
            raise self.wrong("TOO_LONG" if text.strip() else "NO_TEXT", "we need something else here", "text")
        entry = self.publish(
            request, "comment", text, remote_id=f"t1_{self.new_id()}", parent_id=form["thing_id"]
        )  # fmt: skip
        data = {"id": entry.remote_id.removeprefix("t1_"), "name": entry.remote_id, "body": text}
        return self.errors(data={"things": [{"kind": "t1", "data": data}]})

    @route("POST /api/del", scopes=("edit",), limits=(_CALLS,))
    def remove(self, request: Request) -> Response:
        self.only(request.form, "id", "api_type")
        entry = self.world.ledger.find("reddit", request.form.get("id", ""))
        if entry is not None and entry.account_id == request.person.id:
            entry.deleted_at = self.world.clock()
        return Response(200, {})
