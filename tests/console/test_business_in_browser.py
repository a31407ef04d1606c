"""Numbers, plans, support and administration in a real browser: what people do there, by mouse and by keyboard."""

import asyncio
import csv
import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import asyncpg
import httpx
import pytest
from playwright.async_api import Locator, Page, expect
from simulator import Simulator
from simulator.stripe import Stripe
from simulator.stripe.api import SECRET_KEY, WEBHOOK_SECRET
from tests.console import world
from tests.console.browser import OpenPage, sign_in, violations
from tests.console.pages import visit
from tests.helpers.service_process import Api, Service, installed

from signalpost.embedded_postgres.start import start_postgres
from signalpost.kit import ids

pytestmark = pytest.mark.xdist_group("browser-services")
PHONE = {"width": 360, "height": 740}
TITLE = '=Measured "bread", warm'
_SORTED_LIKES = """() => {
  const likes = [...document.querySelectorAll("td[data-label=Likes]")].map(({ innerText }) => innerText);
  const order = likes.map((text) => (text === "not given" ? -1 : Number(text.replaceAll(",", ""))));
  return likes.length > 0 && order.every((value, at) => at === 0 || value <= order[at - 1]);
}"""
"""Whether the most liked are first, and those are last of which nobody knows."""


@pytest.fixture(scope="module")
async def staff(owned: Api) -> Api:
    """The owner, signed in, who administers the installation as well."""
    done = await owned.service.command("staff", "add", "--email", "owner@example.test")
    assert done.returncode == 0, done.stderr
    signed_in = await owned.post(
        "/auth/login", json={"email": "owner@example.test", "password": "correct horse battery"}
    )
    profile = await owned.post("/profiles", json={"name": "Business"})  # others find their accounts as they were
    return Api(owned.service, {"profileId": profile["id"], "apiKey": signed_in["accessToken"]})


@pytest.fixture(scope="module")
async def measured(staff: Api) -> Any:
    """A published post of which the sandbox has given numbers."""
    account = await staff.connect("sandbox", username="counter")
    body = {"profileId": staff.profile, "targets": [{"accountId": account["id"]}], "title": TITLE}
    post = await staff.ends(await staff.post("/posts", json=body | {"text": "Measured bread"}))
    await staff.post("/admin/sync-metrics", json={"postIds": [post["id"]], "force": True})

    async def has_numbers() -> bool:
        found = await staff.get(f"/analytics/posts/{post['id']}")
        return bool(found["metrics"] and found["metrics"][0]["source"] == "platform")

    await staff.service.until(has_numbers, "numbers of a post")
    return post


async def test_numbers_are_compared_looked_up_and_taken_along(
    console: OpenPage, measured: Any, staff: Api, tmp_path: Path
) -> None:
    """By keyboard to the page and along the days; the picture says what the API says, and unknown is not zero."""
    overview = await staff.get("/analytics/overview")
    numbers = (await staff.get(f"/analytics/posts/{measured['id']}"))["metrics"][0]
    async with console(accept_downloads=True) as page:
        await page.goto("/console")
        await page.get_by_role("heading", name="Home").wait_for()
        await page.keyboard.press("g")
        await page.keyboard.press("n")
        await page.get_by_role("heading", name="Analytics").wait_for()
        figure = page.locator(".figures div")
        await expect(figure.filter(has_text="Views")).to_contain_text(f"{overview['totalViews']:,}")
        assert overview["totalSaves"] is None
        await expect(figure.filter(has_text="Saves")).to_contain_text("not given")

        days = page.get_by_role("slider", name="Views by day of publishing")
        await days.focus()
        await page.keyboard.press("ArrowLeft")
        trend = overview["dailyTrend"]
        await expect(days).to_have_attribute("aria-valuenow", str(len(trend) - 2))
        await page.keyboard.press("End")
        last = re.compile(re.escape(f": {trend[-1]['views']:,} ·"))
        await expect(days).to_have_attribute("aria-valuetext", last)

        async with page.expect_download() as started:
            await page.get_by_role("button", name="CSV, for spreadsheets").click()
        file = tmp_path / (await started.value).suggested_filename
        await (await started.value).save_as(file)
        rows = list(csv.DictReader(file.read_text(encoding="utf-8-sig").splitlines()))
        assert file.suffix == ".csv"
        assert measured["id"] in str(rows)

        await page.get_by_role("table", name="Most seen").get_by_role("link", name=TITLE).click()
        await page.get_by_role("heading", name=re.compile("counter")).wait_for()
        await expect(page.locator(".figures div").filter(has_text="Likes")).to_contain_text(f"{numbers['likes']:,}")

        await page.goto("/console/analytics/posts?days=7")
        await page.get_by_label("Sorted by").select_option("-likes")
        await page.wait_for_url("**sort=-likes")
        row = page.get_by_role("table", name="Posts").get_by_role("row").filter(has_text=TITLE)
        await expect(row.get_by_role("cell", name=f"{numbers['likes']:,}", exact=True).first).to_be_visible()
        await page.wait_for_function(_SORTED_LIKES)


