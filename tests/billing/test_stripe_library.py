"""Stripe's own library, unmodified, drives the simulator, sends what we send, and judges what the simulator signs."""

import asyncio
import json
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl

import httpx
import pytest
import stripe as sdk
from aiohttp import web
from simulator.stripe.events import RETRY_SECONDS
from simulator.stripe.lifecycle import FAILS_LATER
from tests.counterparts.tools import free_port
from tests.helpers.limits import TEST_SECONDS
from tests.helpers.till import BACK, DAY, Till

from signalpost.billing import remote
from signalpost.billing.stripe import API_VERSION, Refused
from signalpost.billing.stripe import Stripe as Client


def library(till: Till) -> sdk.StripeClient:
    """Return the library with the simulator as its API, over its synchronous client for `requests`."""
    return sdk.StripeClient(
        till.stripe.secret_key,
        base_addresses={"api": till.simulator.url("stripe")},
        http_client=sdk.RequestsClient(),
        max_network_retries=0,
    )


def test_we_use_the_version_of_the_library() -> None:
    """So that its documentation, its types and its tests are about what we get."""
    assert sdk.api_version == API_VERSION


async def test_the_library_buys_and_changes_a_subscription(till: Till) -> None:
    client = library(till)

    def use() -> dict[str, Any]:
        customer = client.v1.customers.create({"name": "Ada", "metadata": {remote.WORKSPACE_KEY: "wsp_1"}})
        prices = client.v1.prices.list({"lookup_keys": ["signalpost_starter_month", "signalpost_pro_month"]}).data
        by_key = {price.lookup_key: price.id for price in prices}
        session = client.v1.checkout.sessions.create(
            {
                "mode": "subscription", "customer": customer.id, "success_url": BACK, "cancel_url": BACK,
                "line_items": [{"price": by_key["signalpost_starter_month"], "quantity": 1}],
                "subscription_data": {"metadata": {remote.WORKSPACE_KEY: "wsp_1"}},
            }
        )  # fmt: skip
        page = httpx.post(str(session.url), data={"action": "pay", "card": "4242424242424242"}, timeout=TEST_SECONDS)
        session = client.v1.checkout.sessions.retrieve(session.id, {"expand": ["subscription"]})
        [subscription] = client.v1.subscriptions.list(
            {"customer": customer.id, "expand": ["data.default_payment_method", "data.schedule"]}
        ).data
        item = subscription["items"].data[0]
        changed = client.v1.subscriptions.update(
            subscription.id,
            {
                "items": [{"id": item.id, "price": by_key["signalpost_pro_month"]}],
                "proration_behavior": "always_invoice",
            },
        )
        schedule = client.v1.subscription_schedules.create({"from_subscription": subscription.id})
        planned = client.v1.subscription_schedules.update(
            schedule.id,
            {
                "phases": [
                    {
                        "items": [{"price": by_key["signalpost_pro_month"]}],
                        "start_date": schedule.phases[0].start_date, "end_date": schedule.phases[0].end_date,
                    },
                    {"items": [{"price": by_key["signalpost_starter_month"]}], "duration": {"interval": "month"}},
                ]
            },
        )  # fmt: skip
        client.v1.subscription_schedules.release(schedule.id)
        ended = client.v1.subscriptions.update(subscription.id, {"cancel_at_period_end": True})
        invoices = client.v1.invoices.list({"subscription": subscription.id, "status": "paid"}).data
        portal = client.v1.billing_portal.sessions.create({"customer": customer.id, "return_url": BACK})
        return {
            "page": page.status_code, "session": session, "item": item, "card": subscription.default_payment_method,
            "changed": changed, "planned": planned, "ended": ended, "invoices": invoices, "portal": portal,
        }  # fmt: skip

    used = await asyncio.to_thread(use)

    assert (used["page"], used["session"].status, used["session"].subscription.status) == (303, "complete", "active")
    assert used["item"].current_period_end - used["item"].current_period_start in range(28 * DAY, 31 * DAY + 1)
    assert used["card"].card.last4 == "4242"
    assert used["changed"]["items"].data[0].price.lookup_key == "signalpost_pro_month"
    assert len(used["planned"].phases) == 2
    assert used["ended"].cancel_at_period_end is True
    assert [invoice.amount_paid for invoice in used["invoices"]] == [2_000, 900]
    assert used["portal"].url.startswith(till.simulator.url("stripe"))


@pytest.mark.parametrize(
    ("use", "kind", "status"),
    [
        (lambda client: client.v1.products.retrieve("prod_none"), sdk.InvalidRequestError, 404),
        (lambda client: client.v1.products.create({"nam": "x"}), sdk.InvalidRequestError, 400),
        (lambda client: client.v1.products.create({"id": "signalpost_pro", "name": "x"}), sdk.InvalidRequestError, 400),
        (lambda client: client.v1.customers.create({"metadata": {"decline": "1"}}), None, 200),
    ],
)
async def test_the_library_understands_refusals(
    till: Till, use: Callable[[sdk.StripeClient], Any], kind: type[Exception] | None, status: int
) -> None:
    client = library(till)
    if kind is None:
        assert (await asyncio.to_thread(use, client)).id.startswith("cus_")
        return
    with pytest.raises(kind) as refused:
        await asyncio.to_thread(use, client)
    assert refused.value.http_status == status  # type: ignore[attr-defined] # of every error of the library


