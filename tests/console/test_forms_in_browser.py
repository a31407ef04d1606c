"""Forms send what was typed once, and wait for what they need, however impatient the person is."""

import asyncio
from typing import Any

import pytest
from playwright.async_api import Request, Route, expect
from tests.console import pages
from tests.console.browser import OpenPage
from tests.helpers.service_process import Api

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browser")]


@pytest.fixture
async def post(owned: Api) -> dict[str, Any]:
    body = {"profileId": owned.profile, "text": "Discussed", "draft": True}
    found: dict[str, Any] = await owned.post("/posts", json=body)
    return found


async def test_who_presses_twice_sends_once(console: OpenPage, owned: Api, post: dict[str, Any]) -> None:
    """Twice before the service has answered, as on a slow phone: a second message would stand there for all to read."""
    sent: list[Request] = []
    are_both_pressed = asyncio.Event()

    async def hold(route: Route) -> None:
        if route.request.method == "POST":
            sent.append(route.request)
            await are_both_pressed.wait()
        await route.continue_()

    path = f"/posts/{post['id']}/discussion"
    async with console() as page:
        await pages.visit(page, f"/console/posts/{post['id']}")
        field = page.get_by_label("Write to the team")
        await field.fill("Once.")
        await page.route(f"**/api/v1{path}*", hold)
        await page.get_by_role("button", name="Send", exact=True).dblclick()
        are_both_pressed.set()
        await expect(field).to_have_value("")
        await expect(page.get_by_role("listitem").filter(has_text="Once.")).to_have_count(1)
        assert len(sent) == 1
    assert [message["text"] for message in (await owned.get(path))["data"]] == ["Once."]


async def test_an_account_is_connected_when_it_is_known_for_which_client(console: OpenPage) -> None:
    """Networks that could be pressed before would be asked for an account of nobody: a window that opens and closes."""
    are_networks_there = asyncio.Event()

    async def hold(route: Route) -> None:
        await are_networks_there.wait()
        await route.continue_()

    async with console() as page:
        await pages.visit(page, "/console")  # the first visit sets the time zone of the profiles
        await page.goto("about:blank")  # what the page before has asked for would never end once it is left
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
