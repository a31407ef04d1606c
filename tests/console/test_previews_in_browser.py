"""Previews of posts, for every network and each of its views: in its proportions, folded and marked by its facts.

The module of the composer and of the page for approval is rendered in a browser, with what `GET /platforms` says.
"""

import re
from typing import Any

import pytest
from playwright.async_api import Page
from tests.console.browser import OpenPage, violations
from tests.console.pages import settled, sources

from signalpost.networks import CONNECTORS
from signalpost.networks.contract import View

pytestmark = pytest.mark.xdist_group("browser-posts")

CASES = [
    (key, index) for key, connector in CONNECTORS.items() for index in range(len(connector.facts.appearance.views))
]
RENDER = """async ({ folder, cases, extra }) => {
  const { html, render } = await import(folder + "html.js");
  await import(folder + "pages/composer-preview.js");
  const { PostPreview } = await import(folder + "pages/preview-post.js");
  const answer = await fetch("/api/v1/platforms", { headers: { "X-Console": "1" } });
  const platforms = Object.fromEntries((await answer.json()).data.map((one) => [one.platform, one]));
  const started = performance.now();
  const content = (one) => ({
    platform: one.platform, network: platforms[one.platform].name, name: "Corner Bakery",
    username: "corner.bakery", appearance: platforms[one.platform].appearance, title: "", text: "",
    overflowAt: null, files: [], link: "", thread: [], firstComment: "", options: {}, ...one, ...extra,
  });
  const page = document.createElement("main");
  page.id = "previews";
  document.body.replaceChildren(page);
  render(html`<h1>Previews</h1>${cases.map((one, index) => html`
    <div key=${index} data-case=${index}><${PostPreview} content=${content(one)} /></div>
  `)}`, page);
  await Promise.all([...page.querySelectorAll("img")].map((image) => image.decode()));
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  return performance.now() - started;
}"""
PICTURE = """([width, height]) => {
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width, height });
  const ink = canvas.getContext("2d");
  const sky = ink.createLinearGradient(0, 0, width, height);
  sky.addColorStop(0, "#f6b26b");
  sky.addColorStop(1, "#a64d79");
  ink.fillStyle = sky;
  ink.fillRect(0, 0, width, height);
  return new Promise((done) => canvas.toBlob((blob) => done(URL.createObjectURL(blob))));
}"""


def _view(case: tuple[str, int]) -> View:
    key, index = case
    return CONNECTORS[key].facts.appearance.views[index]


def _options(view: View) -> dict[str, Any]:
    """What leads to a view."""
    if view.option:
        return {view.option: {"question": "Which bread?", "options": ["Rye", "Spelt"]}}
    return {"type": view.types[0]} if view.types else {}


def _file(url: str, kind: str = "image", **others: Any) -> dict[str, Any]:
    return {
        "key": url,
        "url": url,
        "alt": "Rolls",
        "kind": kind,
        "name": "rolls",
        "ratio": None,
        "isPadded": False,
    } | others


async def _rendered(page: Page, cases: list[dict[str, Any]], **extra: Any) -> float:
    """Show these posts, one below the other; return how long that took, in milliseconds."""
    return float(await page.evaluate(RENDER, {"folder": await sources(page), "cases": cases, "extra": extra}))


async def _open(page: Page) -> None:
    await page.goto("/console/support")
    await settled(page)


SHAPES = {"tall": (300, 900), "square": (400, 400), "wide": (1200, 300)}


