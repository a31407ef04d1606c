"""The conventions of the console, each with its check: keys, focus, zoom, motion, loading, time zones, languages."""

import asyncio
import json
import re
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

import pytest
from playwright.async_api import Page, Route, expect
from playwright.async_api import TimeoutError as TooLate
from tests.console.browser import OpenPage
from tests.console.pages import FIGURES, FOLDER, KEYS, all_of, settled, sources, visit

from signalpost import networks

pytestmark = pytest.mark.xdist_group("browser-pages")
OpenAt = Callable[..., AbstractAsyncContextManager[Page]]

STOPS_MAX = 45
_FOCUS = """() => {
  const it = document.activeElement;
  if (!it || it === document.body) return null;
  const box = it.getBoundingClientRect();
  const [x, y] = [box.left + box.width / 2, box.top + Math.min(box.height, innerHeight) / 2];
  const top = document.elementFromPoint(x, y);
  const ring = [it, it.parentElement].some((each) => getComputedStyle(each).outlineStyle !== "none");
  const before = globalThis.stop;
  globalThis.stop = it;
  return {
    name: `${it.tagName} ${it.ariaLabel ?? it.textContent.trim().slice(0, 40)} ${it.getAttribute("href") ?? it.id}`,
    seen: Boolean(top) && (it.contains(top) || top.contains(it)), ring, positive: it.tabIndex > 0,
    follows: !before?.isConnected || Boolean(before.compareDocumentPosition(it) & Node.DOCUMENT_POSITION_FOLLOWING),
  };
}"""


@pytest.mark.parametrize("key", KEYS)
async def test_the_focus_is_seen_wherever_it_goes(console_at: OpenAt, key: str) -> None:
    """At 200 % zoom of a small screen, in the order of the page; no bar that stays in place hides it (WCAG 2.4.11)."""
    async with console_at("full", viewport={"width": 640, "height": 450}) as page:
        await visit(page, f"/console/{key}".rstrip("/"))
        assert await page.evaluate("document.documentElement.scrollWidth") <= 640
        stops: list[dict[str, Any]] = []
        for _ in range(STOPS_MAX):
            await page.keyboard.press("Tab")
            stop = await page.evaluate(_FOCUS)
            if stop is None:
                break
            stops.append(stop)

        assert len(stops) >= 3
        assert [stop for stop in stops if not stop["seen"] or not stop["ring"] or stop["positive"]] == []
        assert [stop["name"] for stop in stops if not stop["follows"]] == [], "the order of the page"


_SHOWN = """() => [
  location.href, document.activeElement.outerHTML, document.querySelectorAll("dialog[open]").length,
  document.querySelector("main").innerHTML,
].join()"""
_KEYS_MODULE = (FOLDER / "keys.js").read_text(encoding="utf-8")
_EVERYWHERE = set(re.findall(r'{\s*keys: "([^"]+)"', _KEYS_MODULE.partition("function commands")[2].partition("];")[0]))


async def test_every_key_that_works_everywhere_leads_somewhere(console_at: OpenAt) -> None:
    """Key by key, as the help lists them; what leads elsewhere leads to a page that exists."""
    async with console_at("full", viewport={"width": 1280, "height": 900}) as page:
        await visit(page, "/console/team/history")
        listed = await listed_keys(page)
        assert {" ".join(keys) for keys in listed} >= _EVERYWHERE
        for keys in listed:
            assert await changes(page, keys, patience_ms=30_000), keys
            await expect(page.locator("main h1")).not_to_have_text("Not found")
            if await page.locator("dialog[open]").count():
                await page.keyboard.press("Escape")
            await page.locator("main").focus()


