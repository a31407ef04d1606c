"""Undo and redo in the composer: by words, over the whole draft, also after the page was loaded again."""

import re
from typing import Any

import pytest
from playwright.async_api import Locator, Page, expect
from tests.console.browser import OpenPage, save_draft, violations
from tests.console.pages import visit
from tests.console.test_composer_in_browser import connect
from tests.helpers.service_process import Api

pytestmark = pytest.mark.xdist_group("browser-posts")


@pytest.fixture(scope="module")
async def client(owned: Api) -> Any:
    """A client with two accounts, so that none is chosen by itself."""
    profile = await owned.post("/profiles", json={"name": "Undone"})
    for username in ("first", "second"):
        body = {"profileId": profile["id"], "fields": {"username": username}}
        await owned.post("/platforms/sandbox/connect", json=body)
    return profile


def text_of(page: Page) -> Locator:
    return page.get_by_label("Text", exact=True)


def button(page: Page, name: str) -> Locator:
    return page.locator(".texts").get_by_role("button", name=name, exact=True)


async def begin(page: Page, client: Any, text: str) -> None:
    """Type a text. What is typed before the steps are counted is one step."""
    await visit(page, f"/console/compose?profileId={client['id']}")
    await text_of(page).press_sequentially(text[0])
    await expect(button(page, "Undo")).to_be_enabled()
    await page.keyboard.type(text[1:])


async def test_words_are_undone_and_done_again_also_after_a_reload(console: OpenPage, client: Any, axe: str) -> None:
    """By keyboard alone, on a small screen; the draft is saved meanwhile, and the browser keeps no copy of it."""
    async with console(viewport={"width": 360, "height": 800}) as page:
        await begin(page, client, "Fresh warm rolls")
        assert await violations(page, axe) == []
        await page.keyboard.press("Control+z")
        await expect(text_of(page)).to_have_value("Fresh warm ")
        await page.keyboard.type("bread")
        await expect(button(page, "Redo")).to_be_disabled()
        await page.keyboard.press("Control+s")
        await page.wait_for_url(re.compile("/console/compose/pst_"))
        await expect(page.get_by_text("Saved", exact=True)).to_be_visible()
        await page.reload()
        await expect(text_of(page)).to_have_value("Fresh warm bread")
        await expect(button(page, "Undo")).to_be_enabled()
        for shown in ("Fresh warm ", "Fresh ", ""):
            await page.keyboard.press("Control+z")
            await expect(text_of(page)).to_have_value(shown)
        await expect(button(page, "Undo")).to_be_disabled()
        await page.keyboard.press("Control+Shift+z")
        await page.reload()
        await expect(text_of(page)).to_have_value("Fresh ")
        await expect(button(page, "Redo")).to_be_enabled()
        await page.keyboard.press("Control+y")
        await page.keyboard.type("milk")
        await expect(text_of(page)).to_have_value("Fresh warm milk")
        assert await page.evaluate("document.documentElement.scrollWidth") <= 360


async def test_the_whole_draft_is_undone_by_buttons(console: OpenPage, owned: Api, client: Any) -> None:
    """Accounts, the text of one of them, parts of a thread, a title; the text that a step is about is shown."""
    async with console(viewport={"width": 1280, "height": 900}) as page:
        await begin(page, client, "All")
        for name in ("first", "second"):
            await page.locator("button.chip", has_text=name).click()
        await page.get_by_role("group", name="Which text").get_by_role("button", name="second").click()
        own = page.get_by_label("Text for second")
        await own.press("Control+End")
        await page.keyboard.type("!")
        await page.get_by_role("button", name="Add a part to the thread").click()
        await page.get_by_label("Text of part 2").fill("More")
        await page.get_by_text("More: first comment").click()
        await page.get_by_label("Title", exact=True).fill("Name")
        await page.get_by_role("group", name="Which text").get_by_role("button", name="All accounts").click()

        undo = button(page, "Undo")
        await undo.press("Enter")
        await expect(page.get_by_label("Title", exact=True)).to_have_value("")
        await expect(page.get_by_role("status").filter(has_text="Undone: Title.")).to_have_count(1)
        await undo.press("Enter")
        await expect(page.get_by_label("Text of part 2")).to_have_value("")
        await undo.press("Enter")
        await expect(page.get_by_label("Text of part 2")).to_have_count(0)
        await undo.press("Enter")
        await expect(own).to_have_value("All")
        await expect(undo).to_be_focused()
        for pressed in (1, 0):
            await undo.press("Enter")
            await expect(page.locator("button.chip[aria-pressed=true]")).to_have_count(pressed)
        await expect(text_of(page)).to_have_value("All")
        for _ in range(5):
            await button(page, "Redo").press("Enter")
        await expect(page.get_by_label("Text of part 2")).to_have_value("More")
        await save_draft(page)
        post = await owned.get(f"/posts/{page.url.rpartition('/')[2]}")
    assert (post["text"], post["title"], [part["text"] for part in post["thread"]]) == ("All", None, ["More"])
    assert sorted(target["text"] or "All" for target in post["targets"]) == ["All", "All!"]


