"""A service process and the networks: a person connects an account in a browser, a post goes out and is public there.

The networks are those of the simulator; its ledger says what became public.
"""

import asyncio
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx
import pytest
from simulator import Simulator
from tests.helpers import media_files
from tests.helpers.scenes import SCENES
from tests.helpers.service_process import Api, Service, installed

from signalpost.networks import CONNECTORS

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("e2e")]
KEYS = [key for key in SCENES if (flow := CONNECTORS[key].oauth) is not None and flow.register is None]


@dataclass
class World:
    """One service and one simulator for all networks."""

    service: Service
    simulator: Simulator
    api: Api
    files: dict[str, tuple[str, bytes]]

    async def connect(self, key: str) -> str:
        """Connect an account as a person does, and choose the first place that can be posted to."""
        begun = await self.api.get(f"/platforms/{key}/auth-url", params={"profileId": self.api.profile})
        oauth = self.simulator.world.networks[key].oauth
        assert oauth is not None
        async with httpx.AsyncClient(base_url=self.service.base_url) as browser:
            clicked = await browser.post(begun["url"], headers={"Sec-Fetch-Site": "same-origin"})
            assert clicked.status_code == 303, clicked.text
            page = urlsplit(clicked.headers["location"])
            back = oauth.decide(dict(parse_qsl(page.query)), "alice", "approve")
            returned = (await browser.get(back, headers={"Accept": "application/json"})).json()
        account = returned["account"]
        if returned["status"] == "selection_required":
            page_id = next(entry["pageId"] for entry in returned["candidates"] if entry["canPost"])
            body = {"profileId": self.api.profile, "pageId": page_id, "selectionToken": returned["selectionToken"]}
            account = await self.api.post(f"/platforms/{key}/switch-page", json=body)
        assert account is not None, returned
        return str(account["id"])

    async def post(self, key: str, text: str) -> Any:
        """Connect an account and create a post for it, with what posts of the network need."""
        scene, facts = SCENES[key], CONNECTORS[key].facts
        targets = [{"accountId": await self.connect(key), "options": dict(scene.options)}]
        body: dict[str, Any] = {"profileId": self.api.profile, "text": text, "targets": targets}
        if facts.media_required:
            file = self.files["video" if scene.kind == "video" else "image"]
            body["media"] = [{"mediaId": (await self.api.post("/media/upload", files={"file": file}))["id"]}]
        if scene.title is not None:
            body["title"] = text
        return await self.api.post("/posts", json=body)

    def received(self, key: str) -> bool:
        """Whether the network got the call that makes the post public."""
        call = SCENES[key].create_call
        return any(entry.network == key and entry.call == call for entry in self.simulator.world.log)


@pytest.fixture
async def world() -> AsyncIterator[World]:
    async with Simulator() as simulator, installed() as service:
        for key in KEYS:
            scene, name = SCENES[key], f"SIGNALPOST_{key.upper()}"
            places = [replace(entry) for entry in scene.destinations]
            simulator.world.add_person(key, "alice", details=dict(scene.person), destinations=places)
            callback = f"{service.base_url}/api/v1/platforms/{key}/callback"
            app = simulator.world.add_app(key, callback, details=dict(scene.app))
            service.settings |= {
                f"{name}_BASE_URL": simulator.url(key), f"{name}_CLIENT_ID": app.client_id,
                f"{name}_CLIENT_SECRET": app.client_secret,
            }  # fmt: skip
            if scene.scopes:
                service.settings[f"{name}_SCOPES"] = " ".join(scene.scopes)
        await service.start()
        with tempfile.TemporaryDirectory() as folder:
            files = {
                "image": ("photo.jpg", media_files.image("JPEG", size=(640, 640))),
                "video": ("film.mp4", media_files.video(Path(folder), frames=96, size=(360, 640))),
            }
        yield World(service, simulator, await service.owner(), files)


async def test_accounts_of_all_networks_are_connected_and_each_post_becomes_public_once(world: World) -> None:
    posts = {key: await world.post(key, f"From the whole service to {key}") for key in KEYS}

    async def arrived() -> bool:
        return all(map(world.received, KEYS))

    await world.service.until(arrived, "post at every network")
    world.simulator.world.clock.advance(60)  # what networks need for videos
    published = dict(zip(KEYS, await asyncio.gather(*map(world.api.ends, posts.values())), strict=True))

    for key, post in published.items():
        (target,) = post["targets"]
        (entry,) = [entry for entry in world.simulator.world.ledger.of(key) if entry.kind == SCENES[key].kind]
        assert entry.text == f"From the whole service to {key}"
        assert (target["platform"], target["status"]) == (key, "published")
        assert target["platformPostId"].endswith(entry.remote_id), (key, target)
