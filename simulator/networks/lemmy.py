"""Lemmy: an instance with sessions, communities, pictures, posts, comments, a log of what moderators did, and limits.

Source: the source of Lemmy 0.19.20 and the types of lemmy-js-client 0.19 (both read on 2026-11-29). As Lemmy does, it
answers nearly every refusal with the status 400, ignores a session that it does not know wherever nobody has to be
signed in, sets the time and the language of a post, replaces words that it does not want in texts and refuses them in
titles, and leaves out of a person's posts what their settings hide and what moderators removed. Stricter than Lemmy, it
refuses members that nobody reads, and a picture of its own that was not uploaded. Faults of its own: `firewall` answers
a page instead of JSON, `breaks` an error after a post is public, `purged` a moderator's removal right after it.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from simulator.messages import Fail, File, Request, Response
from simulator.network import Limit, Network, Route, route
from simulator.oauth import Grant
from simulator.world import App, Person, World

API = "/api/v3"
HOST = "bakery.example"
TITLE, BODY_MAX, COMMENT_MAX, URL_MAX, ALT_TEXT_MAX = range(3, 201), 50_000, 10_000, 2_000, 1_500
PAGE_MAX, PAGE_LENGTH_MAX = 100, 50
LANGUAGES = {"und": 0, "de": 32, "en": 37, "fr": 47}
SLUR = "scurvy"
BLOCKED_SITE = "spam.example"
FILES = ("image/jpeg", "image/png", "image/gif", "image/webp", "image/avif")
POST: Mapping[str, tuple[type, ...]] = {
    "name": (str,), "community_id": (int,), "url": (str,), "body": (str,), "alt_text": (str,), "honeypot": (str,),
    "nsfw": (bool,), "language_id": (int,), "custom_thumbnail": (str,),
}  # fmt: skip
CODES = {401: "incorrect_login", 403: "not_logged_in", 404: "not_found", 429: "rate_limit_error", 500: "unknown"}


@dataclass
class Community:
    id: int
    name: str
    title: str
    host: str = HOST
    nsfw: bool = False
    hidden: bool = False
    removed: bool = False
    mods_only: bool = False
    moderators: set[str] = field(default_factory=set)
    """Ids of people; so are the others."""
    banned: set[str] = field(default_factory=set)
    followers: set[str] = field(default_factory=set)
    languages: tuple[int, ...] = ()


@dataclass
class User:
    password: str
    code: str | None = None
    """Of two-factor authentication."""
    refusal: str | None = None
    """Why this user is not let in."""


def utf16(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


class Lemmy(Network):
    key = "lemmy"
    ids_from = 2_000

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.version = "0.19.20"
        self.private = False
        """Whether nobody reads anything without a session."""
        self.users: dict[str, tuple[Person, User]] = {}
        """By username."""
        self.sessions: dict[str, Person] = {}
        self.communities: dict[int, Community] = {}
        self.posts: dict[int, dict[str, Any]] = {}
        self.removals: dict[int, str] = {}
        """When moderators removed posts, by their numbers."""
        self.pictures: dict[str, str] = {}
        """SHA-256 of each picture, by its name."""
        self._app = App("lemmy", "lemmy", "")

    # --- seeds -------------------------------------------------------------------------------------------------------

    def add_user(self, person: Person, password: str = "a long password", **values: Any) -> User:  # noqa: S107
        user = User(password, **values)
        self.users[person.username] = (person, user)
        return user

    def add_community(self, name: str = "bread", **values: Any) -> Community:
        number = int(self.new_id())
        self.communities[number] = made = Community(number, name, **{"title": name.title()} | values)
        return made

    def add_session(self, person: Person, jwt: str | None = None) -> str:
        jwt = jwt or f"eyJ{self.world.secret('jwt')}"
        self.sessions[jwt] = person
        return jwt

    def open_account(self, person: Person) -> dict[str, str]:
        """Let a person in who follows a community; return the values of the form that signs them in."""
        user = self.add_user(person)
        self.add_community().followers.add(person.id)
        return {"instanceUrl": self.url, "username": person.username, "password": user.password}

    def remove(self, number: int) -> None:
        """Remove a post, as a moderator does."""
        self.posts[number]["removed"] = True
        self.removals[number] = self._now()

    def _now(self) -> str:
        return self.world.clock().strftime("%Y-%m-%dT%H:%M:%S.%fZ")

    # --- the words of Lemmy ------------------------------------------------------------------------------------------

    def failure(self, status: int, message: str) -> Response:
        if status == 400:
            return Response(400, {"error": "unknown", "message": message})
        return self.said(
            CODES.get(status, "unknown"), status=status if status in {401, 404, 429} or status >= 500 else 400
        )

    def said(self, code: str, message: str | None = None, status: int = 400) -> Response:
        return Response(status, {"error": code} | ({} if message is None else {"message": message}))

    def no(self, code: str) -> Fail:
        return Fail(self.said(code))

    def unauthorized(self) -> Response:
        return self.said("not_logged_in")

    def rate_limited(self) -> Response:
        return self.said("rate_limit_error")

    def handle(self, request: Request, made: Route | None) -> Response:
        if self.struck("firewall", made.call if made else "*"):
            return Response(403, body=b"<html>Blocked</html>", headers={"Content-Type": "text/html"})
        if made is not None and self._is_closed(request, made):
            return self.said("instance_is_private")
        return super().handle(request, made)

    def _is_closed(self, request: Request, made: Route) -> bool:
        is_open = made.auth or made.call in {f"GET {API}/site", f"POST {API}/user/login"}
        return self.private and not is_open and self.authenticate(request) is None

    def authenticate(self, request: Request) -> Grant | None:
        person = self.sessions.get(self.bearer(request))
        return None if person is None else Grant(self._app, person, frozenset(), self.world.clock())

    def end(self, grant: Grant) -> None:
        self.sessions = {jwt: person for jwt, person in self.sessions.items() if person.id != grant.person.id}

    # --- sessions, and what the instance is --------------------------------------------------------------------------

    @route(f"POST {API}/user/login", auth=False)
    def login(self, request: Request) -> Response:
        form = request.json
        self.only(form, "username_or_email", "password", "totp_2fa_token")
        name = str(form.get("username_or_email", ""))
        person, user = self.users.get(name.partition("@")[0], (None, None))
        if person is None or user is None or form.get("password") != user.password:
            raise Fail(self.said("incorrect_login", status=401))
        if user.refusal is not None:
            raise self.no(user.refusal)
        if user.code is not None and form.get("totp_2fa_token") is None:
            raise self.no("missing_totp_token")
        if user.code is not None and form["totp_2fa_token"] != user.code:
            raise self.no("incorrect_totp_token")
        return Response(
            200, {"jwt": self.add_session(person), "registration_created": False, "verify_email_sent": False}
        )

    @route(f"POST {API}/user/logout")
    def logout(self, request: Request) -> Response:
        self.sessions.pop(self.bearer(request))
        return Response(200, {"success": True})

    @route(f"GET {API}/site", auth=False)
    def site(self, request: Request) -> Response:
        grant = self.authenticate(request)
        answer = {
            "site_view": {"site": {"name": "Bakery"}}, "admins": [], "version": self.version, "taglines": [],
            "all_languages": [{"id": number, "code": code, "name": code} for code, number in LANGUAGES.items()],
            "discussion_languages": [], "custom_emojis": [], "blocked_urls": [],
        }  # fmt: skip
        return Response(200, answer if grant is None else answer | {"my_user": self._me(grant.person)})

    def _me(self, person: Person) -> dict[str, Any]:
        settings = {"show_nsfw": True, "show_bot_accounts": True} | person.details.get("settings", {})
        view = {"local_user": settings, "person": self._person(person), "counts": {"post_count": len(self.posts)}}

        def listed(which: str) -> list[dict[str, Any]]:
            return [{"community": self._community(each)} for each in self.communities.values()
                    if person.id in getattr(each, which)]  # fmt: skip

        blocks = [
            {"community": self._community(self.communities[number])} for number in person.details.get("blocks", ())
        ]
        return {"local_user_view": view, "follows": listed("followers"), "moderates": listed("moderators"),
                "community_blocks": blocks, "instance_blocks": [], "person_blocks": [],
                "discussion_languages": person.details.get("languages", [])}  # fmt: skip

    def _person(self, person: Person) -> dict[str, Any]:
        return {"id": int(person.id), "name": person.username, "display_name": person.name, "local": True,
                "banned": person.details.get("banned", False), "deleted": False, "instance_id": 1,
                "bot_account": person.details.get("bot", False), "published": "2026-01-01T00:00:00.000000Z",
                "actor_id": f"https://{HOST}/u/{person.username}"}  # fmt: skip

    def _community(self, community: Community) -> dict[str, Any]:
        return {"id": community.id, "name": community.name, "title": community.title, "removed": community.removed,
                "deleted": False, "nsfw": community.nsfw, "local": community.host == HOST, "hidden": community.hidden,
                "actor_id": f"https://{community.host}/c/{community.name}", "instance_id": 1, "visibility": "Public",
                "posting_restricted_to_mods": community.mods_only}  # fmt: skip

    @route(f"GET {API}/community", auth=False)
    def community(self, request: Request) -> Response:
        self.only(request.query, "id", "name")
        name, at, host = request.query.get("name", "").partition("@")
        for found in self.communities.values():
            if found.name == name and found.host == (host if at else HOST):
                grant = self.authenticate(request)
                view = {"community": self._community(found), "subscribed": "NotSubscribed", "blocked": False,
                        "banned_from_community": grant is not None and grant.person.id in found.banned}  # fmt: skip
                moderators = [{"community": self._community(found), "moderator": {"id": int(person_id)}}
                              for person_id in found.moderators]  # fmt: skip
                return Response(200, {"community_view": view, "moderators": moderators,
                                      "discussion_languages": list(found.languages)})  # fmt: skip
        raise self.no("couldnt_find_community")

    # --- pictures ----------------------------------------------------------------------------------------------------

    @route("POST /pictrs/image")
    def upload(self, request: Request) -> Response:
        form = dict(request.form)
        file = form.pop("images[]", None)
        self.only(form)
        if not isinstance(file, File) or not file.content:
            return Response(400, {"msg": "No files present in upload", "files": None})
        if file.content_type not in FILES:
            return Response(400, {"msg": "Unsupported media type", "code": "unsupported-media-type"})
        name = f"{int(self.new_id()):032x}.{file.content_type.partition('/')[2]}"
        self.pictures[name] = hashlib.sha256(file.content).hexdigest()
        return Response(201, {"msg": "ok", "files": [{"file": name, "delete_token": "d"}]})

    def _shown_pictures(self, post: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the SHA-256 of the pictures in a post, in the order in which people see them."""
        text = f"{post.get('url') or ''} {post.get('body') or ''}"
        names = re.findall(rf"{re.escape(self.url)}/pictrs/image/([\w.-]+)", text)
        if missing := [name for name in names if name not in self.pictures]:
            raise self.refuse(400, f"nothing was uploaded as {missing[0]}")
        return tuple(self.pictures[name] for name in names)

    # --- posts -------------------------------------------------------------------------------------------------------

    @route(f"POST {API}/post", limits=(Limit(6, 600),))
    def create(self, request: Request) -> Response:
        body = request.json
        for name, value in body.items():
            if name not in POST or not isinstance(value, POST[name]):
                raise self.refuse(400, f"Json deserialize error: {name}")
        self._validate(body)
        community = self._may_post(request.person, body["community_id"])
        language = body.get("language_id")
        if language is not None and community.languages and language not in community.languages:
            raise self.no("language_not_allowed")
        number = int(self.new_id())
        post = {
            "id": number, "creator_id": int(request.person.id), "removed": False, "locked": False, "deleted": False,
            "published": self._now(), "featured_community": False,
            "featured_local": False, "local": True, "ap_id": f"https://{HOST}/post/{number}",
            **body, "name": body["name"].strip(), "nsfw": community.nsfw or body.get("nsfw", False),
            "language_id": LANGUAGES["und"] if language is None else language,
        }  # fmt: skip
        if "body" in body:
            post["body"] = re.sub(r"[?&]utm_\w+=[^&\s)]*", "", body["body"].replace(SLUR, "*removed*"))
        media = self._shown_pictures(post)
        self.posts[number] = post
        alt_texts = [body["alt_text"]] if "alt_text" in body else re.findall(r"!\[(.*?)\]\(", body.get("body", ""))
        text = re.sub(r"\s*!\[.*?\]\([^)]*\)", "", body.get("body", ""))
        self.publish(request, "post", text, remote_id=str(number), media=media,
                     details={**post, "alt_texts": alt_texts})  # fmt: skip
        if self.struck("purged"):
            self.remove(number)
        if self.struck("breaks"):
            raise self.refuse(400, "an error of the database")
        return Response(200, {"post_view": self._view(post)})

    def _validate(self, body: Mapping[str, Any]) -> None:
        """Refuse what Lemmy refuses of a post, in its order."""
        title, url = body.get("name", ""), body.get("url", "")
        addresses = [body[name] for name in ("url", "custom_thumbnail") if name in body]
        refusals = {
            "honeypot_failed": "honeypot" in body,
            "slurs": SLUR in title,
            "invalid_url": any(not re.match(r"\w+:\S", address) for address in addresses),
            "invalid_post_title": len(title.strip()) not in TITLE or "\n" in title,
            "blocked_url": BLOCKED_SITE in url or BLOCKED_SITE in body.get("body", ""),
            "invalid_url_scheme": any(not re.match(r"https?://", address) for address in addresses),
            "url_length_overflow": any(utf16(address) > URL_MAX for address in addresses),
            "alt_text_length_overflow": utf16(body.get("alt_text", "")) > ALT_TEXT_MAX,
            "invalid_body_field": utf16(body.get("body", "")) > BODY_MAX,
        }
        for code, holds in refusals.items():
            if holds:
                raise self.no(code)

    def _may_post(self, person: Person, number: int) -> Community:
        community = self.communities.get(number)
        if person.details.get("banned"):
            raise self.no("site_ban")
        if community is None:
            raise self.no("couldnt_find_community")
        if community.removed:
            raise self.no("deleted")
        if person.id in community.banned:
            raise self.no("banned_from_community")
        if community.mods_only and person.id not in community.moderators:
            raise self.no("only_mods_can_post_in_community")
        return community

    @route(f"GET {API}/post", auth=False)
    def read(self, request: Request) -> Response:
        self.only(request.query, "id")
        post, grant = self.posts.get(int(request.query["id"])), self.authenticate(request)
        is_own = grant is not None and post is not None and post["creator_id"] == int(grant.person.id)
        if post is None or ((post["deleted"] or post["removed"]) and not is_own):
            raise self.no("couldnt_find_post")
        return Response(200, {"post_view": self._view(post), "moderators": [], "cross_posts": []})

    @route(f"POST {API}/post/delete")
    def delete(self, request: Request) -> Response:
        body = request.json
        self.only(body, "post_id", "deleted")
        post = self.posts.get(body["post_id"])
        if post is None:
            raise self.no("couldnt_find_post")
        if post["deleted"] is body["deleted"]:
            raise self.no("couldnt_update_post")
        if post["creator_id"] != int(request.person.id):
            raise self.no("no_post_edit_allowed")
        post["deleted"] = body["deleted"]
        entry = self.world.ledger.find(self.key, str(post["id"]))
        if entry is not None:
            entry.deleted_at = self.world.clock()
        return Response(200, {"post_view": self._view(post)})

    @route(f"POST {API}/comment", limits=(Limit(6, 600),))
    def comment(self, request: Request) -> Response:
        body = request.json
        self.only(body, "post_id", "content", "parent_id", "language_id")
        if body.get("post_id") not in self.posts:
            raise self.no("couldnt_find_post")
        if not body.get("content") or utf16(body["content"]) > COMMENT_MAX:
            raise self.no("invalid_body_field")
        entry = self.publish(request, "comment", body["content"], parent_id=str(body["post_id"]))
        comment = {"id": int(entry.remote_id), "content": entry.text, "post_id": body["post_id"]}
        return Response(200, {"comment_view": {"comment": comment}, "recipient_ids": []})

    # --- lists -------------------------------------------------------------------------------------------------------

    @route(f"GET {API}/user", auth=False)
    def person(self, request: Request) -> Response:
        query = request.query
        self.only(query, "person_id", "username", "sort", "page", "limit", "community_id", "saved_only")
        first, length = self._page(query)
        viewer = self.authenticate(request)
        listed = {entry.remote_id for entry in self.listed(query["person_id"])}
        listed |= {str(number) for number, post in self.posts.items() if post["deleted"]}
        posts = [post for number, post in self.posts.items() if str(number) in listed
                 and post["creator_id"] == int(query["person_id"]) and self._is_listed(post, viewer)]  # fmt: skip
        posts.sort(key=lambda post: (post["featured_local"], post["published"], post["id"]), reverse=True)
        views = [self._view(post) for post in posts[first : first + length]]
        return Response(200, {"person_view": {}, "comments": [], "posts": views, "moderates": []})

    def _is_listed(self, post: Mapping[str, Any], viewer: Grant | None) -> bool:
        community = self.communities[post["community_id"]]
        if post["removed"] or community.hidden or community.removed:
            return False
        if viewer is None:
            return not post["nsfw"] and not post["deleted"]
        details = viewer.person.details
        settings, languages = details.get("settings", {}), details.get("languages", [])
        return (
            (not post["nsfw"] or settings.get("show_nsfw", True))
            and (not details.get("bot", False) or settings.get("show_bot_accounts", True))
            and (not languages or post["language_id"] in languages)
            and community.id not in details.get("blocks", ())
        )

    def _page(self, query: Mapping[str, str]) -> Sequence[int]:
        page, length = int(query.get("page", "1")), int(query.get("limit", "10"))
        if not 1 <= page <= PAGE_MAX or not 1 <= length <= PAGE_LENGTH_MAX:
            raise self.refuse(400, f"Fetch limit is > {PAGE_LENGTH_MAX}")
        return (page - 1) * length, length

    @route(f"GET {API}/modlog", auth=False)
    def modlog(self, request: Request) -> Response:
        query = request.query
        self.only(query, "mod_person_id", "community_id", "page", "limit", "type_", "other_person_id", "post_id")
        first, length = self._page(query)
        posts = [self.posts[number] for number in reversed(self.removals)
                 if self.posts[number]["creator_id"] == int(query.get("other_person_id", "0"))]  # fmt: skip
        views = [{"post": post, "community": self._community(self.communities[post["community_id"]]),
                  "mod_remove_post": {"post_id": post["id"], "removed": True, "when_": self.removals[post["id"]]}}
                 for post in posts]  # fmt: skip
        return Response(200, {"removed_posts": views[first : first + length]})

    def _view(self, post: Mapping[str, Any]) -> dict[str, Any]:
        entry = self.world.ledger.find(self.key, str(post["id"]))
        upvotes = 1 + (0 if entry is None else self.count_of(entry, "upvotes", 12))
        comments = 0 if entry is None else self.count_of(entry, "comments", 3)
        counts = {"post_id": post["id"], "comments": comments, "score": upvotes, "upvotes": upvotes, "downvotes": 0,
                  "published": post["published"], "newest_comment_time": post["published"]}  # fmt: skip
        community = self._community(self.communities[post["community_id"]])
        return {"post": dict(post), "community": community, "counts": counts, "saved": False, "read": True}


NETWORK: type[Network] = Lemmy
