"""What a check of an account finds, and which credentials are refused."""

import pytest
from tests.helpers.api import Api
from tests.helpers.bluesky_accounts import bluesky, forget_password
from tests.helpers.factories import Make
from tests.helpers.sign_in_servers import FakeMastodon, api_of, context_with

from signalpost.context import AppContext
from signalpost.kit.db import Database


async def test_health_reports_a_refused_account_and_its_return(
    context: AppContext, make: Make, database: Database
) -> None:
    async with bluesky(context, make) as connected:
        path = f"/platforms/accounts/{connected.account_id}/health?refresh=true"
        await forget_password(connected, database)
        connected.network.valid_access, good = "other", connected.network.valid_access
        connected.network.valid_refresh, renewal = "other", connected.network.valid_refresh
        bad = (await connected.api.get(path, key=connected.owner.key)).json()
        assert (bad["status"], bad["accountStatus"], bad["token"]["valid"]) == ("error", "needs_reauth", False)
        assert bad["recommendations"]

        connected.network.valid_access, connected.network.valid_refresh = good, renewal
        back = (await connected.api.get(path, key=connected.owner.key)).json()
        assert (back["accountStatus"], back["token"]["valid"], back["permissions"]["canPost"]) == ("active", True, True)


async def test_health_reports_an_account_that_the_network_blocks(context: AppContext, make: Make) -> None:
    """The credentials are fine, so connecting again would not help: the account is restricted, not signed out."""
    async with bluesky(context, make) as connected:
        path = f"/platforms/accounts/{connected.account_id}/health?refresh=true"
        connected.network.blocked = True
        blocked = (await connected.api.get(path, key=connected.owner.key)).json()
        assert (blocked["status"], blocked["accountStatus"]) == ("error", "restricted")

        connected.network.blocked = False
        back = (await connected.api.get(path, key=connected.owner.key)).json()
        assert back["accountStatus"] == "active"


async def test_a_health_check_updates_the_avatar(context: AppContext, make: Make) -> None:
    """Files of an old avatar disappear from some servers; what is not an address of the web is not stored."""
    network, owner = FakeMastodon(), await make.owner()
    network.tokens.add("t")
    async with network.serve() as url, api_of(context_with(context, MASTODON_BASE_URL=url)) as api:
        body = {"profileId": owner.profile, "fields": {"instanceUrl": url, "accessToken": "t"}}
        connected = (await api.post("/platforms/mastodon/connect", json=body, key=owner.key)).json()
        path = f"/platforms/accounts/{connected['id']}"
        for avatar in ("https://files.example/b.png", "javascript:alert(1)"):
            network.avatar = avatar
            await api.get(f"{path}/health?refresh=true", key=owner.key)
        (account,) = (await api.get("/platforms/accounts/all", key=owner.key)).json()["data"]

    assert connected["avatarUrl"] == "https://files.example/a.png"
    assert account["avatarUrl"] == "https://files.example/b.png"


async def test_health_of_a_silent_server_is_a_warning(context: AppContext, make: Make) -> None:
    async with bluesky(context, make) as connected:
        pass
    path = f"/platforms/accounts/{connected.account_id}/health?refresh=true"
    async with api_of(connected.context) as api:
        response = (await api.get(path, key=connected.owner.key)).json()

    assert (response["status"], response["accountStatus"]) == ("warning", "active")
    assert [issue["code"] for issue in response["issues"]] == ["check_failed"]


async def test_wrong_credentials_are_the_callers_fault(context: AppContext, make: Make) -> None:
    async with bluesky(context, make) as connected:
        body = {"profileId": connected.owner.profile, "fields": {"identifier": "alice.test", "appPassword": "wrong"}}
        response = await connected.api.post("/platforms/bluesky/connect", json=body, key=connected.owner.key)
        assert (response.status_code, response.json()["errors"][0]["path"]) == (422, "/fields")
        assert "wrong" not in response.text
    async with api_of(connected.context) as api:
        unreachable = await api.post("/platforms/bluesky/connect", json=body, key=connected.owner.key)
    assert (unreachable.status_code, unreachable.json()["code"]) == (502, "platform_error")


@pytest.mark.parametrize("service", ["http://169.254.169.254", "https://10.0.0.1", "nonsense!", "https://no.such.test"])
async def test_a_server_that_cannot_be_used_is_the_callers_fault(api: Api, make: Make, service: str) -> None:
    owner = await make.owner()
    fields = {"identifier": "a.test", "appPassword": "x", "service": service}
    body = {"profileId": owner.profile, "fields": fields}
    response = await api.post("/platforms/bluesky/connect", json=body, key=owner.key)

    assert response.status_code == 422, response.text


@pytest.mark.parametrize(("with_password", "status"), [(True, "active"), (False, "needs_reauth")])
async def test_a_stored_app_password_outlives_the_secret_of_the_server(
    context: AppContext, make: Make, database: Database, *, with_password: bool, status: str
) -> None:
    """A server that was restored or got another key knows none of its tokens; nobody has to connect again for that."""
    async with bluesky(context, make) as connected:
        if not with_password:
            await forget_password(connected, database)
        connected.network.secret_replaced, connected.network.valid_access = True, "another"
        path = f"/platforms/accounts/{connected.account_id}/health?refresh=true"
        health = (await connected.api.get(path, key=connected.owner.key)).json()

    assert health["accountStatus"] == status
