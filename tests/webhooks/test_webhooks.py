"""Registering webhooks: which bodies are accepted, who sees which webhooks, and that a secret is shown once."""

import asyncio
import base64
import dataclasses
import re
from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Make
from tests.helpers.webhooks import register, webhook_uuid

from signalpost.context import AppContext
from signalpost.kit.db import Database
from signalpost.kit.http import Client
from signalpost.main import app
from signalpost.webhooks.actions.validation import DEFAULT_EVENTS

URL = "http://127.0.0.1:9/hook"


def issues(response: Any) -> list[tuple[str, str]]:
    return [(issue["path"], issue["code"]) for issue in response.json()["errors"]]


async def test_a_webhook_needs_only_an_address(api: Api, make: Make) -> None:
    """It then receives every public event, except those that it has to name."""
    owner = await make.owner()

    webhook = await register(api, owner, URL)

    secret = webhook.pop("secret")
    assert webhook.pop("warnings") == []
    assert re.fullmatch(r"whsec_[A-Za-z0-9]{43}=", secret)
    assert len(base64.b64decode(secret[6:])) == 32
    assert webhook == {
        "id": webhook["id"], "mode": "live", "url": URL, "events": DEFAULT_EVENTS, "name": None, "profileIds": None,
        "deliveryMode": "retry", "active": True, "status": "active", "disabledReason": None, "consecutiveFailures": 0,
        "lastSuccessAt": None, "lastFailureAt": None, "description": None, "createdAt": webhook["createdAt"],
        "updatedAt": webhook["updatedAt"], "previousSecretUntil": None, "hasNextSecret": False, "replay": None,
    }  # fmt: skip
    assert (await api.get(f"/webhooks/{webhook['id']}", key=owner.key)).json() == webhook
    assert (await api.get("/webhooks", key=owner.key)).json() == {
        "data": [webhook],
        "nextCursor": None,
        "hasMore": False,
    }
    assert (await api.get("/v1/webhooks", key=owner.key)).json()["data"] == [webhook]


async def test_a_webhook_is_created_with_all_its_fields(api: Api, make: Make) -> None:
    owner = await make.owner()
    body = {
        "url": URL, "events": ["post.failed", "post.queued", "post.failed"], "name": "Ops", "description": "Why",
        "profileIds": [owner.profile], "deliveryMode": "single", "active": False,
    }  # fmt: skip

    webhook = (await api.post("/webhooks", json=body, key=owner.key)).json()

    assert webhook["events"] == ["post.queued", "post.failed"]
    assert (webhook["status"], webhook["active"]) == ("paused", False)
    for name in ("name", "description", "profileIds", "deliveryMode"):
        assert webhook[name] == body[name]


@pytest.mark.parametrize("events", [[], None])
async def test_no_events_are_all_events(api: Api, make: Make, events: Any) -> None:
    assert (await register(api, await make.owner(), URL, events=events))["events"] == DEFAULT_EVENTS


async def test_one_address_may_have_two_webhooks(api: Api, make: Make) -> None:
    owner = await make.owner()
    first, second = await register(api, owner, URL), await register(api, owner, URL)
    assert first["id"] != second["id"]
    assert first["secret"] != second["secret"]
    assert first["warnings"] == []
    assert [(warning["code"], warning["path"]) for warning in second["warnings"]] == [("not_unique", "/url")]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, [("/url", "required")]),
        ({"url": 5}, [("/url", "type")]),
        (
            {"url": URL, "events": ["post.queued", "post.lost", "*"]},
            [("/events/1", "not_allowed"), ("/events/2", "not_allowed")],
        ),
        ({"url": URL, "events": "post.queued"}, [("/events", "type")]),
        ({"url": URL, "profileIds": []}, [("/profileIds", "too_short")]),
        (
            {"url": URL, "profileIds": ["prof_01JD7ZK8Q4M4S0V9T6B2X3Y5W7", "prof_01JD7ZK8Q4M4S0V9T6B2X3Y5W8"]},
            [("/profileIds/0", "not_found"), ("/profileIds/1", "not_found")],
        ),
        (
            {"url": URL, "profileIds": ["x", "prof_01JD7ZK8Q4M4S0V9T6B2X3Y5W7", "pst_01JD7ZK8Q4M4S0V9T6B2X3Y5W7"]},
            [("/profileIds/0", "not_found"), ("/profileIds/2", "not_found")],
        ),
        ({"url": URL, "secret": "mine"}, [("/secret", "unknown_field")]),
        ({"url": URL, "deliveryMode": "never"}, [("/deliveryMode", "not_allowed")]),
        (
            {"url": URL, "name": "x" * 101, "description": "x" * 501},
            [("/description", "too_long"), ("/name", "too_long")],
        ),
        ({"url": "https://example.com/" + "x" * 2048}, [("/url", "too_long")]),
        ({"url": URL, "name": "nul\0"}, [("/name", "format")]),
    ],
)  # fmt: skip
async def test_an_invalid_body_is_refused_with_every_issue(api: Api, make: Make, body: Any, expected: Any) -> None:
    owner = await make.owner()

    response = await api.post("/webhooks", json=body, key=owner.key)

    assert response.status_code == 422
    assert sorted(issues(response)) == expected
    assert (await api.get("/webhooks", key=owner.key)).json()["data"] == []


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("", "unsafe_url"), ("x", "unsafe_url"), ("ftp://example.com/", "unsafe_url"), ("https://", "unsafe_url"),
        ("https://user:pass@example.com/", "unsafe_url"), ("https://exa mple.com/", "unsafe_url"),
        ("https://example.com:0/", "unsafe_url"), ("https://[::1/", "unsafe_url"),
        ("javascript:alert(1)", "unsafe_url"), ("https://\udfff.example/", "malformed_request"),
    ],
)  # fmt: skip
async def test_malformed_addresses_are_refused_even_where_private_ones_are_allowed(
    api: Api, make: Make, url: str, code: str
) -> None:
    owner = await make.owner()
    body = b'{"url": "%s"}' % url.encode("utf-8", "surrogatepass")
    headers = {"Content-Type": "application/json"}

    response = await api.post("/webhooks", content=body, headers=headers, key=owner.key)

    assert response.json()["code"] == code


