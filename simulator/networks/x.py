"""X, API v2: posts, chunked media with processing, OAuth 2 with PKCE and refresh tokens that work once.

Source: docs.x.com (rate limits, changelog), X's own client XDK 0.10.6 (OpenAPI 2.167), twitter-text configuration v3.
Not certain at the real network, and so chosen here: duplicates are refused for 24 hours; a spent refresh token ends the
whole grant; replies to one's own posts are always allowed.
"""

import hashlib
import html
import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from simulator import text as texts
from simulator.ledger import Entry
from simulator.messages import Fail, Request, Response
from simulator.network import Limit, Network, route
from simulator.networks.x_media import DAY, FAILURES, QUARTER, Media, Uploads
from simulator.oauth import OAuthError, OAuthRules
from simulator.specification import Deviation, Specification
from simulator.world import Person

DUPLICATE_SECONDS = 86_400
_READ = frozenset({"created_at", "entities", "attachments", "public_metrics", "non_public_metrics", "organic_metrics",
                   "referenced_tweets", "author_id", "conversation_id", "in_reply_to_user_id", "reply_settings", "text",
                   "id", "edit_history_tweet_ids", "note_tweet"})  # fmt: skip
_USER = frozenset({"id", "name", "username", "profile_image_url", "verified", "verified_type", "subscription_type",
                   "public_metrics", "protected", "created_at", "description"})  # fmt: skip
_FIELDS = {"type": "array", "minItems": 1, "items": {"enum": sorted(_READ)}}
_UNSPECIFIED = dict.fromkeys(
    ("GET /i/oauth2/authorize", "POST /i/oauth2/authorize", "POST /2/oauth2/token", "POST /2/oauth2/revoke"),
    "OAuth is documented, but not specified",
)
# The specification has had new names since July 2026; the documentation has the old ones, and both work.
_DIALECT = Deviation(
    "post.fields",
    "tweet.fields",
    _FIELDS,
    (
        ("https://docs.x.com/changelog: the field paid_partnership", "2026-06-03"),
        ("https://github.com/0xFlimbo/attention-index, docs/PROVIDERS.md 2.3: both work, measured", "2026-09-21"),
    ),
)


