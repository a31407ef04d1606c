"""Receivers that are gone, addresses that may not be reached, and failures of our own."""

import dataclasses
import socket
from typing import Any

from tests.helpers import webhooks
from tests.helpers.api import Api
from tests.helpers.engine import until
from tests.helpers.factories import Make
from tests.helpers.webhooks import (
    advance_time,
    deliveries,
    emit,
    post_published,
    receiver_server,
    register,
    wait_for_deliveries,
    webhook_uuid,
)
from tests.webhooks.test_deliveries import delivered, idle

from signalpost.context import AppContext
from signalpost.engine.engine import Engine
from signalpost.kit import clock
from signalpost.kit.db import Database
from signalpost.kit.http import Client
from signalpost.webhooks import work


async def _lose(database: Database, webhook: dict[str, Any], lost: int, days: int) -> None:
    """Pretend that so many deliveries in a row were lost already, and none succeeded for so many days."""
    async with database.connection() as db:
        await db.execute(
            "update webhook set consecutive_lost = $2, enabled_at = now() - make_interval(days => $3),"
            " last_success_at = last_success_at - make_interval(days => $3) where id = $1",
            webhook_uuid(webhook), lost, days,
        )  # fmt: skip


async def test_a_dead_webhook_is_disabled_and_its_owner_mailed_once(
    api: Api, make: Make, database: Database, engine: Engine
) -> None:
    owner = await make.owner()
    mails = "(select count(*) from job where kind = 'mail.send' and workspace_id = $1)"
    async with receiver_server(status=500) as receiver:
        webhook = await register(api, owner, receiver.url, deliveryMode="single")
        path = f"/webhooks/{webhook['id']}"
        for lost, days, status in ((8, 8, "active"), (9, 6, "active"), (9, 8, "disabled")):
            await _lose(database, webhook, lost, days)
            await emit(database, post_published(owner))
            await wait_for_deliveries(api, owner, webhook, idle)
            current = (await api.get(path, key=owner.key)).json()
            assert current["status"] == status
        assert current["active"] is False
        assert "10 deliveries in a row" in current["disabledReason"]
        await until(database, f"{mails} = 1", owner.workspace_id)
        async with database.connection() as db:
            job = await db.fetchrow("select payload from job where workspace_id = $1", owner.workspace_id)
        assert job is not None
        assert job["payload"]["to"] == owner.email
        assert job["payload"]["template"] == "webhook_disabled"
        await emit(database, post_published(owner))
        states = [row["state"] for row in await deliveries(api, owner, webhook)]
        assert states == ["skipped", "failed", "failed", "failed"]

        assert (await api.patch(path, json={"active": False}, key=owner.key)).json()["status"] == "disabled"
        again = (await api.patch(path, json={"active": True}, key=owner.key)).json()
        assert (again["status"], again["disabledReason"], again["consecutiveFailures"]) == ("active", None, 0)
        await emit(database, post_published(owner))
        await wait_for_deliveries(api, owner, webhook, idle)
        assert (await api.get(path, key=owner.key)).json()["status"] == "active"
    await until(database, f"{mails} = 1", owner.workspace_id)


async def test_sporadic_failure_never_disables(api: Api, make: Make, database: Database, engine: Engine) -> None:
    owner = await make.owner()
    async with receiver_server() as receiver:
        webhook = await register(api, owner, receiver.url, deliveryMode="single")
        await emit(database, post_published(owner))
        await wait_for_deliveries(api, owner, webhook, delivered)
        await _lose(database, webhook, 9, 6)
        receiver.status = 500
        await emit(database, post_published(owner))
        await wait_for_deliveries(api, owner, webhook, idle)

        assert (await api.get(f"/webhooks/{webhook['id']}", key=owner.key)).json()["status"] == "active"


