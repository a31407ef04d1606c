"""Instagram: both logins, containers, publishing, comments, insights.

Source: developers.facebook.com (Instagram Platform with Instagram Login and with Facebook Login). Not certain at the
real network, and so chosen here: 50 posts in 24 hours (guides say 50 and 100); `details["wraps_tokens"]` of an app
makes token answers come inside `data`, as they sometimes do.
"""

import re
from datetime import timedelta
from typing import Any

from simulator import text as texts
from simulator.ledger import Entry
from simulator.messages import Request, Response
from simulator.network import Network, route
from simulator.networks.containers import DAY, Container
from simulator.networks.graph import json_param, moment
from simulator.networks.instagram_comments import InstagramComments
from simulator.oauth import OAuthError, OAuthRules
from simulator.world import Person

CAPTION_MAX, HASHTAGS_MAX, MENTIONS_MAX = 2_200, 30, 20
CONTAINERS_A_DAY = 400
METRICS = {"views": 50, "reach": 35, "saved": 2, "shares": 1, "likes": 5, "comments": 1, "total_interactions": 8,
           "ig_reels_video_view_total_time": 90_000, "ig_reels_avg_watch_time": 500}  # fmt: skip
AUDIO_TYPES = {"music", "original_sound"}
AUDIO = [
    {"audio_id": "1001", "audio_type": "music", "title": "Rye", "display_artist": "The Bakers"},
    {"audio_id": "1002", "audio_type": "music", "title": "Wheat", "display_artist": None},
    {"audio_id": "1003", "audio_type": "original_sound", "title": "Oven", "ig_username": "ada"},
]
_SINGLE = ("caption", "collaborators", "location_id", "is_ai_generated", "is_paid_partnership")


