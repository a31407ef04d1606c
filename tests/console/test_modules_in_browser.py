"""Modules that a page loads when it needs them: while the service is away, and after it was updated."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.async_api import Page, Route, expect
from tests.console import pages
from tests.console.browser import OpenPage

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browser")]

WAYS = re.compile(
    r"\b(?:loadModule|lazy|lazyDialog|loadSessionDialog =|loadOffline =|loadSaving ="
    r"|loadSending =|meet } =|weeks:|month:|week:|day:|list:)\W|/texts/|Promise.all\(\[\s*$"
)
AWAY = "net::ERR_CONNECTION_REFUSED"
NEW = "A new version was installed."


def test_each_module_that_comes_later_is_loaded_in_one_way() -> None:
    """Another way would say "TypeError" to whoever presses a button while the service is restarted.

    A draft waits for what saves it in a way of its own, and the frame has the first ones before they are needed.
    """
    bare = []
    for path in sorted(pages.FOLDER.rglob("*.js")):
        text = re.sub(r"/\*\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)  # types stand there
        starts = [text[: found.start()][-80:] for found in re.finditer(r"\bimport\(", text)]
        bare += [f"{path.name}: {start}" for start in starts if not WAYS.search(start)]
    assert bare == []


async def _answered_otherwise(page: Page, answer: Callable[[Route], Any]) -> None:
    """The page of the files, and the question whether this version is still there."""
    await page.route("**/pages/media.js", answer)
    await page.route("**/assets/*/app.js", answer)


async def test_a_page_that_is_opened_while_the_service_is_away_opens_when_it_is_back(console: OpenPage) -> None:
    async with console(expected={AWAY}) as page:
        await pages.visit(page, "/console")
        await _answered_otherwise(page, lambda route: route.abort("connectionrefused"))
        await page.get_by_role("link", name="Media", exact=True).click()
        await expect(page.get_by_role("main")).to_contain_text("No connection. What you type is kept")
        await expect(page.get_by_role("alert")).to_have_count(0)
        await page.unroute_all()
        await expect(page.get_by_role("heading", level=1)).to_have_text("Media")
        await expect(page.get_by_text("No connection.")).to_have_count(0)


async def test_a_new_version_is_named_when_it_is_there(console: OpenPage) -> None:
    """What the service answers to a page of a version that runs no more."""

    async def of_another(route: Route) -> None:
        await route.continue_(url=re.sub(r"/console-\w+/", "/console-0123456789abcdef/", route.request.url))

    async with console(expected={404}) as page:
        await pages.visit(page, "/console")
        await _answered_otherwise(page, of_another)
        await page.get_by_role("link", name="Media", exact=True).click()
        await expect(page.get_by_role("alert")).to_contain_text(NEW)
        await page.unroute_all()
        await page.get_by_role("button", name="Reload the page").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("Media")
