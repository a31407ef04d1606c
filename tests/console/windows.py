"""Windows of the browser, which tests with the same options use one after another."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from playwright.async_api import Browser, BrowserContext, CDPSession, Page, Route
from tests.console.watch import REPORT
from tests.helpers.limits import PAGE_SECONDS

NO_WORKER = "delete Navigator.prototype.serviceWorker"
"""What goes through a service worker is not seen by `page.route`, and files that one test has loaded would be there in
the next. So there is none, but for the tests that are about it.
"""


class Window:
    """A window at one address: what it has loaded and compiled stays, and whom it was for is forgotten."""

    def __init__(self, context: BrowserContext, address: str) -> None:
        self.context = context
        self._address = address
        self._first: Page | None = None
        self._line: CDPSession | None = None

    async def begin(self, state: Any) -> None:
        """Begin as somebody who signed in, if `state` says so, with nothing else in store."""
        if self._first is None or self._line is None:
            # A page that stays open keeps the process of the address, and with it what is compiled.
            self._first = await self.context.new_page()
            await self._first.route("**", _nothing)
            await self._first.goto(self._address)
            await self._first.unroute_all()
            self._line = await self.context.new_cdp_session(self._first)
        await self._line.send("Storage.clearDataForOrigin", {"origin": self._address, "storageTypes": "all"})
        await self.context.clear_cookies()
        await self.context.add_cookies(state["cookies"] if state else [])
        for origin in state["origins"] if state else []:
            assert origin["origin"] == self._address
            stored = [[each["name"], each["value"]] for each in origin["localStorage"]]
            await self._first.evaluate("stored => stored.forEach(each => localStorage.setItem(...each))", stored)

    async def end(self) -> None:
        """Close the pages of a test."""
        for page in self.context.pages:
            if page is not self._first:
                await page.close()


async def _nothing(route: Route) -> None:
    await route.fulfill(body="<!doctype html>", content_type="text/html")


class Windows:
    """At most one idle window of each kind; one in which a test failed is not used again."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._idle: dict[str, Window] = {}

    @asynccontextmanager
    async def window(self, address: str, state: Any, options: dict[str, Any]) -> AsyncIterator[Window]:
        """A window with these options, for one test."""
        kind = f"{address} {sorted(options.items())}"
        window = self._idle.pop(kind, None) or await self._new(address, **options)
        try:
            await window.begin(state)
            yield window
            await window.context.set_offline(False)
            await window.context.unroute_all()
        except BaseException:
            await window.context.close()
            raise
        if kind in self._idle:  # the test had two
            await window.context.close()
        else:
            self._idle[kind] = window

    async def _new(self, address: str, *, has_worker: bool = False, **options: Any) -> Window:
        context = await self._browser.new_context(base_url=address, **options)
        context.set_default_timeout(PAGE_SECONDS * 1000)
        if not has_worker:
            await context.add_init_script(NO_WORKER)
        await context.add_init_script(REPORT)
        return Window(context, address)
