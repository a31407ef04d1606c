"""What the composer says when something stands in the way, and what can be done about it there."""

import re
import secrets
from datetime import timedelta
from typing import Any

import pytest
from playwright.async_api import Page, expect
from tests.console import coming
from tests.console.browser import OpenPage, save_draft, violations
from tests.console.pages import FIGURES, sources, visit
from tests.helpers.media_files import image
from tests.helpers.service_process import Api

from signalpost.posts.documents import Utm
from signalpost.posts.tracking import tracked_link

pytestmark = pytest.mark.xdist_group("browser-posts")


@pytest.fixture(scope="module")
async def author(owned: Api) -> Any:
    """An account in a profile of its own, so that the others find theirs as it was."""
    profile = await owned.post("/profiles", json={"name": "Composer"})
    body = {"profileId": profile["id"], "fields": {"username": "author"}}
    return await owned.post("/platforms/sandbox/connect", json=body)


async def write(page: Page, author: Any, text: str) -> None:
    await page.goto(f"/console/compose?profileId={author['profileId']}")
    await page.get_by_label("Text", exact=True).fill(text)


async def test_nothing_moves_under_the_pointer_once_the_composer_is_shown(console: OpenPage, author: Any) -> None:
    """On a slow machine, where parts that are loaded later would push down what is being pressed."""
    async with console() as page:
        await page.add_init_script(FIGURES)
        client = await page.context.new_cdp_session(page)
        await client.send("Emulation.setCPUThrottlingRate", {"rate": 4})
        await visit(page, f"/console/compose?profileId={author['profileId']}")
        await expect(page.get_by_role("button", name="Add a part to the thread")).to_be_visible()
        sources = (await page.evaluate("figures"))["sources"]
        assert [source for source in sources if " main " in source] == []


async def test_a_twin_is_named_and_published_only_if_it_is_wanted(console: OpenPage, owned: Api, author: Any) -> None:
    text = "Said twice"
    body = {"profileId": author["profileId"], "targets": [{"accountId": author["id"]}], "text": text}
    first = await owned.post("/posts", json=body)
    async with console(expected={409}) as page:
        await write(page, author, text)
        await page.get_by_role("button", name="Publish now").click()
        other = page.get_by_role("link", name="Look at the other post")
        await expect(other).to_have_attribute("href", re.compile(first["id"]))
        found = (await owned.get("/posts", params={"q": text}))["data"]
        assert [post["id"] for post in found if post["status"] != "draft"] == [first["id"]]
        await page.get_by_role("button", name="Publish it all the same").click()
        await page.wait_for_url(re.compile("/console/posts/pst_"))
        now = (await owned.get("/posts", params={"q": text}))["data"]
        assert [post["id"] for post in now] == [post["id"] for post in found]
        assert "draft" not in {post["status"] for post in now}


@pytest.mark.parametrize(
    ("month", "note"),
    [
        (3, "This time does not exist: the clocks go forward. 03:30 is taken."),
        (10, "This time occurs twice: the clocks go back. The first one is taken."),
    ],
)
async def test_a_time_at_which_clocks_change_is_named_at_the_field(
    console: OpenPage, author: Any, month: int, note: str
) -> None:
    at = f"{coming.change_of_clocks(month)}T02:30"
    async with console(locale="en-GB", timezone_id="America/Los_Angeles") as page:
        await page.goto(f"/console/compose?at={at}&timezone=Europe/Berlin")
        field = page.get_by_label("Date and time")
        await expect(field).to_have_value(at)
        await page.get_by_text(note).wait_for()
        described = str(await field.get_attribute("aria-describedby")).split()
        assert note in [await page.locator(f"#{name}").inner_text() for name in described]
        await page.evaluate("localStorage.clear()")


async def test_what_is_refused_stands_at_its_field(console: OpenPage, owned: Api, author: Any) -> None:
    async with console(expected={422}) as page:
        await write(page, author, "With too long a title")
        await page.get_by_text("More: first comment").click()
        await page.get_by_label("Link").fill("not a link")
        await page.get_by_role("button", name="Save draft").click()
        await expect(page.get_by_label("Link")).to_have_attribute("aria-invalid", "true")
        await page.get_by_label("Link").fill("https://example.com")
        await save_draft(page)


