"""YouTube, Data API v3: channels, videos, playlists, comments, numbers, quotas; `youtube_uploads.py` has the uploads.

Source: developers.google.com, YouTube Data API reference and revision history to 2026-11-03, Analytics API v2.
A person without a channel has `details["no_channel"]`; one that may not upload more than 15 minutes has
`details["unverified"]`, and may set no thumbnails either. Videos of a person with `details["keeps_private"]` stay
private, whatever was asked for. Not certain at the real network, and so chosen here: a file
that the channel has already is rejected as a duplicate; counters grow at once, and those of the Analytics API
with them.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from typing import Any
from zoneinfo import ZoneInfo

from simulator.ledger import Entry
from simulator.messages import Fail, Request, Response
from simulator.network import Network, route
from simulator.networks.youtube_comments import MANAGE, YouTubeComments
from simulator.networks.youtube_uploads import SCOPE, Video
from simulator.oauth import OAuthRules
from simulator.world import Person, Quota

UNITS_MAX = 10_000
PACIFIC = ZoneInfo("America/Los_Angeles")
THUMBNAIL_BYTES_MAX = 2_097_152
CATEGORIES = {
    "1": ("Film & Animation", True), "2": ("Autos & Vehicles", True), "10": ("Music", True),
    "15": ("Pets & Animals", True), "17": ("Sports", True), "18": ("Short Movies", False),
    "19": ("Travel & Events", True),
    "20": ("Gaming", True), "22": ("People & Blogs", True), "23": ("Comedy", True), "24": ("Entertainment", True),
    "25": ("News & Politics", True), "26": ("Howto & Style", True), "27": ("Education", True),
    "28": ("Science & Technology", True), "29": ("Nonprofits & Activism", True), "30": ("Movies", False),
}  # fmt: skip
"""By their numbers, and whether a video can have them."""
_REASONS: Mapping[int, tuple[str, str]] = {
    400: ("badRequest", "INVALID_ARGUMENT"), 401: ("authError", "UNAUTHENTICATED"),
    403: ("forbidden", "PERMISSION_DENIED"), 404: ("notFound", "NOT_FOUND"), 429: ("rateLimitExceeded", "EXHAUSTED"),
    500: ("backendError", "INTERNAL"), 503: ("backendError", "UNAVAILABLE"),
}  # fmt: skip


class YouTube(YouTubeComments):
    key = "youtube"
    ids_from = 10_000_000_000
    oauth_rules = OAuthRules(
        authorize="/o/oauth2/v2/auth",
        token="/token",  # noqa: S106 - a path
        revoke="/revoke",
        scopes=frozenset(
            {f"{SCOPE}youtube.upload", f"{SCOPE}youtube", f"{SCOPE}youtube.force-ssl", f"{SCOPE}youtube.readonly",
             f"{SCOPE}yt-analytics.readonly"}
        ),
        pkce="optional",
        access_seconds=3_599,
        refresh_seconds=15_552_000,
        authorize_extras=frozenset({"access_type", "prompt", "include_granted_scopes", "login_hint"}),
    )  # fmt: skip

    def __init__(self, world: Any) -> None:
        super().__init__(world)
        self._units: dict[tuple[str, Any], int] = {}

    # --- the words of YouTube --------------------------------------------------------------------------------------

    def failure(self, status: int, message: str) -> Response:
        reason, name = _REASONS.get(status, ("badRequest", "UNKNOWN"))
        return self.because(status, reason, message, name)

    def because(self, status: int, reason: str, message: str, name: str = "", domain: str = "youtube") -> Response:
        errors = [{"message": message, "domain": domain, "reason": reason}]
        body: dict[str, Any] = {"code": status, "message": message, "errors": errors}
        return Response(status, {"error": body | ({"status": name} if name else {})})

    def missing_scopes(self, missing: Iterable[str]) -> Response:
        message = f"Request had insufficient authentication scopes: {' '.join(missing)}"
        return self.because(403, "insufficientPermissions", message, "PERMISSION_DENIED", "global")

    def rate_limited(self, quota: Quota) -> Response:
        message = f"The request cannot be completed because you have exceeded your quota of {quota.limit}."
        return self.because(403, "quotaExceeded", message, domain="youtube.quota")

    def spend(self, request: Request, units: int) -> None:
        """Count the units of a call; they are renewed at midnight in California."""
        key = (request.grant.app.client_id, self.world.clock().astimezone(PACIFIC).date())
        used = self._units.get(key, 0) + units
        if used > request.grant.app.details.get("units", UNITS_MAX):
            raise Fail(self.rate_limited(Quota(UNITS_MAX, 0, self.world.clock())))
        self._units[key] = used

    # --- channels --------------------------------------------------------------------------------------------------

    @route("GET /youtube/v3/channels", scopes=MANAGE)
    def channels(self, request: Request) -> Response:
        self.only(request.query, "part", "mine", "alt")
        self.spend(request, 1)
        person: Person = request.person
        if person.details.get("no_channel"):
            return Response(200, {"kind": "youtube#channelListResponse", "items": []})
        item = {
            "kind": "youtube#channel",
            "id": self.channel_id(person),
            "snippet": {
                "title": person.name,
                "customUrl": f"@{person.username}",
                "thumbnails": {"default": {"url": f"https://yt3.ggpht.com/{person.id}"}},
            },
            "statistics": {"viewCount": "9", "subscriberCount": "1230", "hiddenSubscriberCount": False},
            "contentDetails": {"relatedPlaylists": {"uploads": self.uploads_id(person)}},
            "status": {"longUploadsStatus": "disallowed" if person.details.get("unverified") else "allowed"},
        }
        return Response(200, {"kind": "youtube#channelListResponse", "items": [self._parts(request, item)]})

    def _parts(self, request: Request, item: Mapping[str, Any]) -> dict[str, Any]:
        wanted = {"id", "kind", *request.query.get("part", "").split(",")}
        return {name: value for name, value in item.items() if name in wanted}

    def uploads_id(self, person: Person) -> str:
        return f"UU{person.id}"

    # --- videos ----------------------------------------------------------------------------------------------------

    def own(self, request: Request, video_id: Any) -> Video:
        """Return a video of the channel.

        Raises:
            Fail: there is none.
        """
        video = self.videos.get(str(video_id))
        if video is None or video.entry.deleted_at is not None:
            raise Fail(self.because(404, "videoNotFound", "The video that you have identified cannot be found."))
        if video.entry.account_id != self.channel_id(request.person):
            raise self.refuse(403, "The request is not properly authorized.")
        return video

    @route("GET /youtube/v3/videos", scopes=MANAGE)
    def look(self, request: Request) -> Response:
        self.only(request.query, "part", "id", "alt", "maxResults")
        self.spend(request, 1)
        ids = request.query.get("id", "").split(",")
        if len(ids) > 50:
            raise self.refuse(400, "id: there may be 50 at most")
        videos = [video for video_id in ids if (video := self.videos.get(video_id)) and not video.entry.deleted_at]
        items = [self._parts(request, self.resource(video) | self._statistics(video.entry)) for video in videos]
        return Response(200, {"kind": "youtube#videoListResponse", "items": items})

    def _statistics(self, entry: Entry) -> dict[str, Any]:
        rates = {"viewCount": 40, "likeCount": 4, "commentCount": 1}
        return {"statistics": {name: str(self.count_of(entry, name, rate)) for name, rate in rates.items()}}

    @route("DELETE /youtube/v3/videos", scopes=MANAGE)
    def remove(self, request: Request) -> Response:
        self.only(request.query, "id", "alt")
        self.spend(request, 50)
        self.own(request, request.query.get("id")).entry.deleted_at = self.world.clock()
        return Response(204)

    # --- playlists and comments ------------------------------------------------------------------------------------

    @route("GET /youtube/v3/playlistItems", scopes=MANAGE)
    def playlist(self, request: Request) -> Response:
        self.only(request.query, "part", "playlistId", "maxResults", "alt", "pageToken")
        self.spend(request, 1)
        if request.query.get("playlistId") != self.uploads_id(request.person):
            raise Fail(self.because(404, "playlistNotFound", "The playlist cannot be found."))
        count = int(request.query.get("maxResults", "5"))
        videos = [one for one in self.listed(self.channel_id(request.person)) if one.kind == "video"][:count]
        items = [
            {"snippet": {"title": entry.details["title"], "publishedAt": entry.at.strftime("%Y-%m-%dT%H:%M:%SZ")},
             "contentDetails": {"videoId": entry.remote_id}}
            for entry in videos
        ]  # fmt: skip
        return Response(200, {"kind": "youtube#playlistItemListResponse", "items": items})

    @route("GET /youtube/v3/playlists", scopes=MANAGE)
    def playlists(self, request: Request) -> Response:
        self.only(request.query, "part", "mine", "maxResults", "pageToken", "alt")
        self.spend(request, 1)
        size, first = int(request.query.get("maxResults", "5")), int(request.query.get("pageToken", "0"))
        if not 0 <= size <= 50:
            raise self.refuse(400, "maxResults: there may be 50 at most")
        listed = [one for one in request.person.destinations if one.kind == "playlist"]
        items = [{"id": one.id, "snippet": {"title": one.name}} for one in listed[first : first + size]]
        more = {"nextPageToken": str(first + size)} if first + size < len(listed) else {}
        return Response(200, {"kind": "youtube#playlistListResponse", "items": items, **more})

    @route("GET /youtube/v3/videoCategories", scopes=MANAGE)
    def categories(self, request: Request) -> Response:
        self.only(request.query, "part", "regionCode", "hl", "alt")
        self.spend(request, 1)
        items = [
            {"id": number, "snippet": {"title": title, "assignable": assignable}}
            for number, (title, assignable) in CATEGORIES.items()
        ]
        return Response(200, {"kind": "youtube#videoCategoryListResponse", "items": items})

    @route("POST /youtube/v3/playlistItems", scopes=MANAGE)
    def add_to_playlist(self, request: Request) -> Response:
        self.only(request.query, "part", "alt")
        self.spend(request, 50)
        snippet = request.json.get("snippet") or {}
        self.only(snippet, "playlistId", "resourceId", "position")
        playlist = request.person.destination(str(snippet.get("playlistId")))
        if playlist is None:
            raise Fail(self.because(404, "playlistNotFound", "The playlist cannot be found."))
        video = self.own(request, (snippet.get("resourceId") or {}).get("videoId"))
        video.entry.details.setdefault("playlists", []).append(playlist.id)
        return Response(200, {"kind": "youtube#playlistItem", "id": self.new_id()})

    @route("POST /upload/youtube/v3/thumbnails/set", scopes=(f"{SCOPE}youtube.upload",))
    def set_thumbnail(self, request: Request) -> Response:
        self.only(request.query, "videoId", "uploadType", "alt")
        self.spend(request, 50)
        video = self.own(request, request.query.get("videoId"))
        if request.person.details.get("unverified"):
            message = "The authenticated user doesn't have permissions to upload and set custom video thumbnails."
            raise Fail(self.because(403, "forbidden", message, domain="youtube.thumbnail"))
        if request.headers.get("content-type") not in {"image/jpeg", "image/png", "application/octet-stream"}:
            raise Fail(self.because(400, "invalidImage", "The provided image content is invalid."))
        if not 0 < len(request.body) <= THUMBNAIL_BYTES_MAX:
            raise Fail(self.because(413, "uploadTooLarge", "Media is too large. Limit: 2097152"))
        video.entry.details["thumbnail"] = hashlib.sha256(request.body).hexdigest()
        return Response(200, {"kind": "youtube#thumbnailSetResponse", "items": [{}]})

    @route("POST /youtube/v3/commentThreads", scopes=MANAGE)
    def comment(self, request: Request) -> Response:
        self.only(request.query, "part", "alt")
        self.spend(request, 50)
        snippet = request.json.get("snippet") or {}
        text = ((snippet.get("topLevelComment") or {}).get("snippet") or {}).get("textOriginal")
        video = self.own(request, snippet.get("videoId"))
        if video.kids:
            raise Fail(
                self.because(403, "commentsDisabled", "The video has disabled comments.", domain="youtube.comment")
            )
        if not isinstance(text, str) or not 0 < len(text) <= 10_000:
            raise Fail(self.because(400, "commentTextTooLong", "The comment has to have 1 to 10000 characters."))
        entry = self.publish(request, "comment", text, parent_id=video.entry.remote_id, remote_id=f"Ug{self.new_id()}",
                             account_id=video.entry.account_id)  # fmt: skip
        return Response(200, {"kind": "youtube#commentThread", "id": entry.remote_id})

    # --- numbers ---------------------------------------------------------------------------------------------------

    @route("GET /v2/reports", scopes=(f"{SCOPE}yt-analytics.readonly",))
    def report(self, request: Request) -> Response:
        query = request.query
        self.only(query, "ids", "startDate", "endDate", "metrics", "dimensions", "filters", "alt")
        filters = re.fullmatch(r"video==(.+)", query.get("filters", ""))
        if query.get("ids") != "channel==MINE" or query.get("dimensions") != "video" or filters is None:
            raise self.refuse(400, "The query is not supported.")
        names = query.get("metrics", "").split(",")
        if unknown := set(names) - {"views", "likes", "comments", "shares", "estimatedMinutesWatched"}:
            raise self.refuse(400, f"Unknown identifier ({min(unknown)}) given in field parameters.metrics.")
        channel, rows = self.channel_id(request.person), []
        for video_id in filters[1].split(","):
            entry = self.world.ledger.find("youtube", video_id)
            if entry is not None and entry.account_id == channel:
                rows.append([video_id, *(self.count_of(entry, name, 3) for name in names)])
        return Response(200, {"columnHeaders": [{"name": name} for name in ("video", *names)], "rows": rows})


NETWORK: type[Network] = YouTube
