"""Ghost: a site with Admin API keys, images, media and files, posts, newsletters and what they sent.

Source: docs.ghost.org/admin-api (2026-08-22), the source of Ghost 6 (its JSON schemas, models and services), and what
Ghost 6.65 does in `tests/networks/test_ghost_server.py`. As Ghost does, it takes a token of five minutes at most,
keeps `updated_at` in whole seconds and refuses a change of an older post, makes slugs of whatever it is given and
numbers those that are taken, stores HTML as its editor would (`stored`), takes the owner for an author whom it does
not know, and mails a post when it stops being a draft, never again. Stricter than Ghost, it refuses unknown
parameters, and a file in a post that was not uploaded. `moved_to` is a site whose administration has an address of
its own. Faults of its own: `firewall` answers a page instead of JSON, `maintenance` is what Ghost says while it is
updated, and `mail_fails` an error once a post is public.
"""

import base64
import hashlib
import hmac
import html
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from simulator.ledger import Entry
from simulator.messages import Fail, File, Request, Response
from simulator.network import Network, Route, route
from simulator.networks.ghost_comments import GhostComments
from simulator.oauth import Grant
from simulator.world import App, Person, World

API = "/ghost/api/admin"
TYPES = {
    "images": ("image/jpeg", "image/png", "image/gif", "image/webp", "image/svg+xml"),
    "media": ("video/mp4", "video/webm", "video/ogg", "audio/mpeg", "audio/wav", "audio/ogg", "audio/mp4"),
    "files": ("application/pdf", "text/plain"),
}
FORM = {"images": ("purpose", "ref"), "media": ("ref", "purpose"), "files": ("ref", "purpose")}
MODEL_LENGTHS = {"title": "posts.title", "feature_image_alt": "post_revisions.feature_image_alt"}
"""Columns of what the JSON schema lets pass."""
LENGTHS = {"title": 255, "slug": 191, "custom_excerpt": 300, "feature_image_alt": 191, "email_subject": 300}
POST: Mapping[str, tuple[type, ...]] = {
    "title": (str,), "slug": (str,), "html": (str, type(None)), "lexical": (str, type(None)), "status": (str,),
    "feature_image": (str, type(None)), "feature_image_alt": (str, type(None)), "updated_at": (str,),
    "feature_image_caption": (str, type(None)), "featured": (bool,), "visibility": (str,), "tags": (list,),
    "authors": (list,), "custom_excerpt": (str, type(None)), "canonical_url": (str, type(None)),
    "email_subject": (str, type(None)), "email_only": (bool,),
}  # fmt: skip
TYPE_NAMES = {
    400: "BadRequestError", 401: "UnauthorizedError", 403: "NoPermissionError", 404: "NotFoundError",
    409: "UpdateCollisionError", 413: "RequestEntityTooLargeError", 415: "UnsupportedMediaTypeError",
    422: "ValidationError", 429: "TooManyRequestsError", 503: "MaintenanceError",
}  # fmt: skip


@dataclass
class Site:
    title: str = "Corner Bakery"
    version: str = "6.2"
    moved_to: str | None = None
    newsletters: dict[str, str] = field(default_factory=lambda: {"weekly": "Weekly bread"})
    """Names of those that are active, by slug."""
    staff: list[str] = field(default_factory=lambda: ["owner@bakery.example", "baker@bakery.example"])
    """E-mail addresses of those who work on the site; the first is the owner."""


def readable(content: str) -> str:
    """Return what a visitor reads: paragraphs with an empty line between them."""
    text = re.sub(r"<!--kg-card-begin.*?kg-card-end: html-->|<figure.*?</figure>", "", content, flags=re.DOTALL)
    text = re.sub(r"</p>\s*", "\n\n", re.sub(r"<br>\n?", "\n", text))
    return html.unescape(re.sub(r"<[^>]*>", "", text)).strip()


def stored(content: str) -> str:
    """Return HTML as it is once it was in Ghost's editor: white space is made less there, but in HTML cards."""
    kept = re.split(r"(<!--kg-card-begin: html-->.*?<!--kg-card-end: html-->)", content, flags=re.DOTALL)
    return "".join(f"\n{piece}\n" if number % 2 else _edited(piece) for number, piece in enumerate(kept))


def _edited(content: str) -> str:
    text = re.sub(r"[ \t\r\n\v\f]+", " ", content).replace("\u00a0", "&nbsp;")
    return re.sub(r" ?(<br>|</?p>|</?figure[^>]*>) ?", r"\1", text)


def slugged(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:185] or "post"


