"""The authorization flow: the good case, and the many cases it must refuse."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.helpers.sign_in_servers import FakeMastodon, api_of, context_with

from signalpost.context import AppContext
from signalpost.kit import ids
from signalpost.kit.db import Database

REDIRECT_URL = "https://app.example.com/connected?tab=1"


@dataclass
class AuthorizationFlow:
    """A Mastodon server, the service, and someone who wants to connect."""

    network: FakeMastodon
    url: str
    api: Api
    owner: Login
    database: Database

    async def start(self, **query: str) -> Any:
        params = {"profileId": self.owner.profile, "instanceUrl": self.url} | query
        return await self.api.get("/platforms/mastodon/auth-url", params=params, key=self.owner.key)

    async def consent(self, **query: str) -> dict[str, str]:
        """Begin, agree at the network, and return what the browser brings back."""
        begun = (await self.start(**query)).json()
        return {"state": begun["state"], "code": self.network.consent(begun["url"])}

    async def callback(self, params: dict[str, str], platform: str = "mastodon", **headers: str) -> Any:
        return await self.api.call(
            "GET", f"/platforms/{platform}/callback", params=params, headers=headers or {"Accept": "application/json"}
        )

    async def accounts(self) -> list[Any]:
        listing = await self.api.get("/platforms/accounts/all", key=self.owner.key)
        return list(listing.json()["data"])


@pytest.fixture
async def flow(context: AppContext, make: Make, database: Database) -> AsyncIterator[AuthorizationFlow]:
    network = FakeMastodon()
    async with network.serve() as url, api_of(context_with(context, MASTODON_BASE_URL=url)) as api:
        owner = await make.owner()
        await database.pool.execute(
            "update workspace set redirect_urls = $2 where id = $1", owner.workspace_id, [REDIRECT_URL]
        )
        yield AuthorizationFlow(network, url, api, owner, database)


async def test_a_person_agrees_and_the_account_is_there(flow: AuthorizationFlow) -> None:
    begun = (await flow.start(loginHint="alice+x@example.com")).json()
    query = parse_qs(urlsplit(begun["url"]).query)
    assert begun["authUrl"] == begun["url"]
    assert (begun["mode"], begun["platform"], begun["profileId"]) == ("oauth", "mastodon", flow.owner.profile)
    assert query["redirect_uri"] == [begun["redirectUri"]]
    assert query["state"] == [begun["state"]]
    assert query["login_hint"] == ["alice+x@example.com"]
    assert query["code_challenge_method"] == ["S256"]

    code = flow.network.consent(begun["url"])
    response = await flow.callback({"state": begun["state"], "code": code, "iss": "whatever", "logid": "7"})
    assert response.status_code == 200
    result = response.json()
    assert (result["status"], result["error"], result["logId"]) == ("connected", None, "7")
    assert result["account"]["connectedVia"] == "api"
    assert result["account"]["followers"] == 7
    assert [account["id"] for account in await flow.accounts()] == [result["account"]["id"]]


async def test_connecting_again_by_authorization_keeps_the_id(flow: AuthorizationFlow) -> None:
    first = (await flow.callback(await flow.consent())).json()["account"]
    again = (await flow.callback(await flow.consent(accountId=first["id"]))).json()

    assert (again["status"], again["account"]["id"]) == ("connected", first["id"])


async def test_one_app_is_registered_for_all_flows(flow: AuthorizationFlow) -> None:
    for _ in range(3):
        await flow.start()
    assert len(flow.network.apps) == 1


async def test_a_forgotten_app_is_registered_again(flow: AuthorizationFlow) -> None:
    params = await flow.consent()
    flow.network.forgets_apps = True
    assert (await flow.callback(params)).json()["status"] == "failed"
    flow.network.forgets_apps = False

    assert (await flow.callback(await flow.consent())).json()["status"] == "connected"
    assert len(flow.network.apps) == 2


async def refused(flow: AuthorizationFlow, params: dict[str, str], platform: str = "mastodon") -> None:
    """The response is 400 oauth_state_invalid, no code was exchanged, and nothing was stored."""
    before = flow.network.exchanges
    response = await flow.callback(params, platform)
    assert (response.status_code, response.json()["code"]) == (400, "oauth_state_invalid")
    assert flow.network.exchanges == before


@pytest.mark.parametrize("state", ["x", "ünïcode", "x" * 200, "' or 1=1 --", "<script>alert(1)</script>"])
async def test_a_state_that_is_not_ours_is_refused(flow: AuthorizationFlow, state: str) -> None:
    good = await flow.consent()
    await refused(flow, good | {"state": state})
    assert await flow.accounts() == []


@pytest.mark.parametrize("missing", [{"state": ""}, {"code": ""}, {"state": "", "code": ""}])
async def test_a_return_without_state_or_code_is_refused(flow: AuthorizationFlow, missing: dict[str, str]) -> None:
    response = await flow.callback(await flow.consent() | missing)
    assert (response.status_code, response.json()["code"]) == (422, "validation_failed")


async def test_a_state_works_once_whatever_came_of_it(flow: AuthorizationFlow) -> None:
    good = await flow.consent()
    assert (await flow.callback(good)).json()["status"] == "connected"
    await refused(flow, good)

    denied = {"state": (await flow.consent())["state"], "error": "access_denied"}
    assert (await flow.callback(denied)).json()["status"] == "failed"
    await refused(flow, denied | {"code": "x"})


async def test_a_state_shown_twice_at_once_works_once(flow: AuthorizationFlow) -> None:
    good = await flow.consent()
    responses = await asyncio.gather(*(flow.callback(good) for _ in range(8)))

    assert sorted(response.status_code for response in responses) == [200] + [400] * 7
    assert flow.network.exchanges == 1


async def test_an_old_state_is_refused(flow: AuthorizationFlow) -> None:
    good = await flow.consent()
    await flow.database.pool.execute(
        "update oauth_flow set expires_at = now() - interval '1 second' where workspace_id = $1",
        flow.owner.workspace_id,
    )
    await refused(flow, good)


async def test_a_state_of_another_platform_is_refused(flow: AuthorizationFlow) -> None:
    """Mix-up: the response of one platform brought to the redirect address of another."""
    good = await flow.consent()
    await refused(flow, good, "facebook")
    await refused(flow, good, "sandbox")
    assert (await flow.callback(good)).json()["status"] == "connected"


async def test_a_state_is_stored_as_a_hash_only(flow: AuthorizationFlow) -> None:
    good = await flow.consent()
    dump = await flow.database.pool.fetchval(
        "select json_agg(f)::text from oauth_flow f where workspace_id = $1", flow.owner.workspace_id
    )
    assert good["state"] not in dump
    assert good["state"].encode().hex() not in dump


async def test_someone_elses_code_does_not_fit(flow: AuthorizationFlow) -> None:
    """Code injection: PKCE binds a code to the flow that began it."""
    mine, other = await flow.consent(), await flow.consent()
    response = (await flow.callback({"state": mine["state"], "code": other["code"]})).json()

    assert response["status"] == "failed"
    assert await flow.accounts() == []


async def test_a_used_code_is_a_failure_not_an_error(flow: AuthorizationFlow) -> None:
    first = await flow.consent()
    await flow.callback(first)
    second = await flow.consent()
    response = await flow.callback({"state": second["state"], "code": first["code"]})

    assert (response.status_code, response.json()["status"]) == (200, "failed")


async def test_a_profile_deleted_meanwhile_gets_nothing(flow: AuthorizationFlow) -> None:
    good = await flow.consent()
    await flow.api.delete(f"/profiles/{flow.owner.profile}", key=flow.owner.key)
    response = (await flow.callback(good)).json()

    assert (response["status"], response["error"]) == ("failed", "not_found")
    assert await flow.accounts() == []


@pytest.mark.parametrize(
    "sql",
    [
        "update member set role = 'viewer' where workspace_id = $1 and role <> 'owner'",
        "update member set status = 'removed' where workspace_id = $1 and role <> 'owner'",
        "update member set profile_ids = '{}' where workspace_id = $1 and role <> 'owner'",
        "update api_key set revoked_at = now() where workspace_id = $1",
    ],
    ids=["demoted", "removed", "limited", "key revoked"],
)
async def test_a_person_who_lost_the_right_meanwhile_connects_nothing(
    flow: AuthorizationFlow, make: Make, sql: str
) -> None:
    editor = await make.member(flow.owner, role="editor")
    editor.profile = flow.owner.profile
    owner, flow.owner = flow.owner, editor
    good = await flow.consent()
    flow.owner = owner
    await flow.database.pool.execute(sql, owner.workspace_id)
    response = (await flow.callback(good)).json()

    assert (response["status"], response["error"]) == ("failed", "forbidden")
    count = await flow.database.pool.fetchval(
        "select count(*) from account where workspace_id = $1", owner.workspace_id
    )
    assert (count, flow.network.exchanges) == (0, 0)


async def test_another_account_than_the_one_to_reconnect_is_refused(flow: AuthorizationFlow, make: Make) -> None:
    other = await make.account(flow.owner)
    refused = await flow.start(accountId=other["id"])  # another platform
    assert (refused.status_code, refused.json()["errors"][0]["path"]) == (404, "accountId")
    first = (await flow.callback(await flow.consent())).json()["account"]
    good = await flow.consent(accountId=first["id"])
    await flow.database.pool.execute(
        "update account set remote_id = 'someone-else' where id = $1", ids.decode("acc", first["id"])
    )
    response = (await flow.callback(good)).json()

    assert (response["status"], response["error"]) == ("failed", "validation_failed")


@pytest.mark.parametrize(
    "address",
    [
        "https://evil.example/", "https://app.example.com/connected", REDIRECT_URL + "&x=1", REDIRECT_URL + "#f",
        "//evil.example", "javascript:alert(1)", REDIRECT_URL.upper(), REDIRECT_URL + " ",
        "https://app.example.com@evil.example/connected?tab=1",
    ],
)  # fmt: skip
async def test_only_listed_addresses_are_returned_to(flow: AuthorizationFlow, address: str) -> None:
    response = await flow.start(redirectUrl=address)
    assert (response.status_code, response.json()["errors"][0]["path"]) == (422, "redirectUrl")


async def test_a_browser_is_moved_on_to_the_listed_address(flow: AuthorizationFlow) -> None:
    response = await flow.api._client.get(
        "/api/v1/platforms/mastodon/callback",
        params=await flow.consent(redirectUrl=REDIRECT_URL),
        headers={"Accept": "text/html,*/*", "X-Forwarded-For": "10.9.9.1"},
    )
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in response.headers["content-security-policy"]
    assert response.headers["referrer-policy"] == "no-referrer"
    assert "url=https://app.example.com/connected?tab=1&amp;status=connected&amp;accountId=acc_" in response.text
    assert "<b>Alice" not in response.text
    assert "&lt;b&gt;Alice" in response.text


async def test_nothing_from_outside_becomes_markup(flow: AuthorizationFlow) -> None:
    evil = '"><script>alert(1)</script>'
    state = (await flow.consent(redirectUrl=REDIRECT_URL))["state"]
    response = await flow.api._client.get(
        "/api/v1/platforms/mastodon/callback",
        params={"state": state, "error": evil, "error_description": evil, "logid": evil},
        headers={"Accept": "text/html", "X-Forwarded-For": "10.9.9.2"},
    )
    assert response.status_code == 200
    assert "<script" not in response.text
    assert "%3Cscript%3E" in response.text  # in the address to move on to

    state = (await flow.consent())["state"]
    report = await flow.callback({"state": state, "error": evil, "error_description": evil})
    assert report.headers["content-type"] == "application/json"
    assert (report.json()["status"], report.json()["error"], report.json()["errorDescription"]) == (
        "failed",
        evil,
        evil,
    )


async def test_neither_code_nor_state_is_logged(flow: AuthorizationFlow, capsys: pytest.CaptureFixture[str]) -> None:
    good = await flow.consent()
    await flow.callback(good)
    await flow.callback(good)
    logged = capsys.readouterr()

    assert good["state"] not in logged.out + logged.err
    assert good["code"] not in logged.out + logged.err


@pytest.mark.parametrize(
    "address", ["https://169.254.169.254", "http://10.0.0.1", "https://user:pw@host.test", "://", "ftp://x.y"]
)
async def test_a_server_that_must_not_be_reached_is_refused(flow: AuthorizationFlow, address: str) -> None:
    response = await flow.start(instanceUrl=address)
    assert response.status_code == 422, response.text


async def test_the_server_must_be_named(api: Api, make: Make) -> None:
    owner = await make.owner()
    response = await api.get(f"/platforms/mastodon/auth-url?profileId={owner.profile}", key=owner.key)
    assert (response.status_code, response.json()["errors"][0]["path"]) == (422, "instanceUrl")


async def test_a_lost_response_of_the_exchange_is_reported_as_failed(flow: AuthorizationFlow) -> None:
    good = await flow.consent()

    async def slam(request: Any) -> Any:
        request.transport.close()
        raise asyncio.CancelledError

    flow.network.me = slam  # type: ignore[method-assign]
    flow.network.codes.clear()
    response = await flow.callback(good)
    assert (response.status_code, response.json()["status"]) == (200, "failed")
