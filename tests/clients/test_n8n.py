"""The package for n8n: n8n's own linter accepts it, and n8n's own engine runs its nodes against a real service."""

import asyncio
import base64
import json
import re
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from standardwebhooks.webhooks import Webhook
from tests.clients import n8n
from tests.clients.conftest import Instance
from tests.clients.drivers import Place, RawHttp, Step
from tests.clients.n8n import Engine
from tests.clients.test_python_client import HTML, appended
from tests.counterparts import tools
from tests.counterparts.process import Program
from tests.counterparts.tools import free_port
from tests.helpers.contract import SOON
from tests.helpers.http_servers import answering, response, serve
from tests.helpers.media_files import image
from tests.helpers.webhooks import receiver_server

from signalpost.events.public import PUBLIC_EVENTS
from signalpost.posts.states import POST_STATUSES

pytestmark = pytest.mark.xdist_group("clients")


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return n8n.build(tmp_path_factory.mktemp("n8n"))


@pytest.fixture(scope="module")
async def program(package: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Program]:
    async with n8n.engine_process(package, tmp_path_factory.mktemp("home")) as running:
        yield running


@pytest.fixture
def engine(program: Program, place: Place) -> Engine:
    return Engine(program, place)


def fields(place: Place, text: str, **more: Any) -> dict[str, Any]:
    return {"profileId": place.profile, "publishTo": "networks", "platforms": ["sandbox"], "text": text, **more}


async def posts_of(place: Place) -> list[Any]:
    async with RawHttp(place) as plain:
        rows: list[Any] = await plain.run(Step("", "listPosts"))
        return rows


def test_the_linter_of_n8n_accepts_every_file_and_would_refuse_another(tmp_path: Path) -> None:
    """The other file has faults, so that an empty list of messages is worth something."""
    package = n8n.installed(tmp_path)
    sources = {"package.json"} | {
        path.relative_to(package).as_posix()
        for folder in ("credentials", "nodes", "shared")
        for path in (package / folder).rglob("*.ts")
    }
    (package / "nodes" / "bad.ts").write_text('import axios from "axios";\nexport const home = process.env;\n')
    done = n8n.run(package, "node_modules/eslint/bin/eslint.js", "--format", "json", ".")
    messages = {
        Path(result["filePath"]).relative_to(package).as_posix(): [message["ruleId"] for message in result["messages"]]
        for result in json.loads(done.stdout)
    }
    assert {name: messages[name] for name in sources} == {name: [] for name in sources}
    bad = {"@n8n/community-nodes/no-restricted-imports", "@n8n/community-nodes/no-restricted-globals"}
    assert bad <= set(messages["nodes/bad.ts"])


def test_it_needs_nothing_at_run_time_and_names_what_it_has(package: Path) -> None:
    manifest = json.loads((package / "package.json").read_text())
    assert "dependencies" not in manifest
    lock = json.loads((tools.HERE / "n8n-engine" / "package-lock.json").read_text())["packages"]
    for name, version in manifest["devDependencies"].items():  # what compiles it here compiles it at its users'
        major = re.match(r"\^?(\d+)", version)
        assert major is not None
        assert lock[f"node_modules/{name}"]["version"].startswith(f"{major[1]}.")
    assert all((package / path).is_file() for path in manifest["n8n"]["nodes"] + manifest["n8n"]["credentials"])
    code = " ".join(path.read_text() for path in (package / "dist").rglob("*.js"))
    assert set(re.findall(r'require\("([^."][^"]*)"\)', code)) == {"n8n-workflow", "node:crypto"}


async def test_n8n_finds_the_nodes(engine: Engine) -> None:
    assert await engine.command("known") == {
        "nodes": ["signalpost", "signalpostTrigger"], "credentials": ["signalpostApi"],
    }  # fmt: skip


