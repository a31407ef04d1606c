"""Whose card pays: a workspace that goes to another person or is deleted is not paid for by whoever had it before."""

import dataclasses
from typing import Any

import httpx
import pytest
from simulator.stripe.cards import GOOD_CARD
from tests.helpers.till import BACK, Buyer, Till

from signalpost.billing import queries
from signalpost.billing.actions.handover import close_pages, end_handover
from signalpost.kit import clock, ids
from signalpost.main import app
from signalpost.workspaces.actions import delete as workspaces_delete

HERS, HIS = "4242424242421111", "4242424242422222"
PAGE = {"successUrl": BACK, "cancelUrl": BACK}


async def bought(till: Till, card: str = HERS, **options: Any) -> Buyer:
    buyer = await till.buyer()
    await till.buy(buyer, card=card, **options)
    await till.notify()
    return buyer


async def colleague(till: Till, owner: Buyer) -> tuple[Buyer, str]:
    """A member of the owner's workspace, and the id of the membership."""
    login = await till.make.member(owner.login, role="admin")
    member = Buyer(login, await till.session(login, "admin"), till.simulator.world.clock())
    listed = (await till.call("GET", "/team", owner)).json()["data"]
    return member, next(each["id"] for each in listed if each["userId"] == ids.encode("usr", login.user_id))


async def transfer(till: Till, owner: Buyer, member_id: str) -> httpx.Response:
    return await till.call("POST", "/team/transfer", owner, json={"memberId": member_id})


def charges(till: Till) -> list[tuple[str, str]]:
    """Card and amount of every payment, the oldest first."""
    objects = till.stripe.objects
    return [
        (objects[one["payment_method"]]["card"]["last4"], f"{one['amount']}")
        for one in till.stripe.of_kind("payment_intent")
    ]


def refunds(till: Till) -> list[int]:
    return [one["amount"] for one in till.stripe.of_kind("refund")]


async def close(till: Till, buyer: Buyer) -> None:
    """Run the job that a deletion or a transfer leaves."""
    with clock.at(till.simulator.world.clock()):
        await close_pages(till.context, buyer.login.workspace_id)


async def delete(till: Till, buyer: Buyer) -> httpx.Response:
    async with till.context.database.connection() as db:
        name = await db.fetchval("select name from workspace where id = $1", buyer.login.workspace_id)
    workspace = ids.encode("wsp", buyer.login.workspace_id)
    return await till.call("DELETE", f"/workspaces/{workspace}", buyer, params={"name": name})


async def history(till: Till, buyer: Buyer, action: str) -> list[int]:
    query = "select changes from audit where workspace_id = $1 and action = $2 order by at, id"
    async with till.context.database.connection() as db:
        rows = await db.fetch(query, buyer.login.workspace_id, action)
    return [change["to"] for row in rows for change in row[0] if change["field"] == "amount"]


async def test_a_workspace_whose_subscription_renews_cannot_be_given_away(till: Till) -> None:
    """The remedy works: cancelled, it can; and the new owner cannot use the card, nor see it."""
    owner = await bought(till)
    successor, member_id = await colleague(till, owner)
    refused = await transfer(till, owner, member_id)
    await till.change(owner, cancelAtPeriodEnd=True)
    moved = await transfer(till, owner, member_id)
    await close(till, owner)
    attempts = [
        await till.change(successor, resume=True),
        await till.change(successor, plan="max", interval="year"),
        await till.call("POST", "/billing/portal", successor, json={"returnUrl": BACK}),
    ]
    seen = await till.status(successor)
    till.pass_days(40)
    await till.notify()

    assert (refused.status_code, refused.json()["code"]) == (409, "billing_active")
    assert "cancelAtPeriodEnd" in refused.json()["remediation"]
    assert "/billing/handover" in refused.json()["remediation"]
    assert moved.status_code == 200
    assert [answer.json()["code"] for answer in attempts] == ["another_payer"] * 3
    assert (seen["plan"], seen["paymentMethod"], seen["payer"]["isYou"]) == ("pro", None, False)
    assert charges(till) == [("1111", "2900")]
    assert (await till.status(successor))["status"] == "expired"


