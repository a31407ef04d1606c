"""Nostr: a relay and a Blossom server at the same address.

Sources: nostr-protocol/nips of 2026-07-22 (01, 09, 10, 11, 36, 65, 92), hzrd149/blossom of 2026-04-22 (BUD-01, 02, 11)
and how strfry is shipped: an event may have 65,536 bytes and be 15 minutes in the future. It keeps notes, deletions,
profiles and lists. Stricter than a relay, it refuses tags that no client would read. A text over the WebSocket is a
call named by its first word, such as `EVENT /`.
"""

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any

from simulator.messages import Fail, Request, Response
from simulator.network import Network, Route, route
from simulator.networks.nostr_curve import is_signed, public_key
from simulator.oauth import Grant
from simulator.world import App, Person, World

EVENT_BYTES_MAX, FUTURE_SECONDS, FILE_BYTES_MAX = 65_536, 900, 100_000_000
NOTE, DELETION, UPLOAD = 1, 5, 24_242
REPLACED = (0, 10_002, 10_063)
HEX = re.compile(r"[0-9a-f]{64}")
SIGNATURE = re.compile(r"[0-9a-f]{128}")
MEMBERS = {"id": str, "pubkey": str, "created_at": int, "kind": int, "tags": list, "content": str, "sig": str}
FILTER = ("ids", "authors", "kinds", "since", "until", "limit", "#e")
ENDINGS = {"image/jpeg": "jpg", "audio/mpeg": "mp3", "video/quicktime": "mov"}
WORDS = {403: "restricted", 429: "rate-limited"}


class Invalid(Exception):
    """An event is refused: the message is what the relay says, with its first word."""


