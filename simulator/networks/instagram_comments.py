"""Comments on the posts of an account: two levels, answered, hidden and deleted by the account; never liked.

Each is pushed to the apps that subscribed to the account by Instagram Login.
Source: developers.facebook.com, "Comment moderation", "IG Comment", "IG Comment replies", "Set up Instagram
Webhooks". As the network does, it lists 50 a page, newest first, with answers nested; an answer to an answer stands
below the comment on top; hidden comments take no answer; and what the account wrote itself stays shown whatever is
asked.
"""

from collections.abc import Mapping
from typing import Any

from simulator import text as texts
from simulator.ledger import Entry
from simulator.messages import Request, Response
from simulator.network import route
from simulator.networks.containers import ContainerNetwork
from simulator.networks.facebook_login import FacebookLogin
from simulator.networks.graph import moment, split_fields
from simulator.world import App, Person

PAGE = 50
COMMENT_MAX = 2_200
RIGHTS = {"instagram_manage_comments", "instagram_business_manage_comments"}
SUBSCRIBE = ("instagram_business_manage_comments",)
PUSHED = frozenset({"comments", "live_comments", "mentions", "messages"})
FIELDS = ("id", "text", "timestamp", "username", "from", "hidden", "like_count", "parent_id", "replies")


class InstagramComments(ContainerNetwork, FacebookLogin):
    push_object = "instagram"

    def receive_comment(self, parent_id: str, person: Person, text: str, **details: Any) -> Entry:
        entry = super().receive_comment(parent_id, person, text, **details)
        post = entry
        while post.kind == "comment" and (above := self.world.ledger.find(self.key, post.parent_id or "")) is not None:
            post = above
        self.push(post.account_id, "comments", {
            "id": entry.remote_id, "from": {"id": person.id, "username": person.username}, "text": entry.text,
            "media": {"id": post.remote_id, "media_product_type": "FEED"},
        })  # fmt: skip
        return entry

    def call_body(self, _app: App, account_id: str, field: str, value: Mapping[str, Any]) -> dict[str, Any]:
        entry = {"id": account_id, "time": int(self.world.clock().timestamp()), "field": field, "value": value}
        return {"object": self.push_object, "entry": [entry]}

    @route("POST /{version}/{user}/subscribed_apps", scopes=SUBSCRIBE)
    def subscribe_account(self, request: Request) -> Response:
        params = self.params(request)
        self.only(params, "subscribed_fields")
        fields = str(params.get("subscribed_fields") or "")
        if request.args["user"] not in {"me", request.person.id} or not fields:
            raise self.fail(100, "subscribed_fields has to be a list of fields, for the account of the token")
        if not set(fields.split(",")) <= PUSHED:
            raise self.fail(100, f"subscribed_fields has to be some of {', '.join(sorted(PUSHED))}")
        self.subscribe_app(request, request.person.id, fields)
        return Response(200, {"success": True})

    @route("DELETE /{version}/{user}/subscribed_apps", scopes=SUBSCRIBE)
    def unsubscribe_account(self, request: Request) -> Response:
        self.only(self.params(request))
        self.unsubscribe_app(request, request.person.id)
        return Response(200, {"success": True})

    def account(self, request: Request, account_id: str) -> str:
        raise NotImplementedError

    def comment_parent(self, parent_id: str) -> str:
        entry = self.world.ledger.find(self.key, parent_id)
        above = self.world.ledger.find(self.key, (entry and entry.parent_id) or "")
        return above.remote_id if above is not None and above.kind == "comment" else parent_id

    def _with_right(self, request: Request, node: str) -> tuple[Entry, Entry]:
        """Return what a call is about and the post that it stands below, which is of the account that calls."""
        entry = post = self.world.ledger.find(self.key, node)
        while post is not None and post.kind == "comment":
            post = self.world.ledger.find(self.key, post.parent_id or "")
        if entry is None or post is None or post.kind == "story":
            raise self.missing(node)
        self.account(request, post.account_id)
        if not RIGHTS & request.grant.scopes:
            raise self.fail(10, "Application does not have permission for this action", status=403)
        return entry, post

    def _shown_comment(self, entry: Entry, fields: str) -> dict[str, Any]:
        name = self._username(entry.account_id)
        values: dict[str, Any] = {
            "id": entry.remote_id, "text": entry.text, "timestamp": moment(entry.at), "username": name,
            "from": {"id": entry.account_id, "username": name}, "hidden": entry.details.get("hidden", False),
            "like_count": 0, "parent_id": entry.parent_id, "replies": None,
        }  # fmt: skip
        nested = next((one for one in split_fields(fields) if one.startswith("replies")), None)
        if nested is not None:
            inner, wanted = (
                nested.partition("{")[2].removesuffix("}"),
                self.world.ledger.replies(self.key, values["id"]),
            )
            values["replies"] = self._nested(entry.remote_id, wanted, inner) if wanted else None
        return self.shown(values, fields)

    def _nested(self, comment_id: str, entries: list[Entry], fields: str) -> Mapping[str, Any]:
        body: dict[str, Any] = {"data": [self._shown_comment(entry, fields) for entry in entries[:PAGE]]}
        if len(entries) > PAGE:
            body["paging"] = {"cursors": {"after": str(PAGE)}, "next": f"{self.url}/{comment_id}/replies"}
        return body

    def _username(self, account_id: str) -> str:
        for person in self.world.people:
            if person.network == self.key and person.id == account_id:
                return person.username
            for page in person.destinations:
                if page.details.get("instagram", {}).get("id") == account_id:
                    return str(page.details["instagram"]["username"])
        return account_id

    @route("GET /{version}/{node}/comments")
    @route("GET /{version}/{node}/replies")
    def comments(self, request: Request) -> Response:
        self.only(self.params(request), "fields", "limit", "after")
        entry, _ = self._with_right(request, request.args["node"])
        if int(request.query.get("limit", PAGE)) > PAGE:
            raise self.fail(100, f"limit is at most {PAGE}")
        entries = [one for one in self.below(entry.remote_id) if one.parent_id == entry.remote_id]
        if entry.kind != "comment":
            entries.reverse()
        fields = request.query.get("fields", "id,text,timestamp")
        return self.listed_page(request, [self._shown_comment(one, fields) for one in entries])

    @route("POST /{version}/{node}/comments")
    @route("POST /{version}/{node}/replies")
    def comment(self, request: Request) -> Response:
        params, node = self.params(request), request.args["node"]
        self.only(params, "message")
        parent, post = self._with_right(request, node)
        message = str(params.get("message") or "")
        if (parent.kind == "comment") != request.path.endswith("/replies"):
            raise self.missing(node)
        if parent.details.get("hidden"):
            raise self.fail(100, "A hidden comment cannot be answered")
        if not 0 < texts.utf16(message) <= COMMENT_MAX:
            raise self.fail(100, "The comment is empty or too long")
        entry = self.publish(
            request, "comment", message, account_id=post.account_id, parent_id=self.comment_parent(node)
        )
        return Response(200, {"id": entry.remote_id})

    @route("POST /{version}/{node}")
    def change_comment(self, request: Request) -> Response:
        params = self.params(request)
        entry, post = self._with_right(request, request.args["node"])
        self.only(params, "hide")
        if entry.kind != "comment" or params.get("hide") not in {"true", "false"}:
            raise self.fail(100, "hide has to be true or false, for a comment")
        entry.details["hidden"] = params["hide"] == "true" and entry.account_id != post.account_id
        return Response(200, {"success": True})

    def remove_comment(self, request: Request, entry: Entry) -> Response:
        self._with_right(request, entry.remote_id)
        entry.deleted_at = self.world.clock()
        return Response(200, {"success": True})
