"""Random histories of billing, and a small model that says what must be true of them.

The model knows who owned which workspace when, and whose each card is. It reads what Stripe did, never our tables:

- nobody is charged for another's workspace, or for one that is deleted, without getting it back;
- nobody is charged without being served, and nobody is served beyond the grace without being charged;
- nobody sees the card of another person;
- nobody pays for two subscriptions to one workspace;
- every cent, charged or given back, is a row of the history.

Some cards are declined, some only when they renew, and with some the bank wants every payment confirmed. Notices are
lost, late, repeated and in any order. So the promises hold after a while (`settle`), in which jobs run.
"""

import random
from dataclasses import dataclass, field
from typing import Any, cast

import httpx
from simulator.stripe.cards import GOOD_CARD
from simulator.stripe.lifecycle import ASKS_ALWAYS, DECLINED, ENDED, FAILS_LATER
from tests.helpers.mail import InTest
from tests.helpers.till import BACK, DAY, Buyer, Till

from signalpost.billing import work
from signalpost.billing.actions.handover import close_pages
from signalpost.engine.contract import Lease
from signalpost.kit import clock, ids
from signalpost.workspaces.actions import delete

GRACE_DAYS = 7
PAGE = {"successUrl": BACK, "cancelUrl": BACK}
PLANS = [("starter", "month"), ("pro", "month"), ("max", "month"), ("pro", "year")]
WHILE_DAYS = 8 / 24
"""How long it may take until something is right that no notice told of."""
NIGHT_DAYS = 26 / 24
"""How long for what only the nightly comparison can find: what someone did in Stripe's dashboard."""


@dataclass
class Person:
    number: int
    buyer: Buyer
    member_id: str = ""


