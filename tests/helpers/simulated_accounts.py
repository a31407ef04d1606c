"""An account that was connected at a simulated network, through its own authorization page."""

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from simulator import App, Person, Simulator

from signalpost.conformance.harness import MemoryJournal
from signalpost.kit.http import Client
from signalpost.networks import CONNECTORS, oauth2
from signalpost.networks.contract import (
    AuthorizationCode,
    Connector,
    Identity,
    NetworkSession,
    OAuth,
    OAuthApp,
    Outcome,
    Outgoing,
    Pending,
    Server,
)

REDIRECT = "https://service.example/callback"
_VERIFIER = "v" * 43
_CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(_VERIFIER.encode()).digest()).rstrip(b"=").decode()


@dataclass
class Account:
    """What a test needs to use a connector as the service does."""

    simulator: Simulator
    connector: Connector
    person: Person
    app: App
    server: Server
    identity: Identity
    saved: list[tuple[Mapping[str, str], datetime | None]] = field(default_factory=list)

    def session(self, **changes: Any) -> NetworkSession:
        secrets = dict(self.identity.secrets)
        for renewed, _ in self.saved:
            secrets |= renewed
        session: NetworkSession

        async def save(renewed: Mapping[str, str], expires_at: datetime | None) -> None:
            self.saved.append((renewed, expires_at))
            session.secrets = {**session.secrets, **renewed}

        values: dict[str, Any] = {
            "server": self.server, "pages": self.server.http, "secrets": secrets, "save_tokens": save,
            "remote_id": self.identity.remote_id, "username": self.identity.username, "facts": self.identity.facts,
            "now": self.simulator.world.clock, "app": service_app(self.app),
        }  # fmt: skip
        session = NetworkSession(**values | changes)
        return session

    async def publish(self, post: Outgoing, journal: MemoryJournal | None = None, **changes: Any) -> Outcome:
        """Publish and poll, as often as the network wants, at the simulator's clock."""
        journal = journal or MemoryJournal()
        outcome = await self.connector.publish(self.session(**changes), post, journal)
        for _ in range(200):
            if not isinstance(outcome, Pending):
                return outcome
            self.simulator.world.clock.advance(outcome.poll_after_seconds)
            assert self.connector.poll is not None
            outcome = await self.connector.poll(self.session(**changes), post, journal, outcome.state)
        raise AssertionError(f"the network never finishes: {outcome}")


def service_app(app: App) -> OAuthApp:
    return OAuthApp(client_id=app.client_id, client_secret=app.client_secret)


def at_simulator(simulator: Simulator, connector: Connector, http: Client) -> Server:
    """Return the server of a network, whose hosts are all at one address, as the operator's setting has it."""
    url = simulator.url(connector.facts.key)
    return Server(base_url=url, trusted=True, http=http, hosts=dict.fromkeys(connector.facts.hosts, url))


def flow_of(connector: Connector) -> OAuth:
    assert connector.oauth is not None
    return connector.oauth


async def connect(
    simulator: Simulator,
    http: Client,
    key: str,
    *,
    scopes: tuple[str, ...] = (),
    granted: str = "",
    details: Mapping[str, Any] | None = None,
    person: Mapping[str, Any] | None = None,
) -> Account:
    """Send `me` through the authorization page, and redeem the code.

    Args:
        simulator: where the network is.
        http: the outgoing client.
        key: of the network.
        scopes: what the operator's app may ask for; empty: what the connector asks for.
        granted: what the person allows of it; empty: everything.
        details: of the app.
        person: values of the account.
    """
    world, connector = simulator.world, CONNECTORS[key]
    flow, oauth = flow_of(connector), world.networks[key].oauth
    assert oauth is not None
    me = world.add_person(key, "me", **(person or {}))
    app = world.add_app(key, REDIRECT, details=details or {})
    server = at_simulator(simulator, connector, http)
    known = OAuthApp(client_id=app.client_id, client_secret=app.client_secret, scopes=scopes)
    url = oauth2.authorize_url(flow.facts, server, known, redirect_uri=REDIRECT, state="s", code_challenge=_CHALLENGE)
    back = oauth.decide(dict(parse_qsl(urlsplit(url).query)), "me", "approve", granted)
    query = dict(parse_qsl(urlsplit(back).query))
    assert query["state"] == "s"
    code = AuthorizationCode(code=query["code"], redirect_uri=REDIRECT, code_verifier=_VERIFIER)
    identity = await flow.exchange(server, known, code)
    return Account(simulator, connector, me, app, server, identity)
