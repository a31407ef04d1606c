"""What a webhook missed is kept and sent again on request; every delivery can be verified while secrets change."""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from standardwebhooks.webhooks import Webhook as StandardWebhook
from standardwebhooks.webhooks import WebhookVerificationError
from tests.helpers.api import Api
from tests.helpers.engine import running, until, value
from tests.helpers.factories import Login, Make
from tests.helpers.webhooks import (
    ReceivedRequest,
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

from signalpost import events
from signalpost.context import AppContext
from signalpost.engine import jobs
from signalpost.engine.engine import Engine
from signalpost.kit import clock
from signalpost.kit.db import Database
from signalpost.webhooks import signing, work
from signalpost.webhooks.actions import purge, replay

NOWHERE = "http://127.0.0.1:9/"
WAITING = "select from delivery where webhook_id = $1 and due_at is not null"


def usage_warning(owner: Login) -> events.PublicEvent:
    data = events.UsageData(limit="posts", used=8, max=10, percent=80, plan="pro", period="2026-11-01")
    return events.UsageWarning(
        workspace_id=owner.workspace_id, at=clock.now(), profile_id=None, mode="live", data=data
    )  # fmt: skip


@asynccontextmanager
async def replaying(context: AppContext) -> AsyncIterator[None]:
    """A worker that makes deliveries and replays."""
    source = jobs.Jobs()
    for job in work.jobs(context):
        source.register(*job)
    async with running(Engine(context.database, [work.DeliverySource(context), source])):
        yield


async def call(api: Api, owner: Login, webhook: dict[str, Any], verb: str, status: int = 201, **body: Any) -> Any:
    answer = await api.post(f"/webhooks/{webhook['id']}/{verb}", json=body, key=owner.key)
    assert answer.status_code == status, answer.text
    return answer.json()


async def set_active(api: Api, owner: Login, webhook: dict[str, Any], *, active: bool) -> None:
    answer = await api.patch(f"/webhooks/{webhook['id']}", json={"active": active}, key=owner.key)
    assert answer.status_code == 200, answer.text


async def replay_of(api: Api, owner: Login, webhook: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = (await api.get(f"/webhooks/{webhook['id']}", key=owner.key)).json()["replay"]
    return found


async def advance(database: Database, owner: Login, webhook: dict[str, Any]) -> float | None:
    async with database.transaction() as db:
        return await replay.advance(db, owner.workspace_id, webhook_uuid(webhook))


async def step_without_commit(database: Database, owner: Login, webhook: dict[str, Any]) -> None:
    async with database.connection() as db:
        transaction = db.transaction()
        await transaction.start()
        await replay.advance(db, owner.workspace_id, webhook_uuid(webhook))
        await transaction.rollback()


async def test_what_a_paused_webhook_missed_is_sent_by_a_replay(
    api: Api, make: Make, database: Database, context: AppContext
) -> None:
    """Once each, with the id and bytes that were recorded; what it did not ask for stays skipped."""
    owner = await make.owner()
    async with receiver_server() as receiver:
        webhook = await register(api, owner, receiver.url, events=["post.published", "usage.warning"], active=False)
        await emit(database, *(post_published(owner) for _ in range(3)), usage_warning(owner))
        missed = await deliveries(api, owner, webhook, state="skipped")
        assert [(row["attempts"], row["nextAttemptAt"]) for row in missed] == [(0, None)] * 4
        await set_active(api, owner, webhook, active=True)

        async with replaying(context):
            begun = await call(api, owner, webhook, "replay", types=["post.published"])
            assert (begun["status"], begun["states"]) == ("running", ["skipped", "failed", "permanently_failed"])
            await receiver.wait(3)
            ended = "exists (select from webhook where id = $1 and replay ->> 'finished_at' is not null)"
            await until(database, ended, webhook_uuid(webhook))
            await wait_until_idle(database, webhook)
            assert (await replay_of(api, owner, webhook))["replayed"] == 3

            await call(api, owner, webhook, "replay")  # of all that is left
            requests = await receiver.wait(4)
            await wait_for_deliveries(api, owner, webhook, delivered)

    bodies = {request.json["id"]: request.body.decode() for request in requests}
    assert bodies.keys() == {row["id"] for row in missed}
    for delivery_id, body in bodies.items():
        detail = await api.get(f"/webhooks/{webhook['id']}/deliveries/{delivery_id}", key=owner.key)
        assert detail.json()["body"] == body
    assert Counter(request.headers["x-service-attempt"] for request in requests) == {"1": 4}


async def test_a_skipped_delivery_that_is_resent_begins_its_schedule(
    api: Api, make: Make, database: Database, engine: Engine
) -> None:
    owner = await make.owner()
    async with receiver_server(status=500) as receiver:
        webhook = await register(api, owner, receiver.url, active=False)
        await emit(database, post_published(owner))
        (row,) = await deliveries(api, owner, webhook)
        await set_active(api, owner, webhook, active=True)
        again = await call(api, owner, webhook, f"deliveries/{row['id']}/resend")
        assert (again["state"], again["resendAt"]) == ("pending", None)
        (row,) = await wait_for_deliveries(api, owner, webhook, idle)

    assert (row["state"], row["attempts"]) == ("failed", 1)
    assert row["nextAttemptAt"] is not None


async def test_a_replay_goes_in_small_steps_and_survives_the_death_of_its_worker(
    api: Api, make: Make, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At most so many wait at one time; a step that was not committed is made again, and nothing is left out."""
    monkeypatch.setattr(replay, "WAITING_MAX", 4)
    monkeypatch.setattr(replay, "LOOKED_AT_MAX", 7)
    owner = await make.owner()
    webhook = await register(api, owner, NOWHERE, events=["post.published", "usage.warning"], active=False)
    for number in range(30):
        await emit(database, usage_warning(owner) if number % 3 == 0 else post_published(owner))
    await set_active(api, owner, webhook, active=True)
    await call(api, owner, webhook, "replay", types=["post.published"])
    sent, steps = 0, 0
    while True:
        await step_without_commit(database, owner, webhook)
        again = await advance(database, owner, webhook)
        waiting = await value(database, f"(select count(*) from ({WAITING}) w)", webhook_uuid(webhook))
        assert isinstance(waiting, int)
        assert waiting <= 4
        async with database.transaction() as db:
            done = await db.execute(
                "update delivery set state = 'delivered', next_attempt_at = null where webhook_id = $1"
                " and due_at is not null",
                webhook_uuid(webhook),
            )
        sent, steps = sent + int(done.split()[1]), steps + 1
        if again is None:
            break

    assert sent == (await replay_of(api, owner, webhook))["replayed"] == 20
    assert steps >= 6
    assert {row["type"] for row in await deliveries(api, owner, webhook, state="skipped")} == {"usage.warning"}


async def test_one_replay_at_a_time(api: Api, make: Make, database: Database) -> None:
    """The same request again changes nothing, another one is refused, and a stopped one does not go on."""
    owner = await make.owner()
    webhook = await register(api, owner, NOWHERE, active=False)
    await emit(database, post_published(owner))
    assert (await call(api, owner, webhook, "replay", 409))["code"] == "invalid_state"  # paused
    await set_active(api, owner, webhook, active=True)

    first = await call(api, owner, webhook, "replay", states=["skipped"])
    assert await call(api, owner, webhook, "replay", states=["skipped"]) == first
    assert "running" in (await call(api, owner, webhook, "replay", 409, states=["delivered"]))["detail"]
    assert await value(database, "(select count(*) from job where workspace_id = $1)", owner.workspace_id) == 1
    stopped = await api.delete(f"/webhooks/{webhook['id']}/replay", key=owner.key)
    assert stopped.json()["replay"]["status"] == "stopped"
    assert await advance(database, owner, webhook) is None
    assert [row["state"] for row in await deliveries(api, owner, webhook)] == ["skipped"]
    assert (await call(api, owner, webhook, "replay", states=["delivered"]))["replayed"] == 0


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"from": "2026-11-20T00:00:00Z", "to": "2026-11-20T00:00:00Z"}, "/from"),
        ({"from": "2100-01-01T00:00:00Z"}, "/from"),
        ({"types": ["post.publishd"]}, "/types/0"),
        ({"states": ["pending"]}, "/states/0"),
        ({"from": "yesterday"}, "/from"),
    ],
)
async def test_a_wrong_range_is_refused(api: Api, make: Make, body: dict[str, Any], path: str) -> None:
    owner = await make.owner()
    webhook = await register(api, owner, NOWHERE)

    problem = await call(api, owner, webhook, "replay", 422, **body)

    assert [issue["path"] for issue in problem["errors"]] == [path]
    assert await replay_of(api, owner, webhook) is None


async def test_what_was_missed_is_kept_for_thirty_days(api: Api, make: Make, database: Database) -> None:
    """A webhook that nobody enables again does not fill the database for ever."""
    owner = await make.owner()
    webhook = await register(api, owner, NOWHERE, active=False)
    month = "update {} set {} = now() - interval '31 days' where {} = $1"
    await emit(database, post_published(owner))
    async with database.transaction() as db:
        await db.execute(month.format("delivery", "created_at", "webhook_id"), webhook_uuid(webhook))
    await emit(database, post_published(owner))
    younger, _ = await deliveries(api, owner, webhook)
    async with database.transaction() as db:
        assert await purge.purge_ended(db, {webhook_uuid(webhook): None}, purge.ROWS, days_by_plan={}) == {}
        await db.execute(month.format("webhook", "stopped_at", "id"), webhook_uuid(webhook))
    await emit(database, post_published(owner))

    assert await deliveries(api, owner, webhook) == [younger]


def verifies(request: ReceivedRequest, secret: str) -> tuple[bool, bool]:
    """Whether the signature of the body alone, and that of Standard Webhooks, are made with the secret."""
    try:
        StandardWebhook(secret).verify(request.body, request.headers)
    except WebhookVerificationError:
        standard = False
    else:
        standard = True
    return request.headers["x-service-signature"] == signing.body_signature(secret, request.body), standard


async def test_a_secret_is_rotated_in_two_steps(api: Api, make: Make, database: Database, engine: Engine) -> None:
    """Whichever of the two headers a receiver verifies, and whenever it switches, it can verify every delivery."""
    owner = await make.owner()
    async with receiver_server() as receiver:
        webhook = await register(api, owner, receiver.url)
        old = webhook["secret"]
        assert (await call(api, owner, webhook, "activate-secret", 409))["code"] == "invalid_state"
        prepared = await call(api, owner, webhook, "rotate-secret", activate=False)
        new = prepared["secret"]
        assert (prepared["hasNextSecret"], prepared["previousSecretUntil"]) == (True, None)

        async def next_request() -> ReceivedRequest:
            await emit(database, post_published(owner))
            return (await receiver.wait(len(receiver.requests) + 1))[-1]

        request = await next_request()
        assert (verifies(request, old), verifies(request, new)) == ((True, True), (False, True))
        activated = await call(api, owner, webhook, "activate-secret", overlapSeconds=600)
        assert activated["hasNextSecret"] is False
        request = await next_request()
        assert (verifies(request, old), verifies(request, new)) == ((False, True), (True, True))
        revoked = await call(api, owner, webhook, "revoke-secret")
        assert revoked["previousSecretUntil"] is None
        request = await next_request()
        assert (verifies(request, old), verifies(request, new)) == ((False, False), (True, True))
        stolen, newest = new, (await call(api, owner, webhook, "rotate-secret", overlapSeconds=0))["secret"]
        request = await next_request()
        assert (verifies(request, stolen), verifies(request, newest)) == ((False, False), (True, True))


async def test_events_of_a_post_are_numbered(api: Api, make: Make, database: Database, engine: Engine) -> None:
    """Deliveries may come in any order: the larger number is the later event, whoever wrote it."""
    owner = await make.owner()
    async with receiver_server() as receiver:
        await register(api, owner, receiver.url)
        await emit(database, post_published(owner), post_published(owner))
        await emit(database, post_published(owner))
        requests = await receiver.wait(3)

    by_time = [request.json["data"]["sequence"] for request in sorted(requests, key=lambda one: one.json["createdAt"])]
    assert by_time == sorted(set(by_time))
