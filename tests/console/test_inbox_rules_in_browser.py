"""Rules for comments: tried before they are saved, seen at work, switched off and deleted."""

import secrets

import pytest
from playwright.async_api import expect
from tests.console.browser import OpenPage, violations
from tests.console.pages import visit
from tests.console.test_inbox_in_browser import commented
from tests.helpers.service_process import Api

pytestmark = pytest.mark.xdist_group("browser")


async def test_a_rule_is_tried_made_seen_at_work_and_deleted(console: OpenPage, owned: Api, axe: str) -> None:
    profile = await commented(owned)
    name = f"Visitors {secrets.token_hex(3)}"
    async with console(viewport={"width": 1200, "height": 1000}) as page:
        await visit(page, f"/console/inbox/rules?profileId={profile['id']}")
        await page.get_by_role("button", name="New rule").click()
        dialog = page.get_by_role("dialog")
        await dialog.get_by_label("Name", exact=True).fill(name)
        await dialog.get_by_label("Usernames").fill("visitor1\nvisitor2")
        await dialog.get_by_label("Tags").fill("visitor")
        await dialog.get_by_label("Hide from others").check()
        await dialog.get_by_role("button", name="What would it have met?").click()
        await expect(dialog.get_by_text("2 comments would have met it.")).to_be_visible()
        assert await violations(page, axe) == []
        await dialog.get_by_role("button", name="Save").click()
        row = page.get_by_role("row", name=name)
        await expect(row).to_have_count(1)
        await expect(row.get_by_text("hide · tag: visitor")).to_be_visible()
        assert await violations(page, axe) == []

        text = f"Cake {secrets.token_hex(4)} [[comments:2]]"
        await owned.post("/posts", json={"profileId": profile["id"], "text": text, "platforms": ["sandbox"]})

        async def are_hidden() -> bool:
            uses = (await owned.get("/comment-rules/uses"))["data"]
            return [use["hiding"] for use in uses if use["ruleName"] == name] == ["done", "done"]

        await owned.service.until(are_hidden, "comments that a rule has hidden")
        [use, *_] = [use for use in (await owned.get("/comment-rules/uses"))["data"] if use["ruleName"] == name]
        await visit(page, f"/console/inbox/{use['commentId']}")
        await expect(page.get_by_text(f"Rule {name}: tagged, hidden")).to_be_visible()

        await visit(page, f"/console/inbox/rules?profileId={profile['id']}")
        await expect(page.get_by_role("heading", name="What rules did")).to_be_visible()
        assert await violations(page, axe) == []
        await page.get_by_role("button", name=f"Switch off {name}").click()
        await page.get_by_role("button", name=f"Switch on {name}").click()
        await expect(page.get_by_role("button", name=f"Switch off {name}")).to_be_visible()
        await page.get_by_role("button", name=f"Delete {name}").click()
        await page.get_by_role("dialog").get_by_role("button", name="Delete").click()
        await expect(row).to_have_count(0)
