"""Deliveries that a program fetches: they wait until it reports what became of them, and the service sends none."""

from typing import Any

import pytest
from standardwebhooks.webhooks import Webhook as StandardWebhook
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.helpers.webhooks import (
    deliveries,
    emit,
    post_published,
    receiver_server,
    register,
    wait_until_idle,
    webhook_uuid,
)

from signalpost import events
from signalpost.engine.engine import Engine
from signalpost.kit import clock
from signalpost.kit.db import Database
from signalpost.webhooks import signing
from signalpost.webhooks.actions import poll, replay

LOCAL = "http://localhost:3000/hooks"


async def polled(api: Api, owner: Login, url: str = LOCAL) -> dict[str, Any]:
    return await register(api, owner, url, deliveryMode="poll")


async def pending(api: Api, owner: Login, webhook: dict[str, Any], **params: Any) -> dict[str, Any]:
    answer = await api.get(f"/webhooks/{webhook['id']}/pending", params=params, key=owner.key)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def report(api: Api, owner: Login, webhook: dict[str, Any], *results: dict[str, Any]) -> int:
    body = {"results": list(results)}
    answer = await api.post(f"/webhooks/{webhook['id']}/results", json=body, key=owner.key)
    assert answer.status_code == 201, answer.text
    recorded: int = answer.json()["recorded"]
    return recorded


async def test_deliveries_wait_until_their_result_is_reported(
    api: Api, make: Make, database: Database, engine: Engine
) -> None:
    """Signed as they would be sent, the oldest first; a result that comes twice counts once."""
    owner = await make.owner()
    async with receiver_server() as receiver:
        webhook = await polled(api, owner, receiver.url)
        for _ in range(3):
            await emit(database, post_published(owner))
        with clock.at(clock.now()):  # a signature says when it was made
            found = await pending(api, owner, webhook, limit=2)
            assert found == await pending(api, owner, webhook, limit=2)
        assert (len(found["data"]), found["hasMore"]) == (2, True)
        first, second = found["data"]
        assert first["id"] < second["id"]
        headers = {name.lower(): value for name, value in first["headers"].items()}
        body = first["body"].encode()
        StandardWebhook(webhook["secret"]).verify(body, headers)
        assert headers["x-service-signature"] == signing.body_signature(webhook["secret"], body)
        assert (headers["x-service-attempt"], headers["webhook-id"]) == ("1", first["id"])

        results = [
            {"id": first["id"], "status": 204, "durationMs": 12, "response": "thanks"},
            {"id": second["id"], "error": "timed out"},
        ]
        assert await report(api, owner, webhook, *results) == 2
        assert await report(api, owner, webhook, *results) == 0
        third, failed, delivered = await deliveries(api, owner, webhook)
        assert (delivered["state"], delivered["lastStatus"], delivered["lastResponse"]) == ("delivered", 204, "thanks")
        assert (failed["state"], failed["lastError"], failed["nextAttemptAt"]) == ("failed", "timed out", None)
        assert [one["id"] for one in (await pending(api, owner, webhook))["data"]] == [third["id"]]

        again = await api.post(f"/webhooks/{webhook['id']}/deliveries/{failed['id']}/resend", key=owner.key)
        assert (again.status_code, again.json()["state"]) == (201, "pending")
        assert {one["id"] for one in (await pending(api, owner, webhook))["data"]} == {failed["id"], third["id"]}
        await wait_until_idle(database, webhook)
        assert receiver.requests == []


async def test_what_was_missed_is_fetched_after_a_replay(api: Api, make: Make, database: Database) -> None:
    owner = await make.owner()
    webhook = await polled(api, owner)
    path = f"/webhooks/{webhook['id']}"
    await api.patch(path, json={"active": False}, key=owner.key)
    await emit(database, post_published(owner))
    refused = await api.get(f"{path}/pending", key=owner.key)
    assert (refused.status_code, refused.json()["code"]) == (409, "invalid_state")
    await api.patch(path, json={"active": True}, key=owner.key)
    assert (await pending(api, owner, webhook))["data"] == []

    await api.post(f"{path}/replay", key=owner.key)
    async with database.transaction() as db:
        assert await replay.advance(db, owner.workspace_id, webhook_uuid(webhook)) is None

    assert len((await pending(api, owner, webhook))["data"]) == 1


async def test_only_a_webhook_that_was_created_so_is_fetched(api: Api, make: Make) -> None:
    """Its address was never checked, so nothing may make the service send to it."""
    owner = await make.owner()
    sent, fetched = await register(api, owner, "http://127.0.0.1:9/"), await polled(api, owner)

    for path, method in (("pending", api.get), ("results", api.post)):
        options: dict[str, Any] = {"json": {"results": [{"id": "dlv_01M7Z0000000000000000000AB"}]}}
        answer = await method(f"/webhooks/{sent['id']}/{path}", key=owner.key, **(options if path == "results" else {}))
        assert (answer.status_code, answer.json()["code"]) == (409, "invalid_state")
    for webhook, mode in ((sent, "poll"), (fetched, "retry")):
        answer = await api.patch(f"/webhooks/{webhook['id']}", json={"deliveryMode": mode}, key=owner.key)
        assert (answer.status_code, answer.json()["errors"][0]["path"]) == (422, "/deliveryMode")
    malformed = await api.post("/webhooks", json={"url": "ftp://x/", "deliveryMode": "poll"}, key=owner.key)
    assert malformed.json()["code"] == "unsafe_url"


async def test_a_response_has_a_bound(
    api: Api, make: Make, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(poll, "BYTES_MAX", 700)
    owner = await make.owner()
    webhook = await polled(api, owner)
    await emit(database, *(post_published(owner) for _ in range(4)))

    found = await pending(api, owner, webhook)

    assert 0 < len(found["data"]) < 4
    assert found["hasMore"]


async def test_the_example_of_any_event_can_be_sent(api: Api, make: Make) -> None:
    owner = await make.owner()
    webhook = await polled(api, owner)
    for name in events.PUBLIC_EVENTS:
        answer = await api.post(f"/webhooks/{webhook['id']}/test", json={"type": name}, key=owner.key)
        assert (answer.status_code, answer.json()["type"]) == (201, name)
    unknown = await api.post(f"/webhooks/{webhook['id']}/test", json={"type": "post.publishd"}, key=owner.key)

    assert unknown.json()["errors"][0]["path"] == "/type"
    assert "post.published" in unknown.json()["errors"][0]["message"]
    found = (await pending(api, owner, webhook, limit=100))["data"]
    assert [one["type"] for one in found] == list(events.PUBLIC_EVENTS)
