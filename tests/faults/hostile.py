"""A network that behaves as badly as a test wants: a Mastodon server and a Bluesky server in one, with a ledger.

The ledger is the oracle of these tests: whatever the service says, it knows what became public, when and how often.
"""

import asyncio
import base64
import json
import random
import re
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Self
from urllib.parse import parse_qs

from tests.counterparts.tools import free_port
from tests.helpers.sign_in_servers import did_of


@dataclass(frozen=True)
class Behaviour:
    """What a create call meets. The default: the post is made and the answer arrives."""

    status: int | None = None
    """Answer this instead of making the post."""
    error: str = "no"
    retry_after_seconds: int | None = None
    seconds: float = 0.0
    """How long the server thinks first."""
    waits_for: asyncio.Event | None = None
    hangs: bool = False
    drops: bool = False
    """The connection ends, and nothing was made."""
    loses: bool = False
    """The post is made, but the answer never arrives."""


REFUSES = Behaviour(status=422, error="Validation failed: no")
BUSY = Behaviour(status=503, error="try again later")
HANGS = Behaviour(hangs=True)
DROPS = Behaviour(drops=True)
LOSES = Behaviour(loses=True)


def slow(seconds: float) -> Behaviour:
    return Behaviour(seconds=seconds)


def limited(seconds: int) -> Behaviour:
    """429: come back after so many seconds."""
    return Behaviour(status=429, error="Too many requests", retry_after_seconds=seconds)


@dataclass
class Call:
    """A create call, as it arrived."""

    who: str
    text: str
    key: str
    at: float


@dataclass
class Public(Call):
    """A post that became public."""

    remote_id: str = ""
    parent: str | None = None
    deleted: bool = False


@dataclass(frozen=True)
class Refresh:
    """A refresh token of Bluesky that was presented, once or again."""

    token: str
    sender: str
    """The process, if it is `sabotage.named`."""
    spent: bool
    """It was used before."""


Answer = tuple[int, Any, dict[str, str]]


class _Gone(Exception):
    """The connection ends without an answer."""