async def test_a_post_to_an_account_that_cannot_publish_leads_to_the_account(console: OpenPage, owned: Api) -> None:
    """The service tells programs which operation reconnects it; people get a link, and nobody hears "On its way."."""
    profile = await owned.post("/profiles", json={"name": "Expired"})
    body = {"profileId": profile["id"], "fields": {"username": "expired"}}
    account = await owned.post("/platforms/sandbox/connect", json=body)
    await owned.post(
        "/posts", json={"profileId": profile["id"], "platforms": ["sandbox"], "text": "[[fail:auth_expired]]"}
    )
    async with console() as page:
        await page.goto(f"/console/accounts/{account['id']}")
        await expect(page.get_by_role("main")).to_contain_text("The connection to the account has expired.")
        await write(page, {"profileId": profile["id"]}, "Held")
        await expect(page.get_by_text("expired · Sandbox: The connection to the account has expired.")).to_be_visible()
        link = page.get_by_role("link", name="Open the account")
        await expect(link).to_have_attribute("href", f"/console/accounts/{account['id']}")
        await expect(page.get_by_role("main")).not_to_contain_text("/api/v1/")
        await page.get_by_role("button", name="Publish now").click()
        await page.wait_for_url(re.compile("/console/posts/pst_"))
        await expect(page.locator(".toasts")).to_contain_text("has to be connected again")
        await expect(page.locator(".toasts")).not_to_contain_text("On its way")
        await expect(page.get_by_role("main").get_by_role("link", name="Open the account")).to_have_count(1)
        await expect(page.get_by_role("main")).not_to_contain_text("/api/v1/")


async def test_what_a_program_wrote_and_the_page_does_not_show_is_kept(
    console: OpenPage, owned: Api, author: Any
) -> None:
    """Own files, titles and options of an account, tags and previews of files, parts of a thread."""
    picture = {"file": ("a.png", image("PNG"), "image/png")}
    files = [(await owned.post("/media/upload", files=picture))["id"] for _ in range(2)]
    tagged = {"mediaId": files[0], "userTags": [{"username": "friend", "x": 0.5, "y": 0.25}], "thumbnailTimeMs": 40}
    target = {"accountId": author["id"], "title": "Only there", "media": [{"mediaId": files[1]}]}
    made = await owned.post(
        "/posts",
        json={
            "profileId": author["profileId"], "text": "By a program", "draft": True, "media": [tagged],
            "targets": [target], "thread": [{"text": "And more"}], "options": {"tiktok": {"privacyLevel": "SELF_ONLY"}},
            "notes": "For the printers", "utm": {"source": "shop"},
        },
    )  # fmt: skip
    async with console() as page:
        await page.goto(f"/console/compose/{made['id']}")
        await page.get_by_label("Text", exact=True).fill("By a person")
        await save_draft(page)
    now = await owned.get(f"/posts/{made['id']}")

    changes = {name for name in made if now[name] != made[name]}
    assert changes <= {"text", "version", "updatedAt", "targets", "warnings"}
    shown = ("accountId", "text", "title", "media", "options", "scheduledAt")
    assert [[entry[name] for name in shown] for entry in now["targets"]] == [
        [entry[name] for name in shown] for entry in made["targets"]
    ]


async def connect(page: Page, owned: Api, profile: str) -> Any:
    begun = await owned.get("/platforms/mastodon/auth-url", params={"profileId": profile})
    await page.goto(begun["url"])
    await page.get_by_role("button", name="Continue to 127.0.0.1").click()
    await page.get_by_role("link", name="Authorize").click()
    await page.get_by_role("heading", name="Connected").wait_for()
    [account] = (await owned.get("/platforms/accounts", params={"profileId": profile}))["data"]
    return account


async def test_what_a_network_lets_one_choose_is_chosen_in_the_composer(
    console: OpenPage, owned: Api, mastodon: str, axe: str
) -> None:
    profile = await owned.post("/profiles", json={"name": "Options"})
    async with console(expected={404, 422}, hosts=(owned.service.base_url, mastodon)) as page:
        await connect(page, owned, profile["id"])
        await page.goto(f"/console/compose?profileId={profile['id']}")
        await page.get_by_label("Text", exact=True).fill("For followers")
        await page.get_by_text("Options of Mastodon").click()
        await page.get_by_label("Visibility").select_option(label="Private")
        await page.get_by_label("Sensitive").check()
        await page.get_by_label("Language", exact=True).fill("not a language")
        await page.get_by_role("button", name="Publish now").click()
        await expect(page.get_by_label("Language", exact=True)).to_have_attribute("aria-invalid", "true")
        assert await violations(page, axe) == []
        await page.get_by_label("Language", exact=True).fill("de-AT")
        await save_draft(page)
        saved = await owned.get(f"/posts/{page.url.rpartition('/')[2]}")
        await page.reload()
        await expect(page.get_by_label("Visibility")).to_have_value("private")

    assert saved["options"] == {"mastodon": {"visibility": "private", "sensitive": True, "language": "de-AT"}}


