"""The recipes of the guide to workflow tools, run as they stand there, as far as the tools can be had here.

Home Assistant is a configuration with templates: it is read by a YAML parser, filled by Jinja, and sent as it says.
Zapier runs JavaScript around which it puts a function. GitHub reads the inputs of the action.
"""

import asyncio
import json
import re
import time
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import jinja2
import pytest
import yaml
from tests.clients.conftest import Instance
from tests.clients.drivers import Place, RawHttp, Step
from tests.clients.test_github_action import ACTION, FOLDER
from tests.counterparts import tools

from signalpost.webhooks import signing

pytestmark = pytest.mark.xdist_group("clients")
GUIDE = (tools.CHECKOUT / "docs" / "guides" / "workflow-tools.md").read_text()
EXAMPLE = "https://post.example.com"


class _Loader(yaml.SafeLoader):
    """YAML as Home Assistant reads it."""


_Loader.add_constructor("!secret", lambda loader, node: Secret(loader.construct_scalar(node)))


class Secret(str):
    """The name of a secret."""


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", GUIDE, re.DOTALL)


def configuration(name: str) -> Any:
    [found] = [read[name] for block in blocks("yaml") if name in (read := yaml.load(block, _Loader))]  # noqa: S506
    return found


def rendered(template: str, **values: Any) -> str:
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, autoescape=False)  # noqa: S701
    environment.filters["to_json"] = json.dumps
    return environment.from_string(template).render(now=datetime.now, **values)


async def commanded(place: Place, name: str, **data: str) -> httpx.Response:
    """Send a command of the configuration as the integration `rest_command` does."""
    command = configuration("rest_command")[name]
    secrets = {"signalpost": f"Bearer {place.key}"}
    headers = {
        header: secrets[value] if isinstance(value, Secret) else rendered(value, **data)
        for header, value in command["headers"].items()
    }
    body = rendered(command.get("payload", ""), **data).replace("prof_…", place.profile).replace("mastodon", "sandbox")
    if "content_type" in command:
        headers["Content-Type"] = command["content_type"]
    url = rendered(command["url"], **data).replace(EXAMPLE, place.url)
    async with httpx.AsyncClient(timeout=60) as client:
        return await client.request(command.get("method", "get").upper(), url, headers=headers, content=body.encode())


async def test_home_assistant_publishes_once_in_a_run_and_reads_the_state(place: Place) -> None:
    oven, failed = configuration("automation")
    publish, notify = oven["actions"]
    context = {"id": "01HCONTEXT"}
    data = {name: rendered(value, context=context) for name, value in publish["data"].items()}
    assert publish["action"] == "rest_command.publish"
    data["text"] += ' "with seeds"\nand butter'
    first, again = [await commanded(place, "publish", **data) for _ in range(2)]
    assert (first.status_code, again.json()["id"]) == (201, first.json()["id"])
    assert first.json()["text"] == data["text"]
    assert rendered(notify["if"], published={"status": first.status_code}) == "False"
    assert rendered(notify["if"], published={"status": 422}) == "True"

    ask, tell = failed["actions"]
    delivered = {"json": {"data": {"postId": first.json()["id"]}}}
    data = {name: rendered(value, trigger=delivered) for name, value in ask["data"].items()}
    state = await commanded(place, ask["action"].removeprefix("rest_command."), **data)
    assert state.status_code == 200
    document = state.json()
    assert rendered(tell["if"], post={"status": 200, "content": document}) == "False"
    assert rendered(tell["if"], post={"status": 200, "content": document | {"status": "failed"}}) == "True"
    assert rendered(tell["then"][0]["data"]["message"], post={"content": document}) == first.json()["id"]
    async with RawHttp(place) as plain:
        assert [post["id"] for post in await plain.run(Step("", "listPosts"))] == [first.json()["id"]]


