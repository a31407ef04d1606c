"""WordPress: a site of its own, with application passwords, roles, media, categories, tags, posts and the trash.

Source: developer.wordpress.org/rest-api and the controllers of WordPress 6.9. As WordPress does, a slug that is taken
gets a number, a title or a text is needed, and what a user may do depends on their role. Stricter than WordPress, it
refuses unknown parameters. `pretty = False` is a site without readable addresses: its API is at `?rest_route=`.
Faults of its own: `firewall` answers a page instead of JSON, `no_header` loses the Authorization header on the way
(as WordPress alone does, it answers the same to a wrong password, unless `says_why`), and `no_trash` is a site whose
trash is off.
"""

import base64
import hashlib
import html
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from simulator.ledger import Entry
from simulator.messages import Fail, File, Request, Response
from simulator.network import Network, Route, route
from simulator.networks.wordpress_comments import WordPressComments
from simulator.oauth import Grant
from simulator.world import App, Person, World

API = "/wp-json/wp/v2"
FILE_BYTES_MAX, BODY_BYTES_MAX = 100_000_000, 120_000_000
"""`upload_max_filesize` and `post_max_size` of the site's PHP."""
_AUTHOR = ("edit_posts", "publish_posts", "edit_published_posts", "upload_files")
CAPABILITIES = {
    "contributor": ("edit_posts",),
    "author": _AUTHOR,
    "editor": (*_AUTHOR, "manage_categories", "edit_others_posts", "moderate_comments"),
    "subscriber": (),
}
TYPES = re.compile(r"(image/(jpeg|png|gif|webp|avif|heic)|video/|audio/|application/pdf)")
STATUSES = ("publish", "future", "draft", "pending", "private")
POST = ("title", "content", "excerpt", "status", "slug", "categories", "tags", "featured_media")
LISTED = ("author", "status", "orderby", "order", "per_page", "page", "context", "_fields", "slug", "search")
CODES = {
    400: "rest_invalid_param", 401: "rest_not_logged_in", 403: "rest_forbidden", 404: "rest_no_route",
    429: "too_many_requests",
}  # fmt: skip


@dataclass
class Attachment:
    id: int
    owner_id: str
    sha256: str
    alt_text: str
    url: str


@dataclass
class Site:
    name: str = "Corner Bakery"
    pretty: bool = True
    passwords_on: bool = True
    says_why: bool = False
    """A plugin asks who the user is before WordPress answers, so that it says what is wrong with a password."""
    terms: dict[str, dict[int, str]] = field(default_factory=lambda: {"categories": {1: "Uncategorized"}, "tags": {}})


SHORTCODES = re.compile(r"\[/?(gallery|caption|wp_caption|embed|audio|video|playlist)\b[^\]]*\]")


def readable(content: str) -> str:
    """Return what a visitor reads of blocks, or of a title, which are HTML: paragraphs with an empty line between them.

    What stands in brackets by the name of a shortcode is replaced by what that makes.
    """
    content = SHORTCODES.sub("", content)
    text = re.sub(r"<!--[^>]*-->|<(figure|div).*?</\1>", "", content, flags=re.DOTALL)
    text = re.sub(r"</p>\s*", "\n\n", text.replace("<br>\n", "\n"))
    return html.unescape(re.sub(r"<[^>]*>", "", text)).strip()


