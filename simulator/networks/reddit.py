"""Reddit: subreddits with rules, posts of all kinds, comments, errors in three forms, limits in words or headers.

Source: www.reddit.com/dev/api, github.com/reddit-archive/reddit, answers recorded by PRAW (2020 to 2025). Not certain
at the real network, and so chosen here: moderators are exempt from the requirements for posts; pictures and videos
become public 8 seconds after the answer. `RATELIMIT` beside a post that was made (praw-dev/praw#1768) is the fault
`warned`.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from simulator.ledger import Entry
from simulator.messages import Fail, Request, Response
from simulator.network import Limit, Network, Route, route
from simulator.networks.reddit_files import Files
from simulator.oauth import OAuthError, OAuthRules
from simulator.world import Destination, Quota, World

CALLS = Limit(1_000, 600, "app")
_VAGUE = ("python-requests", "python-httpx", "http-client", "curl", "java", "mozilla")
_COMMON = ("api_type", "sr", "title", "text", "flair_id", "flair_text", "nsfw", "spoiler", "sendreplies", "resubmit",
           "validate_on_submit", "collection_id", "discussion_type")  # fmt: skip
_KINDS = {"self": (), "link": ("url",), "image": ("url",), "video": ("url", "video_poster_url"),
          "videogif": ("url", "video_poster_url"), "crosspost": ("crosspost_fullname",)}  # fmt: skip


def base36(number: int) -> str:
    digits = ""
    while number:
        number, rest = divmod(number, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[rest] + digits
    return digits


class Reddit(Files, Network):
    key = "reddit"
    ids_from = 3_400_000_000
    oauth_rules = OAuthRules(
        authorize="/api/v1/authorize",
        token="/api/v1/access_token",  # noqa: S106 - a path
        revoke="/api/v1/revoke_token",
        scopes=frozenset({"identity", "submit", "read", "flair", "mysubreddits", "edit", "history", "privatemessages"}),
        client="basic",
        access_seconds=86_400,
        refresh_seconds=315_360_000,  # they do not end
        authorize_extras=frozenset({"duration"}),
    )

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.leases = {}

    # --- the words of Reddit -----------------------------------------------------------------------------------------

    def new_id(self) -> str:
        return base36(self.ids_from + self.world.next_number())

    def match(self, request: Request) -> Route | None:
        """Take paths with a slash at their end too."""
        if request.path.endswith("/") and request.path != "/":
            request.__dict__["path"] = request.path.rstrip("/")
        return super().match(request)

    def failure(self, status: int, message: str) -> Response:
        return Response(status, {"message": message, "error": status})

    def missing_scopes(self, missing: Iterable[str]) -> Response:
        response = self.failure(403, "Forbidden")
        response.headers["WWW-Authenticate"] = f'Bearer realm="reddit", error="insufficient_scope", {missing}'
        return response

    def rate_headers(self, quota: Quota) -> dict[str, str]:
        seconds = 600 - int(self.world.clock().timestamp()) % 600  # its windows begin for everybody at once
        used = quota.limit - quota.remaining
        return {
            "x-ratelimit-remaining": f"{quota.remaining}.0", "x-ratelimit-used": str(used),
            "x-ratelimit-reset": str(seconds),
        }  # fmt: skip

    def token_error(self, error: OAuthError) -> Response:
        if error.error == "invalid_grant" and "refresh" in error.description:
            return self.failure(400, "Bad Request")
        if error.status == 401:
            return self.failure(401, "Unauthorized")
        return Response(200, {"error": error.error})

    def revoke_answer(self) -> Response:
        return Response(204)

    def handle(self, request: Request, made: Route | None) -> Response:
        """Refuse programs that do not say who they are; browsers and the hosts of files do not matter."""
        agent = request.headers.get("user-agent", "").lower()
        is_program = request.path not in {"/", "/api/v1/authorize"}
        if is_program and (not agent or agent.startswith(_VAGUE)):
            return self.failure(429, "Too Many Requests")
        return super().handle(request, made)

    def errors(self, *errors: tuple[str, str, str], data: Any = None, **more: Any) -> Response:
        """Return what a call says of what is wrong; its status is 200."""
        answer = {"errors": [list(error) for error in errors], **more}
        return Response(200, {"json": answer if data is None else answer | {"data": data}})

    def wrong(self, code: str, message: str, field: str, **more: Any) -> Fail:
        return Fail(self.errors((code, message, field), **more))

    def unmet(self, code: str, explanation: str, field: str) -> Fail:
        """Return what a call says whose post a subreddit's requirements refuse."""
        return Fail(Response(400, {
            "fields": [field], "explanation": explanation, "error_type": "SUBMIT_VALIDATION_ERROR",
            "message": "Bad Request", "reason": f"SUBMIT_VALIDATION_{code}",
        }))  # fmt: skip

    # --- the account and its subreddits ------------------------------------------------------------------------------

    @route("GET /api/v1/me", scopes=("identity",), limits=(CALLS,))
    def me(self, request: Request) -> Response:
        person = request.person
        subscribers = person.details.get("followers", 3)
        return Response(200, {
            "id": person.id, "name": person.username, "icon_img": f"https://styles.redditmedia.com/{person.id}.png?s=1",
            "is_suspended": person.details.get("suspended", False), "total_karma": 120,
            "subreddit": {"display_name": f"u_{person.username}", "subscribers": subscribers},
        })  # fmt: skip

    @route("GET /subreddits/mine/{where}", scopes=("mysubreddits",), limits=(CALLS,))
    def mine(self, request: Request) -> Response:
        where = request.args["where"]
        if where not in {"subscriber", "moderator", "contributor"}:
            raise self.refuse(404, "Not Found")
        subreddits = [
            entry for entry in request.person.destinations
            if where == "subscriber" or entry.details.get(f"user_is_{where}")
        ]  # fmt: skip
        return self.page(request, [("t5", self.about_of(entry)) for entry in subreddits], "display_name")

    def page(self, request: Request, things: list[tuple[str, dict[str, Any]]], name: str) -> Response:
        """Return a page of a list; `after` is the member `name` of its last thing."""
        self.only(request.query, "limit", "after", "before", "count", "show", "sort", "t", "raw_json")
        size, after = min(int(request.query.get("limit", "25")), 100), request.query.get("after")
        first = next((at + 1 for at, (_, one) in enumerate(things) if after and one[name] == after), 0)
        shown = things[first : first + size]
        last = shown[-1][1][name] if shown and first + size < len(things) else None
        children = [{"kind": kind, "data": one} for kind, one in shown]
        return Response(200, {"kind": "Listing", "data": {"after": last, "dist": len(shown), "children": children}})

    def about_of(self, subreddit: Destination) -> dict[str, Any]:
        given = {name: value for name, value in subreddit.details.items() if name not in {"requirements", "flairs"}}
        return {
            "display_name": subreddit.id, "display_name_prefixed": f"r/{subreddit.id}", "title": subreddit.name,
            "subreddit_type": "public", "submission_type": "any", "restrict_posting": True, "over18": False,
            "allow_images": True, "allow_videos": True, "allow_galleries": True, "user_is_banned": False,
            "user_is_moderator": False, "user_is_contributor": False, "subscribers": 40, **given,
        }  # fmt: skip

    def subreddit(self, request: Request, name: Any) -> Destination | None:
        """Return a subreddit by its name, or the account's own profile."""
        folded = str(name).casefold()
        if folded == f"u_{request.person.username}".casefold():
            return Destination(f"u_{request.person.username}", "profile", request.person.username)
        return next((one for one in request.person.destinations if one.id.casefold() == folded), None)

    def open(self, request: Request) -> Destination:
        """Return the subreddit of the path.

        Raises:
            Fail: there is none, or the account may not see it.
        """
        found = self.subreddit(request, request.args["sr"])
        if found is None:  # Reddit sends people to its search
            raise Fail(Response(302, headers={"Location": "/subreddits/search"}))
        reason = found.details.get("reason")
        if reason is not None:
            status = 404 if reason == "banned" else 403
            raise Fail(Response(status, {"reason": reason, "message": "Forbidden", "error": status}))
        return found

    @route("GET /r/{sr}/about", scopes=("read",), limits=(CALLS,))
    def about(self, request: Request) -> Response:
        return Response(200, {"kind": "t5", "data": self.about_of(self.open(request))})

    @route("GET /api/v1/{sr}/post_requirements", scopes=("submit",), limits=(CALLS,))
    def requirements(self, request: Request) -> Response:
        wanted = self.open(request).details.get("requirements")
        if wanted is None:
            raise self.refuse(404, "Not Found")
        return Response(200, {"body_restriction_policy": "none", "is_flair_required": False, **wanted})

    @route("GET /r/{sr}/api/link_flair_v2", scopes=("flair",), limits=(CALLS,))
    def flairs(self, request: Request) -> Response:
        flairs = self.open(request).details.get("flairs")
        if flairs is None:
            raise self.refuse(403, "Forbidden")
        return Response(200, body=json.dumps(flairs).encode(), headers={"Content-Type": "application/json"})

    # --- posts -------------------------------------------------------------------------------------------------------

    @route("POST /api/submit", scopes=("submit",), limits=(CALLS,))
    def submit(self, request: Request) -> Response:
        form = request.form
        kind = form.get("kind", "")
        if kind not in _KINDS:
            raise self.wrong("INVALID_OPTION", "that option is not valid", "kind")
        self.only(form, "kind", *_COMMON, *_KINDS[kind])
        about = self.checked(request, form, kind)
        details, media = self._content(form, kind)
        is_file = kind in {"image", "video", "videogif"}
        if is_file and self.struck("processing_fails"):
            return self.errors(data=self.accepted(request))
        entry = self._post(request, form, about, details, media)
        if is_file:
            return self.errors(data=self.accepted(request))
        if self.struck("warned"):
            words = "Looks like you've been doing that a lot. Take a break for 11 minutes before trying again."
            return self.errors(("RATELIMIT", words, "ratelimit"), data=self._made(entry), ratelimit=706.767083)
        return self.errors(data=self._made(entry))

    def _content(self, form: Mapping[str, Any], kind: str) -> tuple[dict[str, Any], tuple[str, ...]]:
        """Return what the ledger keeps of a post of its kind, and the digests of its files."""
        details: dict[str, Any] = {"kind": kind}
        if kind == "link":
            details["url"] = form.get("url", "")
            if not details["url"].startswith(("http://", "https://")):
                raise self.wrong("BAD_URL", "you should check that url", "url")
            if "//spam." in details["url"]:
                raise self.wrong("DOMAIN_BANNED", "spam.example is not allowed on reddit: spam", "url")
        if kind == "crosspost":
            shared = self.world.ledger.find("reddit", form.get("crosspost_fullname", ""))
            if shared is None:
                raise self.wrong("INVALID_CROSSPOST_THING", "that is not a valid post to crosspost", "crosspost")
            details["crosspost_parent"] = shared.remote_id
        if kind in {"self", "link", "crosspost"}:
            return details, ()
        return details | {"ready_at": self.ready_at()}, self.taken(form)

    @route("POST /api/submit_gallery_post.json", scopes=("submit",), limits=(CALLS,))
    def gallery(self, request: Request) -> Response:
        body = request.json
        self.only(body, "items", "show_error_list", *_COMMON)
        about = self.checked(request, body, "gallery")
        if not 2 <= len(body.get("items", ())) <= 20:
            raise self.wrong("BAD_GALLERY", "a gallery has 2 to 20 items", "items")
        media = tuple(self.asset(item) for item in body["items"])
        entry = self._post(request, body, about, {"kind": "gallery"}, media)
        made = self._made(entry)
        return self.errors(data={"url": made["url"], "id": made["name"]})

    def accepted(self, request: Request) -> dict[str, str]:
        page = f"https://www.reddit.com/user/{request.person.username}/submitted/"
        return {"user_submitted_page": page, "websocket_url": "wss://ws.wss.redditmedia.com/rte_images/x?m=y"}

    def checked(self, request: Request, form: Mapping[str, Any], kind: str) -> dict[str, Any]:
        """Return the subreddit of a post that it takes."""
        if form.get("api_type") != "json":
            raise self.refuse(400, "this simulator answers api_type=json only")
        found = self.subreddit(request, form.get("sr"))
        if found is None:
            raise self.wrong("SUBREDDIT_NOEXIST", "Hmm, that community doesn't exist. Try checking the spelling.", "sr")
        about, title, text = self.about_of(found), form.get("title", ""), form.get("text", "")
        self._may_post(request, about, kind)
        if not title.strip():
            raise self.wrong("NO_TEXT", "we need something here", "title")
        if len(title) > 300 or len(text) > 40_000:
            field, limit = ("title", 300) if len(title) > 300 else ("text", 40_000)
            raise self.wrong("TOO_LONG", f"this is too long (max: {limit})", field)
        flair = next((one for one in found.details.get("flairs") or () if one["id"] == form.get("flair_id")), None)
        if form.get("flair_id") and flair is None:
            raise self.refuse(500, "Internal Server Error")
        if not about["user_is_moderator"] and found.kind != "profile":
            self._require(found.details.get("requirements") or {}, form, kind, has_flair=flair is not None)
        if form.get("flair_text") and flair is not None and not flair.get("text_editable"):
            raise self.refuse(400, "Bad Request")
        return about | {"flair": (form.get("flair_text") or flair["text"]) if flair is not None else None}

    def _may_post(self, request: Request, about: Mapping[str, Any], kind: str) -> None:
        if request.person.details.get("suspended"):
            raise self.wrong("IN_TIMEOUT", "You can't do that while suspended.", "")
        is_restricted = about["subreddit_type"] == "restricted" and not about["user_is_contributor"]
        if about["user_is_banned"] or (is_restricted and not about["user_is_moderator"]):
            raise self.wrong("SUBREDDIT_NOTALLOWED", "You aren't allowed to post there.", "sr")
        only = about["submission_type"]
        refusals = {
            "self": (only == "link", "NO_SELFS", "This community doesn't allow text posts"),
            "link": (only == "self", "NO_LINKS", "This community only allows text posts"),
            "gallery": (
                not about["allow_galleries"], "GALLERIES_DISABLED", "Gallery posts aren't allowed in this subreddit",
            ),
            "image": (not about["allow_images"], "IMAGES_NOTALLOWED", "This community doesn't allow images"),
        }  # fmt: skip
        is_refused, code, message = refusals.get(kind, (False, "", ""))
        if is_refused:
            raise self.wrong(code, message, "sr")

    def _require(self, wanted: Mapping[str, Any], form: Mapping[str, Any], kind: str, *, has_flair: bool) -> None:
        title, text = form.get("title", ""), form.get("text", "")
        if wanted.get("is_flair_required") and not has_flair:
            raise self.unmet("FLAIR_REQUIRED", "Your post must contain post flair.", "flair")
        if len(title) > (wanted.get("title_text_max_length") or 300):
            raise self.unmet("MAX_LENGTH", f"Title must be {wanted['title_text_max_length']} or less.", "title")
        for word in wanted.get("title_blacklisted_strings") or ():
            if word.casefold() in title.casefold():
                words = f'You may not have "{word}" in your title. '
                raise self.unmet("TITLE_BLACKLISTED_STRING", words, "title")
        if kind == "self" and wanted.get("body_restriction_policy") == "notAllowed" and text:
            raise self.unmet("BODY_NOT_ALLOWED", "This community doesn't allow body text.", "body")
        if kind == "self" and wanted.get("body_restriction_policy") == "required" and not text:
            raise self.unmet("BODY_REQUIRED", "A body is required.", "body")

    def _post(
        self, request: Request, form: Mapping[str, Any], about: Mapping[str, Any], details: dict[str, Any],
        media: tuple[str, ...],
    ) -> Entry:  # fmt: skip
        flags = {name: str(form.get(name, "")).lower() == "true" for name in ("nsfw", "spoiler", "sendreplies")}
        values = {"title": form["title"].strip(), "subreddit": about["display_name"], "flair": about["flair"], **flags}
        text = form.get("text", "") if details["kind"] != "crosspost" else ""
        return self.publish(
            request, "post", text, remote_id=f"t3_{self.new_id()}", media=media, details=values | details
        )  # fmt: skip

    def _made(self, entry: Entry) -> dict[str, Any]:
        return {
            "url": f"https://www.reddit.com{self.permalink(entry)}", "drafts_count": 0,
            "id": entry.remote_id.removeprefix("t3_"), "name": entry.remote_id,
        }  # fmt: skip


NETWORK: type[Network] = Reddit
