"""Matrix: a homeserver with rooms, power levels, files, threads, redactions and transactions.

Source: spec.matrix.org, Client-Server API 1.18, and how Synapse 1.163 does what it leaves open: the same transaction of
the same device answers the same event for a day, a file may have 50 MiB, a redacted event keeps its id and loses its
content. Stricter than a homeserver, it refuses members of messages that nobody reads. Faults of its own: `forgets` is a
server that no longer knows a transaction, `encrypted` turns on the encryption of every room.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from urllib.parse import unquote

from simulator.ledger import Entry
from simulator.messages import Fail, Request, Response
from simulator.network import Network, Route, route
from simulator.oauth import Grant
from simulator.world import App, Person, World

API = "/_matrix/client/v3"
DOMAIN = "bakery.example"
FILE_BYTES_MAX, EVENT_BYTES_MAX, TXN_SECONDS = 50 * 1024 * 1024, 65_536, 86_400
CODES = {
    400: "M_BAD_JSON", 401: "M_UNKNOWN_TOKEN", 403: "M_FORBIDDEN", 404: "M_NOT_FOUND", 413: "M_TOO_LARGE",
    429: "M_LIMIT_EXCEEDED",
}  # fmt: skip
MESSAGE = (
    "msgtype", "body", "format", "formatted_body", "m.mentions", "m.relates_to", "url", "filename", "info",
    "dev.signalpost.key",
)  # fmt: skip
WITH_FILE = ("m.image", "m.video", "m.audio", "m.file")


@dataclass
class Device:
    person: Person
    id: str


@dataclass
class Room:
    id: str
    alias: str
    name: str = "News"
    version: str = "11"
    members: set[str] = field(default_factory=set)
    left: set[str] = field(default_factory=set)
    """Who is no longer in it: they read what was there."""
    levels: dict[str, Any] = field(default_factory=dict)
    creator: str = f"@owner:{DOMAIN}"
    encrypted: bool = False

    def remove(self, user: str) -> None:
        self.members.discard(user)
        self.left.add(user)


class Matrix(Network):
    key = "matrix"

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.devices: dict[str, Device] = {}
        """By access token."""
        self.rooms: dict[str, Room] = {}
        self.files: dict[str, bytes] = {}
        self.transactions: dict[tuple[str, ...], tuple[Any, str]] = {}
        """When an event was made and its id, by user, device, path and transaction."""
        self._app = App("matrix", "matrix", "")

    # --- seeds -------------------------------------------------------------------------------------------------------

    def add_room(self, name: str = "news", **values: Any) -> Room:
        number = self.world.next_number()
        room = Room(f"!{number:018d}:{DOMAIN}", f"#{name}:{DOMAIN}", **values)
        self.rooms[room.id] = room
        return room

    def add_token(self, person: Person, token: str | None = None, device: str | None = None) -> str:
        token = token or f"syt_{self.world.secret('token')[-40:]}"
        self.devices[token] = Device(person, device or f"DEVICE{len(self.devices)}")
        return token

    def open_room(self, person: Person) -> dict[str, str]:
        """Make a room with a user in it; return how it is connected."""
        room = self.add_room()
        room.members.add(self.user_id(person))
        return {"homeserverUrl": self.url, "accessToken": self.add_token(person), "room": room.alias}

    def user_id(self, person: Person) -> str:
        return f"@{person.username}:{DOMAIN}"

    # --- the words of Matrix -----------------------------------------------------------------------------------------

    def new_id(self) -> str:
        return f"${hashlib.sha256(str(self.world.next_number()).encode()).hexdigest()[:43]}"

    def failure(self, status: int, message: str) -> Response:
        if status >= 500:
            return Response(status, {"errcode": "M_UNKNOWN", "error": message})
        waits = {"retry_after_ms": 2_000} if status == 429 else {}
        headers = {"Retry-After": "2"} if status == 429 else {}
        return Response(status, {"errcode": CODES.get(status, "M_UNKNOWN"), "error": message, **waits}, headers=headers)

    def unauthorized(self) -> Response:
        return Response(401, {"errcode": "M_UNKNOWN_TOKEN", "error": "Unrecognised token", "soft_logout": False})

    def coded(self, status: int, code: str, message: str) -> Fail:
        return Fail(Response(status, {"errcode": code, "error": message}))

    def authenticate(self, request: Request) -> Grant | None:
        token = self.bearer(request)
        if not token:
            raise self.coded(401, "M_MISSING_TOKEN", "Missing access token")
        device = self.devices.get(token)
        return None if device is None else Grant(self._app, device.person, frozenset(), self.world.clock())

    def end(self, grant: Grant) -> None:
        self.devices = {token: held for token, held in self.devices.items() if held.person.id != grant.person.id}

    def match(self, request: Request) -> Route | None:
        found = super().match(request)
        request.args = {name: unquote(value) for name, value in request.args.items()}
        return found

    def room(self, request: Request, *, reads: bool = False) -> Room:
        """Return a room in which the user is, or was, if they only read."""
        room, user = self.rooms.get(request.args["room"]), self.user_id(request.person)
        if room is None or not (user in room.members or (reads and user in room.left)):
            raise self.coded(403, "M_FORBIDDEN", f"User {user} not in room {request.args['room']}")
        room.encrypted |= self.struck("encrypted")
        return room

    def require(self, request: Request, room: Room, kind: str) -> None:
        levels = room.levels
        needed = levels.get("events", {}).get(kind, levels.get("events_default", 0))
        user = self.user_id(request.person)
        made = int(room.version) >= 12 and room.creator == user
        if not made and levels.get("users", {}).get(user, levels.get("users_default", 0)) < needed:
            raise self.coded(403, "M_FORBIDDEN", f"You don't have permission to send {kind} events")

    # --- the server --------------------------------------------------------------------------------------------------

    @route("GET /.well-known/matrix/client", auth=False)
    def well_known(self, request: Request) -> Response:  # noqa: ARG002 - the same for everybody
        return Response(200, {"m.homeserver": {"base_url": f"{self.url}/"}})

    @route("GET /_matrix/client/versions", auth=False)
    def versions(self, request: Request) -> Response:  # noqa: ARG002 - the same for everybody
        return Response(200, {"versions": ["v1.1", "v1.11", "v1.18"], "unstable_features": {}})

    @route(f"GET {API}/account/whoami")
    def whoami(self, request: Request) -> Response:
        device = self.devices[self.bearer(request)]
        return Response(200, {"user_id": self.user_id(request.person), "device_id": device.id, "is_guest": False})

    @route(f"GET {API}/joined_rooms")
    def joined(self, request: Request) -> Response:
        user = self.user_id(request.person)
        return Response(200, {"joined_rooms": [room.id for room in self.rooms.values() if user in room.members]})

    @route(f"GET {API}/directory/room/{{alias}}")
    def directory(self, request: Request) -> Response:
        alias = request.args["alias"]
        _, colon, domain = alias.partition(":")
        if not colon:
            raise self.coded(400, "M_INVALID_PARAM", "Room alias invalid")
        if domain != DOMAIN:
            raise self.coded(502, "M_UNKNOWN", "Failed to fetch alias")
        for room in self.rooms.values():
            if room.alias == alias:
                return Response(200, {"room_id": room.id, "servers": [DOMAIN]})
        raise self.coded(404, "M_NOT_FOUND", f"Room alias {alias} not found")

    @route(f"GET {API}/rooms/{{room}}/state/{{kind}}/")
    @route(f"GET {API}/rooms/{{room}}/state/{{kind}}")
    def state(self, request: Request) -> Response:
        room, kind = self.room(request, reads=True), request.args["kind"]
        content = {
            "m.room.name": {"name": room.name}, "m.room.canonical_alias": {"alias": room.alias},
            "m.room.power_levels": room.levels or None, "m.room.create": {"room_version": room.version},
            "m.room.encryption": {"algorithm": "m.megolm.v1.aes-sha2"} if room.encrypted else None,
        }.get(kind)  # fmt: skip
        if content is None:
            raise self.coded(404, "M_NOT_FOUND", "Event not found.")
        if request.query.get("format") == "event":
            content = {"type": kind, "sender": room.creator, "state_key": "", "content": content}
        return Response(200, content)

    # --- files -------------------------------------------------------------------------------------------------------

    @route("GET /_matrix/client/v1/media/config")
    @route("GET /_matrix/media/v3/config")
    def media_config(self, request: Request) -> Response:  # noqa: ARG002 - the same for everybody
        return Response(200, {"m.upload.size": FILE_BYTES_MAX})

    @route("POST /_matrix/media/v3/upload")
    def upload(self, request: Request) -> Response:
        self.only(request.query, "filename")
        if len(request.body) > FILE_BYTES_MAX:
            raise self.coded(413, "M_TOO_LARGE", "Upload request body is too large")
        if not request.body or not request.content_type:
            raise self.coded(400, "M_UNKNOWN", "Request must specify a Content-Length")
        url = f"mxc://{DOMAIN}/{self.world.next_number():024d}"
        self.files[url] = request.body
        return Response(200, {"content_uri": url})

    @route("GET /_matrix/client/v1/media/download/{server}/{file}")
    def download(self, request: Request) -> Response:
        content = self.files.get(f"mxc://{request.args['server']}/{request.args['file']}")
        if content is None:
            raise self.coded(404, "M_NOT_FOUND", "Media not found")
        return Response(200, body=content, headers={"Content-Type": "application/octet-stream"})

    # --- messages ----------------------------------------------------------------------------------------------------

    @route(f"PUT {API}/rooms/{{room}}/send/{{kind}}/{{txn}}")
    def send(self, request: Request) -> Response:
        content = request.json
        return self._once(request, lambda: self._sent(request, self.room(request), content))

    def _once(self, request: Request, make: Any) -> Response:
        """Make an event, or answer with that of the same transaction of the same device, whoever has left since."""
        device = self.devices[self.bearer(request)]
        key = (device.person.id, device.id, unquote(request.path))
        at, event_id = self.transactions.get(key, (None, ""))
        is_known = at is not None and self.world.clock() - at < timedelta(seconds=TXN_SECONDS)
        if not is_known or self.struck("forgets"):
            event_id = make()
            self.transactions[key] = (self.world.clock(), event_id)
        return Response(200, {"event_id": event_id})

    def _sent(self, request: Request, room: Room, content: Mapping[str, Any]) -> str:
        kind = request.args["kind"]
        if kind != "m.room.message":
            raise self.coded(400, "M_UNKNOWN", f"the simulator takes no {kind}")
        self.require(request, room, kind)
        self._check(content)
        if len(json.dumps(content, ensure_ascii=False).encode()) > EVENT_BYTES_MAX - 1_500:
            raise self.coded(413, "M_TOO_LARGE", "event too large")
        relation = content.get("m.relates_to") or {}
        if relation and self._event(room, relation.get("event_id")) is None:
            raise self.coded(400, "M_UNKNOWN", "Can't send relation to unknown event")
        if relation and self._event(room, relation["event_id"]).parent_id:  # type: ignore[union-attr]
            raise self.coded(400, "M_UNKNOWN", "Cannot start threads from an event with a relation")
        file = self.files.get(content.get("url", ""))
        has_caption = content["msgtype"] not in WITH_FILE or content["body"] != content.get("filename")
        entry = self.publish(
            request, "post", content["body"] if has_caption else "", parent_id=relation.get("event_id"),
            media=() if file is None else (hashlib.sha256(file).hexdigest(),),
            details={"room_id": room.id, "content": dict(content), "sender": self.user_id(request.person)},
        )  # fmt: skip
        return entry.remote_id

    def _check(self, content: Mapping[str, Any]) -> None:
        """Refuse what clients would not show."""
        self.only(content, *MESSAGE)
        kind, body = content.get("msgtype"), content.get("body")
        if kind not in ("m.text", "m.notice", *WITH_FILE) or not isinstance(body, str) or not body:
            raise self.coded(400, "M_BAD_JSON", "a message needs a type and a body")
        if ("formatted_body" in content) != (content.get("format") == "org.matrix.custom.html"):
            raise self.coded(400, "M_BAD_JSON", "formatted_body and its format need each other")
        if kind in WITH_FILE and content.get("url") not in self.files:
            raise self.coded(400, "M_BAD_JSON", "there is no such file")
        relation = content.get("m.relates_to")
        if relation is not None and relation.get("rel_type") != "m.thread":
            raise self.coded(400, "M_BAD_JSON", "the simulator knows threads alone")

    def _event(self, room: Room, event_id: Any) -> Entry | None:
        entries = self.world.ledger.of(self.key, deleted=True)
        return next((one for one in entries if (one.remote_id, one.details["room_id"]) == (event_id, room.id)), None)

    @route(f"PUT {API}/rooms/{{room}}/redact/{{event}}/{{txn}}")
    def redact(self, request: Request) -> Response:
        room = self.room(request)
        self.only(request.json, "reason")
        entry = self._event(room, request.args["event"])
        if entry is None:
            raise self.coded(404, "M_NOT_FOUND", "Could not find event")
        if entry.account_id != request.person.id:
            raise self.coded(403, "M_FORBIDDEN", "You don't have permission to redact events")
        entry.deleted_at = entry.deleted_at or self.world.clock()
        return self._once(request, self.new_id)

    @route(f"GET {API}/rooms/{{room}}/messages")
    def messages(self, request: Request) -> Response:
        room, query = self.room(request, reads=True), request.query
        self.only(query, "dir", "limit", "filter", "from", "to")
        only = json.loads(query.get("filter", "{}"))
        self.only(only, "senders", "types", "limit")
        lag = self.world.strike(self.key, "*", ("eventual",))
        until = self.world.clock() - timedelta(seconds=lag.seconds if lag else 0)
        found = [one for one in self.world.ledger.of(self.key, deleted=True)
                 if one.details["room_id"] == room.id and one.at <= until
                 and one.details["sender"] in only.get("senders", [one.details["sender"]])]  # fmt: skip
        if query.get("dir") == "b":
            found.reverse()
        start, limit = int(re.sub(r"\D", "", query.get("from", "")) or 0), int(query.get("limit", "10"))
        body: dict[str, Any] = {"start": f"t{start}", "chunk": list(map(self._shown, found[start : start + limit]))}
        return Response(200, body | ({"end": f"t{start + limit}"} if len(found) > start + limit else {}))

    def _shown(self, entry: Entry) -> dict[str, Any]:
        """Return an event; a redacted one has no content left."""
        return {
            "type": "m.room.message", "event_id": entry.remote_id, "room_id": entry.details["room_id"],
            "sender": entry.details["sender"], "origin_server_ts": int(entry.at.timestamp() * 1000), "unsigned": {},
            "content": {} if entry.deleted_at else entry.details["content"],
        }  # fmt: skip

    @route(f"GET {API}/sync")
    def sync(self, request: Request) -> Response:
        """Answer with everything, as to a client that begins."""
        user = self.user_id(request.person)
        rooms: Iterable[Room] = [room for room in self.rooms.values() if user in room.members]
        entries = self.world.ledger.of(self.key, deleted=True)
        joined = {
            room.id: {
                "timeline": {"events": [self._shown(one) for one in entries if one.details["room_id"] == room.id],
                             "limited": False, "prev_batch": "t0"},
                "state": {"events": []}, "account_data": {"events": []}, "ephemeral": {"events": []},
            }
            for room in rooms
        }  # fmt: skip
        return Response(200, {"next_batch": "s1", "rooms": {"join": joined}})


NETWORK: type[Network] = Matrix
