"""A real browser, and the services whose pages it opens: one of each for all tests.

Any error in the console, any violation of the content security policy, any failed, foreign or undocumented request and
any refusal that a test does not expect fails it.
"""

import re
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from typing import Any

import httpx
import pytest
from playwright.async_api import Browser, Page, expect
from tests.console import pages, world
from tests.console.watch import Watch
from tests.console.windows import Windows
from tests.console.world import Person, Place
from tests.counterparts import tools
from tests.helpers.limits import PAGE_SECONDS, TEST_SECONDS
from tests.helpers.service_process import Api, Service, installed, installed_with_owner
from tests.helpers.sign_in_servers import FakeMastodon

OpenPage = Callable[..., AbstractAsyncContextManager[Page]]
# How long a page takes says what else the machine does: as patient as every other wait of the tests.
expect.set_options(timeout=PAGE_SECONDS * 1000)


@pytest.fixture(scope="package")
async def service() -> AsyncIterator[Service]:
    """A service without users."""
    async with installed() as found:
        # All tests share one address; a trusted proxy lets each of them have its own.
        yield await found.start(SIGNALPOST_TRUSTED_PROXIES="1", SIGNALPOST_REGISTRATION="open")


@pytest.fixture(scope="package")
def windows(browser: Browser) -> Windows:
    return Windows(browser)


@pytest.fixture
def open_page(windows: Windows, service: Service) -> OpenPage:
    """Open a page; when it closes, only what the test expects may have gone wrong."""

    @asynccontextmanager
    async def opened(
        *, expected: set[int | str] | None = None, hosts: tuple[str, ...] = (), at: Service = service,
        storage_state: Any = None, viewport: Any = None, color_scheme: Any = None, **options: Any,
    ) -> AsyncIterator[Page]:  # fmt: skip
        async with windows.window(at.base_url, storage_state, options) as window:
            address = ".".join(str(part) for part in (10, *_next()))
            await window.context.set_extra_http_headers({"X-Forwarded-For": address})
            with Watch(window.context, at.base_url, hosts, expected or set()) as watch:
                try:
                    page = await window.context.new_page()
                    await page.set_viewport_size(viewport or {"width": 1280, "height": 720})
                    await page.emulate_media(color_scheme=color_scheme or "light")
                    yield page
                except Exception:
                    print(await watch.tell())  # noqa: T201 - pytest shows it
                    raise
                finally:
                    await window.end()
        assert not watch.errors, watch.errors

    return opened


_addresses = iter(range(1, 60_000))


def _next() -> tuple[int, int, int]:
    number = next(_addresses)
    return 0, number >> 8, number & 255


@pytest.fixture(scope="package")
def axe() -> str:
    return (tools.node_packages("axe") / "node_modules" / "axe-core" / "axe.min.js").read_text()


@pytest.fixture(scope="package")
async def mastodon() -> AsyncIterator[str]:
    async with FakeMastodon().serve() as url:
        yield url


@pytest.fixture(scope="package")
async def owned(mastodon: str) -> AsyncIterator[Api]:
    """A service with a user, where accounts of that server can be connected."""
    async with installed_with_owner() as found:
        await found.start(SIGNALPOST_TRUSTED_PROXIES="1", SIGNALPOST_MASTODON_BASE_URL=mastodon)
        yield await found.owner()


# What stands behind a bar that stays where it is would count as too small, wherever the page is scrolled to: people
# scroll it out. Only what is wrong is described in detail and leaves the browser: of a long page the rest is megabytes.
# Contrast is that of AAA, which no tag brings by itself (docs/design.md).
_AXE = """async only => {
  const bars = document.querySelectorAll(".bottom-bar, .topbar");
  for (const { style } of bars) style.position = "static";
  try {
    const rules = { "color-contrast": { enabled: false }, "color-contrast-enhanced": { enabled: true } };
    return (await axe.run({ runOnly: only, rules, resultTypes: ["violations"] })).violations;
  } finally {
    for (const { style } of bars) style.position = "";
  }
}"""
TAGS = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")


async def violations(page: Page, axe: str, only: tuple[str, ...] = TAGS) -> list[Any]:
    """Return what is wrong by the rules with these tags or names, when the page shows what it has."""
    await pages.settled(page)
    await page.evaluate(axe)
    kind = "tag" if only is TAGS else "rule"
    found = await page.evaluate(_AXE, {"type": kind, "values": list(only)})
    return [(rule["id"], [node["target"] for node in rule["nodes"]][:5]) for rule in found]


async def save_draft(page: Page) -> None:
    """Save what is written in the composer, and wait until it is: its address alone may be that of an earlier save."""
    await page.get_by_role("button", name="Save draft").click()
    await page.get_by_text("Draft saved.", exact=True).last.wait_for()
    await page.wait_for_url(re.compile("/console/compose/pst_"))


async def pick(page: Page, name: str) -> None:
    """Choose one of several by its label: where it stands still, unlike a forced press on the hidden input itself."""
    radio = page.get_by_role("radio", name=name)
    await page.locator("label", has=radio).click()
    await expect(radio).to_be_checked()


async def sign_in(service: Service, email: str = "owner@example.test") -> dict[str, Any]:
    """Return what the browser of the owner, or of another user, has stored after the form."""
    async with httpx.AsyncClient(base_url=service.base_url, timeout=TEST_SECONDS) as client:
        form = {"email": email, "password": "correct horse battery", "code": ""}
        answer = await client.post("/login", data=form, headers={"X-Forwarded-For": "10.255.0.1"})
    assert answer.status_code == 303, answer.text
    value = re.split("[=;]", answer.headers["set-cookie"])[1]
    cookie = {
        "name": "session",
        "value": value,
        "domain": "127.0.0.1",
        "path": "/",
        "httpOnly": True,
        "sameSite": "Lax",
    }
    return {"cookies": [cookie | {"expires": -1, "secure": False}], "origins": []}


@pytest.fixture(scope="package")
async def signed_in(owned: Api) -> dict[str, Any]:
    """What the browser of the owner has stored."""
    return await sign_in(owned.service)


@pytest.fixture(scope="package")
async def places(owned: Api, signed_in: dict[str, Any]) -> dict[str, Place]:
    """Workspaces of the owner for looking at pages: empty, full, and with 10,000 of everything that grows."""
    await owned.service.command("staff", "add", "--email", "owner@example.test")
    return await world.build(Person(owned.service, signed_in["cookies"][0]["value"]))


@pytest.fixture
def console_at(
    console: OpenPage, owned: Api, signed_in: dict[str, Any], places: dict[str, Place]
) -> Callable[..., AbstractAsyncContextManager[Page]]:
    """Open the console as the owner, in one of these workspaces."""

    def opened(place: str, **options: Any) -> AbstractAsyncContextManager[Page]:
        chosen = [{"name": "workspace", "value": places[place].workspace}]
        state = signed_in | {"origins": [{"origin": owned.service.base_url, "localStorage": chosen}]}
        return console(storage_state=state, **options)

    return opened


@pytest.fixture
def console(open_page: OpenPage, owned: Api, signed_in: dict[str, Any]) -> OpenPage:
    """Open the console as the owner."""
    return partial(open_page, at=owned.service, storage_state=signed_in)