@pytest.mark.parametrize("key", KEYS)
async def test_every_key_of_a_page_does_something(console_at: OpenAt, key: str) -> None:
    """A key that shows what is shown already, such as a view, does something after another one."""
    async with console_at("full", viewport={"width": 1280, "height": 900}) as page:
        start = f"/console/{key}".rstrip("/")
        await visit(page, start)
        own = [keys for keys in await listed_keys(page) if " ".join(keys) not in _EVERYWHERE]
        for keys in own:
            if await changes(page, keys, start):
                continue
            others = [other for other in own if other != keys][:2]
            assert any([await changes(page, other, start) and await changes(page, keys) for other in others]), keys


_ARROWS = {"←": "ArrowLeft", "→": "ArrowRight", "↑": "ArrowUp", "↓": "ArrowDown"}
_ARROWS |= {f"⇧ {arrow}": f"Shift+{key}" for arrow, key in _ARROWS.items()}


async def changes(page: Page, keys: list[str], start: str = "", patience_ms: int = 2_000) -> bool:
    """Whether these keys, at this page, change the address, the focus, a dialog or the page, within a moment."""
    if start and urlsplit(page.url).path != start:  # another key has led away
        await visit(page, start)
        await page.locator("main").focus()
    before = await page.evaluate(f"({_SHOWN})()")
    for pressed in keys:
        await page.keyboard.press(_ARROWS.get(pressed, pressed))
    try:
        await page.wait_for_function(f"before => ({_SHOWN})() !== before", arg=before, timeout=patience_ms, polling=50)
    except TooLate:
        return False
    await settled(page)
    await expect(page.locator("main .spinner")).to_have_count(0)  # the calendar shows other days before their posts
    return True


async def listed_keys(page: Page) -> list[list[str]]:
    """Return the keys that the help lists on this page, without those of fields, dialogs and the composer."""
    await page.locator("main").focus()
    await page.keyboard.press("?")
    rows = page.locator(".keys div")
    await rows.first.wait_for()
    listed = [await row.locator("kbd").all_inner_texts() for row in await rows.all()]
    await page.keyboard.press("Escape")
    await expect(rows).to_have_count(0)
    await page.locator("main").focus()
    return [keys for keys in listed if keys[0] not in ("Ctrl", "Esc")]


async def test_loading_is_shown_after_a_moment_without_a_jump_and_without_motion(console_at: OpenAt) -> None:
    """A page that waits: nothing for 200 ms, then grey lines in the place of the content; they rest, if asked to."""
    async with console_at("full", reduced_motion="reduce") as page:
        await page.add_init_script(FIGURES)
        released = asyncio.Event()

        async def hold(route: Route) -> None:
            await released.wait()
            await route.continue_()

        await page.route(re.compile(r"/api/v1/(posts|team)\b"), hold)
        await page.goto("/console/team")
        await expect(page.locator(".skeleton")).to_be_visible()
        assert await page.evaluate("getComputedStyle(document.querySelector('.skeleton')).animationDelay") == "0.2s"
        moving = "document.getAnimations().filter(each => each.effect.getComputedTiming().duration > 1).length"
        assert await page.evaluate(moving) == 0
        released.set()
        await settled(page)
        assert (await page.evaluate("figures"))["shift"] <= 0.05


ZONES = ("Europe/Berlin", "America/New_York", "Australia/Lord_Howe")


def _edges(zone: str) -> list[datetime]:
    """Return the moments of this year at which the clocks of the zone change."""
    here, moment = ZoneInfo(zone), datetime(2026, 1, 1, tzinfo=UTC)
    moments = [moment + timedelta(minutes=30 * step) for step in range(365 * 48)]
    return [
        after
        for before, after in pairwise(moments)
        if before.astimezone(here).utcoffset() != after.astimezone(here).utcoffset()
    ]


