"""The day of a shop: a phone between two customers, a picture, two sentences, and whether it went out."""

import pytest
from playwright.async_api import expect
from tests.console.days.day import Day, in_days, ways
from tests.console.days.hand import Hand, Way
from tests.console.world import picture

pytestmark = [pytest.mark.xdist_group("browser-days"), pytest.mark.timeout(600)]

CAKE = "Heute: Apfelkuchen. Solange der Vorrat reicht!"
CLOSED = "Am Montag bleibt der Laden zu."
PRETZELS = "Brezeln, noch warm."
BREAD, BREAD_MENDED = "Morgen Roggenbrot [[fail:content_rejected]]", "Morgen gibt es Roggenbrot."


@ways(Way(language="de", phone=True))
async def test_the_day_of_a_shop(day: Day) -> None:
    email, bakery = day.email("shop"), f"baeckerei{day.number}"
    day.town.simulator.world.add_person("x", bakery)
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
        await changes_the_time(mina)
        await connects_again(day, mina, bakery)
        await asks_whether_it_went_out(mina, PRETZELS)
        await day.ends(
            mina,
            published={"sandbox": [("demo", CAKE), ("demo", BREAD_MENDED)], "x": [(bakery, PRETZELS)]},
            others={CLOSED: "scheduled"},
        )


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


async def changes_the_time(mina: Hand) -> None:
    """What was planned for tomorrow is published a day later."""
    await writes(mina, CLOSED)
    await mina.pick("At a time")
    await mina.at(mina.field("Date and time"), f"{in_days(1)}T10:00")
    await mina.press("Schedule")
    await mina.sees("Scheduled.")
    await mina.go("Posts")
    await mina.touch(mina.main.get_by_role("link", name=CLOSED, exact=True))
    await mina.follow("Edit")
    await mina.at(mina.field("Date and time"), f"{in_days(2)}T11:30")
    await mina.press("Schedule")
    await expect(mina.main.get_by_role("heading", level=1)).to_have_text(CLOSED)
    await expect(mina.main).to_contain_text("11:30")


async def connects_again(day: Day, mina: Hand, username: str) -> None:
    """X takes back its consent. Home says so, and the post that waited goes out by itself when it is given again."""
    await day.connects_x(mina, username)
    await mina.begins_a_post()
    await mina.touch(mina.named("group", "Accounts").get_by_role("button", name=username))
    await mina.enter("Text", PRETZELS)
    day.town.simulator.world.add_fault("x", "revoked", "POST /2/tweets")
    await mina.press("Publish now")
    await expect(mina.main.get_by_role("heading", level=1)).to_have_text(PRETZELS)
    await mina.go("Home")
    await mina.touch(mina.page.get_by_role("link", name=f"{mina.say('Reconnect')} {username} · X"))
    await mina.press("Reconnect")
    async with day.network(mina, "Continue") as there:
        await day.agrees(there, username)
    await mina.press("Done", mina.dialog)