@pytest.fixture
async def strict(context: AppContext) -> AsyncIterator[Api]:
    """The application as an operator runs it: only public https addresses; names resolve as below."""

    async def lookup(host: str) -> list[str]:
        return {"good.example": ["93.184.216.34"], "mixed.example": ["93.184.216.34", "10.0.0.1"]}.get(
            host, ["10.0.0.1"]
        )

    settings = dataclasses.replace(context.settings, allow_private_webhooks=False)
    async with Client(lookup=lookup) as http:
        clients = dataclasses.replace(context.http, accounts=http)
        served = dataclasses.replace(context, settings=settings, http=clients)
        async with Api(app.create(served)) as opened:
            yield opened


@pytest.mark.parametrize(
    "url",
    [
        "http://good.example/", "https://127.0.0.1/", "https://169.254.169.254/latest", "https://[::1]/", "https://10.1.2.3/",
        "https://0x7f.1/", "https://2130706433/", "https://inner.example/", "https://mixed.example/",
    ],
)  # fmt: skip
async def test_private_addresses_are_refused(strict: Api, make: Make, url: str) -> None:
    """When a webhook is created and when it is changed, before anything is written."""
    owner = await make.owner()
    webhook = await register(strict, owner, "https://good.example/hook")

    created = await strict.post("/webhooks", json={"url": url}, key=owner.key)
    changed = await strict.patch(f"/webhooks/{webhook['id']}", json={"url": url}, key=owner.key)

    for response in (created, changed):
        assert (response.status_code, response.json()["code"]) == (422, "unsafe_url")
        assert issues(response) == [("/url", "unsafe_url")]
    assert [row["url"] for row in (await strict.get("/webhooks", key=owner.key)).json()["data"]] == [webhook["url"]]


async def test_a_change_affects_only_the_fields_that_it_names(api: Api, make: Make) -> None:
    owner = await make.owner()
    webhook = await register(
        api, owner, URL, name="Ops", description="Why", events=["post.queued"], deliveryMode="single"
    )
    path = f"/webhooks/{webhook['id']}"

    changed = (await api.patch(path, json={"url": URL + "2", "name": None, "events": []}, key=owner.key)).json()

    assert "secret" not in changed
    assert (changed["url"], changed["name"], changed["events"]) == (URL + "2", None, DEFAULT_EVENTS)
    assert (changed["description"], changed["deliveryMode"], changed["status"]) == ("Why", "single", "active")
    assert (await api.patch(path, json={"active": False}, key=owner.key)).json()["status"] == "paused"
    assert (await api.patch(path, json={"active": False}, key=owner.key)).json()["status"] == "paused"
    assert (await api.patch(path, json={"active": True}, key=owner.key)).json()["status"] == "active"
    assert (await api.patch(path, json={"url": None}, key=owner.key)).status_code == 422
    assert (await api.patch(path, json={"status": "active"}, key=owner.key)).status_code == 422


