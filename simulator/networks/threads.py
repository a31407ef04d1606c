"""Threads, API v1.0: tokens, containers, threads of replies, quotas, insights.

Source: developers.facebook.com (Threads API). Not certain at the real network, and so chosen here: a post cannot be
replied to for two seconds after it was published; of an emoji the bytes of UTF-8 count; offsets of `text_entities`
count code points, as https://developers.facebook.com/documentation/threads/create-posts/spoilers does not say.
"""

from datetime import timedelta
from typing import Any

import regex

from simulator import text as texts
from simulator.ledger import Entry
from simulator.messages import Request, Response
from simulator.network import Network, route
from simulator.networks.containers import DAY, Container
from simulator.networks.graph import json_param, moment
from simulator.networks.threads_replies import ThreadsReplies
from simulator.oauth import OAuthError, OAuthRules

TEXT_MAX, LINKS_MAX, SPOILERS_MAX = 500, 5, 10
HIDDEN_SECONDS = 2
REPLIES_A_DAY, DELETES_A_DAY = 1_000, 100
METRICS = {"views": 45, "likes": 4, "replies": 1, "reposts": 1, "quotes": 1, "shares": 1}
CONTROLS = {"everyone", "accounts_you_follow", "mentioned_only", "parent_post_author_only", "followers_only"}
_EMOJI = regex.compile(r"\p{Extended_Pictographic}|\p{Regional_Indicator}|[0-9#*]\ufe0f?\u20e3")
_CLUSTER = regex.compile(r"\X")


def length(text: str) -> int:
    """Return the length of a post: an emoji counts its bytes, any other character 1."""
    clusters = _CLUSTER.findall(text)
    return sum(len(one.encode()) if _EMOJI.search(one) else len(one) for one in clusters)


