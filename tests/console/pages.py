"""The pages of the console, found where they are: in its frame, in their tabs and in the first rows of their lists."""

import re
from collections.abc import AsyncIterator
from urllib.parse import urlsplit

from playwright.async_api import Page, Route, expect
from tests.counterparts import tools
from tests.helpers.limits import PAGE_SECONDS

FOLDER = tools.CHECKOUT / "src/signalpost/console/static/console"
_FRAME = (FOLDER / "app.js").read_text(encoding="utf-8")
KEYS = re.findall(r'^  "?([\w-]*)"?: "[\w-]+",$', _FRAME.partition("const PAGES")[2].partition("});")[0], re.MULTILINE)
ADDRESSES_MAX = 8
_WITHIN = """
[...document.querySelectorAll("main .tabs a")].map((link) => link.href)
  .concat([...document.querySelectorAll("main a.row-link")].slice(0, 1).map((link) => link.href))
"""
FIGURES = """
globalThis.figures = { shift: 0, shown: 0, sources: [] };
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    if (entry.hadRecentInput) continue;
    figures.shift += entry.value;
    const place = (node) => node?.parentElement?.closest("main, .side, header")?.localName;
    const name = ({ node }) => `${entry.value.toFixed(3)} ${place(node)} ${node?.className ?? node?.nodeName}`;
    figures.sources.push(...entry.sources.map(name));
  }
}).observe({ type: "layout-shift", buffered: true });
new MutationObserver((_, observer) => {
  if (!document.querySelector("main h1") || document.querySelector(".skeleton")) return;
  figures.shown = performance.now();
  observer.disconnect();
}).observe(document, { childList: true, subtree: true });
"""
"""Layout shift, and when the page first shows what it is for."""


async def settled(page: Page) -> None:
    """Wait until the page shows what it has."""
    await expect(page.locator("main h1")).to_be_visible(timeout=PAGE_SECONDS * 1000)
    await expect(page.locator('[aria-busy="true"]')).to_have_count(0, timeout=PAGE_SECONDS * 1000)


async def visit(page: Page, address: str) -> None:
    """Open an address, and wait until the page shows what it has."""
    await page.goto(address)
    await settled(page)


async def all_of(page: Page, key: str) -> AsyncIterator[str]:
    """Visit a page, its tabs, and what their first rows are about; yields the address while it is shown."""
    start = f"/console/{key}".rstrip("/")
    waiting, seen = [start], set[str]()
    while waiting and len(seen) < ADDRESSES_MAX:
        address = waiting.pop(0)
        seen.add(address)
        await visit(page, address)
        found = [urlsplit(str(link)).path for link in await page.evaluate(_WITHIN)]
        waiting += [
            each for each in dict.fromkeys(found) if each.startswith(f"{start}/") and each not in {*seen, *waiting}
        ]
        yield address


async def sources(page: Page) -> str:
    """Return the address of the folder of the console's modules, of which this page may import any.

    A page runs a bundle, in which they have no addresses. What is imported from here shares no state with it.
    """

    async def answer(route: Route) -> None:
        path = FOLDER / urlsplit(route.request.url).path.partition("/sources/")[2]
        await route.fulfill(path=path, content_type="text/javascript" if path.suffix == ".js" else None)

    await page.route("**/sources/**", answer)
    return str(await page.evaluate("new URL('/sources/', location.href).href"))


async def module_of(page: Page, name: str) -> str:
    """Return the address of a module of the console that the page has loaded, to be imported there."""
    address = await page.evaluate(
        "(part) => performance.getEntriesByType('resource').find((entry) => entry.name.includes(part))?.name", name
    )
    assert address, f"{name} was not loaded"
    return str(address)
