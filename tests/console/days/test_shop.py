"""The day of a shop: a phone between two customers, a picture, two sentences, and whether it went out."""

import pytest
from playwright.async_api import expect
from tests.console.days.day import Day, ways
from tests.console.days.hand import Hand, Way
from tests.console.world import picture

pytestmark = [pytest.mark.xdist_group("browser-services"), pytest.mark.timeout(300)]

CAKE = "Heute: Apfelkuchen. Solange der Vorrat reicht!"
BREAD, BREAD_MENDED = "Morgen Roggenbrot [[fail:content_rejected]]", "Morgen gibt es Roggenbrot."


@ways(Way(language="de", phone=True))
async def test_the_day_of_a_shop(day: Day) -> None:
    email = day.email("shop")
    await day.town.owner(email, "Bäckerei Eck")
    async with day.person(expected={401}) as mina:
        await mina.page.goto("/console")
        await day.signs_in(mina, email)
        await mina.press("Connect the sandbox")
        await mina.sees("The sandbox is connected.")
        await sends_a_picture(day, mina)
        await asks_whether_it_went_out(mina, CAKE)
        await mends_what_was_refused(mina)
        await asks_whether_it_went_out(mina, BREAD_MENDED)
        await day.ends(mina, published={"sandbox": [("demo", CAKE), ("demo", BREAD_MENDED)]})


async def writes(mina: Hand, text: str) -> None:
    await mina.begins_a_post()
    await mina.enter("Text", text)


async def sends_a_picture(day: Day, mina: Hand) -> None:
    """The server dies while the picture is described."""
    await writes(mina, CAKE)
    await mina.give("Add files", {"name": "kuchen.png", "mimeType": "image/png", "buffer": picture(2)})
    await mina.enter("Description of {name}", "Ein Apfelkuchen", name="kuchen.png")
    await day.accident()
    await mina.press("Publish now")
    await expect(mina.main.get_by_role("heading", level=1)).to_have_text(CAKE)


async def asks_whether_it_went_out(mina: Hand, text: str) -> None:
    await mina.go("Home")
    row = mina.main.get_by_role("row").filter(has_text=text)
    await expect(row).to_contain_text(mina.say("Published"))


async def mends_what_was_refused(mina: Hand) -> None:
    """Home says that it did not go out; two taps lead to its text."""
    await writes(mina, BREAD)
    await mina.press("Publish now")
    await expect(mina.main).to_contain_text(mina.say("Failed"))
    await mina.go("Home")
    await mina.touch(mina.page.get_by_role("link", name=f"{mina.say('Repair')} {BREAD}"))
    await mina.follow("Change the post")
    await mina.enter("Text", BREAD_MENDED)
    await mina.press("Publish now")
    await expect(mina.main.get_by_role("heading", level=1)).to_have_text(BREAD_MENDED)
