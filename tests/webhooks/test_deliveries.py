"""Deliveries: at least once, same id, same bytes, on the schedule; held, dropped, sent again as asked."""

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
from tests.helpers.webhooks import Got, deliveries, happen, pass_time, published, receiving, register, settled, uuid_of

from signalpost import events
from signalpost.context import AppContext
from signalpost.engine import jobs
from signalpost.engine.engine import Engine
from signalpost.kit import clock, ids
from signalpost.kit.db import Database
from signalpost.kit.http import Client
from signalpost.webhooks import signing, work
from signalpost.webhooks.actions.deliveries import record_event
from signalpost.webhooks.states import RETRY_SECONDS, after_failure, with_active


def delivered(row: dict[str, Any]) -> bool:
    return bool(row["state"] == "delivered")


def idle(row: dict[str, Any]) -> bool:
    """Nothing is under way: the state tells of an attempt that ended, and nothing is due now."""
    return row["state"] != "pending" and row["resendAt"] is None


async def test_a_delivery_is_the_event_in_an_envelope(api: Api, make: Make, database: Database, engine: Engine) -> None:
    owner = await make.owner()
    async with receiving() as receiver:
        webhook = await register(api, owner, receiver.url)
        event = published(owner, text="Grüße 🎈")
        await happen(database, event)
        (got,) = await receiver.wait(1)
        (row,) = await settled(api, owner, webhook, delivered)

    assert list(got.json) == ["id", "type", "createdAt", "data"]
    assert got.json["id"].startswith("dlv_")
    assert got.json["type"] == "post.published"
    assert got.json["createdAt"] == clock.wire(event.at)
    assert list(got.json["data"])[:4] == ["postId", "published", "failed", "total"]
    assert got.json["data"]["externalId"] == "Grüße 🎈"
    assert got.headers["content-type"] == "application/json"
    assert got.headers["x-service-event"] == "post.published"
    assert got.headers["x-service-delivery"] == got.headers["webhook-id"] == got.json["id"]
    assert got.headers["x-service-attempt"] == "1"
    assert got.headers["x-service-timestamp"] == got.headers["webhook-timestamp"]
    assert got.headers["user-agent"].startswith("Signalpost-Webhooks/")
    assert got.headers["x-service-signature"] == signing.body_signature(webhook["secret"], got.body)
    StandardWebhook(webhook["secret"]).verify(got.body, got.headers)
    assert row == {
        "id": got.json["id"], "webhookId": webhook["id"], "eventId": row["eventId"], "type": "post.published",
        "state": "delivered", "attempts": 1, "nextAttemptAt": None, "resendAt": None,
        "lastAttemptAt": row["lastAttemptAt"], "lastStatus": 200, "lastError": None, "lastResponse": "thanks",
        "lastDurationMs": row["lastDurationMs"], "createdAt": row["createdAt"], "deliveredAt": row["lastAttemptAt"],
    }  # fmt: skip
    whole = (await api.get(f"/webhooks/{webhook['id']}/deliveries/{row['id']}", key=owner.key)).json()
    log = [
        {"at": row["lastAttemptAt"], "resend": False, "status": 200, "error": None, "durationMs": row["lastDurationMs"]}
    ]
    assert whole == row | {"body": got.body.decode(), "attemptLog": log}
    shown = (await api.get(f"/webhooks/{webhook['id']}", key=owner.key)).json()
    assert (shown["lastSuccessAt"], shown["consecutiveFailures"]) == (row["lastAttemptAt"], 0)


async def test_events_reach_those_who_asked_for_them(api: Api, make: Make, database: Database, engine: Engine) -> None:
    """By type, profile and workspace; events of test mode too, marked as such. Each has its own id of one event."""
    owner, stranger = await make.owner(), await make.owner()
    second = (await make.profile(owner))["id"]
    async with receiving() as receiver:
        all_ = await register(api, owner, receiver.url)
        queued = await register(api, owner, receiver.url, events=["post.queued"])
        profile = await register(api, owner, receiver.url, profileIds=[second])
        paused = await register(api, owner, receiver.url, active=False)
        foreign = await register(api, stranger, receiver.url)
        await happen(database, published(owner), published(owner, profile=second, mode="test"))
        await receiver.wait(3)
        await asyncio.sleep(0.1)

        assert [got.json["data"]["mode"] for got in receiver.got].count("test") == 2
        counts = [len(await deliveries(api, owner, one)) for one in (all_, queued, profile, paused)]
        assert [*counts, len(await deliveries(api, stranger, foreign))] == [2, 0, 1, 0, 0]
    (shared,) = await deliveries(api, owner, profile)
    twin = (await deliveries(api, owner, all_))[0]
    assert twin["eventId"] == shared["eventId"]
    assert twin["id"] != shared["id"]


