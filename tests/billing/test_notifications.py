"""What Stripe sends: forged, old, twice, in any order, while Stripe cannot be read, and while this process dies."""

import asyncio
import json
from datetime import timedelta
from typing import Any, cast

import pytest
import stripe as sdk
from hypothesis import example, given
from hypothesis import strategies as st
from simulator.stripe.events import shuffled
from tests.figures.record import Record, holds
from tests.helpers.mail import InTest
from tests.helpers.till import Till

from signalpost.billing import provider, queries, signature, work
from signalpost.billing.actions.notification import BODY_BYTES_MAX, HEARD
from signalpost.engine.contract import Lease
from signalpost.kit import clock
from signalpost.kit.db import Database
from signalpost.kit.problems import InvalidSignature
from signalpost.web.signed import UNVERIFIED_BYTES_MAX, Unverified

SECRET = "whsec_of_this_test"
NOW = 1_800_000_000


async def noted(database: Database, till: Till) -> list[str]:
    async with database.connection() as db:
        ids = [event.id for event in till.stripe.outbox.events]
        return [row[0] for row in await db.fetch("select id from billing_event where id = any($1)", ids)]


@holds("S15")
async def test_what_is_not_signed_by_stripe_is_refused_and_changes_nothing(till: Till, record: Record) -> None:
    buyer = await till.buyer()
    await till.buy(buyer)
    event = till.new_events()[-1]
    outbox, clock = till.stripe.outbox, till.simulator.world.clock
    good = outbox.sign(event.body)
    attempts: dict[str, dict[str, Any]] = {
        "without a signature": {"signature": ""},
        "with the signature of another body": {"body": event.body.replace(b"evt_", b"evt_x")},
        "with another secret": {"signature": outbox.sign(event.body, secret="whsec_guess")},
        "too old": {"signature": outbox.sign(event.body, at=clock() - timedelta(seconds=301))},
        "not of this form": {"signature": "v1=00"},
        "with a time that is none": {"signature": "t=now,v1=" + good.partition("v1=")[2]},
        "with an endless header": {"signature": good + ",v1=0" * 1_000},
        "in an older scheme only": {"signature": good.replace("v1=", "v9=")},
    }
    answers = {what: await till.deliver(event, **options) for what, options in attempts.items()}
    believed = sum(answer.status_code < 400 for answer in answers.values())
    record("S15", tried={"forged calls": len(attempts)}, measured={"believed": believed})
    for what, refused in answers.items():
        assert (refused.status_code, refused.json()["code"]) == (401, "invalid_signature"), what
    assert (await till.status(buyer))["plan"] == "free"


@example(header=f"t={NOW},v1=")
@example(header=f"t={NOW - 300},v1=GOOD")
@example(header=f"t={NOW - 301},v1=GOOD")
@example(header=f"t={NOW + 9_999},v1=bad,v1=GOOD")
@example(header=f"v1=é,v1=GOOD,t={NOW}")
@example(header=f"v1=é,t={NOW}")
@given(
    header=st.lists(
        st.tuples(
            st.sampled_from(["t", "v0", "v1", "x", ""]), st.sampled_from(["GOOD", "bad", "", str(NOW), "1", "é", "-5"])
        ),
        max_size=5,
    ).map(lambda parts: ",".join(f"{name}={value}" for name, value in parts))
)
def test_we_refuse_every_signature_that_stripes_library_refuses(header: str) -> None:
    """And accept what it accepts, if the time is a plain number."""
    body = b'{"id": "evt_1", "object": "event"}'
    first = next((part[2:] for part in header.split(",") if part.startswith("t=")), "")
    digest = sdk.WebhookSignature._compute_signature(f"{first}.{body.decode()}", SECRET) if first.isdigit() else "0"
    header = header.replace("GOOD", digest)
    ours = theirs = True
    try:
        signature.verify(header, body, SECRET, now_seconds=NOW)
    except InvalidSignature:
        ours = False
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("stripe._webhook.time.time", lambda: float(NOW))
        try:
            sdk.Webhook.construct_event(body, _comparable(header), SECRET)
        except sdk.SignatureVerificationError:
            theirs = False

    assert theirs or not ours
    assert ours == theirs or not first.isascii() or not first.isdigit()


def _comparable(header: str) -> str:
    """The header without signatures that are not ASCII: at one the library stops with a TypeError, whatever follows."""
    return ",".join(part for part in header.split(",") if part.isascii() or not part.startswith("v1="))