class Nostr(Network):
    key = "nostr"
    speaks_websocket = True

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.owners: dict[str, Person] = {}
        """People by public key; whoever else writes becomes one."""
        self.banned: set[str] = set()
        self.rejected: set[str] = set()
        """Keys whose notes it does not take, in a word that NIP-01 does not have, as nostr-relay says it."""
        self.says_notice = False
        """Whether it answers a query that it refuses with a notice, as strfry and nostr-relay do, and not `CLOSED`."""
        self.events: dict[str, dict[str, Any]] = {}
        self.deleted: set[str] = set()
        self.blobs: dict[str, tuple[bytes, str]] = {}
        self._app = App("nostr", "nostr", "")

    # --- seeds -------------------------------------------------------------------------------------------------------

    def open_account(self, person: Person) -> dict[str, str]:
        """Give a person a key; return how it is connected."""
        private_key = hashlib.sha256(f"nostr {person.username}".encode()).digest()
        self.owners[public_key(private_key)] = person
        relay = f"ws{self.url.removeprefix('http')}"
        return {"privateKey": private_key.hex(), "relays": relay, "mediaServer": self.url}

    # --- the words of Nostr ------------------------------------------------------------------------------------------

    def failure(self, status: int, message: str) -> Response:
        return Response(status, {"message": message}, headers={"X-Reason": message})

    def match(self, request: Request) -> Route | None:
        if request.headers.get("upgrade", "").lower() == "websocket":
            message = self._message(request)
            request.method = str(message[0]) if message else "NOTICE"
        return super().match(request)

    def _message(self, request: Request) -> list[Any]:
        try:
            message = json.loads(request.body)
        except ValueError:
            return []
        return message if isinstance(message, list) else []

    def texts(self, request: Request, response: Response) -> Sequence[str] | None:
        """Return what is sent over the WebSocket; None closes it."""
        if response.status == 101:
            return response.body.decode().splitlines()
        if response.status == 200:
            return None
        word = WORDS.get(response.status, "error" if response.status >= 500 else "invalid")
        message, text = self._message(request), f"{word}: {response.json['message']}"
        if message[:1] == ["EVENT"]:
            return [json.dumps(["OK", message[1].get("id", ""), False, text])]
        return [json.dumps(["CLOSED", message[1], text])] if message[:1] == ["REQ"] else [json.dumps(["NOTICE", text])]

    def authenticate(self, request: Request) -> Grant | None:
        message = self._message(request) if request.method in {"EVENT", "REQ"} else []
        named = message[1:2] if message[:1] == ["EVENT"] else message[2:3]
        keys = [item.get("pubkey") or (item.get("authors") or [""])[0] for item in named if isinstance(item, dict)]
        return Grant(self._app, self._owner(keys[0]), frozenset(), self.world.clock()) if keys and keys[0] else None

    def end(self, grant: Grant) -> None:
        """Let the relay take nothing more of a person."""
        self.banned |= {pubkey for pubkey, person in self.owners.items() if person.id == grant.person.id}

    def _owner(self, pubkey: str) -> Person:
        if pubkey not in self.owners:
            self.owners[pubkey] = self.world.add_person(self.key, pubkey[:12])
        return self.owners[pubkey]

    # --- the relay ---------------------------------------------------------------------------------------------------

    @route("GET /", auth=False)
    def information(self, request: Request) -> Response:
        if "application/nostr+json" not in request.headers.get("accept", ""):
            return Response(200, body=b"<html>A relay</html>", headers={"Content-Type": "text/html"})
        limits = {"max_message_length": EVENT_BYTES_MAX * 2, "max_content_length": EVENT_BYTES_MAX}
        return Response(200, {"name": "Simulator", "supported_nips": [1, 9, 11], "limitation": limits})

    @route("EVENT /", auth=False)
    def event(self, request: Request) -> Response:
        message = self._message(request)
        request.grant = self.authenticate(request)
        return self._say(
            self.answer_to(message[1] if len(message) == 2 and isinstance(message[1], dict) else {}, request)
        )

    def answer_to(self, event: dict[str, Any], request: Request | None = None) -> list[Any]:
        """Return what the relay says of an event."""
        if request is None:
            request = Request("EVENT", "/", {})
            request.grant = Grant(self._app, self._owner(str(event.get("pubkey"))), frozenset(), self.world.clock())
        try:
            return ["OK", event.get("id", ""), True, self._taken(request, event)]
        except Invalid as refusal:
            return ["OK", event.get("id", ""), False, str(refusal)]

    def _say(self, *messages: Sequence[Any]) -> Response:
        return Response(101, body="\n".join(map(json.dumps, messages)).encode())

    def _taken(self, request: Request, event: dict[str, Any]) -> str:
        self.check_event(event)
        size = len(json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode())
        if size > EVENT_BYTES_MAX:
            raise Invalid(f"invalid: event too large: {size}")
        if event["created_at"] > (self.world.clock() + timedelta(seconds=FUTURE_SECONDS)).timestamp():
            raise Invalid("invalid: created_at too far in the future")
        if event["pubkey"] in self.banned:
            raise Invalid("restricted: not allowed to write")
        if event["pubkey"] in self.rejected:
            raise Invalid(f"rejected: {event['pubkey']} not allowed")
        if event["id"] in self.events:
            return "duplicate: already have this event"
        if event["id"] in self.deleted:
            raise Invalid("blocked: the author has deleted this event")
        if event["kind"] == NOTE:
            self._note(request, event)
        elif event["kind"] == DELETION:
            self._delete(event)
        elif event["kind"] not in REPLACED:
            raise Invalid(f"blocked: kind {event['kind']} is not kept here")
        self.events[event["id"]] = event
        return ""

    def check_event(self, event: Mapping[str, Any]) -> None:
        """Refuse what is no event, or is not what its key signed."""
        if set(event) != set(MEMBERS) or any(type(event[name]) is not kind for name, kind in MEMBERS.items()):
            raise Invalid("invalid: an event has other members")
        if not (HEX.fullmatch(event["id"]) and HEX.fullmatch(event["pubkey"]) and SIGNATURE.fullmatch(event["sig"])):
            raise Invalid("invalid: ids, keys and signatures are lower-case hex")
        if not all(
            isinstance(tag, list) and tag and all(isinstance(item, str) for item in tag) for tag in event["tags"]
        ):
            raise Invalid("invalid: a tag is a list of texts")
        members = [0, *(event[name] for name in ("pubkey", "created_at", "kind", "tags", "content"))]
        digest = hashlib.sha256(json.dumps(members, ensure_ascii=False, separators=(",", ":")).encode()).digest()
        if digest.hex() != event["id"]:
            raise Invalid("invalid: the id is not that of the event")
        if not is_signed(digest, event["pubkey"], event["sig"]):
            raise Invalid("invalid: bad signature")

    def _note(self, request: Request, event: Mapping[str, Any]) -> None:
        tags: dict[str, list[list[str]]] = {}
        for name, *values in event["tags"]:
            tags.setdefault(name, []).append(values)
        parents = {values[2]: values[0] for values in tags.get("e", ()) if len(values) > 2}
        if set(parents) - {"root", "reply"} or len(parents) != len(tags.get("e", ())):
            raise Invalid("invalid: the tags of a reply have no marks")
        if parents and self.events.get(parents.get("reply", parents.get("root", ""))) is None:
            raise Invalid("invalid: the note that this replies to is not here")
        files = [dict(item.split(" ", 1) for item in values) for values in tags.get("imeta", ())]
        if any(file.get("url", " ") not in event["content"] or len(file) < 2 for file in files):
            raise Invalid("invalid: a file is described that is not in the note")
        quotes = [values[0] for values in tags.get("q", ())]
        if bool(quotes) != bool(re.search(r"nostr:(?:note|nevent)1", event["content"])):
            raise Invalid("invalid: a quote has a tag and stands in the text")
        text = event["content"]
        for file in files:
            text = text.replace(file["url"], "")
        self.publish(
            request, "post", text.strip(), remote_id=event["id"],
            parent_id=parents.get("reply", parents.get("root")), media=tuple(file.get("x", "") for file in files),
            details={"alt_texts": [file.get("alt") for file in files], "event": dict(event), "tags": tags},
        )  # fmt: skip

    def _delete(self, event: Mapping[str, Any]) -> None:
        for event_id in [tag[1] for tag in event["tags"] if tag[0] == "e"]:
            entry = self.world.ledger.find(self.key, event_id)
            if entry is not None and entry.account_id == self._owner(event["pubkey"]).id:
                entry.deleted_at = self.world.clock()
                self.deleted.add(event_id)
                del self.events[event_id]

    @route("REQ /", auth=False)
    def query(self, request: Request) -> Response:
        _, name, *filters = [*self._message(request), "", {}][:3]
        query = filters[0] if filters else {}
        if set(query) - set(FILTER):
            return self._say(["CLOSED", name, "unsupported: filter contains unknown elements"])
        if self.banned & set(query.get("authors", ())):
            reason = "restricted: not allowed to read"
            return self._say(["NOTICE", reason] if self.says_notice else ["CLOSED", name, reason])
        events = sorted(self._matching(query), key=lambda event: (-event["created_at"], event["id"]))
        messages = [["EVENT", name, event] for event in events[: query.get("limit", 500)]]
        return self._say(*messages, ["EOSE", name])

    def _matching(self, query: Mapping[str, Any]) -> Iterable[dict[str, Any]]:
        lag = self.world.strike(self.key, "*", ("eventual",))
        hidden = {
            entry.remote_id
            for entry in self.world.ledger.of(self.key)
            if lag and entry.at > self.world.clock() - timedelta(seconds=lag.seconds)
        }
        newest: dict[tuple[str, int], str] = {}
        for event in self.events.values():
            if event["kind"] in REPLACED:
                held = self.events.get(newest.get((event["pubkey"], event["kind"]), ""))
                if held is None or held["created_at"] <= event["created_at"]:
                    newest[event["pubkey"], event["kind"]] = event["id"]
        for event in self.events.values():
            replaced = event["kind"] in REPLACED and event["id"] not in newest.values()
            if event["id"] not in hidden and not replaced and _matches(event, query):
                yield event

    @route("CLOSE /", auth=False)
    def close(self, request: Request) -> Response:  # noqa: ARG002 - nothing is sent later anyway
        return Response(101)

    # --- files -------------------------------------------------------------------------------------------------------

    @route("PUT /upload", auth=False)
    def upload(self, request: Request) -> Response:
        sha256 = hashlib.sha256(request.body).hexdigest()
        self._permit(request, sha256)
        if request.headers.get("x-sha-256", sha256) != sha256:
            raise self.refuse(409, "the file is another one")
        if len(request.body) > FILE_BYTES_MAX:
            raise self.refuse(413, "the file is too large")
        status = 200 if sha256 in self.blobs else 201
        self.blobs[sha256] = (request.body, request.content_type)
        ending = ENDINGS.get(request.content_type, request.content_type.rpartition("/")[2])
        body = {
            "url": f"{self.url}/{sha256}.{ending}", "sha256": sha256, "size": len(request.body),
            "type": request.content_type, "uploaded": int(self.world.clock().timestamp()),
        }  # fmt: skip
        return Response(status, body)

    def _permit(self, request: Request, sha256: str) -> None:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        try:
            event = json.loads(base64.b64decode(token.encode() + b"=" * (-len(token) % 4), altchars=b"-_"))
            self.check_event(event)
        except (ValueError, binascii.Error, Invalid, TypeError, AttributeError) as error:
            raise self.refuse(401, f"no signed permission: {error}") from None
        now = self.world.clock().timestamp()
        tags = {name: [tag[1] for tag in event["tags"] if tag[0] == name] for name in ("t", "x", "expiration")}
        if scheme != "Nostr" or event["kind"] != UPLOAD or tags["t"] != ["upload"] or not event["content"]:
            raise self.refuse(401, "the permission is for something else")
        if event["created_at"] > now or not tags["expiration"] or int(tags["expiration"][0]) <= now:
            raise self.refuse(401, "the permission is not valid now")
        if sha256 not in tags["x"]:
            raise self.refuse(401, "the permission is for another file")
        if event["pubkey"] in self.banned:
            raise self.refuse(403, "this key may not upload")

    @route("GET /{file}", auth=False)
    def download(self, request: Request) -> Response:
        held = self.blobs.get(request.args["file"].partition(".")[0])
        if held is None:
            raise Fail(self.failure(404, "there is no such file"))
        return Response(200, body=held[0], headers={"Content-Type": held[1]})


def _matches(event: Mapping[str, Any], query: Mapping[str, Any]) -> bool:
    lists = {"ids": "id", "authors": "pubkey", "kinds": "kind"}
    if any(name in query and event[member] not in query[name] for name, member in lists.items()):
        return False
    referred = {tag[1] for tag in event["tags"] if tag[0] == "e" and len(tag) > 1}
    if "#e" in query and not referred & set(query["#e"]):
        return False
    return bool(query.get("since", 0) <= event["created_at"] <= query.get("until", 1 << 40))


NETWORK: type[Network] = Nostr
