"""Deliveries: at least once, with the same id and bytes, on schedule; held, dropped and sent again on request."""

import asyncio
import dataclasses
import json
import socket
from datetime import datetime
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
    ReceivedRequest,
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
from signalpost.kit.http import Client
from signalpost.webhooks import signing, work
from signalpost.webhooks.actions.deliveries import record_events
from signalpost.webhooks.states import RETRY_SECONDS, after_failure, with_active


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
    log = [
        {"at": row["lastAttemptAt"], "resend": False, "status": 200, "error": None, "durationMs": row["lastDurationMs"]}
    ]
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
        assert [*counts, len(await deliveries(api, stranger, foreign))] == [2, 0, 1, 0, 0]
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


async def test_six_attempts_on_the_schedule_with_the_same_bytes(
    api: Api, make: Make, database: Database, engine: Engine
) -> None:
    """Never earlier than the delay after the previous failure, at most 5 s later; the sixth failure is final."""
    owner = await make.owner()
    async with receiver_server(status=500) as receiver:
        webhook = await register(api, owner, receiver.url)
        await emit(database, post_published(owner))
        for number, delay in enumerate(RETRY_SECONDS, 1):
            (row,) = await wait_for_deliveries(api, owner, webhook, lambda row, n=number: row["attempts"] == n)  # type: ignore[misc]
            assert (row["state"], row["lastStatus"], row["lastError"]) == ("failed", 500, "answered 500")
            waits = datetime.fromisoformat(row["nextAttemptAt"]) - datetime.fromisoformat(row["lastAttemptAt"])
            assert delay <= waits.total_seconds() <= delay + 5
            await advance_time(database, webhook, delay - 3)
            await wait_until_idle(database, webhook)
            assert len(receiver.requests) == number
            await advance_time(database, webhook, 3)
        (row,) = await wait_for_deliveries(api, owner, webhook, lambda row: row["attempts"] == 6)

    assert (row["state"], row["nextAttemptAt"]) == ("permanently_failed", None)
    assert [request.headers["x-service-attempt"] for request in receiver.requests] == list("123456")
    assert {request.body for request in receiver.requests} == {receiver.requests[0].body}
    assert {request.headers["webhook-id"] for request in receiver.requests} == {row["id"]}
    current = (await api.get(f"/webhooks/{webhook['id']}", key=owner.key)).json()
    assert (current["consecutiveFailures"], current["status"]) == (6, "active")


async def test_a_retry_starts_within_five_seconds_of_its_time(
    api: Api, make: Make, database: Database, engine: Engine
) -> None:
    """Measured with the real clock, from two seconds before."""
    owner = await make.owner()
    async with receiver_server(status=500) as receiver:
        webhook = await register(api, owner, receiver.url)
        await emit(database, post_published(owner))
        await wait_for_deliveries(api, owner, webhook, lambda row: row["attempts"] == 1)
        await advance_time(database, webhook, 58)
        started = clock.monotonic()
        await receiver.wait(2)

    assert 1.5 < clock.monotonic() - started < 7


async def test_mode_single_tries_once(api: Api, make: Make, database: Database, engine: Engine) -> None:
    owner = await make.owner()
    async with receiver_server(status=503) as receiver:
        webhook = await register(api, owner, receiver.url, deliveryMode="single")
        await emit(database, post_published(owner))
        (row,) = await wait_for_deliveries(api, owner, webhook, idle)

    assert (row["state"], row["attempts"], row["nextAttemptAt"]) == ("failed", 1, None)


async def test_a_locked_webhook_keeps_back_its_own_results_only(
    api: Api, make: Make, database: Database, engine: Engine
) -> None:
    """A transaction that changes a webhook, or one delivery of it, and does not end."""
    owner = await make.owner()
    async with receiver_server() as receiver:
        locked = await register(api, owner, receiver.url, name="locked")
        other = await register(api, owner, receiver.url, name="other")
        async with database.transaction() as db:
            await db.execute("select from webhook where id = $1 for no key update", webhook_uuid(locked))
            await emit(database, post_published(owner))
            started = clock.monotonic()
            await wait_for_deliveries(api, owner, other, lambda row: row["state"] == "delivered")
            assert clock.monotonic() - started < 2
            (row,) = await deliveries(api, owner, locked)
            assert row["state"] == "pending"
        await wait_for_deliveries(api, owner, locked, lambda row: row["state"] == "delivered")

        assert len(receiver.requests) == 2


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "low", "high"), [("single", 4.9, 6.0), ("retry", 9.9, 11.0)])
async def test_a_response_has_a_deadline(
    api: Api, make: Make, database: Database, engine: Engine, mode: str, low: float, high: float
) -> None:
    owner = await make.owner()

    async def never(connection: Any) -> None:
        await connection.request()
        await asyncio.Event().wait()

    async with webhooks.serve(never) as server:
        webhook = await register(api, owner, server.url, deliveryMode=mode)
        await emit(database, post_published(owner))
        (row,) = await wait_for_deliveries(api, owner, webhook, idle, 15)

    assert low <= row["lastDurationMs"] / 1000 <= high
    assert row["lastStatus"] is None
    assert "in time" in row["lastError"]


