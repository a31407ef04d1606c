from collections.abc import Awaitable, Callable

import pytest
from tests.helpers.api import Api
from tests.helpers.contract import Place, furnish
from tests.helpers.factories import Make

from signalpost.context import AppContext
from signalpost.web.routing import Endpoint

Furnish = Callable[[Endpoint], Awaitable[Place]]


@pytest.fixture(scope="session")
async def place(context: AppContext, api: Api) -> Place:
    """A furnished workspace that no test changes for good."""
    return await furnish(api, Make(context, api))


@pytest.fixture(scope="session")
async def elsewhere(context: AppContext, api: Api) -> Place:
    """Another one, of other people."""
    return await furnish(api, Make(context, api))


@pytest.fixture
def another(context: AppContext, api: Api) -> Furnish:
    """Furnishes a fresh workspace, with what the endpoint needs: for what destroys."""

    async def make(endpoint: Endpoint) -> Place:
        return await furnish(api, Make(context, api), [endpoint])

    return make


@pytest.fixture(scope="session")
async def dead_keys(context: AppContext, place: Place) -> list[str]:
    """A revoked key and an expired one."""
    found = []
    for change in ("revoked_at = now()", "expires_at = now() - interval '1 second'"):
        login = await place.make.login(place.owner.user_id, place.owner.workspace_id, place.owner.email)
        key_id = login.key.split("_")[2]
        async with context.database.transaction() as db:
            assert await db.execute(f"update api_key set {change} where key_id = $1", key_id) == "UPDATE 1"
        found.append(login.key)
    return found


@pytest.fixture(scope="session")
async def narrow_keys(api: Api, place: Place) -> dict[str, str]:
    """For each scope a key that has every other one."""
    me = await api.get("/auth/me", key=place.owner.key)
    every = me.json()["auth"]["scopes"]
    found = {}
    for scope in every:
        body = {"name": f"all but {scope}", "scopes": [other for other in every if other != scope]}
        answer = await api.post("/api-keys", json=body, key=place.owner.key)
        assert answer.status_code == 201, answer.text
        found[scope] = answer.json()["key"]
    return found


@pytest.fixture(scope="session")
async def outsider(place: Place) -> str:
    """The key of an admin of the same workspace who may see only another profile, which is empty."""
    profile = await place.make.profile(place.owner)
    login = await place.make.member(place.owner, role="admin", profile_ids=[profile["id"]])
    return login.key
