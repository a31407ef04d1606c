"""The pages in a real browser: light and dark, on a phone, without scripts, by keyboard."""

import re
from typing import Any

import pytest
from playwright.async_api import Page, expect
from tests.console.browser import OpenPage, violations
from tests.counterparts import tools
from tests.helpers.service_process import Api, Service, installed

pytestmark = pytest.mark.xdist_group("browser-services")


PAGES = {
    "/": 200,
    "/problems": 200,
    "/problems/rate_limited": 200,
    "/first-run": 410,
    "/reset-password": 410,
    "/login": 200,
    "/forgot-password": 200,
    "/register": 200,
}
DOCS = (
    "/docs",
    "/docs/search?q=schedule",
    "/docs/guides/webhooks",
    "/docs/reference/networks",
    "/docs/profiles",
    "/docs/posts",
    "/docs/events",
)
PAGES |= dict.fromkeys(DOCS, 200)
HEAVY = pytest.param("/docs/posts", marks=[pytest.mark.heavy, pytest.mark.timeout(400)])
"""The longest page: half a minute for the rules. Another one of its kind is always checked."""
SIZES = ((360, "dark"), (1440, "light"), (800, "light"), (800, "dark"), (360, "light"))
"""Widths and colour schemes. All rules are checked at the first, then those that depend on them; long pages at two."""


@pytest.mark.parametrize("path", [HEAVY if path == "/docs/posts" else path for path in PAGES])
async def test_pages_are_accessible_at_every_size(open_page: OpenPage, axe: str, path: str) -> None:
    """axe-core finds no violation of WCAG 2.2 AA in either colour scheme, and nothing scrolls sideways."""
    async with open_page(expected={PAGES[path]}) as page:
        await page.goto(path)
        await _look_at_every_size(page, axe, is_long=path in DOCS)


async def _look_at_every_size(page: Page, axe: str, *, is_long: bool = False) -> None:
    for size in SIZES:
        width, scheme = size
        await page.set_viewport_size(_size(width))
        await page.emulate_media(color_scheme=scheme)
        if size == SIZES[0]:
            assert await violations(page, axe) == []
        elif not is_long or size == SIZES[1]:
            assert await violations(page, axe, only=("color-contrast-enhanced", "target-size")) == [], size
        assert await page.evaluate("document.documentElement.scrollWidth") <= width


async def test_contrast_is_measured_as_aaa_asks(open_page: OpenPage, axe: str) -> None:
    """By the same look that finds nothing on the pages: 5.7 : 1 is enough for AA, and not here."""
    async with open_page() as page:
        await page.goto("/login")
        await page.evaluate("document.querySelector('label').style.color = '#666666'")
        assert await violations(page, axe) == [("color-contrast-enhanced", [['label[for="email"]']])]


SPLIT = """() => [...document.querySelectorAll(".prose td:first-child code")]
  .filter((code) => code.textContent.length <= 10 && code.getClientRects().length > 1)
  .map((code) => code.textContent)"""


async def test_short_names_in_the_tables_of_guides_stay_whole_on_a_phone(open_page: OpenPage) -> None:
    async with open_page(viewport=_size(390)) as page:
        for guide in ("operate", "outcomes"):
            await page.goto(f"/docs/guides/{guide}")
            assert await page.locator(".prose td:first-child code").count() > 3
            assert await page.evaluate(SPLIT) == []
            assert await page.evaluate("document.documentElement.scrollWidth") <= 390


def _size(width: int) -> dict[str, int]:
    return {"width": width, "height": 900}


async def test_the_documentation_works_without_scripts_and_by_keyboard(open_page: OpenPage) -> None:
    async with open_page(java_script_enabled=False) as page:
        await page.goto("/docs")
        await page.keyboard.press("Tab")
        await page.keyboard.press("Enter")
        await page.wait_for_url("**#content")

        await page.get_by_role("searchbox").fill("create post")
        await page.keyboard.press("Enter")
        await page.get_by_role("main").get_by_role("link", name="Create post", exact=True).click()
        await page.wait_for_url("**/docs/posts#createPost")
        operation = page.locator("#createPost")
        assert await operation.get_by_text("posts:write").first.is_visible()
        assert await operation.get_by_role("link", name="preflight_failed").is_visible()

        samples = operation.locator(".samples pre")
        assert [await sample.is_visible() for sample in await samples.all()] == [True, False, False]
        await operation.get_by_label("curl").focus()
        await page.keyboard.press("ArrowRight")
        assert [await sample.is_visible() for sample in await samples.all()] == [False, True, False]


