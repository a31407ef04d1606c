"""What somebody types into a filter stays, whatever the page does meanwhile, and is applied when it is whole."""

import re
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.async_api import Page, Request, Route, expect
from tests.console import pages
from tests.console.browser import OpenPage

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browser")]

FIELDS = {
    ("admin/users", "E-mail, name or id"): "q",
    ("admin/workspaces", "Name, address, owner's e-mail or id"): "q",
    ("calendar", "Tag"): "tag",
    ("developers/explorer", "Find an operation"): "q",
    ("developers/requests", "Path"): "path",
    ("developers/requests", "Request id"): "requestId",
    ("media", "Search"): "q",
    ("posts", "Search"): "q",
    ("posts", "Tag"): "tag",
    ("support", "Search"): "q",
    ("support/suggestions", "Search"): "q",
}
"""Page and label of each field that is typed, and its name in the address."""
REDRAW = 'addEventListener("input", () => dispatchEvent(new PopStateEvent("popstate")))'
"""After each letter the page is drawn again from its address, as any answer or message may make it."""


def test_each_filter_that_is_typed_is_tried() -> None:
    """A field of its own with a timer of its own would lose letters: there is one component, and each use is below."""
    sources = {path.name: path.read_text(encoding="utf-8") for path in (pages.FOLDER / "pages").glob("*.js")}
    assert [name for name, text in sources.items() if re.search(r"setTimeout\([^;]*\bfilter\(", text)] == []
    used = [tag for text in sources.values() for tag in re.findall(r"<\$\{(?:TypedField|Search|SearchField)\}", text)]
    inner = 2  # Search and SearchField are made of TypedField
    assert len(used) - inner == len(FIELDS)
    # Each key of a year makes a date, so days are applied when they are complete.
    assert [name for name, text in sources.items() if re.search(r'type="date"[^>]*\bfilter\(', text, re.DOTALL)] == []


async def _field(page: Page, label: str) -> Any:
    summary = page.get_by_role("main").locator("details > summary").filter(has_text="Filters")
    if await summary.count():
        await summary.click()
    field = page.get_by_role("main").get_by_label(label, exact=True)
    await field.focus()
    return field


@pytest.mark.parametrize(("place", "label"), FIELDS, ids="-".join)
async def test_no_letter_is_lost_while_the_page_is_drawn_again(
    console_at: Callable[..., AbstractAsyncContextManager[Page]], place: str, label: str
) -> None:
    """Not the space between two words either, when who types it pauses there."""
    name = FIELDS[place, label]
    async with console_at("empty") as page:
        await pages.visit(page, f"/console/{place}")
        field = await _field(page, label)
        await page.evaluate(REDRAW)
        await page.keyboard.type("bread ")
        await page.wait_for_url(f"**{name}=bread")
        await page.keyboard.type("rolls")
        await page.wait_for_url(re.compile(rf"{name}=bread(\+|%20)rolls"))
        await expect(field).to_have_value("bread rolls")


async def test_typing_goes_on_while_the_answer_is_still_under_way(console: OpenPage) -> None:
    """The answers for what was typed first come last, as on a slow phone; a button clears what was typed."""
    waiting: list[Route] = []

    async def hold(route: Route) -> None:
        waiting.append(route)

    async with console() as page:
        await pages.visit(page, "/console/media")
        await page.route("**/api/v1/media?q=nosuc&*", hold)
        field = page.get_by_label("Search", exact=True)
        await field.focus()
        async with page.expect_request(re.compile("q=nosuc&")):
            await page.keyboard.type("nosuc")
        async with page.expect_response(re.compile("q=nosuchfile&")):
            await page.keyboard.type("hfile")
        for route in waiting:
            await route.continue_()
        await expect(page.get_by_text("No file matches these filters.")).to_be_visible()
        await expect(field).to_have_value("nosuchfile")
        await page.get_by_role("button", name="Clear the filters").click()
        await expect(field).to_have_value("")


async def test_who_leaves_the_page_at_once_takes_no_filter_along(console: OpenPage) -> None:
    async with console() as page:
        await pages.visit(page, "/console/media")
        await page.get_by_label("Search", exact=True).fill("bread")
        await page.get_by_role("link", name="Posts", exact=True).click()
        await pages.settled(page)
        await expect(page.get_by_label("Search", exact=True)).to_have_value("")
        assert "bread" not in page.url


async def test_a_day_is_applied_when_it_is_complete_and_left(console: OpenPage) -> None:
    """Typed, by Enter or on the way out; half of one changes nothing. Chosen in the calendar, at once."""
    today = datetime.now(UTC).date()
    first, then, last, chosen = (str(today - timedelta(days=days)) for days in (9, 8, 3, 6))
    asked = set[str]()

    def note(request: Request) -> None:
        asked.update(re.findall(r"/analytics/overview\?.*startDate=([^&]*)", request.url))

    async with console() as page:
        page.on("request", note)
        await pages.visit(page, f"/console/analytics?days=own&from={first}&to={today}")
        start, end = page.get_by_label("First day"), page.get_by_label("Last day")
        await start.focus()
        await page.keyboard.type(f"{then[5:7]}{then[8:]}{then[:4]}")  # in the order of an American browser
        await expect(start).to_have_value(then)
        assert f"from={first}" in page.url
        await page.keyboard.press("Enter")
        await page.wait_for_url(f"**from={then}**")

        await end.focus()
        await page.keyboard.type(f"{last[5:7]}{last[8:]}{last[:4]}")
        await expect(end).to_have_value(last)
        assert f"to={today}" in page.url
        await end.blur()
        await page.wait_for_url(f"**to={last}**")

        await start.focus()
        await page.keyboard.press("Delete")
        await expect(start).to_have_value("")
        await start.blur()
        await expect(start).to_have_value(then)
        await start.fill(chosen)  # no key is pressed
        await page.wait_for_url(f"**from={chosen}**")
        await pages.settled(page)
    assert asked == {first, then, chosen}
