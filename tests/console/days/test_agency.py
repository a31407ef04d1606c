"""The day of an agency: two clients, a colleague, a client who has to agree, and a plan for next week."""

import asyncio

import pytest
from playwright.async_api import Locator, expect
from tests.console.days.day import PASSWORD, Day, in_days, ways
from tests.console.days.hand import Hand, Way
from tests.console.world import picture

pytestmark = [pytest.mark.xdist_group("browser-days"), pytest.mark.timeout(1800)]

ROLLS = "Warm cinnamon rolls, out of the oven at seven."
ROLLS_THERE = "Warm #cinnamonrolls for the fediverse, at seven."
SOUP, SOUP_MENDED = "Soup of the day: tomatoe.", "Soup of the day: tomato."
BIKES, RIDE = "The new bikes are here.", "We ride out together. Who comes along?"
ACCIDENTS = 3
ROWS = [f"Tip {number} for the dark days: lights, tyres, brakes." for number in range(1, 31)]


@ways(Way(killed=True))
async def test_the_day_of_an_agency(day: Day) -> None:
    bakery, bikes = f"cornerbakery{day.number}", f"citybikes{day.number}"
    day.town.simulator.world.add_person("mastodon", bakery)
    day.town.simulator.world.add_person("x", bikes)
    async with day.person() as nora, day.person() as cem, day.person() as berta:
        await registers(day, nora)
        await makes_clients(nora)
        await connects(day, nora, bakery, bikes)
        await invites(day, nora, cem)
        await writes_for_the_bakery(day, cem, bakery)
        await writes_for_the_bikes(nora)
        link = await asks_by_link(nora, ROLLS, SOUP)
        await decides(day, berta, link)
        await mends(cem)
        await agrees(berta)
        await plans(nora)
        await imports(day, nora)
        await looks(nora)
        await day.ends(
            nora,
            published={
                "mastodon": [(bakery, ROLLS_THERE), (bakery, SOUP_MENDED)],
                "sandbox": [("bakery", ROLLS)],
                "x": [(bikes, BIKES)],
            },
            others=dict.fromkeys((RIDE, *ROWS), "scheduled"),
        )


@pytest.mark.heavy
@pytest.mark.parametrize("way", [Way(killed=True), Way(language="de", phone=True, killed=True)], ids=str)
async def test_three_people_are_at_work_when_the_server_is_killed(day: Day) -> None:
    """Each time one publishes, one asks for an approval and one gives it, all at once."""
    bakery, bikes = f"cornerbakery{day.number}", f"citybikes{day.number}"
    day.town.simulator.world.add_person("mastodon", bakery)
    day.town.simulator.world.add_person("x", bikes)
    waiting = [f"{ROLLS} {number}" for number in range(1, ACCIDENTS + 1)]
    rides = [f"{RIDE} {number}" for number in range(1, ACCIDENTS + 1)]
    soups = [f"{SOUP} {number}" for number in range(1, ACCIDENTS + 1)]
    async with day.person() as nora, day.person() as cem, day.person() as berta:
        await registers(day, nora)
        await makes_clients(nora)
        await connects(day, nora, bakery, bikes)
        await invites(day, nora, cem)
        for text in waiting:
            await writes_for_mastodon(cem, text)
            await asks(cem)
        link = await asks_by_link(nora, *waiting)
        for roll, ride, soup in zip(waiting, rides, soups, strict=True):
            await begins(nora, "City Bikes")
            await nora.enter("Text", ride)
            await writes_for_mastodon(cem, soup)
            await berta.page.goto(link)
            await asyncio.gather(day.accident(), publishes(nora, ride), asks(cem), said(berta, roll, "Approve"))
            await approves(berta, link, roll)
        link = await asks_by_link(nora, *soups)
        for soup in soups:
            await approves(berta, link, soup)
        await day.ends(
            nora,
            published={
                "mastodon": [(bakery, text) for text in (*waiting, *soups)],
                "x": [(bikes, ride) for ride in rides],
            },
        )


async def writes_for_mastodon(cem: Hand, text: str) -> None:
    await begins(cem, "Corner Bakery")
    await cem.touch(cem.named("group", "Accounts").get_by_role("button", name="Mastodon"))
    await cem.enter("Text", text)


async def asks(cem: Hand) -> None:
    """If the server is away it is asked when it is back."""
    await cem.press("Ask for approval")
    await cem.sees("{name} asks for approval.", name="Cem Colleague")


async def publishes(nora: Hand, text: str) -> None:
    await nora.press("Publish now")
    await expect(nora.main.get_by_role("heading", level=1)).to_have_text(text)


