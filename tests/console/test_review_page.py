"""The page for approval by link in a real browser: on a phone, in the visitor's language, without scripts."""

import io
import re
import secrets
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from PIL import Image
from playwright.async_api import Page, expect
from tests.console import pages
from tests.console.browser import OpenPage, violations
from tests.helpers.contract import picture
from tests.helpers.limits import TEST_SECONDS
from tests.helpers.service_process import Api

pytestmark = pytest.mark.xdist_group("browser")
PHONE = {"width": 360, "height": 740}


@pytest.fixture(scope="module")
async def account(owned: Api) -> Any:
    return await owned.connect("sandbox", username="bakery")


async def draft(owned: Api, text: str, **fields: Any) -> Any:
    at = (datetime.now(UTC) + timedelta(days=3)).strftime("%Y-%m-%dT12:00:00Z")
    body = {"profileId": owned.profile, "platforms": ["sandbox"], "text": text, "draft": True, "scheduledAt": at}
    return await owned.post("/posts", json=body | fields)


async def link(owned: Api, *posts: Any, **fields: Any) -> str:
    made = await owned.post("/approval-links", json={"postIds": [post["id"] for post in posts]} | fields)
    return "/approvals/" + str(made["url"].rpartition("/")[2])


async def state_of(owned: Api, post: Any) -> tuple[str, str | None]:
    approval = (await owned.get(f"/posts/{post['id']}"))["approval"]
    return approval["state"], (approval["decidedBy"] or {}).get("name")


def entry(page: Page, post: Any) -> Any:
    return page.locator(f"#{post['id']}")


@pytest.mark.usefixtures("account")
async def test_a_client_decides_on_a_phone_in_german_without_scripts(open_page: OpenPage, owned: Api) -> None:
    word = secrets.token_hex(4)
    good, bad = await draft(owned, f"Warme Brötchen {word}"), await draft(owned, f"Kalter Kaffee {word}")
    path = await link(owned, good, bad, message="Bitte ansehen.")
    async with open_page(at=owned.service, locale="de-DE", viewport=PHONE, java_script_enabled=False) as page:
        await page.goto(path)
        await expect(page.locator("html")).to_have_attribute("lang", "de")
        await expect(page.get_by_text("Bitte ansehen.")).to_be_visible()
        assert (await page.evaluate("document.documentElement.scrollWidth")) <= PHONE["width"]
        await entry(page, good).get_by_label("Ihr Name").fill("Maria Rossi")
        await entry(page, good).get_by_role("button", name="Freigeben").click()
        await expect(entry(page, good).get_by_text("Freigegeben")).to_be_visible()
        await expect(entry(page, good).get_by_role("button", name="Freigeben")).to_have_count(0)

        await expect(entry(page, bad).get_by_label("Ihr Name")).to_have_value("Maria Rossi")  # it is remembered
        await entry(page, bad).get_by_label("Eine Nachricht an das Team").fill("Heißer Kaffee!")
        await entry(page, bad).get_by_role("button", name="Änderungen wünschen").click()
        await expect(entry(page, bad).get_by_text("Änderungen gewünscht")).to_be_visible()
        await expect(entry(page, bad).get_by_text("Heißer Kaffee!")).to_be_visible()
    assert await state_of(owned, good) == ("approved", "Maria Rossi")
    assert await state_of(owned, bad) == ("changes_requested", "Maria Rossi")


