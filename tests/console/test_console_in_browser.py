"""The console in a real browser: each flow by mouse and by keyboard alone, and every page for everybody."""

import re
from typing import Any

import pytest
from playwright.async_api import Page, expect
from tests.console.browser import OpenPage, violations
from tests.helpers.service_process import Api
from tests.helpers.webhooks import receiver_server

pytestmark = pytest.mark.xdist_group("browser")
SCRIPT = "<img src=x onerror=alert(1)>\"'</textarea><script>alert(1)</script>"


@pytest.fixture(scope="session")
async def account(owned: Api) -> Any:
    return await owned.connect("sandbox", username="bakery")


async def write(page: Page, text: str) -> None:
    await page.goto("/console/compose")
    await page.get_by_label("Text", exact=True).fill(text)
    chip = page.get_by_role("button", name="bakery")
    if await chip.get_attribute("aria-pressed") == "false":
        await chip.click()
    await page.get_by_text("Ready for 1 account.").wait_for()


async def test_a_post_is_written_and_published_by_mouse(console: OpenPage, account: Any) -> None:
    """What the service counts is shown while it is typed; text stays text wherever it appears."""
    async with console() as page:
        await write(page, f"Fresh bread {SCRIPT}")
        await expect(page.locator(".counter")).to_contain_text(f"Sandbox {len(SCRIPT) + 12}/5,000")
        await page.get_by_role("button", name="Publish now").click()

        await page.wait_for_url(re.compile("/console/posts/pst_"))
        await expect(page.get_by_role("listitem").filter(has_text="bakery").first).to_contain_text("Published")
        await expect(page.locator(".post-text")).to_have_text(f"Fresh bread {SCRIPT}")
        await page.goto("/console/posts?q=Fresh")
        await expect(page.get_by_role("table", name="Posts")).to_contain_text("</textarea><script>")


async def test_a_post_is_written_and_published_by_keyboard_alone(console: OpenPage, account: Any) -> None:
    async with console() as page:
        await page.goto("/console")
        await page.get_by_role("heading", name="Home").wait_for()
        await page.keyboard.press("c")
        await page.wait_for_url("**/console/compose")
        await page.locator("textarea:focus").wait_for()
        await page.keyboard.type("Typed, not clicked")
        await page.get_by_text("Ready for 1 account.").wait_for()
        await page.keyboard.press("Control+Enter")
        await page.wait_for_url(re.compile("/console/posts/pst_"))
        await expect(page.get_by_role("main")).to_contain_text("Published")


async def test_offline_while_it_is_sent_makes_exactly_one_post(console: OpenPage, owned: Api, account: Any) -> None:
    """The answer is lost on its way, after the service has done its part: the same key brings the same post."""
    text = "Sent through a tunnel"
    async with console(expected={503}) as page:
        await write(page, text)
        lost: list[int] = []

        async def lose_the_answer(route: Any) -> None:
            answer = await route.fetch()
            lost.append(answer.status)
            await (
                route.fulfill(status=503, json={"code": "unavailable"})
                if len(lost) < 3
                else route.fulfill(response=answer)
            )

        await page.route(re.compile(r"/api/v1/posts$"), lose_the_answer)
        await page.get_by_role("button", name="Publish now").click()
        await page.wait_for_url(re.compile("/console/posts/pst_"))

    assert lost == [201, 201, 201]
    found = await owned.get("/posts", params={"q": text})
    assert [post["text"] for post in found["data"]] == [text]


async def test_what_was_typed_outlives_the_page_and_the_session(console: OpenPage, owned: Api, account: Any) -> None:
    async with console(expected={401}) as page:
        await write(page, "Half a sentence")
        await page.reload()
        await expect(page.get_by_label("Text", exact=True)).to_have_value("Half a sentence")
        await page.get_by_text("Ready for 1 account.").wait_for()  # nothing else asks while there is no session

        await page.context.clear_cookies()
        await page.get_by_role("button", name="Save draft").click()
        dialog = page.get_by_role("dialog", name="Sign in again")
        await dialog.get_by_label("Password").fill("correct horse battery")
        await page.keyboard.press("Enter")
        await page.wait_for_url(re.compile("/console/compose/pst_"))
        await expect(page.get_by_label("Text", exact=True)).to_have_value("Half a sentence")


