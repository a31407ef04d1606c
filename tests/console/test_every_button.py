"""Every button of every page is pressed, with real answers: each does something, nothing breaks, a refusal is shown.

A button that stands in each row of a list is pressed once. In `make test` those of three pages; `make faults` presses
those of all pages, and each of the dialogs that they open.
"""

import asyncio
import itertools
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest
from playwright.async_api import Error, Page, Response
from tests.console.browser import OpenPage, sign_in
from tests.console.pages import KEYS, all_of, settled
from tests.console.world import Person, furnish
from tests.helpers.service_process import Service, installed

pytestmark = pytest.mark.xdist_group("browser-services")
REFUSALS: set[int | str] = {402, 409, 422}
"""What may be answered to a button that was pressed without filling in anything."""
MORE: dict[str, set[int | str]] = {"account": {401}, "posts": {404}}
"""What else may be answered on a page whose buttons end the session, or delete what it is about."""
LIGHT = ("clients", "queues", "trash")
EXPLORER = "/console/developers/explorer"
"""It sends any operation, whatever comes of it."""
EFFECTS = """
globalThis.effects = { count: 0, open: 0 };
const seen = () => { effects.count += 1; };
for (const [owner, name] of [[window, "open"], [window, "print"], [navigator.clipboard ?? {}, "writeText"]]) {
  const original = owner[name];
  if (original) owner[name] = (...given) => { seen(); return original.apply(owner, given); };
}
const send = window.fetch;
window.fetch = async (...given) => {
  seen();
  effects.open += 1;
  try { return await send(...given); } finally { effects.open -= 1; }
};
document.addEventListener("click", ({ target }) => { if (target.matches("input[type=file], a[download]")) seen(); });
document.addEventListener("focusin", seen);
new MutationObserver(seen).observe(
  document, { subtree: true, childList: true, attributes: true, characterData: true },
);
"""
"""Counts what a press can bring about."""
_BUTTONS = """
where => {
  const able = (button) => button.checkVisibility() && !button.disabled && button.ariaDisabled !== "true"
    && button.ariaPressed !== "true" && button.ariaSelected !== "true" && !button.closest("[inert]");
  const nameOf = (button) => {
    const icon = button.querySelector("use")?.getAttribute("href") ?? "";
    const said = button.textContent.trim() || button.ariaLabel || "";
    const isRow = button.closest("tbody, li, article, [data-wall]") && said.length > 24;
    return `${button.className} ${icon} ${isRow ? "" : said}`.replace(/\\d+/g, "0").replace(/\\s+/g, " ").trim();
  };
  const root = [...document.querySelectorAll("dialog[open]")].at(-1);
  globalThis.buttons = new Map();
  for (const button of (root ?? document).querySelectorAll(root ? "button, summary" : where))
    if (able(button) && !buttons.has(nameOf(button))) buttons.set(nameOf(button), button);
  return [...buttons.keys()];
}
"""
_PRESS = """async name => {
  const before = effects.count;
  buttons.get(name).click();
  const end = performance.now() + 20_000;
  while (effects.count === before && performance.now() < end) await new Promise(requestAnimationFrame);
  return effects.count > before;
}"""
_QUIET = """async () => {
  const end = performance.now() + 20_000;
  const busy = () => effects.open > 0 || document.querySelector(".spinner");
  while (busy() && performance.now() < end) await new Promise(requestAnimationFrame);
  return !busy();
}"""
_SHOWN = ".problem, [aria-invalid=true], .toast, [role=alert]"
_numbers = itertools.count(1)


@pytest.fixture(scope="module")
async def pressed_service() -> AsyncIterator[Service]:
    """A service of its own: some buttons change it for everybody."""
    async with installed() as found:
        yield await found.start(SIGNALPOST_TRUSTED_PROXIES="1", SIGNALPOST_REGISTRATION="open")