async def test_a_month_of_a_client_is_handed_over_on_paper(
    console: OpenPage, measured: Any, staff: Api, axe: str
) -> None:
    """The report has the numbers that the API has, and paper shows the report and nothing around it."""
    zone = (await staff.get(f"/profiles/{staff.profile}"))["timezone"]
    month = datetime.fromisoformat(measured["publishedAt"]).astimezone(ZoneInfo(zone))
    numbers = (await staff.get(f"/analytics/posts/{measured['id']}"))["metrics"][0]
    async with console(locale="en-GB") as page:
        await visit(page, f"/console/analytics/report?profileId={staff.profile}&month={month:%Y-%m}")
        report = page.get_by_role("article", name="Business")
        await expect(report).to_contain_text(f"{month:%B %Y}")
        await expect(report).to_contain_text("The month is not over")
        await expect(report.locator(".figures div").filter(has_text="Views")).to_contain_text(f"{numbers['views']:,}")
        await expect(report.locator(".figures div").filter(has_text="Saves")).to_contain_text("not given")
        posts = report.get_by_role("table", name="Everything that was published").get_by_role("row")
        await expect(posts).to_have_count(2)
        await expect(posts.last).to_contain_text(TITLE)
        await expect(report.get_by_role("list").get_by_role("link", name=TITLE)).to_be_visible()
        assert await violations(page, axe) == []

        pages = re.findall(rb"/MediaBox ?\[0 0 (\d+)[.\d]* (\d+)", await page.pdf(prefer_css_page_size=True))
        assert set(pages) == {(b"594", b"841")}, pages  # A4, upright
        await page.emulate_media(media="print")
        await expect(report).to_be_visible()
        await expect(page.get_by_role("button", name="Print or save as PDF")).to_be_hidden()
        await expect(page.get_by_role("navigation")).to_have_count(0)
        await page.emulate_media(media="screen")

        await page.get_by_label("Month", exact=True).select_option(index=12)
        await expect(report).to_contain_text("Nothing was published in this month")


async def test_reports_are_shared_by_a_link_and_its_end_ends_it(
    console: OpenPage, measured: Any, staff: Api, axe: str
) -> None:
    async with console(locale="en-GB") as page:
        await visit(page, f"/console/analytics/report?profileId={staff.profile}")
        await page.get_by_role("button", name="Share by link").click()
        dialog = page.get_by_role("dialog")
        await dialog.get_by_label("Mail the link each month to").fill("maria@example.test")
        assert await violations(page, axe) == []
        await dialog.get_by_role("button", name="Make the link").click()
        await expect(dialog).to_contain_text("maria@example.test is mailed the link")
        url = await dialog.locator("pre").inner_text()
        assert await violations(page, axe) == []
        await dialog.get_by_role("button", name="Done").click()

        await page.get_by_role("button", name="Share by link").click()
        item = dialog.get_by_role("listitem").filter(has_text="maria@example.test")
        async with httpx.AsyncClient() as reader:
            assert (await reader.get(url)).status_code == 200
            await item.get_by_role("button", name="Delete").click()
            await expect(item).to_have_count(0)
            assert (await reader.get(url)).status_code == 404