@pytest.mark.usefixtures("account")
async def test_what_changed_meanwhile_is_shown_again_and_not_approved(open_page: OpenPage, owned: Api) -> None:
    word = secrets.token_hex(4)
    post = await draft(owned, f"Happy holidays {word}")
    path = await link(owned, post)
    async with open_page(at=owned.service, locale="en-GB", expected={412}) as page:
        await page.goto(path)
        await owned.call("PATCH", f"/posts/{post['id']}", json={"text": f"Closed today {word}"})
        await entry(page, post).get_by_label("Your name").fill("Maria")
        await entry(page, post).get_by_label("A note to the team").fill("Lovely")
        await entry(page, post).get_by_role("button", name="Approve").click()
        await expect(page.get_by_role("alert")).to_contain_text("was changed since you opened the page")
        await expect(entry(page, post).get_by_text(f"Closed today {word}")).to_be_visible()
        await expect(entry(page, post).get_by_label("A note to the team")).to_have_value("Lovely")
        assert await state_of(owned, post) == ("pending", None)
        await entry(page, post).get_by_role("button", name="Approve").click()
        await expect(entry(page, post).get_by_text("Approved")).to_be_visible()


@pytest.mark.usefixtures("account")
async def test_a_chat_shows_who_asks_and_nothing_of_the_posts(owned: Api) -> None:
    word = secrets.token_hex(4)
    path = await link(owned, await draft(owned, f"Not for a chat {word}"))
    async with httpx.AsyncClient(base_url=owned.service.base_url, timeout=TEST_SECONDS) as client:
        page = (await client.get(path, headers={"Accept-Language": "en"})).text
    card = re.findall(r'<meta property="og:[^>]+>', page)

    assert word in page
    assert [tag for tag in card if word in tag] == []
    assert [tag for tag in card if "asks you to look at these posts" in tag] != []


@pytest.mark.usefixtures("account")
async def test_the_page_is_accessible_at_every_size(open_page: OpenPage, owned: Api, axe: str) -> None:
    """With pictures, a thread, settings, a long word, what was decided and what was not; and the one for the code."""
    async with httpx.AsyncClient(base_url=f"{owned.service.base_url}/api/v1", timeout=TEST_SECONDS) as client:
        headers = {"Authorization": f"Bearer {owned.key}"}
        file = (
            await client.post("/media/upload", files={"file": ("a.png", picture(), "image/png")}, headers=headers)
        ).json()
    word = secrets.token_hex(4)
    rich = await draft(
        owned,
        f"Rolls {word} " + "x" * 120,
        media=[{"mediaId": file["id"], "altText": "Rolls"}, {"mediaId": file["id"]}],
        thread=[{"text": "And more"}],
        firstComment="Come by!",
        link="https://example.com/" + "y" * 90,
    )
    decided = await draft(owned, f"Soup {word}")
    path = await link(owned, rich, decided)
    closed = await link(owned, decided, email="maria@customer.example")
    async with open_page(at=owned.service, expected={403}, viewport=PHONE, color_scheme="dark") as page:
        await page.goto(path)
        await entry(page, decided).get_by_label("Your name").fill("Maria")
        await entry(page, decided).get_by_role("button", name="Reject").click()
        await expect(entry(page, decided).get_by_text("Rejected")).to_be_visible()
        for address in (path, closed):
            await page.goto(address)
            assert await violations(page, axe) == []
            for width, scheme in ((360, "light"), (1280, "light"), (1280, "dark")):
                await page.set_viewport_size({"width": width, "height": 800})
                await page.emulate_media(color_scheme=scheme)
                rules = ("color-contrast-enhanced", "target-size")
                assert await violations(page, axe, only=rules) == [], (width, scheme)
                assert await page.evaluate("document.documentElement.scrollWidth") <= width
            await page.set_viewport_size(PHONE)


