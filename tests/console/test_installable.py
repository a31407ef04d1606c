"""The console as an app: installed on a phone or a desktop, where other apps share with it."""

import io
import re
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any
from urllib.parse import urlencode

import httpx
import pytest
from PIL import Image
from playwright.async_api import Page, expect
from tests.console.pages import settled

OpenAt = Callable[..., AbstractAsyncContextManager[Page]]
PHONE = {"width": 360, "height": 740}
MOST_USED = ["Home", "Calendar", "Posts", "Approvals", "Inbox"]
SHARED: list[tuple[dict[str, str], str]] = [
    ({"title": "Rye", "text": "", "url": "https://bakery.example/rye"}, "Rye\nhttps://bakery.example/rye"),
    ({"title": "Rye", "text": "Our rye: https://bakery.example/rye"}, "Our rye: https://bakery.example/rye"),
    ({"text": "See https://bakery.example/rye", "url": "https://bakery.example/rye"}, "See https://bakery.example/rye"),
    ({"text": "<img src=x onerror=alert(1)> & more"}, "<img src=x onerror=alert(1)> & more"),
]


async def _manifest(visit: httpx.AsyncClient, language: str = "en") -> Any:
    page = (await visit.get("/console")).text
    [address] = re.findall(r'<link rel="manifest" href="([^"]+)">', page)
    answer = await visit.get(address, headers={"Accept-Language": language})
    assert answer.headers["content-type"] == "application/manifest+json"
    assert answer.headers["vary"] == "accept-language"
    return answer.json()


async def test_icons_are_what_the_manifest_says(visit: httpx.AsyncClient) -> None:
    page = (await visit.get("/console")).text
    apple = re.findall(r'<link rel="apple-touch-icon" href="([^"]+)">', page)
    icons = [(icon["src"], icon["sizes"]) for icon in (await _manifest(visit))["icons"] if icon["sizes"] != "any"]

    for address, sizes in [*icons, (apple[0], "180x180")]:
        answer = await visit.get(address)
        assert answer.headers["content-type"] == "image/png"
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
        with Image.open(io.BytesIO(answer.content)) as image:
            assert f"{image.width}x{image.height}" == sizes, address


@pytest.mark.parametrize(
    ("language", "shortcuts"),
    [
        ("en", ["Write a post", "Calendar", "Inbox"]),
        ("de-AT", ["Beitrag schreiben", "Kalender", "Posteingang"]),
        ("es", ["Crear publicación", "Calendario", "Bandeja de entrada"]),
    ],
)
async def test_shortcuts_are_in_the_language_of_the_device(
    visit: httpx.AsyncClient, language: str, shortcuts: list[str]
) -> None:
    manifest = await _manifest(visit, language)

    assert manifest["lang"] == language[:2]
    assert [shortcut["name"] for shortcut in manifest["shortcuts"]] == shortcuts
    for address in (manifest["start_url"], *(shortcut["url"] for shortcut in manifest["shortcuts"])):
        assert (await visit.get(address)).status_code == 200


@pytest.mark.xdist_group("browser")
async def test_chromium_finds_nothing_that_keeps_it_from_being_installed(console_at: OpenAt) -> None:
    async with console_at("empty") as page:
        await page.goto("/console")
        await settled(page)
        devtools = await page.context.new_cdp_session(page)
        manifest = await devtools.send("Page.getAppManifest")
        found = await devtools.send("Page.getInstallabilityErrors")

    assert manifest["url"].endswith("/console.webmanifest")
    assert manifest["errors"] == []
    # The browsers of tests have no history, as a private window.
    assert {error["errorId"] for error in found["installabilityErrors"]} <= {"in-incognito"}


@pytest.mark.xdist_group("browser")
async def test_what_is_shared_begins_a_post(console_at: OpenAt) -> None:
    async with console_at("empty") as page:
        for shared, text in SHARED:
            await page.goto(f"/console/compose?{urlencode(shared)}")
            await settled(page)
            await expect(page.get_by_role("textbox", name="Text", exact=True)).to_have_value(text)


@pytest.mark.xdist_group("browser")
async def test_a_thumb_reaches_the_most_used_pages(console_at: OpenAt) -> None:
    async with console_at("full", viewport=PHONE) as page:
        await page.goto("/console")
        await settled(page)
        bar = page.get_by_role("navigation", name="Quick access")
        names = [(await link.inner_text()).split("\n")[0] for link in await bar.get_by_role("link").all()]
        assert sorted(names) == sorted(MOST_USED)
        for name in MOST_USED[1:]:
            await bar.get_by_role("link", name=name).click()
            await expect(page.get_by_role("main").get_by_role("heading", level=1)).to_have_text(name)
            await expect(bar.get_by_role("link", name=name)).to_have_attribute("aria-current", "page")
        # The whole menu has them too, and takes the place of the bar.
        await page.get_by_role("button", name="Menu").click()
        await expect(bar).to_be_hidden()
