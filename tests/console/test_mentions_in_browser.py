"""People to mention in the composer: offered while their names are typed, written as each network needs it."""

from typing import Any

import pytest
from playwright.async_api import Locator, Page, expect
from tests.console.browser import OpenPage, save_draft, violations
from tests.console.pages import visit
from tests.helpers.service_process import Api

pytestmark = pytest.mark.xdist_group("browser-posts")


@pytest.fixture(scope="module")
async def client(owned: Api) -> Any:
    profile = await owned.post("/profiles", json={"name": "Mentions"})
    body = {"profileId": profile["id"], "fields": {"username": "mentioning"}}
    await owned.post("/platforms/sandbox/connect", json=body)
    return profile


def text_of(page: Page) -> Locator:
    return page.get_by_label("Text", exact=True)


async def test_a_person_is_chosen_by_keyboard_while_the_name_is_typed(console: OpenPage, client: Any, axe: str) -> None:
    """On a small screen. Nothing moves, the text keeps the focus, and one key takes the name back."""
    async with console(viewport={"width": 360, "height": 800}) as page:
        await visit(page, f"/console/compose?profileId={client['id']}")
        text, people = text_of(page), page.get_by_role("listbox", name="People")
        await text.press_sequentially("Thanks @ab")
        await expect(people.get_by_role("option")).to_have_count(2)
        await expect(text).to_have_attribute("aria-activedescendant", "person-0")
        await expect(page.get_by_role("status").filter(has_text="2 people")).to_have_count(1)
        assert await violations(page, axe) == []
        assert await page.evaluate("document.documentElement.scrollWidth") <= 360
        await page.keyboard.press("ArrowDown")
        await expect(people.get_by_role("option", name="Zoë Abbott")).to_have_attribute("aria-selected", "true")
        await page.keyboard.press("Enter")
        await expect(text).to_have_value("Thanks @zoe.abbott ")
        await expect(text).to_be_focused()
        await expect(people).to_have_count(0)
        await expect(text).not_to_have_attribute("aria-activedescendant", "person-0")
        await page.keyboard.type("again")
        await expect(text).to_have_value("Thanks @zoe.abbott again")
        for value in ("Thanks @zoe.abbott ", "Thanks @ab"):
            await page.keyboard.press("Control+z")
            await expect(text).to_have_value(value)


async def test_who_types_on_is_not_held_up(console: OpenPage, client: Any) -> None:
    """Escape and the arrows to the sides close the list; an address is no mention; Enter without people is a line."""
    async with console() as page:
        await visit(page, f"/console/compose?profileId={client['id']}")
        text, people = text_of(page), page.get_by_role("listbox", name="People")
        for key in ("Escape", "ArrowLeft"):
            await text.fill("")
            await text.press_sequentially("@ab")
            await expect(people).to_be_visible()
            await page.keyboard.press(key)
            await expect(people).to_have_count(0)
        await text.fill("")
        await text.press_sequentially("me@ab")
        await page.keyboard.press("Enter")
        await page.keyboard.type("@nobody")
        await page.keyboard.press("Enter")
        await expect(text).to_have_value("me@ab\n@nobody\n")
        await page.get_by_role("button", name="Add a part to the thread").click()
        part = page.get_by_label("Text of part 2")
        await part.press_sequentially("And @gra")
        await people.get_by_role("option", name="Grace Cook").click()
        await expect(part).to_have_value("And @grace.cook ")


async def test_a_handle_stands_only_where_it_is_one(console: OpenPage, owned: Api, mastodon: str) -> None:
    """A text of two networks becomes two, in one step; an account's own text is of one network."""
    profile = await owned.post("/profiles", json={"name": "Two networks"})
    body = {"profileId": profile["id"], "fields": {"username": "both"}}
    await owned.post("/platforms/sandbox/connect", json=body)
    async with console(expected={404}, hosts=(owned.service.base_url, mastodon)) as page:
        await connect_beside(page, owned, profile["id"])
        await visit(page, f"/console/compose?profileId={profile['id']}")
        for chip in await page.locator("button.chip").all():
            await chip.click()
        text, people = text_of(page), page.get_by_role("listbox", name="People")
        await text.press_sequentially("With @abel")
        await page.get_by_role("option", name="@abel@").click()
        await expect(text).to_have_value("With Noor Abel ")
        await expect(page.locator(".toasts")).to_contain_text("Mastodon has a text of its own now")
        await page.keyboard.type("today")
        await save_draft(page)
        first = await owned.get(f"/posts/{page.url.rpartition('/')[2]}")
        await text.press("Control+z")
        await text.press("Control+z")
        await expect(text).to_have_value("With @abel")
        await page.get_by_role("group", name="Which text").get_by_role("button", name="alice").click()
        own = page.get_by_label("Text for alice")
        await own.press_sequentially(" and @abb")
        await people.get_by_role("option").first.click()
        await expect(own).to_have_value("With @abel and @zoe@far.example ")

    texts = {target["platform"]: target["text"] for target in first["targets"]}
    assert first["text"] == "With Noor Abel today"
    assert texts["mastodon"].startswith("With @abel@127.0.0.1")


async def connect_beside(page: Page, owned: Api, profile: str) -> None:
    """Connect an account of Mastodon beside others."""
    begun = await owned.get("/platforms/mastodon/auth-url", params={"profileId": profile})
    await page.goto(begun["url"])
    await page.get_by_role("button", name="Continue to 127.0.0.1").click()
    await page.get_by_role("link", name="Authorize").click()
    await page.get_by_role("heading", name="Connected").wait_for()