async def test_a_successor_enters_a_card_and_the_workspace_moves(till: Till) -> None:
    """In one flow: nobody pays twice, the plan stays, the old card is gone, and the next payment is the successor's."""
    owner = await bought(till)
    successor, member_id = await colleague(till, owner)
    offered = await till.call("POST", "/billing/handover", owner, json={"memberId": member_id})
    seen = (await till.status(successor))["handover"]
    opened = await till.call("POST", "/billing/payer", successor, json=PAGE)
    before = (await till.call("GET", "/auth/me", successor)).json()["role"]
    till.submit(opened.json()["url"], action="pay", card=HIS)
    assert set(await till.notify()) == {201}
    after = await till.status(successor)
    till.pass_days(32)
    await till.notify()
    old = await till.call("GET", "/auth/me", owner)

    assert (offered.status_code, opened.status_code, before) == (201, 201, "admin")
    assert (seen["isYou"], seen["movesOwnership"]) == (True, True)
    assert (after["plan"], after["status"], after["paymentMethod"]["last4"]) == ("pro", "active", "2222")
    assert (after["payer"]["isYou"], after["handover"]) == (True, None)
    assert old.json()["role"] == "admin"
    assert charges(till) == [("1111", "2900"), ("2222", "2900")]
    cards = [one["card"]["last4"] for one in till.stripe.of_kind("payment_method") if one["customer"]]
    assert cards == ["2222"]
    assert (await till.change(successor, plan="max")).json()["plan"] == "max"
    assert (await till.change(owner, cancelAtPeriodEnd=True)).status_code == 403


async def test_both_get_a_mail(till: Till) -> None:
    settings = dataclasses.replace(till.context.settings, smtp_url="smtp://127.0.0.1:1")
    context = dataclasses.replace(till.context, settings=settings, states={})
    async with type(till.api)(app.create(context)) as api:
        mailing = dataclasses.replace(till, api=api, context=context)
        owner = await bought(mailing)
        successor, member_id = await colleague(mailing, owner)
        await mailing.call("POST", "/billing/handover", owner, json={"memberId": member_id})
        opened = await mailing.call("POST", "/billing/payer", successor, json=PAGE)
        mailing.submit(opened.json()["url"], action="pay", card=HIS)
        await mailing.notify()
    query = "select template, recipient from mail_message where workspace_id = $1 order by template, recipient"
    async with till.context.database.connection() as db:
        found = [tuple(row) for row in await db.fetch(query, owner.login.workspace_id)]
        people = await db.fetch(
            "select email from app_user where id = any($1)", [owner.login.user_id, successor.login.user_id]
        )

    assert [template for template, _ in found] == ["handover_offered", "ownership_moved", "ownership_moved"]
    assert {recipient for template, recipient in found if template == "ownership_moved"} == {row[0] for row in people}


async def test_an_offer_can_be_taken_back_and_its_page_is_closed(till: Till) -> None:
    owner = await bought(till)
    successor, member_id = await colleague(till, owner)
    await till.call("POST", "/billing/handover", owner, json={"memberId": member_id})
    opened = await till.call("POST", "/billing/payer", successor, json=PAGE)
    stranger = await till.call("POST", "/billing/payer", owner, json=PAGE)
    ended = await till.call("DELETE", "/billing/handover", owner)
    late = till.submit(opened.json()["url"], action="pay", card=HIS)
    again = await till.call("DELETE", "/billing/handover", owner)

    assert (stranger.status_code, ended.status_code, late.status, again.status_code) == (403, 204, 410, 409)
    assert (await till.status(owner))["paymentMethod"]["last4"] == "1111"


async def test_a_card_of_someone_who_left_meanwhile_is_removed(till: Till) -> None:
    owner = await bought(till)
    successor, member_id = await colleague(till, owner)
    await till.call("POST", "/billing/handover", owner, json={"memberId": member_id})
    opened = await till.call("POST", "/billing/payer", successor, json=PAGE)
    await till.call("POST", "/team/leave", successor)
    till.submit(opened.json()["url"], action="pay", card=HIS)
    await till.notify()
    till.pass_days(32)
    await till.notify()

    assert charges(till) == [("1111", "2900")] * 2
    assert [one["card"]["last4"] for one in till.stripe.of_kind("payment_method") if one["customer"]] == ["1111"]


