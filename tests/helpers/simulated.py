"""A network of the simulator in the place of a fake: called in this process, by the clock of a test."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from urllib.parse import urlencode

from simulator.ledger import Entry
from simulator.messages import FORM, File
from simulator.messages import Request as SimulatedRequest
from simulator.network import Network
from simulator.world import World

from signalpost.conformance.harness import Clock, FakeResponse, Headers, Request, server_at
from signalpost.kit.http import Part


@dataclass
class SimulatedServer:
    """A `FakeServer` whose ledger is that of the simulator. `seed` opens the account that a test publishes as.

    In `broken`, a call may also be named as the simulator's route is, with its placeholders.
    """

    clock: Clock
    network: type[Network]
    seed: Callable[[Any], None]
    broken: dict[str, FakeResponse] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.world = World([self.network], start=self.clock.now)
        self.world.urls[self.network.key] = server_at(None).base_url
        self.seed(self.world.networks[self.network.key])

    @property
    def entries(self) -> list[Entry]:
        """What is public, apart from first comments."""
        return [entry for entry in self.world.ledger.of(self.network.key) if entry.kind != "comment"]

    @property
    def created(self) -> list[str]:
        return [entry.text for entry in self.entries]

    @property
    def all_texts(self) -> list[str]:
        """What answers are among: posts, and what people write."""
        return [entry.text for entry in self.world.ledger.of(self.network.key)]

    def __call__(self, request: Request) -> FakeResponse:
        self.world.clock.set(self.clock.now)
        network = self.world.networks[self.network.key]
        received = as_received(request)
        made = network.match(received)
        for call in (f"{request.method} {request.path}", made and made.call):
            if call in self.broken:
                return self.broken.pop(call)
        status, (body, headers) = _handled(network, received)
        return FakeResponse(status, body, Headers(headers))


def simulated(network: type[Network], seed: Callable[[Any], None]) -> Callable[[Clock], SimulatedServer]:
    """Return what makes such a server."""
    return partial(SimulatedServer, network=network, seed=seed)


def write_comment(server: SimulatedServer, remote_id: str) -> None:
    """Have a person comment on a post."""
    server.world.clock.set(server.clock.now)
    key = server.network.key
    server.world.networks[key].receive_comment(remote_id, server.world.add_person(key, "ada", name="Ada"), "When?")


def _handled(network: Network, received: SimulatedRequest) -> tuple[int, tuple[bytes, dict[str, str]]]:
    response = network.handle(received, network.match(received))
    return response.status, response.encoded()


def as_received(request: Request) -> SimulatedRequest:
    """Return a request as a server sees it."""
    target = request.path + (f"?{urlencode(request.params)}" if request.params else "")
    headers = {name.lower(): value for name, value in request.headers.items()}
    received = SimulatedRequest(request.method, target, headers, request.body)
    if request.json is not None:
        received.body, headers["content-type"] = json.dumps(request.json).encode(), "application/json"
    elif isinstance(request.data, dict):
        received.body = urlencode(request.data).encode()
        headers["content-type"] = FORM
    elif isinstance(request.data, list):
        headers["content-type"] = "multipart/form-data"
        received.body = b"multipart"
        received.__dict__["form"] = dict(_fields(request.data, request.body))
    return received


def _fields(parts: Iterable[Part], content: bytes) -> Iterable[tuple[str, str | File]]:
    for part in parts:
        if part.filename is None:
            yield part.name, str(part.content)
        else:
            yield part.name, File(content, part.content_type or "", part.filename)


def open_with(network: Any, token: str, person: Any, app: Any) -> Any:
    """Let a token open an account, as if the person had agreed; return the grant."""
    grant = network.oauth.grant(app, person)
    network.oauth._by_token[token] = grant
    grant.access_token, grant.access_expires_at = token, None
    return grant
