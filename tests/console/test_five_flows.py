"""The main flows by keyboard alone, each as somebody without a mouse goes through it: Tab, letters, Enter, Escape."""

import re
from typing import Any

import pytest
from playwright.async_api import Locator, Page, expect
from tests.console.browser import OpenPage
from tests.helpers.service_process import Api, installed
from tests.helpers.webhooks import receiver_server

pytestmark = pytest.mark.xdist_group("browser")
STOPS_MAX = 60


async def reach(page: Page, target: Locator) -> None:
    """Press Tab until the focus is there."""
    await target.wait_for()
    for _ in range(STOPS_MAX):
        if await target.evaluate("target => target === document.activeElement"):
            return
        await page.keyboard.press("Tab")
    raise AssertionError(f"Tab never comes to {target}")


async def press(page: Page, role: Any, name: str, key: str = "Enter") -> None:
    """Go to a link or button, and press it."""
    await reach(page, page.get_by_role(role, name=name).first)
    await page.keyboard.press(key)


async def enter(page: Page, label: str, text: str) -> None:
    """Go to a field, and type."""
    await reach(page, page.get_by_label(label, exact=True))
    await page.keyboard.press("Control+a")
    await page.keyboard.type(text)


@pytest.mark.timeout(300)  # two services, and a line that is slow on purpose
async def test_the_first_post_of_a_newcomer_over_a_slow_line(open_page: OpenPage) -> None:
    """From the first-run link of a new data folder; each answer takes a fifth of a second longer."""
    async with installed() as fresh:
        await fresh.start()
        [link] = re.findall(r"(/first-run\?token=\S+)", fresh.greeting)
        async with open_page(at=fresh) as page:
            line = await page.context.new_cdp_session(page)
            slow = {"offline": False, "latency": 200, "downloadThroughput": 100_000, "uploadThroughput": 50_000}
            await line.send("Network.emulateNetworkConditions", slow)
            await page.goto(link)
            await enter(page, "E-mail", "ada@example.test")
            await enter(page, "Password", "correct horse battery")
            await enter(page, "Workspace", "Ada's bakery")
            await press(page, "button", "Create user and workspace")
            await press(page, "button", "Connect the sandbox")
            await page.get_by_text("The sandbox is connected.").wait_for()
            await page.keyboard.press("c")
            await page.locator("textarea:focus").wait_for()
            await page.keyboard.type("The first of many")
            await page.get_by_text("Ready for 1 account.").wait_for()
            await page.keyboard.press("Control+Enter")
            await page.wait_for_url(re.compile("/console/posts/pst_"))
            await expect(page.get_by_role("main")).to_contain_text("Published")


async def test_a_failed_post_is_repaired(console: OpenPage, owned: Api) -> None:
    await owned.connect("sandbox", username="bakery")
    post = await owned.publish(["sandbox"], "Burnt [[fail:content_rejected]]")
    await owned.ends(post, "failed")
    async with console() as page:
        await page.goto("/console")
        await press(page, "link", "Repair Burnt")
        await press(page, "link", "Change the post")
        await enter(page, "Text", "Baked again")
        await page.get_by_text("Ready for 1 account.").wait_for()
        await page.keyboard.press("Control+Enter")
        await page.wait_for_url(f"**/console/posts/{post['id']}")
        await expect(page.get_by_role("main")).to_contain_text("Published")


async def test_a_webhook_is_tested_and_a_delivery_sent_again(console: OpenPage) -> None:
    async with receiver_server() as receiver, console() as page:
        await page.goto("/console")
        await page.get_by_role("heading", name="Home").wait_for()
        await page.keyboard.press("g")
        await page.keyboard.press("w")
        await press(page, "button", "Add a webhook")
        await enter(page, "Address", receiver.url)
        await enter(page, "Name", "Cellar")
        await page.keyboard.press("Enter")
        await page.get_by_role("dialog", name="Copy the secret now").wait_for()
        await page.keyboard.press("Escape")
        await press(page, "link", "Cellar")
        await press(page, "button", "Send a test event")
        await page.get_by_role("cell", name="Delivered").wait_for()
        await press(page, "button", "Look at")
        await press(page, "button", "Send again")
        await expect(page.get_by_role("table", name="Attempts").get_by_role("row")).to_have_count(3)

        first, again = receiver.requests
        assert first.body == again.body


async def test_a_teammate_is_invited(console: OpenPage) -> None:
    async with console() as page:
        await page.goto("/console")
        await page.get_by_role("heading", name="Home").wait_for()
        await page.keyboard.press("g")
        await page.keyboard.press("t")
        await press(page, "button", "Invite someone")
        await enter(page, "E-mail", "keys@example.test")
        await reach(page, page.get_by_label("Role", exact=True))
        await page.keyboard.type("Viewer")
        await reach(page, page.get_by_role("dialog").get_by_role("button", name="Invite", exact=True))
        await page.keyboard.press("Enter")
        await page.get_by_role("dialog", name="Invited").wait_for()
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("row").filter(has_text="keys@example.test")).to_contain_text("Viewer")
