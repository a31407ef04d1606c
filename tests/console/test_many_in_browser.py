"""Many posts at once: chosen by mouse and keyboard, changed one by one, with what was refused beside its post."""

import asyncio
import secrets
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, Route, expect
from tests.console import coming
from tests.console.browser import OpenPage, violations
from tests.console.pages import visit
from tests.helpers.service_process import Api

pytestmark = pytest.mark.xdist_group("browser-posts")


@pytest.fixture(scope="module")
async def place(owned: Api) -> dict[str, Any]:
    """Two clients with an account each."""
    profiles = [await owned.post("/profiles", json={"name": name}) for name in ("Many", "Others")]
    for profile in profiles:
        body = {"profileId": profile["id"], "fields": {"username": f"many-{profile['name'].lower()}"}}
        await owned.post("/platforms/sandbox/connect", json=body)
    return {"profile": profiles[0]["id"], "other": profiles[1]["id"]}


async def make(owned: Api, place: dict[str, Any], text: str, at: str | None = None, **fields: Any) -> Any:
    body = {"profileId": place["profile"], "platforms": ["sandbox"], "text": text}
    return await owned.post("/posts", json=body | ({"scheduledAt": at} if at else {"draft": True}) | fields)


async def moments(owned: Api, posts: list[Any]) -> list[str | None]:
    return [(await owned.get(f"/posts/{post['id']}"))["scheduledAt"] for post in posts]


def bar(page: Page) -> Any:
    return page.get_by_role("region", name="Chosen posts")


async def choose_all(page: Page, place: dict[str, Any], word: str, count: int) -> None:
    await visit(page, f"/console/posts?profileId={place['profile']}&q={word}")
    await expect(page.locator("[data-post]")).to_have_count(count)
    await page.get_by_label("Choose all that are shown").click()
    await expect(bar(page)).to_contain_text(f"{count} posts chosen")


async def test_posts_are_moved_together_and_back_and_who_cannot_says_why(
    console: OpenPage, owned: Api, place: dict[str, Any], axe: str
) -> None:
    word = secrets.token_hex(4)
    at = [f"{coming.day(3, day)}T10:00:00.000Z" for day in (1, 2, 3)]
    posts = [await make(owned, place, f"{name} {word}", when) for name, when in zip("ABC", at, strict=True)]
    await make(owned, place, f"Timeless {word}")
    async with console(locale="en-GB", viewport={"width": 360, "height": 900}) as page:
        await visit(page, f"/console/posts?profileId={place['profile']}&q={word}")
        boxes = page.locator("[data-post]")
        await boxes.first.click()
        await boxes.last.click(modifiers=["Shift"])
        await expect(bar(page)).to_contain_text("4 posts chosen")
        await page.evaluate("scrollTo(0, 0)")  # where the bar covers half of a row, axe sees a target too small
        assert await violations(page, axe) == []
        assert await page.evaluate("document.documentElement.scrollWidth") <= 360
        await bar(page).get_by_role("button", name="Move…").click()
        dialog = page.get_by_role("dialog", name="Move 4 posts")
        await dialog.get_by_label("Days").fill("2")
        await dialog.get_by_label("Hours").fill("1")
        await dialog.get_by_role("button", name="Move", exact=True).click()
        await expect(bar(page)).to_contain_text("3 posts were moved. 1 was refused.")
        refused = bar(page).get_by_role("listitem")
        await expect(refused).to_contain_text(f"Timeless {word}")
        await expect(refused).to_contain_text("Move it to a time instead.")
        await page.evaluate("scrollTo(0, 0)")
        assert await violations(page, axe) == []
        assert await moments(owned, posts) == [f"{coming.day(3, day)}T11:00:00.000Z" for day in (3, 4, 5)]
        await bar(page).get_by_role("button", name="Undo").click()
        await expect(bar(page)).to_contain_text("3 posts are as they were.")
        await bar(page).get_by_role("button", name="Done").click()
        await expect(bar(page)).to_have_count(0)
    assert await moments(owned, posts) == at


async def test_posts_are_chosen_and_tagged_by_keyboard_and_saved_as_a_table(
    console: OpenPage, owned: Api, place: dict[str, Any], tmp_path: Path
) -> None:
    word = secrets.token_hex(4)
    posts = [await make(owned, place, f"={name} {word}") for name in "CBA"]
    async with console(locale="en-GB") as page:
        await visit(page, f"/console/posts?profileId={place['profile']}&q={word}")
        await page.get_by_role("link", name=f"=A {word}").wait_for()
        for key in ("j", "x", "Shift+ArrowDown", "Shift+ArrowDown", "Shift+ArrowUp"):
            await page.keyboard.press(key)
        await expect(bar(page)).to_contain_text("2 posts chosen")
        async with page.expect_download() as download:
            await bar(page).get_by_role("button", name="Save as CSV").click()
        await (await download.value).save_as(tmp_path / "posts.csv")
        await bar(page).get_by_role("button", name="Tag…").click()
        await page.get_by_label("Tags").fill("spring, menu")
        await page.keyboard.press("Enter")
        await expect(bar(page)).to_contain_text("2 posts were tagged.")
    rows = (tmp_path / "posts.csv").read_text(encoding="utf-8-sig").splitlines()
    assert [f"'={name} {word}" in row for name, row in zip("BA", rows[1:], strict=True)] == [True, True]
    tags = [(await owned.get(f"/posts/{post['id']}"))["tags"] for post in posts]
    assert tags == [[], ["spring", "menu"], ["spring", "menu"]]


