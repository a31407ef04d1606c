"""Apps of others in a real browser: a person signs in, reads what an app asks for and allows it, and ends it later."""

import re
import secrets
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx
import pytest
from aiohttp import web
from playwright.async_api import Page, expect
from tests.console.browser import OpenPage, violations
from tests.helpers.limits import TEST_SECONDS
from tests.helpers.service_process import Api
from tests.helpers.sign_in_servers import serving

from signalpost.oidc.flow import challenge_of

pytestmark = pytest.mark.xdist_group("browser")
PHONE = {"width": 360, "height": 740}
EMAIL, PASSWORD = "owner@example.test", "correct horse battery"


@pytest.fixture
async def shop() -> AsyncIterator[str]:
    """Where the app runs."""

    async def back(_: web.Request) -> web.Response:
        return web.Response(text="back", content_type="text/html")

    async with serving(("GET", "/callback", back)) as url:
        yield url


class Client:
    """An app that registered itself at a service."""

    def __init__(self, owned: Api, shop: str, client_id: str) -> None:
        self.service, self.redirect, self.client_id = owned.service, f"{shop}/callback", client_id
        self.verifier = secrets.token_urlsafe(48)

    @classmethod
    async def registered(cls, owned: Api, shop: str) -> "Client":
        body = {"client_name": "Shop sync", "redirect_uris": [f"{shop}/callback"], "token_endpoint_auth_method": "none"}
        async with httpx.AsyncClient(base_url=owned.service.base_url, timeout=TEST_SECONDS) as http:
            answer = await http.post("/oauth/register", json=body)
        assert answer.status_code == 201, answer.text
        return cls(owned, shop, answer.json()["client_id"])

    def address(self) -> str:
        return "/oauth/authorize?" + urlencode({
            "client_id": self.client_id, "redirect_uri": self.redirect, "response_type": "code", "state": "x",
            "code_challenge": challenge_of(self.verifier), "code_challenge_method": "S256",
            "scope": "posts:read posts:write posts:publish",
        })  # fmt: skip

    async def redeem(self, url: str) -> Any:
        form = {
            "grant_type": "authorization_code", "client_id": self.client_id, "redirect_uri": self.redirect,
            "code_verifier": self.verifier, "code": parse_qs(urlsplit(url).query)["code"][0],
        }  # fmt: skip
        async with httpx.AsyncClient(base_url=self.service.base_url, timeout=TEST_SECONDS) as http:
            answer = await http.post("/oauth/token", data=form)
        assert answer.status_code == 200, answer.text
        return answer.json()


async def test_a_person_signs_in_and_allows_on_a_phone_in_german_without_scripts(
    open_page: OpenPage, owned: Api, shop: str
) -> None:
    client = await Client.registered(owned, shop)
    async with open_page(
        at=owned.service, locale="de-DE", viewport=PHONE, java_script_enabled=False, hosts=(shop,)
    ) as page:
        await page.goto(client.address())
        await page.get_by_label("E-Mail").fill(EMAIL)
        await page.get_by_label("Passwort").fill(PASSWORD)
        await page.get_by_role("button", name="Anmelden").click()
        await expect(page.get_by_role("heading", name="Shop sync erlauben?")).to_be_visible()
        await expect(page.get_by_text("nicht geprüft")).to_be_visible()
        await expect(page.get_by_text("Entwürfe anlegen und ändern")).to_be_visible()
        await expect(page.get_by_role("checkbox")).not_to_be_checked()
        assert (await page.evaluate("document.documentElement.scrollWidth")) <= PHONE["width"]
        await page.get_by_role("button", name="Erlauben", exact=True).click()
        await page.wait_for_url("**/callback?code=*")
        tokens = await client.redeem(page.url)
    assert tokens["scope"] == "posts:read posts:write"


async def test_the_page_is_accessible_and_a_refusal_reaches_the_app(
    open_page: OpenPage, owned: Api, signed_in: Any, shop: str, axe: str
) -> None:
    client = await Client.registered(owned, shop)
    for scheme in ("light", "dark"):
        async with open_page(
            at=owned.service, storage_state=signed_in, color_scheme=scheme, hosts=(shop,),
            bypass_csp=True,
        ) as page:  # fmt: skip
            await page.goto(client.address())
            assert await violations(page, axe) == []
            await page.get_by_role("button", name="Do not allow").click()
            await page.wait_for_url("**/callback?error=access_denied*")


async def test_connected_apps_are_listed_and_ended_and_own_ones_registered(
    open_page: OpenPage, owned: Api, signed_in: Any, shop: str
) -> None:
    client = await Client.registered(owned, shop)
    async with open_page(at=owned.service, storage_state=signed_in, hosts=(shop,)) as page:
        await page.goto(client.address())
        await page.get_by_role("checkbox").check()
        await page.get_by_role("button", name="Allow", exact=True).click()
        await page.wait_for_url("**/callback?code=*")
        tokens = await client.redeem(page.url)
        assert "posts:publish" in tokens["scope"]

        await page.goto("/console/developers/apps")
        before = len((await owned.get("/app-grants"))["data"])
        await page.get_by_role("button", name="Revoke Shop sync").first.click()
        await page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
        await expect(page.get_by_text("The app no longer acts here.")).to_be_visible()
        assert len((await owned.get("/app-grants"))["data"]) == before - 1

        await _register(page)


async def _register(page: Page) -> None:
    await page.get_by_role("button", name="Register an app").first.click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Name").fill("CMS")
    await dialog.get_by_label("Redirect addresses").fill("https://cms.example.com/callback")
    await dialog.get_by_role("button", name="Register").click()
    await expect(dialog.locator("pre")).to_contain_text(re.compile(r"^sp_ocs_\w{12}_"))
    await dialog.get_by_role("button", name="Done").click()
    await page.get_by_role("button", name="Change CMS").click()
    await dialog.get_by_label("Name").fill("CMS 2")
    await dialog.get_by_role("button", name="Replace the secret").click()
    await expect(dialog.locator("pre")).to_contain_text("sp_ocs_")
    await dialog.get_by_role("button", name="Done").click()
    await page.get_by_role("button", name="Change CMS").click()
    await dialog.get_by_label("Name").fill("CMS 2")
    await dialog.get_by_role("button", name="Save").click()
    await page.get_by_role("button", name="Delete CMS 2").click()
    await dialog.get_by_role("button", name="Delete").click()
    await expect(page.get_by_text("The app is deleted.")).to_be_visible()