async def test_a_deleted_webhook_is_gone(api: Api, make: Make) -> None:
    owner = await make.owner()
    webhook = await register(api, owner, URL)
    path = f"/webhooks/{webhook['id']}"

    assert (await api.delete(path, key=owner.key)).json() == {"id": webhook["id"], "deleted": True}

    for response in (
        await api.delete(path, key=owner.key),
        await api.get(path, key=owner.key),
        await api.patch(path, json={"active": True}, key=owner.key),
        await api.post(path + "/test", key=owner.key),
        await api.post(path + "/rotate-secret", key=owner.key),
        await api.get(path + "/deliveries", key=owner.key),
    ):
        assert response.status_code == 404
    assert (await api.get("/webhooks", key=owner.key)).json()["data"] == []


async def test_a_webhook_is_hidden_from_other_workspaces(api: Api, make: Make) -> None:
    """Ids of other workspaces and of other resources are refused like ids that never existed."""
    owner, stranger = await make.owner(), await make.owner()
    webhook = await register(api, owner, URL)
    test = (await api.post(f"/webhooks/{webhook['id']}/test", key=owner.key)).json()
    mine = await register(api, stranger, URL)

    for webhook_id in (webhook["id"], owner.profile, "whk_0", webhook["id"].lower()):
        path = f"/webhooks/{webhook_id}"
        assert (await api.get(path, key=stranger.key)).status_code == 404
        assert (await api.patch(path, json={"active": False}, key=stranger.key)).status_code == 404
        assert (await api.delete(path, key=stranger.key)).status_code == 404
        assert (await api.post(path + "/test", key=stranger.key)).status_code == 404
        assert (await api.post(path + "/rotate-secret", key=stranger.key)).status_code == 404
        assert (await api.get(path + "/deliveries", key=stranger.key)).status_code == 404
    through_mine = f"/webhooks/{mine['id']}/deliveries/{test['id']}"
    assert (await api.get(through_mine, key=stranger.key)).status_code == 404
    assert (await api.post(through_mine + "/resend", key=stranger.key)).status_code == 404
    assert (await api.get(f"/webhooks/{webhook['id']}/deliveries/x", key=owner.key)).status_code == 404


@pytest.mark.parametrize("role", ["editor", "contributor", "approver", "viewer"])
async def test_only_owners_and_admins_have_webhooks(api: Api, make: Make, role: str) -> None:
    owner = await make.owner()
    admin, other = await make.member(owner, role="admin"), await make.member(owner, role=role)
    webhook = await register(api, admin, URL)

    assert (await api.get("/webhooks", key=other.key)).status_code == 403
    assert (await api.delete(f"/webhooks/{webhook['id']}", key=other.key)).status_code == 403
    assert (await api.post("/webhooks", json={"url": URL}, key=other.key)).status_code == 403


async def test_a_member_limited_to_profiles_has_webhooks_of_those_profiles(api: Api, make: Make) -> None:
    """Otherwise a webhook would report what its creator may not see."""
    owner = await make.owner()
    inside, outside = owner.profile, (await make.profile(owner))["id"]
    limited = await make.member(owner, role="admin", profile_ids=[inside])
    wide, other = await register(api, owner, URL), await register(api, owner, URL, profileIds=[outside])
    narrow = await register(api, owner, URL, profileIds=[inside])

    webhook = await register(api, limited, URL)

    assert webhook["profileIds"] == [inside]
    widened = await api.patch(f"/webhooks/{webhook['id']}", json={"profileIds": None}, key=limited.key)
    assert widened.json()["profileIds"] == [inside]
    refused = await api.post("/webhooks", json={"url": URL, "profileIds": [inside, outside]}, key=limited.key)
    assert issues(refused) == [("/profileIds/1", "not_found")]
    listed = (await api.get("/webhooks", key=limited.key)).json()["data"]
    assert [row["id"] for row in listed] == [webhook["id"], narrow["id"]]
    for hidden in (wide, other):
        assert (await api.get(f"/webhooks/{hidden['id']}", key=limited.key)).status_code == 404


async def test_the_list_is_complete_and_can_be_paged(api: Api, make: Make) -> None:
    owner = await make.owner()
    webhook_ids = [(await register(api, owner, URL))["id"] for _ in range(25)]

    assert [row["id"] for row in (await api.get("/webhooks", key=owner.key)).json()["data"]] == webhook_ids[::-1]
    first = (await api.get("/webhooks?limit=20", key=owner.key)).json()
    rest = (await api.get(f"/webhooks?limit=20&cursor={first['nextCursor']}", key=owner.key)).json()
    assert [row["id"] for row in first["data"] + rest["data"]] == webhook_ids[::-1]