async def approves(berta: Hand, link: str, text: str) -> None:
    """Look whether it was heard, and say it if it was not: this page has no scripts that could repeat it."""
    await berta.page.goto(link)
    if not await post_of(berta, text).get_by_text(berta.say("Approved")).count():
        await said(berta, text, "Approve")
    await expect(post_of(berta, text)).to_contain_text(berta.say("Approved"))


async def registers(day: Day, nora: Hand) -> None:
    await nora.page.goto("/register")
    await nora.enter("Your name", "Nora North")
    await nora.enter("E-mail", day.email("nora"))
    await nora.enter("Password", PASSWORD)
    await nora.enter("Workspace", "North Star")
    await nora.press("Register")
    await nora.sees("First steps")


async def makes_clients(nora: Hand) -> None:
    await nora.follow("Another client")
    for number, name in enumerate(("Corner Bakery", "City Bikes")):
        if number:
            await nora.press("New client")
        await nora.enter("Name", name, nora.dialog)
        if name == "Corner Bakery":
            rule = nora.dialog.get_by_role("checkbox", name=nora.say("Posts need an approval"))
            await nora.touch(rule, key="Space")
            await expect(rule).to_be_checked()
        await nora.press("Save", nora.dialog)
        await nora.sees("{name} is a client now.", name=name)


async def connects(day: Day, nora: Hand, bakery: str, bikes: str) -> None:
    """At the networks, in windows of theirs; the sandbox by a form."""
    await nora.go("Accounts")
    await nora.press("Connect an account")
    await nora.choose("Client", "Corner Bakery", nora.dialog)
    await nora.touch(nora.dialog.get_by_role("button", name="Mastodon"))
    await nora.enter("Server", day.town.simulator.url("mastodon"))
    async with day.network(nora, "Continue") as there:
        await day.agrees(there, bakery)
    await nora.press("Done", nora.dialog)
    await expect(nora.main).to_contain_text(bakery)

    await nora.press("Connect an account")
    await nora.choose("Client", "Corner Bakery", nora.dialog)
    await nora.touch(nora.dialog.get_by_role("button", name="Sandbox"))
    await nora.write(nora.dialog.get_by_role("textbox").first, "bakery")
    await nora.press("Connect", nora.dialog)
    await nora.sees("Connected.")

    await day.connects_x(nora, bikes, "City Bikes")


async def invites(day: Day, nora: Hand, cem: Hand) -> None:
    """The link is that of the mail."""
    await nora.go("Team")
    await nora.press("Invite someone")
    await nora.enter("E-mail", day.email("cem"), nora.dialog)
    await nora.choose("Role", nora.say("Contributor"), nora.dialog)
    await nora.press("Invite", nora.dialog)
    await nora.sees("A mail with this link is on its way.")
    await nora.press("Done", nora.dialog)
    await cem.page.goto(await day.mail(day.email("cem")))
    await cem.enter("Name", "Cem Colleague")
    await cem.enter("Password", PASSWORD)
    await cem.press("Accept")
    await cem.follow("Sign in", cem.main)
    await day.signs_in(cem, day.email("cem"))


async def begins(hand: Hand, client: str) -> None:
    await hand.begins_a_post()
    await hand.choose("Client", client)


async def writes_for_the_bakery(day: Day, cem: Hand, bakery: str) -> None:
    """A picture with a text of its own for one network; while the second is written, the server dies."""
    await begins(cem, "Corner Bakery")
    accounts = cem.named("group", "Accounts")
    await cem.touch(accounts.get_by_role("button", name="Mastodon"))
    await cem.touch(accounts.get_by_role("button", name="Sandbox"))
    await cem.enter("Text", ROLLS)
    await cem.give("Add files", {"name": "rolls.png", "mimeType": "image/png", "buffer": picture(3)})
    await cem.enter("Description of {name}", "A tray of cinnamon rolls", name="rolls.png")
    await cem.touch(cem.named("group", "Which text").get_by_role("button", name=bakery))
    await cem.enter("Text for {account}", ROLLS_THERE, account=f"{bakery}@social.example")
    await asks(cem)

    await writes_for_mastodon(cem, SOUP)
    await day.accident()
    await asks(cem)


async def writes_for_the_bikes(nora: Hand) -> None:
    """The only account is chosen already."""
    await begins(nora, "City Bikes")
    await nora.enter("Text", BIKES)
    await nora.press("Publish now")
    await expect(nora.main).to_contain_text(nora.say("Published"))


async def asks_by_link(nora: Hand, *texts: str) -> str:
    await nora.go("Approvals")
    await nora.follow("Sent links")
    await nora.press("Ask for approval by link")
    await nora.choose("Client", "Corner Bakery", nora.dialog)
    for text in texts:
        await nora.tick(text, nora.dialog)
    await nora.enter("Message", "These are for tomorrow.", nora.dialog)
    await nora.press("Make the link", nora.dialog)
    await nora.sees("Send this link", nora.dialog)
    link = await nora.dialog.locator("pre").inner_text()
    await nora.press("Done", nora.dialog)
    return link


