"""A person sees which terminal asks for a key, and grants it or refuses; the code comes by link or is typed."""

import secrets
from typing import Any

import pytest
from playwright.async_api import Page, expect
from tests.console.browser import OpenPage, violations
from tests.console.pages import visit
from tests.helpers.service_process import Api

pytestmark = pytest.mark.xdist_group("browser")


async def asks(owned: Api, name: str) -> dict[str, Any]:
    codes: dict[str, Any] = await owned.post("/device-logins", json={"deviceName": name})
    return codes


async def key_named(owned: Api, name: str) -> dict[str, Any] | None:
    keys = (await owned.get("/api-keys"))["data"]
    return next((key for key in keys if key["name"] == f"sp on {name}"), None)


async def grant(page: Page, outcome: str, button: str) -> None:
    await page.get_by_role("button", name=button).click()
    await expect(page.get_by_role("status").filter(has_text=outcome)).to_be_visible()


async def test_a_terminal_is_granted_a_key_with_chosen_rights(console: OpenPage, owned: Api, axe: str) -> None:
    name = f"laptop <b>{secrets.token_hex(4)}</b>"
    codes = await asks(owned, name)
    async with console(expected={404}, viewport={"width": 360, "height": 900}) as page:
        await visit(page, "/console/device")
        await page.get_by_label("Code in the terminal").fill("BBBB-BBBB")
        await page.get_by_role("button", name="Continue").click()
        await page.get_by_role("link", name="Enter another code").click()
        await page.get_by_label("Code in the terminal").fill(codes["userCode"].lower())
        await page.get_by_role("button", name="Continue").click()
        facts = page.get_by_role("region", name="A terminal asks for an API key")
        await expect(facts).to_contain_text(name)
        await expect(facts).to_contain_text(codes["userCode"])
        await expect(facts).to_contain_text("Grant it only if you typed")
        assert await violations(page, axe) == []
        assert await page.evaluate("document.documentElement.scrollWidth") <= 360
        await page.get_by_label("Rights").select_option("read")
        await page.get_by_label("Kind").select_option("test")
        await grant(page, "Done.", "Grant the key")
    key = await key_named(owned, name)
    assert key is not None
    assert (key["mode"], key["scopes"]) == ("test", [
        "accounts:read", "analytics:read", "comments:read", "posts:read", "profiles:read", "webhooks:read",
    ])  # fmt: skip
    taken = await owned.post("/device-logins/token", json={"deviceCode": codes["deviceCode"]})
    assert taken["id"] == key["id"]


async def test_a_terminal_is_refused_in_german(console: OpenPage, owned: Api) -> None:
    name = f"laptop-{secrets.token_hex(4)}"
    codes = await asks(owned, name)
    async with console(locale="de-DE") as page:
        await visit(page, f"/console/device?code={codes['userCode']}")
        await expect(page.get_by_role("main")).to_contain_text("in Ihrem Namen handeln")
        await grant(page, "Abgelehnt.", "Ablehnen")
    assert await key_named(owned, name) is None