class Ghost(GhostComments):
    key = "ghost"

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.site = Site()
        self.keys: dict[str, tuple[bytes, Person]] = {}
        """Secret and person of each key, by its id."""
        self.uploads: dict[str, str] = {}
        """SHA-256 of each file, by its address."""
        self.posts: dict[str, dict[str, Any]] = {}
        """What is at the site, drafts too, by id."""
        self.mails: list[tuple[str, str, str]] = []
        """Id of the post, newsletter and filter of members, of each sending."""
        self._app = App("ghost", "ghost", "")

    def add_key(self, person: Person, key: str | None = None) -> str:
        """Make the Admin API key of an integration."""
        number = len(self.keys) + 1
        key = key or f"{number:024x}:{hashlib.sha256(f'ghost {number}'.encode()).hexdigest()}"
        key_id, _, secret = key.partition(":")
        self.keys[key_id] = (bytes.fromhex(secret), person)
        return key

    def new_id(self) -> str:
        return f"{self.world.next_number():024x}"

    # --- the words of Ghost ------------------------------------------------------------------------------------------

    def failure(self, status: int, message: str) -> Response:
        return self._error(status, message)

    def _error(self, status: int, message: str, **more: str) -> Response:
        error = {"message": message, "context": None, "type": TYPE_NAMES.get(status, "InternalServerError"),
                 "details": None, "property": None, "help": None, "code": None, "id": "e-1"}  # fmt: skip
        return Response(status, {"errors": [error | more]})

    def invalid(self, name: str, by_model: str | None = None) -> Fail:
        """Return the refusal of a field: Ghost's JSON schema names it, while its model says what is wrong with it."""
        more = {"context": by_model} if by_model else {"context": f"Validation failed for {name}.", "property": name}
        return Fail(self._error(422, "Validation error, cannot save post.", **more))

    def handle(self, request: Request, made: Route | None) -> Response:
        if self.site.moved_to is not None:
            return Response(301, body=b"", headers={"Location": f"{self.site.moved_to}{request.target}"})
        if self.struck("firewall", made.call if made else "*"):
            return Response(403, body=b"<html>Blocked</html>", headers={"Content-Type": "text/html"})
        if self.struck("maintenance", made.call if made else "*"):
            return self._error(503, "Site is currently undergoing maintenance, please wait a moment then retry.")
        response = super().handle(request, made)
        response.headers["Content-Version"] = f"v{self.site.version}"
        return response

    def authenticate(self, request: Request) -> Grant | None:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "ghost":
            return None
        try:
            head, claims, signature = token.split(".")
            header, payload = json.loads(_decoded(head)), json.loads(_decoded(claims))
            sent = _decoded(signature)
        except ValueError:
            raise Fail(self._error(400, "Invalid token", code="INVALID_JWT")) from None
        held = self.keys.get(header.get("kid"))
        if held is None:
            raise Fail(self._error(401, "Unknown Admin API Key", code="UNKNOWN_ADMIN_API_KEY"))
        now, issued = self.world.clock().timestamp(), payload.get("iat", 0)
        reasons = {
            "invalid algorithm": header.get("alg") != "HS256",
            "invalid signature": not hmac.compare_digest(
                hmac.digest(held[0], f"{head}.{claims}".encode(), "sha256"), sent
            ),
            "jwt audience invalid": not re.search(r"/?admin/?$", str(payload.get("aud"))),
            "jwt expired": payload.get("exp", now + 1) <= now,
            "maxAge exceeded": now - issued >= 300,
        }
        for reason, holds in reasons.items():
            if holds:
                raise Fail(self._error(401, f"Invalid token: {reason}", code="INVALID_JWT"))
        return Grant(self._app, held[1], frozenset(), self.world.clock())

    def unauthorized(self) -> Response:
        return self._error(403, "Authorization failed", context="Unable to determine the authenticated user.")

    def end(self, grant: Grant) -> None:
        self.keys = {key_id: held for key_id, held in self.keys.items() if held[1].id != grant.person.id}

    # --- the site, files and newsletters -----------------------------------------------------------------------------

    @route(f"GET {API}/site/", auth=False)
    def about(self, request: Request) -> Response:  # noqa: ARG002 - the same for everybody
        site = {"title": self.site.title, "description": "Bread", "logo": None, "icon": f"{self.url}/icon.png",
                "url": "https://bakery.example/", "version": self.site.version}  # fmt: skip
        return Response(200, {"site": site})

    @route(f"POST {API}/images/upload/")
    @route(f"POST {API}/media/upload/")
    @route(f"POST {API}/files/upload/")
    def upload(self, request: Request) -> Response:
        place = request.path.split("/")[-3]
        form = dict(request.form)
        file = form.pop("file", None)
        self.only(form, *FORM[place])
        if not isinstance(file, File) or not file.content:
            raise self.refuse(422, "Please select a file.")
        if file.content_type not in TYPES[place] or "." not in file.name:
            raise self.refuse(415, "Please select a valid file.")
        url = f"{self.url}/content/{place}/{self.new_id()}-{file.name}"
        self.uploads[url] = hashlib.sha256(file.content).hexdigest()
        return Response(201, {place: [{"url": url, "ref": form.get("ref")}]})

    @route(f"GET {API}/newsletters/")
    def newsletters(self, request: Request) -> Response:
        self.only(request.query, "limit", "filter", "fields")
        named = re.fullmatch(r"slug:([a-z0-9-]+)\+status:active", request.query.get("filter") or "")
        if request.query.get("filter") and named is None:
            raise self.refuse(400, "Error parsing filter")
        listed = [{"slug": slug, "name": name, "status": "active"} for slug, name in self.site.newsletters.items()
                  if named is None or slug == named[1]]  # fmt: skip
        return Response(200, {"newsletters": listed, "meta": {"pagination": {"page": 1, "pages": 1, "next": None}}})

    @route(f"GET {API}/users/email/{{email}}/")
    def user(self, request: Request) -> Response:
        email = request.args["email"]
        if email not in self.site.staff:
            raise self.refuse(404, "Resource not found error, cannot read user.")
        return Response(200, {"users": [{"email": email, "name": email.partition("@")[0]}]})

    # --- posts -------------------------------------------------------------------------------------------------------

    @route(f"POST {API}/posts/")
    def add(self, request: Request) -> Response:
        self.only(request.query, "source", "formats", "include")
        body = self._body(request)
        if "title" not in body:
            raise self.invalid("0")
        if "html" in body and request.query.get("source") != "html":
            body.pop("html")  # as Ghost does: without a source, HTML is nothing that can be written
        post = {
            "id": self.new_id(), "uuid": str(UUID(int=self.world.next_number())), "status": "draft", "tags": [],
            "visibility": "public", "featured": False, "html": "", "email": None, "email_only": False,
            "author": request.person.id, "published_at": None,
        }  # fmt: skip
        owner = self.site.staff[0]
        authors = [author if author in self.site.staff else owner for author in body.get("authors") or [owner]]
        body |= {"authors": list(dict.fromkeys(authors)), "html": stored(body.get("html") or "")}
        post |= body | {"slug": self._slug(body.get("slug") or body["title"]), "updated_at": self._now()}
        self._check_files(post)
        self.posts[post["id"]] = post
        if post["status"] != "draft":
            self._show(request, post)
        return Response(201, {"posts": [self._shown(post)]})

    @route(f"PUT {API}/posts/{{post}}/")
    def edit(self, request: Request) -> Response:
        self.only(request.query, "newsletter", "email_segment", "source", "formats", "include", "save_revision")
        post, body = self._post(request), self._body(request)
        sent_at = body.pop("updated_at", None)
        if sent_at is None:
            raise self.invalid("0")
        changed = {name: value for name, value in body.items() if value != post.get(name)}
        if changed and _instant(sent_at) != _instant(post["updated_at"]):
            message = "Saving failed! Someone else is editing this post."
            raise Fail(self._error(409, message, code="UPDATE_COLLISION"))
        publishing = changed.get("status") in {"published", "sent"} and post["status"] == "draft"
        newsletter = request.query.get("newsletter")
        if publishing and newsletter is not None and newsletter not in self.site.newsletters:
            context = "The post does not have a newsletter relation"
            raise Fail(self._error(500, "Error sending email!", type="EmailError", context=context))
        if "slug" in changed:
            changed["slug"] = self._slug(changed["slug"] or post["title"])
        post |= changed | ({"updated_at": self._now()} if changed else {})
        if publishing:
            self._publish(request, post, newsletter)
        return Response(200, {"posts": [self._shown(post)]})

    def _publish(self, request: Request, post: dict[str, Any], newsletter: str | None) -> None:
        post["status"] = "sent" if post["email_only"] else "published"
        self._show(request, post)
        if newsletter is None:
            return
        post["email"] = {"status": "pending", "subject": post.get("email_subject") or post["title"]}
        if self.struck("mail_fails"):
            post["email"]["status"] = "failed"
            raise self.refuse(500, "An error occurred, please retry sending your newsletter.")
        self.mails.append((post["id"], newsletter, request.query.get("email_segment", "all")))

    @route(f"GET {API}/posts/slug/{{slug}}/")
    @route(f"GET {API}/posts/{{post}}/")
    def read(self, request: Request) -> Response:
        self.only(request.query, "formats", "include", "fields")
        return Response(200, {"posts": [self._shown(self._post(request))]})

    @route(f"GET {API}/posts/")
    def browse(self, request: Request) -> Response:
        query = request.query
        self.only(query, "limit", "page", "filter", "order", "formats", "include", "fields")
        since = re.fullmatch(r"updated_at:>'(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)'", query.get("filter") or "")
        if query.get("filter") and since is None:
            raise self.refuse(400, "Error parsing filter")
        found = [post for post in self.posts.values() if since is None or _instant(post["updated_at"])
                 > datetime.fromisoformat(since[1]).replace(tzinfo=UTC)]  # fmt: skip
        found.sort(key=lambda post: post["updated_at"], reverse=True)
        shown = [self._shown(post) for post in found[: int(query.get("limit", "15"))]]
        pages = {"page": 1, "limit": len(shown), "pages": 1, "total": len(found), "next": None, "prev": None}
        return Response(200, {"posts": shown, "meta": {"pagination": pages}})

    @route(f"DELETE {API}/posts/{{post}}/")
    def remove(self, request: Request) -> Response:
        post = self._post(request)
        del self.posts[post["id"]]
        entry = self.world.ledger.find(self.key, post["id"])
        if entry is not None:
            entry.deleted_at = self.world.clock()
        return Response(204, body=b"")

    def _post(self, request: Request) -> dict[str, Any]:
        """Return the post that a call names, by id or slug."""
        for post in self.posts.values():
            if request.args.get("post") == post["id"] or request.args.get("slug") == post["slug"]:
                return post
        raise self.refuse(404, "Resource not found error, cannot read post.")

    def _body(self, request: Request) -> dict[str, Any]:
        """Return the post of a request, checked as Ghost's JSON schema and model do."""
        posts = request.json.get("posts")
        if not isinstance(posts, list) or len(posts) != 1 or not isinstance(posts[0], dict):
            raise self.invalid("posts")
        body = dict(posts[0])
        for name, value in body.items():
            if name not in POST or not isinstance(value, POST[name]):
                raise self.invalid(name)
            if isinstance(value, str) and len(value) > LENGTHS.get(name, len(value)):
                column = MODEL_LENGTHS.get(name)
                context = f"Value in [{column}] exceeds maximum length of {LENGTHS[name]} characters. {column}"
                raise self.invalid(name, context if column else None)
        if body.get("status", "draft") not in {"draft", "published", "scheduled", "sent"}:
            raise self.invalid("status")
        if body.get("visibility", "public") not in {"public", "members", "paid", "tiers"}:
            raise self.invalid("visibility")
        return body

    def _files(self, post: Mapping[str, Any]) -> list[str]:
        """Return the addresses of the files of a post: the featured image, and then those of its text."""
        inside = [html.unescape(url) for url in re.findall(r'(?:src|<p><a href)="([^"]*)"', post["html"] or "")]
        first = [post["feature_image"]] if post.get("feature_image") else []
        return first + [url for url in inside if "/content/" in url]

    def _check_files(self, post: Mapping[str, Any]) -> None:
        for url in self._files(post):
            if url not in self.uploads:
                raise self.invalid("html", f"nothing was uploaded to {url}")

    def _show(self, request: Request, post: dict[str, Any]) -> Entry:
        post["published_at"] = self._now()
        alt_texts = [post.get("feature_image_alt") or ""] if post.get("feature_image") else []
        alt_texts += [html.unescape(alt) for alt in re.findall(r'alt="([^"]*)"', post["html"])]
        return self.publish(
            request, "post", readable(post["html"]), remote_id=post["id"],
            media=tuple(self.uploads[url] for url in self._files(post)), details={**post, "alt_texts": alt_texts},
        )  # fmt: skip

    def _slug(self, wanted: str) -> str:
        taken, first = {post["slug"] for post in self.posts.values()}, slugged(wanted)
        numbers = (f"{first}-{number}" for number in range(2, len(taken) + 3))
        return next(slug for slug in (first, *numbers) if slug not in taken)

    def _now(self) -> str:
        return self.world.clock().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")

    def _shown(self, post: Mapping[str, Any]) -> dict[str, Any]:
        places = {"published": post["slug"], "sent": f"email/{post['uuid']}", "draft": f"p/{post['uuid']}"}
        url = f"https://bakery.example/{places[post['status']]}/"
        tags = [{"name": tag, "slug": slugged(tag)} if isinstance(tag, str) else tag for tag in post["tags"]]
        return {**post, "url": url, "tags": tags, "authors": [{"email": email} for email in post["authors"]]}


def _decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _instant(text: str) -> datetime:
    return datetime.fromisoformat(text)


NETWORK: type[Network] = Ghost