async def test_an_operation_is_tried_in_its_page(service: Service, open_page: OpenPage, axe: str) -> None:
    """With a test key only, against this instance; found by typing into the search."""
    async with open_page(expected={401}) as page:
        await page.goto("/docs")
        await page.keyboard.press("/")
        await page.keyboard.type("validate post")
        await page.get_by_role("search").get_by_role("link", name="Validate post").click()
        await page.wait_for_url("**/docs/posts#validatePost")

        operation = page.locator("#validatePost")
        await operation.locator("label", has_text="TypeScript").click()
        await expect(operation.get_by_text("await fetch")).to_be_visible()
        await expect(page.locator("#createPost").get_by_text("await fetch"), "all samples change").to_be_visible()

        await operation.get_by_text("Try it").click()
        await operation.get_by_label("Test key").fill("sp_live_mine")
        await operation.get_by_role("button", name="Send POST").click()
        await expect(operation.get_by_role("status")).to_contain_text("test keys only")
        await operation.get_by_label("Test key").fill("sp_test_unknown")
        await operation.get_by_role("button", name="Send POST").click()
        await operation.get_by_text("401").first.wait_for()
        await operation.get_by_text('"code": "unauthenticated"').wait_for()

        await page.evaluate(axe)
        wrong = "async () => (await axe.run('#validatePost')).violations.map(rule => rule.id)"
        assert await page.evaluate(wrong) == []


@pytest.mark.timeout(300)  # a service of its own: the link ends after half an hour
async def test_first_run_from_the_link_to_a_published_post(open_page: OpenPage, axe: str) -> None:
    """The path of a new user: the form, a mistake in it, the four steps at home. The zone is that of the browser."""
    async with installed() as new:
        await new.start()
        [link] = re.findall(r"(/first-run\?token=\S+)", new.greeting)
        async with open_page(at=new, expected={410, 422, OFFLINE}, timezone_id="America/Toronto") as page:
            await page.goto(link)
            await _look_at_every_size(page, axe)
            await page.set_viewport_size(_size(1280))
            await _begin(page)
            await page.goto(link)
            assert await page.get_by_role("heading", name="This link is no longer valid").is_visible()


async def _begin(page: Page) -> None:
    await page.get_by_label("E-mail").fill("ada@example.test")
    await page.get_by_label("Password").fill("correct horse battery")
    await page.get_by_label("Workspace").fill("Ada's bakery")
    await page.evaluate("document.querySelector('#password').minLength = 1")
    await page.get_by_label("Password").fill("short")
    await page.get_by_role("button").click()

    await expect(page.get_by_label("Password")).to_have_attribute("aria-invalid", "true")
    assert await page.get_by_label("Workspace").input_value() == "Ada's bakery"
    assert await page.get_by_label("Password").input_value() == ""

    await page.get_by_label("Password").fill("correct horse battery")
    await page.keyboard.press("Enter")
    steps = page.locator(".steps > li")
    await expect(steps).to_have_count(4)
    await expect(steps.first).to_contain_text("Toronto")
    await expect(page.get_by_role("main")).not_to_contain_text("sp_live_")
    await publish_as_readme_says(page)

    await page.goto("/console")
    await expect(page.get_by_text("3 of 4 done")).to_be_visible()
    await page.get_by_role("link", name="Invite someone").click()
    await page.get_by_role("dialog").get_by_label("E-mail").fill("mina@example.test")
    await page.get_by_role("dialog").get_by_role("button", name="Invite").click()
    await page.get_by_role("dialog", name="Invited").wait_for()
    await page.goto("/console")
    await expect(page.get_by_role("heading", name="Next 24 hours")).to_be_visible()
    await expect(steps).to_have_count(0)


OFFLINE = "net::ERR_INTERNET_DISCONNECTED"