class X(Uploads):
    specification = Specification("x", _UNSPECIFIED, (_DIALECT,))
    ids_from = 1_900_000_000_000_000_000
    oauth_rules = OAuthRules(
        authorize="/i/oauth2/authorize",
        token="/2/oauth2/token",  # noqa: S106 - a path
        revoke="/2/oauth2/revoke",
        scopes=frozenset(
            {"tweet.read", "tweet.write", "users.read", "users.email", "media.write", "offline.access", "like.write"}
        ),
        pkce="required",
        client="basic",
        code_seconds=30,
        access_seconds=7_200,
        refresh_seconds=15_552_000,
        refresh_scope="offline.access",
        rotates=True,
        reuse_kills=True,
    )

    def token_error(self, error: OAuthError) -> Response:
        name = "invalid_request" if error.error == "invalid_grant" else error.error
        return Response(error.status, {"error": name, "error_description": error.description})

    def revoke_answer(self) -> Response:
        return Response(200, {"revoked": True})

    # --- people ----------------------------------------------------------------------------------------------------

    @route("GET /2/users/me", scopes=("users.read", "tweet.read"), limits=(Limit(75, QUARTER),))
    def me(self, request: Request) -> Response:
        self.only(request.query, "user.fields", "expansions", "tweet.fields")
        asked = self._asked(request, "user.fields", _USER)
        return Response(200, {"data": self._user(request.person, asked)})

    def _user(self, person: Person, asked: set[str]) -> dict[str, Any]:
        values = {
            "id": person.id,
            "name": person.name,
            "username": person.username,
            "profile_image_url": f"https://pbs.twimg.com/profile_images/{person.id}/me_normal.jpg",
            "subscription_type": person.details.get("subscription_type", "None"),
            "protected": False,
            "verified": False,
            "verified_type": "none",
            "description": "",
            "public_metrics": {
                "followers_count": person.details.get("followers", 7),
                "following_count": 3,
                "tweet_count": len(self.world.ledger.of("x", person.id)),
                "listed_count": 0,
                "like_count": 0,
            },
        }
        return {name: value for name, value in values.items() if name in asked | {"id", "name", "username"}}

    def _asked(self, request: Request, name: str, allowed: frozenset[str]) -> set[str]:
        asked = {value for value in request.query.get(name, "").split(",") if value}
        if unknown := sorted(asked - allowed):
            raise self.refuse(400, f"The `{name}` query parameter value [{unknown[0]}] is not one of {sorted(allowed)}")
        return asked

    # --- posts -----------------------------------------------------------------------------------------------------

    @route(
        "POST /2/tweets",
        scopes=("tweet.read", "tweet.write", "users.read"),
        limits=(Limit(100, QUARTER), Limit(10_000, DAY, "app")),
    )
    def create(self, request: Request) -> Response:
        body = request.json
        self.only(
            body, "text", "media", "poll", "reply", "quote_tweet_id", "reply_settings", "community_id", "geo",
            "share_with_followers", "paid_partnership", "made_with_ai", "for_super_followers_only", "nullcast",
        )  # fmt: skip
        text = self._text(request.person, body)
        media = self._attached(request, body.get("media"))
        poll = self._poll(body)
        self._options(request, body, has_media=bool(media))
        parent = self._parent(request, body.get("reply"))
        if text and self._is_duplicate(request.person, text):
            raise self.refuse(403, "You are not allowed to create a Tweet with duplicate content.")
        entry = self.publish(
            request,
            "reply" if parent else "post",
            text,
            media=tuple(hashlib.sha256(one.content or b"").hexdigest() for one in media),
            parent_id=parent,
            details={
                "alt_texts": [one.alt_text for one in media],
                "poll": poll,
                **{name: body[name] for name in ("reply_settings", "made_with_ai", "paid_partnership", "community_id",
                                                 "quote_tweet_id") if name in body},
            },
        )  # fmt: skip
        shown = self._tweet(entry, set())
        return Response(201, {"data": shown})

    def _text(self, person: Person, body: Mapping[str, Any]) -> str:
        text = body.get("text", "")
        if not isinstance(text, str) or (not text.strip() and not body.get("media")):
            raise self.refuse(400, "$.text: is missing but it is required")
        limit = 280 if person.details.get("subscription_type", "None") in {"None", "Basic"} else 25_000
        if texts.weighted(text) > limit:
            raise self.refuse(400, "Your Tweet text is too long.")
        if len(re.findall(r"(?<!\w)\$[A-Za-z]{1,6}\b", text)) > 1:
            raise self.refuse(403, "You can include at most one cashtag in a post.")
        return text

    def _attached(self, request: Request, value: Any) -> list[Media]:
        if value is None:
            return []
        self.only(value, "media_ids", "tagged_user_ids")
        ids = value.get("media_ids", [])
        if not 1 <= len(ids) <= 4 or not all(isinstance(one, str) for one in ids):
            raise self.refuse(400, "$.media.media_ids: there must be 1 to 4 ids, as strings")
        found = [self._ready(request, one) for one in ids]
        categories = {one.category for one in found}
        if len(found) > 1 and categories != {"tweet_image"}:
            raise self.refuse(400, "Your post can have 4 photos, or 1 GIF, or 1 video.")
        return found

    def _ready(self, request: Request, media_id: str) -> Media:
        media = self.media.get(media_id)
        now = self.world.clock()
        if media is None or media.owner_id != request.person.id or media.expires_at <= now or media.content is None:
            raise self.refuse(400, "Your media IDs are invalid.")
        if media.failed or (media.ready_at is not None and media.ready_at > now):
            raise self.refuse(400, "Your media IDs are invalid: the processing has not succeeded.")
        return media

    def _poll(self, body: Mapping[str, Any]) -> Any:
        poll = body.get("poll")
        if poll is None:
            return None
        self.only(poll, "options", "duration_minutes", "reply_settings")
        options, minutes = poll.get("options", []), poll.get("duration_minutes")
        if not 2 <= len(options) <= 4 or not all(1 <= len(option) <= 25 for option in options):
            raise self.refuse(400, "$.poll.options: there must be 2 to 4 of 1 to 25 characters")
        if not isinstance(minutes, int) or not 5 <= minutes <= 10_080:
            raise self.refuse(400, "$.poll.duration_minutes: must be between 5 and 10080")
        if "media" in body or "quote_tweet_id" in body:
            raise self.refuse(400, "Only one of media, poll and quote_tweet_id can be used.")
        return poll

    def _options(self, request: Request, body: Mapping[str, Any], *, has_media: bool) -> None:
        if body.get("reply_settings", "following") not in {"following", "mentionedUsers", "subscribers", "verified"}:
            raise self.refuse(400, "$.reply_settings: does not have a value in the enumeration")
        for name in ("made_with_ai", "paid_partnership", "share_with_followers"):
            if not isinstance(body.get(name, False), bool):
                raise self.refuse(400, f"$.{name}: must be a boolean")
        if "reply_settings" in body and body.get("reply") is not None:
            raise self.refuse(400, "$.reply_settings: cannot be set on a reply")
        if "quote_tweet_id" in body:
            if not self._concerns(request, self.world.ledger.find("x", str(body["quote_tweet_id"]))):
                raise self.refuse(403, "Quoting posts is not available for your access level.")
            if has_media:
                raise self.refuse(400, "Only one of media, poll and quote_tweet_id can be used.")

    def _parent(self, request: Request, reply: Any) -> str | None:
        if reply is None:
            return None
        self.only(reply, "in_reply_to_tweet_id", "exclude_reply_user_ids", "auto_populate_reply_metadata")
        parent_id = reply.get("in_reply_to_tweet_id")
        if not isinstance(parent_id, str):
            raise self.refuse(400, "$.reply.in_reply_to_tweet_id: is missing but it is required")
        parent = self.world.ledger.find("x", parent_id)
        if parent is None:
            raise self.refuse(403, "You attempted to reply to a Tweet that is deleted or not visible to you.")
        if not self._concerns(request, parent) and not self._quotes(request, parent):
            message = "Reply to this conversation is not allowed because you have not been mentioned or otherwise "
            raise self.refuse(403, f"{message}engaged by the author of the post you are replying to.")
        return parent_id

    def _quotes(self, request: Request, entry: Entry) -> bool:
        """Return whether a post quotes one of the account, whose author it so invites to reply."""
        quoted = self.world.ledger.find("x", str(entry.details.get("quote_tweet_id")))
        return quoted is not None and quoted.account_id == request.person.id

    def _concerns(self, request: Request, entry: Entry | None) -> bool:
        """Return whether an account may reply to a post or quote it: its own, and one that mentions it."""
        if request.grant.app.details.get("enterprise"):
            return True
        person = request.person
        return entry is not None and (entry.account_id == person.id or f"@{person.username}" in entry.text)

    def _is_duplicate(self, person: Person, text: str) -> bool:
        since = self.world.clock() - timedelta(seconds=DUPLICATE_SECONDS)
        return any(entry.text == text and entry.at > since for entry in self.world.ledger.of("x", person.id))

    def _tweet(self, entry: Entry, asked: set[str]) -> dict[str, Any]:
        """Show a post as X does: escaped, with short links, and with one more for its media."""
        links: list[dict[str, Any]] = []

        def shorten(url: str) -> str:
            short = f"https://t.co/{hashlib.sha256(f'{entry.remote_id}{url}'.encode()).hexdigest()[:10]}"
            links.append({"url": short, "expanded_url": url, "display_url": url.partition("://")[2][:26]})
            return short

        shown = texts.replace_urls(entry.text, shorten)
        if entry.media:
            kind = "photo"
            photo = f"https://x.com/i/status/{entry.remote_id}/{kind}/1"
            shown = f"{shown} {shorten(photo)}".lstrip()
        values: dict[str, Any] = {
            "id": entry.remote_id,
            "text": html.escape(shown, quote=False),
            "edit_history_tweet_ids": [entry.remote_id],
            "created_at": entry.at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{entry.at.microsecond // 1000:03d}Z",
            "author_id": entry.account_id,
            "entities": {"urls": links},
            "attachments": {"media_keys": [f"3_{hash_[:12]}" for hash_ in entry.media]},
        }
        if "public_metrics" in asked:
            values["public_metrics"] = self._public(entry)
        if "non_public_metrics" in asked:
            values["non_public_metrics"] = self._private(entry)
        if entry.parent_id:
            values["referenced_tweets"] = [{"type": "replied_to", "id": entry.parent_id}]
        if texts.weighted(entry.text) > 280:  # a long post: the whole text stands in a note
            values["note_tweet"] = {"text": values["text"], "entities": {"urls": links}}
            values["text"] = f"{values['text'][:270]}…"
        asked = asked | {"id", "text", "edit_history_tweet_ids"}
        if not entry.media:
            values.pop("attachments")
        return {name: value for name, value in values.items() if name in asked and value != {"urls": []}}

    def _private(self, entry: Entry) -> dict[str, int]:
        return {
            "impression_count": self.count_of(entry, "views", 40),
            "url_link_clicks": self.count_of(entry, "clicks", 2),
            "user_profile_clicks": self.count_of(entry, "profile", 1),
            "engagements": self.count_of(entry, "engagements", 5),
        }

    def _public(self, entry: Entry) -> dict[str, int]:
        replies = self.world.ledger.replies("x", entry.remote_id)
        return {
            "retweet_count": self.count_of(entry, "shares", 1),
            "reply_count": len(replies),
            "like_count": self.count_of(entry, "likes", 4),
            "quote_count": 0,
            "bookmark_count": self.count_of(entry, "saves", 0.5),
            "impression_count": self.count_of(entry, "views", 40),
        }

    @route(
        "GET /2/users/{id}/tweets",
        scopes=("tweet.read", "users.read"),
        limits=(Limit(900, QUARTER), Limit(10_000, QUARTER, "app")),
    )
    def timeline(self, request: Request) -> Response:
        query = request.query
        self.only(
            query, "start_time", "end_time", "max_results", "tweet.fields", "expansions", "media.fields", "exclude",
            "pagination_token", "since_id", "until_id", "user.fields",
        )  # fmt: skip
        asked = self._asked(request, "tweet.fields", _READ)
        count = int(query.get("max_results", "10"))
        if not 5 <= count <= 100:
            raise self.refuse(400, f"The `max_results` query parameter value [{count}] is not between 5 and 100")
        entries = self.listed(request.args["id"])
        if "start_time" in query:
            since = datetime.fromisoformat(query["start_time"])
            entries = [entry for entry in entries if entry.at >= since]
        first = int(query.get("pagination_token", "0"))
        page = entries[first : first + count]
        meta: dict[str, Any] = {"result_count": len(page)}
        if first + count < len(entries):
            meta["next_token"] = str(first + count)
        if not page:
            return Response(200, {"meta": meta})
        return Response(200, {"data": [self._tweet(entry, asked) for entry in page], "meta": meta})

    @route("GET /2/tweets", scopes=("tweet.read", "users.read"), limits=(Limit(5_000, QUARTER),))
    def lookup(self, request: Request) -> Response:
        self.only(request.query, "ids", "tweet.fields", "expansions", "media.fields", "user.fields")
        asked = self._asked(request, "tweet.fields", _READ)
        ids = [one for one in request.query.get("ids", "").split(",") if one]
        if not 1 <= len(ids) <= 100:
            raise self.refuse(400, "The number of values in the `ids` query parameter list is not between 1 and 100")
        found = {one: self.world.ledger.find("x", one) for one in ids}
        if "non_public_metrics" in asked and any(
            entry is not None and entry.account_id != request.person.id for entry in found.values()
        ):
            raise self.refuse(403, "Field Authorization Error")
        answer: dict[str, Any] = {}
        if data := [self._tweet(entry, asked) for entry in found.values() if entry is not None]:
            answer["data"] = data
        if missing := [one for one, entry in found.items() if entry is None]:
            answer["errors"] = [self._not_found(one) for one in missing]
        return Response(200, answer)

    def _not_found(self, tweet_id: str) -> dict[str, Any]:
        detail = f"Could not find tweet with ids: [{tweet_id}]."
        title, kind = FAILURES[404]
        return {"value": tweet_id, "detail": detail, "title": title, "type": kind, "resource_type": "tweet"}

    @route("DELETE /2/tweets/{id}", scopes=("tweet.read", "tweet.write", "users.read"), limits=(Limit(50, QUARTER),))
    def remove(self, request: Request) -> Response:
        entry = self.world.ledger.find("x", request.args["id"])
        if entry is None:
            raise Fail(Response(404, self._not_found(request.args["id"]) | {"status": 404}))
        if entry.account_id != request.person.id:
            raise self.refuse(403, "You are not authorized to delete this Tweet.")
        entry.deleted_at = self.world.clock()
        return Response(200, {"data": {"deleted": True}})


NETWORK: type[Network] = X