async def test_a_client_reads_the_report_by_a_link_without_a_login(
    open_page: OpenPage, measured: Any, staff: Api, axe: str
) -> None:
    """On a phone, without scripts, in the language of the link; on A4; and whoever is mailed it ends that."""
    zone = (await staff.get(f"/profiles/{staff.profile}"))["timezone"]
    month = datetime.fromisoformat(measured["publishedAt"]).astimezone(ZoneInfo(zone))
    views = (await staff.get(f"/analytics/posts/{measured['id']}"))["metrics"][0]["views"]
    body = {"profileId": staff.profile, "language": "de", "email": "maria@example.test"}
    url = (await staff.post("/report-links", json=body))["url"]
    async with open_page(at=staff.service, viewport=PHONE, java_script_enabled=False) as page:
        await page.goto(f"{url}?month={month:%Y-%m}")
        await expect(page.get_by_role("heading", level=1)).to_have_text("Business")
        await expect(page.locator("html")).to_have_attribute("lang", "de")
        await expect(page.get_by_text("Der Monat ist noch nicht vorbei")).to_be_visible()
        figure = page.locator(".figures div").filter(has_text="Aufrufe")
        await expect(figure).to_contain_text(f"{views:,}".replace(",", "."))
        await expect(page.get_by_role("row").filter(has_text=TITLE)).to_have_count(1)
        assert (await page.evaluate("document.documentElement.scrollWidth")) <= PHONE["width"]
        await page.get_by_label("Monat").select_option(index=12)
        await page.get_by_role("button", name="Zeigen").click()
        await expect(page.get_by_text("In diesem Monat wurde nichts veröffentlicht.")).to_be_visible()

    async with open_page(at=staff.service) as page:
        await page.goto(f"{url}?month={month:%Y-%m}")
        assert await violations(page, axe) == []
        pages = re.findall(rb"/MediaBox ?\[0 0 (\d+)[.\d]* (\d+)", await page.pdf(prefer_css_page_size=True))
        assert set(pages) == {(b"594", b"841")}, pages  # A4, upright
        await page.goto(f"{url}/unsubscribe")
        await page.get_by_role("button", name="Unsubscribe").click()
        await expect(page.get_by_role("heading", name="You are unsubscribed")).to_be_visible()
    listed = await staff.get("/report-links")
    assert [row["email"] for row in listed["data"]] == [None]


async def test_hours_without_enough_posts_have_no_colour(console: OpenPage, measured: Any) -> None:
    async with console() as page:
        await page.goto("/console/analytics/times")
        await page.get_by_text("Not enough data").first.wait_for()
        week = page.get_by_role("table", name="The week, hour by hour")
        await expect(week.locator("td")).to_have_count(168)
        await expect(week.locator("[class^=heat]")).to_have_count(0)
        assert await week.get_by_text(re.compile(r": \d+ posts? ·")).count() == 168


class Shop(NamedTuple):
    """A service that sells plans, and the Stripe of the simulator that takes the payments."""

    api: Api
    stripe: Stripe
    url: str


@pytest.fixture(scope="module")
async def shop() -> AsyncIterator[Shop]:
    settings = {"SIGNALPOST_BILLING_ENABLED": "true", "SIGNALPOST_BILLING_TRIAL_DAYS": "14"}
    keys = {"SIGNALPOST_STRIPE_SECRET_KEY": SECRET_KEY, "SIGNALPOST_STRIPE_WEBHOOK_SECRET": WEBHOOK_SECRET}
    async with Simulator([Stripe]) as bank:
        address = bank.url("stripe")
        async with installed(**settings, **keys, SIGNALPOST_STRIPE_BASE_URL=address) as found:
            await found.start(SIGNALPOST_TRUSTED_PROXIES="1")
            api = await found.owner()
            done = await found.command("billing", "sync")
            assert done.returncode == 0, done.stderr
            stripe = bank.world.networks["stripe"]
            assert isinstance(stripe, Stripe)
            stripe.notify(f"{found.base_url}/api/v1/billing/webhook", WEBHOOK_SECRET)
            yield Shop(api, stripe, address)


