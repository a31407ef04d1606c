"""What was deleted is found in the trash, and restored or deleted for good from there."""

import secrets

import pytest
from playwright.async_api import expect
from tests.console.browser import OpenPage, violations
from tests.console.pages import visit
from tests.helpers.service_process import Api

pytestmark = pytest.mark.xdist_group("browser-posts")


async def test_a_post_comes_back_from_the_trash_or_goes_for_good(console: OpenPage, owned: Api, axe: str) -> None:
    word = secrets.token_hex(4)
    profile = (await owned.get("/profiles"))["data"][0]["id"]
    posts = [
        await owned.post("/posts", json={"profileId": profile, "text": f"{text} {word}", "draft": True})
        for text in ("Back", "Gone")
    ]
    async with console(viewport={"width": 360, "height": 900}) as page:
        for post in posts:
            await page.goto(f"/console/posts/{post['id']}")
            await page.get_by_role("button", name="Delete").click()
            await page.get_by_role("dialog").get_by_role("button", name="Delete").click()
            await expect(page.get_by_role("heading", name="Posts", exact=True)).to_be_visible()
        await page.get_by_role("link", name="Trash").click()
        await page.get_by_role("button", name=f"Restore Back {word}").wait_for()
        assert await violations(page, axe) == []
        assert await page.evaluate("document.documentElement.scrollWidth") <= 360
        await page.get_by_role("button", name=f"Restore Back {word}").click()
        await expect(page.get_by_role("row").filter(has_text=f"Back {word}")).to_have_count(0)
        await page.get_by_role("button", name=f"Delete for good Gone {word}").click()
        await page.get_by_role("dialog").get_by_role("button", name="Delete for good").click()
        await expect(page.get_by_role("row").filter(has_text=f"Gone {word}")).to_have_count(0)
        await visit(page, f"/console/posts/{posts[0]['id']}")
        await expect(page.get_by_role("main")).to_contain_text(f"Back {word}")
    assert (await owned.get(f"/posts/{posts[0]['id']}"))["status"] == "draft"
