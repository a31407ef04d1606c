"""The authorization flow as it should go, in a browser with the right cookie; `test_flow_attacks` has the rest."""

import asyncio
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import pytest
from tests.helpers.api import Api
from tests.helpers.authorization import HTML, REDIRECT_URL, AuthorizationFlow, Browser, authorization_flow
from tests.helpers.factories import Make
from tests.helpers.sign_in_servers import api_of, context_with

from signalpost import networks
from signalpost.accounts.actions import authorize
from signalpost.context import AppContext
from signalpost.kit.db import Database


async def test_a_person_agrees_and_the_account_is_there(flow: AuthorizationFlow) -> None:
    begun = (await flow.start(loginHint="alice+x@example.com")).json()
    assert begun["authUrl"] == begun["url"] == f"{flow.origin}/connect/{begun['state']}"
    assert (begun["mode"], begun["platform"], begun["profileId"]) == ("oauth", "mastodon", flow.owner.profile)

    address = await flow.click(begun["url"])
    query = parse_qs(urlsplit(address).query)
    assert address.startswith(flow.url + "/oauth/authorize?")
    assert query["redirect_uri"] == [begun["redirectUri"]]
    assert query["state"] == [begun["state"]]
    assert query["login_hint"] == ["alice+x@example.com"]
    assert query["code_challenge_method"] == ["S256"]
    assert query["force_login"] == ["true"]  # otherwise Mastodon does not ask those who agreed before

    code = flow.network.consent(address)
    issuer = flow.url + "/"
    response = await flow.callback({"state": begun["state"], "code": code, "iss": issuer, "logid": "7", "new": "x"})
    assert response.status_code == 200
    result = response.json()
    assert (result["status"], result["error"], result["logId"]) == ("connected", None, "7")
    assert result["account"]["connectedVia"] == "api"
    assert result["account"]["followers"] == 7
    assert [account["id"] for account in await flow.accounts()] == [result["account"]["id"]]


async def test_the_start_page_says_who_asks_for_what(flow: AuthorizationFlow, make: Make) -> None:
    """Whoever opens the link knows before the click; opening it changes nothing, so previews of it do no harm."""
    await flow.database.pool.execute("update workspace set name = '<b>Acme</b>' where id = $1", flow.owner.workspace_id)
    first = (await flow.callback(await flow.consent())).json()["account"]
    link = await flow.link(redirectUrl=REDIRECT_URL, accountId=first["id"])
    for browser in (flow.browser, flow.another_browser(), flow.browser):
        page = await browser.get(link)
        assert page.status_code == 200
        for text in ("&lt;b&gt;Acme&lt;/b&gt;", flow.owner.email, "API key", "Mastodon", "app.example.com", "alice@"):
            assert text in page.text, text
        assert urlsplit(flow.url).netloc in page.text
        assert "<script" not in page.text
        assert "set-cookie" not in page.headers
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert page.headers["x-frame-options"] == "DENY"
    assert (await flow.browser.post(link)).status_code == 303


async def test_the_cookie_is_bound_to_the_host_and_hidden_from_scripts(flow: AuthorizationFlow) -> None:
    response = await flow.browser.post(await flow.link())
    name, _, rest = response.headers["set-cookie"].partition("=")

    assert name.startswith("__Host-signalpost_flow_")
    assert rest.split("; ")[1:] == ["Path=/", "Max-Age=600", "HttpOnly", "SameSite=Lax", "Secure"]
    assert response.headers["referrer-policy"] == "no-referrer"


async def test_without_https_the_cookie_has_no_prefix(context: AppContext, make: Make, database: Database) -> None:
    """Browsers drop `__Host-` and `Secure` cookies of http addresses; the service at hand must work all the same."""
    async with authorization_flow(context, make, database, origin="http://127.0.0.1:8000") as flow:
        good = await flow.consent()
        [name] = flow.browser.cookies
        assert name.startswith("signalpost_flow_")
        assert (await flow.callback(good)).json()["status"] == "connected"


async def test_the_same_browser_may_click_again(flow: AuthorizationFlow) -> None:
    """The network's page did not load, and the person goes back."""
    link = await flow.link()
    assert await flow.click(link) == await flow.click(link)
    assert len(flow.browser.cookies) == 1


async def test_a_browser_may_have_several_flows(flow: AuthorizationFlow) -> None:
    first, second = await flow.consent(), await flow.consent()

    assert (await flow.callback(first)).json()["status"] == "connected"
    assert (await flow.callback(second)).json()["status"] == "connected"


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


async def test_a_state_shown_twice_at_once_works_once(flow: AuthorizationFlow) -> None:
    good = await flow.consent()
    responses = await asyncio.gather(*(flow.callback(good) for _ in range(8)))

    assert sorted(response.status_code for response in responses) == [200] + [400] * 7
    assert flow.network.exchanges == 1


async def test_a_state_is_stored_as_a_hash_only(flow: AuthorizationFlow) -> None:
    good = await flow.consent()
    dump = await flow.database.pool.fetchval(
        "select json_agg(f)::text from oauth_flow f where workspace_id = $1", flow.owner.workspace_id
    )
    assert good["state"] not in dump
    assert good["state"].encode().hex() not in dump


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
    response = await flow.callback(await flow.consent(redirectUrl=REDIRECT_URL), accept=HTML)
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in response.headers["content-security-policy"]
    assert response.headers["referrer-policy"] == "no-referrer"
    assert "url=https://app.example.com/connected?tab=1&amp;status=connected&amp;accountId=acc_" in response.text
    assert "<b>Alice" not in response.text
    assert "&lt;b&gt;Alice" in response.text