@pytest.mark.parametrize("shape", SHAPES)
async def test_each_view_has_the_proportions_of_its_facts(console: OpenPage, shape: str) -> None:
    width, height = SHAPES[shape]
    async with console() as page:
        await _open(page)
        url = await page.evaluate(PICTURE, [width, height])
        cases = [case for case in CASES if _view(case).kind != "document"]
        posts = [
            {"platform": case[0], "options": _options(_view(case)), "files": [_file(url, _view(case).media or "image")]}
            for case in cases
        ]
        await _rendered(page, posts)
        found = await page.evaluate(
            """() => [...document.querySelectorAll("[data-case]")].map((one) => {
              const { width, height } = one.querySelector(".pv-frame").getBoundingClientRect();
              return [one.firstElementChild.className.split(" ")[1].slice(3), width / height];
            })"""
        )
    for case, (kind, ratio) in zip(cases, found, strict=True):
        view = _view(case)
        wanted = min(max(width / height, view.ratio_min or 0.4), view.ratio_max or 3)
        assert (case, kind) == (case, view.kind)
        assert ratio == pytest.approx(wanted, rel=0.02), case


async def test_what_media_makes_of_a_file_is_what_is_shown(console: OpenPage) -> None:
    """Cropped to 3:4 it fills the frame; on a canvas it stands whole on white."""
    async with console() as page:
        await _open(page)
        url = await page.evaluate(PICTURE, [300, 900])
        posts = [
            {"platform": "instagram", "files": [_file(url, ratio=0.75, isPadded=is_padded)], "options": {"fit": fit}}
            for fit, is_padded in (("crop", False), ("pad", True))
        ]
        await _rendered(page, posts)
        fits = await page.evaluate(
            "() => [...document.querySelectorAll('.pv-frame img')].map((one) => getComputedStyle(one).objectFit)"
        )
    assert fits == ["cover", "contain"]


FOLDED = [case for case in CASES if _view(case).fold_characters and _view(case).text != "none"]


@pytest.mark.parametrize("character", ["a", "👩‍👩‍👧", "e\u0301", "ب"], ids=["latin", "emoji", "combining", "arabic"])
async def test_a_text_is_folded_where_the_facts_say(console: OpenPage, character: str) -> None:
    """In characters as readers see them; what fits is shown whole, and the rest after a press."""
    async with console() as page:
        await _open(page)
        posts = [
            {"platform": case[0], "options": _options(_view(case)), "text": character * count,
             "files": [_file("", _view(case).media)] if _view(case).media else []}
            for case in FOLDED
            for count in (_view(case).fold_characters or 0, (_view(case).fold_characters or 0) + 1)
        ]  # fmt: skip
        await _rendered(page, posts)
        texts = await page.evaluate(
            """(character) => [...document.querySelectorAll("[data-case]")].map((one) => {
              const box = one.querySelector(".pv-text p").cloneNode(true);
              box.querySelectorAll("button, .pv-author").forEach((other) => other.remove());
              return [box.textContent.split(character).length - 1, Boolean(one.querySelector(".pv-more"))];
            })""",
            character,
        )
        for number, case in enumerate(FOLDED):
            view = _view(case)
            fits, folded = texts[2 * number], texts[2 * number + 1]
            assert (case, fits[0]) == (case, view.fold_characters)
            assert fits[1] is (view.fold_lines is not None and fits[1]), case
            assert (case, folded) == (case, [view.fold_characters, True])
        last = page.locator("[data-case]").last
        await last.get_by_role("button", name="more").click()
        assert (await last.locator(".pv-text p").inner_text()).count(character) == (
            _view(FOLDED[-1]).fold_characters or 0
        ) + 1


LINED = [case for case in CASES if _view(case).fold_lines and _view(case).text != "none"]


async def test_a_text_is_folded_after_the_lines_of_the_facts(console: OpenPage) -> None:
    async with console() as page:
        await _open(page)
        posts = [
            {"platform": case[0], "options": _options(_view(case)), "text": "\n".join(["line"] * 40),
             "files": [_file("", _view(case).media)] if _view(case).media else []}
            for case in LINED
        ]  # fmt: skip
        await _rendered(page, posts)
        found = await page.evaluate(
            """() => [...document.querySelectorAll("[data-case]")].map((one) => {
              const box = one.querySelector(".pv-text p");
              return [Math.round(box.clientHeight / parseFloat(getComputedStyle(box).lineHeight)),
                one.querySelectorAll(".pv-more").length];
            })"""
        )
    assert found == [[_view(case).fold_lines, 1] for case in LINED]


