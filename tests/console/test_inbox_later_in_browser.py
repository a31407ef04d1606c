"""What a team notes on a comment in the inbox: that it comes back later, and tags."""

from datetime import datetime, timedelta

import pytest
from playwright.async_api import expect
from tests.console.browser import OpenPage, violations
from tests.console.pages import visit
from tests.console.test_inbox_in_browser import commented
from tests.helpers.service_process import Api

from signalpost.kit import clock

pytestmark = pytest.mark.xdist_group("browser")


async def test_a_comment_is_put_off_by_keyboard_and_comes_back_by_mouse(
    console: OpenPage, owned: Api, axe: str
) -> None:
    profile = await commented(owned)
    async with console(viewport={"width": 1200, "height": 1000}) as page:
        await visit(page, f"/console/inbox?profileId={profile['id']}")
        rows = page.locator(".inbox li")
        await expect(rows).to_have_count(3)
        await page.keyboard.press("s")
        await expect(rows).to_have_count(2)
        await visit(page, f"/console/inbox/later?profileId={profile['id']}")
        await expect(rows).to_have_count(1)
        await expect(rows.get_by_text("comes back")).to_be_visible()
        await rows.get_by_role("link").click()
        await expect(page.get_by_role("heading", name="The post")).to_be_visible()
        assert await violations(page, axe) == []
        await page.get_by_role("button", name="Back to the inbox now").click()
        await expect(page.get_by_role("button", name="In a week")).to_be_visible()
        until = clock.actual() + timedelta(days=60)
        await page.get_by_label("It comes back at").fill(until.strftime("%Y-%m-%dT09:30"))
        await page.get_by_role("button", name="Put it off").click()
        await expect(page.get_by_role("button", name="Back to the inbox now")).to_be_visible()
    comments = (await owned.get("/comments", params={"profileId": profile["id"], "snoozed": "true"}))["data"]
    [shown] = [datetime.fromisoformat(comment["snoozedUntil"]) for comment in comments]
    assert abs(shown - until) < timedelta(days=2)


async def test_tags_are_saved_and_shown_in_the_list(console: OpenPage, owned: Api) -> None:
    profile = await commented(owned)
    [comment, *_] = (await owned.get("/comments", params={"profileId": profile["id"]}))["data"]
    async with console(viewport={"width": 360, "height": 740}) as page:
        await visit(page, f"/console/inbox/{comment['id']}")
        await page.get_by_role("textbox", name="Tags").fill("question, price")
        await page.get_by_role("button", name="Save the tags").click()
        await expect(page.get_by_text("The tags are saved.")).to_be_visible()
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "it scrolls sideways"
        await visit(page, f"/console/inbox?profileId={profile['id']}")
        await expect(page.locator(".inbox li").get_by_text("question, price")).to_be_visible()
    assert (await owned.get(f"/comments/{comment['id']}"))["tags"] == ["question", "price"]
