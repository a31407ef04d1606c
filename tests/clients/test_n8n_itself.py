"""The package in a real n8n: people save credentials and run workflows there, and deliveries start them."""

import asyncio
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.clients import n8n
from tests.clients.conftest import Instance
from tests.clients.drivers import RawHttp, Step
from tests.counterparts import tools
from tests.counterparts.n8n import RealN8n, opened

pytestmark = [pytest.mark.heavy, pytest.mark.xdist_group("n8n")]


@pytest.fixture
async def real(tmp_path: Path, dsn: str) -> AsyncIterator[RealN8n]:
    """With the package installed as its README says."""
    home = tmp_path / "home"
    await asyncio.to_thread(install, await asyncio.to_thread(n8n.build, tmp_path), home / ".n8n" / "nodes")
    async with opened(home, dsn) as running:
        yield running


def install(package: Path, nodes: Path) -> None:
    nodes.mkdir(parents=True)
    archive = npm(package, "pack", "--ignore-scripts").stdout.strip()
    npm(nodes, "install", "--offline", "--legacy-peer-deps", str(package / archive))


def npm(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = (tools.program("npm"), *arguments)
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)


def node(name: str, kind: str, credential: Any, **parameters: Any) -> dict[str, Any]:
    reference = {"signalpostApi": credential}
    return {"name": name, "type": f"n8n-nodes-signalpost.{kind}", "parameters": parameters, "credentials": reference}


async def delivered(plain: RawHttp, webhook: str, attempts: int) -> list[Any]:
    """The deliveries of a webhook, as soon as n8n has answered so many attempts of all of them together."""
    async with asyncio.timeout(120):
        while True:
            rows: list[Any] = await plain.run(Step("", "listWebhookDeliveries", (webhook,)))
            answered = sum(row["attempts"] for row in rows)
            if answered == attempts and {row["state"] for row in rows} == {"delivered"}:
                return rows
            await asyncio.sleep(0.1)


async def test_a_workflow_publishes_and_another_starts_once_for_it(instance: Instance, real: RealN8n) -> None:
    place = await instance.place()
    values = {"baseUrl": place.url, "apiKey": place.key}
    credential = await real.credential(values)
    assert await real.check(credential, values) == "OK"
    assert await real.check(credential, {**values, "apiKey": "sp_live_wrong"}) == "Error"

    listens = await real.workflow(
        "Listen", node("When", "signalpostTrigger", credential, events=["post.published"], scope="post", profileIds=[])
    )
    listens = await real.activate(listens, True)
    to = {"profileId": place.profile, "publishTo": "networks", "platforms": ["sandbox"], "media": []}
    publishes = await real.workflow(
        "Publish",
        {"name": "Start", "type": "n8n-nodes-base.manualTrigger"},
        node("Post", "signalpost", credential, resource="post", operation="create", text="={{ $execution.id }}", **to),
    )
    async with RawHttp(place) as plain, httpx.AsyncClient() as stranger:
        [webhook] = await plain.run(Step("", "listWebhooks"))
        assert webhook["url"].startswith(f"{real.url}/webhook/")
        assert await real.run(publishes) == "success"
        rows = await delivered(plain, webhook["id"], 2)  # for the account, and for the post
        headers = {"webhook-id": "dlv_forged", "webhook-timestamp": "1795284000", "webhook-signature": "v1,Zm9yZ2Vk"}
        body = {"id": "dlv_forged", "type": "post.published", "data": {"scope": "post"}}
        for forged in ({}, headers):
            assert (await stranger.post(webhook["url"], json=body, headers=forged)).status_code == 401
        for row in rows:
            again = ("", "resendWebhookDelivery", (webhook["id"], row["id"]))
            await plain.run(Step(*again))
        await delivered(plain, webhook["id"], 4)
        assert await real.run(publishes) == "success"
        await delivered(plain, webhook["id"], 6)  # whose executions exist before n8n answers
        started = await real.executions(listens)
        assert [(row["mode"], row["status"]) for row in started] == [("webhook", "success")] * 2
        posts = await plain.run(Step("", "listPosts"))
        assert [post["status"] for post in posts] == ["published"] * 2
        await real.activate(listens, False)
        assert await plain.run(Step("", "listWebhooks")) == []