async def test_an_item_is_published_once_however_often_n8n_runs_it(engine: Engine, place: Place) -> None:
    """Its neighbour in the execution, and the same item in another execution, are posts of their own."""
    post = fields(place, "={{ $json.text }}", additionalFields={"allowDuplicate": True, "tags": "spring, menu"})
    items = [{"json": {"text": text}} for text in ("Soup", "Cake")]
    first = await engine.rows("post", "create", parameters=post, items=items)
    again = await engine.rows("post", "create", parameters=post, items=items)
    other = await engine.rows("post", "create", parameters=post, items=items[:1], executionId="2")

    assert [row["text"] for row in first] == ["Soup", "Cake"]
    assert [row["id"] for row in again] == [row["id"] for row in first]
    assert {row["id"] for row in await posts_of(place)} == {row["id"] for row in first + other}
    assert len({row["id"] for row in first + other}) == 3
    assert first[0]["tags"] == ["spring", "menu"]


async def test_an_agent_may_call_its_tool_several_times(engine: Engine, place: Place) -> None:
    """Calls of a tool are no items: the same contents are the same call, others are another."""
    texts = ["One", "Two", "One"]
    rows = [
        (await engine.rows("post", "create", type="signalpostTool", parameters=fields(place, text)))[0]
        for text in texts
    ]
    assert [row["text"] for row in rows] == texts
    assert rows[0]["id"] == rows[2]["id"] != rows[1]["id"]


@pytest.mark.parametrize("fault", ["request", "answer"])
async def test_retry_on_fail_publishes_once_whatever_gets_lost(
    instance: Instance, engine: Engine, place: Place, fault: str
) -> None:
    lost = [fault]
    async with instance.unreliable(lambda *_: lost.pop() if lost else None) as network:
        there = engine.at(network.url)
        [row] = await there.rows("post", "create", parameters=fields(place, "Once"), retryOnFail=True)
    assert len(network.requests) == 2
    assert [post["id"] for post in await posts_of(place)] == [row["id"]]


async def test_the_service_says_when_to_come_again(instance: Instance, engine: Engine, place: Place) -> None:
    problem = b'{"code": "rate_limited", "title": "Too many requests", "retryable": true}'
    busy = response(429, problem, "Retry-After: 0", "Content-Type: application/problem+json")
    waits = [busy, busy]
    async with instance.unreliable(lambda *_: waits.pop() if waits else None) as network:
        there = engine.at(network.url)
        [row] = await there.rows("post", "create", parameters=fields(place, "Once"))
        assert len(network.requests) == 3
        waits[:] = [busy] * 9
        refused = await there.execute("post", "create", parameters=fields(place, "Twice"), executionId="2")
    assert (refused["error"]["httpCode"], len(network.requests)) == ("429", 7)
    assert [post["id"] for post in await posts_of(place)] == [row["id"]]


async def test_a_refused_item_says_what_to_do_and_the_others_go_on(engine: Engine, place: Place) -> None:
    post = {**fields(place, "={{ $json.text }}"), "platforms": "={{ [$json.to] }}"}
    items = [{"json": {"text": "Soup", "to": "nowhere"}}, {"json": {"text": "Cake", "to": "sandbox"}}]
    stopped = await engine.execute("post", "create", parameters=post, items=items)
    went_on = await engine.execute("post", "create", parameters=post, items=items, onError="continueRegularOutput")

    assert stopped["error"]["httpCode"] == "422"
    assert stopped["error"]["itemIndex"] == 0
    assert "/platforms/0" in stopped["error"]["description"]
    assert re.search(r"Code \w+, request req_", stopped["error"]["description"])
    refused, published = went_on["items"]
    assert refused["json"]["error"] == stopped["error"]["message"]
    assert (refused["pairedItem"], published["pairedItem"]) == ({"item": 0}, {"item": 1})
    assert published["json"]["text"] == "Cake"
    assert len(await posts_of(place)) == 1


async def test_what_answers_badly_is_said(engine: Engine, place: Place) -> None:
    async with serve(answering(HTML)) as proxy:
        for there, code, words in (
            (engine.at(proxy.url), "502", "is not Signalpost: 502 with text/html"),
            (engine.at("post.example.com"), None, "is not a whole address"),
            (engine.at(place.url, "sp_live_wrong"), "401", ""),
            (engine.at(f"http://127.0.0.1:{free_port()}"), "ECONNREFUSED", "refused the connection"),
        ):
            error = (await there.execute("profile", "getAll", parameters={"returnAll": True}))["error"]
            assert error.get("httpCode") == code
            assert words in error["message"]
            assert error["description"]
    answer = await engine.execute("post", "get", parameters={"postId": ".."})
    assert "post ID is missing" in answer["error"]["message"]


