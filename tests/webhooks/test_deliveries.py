"""Deliveries: at least once, with the same id and bytes, on schedule; held, dropped and sent again on request."""

import asyncio
import dataclasses
import json
from typing import Any

import pytest
from standardwebhooks.webhooks import Webhook as StandardWebhook
from tests.counterparts.receivers import debian_webhook, octokit_receiver
from tests.helpers import webhooks
from tests.helpers.api import Api
from tests.helpers.engine import until
from tests.helpers.factories import Make
from tests.helpers.http_servers import response
from tests.helpers.webhooks import (
    advance_time,
    deliveries,
    emit,
    post_published,
    receiver_server,
    register,
    wait_for_deliveries,
    wait_until_idle,
    webhook_uuid,
)

from signalpost import events
from signalpost.context import AppContext
from signalpost.engine import jobs
from signalpost.engine.engine import Engine
from signalpost.kit import clock, ids
from signalpost.kit.db import Database
from signalpost.settings import Settings
from signalpost.webhooks import signing, work
from signalpost.webhooks.actions.deliveries import record_events
from signalpost.webhooks.states import with_active


def delivered(row: dict[str, Any]) -> bool:
    return bool(row["state"] == "delivered")


def idle(row: dict[str, Any]) -> bool:
    """No attempt is under way or due now: the state is that of an attempt that ended."""
    due = row["nextAttemptAt"] is not None and row["nextAttemptAt"] <= clock.wire(clock.now())
    return row["state"] != "pending" and row["resendAt"] is None and not due


async def test_a_delivery_is_the_event_in_an_envelope(api: Api, make: Make, database: Database, engine: Engine) -> None:
    owner = await make.owner()
    async with receiver_server() as receiver:
        webhook = await register(api, owner, receiver.url)
        event = post_published(owner, text="Grüße 🎈")
        await emit(database, event)
        (request,) = await receiver.wait(1)
        (row,) = await wait_for_deliveries(api, owner, webhook, delivered)

    assert list(request.json) == ["id", "type", "createdAt", "data"]
    assert request.json["id"].startswith("dlv_")
    assert request.json["type"] == "post.published"
    assert request.json["createdAt"] == clock.wire(event.at)
    assert list(request.json["data"])[:4] == ["postId", "published", "failed", "total"]
    assert request.json["data"]["externalId"] == "Grüße 🎈"
    assert request.headers["content-type"] == "application/json"
    assert request.headers["x-service-event"] == "post.published"
    assert request.headers["x-service-delivery"] == request.headers["webhook-id"] == request.json["id"]
    assert request.headers["x-service-attempt"] == "1"
    assert request.headers["x-service-timestamp"] == request.headers["webhook-timestamp"]
    assert request.headers["user-agent"].startswith("Signalpost-Webhooks/")
    assert request.headers["x-service-signature"] == signing.body_signature(webhook["secret"], request.body)
    StandardWebhook(webhook["secret"]).verify(request.body, request.headers)
    assert row == {
        "id": request.json["id"], "webhookId": webhook["id"], "eventId": row["eventId"], "type": "post.published",
        "state": "delivered", "attempts": 1, "nextAttemptAt": None, "resendAt": None,
        "lastAttemptAt": row["lastAttemptAt"], "lastStatus": 200, "lastError": None, "lastResponse": "thanks",
        "lastDurationMs": row["lastDurationMs"], "createdAt": row["createdAt"], "deliveredAt": row["lastAttemptAt"],
    }  # fmt: skip
    detail = (await api.get(f"/webhooks/{webhook['id']}/deliveries/{row['id']}", key=owner.key)).json()
    told = ("X-Service-Event", "X-Service-Delivery", "X-Service-Attempt", "X-Service-Timestamp")
    headers = {name: request.headers[name.lower()] for name in ("Content-Type", *told)}
    log = [
        {
            "at": row["lastAttemptAt"], "resend": False, "status": 200, "error": None,
            "durationMs": row["lastDurationMs"], "response": "thanks",
            "request": {"method": "POST", "url": receiver.url, "headers": headers},
        }
    ]  # fmt: skip
    assert detail == row | {"body": request.body.decode(), "attemptLog": log}
    current = (await api.get(f"/webhooks/{webhook['id']}", key=owner.key)).json()
    assert (current["lastSuccessAt"], current["consecutiveFailures"]) == (row["lastAttemptAt"], 0)


