"""Runs connectors without a database: a journal that outlives its process, and an HTTP client with faults.

For packages: `Clock`, `FakeResponse`, `Request`, `json_response`, `outgoing` and `image` are what a fake is made of.
"""

import base64
import hashlib
import json
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Literal
from urllib.parse import parse_qsl, urlsplit

from signalpost.kit.http import BadResponse, MaybeSent, NotSent
from signalpost.networks.contract import (
    Absent,
    Connector,
    NeedsReconnect,
    NetworkSession,
    Outcome,
    OutcomeUnknown,
    Outgoing,
    OutgoingMedia,
    Part,
    Pending,
    Published,
    Refused,
    Server,
    TryLater,
)

START = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
Failure = Literal["kill", "lost", "unsent", "answer_lost"]


class Broken(Exception):
    """The connector did something that the contract does not allow."""


class Killed(BaseException):
    """The process ends here: nothing below may catch it."""


@dataclass
class Clock:
    now: datetime = START

    def __call__(self) -> datetime:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@dataclass
class FaultInjector:
    """Counts the places where something can fail, and makes one of them fail, once."""

    at: int | None = None
    fault: Failure = "kill"
    count: int = 0

    def strikes(self) -> bool:
        self.count += 1
        return self.count == self.at

    def kill_here(self) -> None:
        if self.fault == "kill" and self.strikes():
            raise Killed


@dataclass
class MemoryJournal:
    """What the database stores. A process may die just before or just after each write."""

    injector: FaultInjector = field(default_factory=FaultInjector)
    values: dict[str, Any] = field(default_factory=dict)
    open: set[str] = field(default_factory=set)
    log: list[tuple[str, str]] = field(default_factory=list)
    restored: bool = False

    @classmethod
    def of_backup(cls, value: Any) -> "MemoryJournal":
        """What is known of a post that the saved instance may have published."""
        return cls(values={"part:0": value}, open={"part:0"}, restored=True)

    @property
    def steps(self) -> Mapping[str, Any]:
        return self.values

    async def record(self, step: str, value: Any) -> None:
        self._write("record", step, value)

    async def intend(self, step: str, value: Any) -> None:
        self._write("intend", step, value)

    async def done(self, step: str, value: Any) -> None:
        if step not in self.open and not self.restored:
            raise Broken(f"journal.done({step!r}) without journal.intend before it")
        if not isinstance(value, Mapping) or not value.get("id"):
            raise Broken(f"journal.done({step!r}) without the remote id")
        self._write("done", step, value)

    def _write(self, kind: str, step: str, value: Any) -> None:
        self.injector.kill_here()
        self.values[step] = json.loads(json.dumps(value))
        self.log.append((kind, step))
        if kind != "record":
            (self.open.add if kind == "intend" else self.open.discard)(step)
        self.injector.kill_here()

    def settle(self) -> None:
        """Forget open intents, as publishing may do once nothing was created."""
        for step in self.open:
            del self.values[step]
        self.open.clear()


class Headers(dict[str, str]):
    """Case-insensitive, as those of the client are."""

    def __init__(self, values: Mapping[str, str] = {}) -> None:
        super().__init__({name.lower(): value for name, value in values.items()})

    def get(self, name: str, default: Any = None) -> Any:
        return super().get(name.lower(), default)


@dataclass
class FakeResponse:
    status: int
    body: bytes
    headers: Headers = field(default_factory=Headers)

    def json(self) -> Any:
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            raise BadResponse("not JSON", status=self.status) from None


def json_response(status: int, value: Any = None, **headers: str) -> FakeResponse:
    return FakeResponse(
        status, json.dumps(value or {}).encode(), Headers({n.replace("_", "-"): v for n, v in headers.items()})
    )


Handler = Callable[["Request"], FakeResponse]


@dataclass
class Request:
    method: str
    path: str
    headers: Headers
    json: Any
    data: Any
    params: dict[str, str]
    body: bytes = b""