async def test_the_address_may_end_as_in_the_reference(engine: Engine, place: Place) -> None:
    rows = await engine.at(f"{place.url}/api/v1/").rows("profile", "getAll", parameters={"returnAll": True})
    assert place.profile in [row["id"] for row in rows]


async def test_a_post_is_planned_read_and_deleted(engine: Engine, place: Place) -> None:
    """A time without an offset is one of the time zone of the workflow, which is Berlin here."""
    targets = {"publishTo": "accounts", "accountIds": [place.account]}
    media = {"media": [], "scheduledAt": f"{SOON[:10]}T09:00:00"}
    [later] = await engine.rows("post", "schedule", parameters=fields(place, "Later", **targets, **media))
    [draft] = await engine.rows("post", "draft", parameters=fields(place, "An idea"))
    [checked] = await engine.rows("post", "validate", parameters=fields(place, ""))
    [read] = await engine.rows("post", "get", parameters={"postId": later["id"]})
    listed = await engine.rows("post", "getAll", parameters={"limit": 1, "filters": {"status": "draft"}})
    window = {"from": f"{SOON[:10]}T08:59:00", "to": f"{SOON[:10]}T09:01:00"}
    planned = await engine.rows("post", "getAll", parameters={"returnAll": True, "filters": window})
    [deleted] = await engine.rows("post", "delete", parameters={"postId": draft["id"]})

    assert (later["status"], later["timezone"], draft["status"]) == ("scheduled", "Europe/Berlin", "draft")
    assert checked["valid"] is False
    assert read["id"] == later["id"]
    assert [row["id"] for row in listed] == [draft["id"]]
    assert [row["id"] for row in planned] == [later["id"]]
    assert deleted["deleted"] is True
    assert [row["id"] for row in await posts_of(place)] == [later["id"]]


async def test_a_failed_post_is_tried_again(engine: Engine, place: Place) -> None:
    [post] = await engine.rows("post", "create", parameters=fields(place, "Soup [[fail:text_too_long]]"))
    async with RawHttp(place) as plain, asyncio.timeout(60):
        while (await plain.run(Step("", "getPost", (post["id"],))))["status"] != "failed":
            await asyncio.sleep(0.05)
    [progress] = await engine.rows("post", "retry", parameters={"postId": post["id"], "includeUnknown": False})
    assert progress["postId"] == post["id"]


async def test_lists_are_read_to_their_end(engine: Engine, place: Place) -> None:
    """A page has at most a hundred rows."""
    async with RawHttp(place) as plain:
        body = {"profileId": place.profile, "draft": True}
        ids = {(await plain.run(Step("", "createPost", body=body | {"text": f"{n}"})))["id"] for n in range(103)}
    rows = await engine.rows("post", "getAll", parameters={"returnAll": True, "filters": {"status": "draft"}})
    some = await engine.rows("post", "getAll", parameters={"returnAll": False, "limit": 101, "filters": {}})
    assert {row["id"] for row in rows} == ids
    assert len(rows) == 103
    assert len(some) == 101


async def test_accounts_clients_and_networks_are_offered_by_name(engine: Engine, place: Place) -> None:
    [account] = await engine.rows(
        "account", "getAll", parameters={"returnAll": True, "accountProfileId": place.profile}
    )
    profiles = await engine.rows("profile", "getAll", parameters={"returnAll": False, "limit": 5})
    chosen = {"resource": "post", "operation": "create", "profileId": place.profile}
    options = {
        method: await engine.command("options", method=method, parameters=chosen)
        for method in ("getProfiles", "getAccounts", "getNetworks")
    }
    assert account["id"] == place.account
    assert place.profile in [profile["id"] for profile in profiles]
    assert place.profile in [option["value"] for option in options["getProfiles"]]
    assert [option["value"] for option in options["getAccounts"]] == [place.account]
    assert "bakery" in options["getAccounts"][0]["name"].lower() or "sandbox" in options["getAccounts"][0]["name"]
    assert [option["value"] for option in options["getNetworks"]] == ["sandbox"]


