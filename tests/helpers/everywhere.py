"""A service process and the networks of the simulator, where one person has an account everywhere."""

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx
from simulator import Simulator
from tests.helpers import media_files
from tests.helpers.limits import TEST_SECONDS
from tests.helpers.scenes import SCENES
from tests.helpers.service_process import Api, Service, installed_with_owner

from signalpost.networks import CONNECTORS

FORMS = [key for key, scene in SCENES.items() if scene.fields is not None]
"""Networks whose accounts are connected by a form of credentials."""
KEYS = [key for key in SCENES if key in FORMS or ((flow := CONNECTORS[key].oauth) and flow.register is None)]


@dataclass
class World:
    """One service and one simulator for all networks."""

    service: Service
    simulator: Simulator
    api: Api
    files: dict[str, tuple[str, bytes]]

    async def connect(self, key: str, profile: str | None = None, *, place: str | None = None) -> str:
        """Connect an account as a person does, and choose a place: the one with that name, or the first."""
        profile = profile or self.api.profile
        if key in FORMS:
            return await self._connect_by_form(key, profile)
        begun = await self.api.get(f"/platforms/{key}/auth-url", params={"profileId": profile})
        oauth = self.simulator.world.networks[key].oauth
        assert oauth is not None
        async with httpx.AsyncClient(base_url=self.service.base_url, timeout=TEST_SECONDS) as browser:
            clicked = await browser.post(begun["url"], headers={"Sec-Fetch-Site": "same-origin"})
            assert clicked.status_code == 303, clicked.text
            page = urlsplit(clicked.headers["location"])
            back = oauth.decide(dict(parse_qsl(page.query)), "alice", "approve")
            returned = (await browser.get(back, headers={"Accept": "application/json"})).json()
        account = returned["account"]
        if returned["status"] == "selection_required":
            pages = [entry for entry in returned["candidates"] if entry["canPost"] and place in (None, entry["name"])]
            page_id = pages[0]["pageId"]
            body = {"profileId": profile, "pageId": page_id, "selectionToken": returned["selectionToken"]}
            account = await self.api.post(f"/platforms/{key}/switch-page", json=body)
        assert account is not None, returned
        return str(account["id"])

    async def _connect_by_form(self, key: str, profile: str) -> str:
        enter = SCENES[key].fields
        assert enter is not None
        fields = enter(self.simulator.world.networks[key])
        connected = await self.api.post(f"/platforms/{key}/connect", json={"profileId": profile, "fields": fields})
        return str(connected["id"])

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


@asynccontextmanager
async def everywhere(**settings: str) -> AsyncIterator[World]:
    """Start the service with an app at each network; `settings` are more of its environment."""
    async with Simulator() as simulator, installed_with_owner(**settings) as service:
        for key in KEYS:
            scene, name = SCENES[key], f"SIGNALPOST_{key.upper()}"
            places = [replace(entry) for entry in scene.destinations]
            simulator.world.add_person(key, "alice", details=dict(scene.person), destinations=places)
            service.settings[f"{name}_BASE_URL"] = simulator.url(key)
            if key in FORMS:
                continue
            callback = f"{service.base_url}/api/v1/platforms/{key}/callback"
            app = simulator.world.add_app(key, callback, details=dict(scene.app))
            service.settings |= {
                f"{name}_CLIENT_ID": app.client_id, f"{name}_CLIENT_SECRET": app.client_secret,
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