async def test_events_reach_the_right_webhooks(api: Api, make: Make, database: Database, engine: Engine) -> None:
    """By type, profile, mode and workspace. Deliveries of one event share its id."""
    owner, stranger = await make.owner(), await make.owner()
    second = (await make.profile(owner))["id"]
    async with receiver_server() as receiver:
        all_ = await register(api, owner, receiver.url)
        queued = await register(api, owner, receiver.url, events=["post.queued"])
        profile = await register(api, owner, receiver.url, profileIds=[second])
        paused = await register(api, owner, receiver.url, active=False)
        foreign = await register(api, stranger, receiver.url)
        tested = (await api.post("/webhooks", json={"url": receiver.url}, key=owner.test_key)).json()
        emitted = [post_published(owner, profile=second, mode=mode) for mode in ("live", "test")]
        await emit(database, post_published(owner), *emitted)
        await receiver.wait(4)
        await wait_until_idle(database, all_, queued, profile, paused, foreign, tested)

        (of_test,) = await deliveries(api, owner, tested)
        modes = {request.json["id"]: request.json["data"]["mode"] for request in receiver.requests}
        assert modes.pop(of_test["id"]) == "test"
        assert list(modes.values()) == ["live"] * 3
        counts = [len(await deliveries(api, owner, webhook)) for webhook in (all_, queued, profile, paused)]
        assert [*counts, len(await deliveries(api, stranger, foreign))] == [2, 0, 1, 2, 0]
        assert {row["state"] for row in await deliveries(api, owner, paused)} == {"skipped"}
    (shared,) = await deliveries(api, owner, profile)
    other = (await deliveries(api, owner, all_))[0]
    assert other["eventId"] == shared["eventId"]
    assert other["id"] != shared["id"]


async def test_every_public_event_is_recorded(api: Api, make: Make, database: Database) -> None:
    owner = await make.owner()
    webhook = await register(api, owner, "http://127.0.0.1:9/", events=list(events.PUBLIC_EVENTS))
    profile_id = ids.decode("prof", owner.profile)
    data = post_published(owner).data

    await emit(
        database,
        *(
            kind(workspace_id=owner.workspace_id, at=clock.now(), profile_id=profile_id, mode="live", data=data)
            for kind in events.PUBLIC_EVENTS.values()
        ),
    )

    assert [row["type"] for row in await deliveries(api, owner, webhook)] == list(events.PUBLIC_EVENTS)[::-1]
    assert len(await deliveries(api, owner, webhook, type="post.failed")) == 1
    assert len(await deliveries(api, owner, webhook, state="pending", limit=5)) == 5
    assert await deliveries(api, owner, webhook, state="delivered") == []
    refused = await api.get(f"/webhooks/{webhook['id']}/deliveries?state=lost", key=owner.key)
    assert refused.status_code == 422


async def test_a_rolled_back_change_sends_nothing(api: Api, make: Make, database: Database) -> None:
    """Deliveries are written in the transaction of the change."""
    owner = await make.owner()
    webhook = await register(api, owner, "http://127.0.0.1:9/")

    async def change() -> None:
        async with database.transaction() as db:
            await record_events(db, [post_published(owner)])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await change()

    assert await deliveries(api, owner, webhook) == []


async def test_third_party_receivers_verify(api: Api, make: Make, database: Database, engine: Engine) -> None:
    """GitHub's library and Debian's webhook program both verify `sha256=` over the raw body."""
    owner = await make.owner()
    async with octokit_receiver() as octokit, debian_webhook() as debian:
        for receiver in (octokit, debian):
            webhook = await register(api, owner, receiver.url)
            await receiver.use(webhook["secret"])
            await emit(database, post_published(owner, text="ünï\u2028code"))
            delivery = await receiver.delivery()
            assert delivery.verified
            assert delivery.headers["x-service-event"] == "post.published"
            await wait_for_deliveries(api, owner, webhook, delivered)
            await api.delete(f"/webhooks/{webhook['id']}", key=owner.key)


def test_signatures_equal_the_reference_librarys() -> None:
    """For a thousand secrets and bodies; a changed byte is refused."""
    for number in range(1000):
        secret, body = signing.new_secret(), f'{{"n":{number},"t":"ä"}}'.encode()
        at = int(clock.now().timestamp())
        headers = signing.headers(
            brand="Service",
            event_type="x",
            delivery_id="dlv_1",
            attempt_number=1,
            timestamp=at,
            secrets=[secret],
            body=body,
        )
        StandardWebhook(secret).verify(body, headers)
        with pytest.raises(Exception, match="No matching signature"):
            StandardWebhook(secret).verify(body + b" ", headers)