async def test_an_address_that_has_become_private_is_not_contacted(
    api: Api, make: Make, context: AppContext, database: Database
) -> None:
    """A name that was public when it was checked may resolve to a private address later: every attempt checks."""
    owner = await make.owner()
    answers = iter(["93.184.216.34"])

    async def lookup(_: str) -> list[str]:
        return [next(answers, "127.0.0.1")]

    settings = dataclasses.replace(context.settings, allow_private_webhooks=False)
    async with receiver_server() as receiver, Client(lookup=lookup) as http:
        clients = dataclasses.replace(context.http, webhooks=http)
        served = dataclasses.replace(context, settings=settings, http=clients)
        port = receiver.url.rsplit(":", 1)[1]
        await http.check_url(f"https://rebound.example:{port}")
        webhook = await register(api, owner, f"https://rebound.example:{port}")
        await emit(database, post_published(owner))
        async with webhooks.delivery_worker(served):
            (row,) = await wait_for_deliveries(api, owner, webhook, idle)

    assert receiver.requests == []
    assert (row["state"], row["lastStatus"]) == ("failed", None)
    assert "forbidden address" in row["lastError"]


async def test_our_own_failures_are_not_charged(api: Api, make: Make, context: AppContext, database: Database) -> None:
    """A broken name server of ours would otherwise use up the receivers' attempts; but not for ever."""
    owner = await make.owner()

    async def lookup(_: str) -> list[str]:
        raise socket.gaierror(socket.EAI_AGAIN, "try again")

    webhook = await register(api, owner, "http://somewhere.example/")
    await emit(database, post_published(owner))
    async with (
        Client(lookup=lookup) as http,
        webhooks.delivery_worker(dataclasses.replace(context, http=dataclasses.replace(context.http, webhooks=http))),
    ):
        await until(
            database, "(select last_error is not null and started_at is null from delivery where webhook_id = $1)",
            webhook_uuid(webhook),
        )  # fmt: skip
        (row,) = await deliveries(api, owner, webhook)
        assert (row["state"], row["attempts"]) == ("pending", 0)
        assert row["nextAttemptAt"] > clock.wire(clock.now())
        await advance_time(database, webhook, work.OUR_FAULT_AGE_SECONDS_MAX)
        (row,) = await wait_for_deliveries(api, owner, webhook, lambda row: row["attempts"] == 1)

    assert row["state"] == "failed"
    assert (await api.get(f"/webhooks/{webhook['id']}", key=owner.key)).json()["consecutiveFailures"] == 1


async def test_an_attempt_that_kills_workers_is_abandoned(
    api: Api, make: Make, database: Database, context: AppContext
) -> None:
    """After three starts without a result it counts as failed; the schedule continues."""
    owner = await make.owner()
    async with receiver_server() as receiver:
        webhook = await register(api, owner, receiver.url)
        await emit(database, post_published(owner), post_published(owner))
        async with database.connection() as db:
            await db.execute(
                "update delivery set started_at = now(), crashes = case when id = (select id from delivery"
                " where webhook_id = $1 order by id desc limit 1) then 2 else 1 end where webhook_id = $1",
                webhook_uuid(webhook),
            )
        async with webhooks.delivery_worker(context):
            rows = await wait_for_deliveries(api, owner, webhook, idle)

    assert [row["state"] for row in rows] == ["failed", "delivered"]
    assert rows[0]["lastError"] == "the worker died while it sent this"
    assert len(receiver.requests) == 1


async def test_a_secret_that_cannot_be_opened_fails_the_delivery(
    api: Api, make: Make, database: Database, engine: Engine
) -> None:
    """Another row's secret, or a lost master key: recorded as the error, and never sent unsigned."""
    owner = await make.owner()
    async with receiver_server() as receiver:
        webhook = await register(api, owner, receiver.url)
        other = await register(api, owner, receiver.url, events=["post.failed"])
        async with database.connection() as db:
            await db.execute(
                "update webhook set secret = (select secret from webhook where id = $2) where id = $1",
                webhook_uuid(webhook), webhook_uuid(other),
            )  # fmt: skip
        await emit(database, post_published(owner))
        (row,) = await wait_for_deliveries(api, owner, webhook, idle)

        assert receiver.requests == []
        assert "secret" in row["lastError"]