async def test_a_notification_has_its_effect_once(till: Till, database: Database) -> None:
    """Delivered again, also at the same time, it is acknowledged and read nothing for."""
    buyer = await till.buyer()
    await till.buy(buyer)
    event = next(event for event in till.new_events() if event.type == "checkout.session.completed")
    answers = await asyncio.gather(*(till.deliver(event) for _ in range(5)))
    calls = len(till.simulator.world.log)
    again = await till.deliver(event)
    audit = (await till.call("GET", "/audit?action=subscription_changed", buyer)).json()["data"]

    assert {answer.status_code for answer in answers} == {201}
    assert (again.status_code, again.json()) == (201, {"received": True})
    assert len(till.simulator.world.log) == calls
    assert await noted(database, till) == [event.id]
    assert (await till.status(buyer))["plan"] == "pro"
    assert len(audit) == 1


async def test_notifications_are_forgotten_when_stripe_no_longer_sends_them_again(
    till: Till, database: Database
) -> None:
    buyer = await till.buyer()
    await till.buy(buyer)
    await till.notify()
    seen = await noted(database, till)
    async with database.transaction() as db:
        await db.execute("update billing_event set received_at = now() - interval '91 days' where id = $1", seen[0])
    await work.keep_up(till.context, cast("Lease", InTest(database)))

    assert len(seen) > 1
    assert set(await noted(database, till)) == set(seen[1:])


async def test_types_and_customers_that_are_not_ours_are_accepted_and_ignored(till: Till, database: Database) -> None:
    """An account at Stripe may sell other things, and Stripe invents new types."""
    before = len(till.simulator.world.log)
    bodies = (
        {"type": "radar.early_fraud_warning.created", "data": {"object": {"object": "charge", "customer": "cus_1"}}},
        {
            "type": "customer.subscription.updated",
            "data": {"object": {"object": "subscription", "customer": "cus_else"}},
        },
        {"type": "invoice.paid", "data": {"object": {"object": "invoice", "customer": None}}},
        {"type": "invoice.paid", "data": {"object": {"object": "invoice", "customer": ["x"]}}},
    )
    for body in bodies:
        event = till.stripe.outbox.add("x", {}, till.stripe.make_id("evt"))
        event.body = json.dumps({"id": event.id, "object": "event"} | body).encode()
        assert (await till.deliver(event)).status_code == 201
    assert len(till.simulator.world.log) == before
    assert await noted(database, till) == []


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b"{}", b"\xff", b"[" * 100_000, b'{"id": "evt_1 or 1=1", "type": "x", "data": {"object": {}}}'],
    ids=len,
)
async def test_what_is_signed_and_not_an_event_is_refused(till: Till, body: bytes) -> None:
    event = till.stripe.outbox.add("x", {}, till.stripe.make_id("evt"))
    event.body = body
    refused = await till.deliver(event)

    assert (refused.status_code, refused.json()["code"]) == (400, "malformed_request")


async def test_a_body_that_is_too_large_is_not_looked_at(till: Till) -> None:
    event = till.stripe.outbox.add("x", {}, till.stripe.make_id("evt"))
    event.body = b" " * (BODY_BYTES_MAX + 1)
    refused = await till.deliver(event)

    assert (refused.status_code, refused.json()["code"]) == (413, "payload_too_large")


async def test_large_bodies_of_strangers_share_a_bound(till: Till) -> None:
    """Anyone can send them: without a bound, some hundred connections would fill the memory."""
    event = till.stripe.outbox.add("x", {}, till.stripe.make_id("evt"))
    event.body = b" " * 100_000 + event.body
    unverified = till.context.state(Unverified)
    unverified.bytes = UNVERIFIED_BYTES_MAX
    refused = await till.deliver(event)
    held = unverified.bytes
    unverified.bytes = 0

    assert (refused.status_code, refused.json()["code"], held) == (503, "unavailable", UNVERIFIED_BYTES_MAX)
    assert (await till.deliver(event)).status_code == 201
    assert unverified.bytes == 0


@pytest.mark.parametrize("fault", ["dropped", "lost", "status"])
async def test_what_cannot_be_read_again_is_refused_until_it_can(till: Till, database: Database, fault: str) -> None:
    buyer = await till.buyer()
    await till.buy(buyer)
    event = next(event for event in till.new_events() if event.type == "checkout.session.completed")
    till.simulator.world.add_fault("stripe", fault, "GET /v1/subscriptions", status=500, times=None)
    refused = await till.deliver(event)
    between = (await till.status(buyer))["plan"], await noted(database, till)
    till.simulator.world.faults.clear()
    again = await till.deliver(event)

    assert (refused.status_code, refused.json()["code"]) == (503, "unavailable")
    assert between == ("free", [])
    assert (again.status_code, (await till.status(buyer))["plan"]) == (201, "pro")