async def test_a_test_delivery_is_signed_like_any_other(api: Api, make: Make, engine: Engine) -> None:
    owner = await make.owner()
    async with receiver_server() as receiver:
        webhook = await register(api, owner, receiver.url, events=["post.failed"])
        answer = await api.post(f"/webhooks/{webhook['id']}/test", key=owner.key)
        (request,) = await receiver.wait(1)

    assert answer.status_code == 201
    assert (answer.json()["type"], answer.json()["state"]) == ("webhook.test", "pending")
    assert request.json["id"] == answer.json()["id"]
    assert request.json["data"]["webhookId"] == webhook["id"]
    StandardWebhook(webhook["secret"]).verify(request.body, request.headers)


async def test_both_secrets_sign_for_a_day(api: Api, make: Make, database: Database, engine: Engine) -> None:
    """So receivers can switch to the new one at leisure; the signature of the body alone has room for one only."""
    owner = await make.owner()
    async with receiver_server() as receiver:
        webhook = await register(api, owner, receiver.url)
        rotated = (await api.post(f"/webhooks/{webhook['id']}/rotate-secret", key=owner.key)).json()
        await emit(database, post_published(owner))
        await receiver.wait(1)
        async with database.connection() as db:
            await db.execute(
                "update webhook set former_secret_until = now() - interval '1 s' where id = $1", webhook_uuid(webhook)
            )
        await emit(database, post_published(owner))
        within, after = await receiver.wait(2)

    assert rotated["secret"] != webhook["secret"]
    changed = {"secret": "", "updatedAt": "", "previousSecretUntil": None}
    assert rotated["previousSecretUntil"] > rotated["updatedAt"]
    assert rotated | changed | {"warnings": []} == webhook | changed
    for secret in (webhook["secret"], rotated["secret"]):
        StandardWebhook(secret).verify(within.body, within.headers)
    assert within.headers["x-service-signature"] == signing.body_signature(rotated["secret"], within.body)
    StandardWebhook(rotated["secret"]).verify(after.body, after.headers)
    assert len(after.headers["webhook-signature"].split()) == 1


async def test_a_paused_webhook_holds_waiting_deliveries_and_sends_nothing_new(
    api: Api, make: Make, database: Database, engine: Engine
) -> None:
    owner = await make.owner()
    async with receiver_server(status=500) as receiver:
        webhook = await register(api, owner, receiver.url)
        path = f"/webhooks/{webhook['id']}"
        await emit(database, post_published(owner))
        (row,) = await wait_for_deliveries(api, owner, webhook, idle)
        await api.patch(path, json={"active": False}, key=owner.key)
        await emit(database, post_published(owner))
        await advance_time(database, webhook, 100)
        refused = [
            await api.post(f"{path}/test", key=owner.key),
            await api.post(f"{path}/deliveries/{row['id']}/resend", key=owner.key),
        ]
        await wait_until_idle(database, webhook)
        assert len(receiver.requests) == 1
        assert [(answer.status_code, answer.json()["code"]) for answer in refused] == [(409, "invalid_state")] * 2
        assert (await engine.status()).overdue == 0

        receiver.status = 200
        await api.patch(path, json={"active": True}, key=owner.key)
        skipped, row = await wait_for_deliveries(
            api, owner, webhook, lambda row: row["state"] in ("skipped", "delivered")
        )

    assert (skipped["state"], skipped["attempts"], row["attempts"]) == ("skipped", 0, 2)
    assert receiver.requests[0].body == receiver.requests[1].body


async def test_a_deleted_webhook_drops_waiting_deliveries_and_no_result_schedules_them_again(
    api: Api, make: Make, database: Database, engine: Engine
) -> None:
    owner = await make.owner()
    released = asyncio.Event()

    async def slow(connection: Any) -> None:
        await connection.request()
        await released.wait()
        await connection.send(response(500))

    async with webhooks.serve(slow) as server:
        webhook = await register(api, owner, server.url)
        await _succeeded_before(database, webhook)
        await emit(database, post_published(owner), *(post_published(owner) for _ in range(5)))
        under_way = "(select count(*) from delivery where webhook_id = $1 and started_at is not null) = 4"
        await until(database, under_way, webhook_uuid(webhook))
        assert (await api.delete(f"/webhooks/{webhook['id']}", key=owner.key)).status_code == 200
        released.set()
        count = "(select count(*) from delivery where webhook_id = $1"
        await until(database, count + " and attempts = 1) = 4", webhook_uuid(webhook))
        await wait_until_idle(database, webhook)

        assert len(server.requests) == 4
    await until(database, count + " and due_at is not null) = 0", webhook_uuid(webhook))