async def test_what_another_changed_is_not_undone(console: OpenPage, owned: Api, client: Any) -> None:
    async with console(expected={412}) as page:
        await begin(page, client, "Mine alone")
        await save_draft(page)
        draft = page.url.rpartition("/")[2]
        await page.get_by_text("More: first comment").click()
        async with page.expect_response(lambda answer: answer.request.method == "PATCH" and answer.ok):
            await page.get_by_label("Title", exact=True).fill("My title")
            await text_of(page).press("Control+s")
        await owned.call("PATCH", f"/posts/{draft}", json={"title": "Their title"})
        await expect(page.get_by_label("Title", exact=True)).to_have_value("Their title")
        await text_of(page).press("Control+z")
        await expect(text_of(page)).to_have_value("Mine ")
        await text_of(page).press("Control+z")
        await expect(text_of(page)).to_have_value("")
        await expect(button(page, "Undo")).to_be_disabled()
        await text_of(page).press("Control+s")
        await expect(page.get_by_text("Saved", exact=True)).to_be_visible()
    now = await owned.get(f"/posts/{draft}")
    assert (now["text"], now["title"]) == ("", "Their title")


async def test_what_became_another_text_elsewhere_is_not_undone(console: OpenPage, owned: Api, client: Any) -> None:
    """While the page was away; steps that are about other fields still are."""
    async with console() as page:
        await begin(page, client, "Written here")
        await page.get_by_text("More: first comment").click()
        await page.get_by_label("Tags", exact=True).fill("spring")
        await save_draft(page)
        draft = page.url.rpartition("/")[2]
        await visit(page, "/console/posts")
        await owned.call("PATCH", f"/posts/{draft}", json={"text": "Written there"})
        await visit(page, f"/console/compose/{draft}")
        await expect(text_of(page)).to_have_value("Written there")
        await expect(button(page, "Undo")).to_be_enabled()
        await text_of(page).press("Control+z")
        await expect(page.get_by_label("Tags", exact=True)).to_have_value("")
        await expect(text_of(page)).to_have_value("Written there")
        await expect(button(page, "Undo")).to_be_disabled()


async def test_fields_that_are_not_of_the_draft_keep_the_undo_of_the_browser(console: OpenPage, client: Any) -> None:
    async with console() as page:
        await begin(page, client, "Text")
        await button(page, "Emoji").press("Enter")
        search = page.get_by_role("dialog").get_by_label("Search")
        await expect(search).to_be_focused()
        await page.keyboard.type("abc")
        await page.keyboard.press("Control+z")
        await expect(search).not_to_have_value("abc")
        await page.keyboard.press("Escape")
        await expect(text_of(page)).to_have_value("Text")


async def test_an_option_shows_what_it_is_again(console: OpenPage, owned: Api, mastodon: str) -> None:
    """Its field has what was typed, which a step can make another one."""
    profile = await owned.post("/profiles", json={"name": "Undone options"})
    async with console(expected={404}, hosts=(owned.service.base_url, mastodon)) as page:
        await connect(page, owned, profile["id"])
        await begin(page, profile, "Once")
        await page.get_by_text("Options of Mastodon").click()
        language = page.get_by_label("Language", exact=True)
        await language.press_sequentially("de")
        await button(page, "Undo").press("Enter")
        await expect(language).to_have_value("")
        await button(page, "Redo").press("Enter")
        await expect(language).to_have_value("de")


async def test_a_ring_says_how_much_is_left_when_it_becomes_scarce(console: OpenPage, client: Any, axe: str) -> None:
    """In colour and as a number, and read aloud as the text nears its limit, passes it and fits again."""
    async with console(viewport={"width": 360, "height": 800}, reduced_motion="reduce") as page:
        await visit(page, f"/console/compose?profileId={client['id']}")
        await page.locator("button.chip", has_text="first").click()
        await text_of(page).fill("Short")
        counter = page.locator(".texts .counter")
        await expect(counter).to_have_attribute("title", "5 of 5,000, as the network counts")
        await expect(counter.locator("strong")).to_have_count(0)
        assert await page.locator(".much").evaluate("ring => getComputedStyle(ring).transitionDuration") == "0s"
        said = page.locator(".texts > [role=status]").first
        for length, shown, sentence in (
            (4_950, "50", "Sandbox: 50 characters left."),
            (4_960, "40", "Sandbox: 50 characters left."),
            (5_001, "-1", "Sandbox: 1 character too many."),
            (5_090, "-90", "Sandbox: 1 character too many."),
        ):
            await text_of(page).fill("x" * length)
            await expect(counter.locator("strong")).to_have_text(shown)
            await expect(said).to_have_text(sentence)
        assert await violations(page, axe) == []
        await text_of(page).fill("Short")
        await expect(said).to_have_text("Sandbox: 4,995 characters left.")
        await expect(counter.locator("strong")).to_have_count(0)