def item_of(content: bytes) -> dict[str, Any]:
    data = {"data": base64.b64encode(content).decode(), "mimeType": "image/png", "fileName": "cat.png"}
    return {"json": {}, "binary": {"data": data}}


UPLOAD = {"source": "binary", "binaryPropertyName": "data", "altText": "A cat"}


async def test_a_file_of_an_earlier_node_becomes_part_of_a_post(engine: Engine, place: Place) -> None:
    content = await asyncio.to_thread(image, "PNG", size=(100, 80))
    [media] = await engine.rows("media", "upload", parameters=UPLOAD, items=[item_of(content)])
    [post] = await engine.rows("post", "create", parameters=fields(place, "Cat", media=[media["id"]]))
    assert (media["status"], media["altText"], media["fileName"]) == ("ready", "A cat", "cat.png")
    assert [file["mediaId"] for file in post["media"]] == [media["id"]]


async def test_an_upload_goes_on_where_it_broke_off(instance: Instance, engine: Engine) -> None:
    """The answer of the first piece gets lost; Retry On Fail asks what has arrived, and sends nothing again."""
    lost = ["answer"]

    def loses(_: int, request: bytes) -> str | None:
        return lost.pop() if request.startswith(b"PATCH ") and lost else None

    content = await asyncio.to_thread(image, "PNG", size=(100, 80))
    async with instance.unreliable(loses) as network:
        there, items = engine.at(network.url), [item_of(content)]
        [media] = await there.rows("media", "upload", parameters=UPLOAD, items=items, retryOnFail=True)
    assert media["status"] == "ready"
    assert len(appended(network)) == 1


async def test_a_file_is_fetched_from_an_address(engine: Engine) -> None:
    content = await asyncio.to_thread(image, "JPEG")
    app = web.Application()

    async def respond(_: web.Request) -> web.Response:
        return web.Response(body=content, content_type="image/jpeg")

    app.router.add_get("/cat.jpg", respond)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", free_port()).start()
    parameters = {"source": "url", "url": f"http://127.0.0.1:{runner.addresses[0][1]}/cat.jpg", "altText": "A cat"}
    [media] = await engine.rows("media", "upload", parameters=parameters)
    await runner.cleanup()
    unsafe = {**parameters, "url": "http://169.254.169.254/latest"}
    refused = await engine.execute("media", "upload", parameters=unsafe, executionId="2")

    assert (media["status"], media["altText"], media["mimeType"]) == ("ready", "A cat", "image/jpeg")
    assert "unsafe_url" in refused["error"]["description"]


def test_people_choose_from_every_event_and_every_status(package: Path) -> None:
    code = """
const { SignalpostTrigger } = require("./dist/nodes/SignalpostTrigger/SignalpostTrigger.node.js");
const { postProperties } = require("./dist/nodes/Signalpost/post.js");
const options = (fields, name) => fields.find((field) => field.name === name).options;
const values = (fields, name) => options(fields, name).map(({ value }) => value);
const events = values(new SignalpostTrigger().description.properties, "events");
console.log(JSON.stringify([events, values(options(postProperties, "filters"), "status")]));
"""
    done = n8n.run(package, "--eval", code)
    assert done.returncode == 0, done.stderr
    events, statuses = json.loads(done.stdout)
    assert events == sorted(PUBLIC_EVENTS)
    assert statuses == sorted(POST_STATUSES)