async def test_what_an_interruption_left_is_named_and_done_once(
    console: OpenPage, owned: Api, place: dict[str, Any]
) -> None:
    """The answer to the first is lost, the second fails, the page is loaded again: each is moved by one day, once."""
    word = secrets.token_hex(4)
    posts = [await make(owned, place, f"{name} {word}", f"{coming.day(4, number)}T10:00:00Z") for number, name in
             enumerate("ABCDE", 1)]  # fmt: skip
    lost, fails = posts[0]["id"], posts[1]["id"]
    is_lost = asyncio.Event()
    async with console(locale="en-GB", expected={412, 500, 503}) as page:
        await choose_all(page, place, word, 5)

        async def lose(route: Route) -> None:
            await route.fetch()
            await route.fulfill(status=503, json={"code": "unavailable", "title": "Unavailable"})
            is_lost.set()

        async def fail(route: Route) -> None:
            await is_lost.wait()
            await route.fulfill(status=500, json={"code": "internal_error", "title": "Internal error"})

        await page.route(f"**/posts/{lost}", lose, times=1)
        await page.route(f"**/posts/{fails}", fail)
        await bar(page).get_by_role("button", name="Move…").click()
        await page.get_by_role("dialog").get_by_role("button", name="Move", exact=True).click()
        await expect(bar(page)).to_contain_text("not done yet")
        await page.unroute_all(behavior="wait")
        await page.reload()
        await expect(bar(page)).to_contain_text("not done yet")
        await bar(page).get_by_text("Which are done, and which are not").click()
        await expect(bar(page).get_by_role("listitem").filter(has_text=f"B {word}")).to_contain_text("not yet")
        await bar(page).get_by_role("button", name="Go on").click()
        await expect(bar(page)).to_contain_text("5 posts were moved.")
    assert await moments(owned, posts) == [f"{coming.day(4, number)}T10:00:00.000Z" for number in range(2, 7)]


async def test_posts_are_approved_duplicated_and_deleted_together(
    console: OpenPage, owned: Api, place: dict[str, Any]
) -> None:
    word = secrets.token_hex(4)
    at = f"{coming.day(5, 1)}T10:00:00.000Z"
    posts = [await make(owned, place, f"{name} {word}", at, publishMode="draft") for name in "AB"]
    async with console(locale="en-GB") as page:
        await choose_all(page, place, word, 2)
        await bar(page).get_by_role("button", name="Ask for approval", exact=True).click()
        await expect(bar(page)).to_contain_text("2 posts wait for approval.")
        await bar(page).get_by_role("button", name="Done").click()

        await page.get_by_label("Choose all that are shown").click()
        await bar(page).get_by_role("button", name="Duplicate to a client…").click()
        await page.get_by_label("For which client").select_option(place["other"])
        await page.get_by_role("button", name="Make drafts").click()
        await expect(bar(page)).to_contain_text("2 drafts were made.")
        await bar(page).get_by_role("button", name="Done").click()

        await page.get_by_label("Choose all that are shown").click()
        await bar(page).get_by_role("button", name="Approve…").click()
        await page.get_by_role("dialog").get_by_role("button", name="Approve", exact=True).click()
        await expect(bar(page)).to_contain_text("2 posts are approved.")
        await bar(page).get_by_role("button", name="Done").click()
        assert {(await owned.get(f"/posts/{post['id']}"))["status"] for post in posts} == {"scheduled"}

        await page.get_by_label("Choose all that are shown").click()
        await bar(page).get_by_role("button", name="Delete…").click()
        await page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True).click()
        await expect(bar(page)).to_contain_text("2 posts are in the trash.")
        await bar(page).get_by_role("button", name="Undo").click()
        await expect(bar(page)).to_contain_text("2 posts are as they were.")
    copies = (await owned.get("/posts", params={"profileId": place["other"], "q": word}))["data"]
    assert {(copy["status"], copy["scheduledAt"]) for copy in copies} == {("draft", at)}
    assert len(copies) == 2
    assert [len(copy["targets"]) for copy in copies] == [1, 1]
    assert {(await owned.get(f"/posts/{post['id']}"))["status"] for post in posts} == {"scheduled"}


async def test_posts_of_the_calendar_are_chosen_by_click_and_key(
    console: OpenPage, owned: Api, place: dict[str, Any], axe: str
) -> None:
    word = secrets.token_hex(4)
    for day in (8, 9, 10, 11):
        await make(owned, place, f"{day} {word}", f"{coming.day(6, day)}T10:00:00Z")
    async with console(locale="en-GB", viewport={"width": 1280, "height": 1400}) as page:
        await visit(page, f"/console/calendar?view=month&date={coming.day(6, 1)}&profileId={place['profile']}")
        entries = page.locator(".entry").filter(has_text=word)
        await entries.nth(0).click(modifiers=["Control"])
        await entries.nth(2).click(modifiers=["Shift"])
        await expect(bar(page)).to_contain_text("3 posts chosen")
        await page.keyboard.press("Shift+ArrowDown")
        await expect(bar(page)).to_contain_text("4 posts chosen")
        await page.keyboard.press("x")
        await expect(bar(page)).to_contain_text("3 posts chosen")
        assert await violations(page, axe) == []
        await bar(page).get_by_role("button", name="Choose none").click()

        await page.get_by_role("button", name="Choose posts").click()
        await entries.nth(3).click()
        await expect(bar(page)).to_contain_text("1 post chosen")
        await bar(page).get_by_role("button", name="Choose all 4 that are shown").click()
        await expect(bar(page)).to_contain_text("4 posts chosen")