@pytest.mark.parametrize(
    "changes", [{"metadata": {}}, {"currency": "eur"}, {"metadata": {"signalpost_plan": "gold"}}], ids=str
)
async def test_a_subscription_to_an_unknown_price_never_gives_a_plan(till: Till, changes: dict[str, Any]) -> None:
    """It is refused, so that Stripe shows it and sends it again when the operator has mended the price."""
    buyer = await till.buyer()
    subscription = till.stripe.objects[await till.buy(buyer)]
    price = subscription["items"]["data"][0]["price"]
    good = {name: price[name] for name in changes}
    price |= changes
    event = next(event for event in till.new_events() if event.type == "checkout.session.completed")
    refused = await till.deliver(event)
    between = (await till.status(buyer))["plan"]
    price |= good
    again = await till.deliver(event)

    assert (refused.status_code, refused.json()["code"], between) == (409, "billing_not_configured", "free")
    assert (again.status_code, (await till.status(buyer))["plan"]) == (201, "pro")


async def test_an_older_reading_never_replaces_a_newer_one(till: Till) -> None:
    """Two notifications at once, of which the first reads before the subscription ends and writes after it."""
    buyer = await till.buyer()
    subscription = till.stripe.objects[await till.buy(buyer)]
    first = next(event for event in till.new_events() if event.type == "checkout.session.completed")
    late = till.simulator.world.add_fault("stripe", "late", "GET /v1/subscriptions", seconds=0.5)
    earlier = asyncio.create_task(till.deliver(first))
    while late.times:  # until it has read that the subscription is active
        await asyncio.sleep(0.01)
    till.stripe.life.end(subscription)
    last = till.new_events()[-1]
    answers = [await till.deliver(last), await earlier]

    assert [answer.status_code for answer in answers] == [201, 201]
    assert ((await till.status(buyer))["plan"], (await till.status(buyer))["status"]) == ("free", "expired")


async def test_events_of_a_year_in_any_order_and_twice_end_in_the_same_plan(till: Till) -> None:
    buyer = await till.buyer()
    await till.buy(buyer)
    till.pass_days(367)  # the next year may be a leap year
    events = shuffled(till.new_events(), 7, duplicates=10)
    codes = await till.notify(events)
    status = await till.status(buyer)

    assert len(events) > 30
    assert set(codes) == {201}
    assert (status["plan"], status["status"]) == ("pro", "active")
    assert len(till.simulator.world.ledger.of("stripe")) == 12 + 1


def test_the_guide_names_the_events_to_subscribe_to() -> None:
    from tests.contract.test_dependencies import CHECKOUT

    guide = (CHECKOUT / "docs/guides/billing.md").read_text()
    assert all(f"`{name}`" in guide for name in HEARD)


async def test_a_first_purchase_without_any_notification_is_served(till: Till) -> None:
    """The commonest mistake of an installation: the endpoint was never made, or has another secret."""
    buyer, idle = await till.buyer(), await till.buyer()
    await till.buy(buyer)
    await till.checkout(idle)
    till.pass_days(0.01)
    with clock.at(till.simulator.world.clock()):
        await work.keep_up(till.context, cast("Lease", InTest(till.context.database)))

    assert ((await till.status(buyer))["plan"], (await till.status(idle))["plan"]) == ("pro", "free")


async def test_a_page_that_nobody_pays_is_read_seldom(till: Till) -> None:
    buyer = await till.buyer()
    await till.checkout(buyer)
    reads = 0
    for _ in range(4 * 24 * 6):
        till.pass_days(1 / 144)
        now = till.simulator.world.clock()
        async with till.context.database.connection() as db:
            due = [row[0] for row in await queries.open_pages(db, now, after=None, limit=1_000)]
        if buyer.login.workspace_id in due:
            reads += 1
            async with till.context.database.transaction() as db:
                update = "update subscription set read_at = $2 where workspace_id = $1"
                await db.execute(update, buyer.login.workspace_id, now)

    assert 5 < reads < 30


async def test_the_operator_sees_whether_stripe_was_heard(till: Till) -> None:
    buyer = await till.buyer()
    await till.buy(buyer)
    async with till.context.database.transaction() as db:
        await db.execute("update billing_provider set notified_at = null, refused_at = null, refused_code = null")
        never = await provider.heard(db)
    event = till.new_events()[-1]
    await till.deliver(event, signature="t=1,v1=" + "0" * 64)
    async with till.context.database.connection() as db:
        refused = await provider.heard(db)
    await till.notify()
    async with till.context.database.connection() as db:
        well = await provider.heard(db)

    assert (never.is_deaf, never.notified_at, "endpoint" in never.remedy) == (True, None, True)
    assert (refused.is_deaf, refused.refused_code) == (True, "invalid_signature")
    assert "SIGNALPOST_STRIPE_WEBHOOK_SECRET" in refused.remedy
    assert not well.is_deaf
