"""A link page is made in the console, by keyboard too, and read by visitors on a small phone, without scripts."""

import secrets
from typing import Any, Literal

import pytest
from playwright.async_api import expect
from tests.console.browser import OpenPage, violations
from tests.console.pages import visit
from tests.helpers.service_process import Api

pytestmark = pytest.mark.xdist_group("browser")
SHOP = "https://shop.example.com/menu"
NARROW = {"width": 320, "height": 640}


async def new_client(owned: Api, **fields: Any) -> Any:
    return await owned.post("/profiles", json={"name": f"Bakery {secrets.token_hex(3)}"} | fields)


async def test_a_page_is_made_ordered_published_and_deleted(console: OpenPage, owned: Api, axe: str) -> None:
    client = await new_client(owned, color="#ffd54a")
    slug = f"bakery-{secrets.token_hex(6)}"
    path = f"/profiles/{client['id']}/link-page"
    async with console(expected={422}) as page:
        await visit(page, "/console/clients/link-pages")
        row = page.get_by_role("row").filter(has_text=client["name"])
        await row.get_by_role("link", name="Make a page").click()
        await expect(page.get_by_role("heading", name=client["name"], exact=True)).to_be_visible()
        first = page.get_by_role("group", name="Link 1", exact=True)
        await first.get_by_label("Text of the link").fill("Order bread")
        await first.get_by_label("Leads to").fill("https://me:secret@shop.example.com")
        await page.get_by_role("button", name="Add a link").click()
        second = page.get_by_role("group", name="Link 2", exact=True)
        await second.get_by_label("Text of the link").fill("Where we are")
        await second.get_by_label("Leads to").fill(SHOP)
        await page.get_by_label("Address", exact=True).fill(slug)
        await page.get_by_label("The page is public").check()
        await page.get_by_role("button", name="Save", exact=True).click()
        await expect(first.locator(".error")).to_contain_text("https://")
        assert await violations(page, axe) == []

        await first.get_by_label("Leads to").fill(SHOP)
        await page.get_by_role("button", name="Move Where we are up").focus()
        await page.keyboard.press("Enter")
        await expect(first.get_by_label("Text of the link")).to_have_value("Where we are")
        await page.get_by_role("button", name="Save", exact=True).click()
        await expect(page.get_by_role("link", name="Open the page")).to_have_attribute(
            "href", f"{owned.service.base_url}/l/{slug}"
        )
        await expect(page.locator(".link-preview li")).to_have_text(["Where we are", "Order bread"])
        saved = await owned.get(path)
        assert [link["title"] for link in saved["links"]] == ["Where we are", "Order bread"]
        await page.get_by_role("button", name="QR code").click()
        await expect(page.get_by_role("img", name=f"QR code of {saved['url']}")).to_be_visible()
        await expect(page.get_by_role("table", name="Clicks by link")).to_be_visible()
        assert await violations(page, axe) == []

        await page.get_by_role("button", name="Delete…").click()
        await page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True).click()
        await expect(page.get_by_role("row").filter(has_text=client["name"])).to_contain_text("no page")


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_a_page_is_read_on_a_small_phone(
    open_page: OpenPage, owned: Api, axe: str, scheme: Literal["light", "dark"]
) -> None:
    client = await new_client(owned, color="#b3261e")
    links = [{"title": title, "url": SHOP} for title in ("Order bread", "W" * 100, "Our newsletter")]
    body = {
        "slug": f"bakery-{secrets.token_hex(6)}", "title": "Bakery Berlin", "text": "Fresh bread from seven.",
        "language": "de", "isPublished": True, "links": links,
    }  # fmt: skip
    saved = await owned.call("PUT", f"/profiles/{client['id']}/link-page", json=body)
    async with open_page(at=owned.service, viewport=NARROW, color_scheme=scheme) as page:
        await page.goto(f"/l/{body['slug']}")
        await expect(page.get_by_role("heading", level=1)).to_have_text("Bakery Berlin")
        await expect(page.locator("html")).to_have_attribute("lang", "de")
        link = page.get_by_role("link", name="Order bread")
        await expect(link).to_have_css("background-color", "rgb(179, 38, 30)")  # the style is allowed by its hash
        await expect(link).to_have_css("color", "rgb(255, 255, 255)")
        await expect(link).to_have_attribute("href", f"/l/{body['slug']}/{saved['links'][0]['id']}")
        assert await page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
        assert await violations(page, axe) == []