async def decides(day: Day, berta: Hand, link: str) -> None:
    """One is commented on and approved, the other is to be changed. Then the server dies, maybe before it heard it."""
    await berta.page.goto(link)
    await said(berta, ROLLS, "Only comment", "How lovely!")
    await expect(post_of(berta, ROLLS)).to_contain_text("How lovely!")
    await said(berta, ROLLS, "Approve")
    await expect(post_of(berta, ROLLS)).to_contain_text(berta.say("Approved"))
    await said(berta, SOUP, "Ask for changes", "Tomato, without an e.")
    if berta.way.killed:
        await day.accident()
        await berta.page.goto(link)
        if not await post_of(berta, SOUP).get_by_text(berta.say("Changes requested")).count():
            await said(berta, SOUP, "Ask for changes", "Tomato, without an e.")
    await expect(post_of(berta, SOUP)).to_contain_text(berta.say("Changes requested"))


def post_of(berta: Hand, text: str) -> Locator:
    return berta.main.get_by_role("article").filter(has_text=text)


async def said(berta: Hand, text: str, button: str, note: str = "") -> None:
    post = post_of(berta, text)
    await berta.enter("Your name", "Berta Baker", post)
    if note:
        await berta.enter("A note to the team", note, post)
    await berta.press(button, post)


async def mends(cem: Hand) -> None:
    """What is to be changed stands on home."""
    await cem.go("Home")
    await cem.touch(cem.page.get_by_role("link", name=f"{cem.say('Look')} {SOUP}"))
    await expect(cem.main).to_contain_text("Tomato, without an e.")
    await cem.follow("Edit")
    await cem.enter("Text", SOUP_MENDED)
    await asks(cem)


async def agrees(berta: Hand) -> None:
    await berta.page.reload()
    await said(berta, SOUP_MENDED, "Approve")
    await expect(post_of(berta, SOUP_MENDED)).to_contain_text(berta.say("Approved"))


async def plans(nora: Hand) -> None:
    """A place in the calendar becomes a post, which is then moved by a day."""
    first, then = in_days(1), in_days(2)
    await looks_at_weeks(nora)
    await nora.begins_at(1)
    await nora.choose("Client", "City Bikes")
    await nora.enter("Text", RIDE)
    await nora.press("Schedule")
    await nora.sees("Scheduled.")
    await looks_at_weeks(nora)
    await nora.touch(nora.main.get_by_role("button", name=RIDE))
    field = nora.dialog.get_by_label(nora.say("Move to…"))
    wall = await field.input_value()
    assert wall.startswith(first)
    await nora.at(field, wall.replace(first, then))
    await nora.press("Move", nora.dialog)
    await expect(nora.day(2)).to_contain_text(RIDE)


async def looks_at_weeks(nora: Hand) -> None:
    """On a phone the calendar shows at first only days with posts."""
    await nora.go("Calendar")
    if nora.way.phone:
        await nora.press("5 weeks", nora.main)


async def imports(day: Day, nora: Hand) -> None:
    """Two of thirty rows have no time that can be read; they are fixed where they stand."""
    await nora.go("Posts")
    await nora.follow("Import")
    dates = [f"{in_days(7 + number)} 09:00" for number in range(len(ROWS))]
    wrong = {1: in_days(8), 3: "1 April"}
    rows = [f'"{text}",{wrong.get(number, date)}' for number, (text, date) in enumerate(zip(ROWS, dates, strict=True))]
    table = "\n".join(["text,date", *rows]).encode()
    await nora.give("Choose a CSV file", {"name": "bikes.csv", "mimeType": "text/csv", "buffer": table})
    await nora.choose("Client", "City Bikes", nora.main)
    await nora.tick("X", nora.main)
    await nora.press("Check the rows")
    await nora.sees("{n} rows have to be fixed.", n="2")
    for number in wrong:
        row = nora.main.get_by_label(nora.say("Row of line {line}", line=str(number + 2)))
        await nora.enter("Date, perhaps with the time", dates[number], row)
    await nora.touch(nora.main.get_by_role("button", name=nora.say("Create {n} posts", n="30")))
    await nora.sees("{n} posts were created.", n="30")


async def looks(nora: Hand) -> None:
    """What went out, and where."""
    await nora.go("Posts")
    await nora.choose("State", nora.say("Published"), nora.main)
    await expect(nora.main.get_by_role("table").get_by_role("row")).to_have_count(4)
    await nora.touch(nora.main.get_by_role("link", name=ROLLS, exact=True))
