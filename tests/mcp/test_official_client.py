"""The client that the authors of the protocol publish does a whole job, in both ways of speaking it."""

import json
import os
import sys
from datetime import timedelta
from typing import Any

import jsonschema
import pytest
from mcp import Client, MCPError, StdioServerParameters
from tests.counterparts.tools import CHECKOUT
from tests.helpers.api import Api
from tests.helpers.contract import SOON
from tests.mcp.conftest import Place

from signalpost.kit import clock
from signalpost.mcp.tools import TOOLS

LATER = clock.wire(clock.now() + timedelta(days=31))


async def called(client: Client, name: str, arguments: dict[str, Any]) -> Any:
    """What a tool returns, whose text says the same."""
    result = await client.call_tool(name, arguments)
    assert not result.is_error, result.content
    [content] = result.content
    assert content.type == "text"
    assert json.loads(content.text) == result.structured_content
    return result.structured_content


async def refused(client: Client, name: str, arguments: dict[str, Any]) -> Any:
    """The problem with which a tool refuses; its text says what to do."""
    result = await client.call_tool(name, arguments)
    assert result.is_error
    [content] = result.content
    assert content.type == "text"
    problem = result.structured_content
    assert isinstance(problem, dict)
    assert content.text.startswith(f"{problem['title']}. {problem['detail']}")
    assert f"Code: {problem['code']}." in content.text
    return problem


@pytest.mark.parametrize("mode", ["auto", "2026-07-28", "legacy"])
async def test_a_post_is_validated_scheduled_found_and_followed(place: Place, mode: str) -> None:
    contents = place.contents(f"Soup of the day, by {mode}", scheduledAt=SOON)
    async with place.client(mode) as client:
        accounts = await called(client, "list_accounts", {})
        assert place.account["id"] in [account["id"] for account in accounts["data"]]

        validated = await called(client, "validate_post", contents)
        token = {"confirmationToken": validated["confirmationToken"]}
        other = contents | {"text": "Soup of tomorrow"}
        for name, unseen in (
            ("schedule_post", contents),
            ("schedule_post", other | token),
            ("schedule_post", contents | {"scheduledAt": LATER} | token),
            ("publish_post", place.contents(contents["text"]) | token),
        ):
            problem = await refused(client, name, unseen)
            assert (problem["code"], problem["status"]) == ("confirmation_required", 422), (name, unseen)

        post = await called(client, "schedule_post", dict(reversed(contents.items())) | token)
        assert (post["status"], post["text"]) == ("scheduled", contents["text"])
        again = await called(client, "schedule_post", contents | token)
        assert again["id"] == post["id"]  # the same token is the same post

        found = await called(client, "find_posts", {"q": f"by {mode}", "status": "scheduled"})
        assert [one["id"] for one in found["data"]] == [post["id"]]
        status = await called(client, "get_post_status", {"postId": post["id"]})
        assert [target["status"] for target in status["targets"]] == ["pending"]
        resource = await client.read_resource(f"signalpost://posts/{post['id']}")
        assert json.loads(resource.contents[0].text)["version"] == post["version"]  # type: ignore[union-attr]


async def test_what_is_listed_is_what_can_be_called_read_and_used(place: Place) -> None:
    async with place.client() as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert len(tools) <= 12
        assert list(tools) == [tool.name for tool in TOOLS]
        for name in ("publish_post", "find_posts", "upload_from_url"):  # of a body with more, a query, another body
            jsonschema.Draft202012Validator.check_schema(tools[name].input_schema)
        writing = {name for name, tool in tools.items() if tool.annotations and not tool.annotations.read_only_hint}
        assert writing == {"create_draft", "schedule_post", "publish_post", "upload_from_url"}

        contents = place.contents("Hello")
        jsonschema.Draft202012Validator(tools["create_draft"].input_schema).validate(contents)
        network = await called(client, "get_capabilities", {"platform": "sandbox"})
        assert network["rules"]["text"]["maxLength"]
        assert "sandbox" in [one["platform"] for one in (await called(client, "get_capabilities", {}))["data"]]
        for name in ("get_analytics", "get_best_times", "get_calendar"):
            assert await called(client, name, {"profileId": place.owner.profile})
        draft = await called(client, "create_draft", contents)
        assert (draft["status"], draft["targets"][0]["status"]) == ("draft", "pending")
        assert (await refused(client, "get_analytics", {"postId": "pst_1"}))["code"] == "not_found"
        local = await refused(client, "upload_from_url", {"url": "cat.jpg"})
        assert local["errors"][0]["path"] == "/url"

        resources = (await client.list_resources()).resources
        addresses = [str(resource.uri) for resource in resources] + ["signalpost://problems/confirmation_required"]
        assert f"signalpost://accounts/{place.account['id']}" in addresses
        for address in addresses:
            assert (await client.read_resource(address)).contents
        with pytest.raises(MCPError, match="acc_01M7Z0000000000000000000AB"):
            await client.read_resource("signalpost://accounts/acc_01M7Z0000000000000000000AB")
        templates = (await client.list_resource_templates()).resource_templates
        assert [template.name for template in templates] == ["post", "account", "problem"]

        prompts = {prompt.name: prompt for prompt in (await client.list_prompts()).prompts}
        assert sorted(prompts) == ["plan_week", "repair_post"]
        repair = await client.get_prompt("repair_post", {"postId": draft["id"]})
        assert draft["id"] in repair.messages[0].content.text  # type: ignore[union-attr]
        with pytest.raises(MCPError, match="repair_post needs postId"):
            await client.get_prompt("repair_post", {})


