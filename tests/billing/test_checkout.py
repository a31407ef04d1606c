"""From the payment page to a plan in force, and what cannot be bought."""

import asyncio
import dataclasses
import json
import os
import subprocess
import sys
from collections import Counter
from typing import Any
from urllib.parse import parse_qsl

import httpx
import pytest
from simulator.stripe.lifecycle import DECLINED
from tests.helpers.api import Api
from tests.helpers.till import BACK, Till

from signalpost.billing.catalog import OFFERS
from signalpost.context import AppContext
from signalpost.main import app


async def test_the_prices_of_the_catalogue_are_made_once(till: Till) -> None:
    """Twice the same command changes nothing the second time, and nobody's price a third."""
    again = await till.sync()
    prices = {price["lookup_key"]: price for price in till.stripe.of_kind("price")}

    assert set(again.values()) == {"unchanged"}
    assert len(prices) == 6
    for offer in OFFERS[1:]:
        found = [prices[f"signalpost_{offer.key}_{interval}"] for interval in ("month", "year")]
        assert [price["unit_amount"] for price in found] == [offer.month_minor, offer.year_minor]
        assert {price["product"] for price in found} == {f"signalpost_{offer.key}"}


async def test_a_price_that_changed_is_replaced_and_its_product_corrected(till: Till) -> None:
    old = next(price for price in till.stripe.of_kind("price") if price["lookup_key"] == "signalpost_pro_month")
    old["unit_amount"] = 1_900
    till.stripe.objects["signalpost_max"]["name"] = "Maximal"
    done = await till.sync()

    assert {name: what for name, what in done.items() if what != "unchanged"} == {
        "signalpost_pro_month": "replaced", "max": "updated",
    }  # fmt: skip
    assert (old["active"], old["lookup_key"]) == (False, None)


async def test_from_the_payment_page_to_a_plan_in_force(till: Till) -> None:
    buyer = await till.buyer()
    opened = await till.checkout(buyer, "pro", "year")
    page = await _get(opened.json()["url"])
    before = await till.status(buyer)
    answer = till.submit(opened.json()["url"], action="pay", card="4242 4242 4242 4242")
    codes = await till.notify()
    after = await till.status(buyer)
    usage = (await till.call("GET", "/auth/usage", buyer)).json()

    assert (opened.status_code, opened.json()["expiresAt"][-1]) == (201, "Z")
    assert "290.00 USD per year" in page
    assert (before["plan"], before["status"]) == ("free", "none")
    assert (answer.status, answer.headers["Location"]) == (303, BACK)
    assert set(codes) == {201}
    assert (after["plan"], after["status"], after["interval"], after["provider"]) == ("pro", "active", "year", "stripe")
    assert after["paymentMethod"] == {"brand": "visa", "last4": "4242", "expMonth": 12, "expYear": 2034}
    assert after["limits"]["webhooks"] == 3
    assert (usage["plan"], usage["limits"]["posts"]) == ("pro", 2_000)
    assert [entry.text for entry in till.simulator.world.ledger.of("stripe")] == ["29000 usd"]


async def _get(url: str) -> str:
    async with httpx.AsyncClient(timeout=60) as browser:
        answer = await browser.get(url)
    assert answer.status_code == 200
    return answer.text


async def test_a_person_who_goes_back_or_is_declined_has_bought_nothing(till: Till) -> None:
    buyer = await till.buyer()
    url = (await till.checkout(buyer)).json()["url"]
    declined = till.submit(url, action="pay", card=DECLINED)
    back = till.submit(url, action="back")
    await till.notify()

    assert (declined.status, back.status) == (402, 303)
    assert ((await till.status(buyer))["plan"], till.stripe.of_kind("subscription")) == ("free", [])


async def test_a_promotion_code_is_applied_or_refused_by_name(till: Till) -> None:
    till.stripe.add_promotion_code("SPRING", 50)
    buyer = await till.buyer()
    opened = await till.checkout(buyer, promotionCode="SPRING")
    till.submit(opened.json()["url"], action="pay", card="4242424242424242")
    refused = await till.checkout(await till.buyer(), promotionCode="AUTUMN")

    assert [entry.text for entry in till.simulator.world.ledger.of("stripe")] == ["1450 usd"]
    assert (refused.status_code, refused.json()["errors"][0]["path"]) == (422, "/promotionCode")


@pytest.mark.parametrize("tax", [False, True])
async def test_tax_is_left_to_stripe_where_the_operator_wants_it(till: Till, tax: bool) -> None:
    """Stripe computes it from the address and the tax number that its page then asks for."""
    till = dataclasses.replace(till, context=_with(till.context, billing_tax=tax))
    async with Api(app.create(till.context)) as till.api:
        opened = await till.checkout(await till.buyer())
    assert opened.status_code == 201, opened.text
    sent = [entry for entry in till.simulator.world.log if entry.target == "/v1/checkout/sessions"][-1]
    fields = dict(parse_qsl(sent.body.decode()))

    wanted = {
        "automatic_tax[enabled]": "true", "tax_id_collection[enabled]": "true",
        "customer_update[address]": "auto", "customer_update[name]": "auto",
    }  # fmt: skip
    assert {name: value for name, value in fields.items() if "tax" in name or "update" in name} == (
        wanted if tax else {}
    )