@dataclass
class HostileNetwork:
    """`on("word", REFUSES)` decides what happens to create calls whose text contains the word; "" is every text.

    `knows_keys`: whether a repeated Idempotency-Key is recognised, as Mastodon does and its relatives do not.
    `loses`: the share of created posts whose answer is lost.
    """

    knows_keys: bool = True
    loses: float = 0.0
    seed: int = 20261122
    access_seconds: float = 3600.0
    """Life of Bluesky's access tokens."""
    refresh_seconds: dict[str, float] = field(default_factory=dict)
    """Life of the refresh tokens of an account, by DID; of all others it is three months. They are good for one use."""
    url: str = ""
    calls: list[Call] = field(default_factory=list)
    posts: list[Public] = field(default_factory=list)
    lookups: int = 0
    """How often somebody looked whether a post is there."""
    lie: tuple[str, int, bytes] | None = None
    """Calls whose method and path contain the first get this status and these bytes; `lies` counts them."""
    lies: int = 0
    refuses: dict[str, tuple[int, Any]] = field(default_factory=dict)
    """Calls whose method and path contain the key get this status and this document."""
    visitors: int = 0
    """How many people have written something under each post, once each."""
    refresh_answers_after: float = 0.0
    """Seconds; a refresh token is used up before that."""
    refreshes: list[Refresh] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._behaves: dict[str, Behaviour] = {}
        self._random = random.Random(self.seed)
        self._tokens: dict[str, str] = {}
        self._issued = 0
        self._server: asyncio.Server | None = None
        self._serving: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", free_port(), backlog=1000)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._serving:
            task.cancel()
        await asyncio.gather(*self._serving, return_exceptions=True)

    def on(self, word: str, behaviour: Behaviour | None) -> None:
        """Decide what texts with this word meet from now on; None: nothing special."""
        self._behaves.pop(word, None)
        if behaviour is not None:
            self._behaves[word] = behaviour

    def public(self, word: str = "") -> list[str]:
        """The texts that are public now, in the order they became it."""
        return [post.text for post in self.posts if word in post.text and not post.deleted]

    def made(self, word: str = "") -> list[Public]:
        """Whatever became public, deleted or not."""
        return [post for post in self.posts if word in post.text]

    def called(self, word: str = "") -> list[Call]:
        return [call for call in self.calls if word in call.text]

    def doubles(self) -> dict[tuple[str, str], int]:
        """What one account made public more than once, by account and text."""
        counts = Counter((post.who, post.text) for post in self.posts)
        return {text: count for text, count in counts.items() if count > 1}

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._serving.add(task)
        try:
            with suppress(asyncio.IncompleteReadError, ConnectionError, _Gone, asyncio.CancelledError):
                while True:
                    request = await _request(reader)
                    status, document, headers = self._lie(*request[:2]) or await self._answer(*request)
                    raw = document if isinstance(document, bytes) else json.dumps(document).encode()
                    lines = [f"{name}: {value}\r\n" for name, value in headers.items()]
                    head = f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\n{''.join(lines)}"
                    writer.write(f"{head}Content-Length: {len(raw)}\r\n\r\n".encode() + raw)
                    await writer.drain()
        finally:
            writer.close()
            self._serving.discard(task)

    def _lie(self, method: str, path: str) -> Answer | None:
        for part, (status, document) in self.refuses.items():
            if part in f"{method} {path}":
                return status, document, {}
        if self.lie is None or self.lie[0] not in f"{method} {path}":
            return None
        self.lies += 1
        return self.lie[1], self.lie[2], {}

    async def _answer(self, method: str, path: str, headers: dict[str, str], body: bytes) -> Answer:
        path, _, query = path.partition("?")
        token = headers.get("authorization", "").removeprefix("Bearer ")
        if path == "/xrpc/app.bsky.feed.getPostThread":
            return 200, {"thread": _thread(parse_qs(query)["uri"][0], self.visitors)}, {}
        if path.startswith("/xrpc/com.atproto."):
            sender = headers.get("user-agent", "")
            return await self._bluesky(path.removeprefix("/xrpc/com.atproto."), token, sender, query, body)
        return await self._mastodon(method, path, token.removeprefix("tok-"), headers, body, query)

    async def _create(self, call: Call, parent: str | None, *, known: Public | None) -> Public | Answer:
        """Do what the text asks for; `known`: the post that this key has made already."""
        self.calls.append(call)
        behaviour = next((how for word, how in reversed(self._behaves.items()) if word in call.text), Behaviour())
        await asyncio.sleep(behaviour.seconds)
        if behaviour.waits_for is not None:
            await behaviour.waits_for.wait()
        if behaviour.hangs:
            await asyncio.sleep(86_400)
        if behaviour.drops:
            raise _Gone
        if behaviour.status is not None:
            return behaviour.status, {"error": behaviour.error, "message": behaviour.error}, _retry_after(behaviour)
        if known is not None:
            return known
        post = Public(call.who, call.text, call.key, time.time(), str(len(self.posts) + 1), parent)
        self.posts.append(post)
        if behaviour.loses or self._random.random() < self.loses:
            raise _Gone
        return post

    async def _mastodon(  # noqa: PLR0911 - one per call
        self, method: str, path: str, who: str, headers: dict[str, str], body: bytes, query: str
    ) -> Answer:
        if path == "/api/v1/accounts/verify_credentials":
            return 200, {"id": who, "username": who, "display_name": who, "url": f"https://m.test/@{who}"}, {}
        if path == "/api/v2/instance":
            version = "4.3.0" if self.knows_keys else "2.7.2 (compatible; Relative 2.5.0)"
            return 200, {"version": version, "domain": "m.test"}, {}
        if path == "/api/v1/statuses" and method == "POST":
            wish, key = json.loads(body), headers.get("idempotency-key", "")
            known = next((p for p in self.posts if (p.who, p.key) == (who, key)), None) if self.knows_keys else None
            call = Call(who, wish["status"], key, time.time())
            made = await self._create(call, wish.get("in_reply_to_id"), known=known)
            return (200, _status(made), {}) if isinstance(made, Public) else made
        if method == "DELETE" and path.startswith("/api/v1/statuses/"):
            return 200 if self._delete(path.rpartition("/")[2]) else 404, {}, {}
        if found := re.fullmatch(r"/api/v1/statuses/([^/]+)/context", path):
            return 200, {"ancestors": [], "descendants": _descendants(found[1], self.visitors)}, {}
        if found := re.fullmatch(r"/api/v1/accounts/([^/]+)/statuses", path):
            self.lookups += 1
            return 200, [_status(post) for post in self._page(found[1], parse_qs(query))], {}
        return (200, {}, {}) if path == "/oauth/revoke" else (404, {"error": "Not found"}, {})

    def _page(self, who: str, query: dict[str, list[str]]) -> list[Public]:
        """The newest posts of an account, or those before the id `max_id`."""
        before = int(query["max_id"][0]) if "max_id" in query else len(self.posts) + 1
        limit = int(query["limit"][0])
        mine = [p for p in self.posts if p.who == who and not p.deleted and int(p.remote_id) < before]
        return mine[: -limit - 1 : -1]

    async def _bluesky(  # noqa: PLR0911 - one per call
        self, call: str, token: str, sender: str, query: str, body: bytes
    ) -> Answer:
        match call:
            case "server.createSession":
                name = json.loads(body)["identifier"]
                did = name if name.startswith("did:") else did_of(name)
                return 200, {"did": did, "handle": name, "active": True} | self._session(did), {}
            case "server.refreshSession":
                spent = token not in self._tokens
                self.refreshes.append(Refresh(token, sender, spent))
                if spent:
                    return 400, {"error": "ExpiredToken", "message": "Token has been revoked"}, {}
                did = self._tokens.pop(token)
                await asyncio.sleep(self.refresh_answers_after)
                return 200, {"did": did, "handle": did} | self._session(did), {}
            case "server.getSession":
                return 200, {"active": True}, {}
            case "repo.getRecord" | "repo.listRecords":
                return self._read(parse_qs(query))
            case "repo.createRecord":
                wish = json.loads(body)
                reply = wish["record"].get("reply")
                call_made = Call(wish["repo"], wish["record"]["text"], wish["rkey"], time.time())
                if self._record(wish["repo"], wish["rkey"]):
                    self.calls.append(call_made)
                    return 500, {"error": "InternalServerError", "message": "Internal Server Error"}, {}
                made = await self._create(call_made, reply and reply["parent"]["uri"], known=None)
                return (200, _reference(made), {}) if isinstance(made, Public) else made
            case "repo.deleteRecord":
                wish = json.loads(body)
                post = self._record(wish["repo"], wish["rkey"])
                self._delete(post.remote_id if post else "")
                return 200, {}, {}
        return (200, {}, {}) if call == "server.deleteSession" else (501, {"error": "MethodNotImplemented"}, {})

    def _read(self, query: dict[str, list[str]]) -> Answer:
        """One record, or all of an account, the newest first."""
        self.lookups += 1
        [who] = query["repo"]
        if "rkey" not in query:
            mine = [post for post in self.posts if post.who == who and not post.deleted]
            return 200, {"records": [_listed(post) for post in reversed(mine)]}, {}
        post = self._record(who, query["rkey"][0])
        if post is None or post.deleted:
            return 400, {"error": "RecordNotFound", "message": "Could not locate record: at://x"}, {}
        return 200, _reference(post), {}

    def _session(self, did: str) -> dict[str, str]:
        """A new pair of tokens; what a token says of itself is read by the connector."""
        access = self._token("eyJa", self.access_seconds)
        refresh = self._token("eyJr", self.refresh_seconds.get(did, 7_776_000.0))
        self._tokens[refresh] = did
        return {"accessJwt": access, "refreshJwt": refresh}

    def _token(self, prefix: str, seconds: float) -> str:
        self._issued += 1
        claims = {"exp": int(time.time() + seconds), "scope": "com.atproto.appPass", "n": self._issued}
        middle = base64.urlsafe_b64encode(json.dumps(claims).encode()).rstrip(b"=").decode()
        return f"{prefix}.{middle}.{self._issued}"

    def _record(self, who: str, key: str) -> Public | None:
        return next((post for post in self.posts if (post.who, post.key) == (who, key)), None)

    def _delete(self, remote_id: str) -> bool:
        for post in self.posts:
            if post.remote_id == remote_id and not post.deleted:
                post.deleted = True
                return True
        return False