async def test_a_choice_holds_although_a_program_gave_the_account_its_own(
    console: OpenPage, owned: Api, mastodon: str
) -> None:
    profile = await owned.post("/profiles", json={"name": "Own options"})
    async with console(expected={404}, hosts=(owned.service.base_url, mastodon)) as page:
        account = await connect(page, owned, profile["id"])
        target = {"accountId": account["id"], "options": {"visibility": "unlisted", "language": "de"}}
        body = {"profileId": profile["id"], "text": "Own", "draft": True, "targets": [target]}
        made = await owned.post("/posts", json=body)
        await page.goto(f"/console/compose/{made['id']}")
        await expect(page.get_by_label("Visibility")).to_have_value("unlisted")
        await page.get_by_label("Visibility").select_option(label="Private")
        await save_draft(page)
    now = await owned.get(f"/posts/{made['id']}")

    assert now["options"] == {"mastodon": {"visibility": "private"}}
    assert now["targets"][0]["options"] == {"language": "de"}


async def test_a_thread_is_written_part_by_part(console: OpenPage, owned: Api, author: Any, axe: str) -> None:
    """Parts are added, moved and removed, each with its files and what each network counts."""
    async with console() as page:
        await write(page, author, "One")
        for text in ("Two", "Three", "Four"):
            await page.get_by_role("button", name="Add a part to the thread").click()
            await page.get_by_role("region", name="Thread").get_by_role("textbox").last.fill(text)
        third = page.get_by_role("group", name="Part 3", exact=True)
        await expect(third).to_contain_text("4,995 characters left")
        picture = {"name": "a.png", "mimeType": "image/png", "buffer": image("PNG")}
        await third.locator("input[type=file]").set_input_files(picture)
        await expect(third.get_by_label("Description of a.png")).to_be_visible()
        await page.get_by_role("button", name="Move part 3 forward").click()
        await page.get_by_role("button", name="Remove part 4").click()
        assert await violations(page, axe) == []
        await save_draft(page)
        saved = await owned.get(f"/posts/{page.url.rpartition('/')[2]}")
        await page.reload()
        await expect(page.get_by_label("Text of part 2")).to_have_value("Three")

    assert [(part["text"], len(part["media"])) for part in saved["thread"]] == [("Three", 1), ("Two", 0)]


async def test_an_account_can_have_its_own_files_and_title(console: OpenPage, owned: Api) -> None:
    profile = await owned.post("/profiles", json={"name": "Own files"})
    accounts = {}
    for name in ("first", "second"):
        body = {"profileId": profile["id"], "fields": {"username": name}}
        accounts[name] = (await owned.post("/platforms/sandbox/connect", json=body))["id"]
    async with console() as page:
        await write(page, {"profileId": profile["id"]}, "For both")
        await expect(page.locator("button.chip")).to_have_count(2)
        for chip in await page.locator("button.chip").all():
            await chip.click()
        await page.get_by_role("group", name="Which text").get_by_role("button", name="second").click()
        await page.get_by_role("button", name="Other files for second").click()
        picture = {"name": "own.png", "mimeType": "image/png", "buffer": image("PNG")}
        await page.locator("input[type=file]").first.set_input_files(picture)
        await expect(page.get_by_label("Description of own.png")).to_be_visible()
        await page.get_by_label("Title for second").fill("Only here")
        await save_draft(page)
        saved = await owned.get(f"/posts/{page.url.rpartition('/')[2]}")

    targets = {target["accountId"]: target for target in saved["targets"]}
    assert saved["media"] == []
    assert (targets[accounts["first"]]["media"], targets[accounts["first"]]["title"]) == (None, None)
    assert len(targets[accounts["second"]]["media"]) == 1
    assert targets[accounts["second"]]["title"] == "Only here"


LINKS = (
    "https://example.com", "https://example.com/a?b=%20&c", "https://example.com/a?b=1&", "https://example.com#top",
    "https://example.com/a#/route?x=1", "https://example.com/?UTM_Source=own&utm_campaign=", "HTTP://EXAMPLE.COM/A",
    "https://m\u00fcller.example/stra\u00dfe", "https://[::1]:8000/a",
)  # fmt: skip


