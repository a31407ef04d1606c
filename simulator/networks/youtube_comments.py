"""Comments under videos: threads of two levels, a review before they are shown, and what an owner makes of them.

Source: developers.google.com, YouTube Data API reference. As the network does, a thread brings its first five answers,
what waits for a review is listed to the owner alone and only where that is asked for, a rejected comment is listed
nowhere and stays rejected, and only who wrote a comment can delete it. The fault `repeats` lists one page for ever.
"""

from collections.abc import Mapping
from typing import Any

from simulator.ledger import Entry
from simulator.messages import Fail, Request, Response
from simulator.network import route
from simulator.networks.youtube_uploads import SCOPE, Video, YouTubeUploads
from simulator.world import Person

MANAGE = (f"{SCOPE}youtube.force-ssl",)
TEXT_MAX, INLINE = 10_000, 5
STATUSES = {"heldForReview", "published", "rejected"}


class YouTubeComments(YouTubeUploads):
    def spend(self, request: Request, units: int) -> None:
        raise NotImplementedError

    def own(self, request: Request, video_id: Any) -> Video:
        raise NotImplementedError

    def because(self, status: int, reason: str, message: str, name: str = "", domain: str = "youtube") -> Response:
        raise NotImplementedError

    def comment_id(self, parent_id: str) -> str:
        above = self.world.ledger.find(self.key, parent_id)
        is_answer = above is not None and above.kind == "comment"
        return f"{self.comment_parent(parent_id)}.{self.new_id()}" if is_answer else f"Ug{self.new_id()}"

    def comment_parent(self, parent_id: str) -> str:
        entry = self.world.ledger.find(self.key, parent_id)
        above = self.world.ledger.find(self.key, (entry and entry.parent_id) or "")
        return above.remote_id if above is not None and above.kind == "comment" else parent_id

    def _author(self, account_id: str) -> tuple[str, str]:
        """Return channel and name of who wrote something."""
        for person in self.world.people:
            if person.network == self.key and account_id in {person.id, self.channel_id(person)}:
                return self.channel_id(person), person.username
        return account_id, account_id

    def _comment(self, entry: Entry, reader: Person) -> dict[str, Any]:
        channel, name = self._author(entry.account_id)
        at = entry.at.strftime("%Y-%m-%dT%H:%M:%SZ")
        snippet: dict[str, Any] = {
            "authorDisplayName": f"@{name}", "authorChannelId": {"value": channel}, "textDisplay": entry.text,
            "authorChannelUrl": f"http://www.youtube.com/@{name}", "viewerRating": "none", "likeCount": 0,
            "authorProfileImageUrl": f"https://yt3.ggpht.com/{channel}", "publishedAt": at, "updatedAt": at,
        }  # fmt: skip
        if channel == self.channel_id(reader):
            snippet["textOriginal"] = entry.text
        if (status := entry.details.get("status", "published")) != "published":
            snippet["moderationStatus"] = status
        return {"kind": "youtube#comment", "id": entry.remote_id, "snippet": snippet}

    def _is(self, entry: Entry, *statuses: str) -> bool:
        return entry.details.get("status", "published") in statuses

    def _listing(self, request: Request, kind: str, items: list[dict[str, Any]], *, most: int = 100) -> Response:
        size, first = int(request.query.get("maxResults", "20")), int(request.query.get("pageToken", "0"))
        if not 1 <= size <= most:
            raise Fail(self.because(400, "invalidValue", f"maxResults: there may be {most} at most"))
        if self.struck("repeats") and items:
            return Response(200, {"kind": kind, "items": items[:size], "nextPageToken": str(first + 1)})
        more = {"nextPageToken": str(first + size)} if first + size < len(items) else {}
        return Response(200, {"kind": kind, "items": items[first : first + size], **more})

    @route("GET /youtube/v3/commentThreads", scopes=MANAGE)
    def threads(self, request: Request) -> Response:
        query = request.query
        self.only(query, "part", "videoId", "maxResults", "order", "textFormat", "pageToken", "moderationStatus", "alt")
        self.spend(request, 1)
        video, wanted = self.own(request, query.get("videoId")), query.get("moderationStatus", "published")
        if video.kids:
            raise Fail(self.because(403, "commentsDisabled", "The video has disabled comments."))
        if wanted not in {"published", "heldForReview", "likelySpam"} or query.get("order", "time") != "time":
            raise Fail(self.because(400, "invalidParameter", "moderationStatus or order"))
        everything = self.below(video.entry.remote_id)
        tops = [one for one in everything if one.parent_id == video.entry.remote_id and not self._is(one, "rejected")]
        items = []
        for top in reversed(tops):
            below = [one for one in everything if one.parent_id == top.remote_id and self._is(one, wanted)]
            if self._is(top, wanted) or (wanted != "published" and below):
                items.append(self._thread(request, video, top, below))
        return self._listing(request, "youtube#commentThreadListResponse", items)

    def _thread(self, request: Request, video: Video, top: Entry, below: list[Entry]) -> dict[str, Any]:
        shown = [self._comment(one, request.person) for one in below[:INLINE]]
        snippet = {
            "videoId": video.entry.remote_id, "topLevelComment": self._comment(top, request.person),
            "totalReplyCount": len(below), "canReply": True, "isPublic": self._is(top, "published"),
        }  # fmt: skip
        thread: dict[str, Any] = {"kind": "youtube#commentThread", "id": top.remote_id, "snippet": snippet}
        return thread | ({"replies": {"comments": shown}} if shown else {})

    @route("GET /youtube/v3/comments", scopes=MANAGE)
    def comments(self, request: Request) -> Response:
        query: Mapping[str, str] = request.query
        self.only(query, "part", "parentId", "id", "maxResults", "pageToken", "textFormat", "alt")
        self.spend(request, 1)
        if ("parentId" in query) == ("id" in query):
            raise Fail(self.because(400, "operationNotSupported", "Either id or parentId is needed."))
        if "id" in query:
            found = [self.world.ledger.find(self.key, one) for one in query["id"].split(",")]
        else:
            found = [one for one in self.below(query["parentId"]) if self._is(one, "published")][::-1]
        shown = [one for one in found if one is not None and one.kind == "comment" and not self._is(one, "rejected")]
        items = [self._comment(one, request.person) for one in shown]
        return self._listing(request, "youtube#commentListResponse", items)

    @route("POST /youtube/v3/comments", scopes=MANAGE)
    def answer(self, request: Request) -> Response:
        self.only(request.query, "part", "alt")
        self.spend(request, 50)
        snippet = request.json.get("snippet") or {}
        self.only(snippet, "parentId", "textOriginal")
        text, parent = snippet.get("textOriginal"), self.world.ledger.find(self.key, str(snippet.get("parentId")))
        if parent is None or parent.kind != "comment" or self._is(parent, "rejected"):
            raise Fail(self.because(404, "parentCommentNotFound", "The parent comment cannot be found."))
        if self.comment_parent(parent.remote_id) != parent.remote_id:
            raise Fail(self.because(400, "invalidCommentMetadata", "Answers can be given to top-level comments only."))
        if not isinstance(text, str) or not 0 < len(text) <= TEXT_MAX:
            raise Fail(self.because(400, "commentTextTooLong", "The comment has to have 1 to 10000 characters."))
        entry = self.publish(
            request, "comment", text, parent_id=parent.remote_id, remote_id=self.comment_id(parent.remote_id),
            account_id=self.channel_id(request.person),
        )  # fmt: skip
        return Response(200, self._comment(entry, request.person))

    def _named(self, request: Request) -> Entry:
        entry = self.world.ledger.find(self.key, request.query.get("id", ""))
        if entry is None or entry.kind != "comment":
            raise Fail(self.because(404, "commentNotFound", "One or more of the comments cannot be found."))
        return entry

    @route("POST /youtube/v3/comments/setModerationStatus", scopes=MANAGE)
    def moderate(self, request: Request) -> Response:
        self.only(request.query, "id", "moderationStatus", "banAuthor", "alt")
        self.spend(request, 50)
        entry, status = self._named(request), request.query.get("moderationStatus")
        if status not in STATUSES or self._is(entry, "rejected"):
            raise Fail(self.because(400, "processingFailure", "The comment cannot be moderated like that."))
        entry.details["status"] = status
        return Response(204)

    @route("DELETE /youtube/v3/comments", scopes=MANAGE)
    def remove_comment(self, request: Request) -> Response:
        self.only(request.query, "id", "alt")
        self.spend(request, 50)
        entry = self._named(request)
        if self._author(entry.account_id)[0] != self.channel_id(request.person):
            raise Fail(self.because(403, "forbidden", "The comment could not be deleted: it is of someone else."))
        entry.deleted_at = self.world.clock()
        return Response(204)