async def _request(reader: asyncio.StreamReader) -> tuple[str, str, dict[str, str], bytes]:
    lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, path, _ = lines[0].split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:] if line)}
    return method, path, headers, await reader.readexactly(int(headers.get("content-length", 0)))


def _retry_after(behaviour: Behaviour) -> dict[str, str]:
    seconds = behaviour.retry_after_seconds
    if seconds is None:
        return {}
    return {"Retry-After": str(seconds), "RateLimit-Reset": str(int(time.time()) + seconds)}


def _listed(post: Public) -> dict[str, Any]:
    reply = {"reply": {"parent": {"uri": post.parent}}} if post.parent else {}
    return _reference(post) | {"value": {"text": post.text} | reply}


def _status(post: Public) -> dict[str, Any]:
    at = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(post.at))
    return {
        "id": post.remote_id, "url": f"https://m.test/{post.remote_id}", "content": f"<p>{post.text}</p>",
        "spoiler_text": "", "media_attachments": [], "in_reply_to_id": post.parent, "created_at": at,
    }  # fmt: skip


def _reference(post: Public) -> dict[str, str]:
    return {"uri": f"at://{post.who}/app.bsky.feed.post/{post.key}", "cid": f"cid{post.remote_id}"}


def _descendants(post_id: str, visitors: int) -> list[dict[str, Any]]:
    at = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
    return [
        {
            "id": f"9{number:06}", "created_at": at, "in_reply_to_id": post_id, "content": "<p>Lovely</p>",
            "account": {"id": f"v{number}", "acct": f"visitor{number}", "display_name": f"Visitor {number}"},
        }
        for number in range(visitors)
    ]  # fmt: skip


def _thread(uri: str, visitors: int) -> dict[str, Any]:
    at = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
    root = {"uri": uri, "cid": "cidroot"}
    replies = [
        {
            "post": {
                "uri": f"at://did:plc:v{number}/app.bsky.feed.post/3k", "cid": f"cid-v{number}", "indexedAt": at,
                "author": {"did": f"did:plc:v{number}", "handle": f"visitor{number}.test"},
                "record": {"text": "Lovely", "reply": {"root": root, "parent": root}},
            }
        }
        for number in range(visitors)
    ]  # fmt: skip
    return {"post": root, "replies": replies}
