"""The job of a shop: its blog becomes drafts, by clicks."""

import secrets
from datetime import timedelta

import pytest
from playwright.async_api import expect
from tests.console.browser import OpenPage, violations
from tests.console.pages import visit
from tests.helpers.feeds import blog_server
from tests.helpers.service_process import Api

from signalpost.kit import clock

pytestmark = pytest.mark.xdist_group("browser")


async def test_a_blog_is_pasted_looked_at_and_added(console: OpenPage, owned: Api, axe: str) -> None:
    profile = await owned.post("/profiles", json={"name": f"Bakery {secrets.token_hex(3)}"})
    await owned.post("/platforms/sandbox/connect", json={"profileId": profile["id"], "fields": {"username": "bakery"}})
    async with blog_server() as blog, console(viewport={"width": 1200, "height": 1100}) as page:
        blog.publish("Rye bread", "Fresh rolls", text="Warm.", at=clock.actual() - timedelta(hours=1))
        await visit(page, f"/console/feeds?profileId={profile['id']}")
        await page.get_by_role("link", name="New feed").first.click()
        await page.get_by_label("Client").select_option(profile["id"])
        await page.get_by_label("Address").fill(blog.url)
        await page.get_by_role("button", name="Show the newest items as posts").click()
        await expect(page.get_by_text("Fresh rolls")).to_be_visible()
        await page.get_by_label("Of those that are there already, the latest").fill("1")
        await page.get_by_role("button", name="Add the feed").click()
        await expect(page.get_by_role("button", name="Pause")).to_be_visible()
        await expect(page.get_by_role("button", name="Look again")).to_be_visible()
        [feed] = (await owned.get("/feeds", params={"profileId": profile["id"]}))["data"]

        async def is_posted() -> bool:
            return bool((await owned.get(f"/feeds/{feed['id']}"))["posted"])

        await owned.service.until(is_posted, "post of the feed")
        await page.reload()
        await expect(page.get_by_role("link", name="became a post")).to_have_count(1)
        assert await violations(page, axe) == []

        await page.get_by_role("button", name="Pause").click()
        await expect(page.get_by_role("button", name="Go on", exact=True)).to_be_visible()
        await page.get_by_label("At most in a day").fill("2")
        await page.get_by_role("button", name="Save", exact=True).click()
        await expect(page.get_by_text("Saved.").last).to_be_visible()
        await page.get_by_role("button", name="Go on", exact=True).click()
        await expect(page.get_by_role("button", name="Pause")).to_be_visible()
        now = await owned.get(f"/feeds/{feed['id']}")
        await page.get_by_role("button", name="Delete").click()
        await page.get_by_role("dialog").get_by_role("button", name="Delete").click()
        await expect(page.get_by_role("link", name="New feed").first).to_be_visible()
        assert (await owned.get("/feeds", params={"profileId": profile["id"]}))["data"] == []
    assert (now["state"], now["dailyMax"]) == ("active", 2)