async def test_all_six_events_are_recorded(api: Api, make: Make, database: Database) -> None:
    owner = await make.owner()
    webhook = await register(api, owner, "http://127.0.0.1:9/")
    profile_id = ids.decode("prof", owner.profile)
    data = published(owner).data

    await happen(
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
    bad = await api.get(f"/webhooks/{webhook['id']}/deliveries?state=lost", key=owner.key)
    assert bad.status_code == 422


async def test_an_undone_change_tells_nobody(api: Api, make: Make, database: Database) -> None:
    """Deliveries stand in the transaction of the change."""
    owner = await make.owner()
    webhook = await register(api, owner, "http://127.0.0.1:9/")

    async def change() -> None:
        async with database.transaction() as db:
            await record_event(db, published(owner))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await change()

    assert await deliveries(api, owner, webhook) == []


async def test_receivers_that_are_not_ours_verify(api: Api, make: Make, database: Database, engine: Engine) -> None:
    """GitHub's library and Debian's webhook program both know `sha256=` over the raw body."""
    owner = await make.owner()
    async with octokit_receiver() as octokit, debian_webhook() as debian:
        for receiver in (octokit, debian):
            webhook = await register(api, owner, receiver.url)
            await receiver.use(webhook["secret"])
            await happen(database, published(owner, text="ünï\u2028code"))
            delivery = await receiver.delivery()
            assert delivery.verified
            assert delivery.headers["x-service-event"] == "post.published"
            await settled(api, owner, webhook, delivered)
            await api.delete(f"/webhooks/{webhook['id']}", key=owner.key)


def test_signatures_equal_the_reference_librarys() -> None:
    """A thousand secrets and bodies; and a changed byte is refused."""
    for number in range(1000):
        secret, body = signing.new_secret(), f'{{"n":{number},"t":"ä"}}'.encode()
        at = int(clock.now().timestamp())
        headers = signing.headers(
            brand="Service", event_type="x", delivery_id="dlv_1", attempt=1, timestamp=at, secrets=[secret], body=body
        )
        StandardWebhook(secret).verify(body, headers)
        with pytest.raises(Exception, match="No matching signature"):
            StandardWebhook(secret).verify(body + b" ", headers)


async def test_six_attempts_on_the_schedule_with_the_same_bytes(
    api: Api, make: Make, database: Database, engine: Engine
) -> None:
    """Never earlier than the delay after the failure before, at most 5 s later; then it has failed for good."""
    owner = await make.owner()
    async with receiving(status=500) as receiver:
        webhook = await register(api, owner, receiver.url)
        await happen(database, published(owner))
        for number, delay in enumerate(RETRY_SECONDS, 1):
            (row,) = await settled(api, owner, webhook, lambda row, n=number: row["attempts"] == n)  # type: ignore[misc]
            assert (row["state"], row["lastStatus"], row["lastError"]) == ("failed", 500, "answered 500")
            waits = datetime.fromisoformat(row["nextAttemptAt"]) - datetime.fromisoformat(row["lastAttemptAt"])
            assert delay <= waits.total_seconds() <= delay + 5
            await pass_time(database, webhook, delay - 3)
            await asyncio.sleep(0.1)
            assert len(receiver.got) == number
            await pass_time(database, webhook, 3)
        (row,) = await settled(api, owner, webhook, lambda row: row["attempts"] == 6)

    assert (row["state"], row["nextAttemptAt"]) == ("permanently_failed", None)
    assert [got.headers["x-service-attempt"] for got in receiver.got] == list("123456")
    assert {got.body for got in receiver.got} == {receiver.got[0].body}
    assert {got.headers["webhook-id"] for got in receiver.got} == {row["id"]}
    shown = (await api.get(f"/webhooks/{webhook['id']}", key=owner.key)).json()
    assert (shown["consecutiveFailures"], shown["status"]) == (6, "active")


async def test_a_retry_starts_within_five_seconds_of_its_time(
    api: Api, make: Make, database: Database, engine: Engine
) -> None:
    """By the real clock, from two seconds before."""
    owner = await make.owner()
    async with receiving(status=500) as receiver:
        webhook = await register(api, owner, receiver.url)
        await happen(database, published(owner))
        await settled(api, owner, webhook, lambda row: row["attempts"] == 1)
        await pass_time(database, webhook, 58)
        started = clock.monotonic()
        await receiver.wait(2)

    assert 1.5 < clock.monotonic() - started < 7


async def test_mode_single_tries_once(api: Api, make: Make, database: Database, engine: Engine) -> None:
    owner = await make.owner()
    async with receiving(status=503) as receiver:
        webhook = await register(api, owner, receiver.url, deliveryMode="single")
        await happen(database, published(owner))
        (row,) = await settled(api, owner, webhook, idle)

    assert (row["state"], row["attempts"], row["nextAttemptAt"]) == ("failed", 1, None)


@pytest.mark.parametrize(("mode", "low", "high"), [("single", 4.9, 6.0), ("retry", 9.9, 11.0)])
async def test_an_answer_has_a_deadline(
    api: Api, make: Make, database: Database, engine: Engine, mode: str, low: float, high: float
) -> None:
    owner = await make.owner()

    async def never(connection: Any) -> None:
        await connection.request()
        await asyncio.sleep(60)

    async with webhooks.serve(never) as server:
        webhook = await register(api, owner, server.url, deliveryMode=mode)
        await happen(database, published(owner))
        (row,) = await settled(api, owner, webhook, idle, 15)

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
    async with receiving() as elsewhere, receiving() as receiver:
        receiver.answer = lambda _: response(status, b"", f"Location: {elsewhere.url}")
        webhook = await register(api, owner, receiver.url)
        await happen(database, published(owner))
        (row,) = await settled(api, owner, webhook, idle)

        assert (row["state"], row["lastStatus"]) == (state, status)
        assert elsewhere.got == []


async def test_a_test_delivery_is_signed_like_any_other(api: Api, make: Make, engine: Engine) -> None:
    owner = await make.owner()
    async with receiving() as receiver:
        webhook = await register(api, owner, receiver.url, events=["post.failed"])
        answer = await api.post(f"/webhooks/{webhook['id']}/test", key=owner.test_key)
        (got,) = await receiver.wait(1)

    assert answer.status_code == 201
    assert (answer.json()["type"], answer.json()["state"]) == ("webhook.test", "pending")
    assert got.json["id"] == answer.json()["id"]
    assert got.json["data"]["webhookId"] == webhook["id"]
    StandardWebhook(webhook["secret"]).verify(got.body, got.headers)


async def test_both_secrets_sign_for_a_day(api: Api, make: Make, database: Database, engine: Engine) -> None:
    """So receivers can take over the new one at leisure; the body's own signature has room for one only."""
    owner = await make.owner()
    async with receiving() as receiver:
        webhook = await register(api, owner, receiver.url)
        rotated = (await api.post(f"/webhooks/{webhook['id']}/rotate-secret", key=owner.key)).json()
        await happen(database, published(owner))
        await receiver.wait(1)
        async with database.connection() as db:
            await db.execute(
                "update webhook set former_secret_until = now() - interval '1 s' where id = $1", uuid_of(webhook)
            )
        await happen(database, published(owner))
        within, after = await receiver.wait(2)

    assert rotated["secret"] != webhook["secret"]
    assert rotated | {"secret": "", "updatedAt": ""} == webhook | {"secret": "", "updatedAt": ""}
    for secret in (webhook["secret"], rotated["secret"]):
        StandardWebhook(secret).verify(within.body, within.headers)
    assert within.headers["x-service-signature"] == signing.body_signature(rotated["secret"], within.body)
    StandardWebhook(rotated["secret"]).verify(after.body, after.headers)
    assert len(after.headers["webhook-signature"].split()) == 1


async def test_a_paused_webhook_keeps_what_waits_and_hears_nothing_new(
    api: Api, make: Make, database: Database, engine: Engine
) -> None:
    owner = await make.owner()
    async with receiving(status=500) as receiver:
        webhook = await register(api, owner, receiver.url)
        path = f"/webhooks/{webhook['id']}"
        await happen(database, published(owner))
        (row,) = await settled(api, owner, webhook, idle)
        await api.patch(path, json={"active": False}, key=owner.key)
        await happen(database, published(owner))
        await pass_time(database, webhook, 100)
        refused = [
            await api.post(f"{path}/test", key=owner.key),
            await api.post(f"{path}/deliveries/{row['id']}/resend", key=owner.key),
        ]
        await asyncio.sleep(1.2)
        assert len(receiver.got) == 1
        assert [(answer.status_code, answer.json()["code"]) for answer in refused] == [(409, "invalid_state")] * 2
        assert (await engine.status()).overdue == 0

        receiver.status = 200
        await api.patch(path, json={"active": True}, key=owner.key)
        (row,) = await settled(api, owner, webhook, delivered)

    assert row["attempts"] == 2
    assert receiver.got[0].body == receiver.got[1].body


async def test_a_deleted_webhook_drops_what_waits_and_no_result_brings_it_back(
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
        await happen(database, published(owner), *(published(owner) for _ in range(5)))
        async with asyncio.timeout(10):
            while server.accepted < 4:
                await asyncio.sleep(0.01)
        assert (await api.delete(f"/webhooks/{webhook['id']}", key=owner.key)).status_code == 200
        released.set()
        count = "(select count(*) from delivery where webhook_id = $1"
        await until(database, count + " and attempts = 1) = 4", uuid_of(webhook))
        await asyncio.sleep(0.3)

        assert len(server.requests) == 4
    await until(database, count + " and due_at is not null) = 0", uuid_of(webhook))


async def test_a_resend_is_one_extra_attempt(api: Api, make: Make, database: Database, engine: Engine) -> None:
    """With the same id and bytes; whatever comes of it, the schedule stays."""
    owner = await make.owner()
    async with receiving() as receiver:
        webhook = await register(api, owner, receiver.url)
        await happen(database, published(owner))
        (row,) = await settled(api, owner, webhook, delivered)
        path = f"/webhooks/{webhook['id']}/deliveries/{row['id']}/resend"

        answer = await api.post(path, key=owner.key)
        assert answer.status_code == 201
        assert answer.json()["resendAt"] is not None
        assert answer.json()["state"] == "delivered"
        await receiver.wait(2)
        (row,) = await settled(api, owner, webhook, lambda row: row["attempts"] == 2)
        assert row["state"] == "delivered"

        receiver.status = 500
        await api.post(path, key=owner.key)
        await receiver.wait(3)
        (row,) = await settled(api, owner, webhook, lambda row: row["attempts"] == 3)

    assert (row["state"], row["lastStatus"], row["nextAttemptAt"]) == ("delivered", 500, None)
    assert len({got.body for got in receiver.got}) == 1
    whole = (await api.get(path.removesuffix("/resend"), key=owner.key)).json()
    assert [entry["resend"] for entry in whole["attemptLog"]] == [False, True, True]


async def test_a_resend_of_a_failed_delivery_keeps_its_schedule(
    api: Api, make: Make, database: Database, engine: Engine
) -> None:
    owner = await make.owner()
    async with receiving(status=500) as receiver:
        webhook = await register(api, owner, receiver.url)
        await happen(database, published(owner))
        (first,) = await settled(api, owner, webhook, idle)
        path = f"/webhooks/{webhook['id']}/deliveries/{first['id']}/resend"

        await api.post(path, key=owner.key)
        (again,) = await settled(api, owner, webhook, lambda row: row["attempts"] == 2)
        assert (again["state"], again["nextAttemptAt"]) == ("failed", first["nextAttemptAt"])

        await pass_time(database, webhook, 61)
        (second,) = await settled(api, owner, webhook, lambda row: row["attempts"] == 3)
        assert receiver.got[2].headers["x-service-attempt"] == "2"
        waits = datetime.fromisoformat(second["nextAttemptAt"]) - datetime.fromisoformat(second["lastAttemptAt"])
        assert 300 <= waits.total_seconds() <= 305

        receiver.status = 200
        await api.post(path, key=owner.key)
        (last,) = await settled(api, owner, webhook, delivered)
        assert last["nextAttemptAt"] is None


async def test_a_resend_of_a_pending_delivery_is_refused(api: Api, make: Make, database: Database) -> None:
    owner = await make.owner()
    webhook = await register(api, owner, "http://127.0.0.1:9/")
    await happen(database, published(owner))
    (row,) = await deliveries(api, owner, webhook)

    answer = await api.post(f"/webhooks/{webhook['id']}/deliveries/{row['id']}/resend", key=owner.key)

    assert (answer.status_code, answer.json()["code"]) == (409, "invalid_state")


async def test_a_permanently_failed_delivery_can_be_resent(
    api: Api, make: Make, database: Database, engine: Engine
) -> None:
    owner = await make.owner()
    async with receiving(status=500) as receiver:
        webhook = await register(api, owner, receiver.url)
        await happen(database, published(owner))
        for number in range(1, 7):
            (row,) = await settled(api, owner, webhook, lambda row, n=number: row["attempts"] == n)  # type: ignore[misc]
            await pass_time(database, webhook, 50_000)
        path = f"/webhooks/{webhook['id']}/deliveries/{row['id']}/resend"
        for attempts in range(7, 23):
            await api.post(path, key=owner.key)
            (row,) = await settled(api, owner, webhook, lambda row, n=attempts: row["attempts"] == n)  # type: ignore[misc]
            assert (row["state"], row["nextAttemptAt"]) == ("permanently_failed", None)
        assert receiver.got[-1].headers["x-service-attempt"] == "6"
        log = (await api.get(path.removesuffix("/resend"), key=owner.key)).json()["attemptLog"]
        assert len(log) == 20

        receiver.status = 200
        await api.post(path, key=owner.key)
        await settled(api, owner, webhook, delivered)


async def _lose(database: Database, webhook: dict[str, Any], deliveries_: int, days: int) -> None:
    """So many deliveries in a row were lost already, and nothing succeeded for so long."""
    async with database.connection() as db:
        await db.execute(
            "update webhook set consecutive_lost = $2, enabled_at = now() - make_interval(days => $3),"
            " last_success_at = last_success_at - make_interval(days => $3) where id = $1",
            uuid_of(webhook), deliveries_, days,
        )  # fmt: skip


async def test_a_dead_webhook_is_disabled_and_its_owner_told_once(
    api: Api, make: Make, database: Database, engine: Engine
) -> None:
    owner = await make.owner()
    letters = "(select count(*) from job where kind = 'mail.send' and workspace_id = $1)"
    async with receiving(status=500) as receiver:
        webhook = await register(api, owner, receiver.url, deliveryMode="single")
        path = f"/webhooks/{webhook['id']}"
        for lost, days, status in ((8, 8, "active"), (9, 6, "active"), (9, 8, "disabled")):
            await _lose(database, webhook, lost, days)
            await happen(database, published(owner))
            await settled(api, owner, webhook, idle)
            shown = (await api.get(path, key=owner.key)).json()
            assert shown["status"] == status
        assert shown["active"] is False
        assert "10 deliveries in a row" in shown["disabledReason"]
        await until(database, f"{letters} = 1", owner.workspace_id)
        async with database.connection() as db:
            job = await db.fetchrow("select payload from job where workspace_id = $1", owner.workspace_id)
        assert job is not None
        assert job["payload"]["to"] == owner.email
        await happen(database, published(owner))
        assert len(await deliveries(api, owner, webhook)) == 3

        assert (await api.patch(path, json={"active": False}, key=owner.key)).json()["status"] == "disabled"
        again = (await api.patch(path, json={"active": True}, key=owner.key)).json()
        assert (again["status"], again["disabledReason"], again["consecutiveFailures"]) == ("active", None, 0)
        await happen(database, published(owner))
        await settled(api, owner, webhook, idle)
        assert (await api.get(path, key=owner.key)).json()["status"] == "active"
    await until(database, f"{letters} = 1", owner.workspace_id)


async def test_sporadic_failure_never_disables(api: Api, make: Make, database: Database, engine: Engine) -> None:
    owner = await make.owner()
    async with receiving() as receiver:
        webhook = await register(api, owner, receiver.url, deliveryMode="single")
        await happen(database, published(owner))
        await settled(api, owner, webhook, delivered)
        await _lose(database, webhook, 9, 6)
        receiver.status = 500
        await happen(database, published(owner))
        await settled(api, owner, webhook, idle)

        assert (await api.get(f"/webhooks/{webhook['id']}", key=owner.key)).json()["status"] == "active"


async def test_a_receiver_down_for_three_hours_gets_every_event_once(
    api: Api, make: Make, database: Database, engine: Engine
) -> None:
    """By id, and with the bytes of the first attempt."""
    owner = await make.owner()
    down: list[Got] = []
    async with receiving() as receiver:
        receiver.answer = lambda got: down.append(got) or response(503)  # type: ignore[func-returns-value]
        webhook = await register(api, owner, receiver.url)
        for _ in range(4):
            await happen(database, *(published(owner) for _ in range(10)))
            await settled(api, owner, webhook, idle)
            await pass_time(database, webhook, 2700)
        await settled(api, owner, webhook, lambda row: row["attempts"] >= 2)
        seen = {got.json["id"]: got.body for got in down}
        receiver.got.clear()
        receiver.answer = None
        await pass_time(database, webhook, 43_200)
        await settled(api, owner, webhook, delivered)

    assert len(seen) == 40
    assert sorted(got.json["id"] for got in receiver.got) == sorted(seen)
    assert {got.json["id"]: got.body for got in receiver.got} == seen


async def test_an_address_that_turns_inward_is_not_dialled(
    api: Api, make: Make, context: AppContext, database: Database
) -> None:
    """A name that was public when it was checked may lead inside later: every send judges what it dials."""
    owner = await make.owner()
    answers = iter(["93.184.216.34"])

    async def lookup(_: str) -> list[str]:
        return [next(answers, "127.0.0.1")]

    settings = dataclasses.replace(context.settings, allow_private_webhooks=False)
    async with receiving() as receiver, Client(lookup=lookup) as http:
        served = dataclasses.replace(context, settings=settings, http=http)
        port = receiver.url.rsplit(":", 1)[1]
        await http.check_url(f"https://rebound.example:{port}")
        webhook = await register(api, owner, f"https://rebound.example:{port}")
        await happen(database, published(owner))
        async with webhooks.sending(served):
            (row,) = await settled(api, owner, webhook, idle)

    assert receiver.got == []
    assert (row["state"], row["lastStatus"]) == ("failed", None)
    assert "forbidden address" in row["lastError"]


async def test_our_own_failures_are_not_charged(api: Api, make: Make, context: AppContext, database: Database) -> None:
    """A broken name server of ours would otherwise use up the receivers' attempts; but it cannot go on for ever."""
    owner = await make.owner()

    async def lookup(_: str) -> list[str]:
        raise socket.gaierror(socket.EAI_AGAIN, "try again")

    webhook = await register(api, owner, "http://somewhere.example/")
    await happen(database, published(owner))
    async with Client(lookup=lookup) as http, webhooks.sending(dataclasses.replace(context, http=http)):
        await until(
            database, "(select last_error is not null and started_at is null from delivery where webhook_id = $1)",
            uuid_of(webhook),
        )  # fmt: skip
        (row,) = await deliveries(api, owner, webhook)
        assert (row["state"], row["attempts"]) == ("pending", 0)
        assert row["nextAttemptAt"] > clock.wire(clock.now())
        await pass_time(database, webhook, work.OUR_FAULT_AGE_SECONDS_MAX)
        (row,) = await settled(api, owner, webhook, lambda row: row["attempts"] == 1)

    assert row["state"] == "failed"
    assert (await api.get(f"/webhooks/{webhook['id']}", key=owner.key)).json()["consecutiveFailures"] == 1


async def test_an_attempt_that_kills_workers_is_given_up(
    api: Api, make: Make, database: Database, context: AppContext
) -> None:
    """After three starts without an end it counts as failed; the schedule goes on."""
    owner = await make.owner()
    async with receiving() as receiver:
        webhook = await register(api, owner, receiver.url)
        await happen(database, published(owner), published(owner))
        async with database.connection() as db:
            await db.execute(
                "update delivery set started_at = now(), crashes = case when id = (select id from delivery"
                " where webhook_id = $1 order by id desc limit 1) then 2 else 1 end where webhook_id = $1",
                uuid_of(webhook),
            )
        async with webhooks.sending(context):
            rows = await settled(api, owner, webhook, idle)

    assert [row["state"] for row in rows] == ["failed", "delivered"]
    assert rows[0]["lastError"] == "the worker died while it sent this"
    assert len(receiver.got) == 1


async def test_a_secret_that_cannot_be_opened_fails_the_delivery(
    api: Api, make: Make, database: Database, engine: Engine
) -> None:
    """Another row's secret, or a lost master key: said in the log, and never sent unsigned."""
    owner = await make.owner()
    async with receiving() as receiver:
        webhook = await register(api, owner, receiver.url)
        other = await register(api, owner, receiver.url, events=["post.failed"])
        async with database.connection() as db:
            await db.execute(
                "update webhook set secret = (select secret from webhook where id = $2) where id = $1",
                uuid_of(webhook), uuid_of(other),
            )  # fmt: skip
        await happen(database, published(owner))
        (row,) = await settled(api, owner, webhook, idle)

        assert receiver.got == []
        assert "secret" in row["lastError"]


async def test_the_purge_forgets_deleted_webhooks_and_old_deliveries(
    api: Api, make: Make, database: Database, context: AppContext, engine: Engine
) -> None:
    owner = await make.owner(plan="pro")
    billed = dataclasses.replace(context, settings=dataclasses.replace(context.settings, billing_enabled=True))
    async with receiving() as receiver:
        gone, kept = await register(api, owner, receiver.url), await register(api, owner, receiver.url)
        for _ in range(3):
            await happen(database, published(owner))
        await settled(api, owner, gone, delivered)
        await settled(api, owner, kept, delivered)
    oldest = (await deliveries(api, owner, kept))[-1]
    await api.delete(f"/webhooks/{gone['id']}", key=owner.key)
    source = jobs.Jobs()
    [purge] = work.jobs(billed)
    source.register(purge.kind, purge.handler)
    async with database.transaction() as db:
        await db.execute("update webhook set deleted_at = now() - interval '2 hours' where id = $1", uuid_of(gone))
        await db.execute(
            "update delivery set created_at = now() - interval '15 days' where id = $1", ids.decode("dlv", oldest["id"])
        )
        await jobs.enqueue(db, work.PURGE_JOB, {})

    async with webhooks.running(Engine(database, [source])):
        await until(database, "not exists (select from delivery where webhook_id = $1)", uuid_of(gone))
        await until(database, "not exists (select from webhook where id = $1)", uuid_of(gone))
        await until(database, "not exists (select from job where kind = 'webhooks.purge')")

    assert len(await deliveries(api, owner, kept)) == 2
    assert oldest["id"] not in json.dumps(await deliveries(api, owner, kept))


def test_what_follows_a_failure() -> None:
    assert [after_failure("retry", n) for n in range(1, 7)] == [
        ("failed", 60), ("failed", 300), ("failed", 1800), ("failed", 7200), ("failed", 43_200),
        ("permanently_failed", None),
    ]  # fmt: skip
    assert after_failure("single", 1) == ("failed", None)


@pytest.mark.parametrize(("status", "paused"), [("active", "paused"), ("paused", "paused"), ("disabled", "disabled")])
def test_what_active_switches(status: Any, paused: str) -> None:
    """What we disabled is not hidden behind a pause."""
    assert with_active(status, active=True) == "active"
    assert with_active(status, active=False) == paused
