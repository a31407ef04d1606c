"""The day of a developer: a key, the first call, the log, and a webhook that can be trusted."""

import asyncio
import json

import pytest
from playwright.async_api import expect
from standardwebhooks.webhooks import Webhook
from tests.console.days.day import Day, ways
from tests.console.days.hand import Hand, Way
from tests.helpers.webhooks import Receiver, receiver_server

pytestmark = [pytest.mark.xdist_group("browser-days"), pytest.mark.timeout(600)]

HELLO = "Hello from my program."


@ways(Way(keys=True))
async def test_the_day_of_a_developer(day: Day) -> None:
    email = day.email("dev")
    await day.town.owner(email, "Workshop")
    async with day.person(expected={401}) as dana, receiver_server() as receiver:
        await dana.page.goto("/console")
        await day.signs_in(dana, email)
        await dana.press("Connect the sandbox")
        await dana.sees("The sandbox is connected.")
        await calls(dana)
        await reads_the_log(dana)
        secret = await adds_a_webhook(dana, receiver)
        await day.accident()
        await publishes(dana, receiver)
        await sends_again(dana, receiver)
        for request in receiver.requests:
            Webhook(secret).verify(request.body, request.headers)
        await day.ends(dana, published={"sandbox": [("demo", HELLO)]})


async def calls(dana: Hand) -> None:
    """The command is run as it is copied from the page."""
    await dana.go("Developers")
    await dana.press("Make an API key")
    await dana.enter("Name", "Website", dana.dialog)
    await dana.press("Make the key", dana.dialog)
    command = await dana.dialog.locator("pre").filter(has_text="curl").inner_text()
    await dana.press("Done", dana.dialog)
    process = await asyncio.create_subprocess_shell(
        command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    said, _ = await process.communicate()
    assert json.loads(said)["workspace"]["name"] == "Workshop"


async def reads_the_log(dana: Hand) -> None:
    await dana.follow("Request log")
    await dana.choose("API key", "Website", dana.main)
    calls = dana.main.get_by_role("row").filter(has_text="/auth/me")
    by_the_key = calls.filter(has_text="Website")
    while not await by_the_key.count():  # it appears after a second or two
        await dana.press("Refresh")
    await expect(by_the_key).to_contain_text("200")
    await expect(calls).to_have_count(1)  # those of the console itself have been there until the filter applied


async def adds_a_webhook(dana: Hand, receiver: Receiver) -> str:
    """Return its secret, which is shown once."""
    await dana.follow("Webhooks")
    await dana.press("Add a webhook")
    await dana.enter("Address", receiver.url, dana.dialog)
    await dana.enter("Name", "Shop", dana.dialog)
    await dana.enter("Events", "post.published", dana.dialog)
    await dana.press("Add the webhook", dana.dialog)
    secret = await dana.dialog.locator("pre").first.inner_text()
    await dana.press("Done", dana.dialog)
    return secret.strip()


async def publishes(dana: Hand, receiver: Receiver) -> None:
    """The receiver hears of the account, and of the post as a whole."""
    await dana.begins_a_post()
    await dana.enter("Text", HELLO)
    await dana.press("Publish now")
    await expect(dana.main.get_by_role("heading", level=1)).to_have_text(HELLO)
    await receiver.wait(2)


async def sends_again(dana: Hand, receiver: Receiver) -> None:
    await dana.go("Developers")
    await dana.follow("Webhooks")
    await dana.touch(dana.main.get_by_role("link", name="Shop", exact=True))
    await dana.press("Look at {event}", dana.main, event="post.published")
    await dana.press("Send again")
    await receiver.wait(3)
    await dana.press("Close", dana.dialog)
    *bodies, again = [request.body for request in receiver.requests]
    assert again in bodies
