"""Saved replies: made, used in an answer with the name of whoever is answered, and deleted."""

import pytest
from playwright.async_api import expect
from tests.console.browser import OpenPage, violations
from tests.console.pages import visit
from tests.console.test_inbox_in_browser import commented
from tests.helpers.service_process import Api

pytestmark = pytest.mark.xdist_group("browser")


async def test_a_saved_reply_is_made_used_and_deleted(console: OpenPage, owned: Api, axe: str) -> None:
    profile = await commented(owned)
    [comment, *_] = (await owned.get("/comments", params={"profileId": profile["id"]}))["data"]
    async with console(viewport={"width": 1200, "height": 1000}) as page:
        await visit(page, f"/console/inbox/saved?profileId={profile['id']}")
        await page.get_by_role("button", name="New saved reply").click()
        dialog = page.get_by_role("dialog")
        await dialog.get_by_label("Name").fill("Thanks")
        await dialog.get_by_role("textbox", name="Text").fill("Thank you, {{author}}!")
        await dialog.get_by_role("button", name="Save").click()
        await expect(page.get_by_role("row", name="Thanks")).to_have_count(1)
        assert await violations(page, axe) == []

        await visit(page, f"/console/inbox/{comment['id']}")
        await page.get_by_label("Saved reply").select_option(label="Thanks")
        answer = page.get_by_label("Answer as")
        thanks = f"Thank you, {comment['author']['name']}!"
        await expect(answer).to_have_value(thanks)
        await page.get_by_label("Saved reply").select_option(label="Thanks")
        await expect(answer).to_have_value(f"{thanks}\n{thanks}")
        await answer.fill(thanks)
        assert await violations(page, axe) == []
        await page.get_by_role("button", name="Send the answer").click()
        await expect(page.get_by_text("was sent")).to_be_visible()

        await visit(page, f"/console/inbox/saved?profileId={profile['id']}")
        await page.get_by_role("button", name="Delete Thanks").click()
        await page.get_by_role("dialog").get_by_role("button", name="Delete").click()
        await expect(page.get_by_role("row", name="Thanks")).to_have_count(0)
    [reply] = (await owned.get(f"/comments/{comment['id']}"))["replies"]
    assert reply["text"] == f"Thank you, {comment['author']['name']}!"
