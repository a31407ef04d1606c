"""A day with money, by clicks alone: a card that is declined, one whose bank asks, a successor who pays, the end."""

import os
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.async_api import Locator, Page, expect
from simulator import Simulator
from simulator.stripe import Stripe
from simulator.stripe.api import SECRET_KEY, WEBHOOK_SECRET
from simulator.stripe.lifecycle import ASKS_ALWAYS, DECLINED
from tests.console.browser import OpenPage, sign_in
from tests.helpers.service_process import Api, installed

pytestmark = pytest.mark.xdist_group("browser-services")
PICTURES = os.environ.get("MONEY_PICTURES")


class Shop(NamedTuple):
    """A service that sells plans without a trial, and the Stripe of the simulator that takes the payments."""

    api: Api
    stripe: Stripe
    url: str


@pytest.fixture(scope="module")
async def shop() -> AsyncIterator[Shop]:
    settings = {
        "SIGNALPOST_BILLING_ENABLED": "true",
        "SIGNALPOST_STRIPE_SECRET_KEY": SECRET_KEY,
        "SIGNALPOST_STRIPE_WEBHOOK_SECRET": WEBHOOK_SECRET,
    }
    async with (
        Simulator([Stripe]) as bank,
        installed(**settings, SIGNALPOST_STRIPE_BASE_URL=bank.url("stripe")) as found,
    ):
        await found.start(SIGNALPOST_TRUSTED_PROXIES="1")
        api = await found.owner()
        for command in (("billing", "sync"), ("staff", "add", "--email", "owner@example.test")):
            done = await found.command(*command)
            assert done.returncode == 0, done.stderr
        stripe = bank.world.networks["stripe"]
        assert isinstance(stripe, Stripe)
        stripe.notify(f"{found.base_url}/api/v1/billing/webhook", WEBHOOK_SECRET)
        yield Shop(api, stripe, bank.url("stripe"))


async def picture(page: Page, name: str) -> None:
    if PICTURES:
        await page.screenshot(path=Path(PICTURES) / f"{name}.png", full_page=True)


def plan_of(page: Page) -> Locator:
    return page.get_by_role("region", name="Your plan")


async def enter_card(page: Page, number: str, action: str) -> None:
    await page.get_by_label("Card").fill(number)
    await page.get_by_role("button", name=action).click()


async def buy(page: Page) -> None:
    """A card that is declined, then one whose bank asks."""
    await page.goto("/console/billing")
    await picture(page, "1-before")
    await page.get_by_role("button", name="Upgrade to Pro").click()
    await page.get_by_role("button", name="Go to the payment").click()
    await enter_card(page, DECLINED, "Subscribe")
    await page.get_by_text("Your card was declined.").wait_for()
    await enter_card(page, ASKS_ALWAYS, "Subscribe")
    await page.get_by_role("button", name="Confirm", exact=True).click()
    await page.wait_for_url("**/console/billing/paid")
    await page.get_by_text("Thank you. The plan is in force.").wait_for()
    await expect(plan_of(page)).to_contain_text("Pro · $29 a month")
    await picture(page, "2-bought")


async def enlarge(page: Page) -> None:
    """The bank asks in another tab; this page follows by itself, and no notice of Stripe is needed."""
    await page.get_by_role("button", name="Upgrade to Max").click()
    await picture(page, "3-upgrade")
    await page.get_by_role("button", name="Change the plan").click()
    asked = page.get_by_role("status").filter(has_text="Your bank wants you to confirm the payment for Max.")
    await asked.wait_for()
    await expect(plan_of(page)).to_contain_text("Pro · $29 a month")
    await picture(page, "4-confirm")
    async with page.expect_popup() as opening:
        await asked.get_by_role("link", name="Confirm the payment").click()
    bank = await opening.value
    await bank.get_by_role("button", name="Confirm", exact=True).click()
    await bank.get_by_text("Paid. Thank you.").wait_for()
    await bank.close()
    await expect(plan_of(page)).to_contain_text("Max · $79 a month")
    await expect(asked).to_have_count(0)
    await picture(page, "5-larger")


async def invite(page: Page) -> str:
    await page.goto("/console/team")
    await page.get_by_role("button", name="Invite someone").click()
    await page.get_by_label("E-mail").fill("second@example.test")
    await page.get_by_label("Role", exact=True).select_option("admin")
    await page.keyboard.press("Enter")
    return await page.get_by_role("dialog", name="Invited").locator("pre").inner_text()


async def join(page: Page, link: str) -> None:
    await page.goto(link)
    await page.get_by_label("Name").fill("Second")
    await page.get_by_label("Password").fill("correct horse battery")
    await page.get_by_role("button").first.click()
    await page.get_by_role("link", name="Sign in").click()
    await page.get_by_label("E-mail").fill("second@example.test")
    await page.get_by_label("Password").fill("correct horse battery")
    await page.keyboard.press("Enter")
    await page.get_by_role("heading", name="Home").wait_for()


