"""A calendar of another program: made, read by it, given another address and ended, by clicks."""

import re
import secrets

import httpx
import pytest
from icalendar import Calendar
from playwright.async_api import expect
from tests.console.browser import OpenPage, violations
from tests.console.pages import visit
from tests.helpers.service_process import Api

pytestmark = pytest.mark.xdist_group("browser")


async def test_a_calendar_is_subscribed_to_and_ended(console: OpenPage, owned: Api, axe: str) -> None:
    client = f"Bakery {secrets.token_hex(3)}"
    profile = await owned.post("/profiles", json={"name": client})
    await owned.post("/platforms/sandbox/connect", json={"profileId": profile["id"], "fields": {"username": "bakery"}})
    await owned.post("/posts", json={"profileId": profile["id"], "text": "Rolls", "platforms": ["sandbox"]})

    async def summaries(url: str) -> list[str]:
        async with httpx.AsyncClient() as program:
            answer = await program.get(url)
        assert answer.status_code == 200, answer.text
        calendar = Calendar.from_ical(answer.content)
        assert isinstance(calendar, Calendar)
        assert calendar["NAME"] == client
        return [str(event["SUMMARY"]) for event in calendar.events]

    async with console(viewport={"width": 1200, "height": 1100}) as page:
        await visit(page, f"/console/calendar?profileId={profile['id']}")
        await page.get_by_role("button", name="Subscribe").click()
        dialog = page.get_by_role("dialog")
        await expect(dialog.get_by_label("Client")).to_have_value(profile["id"])
        assert await violations(page, axe) == []
        await dialog.get_by_role("button", name="Make the link").click()
        url = await dialog.locator("pre").inner_text()
        assert await summaries(url) == ["Rolls"]
        opened = dialog.get_by_role("link", name="Open it in the calendar of this device")
        await expect(opened).to_have_attribute("href", re.sub("^https?", "webcal", url))
        assert await violations(page, axe) == []
        await dialog.get_by_role("button", name="Done").click()

        await visit(page, "/console/account")
        row = page.get_by_role("row", name=client)
        await row.get_by_role("button", name="Another address").click()
        await page.get_by_role("dialog").get_by_role("button", name="Another address").click()
        another = await page.get_by_role("dialog").locator("pre").inner_text()
        assert another != url
        assert await summaries(another) == ["Rolls"]
        async with httpx.AsyncClient() as program:
            assert (await program.get(url)).status_code == 404
        await page.get_by_role("dialog").get_by_role("button", name="Done").click()
        assert await violations(page, axe) == []

        await row.get_by_role("button", name="Delete").click()
        await page.get_by_role("dialog").get_by_role("button", name="Delete").click()
        await expect(row).to_have_count(0)
        async with httpx.AsyncClient() as program:
            assert (await program.get(another)).status_code == 404
