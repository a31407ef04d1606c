"""Every network with an app of the operator, connected through the whole service: link, consent, callback, choice.

The networks are those of the simulator, which checks clients, redirect addresses, PKCE and scopes as they do.
"""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from simulator import Simulator
from tests.helpers.authorization import Browser
from tests.helpers.factories import Login, Make
from tests.helpers.scenes import SCENES
from tests.helpers.sign_in_servers import api_of, context_with

from signalpost.context import AppContext
from signalpost.networks import CONNECTORS

ORIGIN = "https://signalpost.test"
KEYS = [key for key in SCENES if (flow := CONNECTORS[key].oauth) is not None and flow.register is None]


@pytest.fixture(scope="module")
async def simulator() -> AsyncIterator[Simulator]:
    async with Simulator(start=datetime.now(UTC)) as simulator:
        yield simulator


class Person:
    """Someone with an account at a network, and a browser."""

    def __init__(self, simulator: Simulator, key: str, api: Any, owner: Login, browser: Browser) -> None:
        self.simulator, self.key, self.api, self.owner, self.browser = simulator, key, api, owner, browser

    async def answer(self, decision: str, **query: str) -> Any:
        """Ask for a link, open it, answer the network's question, and come back."""
        params = {"profileId": self.owner.profile} | query
        begun = (await self.api.get(f"/platforms/{self.key}/auth-url", params=params, key=self.owner.key)).json()
        clicked = await self.browser.post(begun["url"])
        page = urlsplit(clicked.headers["location"])
        network = self.simulator.world.networks[self.key]
        back = urlsplit(network.oauth.decide(dict(parse_qsl(page.query)), "alice", decision))
        params = dict(parse_qsl(back.query))
        return (await self.browser.get(back.path, params=params, accept="application/json")).json()


@pytest.fixture
async def person(
    simulator: Simulator, context: AppContext, make: Make, request: pytest.FixtureRequest
) -> AsyncIterator[Person]:
    key, scene, world = request.param, SCENES[request.param], simulator.world
    world.reset()
    world.clock.set(datetime.now(UTC))
    if scene.prepare is not None:
        scene.prepare(world.networks[key])
    world.add_person(
        key, "alice", details=dict(scene.person), destinations=[replace(entry) for entry in scene.destinations]
    )
    app = world.add_app(key, f"{ORIGIN}/api/v1/platforms/{key}/callback", details=dict(scene.app))
    name = key.upper()
    settings = {
        f"{name}_BASE_URL": simulator.url(key), f"{name}_CLIENT_ID": app.client_id,
        f"{name}_CLIENT_SECRET": app.client_secret,
    }  # fmt: skip
    operated = context_with(context, **settings, **({f"{name}_SCOPES": " ".join(scene.scopes)} if scene.scopes else {}))
    operated.settings = replace(operated.settings, base_url=ORIGIN)
    async with api_of(operated) as api:
        browser = Browser(api, ORIGIN)
        yield Person(simulator, key, api, await make.owner(), browser)
        await browser.client.aclose()


@pytest.mark.parametrize("person", KEYS, indirect=True)
async def test_a_person_refuses_then_connects_an_account_and_does_so_again(person: Person) -> None:
    refused = await person.answer("deny")
    before = (await person.api.get("/platforms/accounts/all", key=person.owner.key)).json()["data"]
    returned = await person.answer("approve")
    account = returned["account"]
    if returned["status"] == "selection_required":
        page_id = next(page["pageId"] for page in returned["candidates"] if page["canPost"])
        body = {"profileId": person.owner.profile, "pageId": page_id, "selectionToken": returned["selectionToken"]}
        chosen = await person.api.post(f"/platforms/{person.key}/switch-page", json=body, key=person.owner.key)
        assert chosen.status_code == 201, chosen.text
        account = chosen.json()
    assert account is not None, returned
    health = await person.api.get(f"/platforms/accounts/{account['id']}/health?refresh=true", key=person.owner.key)
    again = await person.answer("approve", accountId=account["id"])

    assert (refused["status"], bool(refused["error"]), before) == ("failed", True, [])
    assert (account["platform"], account["status"], account["connectedVia"]) == (person.key, "active", "api")
    assert (health.json()["status"], health.json()["live"]) == ("healthy", True), health.text
    assert health.json()["permissions"]["missing"] == []
    assert (again["status"], again["account"]["id"]) == ("connected", account["id"])
    if CONNECTORS[person.key].destinations is not None:
        query = {"profileId": person.owner.profile}
        pages = await person.api.get(f"/platforms/{person.key}/pages", params=query, key=person.owner.key)
        assert account["id"] in [page["accountId"] for page in pages.json()["data"]]
