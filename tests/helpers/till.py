"""An installation that takes payments, and Stripe at the simulator, with one clock for both."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode, urlsplit

import httpx
from simulator import Simulator
from simulator.messages import FORM, Request, Response
from simulator.stripe import Stripe
from simulator.stripe.cards import GOOD_CARD
from simulator.stripe.events import Event
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make

from signalpost.billing.actions import prices
from signalpost.billing.stripe import Stripe as Client
from signalpost.context import AppContext
from signalpost.identity.actions import sign_in
from signalpost.kit import clock

BACK = "https://app.example.test/paid"
DAY = 86_400


@dataclass
class Buyer:
    """An owner with a session: keys cannot buy."""

    login: Login
    bearer: str
    signed_in_at: datetime


@dataclass
class Till:
    simulator: Simulator
    context: AppContext
    api: Api
    make: Make
    sent: set[str] = field(default_factory=set)

    @property
    def stripe(self) -> Stripe:
        network = self.simulator.world.networks["stripe"]
        assert isinstance(network, Stripe)
        return network

    async def sync(self) -> dict[str, str]:
        return await prices.synchronise(Client(self.context))

    async def buyer(self, plan: str = "free") -> Buyer:
        owner = await self.make.owner(plan=plan)
        return Buyer(owner, await self.session(owner), self.simulator.world.clock())

    async def session(self, login: Login, role: Any = "owner") -> str:
        async with self.context.database.transaction() as db:
            opened = await sign_in.open_session(
                db, self.context.keys, login.user_id, login.workspace_id, role, "192.0.2.1"
            )
        return opened.access_token

    async def call(self, method: str, path: str, buyer: Buyer, **options: Any) -> httpx.Response:
        """Call the API at the time of Stripe."""
        now = self.simulator.world.clock()
        with clock.at(now):
            if now - buyer.signed_in_at > timedelta(minutes=10):
                buyer.bearer, buyer.signed_in_at = await self.session(buyer.login), now
            return await self.api.call(method, path, key=buyer.bearer, **options)

    async def checkout(self, buyer: Buyer, plan: str = "pro", interval: str = "month", **more: Any) -> httpx.Response:
        body = {"plan": plan, "interval": interval, "successUrl": BACK, "cancelUrl": BACK} | more
        return await self.call("POST", "/billing/checkout", buyer, json=body)

    async def buy(self, buyer: Buyer, plan: str = "pro", interval: str = "month", *, card: str = GOOD_CARD) -> str:
        """Buy a plan on the payment page; return the id of the subscription at Stripe. Nothing is notified yet."""
        opened = await self.checkout(buyer, plan, interval)
        assert opened.status_code == 201, opened.text
        answer = self.submit(opened.json()["url"], action="pay", card=card)
        assert (answer.status, answer.headers["Location"]) == (303, BACK)
        subscription_id: str = self.stripe.objects[opened.json()["sessionId"]]["subscription"]
        return subscription_id

    def submit(self, url: str, **fields: str) -> Response:
        """Send the form of a page, as a browser does."""
        headers = {"content-type": FORM}
        request = Request("POST", urlsplit(url).path, headers, urlencode(fields).encode())
        return self.stripe.handle(request, self.stripe.match(request))

    async def change(self, buyer: Buyer, **body: Any) -> httpx.Response:
        return await self.call("PATCH", "/billing/subscription", buyer, json=body)

    async def status(self, buyer: Buyer) -> dict[str, Any]:
        answer = await self.call("GET", "/billing/status", buyer)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def pass_days(self, days: float) -> None:
        """Let time pass at Stripe and here; what falls due happens, and nothing of it is notified yet."""
        self.simulator.world.clock.advance(days * DAY)
        self.stripe.life.catch_up()

    def new_events(self) -> list[Event]:
        return [event for event in self.stripe.outbox.events if event.id not in self.sent]

    async def notify(self, events: Iterable[Event] | None = None) -> list[int]:
        """Deliver what is new, or these in this order; return the statuses."""
        return [(await self.deliver(event)).status_code for event in (self.new_events() if events is None else events)]

    async def deliver(self, event: Event, *, signature: str | None = None, body: bytes | None = None) -> httpx.Response:
        headers = {
            "Stripe-Signature": self.stripe.outbox.sign(event.body) if signature is None else signature,
            "Content-Type": "application/json; charset=utf-8",
        }
        with clock.at(self.simulator.world.clock()):
            answer = await self.api.post("/billing/webhook", content=body or event.body, headers=headers)
        if answer.status_code == 201:
            self.sent.add(event.id)
        return answer