@pytest.fixture
async def lost(owned: Api) -> Any:
    """A post of which nobody can tell whether it was published: the clock of the sandbox makes the hour short."""
    made = await owned.post("/api-keys", json={"name": "Tests", "mode": "test"})
    tester = Api(owned.service, {"profileId": owned.profile, "apiKey": made["key"]})
    account = await tester.connect("sandbox", username="forgetful")
    body = {"profileId": owned.profile, "targets": [{"accountId": account["id"]}], "text": "Lost [[timeout:forever]]"}
    post = await tester.post("/posts", json=body)

    async def is_lost() -> bool:
        await tester.post("/sandbox/clock", json={"advanceSeconds": 3_600})
        return bool((await tester.get(f"/posts/{post['id']}/status"))["status"] == "failed")

    await owned.service.until(is_lost, "lost post")
    yield post
    await tester.call("DELETE", "/sandbox/clock")


async def test_an_unknown_outcome_is_resolved_by_two_clicks(console: OpenPage, lost: Any) -> None:
    """Nothing is posted again before a person says that it is not there."""
    async with console() as page:
        await page.goto(f"/console/posts/{lost['id']}")
        await page.get_by_role("button", name="It is not there").click()
        await page.get_by_role("button", name="Post it again").click()

        await page.get_by_text("It is posted again.").wait_for()


async def test_every_listed_key_does_what_the_help_says(console: OpenPage, account: Any) -> None:
    async with console() as page:
        await page.goto("/console")
        await page.get_by_role("heading", name="Home").wait_for()
        await page.keyboard.press("?")
        help_dialog = page.get_by_role("dialog", name="Keyboard shortcuts")
        await help_dialog.get_by_text("Write a post").wait_for()
        await page.keyboard.press("Escape")
        await page.keyboard.press("g")
        await page.keyboard.press("p")
        await page.get_by_role("heading", name="Posts").wait_for()
        await page.keyboard.press("/")
        await expect(page.get_by_role("searchbox")).to_be_focused()
        await page.keyboard.press("Tab")
        await page.keyboard.press("Control+k")
        await page.get_by_role("combobox", name="Find a command").fill("home")
        await page.keyboard.press("Enter")
        await page.wait_for_url("**/console")

        await page.keyboard.press("?")
        await help_dialog.get_by_label("Use single keys").uncheck()
        await page.keyboard.press("Escape")
        await page.keyboard.press("c")
        await page.keyboard.press("Control+k")
        await page.get_by_role("dialog", name="Commands").wait_for()
        assert page.url.endswith("/console")


async def test_the_drawer_shows_the_calls_of_the_page(console: OpenPage, account: Any) -> None:
    async with console() as page:
        await page.goto("/console/posts?status=failed")
        await page.get_by_role("button", name="API calls").click()
        drawer = page.get_by_role("dialog", name="API calls of this page")
        await drawer.get_by_role("button").filter(has_text="/posts200").click()
        await expect(drawer.locator("pre")).to_contain_text("status=failed")
        await drawer.get_by_role("button", name="Python").click()
        await expect(drawer.locator("pre")).to_contain_text("httpx.request")
        assert re.search("req_[0-9a-f]+", await drawer.inner_text())


async def test_a_failed_post_is_repaired_from_home(console: OpenPage, owned: Api, account: Any) -> None:
    """One click from the problem to its reason and what to do."""
    post = await owned.publish(["sandbox"], "Broken [[fail:content_rejected]]")
    await owned.ends(post, "failed")
    async with console() as page:
        await page.goto("/console")
        await page.get_by_role("link", name="Repair Broken").first.click()
        await page.get_by_text("What to do:").first.wait_for()
        await page.get_by_role("link", name="Change the post").first.click()
        text = page.get_by_label("Text", exact=True)
        await text.fill("Mended")
        await page.get_by_role("button", name="Publish now").click()
        await page.wait_for_url(f"**/console/posts/{post['id']}")
        await expect(page.get_by_role("main")).to_contain_text("Published")


async def test_a_key_is_made_shown_once_and_revoked_by_keyboard(console: OpenPage) -> None:
    async with console() as page:
        await page.goto("/console")
        await page.get_by_role("heading", name="Home").wait_for()
        await page.keyboard.press("g")
        await page.keyboard.press("d")
        await page.get_by_role("button", name="Make an API key").first.focus()
        await page.keyboard.press("Enter")
        dialog = page.get_by_role("dialog", name="Make an API key")
        await dialog.get_by_label("Name").and_(page.locator(":focus")).wait_for()
        await page.keyboard.type("By keyboard")
        await page.keyboard.press("Enter")
        shown = page.get_by_role("dialog", name="Copy the key now")
        key = re.search(r"sp_live_\w+", await shown.locator("pre").first.inner_text())
        await page.keyboard.press("Escape")
        row = page.get_by_role("row").filter(has_text="By keyboard")
        await row.get_by_role("button", name="Revoke").focus()
        assert key
        assert key[0] not in await page.content()
        await page.keyboard.press("Enter")
        await page.get_by_role("dialog", name="Revoke By keyboard?").get_by_role("button", name="Revoke").focus()
        await page.keyboard.press("Enter")
        await page.get_by_text("The key no longer works.").wait_for()