@pytest.mark.parametrize(
    ("status", "state"),
    [(200, "delivered"), (299, "delivered"), (302, "failed"), (404, "failed"), (410, "failed"), (500, "failed")],
)
async def test_only_2xx_is_delivered(
    api: Api, make: Make, database: Database, engine: Engine, status: int, state: str
) -> None:
    """A redirect is not followed: it could lead anywhere."""
    owner = await make.owner()
    async with receiver_server() as elsewhere, receiver_server() as receiver:
        receiver.respond = lambda _: response(status, b"", f"Location: {elsewhere.url}")
        webhook = await register(api, owner, receiver.url)
        await emit(database, post_published(owner))
        (row,) = await wait_for_deliveries(api, owner, webhook, idle)

        assert (row["state"], row["lastStatus"]) == (state, status)
        assert elsewhere.requests == []


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
    assert rotated | {"secret": "", "updatedAt": "", "warnings": []} == webhook | {"secret": "", "updatedAt": ""}
    for secret in (webhook["secret"], rotated["secret"]):
        StandardWebhook(secret).verify(within.body, within.headers)
    assert within.headers["x-service-signature"] == signing.body_signature(rotated["secret"], within.body)
    StandardWebhook(rotated["secret"]).verify(after.body, after.headers)
    assert len(after.headers["webhook-signature"].split()) == 1