@pytest.mark.parametrize("viewer", ["UTC", "Asia/Tokyo", "America/New_York"])
async def test_times_are_those_of_the_workspace_wherever_the_viewer_is(console: OpenPage, viewer: str) -> None:
    """Minutes before and after each change of clocks, as Python's own rules have them, in browsers of three zones."""
    moments = {
        zone: [edge + step for edge in _edges(zone) for step in (-timedelta(minutes=1), timedelta())] for zone in ZONES
    }
    wanted = {
        zone: [f"{at.astimezone(ZoneInfo(zone)):%Y-%m-%dT%H:%M}" for at in some] for zone, some in moments.items()
    }
    async with console(timezone_id=viewer) as page:
        await visit(page, "/console/nowhere")
        found = await page.evaluate(
            """async ([folder, moments]) => {
              const { wallTime } = await import(folder + "time.js");
              const shown = ([zone, some]) => [zone, some.map((at) => wallTime(new Date(at), zone))];
              return Object.fromEntries(Object.entries(moments).map(shown));
            }""",
            [await sources(page), {zone: [at.isoformat() for at in some] for zone, some in moments.items()}],
        )

    assert all(len(some) == 4 for some in moments.values())
    assert found == wanted


_TEXTS = """() => {
  const found = [];
  const walker = document.createTreeWalker(document.getElementById("app"), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, place = node.parentElement;
    if (place.closest("code, pre, kbd, time, textarea, svg, option, .brand, [lang]")) continue;
    if (!/[A-Za-z]{2}/.test(node.data)) continue;
    found.push(node.data.trim());
  }
  for (const each of document.querySelectorAll("#app [aria-label], #app [placeholder], #app [title]")) {
    for (const name of ["aria-label", "placeholder", "title"]) {
      const said = each.getAttribute(name);
      if (said && each.tagName !== "TIME" && /[A-Za-z]{2}/.test(said)) found.push(said);
    }
  }
  return found;
}"""
_CLIPPED = """() => [...document.querySelectorAll("#app *")].filter((each) => {
  const style = getComputedStyle(each);
  if (!/hidden|clip/.test(style.overflowX) || style.clipPath !== "none") return false;
  if (each.matches(".hidden, .clip, .hidden *, svg, svg *, [title], [dir], .field label")) return false;
  return each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0;
}).map((each) => each.outerHTML.slice(0, 200))"""


_ANSWERS = """
globalThis.answers = [];
const ask = globalThis.fetch;
globalThis.fetch = async (...given) => {
  const answer = await ask(...given);
  const isData = answer.headers.get("content-type")?.includes("json"); // pictures and files say nothing
  if (isData) answers.push(answer.clone().json().then(JSON.stringify, () => ""));
  return answer;
};
"""
"""What the API answers. It is kept in the page: with a route, the browser would load every script each time."""


@pytest.mark.parametrize("key", KEYS)
async def test_every_text_is_translated_fits_and_mirrors(console_at: OpenAt, key: str) -> None:
    """In the language of tests each text of the console stands in brackets; the rest came from the API, or says so."""
    known = "\n".join(connector.facts.name for connector in networks.CONNECTORS.values())
    async with console_at("full", viewport={"width": 360, "height": 900}, locale="ar-XB") as page:
        await page.add_init_script(_ANSWERS)
        await page.goto("/console/nowhere?lang=ar-XB")
        await page.evaluate("localStorage.setItem('language', 'ar-XB')")
        async for address in all_of(page, key):
            assert await page.evaluate("document.documentElement.dir") == "rtl"
            assert await page.evaluate("document.documentElement.scrollWidth") <= 360, address
            assert await page.evaluate(_CLIPPED) == [], address
            known += "\n".join(await page.evaluate("Promise.all(answers)"))
            assert [text for text in await page.evaluate(_TEXTS) if not _is_known(text, known)] == [], address


def _is_known(text: str, answers: str) -> bool:
    """Whether all that a text says outside of brackets is data."""
    rest, before = text, ""
    while rest != before:  # values in brackets may have brackets of their own
        rest, before = re.sub(r"\[[^\[\]]*\]", " ", rest), rest
    return all(
        part in answers or json.dumps(part, ensure_ascii=False)[1:-1] in answers
        for part in re.findall(r"[\w@.\-]*[A-Za-z]{2}[\w@.\-]*", rest)
    )