async def test_what_is_added_to_links_is_shown_changed_and_left_out(console: OpenPage, owned: Api, axe: str) -> None:
    """As the service adds it. What a client has for all posts is there at first; a post has what was chosen for it."""
    usual = Utm(campaign="spring (26) & more!")
    body = {"name": f"Links {secrets.token_hex(3)}", "defaultUtm": {"campaign": usual.campaign}}
    profile = await owned.post("/profiles", json=body)
    fields = {"profileId": profile["id"], "fields": {"username": f"links{secrets.token_hex(3)}"}}
    account = await owned.post("/platforms/sandbox/connect", json=fields)
    async with console(viewport={"width": 360, "height": 900}) as page:
        await write(page, account, "Without any")
        added = page.get_by_role("group", name="Links in the post")
        await expect(page.get_by_label("Text", exact=True)).to_have_value("Without any")
        await expect(added).to_have_count(0)
        await page.get_by_label("Text", exact=True).fill("Bread (https://example.com/rye).")
        await expect(added).to_contain_text(tracked_link("https://example.com/rye", usual, "sandbox"))
        assert await violations(page, axe) == []
        assert await page.evaluate("document.documentElement.scrollWidth") <= 360
        shown = await page.evaluate(
            "async ([module, links, utm]) => {"
            " const { tracked } = await import(module); return links.map((link) => tracked(link, utm, 'sandbox')); }",
            [await sources(page) + "tracking.js", list(LINKS), {"campaign": usual.campaign, "term": "a*b'c"}],
        )
        assert shown == [tracked_link(link, Utm(campaign=usual.campaign, term="a*b'c"), "sandbox") for link in LINKS]

        await added.get_by_label("utm_campaign").fill("summer")
        await expect(added).to_contain_text("utm_source=sandbox&utm_campaign=summer")
        await page.get_by_role("button", name="Publish now").click()
        await page.wait_for_url(re.compile("/console/posts/pst_"))
        await write(page, account, "Plain https://example.com/plain")
        await added.get_by_label("Add campaign parameters (UTM)").uncheck()
        await expect(added.get_by_label("utm_campaign")).to_have_count(0)
        await page.get_by_role("button", name="Publish now").click()
        await page.wait_for_url(re.compile("/console/posts/pst_"))
    listed = (await owned.get("/posts", params={"profileId": profile["id"]}))["data"]
    posts = {post["text"][:5]: post for post in listed}
    assert (posts["Bread"]["utm"]["campaign"], posts["Plain"]["utm"]) == ("summer", None)


async def test_a_post_repeats_by_a_rule_in_words(console: OpenPage, owned: Api, author: Any, axe: str) -> None:
    """The times are those that the service makes of the rule: nine o'clock stays nine when the clocks change."""
    monday = coming.change_of_clocks() - timedelta(days=6)
    place = f"at={monday}T09:00&timezone={coming.BERLIN}"
    async with console(locale="en-GB") as page:
        await page.goto(f"/console/compose?profileId={author['profileId']}&{place}")
        await page.get_by_label("Text", exact=True).fill("Open from nine")
        await page.get_by_label("Repeat", exact=True).select_option(label="Weekly")
        for day in ("Monday", "Thursday"):
            await page.get_by_label(day).check()
        await page.get_by_label("Every", exact=True).fill("2")
        await page.get_by_label("Number of posts").fill("6")
        await expect(page.get_by_text("Every 2 weeks on Monday and Thursday, 6 posts in all")).to_be_visible()
        times = page.locator("ul.plain time")
        await expect(times).to_have_count(5)
        for time, days in enumerate((3, 14, 17, 28, 31)):  # those of the rule before may still be shown
            moment = coming.instant(f"{monday + timedelta(days=days)}T09:00")
            await expect(times.nth(time)).to_have_attribute("datetime", moment)
        assert await violations(page, axe) == []
        await page.get_by_role("button", name="Schedule", exact=True).click()
        await page.wait_for_url(re.compile("/console/posts/pst_"))
        post = await owned.get(f"/posts/{page.url.rpartition('/')[2].partition('?')[0]}")
        await page.goto(f"/console/compose/{post['id']}")
        await expect(page.get_by_text("Every 2 weeks on Monday and Thursday, 6 posts in all")).to_be_visible()
        await page.get_by_label("Text", exact=True).fill("Open from nine!")
        async with page.expect_request(lambda request: request.method == "PATCH") as sent:
            await page.get_by_role("button", name="Schedule", exact=True).click()
        body = (await sent.value).post_data_json

    assert post["recurrence"]["rrule"] == "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH"
    assert post["recurrence"]["count"] == 6
    assert "recurrence" not in body  # a rule that stays is not sent: what waits by it would be made again