async def test_publishing_needs_the_scope_and_what_is_refused_says_what_to_do(place: Place, api: Api) -> None:
    scopes = ["accounts:read", "posts:read", "posts:write"]
    created = await api.post("/api-keys", json={"name": "Assistant", "scopes": scopes}, key=place.owner.key)
    contents = place.contents("Published by an assistant")
    async with place.client(key=created.json()["key"]) as drafts, place.client() as publishes:
        token = {"confirmationToken": (await called(drafts, "validate_post", contents))["confirmationToken"]}
        problem = await refused(drafts, "publish_post", contents | token)
        assert (problem["code"], problem["status"]) == ("insufficient_scope", 403)
        # What one key had validated, another one cannot publish.
        assert (await refused(publishes, "publish_post", contents | token))["code"] == "confirmation_required"
        assert (await refused(drafts, "get_best_times", {}))["code"] == "insufficient_scope"

        invalid = await called(publishes, "validate_post", contents | {"text": "x" * 5_001})
        assert invalid["valid"] is False
        assert "confirmationToken" not in invalid
        problem = await refused(publishes, "publish_post", contents | {"scheduledAt": SOON} | token)
        assert problem["errors"][0]["path"] == "/scheduledAt"
        problem = await refused(publishes, "create_draft", contents | {"platform": "sandbox"})
        assert (problem["errors"][0]["path"], problem["errors"][0]["code"]) == ("/platform", "unknown_field")

        token = {"confirmationToken": (await called(publishes, "validate_post", contents))["confirmationToken"]}
        assert (await called(publishes, "publish_post", contents | token))["status"] in ("queued", "published")


async def test_a_test_key_and_another_workspace_see_only_what_is_theirs(place: Place, api: Api) -> None:
    created = await api.post("/posts", json=place.contents("Live", draft=True), key=place.owner.key)
    address = f"signalpost://posts/{created.json()['id']}"
    async with place.client(key=place.owner.test_key) as client:
        draft = await called(client, "create_draft", place.contents("A test"))
        assert draft["mode"] == "test"
        with pytest.raises(MCPError, match=r"[Nn]o post"):
            await client.read_resource(address)
        assert (await refused(client, "get_post_status", {"postId": created.json()["id"]}))["code"] == "not_found"


@pytest.mark.xdist_group("clients")
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_command_passes_messages_on_over_standard_input(place: Place, mode: Any) -> None:
    environment = os.environ | {
        "PYTHONPATH": str(CHECKOUT / "clients" / "python" / "src"),
        "SIGNALPOST_API_KEY": place.owner.key,
        "SIGNALPOST_API_URL": place.url,
    }
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "signalpost_client.cli", "mcp"], env=environment
    )  # fmt: skip
    async with Client(server, mode=mode) as client:
        assert len((await client.list_tools()).tools) == len(TOOLS)
        draft = await called(client, "create_draft", place.contents("By the command, with an ä"))
        assert draft["text"] == "By the command, with an ä"
        assert (await refused(client, "publish_post", place.contents("Unseen")))["code"] == "confirmation_required"
        with pytest.raises(MCPError, match="No resource"):
            await client.read_resource("signalpost://posts/ä")
