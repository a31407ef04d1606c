"""Comments on a site: read by everybody, held back and approved by moderators, answered by users.

Source: the controller of comments of WordPress 6.8 and `wp_allow_comment`. As WordPress does, it takes the same words
of a user below a comment once, and one comment in 15 seconds of who does not moderate; of a post that is not there its
list is empty; and a status that a comment has already is answered with an error.
"""

import html
import re
from typing import Any

from simulator.ledger import Entry
from simulator.messages import Request, Response
from simulator.network import Network, route
from simulator.world import Person

COMMENTS = "/wp-json/wp/v2/comments"
FLOOD_SECONDS = 15
LISTED = ("context", "status", "post", "parent", "author", "per_page", "page", "orderby", "order", "_fields")
STATUSES = {"hold": "hold", "0": "hold", "approve": "approved", "approved": "approved", "1": "approved"}


class WordPressComments(Network):
    def coded(self, status: int, code: str, message: str = "", **data: Any) -> Any:
        raise NotImplementedError

    def may(self, request: Request, capability: str) -> bool:
        raise NotImplementedError

    def _entry(self, request: Request) -> Entry:
        everything = self.world.ledger.of(self.key, deleted=True)
        entry = next((one for one in everything if one.remote_id == request.args["comment"]), None)
        if entry is None or entry.kind != "comment":
            raise self.coded(404, "rest_comment_invalid_id", "Invalid comment ID.")
        return entry

    def _require_moderator(self, request: Request, code: str) -> None:
        if not self.may(request, "moderate_comments"):
            raise self.coded(403, code, "Sorry, you are not allowed to do that.")

    def _comment(self, entry: Entry, *, edit: bool) -> dict[str, Any]:
        person = next((one for one in self.world.people if one.id == entry.account_id), None)
        raw = entry.details.get("raw") or entry.text
        is_post = self.world.ledger.find(self.key, entry.parent_id or "")
        above = entry.parent_id if is_post is None or is_post.kind == "comment" else "0"
        rendered = "<p>" + raw.replace("\n", "<br />\n").replace("'", "&#8217;") + "</p>\n"
        return {
            "id": int(entry.remote_id), "post": int(entry.details["post"]), "parent": int(above or 0),
            "author": 0 if person is None or person.details.get("visitor") else int(person.id),
            "author_name": html.escape(person.name if person else "?"), "author_url": "",
            "author_avatar_urls": {"96": f"{self.url}/avatar.png"},
            "date_gmt": entry.at.replace(tzinfo=None).isoformat("T", "seconds"),
            "content": {"rendered": rendered} | ({"raw": raw} if edit else {}),
            "link": f"https://bakery.example/?p={entry.details['post']}#comment-{entry.remote_id}",
            "status": entry.details.get("status", "approved"),
        }  # fmt: skip

    def receive_comment(self, parent_id: str, person: Person, text: str, **details: Any) -> Entry:
        above = self.world.ledger.find(self.key, parent_id)
        assert above is not None  # noqa: S101 - a test names what is there
        post = above.details["post"] if above.kind == "comment" else parent_id
        raw = html.escape(text, quote=False)
        return super().receive_comment(parent_id, person, text, post=post, raw=raw, **details)

    @route(f"GET {COMMENTS}")
    def comments(self, request: Request) -> Response:
        query = request.query
        self.only(query, *LISTED)
        edit = query.get("context") == "edit"
        if edit:
            self._require_moderator(request, "rest_forbidden_context")
        statuses = {"all": ("approved", "hold"), "approve": ("approved",), "hold": ("hold",)}
        shown = statuses[query.get("status", "approve")]
        lag = self.below(query["post"]) if self.world.ledger.find(self.key, query["post"]) else []
        entries = [entry for entry in reversed(lag) if entry.details.get("status", "approved") in shown]
        if "author" in query:
            entries = [entry for entry in entries if entry.account_id == query["author"]]
        if "parent" in query:
            entries = [entry for entry in entries if entry.parent_id == query["parent"]]
        length, page = int(query.get("per_page", "10")), int(query.get("page", "1"))
        if not 1 <= length <= 100:
            raise self.coded(400, "rest_invalid_param", "Invalid parameter(s): per_page")
        pages = -(-len(entries) // length)
        headers = {"X-WP-Total": str(len(entries)), "X-WP-TotalPages": str(pages)}
        if self.struck("repeats") and entries:
            page, headers["X-WP-TotalPages"] = 1, "1000"
        found = entries[(page - 1) * length : page * length]
        return Response(200, [self._comment(entry, edit=edit) for entry in found], headers=headers)

    @route(f"POST {COMMENTS}")
    def comment(self, request: Request) -> Response:
        body = request.json
        self.only(body, "post", "parent", "content")
        post = self.world.ledger.find(self.key, str(body.get("post")))
        if post is None or post.kind == "comment":
            raise self.coded(403, "rest_comment_invalid_post_id")
        if post.details.get("comments") == "closed":
            raise self.coded(403, "rest_comment_closed", "Sorry, comments are closed for this item.")
        raw, parent_id = str(body.get("content") or ""), str(body.get("parent") or post.remote_id)
        if not raw.strip():
            raise self.coded(400, "rest_comment_content_invalid", "Invalid comment content.")
        own = [one for one in self.world.ledger.of(self.key, request.person.id) if one.kind == "comment"]
        if any((one.parent_id, one.details.get("raw")) == (parent_id, raw) for one in own):
            raise self.coded(409, "comment_duplicate", "Duplicate comment detected.")
        flood = own and (self.world.clock() - own[-1].at).total_seconds() < FLOOD_SECONDS
        if flood and not self.may(request, "moderate_comments"):
            raise self.coded(400, "comment_flood", "You are posting comments too quickly. Slow down.")
        text = html.unescape(re.sub(r"<[^>]*>", "", raw))
        details = {"raw": raw, "post": post.remote_id, "status": "approved"}
        entry = self.publish(request, "comment", text, parent_id=parent_id, details=details)
        return Response(201, self._comment(entry, edit=False))

    @route(f"GET {COMMENTS}/{{comment}}")
    def one_comment(self, request: Request) -> Response:
        self.only(request.query, "context", "_fields")
        self._require_moderator(request, "rest_forbidden_context")
        return Response(200, self._comment(self._entry(request), edit=True))

    @route(f"POST {COMMENTS}/{{comment}}")
    def change_comment(self, request: Request) -> Response:
        entry, body = self._entry(request), request.json
        self.only(body, "status")
        self._require_moderator(request, "rest_cannot_edit")
        if (status := STATUSES[body["status"]]) == entry.details.get("status", "approved"):
            raise self.coded(500, "rest_comment_failed_edit", "Updating comment status failed.")
        entry.details["status"] = status
        return Response(200, self._comment(entry, edit=True))

    @route(f"DELETE {COMMENTS}/{{comment}}")
    def remove_comment(self, request: Request) -> Response:
        entry = self._entry(request)
        self.only(request.query, "force")
        self._require_moderator(request, "rest_cannot_delete")
        if entry.deleted_at is not None:
            raise self.coded(410, "rest_already_trashed", "The comment has already been trashed.")
        entry.deleted_at = self.world.clock()
        return Response(200, self._comment(entry, edit=True) | {"status": "trash"})