def _with(context: AppContext, **settings: Any) -> AppContext:
    return dataclasses.replace(context, settings=dataclasses.replace(context.settings, **settings), states={})


async def test_the_command_makes_the_prices_and_says_what_it_did(till: Till) -> None:
    [missing] = [price for price in till.stripe.of_kind("price") if price["lookup_key"] == "signalpost_max_year"]
    del till.stripe.objects[missing["id"]]
    settings = till.context.settings
    variables = {
        "SIGNALPOST_DATABASE_URL": till.context.database.dsn, "SIGNALPOST_BILLING_ENABLED": "true",
        "SIGNALPOST_STRIPE_SECRET_KEY": settings.stripe_secret_key,
        "SIGNALPOST_STRIPE_BASE_URL": settings.stripe_base_url,
    }  # fmt: skip
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "signalpost", "billing", "sync", "--json", "--data-dir", str(settings.data_dir),
        env=os.environ | variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    printed, complaint = await process.communicate()

    assert process.returncode == 0, complaint
    said = json.loads(printed)
    assert {name: what for name, what in said.items() if what != "unchanged"} == {"signalpost_max_year": "created"}


async def test_a_newer_page_ends_the_older_one(till: Till) -> None:
    """Two open pages would be two ways to pay for one plan."""
    buyer = await till.buyer()
    first = (await till.checkout(buyer, "starter")).json()
    second = (await till.checkout(buyer, "max")).json()

    assert till.stripe.objects[first["sessionId"]]["status"] == "expired"
    assert till.submit(first["url"], action="pay", card="4242424242424242").status == 410
    assert till.submit(second["url"], action="pay", card="4242424242424242").status == 303


async def test_of_pages_opened_at_once_one_stays_open(till: Till) -> None:
    buyer = await till.buyer()
    answers = await asyncio.gather(*(till.checkout(buyer, plan) for plan in ("starter", "pro", "max")))
    codes = Counter(answer.status_code for answer in answers)
    pages = till.stripe.of_kind("checkout.session")

    assert codes[201] >= 1
    assert set(codes) <= {201, 409}
    assert [page["status"] for page in pages].count("open") == 1
    assert len(till.stripe.of_kind("customer")) == 1


async def test_who_pays_and_asks_again_at_once_is_not_sold_a_second_plan(till: Till) -> None:
    """The notification of the payment is still on its way."""
    buyer = await till.buyer()
    await till.buy(buyer, "pro")
    same = await till.checkout(buyer, "pro")
    other = await till.checkout(buyer, "max")

    assert (same.status_code, same.json()["code"]) == (409, "invalid_state")
    assert "already" in same.json()["detail"]
    assert (other.status_code, other.json()["remediation"]) == (
        409, "Change it with `PATCH /billing/subscription`.",
    )  # fmt: skip
    assert (await till.status(buyer))["plan"] == "pro"
    assert len(till.stripe.of_kind("subscription")) == 1


async def test_a_customer_who_was_deleted_at_stripe_can_buy_again(till: Till) -> None:
    buyer = await till.buyer()
    subscription = till.stripe.objects[await till.buy(buyer, "pro")]
    await till.notify()
    await _delete(till, subscription["customer"])
    await till.notify()
    ended = await till.status(buyer)
    await till.buy(buyer, "starter")
    await till.notify()

    assert (ended["plan"], ended["status"]) == ("free", "expired")
    assert (await till.status(buyer))["plan"] == "starter"


async def _delete(till: Till, customer_id: str) -> None:
    async with httpx.AsyncClient(timeout=60) as dashboard:
        answer = await dashboard.delete(
            f"{till.simulator.url('stripe')}/v1/customers/{customer_id}",
            headers={"Authorization": f"Bearer {till.stripe.secret_key}"},
        )
    assert answer.status_code == 200


async def test_the_portal_changes_the_card_and_cancels(till: Till) -> None:
    buyer = await till.buyer()
    nothing = await till.call("POST", "/billing/portal", buyer, json={"returnUrl": BACK})
    await till.buy(buyer)
    await till.notify()
    portal = await till.call("POST", "/billing/portal", buyer, json={"returnUrl": BACK})
    till.submit(portal.json()["url"], action="card", card="5555555555554444")
    back = till.submit(portal.json()["url"], action="cancel")
    await till.notify()
    status = await till.status(buyer)

    assert (nothing.status_code, nothing.json()["code"]) == (409, "invalid_state")
    assert "POST /billing/checkout" in nothing.json()["remediation"]
    assert (portal.status_code, back.headers["Location"]) == (201, BACK)
    assert (status["status"], status["cancelAtPeriodEnd"], status["plan"]) == ("cancelled", True, "pro")
    assert status["paymentMethod"]["last4"] == "4444"