@pytest.mark.usefixtures("account")
async def test_a_link_for_an_address_asks_for_the_code_that_is_mailed(open_page: OpenPage, owned: Api) -> None:
    post = await draft(owned, "Only for Maria " + secrets.token_hex(4))
    path = await link(owned, post, email=f"maria-{secrets.token_hex(3)}@customer.example")
    async with open_page(at=owned.service, locale="en-GB", expected={403}) as page:
        await page.goto(path)
        await expect(page.get_by_text("Only for Maria")).to_have_count(0)
        await page.get_by_role("button", name="Mail me a code").click()
        await expect(page.get_by_text("A code was mailed to m…@customer.example.")).to_be_visible()
        await page.get_by_label("Code").fill("not it")
        await page.get_by_role("button", name="Continue").click()
        await expect(page.get_by_role("alert")).to_contain_text("This is not the code")
        await page.get_by_label("Code").fill(await _mailed_code(owned))
        await page.get_by_role("button", name="Continue").click()
        await expect(page.get_by_text("Only for Maria")).to_be_visible()
        await entry(page, post).get_by_label("Your name").fill("Maria")
        await entry(page, post).get_by_role("button", name="Approve").click()
        await expect(entry(page, post).get_by_text("Approved")).to_be_visible()


async def _mailed_code(owned: Api) -> str:
    """The code of the newest message, as the operator reads it where no mail is sent."""

    async def kept() -> list[str]:
        listed = await owned.service.command("mail", "list")
        return re.findall(r"\b[0-9a-f]{32}\b(?=.*approval_code)", listed.stdout)

    messages = await owned.service.until(kept, "message with a code")
    shown = await owned.service.command("mail", "show", messages[0])
    found = re.search(r"^\d{6}$", shown.stdout, re.MULTILINE)
    assert found is not None, shown.stdout
    return found[0]


@pytest.mark.usefixtures("account")
async def test_the_page_gives_nothing_away(owned: Api) -> None:
    """Neither to caches, nor to other sites, nor without its link; forms of other sites are refused."""
    post = await draft(owned, "Quiet " + secrets.token_hex(4))
    path = await link(owned, post)
    async with httpx.AsyncClient(
        base_url=owned.service.base_url, headers={"X-Forwarded-For": "10.9.9.9"}, timeout=60
    ) as client:
        page = await client.get(path, headers={"Accept": "text/html"})
        form = {"post": post["id"], "version": "2", "decision": "approve", "name": "Mallory", "note": ""}
        foreign = await client.post(path, data=form, headers={"Origin": "https://evil.example"})
        unknown = await client.get("/approvals/" + "x" * 43, headers={"Accept-Language": "de"})
    assert page.headers["cache-control"] == "no-store"
    assert page.headers["referrer-policy"] == "same-origin"
    assert "media-src 'self'" in page.headers["content-security-policy"]
    assert "script-src" not in page.headers["content-security-policy"]
    assert '<meta name="robots" content="noindex">' in page.text
    assert path.rpartition("/")[2] not in page.text  # the token stays in the address
    assert foreign.status_code == 403
    assert (unknown.status_code, "Diesen Link gibt es nicht" in unknown.text) == (404, True)
    assert await state_of(owned, post) == ("pending", None)


@pytest.mark.usefixtures("account")
async def test_a_client_sees_what_is_sent_of_a_picture(open_page: OpenPage, owned: Api, axe: str) -> None:
    image, out = Image.new("RGB", (400, 300), "white"), io.BytesIO()
    image.paste("red", (100, 0, 300, 300))
    image.save(out, "PNG")
    file = await owned.post("/media/upload", files={"file": ("dot.png", out.getvalue())})
    crops = {"sandbox": {"x": 0.25, "y": 0, "width": 0.5, "height": 1}}
    media = [{"mediaId": file["id"], "altText": "A red field", "crops": crops}]
    path = await link(owned, await draft(owned, "Cut", media=media))
    async with open_page(at=owned.service, viewport=PHONE) as page:
        await page.goto(path)
        picture = page.get_by_role("img", name="A red field")
        await expect(picture).to_be_visible()
        await pages.settled(page)
        with Image.open(io.BytesIO(await picture.screenshot())) as seen:
            corners = [seen.convert("RGB").getpixel(at) for at in ((20, 20), (seen.width - 20, seen.height - 20))]
            assert seen.height > seen.width
        assert all(corner[0] > 230 and corner[1] < 40 for corner in corners if isinstance(corner, tuple)), corners
        assert await violations(page, axe) == []