async def test_home_assistant_learns_why_a_post_was_refused(place: Place) -> None:
    refused = await commanded(place, "publish", key="1", text="")
    assert refused.status_code == 422
    assert refused.json()["remediation"]


WRAPPER = """
const run = new (Object.getPrototypeOf(async function () {}).constructor)(
  "inputData", "require", "output", `${process.argv[1]}; return output;`);
run(JSON.parse(process.argv[2]), require).then((output) => console.log(JSON.stringify(output)));
"""
"""Zapier calls the code as the body of an asynchronous function, with `inputData`, `require` and `output`."""


async def zapier(**inputs: str) -> Any:
    """Run the code step; the output, or nothing if it stops the Zap."""
    [code] = blocks("javascript")
    process = await asyncio.create_subprocess_exec(
        tools.node(), "-e", WRAPPER, code, json.dumps(inputs),
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, problems = await process.communicate()
    assert process.returncode == 0 or b"not a delivery of Signalpost" in problems, problems
    return json.loads(out) if process.returncode == 0 else None


async def test_zapier_goes_on_with_a_true_delivery_alone() -> None:
    secret, other = signing.new_secret(), signing.new_secret()
    body = json.dumps({"id": "dlv_1", "type": "post.published", "data": {"text": "Grüße 🙂"}}, ensure_ascii=False)

    def inputs(age: int = 0, secrets: tuple[str, ...] = (secret,)) -> Mapping[str, str]:
        at = int(time.time()) - age
        headers = {
            name.lower(): value
            for name, value in signing.headers(
                brand="Service", event_type="x", delivery_id="dlv_1", attempt_number=1, timestamp=at,
                secrets=list(secrets), body=body.encode(),
            ).items()
        }  # fmt: skip
        names = {"id": "webhook-id", "at": "webhook-timestamp", "signatures": "webhook-signature"}
        return {name: headers[header] for name, header in names.items()} | {"body": body, "secret": secret}

    true, rotated, forged, old, changed = await asyncio.gather(
        zapier(**inputs()), zapier(**inputs(secrets=(other, secret))), zapier(**inputs(secrets=(other,))),
        zapier(**inputs(age=301)), zapier(**inputs() | {"body": body + " "}),
    )  # fmt: skip
    assert true == rotated == json.loads(body)
    assert (forged, old, changed) == (None, None, None)


@pytest.mark.parametrize("text", [GUIDE, (FOLDER / "README.md").read_text()], ids=["guide", "readme"])
def test_the_workflow_for_github_gives_the_action_what_it_takes(text: str) -> None:
    [workflow] = [block for block in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL) if "uses:" in block]
    [step] = yaml.safe_load(workflow)["jobs"]["announce"]["steps"]
    needed = {name for name, given in ACTION["inputs"].items() if given.get("required")}
    assert step["uses"].partition("@")[0].endswith(Path(FOLDER).relative_to(tools.CHECKOUT).as_posix())
    assert needed <= set(step["with"]) <= set(ACTION["inputs"])


async def test_the_request_of_the_table_publishes(instance: Instance, place: Place) -> None:
    """By which every tool that sends HTTP publishes, Make among them."""
    rows = dict(re.findall(r"^\| (?:header )?(.+?) \| (.+?) \|$", GUIDE, re.MULTILINE))
    method, url = rows["method and address"].strip("`").replace(EXAMPLE, instance.url).split(" ")
    headers = {"Authorization": rows["`Authorization`"].strip("`").replace("sp_live_…", place.key)}
    headers |= {"Content-Type": rows["`Content-Type`"].strip("`"), "Idempotency-Key": "make-1"}
    body = rows["body"].strip("`").replace("prof_…", place.profile).replace("mastodon", "sandbox")
    async with httpx.AsyncClient(timeout=60) as client:
        answer = await client.request(method, url, headers=headers, content=body.encode())
    assert (answer.status_code, answer.json()["text"]) == (201, "Soup of the day")