async def test_a_plan_is_bought_changed_cancelled_and_continued(open_page: OpenPage, shop: Shop) -> None:
    """What the page shows is what the API says: a plan is in force once it is paid, whether or not a notice arrived."""
    service = shop.api.service
    state = await sign_in(service)
    async with open_page(at=service, hosts=(shop.url,), storage_state=state) as page:
        await page.goto("/console/billing")
        mine = page.get_by_role("region", name="Your plan")
        await expect(mine).to_contain_text("Free")
        await expect(page.get_by_role("listitem").filter(has_text="API keys")).to_contain_text("used up")
        await page.get_by_role("button", name="Upgrade to Starter").click()
        await page.get_by_role("button", name="Go to the payment").click()
        await page.get_by_role("button", name="Subscribe").click()

        await page.wait_for_url("**/console/billing/paid")
        await page.get_by_text("Thank you. The plan is in force.").wait_for()
        trial = re.compile(r"The trial ends on .*Starter · \$9 a month", re.DOTALL)
        await expect(mine).to_contain_text(trial)
        assert set(await shop.stripe.outbox.deliver()) == {201}
        await page.reload()
        await expect(mine).to_contain_text(trial)
        await follow_payments(page, shop, mine)
        await expect(mine).to_contain_text(re.compile(r"Starter · \$9 a month.*Next payment on .*Visa", re.DOTALL))

        await page.get_by_role("button", name="Upgrade to Pro").click()
        await page.get_by_role("button", name="Change the plan").click()
        await page.get_by_text("The plan Pro is in force.").wait_for()
        await page.get_by_role("button", name="Change to Starter").click()
        await page.get_by_role("button", name="Change the plan").click()
        await expect(mine).to_contain_text("the plan becomes Starter")
        await mine.get_by_role("button", name="Keep the current one").click()
        await expect(mine).not_to_contain_text("the plan becomes Starter")

        await page.get_by_role("button", name="Cancel the subscription").focus()
        await page.keyboard.press("Enter")
        dialog = page.get_by_role("dialog", name="Cancel the subscription")
        await dialog.get_by_label("Why?").select_option("too_expensive")
        await dialog.get_by_label("In your own words").fill("It is for a bakery.")
        await dialog.get_by_role("button", name="Cancel the subscription").click()
        await expect(mine).to_contain_text("is cancelled and ends on")
        assert (await shop.api.get("/billing/status"))["status"] == "cancelled"
        await mine.get_by_role("button", name="Continue it").click()
        await expect(mine).to_contain_text("Next payment on")

    said = await service.command("feedback", "list")
    assert "It is for a bakery." in said.stdout


async def follow_payments(page: Page, shop: Shop, mine: Locator) -> None:
    """A payment fails, and another one succeeds."""
    states = {"past_due": "A payment failed. The plan stays in force until", "active": "Next payment on"}
    for status, words in states.items():
        shop.stripe.life.set_status(shop.stripe.of_kind("subscription")[0], status)
        assert set(await shop.stripe.outbox.deliver()) == {201}
        await page.goto("/console/billing")
        await expect(mine).to_contain_text(words)


async def test_an_installation_without_plans_says_that_nothing_is_limited(console: OpenPage) -> None:
    async with console() as page:
        await page.goto("/console/billing")
        await page.get_by_text("Everything is unlimited.").wait_for()
        await expect(page.get_by_role("listitem").filter(has_text="API keys")).to_contain_text("/ unlimited")
        await expect(page.get_by_role("button", name=re.compile("Upgrade|Cancel"))).to_have_count(0)


async def test_a_ticket_is_opened_with_a_file_and_answered(console: OpenPage, owned: Api, tmp_path: Path) -> None:
    """By keyboard to the form; text stays text, and a file goes with it."""
    async with console() as page:
        await page.goto("/console")
        await page.get_by_role("heading", name="Home").wait_for()
        await page.keyboard.press("g")
        await page.keyboard.press("s")
        await page.get_by_role("button", name="Open a ticket").first.focus()
        await page.keyboard.press("Enter")
        dialog = page.get_by_role("dialog", name="Open a ticket")
        await dialog.get_by_label("Subject").and_(page.locator(":focus")).wait_for()
        await page.keyboard.type("Posts <b>appear</b> late")
        await dialog.get_by_label("What happened?").fill("Since Sunday <script>alert(1)</script>")
        file = tmp_path / "late.png"
        file.write_bytes(world.picture(2))
        await dialog.locator('input[type="file"]').set_input_files(file)
        await dialog.locator(".file").wait_for()
        await dialog.get_by_role("button", name="Send").click()

        await page.wait_for_url(re.compile("/console/support/tkt_"))
        await page.get_by_role("heading", name="Posts <b>appear</b> late").wait_for()
        await page.get_by_role("link", name="late.png").wait_for()
        await page.get_by_label("Message").fill("It works again.")
        await page.keyboard.press("Control+Enter")
        await expect(page.locator(".thread > li")).to_have_count(2)
        ticket = await owned.get(f"/support/{page.url.rpartition('/')[2]}")
        assert [message["body"] for message in ticket["messages"]][1] == "It works again."
        assert ticket["context"]["userAgent"]

        await page.get_by_label("Message").fill("Nearly sent")
        await page.get_by_role("button", name="From the library").click()
        await page.get_by_role("dialog", name="Choose files").get_by_label("Select late.png").check()
        await page.get_by_role("button", name="Add 1 file").click()
        await expect(page.get_by_role("dialog")).to_have_count(0)
        await expect(page.get_by_label("Message")).to_have_value("Nearly sent")  # choosing a file sends nothing


