"""A phone in the simulator, and the service that it writes to."""

import asyncio
import dataclasses
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from itertools import count
from typing import Any

import httpx
from simulator import Simulator
from simulator.ledger import Entry
from simulator.networks.slack import Slack
from simulator.networks.slack_workspace import Bot
from simulator.networks.telegram import Telegram
from simulator.networks.whatsapp import Webhook, WhatsApp, options_of
from simulator.world import App, Person
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.helpers.limits import TEST_SECONDS

from signalpost.context import AppContext
from signalpost.engine.engine import Engine
from signalpost.engine.jobs import RunAgain
from signalpost.identity.actions import sign_in
from signalpost.identity.queries import tenant_sql
from signalpost.kit.http import Clients
from signalpost.main import app as program
from signalpost.main import wiring
from signalpost.messenger.actions import poll
from signalpost.messenger.contract import Polled
from signalpost.messenger.messengers import SLACK, TELEGRAM
from signalpost.publishing.work import TargetSource

VERIFY_TOKEN = "verify-token-of-the-tests"
TICKS_MIN = 40
JOBS = ["messenger.recall_slack", "messenger.sort", "messenger.handle", "messenger.send"]
BOT = "bakery_post_bot"
SLACK_BOT = "bakery_post"
_ARRIVED = "update messenger_message set received_at = received_at - interval '1 minute' where handled_at is null"
_DUE = """
select exists (select from job where kind = any($1) and state <> 'failed'
        and (started_at is not null or next_attempt_at <= now() + interval '400 ms'))
    or exists (select from target t join messenger_link l on l.workspace_id = t.workspace_id
        where t.status in ('pending', 'publishing') and t.next_attempt_at <= now() and t.held_reason is null)
"""
"""What a worker does now, or in a moment. What waits for longer waits for what the test does next."""
_WAITING = """
select exists (select from messenger_message where handled_at is null)
    or exists (select from messenger_reply where state = 'waiting')
    or exists (select from target t join messenger_link l on l.workspace_id = t.workspace_id
        where t.status in ('pending', 'publishing') and t.next_attempt_at <= now() and t.held_reason is null)
"""


class Lease:
    """The lease of a job, as far as its handler uses it."""

    def __init__(self, context: AppContext) -> None:
        self.transaction = context.database.transaction

    @asynccontextmanager
    async def while_fresh(self) -> AsyncIterator[None]:
        yield


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

    @property
    def telegram(self) -> Telegram:
        network = self.simulator.world.networks["telegram"]
        assert isinstance(network, Telegram)
        return network

    @property
    def bot(self) -> Person:
        return self.simulator.world.person("telegram", BOT)

    @property
    def slack(self) -> Slack:
        network = self.simulator.world.networks["slack"]
        assert isinstance(network, Slack)
        return network

    @property
    def slack_bot(self) -> Bot:
        return next(iter(self.slack.bots.values()))

    async def ask(self, messenger: Polled = TELEGRAM) -> RunAgain:
        """Ask Telegram, or another one, for what is new, as a worker does."""
        lease: Any = Lease(self.context)
        return await poll.poll(self.context, lease, messenger)

    async def work(self, engine: Engine | None = None, *, seconds: float = 0) -> None:
        """Handle what arrived, and send the replies. So many seconds pass between two steps, at the networks."""
        async with asyncio.timeout(TEST_SECONDS):
            for tick in count():
                self.simulator.world.clock.advance(seconds)
                await (engine or self.engine).tick(500)
                if not await self.value(_WAITING):
                    break
                if tick >= TICKS_MIN:
                    if not await self.value(_DUE, JOBS):
                        break
                    await asyncio.sleep(0.01)

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

    async def chat(self, username: str, *, at: str = "telegram") -> "Phone":
        """A person at one of the messengers whom nobody linked."""
        if at == "whatsapp":
            return await self.phone(username)
        if at == "slack":
            chat = SlackChat(self, self.simulator.world.add_person("slack", username))
            if not await self.value("select exists (select from messenger_bot where bot_id like 'slack:%')"):
                self.slack.write(self.slack_bot, chat.person, "Is anybody there?")
                await chat.arrives()  # whoever asks for the first time learns what the bot is called
            return chat
        await self.ask()
        return Chat(self, self.simulator.world.add_person("telegram", username))

    async def linked(self, owner: Login, username: str, *, key: str | None = None, **details: Any) -> "Phone":
        """A phone that is linked to this credential."""
        return await self.link(await self.phone(username, **details), key or owner.key)

    async def linked_chat(self, owner: Login, username: str, *, at: str = "telegram") -> "Phone":
        """A person at one of the messengers who is linked to this owner's key."""
        return await self.link(await self.chat(username, at=at), owner.key)

    async def link(self, phone: "Phone", key: str) -> "Phone":
        """Have a person send a code that this credential got."""
        code = await self.api.post("/wa/link-code", json={"messenger": phone.person.network}, key=key)
        assert code.status_code == 201, code.text
        reply = await phone.says(code.json()["code"])
        assert "is linked now" in reply, reply
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


