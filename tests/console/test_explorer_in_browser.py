"""The explorer in a real browser: an operation is chosen, filled in, and sent as oneself or with a test key."""

import json
import re

import pytest
from playwright.async_api import expect
from tests.console.browser import OpenPage
from tests.helpers.service_process import Api

pytestmark = pytest.mark.xdist_group("browser")


async def test_an_operation_is_found_filled_in_and_sent_by_keyboard(console: OpenPage, owned: Api) -> None:
    """What is shown as a program is what is sent; what would be refused is said before."""
    async with console(expected={404}) as page:
        await page.goto("/console/developers/explorer")
        await page.get_by_label("Find an operation").focus()
        await page.keyboard.type("GET profiles {id}")
        await page.get_by_role("link", name="Return a profile", exact=True).focus()
        await page.keyboard.press("Enter")
        await page.wait_for_url("**/console/developers/explorer/getProfile")
        send = page.get_by_role("button", name="Send GET")
        await send.focus()
        await page.keyboard.press("Enter")
        identifier = page.get_by_label("id", exact=True)
        await expect(identifier).to_be_focused()
        await page.get_by_text("This is needed.").wait_for()
        await page.keyboard.type(owned.profile)
        await expect(page.locator(".sample pre")).to_contain_text(f"/api/v1/profiles/{owned.profile}")
        await page.keyboard.press("Enter")
        answer = page.get_by_role("region", name="Answer")
        await expect(answer).to_contain_text("200")
        await expect(answer).to_contain_text(re.compile(r"x-request-id\s*req_"))
        shown = json.loads(await answer.locator("pre").inner_text())
        assert shown["id"] == owned.profile
        await identifier.fill("prof_01M7Z0000000000000000000AB")
        await page.keyboard.press("Enter")
        await expect(answer).to_contain_text("not_found")


async def test_live_data_is_changed_after_a_warning_and_test_data_without(console: OpenPage, owned: Api) -> None:
    """The pasted key is in no program that is shown, and a live key is not taken."""
    key = (await owned.post("/api-keys", json={"name": "Explorer", "mode": "test"}))["key"]
    text = {"profileId": owned.profile, "text": "Written in the explorer", "draft": True}
    async with console() as page:
        await page.goto("/console/developers/explorer/createPost")
        body = page.get_by_label("Body", exact=True)
        await page.get_by_label("Example").select_option(label="Save a draft")
        await expect(body).to_have_value(re.compile(r'"draft": true'))
        await body.fill("{")
        send = page.get_by_role("button", name="Send POST")
        await send.click()
        await page.get_by_text("This is not JSON.").wait_for()
        await body.fill(json.dumps(text))
        await page.keyboard.press("Control+Enter")
        warning = page.get_by_role("dialog", name="This may change live data")
        await warning.get_by_role("button", name="Send POST").click()
        answer = page.get_by_role("region", name="Answer")
        await expect(answer).to_contain_text("201 Created")
        live = json.loads(await answer.locator("pre").inner_text())["id"]

        await page.get_by_label("Sent as").select_option("key")
        pasted = page.get_by_label("Test key")
        await pasted.fill("sp_live_0123456789")
        await send.click()
        await page.get_by_text("Paste a test key").wait_for()
        await pasted.fill(key)
        await send.click()
        await expect(answer.locator("pre")).not_to_contain_text(live)
        await expect(answer).to_contain_text("201 Created")
        test = json.loads(await answer.locator("pre").inner_text())["id"]
        for language in ("Python", "TypeScript", "curl"):
            await page.get_by_role("button", name=language, exact=True).click()
            await expect(page.locator(".sample pre")).to_contain_text("SIGNALPOST_KEY")
            await expect(page.locator(".sample pre")).not_to_contain_text(key)
    assert (await owned.get(f"/posts/{live}"))["text"] == "Written in the explorer"
    assert test != live
