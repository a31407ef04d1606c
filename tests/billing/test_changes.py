"""A subscription over its life: larger at once, smaller at the end, cancelled, continued, unpaid, on trial."""

import dataclasses
from typing import Any

import pytest
from simulator.stripe.cards import GOOD_CARD
from simulator.stripe.lifecycle import FAILS_LATER
from tests.helpers.api import Api
from tests.helpers.till import Buyer, Till

from signalpost.billing.actions.refresh import refresh_outdated
from signalpost.billing.stripe import Stripe as Client
from signalpost.kit import clock, problems
from signalpost.plans import actions as plans


async def bought(till: Till, plan: str = "pro", interval: str = "month", **options: Any) -> Buyer:
    buyer = await till.buyer()
    await till.buy(buyer, plan, interval, **options)
    await till.notify()
    assert (await till.status(buyer))["plan"] == plan
    return buyer


def paid(till: Till) -> list[str]:
    return [entry.text for entry in till.simulator.world.ledger.of("stripe")]


async def upkeep(till: Till) -> None:
    now = till.simulator.world.clock()
    with clock.at(now):
        await refresh_outdated(till.context, now, after=None, limit=100)


async def test_a_larger_plan_begins_at_once_and_the_difference_is_paid(till: Till) -> None:
    """Before any notification: the response says what is in force."""
    buyer = await bought(till, "starter")
    till.pass_days(15)
    changed = await till.change(buyer, plan="pro")

    assert (changed.status_code, changed.json()["plan"], changed.json()["limits"]["webhooks"]) == (200, "pro", 3)
    assert changed.json()["pendingChange"] is None
    assert (await till.call("GET", "/auth/usage", buyer)).json()["plan"] == "pro"
    first, difference = paid(till)
    assert first == "900 usd"
    assert int(difference.split()[0]) in range(900, 1_100)  # about half a month of 20 dollars


async def test_a_year_of_the_same_plan_begins_at_once(till: Till) -> None:
    buyer = await bought(till, "pro")
    changed = (await till.change(buyer, interval="year")).json()

    assert (changed["plan"], changed["interval"], changed["status"]) == ("pro", "year", "active")
    assert paid(till) == ["2900 usd", "26100 usd"]


async def test_a_smaller_plan_begins_at_the_end_of_the_period(till: Till) -> None:
    buyer = await bought(till, "pro")
    planned = (await till.change(buyer, plan="starter")).json()
    till.pass_days(32)
    await till.notify()
    after = await till.status(buyer)

    assert (planned["plan"], planned["pendingChange"]) == (
        "pro", {"plan": "starter", "interval": "month", "effectiveAt": planned["currentPeriodEnd"]},
    )  # fmt: skip
    assert (after["plan"], after["pendingChange"], after["currentPeriodStart"]) == (
        "starter", None, planned["currentPeriodEnd"],
    )  # fmt: skip
    assert paid(till) == ["2900 usd", "900 usd"]
    assert (await till.change(buyer, plan="max")).json()["plan"] == "max"


async def test_a_planned_change_can_be_replaced_and_dropped(till: Till) -> None:
    buyer = await bought(till, "max", "year")
    await till.change(buyer, plan="pro")
    same = await till.change(buyer, plan="pro", interval="year")
    other = (await till.change(buyer, plan="starter", interval="month")).json()
    dropped = (await till.change(buyer, plan="max")).json()
    till.pass_days(366)
    await till.notify()

    assert (same.status_code, same.json()["code"]) == (409, "invalid_state")
    assert (other["plan"], other["pendingChange"]["plan"], other["pendingChange"]["interval"]) == (
        "max",
        "starter",
        "month",
    )
    assert dropped["pendingChange"] is None
    assert (await till.status(buyer))["plan"] == "max"


