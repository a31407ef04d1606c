"""Tumblr, API v2: posts of blocks on a person's blogs, files in the same call, and refresh tokens that are replaced.

Source: github.com/tumblr/docs (api.md and npf-spec.md of 2024-10-18), and its issue #128: a post may be there although
the answer was 504. Not certain at the real network, and so chosen here: members that nobody reads are refused; errors
of tokens are those of RFC 6749, with the status 401; a video is listed ten seconds after the answer; private posts are
listed for those who may post to the blog. A person's own blog is their primary one, `destinations` are the others.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from simulator import oauth1
from simulator.ledger import Entry
from simulator.messages import File, Request, Response
from simulator.network import Limit, Network, route
from simulator.networks.tumblr_blocks import BadBlock, checked, words
from simulator.oauth import Grant, OAuthError, OAuthRules
from simulator.world import App, Destination, Person, Quota, World

API = "/v2"
HOUR = Limit(1_000, 3_600, "app")
STATES = ("published", "queue", "draft", "private")
MEMBERS = (
    "content", "layout", "state", "publish_on", "date", "tags", "source_url", "slug", "interactability_reblog",
    "has_community_label", "community_label_categories",
)  # fmt: skip
LABELS = ("drug_use", "violence", "sexual_themes")
POSTS_A_DAY, IMAGES_A_DAY, VIDEOS_A_DAY, QUEUE_MAX = 250, 250, 20, 1_000
CONVERTING = timedelta(seconds=10)
BODY_MAX = 1_000_000
WORDS = {
    400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 429: "Limit Exceeded",
    500: "Internal Server Error", 502: "Bad Gateway", 503: "Service Unavailable",
}  # fmt: skip


class Tumblr(Network):
    key = "tumblr"
    ids_from = 798_000_000_000_000_000
    oauth_rules = OAuthRules(
        authorize="/oauth2/authorize",
        token="/v2/oauth2/token",  # noqa: S106 - a path
        scopes=frozenset({"basic", "write", "offline_access"}),
        code_seconds=600,
        access_seconds=2_520,
        refresh_seconds=31_536_000,
        refresh_scope="offline_access",
        rotates=True,
    )

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.signers: dict[str, tuple[str, Grant]] = {}
        """By the token of a program that signs its calls (OAuth 1): its secret, and what it may."""

    def add_signer(self, app: App, person: Person) -> tuple[str, str]:
        """Let an app sign calls for a person; returns the token and its secret."""
        token, secret = self.world.secret("token"), self.world.secret("secret")
        grant = Grant(app, person, frozenset({"basic", "write"}), self.world.clock())
        self.signers[token] = (secret, grant)
        return token, secret

    def authenticate(self, request: Request) -> Grant | None:
        secret, grant = self.signers.get(oauth1.parameters(request).get("oauth_token", ""), ("", None))
        if grant is None:
            return super().authenticate(request)
        return grant if oauth1.is_signed(request, grant.app.client_secret, secret) else None

    # --- the words of Tumblr -----------------------------------------------------------------------------------------

    def failure(self, status: int, message: str, code: int | None = None) -> Response:
        said = {"title": WORDS.get(status, "Error"), "code": code or status, "detail": message}
        meta = {"status": status, "msg": WORDS.get(status, "Error")}
        return Response(status, {"meta": meta, "response": [], "errors": [said]})

    def unauthorized(self) -> Response:
        return self.failure(401, "Unauthorized", 1016)

    def rate_headers(self, quota: Quota) -> dict[str, str]:
        seconds = max(int((quota.reset - self.world.clock()).total_seconds()), 1)
        return {
            "X-Ratelimit-Perhour-Limit": str(quota.limit),
            "X-Ratelimit-Perhour-Remaining": str(quota.remaining),
            "X-Ratelimit-Perhour-Reset": str(seconds),
        }

    def token_error(self, error: OAuthError) -> Response:
        return Response(401, {"error": error.error, "error_description": error.description})

    def said(self, answer: Mapping[str, Any], status: int = 200) -> Response:
        return Response(status, {"meta": {"status": status, "msg": "Created" if status == 201 else "OK"},
                                 "response": answer})  # fmt: skip

    # --- people and their blogs --------------------------------------------------------------------------------------

    @route(f"GET {API}/user/info", scopes=("basic",), limits=(HOUR,))
    def info(self, request: Request) -> Response:
        person = request.person
        blogs = [self._blog(person, blog, primary=number == 0) for number, blog in enumerate(blogs_of(person))]
        user = {"name": person.username, "likes": 6, "following": 26, "default_post_format": "html", "blogs": blogs}
        return self.said({"user": user})

    def _blog(self, person: Person, blog: Destination, *, primary: bool) -> dict[str, Any]:
        return {
            "name": blog.name, "title": blog.name.title(), "url": f"https://{blog.name}.tumblr.com/", "uuid": blog.id,
            "primary": primary, "followers": person.details.get("followers", 3), "type": "public", "tweet": "N",
            "posts": len(self._entries(person, blog)), "admin": True,
            "avatar": [{"width": 128, "height": 128, "url": f"https://64.media.tumblr.com/{blog.name}.png"}],
        }  # fmt: skip

    def _blog_of(self, request: Request) -> Destination:
        """Find a blog by any of its identifiers."""
        named = request.args["blog"]
        for blog in blogs_of(request.person):
            if named in {blog.id, blog.name, f"{blog.name}.tumblr.com"}:
                return blog
        raise self.refuse(404, "Not Found")

    def _entries(self, person: Person, blog: Destination) -> list[Entry]:
        return [entry for entry in self.listed(person.id) if entry.details["blog"] == blog.id]

    # --- posts -------------------------------------------------------------------------------------------------------

    @route(f"POST {API}/blog/{{blog}}/posts", scopes=("write",), limits=(HOUR,))
    def create(self, request: Request) -> Response:
        blog = self._blog_of(request)
        post, files = self._body(request)
        content = self._content(post, files)
        self._count(request, blog, str(post.get("state", "published")), list(files.values()))
        hashes = tuple(hashlib.sha256(file.content).hexdigest() for file in files.values())
        entry = self.publish(
            request, "post", words(content), media=hashes,
            details=self._details(post, content) | {"blog": blog.id},
        )  # fmt: skip
        entry.details["until"] = entry.at + CONVERTING * any(block["type"] == "video" for block in content)
        return self.said({"id": entry.remote_id, "state": entry.details["state"]}, 201)

    @route(f"PUT {API}/blog/{{blog}}/posts/{{post}}", scopes=("write",), limits=(HOUR,))
    def edit(self, request: Request) -> Response:
        entry = self._entry(request, request.args["post"])
        post, files = self._body(request)
        content = self._content(post, files)
        entry.text = words(content)
        entry.details |= self._details(post, content)
        return self.said({"id": entry.remote_id})

    def _body(self, request: Request) -> tuple[Mapping[str, Any], Mapping[str, File]]:
        """Return the members of a post, and the files that come with it."""
        if request.content_type == "application/json":
            post, files = request.json, {}
        else:
            form = request.form
            try:
                post = json.loads(str(form.pop("json", "")))
            except ValueError:
                raise self.invalid("the part 'json' is no JSON") from None
            files = form
        if not isinstance(post, dict) or len(json.dumps(post)) > BODY_MAX:
            raise self.invalid("the post is not an object, or too large")
        if unknown := sorted(set(post) - set(MEMBERS)):
            raise self.invalid(f"unknown parameters: {', '.join(unknown)}")
        if wrong := sorted(name for name, file in files.items() if not isinstance(file, File)):
            raise self.invalid(f"not files: {', '.join(wrong)}")
        return post, files

    def invalid(self, message: str, code: int = 8001) -> Exception:
        return self.refusal(400, message, code)

    def refusal(self, status: int, message: str, code: int) -> Exception:
        failed = self.refuse(status, message)
        failed.response = self.failure(status, message, code)
        return failed

    def _content(self, post: Mapping[str, Any], files: Mapping[str, File]) -> list[dict[str, Any]]:
        """Check what a post is made of."""
        try:
            content, named = checked(post.get("content"), files)
        except BadBlock as bad:
            raise self.invalid(str(bad), bad.code) from None
        if named != list(files):
            raise self.invalid("the files of the form are not those of the blocks, in their order")
        if self.struck("processing_fails") and files:
            raise self.invalid("The media you uploaded is not valid.", 8005)
        if post.get("state", "published") not in STATES:
            raise self.invalid("'state' is none that a post can have")
        tags = post.get("tags", "")
        if not isinstance(tags, str) or any(len(tag) > 140 for tag in tags.split(",")):
            raise self.invalid("'tags' must be a string of tags of at most 140 characters")
        if post.get("interactability_reblog", "everyone") not in {"everyone", "noone"}:
            raise self.invalid("'interactability_reblog' must be everyone or noone")
        labels = post.get("community_label_categories", [])
        if not isinstance(labels, list) or set(labels) - set(LABELS) or (labels and not post["has_community_label"]):
            raise self.invalid("'community_label_categories' are not those of Tumblr")
        return content

    def _details(self, post: Mapping[str, Any], content: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        heading = next((block["text"] for block in content if block.get("subtype") == "heading1"), None)
        return {
            "content": content, "title": heading, "state": post.get("state", "published"),
            "tags": [tag.strip() for tag in post.get("tags", "").split(",") if tag.strip()],
            "source_url": post.get("source_url"), "slug": post.get("slug", ""),
            "reblogs": post.get("interactability_reblog", "everyone"),
            "labels": post.get("community_label_categories", []) if post.get("has_community_label") else None,
            "alt_texts": [block.get("alt_text") for block in content if block["type"] in {"image", "video"}],
        }  # fmt: skip

    def _count(self, request: Request, blog: Destination, state: str, files: Sequence[File]) -> None:
        """Count against the limits of a day, and of what is converted at once."""
        entries = self._entries(request.person, blog)
        queued = [entry for entry in entries if entry.details["state"] == "queue"]
        if state == "queue" and len(queued) >= QUEUE_MAX:
            raise self.refusal(403, "Your queue is full.", 8022)
        videos = sum(file.content_type.startswith("video/") for file in files)
        images = sum(file.content_type.startswith("image/") for file in files)
        if videos and any(entry.details["until"] > self.world.clock() for entry in entries):
            raise self.refusal(403, "You can upload another video once this one is done.", 8010)
        for name, count, limit, code in (
            ("posts", int(state in {"published", "private"}), POSTS_A_DAY, 8023),
            ("videos", videos, VIDEOS_A_DAY, 8011),
            ("images", images, IMAGES_A_DAY, 8004),
        ):
            for _ in range(count):
                if not self.world.count((self.key, name, request.person.id), limit, 86_400).allowed:
                    raise self.refusal(403, "You have hit a posting or media upload limit for the day.", code)

    # --- reading and deleting ----------------------------------------------------------------------------------------

    def _shown(self, entry: Entry, blog: Destination) -> dict[str, Any]:
        details = entry.details
        return {
            "object_type": "post", "type": "blocks", "blog_name": blog.name, "id": int(entry.remote_id),
            "id_string": entry.remote_id, "timestamp": int(entry.at.timestamp()), "state": details["state"],
            "post_url": f"https://www.tumblr.com/{blog.name}/{entry.remote_id}", "slug": details["slug"],
            "tags": details["tags"], "content": details["content"], "layout": [], "trail": [],
            "note_count": sum(self._notes(entry).values()), "is_pinned": bool(details.get("pinned")),
        }  # fmt: skip

    def _list(self, request: Request, blog: Destination, *states: str) -> list[Entry]:
        now = self.world.clock()
        entries = [entry for entry in self._entries(request.person, blog) if entry.details["state"] in states]
        entries = [entry for entry in entries if entry.details["until"] <= now]
        return sorted(entries, key=lambda entry: not entry.details.get("pinned"))

    @route(f"GET {API}/blog/{{blog}}/posts", scopes=("basic",), limits=(HOUR,))
    def posts(self, request: Request) -> Response:
        self.only(request.query, "npf", "limit", "offset", "before", "after", "sort", "id", "tag", "notes_info")
        blog = self._blog_of(request)
        entries = self._list(request, blog, "published", "private")
        return self.said({"posts": self._cut(request, blog, entries), "total_posts": len(entries)})

    @route(f"GET {API}/blog/{{blog}}/posts/queue", scopes=("basic",), limits=(HOUR,))
    def queue(self, request: Request) -> Response:
        self.only(request.query, "npf", "limit", "offset")
        blog = self._blog_of(request)
        entries = self._list(request, blog, "queue")[::-1]
        return self.said({"posts": self._cut(request, blog, entries)})

    @route(f"GET {API}/blog/{{blog}}/posts/draft", scopes=("basic",), limits=(HOUR,))
    def drafts(self, request: Request) -> Response:
        self.only(request.query, "npf", "limit", "before_id")
        blog, before = self._blog_of(request), int(request.query.get("before_id", "0"))
        entries = [one for one in self._list(request, blog, "draft") if not before or int(one.remote_id) < before]
        return self.said({"posts": self._cut(request, blog, entries)})

    def _cut(self, request: Request, blog: Destination, entries: Sequence[Entry]) -> list[dict[str, Any]]:
        limit, offset = int(request.query.get("limit", "20")), int(request.query.get("offset", "0"))
        if not 1 <= limit <= 20 or request.query.get("npf") != "true":
            raise self.invalid("'limit' must be from 1 to 20; this simulator lists blocks alone")
        return [self._shown(entry, blog) for entry in entries[offset : offset + limit]]

    def _entry(self, request: Request, post_id: str) -> Entry:
        blog, entry = self._blog_of(request), self.world.ledger.find(self.key, post_id)
        if entry is None or entry.details["blog"] != blog.id:
            raise self.refuse(404, "Not Found")
        return entry

    @route(f"POST {API}/blog/{{blog}}/post/delete", scopes=("write",), limits=(HOUR,))
    def remove(self, request: Request) -> Response:
        self.only(request.fields, "id")
        entry = self._entry(request, str(request.fields.get("id")))
        entry.deleted_at = self.world.clock()
        return self.said({"id": entry.remote_id})

    def _notes(self, entry: Entry) -> dict[str, int]:
        return {
            "likes": self.count_of(entry, "likes", 9.0),
            "reblogs": self.count_of(entry, "reblogs", 3.0),
            "replies": self.count_of(entry, "replies", 1.0),
        }

    @route(f"GET {API}/blog/{{blog}}/notes", scopes=("basic",), limits=(HOUR,))
    def notes(self, request: Request) -> Response:
        self.only(request.query, "id", "mode", "before_timestamp")
        counts = self._notes(self._entry(request, request.query.get("id", "")))
        answer: dict[str, Any] = {"notes": [], "rollup_notes": [], "total_notes": sum(counts.values())}
        if request.query.get("mode") == "conversation":
            answer |= {"total_likes": counts["likes"], "total_reblogs": counts["reblogs"]}
        return self.said(answer)


def blogs_of(person: Person) -> list[Destination]:
    """Return the blogs of a person, the primary one first."""
    return [Destination(f"t:{person.id}", "blog", person.username), *person.destinations]


NETWORK: type[Network] = Tumblr
