"""When a delivery is tried, tried again, and given up."""

import asyncio
from datetime import datetime, timedelta
from typing import Any

import pytest
from tests.helpers import webhooks
from tests.helpers.api import Api
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
from tests.webhooks.test_deliveries import delivered, idle

from signalpost.engine.engine import Engine
from signalpost.kit.db import Database
from signalpost.webhooks.states import DEADLINE_SECONDS, RETRY_SECONDS, after_failure


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
            await advance_time(database, webhook, delay - 30)
            await wait_until_idle(database, webhook)
            assert len(receiver.requests) == number
            await advance_time(database, webhook, 30)
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
    """By the real clock, from two seconds before."""
    owner = await make.owner()
    async with receiver_server(status=500) as receiver:
        webhook = await register(api, owner, receiver.url)
        await emit(database, post_published(owner))
        (first,) = await wait_for_deliveries(api, owner, webhook, lambda row: row["attempts"] == 1)
        await advance_time(database, webhook, 58)
        (second,) = await wait_for_deliveries(api, owner, webhook, lambda row: row["attempts"] == 2)

    late = datetime.fromisoformat(second["lastAttemptAt"]) - datetime.fromisoformat(first["nextAttemptAt"])
    assert 0 <= (late + timedelta(seconds=58)).total_seconds() < 5


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
            await wait_for_deliveries(api, owner, other, lambda row: row["state"] == "delivered")
            (row,) = await deliveries(api, owner, locked)
            assert row["state"] == "pending"
        await wait_for_deliveries(api, owner, locked, lambda row: row["state"] == "delivered")

        assert len(receiver.requests) == 2


def test_the_deadlines_are_those_of_the_reference() -> None:
    assert DEADLINE_SECONDS == {"single": 5.0, "retry": 10.0}


@pytest.mark.parametrize("mode", ["single", "retry"])
async def test_a_response_has_a_deadline(
    api: Api, make: Make, database: Database, engine: Engine, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(DEADLINE_SECONDS, mode, 1.0)  # shorter than all others
    owner = await make.owner()

    async def never(connection: Any) -> None:
        await connection.request()
        await asyncio.Event().wait()

    async with webhooks.serve(never) as server:
        webhook = await register(api, owner, server.url, deliveryMode=mode)
        await emit(database, post_published(owner))
        (row,) = await wait_for_deliveries(api, owner, webhook, idle)

    assert 0.9 <= row["lastDurationMs"] / 1000 <= 4.0
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


def test_the_state_after_a_failure() -> None:
    assert [after_failure("retry", n) for n in range(1, 7)] == [
        ("failed", 60), ("failed", 300), ("failed", 1800), ("failed", 7200), ("failed", 43_200),
        ("permanently_failed", None),
    ]  # fmt: skip
    assert after_failure("single", 1) == ("failed", None)
