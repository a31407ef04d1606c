"""Emoji in the composer: found by name or group, put where the cursor is, with the tone of skin that was chosen."""

import json
import re

import pytest
from playwright.async_api import expect
from tests.console.browser import OpenPage, violations
from tests.console.pages import FOLDER, sources, visit

from signalpost.console.texts import LANGUAGES

pytestmark = pytest.mark.xdist_group("browser-posts")


async def test_an_emoji_goes_where_the_cursor_is_by_keyboard(console: OpenPage, axe: str) -> None:
    async with console(viewport={"width": 360, "height": 800}) as page:
        await visit(page, "/console/compose")
        text = page.get_by_label("Text", exact=True)
        await text.fill("Hello, world")
        await text.evaluate("field => field.setSelectionRange(5, 6)")
        await page.get_by_role("button", name="Emoji", exact=True).press("Enter")
        search = page.get_by_role("dialog").get_by_label("Search")
        await expect(search).to_be_focused()
        await search.press_sequentially("wav hel")
        await expect(page.get_by_role("toolbar").get_by_role("button")).to_have_count(1)
        await page.get_by_role("button", name="Skin tone 5 of 5").press("Enter")
        assert await violations(page, axe) == []
        await page.get_by_role("toolbar").get_by_role("button", name="waving hand").press("Enter")
        await expect(page.get_by_role("dialog")).to_have_count(0)
        await expect(text).to_have_value("Hello👋🏿 world")
        await expect(text).to_be_focused()
        await page.keyboard.press("Control+z")
        await expect(text).to_have_value("Hello, world")
        await page.keyboard.press("Control+Shift+z")
        await page.keyboard.type("!")
        await expect(text).to_have_value("Hello👋🏿! world")


async def test_groups_are_walked_by_arrows_and_what_was_used_last_comes_first(console: OpenPage) -> None:
    async with console() as page:
        await visit(page, "/console/compose")
        await page.get_by_role("button", name="Emoji", exact=True).click()
        dialog = page.get_by_role("dialog")
        await dialog.get_by_role("button", name="Food and drink").click()
        grid = dialog.get_by_role("toolbar")
        await grid.get_by_role("button", name="grapes").focus()
        await page.keyboard.press("ArrowRight")
        await expect(grid.get_by_role("button", name="melon", exact=True)).to_be_focused()
        await page.keyboard.press("ArrowDown")
        await page.keyboard.press("ArrowUp")
        await expect(grid.get_by_role("button", name="melon", exact=True)).to_be_focused()
        await page.keyboard.press("Home")
        await expect(grid.get_by_role("button", name="grapes")).to_be_focused()
        await page.keyboard.press("Enter")
        await expect(page.get_by_label("Text", exact=True)).to_have_value("🍇")
        await page.get_by_role("button", name="Emoji", exact=True).click()
        await expect(grid.get_by_role("button")).to_have_count(1)
        await expect(grid.get_by_role("button", name="grapes")).to_be_visible()
        await dialog.get_by_label("Search").fill("no such thing")
        await expect(dialog.get_by_text("No emoji has this name.")).to_be_visible()
        await page.keyboard.press("Escape")
        await expect(page.get_by_label("Text", exact=True)).to_have_value("🍇")


async def test_a_tone_is_that_of_unicode(console: OpenPage) -> None:
    """Of every emoji that has tones; the data names each form with its parts."""
    lines = "\n".join(json.loads((FOLDER / "vendor/emoji-en.js").read_text("utf-8").partition("default ")[2][:-2]))
    toned = [line.partition("|")[0] for line in lines.split("\n") if line.endswith("|1")]
    async with console() as page:
        await visit(page, "/console/compose")
        emoji = await sources(page) + "emoji.js"
        found = await page.evaluate(
            "async ([module, all]) => { const { withTone } = await import(module);"
            " return all.map((each) => withTone(each, '\\u{1F3FF}')); }",
            [emoji, toned],
        )
    assert len(toned) > 250
    assert [each for each in found if not re.fullmatch(r".\U0001F3FF(\u200d.\ufe0f?)*", each)] == []


def test_each_language_has_the_same_emoji() -> None:
    """With names of its own."""
    groups = [
        json.loads((FOLDER / f"vendor/emoji-{code}.js").read_text("utf-8").partition("default ")[2][:-2])
        for code in LANGUAGES
    ]
    characters = [[line.partition("|")[0] for group in each for line in group.split("\n")] for each in groups]
    assert all(each == characters[0] for each in characters)
    assert len(characters[0]) > 1_800
    assert len({json.dumps(each) for each in groups}) == len(LANGUAGES)
