"""Posts from a table in a real browser: columns guessed, rows fixed, and no row twice, whatever gets lost."""

import csv
import io
import secrets
from typing import Any

import pytest
from playwright.async_api import Page, expect
from tests.console import coming
from tests.console.browser import OpenPage, violations
from tests.console.pages import settled, visit
from tests.helpers.service_process import Api

pytestmark = pytest.mark.xdist_group("browser-posts")
DAYS = [coming.day(4, number) for number in (10, 11, 12)]
METRICOOL = ["Text", "Date", "Time", "Draft", "Facebook", "Twitter/X", "Picture Url 1", "First Comment Text"]


@pytest.fixture
async def client(owned: Api) -> dict[str, Any]:
    """A client with an account, of a name that no other has."""
    profile = await owned.post(
        "/profiles", json={"name": f"Import {secrets.token_hex(4)}", "timezone": "Europe/Berlin"}
    )
    body = {"profileId": profile["id"], "fields": {"username": f"import{secrets.token_hex(3)}"}}
    await owned.post("/platforms/sandbox/connect", json=body)
    return profile


def table(*rows: list[str], separator: str = ",") -> bytes:
    out = io.StringIO()
    csv.writer(out, delimiter=separator).writerows(rows)
    return out.getvalue().encode()


async def give(page: Page, content: bytes, name: str = "posts.csv") -> None:
    await page.set_input_files("input[type=file]", {"name": name, "mimeType": "text/csv", "buffer": content})


async def open_rows(page: Page, client: dict[str, Any], content: bytes) -> None:
    """Give a file, choose the client and its network, and have the rows checked."""
    await visit(page, "/console/import")
    await give(page, content)
    await page.get_by_label("Client", exact=True).last.select_option(client["id"])
    await page.get_by_label("Sandbox").check()
    await page.get_by_role("button", name="Check the rows").click()


async def posts_of(owned: Api, client: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await owned.get(f"/posts?profileId={client['id']}&limit=100"))["data"]
    return found


async def test_a_table_of_buffer_is_mended_and_imported(
    console: OpenPage, owned: Api, client: dict[str, Any], axe: str
) -> None:
    """On a phone: what is wrong stands at its field, fixing it has it checked, and each row leads to its post."""
    rows = table(
        ["Text", "Image URL", "Tags", "Posting Time"],
        ["Soup, of the day", "", "menu,#lunch", f"{DAYS[0]} 12:00"],
        ["No time of day", "", "", f"{DAYS[1]}"],
        ["Without a date", "", "", ""],
        ["=SUM(A1:A2)", "", "", f"{DAYS[2]} 12:00"],
    )
    async with console(locale="en-GB", viewport={"width": 360, "height": 900}) as page:
        await visit(page, "/console/import")
        assert await violations(page, axe) == []
        await give(page, b"\xef\xbb\xbf" + rows)
        await expect(page.get_by_text("This looks like a table of Buffer.")).to_be_visible()
        assert await violations(page, axe) == []
        await page.get_by_label("Client", exact=True).last.select_option(client["id"])
        await page.get_by_label("Sandbox").check()
        await page.get_by_role("button", name="Check the rows").click()

        await expect(page.get_by_text("2 rows have to be fixed.")).to_be_visible()
        third = page.get_by_label("Row of line 3")
        await expect(third).to_contain_text("The time of day is missing.")
        await expect(page.get_by_label("Row of line 5")).to_contain_text("This is a formula. Put its result here.")
        assert await violations(page, axe) == []
        assert await page.evaluate("document.documentElement.scrollWidth") <= 360
        await third.get_by_label("Date, perhaps with the time").fill("1 April")
        await expect(third).to_contain_text("This is not a date that can be read.")
        await third.get_by_label("Date, perhaps with the time").fill(f"{DAYS[1]} 18:30")
        await page.get_by_label("Row of line 5").get_by_label("Text", exact=True).fill("The sum is five")
        await page.get_by_role("button", name="Create 4 posts").click()

        await expect(page.get_by_text("4 posts were created.")).to_be_visible()
        await page.get_by_label("Row of line 4").get_by_role("link", name="Open the post").click()
        await expect(page.get_by_role("main")).to_contain_text("Without a date")
    found = {post["text"]: post for post in await posts_of(owned, client)}
    assert {text: (post["status"], post["scheduledAt"]) for text, post in found.items()} == {
        "Soup, of the day": ("scheduled", coming.instant(f"{DAYS[0]}T12:00")),
        "No time of day": ("scheduled", coming.instant(f"{DAYS[1]}T18:30")),
        "Without a date": ("draft", None),
        "The sum is five": ("scheduled", coming.instant(f"{DAYS[2]}T12:00")),
    }
    assert found["Soup, of the day"]["tags"] == ["menu", "lunch"]


