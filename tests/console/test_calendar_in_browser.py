"""The calendar in a real browser: what stands where, moved by mouse, by keyboard and by dialog, and put back."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from playwright.async_api import Page, expect
from tests.console import coming
from tests.console.browser import OpenPage, violations
from tests.console.coming import BERLIN
from tests.console.pages import settled
from tests.console.world import picture
from tests.helpers.service_process import Api

pytestmark = pytest.mark.xdist_group("browser-posts")


@pytest.fixture(scope="module")
async def planned(owned: Api) -> dict[str, Any]:
    """A profile in Berlin with an account, a queue of one slot a day, and a function that schedules posts."""
    profile = await owned.post("/profiles", json={"name": "Calendar", "timezone": BERLIN})
    connect = {"profileId": profile["id"], "fields": {"username": "planner"}}
    account = await owned.post("/platforms/sandbox/connect", json=connect)
    return {"profile": profile["id"], "account": account["id"]}


async def schedule(owned: Api, planned: dict[str, Any], text: str, at: str, **fields: Any) -> Any:
    targets = [{"accountId": planned["account"]}]
    body = {"profileId": planned["profile"], "targets": targets, "text": text, "scheduledAt": at, "timezone": BERLIN}
    return await owned.post("/posts", json=body | fields)


async def show(page: Page, planned: dict[str, Any], view: str, date: str) -> None:
    await page.goto(f"/console/calendar?view={view}&date={date}&profileId={planned['profile']}")
    await loaded(page)


async def loaded(page: Page) -> None:
    """Wait until the days that are shown have come: the keys work by then, too."""
    await expect(page.locator(".calendar-grid, .agenda, .empty").first).to_be_visible()
    await expect(page.locator(".spinner, .skeleton")).to_have_count(0)


def cell(page: Page, wall: str) -> Any:
    return page.locator(f'[data-wall="{wall}"]')


async def test_a_post_is_dragged_to_another_day_and_back(
    console: OpenPage, owned: Api, planned: dict[str, Any]
) -> None:
    """Its wall time stays, over a change of clocks too: 09:30 in summer is 07:30 UTC, in winter 08:30."""
    then = coming.change_of_clocks()
    first = then - timedelta(days=2)
    post = await schedule(owned, planned, "Dragged", f"{first}T09:30")
    async with console(locale="en-GB", viewport={"width": 1280, "height": 1400}) as page:
        await show(page, planned, "month", f"{then}")
        entry = page.get_by_role("button", name="Dragged")
        await entry.drag_to(cell(page, f"{then}T09:00"))
        await page.get_by_text(f"Moved to {coming.short(then)} {then.year}, 09:30.").wait_for()
        await expect(cell(page, f"{then}T09:00")).to_contain_text("Dragged")
        assert (await owned.get(f"/posts/{post['id']}"))["scheduledAt"] == coming.instant(f"{then}T09:30")

        await page.get_by_role("button", name="Undo").click()
        await page.get_by_text("Moved back.").wait_for()
        await expect(cell(page, f"{first}T09:00")).to_contain_text("Dragged")
        assert (await owned.get(f"/posts/{post['id']}"))["scheduledAt"] == coming.instant(f"{first}T09:30")


async def test_a_draft_that_is_dragged_stays_a_draft(console: OpenPage, owned: Api, planned: dict[str, Any]) -> None:
    first, then = coming.day(6, 14), coming.day(6, 15)
    post = await schedule(owned, planned, "Unfinished", f"{first}T09:30", publishMode="draft")
    async with console(locale="en-GB", viewport={"width": 1280, "height": 1400}) as page:
        await show(page, planned, "month", f"{first}")
        await page.get_by_role("button", name="Unfinished").drag_to(cell(page, f"{then}T09:00"))
        await page.get_by_text(f"Moved to {coming.short(then)} {then.year}, 09:30.").wait_for()
    stored = await owned.get(f"/posts/{post['id']}")
    assert (stored["status"], stored["scheduledAt"]) == ("draft", coming.instant(f"{then}T09:30"))


async def test_a_post_is_moved_by_keyboard_alone(console: OpenPage, owned: Api, planned: dict[str, Any]) -> None:
    """Also one that repeats; a time that does not exist is named, at the field; the focus follows the post."""
    monthly = {"rrule": "FREQ=MONTHLY", "count": 3}
    first, then = coming.weekday(3, 0), coming.weekday(3, 0) + timedelta(days=1)
    hours = 11 - int(coming.instant(f"{then}T11:00")[11:13])
    await schedule(owned, planned, "Typed", f"{first}T10:00", recurrence=monthly)
    async with console(locale="en-GB") as page:
        await show(page, planned, "week", f"{first}")
        await expect(page.get_by_role("button", name="Typed").get_by_label("Repeats")).to_be_visible()
        await page.get_by_role("button", name="Typed").focus()
        await page.keyboard.press("Enter")
        dialog = page.get_by_role("dialog", name=f"Post of Mon {coming.short(first)}")
        await expect(dialog).to_contain_text("Repeats")
        field = dialog.get_by_label("Move to…")
        await field.fill(f"{coming.change_of_clocks(3)}T02:30")
        await expect(dialog).to_contain_text("This time does not exist: the clocks go forward. 03:30 is taken.")
        await field.blur()
        await field.focus()
        await page.keyboard.type("01022034")  # the year is 2 and 20 and 203 meanwhile
        await expect(field).to_have_value("2034-01-02T02:30")
        await field.fill(f"{then}T11:00")
        await expect(dialog).to_contain_text(f"Berlin, UTC+{hours}")
        await page.keyboard.press("Enter")
        await page.get_by_text(f"Moved to {coming.short(then)} {then.year}, 11:00.").wait_for()
        await expect(cell(page, f"{then}T11:00").get_by_role("button", name="Typed")).to_be_focused()


async def test_a_refused_move_goes_back_and_says_why(console: OpenPage, owned: Api, planned: dict[str, Any]) -> None:
    first, then = (f"{coming.day(2, number)}T09:00" for number in (10, 12))
    await schedule(owned, planned, "Stays", first)
    async with console(locale="en-GB", expected={409}, viewport={"width": 1280, "height": 1400}) as page:

        async def refuse(route: Any) -> None:
            if route.request.method != "PATCH":
                return await route.continue_()
            await expect(cell(page, then)).to_contain_text("Stays")  # at once, before the answer
            return await route.fulfill(status=409, json={"code": "invalid_state", "detail": "It is being published."})

        await page.route("**/api/v1/posts/pst_*", refuse)
        await show(page, planned, "month", f"{coming.day(2, 1)}")
        await page.get_by_role("button", name="Stays").drag_to(cell(page, then))
        await page.get_by_text("It is being published.").wait_for()
        await expect(cell(page, first)).to_contain_text("Stays")
        await expect(cell(page, then)).not_to_contain_text("Stays")


async def test_an_empty_place_or_slot_begins_a_post_at_its_time(
    console: OpenPage, owned: Api, planned: dict[str, Any]
) -> None:
    slots = [{"time": "08:15", "days": [0, 1, 2, 3, 4, 5, 6]}]
    body = {"profileId": planned["profile"], "name": "Daily", "slots": slots, "timezone": BERLIN}
    queue = await owned.post("/queues", json=body)
    first, then = coming.weekday(2, 2), coming.weekday(2, 2) + timedelta(days=1)
    async with console(locale="en-GB") as page:
        await show(page, planned, "week", f"{first}")
        await cell(page, f"{then}T08:00").get_by_role("link", name="Daily").click()
        await expect(page.get_by_label("Date and time")).to_have_value(f"{then}T08:15")

        await page.go_back()
        await cell(page, f"{first}T12:00").click()
        await expect(page.get_by_label("Date and time")).to_have_value(f"{first}T12:00")
        await expect(page.get_by_label("Time zone")).to_have_value(BERLIN)
        await expect(page.get_by_label("Client", exact=True)).to_have_value(planned["profile"])
    await owned.call("DELETE", f"/queues/{queue['id']}")


async def test_good_hours_are_offered_until_a_post_stands_there(
    console: OpenPage, owned: Api, planned: dict[str, Any]
) -> None:
    """In a week that is all to come: those that the service recommends, and of a day in the month the best one."""
    monday = coming.weekday(5, 0)
    query = {"profileId": planned["profile"], "timezone": BERLIN}
    best = (await owned.get("/analytics/best-times", params=query))["recommended"]
    walls = [f"{monday + timedelta(days=each['dayOfWeek'])}T{each['hour']:02}:00" for each in best]
    first_of_days = {wall[:10]: wall for wall in reversed(walls)}
    async with console(locale="en-GB") as page:
        await show(page, planned, "week", f"{monday}")
        hints = page.get_by_role("link", name="Usually a good hour")
        await expect(hints).to_have_count(len(walls))
        for wall in walls:
            await expect(cell(page, wall).locator(hints)).to_contain_text(wall[11:])
        await show(page, planned, "weeks", f"{monday}")
        for date, wall in first_of_days.items():
            await expect(cell(page, f"{date}T09:00").locator(hints)).to_contain_text(wall[11:])
        await cell(page, f"{walls[0][:10]}T09:00").locator(hints).click()
        await expect(page.get_by_label("Date and time")).to_have_value(walls[0])
        await expect(page.get_by_label("Client", exact=True)).to_have_value(planned["profile"])

        await schedule(owned, planned, "At the best hour", walls[0])
        await show(page, planned, "week", f"{monday}")
        await expect(hints).to_have_count(len(walls) - 1)
        await expect(cell(page, walls[0])).to_contain_text("At the best hour")
        await expect(cell(page, walls[0]).locator(hints)).to_have_count(0)


async def test_keys_lead_through_days_and_views(console: OpenPage, axe: str, planned: dict[str, Any]) -> None:
    last = next(
        coming.day(months, 31) for months in (8, 9, 10) if coming.day(months, 1).month in (1, 3, 5, 7, 8, 10, 12)
    )
    walls = [last - timedelta(days=days) for days in (1, 8, 7)]
    async with console(locale="en-GB") as page:
        await show(page, planned, "month", f"{last}")
        for key, address in (
            ("5", "view=weeks"),
            ("w", "view=week"),
            ("d", "view=day"),
            ("l", "view=list"),
            ("m", "view=month"),
        ):
            await page.keyboard.press(key)
            await page.wait_for_url(f"**{address}*")
            await settled(page)
            await loaded(page)
            assert await violations(page, axe) == [], address
        await cell(page, f"{last}T09:00").focus()
        for key, wall in zip(("ArrowLeft", "ArrowUp", "ArrowRight"), walls, strict=True):
            await page.keyboard.press(key)
            await expect(cell(page, f"{wall}T09:00")).to_be_focused()
        await page.keyboard.press("n")
        await expect(page.get_by_label("Date and time")).to_have_value(f"{walls[-1]}T09:00")
        await page.go_back()
        await expect(page.get_by_role("heading", name=f"{last:%B %Y}")).to_be_visible()
        await loaded(page)
        await page.keyboard.press("ArrowRight")
        following = last + timedelta(days=1)
        await expect(page.get_by_role("heading", name=f"{following:%B %Y}")).to_be_visible()
        await page.keyboard.press("t")
        await expect(page.locator(".calendar-grid .today")).to_be_visible()


@pytest.mark.parametrize(("date", "hours", "word"), [("2026-10-25", 25, "25 hours"), ("2027-03-28", 23, "23 hours")])
async def test_a_day_on_which_clocks_change_has_all_its_hours(
    console: OpenPage, planned: dict[str, Any], date: str, hours: int, word: str
) -> None:
    """Whatever the zone of the browser is."""
    async with console(locale="en-GB", timezone_id="America/Los_Angeles") as page:
        await show(page, planned, "day", date)
        rows = page.get_by_role("rowheader")
        await expect(rows).to_have_count(hours)
        assert [text.count("02:00") for text in await rows.all_inner_texts()].count(1) == (2 if hours == 25 else 0)
        await expect(page.get_by_role("main")).to_contain_text(word)


async def test_a_full_day_says_how_many_more_there_are(console: OpenPage, owned: Api, planned: dict[str, Any]) -> None:
    """Of ten thousand posts only a few of each day are asked for: what the service says is shown as it is."""
    full_day = coming.day(11, 15)
    post = await schedule(owned, planned, "One of many", f"{full_day}T10:00")
    async with console(locale="en-GB", viewport={"width": 1280, "height": 1400}) as page:

        async def full(route: Any) -> None:
            answer = await route.fetch()
            found = await answer.json()
            for day in found["days"]:
                day["posts"] = (
                    [{**post, "id": f"{post['id']}{n}{day['date']}"} for n in range(4)] if day["total"] else []
                )
                day["total"] = 10_000 if day["total"] else 0
            await route.fulfill(response=answer, json=found)

        await page.route(re.compile(r"/posts/calendar\?"), full)
        await show(page, planned, "month", f"{full_day}")
        await page.get_by_role("button", name="+9,997 more").click()
        await page.wait_for_url(f"**view=day*date={full_day}*")
        await page.unroute_all(behavior="wait")


async def test_on_a_phone_it_is_a_list(console: OpenPage, owned: Api, planned: dict[str, Any]) -> None:
    then = coming.day(7, 15)
    await schedule(owned, planned, "In the pocket", f"{then}T10:00")
    async with console(locale="en-GB", viewport={"width": 360, "height": 800}) as page:
        await show(page, planned, "month", f"{then}")
        region = page.get_by_role("region", name=f"{then:%A} 15 {then:%B}")
        await region.get_by_role("button", name="In the pocket").click()
        await page.get_by_role("dialog").get_by_label("Move to…").wait_for()
        assert await page.evaluate("document.documentElement.scrollWidth") <= 360


async def test_five_weeks_from_this_one_show_client_and_picture(
    console: OpenPage, owned: Api, planned: dict[str, Any]
) -> None:
    """The pictures of the newest files come by one request."""
    for number in (1, 2):
        file = {"file": (f"{number}.png", picture(number), "image/png")}
        media = await owned.post("/media/upload", files=file, data={"profileId": planned["profile"]})
        at = (datetime.now(UTC) + timedelta(days=7 + number)).isoformat()
        await schedule(owned, planned, f"Pictured {number}", at, media=[{"mediaId": media["id"]}])
    asked = []
    async with console(locale="en-GB", viewport={"width": 1280, "height": 1400}) as page:
        page.on("request", lambda request: asked.append(request.url) if "/api/v1/media" in request.url else None)
        await page.goto(f"/console/calendar?profileId={planned['profile']}")
        await loaded(page)
        cells = page.locator("[data-wall]")
        await expect(cells).to_have_count(35)
        today = datetime.now(ZoneInfo(BERLIN)).date()
        monday = today - timedelta(days=today.weekday())
        await expect(cells.first).to_have_attribute("data-wall", f"{monday}T09:00")
        entries = page.locator(".entry").filter(has_text="Pictured")
        await expect(entries.locator("img")).to_have_count(2)
        await expect(entries.locator(".entry-edge")).to_have_count(2)
        await page.keyboard.press("w")
        await page.wait_for_url("**view=week*")
        await loaded(page)
        hour = datetime.now(ZoneInfo(BERLIN)).hour
        await expect(page.locator(f'[data-hour="{max(hour - 1, 0)}"]')).to_be_in_viewport()
    assert len([url for url in asked if "/media?" in url]) == 1
    assert not [url for url in asked if re.search(r"/media/med_\w+$", url)]


async def test_drafts_are_given_a_time_by_mouse_or_keyboard_and_scheduled_only_on_demand(
    console: OpenPage, owned: Api, planned: dict[str, Any], axe: str
) -> None:
    body = {"profileId": planned["profile"], "targets": [{"accountId": planned["account"]}], "draft": True}
    posts = [await owned.post("/posts", json=body | {"text": f"Idea {name}"}) for name in ("one", "two", "three")]
    first, then = coming.day(4, 10), coming.day(4, 12)
    async with console(locale="en-GB", viewport={"width": 1280, "height": 1400}) as page:
        await show(page, planned, "list", "")
        begun = page.get_by_role("main").get_by_role("button", name="Idea one")
        await expect(begun).to_contain_text("no time yet: Idea one")
        await expect(begun.locator(".entry-time")).to_have_count(0)
        await begun.click()
        await expect(page.get_by_role("dialog")).to_have_accessible_name("Draft without a time")
        await page.keyboard.press("Escape")
        await show(page, planned, "month", f"{first}")
        await page.get_by_role("button", name="Drafts").click()
        drawer = page.get_by_role("region", name="Drafts without a time")
        await drawer.get_by_role("button", name="Idea one").drag_to(cell(page, f"{first}T09:00"))
        await page.get_by_text(f"Moved to {coming.short(first)} {first.year}, 09:00.").wait_for()
        await expect(cell(page, f"{first}T09:00")).to_contain_text("Idea one")
        await expect(drawer.get_by_role("button", name="Idea one")).to_have_count(0)
        assert await violations(page, axe) == []
        for name, is_scheduled in (("two", False), ("three", True)):
            await drawer.get_by_role("button", name=f"Idea {name}").focus()
            await page.keyboard.press("Enter")
            dialog = page.get_by_role("dialog")
            await dialog.get_by_label("Move to…").fill(f"{then}T10:00")
            if is_scheduled:
                await dialog.get_by_label("Schedule it for this time").press("Space")
            await dialog.get_by_role("button", name="Move", exact=True).press("Enter")
            said = "Scheduled for" if is_scheduled else "Moved to"
            await page.get_by_text(f"{said} {coming.short(then)} {then.year}, 10:00.").wait_for()
    stored = [await owned.get(f"/posts/{post['id']}") for post in posts]
    assert [(post["status"], post["scheduledAt"]) for post in stored] == [
        ("draft", coming.instant(f"{first}T09:00")),
        ("draft", coming.instant(f"{then}T10:00")),
        ("scheduled", coming.instant(f"{then}T10:00")),
    ]


PRINTED = "window.print = () => document.body.setAttribute('data-printed', document.querySelector('main').innerText)"
"""What the page shows at the moment of printing."""


async def test_a_month_of_a_client_is_printed_with_all_its_posts(
    console: OpenPage, owned: Api, planned: dict[str, Any]
) -> None:
    of = coming.day(5, 15)
    for number in range(6):
        await schedule(owned, planned, f"Printed {number}", f"{of}T1{number}:00")
    async with console(locale="en-GB", viewport={"width": 1280, "height": 1400}) as page:
        await page.add_init_script(PRINTED)
        await show(page, planned, "month", f"{of}")
        await expect(page.get_by_role("button", name="+3 more")).to_be_visible()
        await page.emulate_media(media="print")
        await page.evaluate("document.querySelector('.calendar-bar .button:last-of-type').click()")
        printed = await page.locator("body[data-printed]").get_attribute("data-printed") or ""
        assert [f"Printed {number}" in printed for number in range(6)] == [True] * 6
        assert "Calendar · " in printed
        assert f"{of:%B %Y}" in printed
        await expect(page.get_by_role("navigation")).to_have_count(0)
