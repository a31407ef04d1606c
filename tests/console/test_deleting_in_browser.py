"""What is being deleted is not asked for, whatever wakes its page: the answer would be that it is not there."""

import asyncio
import re
import secrets
from typing import Any

import pytest
from playwright.async_api import Page, Request, Route, expect
from tests.console.browser import OpenPage
from tests.console.pages import visit
from tests.helpers.service_process import Api
from tests.helpers.webhooks import receiver_server

pytestmark = pytest.mark.xdist_group("browser-posts")
WAKE = "dispatchEvent(new Event('online'))"
FRAMES = "async () => { for (let n = 0; n < 3; n += 1) await new Promise(requestAnimationFrame); }"
PLACES = {"post": ("posts", "Delete"), "ticket": ("support", "Delete the ticket"), "webhook": ("webhooks", "Delete")}
"""What can be deleted on a page that asks for it again and again: its operations, and the button."""


@pytest.fixture(params=PLACES)
async def thing(request: pytest.FixtureRequest, owned: Api) -> Any:
    """Something to delete: the address of its page, the path of its operations, and its button."""
    kind = request.param
    folder, button = PLACES[kind]
    word = secrets.token_hex(4)
    if kind == "post":
        made = await owned.post("/posts", json={"profileId": owned.profile, "text": word, "draft": True})
    elif kind == "ticket":
        made = await owned.post("/support", json={"subject": f"Late {word}", "body": "Since Sunday."})
    else:
        async with receiver_server() as receiver:
            made = await owned.post("/webhooks", json={"url": receiver.url, "name": word, "events": ["post.failed"]})
            await owned.post(f"/webhooks/{made['id']}/test", json={})
            await receiver.wait(1)
    page = "developers/webhooks" if kind == "webhook" else folder
    return f"/console/{page}/{made['id']}", re.compile(f"/api/v1/{folder}/{made['id']}(/|$|\\?)"), button


async def _still_waits(route: Route) -> None:
    """A delivery that is waiting has the page of its webhook ask for it again."""
    answer = await route.fetch()
    found = await answer.json()
    for delivery in found["data"]:
        delivery["state"] = "pending"
    await route.fulfill(response=answer, json=found)


async def opened(page: Page, address: str, button: str) -> Any:
    """Open the page; returns the button that deletes after all."""
    await page.route(re.compile(r"/deliveries\?"), _still_waits)
    await visit(page, address)
    await page.get_by_role("button", name=button, exact=True).click()
    return page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True)


async def test_a_page_that_is_woken_while_it_deletes_asks_nothing(console: OpenPage, thing: Any) -> None:
    """It is deleted, and the page does not know it yet."""
    address, path, button = thing
    is_deleted = False
    asked: list[str] = []

    async def answer_late(route: Route) -> None:
        nonlocal is_deleted
        if route.request.method != "DELETE":
            await route.fallback()
            return
        answer = await route.fetch()
        is_deleted = True
        await page.evaluate(WAKE)
        await page.evaluate(FRAMES)
        await route.fulfill(response=answer)

    def note(request: Request) -> None:
        if is_deleted and path.search(request.url):
            asked.append(f"{request.method} {request.url}")

    async with console() as page:
        page.on("request", note)
        await page.route(path, answer_late)
        await (await opened(page, address, button)).click()
        await expect(page.get_by_role("dialog")).to_have_count(0)
        await expect(page).not_to_have_url(re.compile(f"{address}$"))
    assert asked == []


async def test_what_was_asked_before_is_answered_before_it_is_deleted(console: OpenPage, thing: Any) -> None:
    address, path, button = thing
    is_asked, may_go = asyncio.Event(), asyncio.Event()
    sent: list[str] = []

    async def hold_back(route: Route) -> None:
        sent.append(route.request.method)
        if route.request.method == "GET":
            is_asked.set()
            await may_go.wait()
        await route.continue_()

    async with console() as page:
        delete = await opened(page, address, button)
        await page.route(path, hold_back)
        await page.evaluate(WAKE)
        await is_asked.wait()
        await delete.click()
        await page.evaluate(FRAMES)
        assert set(sent) == {"GET"}
        may_go.set()
        await expect(page).not_to_have_url(re.compile(f"{address}$"))
    assert "DELETE" in sent
