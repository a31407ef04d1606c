"""The console without a network: the browser keeps its page and its files, and nothing else."""

import re
import secrets

import httpx
import pytest
from playwright.async_api import Page, Route, expect
from tests.console.browser import OpenPage, violations
from tests.console.pages import visit as opened
from tests.console.watch import AWAY
from tests.helpers.service_process import Api

pytestmark = pytest.mark.xdist_group("browser-posts")
LOST = {*AWAY, "net::ERR_FAILED", 503}
"""What the worker could not get is a failure without a reason for the page."""
KEPT = """async () => {
  const found = {};
  for (const name of await caches.keys()) {
    const cache = await caches.open(name);
    for (const { url } of await cache.keys()) found[new URL(url).pathname] = await (await cache.match(url)).text();
  }
  return found;
}"""
ALL_KEPT = """async () => {
  const loaded = performance.getEntriesByType("resource").map(({ name }) => name);
  const files = loaded.filter((url) => /\\/assets\\/[^/]+\\/./.test(url));
  const kept = await Promise.all(files.map((url) => caches.match(url)));
  return kept.length > 0 && kept.every(Boolean);
}"""
OLD = """async () => {
  const cache = await caches.open(`${location.origin}/console console-0123456789abcdef`);
  await cache.put("/console", new Response());
}"""
WORKERS = "async () => (await navigator.serviceWorker.getRegistrations()).length"


async def _until(owned: Api, page: Page, condition: str) -> None:
    """Wait until this is true in the page, whose policy lets nobody evaluate a string there."""
    await owned.service.until(lambda: page.evaluate(condition), condition)


async def _keeps(owned: Api, page: Page) -> None:
    """Wait until the worker is there, and the browser keeps every file that the page has loaded."""
    await _until(owned, page, "Boolean(navigator.serviceWorker.controller)")
    await _until(owned, page, ALL_KEPT)


async def test_it_opens_without_a_network_and_what_is_written_is_saved_afterwards(
    console: OpenPage, owned: Api, mastodon: str, axe: str
) -> None:
    """After one visit. The page is loaded again while the service is away, with what was typed then."""
    word = f"w{secrets.token_hex(5)}"
    async with console(expected=LOST, has_worker=True) as page:
        text = page.get_by_label("Text", exact=True)
        await opened(page, "/console/compose")
        await text.fill(f"{word} at home")
        await expect(page.get_by_text("Saved", exact=True)).to_be_visible()  # what saves is loaded by now
        await _keeps(owned, page)
        await owned.service.kill()
        try:
            await text.fill(f"{word} on a train")
            await expect(page.get_by_text("Kept in this browser")).to_be_visible()
            await page.reload()
            await expect(page.get_by_role("heading", level=1)).to_have_text("No connection")
            await expect(page.get_by_role("main")).to_contain_text("What you wrote is kept in this browser")
            assert await violations(page, axe) == []
        finally:
            await owned.service.start(SIGNALPOST_TRUSTED_PROXIES="1", SIGNALPOST_MASTODON_BASE_URL=mastodon)
        await expect(text).to_have_value(f"{word} on a train")
        await expect(page.get_by_text("Saved", exact=True)).to_be_visible()

    posts = (await owned.get("/posts", params={"q": word}))["data"]
    assert [post["text"] for post in posts] == [f"{word} on a train"]


async def test_it_keeps_what_everyone_gets_and_only_of_this_version(console: OpenPage, owned: Api) -> None:
    """No answer of the API, and no page of a person: whoever opens it next finds nothing of them."""
    async with console(has_worker=True) as page:
        await opened(page, "/console/posts")
        await _keeps(owned, page)
        await page.evaluate(OLD)
        await opened(page, "/console")
        await _keeps(owned, page)
        await _until(owned, page, "async () => (await caches.keys()).length === 1")
        kept = await page.evaluate(KEPT)

    assert len(kept) > 3
    async with httpx.AsyncClient(base_url=owned.service.base_url) as visitor:
        for path, body in kept.items():
            assert re.fullmatch(r"/console|/assets/console-\w+/[\w./-]+", path)
            answer = await visitor.get(path)
            assert (answer.status_code, answer.text) == (200, body), path


@pytest.mark.parametrize("status", [200, 404])
async def test_it_ends_where_the_console_is_served_without_it(console: OpenPage, owned: Api, status: int) -> None:
    """Such as by an older version, or not at all: no old console outlives it."""

    async def without(route: Route) -> None:
        await route.fulfill(status=status, content_type="text/html", body="<!doctype html><h1>Another</h1>")

    async with console(expected={404}, has_worker=True) as page:
        await opened(page, "/console")
        await _keeps(owned, page)
        await page.context.route("**/console", without)
        await page.goto("/console")
        await expect(page.get_by_role("heading", level=1)).to_have_text("Another")
        await _until(owned, page, "async () => (await caches.keys()).length === 0")
        assert await page.evaluate(WORKERS) == 0


async def test_another_address_of_the_service_never_comes_from_it(console: OpenPage, owned: Api) -> None:
    """Signing in, links for reviewers and the documentation have pages of their own."""
    async with console(has_worker=True) as page:
        await opened(page, "/console")
        await _keeps(owned, page)
        for address, expected in (("/console/posts", True), ("/docs", False), ("/status", False)):
            answer = await page.goto(address)
            assert answer is not None
            assert answer.from_service_worker is expected, address


async def test_the_worker_is_asked_for_again_at_each_update(visit: httpx.AsyncClient) -> None:
    [address] = re.findall(r'data-worker="([^"]+)"', (await visit.get("/console")).text)
    answer = await visit.get(address)

    assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
    assert answer.headers["cache-control"] == "no-cache"
    assert answer.headers["content-security-policy"] == "default-src 'none'; connect-src 'self'"
