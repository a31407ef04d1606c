"""TikTok, Content Posting API v2: creators, videos by upload, photos by address, status, numbers.

Source: developers.tiktok.com, as of 2026-09-19.
An app is audited unless its `details` say `unaudited`: then only private accounts (`person.details["private"]`) can be
posted to, and only for themselves. Not certain at the real network, and so chosen here: an upload that never ends is
forgotten after its hour; the id of a public post appears after 40 seconds.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any

from simulator import text as texts
from simulator.ledger import Entry
from simulator.messages import Fail, Request, Response
from simulator.network import Limit, Network, route
from simulator.networks.tiktok_uploads import Post, TikTokUploads
from simulator.oauth import Grant, OAuthError, OAuthRules
from simulator.world import Person

DAY = 86_400
POSTS_MAX, INBOX_MAX = 15, 5  # of a creator in a day
LEVELS = ("PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY")
_CODES: Mapping[int, str] = {
    400: "invalid_param", 401: "access_token_invalid", 403: "spam_risk", 404: "invalid_param",
    429: "rate_limit_exceeded", 500: "internal_error", 503: "internal_error",
}  # fmt: skip
_INFO = ("title", "privacy_level", "disable_duet", "disable_stitch", "disable_comment", "video_cover_timestamp_ms",
         "brand_content_toggle", "brand_organic_toggle", "is_aigc")  # fmt: skip


class TikTok(TikTokUploads):
    key = "tiktok"
    ids_from = 7_500_000_000_000_000_000
    oauth_rules = OAuthRules(
        authorize="/v2/auth/authorize/",
        token="/v2/oauth/token/",  # noqa: S106 - a path
        revoke="/v2/oauth/revoke/",
        scopes=frozenset(
            {"user.info.basic", "user.info.profile", "user.info.stats", "video.publish", "video.upload", "video.list"}
        ),
        separator=",",
        id_name="client_key",
        access_seconds=86_400,
        refresh_seconds=31_536_000,
        rotates=True,
        authorize_extras=frozenset({"disable_auto_auth"}),
    )

    # --- the words of TikTok ---------------------------------------------------------------------------------------

    def failure(self, status: int, message: str) -> Response:
        return self.because(status, _CODES.get(status, "internal_error"), message)

    def because(self, status: int, code: str, message: str) -> Response:
        return Response(status, {"data": {}, "error": {"code": code, "message": message, "log_id": self.new_id()}})

    def missing_scopes(self, missing: Iterable[str]) -> Response:
        return self.because(401, "scope_not_authorized", f"The user did not authorize the scope {', '.join(missing)}")

    def ok(self, data: Mapping[str, Any]) -> Response:
        return Response(200, {"data": dict(data), "error": {"code": "ok", "message": "", "log_id": self.new_id()}})

    def token_answer(self, grant: Grant) -> dict[str, Any]:
        answer = super().token_answer(grant) | {"open_id": grant.person.id, "token_type": "Bearer"}
        return answer | {"scope": ",".join(sorted(grant.scopes)), "refresh_expires_in": 31_536_000}

    def token_error(self, error: OAuthError) -> Response:
        """TikTok answers some errors of this route with status 200."""
        status = 200 if error.error == "invalid_grant" else error.status
        return Response(status, {"error": error.error, "error_description": error.description, "log_id": "1"})

    def revoke_answer(self) -> Response:
        return Response(200)

    def callback_extras(self, scopes: frozenset[str]) -> dict[str, str]:
        return {"scopes": ",".join(sorted(scopes))}

    # --- people ----------------------------------------------------------------------------------------------------

    @route("GET /v2/user/info/", scopes=("user.info.basic",))
    def user(self, request: Request) -> Response:
        self.only(request.query, "fields")
        person: Person = request.person
        scopes = {"username": "user.info.profile", "is_verified": "user.info.profile",
                  "follower_count": "user.info.stats"}  # fmt: skip
        values = {
            "open_id": person.id, "union_id": f"u-{person.id}", "avatar_url": f"https://p16.tiktokcdn.com/{person.id}",
            "display_name": person.name, "username": person.username, "is_verified": False, "follower_count": 321,
        }  # fmt: skip
        asked = [name for name in request.query.get("fields", "").split(",") if name]
        missing = [name for name in asked if scopes.get(name, "user.info.basic") not in request.grant.scopes]
        if not asked or not set(asked) <= set(values):
            raise Fail(self.because(400, "invalid_params", "The fields are missing or unknown"))
        if missing:
            raise Fail(self.missing_scopes([scopes[missing[0]]]))
        return self.ok({"user": {name: values[name] for name in asked}})

    @route("POST /v2/post/publish/creator_info/query/", scopes=("video.publish",), limits=(Limit(20, 60),))
    def creator(self, request: Request) -> Response:
        person = request.person
        if self._today(person) >= POSTS_MAX:
            raise Fail(self.because(403, "spam_risk_too_many_posts", "The daily post cap of this creator is reached"))
        return self.ok(
            {
                "creator_avatar_url": f"https://p16.tiktokcdn.com/{person.id}",
                "creator_username": person.username,
                "creator_nickname": person.name,
                "privacy_level_options": list(self._levels(person)),
                "comment_disabled": False,
                "duet_disabled": bool(person.details.get("private")),
                "stitch_disabled": False,
                "max_video_post_duration_sec": person.details.get("max_seconds", 600),
            }
        )

    def _levels(self, person: Person) -> tuple[str, ...]:
        return (
            ("FOLLOWER_OF_CREATOR", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY") if person.details.get("private") else LEVELS
        )

    def _today(self, person: Person) -> int:
        since = self.world.clock() - timedelta(seconds=DAY)
        return sum(one.at > since and one.kind != "inbox" for one in self.world.ledger.of("tiktok", person.id))

    # --- posts -----------------------------------------------------------------------------------------------------

    @route("POST /v2/post/publish/video/init/", scopes=("video.publish",), limits=(Limit(6, 60),))
    def video(self, request: Request) -> Response:
        self.only(request.json, "post_info", "source_info")
        info = self._info(request, request.json.get("post_info"), *_INFO, title_max=2_200)
        return self._announced(request, Post(self._publish_id("v_pub_file"), request.person, "video", info))

    @route("POST /v2/post/publish/inbox/video/init/", scopes=("video.upload",), limits=(Limit(6, 60),))
    def inbox(self, request: Request) -> Response:
        self.only(request.json, "source_info")
        self._check_inbox(request.person)
        return self._announced(request, Post(self._publish_id("v_inbox_file"), request.person, "inbox", {}))

    def _check_inbox(self, person: Person) -> None:
        since = self.world.clock() - timedelta(seconds=DAY)
        pending = [one for one in self.posts.values() if one.person is person and one.kind == "inbox"]
        if sum(one.at is not None and one.at > since for one in pending) >= INBOX_MAX:
            message = "There are too many pending shares within 24 hours"
            raise Fail(self.because(403, "spam_risk_too_many_pending_share", message))

    def _announced(self, request: Request, post: Post) -> Response:
        self.announce(post, request.json.get("source_info"))
        return self.ok({"publish_id": post.id, "upload_url": post.url})

    @route("POST /v2/post/publish/content/init/", limits=(Limit(6, 60),))
    def photos(self, request: Request) -> Response:
        body = request.json
        self.only(body, "media_type", "post_mode", "post_info", "source_info")
        direct = body.get("post_mode") == "DIRECT_POST"
        scope = "video.publish" if direct else "video.upload"
        if scope not in request.grant.scopes:
            raise Fail(self.missing_scopes([scope]))
        if body.get("media_type") != "PHOTO" or body.get("post_mode") not in {"DIRECT_POST", "MEDIA_UPLOAD"}:
            raise self.refuse(400, "media_type or post_mode is invalid")
        own = ("privacy_level", "disable_comment", "auto_add_music", "brand_content_toggle", "brand_organic_toggle")
        wanted = body.get("post_info")
        info = self._info(
            request, wanted, "title", "description", *(own if direct else ()), title_max=90, direct=direct
        )
        if texts.utf16(info.get("description", "")) > 4_000:
            raise self.refuse(400, "The description is too long")
        if not direct:
            self._check_inbox(request.person)
        post = Post(self._publish_id("p_pub_url"), request.person, "photo" if direct else "inbox", info)
        self.pull(post, request.grant.app, body.get("source_info"))
        return self.ok({"publish_id": post.id})

    def _publish_id(self, prefix: str) -> str:
        return f"{prefix}~v2-1.{self.new_id()}"

    def _info(self, request: Request, info: Any, *names: str, title_max: int, direct: bool = True) -> dict[str, Any]:
        if not isinstance(info, dict):
            raise self.refuse(400, "post_info is missing")
        self.only(info, *names)
        if texts.utf16(info.get("title", "")) > title_max:
            raise self.refuse(400, "The title is too long")
        if not direct:
            return info
        level, person = info.get("privacy_level"), request.person
        if level not in self._levels(person):
            raise Fail(
                self.because(403, "privacy_level_option_mismatch", "The privacy level is not one of the options")
            )
        if info.get("brand_content_toggle") and level == "SELF_ONLY":
            raise self.refuse(400, "Branded content cannot be private")
        if request.grant.app.details.get("unaudited") and (level != "SELF_ONLY" or not person.details.get("private")):
            message = "Please review our integration guidelines"
            raise Fail(self.because(403, "unaudited_client_can_only_post_to_private_accounts", message))
        if self._today(person) >= POSTS_MAX:
            raise Fail(self.because(403, "spam_risk_too_many_posts", "The daily post cap of this creator is reached"))
        return info

    @route("POST /v2/post/publish/status/fetch/", limits=(Limit(30, 60),))
    def status(self, request: Request) -> Response:
        self.only(request.json, "publish_id")
        post = self.posts.get(str(request.json.get("publish_id")))
        if post is None:
            raise Fail(self.because(400, "invalid_publish_id", "The publish_id does not exist"))
        if post.person is not request.person:
            code = "token_not_authorized_for_specified_publish_id"
            raise Fail(self.because(403, code, "The publish_id belongs to another creator"))
        return self.ok(self.state(post))

    # --- numbers ---------------------------------------------------------------------------------------------------

    @route("POST /v2/video/list/", scopes=("video.list",), limits=(Limit(600, 60),))
    def videos(self, request: Request) -> Response:
        self.only(request.json, "cursor", "max_count")
        count = request.json.get("max_count", 10)
        if type(count) is not int or not 1 <= count <= 20:
            raise Fail(self.because(400, "invalid_params", "max_count has to be 1 to 20"))
        public = [one for one in self.listed(request.person.id) if self._is_public(one)]
        return self._videos(request, public[:count], cursor=0, has_more=len(public) > count)

    @route("POST /v2/video/query/", scopes=("video.list",), limits=(Limit(600, 60),))
    def query(self, request: Request) -> Response:
        ids = (request.json.get("filters") or {}).get("video_ids", [])
        if not 1 <= len(ids) <= 20 or not all(isinstance(one, str) for one in ids):
            raise Fail(self.because(400, "invalid_params", "video_ids has to have 1 to 20 strings"))
        public = [one for one in self.listed(request.person.id) if self._is_public(one) and one.remote_id in ids]
        return self._videos(request, public)

    def _is_public(self, entry: Entry) -> bool:
        return entry.kind != "inbox" and entry.details.get("privacy_level") == "PUBLIC_TO_EVERYONE"

    def _videos(self, request: Request, entries: Iterable[Entry], **rest: Any) -> Response:
        names = [name for name in request.query.get("fields", "").split(",") if name]
        if not names:
            raise Fail(self.because(400, "invalid_params", "The fields are missing"))
        items = [self._shown(entry) for entry in entries]
        return self.ok({"videos": [{name: item[name] for name in names if name in item} for item in items]} | rest)

    def _shown(self, entry: Entry) -> dict[str, Any]:
        counts = {"view_count": 50, "like_count": 5, "comment_count": 1, "share_count": 1}
        title = re.sub(r"\s+", " ", entry.text) if self.struck("one_line") else entry.text
        return {
            "id": entry.remote_id,
            "create_time": int(entry.at.timestamp()),
            "title": title,
            "video_description": title,
            "share_url": f"https://www.tiktok.com/@{entry.account_id}/video/{entry.remote_id}",
            **{name: self.count_of(entry, name, rate) for name, rate in counts.items()},
        }


NETWORK: type[Network] = TikTok
