"""A window of the browser is used by many tests, and none of them finds what another one left."""

import pytest
from tests.console.browser import OpenPage
from tests.console.pages import visit
from tests.console.windows import LEFT_MAX, devtools
from tests.helpers.service_process import Api

pytestmark = pytest.mark.xdist_group("browser")
_STORE = """async () => {
  for (const storage of [localStorage, sessionStorage]) storage.setItem("of a former test", "1");
  await caches.open("of a former test");
  await new Promise((done) => { indexedDB.open("of a former test").onsuccess = done; });
}"""
_STORED = """async () => [
  ...Object.keys(localStorage), ...Object.keys(sessionStorage), ...await caches.keys(),
  ...(await indexedDB.databases()).map(({ name }) => name),
].filter((name) => name === "of a former test")"""


async def test_what_a_page_has_stored_is_forgotten(console: OpenPage, open_page: OpenPage, owned: Api) -> None:
    async with console() as page:
        await visit(page, "/console/nowhere")
        await page.evaluate(_STORE)
        assert len(await page.evaluate(_STORED)) == 4
        context = page.context
    async with open_page(at=owned.service) as page:
        assert page.context is context
        assert await context.cookies() == []
        await page.goto("/login")
        assert await page.evaluate(_STORED) == []


async def test_a_page_is_left_blank_unless_it_was_measured(console: OpenPage) -> None:
    """What DevTools slow down is slow for all pages of the process."""
    async with console() as measured:
        await (await devtools(measured)).send("Emulation.setCPUThrottlingRate", {"rate": 4})
    async with console() as page:
        await visit(page, "/console/nowhere")

    assert measured.is_closed()
    assert (page.url, page.is_closed()) == ("about:blank", False)


async def test_few_pages_are_left(console: OpenPage) -> None:
    pages = []
    for _ in range(LEFT_MAX + 2):
        async with console() as page:
            pages.append(page)
            assert len(page.context.pages) <= LEFT_MAX + 2  # that of the window, and the test's

    assert {page.is_closed() for page in pages} == {True, False}