async def test_a_key_that_is_used_again_has_one_effect(till: Till) -> None:
    client = library(till)
    options: Any = {"idempotency_key": "customer:wsp_1:"}
    first = await asyncio.to_thread(client.v1.customers.create, {"name": "Ada"}, options)
    again = await asyncio.to_thread(client.v1.customers.create, {"name": "Ada"}, options)
    with pytest.raises(sdk.StripeError):
        await asyncio.to_thread(client.v1.customers.create, {"name": "Bob"}, options)

    assert first.id == again.id
    assert len(till.stripe.of_kind("customer")) == 1


PARAMETERS: dict[str, dict[str, Any]] = {
    "nested": {"items": [{"id": "si_1", "price": "price_1"}], "proration_behavior": "always_invoice"},
    "flags and gaps": {"cancel_at_period_end": False, "trial": None, "metadata": {"a b": "ä&=[]", "": "x"}},
    "deep": {
        "phases": [{"items": [{"price": "p", "quantity": 1}], "duration": {"interval": "month"}}, {"x": [[1, 2]]}]
    },
    "lists": {"expand": ["data.customer", "data.schedule"], "lookup_keys": ("a", "b")},
}


@pytest.mark.parametrize("name", PARAMETERS)
@pytest.mark.parametrize("method", ["get", "post"])
async def test_we_send_what_the_library_sends(till: Till, name: str, method: str) -> None:
    """Path, fields in their order, version and authorization of the same call, made by both."""
    given = PARAMETERS[name]
    ours = Client(till.context)
    start = len(till.simulator.world.log)
    with pytest.raises(Refused):  # there is no such call; what was sent is in the log
        await (ours.get("nowhere", given) if method == "get" else ours.post("nowhere", given))
    with pytest.raises(sdk.InvalidRequestError):
        await asyncio.to_thread(library(till).raw_request, method, "/v1/nowhere", **given)
    mine, theirs = till.simulator.world.log[start:]

    def sent(logged: Any) -> tuple[str, list[tuple[str, str]], list[tuple[str, str]]]:
        path, _, query = logged.target.partition("?")
        return path, parse_qsl(query, keep_blank_values=True), parse_qsl(logged.body.decode(), keep_blank_values=True)

    assert sent(mine) == sent(theirs)
    for header in ("authorization", "stripe-version"):
        assert mine.headers[header] == theirs.headers[header]


async def test_the_library_accepts_what_the_simulator_signs_and_events_are_sent_until_they_are_accepted(
    till: Till,
) -> None:
    """Retries over three days with the same id and bytes, to an endpoint that is written with the library."""
    received: list[str] = []
    away = True

    async def endpoint(request: web.BaseRequest) -> web.Response:
        body = await request.read()
        event = sdk.Webhook.construct_event(
            body, request.headers["Stripe-Signature"], "whsec_other", tolerance=10 * DAY
        )
        received.append(event.id)
        return web.Response(status=500 if away else 200)

    runner = web.ServerRunner(web.Server(endpoint))
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", free_port())
    await site.start()
    host, port = runner.addresses[0][:2]
    till.stripe.outbox.events.clear()
    till.stripe.notify(f"http://{host}:{port}/hook", "whsec_other")
    event = till.stripe.outbox.add("invoice.paid", {"object": "invoice"}, till.stripe.make_id("evt"))
    first = await till.stripe.outbox.deliver()
    at_once = await till.stripe.outbox.deliver()
    till.simulator.world.clock.advance(RETRY_SECONDS[1])
    second = await till.stripe.outbox.deliver()
    away = False
    till.simulator.world.clock.advance(RETRY_SECONDS[2])
    third = await till.stripe.outbox.deliver()
    nothing_left = await till.stripe.outbox.deliver()
    twice = await till.stripe.outbox.deliver([event, event])
    await runner.cleanup()

    assert (first, at_once, second, third, nothing_left, twice) == ([500], [], [500], [200], [], [200, 200])
    assert received == [event.id] * 5


async def test_time_renews_fails_retries_and_ends_subscriptions(till: Till) -> None:
    """The simulator's clock does what Stripe's test clocks do, as the library sees it."""
    buyer = await till.buyer()
    subscription_id = await till.buy(buyer, "starter")
    client = library(till)
    till.pass_days(31)
    renewed = await asyncio.to_thread(client.v1.subscriptions.retrieve, subscription_id)
    till.stripe.add_card(till.stripe.objects[str(renewed.customer)], FAILS_LATER)
    till.pass_days(32)
    unpaid = await asyncio.to_thread(client.v1.subscriptions.retrieve, subscription_id)
    till.pass_days(8)
    ended = await asyncio.to_thread(client.v1.subscriptions.retrieve, subscription_id)
    failures = [event for event in till.stripe.outbox.events if event.type == "invoice.payment_failed"]
    ids = {json.loads(event.body)["id"] for event in till.stripe.outbox.events}

    assert [renewed.status, unpaid.status, ended.status] == ["active", "past_due", "canceled"]
    assert len(failures) == 4
    assert len(ids) == len(till.stripe.outbox.events)
