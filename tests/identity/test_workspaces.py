"""Workspaces: several of one person, changed by those who manage them."""

from typing import Any

import pytest
from httpx import Response
from tests.helpers.api import Api
from tests.helpers.factories import Make
from tests.helpers.identity import change_member, login, register

from signalpost.context import AppContext
from signalpost.identity.actions import sign_up
from signalpost.kit import ids
from signalpost.workspaces.actions import create


async def patch(api: Api, made: dict[str, Any], fields: dict[str, Any], expected: int = 200) -> dict[str, Any]:
    answer = await api.patch("/workspaces/" + made["workspace"]["id"], key=made["accessToken"], json=fields)
    assert answer.status_code == expected, answer.text
    body: dict[str, Any] = answer.json()
    return body


async def test_a_workspace_is_changed(api: Api) -> None:
    """Any subset; the rest stays."""
    made = await register(api, workspaceName="Before")
    changed = await patch(api, made, {"name": "After", "timezone": "Europe/Berlin"})
    assert changed == made["workspace"] | {
        "name": "After", "timezone": "Europe/Berlin", "role": "owner", "redirectUrls": [],
        "secondFactor": "optional",
    }  # fmt: skip
    urls = ["https://app.example.test/done?x=1", "http://127.0.0.1:3000/cb", "http://localhost/cb", "http://[::1]/"]
    assert (await patch(api, made, {"redirectUrls": [*urls, urls[0]]}))["redirectUrls"] == urls
    assert (await patch(api, made, {}))["redirectUrls"] == urls
    assert (await patch(api, made, {"redirectUrls": []}))["redirectUrls"] == []


@pytest.mark.parametrize(
    "url",
    ["http://example.test/", "ftp://127.0.0.1/", "javascript:alert(1)", "https://ada@example.test/", "https:///x",
     "https://example.test/#f", "https://example.test/#", "//example.test", "https://exa mple.test/", "", "https://[::1",
     "https://example.test:port/", "https://evil.test\\@example.test/", "https://example.test/\n", "http://127.0.0.1.evil.test/",
     "https://münchen.test/"],
)  # fmt: skip
async def test_an_unsafe_redirect_address_is_refused(api: Api, url: str) -> None:
    """A browser carries what the flow yields to this address."""
    made = await register(api)
    body = await patch(api, made, {"redirectUrls": ["https://example.test/", url]}, 422)
    assert [issue["path"] for issue in body["errors"]] == ["/redirectUrls/1"]


@pytest.mark.parametrize(
    ("fields", "path"),
    [({"timezone": "Mars"}, "/timezone"), ({"timezone": "../etc/passwd"}, "/timezone"), ({"name": ""}, "/name"),
     ({"redirectUrls": ["https://example.test/"] * 21}, "/redirectUrls"), ({"plan": "max"}, "/plan"),
     ({"name": None}, "/name")],
)  # fmt: skip
async def test_an_invalid_change_is_refused(api: Api, fields: dict[str, Any], path: str) -> None:
    """Above all, users cannot give themselves a plan."""
    body = await patch(api, await register(api), fields, 422)
    assert [issue["path"] for issue in body["errors"]] == [path]


async def test_only_managers_may_change_it(api: Api, make: Make, context: AppContext) -> None:
    """Others 403; outsiders 404; keys never."""
    made, stranger = await register(api), await register(api)
    answer = await api.patch(
        "/workspaces/" + made["workspace"]["id"], key=stranger["accessToken"], json={"name": "Mine"}
    )
    assert answer.status_code == 404
    owner = await make.owner()
    answer = await api.patch(
        "/workspaces/" + ids.encode("wsp", owner.workspace_id), key=owner.key, json={"name": "Mine"}
    )
    assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")
    user_id = ids.decode("usr", made["user"]["id"])
    assert user_id is not None
    await change_member(context, user_id, "role = 'editor'")
    assert (await patch(api, made, {"name": "Mine"}, 403))["code"] == "forbidden"


async def test_a_user_can_create_another_workspace(api: Api) -> None:
    """With a default profile, and the caller as its owner; listed newest first."""
    made = await register(api)
    answer = await api.post("/workspaces", key=made["accessToken"], json={"name": "Second", "timezone": "Asia/Tokyo"})
    assert answer.status_code == 201
    second = answer.json()
    assert second["role"] == "owner"
    listed = (await api.get("/workspaces", key=made["accessToken"])).json()
    assert [one["id"] for one in listed["data"]] == [second["id"], made["workspace"]["id"]]
    assert listed["hasMore"] is False
    headers = {"X-Workspace-Id": second["id"]}
    profiles = (await api.get("/profiles", key=made["accessToken"], headers=headers)).json()["data"]
    assert [one["isDefault"] for one in profiles] == [True]
    assert {one["id"] for one in (await login(api, made["email"]))["workspaces"]} == {
        second["id"], made["workspace"]["id"]
    }  # fmt: skip

    first = (await api.get("/workspaces?limit=1", key=made["accessToken"])).json()
    assert first["hasMore"] is True
    rest = (await api.get("/workspaces?limit=1&cursor=" + first["nextCursor"], key=made["accessToken"])).json()
    assert [one["id"] for one in rest["data"]] == [made["workspace"]["id"]]


async def test_an_idempotency_key_belongs_to_one_workspace(api: Api) -> None:
    """The same session in another workspace gets what it asks for, not the response of the first one."""
    made = await register(api)
    token = made["accessToken"]
    second = (await api.post("/workspaces", json={"name": "Second"}, key=token)).json()["id"]

    async def create(workspace: str) -> Response:
        headers = {"X-Workspace-Id": workspace, "Idempotency-Key": "deploy-1"}
        return await api.post("/api-keys", json={"name": "deploy"}, key=token, headers=headers)

    answers = [await create(workspace) for workspace in (made["workspace"]["id"], second, second)]

    assert [answer.status_code for answer in answers] == [201] * 3
    assert ["idempotent-replayed" in answer.headers for answer in answers] == [False, False, True]
    homes = [(await api.get("/auth/me", key=answer.json()["key"])).json()["workspace"]["id"] for answer in answers]
    assert homes == [made["workspace"]["id"], second, second]


async def test_a_key_sees_its_own_workspace(api: Api, make: Make) -> None:
    """Its issuer may be at home in many."""
    owner = await make.owner()
    async with make.context.database.transaction() as db:
        await sign_up.create_workspace(make.context, db, user_id=owner.user_id, name="Another")
    listed = (await api.get("/workspaces", key=owner.key)).json()["data"]
    assert [one["id"] for one in listed] == [ids.encode("wsp", owner.workspace_id)]
    refused = await api.post("/workspaces", key=owner.key, json={"name": "More"})
    assert refused.json()["code"] == "forbidden"


async def test_the_number_of_owned_workspaces_is_bounded(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each has a profile, a plan and a month of free posts."""
    monkeypatch.setattr(create, "WORKSPACES_MAX", 2)
    made = await register(api)
    answers = [await api.post("/workspaces", key=made["accessToken"], json={"name": "More"}) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 422]
    assert answers[1].json()["code"] == "too_many_items"
