"""How a person operates a page: by mouse, by finger or by keys alone, in their language.

A script says what is done by the English words of the console; the catalogs say what they are in another language.
"""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from playwright.async_api import FilePayload, Locator, Page, expect
from tests.console import catalogs, pages

from signalpost.console.texts import LANGUAGES

STOPS_MAX = 150


@dataclass(frozen=True)
class Way:
    """How a day is lived."""

    language: str = "en"
    keys: bool = False
    phone: bool = False
    killed: bool = False

    @property
    def options(self) -> dict[str, Any]:
        """Of the browser's window."""
        locale = {"en": "en-GB", "de": "de-DE", "es": "es-ES"}[self.language]
        return {"locale": locale, "has_touch": self.phone, "timezone_id": "Europe/Berlin"}

    def __str__(self) -> str:
        flags = ("keys", "phone", "killed")
        return "-".join([self.language, *(name for name in flags if getattr(self, name))])

    @property
    def viewport(self) -> dict[str, int]:
        return {"width": 360, "height": 800} if self.phone else {"width": 1280, "height": 900}


def _said(language: str, is_console: bool) -> dict[str, str]:
    """Every text of the console, and of the pages without scripts; where they differ, that of the page."""
    console, pages_without = catalogs.everything(language), LANGUAGES[language].texts
    return {**pages_without, **console} if is_console else {**console, **pages_without}