async def test_a_paused_webhook_holds_waiting_deliveries_and_records_nothing_new(
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
        (row,) = await wait_for_deliveries(api, owner, webhook, delivered)

    assert row["attempts"] == 2
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

    async def count(connection: Any) -> None:
        nonlocal under_way, most
        while True:
            await connection.request()
            under_way += 1
            most = max(most, under_way)
            await asyncio.sleep(0.1)
            together.append(most)
            under_way -= 1
            await connection.send(response(200))

    async with webhooks.serve(count) as server:
        webhook = await register(api, owner, server.url)
        await emit(database, *(post_published(owner) for _ in range(9)))
        await wait_for_deliveries(api, owner, webhook, delivered)

    assert (together[0], most) == (1, 4)


async def test_a_resend_is_one_extra_attempt(api: Api, make: Make, database: Database, engine: Engine) -> None:
    """With the same id and bytes; whatever its result, the schedule stays."""
    owner = await make.owner()
    async with receiver_server() as receiver:
        webhook = await register(api, owner, receiver.url)
        await emit(database, post_published(owner))
        (row,) = await wait_for_deliveries(api, owner, webhook, delivered)
        path = f"/webhooks/{webhook['id']}/deliveries/{row['id']}/resend"

        answer = await api.post(path, key=owner.key)
        assert answer.status_code == 201
        assert answer.json()["resendAt"] is not None
        assert answer.json()["state"] == "delivered"
        await receiver.wait(2)
        (row,) = await wait_for_deliveries(api, owner, webhook, lambda row: row["attempts"] == 2)
        assert row["state"] == "delivered"

        receiver.status = 500
        await api.post(path, key=owner.key)
        await receiver.wait(3)
        (row,) = await wait_for_deliveries(api, owner, webhook, lambda row: row["attempts"] == 3)

    assert (row["state"], row["lastStatus"], row["nextAttemptAt"]) == ("delivered", 500, None)
    assert len({request.body for request in receiver.requests}) == 1
    detail = (await api.get(path.removesuffix("/resend"), key=owner.key)).json()
    assert [entry["resend"] for entry in detail["attemptLog"]] == [False, True, True]


async def test_a_resend_of_a_failed_delivery_keeps_its_schedule(
    api: Api, make: Make, database: Database, engine: Engine
) -> None:
    owner = await make.owner()
    async with receiver_server(status=500) as receiver:
        webhook = await register(api, owner, receiver.url)
        await emit(database, post_published(owner))
        (first,) = await wait_for_deliveries(api, owner, webhook, idle)
        path = f"/webhooks/{webhook['id']}/deliveries/{first['id']}/resend"

        await api.post(path, key=owner.key)
        (again,) = await wait_for_deliveries(api, owner, webhook, lambda row: row["attempts"] == 2)
        assert (again["state"], again["nextAttemptAt"]) == ("failed", first["nextAttemptAt"])

        await advance_time(database, webhook, 61)
        (second,) = await wait_for_deliveries(api, owner, webhook, lambda row: row["attempts"] == 3)
        assert receiver.requests[2].headers["x-service-attempt"] == "2"
        waits = datetime.fromisoformat(second["nextAttemptAt"]) - datetime.fromisoformat(second["lastAttemptAt"])
        assert 300 <= waits.total_seconds() <= 305

        receiver.status = 200
        await api.post(path, key=owner.key)
        (last,) = await wait_for_deliveries(api, owner, webhook, delivered)
        assert last["nextAttemptAt"] is None


async def test_a_resend_of_a_pending_delivery_is_refused(api: Api, make: Make, database: Database) -> None:
    owner = await make.owner()
    webhook = await register(api, owner, "http://127.0.0.1:9/")
    await emit(database, post_published(owner))
    (row,) = await deliveries(api, owner, webhook)

    answer = await api.post(f"/webhooks/{webhook['id']}/deliveries/{row['id']}/resend", key=owner.key)

    assert (answer.status_code, answer.json()["code"]) == (409, "invalid_state")


async def test_a_permanently_failed_delivery_can_be_resent(
    api: Api, make: Make, database: Database, engine: Engine
) -> None:
    owner = await make.owner()
    async with receiver_server(status=500) as receiver:
        webhook = await register(api, owner, receiver.url)
        await emit(database, post_published(owner))
        for number in range(1, 7):
            (row,) = await wait_for_deliveries(api, owner, webhook, lambda row, n=number: row["attempts"] == n)  # type: ignore[misc]
            await advance_time(database, webhook, 50_000)
        path = f"/webhooks/{webhook['id']}/deliveries/{row['id']}/resend"
        for attempts in range(7, 23):
            await api.post(path, key=owner.key)
            (row,) = await wait_for_deliveries(api, owner, webhook, lambda row, n=attempts: row["attempts"] == n)  # type: ignore[misc]
            assert (row["state"], row["nextAttemptAt"]) == ("permanently_failed", None)
        assert receiver.requests[-1].headers["x-service-attempt"] == "6"
        log = (await api.get(path.removesuffix("/resend"), key=owner.key)).json()["attemptLog"]
        assert len(log) == 20

        receiver.status = 200
        await api.post(path, key=owner.key)
        await wait_for_deliveries(api, owner, webhook, delivered)


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
        assert job["payload"]["values"]["path"] == f"/api/v1{path}"  # the mail names the call that enables it
        await emit(database, post_published(owner))
        assert len(await deliveries(api, owner, webhook)) == 3

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


@pytest.mark.slow
async def test_a_receiver_down_for_three_hours_gets_every_event_once(
    api: Api, make: Make, database: Database, engine: Engine
) -> None:
    """By id, and with the bytes of the first attempt."""
    owner = await make.owner()
    down: list[ReceivedRequest] = []
    async with receiver_server() as receiver:
        receiver.respond = lambda request: down.append(request) or response(503)  # type: ignore[func-returns-value]
        webhook = await register(api, owner, receiver.url)
        for _ in range(4):
            await emit(database, *(post_published(owner) for _ in range(10)))
            await wait_for_deliveries(api, owner, webhook, idle)
            await advance_time(database, webhook, 2700)
        await wait_for_deliveries(api, owner, webhook, idle)
        seen = {request.json["id"]: request.body for request in down}
        receiver.requests.clear()
        receiver.respond = None
        await advance_time(database, webhook, 43_200)
        await wait_for_deliveries(api, owner, webhook, delivered)

    assert len(seen) == 40
    assert sorted(request.json["id"] for request in receiver.requests) == sorted(seen)
    assert {request.json["id"]: request.body for request in receiver.requests} == seen


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
    oldest = (await deliveries(api, owner, kept))[-1]
    await api.delete(f"/webhooks/{deleted['id']}", key=owner.key)
    source = jobs.Jobs()
    [purge] = work.jobs(billed)
    source.register(purge.kind, purge.handler)
    async with database.transaction() as db:
        deleted_id = webhook_uuid(deleted)
        await db.execute("update webhook set deleted_at = now() - interval '2 hours' where id = $1", deleted_id)
        await db.execute(
            "update delivery set created_at = now() - interval '15 days' where id = $1", ids.decode("dlv", oldest["id"])
        )
        await jobs.enqueue(db, work.PURGE_JOB, {})

    async with webhooks.running(Engine(database, [source])):
        await until(database, "not exists (select from delivery where webhook_id = $1)", webhook_uuid(deleted))
        await until(database, "not exists (select from webhook where id = $1)", webhook_uuid(deleted))
        await until(database, "not exists (select from job where kind = 'webhooks.purge')")

    assert len(await deliveries(api, owner, kept)) == 2
    assert oldest["id"] not in json.dumps(await deliveries(api, owner, kept))


def test_the_state_after_a_failure() -> None:
    assert [after_failure("retry", n) for n in range(1, 7)] == [
        ("failed", 60), ("failed", 300), ("failed", 1800), ("failed", 7200), ("failed", 43_200),
        ("permanently_failed", None),
    ]  # fmt: skip
    assert after_failure("single", 1) == ("failed", None)


@pytest.mark.parametrize(("status", "paused"), [("active", "paused"), ("paused", "paused"), ("disabled", "disabled")])
def test_the_status_after_setting_active(status: Any, paused: str) -> None:
    """A pause must not hide that we disabled the webhook."""
    assert with_active(status, active=True) == "active"
    assert with_active(status, active=False) == paused