async def test_a_webhook_is_added_tested_and_a_delivery_sent_again(console: OpenPage) -> None:
    async with receiver_server() as receiver, console() as page:
        await page.goto("/console/developers/webhooks")
        await page.get_by_role("button", name="Add a webhook").first.click()
        await page.get_by_label("Address").fill(receiver.url)
        await page.get_by_label("Name").fill("Kitchen")
        await page.keyboard.press("Enter")
        secret = page.get_by_role("dialog", name="Copy the secret now")
        await secret.get_by_role("button", name="Done").click()
        await page.get_by_role("link", name="Kitchen").click()
        await page.get_by_role("button", name="Send a test event").click()
        await page.get_by_role("cell", name="Delivered").wait_for()
        await page.get_by_role("button", name="Look at").click()
        await page.get_by_role("button", name="Send again").click()
        await expect(page.get_by_role("table", name="Attempts").get_by_role("row")).to_have_count(3, timeout=20_000)

        first, again = receiver.requests
        assert first.body == again.body


async def test_a_teammate_is_invited_and_joins(console: OpenPage, open_page: OpenPage, owned: Api) -> None:
    async with console() as page:
        await page.goto("/console/team")
        await page.get_by_role("button", name="Invite someone").click()
        await page.get_by_label("E-mail").fill("new@example.test")
        await page.get_by_label("Role", exact=True).select_option("viewer")
        await page.keyboard.press("Enter")
        link = await page.get_by_role("dialog", name="Invited").locator("pre").inner_text()
        await page.get_by_role("button", name="Done").click()
        await expect(page.get_by_role("row").filter(has_text="new@example.test")).to_contain_text("Invited")

    async with open_page(at=owned.service) as guest:
        await guest.goto(link)
        await guest.get_by_label("Password").fill("correct horse battery")
        await guest.get_by_role("button").first.click()
        await guest.get_by_role("link", name="Sign in").click()
        await guest.get_by_label("E-mail").fill("new@example.test")
        await guest.get_by_label("Password").fill("correct horse battery")
        await guest.keyboard.press("Enter")
        await guest.get_by_role("heading", name="Home").wait_for()
        assert await guest.get_by_role("link", name="Write a post").count() == 0, "a viewer only reads"


ACCOUNTS = ("accounts", "accounts/invites", "accounts/acc_01M7Z0000000000000000000AB")
TEAM = ("team", "team/workspace", "team/history")
PAGES = (
    "",
    "posts",
    "compose",
    "posts/pst_01M7Z0000000000000000000AB",
    "developers",
    "developers/webhooks",
    *ACCOUNTS,
    *TEAM,
)
LOOKS = ((360, "dark"), (1280, "light"), (768, "dark"), (360, "light"), (1280, "dark"))


@pytest.mark.parametrize("path", PAGES)
async def test_every_page_is_for_everybody(console: OpenPage, axe: str, account: Any, path: str) -> None:
    """axe-core finds nothing in either colour scheme at three widths, nothing scrolls sideways, nothing jumps."""
    async with console(expected={404}) as page:
        await page.goto(f"/console/{path}")
        for width, scheme in LOOKS:
            await page.set_viewport_size({"width": width, "height": 900})
            await page.emulate_media(color_scheme=scheme)
            await expect(page.locator("main h1")).to_be_visible()
            await expect(page.locator(".skeleton")).to_have_count(0)
            only = {} if (width, scheme) == LOOKS[0] else {"only": ("color-contrast", "target-size")}
            assert await violations(page, axe, **only) == [], (width, scheme)
            assert await page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("language", ["de", "ar-XB"])
async def test_other_languages_fit_and_mirror(console: OpenPage, account: Any, language: str) -> None:
    async with console(viewport={"width": 360, "height": 900}) as page:
        for path in ("", "posts", "compose"):
            await page.goto(f"/console/{path}?lang={language}")
            await expect(page.locator("main h1")).to_be_visible()
            assert await page.evaluate("document.documentElement.scrollWidth") <= 360
            heading = await page.locator("main h1").inner_text()
            assert (
                heading.startswith("[")
                if language == "ar-XB"
                else heading in ("Start", "Beiträge", "Beitrag schreiben")
            )
        assert await page.evaluate("document.documentElement.dir") == ("rtl" if language == "ar-XB" else "ltr")