async def test_a_signed_delivery_starts_the_workflow_once_and_a_forged_one_never(engine: Engine, place: Place) -> None:
    async with receiver_server() as receiver:
        trigger = {"webhookBase": receiver.url.rstrip("/")}
        parameters = {"events": ["post.published"], "scope": "post", "profileIds": []}
        before = await engine.command("hook", method="checkExists", parameters=parameters, **trigger)
        created = await engine.command("hook", method="create", parameters=parameters, **trigger)
        active = await engine.command("hook", method="checkExists", parameters=parameters, **trigger)
        await engine.rows("post", "create", parameters=fields(place, "Soup"))
        requests = await receiver.wait(2)  # for the account, and for the post

        async def deliver(headers: dict[str, str], body: bytes) -> Any:
            encoded = base64.b64encode(body).decode()
            return await engine.command("deliver", parameters=parameters, headers=headers, body=encoded, **trigger)

        [whole] = [request for request in requests if request.json["data"]["scope"] == "post"]
        [single] = [request for request in requests if request.json["data"]["scope"] == "target"]
        old = int(time.time()) - 301
        name = "webhook-signature"
        for headers, body in (
            (whole.headers, whole.body + b" "),
            ({**whole.headers, name: "v1,bm90IHRoaXM="}, whole.body),
            ({**whole.headers, name: ""}, whole.body),
            ({**whole.headers, "webhook-id": "dlv_other"}, whole.body),
            ({}, whole.body),
            signed(created["stored"]["secret"], old, whole.body),
        ):
            forged = await deliver(headers, body)
            assert forged["response"]["status"] == 401, forged
            assert "workflowData" not in forged
        emitted = await deliver(whole.headers, whole.body)
        repeated = await deliver(whole.headers, whole.body)
        of_account = await deliver(single.headers, single.body)
        deleted = await engine.command("hook", method="delete", parameters=parameters, **trigger)
        late = await deliver(whole.headers, whole.body)

    assert (before["result"], created["result"], active["result"], deleted["result"]) == (False, True, True, True)
    assert emitted["workflowData"] == [[{"json": whole.json}]]
    assert "workflowData" not in repeated
    assert "workflowData" not in of_account
    assert late["response"]["status"] == 401
    async with RawHttp(place) as plain:
        assert await plain.run(Step("", "listWebhooks")) == []


def signed(secret: str, at: int, body: bytes) -> tuple[dict[str, str], bytes]:
    """A delivery that was signed at another time."""
    signature = Webhook(secret).sign("dlv_old", datetime.fromtimestamp(at, UTC), body.decode())
    return {"webhook-id": "dlv_old", "webhook-timestamp": str(at), "webhook-signature": signature}, body


async def test_what_is_left_of_an_earlier_activation_is_replaced(engine: Engine, place: Place) -> None:
    """n8n was killed, or its database restored: the secret of the old webhook is lost, and with it its use."""
    parameters = {"events": ["post.failed"], "scope": "post", "profileIds": []}
    trigger = {"webhookBase": "https://n8n.example/webhook", "parameters": parameters}
    first = await engine.command("hook", method="create", **trigger)
    changed = await engine.command(
        "hook", method="checkExists", **trigger | {"parameters": {**parameters, "events": []}}
    )
    second = await engine.command("hook", method="create", **trigger)
    async with RawHttp(place) as plain:
        rows = await plain.run(Step("", "listWebhooks"))
    assert changed["result"] is False
    assert [row["id"] for row in rows] == [second["stored"]["webhookId"]] != [first["stored"]["webhookId"]]
    assert rows[0]["url"] == second["url"]


async def test_the_scopes_of_the_readme_suffice(engine: Engine, place: Place) -> None:
    text = (n8n.SOURCE / "README.md").read_text().partition("## Credentials")[2].partition("\n## ")[0]
    scopes = re.findall(r"`(\w+:\w+)`", text)
    async with RawHttp(place) as plain:
        key = (await plain.run(Step("", "createApiKey", body={"name": "n8n", "scopes": scopes})))["key"]
    there = engine.at(place.url, key)
    content = await asyncio.to_thread(image, "PNG", size=(100, 80))
    [media] = await there.rows("media", "upload", parameters=UPLOAD, items=[item_of(content)])
    [post] = await there.rows("post", "create", parameters=fields(place, "Cat", media=[media["id"]]))
    chosen = {"profileId": place.profile}
    for method in ("getProfiles", "getAccounts", "getNetworks"):
        assert await there.command("options", method=method, parameters=chosen)
    trigger = {
        "webhookBase": "https://n8n.example/webhook",
        "parameters": {"events": ["post.failed"], "profileIds": []},
    }
    for method in ("create", "checkExists", "delete"):
        assert (await there.command("hook", method=method, **trigger))["result"] is True
    assert (await there.rows("post", "delete", parameters={"postId": post["id"]}))[0]["deleted"] is True
