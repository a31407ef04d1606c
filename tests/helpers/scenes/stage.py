"""A connector on the simulator: an account connected as people do it, and posts published until they are settled."""

import base64
import hashlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from simulator import Entry, Simulator
from tests.helpers.scenes.scene import Scene

from signalpost.conformance.harness import MemoryJournal, outgoing, publish_until_settled
from signalpost.kit.http import Client
from signalpost.networks import CONNECTORS, oauth2
from signalpost.networks.contract import (
    AuthorizationCode,
    Connector,
    Identity,
    Kind,
    NetworkSession,
    OAuthApp,
    Outcome,
    Outgoing,
    OutgoingMedia,
    Server,
)

REDIRECT = "https://service.example/api/v1/platforms/callback"
VERIFIER = "v" * 50
NOBODY = Identity(remote_id="nobody", username="nobody", display_name="Nobody", secrets={})
TYPICAL: Mapping[Kind, Mapping[str, Any]] = {
    "image": {"width": 1080, "height": 1080},
    "gif": {"width": 320, "height": 240},
    "video": {"width": 1080, "height": 1920, "duration_ms": 10_000},
    "document": {},
    "audio": {"duration_ms": 10_000},
}


@dataclass
class Stage:
    """One account of a network, connected through its authorization page or its form."""

    simulator: Simulator
    key: str
    scene: Scene
    http: Client
    identity: Identity
    app: OAuthApp | None
    secrets: Mapping[str, str] = field(repr=False)
    expires_at: datetime | None = None

    @property
    def connector(self) -> Connector:
        return CONNECTORS[self.key]

    @property
    def world(self) -> Any:
        return self.simulator.world

    def session(self) -> NetworkSession:
        async def save_tokens(secrets: Mapping[str, str], expires_at: datetime | None) -> None:
            self.secrets, self.expires_at = {**self.secrets, **secrets}, expires_at
            opened.secrets = self.secrets

        opened = NetworkSession(
            server=server_of(self.simulator, self.key, self.http), pages=self.http, secrets=self.secrets,
            remote_id=self.identity.remote_id, username=self.identity.username, facts=self.identity.facts,
            save_tokens=save_tokens, now=self.world.clock, app=self.app,
        )  # fmt: skip
        return opened

    def post(self, *texts: str, files: tuple[OutgoingMedia, ...] = (), **rest: Any) -> Outgoing:
        """Return a post with what every post of this network needs."""
        options = {**self.scene.options, **rest.pop("options", {})}
        title = rest.pop("title", self.scene.title)
        return outgoing(*texts, media=files, options=options, title=title, **rest)

    async def publish(self, post: Outgoing, journal: MemoryJournal | None = None) -> Outcome:
        """Publish as the service does, with reconciling and polling, until nothing changes any more."""
        journal = journal or MemoryJournal()
        return await publish_until_settled(self.connector, self.session, post, journal, self.world.clock)

    def public(self) -> list[Entry]:
        """Return what is public on the network, whoever it belongs to."""
        return list(self.world.ledger.of(self.key))

    def file(self, kind: Kind, number: int = 0, alt_text: str | None = None) -> OutgoingMedia:
        """Return a file that the network accepts."""
        content = f"{kind} {number} ".encode() * 10_000
        rule = self.connector.facts.media[kind]

        async def read() -> AsyncIterator[bytes]:
            for start in range(0, len(content), 7_000):
                yield content[start : start + 7_000]

        url = f"https://service.example/{hashlib.sha256(content).hexdigest()}"
        if self.world.networks[self.key].fetches:
            self.world.networks[self.key].files[url] = content
        values = {
            "kind": kind, "mime_type": rule.mime_types[0], "size_bytes": len(content), "read": read,
            "sha256": hashlib.sha256(content).digest(), "alt_text": alt_text,
            "file_name": f"{kind}-{number}", "url": lambda: url,
            **TYPICAL[kind], **self.scene.files.get(kind, {}),
        }  # fmt: skip
        return OutgoingMedia(**values)


def server_of(simulator: Simulator, key: str, http: Client) -> Server:
    """Return the network as the service sees it when its operator names another address."""
    url = simulator.url(key)
    return Server(base_url=url, trusted=True, http=http, hosts=dict.fromkeys(CONNECTORS[key].facts.hosts, url))


async def connected(simulator: Simulator, key: str, scene: Scene, http: Client, username: str = "alice") -> Stage:
    """Connect an account as a person does: by the form, or on the network's page and with a choice of destinations."""
    connector, world = CONNECTORS[key], simulator.world
    server, flow, network = server_of(simulator, key, http), connector.oauth, world.networks[key]
    if scene.prepare is not None:
        scene.prepare(network)
    places = [replace(place, details=dict(place.details)) for place in scene.destinations]
    world.add_person(key, username, details=dict(scene.person), destinations=places)
    if scene.fields is not None:
        assert connector.connect is not None
        identity = await connector.connect(server, scene.fields(network))
        return Stage(simulator, key, scene, http, identity, None, identity.secrets)
    assert flow is not None
    assert network.oauth is not None
    if flow.register is not None:
        app = await flow.register(server, redirect_uri=REDIRECT, app_name="Signalpost")
    else:
        registered = world.add_app(key, REDIRECT, details=dict(scene.app))
        app = OAuthApp(
            client_id=registered.client_id, client_secret=registered.client_secret, scopes=scene.scopes
        )  # fmt: skip
    stage = Stage(simulator, key, scene, http, NOBODY, app, {})
    stage.identity = identity = await flow.exchange(server, app, new_code(stage, username))
    stage.secrets, stage.expires_at = identity.secrets, identity.token_expires_at
    if connector.destinations is not None:
        listed = await connector.destinations(stage.session())
        chosen = next(one.identity for one in listed if one.can_post)
        stage.identity, stage.secrets = chosen, {**identity.secrets, **chosen.secrets}
    return stage


def new_code(stage: Stage, username: str = "alice") -> AuthorizationCode:
    """Return what a person brings back who agreed on the network's page."""
    flow, network = stage.connector.oauth, stage.world.networks[stage.key]
    assert flow is not None
    assert stage.app is not None
    url = oauth2.authorize_url(
        flow.facts, server_of(stage.simulator, stage.key, stage.http), stage.app, redirect_uri=REDIRECT,
        state="the-state", code_challenge=_challenge(VERIFIER),
    )  # fmt: skip
    location = network.oauth.decide(dict(parse_qsl(urlsplit(url).query)), username, "approve")
    back = dict(parse_qsl(urlsplit(location).query))
    assert back["state"] == "the-state", back
    return AuthorizationCode(code=back["code"], redirect_uri=REDIRECT, code_verifier=VERIFIER)


def _challenge(verifier: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
