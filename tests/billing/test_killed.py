"""A process that is killed while it acts upon a notification loses nothing, and does nothing twice."""

import asyncio
import signal
from functools import partial

from tests.faults import dying
from tests.faults.scene import sizes
from tests.helpers.api import Api
from tests.helpers.till import Till

from signalpost.context import AppContext
from signalpost.kit.db import Database

STEPS_MAX = 200


async def _deliver(body: bytes, header: str, _context: AppContext, api: Api) -> None:
    headers = {"Stripe-Signature": header, "Content-Type": "application/json"}
    answer = await api.post("/billing/webhook", content=body, headers=headers)
    assert answer.status_code == 201, answer.text


@sizes("every", quick=9, heavy=1)
async def test_what_a_killed_process_did_not_acknowledge_is_done_by_the_next_delivery(
    till: Till, database: Database, dsn: str, every: int
) -> None:
    """At each step either nothing is written or all of it. `every`: it is killed at every n-th statement."""
    settings = till.context.settings
    environment = {
        "SIGNALPOST_DATA_DIR": str(settings.data_dir),
        "SIGNALPOST_DATABASE_URL": dsn,
        "SIGNALPOST_BASE_URL": "http://signalpost.test",
        "SIGNALPOST_BILLING_ENABLED": "true",
        "SIGNALPOST_STRIPE_SECRET_KEY": str(settings.stripe_secret_key),
        "SIGNALPOST_STRIPE_WEBHOOK_SECRET": str(settings.stripe_webhook_secret),
        "SIGNALPOST_STRIPE_BASE_URL": settings.stripe_base_url,
    }
    for killed, step in enumerate(range(2, STEPS_MAX, every)):
        buyer = await till.buyer()
        await till.buy(buyer)
        event = next(event for event in till.new_events() if event.type == "checkout.session.completed")
        work = partial(_deliver, event.body, till.stripe.outbox.sign(event.body))
        process = dying.start(work, environment, step)
        await asyncio.to_thread(process.join)
        assert process.exitcode in (0, -signal.SIGKILL), process.exitcode
        async with database.connection() as db:
            noted = await db.fetchval("select count(*) from billing_event where id = $1", event.id)
            plan = await db.fetchval("select plan from workspace where id = $1", buyer.login.workspace_id)
        assert (plan, noted) in {("free", 0), ("pro", 1)}, step
        again = await till.deliver(event)
        history = (await till.call("GET", "/audit?action=subscription_changed", buyer)).json()["data"]
        async with database.connection() as db:  # callers are cached for a second, with the plan that they had before
            plan = await db.fetchval("select plan from workspace where id = $1", buyer.login.workspace_id)
        assert (again.status_code, plan, len(history)) == (201, "pro", 1), step
        if process.exitcode == 0:
            assert killed >= 1, "there are more steps than that"
            return
    raise AssertionError("no process passed all steps")