class Instagram(InstagramComments):
    key = "instagram"
    posts_a_day = 50
    ids_from = 17_900_000_000_000_000
    oauth_rules = OAuthRules(
        authorize="/oauth/authorize",
        token="/oauth/access_token",  # noqa: S106 - a path
        scopes=frozenset(
            {
                "instagram_business_basic", "instagram_business_content_publish", "instagram_business_manage_comments",
                "instagram_business_manage_insights", "instagram_basic", "instagram_content_publish",
                "instagram_manage_comments", "instagram_manage_insights", "instagram_manage_contents",
                "pages_show_list", "pages_read_engagement", "business_management",
            }
        ),
        separator=",",
        pkce="optional",
        code_seconds=3_600,
        access_seconds=3_600,
        authorize_extras=frozenset({"auth_type", "force_reauth", "enable_fb_login"}),
    )  # fmt: skip

    # --- tokens ------------------------------------------------------------------------------------------------------

    @route("GET /{version}/dialog/oauth", auth=False)
    def facebook_page(self, request: Request) -> Response:
        return self._page(request)

    def token_answer(self, grant: Any) -> dict[str, Any]:
        answer = {"access_token": grant.access_token, "user_id": grant.person.id, "permissions": sorted(grant.scopes)}
        return {"data": [answer]} if grant.app.details.get("wraps_tokens") else answer

    def token_error(self, error: OAuthError) -> Response:
        message = f"Invalid authorization code: {error.description}"
        return Response(400, {"error_type": "OAuthException", "code": 400, "error_message": message})

    @route("GET /access_token", auth=False)
    def exchange(self, request: Request) -> Response:
        return self.renewed(request, "ig_exchange_token")

    @route("GET /refresh_access_token", auth=False)
    def refresh(self, request: Request) -> Response:
        return self.renewed(request, "ig_refresh_token")

    # --- accounts ----------------------------------------------------------------------------------------------------

    def account(self, request: Request, account_id: str) -> str:
        """Return the account that a token may use, by Instagram Login or by the token of its Page."""
        _, page_id = self.page_tokens.get(self.bearer(request), (None, ""))
        page = request.person.destination(page_id)
        linked = page.details.get("instagram", {}).get("id") if page else None
        if account_id != (linked if page else request.person.id):
            raise self.fail(200, "The token is not for this account", status=403)
        needed = {"instagram_content_publish", "instagram_business_content_publish"}
        if not needed & request.grant.scopes:
            raise self.fail(10, "Application does not have permission for this action", status=403)
        return account_id

    def _me(self, person: Person) -> dict[str, Any]:
        return {
            "id": f"app-{person.id}",
            "user_id": person.id,
            "username": person.username,
            "name": person.name,
            "account_type": "BUSINESS",
            "profile_picture_url": f"https://scontent.example/{person.id}.jpg",
            "followers_count": person.details.get("followers", 9),
        }

    @route("GET /{version}/{node}")
    def node(self, request: Request) -> Response:
        node, fields = request.args["node"], request.query.get("fields", "")
        if node == "debug_token":
            return self.debug(request)
        if node == "ig_audio":
            return self._audio(request)
        if node == "me":
            return Response(200, self.shown(self._me(request.person), fields, "id"))
        for page in request.person.destinations:
            if (instagram := page.details.get("instagram")) and instagram["id"] == node:
                values = {"name": "", "profile_picture_url": "https://scontent.example/x.jpg", "followers_count": 3}
                return Response(200, self.shown(values | instagram, fields, "username"))
        if node in self.containers:
            state, message = self.state(self.containers[node])
            return Response(200, self.shown({"id": node, "status_code": state, "status": message}, fields))
        entry = self.world.ledger.find(self.key, node)
        if entry is None:
            raise self.missing(node)
        return Response(200, self.shown(self._media(entry), fields, "id"))

    def _audio(self, request: Request) -> Response:
        """List music that an account may use: by the person's token of Facebook Login, and not by that of a Page."""
        linked = {page.details.get("instagram", {}).get("id") for page in request.person.destinations}
        if self.bearer(request) in self.page_tokens or "instagram_basic" not in request.grant.scopes:
            raise self.fail(10, "Application does not have permission for this action", status=403)
        if request.query.get("user_id") not in linked or request.query.get("audio_type") not in AUDIO_TYPES:
            raise self.fail(100, "Invalid parameter")
        return Response(200, {"audio": [one for one in AUDIO if one["audio_type"] == request.query["audio_type"]]})

    def _media(self, entry: Entry) -> dict[str, Any]:
        path = {"reel": "reel", "story": "stories"}.get(entry.kind, "p")
        comments = self.world.ledger.replies(self.key, entry.remote_id)
        return {
            "id": entry.remote_id,
            "caption": entry.text or None,
            "permalink": f"https://www.instagram.com/{path}/C{entry.remote_id}/",
            "timestamp": moment(entry.at),
            "media_type": "CAROUSEL_ALBUM" if len(entry.media) > 1 else "IMAGE",
            "like_count": self.count_of(entry, "likes", 5),
            "comments_count": len(comments),
        }

    @route("GET /{version}/{account}/content_publishing_limit")
    def limit(self, request: Request) -> Response:
        used = self.used(self.account(request, request.args["account"]), "post", "reel", "story", "carousel")
        config = {"quota_total": self.posts_a_day, "quota_duration": DAY}
        return Response(200, {"data": [{"quota_usage": used, "config": config}]})

    # --- containers --------------------------------------------------------------------------------------------------

    @route("POST /{version}/{account}/media")
    def create(self, request: Request) -> Response:
        account, params = self.account(request, request.args["account"]), self.params(request)
        if not self.world.count(("containers", account), CONTAINERS_A_DAY, DAY).allowed:
            raise self.fail(9, "The user has created too many containers", 2207042)
        caption = str(params.get("caption") or "")
        self._check_caption(caption)
        match params.get("media_type"):
            case "CAROUSEL":
                self.only(params, "media_type", "children", *_SINGLE)
                items = self.children(params.get("children"), account, 10)
                details = {"children": [one.id for one in items], **self._details(params)}
                details["alt_texts"] = [one.details["alt_texts"][0] for one in items]
                content = tuple(one.content[0] for one in items)
                container = self.add(account, "post", text=caption, content=content, details=details)
            case "REELS":
                self.only(
                    params, "media_type", "video_url", "share_to_feed", "thumb_offset", "audio_name", "trial_params",
                    "user_tags", "upload_type", "cover_url", "audio_configuration", *_SINGLE,
                )  # fmt: skip
                self._check_music(request, params)
                container = self._video(account, "reel", params, caption)
            case "STORIES":
                self.only(params, "media_type", "video_url", "image_url", "user_tags", "upload_type")
                is_image = "image_url" in params
                container = (self._image if is_image else self._video)(account, "story", params, "")
            case "VIDEO":
                self.only(params, "media_type", "video_url", "is_carousel_item", "user_tags", "upload_type")
                container = self._video(account, "item", params, "")
            case None:
                self.only(params, "image_url", "alt_text", "user_tags", "is_carousel_item", *_SINGLE)
                container = self._image(account, "post", params, caption)
            case _:
                raise self.fail(100, "The media type is unknown", 2207023)
        answer = {"id": container.id}
        if container.awaits_upload:
            answer["uri"] = f"{self.url}/ig-api-upload/{request.args['version']}/{container.id}"
        return Response(200, answer)

    def _check_music(self, request: Request, params: dict[str, Any]) -> None:
        if "audio_configuration" not in params:
            return
        music = json_param(params["audio_configuration"])
        if self.bearer(request) not in self.page_tokens or not isinstance(music, dict):
            raise self.fail(100, "Param audio_configuration is invalid, or not supported with Instagram Login")
        self.only(music, "audio_id", "audio_volume", "video_volume")
        volumes = [music.get(name, 100) for name in ("audio_volume", "video_volume")]
        if music.get("audio_id") not in {one["audio_id"] for one in AUDIO}:
            raise self.fail(100, "The audio is not available")
        if not all(type(volume) is int and 0 <= volume <= 100 for volume in volumes):
            raise self.fail(100, "A volume has to be from 0 to 100")

    def _check_caption(self, caption: str) -> None:
        hashtags, mentions = re.findall(r"(?<![\w&])#\w", caption), re.findall(r"(?<!\w)@\w", caption)
        if texts.utf16(caption) > CAPTION_MAX or len(hashtags) > HASHTAGS_MAX or len(mentions) > MENTIONS_MAX:
            raise self.fail(36004, "The caption is too long, or has too many hashtags or mentions", 2207010)

    def _image(self, account: str, kind: str, params: dict[str, Any], caption: str) -> Container:
        content = self.fetch(params.get("image_url"))
        ratios = (0.0, 100.0) if kind == "story" else (0.74, 1.92)  # 3:4, as live accounts take it; documented is 4:5
        self.image(content, frozenset({"image/jpeg"}), 8_000_000, ratios)
        item = params.get("is_carousel_item") == "true"
        details = {"alt_texts": [str(params.get("alt_text") or "")], **self._details(params)}
        return self.add(account, kind, text=caption, content=(content,), is_item=item, details=details)

    def _video(self, account: str, kind: str, params: dict[str, Any], caption: str) -> Container:
        item = params.get("is_carousel_item") == "true"
        details = {"alt_texts": [""], **self._details(params)}
        if params.get("upload_type") == "resumable":
            container = self.add(account, kind, text=caption, is_item=item, details=details)
            container.awaits_upload = True
            return container
        content = self.fetch(params.get("video_url"))
        self.video(content, 300_000_000)
        return self.add(account, kind, text=caption, content=(content,), is_item=item, details=details)

    def _details(self, params: dict[str, Any]) -> dict[str, Any]:
        names = ("collaborators", "user_tags", "trial_params", "audio_configuration")
        found = {name: json_param(params.get(name)) for name in names if name in params}
        if len(found.get("collaborators") or []) > 3:
            raise self.fail(100, "At most 3 collaborators", 2207040)
        if "cover_url" in params:
            self.image(self.fetch(params["cover_url"]), frozenset({"image/jpeg"}), 8_000_000, (0.0, 100.0))
        plain = ("location_id", "share_to_feed", "thumb_offset", "audio_name", "cover_url", "is_paid_partnership",
                 "is_ai_generated")  # fmt: skip
        return found | {name: params[name] for name in plain if name in params}

    @route("POST /ig-api-upload/{version}/{container}")
    def upload(self, request: Request) -> Response:
        container = self.containers.get(request.args["container"])
        if container is None or not container.awaits_upload:
            raise self.missing(request.args["container"])
        if int(request.headers.get("file_size", "-1")) != len(request.body) or request.headers.get("offset") != "0":
            raise self.fail(100, "The bytes do not fit offset and file_size", 1363037)
        self.video(request.body, 300_000_000)
        container.content, container.awaits_upload = (request.body,), False
        container.ready_at = self.world.clock() + timedelta(seconds=30)
        return Response(200, {"success": True, "message": "Upload successful."})

    @route("POST /{version}/{account}/media_publish")
    def media_publish(self, request: Request) -> Response:
        account = self.account(request, request.args["account"])
        return Response(200, {"id": self.release(request, account, self.params(request)).remote_id})

    # --- what is public ----------------------------------------------------------------------------------------------

    @route("GET /{version}/{account}/media")
    def media(self, request: Request) -> Response:
        return self._list(request, {"post", "reel", "carousel"})

    @route("GET /{version}/{account}/stories")
    def stories(self, request: Request) -> Response:
        return self._list(request, {"story"})

    def _list(self, request: Request, kinds: set[str]) -> Response:
        entries = [one for one in self.listed(self.account(request, request.args["account"])) if one.kind in kinds]
        fields = request.query.get("fields", "id")
        return self.listed_page(request, [self.shown(self._media(one), fields) for one in entries])

    @route("GET /{version}/{node}/insights")
    def insights(self, request: Request) -> Response:
        entry = self.world.ledger.find(self.key, request.args["node"])
        if entry is None:
            raise self.missing(request.args["node"])
        names = [name for name in request.query.get("metric", "").split(",") if name]
        reels = [name for name in names if name.startswith("ig_reels")]
        if not names or any(name not in METRICS for name in names) or (reels and entry.kind != "reel"):
            raise self.fail(100, "The media does not support one of the metrics")
        data = [self.insight(name, self.count_of(entry, name, METRICS[name])) for name in names]
        return Response(200, {"data": data})

    @route("DELETE /{version}/{node}")
    def remove(self, request: Request) -> Response:
        entry = self.world.ledger.find(self.key, request.args["node"])
        if entry is None:
            raise self.missing(request.args["node"])
        if entry.kind == "comment":
            return self.remove_comment(request, entry)
        is_of_page = self.bearer(request) in self.page_tokens  # Instagram Login cannot delete
        if not is_of_page or "instagram_manage_contents" not in request.grant.scopes:
            raise self.fail(10, "Application does not have permission for this action", status=403)
        entry.deleted_at = self.world.clock()
        return Response(200, {"success": True})


NETWORK: type[Network] = Instagram
