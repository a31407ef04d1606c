"""The console of an installation without extensions: nothing leads to what is not there."""

import re
from collections.abc import AsyncIterator

import pytest
from playwright.async_api import expect
from tests.console.browser import OpenPage, sign_in
from tests.console.pages import visit
from tests.helpers.service_process import Service, installed

from signalpost.main import wiring

pytestmark = pytest.mark.xdist_group("browser")


@pytest.fixture
async def bare() -> AsyncIterator[Service]:
    async with installed() as service:
        await service.start(SIGNALPOST_TRUSTED_PROXIES="1", SIGNALPOST_EXTENSIONS_OFF=",".join(wiring.EXTENSIONS))
        await service.owner()
        yield service


async def test_no_entry_leads_to_an_extension_that_is_off(open_page: OpenPage, bare: Service) -> None:
    async with open_page(at=bare, storage_state=await sign_in(bare)) as page:
        await visit(page, "/console/developers")
        await expect(page.locator("main .tabs a")).to_have_text(["API keys", "Webhooks", "Explorer"])
        await expect(page.locator(".side nav a").filter(has_text=re.compile("Posts|Feeds"))).to_have_text(["Posts"])
        await page.get_by_role("button", name="API calls").click()
        drawer = page.get_by_role("dialog", name="API calls of this page")
        await drawer.locator("button.call").first.click()
        await expect(drawer.locator("code", has_text="req_")).to_be_visible()
        await expect(drawer.get_by_role("link", name="In the request log")).to_have_count(0)
        await page.keyboard.press("Escape")
        await page.keyboard.press("Control+k")
        commands = page.get_by_role("dialog", name="Commands")
        await commands.get_by_text("Go to Developers").wait_for()
        await expect(commands.get_by_text("request log")).to_have_count(0)
        await visit(page, "/console/feeds")
        await expect(page.locator("main h1")).to_have_text("Not found")
        for tab in ("apps", "requests"):
            await visit(page, f"/console/developers/{tab}")
            await expect(page.get_by_role("button", name="Make an API key").first).to_be_visible()