class Hand:
    """One person at one page."""

    def __init__(self, page: Page, way: Way) -> None:
        self.page = page
        self.way = way

    def say(self, text: str, **values: str) -> str:
        """Return the text in the language of the page."""
        said = text if self.way.language == "en" else _said(self.way.language, "/console" in self.page.url)[text]
        return said.format(**values) if values else said

    @property
    def main(self) -> Locator:
        return self.page.get_by_role("main")

    @property
    def dialog(self) -> Locator:
        return self.page.get_by_role("dialog").last

    def named(
        self, role: Any, name: str, within: Locator | None = None, *, exact: bool = True, **values: str
    ) -> Locator:
        """Return what has this role and name, translated."""
        return (within or self.page).get_by_role(role, name=self.say(name, **values), exact=exact).first

    def field(self, label: str, within: Locator | None = None, **values: str) -> Locator:
        return (within or self.page).get_by_label(self.say(label, **values), exact=True).first

    async def sees(self, text: str, within: Locator | None = None, **values: str) -> None:
        """Wait until the page says it."""
        await expect((within or self.page).get_by_text(self.say(text, **values)).first).to_be_visible()

    async def reach(self, target: Locator) -> None:
        """Press Tab until the focus is there."""
        await target.wait_for()
        for _ in range(STOPS_MAX):
            if await target.evaluate("target => target === document.activeElement"):
                return
            await self.page.keyboard.press("Tab")
        raise AssertionError(f"Tab never comes to {target}")

    async def touch(self, target: Locator, key: str = "Enter") -> None:
        """Press a button, follow a link, tick a box: whatever it is."""
        await expect(target).to_be_enabled()
        if self.way.keys:
            await self.reach(target)
            await self.page.keyboard.press(key)
        elif self.way.phone:
            await target.tap()
        else:
            await target.click()

    async def press(self, name: str, within: Locator | None = None, **values: str) -> None:
        await self.touch(self.named("button", name, within, **values))

    async def follow(self, name: str, within: Locator | None = None, **values: str) -> None:
        await self.touch(self.named("link", name, within, **values))

    async def enter(self, label: str, text: str, within: Locator | None = None, **values: str) -> None:
        """Write into a field, in place of what is there."""
        await self.write(self.field(label, within, **values), text)

    async def write(self, target: Locator, text: str) -> None:
        if self.way.keys:
            await self.reach(target)
            await self.page.keyboard.press("Control+a")
            await self.page.keyboard.type(text)
        else:
            await self.touch(target)
            await target.fill(text)

    async def choose(self, label: str, option: str, within: Locator | None = None) -> None:
        """Choose in a list."""
        await self.select(self.field(label, within), option)

    async def select(self, target: Locator, option: str) -> None:
        if self.way.keys:
            await self.reach(target)
            await self._type_keys(option)
            # Letters that come slowly are a new word each: arrow keys lead to the rest.
            wanted = target.locator("option").get_by_text(option, exact=True).first
            while steps := await wanted.evaluate("option => option.index - option.closest('select').selectedIndex"):
                await self.page.keyboard.press("ArrowDown" if steps > 0 else "ArrowUp")
        else:
            await target.select_option(label=option)
        await expect(target.locator("option:checked")).to_have_text(option)

    async def _type_keys(self, text: str) -> None:
        """Press the key of each letter, as a keyboard of that language has them.

        Playwright knows the keys of an American one; other letters it inserts, which is nothing that a list hears.
        """
        line = await self.page.context.new_cdp_session(self.page)
        for letter in text:
            key = {"key": letter, "text": letter, "unmodifiedText": letter}
            await line.send("Input.dispatchKeyEvent", {"type": "keyDown", **key})
            await line.send("Input.dispatchKeyEvent", {"type": "keyUp", **key})
        await line.detach()

    async def tick(self, name: str, within: Locator | None = None) -> None:
        """Tick a box."""
        box = (within or self.page).get_by_role("checkbox", name=name, exact=True).first
        await self.touch(box, key="Space")
        await expect(box).to_be_checked()

    async def pick(self, name: str) -> None:
        """Choose one of several; among them, arrow keys lead from one to the next."""
        radio = self.named("radio", name)
        if self.way.keys:
            await self.reach(self.page.locator("input[type=radio]:checked").first)
            while not await radio.is_checked():
                await self.page.keyboard.press("ArrowRight")
        else:
            await self.page.locator("label", has=radio).click()
        await expect(radio).to_be_checked()

    async def at(self, target: Locator, wall: str) -> None:
        """Enter a date and a time, such as 2027-03-31T12:00; with keys, one part after the other."""
        if self.way.keys:
            await self.reach(target)
            date, time = wall.split("T")
            year, month, day = date.split("-")
            hour, minute = map(int, time.split(":"))
            # In the order of the language of the browser itself, which is American.
            # A part that is complete leads to the next one: a year has four digits here.
            await self.page.keyboard.type(f"{month}{day}{year}")
            await self.page.keyboard.type(f"{hour % 12 or 12:02}{minute:02}{'AM' if hour < 12 else 'PM'}")
        else:
            await target.fill(wall)
        await expect(target).to_have_value(wall)

    def day(self, after: int) -> Locator:
        """Return what the calendar shows of the day so many days after today."""
        if self.way.phone:
            return self.main.locator(".agenda").get_by_role("region").nth(after)
        date = datetime.now(ZoneInfo("Europe/Berlin")).date() + timedelta(days=after)
        return self.page.locator(f'[data-wall^="{date.isoformat()}"]').first

    async def begins_at(self, after: int) -> None:
        """Begin a post there; in a grid, arrow keys lead from today to the other days."""
        if self.way.phone:
            await self.press("Write a post", self.day(after))
        elif self.way.keys:
            await self.reach(self.day(0))
            for _ in range(after):
                await self.page.keyboard.press("ArrowRight")
            await self.touch(self.day(after))
        else:
            await self.touch(self.day(after))

    async def give(self, name: str, file: FilePayload) -> None:
        """Press what opens the window of files, and choose one there."""
        await self.named("button", name).wait_for()
        label = self.page.locator("label").filter(has_text=self.say(name))
        async with self.page.expect_file_chooser() as opened:
            # A field for a file that looks like a button: who has a mouse presses what is seen.
            if await label.count() and not self.way.keys:
                await self.touch(label)
            else:
                await self.press(name)
        await (await opened.value).set_files(file)

    async def go(self, name: str) -> None:
        """Go to a page of the menu."""
        if self.way.phone:
            await self.press("Menu")
        menu = self.page.get_by_role("navigation", name=self.say("Pages"))
        link = menu.get_by_role("link", name=re.compile(f"^{re.escape(self.say(name))}"))
        await self.touch(link)
        await expect(self.main.get_by_role("heading", level=1)).to_have_text(self.say(name))
        await pages.settled(self.page)

    async def begins_a_post(self) -> None:
        """Press the button that is on every page."""
        await self.follow("Write" if self.way.phone else "Write a post")
        await self.field("Text").wait_for()
