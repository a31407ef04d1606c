"""What is said to whoever names a network that they have no account of: the request that it names is the next one."""

import re

import pytest
from tests.helpers.api import Api
from tests.helpers.authorization import api_of, context_with
from tests.helpers.factories import Make

from signalpost import networks
from signalpost.context import AppContext

NEEDS_APP = [key for key, connector in networks.CONNECTORS.items() if connector.facts.app_credentials]


async def _hint(api: Api, key: str, profile_id: str, platform: str) -> str:
    """What a post for the network is answered, in which the profile has no account."""
    body = {"profileId": profile_id, "platforms": [platform], "text": "Hello"}
    refused = await api.post("/posts", json=body, key=key)
    assert refused.status_code == 422, refused.text
    [issue] = refused.json()["errors"]
    assert issue["path"] == "/platforms/0"
    assert issue["code"] == "not_found"
    return str(issue["message"])


@pytest.mark.parametrize("platform", networks.CONNECTORS)
async def test_the_request_that_a_hint_names_is_the_next_one(context: AppContext, make: Make, platform: str) -> None:
    owner = await make.owner()
    name = platform.upper()
    operated = context_with(context, **{f"{name}_CLIENT_ID": "id", f"{name}_CLIENT_SECRET": "secret"})
    async with api_of(operated) as api:
        hint = await _hint(api, owner.key, owner.profile, platform)
        if (by_form := re.search(r"POST (/platforms/\w+/connect) with (.+)\.", hint)) is not None:
            body = {"profileId": owner.profile}
            asked = await api.post(by_form[1], json=body, key=owner.key)
            missing = {issue["path"].removeprefix("/fields/") for issue in asked.json()["errors"]}
            assert missing == set(by_form[2].split(" and "))
        elif fields := {field.name for field in networks.CONNECTORS[platform].facts.credential_fields}:  # several ways
            assert f"POST /platforms/{platform}/connect; GET /platforms lists the fields" in hint
            asked = await api.post(f"/platforms/{platform}/connect", json={"profileId": owner.profile}, key=owner.key)
            named = {issue["path"].removeprefix("/fields/") for issue in asked.json()["errors"]}
            assert named
            assert named <= fields
        else:
            assert f"GET /platforms/{platform}/auth-url?profileId=" in hint
            begun = await api.get(f"/platforms/{platform}/auth-url?profileId={owner.profile}", key=owner.key)
            assert begun.status_code == 200, begun.text
            assert begun.json()["mode"] == "oauth"


@pytest.mark.parametrize("platform", NEEDS_APP)
async def test_what_only_the_operator_can_do_is_said_at_once(api: Api, make: Make, platform: str) -> None:
    owner = await make.owner()
    hint = await _hint(api, owner.key, owner.profile, platform)
    connect = await api.post(f"/platforms/{platform}/connect", json={"profileId": owner.profile}, key=owner.key)
    begun = await api.get(f"/platforms/{platform}/auth-url?profileId={owner.profile}", key=owner.key)

    assert f"SIGNALPOST_{platform.upper()}_CLIENT_ID" in hint
    assert (connect.status_code, begun.status_code) == (409, 409)
    assert begun.json()["detail"] in hint
    assert connect.json()["remediation"] in hint


@pytest.mark.parametrize("platform", [key for key in networks.CONNECTORS if key != "sandbox"])
async def test_a_test_key_is_never_sent_to_what_it_may_not_do(api: Api, make: Make, platform: str) -> None:
    owner = await make.owner()
    body = {"profileId": owner.profile, "platforms": [platform], "text": "Hello"}
    refused = await api.post("/posts", json=body, key=owner.test_key)

    assert (refused.status_code, refused.json()["code"]) == (403, "test_mode_only_sandbox")
