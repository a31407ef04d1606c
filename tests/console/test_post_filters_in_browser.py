"""The filters of the list of posts: they stand in the address, narrow each other, and can be cleared."""

import re
from typing import Any

import pytest
from playwright.async_api import Page, expect
from tests.console.browser import OpenPage
from tests.helpers.service_process import Api

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browser-posts")]


@pytest.fixture
async def written(owned: Api) -> dict[str, Any]:
    """Two accounts of a profile, a post at each, one of them with a tag."""
    profile = await owned.post("/profiles", json={"name": "Filters"})
    body = {"profileId": profile["id"]}
    first, second = [
        await owned.post("/platforms/sandbox/connect", json={**body, "fields": {"username": name}})
        for name in ("filters-one", "filters-two")
    ]
    for account, more in ((first, {"tags": ["spring"]}), (second, {})):
        text = f"Filtered at {account['username']}"
        await owned.post("/posts", json={**body, "text": text, "targets": [{"accountId": account["id"]}], **more})
    return {"profile": profile, "first": first, "second": second}


async def shown(page: Page, *names: str) -> None:
    rows = page.get_by_role("link", name=re.compile("Filtered at"))
    await expect(rows).to_have_count(len(names))
    for name in names:
        await expect(rows.filter(has_text=name)).to_have_count(1)


async def test_posts_are_found_by_account_and_tag(console: OpenPage, written: dict[str, Any]) -> None:
    async with console() as page:
        await page.goto(f"/console/posts?profileId={written['profile']['id']}")
        await shown(page, "filters-one", "filters-two")
        account = page.get_by_label("Account", exact=True)
        await account.select_option(written["second"]["id"])
        await shown(page, "filters-two")
        assert f"accountId={written['second']['id']}" in page.url

        await page.get_by_label("Tag", exact=True).fill("spring")
        await expect(page.get_by_text("No post matches these filters.")).to_be_visible()
        await account.select_option("")
        await shown(page, "filters-one")
        await page.reload()
        await shown(page, "filters-one")
        await expect(page.get_by_label("Tag", exact=True)).to_have_value("spring")

        await page.get_by_label("Tag", exact=True).fill("autumn")
        await page.get_by_role("button", name="Clear the filters").click()
        await shown(page, "filters-one", "filters-two")
        await expect(page.get_by_label("Tag", exact=True)).to_have_value("")
