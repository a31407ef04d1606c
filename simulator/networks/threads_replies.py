"""Replies to the posts of a profile: the whole conversation in one list, and replies on top that are hidden.

Source: developers.facebook.com, "Reply management" of the Threads API. As the network does, it lists the conversation
of the profile's own posts alone, newest first unless that is turned round, and hides what stands below a hidden reply.
Replies are pushed to each app that the owner of the post allowed to read them ("Webhooks for Threads"); not certain at
the real network, and so chosen here: `target_id` is the profile.
"""

from collections.abc import Mapping
from typing import Any

from simulator.ledger import Entry
from simulator.messages import Request, Response
from simulator.network import route
from simulator.networks.containers import ContainerNetwork
from simulator.networks.graph import moment
from simulator.networks.graph_push import Pushing
from simulator.world import App, Person


class ThreadsReplies(ContainerNetwork, Pushing):
    push_object = "moderate"

    def receive_comment(self, parent_id: str, person: Person, text: str, **details: Any) -> Entry:
        entry = super().receive_comment(parent_id, person, text, **details)
        root = self._root(entry)
        self.push(root.account_id, "replies", {
            "id": entry.remote_id, "username": person.username, "text": entry.text, "media_type": "TEXT_POST",
            "replied_to": {"id": entry.parent_id}, "timestamp": moment(entry.at),
            "root_post": {"id": root.remote_id, "owner_id": root.account_id},
        })  # fmt: skip
        return entry

    def is_subscribed(self, app: App, account_id: str, field: str) -> bool:
        grants = self.oauth.grants if self.oauth is not None else []
        return field == "replies" and any(
            (grant.app, grant.person.id) == (app, account_id) and "threads_read_replies" in grant.scopes
            for grant in grants
        )

    def call_body(self, app: App, account_id: str, field: str, value: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "app_id": app.client_id, "topic": self.push_object, "target_id": account_id,
            "time": int(self.world.clock().timestamp()), "subscription_id": "1", "has_uid_field": False,
            "values": {"value": value, "field": field},
        }  # fmt: skip

    def _root(self, entry: Entry) -> Entry:
        while entry.parent_id is not None and (above := self.world.ledger.find(self.key, entry.parent_id)) is not None:
            entry = above
        return entry

    def _own_root(self, request: Request) -> tuple[Entry, Entry]:
        """Return what a call is about, and the post that the conversation began with, which is of the profile."""
        entry = self.world.ledger.find(self.key, request.args["node"])
        root = None if entry is None else self._root(entry)
        if entry is None or root is None or root.account_id != request.person.id:
            raise self.missing(request.args["node"])
        return entry, root

    def _is_hidden(self, entry: Entry) -> bool:
        above = self.world.ledger.find(self.key, entry.parent_id or "")
        return entry.details.get("hide", False) or (above is not None and self._is_hidden(above))

    def _reply(self, entry: Entry, root: Entry, own_id: str) -> dict[str, Any]:
        names = {person.id: person.username for person in self.world.people if person.network == self.key}
        name = names.get(entry.account_id, entry.account_id)
        return {
            "id": entry.remote_id, "text": entry.text or None, "timestamp": moment(entry.at), "username": name,
            "permalink": f"https://www.threads.com/@{name}/post/D{entry.remote_id}", "is_reply": True,
            "root_post": {"id": root.remote_id}, "replied_to": {"id": entry.parent_id},
            "is_reply_owned_by_me": entry.account_id == own_id,
            "hide_status": "HIDDEN" if self._is_hidden(entry) else "NOT_HUSHED",
        }  # fmt: skip

    @route("GET /{version}/{node}/conversation", scopes=("threads_basic", "threads_read_replies"))
    def conversation(self, request: Request) -> Response:
        self.only(self.params(request), "fields", "reverse", "limit", "after")
        entry, root = self._own_root(request)
        if entry is not root:
            raise self.fail(100, "The conversation is that of a post, and not of a reply")
        entries = self.below(root.remote_id)
        if request.query.get("reverse", "true") == "true":
            entries = entries[::-1]
        fields = request.query.get("fields", "id")
        shown = [self.shown(self._reply(one, root, request.person.id), fields) for one in entries]
        return self.listed_page(request, shown)

    @route("POST /{version}/{node}/manage_reply", scopes=("threads_basic", "threads_manage_replies"))
    def manage_reply(self, request: Request) -> Response:
        params = self.params(request)
        self.only(params, "hide")
        entry, root = self._own_root(request)
        if entry.parent_id != root.remote_id or params.get("hide") not in {"true", "false"}:
            raise self.fail(100, "hide has to be true or false, for a reply on top")
        entry.details["hide"] = params["hide"] == "true"
        return Response(200, {"success": True})
