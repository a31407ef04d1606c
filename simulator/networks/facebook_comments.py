"""Comments on what a Page published: two levels, listed flat or by level, hidden, liked and deleted by the Page.

Each is pushed to the apps that subscribed to the Page (`graph_push.py`), which takes `pages_manage_metadata`.
Source: developers.facebook.com, "Object comments", "Comment", "Page moderation", "Page subscribed apps". As the network
does, an answer to an answer stands below the comment on top, who wrote is shown to apps with `pages_read_user_content`
alone, and a Page cannot hide what it wrote itself.
"""

from typing import Any

from simulator.ledger import Entry
from simulator.messages import Request, Response
from simulator.network import route
from simulator.networks.facebook_videos import Videos
from simulator.networks.graph import moment
from simulator.world import Destination, Person

COMMENT_MAX = 8_000
ENGAGE = ("pages_manage_engagement",)
METADATA = ("pages_manage_metadata",)
FIELDS = frozenset({"feed", "mention", "name", "picture", "ratings", "conversations"})


class FacebookComments(Videos):
    push_object = "page"

    def comment_id(self, parent_id: str) -> str:
        return f"{self._post_of(parent_id).remote_id.rpartition('_')[2]}_{self.new_id()}"

    def receive_comment(self, parent_id: str, person: Person, text: str, **details: Any) -> Entry:
        entry = super().receive_comment(parent_id, person, text, **details)
        self._push_comment(entry, person.name)
        return entry

    def _push_comment(self, entry: Entry, author: str) -> None:
        post = self._post_of(entry.remote_id)
        number = post.remote_id.rpartition("_")[2]
        self.push(post.account_id, "feed", {
            "from": {"id": entry.account_id, "name": author}, "item": "comment", "verb": "add", "message": entry.text,
            "comment_id": entry.remote_id, "parent_id": entry.parent_id, "post_id": f"{post.account_id}_{number}",
            "created_time": int(entry.at.timestamp()),
        })  # fmt: skip

    @route("POST /{version}/{page}/subscribed_apps", scopes=METADATA)
    def subscribe_page(self, request: Request) -> Response:
        page, params = self.page_of(request, request.args["page"]), self.params(request)
        self.only(params, "subscribed_fields")
        fields = str(params.get("subscribed_fields") or "")
        if not fields or not set(fields.split(",")) <= FIELDS:
            raise self.fail(100, f"subscribed_fields has to be some of {', '.join(sorted(FIELDS))}")
        self.subscribe_app(request, page.id, fields)
        return Response(200, {"success": True})

    @route("DELETE /{version}/{page}/subscribed_apps", scopes=METADATA)
    def unsubscribe_page(self, request: Request) -> Response:
        page = self.page_of(request, request.args["page"])
        self.only(self.params(request))
        self.unsubscribe_app(request, page.id)
        return Response(200, {"success": True})

    def comment_parent(self, parent_id: str) -> str:
        entry = self.world.ledger.find(self.key, parent_id)
        is_answer = entry is not None and entry.kind == "comment" and self._is_comment(entry.parent_id or "")
        return entry.parent_id or parent_id if entry is not None and is_answer else parent_id

    def _is_comment(self, remote_id: str) -> bool:
        entry = self.world.ledger.find(self.key, remote_id)
        return entry is not None and entry.kind == "comment"

    def _post_of(self, remote_id: str) -> Entry:
        """Return the post that something is, or stands below."""
        entry = self.world.ledger.find(self.key, remote_id)
        if entry is None:
            raise self.missing(remote_id)
        return self._post_of(entry.parent_id or "") if entry.kind == "comment" else entry

    def _page_with(self, request: Request, remote_id: str) -> Destination:
        return self.page_of(request, self._post_of(remote_id).account_id)

    def comment_of(self, request: Request) -> Entry:
        """Return the comment that a call is about, on a post of the Page whose token calls."""
        entry = self.world.ledger.find(self.key, request.args["node"])
        if entry is None or entry.kind != "comment":
            raise self.missing(request.args["node"])
        self._page_with(request, entry.remote_id)
        return entry

    @route("GET /{version}/{node}/comments", scopes=("pages_read_engagement",))
    def comments(self, request: Request) -> Response:
        node, query = request.args["node"], request.query
        self.only(self.params(request), "fields", "filter", "order", "limit", "after", "summary")
        page = self._page_with(request, node)
        entries = self.below(node)
        if query.get("filter", "toplevel") == "toplevel":
            entries = [entry for entry in entries if entry.parent_id == node]
        elif query["filter"] != "stream":
            raise self.fail(100, "filter has to be toplevel or stream")
        if query.get("order", "chronological") == "reverse_chronological":
            entries = entries[::-1]
        knows = "pages_read_user_content" in request.grant.scopes
        shown = [self._comment(entry, page, knows=knows or entry.account_id == page.id) for entry in entries]
        fields = query.get("fields", "id,message,created_time")
        return self.listed_page(request, [self.shown(values, fields) for values in shown])

    def _comment(self, entry: Entry, page: Destination, *, knows: bool) -> dict[str, Any]:
        author = {"id": entry.account_id, "name": self.named(entry.account_id)}
        return {
            "id": entry.remote_id, "message": entry.text, "created_time": moment(entry.at),
            "from": author if knows else None,
            "parent": {"id": entry.parent_id} if self._is_comment(entry.parent_id or "") else None,
            "permalink_url": f"https://www.facebook.com/{entry.remote_id}",
            "is_hidden": entry.details.get("hidden", False), "user_likes": page.id in entry.details.get("likes", ()),
        }  # fmt: skip

    @route("POST /{version}/{node}/comments", scopes=ENGAGE)
    def comment(self, request: Request) -> Response:
        params, node = self.params(request), request.args["node"]
        self.only(params, "message", "attachment_url", "attachment_id")
        page, message = self._page_with(request, node), str(params.get("message") or "")
        if not 0 < len(message) <= COMMENT_MAX:
            raise self.fail(100, "The comment is empty or too long")
        entry = self.publish(
            request, "comment", message, account_id=page.id, remote_id=self.comment_id(node),
            parent_id=self.comment_parent(node),
        )  # fmt: skip
        self._push_comment(entry, page.name)
        return Response(200, {"id": entry.remote_id})

    @route("POST /{version}/{node}", scopes=ENGAGE)
    def change_comment(self, request: Request) -> Response:
        params, entry = self.params(request), self.comment_of(request)
        self.only(params, "is_hidden")
        if params.get("is_hidden") not in {"true", "false"}:
            raise self.fail(100, "is_hidden has to be true or false")
        if self._page_with(request, entry.remote_id).id == entry.account_id:
            raise self.fail(100, "A Page cannot hide its own comment", 1446036)
        entry.details["hidden"] = params["is_hidden"] == "true"
        return Response(200, {"success": True})

    @route("POST /{version}/{node}/likes", scopes=ENGAGE)
    def like(self, request: Request) -> Response:
        entry = self.comment_of(request)
        self.only(self.params(request))
        page = self._page_with(request, entry.remote_id)
        entry.details["likes"] = {*entry.details.get("likes", ()), page.id}
        return Response(200, {"success": True})

    @route("DELETE /{version}/{node}/likes", scopes=ENGAGE)
    def unlike(self, request: Request) -> Response:
        entry = self.comment_of(request)
        entry.details["likes"] = set(entry.details.get("likes", ())) - {self._page_with(request, entry.remote_id).id}
        return Response(200, {"success": True})