async def publish_as_readme_says(page: Page) -> None:
    """Its first page names two buttons. The connection is lost at the worst moment, and nothing is sent twice."""
    start = (tools.CHECKOUT / "README.md").read_text(encoding="utf-8").partition("## Start")[2].partition("\n## ")[0]
    connect, write = re.findall(r"\*([A-Z][\w ]+)\*", start.replace("\n", " "))
    await page.get_by_role("button", name=connect).click()
    await page.get_by_text("The sandbox is connected.").wait_for()
    await page.get_by_role("link", name=write).first.click()
    await page.get_by_label("Text", exact=True).fill("Our first post")
    await page.get_by_text("Ready for 1 account.").wait_for()
    await page.context.set_offline(True)
    await page.get_by_role("button", name="Publish now").click()
    await page.get_by_text("No connection.").wait_for()
    await page.context.set_offline(False)
    await page.wait_for_url(re.compile("/console/posts/pst_"))
    await expect(page.get_by_role("main")).to_contain_text("Published")
    await page.goto("/console/posts?q=Our+first+post")
    await expect(page.get_by_text("1 post shown")).to_be_visible()


async def connect_link(owned: Api) -> str:
    begun = await owned.get("/platforms/mastodon/auth-url", params={"profileId": owned.profile})
    return str(begun["url"])


@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (1440, "light")])
async def test_an_account_is_connected_by_two_clicks(
    owned: Api, mastodon: str, open_page: OpenPage, axe: str, width: int, scheme: str
) -> None:
    """A real browser keeps the cookie over http, lets the form lead to the network, and brings the cookie back."""
    hosts = (owned.service.base_url, mastodon)
    async with open_page(hosts=hosts, expected={404}, viewport=_size(width), color_scheme=scheme) as page:
        await page.goto(await connect_link(owned))
        assert await violations(page, axe) == []
        assert await page.evaluate("document.documentElement.scrollWidth") <= width
        await page.get_by_role("button", name="Continue to 127.0.0.1").click()
        await page.get_by_role("link", name="Authorize").click()

        await page.get_by_role("heading", name="Connected").wait_for()
        assert await violations(page, axe) == []
        assert await page.evaluate("document.documentElement.scrollWidth") <= width


async def test_an_account_is_connected_in_the_console_by_four_clicks(
    owned: Api, mastodon: str, open_page: OpenPage, signed_in: dict[str, Any]
) -> None:
    """The network opens in a window of its own; the console sees by itself that the account is there."""
    hosts = (owned.service.base_url, mastodon)
    profile = await owned.post("/profiles", json={"name": "Four clicks"})
    async with open_page(at=owned.service, storage_state=signed_in, hosts=hosts, expected={404}) as page:
        await page.goto(f"/console/accounts?profileId={profile['id']}")
        await page.get_by_role("button", name="Connect an account").click()
        await page.get_by_role("dialog").get_by_role("button", name="Mastodon").click()
        await expect(page.get_by_label("Server")).to_be_focused()
        async with page.expect_popup() as opening, page.expect_response("**/auth-url?*") as answered:
            await page.keyboard.press("Enter")  # the server is the operator's
        # A refusal closes the window; the page says why.
        assert (await answered.value).ok, await (await answered.value).text()
        window = await opening.value
        await window.get_by_role("button", name="Continue to 127.0.0.1").click()
        await window.get_by_role("link", name="Authorize").click()
        await window.get_by_role("heading", name="Connected").wait_for()
        await window.close()

        await page.bring_to_front()
        await page.evaluate(
            "dispatchEvent(new Event('focus'))"
        )  # a window without a screen is never given back the focus
        await expect(page.get_by_role("dialog")).to_have_count(0)
        await expect(page.locator(".table")).to_contain_text("Mastodon")
    await owned.call("DELETE", f"/profiles/{profile['id']}")


async def test_a_browser_that_did_not_start_the_flow_connects_nothing(
    owned: Api, mastodon: str, open_page: OpenPage, axe: str
) -> None:
    hosts = (owned.service.base_url, mastodon)
    async with open_page(hosts=hosts, expected={404}) as attacker, open_page(hosts=hosts, expected={400}) as victim:
        await attacker.goto(await connect_link(owned))
        await attacker.get_by_role("button").click()
        await attacker.wait_for_url(f"{mastodon}/**")
        back = await attacker.get_by_role("link", name="Authorize").get_attribute("href")
        assert back is not None
        await victim.goto(back)

        assert await victim.get_by_role("heading", name="Not connected").is_visible()
        assert await violations(victim, axe) == []