@dataclass
class History:
    """One workspace of two people, and all that happens to it."""

    till: Till
    chance: random.Random
    people: list[Person] = field(default_factory=list)
    owners: list[tuple[int, int | None]] = field(default_factory=list)
    """Since when (seconds) who owns the workspace; None: it is deleted."""
    cards: dict[str, int] = field(default_factory=dict)
    pages: list[tuple[str, int]] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)
    calls: int = 0
    while_days: float = WHILE_DAYS
    broken: list[str] = field(default_factory=list)
    """What was seen to be wrong on the way."""
    is_closing: bool = False
    """Whether a deletion or a transfer has left its job."""

    # --- what the model knows ----------------------------------------------------------------------------------------

    @property
    def now(self) -> int:
        return self.till.stripe.life.now

    @property
    def owner(self) -> int | None:
        return self.owners[-1][1]

    def owner_at(self, second: int) -> int | None:
        return [owner for since, owner in self.owners if since <= second][-1]

    @property
    def workspace_id(self) -> Any:
        return self.people[0].buyer.login.workspace_id

    # --- what happens ------------------------------------------------------------------------------------------------

    async def begin(self) -> None:
        till = self.till
        await self._forget_others()
        till.stripe.life.after_dunning = self.chance.choice(["canceled", "unpaid", "past_due"])
        first = await till.buyer()
        login = await till.make.member(first.login, role="admin")
        second = Buyer(login, await till.session(login, "admin"), till.simulator.world.clock())
        self.people = [Person(0, first), Person(1, second)]
        for member in (await till.call("GET", "/team", first)).json()["data"]:
            for person in self.people:
                if member["userId"] == ids.encode("usr", person.buyer.login.user_id):
                    person.member_id = member["id"]
        self.owners = [(0, 0)]
        if self.chance.random() < 0.8:
            plan, interval = self.chance.choice(PLANS)
            opened = await self.till.checkout(first, plan, interval)
            self.enter(0, opened.json()["url"], action="pay", card=GOOD_CARD)
            if self.chance.random() < 0.3:
                await self.lose()
            self.till.pass_days(1 / DAY)  # what happens next is not in the same second: Stripe counts in these

    async def _forget_others(self) -> None:
        """Rows of earlier histories have customers that this Stripe does not know, and another clock."""
        async with self.till.context.database.transaction() as db:
            await db.execute("update subscription set status = 'expired', checkout_id = null, confirm_url = null")
            await db.execute("delete from billing_handover")
            await db.execute(
                "update billing_provider set compared_at = null, compared_to = null, comparing_since = null"
            )

    async def step(self) -> None:
        action = self.chance.choice(_ACTIONS)
        self.steps.append(action)
        await getattr(self, action)()
        self.till.pass_days(1 / DAY)

    async def call(self, person: Person, method: str, path: str, **body: Any) -> httpx.Response:
        self.calls += 1
        options = {"json": body} if body else {}
        answer = await self.till.call(method, path, person.buyer, **options)
        self.steps[-1] += f" {person.number}:{answer.status_code}"
        return answer

    @property
    def someone(self) -> Person:
        """Mostly the owner: what others try is refused mostly."""
        if self.owner is not None and self.chance.random() < 0.7:
            return self.people[self.owner]
        return self.chance.choice(self.people)

    def enter(self, person: int, url: str, **fields: str) -> int:
        """Send the form of a page as this person, and note whose the card is that came by it."""
        known = {card["id"] for card in self.till.stripe.of_kind("payment_method")}
        status = self.till.submit(url, **fields).status
        for card in self.till.stripe.of_kind("payment_method"):
            if card["id"] not in known:
                card["card"]["last4"] = f"{person:04d}"
                self.cards[card["id"]] = person
        return status

    async def open_page(self) -> None:
        person, (plan, interval) = self.someone, self.chance.choice(PLANS)
        opened = await self.call(person, "POST", "/billing/checkout", plan=plan, interval=interval, **PAGE)
        if opened.status_code == 201:
            self.pages.append((opened.json()["url"], person.number))

    async def pay_page(self) -> None:
        if self.pages:
            url, person = self.chance.choice(self.pages[-2:])
            card = self.chance.choice([GOOD_CARD, GOOD_CARD, ASKS_ALWAYS, DECLINED])
            action = self.chance.choice(["confirm", "confirm", "fail"]) if card == ASKS_ALWAYS else "pay"
            self.steps[-1] += f" {card[-4:]} {self.enter(person, url, action=action, card=card)}"

    async def confirm(self) -> None:
        """Whoever has the page of an invoice open, of today or of last month: the card is that of the subscription."""
        invoices = [one for one in self.till.stripe.of_kind("invoice") if one["amount_due"]]
        for invoice in self.chance.sample(invoices[-3:], k=min(len(invoices), 1)):
            action = self.chance.choice(["confirm", "confirm", "fail"])
            self.steps[-1] += f" {self.till.submit(invoice['hosted_invoice_url'], action=action).status}"

    async def end_in_dashboard(self) -> None:
        """Someone of the installation ends the subscription in Stripe, and no notice tells of it."""
        for subscription in self.till.stripe.of_kind("subscription"):
            if subscription["status"] not in ENDED and self.chance.random() < 0.3:
                self.till.stripe.life.end(subscription)
                await self.lose()
                self.while_days = NIGHT_DAYS
                self.steps[-1] += " done"

    async def change_plan(self) -> None:
        plan, interval = self.chance.choice(PLANS)
        await self.call(self.someone, "PATCH", "/billing/subscription", plan=plan, interval=interval)

    async def cancel(self) -> None:
        """Who has cancelled cannot be charged by a page that is still open somewhere."""
        ended = await self.call(self.someone, "PATCH", "/billing/subscription", cancelAtPeriodEnd=True)
        if ended.status_code == 200 and any(one["pending_update"] for one in self.till.stripe.of_kind("subscription")):
            self.broken.append("a larger plan can still be paid after the cancellation")

    async def resume(self) -> None:
        await self.call(self.someone, "PATCH", "/billing/subscription", resume=True)

    async def use_portal(self) -> None:
        person, action = self.someone, self.chance.choice(["cancel", "resume", "card", "card"])
        opened = await self.call(person, "POST", "/billing/portal", returnUrl=BACK)
        if opened.status_code == 201:
            card = self.chance.choice([GOOD_CARD, FAILS_LATER, ASKS_ALWAYS])
            self.steps[-1] += f" {action} {card[-4:]}"
            self.enter(person.number, opened.json()["url"], action=action, card=card)

    async def transfer(self) -> None:
        giver = self.someone
        taker = self.people[1 - giver.number]
        moved = await self.call(giver, "POST", "/team/transfer", memberId=taker.member_id)
        if moved.status_code == 200:
            self.owners.append((self.now, taker.number))
            self.is_closing = True

    async def offer(self) -> None:
        giver = self.someone
        await self.call(giver, "POST", "/billing/handover", memberId=self.people[1 - giver.number].member_id)

    async def take_over(self) -> None:
        person = self.someone
        opened = await self.call(person, "POST", "/billing/payer", **PAGE)
        if opened.status_code == 201:
            self.pages.append((opened.json()["url"], person.number))

    async def withdraw(self) -> None:
        await self.call(self.someone, "DELETE", "/billing/handover")

    async def come_back(self) -> None:
        await self.call(self.someone, "POST", "/billing/refresh")
        await self.see_owner()

    async def delete(self) -> None:
        if self.chance.random() < 0.3:
            async with self.till.context.database.connection() as db:
                name = await db.fetchval("select name from workspace where id = $1", self.workspace_id)
            path = f"/workspaces/{ids.encode('wsp', self.workspace_id)}"
            self.calls += 1
            answer = await self.till.call("DELETE", path, self.someone.buyer, params={"name": name})
            if answer.status_code == 200:
                self.steps[-1] += " done"
                self.owners.append((self.now, None))
                self.is_closing = True

    async def restore(self) -> None:
        if self.owner is None:
            with clock.at(self.till.simulator.world.clock()):
                async with self.till.context.database.transaction() as db:
                    await delete.restore_workspace(self.till.context, db, self.workspace_id)
            self.owners.append((self.now, self.owners[-2][1]))

    async def pass_time(self) -> None:
        days = self.chance.choice([0.1, 1, 3, 8, 32])
        self.steps[-1] += f" {days}"
        self.till.pass_days(days)

    async def deliver(self) -> None:
        """Some of what waits, in any order, some of it twice; the rest later, or never."""
        waiting = self.till.new_events()
        chosen = self.chance.choices(waiting, k=min(len(waiting), 6)) if waiting else []
        await self.till.notify(chosen)
        await self.see_owner()

    async def lose(self) -> None:
        self.till.sent |= {event.id for event in self.till.new_events()}

    async def work(self) -> None:
        with clock.at(self.till.simulator.world.clock()):
            if self.is_closing:
                await close_pages(self.till.context, self.workspace_id)
                self.is_closing = False
            if self.while_days < NIGHT_DAYS:  # the nightly comparison must not hide what else is broken
                await self._have_compared()
            await work.keep_up(self.till.context, cast("Lease", InTest(self.till.context.database)))
        await self.see_owner()

    async def _have_compared(self) -> None:
        async with self.till.context.database.transaction() as db:
            await db.execute(
                "update billing_provider set compared_at = $1, comparing_since = null, compared_to = null",
                self.till.simulator.world.clock(),
            )

    async def see_owner(self) -> None:
        """A handover moves the ownership when its card is read: the model takes over from the list of members."""
        if self.owner is None:
            return
        query = "select user_id from member where workspace_id = $1 and role = 'owner' and status = 'active'"
        async with self.till.context.database.connection() as db:
            user_id = await db.fetchval(query, self.workspace_id)
        [owner] = [person.number for person in self.people if person.buyer.login.user_id == user_id]
        if owner != self.owner:
            self.owners.append((self.now, owner))
            self.is_closing = True

    # --- what must be true -------------------------------------------------------------------------------------------

    async def settle(self) -> list[str]:
        """Let jobs run and time pass until what was not told is found; return the broken promises."""
        self.steps.append("settle")
        await self.work()
        self.till.pass_days(self.while_days)
        await self.till.notify()
        await self.see_owner()
        await self.work()
        self.while_days = WHILE_DAYS
        return [*self.broken, *self._charges(), *self._twice(), *await self._service(), *await self._history()]

    def _charges(self) -> list[str]:
        broken = []
        for intent in self.till.stripe.of_kind("payment_intent"):
            person, owner = self.cards[intent["payment_method"]], self.owner_at(intent["created"])
            kept = intent["amount"] - intent["hidden"]["refunded"]
            if kept and person != owner:
                broken.append(f"{person} paid {kept} at {intent['created']} for a workspace of {owner}")
        return broken

    def _twice(self) -> list[str]:
        paying = [one["id"] for one in self.till.stripe.of_kind("subscription") if one["status"] not in ENDED]
        return [f"{len(paying)} subscriptions are paid"] if len(paying) > 1 else []

    async def _service(self) -> list[str]:
        if self.owner is None:
            return []
        self.calls += 1
        status = await self.till.status(self.people[self.owner].buyer)
        broken, plans = [], {"free"}
        for subscription in self.till.stripe.of_kind("subscription"):
            plan = self.till.stripe.life.item(subscription)["price"]["metadata"]["signalpost_plan"]
            if subscription["status"] == "active":
                plans = {plan}
                break
            if subscription["status"] in ("past_due", "unpaid"):
                since = min(invoice["created"] for invoice in self.till.stripe.life.open_invoices(subscription))
                plans = {plan if self.now - since < GRACE_DAYS * DAY else "free"}
        if status["plan"] not in plans:
            broken.append(f"the plan is {status['plan']}, and what is paid is {plans}")
        card = status["paymentMethod"]
        if card is not None and int(card["last4"]) != self.owner:
            broken.append(f"{self.owner} sees the card of {card['last4']}")
        return broken

    async def _history(self) -> list[str]:
        query = (
            "select action, changes from audit where workspace_id = $1 and action in ('payment', 'payment_refunded')"
        )
        async with self.till.context.database.connection() as db:
            rows = await db.fetch(query, self.workspace_id)
        told: dict[str, list[int]] = {"payment": [], "payment_refunded": []}
        for action, changes in rows:
            told[action] += [change["to"] for change in changes if change["field"] == "amount"]
        stripe = self.till.stripe
        paid = sorted(intent["amount"] for intent in stripe.of_kind("payment_intent"))
        given_back = sorted(refund["amount"] for refund in stripe.of_kind("refund"))
        broken = [] if sorted(told["payment"]) == paid else [f"paid {paid}, the history says {told['payment']}"]
        if sorted(told["payment_refunded"]) != given_back:
            broken.append(f"given back {given_back}, the history says {told['payment_refunded']}")
        return broken


_ACTIONS = [
    *["open_page"] * 4, *["pay_page"] * 6, *["change_plan"] * 3, *["cancel"] * 2, "resume", "resume",
    *["use_portal"] * 5, "confirm", "confirm", "end_in_dashboard",
    "transfer", "transfer", *["offer"] * 4, *["take_over"] * 4, "withdraw", "come_back", "delete",
    *["restore"] * 3, *["pass_time"] * 6, *["deliver"] * 4, "lose", "lose", "work",
]  # fmt: skip
