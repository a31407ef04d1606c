"""The simulator as a network's fake: the same rules and the same ledger, in this process and at the test's clock."""

import json
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode

from simulator import Person, World
from simulator.messages import FORM
from simulator.messages import Request as SimulatedRequest
from simulator.network import Network
from tests.helpers.connector_harness import Clock, FakeResponse, Headers, Request
from tests.helpers.networks.fake import TOKEN

SERVER = "https://server.example"
"""Where the harness has every server."""


class SimulatedServer:
    """One network of the simulator with one account, whose token is `TOKEN`; see `fake.FakeServer`.

    Args:
        network: the part of the simulator.
        clock: the test's.
        person: values of the account; its name is `me`.
        app: values of the app that it was connected with.
        prepare: called with the world and the account, to add what the account has.
    """

    def __init__(
        self,
        network: type[Network],
        clock: Clock,
        *,
        person: Mapping[str, Any] | None = None,
        app: Mapping[str, Any] | None = None,
        prepare: Callable[[World, Person], None] | None = None,
    ) -> None:
        self.clock, self.key = clock, network.key
        self.broken: dict[str, FakeResponse] = {}
        self.world = World([network], start=clock.now)
        self.world.urls[self.key] = SERVER
        self.network = self.world.networks[self.key]
        self.person = self.world.add_person(self.key, "me", **{"id": "me", **(person or {})})
        if prepare is not None:
            prepare(self.world, self.person)
        oauth = self.network.oauth
        assert oauth is not None
        grant = oauth.grant(self.world.add_app(self.key, **(app or {})), self.person)
        grant.access_token, grant.access_expires_at = TOKEN, None
        oauth._by_token[TOKEN] = grant

    @property
    def created(self) -> list[str]:
        """The texts of what is public, comments left out."""
        return [entry.text for entry in self.world.ledger.of(self.key) if entry.kind != "comment"]

    @property
    def comments(self) -> list[str]:
        return [entry.text for entry in self.world.ledger.of(self.key) if entry.kind == "comment"]

    def __call__(self, request: Request) -> FakeResponse:
        call = f"{request.method} {request.path}"
        if call in self.broken:
            return self.broken.pop(call)
        self.world.clock.set(self.clock.now)
        headers = {name.lower(): value for name, value in request.headers.items()}
        body = request.body
        if request.json is not None:
            body, headers["content-type"] = json.dumps(request.json).encode(), "application/json"
        elif isinstance(request.data, Mapping):
            body, headers["content-type"] = urlencode(request.data).encode(), FORM
        target = request.path + (f"?{urlencode(request.params)}" if request.params else "")
        received = SimulatedRequest(request.method, target, headers, body)
        response = self.network.handle(received, self.network.match(received))
        content, sent = response.encoded()
        return FakeResponse(response.status, content, Headers(sent))
