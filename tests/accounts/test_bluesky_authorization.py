"""Bluesky by authorization, against Bluesky's own server: its pages in a real browser, its tokens, its nonces."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import httpx
import pytest
from playwright.async_api import Browser, Page, Route
from tests.counterparts import PdsAccount, ReferencePds
from tests.helpers.api import Api
from tests.helpers.authorization import Browser as Person
from tests.helpers.factories import Login, Make
from tests.helpers.limits import TEST_SECONDS
from tests.helpers.sign_in_servers import api_of, context_with

from signalpost.accounts import queries, token_store
from signalpost.conformance.harness import MemoryJournal, image, outgoing
from signalpost.context import AppContext
from signalpost.kit import ids
from signalpost.networks import CONNECTORS
from signalpost.networks.connectors.bluesky import dpop
from signalpost.networks.connectors.bluesky.calls import call, refresh
from signalpost.networks.contract import ApiError, NeedsReconnect, NetworkSession, Published

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("bluesky-server")]
DEVELOPER, HOSTED = "http://127.0.0.1:8765", "https://social.signalpost.org"


class Desk:
    """Someone who connects accounts in a browser, at a service under its public address."""

    def __init__(self, context: AppContext, api: Api, owner: Login, page: Page, pds: ReferencePds) -> None:
        self.context, self.api, self.owner, self.page, self.pds = context, api, owner, page, pds
        self.origin = context.fixed_url

    async def serve(self, route: Route) -> None:
        """Answer what the browser asks the service. Cookies are the browser's own."""
        request, headers = route.request, await route.request.all_headers()
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app=self.api.app)) as client:
            response = await client.request(request.method, request.url, content=request.post_data, headers=headers)
        await route.fulfill(status=response.status_code, headers=dict(response.headers), body=response.content)

    async def begin(self, **query: str) -> None:
        """Ask for a link, open it, and go on to Bluesky."""
        params = {"profileId": self.owner.profile} | query
        begun = (await self.api.get("/platforms/bluesky/auth-url", params=params, key=self.owner.key)).json()
        assert begun["mode"] == "oauth", begun
        await self.page.goto(begun["url"])
        await self.page.get_by_role("button", name="Continue to").click()

    async def answer(self, account: PdsAccount, button: str) -> str:
        """Sign in on Bluesky's own page, answer its question, and return what our page says afterwards."""
        name = self.page.locator("input[name=username]")
        await name.wait_for()
        if await name.is_editable():
            await name.fill(account.handle)
        await self.page.fill("input[name=password]", account.password)
        await self.page.keyboard.press("Enter")
        async with self.page.expect_request(f"{self.origin}/**") as back:
            await self.page.get_by_role("button", name=button).click()
        # Playwright serves no redirected request: the same browser goes there once more, in another tab.
        self.page = await self.page.context.new_page()
        await self.page.goto((await back.value).url)
        return await self.page.inner_text("main")

    async def accounts(self) -> list[Any]:
        listing = await self.api.get(
            "/platforms/accounts", params={"profileId": self.owner.profile}, key=self.owner.key
        )
        return list(listing.json()["data"])

    async def session(self, account_id: str) -> NetworkSession:
        async with self.context.database.connection() as db:
            row = await queries.by_id(db, ids.decode("acc", account_id))  # type: ignore[arg-type]
        assert row is not None
        return await token_store.open_session(self.context, row)


@pytest.fixture
async def desk(
    context: AppContext, make: Make, pds: ReferencePds, browser: Browser, request: pytest.FixtureRequest
) -> AsyncIterator[Desk]:
    operated = context_with(context, BLUESKY_BASE_URL=pds.url)
    operated.settings = replace(operated.settings, base_url=request.param)
    async with api_of(operated) as api:
        client = await api.get("/oauth-client-metadata.json", bare=True)
        (pds.published / "oauth-client-metadata.json").write_bytes(client.content)
        window = await browser.new_context()
        window.set_default_timeout(TEST_SECONDS * 1_000)
        opened = Desk(operated, api, await make.owner(), await window.new_page(), pds)
        await window.route(f"{request.param}/**", opened.serve)
        yield opened
        await window.close()


@pytest.mark.parametrize("desk", [DEVELOPER, HOSTED], indirect=True)
async def test_a_person_refuses_then_agrees_and_the_account_posts_until_it_is_disconnected(desk: Desk) -> None:
    alice, connector = desk.pds.accounts[0], CONNECTORS["bluesky"]

    await desk.begin(loginHint=alice.handle)
    refused = await desk.answer(alice, "Deny access")
    after_refusal = await desk.accounts()
    await desk.begin(loginHint=alice.handle)
    agreed = await desk.answer(alice, "Authorize")
    (account,) = await desk.accounts()
    session = await desk.session(account["id"])
    post = outgoing("by authorization", media=(image("a dot"),))
    dpop._nonces[desk.pds.url] = "a nonce of yesterday"
    published = await connector.publish(session, post, MemoryJournal())
    spent, used = session.secrets["refreshToken"], session.secrets["accessToken"]
    await session.renew(refresh)
    stored = (await desk.session(account["id"])).secrets
    health = await desk.api.get(f"/platforms/accounts/{account['id']}/health?refresh=true", key=desk.owner.key)
    await desk.begin(accountId=account["id"])
    await desk.answer(alice, "Authorize")
    again = await desk.accounts()
    last = await desk.session(account["id"])
    ended = await desk.api.delete(f"/platforms/accounts/{account['id']}", key=desk.owner.key)

    assert ("Not connected" in refused, after_refusal) == (True, []), refused
    assert "is connected" in agreed
    assert (account["platformAccountId"], account["username"], account["status"]) == (alice.did, "alice.test", "active")
    assert account["refreshable"] is (desk.origin == HOSTED)
    assert isinstance(published, Published), published
    assert spent != stored["refreshToken"] == session.secrets["refreshToken"]
    assert used != session.secrets["accessToken"]
    assert (health.json()["status"], health.json()["permissions"]["missing"]) == ("healthy", []), health.text
    assert [row["id"] for row in again] == [account["id"]]
    assert ended.json()["revokedAtPlatform"] is True
    await _is_over(last)


@pytest.mark.parametrize("desk", [DEVELOPER], indirect=True)
@pytest.mark.parametrize("issuer", [None, "https://elsewhere.example", "", "http://localhost"])
async def test_nobody_but_the_issuer_sends_a_person_back(desk: Desk, issuer: str | None) -> None:
    person = Person(desk.api, desk.origin)
    query = {"profileId": desk.owner.profile}
    begun = (await desk.api.get("/platforms/bluesky/auth-url", params=query, key=desk.owner.key)).json()
    left = await person.post(begun["url"])
    back = {"state": begun["state"], "code": "a-code"} | ({} if issuer is None else {"iss": issuer})
    returned = await person.get("/api/v1/platforms/bluesky/callback", params=back, accept="application/json")
    await person.client.aclose()

    assert left.headers["location"].startswith(f"{desk.pds.url}/oauth/authorize?")
    assert (returned.status_code, returned.json()["code"]) == (400, "oauth_state_invalid")
    assert await desk.accounts() == []


async def _is_over(session: NetworkSession) -> None:
    """The server takes neither token of a session any more."""
    session.refresh_exclusively = None
    with pytest.raises(ApiError) as refused:
        await refresh(session)
    assert isinstance(CONNECTORS["bluesky"].explain(refused.value), NeedsReconnect), refused.value.response.body
    with pytest.raises(ApiError):
        await call(session, "GET", "com.atproto.server.getSession")
