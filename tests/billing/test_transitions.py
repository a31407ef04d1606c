"""Every state of a subscription, reached by notifications in any order, some of them twice, some of them in between.

What the workspace has in the end is what a small model says, which knows Stripe's objects and nothing of our code.
"""

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import hypothesis
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from simulator.stripe import Stripe
from simulator.stripe.cards import GOOD_CARD
from simulator.stripe.events import Event, shuffled
from simulator.stripe.lifecycle import FAILS_LATER
from tests.helpers.till import DAY, Till

from signalpost.billing.actions.refresh import Notification, refresh, refresh_outdated
from signalpost.kit import clock

GRACE = 7 * DAY


@dataclass
class Customer:
    """A customer at Stripe, and what may happen to them."""

    stripe: Stripe
    document: dict[str, Any]

    @property
    def subscriptions(self) -> list[dict[str, Any]]:
        return [one for one in self.stripe.of_kind("subscription") if one["customer"] == self.document["id"]]

    @property
    def current(self) -> dict[str, Any] | None:
        return next((one for one in self.subscriptions if one["status"] != "canceled"), None)

    def price(self, plan: str, interval: str) -> dict[str, Any]:
        key = f"signalpost_{plan}_{interval}"
        return next(price for price in self.stripe.of_kind("price") if price["lookup_key"] == key)

    def buy(self, plan: str, *, trial_days: int = 0) -> None:
        if self.current is not None:
            return
        method = self.stripe.add_card(self.document, GOOD_CARD)
        data = {"trial_period_days": trial_days, "metadata": {"signalpost_workspace": "wsp_1"}}
        price = self.price(plan, "month")
        self.stripe.life.begin(self.document, price, method["id"], data=data, amount=price["unit_amount"])

    def change(self, plan: str) -> None:
        if (current := self.current) is not None and current["status"] in ("active", "trialing"):
            self.stripe.life.change_price(current, self.price(plan, "year"), may_wait=False)

    def set_cancelling(self, *, cancelling: bool) -> None:
        if (current := self.current) is not None:
            current["cancel_at_period_end"] = cancelling
            self.stripe.happened("customer.subscription.updated", current)

    def end(self) -> None:
        if (current := self.current) is not None:
            self.stripe.life.end(current)

    def pause(self) -> None:
        if (current := self.current) is not None and current["status"] in ("active", "trialing"):
            self.stripe.pause(current)

    def pay(self) -> None:
        self.stripe.add_card(self.document, GOOD_CARD)
        if (current := self.current) is not None:
            self.stripe.life.pay_open(current)

    def pass_days(self, days: float) -> None:
        self.stripe.world.clock.advance(days * DAY)
        self.stripe.life.catch_up()


STEPS: dict[str, Callable[[Customer], object]] = {
    "buy starter": lambda customer: customer.buy("starter"),
    "buy pro": lambda customer: customer.buy("pro"),
    "try max": lambda customer: customer.buy("max", trial_days=14),
    "to max": lambda customer: customer.change("max"),
    "to starter": lambda customer: customer.change("starter"),
    "cancel": lambda customer: customer.set_cancelling(cancelling=True),
    "resume": lambda customer: customer.set_cancelling(cancelling=False),
    "end": Customer.end,
    "pause": Customer.pause,
    "lose the card": lambda customer: customer.stripe.add_card(customer.document, FAILS_LATER),
    "pay": Customer.pay,
    "a day": lambda customer: customer.pass_days(1),
    "a week": lambda customer: customer.pass_days(7),
    "a month": lambda customer: customer.pass_days(31),
}
ANY_STEP = st.one_of(st.sampled_from(sorted(STEPS)), st.integers(0, 30))  # a number: an event is delivered now
BEGINNING = st.sampled_from(["buy starter", "buy pro", "try max"])
AFTER_DUNNING = st.sampled_from(["canceled", "unpaid", "past_due"])


def model(customer: Customer) -> tuple[str, str]:
    """Return the status, and the plan in force, that contract C16 gives to what Stripe has."""
    if not customer.subscriptions:
        return "none", "free"
    if (current := customer.current) is None:
        return "expired", "free"
    plan = current["items"]["data"][0]["price"]["metadata"]["signalpost_plan"]
    if current["status"] == "paused":
        return "paused", "free"
    if current["status"] in ("past_due", "unpaid"):
        unpaid = [one["created"] for one in customer.stripe.life.open_invoices(current)]
        return "past_due", plan if customer.stripe.life.now < min(unpaid) + GRACE else "free"
    return "cancelled" if current["cancel_at_period_end"] else current["status"], plan