class WordPress(WordPressComments):
    key = "wordpress"
    ids_from = 100

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.site = Site()
        self.passwords: dict[str, tuple[Person, str]] = {}
        """Person and id of each password, by name and password as they are sent."""
        self.attachments: dict[int, Attachment] = {}
        self._app = App("wordpress", "wordpress", "")

    def add_password(self, person: Person, password: str | None = None) -> str:
        """Make an application password; the role of the person stands in their `details`."""
        password = password or " ".join(re.findall("....", self.world.secret("app")[-24:]))
        self.passwords[f"{person.username}:{password.replace(' ', '')}"] = (person, f"uuid-{len(self.passwords) + 1}")
        return password

    # --- the words of WordPress --------------------------------------------------------------------------------------

    def failure(self, status: int, message: str) -> Response:
        code = CODES.get(status, "internal_server_error")
        return Response(status, {"code": code, "message": message, "data": {"status": status}})

    def coded(self, status: int, code: str, message: str = "Sorry, that did not work.", **data: Any) -> Fail:
        """Return what to raise to end a call with one of WordPress's codes."""
        return Fail(Response(status, {"code": code, "message": message, "data": {"status": status, **data}}))

    def match(self, request: Request) -> Route | None:
        """Find the API at `/wp-json` or by the parameter `rest_route`, as the site has it."""
        route_ = request.query.get("rest_route")
        if route_ is not None and request.path in {"/", "/index.php"}:
            request.__dict__["path"] = "/wp-json" + route_
            request.__dict__["query"] = {name: value for name, value in request.query.items() if name != "rest_route"}
        elif request.path.startswith("/wp-json") and not self.site.pretty and "is_api" not in request.args:
            return None
        found = super().match(request)
        request.args["is_api"] = "1"
        return found

    def handle(self, request: Request, made: Route | None) -> Response:
        if made is None and not self.site.pretty and request.path.startswith("/wp-json"):
            return Response(404, body=b"<html>Not found</html>", headers={"Content-Type": "text/html"})
        if request.path.startswith(API) and self.struck("firewall"):
            return Response(403, body=b"<html>Blocked</html>", headers={"Content-Type": "text/html"})
        return super().handle(request, made)

    def authenticate(self, request: Request) -> Grant | None:
        scheme, _, value = request.headers.get("authorization", "").partition(" ")
        if scheme != "Basic" or self.struck("no_header"):
            return None
        name, _, password = base64.b64decode(value).decode().partition(":")
        if not self.site.passwords_on:
            raise self.coded(401, "application_passwords_disabled")
        found = self.passwords.get(f"{name}:{password.replace(' ', '')}")
        if found is None and not self.site.says_why:
            return None
        if name not in {person.username for person, _ in self.passwords.values()} | self._names():
            raise self.coded(401, "invalid_username")
        if found is None:
            raise self.coded(401, "incorrect_password", "The provided password is an invalid application password.")
        return Grant(self._app, found[0], frozenset(), self.world.clock())

    def _names(self) -> set[str]:
        return {person.username for person in self.world.people if person.network == self.key}

    def end(self, grant: Grant) -> None:
        self.passwords = {name: held for name, held in self.passwords.items() if held[0].id != grant.person.id}

    def may(self, request: Request, capability: str) -> bool:
        return capability in CAPABILITIES[request.person.details.get("role", "editor")]

    def require(self, request: Request, capability: str, code: str) -> None:
        if not self.may(request, capability):
            raise self.coded(403, code, "Sorry, you are not allowed to do that.")

    # --- the site ----------------------------------------------------------------------------------------------------

    @route("HEAD /", auth=False)
    @route("GET /", auth=False)
    def front(self, request: Request) -> Response:  # noqa: ARG002 - the same for everybody
        api = f"{self.url}/wp-json/" if self.site.pretty else f"{self.url}/index.php?rest_route=/"
        headers = {"Content-Type": "text/html", "Link": f'<{api}>; rel="https://api.w.org/"'}
        return Response(200, body=b"", headers=headers)

    @route("GET /wp-json/", auth=False)
    def index(self, request: Request) -> Response:
        self.only(request.query, "_fields")
        authorization = {"endpoints": {"authorization": f"{self.url}/wp-admin/authorize-application.php"}}
        on: Any = {"application-passwords": authorization} if self.site.passwords_on else []
        return Response(200, {
            "name": self.site.name, "url": self.url, "home": self.url, "namespaces": ["oembed/1.0", "wp/v2"],
            "authentication": on,
        })  # fmt: skip

    @route(f"GET {API}/users/me")
    def me(self, request: Request) -> Response:
        self.only(request.query, "context", "_fields")
        person = request.person
        held = dict.fromkeys(("read", *CAPABILITIES[person.details.get("role", "editor")]), True)
        return Response(200, {
            "id": int(person.id), "name": person.name, "username": person.username, "slug": person.username,
            "link": f"https://bakery.example/author/{person.username}/", "avatar_urls": {"96": f"{self.url}/a.png"},
            "capabilities": held,
        })  # fmt: skip

    @route(f"GET {API}/users/me/application-passwords/introspect")
    def introspect(self, request: Request) -> Response:
        uuid = next(uuid for person, uuid in self.passwords.values() if person.id == request.person.id)
        return Response(200, {"uuid": uuid, "name": "Signalpost"})

    @route(f"DELETE {API}/users/me/application-passwords/{{uuid}}")
    def forget(self, request: Request) -> Response:
        uuid = request.args["uuid"]
        self.passwords = {name: held for name, held in self.passwords.items() if held[1] != uuid}
        return Response(200, {"deleted": True})

    # --- categories and tags -----------------------------------------------------------------------------------------

    @route(f"GET {API}/categories")
    @route(f"GET {API}/tags")
    def terms(self, request: Request) -> Response:
        self.only(request.query, "search", "per_page", "_fields", "slug")
        known, wanted = self._terms(request), request.query.get("search", "").casefold()
        return Response(200, [{"id": id_, "name": html.escape(name, quote=False)} for id_, name in known.items()
                              if wanted in name.casefold()])  # fmt: skip

    @route(f"POST {API}/categories")
    @route(f"POST {API}/tags")
    def add_term(self, request: Request) -> Response:
        known, body = self._terms(request), request.json
        self.only(body, "name", "slug", "description", "parent")
        right = "manage_categories" if request.path.endswith("/categories") else "edit_posts"
        self.require(request, right, "rest_cannot_create")
        name = body.get("name") or ""
        for id_, taken in known.items():
            if taken.casefold() == name.casefold():
                raise self.coded(400, "term_exists", "A term with the name provided already exists.", term_id=id_)
        if not name.strip():
            raise self.coded(400, "rest_invalid_param", "A name is required for this term.")
        id_ = int(self.new_id())
        known[id_] = name
        return Response(201, {"id": id_, "name": html.escape(name, quote=False)})

    def _terms(self, request: Request) -> dict[int, str]:
        return self.site.terms[request.path.rpartition("/")[2]]

    # --- files -------------------------------------------------------------------------------------------------------

    @route(f"POST {API}/media")
    def upload(self, request: Request) -> Response:
        self.require(request, "upload_files", "rest_cannot_create")
        form = dict(request.form)
        file, alt_text = form.pop("file", None), form.pop("alt_text", "")
        self.only(form, "title", "caption")
        if isinstance(file, File) and len(file.content) > BODY_BYTES_MAX:  # PHP hands over none of its fields
            raise self.coded(400, "rest_upload_no_content_disposition", "No Content-Disposition supplied.")
        if not isinstance(file, File) or not file.content:
            raise self.coded(400, "rest_upload_no_data", "No data supplied.")
        if len(file.content) > FILE_BYTES_MAX:
            words = "The uploaded file exceeds the upload_max_filesize directive in php.ini."
            raise self.coded(500, "rest_upload_unknown_error", words)
        if not TYPES.match(file.content_type):
            words = "Sorry, you are not allowed to upload this file type."
            raise self.coded(500, "rest_upload_unknown_error", words)
        id_ = int(self.new_id())
        url = f"{self.url}/wp-content/uploads/{id_}-{file.name}"
        sha256 = hashlib.sha256(file.content).hexdigest()
        self.attachments[id_] = Attachment(id_, request.person.id, sha256, alt_text, url)
        return Response(201, {"id": id_, "source_url": url, "alt_text": alt_text, "mime_type": file.content_type})

    # --- posts -------------------------------------------------------------------------------------------------------

    @route(f"POST {API}/posts")
    def create(self, request: Request) -> Response:
        body = request.json
        self.only(body, *POST)
        status = body.get("status", "draft")
        self.require(request, "edit_posts", "rest_cannot_create")
        if status not in STATUSES or not all(isinstance(body.get(name, ""), str) for name in POST[:5]):
            raise self.coded(400, "rest_invalid_param", "Invalid parameter(s): status")
        if status in {"publish", "future", "private"}:
            self.require(request, "publish_posts", "rest_cannot_publish")
        for taxonomy, known in self.site.terms.items():
            if not set(body.get(taxonomy, [])) <= set(known):
                raise self.coded(400, "rest_invalid_param", f"Invalid parameter(s): {taxonomy}")
        content, featured = body.get("content", ""), body.get("featured_media") or 0
        if not (content or body.get("title") or body.get("excerpt")):
            raise self.coded(400, "empty_content", "Content, title, and excerpt are empty.")
        ids = ([featured] if featured else []) + [int(id_) for id_ in re.findall(r'"id":(\d+)', content)]
        if not set(ids) <= set(self.attachments):
            raise self.coded(400, "rest_invalid_param", "Invalid parameter(s): featured_media")
        files = [self.attachments[id_] for id_ in ids]
        title, remote_id = body.get("title", ""), self.new_id()
        slug = self._slug(body.get("slug") or re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") or remote_id)
        details = {
            "title": readable(title), "raw_title": title, "raw": content, "status": status, "slug": slug,
            "excerpt": readable(body.get("excerpt", "")),
            "featured": featured, "alt_texts": [file.alt_text for file in files],
            **{taxonomy: [known[id_] for id_ in body.get(taxonomy, [])] for taxonomy, known in self.site.terms.items()},
        }  # fmt: skip
        entry = self.publish(request, "post", readable(content), media=tuple(file.sha256 for file in files),
                             details=details, remote_id=remote_id)  # fmt: skip
        return Response(201, self._post(entry))

    def _slug(self, wanted: str) -> str:
        taken = {entry.details.get("slug") for entry in self.world.ledger.of(self.key)}
        numbers = (f"{wanted}-{number}" for number in range(2, len(taken) + 3))
        return next(slug for slug in (wanted, *numbers) if slug not in taken)

    def _post(self, entry: Entry) -> dict[str, Any]:
        details = entry.details
        is_public = details["status"] == "publish"
        link = (
            f"https://bakery.example/{details['slug']}/"
            if is_public
            else f"https://bakery.example/?p={entry.remote_id}"
        )
        return {
            "id": int(entry.remote_id), "link": link, "slug": details["slug"], "status": details["status"],
            "author": int(entry.account_id), "modified_gmt": entry.at.replace(tzinfo=None).isoformat("T", "seconds"),
            "title": {"raw": details["raw_title"], "rendered": details["raw_title"]},
            "content": {"raw": details["raw"], "rendered": re.sub(r"<!--[^>]*-->", "", details["raw"])},
        }  # fmt: skip

    @route(f"GET {API}/posts")
    def posts(self, request: Request) -> Response:
        query: Mapping[str, str] = request.query
        self.only(query, *LISTED)
        lag = self.world.strike(self.key, "*", ("eventual",))
        until = self.world.clock() - timedelta(seconds=lag.seconds if lag else 0)
        statuses = query.get("status", "publish").split(",")
        found = [
            entry
            for entry in reversed(self.world.ledger.of(self.key))
            if entry.kind == "post" and entry.at <= until and entry.details["status"] in statuses
            and query.get("author") in (None, str(int(entry.account_id)))
        ]  # fmt: skip
        length, page = int(query.get("per_page", "10")), int(query.get("page", "1"))
        if not 1 <= length <= 100:
            raise self.coded(400, "rest_invalid_param", "Invalid parameter(s): per_page")
        if page > 1 and (page - 1) * length >= len(found):
            raise self.coded(
                400, "rest_post_invalid_page_number", "The page number is larger than the number of pages."
            )
        headers = {"X-WP-Total": str(len(found)), "X-WP-TotalPages": str(-(-len(found) // length))}
        shown = found[(page - 1) * length : page * length]
        if query.get("context") == "edit" and not self.may(request, "edit_published_posts"):
            shown = [
                one for one in shown if one.details["status"] in {"draft", "pending"}
            ]  # and are counted all the same
        return Response(200, [self._post(one) for one in shown], headers=headers)

    @route(f"GET {API}/posts/{{post}}")
    def one_post(self, request: Request) -> Response:
        self.only(request.query, "_fields")
        entry = self.world.ledger.find(self.key, request.args["post"])
        if entry is None or entry.kind != "post":
            raise self.coded(404, "rest_post_invalid_id", "Invalid post ID.")
        return Response(200, self._post(entry))

    @route(f"DELETE {API}/posts/{{post}}")
    def remove(self, request: Request) -> Response:
        self.only(request.query, "force")
        everything = self.world.ledger.of(self.key, deleted=True)
        entry = next((one for one in everything if one.kind == "post" and one.remote_id == request.args["post"]), None)
        if entry is None:
            raise self.coded(404, "rest_post_invalid_id", "Invalid post ID.")
        if entry.account_id != request.person.id:
            self.require(request, "edit_others_posts", "rest_cannot_delete")
        if self.struck("no_trash") and request.query.get("force") != "true":
            raise self.coded(501, "rest_trash_not_supported", "The post does not support trashing.")
        if entry.deleted_at is not None:
            raise self.coded(410, "rest_already_trashed", "The post has already been deleted.")
        entry.deleted_at = self.world.clock()
        return Response(200, self._post(entry) | {"status": "trash"})


NETWORK: type[Network] = WordPress
