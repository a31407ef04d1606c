"""How fast the console feels: `python -m bench.console_speed [--quick]`, each figure beside its goal.

In a workspace with 10,000 posts, in the browser of the tests. Paint is the time from the navigation until a page shows
what it is for; a key or a press lasts from the event to the next frame, as browsers measure interactions (in steps of
8 ms, and nothing below 16). CPU and line are slowed down by the browser itself. A machine that does other things only
adds to a figure, so the least of several rounds stands; of keys and presses, their 98th percentile in the best round.
"""

import argparse
import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from playwright.async_api import Browser, BrowserContext, CDPSession, Page, async_playwright, expect
from tests.console import world
from tests.console.browser import sign_in
from tests.console.pages import FIGURES, KEYS, settled
from tests.console.world import Person, Place
from tests.counterparts import tools
from tests.helpers.service_process import Service, installed

ROUNDS = 5
KEYSTROKES = 60
REPORTED_MIN_MS = 16.0
SLOWDOWN = 4
PATIENCE_MS = 120_000
EVENTS = """
globalThis.lasting = new Map();
globalThis.working = new Map();
new PerformanceObserver((list) => {
  for (const { interactionId: id, duration, startTime, processingEnd } of list.getEntries()) {
    if (!id) continue;
    lasting.set(id, Math.max(duration, lasting.get(id) ?? 0));
    working.set(id, Math.max(processingEnd - startTime, working.get(id) ?? 0));
  }
}).observe({ type: "event", durationThreshold: 16, buffered: true });
"""
_WEIGHT = """performance.getEntriesByType("resource").concat(performance.getEntriesByType("navigation"))
  .filter((each) => !each.name.includes("/api/v1/")).reduce((sum, each) => sum + each.encodedBodySize, 0) / 1000"""


class Line(NamedTuple):
    """A line to the service."""

    kilobits: int
    latency_ms: int


class Figure(NamedTuple):
    """What is measured, and at most how much it should be."""

    name: str
    unit: str
    goal: float
    measure: Callable[["Visitor"], Awaitable[float]]


class Visitor:
    """Somebody who opens the console in a browser that has nothing yet."""

    def __init__(self, browser: Browser, service: Service, cookie: str, place: Place) -> None:
        self._browser, self._service, self._cookie, self._place = browser, service, cookie, place
        self.contexts: list[BrowserContext] = []

    async def page(self, *, slowdown: int = 1, line: Line | None = None) -> Page:
        """Return a page of a window of its own."""
        context = await self._browser.new_context(
            base_url=self._service.base_url, viewport={"width": 1280, "height": 900}
        )
        self.contexts.append(context)
        await context.add_cookies([{"name": "session", "value": self._cookie, "url": self._service.base_url}])
        await context.add_init_script(f"localStorage.setItem('workspace', '{self._place.workspace}')")
        await context.add_init_script(FIGURES + EVENTS)
        page = await context.new_page()
        devtools = await context.new_cdp_session(page)
        await _slow_down(devtools, slowdown, line)
        return page

    async def close(self) -> None:
        for context in self.contexts:
            await context.close()
        self.contexts.clear()


async def _slow_down(devtools: CDPSession, slowdown: int, line: Line | None) -> None:
    await devtools.send("Emulation.setCPUThrottlingRate", {"rate": slowdown})
    if line:
        speed = line.kilobits * 1000 / 8
        shape = {"offline": False, "latency": line.latency_ms, "downloadThroughput": speed, "uploadThroughput": speed}
        await devtools.send("Network.enable")
        await devtools.send("Network.emulateNetworkConditions", shape)


async def _shown(page: Page, address: str) -> float:
    await page.goto(address, wait_until="commit", timeout=PATIENCE_MS)
    await settled(page)
    return float(await page.evaluate("figures.shown"))


def paint(address: str, *, slowdown: int = 1, line: Line | None = None, again: bool = False) -> Any:
    """Return what measures when a page shows; `again`: with its modules in the cache."""

    async def measure(visitor: Visitor) -> float:
        page = await visitor.page(slowdown=slowdown, line=line)
        first = await _shown(page, address)
        return await _shown(page, address) if again else first

    return measure


async def work_of_typing(visitor: Visitor) -> float:
    """Type into the composer; how long after a key all that handles it has run, without the wait for a frame."""
    return await _typed(await _composer(visitor), "working")


async def typing(visitor: Visitor) -> float:
    """Type into the composer; how long after a key the next frame is there."""
    return await _typed(await _composer(visitor), "lasting")


async def _composer(visitor: Visitor) -> Page:
    page = await visitor.page(slowdown=SLOWDOWN)
    await _shown(page, "/console/compose")
    return page


