"""What a person presses twice is done once."""

import asyncio

import pytest
from playwright.async_api import Page, Route, expect
from tests.console import pages
from tests.console.browser import OpenPage, sign_in
from tests.console.days.town import Town

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browser-days")]


async def test_a_double_press_opens_one_window(here: Town, open_page: OpenPage) -> None:
    """At a network that is connected at once: the click itself opens the window, before anything is known."""
    email = "twice@example.test"
    await here.owner(email, "Twice")
    opened: list[Page] = []
    asked: list[str] = []
    are_both_pressed = asyncio.Event()

    async def hold(route: Route) -> None:
        asked.append(route.request.url)
        await are_both_pressed.wait()
        await route.continue_()

    def note(window: Page) -> None:
        opened.append(window)

    hosts = (here.service.base_url, *here.simulator.world.urls.values())
    state = await sign_in(here.service, email)
    async with open_page(at=here.service, storage_state=state, hosts=hosts) as page:
        await pages.visit(page, "/console/accounts")
        await page.route("**/platforms/x/auth-url?*", hold)
        page.context.on("page", note)
        await page.get_by_role("button", name="Connect an account").first.click()
        dialog = page.get_by_role("dialog")
        await dialog.get_by_role("button").filter(has=page.get_by_text("X", exact=True)).dblclick()
        are_both_pressed.set()
        link = dialog.get_by_role("link", name="Continue at X")
        await expect(link).to_be_visible()
        assert (len(asked), len(opened)) == (1, 1)
        await opened[0].get_by_role("button").wait_for()
