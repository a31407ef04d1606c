"""The next page of a list stands below the rows that it follows."""

import asyncio
import re
import secrets

import pytest
from playwright.async_api import Route, expect
from tests.console import pages
from tests.console.browser import OpenPage
from tests.helpers.service_process import Api

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browser")]
LISTS = re.compile(r"/api/v1/posts\?")


async def written(owned: Api, tag: str) -> None:
    """Six drafts; every second one has another tag too."""
    for number in range(6):
        tags = [tag, f"odd{tag}"] if number % 2 else [tag]
        body = {"profileId": owned.profile, "text": f"{tag} {number}", "draft": True, "tags": tags}
        await owned.post("/posts", json=body)


async def two_at_a_time(route: Route) -> None:
    await route.continue_(url=route.request.url.replace("limit=50", "limit=2"))


async def test_pages_are_added_until_all_is_there_once(console: OpenPage, owned: Api) -> None:
    tag = f"more{secrets.token_hex(4)}"
    await written(owned, tag)
    async with console() as page:
        await page.route(LISTS, two_at_a_time)
        await pages.visit(page, f"/console/posts?tag={tag}")
        more, links = page.get_by_role("button", name="Show more"), page.locator("main .row-link")
        for shown in (2, 4):
            await expect(links).to_have_count(shown)
            await expect(page.get_by_text(f"{shown} posts shown")).to_be_visible()
            await more.click()
        await expect(links).to_have_text([re.compile(f"{tag} {number}") for number in (5, 4, 3, 2, 1, 0)])
        await expect(more).to_have_count(0)


async def test_a_page_that_comes_late_is_not_added_to_another_list(console: OpenPage, owned: Api) -> None:
    """Whoever chooses a filter meanwhile, as on a slow phone, would see rows that it excludes."""
    tag = f"late{secrets.token_hex(4)}"
    await written(owned, tag)
    is_asked, may_go = asyncio.Event(), asyncio.Event()

    async def hold_next(route: Route) -> None:
        if "cursor=" in route.request.url:
            is_asked.set()
            await may_go.wait()
        await two_at_a_time(route)

    async with console() as page:
        await page.route(LISTS, hold_next)
        await pages.visit(page, f"/console/posts?tag={tag}")
        more, links = page.get_by_role("button", name="Show more"), page.locator("main .row-link")
        await more.click()
        await is_asked.wait()
        await page.get_by_label("Tag", exact=True).fill(f"odd{tag}")
        odd = [re.compile(f"{tag} {number}") for number in (5, 3)]
        await expect(links).to_have_text(odd)
        async with page.expect_response(re.compile("cursor=")):
            may_go.set()
        await expect(more).to_be_enabled()  # it is not busy any more
        await expect(links).to_have_text(odd)