async def offer(page: Page, name: str) -> None:
    await page.goto("/console/team")
    await page.get_by_role("button", name=f"Change {name}").click()
    await page.get_by_role("button", name="Make the owner").click()
    await page.get_by_role("button", name="Make the owner").last.click()
    dialog = page.get_by_role("dialog", name="Your card pays for this workspace")
    await dialog.wait_for()
    await picture(page, "6-your-card")
    await dialog.get_by_role("button", name="Offer it with the payments").click()
    await page.get_by_text("can take it over now").wait_for()
    await page.goto("/console/billing")
    await page.get_by_text("is offered this workspace until").wait_for()
    await picture(page, "7-offered")


async def take_over(page: Page) -> None:
    await page.goto("/console/billing")
    await page.get_by_text("You are offered this workspace.").wait_for()
    await picture(page, "8-taking")
    await page.get_by_role("button", name="Enter a card").click()
    await enter_card(page, "4242 4242 4242 4242", "Save")
    await page.wait_for_url("**/console/billing/paid")
    await expect(plan_of(page)).to_contain_text("ends in 4242")
    await picture(page, "9-taken")


async def end(page: Page) -> None:
    await page.goto("/console/billing")
    await page.get_by_role("button", name="Cancel the subscription").click()
    dialog = page.get_by_role("dialog", name="Cancel the subscription")
    await dialog.get_by_role("button", name="Cancel the subscription").click()
    await expect(plan_of(page)).to_contain_text("is cancelled and ends on")
    await picture(page, "10-cancelled")
    await page.goto("/console/team/workspace")
    await page.get_by_role("button", name="Delete the workspace").click()
    dialog = page.get_by_role("dialog")
    name = (await dialog.get_attribute("aria-label") or await dialog.get_by_role("heading").inner_text())[7:-1]
    await dialog.get_by_role("textbox").fill(name)
    await picture(page, "11-delete")
    await dialog.get_by_role("button", name="Delete the workspace").click()
    await page.get_by_role("button", name="Sign in").wait_for()
    await expect(page.get_by_role("status")).to_contain_text("The operator of this instance can restore it until 20")
    await picture(page, "12-deleted")


async def test_staff_see_whether_payments_agree(open_page: OpenPage, shop: Shop) -> None:
    """That Stripe was never heard, and a subscription that is of no workspace: one button ends it."""
    service = shop.api.service
    customer = shop.stripe.keep({
        "id": shop.stripe.make_id("cus"), "object": "customer", "created": shop.stripe.life.now, "metadata": {},
        "invoice_settings": {"default_payment_method": None}, "name": "Nobody", "email": None, "livemode": False,
    })  # fmt: skip
    price = next(one for one in shop.stripe.of_kind("price") if one["metadata"].get("signalpost_plan") == "pro")
    card = shop.stripe.add_card(customer, "4242424242424242")
    data = {"metadata": {"signalpost_workspace": "wsp_01M8EKJP6FEFES1F2CXQFW663F"}}
    stray = shop.stripe.life.begin(customer, price, card["id"], data=data, amount=2900)
    async with open_page(at=service, storage_state=await sign_in(service)) as page:
        await page.goto("/console/admin/payments")
        await page.get_by_text("There is no difference.").wait_for()
        await picture(page, "20-never")
        assert set(await shop.stripe.outbox.deliver()) == {201}
        await page.reload()
        row = page.get_by_role("row").filter(has_text="Charged for a workspace that is not here")
        await row.wait_for()
        await picture(page, "21-differs")
        await row.get_by_role("button", name=re.compile("End it and give back")).click()
        await row.get_by_text("ended, and the last payment given back").wait_for()
        await picture(page, "22-solved")
    assert stray["status"] == "canceled"
    assert [one["amount"] for one in shop.stripe.of_kind("refund")] == [2900]


async def test_a_day_with_money(open_page: OpenPage, shop: Shop) -> None:
    """Two people, one workspace: who pays is who was asked, and nobody pays twice. In the end the workspace is gone."""
    known = set(shop.stripe.objects)
    service = shop.api.service
    async with (
        open_page(at=service, hosts=(shop.url,), storage_state=await sign_in(service), expected={402, 409}) as first,
        open_page(at=service, hosts=(shop.url,), expected={401}) as second,
    ):
        await buy(first)
        await enlarge(first)
        await join(second, await invite(first))
        await offer(first, "Second")
        await take_over(second)
        await first.goto("/console/billing")
        await expect(plan_of(first)).to_contain_text("Second pays for it.")
        await picture(first, "9b-former-owner")
        await end(second)
    paid = [
        (shop.stripe.objects[one["payment_method"]]["card"]["last4"], one["amount"])
        for one in shop.stripe.of_kind("payment_intent")
        if one["id"] not in known
    ]
    assert paid == [(ASKS_ALWAYS[-4:], 2900), (ASKS_ALWAYS[-4:], 5000)]
    cards = [
        one["card"]["last4"]
        for one in shop.stripe.of_kind("payment_method")
        if one["customer"] and one["id"] not in known
    ]
    assert cards == ["4242"]
