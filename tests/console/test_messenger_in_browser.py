"""A phone is linked by the code that the page shows, and unlinked."""

import asyncio
import re

import httpx
import pytest
from playwright.async_api import expect
from simulator import Simulator
from simulator.networks.slack import Slack
from simulator.networks.telegram import Telegram
from simulator.networks.whatsapp import WhatsApp
from tests.console.browser import OpenPage, sign_in, violations
from tests.console.pages import visit
from tests.helpers.limits import TEST_SECONDS
from tests.helpers.messenger import BOT, settings_for, slack_tokens, telegram_token
from tests.helpers.service_process import installed_with_owner

pytestmark = pytest.mark.xdist_group("browser-services")


async def test_a_phone_is_linked_by_scanning_and_unlinked(open_page: OpenPage, axe: str) -> None:
    """The page notices by itself that the message has arrived; it shows the number masked."""
    async with Simulator([WhatsApp]) as simulator, installed_with_owner() as found:
        app = simulator.world.add_app("whatsapp")
        network = simulator.world.networks["whatsapp"]
        assert isinstance(network, WhatsApp)
        settings = {f"SIGNALPOST_{name.upper()}": value for name, value in settings_for(simulator, app).items()}
        await found.start(SIGNALPOST_TRUSTED_PROXIES="1", **settings)
        await found.owner()
        stored = await sign_in(found)
        async with open_page(at=found, storage_state=stored, viewport={"width": 360, "height": 900}) as page:
            await visit(page, "/console/account")
            await page.get_by_role("button", name="Link my messenger").click()
            dialog = page.get_by_role("dialog")
            await dialog.get_by_role("button", name="Next").click()
            await expect(dialog.get_by_role("img", name="Code to scan with a phone")).to_be_visible()
            assert await violations(page, axe) == []
            assert await page.evaluate("document.documentElement.scrollWidth") <= 360
            [code] = re.findall(r"Or send (\w{8}) to", await dialog.inner_text())

            person = simulator.world.add_person("whatsapp", "mina")
            [hook] = network.webhooks(app, [person], [network.text(person, code)])
            async with httpx.AsyncClient(base_url=found.base_url, timeout=TEST_SECONDS) as client:
                answer = await client.post("/api/v1/wa/webhook", content=hook.body, headers=hook.headers)
            assert answer.is_success

            await expect(page.get_by_text("Your messenger is linked.")).to_be_visible()
            await expect(page.get_by_text(re.compile(r"^\+\d+ \*+"))).to_be_visible()
            await page.get_by_role("button", name="Unlink").click()
            await dialog.get_by_role("button", name="Unlink").click()
            await expect(page.get_by_role("button", name="Link my messenger")).to_be_visible()


async def test_a_bot_of_telegram_is_asked_and_linked(open_page: OpenPage, axe: str) -> None:
    """The service needs no address that Telegram could call: it asks. The person hears from the bot that it worked."""
    async with Simulator([Telegram]) as simulator, installed_with_owner() as found:
        network = simulator.world.networks["telegram"]
        assert isinstance(network, Telegram)
        token = telegram_token(simulator)
        bot, person = simulator.world.person("telegram", BOT), simulator.world.add_person("telegram", "mina")
        settings = {"TELEGRAM_BOT_TOKEN": token, "TELEGRAM_BASE_URL": simulator.url("telegram")}
        await found.start(**{f"SIGNALPOST_{name}": value for name, value in settings.items()})
        await found.owner()
        stored = await sign_in(found)
        async with open_page(at=found, storage_state=stored, viewport={"width": 360, "height": 900}) as page:
            await visit(page, "/console/account")
            await page.get_by_role("button", name="Link my messenger").click()
            dialog = page.get_by_role("dialog")
            await dialog.get_by_role("button", name="Next").click()
            await expect(dialog.get_by_text("press Start in the chat")).to_be_visible()
            assert await violations(page, axe) == []
            assert await page.evaluate("document.documentElement.scrollWidth") <= 360
            address = await dialog.get_by_role("link", name="Open Telegram here").get_attribute("href")
            [code] = re.findall(rf"https://t.me/{BOT}\?start=(\w{{8}})", address or "")

            network.write(bot, person, {"text": f"/start {code}"})

            await expect(page.get_by_text("Your messenger is linked.")).to_be_visible()
            await expect(page.get_by_text("@m***a")).to_be_visible()


async def test_an_app_of_slack_is_heard_and_linked(open_page: OpenPage) -> None:
    """The worker opens a connection by itself, and keeps it: what the person writes later comes over the same one."""
    async with Simulator([Slack]) as simulator, installed_with_owner() as found:
        network, person = simulator.world.networks["slack"], simulator.world.add_person("slack", "mina")
        assert isinstance(network, Slack)
        settings = slack_tokens(simulator) | {"slack_base_url": simulator.url("slack")}
        await found.start(**{f"SIGNALPOST_{name.upper()}": value for name, value in settings.items()})
        await found.owner()
        stored = await sign_in(found)
        [bot] = network.bots.values()
        async with open_page(at=found, storage_state=stored, viewport={"width": 360, "height": 900}) as page:
            await visit(page, "/console/account")
            await page.get_by_role("button", name="Link my messenger").click()
            dialog = page.get_by_role("dialog")
            await dialog.get_by_role("button", name="Next").click()
            await expect(dialog.get_by_text("send the code to the app")).to_be_visible()
            assert await page.evaluate("document.documentElement.scrollWidth") <= 360
            [code] = re.findall(r"Or send (\w{8}) to", await dialog.inner_text())

            network.write(bot, person, code)

            await expect(page.get_by_text("Your messenger is linked.")).to_be_visible()
            await expect(page.get_by_text("U0***")).to_be_visible()
        [line] = network.lines
        network.write(bot, person, "help")
        async with asyncio.timeout(20):
            while "discard the last draft" not in simulator.world.ledger.of("slack")[-1].text:
                await asyncio.sleep(0.05)
        assert network.lines == [line], "the connection is the same one"
