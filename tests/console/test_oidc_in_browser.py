"""Sign-in in a real browser with a certified provider: no, yes, and again without being asked."""

import secrets
from collections.abc import AsyncIterator
from urllib.parse import parse_qs, urlsplit

import pytest
from aiohttp import web
from playwright.async_api import Browser, Page, expect
from tests.console.pages import visit
from tests.counterparts.oidc import CLIENT_ID, CLIENT_SECRET, OidcProvider, oidc_provider
from tests.helpers.limits import PAGE_SECONDS
from tests.helpers.service_process import Service, installed_with_owner
from tests.helpers.sign_in_servers import serving

from signalpost.oidc.flow import challenge_of

pytestmark = pytest.mark.xdist_group("browser-services")
EMAIL, PASSWORD = "owner@example.test", "correct horse battery"


@pytest.fixture(scope="module")
async def place() -> AsyncIterator[tuple[Service, OidcProvider]]:
    """A service that knows the provider, and its owner."""
    async with (
        installed_with_owner() as service,
        oidc_provider(f"{service.base_url}/sign-in/oidc/callback") as provider,
    ):
        yield (
            await service.start(
                SIGNALPOST_BASE_URL=service.base_url,
                SIGNALPOST_OIDC_ISSUER=provider.issuer,
                SIGNALPOST_OIDC_CLIENT_ID=CLIENT_ID,
                SIGNALPOST_OIDC_CLIENT_SECRET=CLIENT_SECRET,
                SIGNALPOST_OIDC_LABEL="Acme ID",
            ),
            provider,
        )


async def test_a_person_signs_in_with_a_certified_provider(
    browser: Browser, place: tuple[Service, OidcProvider]
) -> None:
    """The library's own pages, the code, its keys, its user information: nothing of the provider is ours."""
    service, provider = place
    async with serving(("GET", "/done", _done)) as client:
        await sign_in(browser, service, provider, f"{client}/done")


async def _done(_: web.Request) -> web.Response:
    return web.Response(text="done")


async def sign_in(browser: Browser, service: Service, provider: OidcProvider, done: str) -> None:
    owner = await service.owner()
    verifier = secrets.token_urlsafe(48)
    start = f"{service.base_url}/sign-in/oidc?redirectUrl={done}&codeChallenge={challenge_of(verifier)}"
    context = await browser.new_context()
    context.set_default_timeout(PAGE_SECONDS * 1000)
    page = await context.new_page()

    await page.goto(start)
    await page.get_by_role("link", name="Cancel").click()
    await expect(page.locator("main")).to_contain_text("You did not sign in")

    await provider.say("stranger@example.test", email_verified=False)
    await enter(page, start, "stranger@example.test")
    await expect(page.locator("main")).to_contain_text("verified")

    await context.clear_cookies()
    await enter(page, start, EMAIL)
    await page.get_by_label("Password").fill("another password")
    await page.get_by_role("button", name="Sign in").click()
    await expect(page.get_by_role("alert")).to_contain_text("password is wrong")
    await page.get_by_label("Password").fill(PASSWORD)
    await page.get_by_role("button", name="Sign in").click()
    await page.wait_for_url("**/done?*")

    await page.goto(start)  # both know each other now
    await page.wait_for_url("**/done?*")
    [code] = parse_qs(urlsplit(page.url).query)["code"]
    signed_in = await owner.post("/auth/oidc/token", json={"code": code, "codeVerifier": verifier})
    assert signed_in["user"]["email"] == EMAIL
    assert not [cookie for cookie in await context.cookies(service.base_url) if "signalpost" in cookie["name"]]

    await page.goto(f"{service.base_url}/console/posts?status=failed")  # asks who is there, and leads back
    await page.get_by_role("link", name="Sign in with Acme ID").click()
    await page.wait_for_url("**/console/posts?status=failed")
    await unlink(page, f"{service.base_url}/console/account")
    await page.goto(start)
    await expect(page.get_by_label("Password")).to_be_visible()  # the provider alone lets nobody in any more
    await context.close()


async def unlink(page: Page, account: str) -> None:
    """End by clicks that the provider signs in as this person."""
    await visit(page, account)
    card = page.get_by_role("region", name="Sign-in provider")
    await expect(card).to_contain_text(f"You sign in with Acme ID as {EMAIL}.")
    await card.get_by_role("button", name="Unlink it").click()
    dialog = page.get_by_role("dialog", name="Unlink Acme ID?")
    await dialog.get_by_label("Password").fill("another password")
    await dialog.get_by_role("button", name="Unlink it").click()
    await expect(dialog).to_contain_text("This is not your password.")
    await dialog.get_by_label("Password").fill(PASSWORD)
    await dialog.get_by_role("button", name="Unlink it").click()
    await expect(card).to_contain_text("You can also sign in with Acme ID")
    await expect(card.get_by_role("button", name="Unlink it")).to_have_count(0)


async def enter(page: Page, start: str, name: str) -> None:
    """Sign in at the provider and agree."""
    await page.goto(start)
    await page.get_by_placeholder("Enter any login").fill(name)
    await page.get_by_placeholder("and password").fill("anything")
    await page.get_by_role("button", name="Sign-in").click()
    await page.get_by_role("button", name="Continue").click()