async def play(
    till: Till, workspace: Any, prices: dict[str, Any], after: str, steps: Sequence[str | int], seed: int
) -> tuple[str, str]:
    """Let things happen to a new customer, deliver what came of it, compare, and return status and plan."""
    till.simulator.world.reset()
    stripe = till.stripe
    stripe.objects.update(copy.deepcopy(prices))
    stripe.life.after_dunning = after
    document = {
        "id": stripe.make_id("cus"), "object": "customer", "invoice_settings": {"default_payment_method": None},
    }  # fmt: skip
    customer = Customer(stripe, stripe.keep(document))
    async with till.context.database.transaction() as db:
        await db.execute("delete from subscription where workspace_id = $1", workspace)
        await db.execute("update workspace set plan = 'free' where id = $1", workspace)
        await db.execute(
            "insert into subscription (workspace_id, customer_id) values ($1, $2)", workspace, document["id"]
        )

    async def deliver(events: Sequence[Event]) -> None:
        with clock.at(till.simulator.world.clock()):
            for event in events:
                await refresh(till.context, document["id"], notification=Notification(event.id, event.type))

    events = stripe.outbox.events
    for step in steps:
        if isinstance(step, str):
            STEPS[step](customer)
        elif events:
            await deliver([events[step % len(events)]])
    await deliver(shuffled(events, seed, duplicates=3))
    now = till.simulator.world.clock()
    with clock.at(now):
        await refresh_outdated(till.context, now, after=None, limit=100)
    async with till.context.database.connection() as db:
        row = await db.fetchrow(
            "select s.status, w.plan from subscription s join workspace w on w.id = s.workspace_id where w.id = $1",
            workspace,
        )

    assert row is not None
    assert tuple(row) == model(customer), [event.type for event in events]
    return row[0], row[1]


@pytest.fixture
async def stage(till: Till) -> tuple[Till, Any, dict[str, Any]]:
    workspace = (await till.buyer()).login.workspace_id
    prices = {key: value for key, value in till.stripe.objects.items() if value["object"] in ("price", "product")}
    return till, workspace, prices


def of(examples: int) -> Any:
    return hypothesis.settings(
        max_examples=examples, derandomize=True, suppress_health_check=list(HealthCheck), deadline=None
    )


MOVES = {
    "none": ([], "free"),
    "none to trialing": (["try max"], "max"),
    "none to active": (["buy pro"], "pro"),
    "trialing to active": (["try max", 0, "a week", "a week", "a day"], "max"),
    "active to past_due": (["buy pro", 1, "lose the card", "a month"], "pro"),
    "past_due after the grace": (["buy pro", 1, "lose the card", "a month", 4, "a week", "a day"], "free"),
    "past_due to active": (["buy pro", "lose the card", "a month", 6, "a week", "pay"], "pro"),
    "active to paused": (["buy starter", 0, "pause"], "free"),
    "active to cancelled": (["buy starter", 0, "cancel"], "starter"),
    "trialing to cancelled": (["try max", 0, "cancel"], "max"),
    "cancelled to active": (["buy starter", "cancel", 2, "resume"], "starter"),
    "cancelled to expired": (["buy starter", 0, "cancel", 3, "a month"], "free"),
    "past_due to expired": (["buy pro", "lose the card", "a month", 7, "end"], "free"),
    "expired to active": (["buy pro", "end", 3, "buy starter"], "starter"),
    "active on a larger plan": (["buy pro", 1, "to max"], "max"),
}
"""The moves of contract C16: what happens, with deliveries in between, and the plan in the end."""


@pytest.mark.parametrize("move", MOVES)
async def test_each_move_ends_where_the_contract_says(stage: tuple[Till, Any, dict[str, Any]], move: str) -> None:
    steps, plan = MOVES[move]
    status = move.removesuffix(" after the grace").removesuffix(" on a larger plan").rpartition(" to ")[2]

    assert await play(*stage, "unpaid", steps, seed=1) == (status, plan)


STORY = st.tuples(BEGINNING, st.lists(ANY_STEP, max_size=8)).map(lambda parts: [parts[0], *parts[1]])


@of(60)
@given(after=AFTER_DUNNING, steps=STORY, seed=st.integers(0, 2**32))
async def test_notifications_in_any_order_end_in_the_plan_of_the_model(
    stage: tuple[Till, Any, dict[str, Any]], after: str, steps: list[str | int], seed: int
) -> None:
    await play(*stage, after, steps, seed)


@pytest.mark.heavy
@of(500)
@given(after=AFTER_DUNNING, steps=STORY, seed=st.integers(0, 2**32))
async def test_notifications_in_five_hundred_orders(
    stage: tuple[Till, Any, dict[str, Any]], after: str, steps: list[str | int], seed: int
) -> None:
    await play(*stage, after, steps, seed)