async def typing_into_nothing(visitor: Visitor) -> float:
    """Type into a field of a page without scripts and styles: the least that a browser reports."""
    page = await visitor.page(slowdown=SLOWDOWN)
    await page.goto("data:text/html,<textarea></textarea>")
    await page.evaluate(EVENTS)
    return await _typed(page, "lasting")


async def _typed(page: Page, what: str) -> float:
    await page.locator("textarea").first.focus()
    await page.keyboard.type("Warm rolls")  # the first key in the composer begins a draft
    await page.evaluate("lasting.clear(), working.clear()")
    await page.keyboard.type("and what is typed from here on counts, key by key, #bakery"[:KEYSTROKES], delay=30)
    return _high(await _noted(page, what), KEYSTROKES, 0.0 if what == "working" else REPORTED_MIN_MS)


async def presses(visitor: Visitor) -> float:
    """Press what opens something, through the pages."""
    page = await visitor.page()
    lasting: list[float] = []
    count = 0
    for address, names in (
        ("/console/calendar", ("Month", "Week", "5 weeks", "Later", "Choose posts")),
        ("/console/posts", ("Show more",)),
        ("/console/accounts", ("Connect an account",)),
        ("/console/team", ("Invite someone",)),
    ):
        await _shown(page, address)
        for name in names:
            button = page.get_by_role("main").get_by_role("button", name=name, exact=True).first
            await expect(button).to_be_enabled()
            await button.click()
            await settled(page)
            count += 1
        lasting += await _noted(page, "lasting")
    return _high(lasting, count, REPORTED_MIN_MS)


async def _noted(page: Page, what: str) -> list[float]:
    """Return what was noted of each interaction of this page that was reported: those that last at least 16 ms."""
    await page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    found: list[float] = await page.evaluate(f"[...{what}.values()]")
    return found


def _high(noted: list[float], count: int, least: float) -> float:
    """Return the 98th percentile of so many interactions; those that were not reported took `least` at most."""
    place = count // 50
    return sorted(noted, reverse=True)[place] if place < len(noted) else least


async def heaviest(visitor: Visitor) -> float:
    """Weigh the pages: scripts, styles and texts, as they are sent."""
    weights = {}
    for key in KEYS:
        page = await visitor.page()
        await _shown(page, f"/console/{key}".rstrip("/"))
        weights[key] = float(await page.evaluate(_WEIGHT))
        await visitor.close()
    return max(weights.values())


MOBILE, POOR = Line(1600, 0), Line(400, 400)
FIGURES_WITH_GOALS = (
    Figure("home, first visit, CPU / 4, 1.6 Mbit/s", "ms", 1000, paint("/console", slowdown=SLOWDOWN, line=MOBILE)),
    Figure(
        "home, again, CPU / 4, 1.6 Mbit/s", "ms", 1000, paint("/console", slowdown=SLOWDOWN, line=MOBILE, again=True)
    ),
    Figure("home, first visit, 400 kbit/s, 400 ms", "ms", 3000, paint("/console", line=POOR)),
    Figure("home, again, 400 kbit/s, 400 ms", "ms", 3000, paint("/console", line=POOR, again=True)),
    Figure("composer, again", "ms", 500, paint("/console/compose", again=True)),
    Figure("calendar of 10,000 posts, again", "ms", 600, paint("/console/calendar", again=True)),
    Figure("a key in the composer, CPU / 4: its work is done", "ms", 16, work_of_typing),
    Figure("a key in the composer, CPU / 4: the next frame is there", "ms", 16, typing),
    Figure("a key in a field of an empty page, CPU / 4: the next frame is there", "ms", 16, typing_into_nothing),
    Figure("a press (INP)", "ms", 100, presses),
    Figure("the heaviest page", "kB", 75, heaviest),
)


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one round")
    rounds = 1 if parser.parse_args().quick else ROUNDS
    async with installed() as service, async_playwright() as playwright:
        await service.start()
        await service.owner()
        cookie = (await sign_in(service))["cookies"][0]["value"]
        places = await world.build(Person(service, cookie))
        browser = await playwright.chromium.launch(executable_path=tools.browser(), args=["--no-sandbox"])
        print("| figure | least | goal |\n|---|---|---|")
        for figure in FIGURES_WITH_GOALS:
            found = []
            for _ in range(rounds if figure.unit == "ms" else 1):
                visitor = Visitor(browser, service, cookie, places["many"])
                found.append(await figure.measure(visitor))
                await visitor.close()
            print(f"| {figure.name} | {min(found):.0f} {figure.unit} | {figure.goal:.0f} |", flush=True)
        await browser.close()


if __name__ == "__main__":
    asyncio.run(main())