async def test_a_ticket_is_closed_opened_again_and_deleted_by_its_author(open_page: OpenPage, shop: Shop) -> None:
    service = shop.api.service
    ticket = await shop.api.post("/support", json={"subject": "Posts appear late", "body": "Since Sunday."})
    async with open_page(at=service, storage_state=await sign_in(service)) as page:
        await page.goto(f"/console/support/{ticket['id']}")
        await page.get_by_role("button", name="Close it").click()
        await page.get_by_text("It is closed and takes no messages.").wait_for()
        await page.get_by_role("button", name="Open it again").click()
        await page.get_by_label("Message").wait_for()
        await page.get_by_role("button", name="Delete the ticket").click()
        await page.get_by_role("dialog").get_by_role("button", name="Delete").click()
        await page.get_by_text("The ticket is deleted.").wait_for()
        await page.get_by_role("heading", name="Support", exact=True).wait_for()
    assert (await shop.api.get("/support"))["data"] == []


async def test_a_suggestion_is_voted_for_once_and_a_refused_vote_is_taken_back(console: OpenPage, owned: Api) -> None:
    """While a subject is typed, what others asked for is shown: a vote instead of a duplicate."""
    suggestion = {"subject": "Feed of the calendar", "body": "For my phone.", "type": "suggestion"}
    made = await owned.post("/support", json=suggestion)
    async with console(expected={409}) as page:
        await page.goto("/console/support")
        await page.get_by_role("button", name="Open a ticket").first.click()
        await page.get_by_label("Subject").fill("calendar feed")
        vote = page.get_by_role("dialog").get_by_role("button", name="votes for Feed of the calendar")
        before = await vote.get_attribute("aria-pressed")
        assert before == "false"
        await vote.click()
        await expect(vote).to_have_attribute("aria-pressed", "true")
        await expect(vote).to_contain_text("1")
        await page.keyboard.press("Escape")

        await page.goto("/console/support/wishes")  # as it was once called
        await page.wait_for_url(re.compile("/console/support/suggestions$"))
        await expect(page.get_by_role("link", name="Feature requests")).to_have_attribute("aria-current", "page")
        await page.get_by_role("link", name="Tickets").click()
        await page.get_by_role("link", name="Feature requests").click()
        await page.wait_for_url(re.compile("/console/support/suggestions$"))
        # Whoever else made suggestions on this service, it is found.
        await page.get_by_label("Search", exact=True).fill("Feed of the calendar")
        vote = page.get_by_role("button", name="votes for Feed of the calendar")
        await expect(vote).to_have_attribute("aria-pressed", "true")
        refusal = {"code": "invalid_state", "title": "Closed", "detail": "It takes no votes."}
        await page.route(re.compile("/vote$"), lambda route: route.fulfill(status=409, json=refusal))
        await vote.click()
        await page.get_by_text("It takes no votes.").wait_for()
        await expect(vote).to_have_attribute("aria-pressed", "true")
        await expect(vote).to_contain_text("1")
    assert (await owned.get(f"/support/{made['id']}"))["votes"] == 1


async def test_staff_look_at_the_installation_and_change_a_flag_by_keyboard(console: OpenPage, staff: Api) -> None:
    figures = await staff.get("/admin/stats")
    async with console(expected={422}) as page:
        await page.goto("/console")
        await page.get_by_role("heading", name="Home").wait_for()
        await page.keyboard.press("g")
        await page.keyboard.press("i")
        await page.get_by_text("The service works, and its work is done on time.").wait_for()
        await expect(page.get_by_role("main")).to_contain_text(figures["version"])
        await page.get_by_role("button", name="Send a test mail").focus()
        await page.keyboard.press("Enter")
        await page.get_by_role("dialog").get_by_label("E-mail").and_(page.locator(":focus")).wait_for()
        await page.keyboard.press("Enter")
        await page.get_by_role("dialog", name=re.compile("The mail was")).locator("pre").wait_for()
        await page.keyboard.press("Escape")

        await page.get_by_role("link", name="Flags").focus()
        await page.keyboard.press("Enter")
        await page.get_by_role("button", name="Change Console: new pages first").focus()
        await page.keyboard.press("Enter")
        dialog = page.get_by_role("dialog")
        await dialog.get_by_label("Enabled").focus()
        await page.keyboard.press("Space")
        await dialog.get_by_label("Share of the workspaces, in percent").fill("101")
        await page.keyboard.press("Enter")
        await dialog.get_by_role("alert").wait_for()
        await dialog.get_by_label("Share of the workspaces, in percent").fill("25")
        await dialog.get_by_label("pro", exact=True).check()
        await page.keyboard.press("Enter")
        await page.get_by_text("Every process follows within five seconds.").wait_for()
        await expect(page.get_by_role("row").filter(has_text="console.beta")).to_contain_text(
            "25 % of the workspaces · plans: pro"
        )
    flag = await staff.call("PATCH", "/admin/feature-flags/console.beta", json={"enabled": False})
    assert (flag["rolloutPercent"], flag["rules"]["plans"]) == (25, ["pro"])