async def test_an_upgrade_replaces_a_planned_downgrade(till: Till) -> None:
    buyer = await bought(till, "pro")
    await till.change(buyer, plan="starter")
    changed = (await till.change(buyer, plan="max")).json()

    assert (changed["plan"], changed["pendingChange"]) == ("max", None)


async def test_a_cancelled_subscription_ends_with_its_period_unless_it_is_resumed(till: Till) -> None:
    buyer = await bought(till)
    await till.change(buyer, plan="starter")
    cancelled = (await till.change(buyer, cancelAtPeriodEnd=True)).json()
    twice = await till.change(buyer, cancelAtPeriodEnd=True)
    upgrade = await till.change(buyer, plan="max")
    resumed = (await till.change(buyer, resume=True)).json()
    again = await till.change(buyer, resume=True)
    await till.change(buyer, cancelAtPeriodEnd=True)
    before = await till.status(buyer)
    till.pass_days(32)
    await till.notify()
    ended = await till.status(buyer)
    too_late = await till.change(buyer, resume=True)

    assert (cancelled["status"], cancelled["plan"], cancelled["pendingChange"]) == ("cancelled", "pro", None)
    assert [answer.status_code for answer in (twice, upgrade, again, too_late)] == [409] * 4
    assert (resumed["status"], resumed["cancelAtPeriodEnd"]) == ("active", False)
    assert (before["status"], before["plan"]) == ("cancelled", "pro")
    assert (ended["status"], ended["plan"], ended["cancelAtPeriodEnd"]) == ("expired", "free", False)
    assert (await till.checkout(buyer)).status_code == 201


async def test_an_unpaid_plan_has_seven_days(till: Till) -> None:
    """Then the limits of the free plan apply, also if Stripe says nothing; a payment brings the plan back."""
    buyer = await bought(till, card=GOOD_CARD)
    subscription = till.stripe.of_kind("subscription")[-1]
    till.stripe.add_card(till.stripe.objects[subscription["customer"]], FAILS_LATER)
    till.stripe.life.after_dunning = "unpaid"
    ends = subscription["items"]["data"][0]["current_period_end"]
    till.pass_days((ends - till.stripe.life.now) / 86_400 + 0.01)
    await till.notify()
    grace = await till.status(buyer)
    refused = await till.change(buyer, plan="max")
    till.pass_days(6.9)
    await till.notify()
    await upkeep(till)
    last_hours = await till.status(buyer)
    till.pass_days(0.2)
    await upkeep(till)
    over = await till.status(buyer)
    till.stripe.add_card(till.stripe.objects[subscription["customer"]], GOOD_CARD)
    till.stripe.life.pay_open(subscription)
    await till.notify()
    back = await till.status(buyer)

    assert (grace["status"], grace["plan"], grace["graceEndsAt"][:10]) == ("past_due", "pro", over["graceEndsAt"][:10])
    assert (refused.status_code, refused.json()["code"]) == (402, "subscription_past_due")
    assert (last_hours["status"], last_hours["plan"]) == ("past_due", "pro")
    assert (over["status"], over["plan"], over["limits"]["webhooks"]) == ("past_due", "free", 0)
    assert (back["status"], back["plan"], back["graceEndsAt"]) == ("active", "pro", None)


async def test_who_pays_a_debt_is_served_though_no_notice_arrives(till: Till) -> None:
    buyer = await bought(till)
    subscription = till.stripe.of_kind("subscription")[-1]
    till.stripe.life.after_dunning = "past_due"
    till.stripe.add_card(till.stripe.objects[subscription["customer"]], FAILS_LATER)
    till.pass_days(45)
    await till.notify()
    owing = await till.status(buyer)
    till.stripe.add_card(till.stripe.objects[subscription["customer"]], GOOD_CARD)
    till.stripe.life.pay_open(subscription)
    till.pass_days(0.3)
    await upkeep(till)

    assert (owing["status"], owing["plan"]) == ("past_due", "free")
    assert ((await till.status(buyer))["status"], (await till.status(buyer))["plan"]) == ("active", "pro")


