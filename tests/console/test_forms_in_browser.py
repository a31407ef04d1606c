"""Forms wait for what they need, however impatient the person is."""

import asyncio

import pytest
from playwright.async_api import Route, expect
from tests.console import pages
from tests.console.browser import OpenPage

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browser")]


async def test_an_account_is_connected_when_it_is_known_for_which_client(console: OpenPage) -> None:
    """Networks that could be pressed before would be asked for an account of nobody: a window that opens and closes."""
    are_networks_there = asyncio.Event()

    async def hold(route: Route) -> None:
        await are_networks_there.wait()
        await route.continue_()

    async with console() as page:
        await pages.visit(page, "/console")  # the first visit sets the time zone of the profiles
        await page.route("**/api/v1/profiles?*", hold)
        async with page.expect_response("**/api/v1/platforms") as answered:
            await page.goto("/console/accounts")
        await (await answered.value).finished()
        await page.get_by_role("button", name="Connect an account").first.click()
        dialog = page.get_by_role("dialog", name="Connect an account")
        await expect(dialog.get_by_role("status", name="Loading")).to_be_visible()
        await expect(dialog.get_by_role("button", name="Mastodon")).to_have_count(0)
        are_networks_there.set()
        await expect(dialog.get_by_role("button", name="Mastodon")).to_be_visible()
