"""A bank that wants the holder of the card to confirm each payment (3-D Secure): the rule in Europe."""

from typing import Any, cast

import pytest
from simulator.stripe.cards import GOOD_CARD
from simulator.stripe.lifecycle import ASKS_ALWAYS, FAILS_LATER
from tests.billing.test_payers import HIS, PAGE, charges, colleague
from tests.helpers.mail import InTest
from tests.helpers.till import BACK, Buyer, Till

from signalpost.billing import work
from signalpost.engine.contract import Lease
from signalpost.kit import clock


async def bought(till: Till, plan: str = "pro") -> Buyer:
    """A plan whose first payment was confirmed on the payment page."""
    buyer = await till.buyer()
    opened = await till.checkout(buyer, plan)
    asked = till.submit(opened.json()["url"], action="pay", card=ASKS_ALWAYS)
    assert (asked.status, charges(till)) == (200, [])
    assert till.submit(opened.json()["url"], action="confirm", card=ASKS_ALWAYS).status == 303
    await till.notify()
    return buyer


async def upkeep(till: Till) -> None:
    with clock.at(till.simulator.world.clock()):
        await work.keep_up(till.context, cast("Lease", InTest(till.context.database)))


def seen(status: dict[str, Any]) -> tuple[str, str | None, str | None]:
    """Plan, the one that waits for its confirmation, and the one that is planned."""
    waiting, planned = status["confirmation"], status["pendingChange"]
    return status["plan"], waiting and waiting["plan"], planned and planned["plan"]


@pytest.mark.parametrize("is_told", [True, False])
async def test_an_upgrade_leads_to_the_confirmation_and_begins_with_it(till: Till, *, is_told: bool) -> None:
    """Once charged, whether Stripe's notice arrives or not; asking again leads to the same page."""
    buyer = await bought(till)
    admin, _ = await colleague(till, buyer)
    asked = await till.change(buyer, plan="max")
    again = await till.change(buyer, plan="max")
    others = (await till.status(admin))["confirmation"]
    before = charges(till)
    page = asked.json()["confirmation"]["url"]
    refused = till.submit(page, action="fail")
    confirmed = till.submit(page, action="confirm")
    if is_told:
        await till.notify()
    else:
        till.pass_days(0.01)
        await upkeep(till)

    assert (asked.status_code, seen(asked.json())) == (200, ("pro", "max", None))
    assert again.json()["confirmation"] == asked.json()["confirmation"]
    assert (others["plan"], others["url"]) == ("max", None)
    assert (len(before), refused.status, confirmed.status) == (1, 402, 200)
    assert seen(await till.status(buyer)) == ("max", None, None)
    assert [amount for _, amount in charges(till)] == ["2900", "5000"]
    assert till.submit(page, action="confirm").status == 410


async def drop(till: Till, buyer: Buyer) -> None:
    assert (await till.change(buyer, plan="pro")).status_code == 200


async def cancel(till: Till, buyer: Buyer) -> None:
    assert (await till.change(buyer, cancelAtPeriodEnd=True)).json()["status"] == "cancelled"


async def choose_less(till: Till, buyer: Buyer) -> None:
    assert (await till.change(buyer, plan="starter")).json()["pendingChange"]["plan"] == "starter"


async def wait(till: Till, _buyer: Buyer) -> None:
    """Nobody confirms, and no notice arrives."""
    till.pass_days(1)
    till.sent |= {event.id for event in till.new_events()}
    await upkeep(till)


async def hand_over(till: Till, buyer: Buyer) -> None:
    successor, member_id = await colleague(till, buyer)
    await till.call("POST", "/billing/handover", buyer, json={"memberId": member_id})
    opened = await till.call("POST", "/billing/payer", successor, json=PAGE)
    till.submit(opened.json()["url"], action="pay", card=HIS)
    await till.notify()


@pytest.mark.parametrize("how", [drop, cancel, choose_less, wait, hand_over], ids=lambda how: how.__name__)
async def test_what_is_not_confirmed_is_never_charged(till: Till, how: Any) -> None:
    buyer = await bought(till)
    page = (await till.change(buyer, plan="max")).json()["confirmation"]["url"]
    await how(till, buyer)
    late = till.submit(page, action="confirm")
    await till.notify()

    assert late.status == 410
    assert seen(await till.status(buyer))[:2] == ("pro", None)
    assert len(charges(till)) == 1


async def test_a_planned_downgrade_is_not_lost_to_a_confirmation(till: Till) -> None:
    """Nothing is changed while both stand against each other; the remedy leads on."""
    buyer = await bought(till)
    await till.change(buyer, plan="starter")
    refused = await till.change(buyer, plan="max")
    kept = seen(await till.status(buyer))
    await till.change(buyer, plan="pro")
    asked = await till.change(buyer, plan="max")

    assert (refused.status_code, refused.json()["code"]) == (409, "confirmation_needed")
    assert kept == ("pro", None, "starter")
    assert seen(asked.json()) == ("pro", "max", None)


async def test_a_renewal_that_has_to_be_confirmed_is_a_debt_until_it_is(till: Till) -> None:
    buyer = await bought(till)
    till.pass_days(32)
    await till.notify()
    owed = await till.status(buyer)
    portal = await till.call("POST", "/billing/portal", buyer, json={"returnUrl": BACK})
    [invoice] = till.stripe.life.open_invoices(till.stripe.of_kind("subscription")[0])
    till.submit(invoice["hosted_invoice_url"], action="confirm")
    await till.notify()
    paid = await till.status(buyer)

    assert (owed["status"], owed["plan"], portal.status_code) == ("past_due", "pro", 201)
    assert (paid["status"], paid["graceEndsAt"], len(charges(till))) == ("active", None, 2)


async def test_a_card_that_is_declined_at_the_renewal(till: Till) -> None:
    """It was entered in the portal, where nothing is charged."""
    buyer = await till.buyer()
    await till.buy(buyer, card=GOOD_CARD)
    portal = (await till.call("POST", "/billing/portal", buyer, json={"returnUrl": BACK})).json()["url"]
    till.submit(portal, action="card", card=FAILS_LATER)
    till.pass_days(32)
    await till.notify()

    assert (await till.status(buyer))["status"] == "past_due"