async def test_a_second_unpaid_period_brings_no_second_grace(till: Till) -> None:
    buyer = await bought(till)
    subscription = till.stripe.of_kind("subscription")[-1]
    till.stripe.life.after_dunning = "past_due"
    till.stripe.add_card(till.stripe.objects[subscription["customer"]], FAILS_LATER)
    till.pass_days(65)
    await till.notify()

    assert (await till.status(buyer))["plan"] == "free"


async def test_an_upgrade_that_is_not_paid_changes_nothing(till: Till) -> None:
    buyer = await bought(till, "starter")
    subscription = till.stripe.of_kind("subscription")[-1]
    till.stripe.add_card(till.stripe.objects[subscription["customer"]], FAILS_LATER)
    refused = await till.change(buyer, plan="max")
    await till.notify()

    assert (refused.status_code, refused.json()["code"]) == (402, "payment_failed")
    assert ((await till.status(buyer))["plan"], (await till.status(buyer))["status"]) == ("starter", "active")


async def test_a_declined_upgrade_keeps_the_planned_downgrade(till: Till) -> None:
    """At Stripe too: the next payment is that of the smaller plan."""
    buyer = await bought(till, "pro")
    subscription = till.stripe.of_kind("subscription")[-1]
    planned = (await till.change(buyer, plan="starter")).json()["pendingChange"]
    till.stripe.add_card(till.stripe.objects[subscription["customer"]], FAILS_LATER)
    refused = await till.change(buyer, plan="max")
    at_once = (await till.status(buyer))["pendingChange"]
    till.stripe.add_card(till.stripe.objects[subscription["customer"]], GOOD_CARD)
    till.pass_days(32)
    await till.notify()

    assert (refused.status_code, refused.json()["code"]) == (402, "payment_failed")
    assert at_once == planned
    assert paid(till) == ["2900 usd", "900 usd"]
    assert (await till.status(buyer))["plan"] == "starter"


@pytest.mark.parametrize("is_made", [False, True])
async def test_a_cancellation_that_does_not_get_through_keeps_the_planned_downgrade(
    till: Till, monkeypatch: pytest.MonkeyPatch, *, is_made: bool
) -> None:
    """Unless it got through and only its response was lost: the status shows what Stripe has in both cases."""
    buyer = await bought(till, "pro")
    await till.change(buyer, plan="starter")
    send = Client.post

    async def lose(self: Client, path: str, parameters: Any = None, **options: Any) -> Any:
        if parameters == {"cancel_at_period_end": True}:
            if is_made:
                await send(self, path, parameters, **options)
            raise problems.Unavailable("lost")
        return await send(self, path, parameters, **options)

    monkeypatch.setattr(Client, "post", lose)
    failed = await till.change(buyer, cancelAtPeriodEnd=True)
    after = await till.status(buyer)

    assert failed.status_code == 503
    assert (after["status"], bool(after["pendingChange"])) == (("cancelled", False) if is_made else ("active", True))


async def test_who_owes_something_is_led_to_the_portal_and_free_is_what_follows_a_cancellation(till: Till) -> None:
    buyer = await bought(till, "pro")
    free = await till.change(buyer, plan="free")
    subscription = till.stripe.of_kind("subscription")[-1]
    till.stripe.life.after_dunning = "past_due"
    till.stripe.add_card(till.stripe.objects[subscription["customer"]], FAILS_LATER)
    till.pass_days(45)
    await till.notify()
    refused = await till.checkout(buyer, "pro")

    assert (free.status_code, free.json()["errors"][0]["path"]) == (422, "/plan")
    assert "cancelAtPeriodEnd" in free.json()["errors"][0]["message"]
    assert (refused.status_code, refused.json()["code"]) == (402, "subscription_past_due")
    assert "POST /billing/portal" in refused.json()["remediation"]


