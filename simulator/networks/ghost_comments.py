"""Comments of a site's members: read, hidden and deleted by an integration.

Source: the Admin API of Ghost 6.65, as `tests/networks/test_ghost_server.py` runs it. As Ghost does, it lists those
below others too, and deleted ones without their text; answers stand below the comment on top, and name the one that
they answer.
Stricter than Ghost, it refuses unknown parameters.
"""

import html
import re
from datetime import UTC
from typing import Any

from simulator.ledger import Entry
from simulator.messages import Request, Response
from simulator.network import Network, route
from simulator.world import Person

COMMENTS = "/ghost/api/admin/comments/"
LISTED = ("filter", "order", "limit", "page", "include_nested")
STATUSES = ("published", "hidden", "deleted")


class GhostComments(Network):
    def _comment(self, entry: Entry) -> dict[str, Any]:
        person = next(one for one in self.world.people if one.id == entry.account_id)
        status = "deleted" if entry.deleted_at else entry.details.get("status", "published")
        above = entry.details["above"]
        content = "<p>" + html.escape(entry.text, quote=False).replace("\n", "<br>") + "</p>"
        return {
            "id": entry.remote_id, "parent_id": above[0] if above else None,
            "in_reply_to_id": above[-1] if len(above) > 1 else None, "in_reply_to_snippet": None, "status": status,
            "html": None if status == "deleted" else content, "edited_at": None, "pinned": False,
            "created_at": entry.at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z"),
            "member": {"id": f"{int(person.id):024x}" if person.id.isdigit() else person.id, "uuid": person.id,
                       "name": person.name, "email": f"{person.username}@example.com", "avatar_image": None},
        }  # fmt: skip

    def receive_comment(self, parent_id: str, person: Person, text: str, **details: Any) -> Entry:
        above = self.world.ledger.find(self.key, parent_id)
        assert above is not None  # noqa: S101 - a test names what is there
        chain = [*above.details["above"], above.remote_id] if above.kind == "comment" else []
        post = above.details["post"] if above.kind == "comment" else parent_id
        return super().receive_comment(parent_id, person, text, post=post, above=chain, **details)

    @route(f"GET {COMMENTS}")
    def comments(self, request: Request) -> Response:
        query = request.query
        self.only(query, *LISTED)
        named = re.fullmatch(r"post_id:'([0-9a-f]{24})'", query.get("filter") or "")
        if named is None or query.get("order") != "created_at desc":
            raise self.refuse(400, "Error parsing filter")
        everything = [
            entry for entry in self.world.ledger.of(self.key, deleted=True)
            if entry.kind == "comment" and entry.details.get("post") == named[1]
        ]  # fmt: skip
        everything.sort(key=lambda entry: (entry.at, entry.remote_id), reverse=True)
        length, page = min(int(query.get("limit", "15")), 100), int(query.get("page", "1"))
        pages = max(1, -(-len(everything) // length))
        if self.struck("repeats") and everything:
            page, pages = 1, 1_000
        found = everything[(page - 1) * length : page * length]
        pagination = {"page": page, "limit": length, "pages": pages, "total": len(everything),
                      "next": page + 1 if page < pages else None, "prev": page - 1 or None}  # fmt: skip
        return Response(200, {"comments": list(map(self._comment, found)), "meta": {"pagination": pagination}})

    @route(f"PUT {COMMENTS}{{comment}}/")
    def moderate(self, request: Request) -> Response:
        everything = self.world.ledger.of(self.key, deleted=True)
        entry = next((one for one in everything if one.remote_id == request.args["comment"]), None)
        if entry is None or entry.kind != "comment":
            raise self.refuse(404, "Resource not found error, cannot edit comment.")
        [body] = request.json["comments"]
        self.only(body, "id", "status")
        if body["status"] not in STATUSES:
            raise self.refuse(422, "Validation error, cannot edit comment.")
        entry.details["status"] = body["status"]
        entry.deleted_at = self.world.clock() if body["status"] == "deleted" else None
        return Response(200, {"comments": [self._comment(entry)]})