async def test_staff_find_people_and_set_jobs_off(console: OpenPage, staff: Api) -> None:
    async with console() as page:
        await page.goto("/console/admin/workspaces")
        await page.get_by_role("searchbox").fill("owner@example.test")
        await page.wait_for_url("**q=owner%40example.test")
        await expect(page.get_by_role("table", name="Workspaces")).to_contain_text("owner@example.test")
        await page.goto("/console/admin/users?staff=true")
        await expect(page.get_by_role("table", name="Users").get_by_role("row")).to_have_count(2)  # one is its head
        await page.get_by_role("link", name="Jobs").click()
        await page.get_by_role("heading", name="Kept back for a while").wait_for()
        await page.get_by_role("button", name="Run now: engine.purge").click()
        await page.get_by_text("It runs as soon as a worker is free.").wait_for()


async def without_backups(service: Service) -> None:
    """Let an installation be eight days old, and know of no backup."""
    database = await asyncio.to_thread(start_postgres, service.folder / "data")
    connection = await asyncpg.connect(database.dsn())
    await connection.execute("delete from backup")
    await connection.execute("update instance set created_at = now() - interval '8 days 1 hour'")
    await connection.close()


@pytest.mark.usefixtures("measured")  # repairs are shown where something was posted
async def test_a_backup_that_is_too_old_is_repaired(console: OpenPage, staff: Api, tmp_path: Path) -> None:
    """From the home page by keyboard to the command to type; once typed, the repair is gone."""
    await without_backups(staff.service)
    async with console() as page:
        await page.goto("/console")
        await page.get_by_text("There is no backup of this installation.").first.wait_for()
        await page.get_by_role("link", name="Make a backup").focus()
        await page.keyboard.press("Enter")
        await page.get_by_text("There is no backup, and this installation is 8 days old.").wait_for()
        command = await page.locator(".command pre").inner_text()
        program, *words = command.replace("FILE", str(tmp_path / "night.backup")).split()
        assert program == "signalpost"
        done = await staff.service.command(*words)
        assert done.returncode == 0, done.stderr

        await page.reload()
        await page.get_by_text("The newest backup was made").wait_for()
        guide = page.get_by_role("link", name="How to keep and restore them")
        address = await guide.get_attribute("href")
        await page.goto("/console")
        await page.get_by_role("heading", name="Next 24 hours").wait_for()
        await expect(page.get_by_role("link", name="Make a backup")).to_have_count(0)
        await page.goto(str(address))
        await page.get_by_role("heading", name="Backup", exact=True).wait_for()


async def test_staff_see_what_backups_hold_and_what_runs(console: OpenPage, staff: Api, tmp_path: Path) -> None:
    """One that succeeded and was verified, one that failed, and all versions; in both languages."""
    await without_backups(staff.service)
    command = ("backup", str(tmp_path / "night.backup"))
    for arguments, status in ((command, 0), (("verify", command[1]), 0), (command, 1)):
        assert (await staff.service.command(*arguments)).returncode == status
    system = await staff.get("/admin/system")
    async with console() as page:
        await page.goto("/console/admin/backups")
        row = page.get_by_role("table", name="Backups").get_by_role("row").filter(has_text="night.backup")
        await expect(row.first).to_contain_text(re.compile("Failed.*exists already", re.DOTALL))
        holds = r"Succeeded.*rows: [\d,]+ · files: \d+ · master key"
        await expect(row.last).not_to_contain_text("not verified")
        await expect(row.last).to_contain_text(re.compile(holds, re.DOTALL))
        versions = page.get_by_role("region", name="Versions")
        for version in (system["version"], system["revision"], system["postgresql"], system["python"]):
            await expect(versions).to_contain_text(version)
        machines = page.get_by_role("table", name="Processes that run the engine")
        await expect(machines).to_contain_text(system["processes"][0]["host"])
        await page.goto("/console/admin/backups?lang=de")
        await page.get_by_text("Die neueste Sicherung entstand").wait_for()