@pytest.fixture
async def billed(context: AppContext) -> AsyncIterator[Api]:
    """The application with plan limits."""
    served = dataclasses.replace(context, settings=dataclasses.replace(context.settings, billing_enabled=True))
    async with Api(app.create(served)) as opened:
        yield opened


@pytest.mark.parametrize("plan", ["free", "starter"])
async def test_small_plans_have_no_webhooks(billed: Api, make: Make, plan: str) -> None:
    owner = await make.owner(plan=plan)

    response = await billed.post("/webhooks", json={"url": URL}, key=owner.key)

    assert (response.status_code, response.json()["code"]) == (402, "plan_feature_unavailable")
    assert response.json()["limit"] == {"name": "webhooks", "used": 0, "max": 0, "plan": plan}


async def test_fifty_at_once_get_exactly_the_plans_three(billed: Api, make: Make, database: Database) -> None:
    """Two creates that both see room for one webhook must not both succeed."""
    owner = await make.owner(plan="pro")

    responses = await asyncio.gather(*(billed.post("/webhooks", json={"url": URL}, key=owner.key) for _ in range(50)))

    codes = sorted(response.status_code for response in responses)
    assert codes == [201] * 3 + [402] * 47
    assert {response.json()["code"] for response in responses if response.status_code == 402} == {"plan_limit_reached"}
    first = (await billed.get("/webhooks", key=owner.key)).json()["data"][0]
    assert (await billed.delete(f"/webhooks/{first['id']}", key=owner.key)).status_code == 200
    assert (await billed.post("/webhooks", json={"url": URL}, key=owner.key)).status_code == 201


async def test_the_largest_plan_has_no_limit(billed: Api, make: Make) -> None:
    owner = await make.owner(plan="max")
    for _ in range(5):
        await register(billed, owner, URL)


async def test_even_without_a_plan_limit_one_host_has_ten_webhooks_of_a_workspace(strict: Api, make: Make) -> None:
    """One post would become thousands of requests to a host that never asked for them. The spelling does not matter."""
    owner, other = await make.owner(), await make.owner()
    addresses = [f"https://{'93.184.215.14' if number % 2 else '93.184.215.14:8443'}/{number}" for number in range(10)]
    first, *_ = [await register(strict, owner, url) for url in addresses]
    elsewhere = await register(strict, owner, "https://93.184.215.15/")

    refused = await strict.post("/webhooks", json={"url": "https://93.184.215.14/more"}, key=owner.key)
    moved = await strict.patch(
        f"/webhooks/{elsewhere['id']}", json={"url": "https://93.184.215.14/moved"}, key=owner.key
    )
    renamed = await strict.patch(f"/webhooks/{first['id']}", json={"url": "https://93.184.215.14/0"}, key=owner.key)

    assert {(answer.status_code, answer.json()["code"]) for answer in (refused, moved)} == {(422, "too_many_items")}
    assert "93.184.215.14" in refused.json()["detail"]
    assert renamed.status_code == 200
    await register(strict, other, "https://93.184.215.14/more")


async def test_a_workspace_has_a_hundred_webhooks_also_when_they_come_at_once(
    api: Api, make: Make, database: Database
) -> None:
    owner = await make.owner()
    webhook = await register(api, owner, URL)
    async with database.transaction() as db:
        await db.execute(
            "insert into webhook (id, workspace_id, url, events, secret, created_by)"
            " select gen_random_uuid(), workspace_id, url || n, events, secret, created_by"
            " from webhook, generate_series(1, 97) n where id = $1",
            webhook_uuid(webhook),
        )

    answers = await asyncio.gather(*(api.post("/webhooks", json={"url": URL}, key=owner.key) for _ in range(5)))

    assert sorted(answer.status_code for answer in answers) == [201, 201, 422, 422, 422]
    assert {answer.json()["code"] for answer in answers if answer.status_code == 422} == {"too_many_items"}


async def test_secrets_cannot_be_read_in_the_database(api: Api, make: Make, database: Database) -> None:
    """A stolen dump must not allow anyone to sign."""
    owner = await make.owner()
    webhook = await register(api, owner, URL)
    rotated = (await api.post(f"/webhooks/{webhook['id']}/rotate-secret", key=owner.key)).json()

    async with database.connection() as db:
        row = await db.fetchrow("select * from webhook where id = $1", webhook_uuid(webhook))
        rest = await db.fetch("select d::text from delivery d union all select j::text from job j")

    assert row is not None
    dump = repr(dict(row)).encode() + row["secret"] + row["former_secret"] + repr(rest).encode()
    for secret in (webhook["secret"], rotated["secret"]):
        assert secret.encode() not in dump
        assert base64.b64decode(secret[6:]) not in dump
        assert base64.b64decode(secret[6:]).hex().encode() not in dump
