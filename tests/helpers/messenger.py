"""A phone in the simulator, and the service that it writes to."""

import dataclasses
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

import httpx
from simulator import Simulator
from simulator.ledger import Entry
from simulator.networks.whatsapp import Webhook, WhatsApp, options_of
from simulator.world import App, Person
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make

from signalpost.context import AppContext
from signalpost.engine.engine import Engine
from signalpost.identity.actions import sign_in
from signalpost.identity.queries import tenant_sql
from signalpost.kit.http import Clients
from signalpost.main import app as program
from signalpost.main import wiring
from signalpost.publishing.work import TargetSource

VERIFY_TOKEN = "verify-token-of-the-tests"
TICKS_MAX = 40
_WAITING = """
select exists (select from messenger_message where handled_at is null)
    or exists (select from messenger_reply where state = 'waiting')
    or exists (select from target t join messenger_link l on l.workspace_id = t.workspace_id
        where t.status in ('pending', 'publishing') and t.next_attempt_at <= now() and t.held_reason is null)
"""


class Messenger:
    """The simulated network, the service beside it, and what a test does with both."""

    def __init__(self, context: AppContext, api: Api, simulator: Simulator, app: App) -> None:
        self.context, self.api, self.simulator, self.app = context, api, simulator, app
        self.make = Make(context, api)
        self.engine = self.new_engine()

    def new_engine(self) -> Engine:
        """A worker of its own; the test ticks it."""
        sources = [TargetSource(self.context), wiring.job_registry(self.context)]
        return Engine(self.context.database, sources, tenant_sql=tenant_sql)

    @property
    def network(self) -> WhatsApp:
        network = self.simulator.world.networks["whatsapp"]
        assert isinstance(network, WhatsApp)
        return network

    async def deliver(self, *webhooks: Webhook) -> list[httpx.Response]:
        """Call the webhook of the service."""
        return [await self.api.post("/wa/webhook", content=hook.body, headers=hook.headers) for hook in webhooks]

    async def work(self, engine: Engine | None = None) -> None:
        """Handle what arrived, and send the replies."""
        for _ in range(TICKS_MAX):
            await (engine or self.engine).tick(500)
            if not await self.value(_WAITING):
                break

    async def value(self, statement: str, *arguments: Any) -> Any:
        async with self.context.database.connection() as db:
            return await db.fetchval(statement, *arguments)

    async def execute(self, statement: str, *arguments: Any) -> None:
        async with self.context.database.transaction() as db:
            await db.execute(statement, *arguments)

    async def session(self, login: Login) -> str:
        """Sign somebody in; return the access token."""
        async with self.context.database.transaction() as db:
            tokens = await sign_in.open_session(
                db, self.context.keys, login.user_id, login.workspace_id, "owner", "192.0.2.1"
            )
        return tokens.access_token

    async def phone(self, username: str, **details: Any) -> "Phone":
        """A person with a phone that nobody linked."""
        return Phone(self, self.simulator.world.add_person("whatsapp", username, details=details))

    async def linked(self, owner: Login, username: str, *, key: str | None = None, **details: Any) -> "Phone":
        """A phone that is linked to this credential."""
        phone = await self.phone(username, **details)
        code = await self.api.post("/wa/link-code", json={}, key=key or owner.key)
        assert code.status_code == 201, code.text
        assert "is linked now" in await phone.says(code.json()["code"])
        return phone


class Phone:
    """What a person writes, and what they read."""

    def __init__(self, messenger: Messenger, person: Person) -> None:
        self.messenger, self.person = messenger, person

    @property
    def network(self) -> WhatsApp:
        return self.messenger.network

    @property
    def entries(self) -> list[Entry]:
        return self.network.sent_to(self.person)

    @property
    def texts(self) -> list[str]:
        return [entry.text for entry in self.entries]

    @property
    def options(self) -> dict[str, str]:
        """The buttons of the newest message: title -> id."""
        return options_of(self.entries[-1])

    async def send(self, *messages: dict[str, Any], **how: Any) -> None:
        """Have messages delivered, and handled."""
        hooks = self.network.webhooks(self.messenger.app, [self.person], messages, **how)
        for answer in await self.messenger.deliver(*hooks):
            assert (answer.status_code, answer.json()) == (200, {"received": True})
        await self.messenger.work()

    async def says(self, text: str) -> str:
        """Write a text; return the newest reply."""
        await self.send(self.network.text(self.person, text))
        return self.texts[-1] if self.texts else ""

    async def taps(self, title: str) -> str:
        """Tap a button of the newest message; return the reply."""
        await self.send(self.network.tap(self.person, self.options[title], title))
        return self.texts[-1]

    async def at(self, written: datetime, text: str) -> str:
        """Write a text that was written then; return the newest reply."""
        message = self.network.text(self.person, text) | {"timestamp": str(int(written.timestamp()))}
        await self.send(message)
        return self.texts[-1]


def settings_for(simulator: Simulator, app: App) -> dict[str, Any]:
    """The settings that point a service at the simulated network."""
    network = simulator.world.networks["whatsapp"]
    assert isinstance(network, WhatsApp)
    return {
        "whatsapp_phone_number_id": network.phone_number_id,
        "whatsapp_phone_number": "+49 30 12345670",
        "whatsapp_access_token": network.token(app),
        "whatsapp_app_secret": app.client_secret,
        "whatsapp_verify_token": VERIFY_TOKEN,
        "whatsapp_template": "post_result",
        "whatsapp_base_url": simulator.url("whatsapp"),
    }


@asynccontextmanager
async def opened(context: AppContext, **more: Any) -> AsyncIterator[Messenger]:
    """The service of `context` with a messenger, and a simulated network beside it."""
    async with Simulator([WhatsApp]) as simulator, Clients.create(context.settings.allowed_private_hosts) as clients:
        app = simulator.world.add_app("whatsapp")
        settings = dataclasses.replace(context.settings, **settings_for(simulator, app), **more)
        changed = dataclasses.replace(context, settings=settings, http=clients, states={})
        async with Api(program.create(changed)) as api:
            messenger = Messenger(changed, api, simulator, app)
            yield messenger
            await messenger.engine.stop(5.0)