class Chat(Phone):
    """What a person writes at Telegram, and what they read."""

    @property
    def telegram(self) -> Telegram:
        return self.messenger.telegram

    @property
    def entries(self) -> list[Entry]:
        return self.messenger.simulator.world.ledger.of("telegram", self.person.id)

    @property
    def options(self) -> dict[str, str]:
        rows = self.entries[-1].details["reply_markup"].get("inline_keyboard", [])
        return {button["text"]: button["callback_data"] for row in rows for button in row}

    async def heard(self) -> str:
        """Have what was written asked for and handled; return the newest reply."""
        await self.messenger.ask()
        await self.messenger.execute(_ARRIVED)
        await self.messenger.work()
        return self.texts[-1] if self.texts else ""

    async def says(self, text: str) -> str:
        self.telegram.write(self.messenger.bot, self.person, {"text": text})
        return await self.heard()

    async def taps(self, title: str) -> str:
        self.telegram.tap(self.messenger.bot, self.person, self.options[title])
        return await self.heard()

    async def at(self, written: datetime, text: str) -> str:
        message = self.telegram.written(self.messenger.bot, self.person, {"text": text})
        self.telegram.update(self.messenger.bot, "message", message | {"date": int(written.timestamp())})
        return await self.heard()


class SlackChat(Phone):
    """What a person writes to the bot of Slack, and what they read."""

    @property
    def slack(self) -> Slack:
        return self.messenger.slack

    @property
    def entries(self) -> list[Entry]:
        chat = self.slack.chat(self.messenger.slack_bot, self.person)
        return [
            one for one in self.messenger.simulator.world.ledger.of("slack") if one.details["channel_id"] == chat.id
        ]

    @property
    def options(self) -> dict[str, str]:
        elements = [one for block in self.entries[-1].details["blocks"] for one in block.get("elements", ())]
        return {button["text"]["text"]: button["value"] for button in elements}

    async def arrives(self) -> None:
        """Have what was written come."""
        while self.slack.waiting:
            if not any(one.due_at <= self.messenger.simulator.world.clock() for one in self.slack.waiting):
                self.messenger.simulator.world.clock.advance(61)
            await self.messenger.ask(SLACK)
            await confirmed(self.slack)

    async def heard(self) -> str:
        """Have what was written come and be handled; return the newest reply."""
        await self.arrives()
        await self.messenger.work(seconds=2)  # the bot may send five messages in five seconds
        return self.texts[-1] if self.texts else ""

    async def says(self, text: str) -> str:
        self.slack.write(self.messenger.slack_bot, self.person, text)
        return await self.heard()

    async def taps(self, title: str) -> str:
        value = self.options[title]
        await self.connected()
        self.slack.tap(self.messenger.slack_bot, self.person, value)
        return await self.heard()

    async def connected(self) -> None:
        """Ensure that there is a connection: a tap without one is lost."""
        while not self.slack.lines:
            self.slack.write(self.messenger.slack_bot, self.person, "", subtype="message_deleted")
            self.messenger.simulator.world.clock.advance(61)
            await self.messenger.ask(SLACK)
            await confirmed(self.slack)

    async def at(self, written: datetime, text: str) -> str:
        self.slack.write(self.messenger.slack_bot, self.person, text, ts=f"{written.timestamp():.6f}")
        return await self.heard()


async def confirmed(slack: Slack) -> None:
    """Wait until what was confirmed has been heard at the other end."""
    async with asyncio.timeout(10):
        while any(one.line is not None for one in slack.waiting):
            await asyncio.sleep(0.01)


def slack_tokens(simulator: Simulator) -> dict[str, str]:
    """Have an app made at the simulated Slack; return the settings of its tokens."""
    network = simulator.world.networks["slack"]
    assert isinstance(network, Slack)
    bot = network.add_bot(None, simulator.world.add_person("slack", SLACK_BOT))
    return {"slack_bot_token": bot, "slack_app_token": network.add_app_token()}


def telegram_token(simulator: Simulator) -> str:
    """Have a bot made at the simulated Telegram; return its token."""
    network = simulator.world.networks["telegram"]
    assert isinstance(network, Telegram)
    return network.add_token(simulator.world.add_person("telegram", BOT))


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
    allowed = context.settings.allowed_private_hosts
    async with Simulator([WhatsApp, Telegram, Slack]) as simulator, Clients.create(allowed) as clients:
        app = simulator.world.add_app("whatsapp")
        bot = {"telegram_bot_token": telegram_token(simulator), **slack_tokens(simulator)}
        networks = {
            **context.settings.networks,
            "TELEGRAM_BASE_URL": simulator.url("telegram"),
            "SLACK_BASE_URL": simulator.url("slack"),
        }
        values = settings_for(simulator, app) | bot | more
        settings = dataclasses.replace(context.settings, networks=networks, **values)
        changed = dataclasses.replace(context, settings=settings, http=clients, states={})
        async with Api(program.create(changed)) as api:
            messenger = Messenger(changed, api, simulator, app)
            yield messenger
            await messenger.engine.stop(5.0)