class Threads(ThreadsReplies):
    key = "threads"
    versions = frozenset({"v1.0"})
    posts_a_day = 250
    ids_from = 18_000_000_000_000_000
    oauth_rules = OAuthRules(
        authorize="/oauth/authorize",
        token="/oauth/access_token",  # noqa: S106 - a path
        scopes=frozenset(
            {
                "threads_basic", "threads_content_publish", "threads_manage_replies", "threads_read_replies",
                "threads_manage_insights", "threads_delete", "threads_location_tagging", "threads_manage_mentions",
            }
        ),
        separator=",",
        code_seconds=3_600,
        access_seconds=3_600,
    )  # fmt: skip

    # --- tokens ------------------------------------------------------------------------------------------------------

    def token_answer(self, grant: Any) -> dict[str, Any]:
        return {"access_token": grant.access_token, "user_id": grant.person.id}

    def token_error(self, error: OAuthError) -> Response:
        message = f"Invalid authorization code: {error.description}"
        return Response(400, {"error_type": "OAuthException", "code": 400, "error_message": message})

    @route("GET /access_token", auth=False)
    def exchange(self, request: Request) -> Response:
        return self.renewed(request, "th_exchange_token")

    @route("GET /refresh_access_token", auth=False)
    def refresh(self, request: Request) -> Response:
        return self.renewed(request, "th_refresh_token")

    def account(self, request: Request) -> str:
        if request.args["user"] not in {"me", request.person.id}:
            raise self.fail(200, "The token is not for this profile", status=403)
        return str(request.person.id)

    # --- nodes -------------------------------------------------------------------------------------------------------

    @route("GET /{version}/{node}", scopes=("threads_basic",))
    def node(self, request: Request) -> Response:
        node, fields = request.args["node"], request.query.get("fields", "id")
        if node in {"me", request.person.id}:
            person = request.person
            picture = f"https://scontent.example/{person.id}.jpg"
            values = {"id": person.id, "username": person.username, "name": person.name}
            return Response(200, self.shown(values | {"threads_profile_picture_url": picture}, fields))
        if node in self.containers:
            state, message = self.state(self.containers[node])
            error = message if state == "ERROR" else None
            return Response(200, self.shown({"id": node, "status": state, "error_message": error}, fields))
        entry = self.world.ledger.find(self.key, node)
        if entry is None:
            raise self.missing(node)
        return Response(200, self.shown(self._media(entry, request.person.username), fields))

    def _media(self, entry: Entry, username: str) -> dict[str, Any]:
        return {
            "id": entry.remote_id,
            "text": entry.text or None,
            "permalink": f"https://www.threads.com/@{username}/post/D{entry.remote_id}",
            "timestamp": moment(entry.at),
            "is_reply": entry.parent_id is not None,
            "replied_to": {"id": entry.parent_id} if entry.parent_id else None,
        }

    @route("GET /{version}/{user}/threads_publishing_limit", scopes=("threads_basic",))
    def limit(self, request: Request) -> Response:
        account = self.account(request)
        values = {
            "quota_usage": self.used(account, "post"),
            "config": {"quota_total": self.posts_a_day, "quota_duration": DAY},
            "reply_quota_usage": self.used(account, "reply"),
            "reply_config": {"quota_total": REPLIES_A_DAY, "quota_duration": DAY},
        }
        return Response(200, {"data": [values]})

    # --- containers --------------------------------------------------------------------------------------------------

    @route("POST /{version}/{user}/threads", scopes=("threads_content_publish",))
    def create(self, request: Request) -> Response:
        account, params = self.account(request), self.params(request)
        self.only(
            params, "media_type", "text", "image_url", "video_url", "is_carousel_item", "children", "alt_text",
            "link_attachment", "reply_to_id", "reply_control", "topic_tag", "poll_attachment",
            "quote_post_id", "is_spoiler_media", "text_entities",
        )  # fmt: skip
        text, kind = str(params.get("text") or ""), params.get("media_type")
        self._check(text, params)
        parent = self._parent(request, params.get("reply_to_id"))
        details = {"reply_to": parent, "link": params.get("link_attachment"), "topic": params.get("topic_tag")}
        details |= {"reply_control": params.get("reply_control"), "poll": json_param(params.get("poll_attachment"))}
        details["alt_texts"] = [str(params.get("alt_text") or "")]
        details["hidden"] = self._hidden(text, params)
        details |= {"quote": params.get("quote_post_id"), "spoiler": params.get("is_spoiler_media") == "true"}
        values: dict[str, Any] = {"text": text, "details": details, "is_item": params.get("is_carousel_item") == "true"}
        container = self._made(account, "reply" if parent else "post", str(kind), params, values)
        return Response(200, {"id": container.id})

    def _made(
        self, account: str, public_kind: str, kind: str, params: dict[str, Any], values: dict[str, Any]
    ) -> Container:
        match kind:
            case "TEXT":
                if not values["text"]:
                    raise self.fail(100, "Param text is required")
                values["details"]["alt_texts"] = []
                return self.add(account, public_kind, **values)
            case "IMAGE":
                content = self.fetch(params.get("image_url"))
                self.image(content, frozenset({"image/jpeg", "image/png"}), 8_000_000, (0.1, 10.0))
            case "VIDEO":
                content = self.fetch(params.get("video_url"))
                self.video(content, 1_000_000_000)
            case "CAROUSEL":
                items = self.children(params.get("children"), account, 20)
                values["details"]["children"] = [one.id for one in items]
                values["details"]["alt_texts"] = [one.details["alt_texts"][0] for one in items]
                return self.add(account, public_kind, content=tuple(one.content[0] for one in items), **values)
            case _:
                raise self.fail(100, "Param media_type must be one of TEXT, IMAGE, VIDEO, CAROUSEL")
        return self.add(account, public_kind, content=(content,), **values)

    def _check(self, text: str, params: dict[str, Any]) -> None:
        if length(text) > TEXT_MAX:
            raise self.fail(100, "Param text must be at most 500 characters long.")
        links = {*texts.urls(text), params.get("link_attachment")} - {None}
        if len(links) > LINKS_MAX:
            raise self.fail(100, "THREADS_API__LINK_LIMIT_EXCEEDED")
        if params.get("reply_control", "everyone") not in CONTROLS:
            raise self.fail(100, "Param reply_control is not one of the allowed values")
        tag = params.get("topic_tag")
        if tag is not None and (not 1 <= len(tag) <= 50 or "." in tag or "&" in tag):
            raise self.fail(100, "Param topic_tag is invalid")
        is_text = params.get("media_type") == "TEXT"
        if not is_text and ("link_attachment" in params or "poll_attachment" in params):
            raise self.fail(100, "link_attachment and poll_attachment are for text posts")
        quoted = params.get("quote_post_id")
        if quoted is not None and ("poll_attachment" in params or "link_attachment" in params):
            raise self.fail(100, "A quote can have neither a poll nor a link attachment")
        if quoted is not None and self.world.ledger.find(self.key, quoted) is None:
            raise self.fail(100, "Param quote_post_id is not a post", 33)
        if "is_spoiler_media" in params and is_text:
            raise self.fail(100, "is_spoiler_media is for posts with media")
        poll = json_param(params.get("poll_attachment"))
        if "poll_attachment" in params and (not isinstance(poll, dict) or not {"option_a", "option_b"} <= set(poll)):
            raise self.fail(100, "Param poll_attachment is invalid")

    def _hidden(self, text: str, params: dict[str, Any]) -> list[str]:
        """Return the pieces of the text that are hidden at first."""
        if "text_entities" not in params:
            return []
        entities = json_param(params["text_entities"])
        if not isinstance(entities, list) or not 0 < len(entities) <= SPOILERS_MAX:
            raise self.fail(100, "Param text_entities must be a list of at most 10 entities")
        hidden, end = [], 0
        for one in entities:
            values = [one.get(name) for name in ("offset", "length")] if isinstance(one, dict) else []
            if not values or one.get("entity_type") not in {"SPOILER", "spoiler"} or set(map(type, values)) != {int}:
                raise self.fail(100, "Param text_entities is invalid")
            offset, size = values
            if offset < end or size < 1 or offset + size > len(text):
                raise self.fail(100, "Param text_entities is out of the text, or its entities overlap")
            end = offset + size
            hidden.append(text[offset:end])
        return hidden

    def _parent(self, request: Request, parent_id: Any) -> str | None:
        if parent_id is None:
            return None
        if "threads_manage_replies" not in request.grant.scopes:
            raise self.fail(10, "Application does not have permission for this action", status=403)
        parent = self.world.ledger.find(self.key, str(parent_id))
        if parent is None or self.world.clock() - parent.at < timedelta(seconds=HIDDEN_SECONDS):
            raise self.fail(24, "The requested resource does not exist", 4279009)
        return parent.remote_id

    @route("POST /{version}/{user}/threads_publish", scopes=("threads_content_publish",))
    def threads_publish(self, request: Request) -> Response:
        return Response(200, {"id": self.release(request, self.account(request), self.params(request)).remote_id})

    # --- what is public ----------------------------------------------------------------------------------------------

    @route("GET /{version}/{user}/threads", scopes=("threads_basic",))
    def threads(self, request: Request) -> Response:
        return self._list(request, "post")

    @route("GET /{version}/{user}/replies", scopes=("threads_read_replies",))
    def replies(self, request: Request) -> Response:
        return self._list(request, "reply")

    def _list(self, request: Request, kind: str) -> Response:
        query, since = request.query, int(request.query.get("since", "0"))
        entries = [
            one for one in self.listed(self.account(request)) if one.kind == kind and one.at.timestamp() >= since
        ]
        fields, username = query.get("fields", "id"), request.person.username
        return self.listed_page(request, [self.shown(self._media(one, username), fields) for one in entries])

    @route("GET /{version}/{node}/insights", scopes=("threads_manage_insights",))
    def insights(self, request: Request) -> Response:
        entry = self.world.ledger.find(self.key, request.args["node"])
        if entry is None:
            raise self.missing(request.args["node"])
        names = [name for name in request.query.get("metric", "").split(",") if name]
        if not names or any(name not in METRICS for name in names):
            raise self.fail(100, "The media does not support one of the metrics")
        return Response(200, {"data": [self.insight(one, self.count_of(entry, one, METRICS[one])) for one in names]})

    @route("DELETE /{version}/{node}", scopes=("threads_delete",))
    def remove(self, request: Request) -> Response:
        entry = self.world.ledger.find(self.key, request.args["node"])
        if entry is None:
            raise self.missing(request.args["node"])
        if not self.world.count(("deletes", request.person.id), DELETES_A_DAY, DAY).allowed:
            raise self.fail(9, "Too many deletes in 24 hours")
        entry.deleted_at = self.world.clock()
        return Response(200, {"success": True, "deleted_id": entry.remote_id})


NETWORK: type[Network] = Threads
