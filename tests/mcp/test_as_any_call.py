"""A message is a call like any other: logged, repeatable under its key, and at the time that a test key sets."""

import json
from typing import Any

from tests.helpers.api import Api
from tests.helpers.factories import Make
from tests.mcp.test_hostile_messages import called

from signalpost.context import AppContext
from signalpost.request_log.recorder import Recorder


async def result(api: Api, key: str, tool: str, arguments: dict[str, Any], **headers: str) -> dict[str, Any]:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    answer = await api.post("/mcp", bare=True, key=key, json=called(tool, arguments), headers=sent)
    assert answer.status_code == 200, answer.text
    document: dict[str, Any] = json.loads(answer.content)["result"]["structuredContent"]
    return document


async def test_it_and_its_operation_are_logged_and_a_repeat_has_no_second_effect(
    api: Api, make: Make, context: AppContext
) -> None:
    owner = await make.owner()
    contents = {"profileId": owner.profile, "text": "Once"}
    headers = {"Idempotency_Key": "message-1", "X_Request_Id": "mcp-request-2"}
    first = await result(api, owner.key, "create_draft", contents, **headers)
    again = await result(api, owner.key, "create_draft", contents, **headers)
    assert again["id"] == first["id"]

    await context.state(Recorder).flush()
    logged = (await api.get("/logs/requests?requestId=mcp-request-2", key=owner.key)).json()["data"]
    rows = sorted((row["operation"], row["method"], row["path"], row["status"]) for row in logged)
    message = ("call_mcp", "POST", "/mcp", 200)
    assert rows == [message, message, ("create_post", "POST", "/posts", 201)]
    entries = (await api.get(f"/posts/{first['id']}/audit", key=owner.key)).json()["data"]
    assert [(entry["action"], entry["requestId"]) for entry in entries] == [("created", "mcp-request-2")]


async def test_a_token_ends_after_half_an_hour(api: Api, make: Make) -> None:
    owner = await make.owner()
    await make.account(owner)
    contents = {"profileId": owner.profile, "text": "Later", "platforms": ["sandbox"]}
    contents["scheduledAt"] = "2030-01-01T20:00:00Z"
    tokens = [
        (await result(api, owner.test_key, "validate_post", contents, X_Test_Now=at))["confirmationToken"]
        for at in ("2030-01-01T10:00:00Z", "2030-01-01T10:01:01Z")
    ]
    late, timely = [
        await result(
            api, owner.test_key, "schedule_post", contents | {"confirmationToken": token},
            X_Test_Now="2030-01-01T10:31:00Z",
        )
        for token in tokens
    ]  # fmt: skip
    assert (late["code"], late["detail"]) == ("confirmation_required", "This `confirmationToken` has expired.")
    assert timely["status"] == "scheduled"
