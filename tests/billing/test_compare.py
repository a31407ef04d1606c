"""Each night what Stripe charges for is compared with what workspaces have; what reading cannot repair is for staff."""

from datetime import timedelta
from typing import Any, cast

import httpx
import pytest
from simulator.stripe.cards import GOOD_CARD
from tests.billing.test_payers import charges, history, refunds
from tests.helpers.mail import InTest
from tests.helpers.till import Buyer, Till

from signalpost.billing import comparison, remote, work
from signalpost.billing.actions import compare
from signalpost.engine.contract import Lease
from signalpost.kit import clock, ids
from signalpost.plans import actions as plans


@pytest.fixture(autouse=True)
async def _nothing_was_compared(till: Till) -> None:
    """Rows of other tests have customers that this Stripe does not know; they are not looked at."""
    async with till.context.database.transaction() as db:
        await db.execute("update billing_provider set compared_at = null, compared_to = null, comparing_since = null")
        await db.execute("update subscription set status = 'expired', checkout_id = null")
        await db.execute("delete from billing_difference")


async def bought(till: Till, plan: str = "pro") -> Buyer:
    buyer = await till.buyer()
    await till.buy(buyer, plan, card=GOOD_CARD)
    await till.notify()
    return buyer


async def night(till: Till) -> None:
    """The next night, without any notice."""
    till.pass_days(1)
    till.sent |= {event.id for event in till.new_events()}
    with clock.at(till.simulator.world.clock()):
        await work.keep_up(till.context, cast("Lease", InTest(till.context.database)))


async def staff(till: Till) -> Buyer:
    login = await till.make.staff()
    return Buyer(login, "", till.simulator.world.clock() - timedelta(days=1))  # signed in at the first call


async def shown(till: Till, reader: Buyer | None = None) -> list[dict[str, Any]]:
    answer = await till.call("GET", "/admin/payments/differences", reader or await staff(till))
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["data"]
    return found


def told(found: list[dict[str, Any]]) -> list[tuple[str, str | None]]:
    return [(one["kind"], one["solution"]) for one in found]


async def decide(till: Till, reader: Buyer, difference: dict[str, Any], how: str) -> httpx.Response:
    return await till.call("POST", f"/admin/payments/differences/{difference['id']}/{how}", reader)


async def test_what_agrees_is_not_read_one_by_one(till: Till, monkeypatch: pytest.MonkeyPatch) -> None:
    buyers = [await bought(till), await bought(till, "max")]
    reads: list[str] = []

    async def counted(*_args: Any, **_options: Any) -> None:
        reads.append("read")

    monkeypatch.setattr(compare, "refresh", counted)
    await night(till)
    reader = await staff(till)
    system = (await till.call("GET", "/admin/system", reader)).json()["payments"]

    assert (await shown(till, reader), reads) == ([], [])
    assert system["comparedAt"] is not None
    assert [(await till.status(buyer))["plan"] for buyer in buyers] == ["pro", "max"]


async def test_who_pays_and_is_not_served_is_served_the_next_night(till: Till) -> None:
    """However it came to that: here the row was written back to an older state, as by a restored backup."""
    buyer = await bought(till)
    async with till.context.database.transaction() as db:
        await db.execute(
            "update subscription set status = 'none', remote_id = null, plan = null, plan_in_force = null,"
            " checkout_id = null where workspace_id = $1", buyer.login.workspace_id,
        )  # fmt: skip
        await db.execute("update workspace set plan = 'free' where id = $1", buyer.login.workspace_id)
    before = (await till.status(buyer))["plan"]
    await night(till)

    assert (before, (await till.status(buyer))["plan"]) == ("free", "pro")
    assert told(await shown(till)) == [("not_served", "read again")]


async def test_who_is_served_and_pays_nothing_is_served_no_longer(till: Till) -> None:
    """The subscription was ended at Stripe, and nobody said so; the period would go on for weeks."""
    buyer = await bought(till)
    till.stripe.life.end(till.stripe.of_kind("subscription")[0])
    await night(till)

    assert (await till.status(buyer))["plan"] == "free"
    assert told(await shown(till)) == [("served_unpaid", "read again")]