@dataclass
class FakeHttp:
    """The outgoing HTTP client, connected to a server in this process; faults come before or after the server acts.

    A WebSocket is a request with `Upgrade: websocket`, the text that is sent as its `json`, and an answer with a text
    in each line.
    """

    serve: Handler
    injector: FaultInjector = field(default_factory=FaultInjector)
    requests: list[Request] = field(default_factory=list)

    async def request(self, method: str, url: str, **rest: Any) -> FakeResponse:
        parts = urlsplit(url)
        params = dict(rest.get("params") or {}) | dict(parse_qsl(parts.query))
        data = rest.get("data")
        headers = Headers((rest.get("headers") or {}) | ({"Upgrade": "websocket"} if rest.get("until") else {}))
        request = Request(method, parts.path, headers, rest.get("json"), data, params)
        request.body = await _bytes(data)
        self.requests.append(request)
        self.injector.kill_here()
        if self.injector.fault in {"unsent", "lost"} and self.injector.strikes():
            if self.injector.fault == "unsent":
                raise NotSent("no connection", stage="connect")
            raise MaybeSent("the connection was lost")  # before the server acted
        response = self.serve(request)
        self.injector.kill_here()
        if self.injector.fault == "answer_lost" and self.injector.strikes():
            raise MaybeSent("no answer in time", timed_out=True)
        return response


async def _bytes(data: Any) -> bytes:
    if isinstance(data, bytes):
        return data
    if hasattr(data, "__aiter__"):
        return b"".join([chunk async for chunk in data])
    if isinstance(data, list):
        return b"".join([await _bytes(part.content) for part in data if not isinstance(part.content, str)])
    return b""


_PIECE_BYTES = 2**20
"""As large as the pieces in which the service reads a file."""


def image(alt: str | None = "a dot", data: bytes = PNG, mime_type: str = "image/png", **rest: Any) -> OutgoingMedia:
    async def read() -> AsyncIterator[bytes]:
        for at in range(0, len(data), _PIECE_BYTES):
            yield data[at : at + _PIECE_BYTES]

    values: dict[str, Any] = {
        "kind": "image", "mime_type": mime_type, "size_bytes": len(data), "sha256": hashlib.sha256(data).digest(),
        "width": 1, "height": 1,
        "alt_text": alt, "file_name": "dot.png", "read": read,
    }  # fmt: skip
    return OutgoingMedia(**values | rest)


def outgoing(*texts: str, media: tuple[OutgoingMedia, ...] = (), **rest: Any) -> Outgoing:
    parts = tuple(Part(text=text, media=media if index == 0 else ()) for index, text in enumerate(texts))
    values: dict[str, Any] = {"dedupe_key": "target-1", "parts": parts, "created_at": START}
    return Outgoing(**values | rest)


def server_at(http: Any, base_url: str = "https://server.example", *, trusted: bool = False) -> Server:
    return Server(base_url=base_url, trusted=trusted, http=http, hosts=defaultdict(lambda: base_url))


def session(http: Any, clock: Clock, **rest: Any) -> NetworkSession:
    """Return a session of account `me` at `http`; `rest` replaces members of it."""

    async def save_tokens(secrets: Mapping[str, str], expires_at: datetime | None) -> None:
        pass

    values: dict[str, Any] = {
        "server": server_at(http), "pages": http, "secrets": {}, "remote_id": "me", "username": "me", "facts": {},
        "save_tokens": save_tokens, "now": clock,
    }  # fmt: skip
    return NetworkSession(**values | rest)


async def publish_until_settled(
    connector: Connector,
    fresh: Callable[[], NetworkSession],
    post: Outgoing,
    journal: MemoryJournal,
    clock: Clock,
    *,
    tells: bool = True,
) -> Outcome:
    """Do what `publishing` does with a target until it ends, dying and starting again where the injector says.

    A network that does not tell is asked once; publishing asks for longer and then leaves it to a person.
    """
    step: Callable[[], Awaitable[Any]] = lambda: connector.publish(fresh(), post, journal)  # noqa: E731
    publish = step
    reconcile = connector.reconcile
    if reconcile is None:
        raise Broken("it has no reconcile")
    for _ in range(40):
        looking = step is not publish
        try:
            outcome = await step()
        except Killed:
            outcome = OutcomeUnknown(message="killed") if journal.open else TryLater(message="killed")
        clock.advance(150)
        ends = isinstance(outcome, OutcomeUnknown) and looking and not tells
        if ends or isinstance(outcome, Published | Refused | NeedsReconnect):
            ended: Outcome = outcome
            return ended
        match outcome:
            case Pending(state=state):
                if connector.poll is None:
                    raise Broken("publish returned Pending, but it has no poll")
                step = partial(_poll, connector.poll, fresh, post, journal, state)
            case TryLater():
                journal.settle()
                step = publish
            case Absent():
                step = publish
            case OutcomeUnknown():
                step = lambda: reconcile(fresh(), post, journal)  # noqa: E731
            case _:
                raise Broken(f"{type(outcome).__name__} is not an outcome")
    raise Broken("the target never ends")


async def _poll(poll: Any, fresh: Callable[[], NetworkSession], *rest: Any) -> Any:
    return await poll(fresh(), *rest)