async def test_lost_answers_and_a_reload_make_no_row_twice(
    console: OpenPage, owned: Api, client: dict[str, Any]
) -> None:
    """The service makes the posts, and its answers do not arrive: first a few, then none until the page is reloaded."""
    rows = table(["text", "date"], *([f"Row {number}", f"{DAYS[0]} 09:00"] for number in range(7)))
    async with console(locale="en-GB", expected={422, "net::ERR_FAILED"}) as page:
        await open_rows(page, client, rows)
        keys, lost = list[str](), 0

        async def lose(route: Any) -> None:
            nonlocal lost
            if "dryRun" in route.request.url:
                return await route.continue_()
            keys.append(route.request.headers["idempotency-key"])
            await route.fetch()
            lost += 1
            return await route.abort()

        await page.route("**/api/v1/posts/bulk**", lose)
        await page.get_by_role("button", name="Create 7 posts").click()
        await expect(page.get_by_text("The service cannot be reached.")).to_be_visible()
        assert (lost, len(set(keys))) == (5, 1)

        await page.unroute_all(behavior="wait")
        await page.reload()
        await settled(page)
        await expect(page.get_by_text("7 rows were imported before.")).to_be_visible()
        await expect(page.get_by_role("link", name="Open the post")).to_have_count(7)
        assert len(await posts_of(owned, client)) == 7

        await page.get_by_role("button", name="Another file").click()
        await expect(page.locator("input[type=file]")).to_be_attached()
        await open_rows(page, client, rows)
        await expect(page.get_by_text("7 rows were imported before.")).to_be_visible()
    assert len(await posts_of(owned, client)) == 7


async def test_a_retry_hears_the_answer_that_was_lost(console: OpenPage, owned: Api, client: dict[str, Any]) -> None:
    rows = table(["text"], ["Once"], ["Twice"])
    async with console(locale="en-GB", expected={"net::ERR_FAILED"}) as page:
        await open_rows(page, client, rows)
        answers = []

        async def lose_the_first(route: Any) -> None:
            if "dryRun" in route.request.url:
                return await route.continue_()
            answer = await route.fetch()
            answers.append(answer.headers.get("idempotent-replayed"))
            return await (route.abort() if len(answers) == 1 else route.fulfill(response=answer))

        await page.route("**/api/v1/posts/bulk**", lose_the_first)
        await page.get_by_role("button", name="Create 2 posts").click()
        await expect(page.get_by_text("2 posts were created.")).to_be_visible()
        assert answers == [None, "true"]
    assert sorted(post["text"] for post in await posts_of(owned, client)) == ["Once", "Twice"]


async def test_many_rows_are_shown_a_page_at_a_time(console: OpenPage, owned: Api, client: dict[str, Any]) -> None:
    """In German; they are sent fifty at a time, and the page holds few of them at once."""
    rows = table(["text", "title"], *([f"Entwurf {number}", "Plan"] for number in range(220)), separator=";")
    async with console(locale="de-DE") as page:
        sent = []
        page.on("request", lambda request: sent.append(request.url) if "/posts/bulk" in request.url else None)
        await visit(page, "/console/import")
        await give(page, rows)
        await page.get_by_label("Kunde", exact=True).last.select_option(client["id"])
        await page.get_by_role("button", name="Zeilen prüfen").click()
        await expect(page.get_by_text("Seite 1 von 9")).to_be_visible()
        create = page.get_by_role("button", name="220 Beiträge erstellen")
        await expect(create).to_be_visible()
        assert len(sent) == 5
        assert await page.evaluate("document.querySelectorAll('*').length") < 1_200
        await create.click()
        await expect(page.get_by_text("220 Beiträge wurden erstellt.")).to_be_visible()
        assert len(sent) == 10
    assert (await owned.get(f"/posts/stats?profileId={client['id']}"))["byStatus"]["draft"] == 220


HOSTILE = [
    (b"PK\x03\x04", "It is a workbook."),
    (b"a\x00b,c\n", "It is not a text file."),
    (b'text\n"never closed', "The row of line 2 has an opening quote without a closing one."),
    (b" \n,,\n", "There is nothing in it."),
    (b",".join([b"a"] * 400), "has more than 300 cells."),
    (b"a\n" * 10_002, "It has more than 10,000 rows."),
    (b"a" * 10_485_761, "It has more than 10 MB."),
    ("Text;Zeit\nMüller;09:00\n".encode("cp1252"), "It was read as Windows-1252"),
    ("Text\tDate\nMüller\t2027-01-01\n".encode("utf-16"), "Müller"),
    ("Text,Date\nMüller,2027-01-01\n".encode("utf-16-be"), "Müller"),
    (b'sep=;\nText;Note\n"a ""quoted"" one; and\nmore";x\n', 'a "quoted" one; and'),
    (",".join(METRICOOL).encode() + b"\nHi,2027-01-01,10:00,FALSE,TRUE,FALSE,,\n", "a table of Metricool"),
    (b"25/12/2027 10:00,Merry Christmas to all,https://example.com\n", "a table of Hootsuite"),
    (b"text,link\n<img src=x onerror=alert(1)>,javascript:alert(1)\n", "<img src=x onerror=alert(1)>"),
]


async def test_hostile_files_are_told_in_sentences(console: OpenPage) -> None:
    async with console(locale="en-GB") as page:
        await visit(page, "/console/import")
        for content, told in HOSTILE:
            await give(page, content)
            await expect(page.get_by_role("main")).to_contain_text(told)
            another = page.get_by_role("button", name="Another file")
            if await another.count():
                await another.click()
            await expect(page.get_by_text("Choose a CSV file")).to_be_visible()