async def test_a_subscription_of_an_unknown_workspace_is_ended_by_one_button(till: Till) -> None:
    buyer = await bought(till)
    async with till.context.database.transaction() as db:
        await db.execute("delete from subscription where workspace_id = $1", buyer.login.workspace_id)
    await night(till)
    reader = await staff(till)
    [found] = await shown(till, reader)
    stats = (await till.call("GET", "/admin/stats", reader)).json()["paymentDifferences"]
    ended = await decide(till, reader, found, "repair")
    again = await decide(till, reader, found, "repair")
    await night(till)

    assert (found["kind"], found["solvedAt"], stats) == ("unknown_workspace", None, 1)
    assert found["workspaceId"] == ids.encode("wsp", buyer.login.workspace_id)
    assert (ended.status_code, again.status_code) == (200, 409)
    assert (len(charges(till)), refunds(till)) == (1, [2900])
    assert [one["status"] for one in till.stripe.of_kind("subscription")] == ["canceled"]
    assert len(await shown(till, reader)) == 1
    assert (await till.call("GET", "/admin/stats", reader)).json()["paymentDifferences"] == 0


async def test_what_is_left_as_it_is_is_not_shown_again(till: Till) -> None:
    """A customer of another installation with the same account."""
    buyer = await bought(till)
    async with till.context.database.transaction() as db:
        await db.execute("delete from subscription where workspace_id = $1", buyer.login.workspace_id)
    await night(till)
    reader = await staff(till)
    [found] = await shown(till, reader)
    left = await decide(till, reader, found, "leave")
    await night(till)

    assert (left.status_code, left.json()["solution"]) == (200, "left as it is")
    assert told(await shown(till, reader)) == [("unknown_workspace", "left as it is")]
    assert (till.stripe.of_kind("subscription")[0]["status"], refunds(till)) == ("active", [])


async def test_a_second_subscription_of_a_customer_is_ended_and_the_first_goes_on(till: Till) -> None:
    buyer = await bought(till)
    first = till.stripe.of_kind("subscription")[0]
    customer = till.stripe.objects[first["customer"]]
    till.pass_days(0.1)
    price = till.stripe.life.item(first)["price"]
    method = first["default_payment_method"]
    second = till.stripe.life.begin(customer, price, method, data={"metadata": first["metadata"]}, amount=2900)
    first["created"] = second["created"] + 1  # the newest counts
    await night(till)
    reader = await staff(till)
    [found] = await shown(till, reader)
    await decide(till, reader, found, "repair")
    await night(till)

    assert (found["kind"], found["subject"]) == ("several", second["id"])
    assert (first["status"], second["status"], refunds(till)) == ("active", "canceled", [2900])
    assert await history(till, buyer, "payment_refunded") == [2900]
    assert (await till.status(buyer))["plan"] == "pro"


async def test_a_workspace_with_less_than_is_paid_is_given_it(till: Till) -> None:
    """An operator gave it the plan free. More than is paid is a gift, and no difference."""
    buyer, gifted = await bought(till), await bought(till)
    for login, plan in ((buyer.login, "free"), (gifted.login, "max")):
        async with till.context.database.transaction() as db:
            await plans.change_plan(till.context, db, login.workspace_id, plan)
    await night(till)
    reader = await staff(till)
    [found] = await shown(till, reader)
    repaired = await decide(till, reader, found, "repair")

    assert (found["kind"], repaired.json()["solution"]) == ("not_served", "the plan that is paid was given")
    assert [(await till.status(one))["plan"] for one in (buyer, gifted)] == ["pro", "max"]


async def test_what_cannot_be_read_is_shown(till: Till) -> None:
    """A price without a plan: reading it again each night is no answer."""
    await bought(till)
    subscription = till.stripe.of_kind("subscription")[0]
    price = till.stripe.life.item(subscription)["price"]
    till.stripe.life.item(subscription)["price"] = price | {"metadata": {}}
    await night(till)
    await night(till)
    [found] = await shown(till)

    assert (found["kind"], found["solvedAt"]) == ("not_served", None)
    assert "belongs to no plan" in found["detail"]


async def test_a_comparison_goes_on_in_portions(till: Till, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever stops it: each is compared once, and a failure of Stripe ends nothing."""
    monkeypatch.setattr(remote, "CHARGED_PAGE", 2)
    monkeypatch.setattr(compare, "PAGES", 1)
    for _ in range(5):
        await bought(till)
    seen: list[str] = []
    original = comparison.mark

    async def noted(db: Any, remote_ids: Any, now: Any) -> None:
        seen.extend(remote_ids)
        await original(db, remote_ids, now)

    monkeypatch.setattr(comparison, "mark", noted)
    till.pass_days(1)
    now = till.simulator.world.clock()
    with clock.at(now):
        await compare.compare(till.context, now)
        till.simulator.world.add_fault("stripe", "status", "GET /v1/subscriptions", status=500, times=1)
        for _ in range(4):
            await work.keep_up(till.context, cast("Lease", InTest(till.context.database)))

    assert sorted(seen) == sorted(one["id"] for one in till.stripe.of_kind("subscription"))
