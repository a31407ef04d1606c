"""An authorization as it is used: a program asks for the link, a person opens it in a browser and comes back."""

import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

import httpx
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.helpers.sign_in_servers import FakeMastodon, api_of, context_with

from signalpost.context import AppContext
from signalpost.kit.db import Database

REDIRECT_URL = "https://app.example.com/connected?tab=1"
HTML = "text/html,application/xhtml+xml,*/*;q=0.8"
_addresses = itertools.count(1)


class Browser:
    """A browser with its own cookies; every request comes from another address, so that no limit by address acts."""

    def __init__(self, api: Api, origin: str) -> None:
        self.client = httpx.AsyncClient(transport=httpx.ASGITransport(app=api.app), base_url=origin)

    @property
    def cookies(self) -> dict[str, str]:
        return dict(self.client.cookies)

    async def get(self, url: str, *, accept: str = HTML, **options: Any) -> httpx.Response:
        return await self._send("GET", url, {"Accept": accept}, options)

    async def post(self, url: str, **options: Any) -> httpx.Response:
        headers = {"Accept": HTML, "Sec-Fetch-Site": "same-origin"} | options.pop("headers", {})
        return await self._send("POST", url, headers, options)

    async def _send(self, method: str, url: str, headers: dict[str, str], options: dict[str, Any]) -> httpx.Response:
        address = next(_addresses)
        headers |= {"X-Forwarded-For": f"10.{200 + (address >> 16)}.{address >> 8 & 255}.{address & 255}"}
        return await self.client.request(method, url, headers=headers, **options)


@dataclass
class AuthorizationFlow:
    """A Mastodon server, the service, and someone who wants to connect."""

    context: AppContext
    network: FakeMastodon
    url: str
    api: Api
    owner: Login
    database: Database
    origin: str
    browser: Browser
    browsers: list[Browser] = field(default_factory=list)
    path: str = ""
    """Where the server sends people back to; of the last link."""

    def another_browser(self) -> Browser:
        self.browsers.append(Browser(self.api, self.origin))
        return self.browsers[-1]

    async def start(self, **query: str) -> Any:
        params = {"profileId": self.owner.profile, "instanceUrl": self.url} | query
        response = await self.api.get("/platforms/mastodon/auth-url", params=params, key=self.owner.key)
        if response.status_code == 200:
            self.path = urlsplit(response.json()["redirectUri"]).path
        return response

    async def link(self, **query: str) -> str:
        """Return the address of the start page."""
        return str((await self.start(**query)).json()["url"])

    async def click(self, url: str, browser: Browser | None = None) -> str:
        """Read the start page and agree on it; return the address at the network."""
        browser = browser or self.browser
        page = await browser.get(url)
        assert page.status_code == 200, page.text
        response = await browser.post(url)
        assert response.status_code == 303, response.text
        return response.headers["location"]

    async def consent(self, browser: Browser | None = None, **query: str) -> dict[str, str]:
        """Begin, agree here and at the network, and return what the browser brings back."""
        begun = (await self.start(**query)).json()
        return {"state": begun["state"], "code": self.network.consent(await self.click(begun["url"], browser))}

    async def callback(
        self, params: Any, path: str | None = None, *, browser: Browser | None = None, accept: str = "application/json"
    ) -> httpx.Response:
        return await (browser or self.browser).get(path or self.path, params=params, accept=accept)

    async def accounts(self) -> list[Any]:
        listing = await self.api.get("/platforms/accounts/all", key=self.owner.key)
        return list(listing.json()["data"])


@asynccontextmanager
async def authorization_flow(
    context: AppContext, make: Make, database: Database, *, origin: str = "https://signalpost.test"
) -> AsyncIterator[AuthorizationFlow]:
    network = FakeMastodon()
    async with network.serve() as url:
        operated = context_with(context, MASTODON_BASE_URL=url)
        operated.settings = replace(operated.settings, base_url=origin)
        async with api_of(operated) as api:
            owner = await make.owner()
            await database.pool.execute(
                "update workspace set redirect_urls = $2 where id = $1", owner.workspace_id, [REDIRECT_URL]
            )
            browser = Browser(api, origin)
            flow = AuthorizationFlow(operated, network, url, api, owner, database, origin, browser, [browser])
            yield flow
            for browser in flow.browsers:
                await browser.client.aclose()