@dataclass
class Finger:
    """Presses the buttons of one page of somebody who has one of everything."""

    page: Page
    service: Service
    email: str
    is_deep: bool
    refused: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    pressed: int = 0

    def heard(self, answer: Response) -> None:
        if answer.status in REFUSALS:
            self.refused.append(f"{answer.status} {answer.request.method} {answer.url}")

    async def open(self, address: str) -> None:
        """Show the page as it is at first; sign in again, if a button has ended the session."""
        await self.page.goto(address)
        await self.page.locator("main h1").wait_for()
        if not self.page.url.endswith(address):
            state = await sign_in(self.service, self.email)
            await self.page.context.add_cookies(state["cookies"])
            await self.page.goto(address)
        await settled(self.page)
        assert await self.page.evaluate(_QUIET), address

    async def press(self, name: str, within: str) -> None:
        """Press one button; say what is wrong with what it does."""
        self.refused.clear()
        self.pressed += 1
        try:
            if not await self.page.evaluate(_PRESS, name):
                self.wrong.append(f"{within}: nothing happens at {name!r}")
            elif not await self.page.evaluate(_QUIET):
                self.wrong.append(f"{within}: {name!r} never ends")
        except Error as error:  # it leads elsewhere
            if "context was destroyed" not in str(error):
                raise
            await self.page.wait_for_load_state()
            return
        if self.refused and not await self.page.locator(_SHOWN).count():
            self.wrong.append(f"{within}: {name!r} does not say {self.refused}")

    async def press_all(self, address: str, where: str) -> None:
        """Press each button of the page, and of each dialog that one opens."""
        done = set[str]()
        while True:
            await self.open(address)
            found = [name for name in await self.page.evaluate(_BUTTONS, where) if name not in done]
            if not found:
                return
            done.add(found[0])
            await self.press(found[0], address)
            if self.is_deep and await self.page.locator("dialog[open]").count():
                await self._press_dialog(address, where, found[0])

    async def _press_dialog(self, address: str, where: str, opener: str) -> None:
        done = set[str]()
        for again in itertools.count():
            if again:
                await self.open(address)
                if opener not in await self.page.evaluate(_BUTTONS, where):
                    return  # what it was for is done
                await self.press(opener, address)
            found = [name for name in await self.page.evaluate(_BUTTONS, where) if name not in done]
            if not found or not await self.page.locator("dialog[open]").count():
                return
            done.add(found[0])
            await self.press(found[0], f"{address} {opener!r}")


def cases(deep: bool) -> list[str]:
    """Return the pages, that of the staff last: what it switches off is off for the others."""
    return sorted(KEYS if deep else LIGHT, key=lambda key: key == "admin")


@pytest.mark.parametrize(
    ("key", "is_deep"),
    [
        *[(key, False) for key in cases(False)],
        *[pytest.param(key, True, marks=[pytest.mark.heavy, pytest.mark.timeout(900)]) for key in cases(True)],
    ],
)
async def test_every_button_does_something(
    open_page: OpenPage, pressed_service: Service, key: str, is_deep: bool
) -> None:
    email = f"finger{next(_numbers)}@example.test"
    arguments = ("create-owner", "--email", email, "--password", "-", "--workspace", "Pressed")
    for command, text in ((arguments, "correct horse battery\n"), (("staff", "add", "--email", email), None)):
        done = await pressed_service.command(*command, text_in=text)
        assert done.returncode == 0, done.stderr
    state = await sign_in(pressed_service, email)
    person = Person(pressed_service, state["cookies"][0]["value"])
    place = await furnish(person, "Corner Bakery")
    drafts = await person.at(place.workspace).call("GET", "/posts?status=draft")
    await person.at(place.workspace).call("DELETE", f"/posts/{drafts['data'][0]['id']}")
    chosen = [{"name": "workspace", "value": place.workspace}]
    state |= {"origins": [{"origin": pressed_service.base_url, "localStorage": chosen}]}
    expected = REFUSALS | MORE.get(key, set())
    async with open_page(at=pressed_service, storage_state=state, expected=expected) as page:
        await page.add_init_script(EFFECTS)
        finger = Finger(page, pressed_service, email, is_deep)
        page.on("response", finger.heard)
        page.on("dialog", lambda dialog: asyncio.ensure_future(dialog.accept()))
        addresses = [address async for address in all_of(page, key)]
        for address in addresses:
            if not address.startswith(EXPLORER):
                where = "main button, main summary" + ("" if key else ", aside button, header button")
                await finger.press_all(address, where)
        assert finger.wrong == []
        assert finger.pressed, await page.locator("body").aria_snapshot()