async def _break_price(till: Till, **changes: Any) -> None:
    price = next(price for price in till.stripe.of_kind("price") if price["lookup_key"] == "signalpost_pro_month")
    price |= changes


@pytest.mark.parametrize(
    "changes",
    [{"currency": "eur"}, {"unit_amount": 1}, {"lookup_key": None}, {"active": False}, {"metadata": {}}],
    ids=str,
)
async def test_a_price_that_is_not_the_one_of_the_catalogue_is_not_sold(till: Till, changes: dict[str, Any]) -> None:
    """In another currency, at another amount, or not there at all: an operator has to look."""
    await _break_price(till, **changes)
    refused = await till.checkout(await till.buyer())

    assert (refused.status_code, refused.json()["code"]) == (409, "billing_not_configured")
    assert "signalpost billing sync" in refused.json()["detail"]
    assert till.stripe.of_kind("checkout.session") == []


@pytest.mark.parametrize(
    ("changed", "path"),
    [
        ({"plan": "free"}, "/plan"), ({"plan": "gold"}, "/plan"), ({"interval": "week"}, "/interval"),
        ({"successUrl": "ftp://x"}, "/successUrl"), ({"cancelUrl": "javascript:alert(1)"}, "/cancelUrl"),
        ({"currency": "eur"}, "/currency"), ({"promotionCode": ""}, "/promotionCode"),
    ],
)  # fmt: skip
async def test_a_checkout_that_makes_no_sense_is_refused(till: Till, changed: dict[str, Any], path: str) -> None:
    refused = await till.checkout(await till.buyer(), **changed)

    assert (refused.status_code, refused.json()["errors"][0]["path"]) == (422, path)


@pytest.mark.parametrize("fault", ["dropped", "lost", "status"])
async def test_without_stripe_nothing_is_sold_and_nothing_else_stops(till: Till, fault: str) -> None:
    buyer = await till.buyer()
    till.simulator.world.add_fault("stripe", fault, "POST /v1/checkout/sessions", status=500)
    refused = await till.checkout(buyer)
    again = await till.checkout(buyer)

    assert (refused.status_code, refused.json()["code"], refused.json()["retryable"]) == (503, "unavailable", True)
    assert again.status_code == 201
    assert len(till.stripe.of_kind("customer")) == 1


async def test_only_the_owner_pays_and_keys_never_do(till: Till) -> None:
    buyer = await till.buyer("max")
    admin = await till.make.member(buyer.login, role="admin")
    body = {"plan": "pro", "interval": "month", "successUrl": BACK, "cancelUrl": BACK}
    calls: tuple[tuple[str, str, dict[str, Any]], ...] = (
        ("POST", "/billing/checkout", body), ("POST", "/billing/portal", {"returnUrl": BACK}),
        ("PATCH", "/billing/subscription", {"resume": True}),
    )  # fmt: skip
    for key in (buyer.login.key, admin.key, await till.session(admin, "admin")):
        for method, path, data in calls:
            refused = await till.api.call(method, path, json=data, key=key)
            assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    assert till.stripe.of_kind("customer") == []


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/billing/checkout", {"plan": "pro", "interval": "month", "successUrl": BACK, "cancelUrl": BACK}),
        ("POST", "/billing/portal", {"returnUrl": BACK}),
        ("PATCH", "/billing/subscription", {"resume": True}),
        ("POST", "/billing/webhook", {}),
    ],
)
async def test_what_needs_a_provider_says_so_where_there_is_none(
    till: Till, api: Any, shop: Any, method: str, path: str, body: dict[str, Any]
) -> None:
    """Billing off, and billing on without a key."""
    buyer = await till.buyer()
    off = await api.call(method, path, json=body, key=buyer.bearer)
    without_key = await shop.call(method, path, json=body, key=buyer.bearer)

    assert (off.status_code, off.json()["code"]) == (409, "billing_disabled")
    assert (without_key.status_code, without_key.json()["code"]) == (409, "billing_not_configured")


async def test_the_page_after_the_payment_looks_once(till: Till) -> None:
    """Without any notification; a page that is loaded again and again reads Stripe once in five seconds."""
    buyer = await till.buyer()
    nothing = await till.call("POST", "/billing/refresh", buyer)
    await till.buy(buyer)
    first = await till.call("POST", "/billing/refresh", buyer)
    till.stripe.life.end(till.stripe.of_kind("subscription")[-1])
    again = await till.call("POST", "/billing/refresh", buyer)
    till.pass_days(0.01)
    later = await till.call("POST", "/billing/refresh", buyer)

    assert (nothing.status_code, nothing.json()["plan"]) == (200, "free")
    assert (first.json()["plan"], first.json()["status"]) == ("pro", "active")
    assert (again.json()["plan"], later.json()["plan"]) == ("pro", "free")