async def test_links_are_marked_as_the_network_marks_them(console: OpenPage) -> None:
    text = "Rolls by @mina at https://example.com/rolls?a=1 #zimtschnecken, not a@b.c"
    async with console() as page:
        await _open(page)
        await _rendered(page, [{"platform": key, "text": text} for key in CONNECTORS], options={})
        found = await page.evaluate(
            """() => [...document.querySelectorAll("[data-case]")].map((one) =>
              [...one.querySelectorAll(".pv-link")].map((link) => link.textContent))"""
        )
    marks = {"@mina": "mention", "https://example.com/rolls?a=1": "link", "#zimtschnecken": "hashtag"}
    for (key, connector), links in zip(CONNECTORS.items(), found, strict=True):
        assert (key, [marks[link] for link in links]) == (
            key, [mark for mark in ("mention", "link", "hashtag") if mark in connector.facts.appearance.marks],
        )  # fmt: skip


@pytest.mark.parametrize("fits", ["abc", "👩‍👩‍👧👩‍👩‍👧", "e\u0301e\u0301", "مرحبا ", "see #tags"])
async def test_what_does_not_fit_is_marked_from_its_first_character(console: OpenPage, fits: str) -> None:
    """The service says where, in the units of JavaScript; a link that begins before it is marked from there on."""
    at = len(fits.encode("utf-16-le")) // 2
    async with console() as page:
        await _open(page)
        await _rendered(page, [{"platform": "bluesky", "text": f"{fits}toomuch", "overflowAt": at}])
        over = await page.locator(".pv-over").all_inner_texts()
        direction = await page.evaluate("() => getComputedStyle(document.querySelector('.pv-text p')).direction")
    assert over == ["toomuch"]
    assert direction == ("rtl" if fits.startswith("م") else "ltr")


HOSTILE = {
    "plain": "x" * 100_000, "hashtags": "#" * 100_000, "mentions": "@a." * 33_000, "addresses": "https://" * 12_500,
    "combining": "e" + "\u0301" * 99_999, "emoji": "👩‍👩‍👧" * 12_500, "named": "@[" * 50_000, "lines": "\n" * 100_000,
}  # fmt: skip


async def test_100_kilobytes_do_not_stop_the_page(console: OpenPage) -> None:
    async with console() as page:
        await _open(page)
        for name, text in HOSTILE.items():
            took = await _rendered(page, [{"platform": key, "text": text} for key in ("linkedin", "instagram", "x")])
            assert took < 10_000, name
            shown = await page.evaluate("() => document.querySelector('#previews').textContent.length")
            assert shown < 70_000, name


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
async def test_previews_are_for_everybody(console: OpenPage, axe: str, scheme: str, width: int) -> None:
    text = "Warm rolls by @mina: https://example.com/rolls #zimt " * 12
    async with console(color_scheme=scheme, viewport={"width": width, "height": 900}) as page:
        await _open(page)
        url = await page.evaluate(PICTURE, [900, 600])
        posts: list[dict[str, Any]] = [
            {"platform": case[0], "options": _options(_view(case)), "text": text, "title": "Cinnamon rolls at seven",
             "files": [_file(url, _view(case).media or "image")] * (1 if number % 3 or _view(case).media else 3)}
            for number, case in enumerate(CASES)
        ]  # fmt: skip
        posts.append({"platform": "bluesky", "text": text, "overflowAt": 40, "link": "https://example.com/a"})
        posts.append({"platform": "x", "text": "One", "thread": [{"text": "Two", "overflowAt": 1, "files": []}]})
        await _rendered(page, posts, firstComment="With recipe")
        wide = await page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth")
        found = await violations(page, axe)
        labels = await page.locator(".pv-ours").all_inner_texts()
    assert found == []
    assert wide <= 0
    assert len(labels) == len(posts)
    assert all(re.match("Preview by Signalpost; the network may show it differently", label) for label in labels)