@pytest.mark.parametrize("role", ["viewer", "editor"])
async def test_whoever_is_no_admin_any_more_takes_nothing_over(till: Till, role: str) -> None:
    """Whether they have the page for the card open already, or ask for it now."""
    owner = await bought(till)
    successor, member_id = await colleague(till, owner)
    await till.call("POST", "/billing/handover", owner, json={"memberId": member_id})
    opened = await till.call("POST", "/billing/payer", successor, json=PAGE)
    demoted = await till.call("PATCH", f"/team/{member_id}", owner, json={"role": role})
    asked = await till.call("POST", "/billing/payer", successor, json=PAGE)
    till.submit(opened.json()["url"], action="pay", card=HIS)
    await till.notify()

    assert (demoted.status_code, asked.status_code) == (200, 403)
    assert (await till.call("GET", "/auth/me", successor)).json()["role"] == role
    assert (await till.call("GET", "/auth/me", owner)).json()["role"] == "owner"
    assert [one["card"]["last4"] for one in till.stripe.of_kind("payment_method") if one["customer"]] == ["1111"]


async def test_a_card_that_was_entered_is_used_before_the_workspace_is_offered_again(till: Till) -> None:
    """Else it would stay with a customer that somebody else pays for."""
    owner = await bought(till)
    first, first_id = await colleague(till, owner)
    _, second_id = await colleague(till, owner)
    await till.call("POST", "/billing/handover", owner, json={"memberId": first_id})
    opened = await till.call("POST", "/billing/payer", first, json=PAGE)
    till.submit(opened.json()["url"], action="pay", card=HIS)

    again = await till.call("POST", "/billing/handover", owner, json={"memberId": second_id})
    await till.notify()

    assert (again.status_code, again.json()["code"]) == (409, "invalid_state")
    assert (await till.call("GET", "/auth/me", first)).json()["role"] == "owner"
    assert [one["card"]["last4"] for one in till.stripe.of_kind("payment_method") if one["customer"]] == ["2222"]


async def test_only_the_offer_that_was_read_ends(till: Till) -> None:
    """One that was declined when another was made at that moment leaves the other."""
    owner = await bought(till)
    _, first_id = await colleague(till, owner)
    _, second_id = await colleague(till, owner)
    workspace_id = owner.login.workspace_id
    await till.call("POST", "/billing/handover", owner, json={"memberId": first_id})
    async with till.context.database.transaction() as db:
        read = await queries.find_handover(db, workspace_id, till.simulator.world.clock())
    await till.call("POST", "/billing/handover", owner, json={"memberId": second_id})

    async with till.context.database.transaction() as db:
        assert read is not None
        assert not await end_handover(db, read)
        assert await queries.find_handover(db, workspace_id, till.simulator.world.clock()) is not None


async def test_a_new_owner_pays_on_with_a_card_of_their_own(till: Till) -> None:
    """While what the one before has paid runs out, and after."""
    owner = await bought(till)
    successor, member_id = await colleague(till, owner)
    await till.change(owner, cancelAtPeriodEnd=True)
    await transfer(till, owner, member_id)
    opened = await till.call("POST", "/billing/payer", successor, json=PAGE)
    till.submit(opened.json()["url"], action="pay", card=HIS)
    await till.notify()
    resumed = await till.change(successor, resume=True)
    till.pass_days(32)
    await till.notify()

    assert (resumed.status_code, resumed.json()["status"]) == (200, "active")
    assert charges(till) == [("1111", "2900"), ("2222", "2900")]


async def test_after_the_end_a_new_owner_is_another_customer(till: Till) -> None:
    owner = await bought(till)
    successor, member_id = await colleague(till, owner)
    await till.change(owner, cancelAtPeriodEnd=True)
    await transfer(till, owner, member_id)
    till.pass_days(40)
    await till.notify()
    await till.buy(successor, card=HIS)
    await till.notify()

    assert (await till.status(successor))["status"] == "active"
    assert len(till.stripe.of_kind("customer")) == 2
    assert charges(till) == [("1111", "2900"), ("2222", "2900")]


async def test_a_page_of_the_owner_before_is_closed_and_a_late_payment_given_back(till: Till) -> None:
    owner = await till.buyer()
    successor, member_id = await colleague(till, owner)
    opened = await till.checkout(owner)
    await transfer(till, owner, member_id)
    till.submit(opened.json()["url"], action="pay", card=HERS)  # before the page is closed
    await till.notify()
    await close(till, owner)

    assert (charges(till), refunds(till)) == ([("1111", "2900")], [2900])
    assert [one["status"] for one in till.stripe.of_kind("subscription")] == ["canceled"]
    assert (await till.status(successor))["plan"] == "free"


async def test_a_page_is_closed_after_a_transfer_also_if_nobody_pays(till: Till) -> None:
    owner = await till.buyer()
    _, member_id = await colleague(till, owner)
    opened = await till.checkout(owner)
    await transfer(till, owner, member_id)
    await close(till, owner)

    assert [one["status"] for one in till.stripe.of_kind("checkout.session")] == ["expired"]
    till.submit(opened.json()["url"], action="pay", card=HERS)
    assert charges(till) == []