async def _succeeded_before(database: Database, webhook: dict[str, Any]) -> None:
    async with database.connection() as db:
        await db.execute("update webhook set last_success_at = now() where id = $1", webhook_uuid(webhook))


async def test_a_webhook_earns_its_parallelism(api: Api, make: Make, database: Database, engine: Engine) -> None:
    """One delivery at a time until the first success, then four: what never answers holds one connection."""
    owner = await make.owner()
    under_way = most = 0
    together: list[int] = []
    four_at_once = asyncio.Event()

    async def count(connection: Any) -> None:
        nonlocal under_way, most
        while True:
            await connection.request()
            under_way += 1
            most = max(most, under_way)
            if most >= 4:
                four_at_once.set()
            if together:
                await four_at_once.wait()
            await asyncio.sleep(0.1)  # for one more, if there were any
            together.append(most)
            under_way -= 1
            await connection.send(response(200))

    async with webhooks.serve(count) as server:
        webhook = await register(api, owner, server.url)
        await emit(database, *(post_published(owner) for _ in range(9)))
        await wait_for_deliveries(api, owner, webhook, delivered)

    assert (together[0], most) == (1, 4)


async def test_the_purge_removes_deleted_webhooks_and_old_deliveries(
    api: Api, make: Make, database: Database, context: AppContext, engine: Engine
) -> None:
    owner = await make.owner(plan="pro")
    billed = dataclasses.replace(context, settings=dataclasses.replace(context.settings, billing_enabled=True))
    async with receiver_server() as receiver:
        deleted, kept = await register(api, owner, receiver.url), await register(api, owner, receiver.url)
        for _ in range(3):
            await emit(database, post_published(owner))
        await wait_for_deliveries(api, owner, deleted, delivered)
        await wait_for_deliveries(api, owner, kept, delivered)
    _, missed, oldest = await deliveries(api, owner, kept)
    await api.delete(f"/webhooks/{deleted['id']}", key=owner.key)
    source = jobs.Jobs()
    purge = next(job for job in work.jobs(billed) if job.kind == work.PURGE_JOB)
    source.register(purge.kind, purge.handler)
    async with database.transaction() as db:
        deleted_id = webhook_uuid(deleted)
        await db.execute("update webhook set deleted_at = now() - interval '2 hours' where id = $1", deleted_id)
        old = [ids.decode("dlv", delivery["id"]) for delivery in (missed, oldest)]
        await db.execute("update delivery set created_at = now() - interval '15 days' where id = any($1)", old)
        await db.execute("update delivery set state = 'skipped' where id = $1", old[0])  # kept for 30 days
        await jobs.enqueue(db, work.PURGE_JOB, {})

    async with webhooks.running(Engine(database, [source])):
        await until(database, "not exists (select from delivery where webhook_id = $1)", webhook_uuid(deleted))
        await until(database, "not exists (select from webhook where id = $1)", webhook_uuid(deleted))
        await until(database, "not exists (select from job where kind = 'webhooks.purge')")

    assert len(await deliveries(api, owner, kept)) == 2
    assert missed["id"] in json.dumps(await deliveries(api, owner, kept))
    assert oldest["id"] not in json.dumps(await deliveries(api, owner, kept))


@pytest.mark.parametrize(("billed", "days", "kept"), [(True, 30, 14), (False, 30, 30), (False, 7, 7), (False, 0, None)])
def test_deliveries_are_kept_as_long_as_the_plan_or_the_operator_says(
    settings: Settings, billed: bool, days: int, kept: int | None
) -> None:
    changed = dataclasses.replace(settings, billing_enabled=billed, delivery_log_days=days)
    assert work.days_by_plan(changed).get("pro") == kept


@pytest.mark.parametrize(("status", "paused"), [("active", "paused"), ("paused", "paused"), ("disabled", "disabled")])
def test_the_status_after_setting_active(status: Any, paused: str) -> None:
    """A pause must not hide that we disabled the webhook."""
    assert with_active(status, active=True) == "active"
    assert with_active(status, active=False) == paused