async def test_nothing_from_outside_becomes_markup(flow: AuthorizationFlow) -> None:
    evil = '"><script>alert(1)</script>'
    good = await flow.consent(redirectUrl=REDIRECT_URL)
    denied = {"state": good["state"], "error": evil, "error_description": evil + "\x1b\u202e", "logid": evil}
    response = await flow.callback(denied, accept=HTML)
    assert response.status_code == 200
    assert "<script" not in response.text
    assert "%3Cscript%3E" in response.text  # in the address to move on to

    again = {"state": (await flow.consent())["state"], "error": evil, "error_description": evil + "\x1b\u202e"}
    report = await flow.callback(again)
    assert report.headers["content-type"] == "application/json"
    result = report.json()
    assert (result["status"], result["error"], result["errorDescription"]) == ("failed", evil, evil)


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


async def test_a_server_has_one_name_however_it_is_spelled(flow: AuthorizationFlow) -> None:
    """Otherwise it would have several apps and redirect addresses, and the same account two rows."""
    begun = [
        (await flow.start(instanceUrl=spelling)).json()["redirectUri"]
        for spelling in (flow.url, flow.url.upper().replace("HTTP", "http"), f"{flow.url}/@alice", f" {flow.url}/ ")
    ]
    assert len(set(begun)) == 1
    assert len(flow.network.apps) == 1


@pytest.mark.parametrize(
    ("spelling", "origin"),
    [
        ("B\u00dcCHER.example", "https://xn--bcher-kva.example"),
        ("@alice@Mastodon.Social", "https://mastodon.social"),
        ("https://mastodon.social:443/@alice", "https://mastodon.social"),
        ("http://[::1]:3000/", "http://[::1]:3000"),
    ],
)
def test_the_address_of_a_server_is_ascii(spelling: str, origin: str) -> None:
    """It goes into headers and hashes."""
    assert authorize._origin(spelling) == origin


async def test_the_server_must_be_named(api: Api, make: Make) -> None:
    owner = await make.owner()
    response = await api.get(f"/platforms/mastodon/auth-url?profileId={owner.profile}", key=owner.key)
    assert (response.status_code, response.json()["errors"][0]["path"]) == (422, "instanceUrl")


async def test_a_network_of_one_server_needs_the_app_of_the_operator(
    context: AppContext, make: Make, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before anyone is sent anywhere, the operator reads which redirect address to register; then it works there."""
    mastodon = networks.CONNECTORS["mastodon"]
    assert mastodon.oauth is not None
    facts = replace(
        mastodon.facts, key="threads", name="Threads", base_url="https://threads.test", app_credentials=True
    )
    one_server = replace(mastodon, facts=facts, oauth=replace(mastodon.oauth, register=None, own_server=False))
    monkeypatch.setitem(networks.CONNECTORS, "threads", one_server)
    async with authorization_flow(context, make, database) as flow:
        callback = f"{flow.origin}/api/v1/platforms/threads/callback"
        operated = {"THREADS_BASE_URL": flow.url, "THREADS_CLIENT_ID": "id", "THREADS_CLIENT_SECRET": "secret"}
        params = {"profileId": flow.owner.profile}
        refused = await flow.api.get("/platforms/threads/auth-url", params=params, key=flow.owner.key)
        listing = (await flow.api.get("/platforms", key=flow.owner.key)).json()["data"]
        [threads] = [platform for platform in listing if platform["platform"] == "threads"]

        assert (refused.status_code, refused.json()["code"]) == (409, "platform_not_configured")
        assert callback in refused.json()["detail"]
        assert (threads["configured"], threads["redirectUri"]) == (False, callback)

        async with api_of(context_with(flow.context, **operated)) as flow.api:
            flow.network.apps["id"] = callback
            begun = (await flow.api.get("/platforms/threads/auth-url", params=params, key=flow.owner.key)).json()
            flow.browser = Browser(flow.api, flow.origin)
            flow.browsers.append(flow.browser)
            code = flow.network.consent(await flow.click(begun["url"]))
            result = await flow.callback({"state": begun["state"], "code": code}, urlsplit(begun["redirectUri"]).path)

    assert begun["redirectUri"] == callback
    assert (result.status_code, result.json()["status"]) == (200, "connected")


@pytest.mark.parametrize(
    ("origin", "modes"),
    [
        ("https://social.example.org", ["oauth", "credentials"]),
        ("http://127.0.0.1:8080", ["oauth", "credentials"]),
        ("http://social.example.org", ["credentials"]),
        ("https://10.0.0.5", ["credentials"]),
    ],
)
async def test_bluesky_authorizes_only_services_whose_address_it_can_read(
    context: AppContext, make: Make, origin: str, modes: list[str]
) -> None:
    operated = context_with(context)
    operated.settings = replace(operated.settings, base_url=origin)
    async with api_of(operated) as api:
        owner = await make.owner()
        listed = (await api.get("/platforms", key=owner.key)).json()["data"]
        begun = await api.get(f"/platforms/bluesky/auth-url?profileId={owner.profile}", key=owner.key)

    assert [entry["modes"] for entry in listed if entry["platform"] == "bluesky"] == [modes]
    assert begun.json()["mode"] == modes[0], begun.text
    assert [field["name"] for field in begun.json()["fields"]] == ["identifier", "appPassword", "service"]
