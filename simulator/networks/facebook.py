"""Facebook Pages, Graph API v25: Facebook Login with tokens in three steps, Pages, posts, photos, stories, insights.

Source: developers.facebook.com (Pages API, Reels Publishing API, Video API, Page Insights), facebook-business 25.0.
Not certain at the real network, and so chosen here: of two posts after each other with the same text and no photos, the
second is refused (506); a photo belongs to one post only; a Page's list of stories is complete.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from simulator.ledger import Entry
from simulator.messages import Fail, File, Request, Response
from simulator.network import Network, route
from simulator.networks.facebook_comments import ENGAGE, FacebookComments
from simulator.networks.facebook_videos import POSTS
from simulator.networks.graph import image_type, json_param, moment
from simulator.oauth import OAuthRules
from simulator.world import Destination, World

TEXT_MAX = 63_206
PHOTO_BYTES_MAX = 10_000_000
PHOTOS_MAX = 10
VIDEO_METRICS = {"blue_reels_play_count": 70, "post_video_view_time": 9_000, "post_video_avg_time_watched": 4_000}
METRICS = {"post_media_view": 60, "post_total_media_view_unique": 40, "post_clicks": 3, "post_video_view_time": 9_000}


@dataclass
class Photo:
    id: str
    page_id: str
    digest: str
    alt_text: str
    used: bool = False


class Facebook(FacebookComments):
    oauth_rules = OAuthRules(
        authorize="/v25.0/dialog/oauth",
        token="/oauth/access_token",  # noqa: S106 - a path
        scopes=frozenset(
            {
                "public_profile", "email", "pages_show_list", "business_management", "pages_manage_posts",
                "pages_read_engagement", "pages_manage_engagement", "pages_manage_metadata", "pages_read_user_content",
                "read_insights",
                "instagram_basic", "instagram_content_publish", "instagram_manage_comments",
                "instagram_manage_insights", "instagram_manage_contents",
            }
        ),
        separator=",",
        pkce="optional",
        access_seconds=5_400,
        authorize_extras=frozenset({"auth_type", "config_id", "display"}),
    )  # fmt: skip

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.photos: dict[str, Photo] = {}

    def page_of(self, request: Request, page_id: str) -> Destination:
        """Return the Page that the token of a call is of."""
        _, of_token = self.page_tokens.get(self.bearer(request), (None, ""))
        page = request.person.destination(page_id)
        if of_token != page_id or page is None:
            raise self.fail(200, "The call needs the access token of the Page", status=403)
        if "CREATE_CONTENT" not in page.details.get("tasks", ["CREATE_CONTENT"]):
            raise self.fail(200, "The person may not create content on this Page", status=403)
        return page

    # --- nodes --------------------------------------------------------------------------------------------------------

    @route("GET /{version}/{node}")
    def node(self, request: Request) -> Response:
        node, fields = request.args["node"], request.query.get("fields", "")
        if node == "debug_token":
            return self.debug(request)
        if node == "me":
            person = request.person
            return Response(200, self.shown({"id": person.id, "name": person.name}, fields, "name"))
        page = request.person.destination(node)
        if page is not None:
            return Response(200, self.shown(self.page_fields(request, page), fields, "name"))
        if node in self.videos:
            shown = {**self.video_fields(self.videos[node]), **self._counts(self.world.ledger.find(self.key, node))}
            return Response(200, self.shown(shown, fields, "description"))
        entry = self.world.ledger.find(self.key, node)
        if entry is None:
            raise self.missing(node)
        return Response(200, self.shown(self._post(entry), fields, "message", "created_time"))

    def _post(self, entry: Entry) -> dict[str, Any]:
        photos = entry.details.get("photos", [])
        attachments = []
        if len(photos) == 1:
            attachments = [{"type": "photo", "target": {"id": photos[0]}}]
        elif photos:
            subattachments = {"data": [{"type": "photo", "target": {"id": photo}} for photo in photos]}
            attachments = [{"type": "album", "target": {"id": entry.account_id}, "subattachments": subattachments}]
        return {
            "id": entry.remote_id,
            "message": entry.text or None,
            "created_time": moment(entry.at),
            "permalink_url": f"https://www.facebook.com/{entry.remote_id.replace('_', '/posts/')}",
            "attachments": {"data": attachments} if attachments else None,
            "url": f"https://www.facebook.com/stories/{entry.remote_id}",
            **self._counts(entry),
        }

    def _counts(self, entry: Entry | None) -> dict[str, Any]:
        if entry is None:
            return {"reactions": None, "comments": None, "shares": None}
        comments = self.world.ledger.replies(self.key, entry.remote_id)
        shares = self.count_of(entry, "shares", 1)
        return {
            "reactions": {"data": [], "summary": {"total_count": self.count_of(entry, "likes", 5)}},
            "comments": {"data": [], "summary": {"total_count": len(comments)}},
            "shares": {"count": shares} if shares else None,
        }

    @route("DELETE /{version}/{node}")
    def remove(self, request: Request) -> Response:
        entry = self.world.ledger.find(self.key, request.args["node"])
        if entry is None:
            raise self.missing(request.args["node"])
        lacking = set(ENGAGE if entry.kind == "comment" else POSTS) - request.grant.scopes
        if lacking:
            raise Fail(self.missing_scopes(sorted(lacking)))
        if entry.kind == "comment":
            self.comment_of(request)
        else:
            self.page_of(request, entry.account_id)
        entry.deleted_at = self.world.clock()
        return Response(200, {"success": True})

    # --- posts --------------------------------------------------------------------------------------------------------

    @route("POST /{version}/{page}/photos", scopes=POSTS)
    def photo(self, request: Request) -> Response:
        page, params = self.page_of(request, request.args["page"]), self.params(request)
        self.only(params, "source", "message", "caption", "alt_text_custom", "published", "temporary")
        file = params.get("source")
        if not isinstance(file, File) or not file.content:
            raise self.fail(324, "Missing or invalid image file", 2069019)
        kind = image_type(file.content)
        if kind is None or not kind.startswith("image/") or len(file.content) > PHOTO_BYTES_MAX:
            raise self.fail(1, "Photos should be smaller than 10 MB and saved as JPG, PNG, GIF or TIFF", 1366046)
        digest = hashlib.sha256(file.content).hexdigest()
        photo = Photo(self.new_id(), page.id, digest, str(params.get("alt_text_custom", "")))
        self.photos[photo.id] = photo
        if params.get("published") == "false":
            return Response(200, {"id": photo.id})
        entry = self._share(request, page, str(params.get("message") or params.get("caption") or ""), [photo])
        return Response(200, {"id": photo.id, "post_id": entry.remote_id})

    @route("POST /{version}/{page}/feed", scopes=POSTS)
    def feed(self, request: Request) -> Response:
        page, params = self.page_of(request, request.args["page"]), self.params(request)
        self.only(
            params, "message", "link", "attached_media", "child_attachments", "published", "unpublished_content_type"
        )
        text, photos = str(params.get("message") or ""), self._attached(page, params)
        cards = json_param(params.get("child_attachments"))
        if len(text) > TEXT_MAX:
            raise self.fail(100, f"The message is longer than {TEXT_MAX} characters")
        if not text and not photos and not params.get("link"):
            raise self.fail(100, "The post is empty")
        if "child_attachments" in params and not self._are_cards(cards, params):
            raise self.fail(100, "child_attachments needs 2 to 10 cards with links, and a link of the post")
        last = next(iter(self.listed(page.id)), None)
        if text and not photos and last is not None and (last.text, last.media) == (text, ()):
            raise self.fail(506, "Duplicate status message")
        if params.get("published") == "false":
            if params.get("unpublished_content_type") != "DRAFT":
                raise self.fail(100, "unpublished_content_type is required")
            return Response(200, {"id": f"{page.id}_{self.new_id()}"})
        details = {"link": params.get("link"), "cards": cards}
        return Response(200, {"id": self._share(request, page, text, photos, details).remote_id})

    def _attached(self, page: Destination, params: Mapping[str, Any]) -> list[Photo]:
        if "attached_media" not in params:
            return []
        items = json_param(params["attached_media"])
        if not isinstance(items, list) or not 1 <= len(items) <= PHOTOS_MAX:
            raise self.fail(100, "attached_media has to be a list of 1 to 10 objects")
        photos = [self.photos.get(str(item.get("media_fbid"))) for item in items]
        found = [photo for photo in photos if photo is not None and photo.page_id == page.id]
        if len(found) != len(items):
            raise self.fail(100, "Invalid parameter: attached_media")
        if any(photo.used for photo in found):
            raise self.fail(100, "The photo was already posted", 1366051)
        return found

    def _are_cards(self, cards: Any, params: Mapping[str, Any]) -> bool:
        if not isinstance(cards, list) or not 2 <= len(cards) <= 10 or not params.get("link"):
            return False
        known = {"link", "name", "description", "picture"}
        return all(isinstance(card, dict) and card.get("link") and set(card) <= known for card in cards)

    def _share(self, request: Request, page: Destination, text: str, photos: list[Photo], details: Any = None) -> Entry:
        for photo in photos:
            photo.used = True
        shown = {"photos": [photo.id for photo in photos], "alt_texts": [photo.alt_text for photo in photos]}
        return self.publish(
            request, "post", text, account_id=page.id, remote_id=f"{page.id}_{self.new_id()}",
            media=tuple(photo.digest for photo in photos), details={**shown, **(details or {})},
        )  # fmt: skip

    @route("POST /{version}/{page}/photo_stories", scopes=POSTS)
    def photo_story(self, request: Request) -> Response:
        page, params = self.page_of(request, request.args["page"]), self.params(request)
        self.only(params, "photo_id")
        photo = self.photos.get(str(params.get("photo_id")))
        if photo is None or photo.used:
            raise self.fail(100, "Invalid parameter: photo_id", 1366051 if photo else 0)
        photo.used = True
        entry = self.publish(
            request, "story", "", account_id=page.id, media=(photo.digest,), details={"photos": [photo.id]}
        )
        return Response(200, {"success": True, "post_id": entry.remote_id})

    @route("GET /{version}/{page}/published_posts", scopes=("pages_read_engagement",))
    def published_posts(self, request: Request) -> Response:
        page, query = self.page_of(request, request.args["page"]), request.query
        self.only(self.params(request), "fields", "since", "until", "limit", "after")
        since = int(query.get("since", "0"))
        entries = [one for one in self.listed(page.id) if one.kind == "post" and one.at.timestamp() >= since]
        return self.listed_page(
            request, [self.shown(self._post(one), query.get("fields", "message")) for one in entries]
        )

    @route("GET /{version}/{page}/stories", scopes=("pages_read_engagement",))
    def stories(self, request: Request) -> Response:
        page = self.page_of(request, request.args["page"])
        entries = [one for one in self.listed(page.id) if one.kind == "story" and "photos" in one.details]
        return self.listed_page(
            request,
            [
                {"post_id": one.remote_id, "media_id": one.details["photos"][0], "status": "published",
                 "url": f"https://www.facebook.com/stories/{one.remote_id}"}
                for one in entries
            ],
        )  # fmt: skip

    @route("GET /{version}/{node}/insights", scopes=("read_insights",))
    def insights(self, request: Request) -> Response:
        return self._insights(request, METRICS)

    @route("GET /{version}/{node}/video_insights", scopes=("read_insights",))
    def video_insights(self, request: Request) -> Response:
        return self._insights(request, VIDEO_METRICS)

    def _insights(self, request: Request, metrics: Mapping[str, int]) -> Response:
        entry = self.world.ledger.find(self.key, request.args["node"])
        if entry is None:
            raise self.missing(request.args["node"])
        names = [name for name in request.query.get("metric", "").split(",") if name]
        if not names:
            raise self.fail(3001, "You must specify at least one metric", 1504028)
        if any(name not in metrics for name in names):
            raise self.fail(100, "The value must be a valid insights metric")
        data = [self.insight(name, self.count_of(entry, name, metrics[name])) for name in names]
        return Response(200, {"data": data, "paging": {}})


NETWORK: type[Network] = Facebook
