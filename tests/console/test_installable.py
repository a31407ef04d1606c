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
from playwright.async_api import FilePayload, Page, expect
from tests.console.browser import violations
from tests.console.pages import settled
from tests.helpers import media_files
from tests.helpers.service_process import Api

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


def _picture(name: str, width: int) -> FilePayload:
    return {"name": name, "mimeType": "image/jpeg", "buffer": media_files.image("JPEG", size=(width, 240))}


async def _share(page: Page, owned: Api, *files: FilePayload) -> None:
    """Do what the browser does when another app shares, by a form as the manifest describes it."""
    share = (await (await page.request.get("/console.webmanifest")).json())["share_target"]
    names = [entry["name"] for entry in share["params"]["files"]]
    await owned.service.until(lambda: page.evaluate("Boolean(navigator.serviceWorker.controller)"), "worker")
    await page.evaluate(
        """([{ action, method, enctype }, text, files]) => {
          const form = Object.assign(document.createElement("form"), { action, method, enctype, id: "share" });
          form.append(Object.assign(document.createElement("input"), { name: text, value: "Our rye" }));
          form.append(Object.assign(document.createElement("input"), { name: files, type: "file", multiple: true }));
          document.body.append(form);
        }""",
        [share, share["params"]["text"], names[0]],
    )
    await page.locator("#share input[type=file]").set_input_files(files)
    await page.evaluate("document.querySelector('#share').submit()")
    await page.wait_for_url("**/console/compose?*")
    await settled(page)


@pytest.mark.xdist_group("browser")
async def test_pictures_that_are_shared_are_sent_when_the_person_says_so(console: OpenAt, owned: Api, axe: str) -> None:
    """Any page of the web can send such a form. Whoever opens another page does not want them."""
    sent: list[str] = []
    async with console(has_worker=True) as page:
        page.on("request", lambda request: sent.append(request.url))
        await page.goto("/console")
        await settled(page)
        await _share(page, owned, _picture("rye.jpg", 320), _picture("für morgen.jpg", 300))
        await expect(page.get_by_role("textbox", name="Text", exact=True)).to_have_value("Our rye")
        notice = page.get_by_role("status").filter(has_text="Another app shares 2 files.")
        await expect(notice).to_contain_text("rye.jpg, für morgen.jpg")
        assert await violations(page, axe) == []
        assert [url for url in sent if "/media/uploads" in url] == []
        await notice.get_by_role("button", name="Add to the post").click()
        await expect(page.get_by_label(re.compile("^Description of "))).to_have_count(2)
        await expect(notice).to_have_count(0)
        await page.reload()
        await settled(page)
        await expect(notice).to_have_count(0)

        await _share(page, owned, _picture("rolls.jpg", 280))
        await expect(page.get_by_text("Another app shares 1 file.")).to_be_visible()
        await page.goto("/console")
        await settled(page)
        await page.goto("/console/compose?shared=1")
        await settled(page)
        await expect(page.get_by_role("region", name="Files")).to_be_visible()
        assert not await page.evaluate("async () => (await caches.keys()).some((name) => name.endsWith('#shared'))")


async def test_what_is_shared_where_the_worker_is_lost_leads_to_the_composer(visit: httpx.AsyncClient) -> None:
    answer = await visit.post((await _manifest(visit))["share_target"]["action"], files={"files": ("a.png", b"1")})

    assert (answer.status_code, answer.headers["location"]) == (303, "/console/compose")


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
