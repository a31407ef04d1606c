"""Deliveries that a person sends again."""

from datetime import datetime

from tests.helpers.api import Api
from tests.helpers.factories import Make
from tests.helpers.webhooks import (
    advance_time,
    deliveries,
    emit,
    post_published,
    receiver_server,
    register,
    wait_for_deliveries,
)
from tests.webhooks.test_deliveries import delivered, idle

from signalpost.engine.engine import Engine
from signalpost.kit.db import Database


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