async def public_page_says(page: Page, service: Service, text: str) -> None:
    """Wait until the public page says it: all readers see one copy, at most five seconds old."""

    async def says() -> bool:
        await page.goto("/status")
        return text in await page.locator("main").inner_text()

    await service.until(says, f"a status page with {text!r}")


async def test_an_incident_is_declared_followed_and_ended(console: OpenPage, staff: Api) -> None:
    """The public page, which anybody reads, says what staff say; only they are told that there is an administration."""
    async with console() as page:
        await page.goto("/console/admin/status")
        await page.get_by_role("button", name="Declare an incident").click()
        dialog = page.get_by_role("dialog", name="Declare an incident")
        await dialog.get_by_label("Title").fill("Webhooks <b>are</b> delayed")
        await dialog.get_by_label("What is known").fill("We look into it.")
        await dialog.get_by_label("Impact").select_option("major")
        await dialog.get_by_label("Webhooks").check()
        await dialog.get_by_role("button", name="Declare it").click()
        row = page.get_by_role("row").filter(has_text="webhooks")
        await expect(row).to_contain_text("Partly down")

        await page.get_by_role("button", name="Say what is new: Webhooks").click()
        dialog = page.get_by_role("dialog")
        await dialog.get_by_label("State").select_option("resolved")
        await dialog.get_by_label("What is new").fill("A queue was full.")
        await dialog.get_by_role("button", name="Say it").click()
        await expect(row).to_contain_text("Works")
        await expect(page.get_by_role("region", name="Ended within 30 days")).to_contain_text("A queue was full.")
        await public_page_says(page, staff.service, "Webhooks <b>are</b> delayed")


@pytest.mark.usefixtures("staff")
async def test_a_component_is_added_and_changed(console: OpenPage) -> None:
    """By keyboard: added, named again, and set to a state by people; what is refused stands at its field."""
    async with console(expected={422}) as page:
        await page.goto("/console/admin/status")
        await page.get_by_role("button", name="Add a component").focus()
        await page.keyboard.press("Enter")
        dialog = page.get_by_role("dialog", name="Add a component")
        await dialog.get_by_label("Name", exact=True).and_(page.locator(":focus")).wait_for()
        await page.keyboard.type("Search <i>engine</i>")
        await dialog.get_by_label("Key").fill("Not a key")
        await page.keyboard.press("Enter")
        await expect(dialog.get_by_label("Key")).to_have_attribute("aria-invalid", "true")
        await dialog.get_by_label("Key").fill("search-engine")
        await page.keyboard.press("Enter")
        row = page.get_by_role("row").filter(has_text="search-engine")
        await expect(row).to_contain_text("Works")
        await row.get_by_role("button", name="Change Search").click()
        await page.get_by_role("dialog").get_by_label("Name", exact=True).fill("Search")
        await page.keyboard.press("Enter")
        await expect(row).not_to_contain_text("engine</i>")
        for state, word in (("degraded_performance", "Slow"), ("operational", "Works")):
            await row.get_by_role("button", name="Set the state of Search").click()
            dialog = page.get_by_role("dialog", name="Search")
            await dialog.get_by_label("State").select_option(state)
            await dialog.get_by_label("Why").fill("A new index.")
            await dialog.get_by_role("button", name="Set").click()
            await expect(row).to_contain_text(word)


async def test_maintenance_is_announced(console: OpenPage, staff: Api) -> None:
    """For some components; an end before its beginning is refused at the field, and the public page says when."""
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    begins, ends = (f"{tomorrow + timedelta(hours=hours):%Y-%m-%dT%H:%M}" for hours in (0, 2))
    async with console(expected={422}, timezone_id="UTC") as page:
        await page.goto("/console/admin/status")
        await page.get_by_role("button", name="Announce maintenance").click()
        dialog = page.get_by_role("dialog", name="Announce maintenance")
        await dialog.get_by_label("Title").fill("A larger disk")
        await dialog.get_by_label("What is known").fill("Nothing is lost.")
        await dialog.get_by_label("Begins").fill(ends)
        await dialog.get_by_label("Ends, as expected").fill(begins)
        await dialog.get_by_label("Webhooks").check()
        await dialog.get_by_role("button", name="Announce it").click()
        await dialog.locator("[aria-invalid=true]").first.wait_for()
        await dialog.get_by_label("Begins").fill(begins)
        await dialog.get_by_label("Ends, as expected").fill(ends)
        await dialog.get_by_role("button", name="Announce it").click()
        planned = page.get_by_role("listitem").filter(has_text="A larger disk")
        await expect(planned).to_contain_text(re.compile("Scheduled.*Maintenance · Webhooks", re.DOTALL))
        await page.get_by_role("button", name="Fill the gaps").click()
        await page.get_by_text(re.compile(r"Days that were filled: \d+")).wait_for()
        await public_page_says(page, staff.service, "A larger disk")
    [incident] = [each for each in (await staff.get("/status/incidents/active"))["data"] if "disk" in each["title"]]
    assert incident["scheduledUntil"] > incident["scheduledFor"]
    await staff.post(
        f"/status/admin/incidents/{incident['id']}/updates",
        json={"status": "completed", "body": "Done.", "notify": False},
    )


