from collections.abc import Awaitable, Callable

import pytest
from tests.helpers.api import Api
from tests.helpers.contract import Sample, create_sample
from tests.helpers.factories import Make

from signalpost.context import AppContext
from signalpost.web.routing import Endpoint

CreateSample = Callable[[Endpoint], Awaitable[Sample]]


@pytest.fixture(scope="session")
async def sample(context: AppContext, api: Api) -> Sample:
    """A sample workspace that no test changes permanently."""
    return await create_sample(api, Make(context, api))


@pytest.fixture(scope="session")
async def foreign(context: AppContext, api: Api) -> Sample:
    """The sample workspace of another tenant."""
    return await create_sample(api, Make(context, api))


@pytest.fixture
def fresh_sample(context: AppContext, api: Api) -> CreateSample:
    """Creates a new sample workspace, for requests that delete what they are about."""

    async def make(endpoint: Endpoint) -> Sample:
        return await create_sample(api, Make(context, api), [endpoint])

    return make


@pytest.fixture(scope="session")
async def dead_keys(context: AppContext, sample: Sample) -> list[str]:
    """A revoked key and an expired one."""
    found = []
    for change in ("revoked_at = now()", "expires_at = now() - interval '1 second'"):
        login = await sample.make.login(sample.owner.user_id, sample.owner.workspace_id, sample.owner.email)
        key_id = login.key.split("_")[2]
        async with context.database.transaction() as db:
            assert await db.execute(f"update api_key set {change} where key_id = $1", key_id) == "UPDATE 1"
        found.append(login.key)
    return found


@pytest.fixture(scope="session")
async def narrow_keys(api: Api, sample: Sample) -> dict[str, str]:
    """For each scope a key that has every other one."""
    me = await api.get("/auth/me", key=sample.owner.key)
    every = me.json()["auth"]["scopes"]
    found = {"instance:admin": sample.owner.key}
    for scope in every:
        body = {"name": f"all but {scope}", "scopes": [other for other in every if other != scope]}
        answer = await api.post("/api-keys", json=body, key=sample.owner.key)
        assert answer.status_code == 201, answer.text
        found[scope] = answer.json()["key"]
    return found


@pytest.fixture(scope="session")
async def outsider(sample: Sample) -> str:
    """The key of an admin of the same workspace who may see only another profile, which is empty."""
    profile = await sample.make.profile(sample.owner)
    login = await sample.make.member(sample.owner, role="admin", profile_ids=[profile["id"]])
    return login.key
