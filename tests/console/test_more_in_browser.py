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
SHOWN = 50
"""Posts of a page."""


async def written(owned: Api, tag: str) -> None:
    """Two pages and one post of drafts; every second one has another tag too, that is one page and one post."""
    posts = [
        {"profileId": owned.profile, "text": f"{tag} {number:03}", "tags": [tag, f"odd{tag}"] if number % 2 else [tag]}
        for number in range(2 * SHOWN + 3)
    ]
    for start in range(0, len(posts), 50):
        await owned.post("/posts/bulk", json={"posts": posts[start : start + 50], "draft": True})


def texts(tag: str, *numbers: int) -> list[re.Pattern[str]]:
    return [re.compile(f"{tag} {number:03}") for number in numbers]


async def test_pages_are_added_until_all_is_there_once(console: OpenPage, owned: Api) -> None:
    tag = f"more{secrets.token_hex(4)}"
    await written(owned, tag)
    async with console() as page:
        await pages.visit(page, f"/console/posts?tag={tag}")
        more, links = page.get_by_role("button", name="Show more"), page.locator("main .row-link")
        for shown in (SHOWN, 2 * SHOWN):
            await expect(links).to_have_count(shown)
            await expect(page.get_by_text(f"{shown} posts shown")).to_be_visible()
            await more.click()
        await expect(links).to_have_text(texts(tag, *range(2 * SHOWN + 2, -1, -1)))
        await expect(more).to_have_count(0)


async def test_a_page_that_comes_late_is_not_added_to_another_list(console: OpenPage, owned: Api) -> None:
    """Whoever chooses a filter meanwhile, as on a slow phone, would see rows that it excludes."""
    tag = f"late{secrets.token_hex(4)}"
    await written(owned, tag)
    is_asked, may_go = asyncio.Event(), asyncio.Event()

    async def hold(route: Route) -> None:
        is_asked.set()
        await may_go.wait()
        await route.continue_()

    async with console() as page:
        await page.route(re.compile(r"/api/v1/posts\?.*cursor="), hold)
        await pages.visit(page, f"/console/posts?tag={tag}")
        more, links = page.get_by_role("button", name="Show more"), page.locator("main .row-link")
        await more.click()
        await is_asked.wait()
        await page.get_by_label("Tag", exact=True).fill(f"odd{tag}")
        odd = texts(tag, *range(2 * SHOWN + 1, 1, -2))
        await expect(links).to_have_text(odd)
        async with page.expect_response(re.compile("cursor=")):
            may_go.set()
        await expect(more).to_be_enabled()  # it is not busy any more
        await expect(links).to_have_text(odd)


async def test_what_is_loaded_again_is_as_long_as_before(console: OpenPage, owned: Api) -> None:
    """A post is written elsewhere while the next page is on its way: the list has both, and stays long."""
    tag = f"long{secrets.token_hex(4)}"
    await written(owned, tag)
    is_reloaded, may_go = asyncio.Event(), asyncio.Event()
    first_page = re.compile(rf"/api/v1/posts\?(?!.*cursor=).*tag={tag}")

    async def hold(route: Route) -> None:
        is_reloaded.set()
        await may_go.wait()
        await route.continue_()

    async with console() as page:
        await pages.visit(page, f"/console/posts?tag={tag}")
        more, links = page.get_by_role("button", name="Show more"), page.locator("main .row-link")
        await expect(links).to_have_count(SHOWN)
        await page.route(first_page, hold)
        await owned.post(
            "/posts", json={"profileId": owned.profile, "text": f"{tag} new", "tags": [tag], "publishMode": "draft"}
        )
        await is_reloaded.wait()
        await more.click()
        await expect(page.get_by_text(f"{2 * SHOWN} posts shown")).to_be_visible()
        may_go.set()
        await expect(links.first).to_have_text(re.compile(f"{tag} new"))
        await expect(page.get_by_text(f"{2 * SHOWN} posts shown")).to_be_visible()
        await more.click()
        await expect(links).to_have_text([re.compile(f"{tag} new"), *texts(tag, *range(2 * SHOWN + 2, -1, -1))])
        await page.unroute_all(behavior="wait")