async def test_what_was_paid_while_another_owned_it_is_given_back_also_to_who_owns_it_again(till: Till) -> None:
    """Paid and transferred back before Stripe was read; what is bought after it counts."""
    owner = await till.buyer()
    successor, member_id = await colleague(till, owner)
    listed = (await till.call("GET", "/team", owner)).json()["data"]
    [own_id] = [one["id"] for one in listed if one["userId"] == ids.encode("usr", owner.login.user_id)]
    opened = await till.checkout(owner)
    await transfer(till, owner, member_id)
    till.submit(opened.json()["url"], action="pay", card=HERS)
    moved = await transfer(till, successor, own_id)
    await close(till, owner)
    assert (moved.status_code, refunds(till)) == (200, [2900])

    till.pass_days(1)
    await till.buy(owner, card=HERS)
    await till.notify()
    assert (await till.status(owner))["status"] == "active"
    assert (len(charges(till)), refunds(till)) == (2, [2900])


async def test_a_deleted_workspace_has_no_open_page(till: Till) -> None:
    buyer = await till.buyer()
    opened = await till.checkout(buyer)
    assert (await delete(till, buyer)).status_code == 200
    await close(till, buyer)

    assert till.submit(opened.json()["url"], action="pay", card=HERS).status == 410


@pytest.mark.parametrize("is_erased", [False, True])
async def test_what_is_paid_for_a_deleted_workspace_is_ended_and_given_back(till: Till, *, is_erased: bool) -> None:
    """Staff and the history see it; the notice that comes twice gives back once."""
    buyer = await till.buyer()
    opened = await till.checkout(buyer, "max")
    await delete(till, buyer)
    if is_erased:
        async with till.context.database.transaction() as db:
            await db.execute("update workspace set erased_at = now() where id = $1", buyer.login.workspace_id)
    till.submit(opened.json()["url"], action="pay", card=HERS)
    events = till.new_events()
    await till.notify(events)
    await till.notify(events)
    till.pass_days(70)
    await till.notify()
    async with till.context.database.connection() as db:
        workspace = ids.encode("wsp", buyer.login.workspace_id)
        shown = await db.fetch("select kind, solution from billing_difference where workspace = $1", workspace)

    assert (charges(till), refunds(till)) == ([("1111", "7900")], [7900])
    assert [tuple(row) for row in shown] == [("refunded", "ended and given back")]
    assert await history(till, buyer, "payment") == [7900]
    assert await history(till, buyer, "payment_refunded") == [7900]


async def test_a_workspace_that_is_restored_can_buy_again(till: Till) -> None:
    buyer = await till.buyer()
    await till.checkout(buyer)
    await delete(till, buyer)
    await close(till, buyer)
    async with till.context.database.transaction() as db:
        await workspaces_delete.restore_workspace(till.context, db, buyer.login.workspace_id)
    await till.buy(buyer)
    await till.notify()

    assert ((await till.status(buyer))["plan"], refunds(till)) == ("pro", [])


async def test_a_subscription_that_is_resumed_at_stripe_for_a_deleted_workspace_ends(till: Till) -> None:
    buyer = await bought(till, card=GOOD_CARD)
    await till.change(buyer, cancelAtPeriodEnd=True)
    portal = (await till.call("POST", "/billing/portal", buyer, json={"returnUrl": BACK})).json()["url"]
    await delete(till, buyer)
    till.submit(portal, action="resume", card="")
    await till.notify()
    till.pass_days(40)
    await till.notify()

    assert (len(charges(till)), refunds(till)) == (1, [])


async def test_a_subscription_of_a_workspace_that_is_not_here_is_shown_and_not_touched(till: Till) -> None:
    """It may be of another installation at the same account."""
    buyer = await bought(till)
    async with till.context.database.transaction() as db:
        await db.execute("delete from subscription where workspace_id = $1", buyer.login.workspace_id)
    till.pass_days(32)
    await till.notify()
    async with till.context.database.connection() as db:
        workspace = ids.encode("wsp", buyer.login.workspace_id)
        shown = await db.fetch("select kind, solved_at from billing_difference where workspace = $1", workspace)

    assert [tuple(row) for row in shown] == [("unknown_workspace", None)]
    assert (len(charges(till)), refunds(till)) == (2, [])
