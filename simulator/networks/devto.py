"""DEV (Forem): articles in Markdown by an API key, drafts, lists of what a person wrote, and its limits.

Source: developers.forem.com/api/v1 and the source of Forem (both read on 2026-11-29): its models, controllers and rate
limits. As Forem does, it takes the same text under the same title from one person once, and each canonical address
once; reads front matter at the beginning of a text, which replaces title, tags and state; and lists drafts before what
was published. Stricter than Forem, it refuses members that nobody reads. A fault of its own: `paused` is a page of a
server before DEV.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from simulator.messages import Fail, Request, Response
from simulator.network import Limit, Network, Route, route
from simulator.oauth import Grant
from simulator.world import App, Person, World

API = "/api"
MEMBERS: Mapping[str, tuple[type, ...]] = {
    "title": (str,), "body_markdown": (str,), "published": (bool,), "series": (str, type(None)), "main_image": (str,),
    "canonical_url": (str, type(None)), "description": (str,), "tags": (list,), "organization_id": (int,),
}  # fmt: skip
TITLE_MAX, TAGS_MAX, TAG_MAX = 128, 4, 30
FRONT_MATTER = re.compile(r"\s*---\s*\n(.*?)\n---\s*\n", re.DOTALL)
ERRORS = {
    401: "unauthorized",
    403: "unauthorized",
    404: "not found",
    429: "Rate limit reached, try again in 30 seconds",
}


class Dev(Network):
    key = "devto"
    ids_from = 2_000_000

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.keys: dict[str, Person] = {}
        self.organizations: dict[int, set[str]] = {7: {"alice"}}
        """Names of those who belong to it, by its number."""
        self.articles: dict[int, dict[str, Any]] = {}
        self._app = App("devto", "devto", "")

    def add_key(self, person: Person, key: str | None = None) -> str:
        """Make an API key of a person."""
        key = key or f"{person.username}Key{len(self.keys) + 1:020d}"
        self.keys[key] = person
        return key

    # --- the words of DEV --------------------------------------------------------------------------------------------

    def failure(self, status: int, message: str) -> Response:
        return Response(status, {"error": ERRORS.get(status, message), "status": status})

    def invalid(self, message: str) -> Fail:
        return Fail(Response(422, {"error": message, "status": 422}))

    def rate_limited(self) -> Response:
        response = self.failure(429, "")
        response.headers["Retry-After"] = "30"
        return response

    def handle(self, request: Request, made: Route | None) -> Response:
        if self.struck("paused", made.call if made else "*"):
            return Response(503, body=b"<html>Application error</html>", headers={"Content-Type": "text/html"})
        return super().handle(request, made)

    def authenticate(self, request: Request) -> Grant | None:
        person = self.keys.get(request.headers.get("api-key", ""))
        return None if person is None else Grant(self._app, person, frozenset(), self.world.clock())

    def end(self, grant: Grant) -> None:
        self.keys = {key: person for key, person in self.keys.items() if person.id != grant.person.id}

    # --- people and articles -----------------------------------------------------------------------------------------

    @route(f"GET {API}/users/me")
    def me(self, request: Request) -> Response:
        person = request.person
        return Response(200, {
            "type_of": "user", "id": int(person.id), "username": person.username, "name": person.username.title(),
            "summary": None, "joined_at": "Nov 1, 2026", "profile_image": f"{self.url}/images/{person.id}.png",
        })  # fmt: skip

    @route(f"POST {API}/articles", limits=(Limit(10, 30),))
    def create(self, request: Request) -> Response:
        body = self._body(request)
        number = int(self.new_id())
        article = {"id": number, "user": request.person, "published": False, "tags": [], "published_at": None,
                   "series": None, "canonical_url": None, "description": None, "main_image": None,
                   "organization_id": None, "slug": f"{_slug(body.get('title', ''))}-{number:x}",
                   "created_at": self.world.clock()}  # fmt: skip
        article |= body
        self._read_front_matter(article)
        self._validate(article)
        self.articles[number] = article
        self._show(request, article)
        return Response(201, self._shown(article), headers={"Location": self._url(article)})

    @route(f"PUT {API}/articles/{{article}}")
    def update(self, request: Request) -> Response:
        article, body = self._own(request), self._body(request)
        changed = {**article, **body}
        self._read_front_matter(changed)
        self._validate(changed)
        article |= changed
        self._show(request, article)
        return Response(200, self._shown(article))

    @route(f"GET {API}/articles/me")
    @route(f"GET {API}/articles/me/{{status}}")
    def mine(self, request: Request) -> Response:
        self.only(request.query, "page", "per_page")
        status = request.args.get("status") or "published"
        found = [article for article in self.articles.values() if article["user"].id == request.person.id
                 and (status == "all" or article["published"] is (status == "published"))]  # fmt: skip
        oldest = datetime.min.replace(tzinfo=UTC)
        found.sort(key=lambda article: (article["published_at"] is None, article["published_at"] or oldest,
                                        article["created_at"], article["id"]), reverse=True)  # fmt: skip
        length = min(int(request.query.get("per_page", "30")), 1_000)
        first = (int(request.query.get("page", "1")) - 1) * length
        return Response(200, [self._mine(article) for article in found[first : first + length]])

    def _own(self, request: Request) -> dict[str, Any]:
        article = self.articles.get(int(request.args["article"])) if request.args["article"].isdecimal() else None
        if article is None or article["user"].id != request.person.id:
            raise self.refuse(404, "not found")
        return article

    def _body(self, request: Request) -> dict[str, Any]:
        body = request.json.get("article")
        if not isinstance(body, dict):
            raise self.invalid("article param must be a JSON object")
        for name, value in body.items():
            if name not in MEMBERS or not isinstance(value, MEMBERS[name]):
                raise self.invalid(f"{name} is not a member of an article")
        organization = body.get("organization_id")
        if organization is not None and request.person.username not in self.organizations.get(organization, set()):
            body = {name: value for name, value in body.items() if name != "organization_id"}  # as Forem does, silently
        return body

    def _read_front_matter(self, article: dict[str, Any]) -> None:
        found = FRONT_MATTER.match(article.get("body_markdown", ""))
        for line in found[1].splitlines() if found else ():
            name, _, value = line.partition(":")
            if name.strip() == "title":
                article["title"] = value.strip()
            elif name.strip() == "tags":
                article["tags"] = [tag.strip() for tag in value.split(",")]
            elif name.strip() == "published":
                article["published"] = value.strip() == "true"

    def _validate(self, article: Mapping[str, Any]) -> None:
        title, text = article.get("title", ""), article.get("body_markdown", "")
        others = [other for other in self.articles.values() if other["id"] != article["id"]]
        if not title.strip():
            raise self.invalid("Title can't be blank")
        if len(title) > TITLE_MAX:
            raise self.invalid(f"Title is too long (maximum is {TITLE_MAX} characters)")
        if len(text.encode()) > 800 * 1024:
            raise self.invalid("Body markdown is too long (maximum is 819200 characters)")
        if any((other["user"], other["title"], other["body_markdown"]) == (article["user"], title, text)
               for other in others):  # fmt: skip
            raise self.invalid("Body markdown has already been taken")
        canonical = article["canonical_url"]
        if canonical is not None and any(other["canonical_url"] == canonical for other in others):
            raise self.invalid("Canonical url has already been taken")
        if article["main_image"] is not None and not re.match(r"https?://\S+$", article["main_image"]):
            raise self.invalid("Main image is not a valid URL")
        self._validate_tags(article["tags"])

    def _validate_tags(self, tags: Sequence[str]) -> None:
        if len(tags) > TAGS_MAX:
            raise self.invalid("Tag list exceed the maximum of 4 tags")
        for tag in tags:
            if not re.fullmatch(r"[^\W_]+", tag) or len(tag) > TAG_MAX:
                raise self.invalid(f'Tag "{tag}" contains non-alphanumeric or prohibited unicode characters')

    def _show(self, request: Request, article: dict[str, Any]) -> None:
        """Make what is published public, and what no longer is no more."""
        number = str(article["id"])
        entry = self.world.ledger.find(self.key, number)
        if article["published"] and entry is None:
            article["published_at"] = self.world.clock()
            details = {name: value for name, value in article.items() if name not in {"user", "created_at"}}
            self.publish(request, "post", article["body_markdown"], remote_id=number, details=details)
        elif entry is not None:
            entry.deleted_at = None if article["published"] else self.world.clock()

    def _url(self, article: Mapping[str, Any]) -> str:
        return f"https://dev.to/{article['user'].username}/{article['slug']}"

    def _shown(self, article: Mapping[str, Any]) -> dict[str, Any]:
        published_at = article["published_at"]
        return {
            "type_of": "article", "id": article["id"], "title": article["title"], "slug": article["slug"],
            "description": article["description"], "url": self._url(article), "cover_image": article["main_image"],
            "canonical_url": article["canonical_url"] or self._url(article), "body_markdown": article["body_markdown"],
            "tag_list": ", ".join(article["tags"]), "tags": article["tags"],
            "published_at": published_at and published_at.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "user": {"username": article["user"].username},
        }  # fmt: skip

    def _mine(self, article: Mapping[str, Any]) -> dict[str, Any]:
        entry = self.world.ledger.find(self.key, str(article["id"]))
        counts = {name: 0 if entry is None else self.count_of(entry, name, per_hour)
                  for name, per_hour in (("page_views", 90), ("public_reactions", 8), ("comments", 2))}  # fmt: skip
        return self._shown(article) | {
            "published": article["published"],
            **{f"{name}_count": count for name, count in counts.items()},
        }


def _slug(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


NETWORK: type[Network] = Dev