async def test_the_first_subscription_may_begin_with_a_trial(till: Till) -> None:
    """Once for each workspace."""
    settings = dataclasses.replace(till.context.settings, billing_trial_days=14)
    from signalpost.main import app

    async with Api(app.create(dataclasses.replace(till.context, settings=settings, states={}))) as api:
        till = dataclasses.replace(till, api=api)
        buyer = await bought(till)
        trial = await till.status(buyer)
        nothing = paid(till)
        till.pass_days(15)
        await till.notify()
        after = await till.status(buyer)
        await till.change(buyer, cancelAtPeriodEnd=True)
        till.pass_days(40)
        await till.notify()
        await till.buy(buyer)
        await till.notify()
        second = await till.status(buyer)

    assert (trial["status"], trial["plan"], trial["trialEndsAt"]) == ("trialing", "pro", trial["currentPeriodEnd"])
    assert nothing == []
    assert (after["status"], after["plan"]) == ("active", "pro")
    assert (second["status"], second["trialEndsAt"]) == ("active", None)


async def test_a_paused_subscription_gives_nothing_until_it_is_resumed(till: Till) -> None:
    buyer = await bought(till)
    till.stripe.pause(till.stripe.of_kind("subscription")[-1])
    await till.notify()
    paused = await till.status(buyer)
    refused = await till.change(buyer, plan="max")
    resumed = (await till.change(buyer, resume=True)).json()

    assert (paused["status"], paused["plan"]) == ("paused", "free")
    assert refused.status_code == 409
    assert (resumed["status"], resumed["plan"]) == ("active", "pro")


async def test_what_stripe_could_not_tell_us_is_read_when_the_period_is_over(till: Till) -> None:
    """An endpoint that was unreachable for longer than Stripe tries."""
    buyer = await bought(till)
    await till.change(buyer, cancelAtPeriodEnd=True)
    till.pass_days(40)
    stale = await till.status(buyer)
    await upkeep(till)

    assert (stale["status"], stale["plan"]) == ("cancelled", "pro")
    assert ((await till.status(buyer))["status"], (await till.status(buyer))["plan"]) == ("expired", "free")


async def test_a_plan_that_the_operator_gave_stands_until_the_subscription_changes(till: Till) -> None:
    buyer = await bought(till, "starter")
    async with till.context.database.transaction() as db:
        await plans.change_plan(till.context, db, buyer.login.workspace_id, "max")
    till.stripe.happened("customer.updated", till.stripe.objects[till.stripe.of_kind("subscription")[-1]["customer"]])
    await till.notify()
    given = await till.status(buyer)
    await till.change(buyer, plan="pro")

    assert (given["plan"], given["status"]) == ("max", "active")
    assert (await till.status(buyer))["plan"] == "pro"


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({}, ""), ({"plan": "max", "cancelAtPeriodEnd": True}, ""), ({"resume": False}, "/resume"),
        ({"resume": True, "cancelAtPeriodEnd": True}, ""), ({"plan": "free"}, "/plan"),
        ({"price": "price_1"}, "/price"),
    ],
)  # fmt: skip
async def test_a_change_that_makes_no_sense_is_refused(till: Till, body: dict[str, Any], path: str) -> None:
    refused = await till.change(await till.buyer(), **body)

    assert (refused.status_code, refused.json()["errors"][0]["path"]) == (422, path)


async def test_there_is_nothing_to_change_before_something_is_bought(till: Till) -> None:
    """Also while the payment page is open."""
    buyer = await till.buyer()
    before = await till.change(buyer, plan="max")
    await till.checkout(buyer, "starter")
    during = await till.change(buyer, plan="max")
    current = await till.change(await bought(till, "pro"), plan="pro")

    for refused in (before, during, current):
        assert (refused.status_code, refused.json()["code"]) == (409, "invalid_state")
    assert "POST /billing/checkout" in during.json()["remediation"]
    assert "already" in current.json()["detail"]