async def test_subscriptions_to_the_service_status_are_listed_and_ended(console: OpenPage, staff: Api) -> None:
    """By keyboard: whoever confirmed nothing is said to have not; kept first, then ended; in both languages."""
    components = (await staff.get("/status/components"))["data"]
    [about] = [each for each in components if each["key"] == "webhooks"]
    address = "http://127.0.0.1:9/<i>old</i>"
    created = await staff.post("/status/subscribe", json={"webhookUrl": address, "componentIds": [about["id"]]})
    async with console() as page:
        await page.goto("/console/admin/status")
        row = page.get_by_role("table", name="Subscribers").get_by_role("row").filter(has_text=created["id"])
        await expect(row).to_contain_text(address)
        for text in ("Not confirmed", "Webhook", about["name"]):
            await expect(row).to_contain_text(text)
        end = row.get_by_role("button", name=f"End the subscription of {address}")
        dialog = page.get_by_role("dialog", name="End this subscription?")
        for choice in ("Keep it", "End it"):
            await end.focus()
            await page.keyboard.press("Enter")
            await expect(dialog).to_contain_text(address)
            await dialog.get_by_role("button", name=choice).focus()
            await page.keyboard.press("Enter")
            await expect(dialog).to_have_count(0)
            listed = [each["id"] for each in (await staff.get("/status/admin/subscribers"))["data"]]
            assert (created["id"] in listed) == (choice == "Keep it")
        await expect(row).to_have_count(0)
        await page.goto("/console/admin/status?lang=de")
        await page.get_by_role("heading", name="Abonnenten").wait_for()


async def test_what_is_kept_back_is_seen_in_the_queue_and_let_go(console: OpenPage, staff: Api) -> None:
    """An account that its network asked to wait: its post is due, and goes out when staff say so."""
    account = await staff.connect("sandbox", username="patient")
    body = {"profileId": staff.profile, "targets": [{"accountId": account["id"]}]}
    later = (datetime.now(UTC) + timedelta(days=1)).isoformat()
    await staff.post("/posts", json=body | {"text": "For tomorrow", "scheduledAt": later})
    database = await asyncio.to_thread(start_postgres, staff.service.folder / "data")
    connection = await asyncpg.connect(database.dsn())
    lane = ids.decode("acc", account["id"])
    await connection.execute("update lane set not_before = now() + interval '1 hour' where key = $1", lane)
    await connection.close()
    post = await staff.post("/posts", json=body | {"text": "Kept back"})
    async with console() as page:
        await page.goto("/console/admin/queue")
        due = page.get_by_role("row").filter(has_text=post["id"])
        await expect(due).to_contain_text(re.compile("Sandbox.*due", re.DOTALL))
        await page.get_by_role("link", name="Jobs").focus()
        await page.keyboard.press("Enter")
        kept = page.get_by_role("table", name="Kept back for a while").get_by_role("row").filter(has_text=account["id"])
        await expect(kept).to_contain_text(re.compile(r"in 5\d minutes"))
        await kept.get_by_role("button", name="Go on now").focus()
        await page.keyboard.press("Enter")
        await page.get_by_text("It goes on now.").wait_for()
        await expect(kept).to_have_count(0)
        assert (await staff.ends(post))["status"] == "published"

        await page.get_by_label("State").select_option("failed")
        await page.wait_for_url("**state=failed")
        await expect(page.get_by_role("button", name="Run now")).to_have_count(0)
        await page.get_by_role("link", name="Overview").click()
        await page.get_by_role("button", name="Collect now").click()
        await page.get_by_text(re.compile(r"Numbers to collect: \d+")).wait_for()
