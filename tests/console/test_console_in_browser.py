"""The console in a real browser: each flow by mouse and by keyboard alone, and every page for everybody."""

import asyncio
import re
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import httpx
import pytest
from playwright.async_api import Error, Page, Route, expect
from tests.console import catalogs
from tests.console.browser import OpenPage
from tests.console.catalogs import TRANSLATED
from tests.console.pages import sources
from tests.helpers.limits import TEST_SECONDS
from tests.helpers.service_process import Api
from tests.helpers.webhooks import receiver_server

pytestmark = pytest.mark.xdist_group("browser")
SCRIPT = "<img src=x onerror=alert(1)>\"'</textarea><script>alert(1)</script>"


_OVERTAKEN = """
async (folder) => {
  const [{ html, render }, { useLoad }] = await Promise.all([import(folder + "html.js"), import(folder + "hooks.js")]);
  const answers = [];
  const shown = [];
  let loaded;
  function Shown() {
    loaded = useLoad(() => new Promise((resolve) => answers.push(resolve)), []);
    shown.push(loaded.data);
    return null;
  }
  render(html`<${Shown} />`, document.createElement("div"));
  const until = async (condition) => { while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5)); };
  await until(() => answers.length === 1);
  answers[0]("Starter");
  await until(() => shown.includes("Starter"));
  void loaded.reload();
  await until(() => answers.length === 2);
  loaded.setData("Pro");
  await until(() => shown.includes("Pro"));
  answers[1]("Starter, read before the change");
  await until(() => answers.length === 3);
  answers[2]("Pro, read after it");
  await until(() => shown.includes("Pro, read after it"));
  return [...new Set(shown)];
}
"""


@pytest.fixture(scope="module")
async def account(owned: Api) -> Any:
    return await owned.connect("sandbox", username="bakery")


async def write(page: Page, text: str) -> None:
    await page.goto("/console/compose")
    await page.get_by_label("Text", exact=True).fill(text)
    chip = page.get_by_role("button", name="bakery")
    if await chip.get_attribute("aria-pressed") == "false":
        await chip.click()
    await page.get_by_text("Ready for 1 account.").wait_for()


async def test_what_a_change_answers_is_not_replaced_by_what_was_read_before_it(console: OpenPage) -> None:
    """A load that was under way then is made again."""
    async with console() as page:
        await page.goto("/console")
        shown = await page.evaluate(_OVERTAKEN, await sources(page))
    assert shown == [None, "Starter", "Pro", "Pro, read after it"]


async def test_a_post_is_written_and_published_by_mouse(console: OpenPage, account: Any) -> None:
    """What the service counts is shown while it is typed; text stays text wherever it appears."""
    async with console() as page:
        await write(page, f"Fresh bread {SCRIPT}")
        await expect(page.locator(".counter")).to_have_attribute(
            "title", f"{len(SCRIPT) + 12} of 5,000, as the network counts"
        )
        await page.get_by_role("button", name="Publish now").click()

        await page.wait_for_url(re.compile("/console/posts/pst_"))
        await expect(page.get_by_role("listitem").filter(has_text="bakery").first).to_contain_text("Published")
        await expect(page.locator(".post-text")).to_have_text(f"Fresh bread {SCRIPT}")
        await page.goto("/console/posts?q=Fresh")
        await expect(page.get_by_role("table", name="Posts")).to_contain_text("</textarea><script>")


async def test_a_post_is_written_and_published_by_keyboard_alone(console: OpenPage, account: Any) -> None:
    async with console() as page:
        await page.goto("/console")
        await page.get_by_role("heading", name="Home").wait_for()
        await page.keyboard.press("c")
        await page.wait_for_url("**/console/compose")
        await page.locator("textarea:focus").wait_for()
        await page.keyboard.type("Typed, not clicked")
        await page.get_by_text("Ready for 1 account.").wait_for()
        await page.keyboard.press("Control+Enter")
        await page.wait_for_url(re.compile("/console/posts/pst_"))
        await expect(page.get_by_role("main")).to_contain_text("Published")


async def test_offline_while_it_is_sent_makes_exactly_one_post(console: OpenPage, owned: Api, account: Any) -> None:
    """The answer is lost on its way, after the service has done its part: the same key brings the same post."""
    text = "Sent through a tunnel"
    async with console(expected={503}) as page:
        lost: list[int] = []

        async def lose_the_answer(route: Any) -> None:
            answer = await route.fetch()
            lost.append(answer.status)
            await (
                route.fulfill(status=503, json={"code": "unavailable"})
                if len(lost) < 3
                else route.fulfill(response=answer)
            )

        await page.route(re.compile(r"/api/v1/posts$"), lose_the_answer)
        await write(page, text)
        await page.get_by_role("button", name="Publish now").click()
        await page.wait_for_url(re.compile("/console/posts/pst_"))

    assert lost == [201, 201, 201]
    found = await owned.get("/posts", params={"q": text})
    assert [post["text"] for post in found["data"]] == [text]


async def hold_saving(page: Page) -> Callable[[], None]:
    """Have no draft saved, neither by itself after two seconds nor by hand, until what is returned is called."""
    goes_on = asyncio.Event()

    async def hold(route: Route) -> None:
        await goes_on.wait()
        with suppress(Error):  # of a page that was left meanwhile
            await route.continue_()

    await page.route(re.compile(r"/api/v1/posts$"), hold)
    return goes_on.set


async def test_what_was_typed_outlives_the_page_and_the_session(console: OpenPage, owned: Api, account: Any) -> None:
    async with console(expected={401}) as page:
        go_on = await hold_saving(page)
        await write(page, "Half a sentence")
        await page.reload()
        await expect(page.get_by_label("Text", exact=True)).to_have_value("Half a sentence")
        await page.get_by_role("button", name="Save draft").click()
        await page.context.clear_cookies()
        go_on()
        dialog = page.get_by_role("dialog", name="Sign in again")
        await dialog.get_by_label("Password").fill("correct horse battery")
        await page.keyboard.press("Enter")
        await page.wait_for_url(re.compile("/console/compose/pst_"))
        await expect(page.get_by_label("Text", exact=True)).to_have_value("Half a sentence")


@pytest.fixture
async def second(owned: Api) -> AsyncIterator[dict[str, str]]:
    """Another admin of the same workspace: what the form of the sign-in takes."""
    form = {"email": f"{secrets.token_hex(4)}@example.test", "password": "correct horse battery", "code": ""}
    invited = await owned.post("/team/invite", json={"email": form["email"], "role": "admin"})
    token = invited["inviteUrl"].rsplit("/", 1)[-1]
    async with httpx.AsyncClient(base_url=owned.service.base_url, timeout=TEST_SECONDS) as client:
        body = {"name": "Second", "password": form["password"]}
        accepted = await client.post(f"/api/v1/team/invites/{token}/accept", json=body)
    assert accepted.status_code == 200, accepted.text
    yield form
    await owned.call("DELETE", f"/team/{invited['id']}")


async def test_nothing_is_sent_for_whoever_signs_in_after_another(
    console: OpenPage, owned: Api, account: Any, second: dict[str, str]
) -> None:
    """Two people share a browser: what the first one typed is not published by the second."""
    text = f"Mine alone {secrets.token_hex(4)}"
    async with console(expected={401}) as page:
        go_on = await hold_saving(page)
        await write(page, text)
        await page.get_by_role("button", name="Save draft").click()
        await page.context.clear_cookies()
        go_on()
        dialog = page.get_by_role("dialog", name="Sign in again")
        await dialog.get_by_label("E-mail").fill(second["email"])
        await dialog.get_by_label("Password").fill(second["password"])
        async with page.expect_event("load"):
            await page.keyboard.press("Enter")
        await page.get_by_role("heading", name="Write a post").wait_for()
        assert await page.get_by_label("Text", exact=True).input_value() == "", "nor is it shown to them"
    assert (await owned.get("/posts", params={"q": text}))["data"] == []


async def test_a_tab_does_nothing_for_whoever_signs_in_in_another_tab(
    console: OpenPage, owned: Api, account: Any, second: dict[str, str]
) -> None:
    """All tabs share the cookie, and both may write posts in this workspace."""
    text = f"Of the first {secrets.token_hex(4)}"
    async with console(expected={403}) as page:
        go_on = await hold_saving(page)
        await write(page, text)
        await page.get_by_role("button", name="Save draft").click()
        answer = await page.context.request.post("/login", form=second, headers={"Origin": owned.service.base_url})
        assert answer.ok
        go_on()
        dialog = page.get_by_role("dialog", name="Someone else is signed in")
        async with page.expect_event("load"):
            await dialog.get_by_role("button", name="Reload the page").click()
        await page.locator(".who", has_text="Second").wait_for()
        await page.get_by_role("heading", name="Write a post").wait_for()
        assert await page.get_by_label("Text", exact=True).input_value() == "", "nor is it shown to them"
    assert (await owned.get("/posts", params={"q": text}))["data"] == []


@pytest.fixture
async def lost(owned: Api) -> Any:
    """A post of which nobody can tell whether it was published: the clock of the sandbox makes the hour short."""
    made = await owned.post("/api-keys", json={"name": "Tests", "mode": "test"})
    profile = await owned.post(
        "/profiles", json={"name": f"Lost {secrets.token_hex(4)}"}
    )  # others find their accounts as they were
    tester = Api(owned.service, {"profileId": profile["id"], "apiKey": made["key"]})
    account = await tester.connect("sandbox", username="forgetful")
    text = f"Lost {secrets.token_hex(4)} [[timeout:forever]]"
    body = {"profileId": profile["id"], "targets": [{"accountId": account["id"]}], "text": text}
    post = await tester.post("/posts", json=body)

    async def is_lost() -> bool:
        await tester.post("/sandbox/clock", json={"advanceSeconds": 3_600})
        return bool((await tester.get(f"/posts/{post['id']}/status"))["status"] == "failed")

    await owned.service.until(is_lost, "lost post")
    yield post
    await tester.call("DELETE", "/sandbox/clock")


async def test_an_unknown_outcome_is_resolved_by_two_clicks(console: OpenPage, lost: Any) -> None:
    """Nothing is posted again before a person says that it is not there."""
    async with console() as page:
        await page.goto(f"/console/posts/{lost['id']}")
        await page.get_by_role("button", name="It is not there").click()
        await page.get_by_role("button", name="Post it again").click()

        await page.get_by_text("It is posted again.").wait_for()


async def test_a_post_that_someone_saw_counts_as_published_by_keyboard(console: OpenPage, lost: Any) -> None:
    async with console() as page:
        await page.goto(f"/console/posts/{lost['id']}")
        await page.get_by_role("button", name="It is there").focus()
        await page.keyboard.press("Enter")
        await expect(page.get_by_label("Its address")).to_be_focused()
        await page.keyboard.type("https://social.example/@acme/1")
        await page.keyboard.press("Enter")

        await page.get_by_text("It counts as published.").wait_for()
        link = page.get_by_role("link", name="Open the post")
        await expect(link).to_have_attribute("href", "https://social.example/@acme/1")


async def test_a_call_of_a_page_is_found_in_the_request_log(console: OpenPage, account: Any) -> None:
    """From the API drawer, by its request id; the filters stand in the address."""
    async with console() as page:
        await page.goto("/console/accounts")
        await page.get_by_role("heading", name="Accounts").wait_for()
        await page.get_by_role("button", name="API calls").click()
        link = page.get_by_role("link", name="In the request log")
        await expect(link).to_have_attribute("href", re.compile("requestId=req_"))
        await link.click()
        row = page.get_by_role("table", name="API calls").locator("tbody tr")
        while await row.count() == 0:  # it is written within a second or two
            await page.get_by_role("button", name="Refresh").click()
        await expect(row).to_have_count(1)
        await row.get_by_role("link").click()
        dialog = page.get_by_role("dialog")
        await expect(dialog.get_by_text("Request id")).to_be_visible()
        await page.keyboard.press("Escape")
        await expect(dialog).to_have_count(0)
        await page.get_by_label("Result").select_option("5xx")
        await page.get_by_role("button", name="Clear the filters").click()
        await expect(row.first).to_be_visible()


async def test_a_page_follows_what_others_do_also_when_its_stream_is_cut(
    console: OpenPage, owned: Api, account: Any
) -> None:
    """The stream comes back within five seconds, and so does what was missed."""
    missed, later = f"Missed {secrets.token_hex(4)}", f"Later {secrets.token_hex(4)}"
    streams = []

    async def cut_the_first(route: Route) -> None:
        streams.append(route)
        if len(streams) == 1:
            await owned.post("/posts", json={"profileId": owned.profile, "text": "Before " + missed, "draft": True})
            ready = "event: ready\ndata: {}\n\n"
            await route.fulfill(status=200, content_type="text/event-stream", body=ready)
            await owned.post("/posts", json={"profileId": owned.profile, "text": missed, "draft": True})
        else:
            await route.continue_()

    async with console() as page:
        await page.route("**/events/stream", cut_the_first)
        await page.goto("/console/posts")
        await page.get_by_role("link", name=missed, exact=True).wait_for()
        await owned.post("/posts", json={"profileId": owned.profile, "text": later, "draft": True})
        await page.get_by_role("link", name=later).wait_for()
        assert len(streams) == 2


async def test_a_page_asks_once_for_a_stream_that_the_instance_does_not_have(
    console: OpenPage, owned: Api, account: Any
) -> None:
    """The operator switched it off; pages ask by themselves now and then."""
    late, streams = f"Late {secrets.token_hex(4)}", []

    async def refuse(route: Route) -> None:
        streams.append(route)
        await route.fulfill(status=404, content_type="application/problem+json", body="{}")

    async with console(expected={404}) as page:
        await page.route("**/events/stream", refuse)
        await owned.post("/posts", json={"profileId": owned.profile, "text": late, "draft": True})
        await page.goto("/console/posts")
        await page.get_by_role("link", name=late).wait_for()
        for _ in range(2):
            await page.evaluate("dispatchEvent(new Event('online'))")
        async with page.expect_response("**/posts?status=failed&*"):  # comes after any call for a stream
            await page.get_by_role("link", name="Home").click()
        assert len(streams) == 1


async def test_every_listed_key_does_what_the_help_says(console: OpenPage, account: Any) -> None:
    async with console() as page:
        await page.goto("/console")
        await page.get_by_role("heading", name="Home").wait_for()
        await page.keyboard.press("?")
        help_dialog = page.get_by_role("dialog", name="Keyboard shortcuts")
        await help_dialog.get_by_text("Write a post").wait_for()
        await page.keyboard.press("Escape")
        await page.keyboard.press("g")
        await page.keyboard.press("p")
        await page.get_by_role("heading", name="Posts").wait_for()
        await page.keyboard.press("/")
        await expect(page.get_by_role("searchbox")).to_be_focused()
        await page.keyboard.press("Tab")
        await page.keyboard.press("Control+k")
        await page.get_by_role("combobox", name="Find a command").fill("home")
        await page.keyboard.press("Enter")
        await page.wait_for_url("**/console")

        await page.keyboard.press("?")
        await help_dialog.get_by_label("Use single keys").uncheck()
        await page.keyboard.press("Escape")
        await page.keyboard.press("c")
        await page.keyboard.press("Control+k")
        await page.get_by_role("dialog", name="Commands").wait_for()
        assert page.url.endswith("/console")


async def test_the_drawer_shows_the_calls_of_the_page(console: OpenPage, account: Any) -> None:
    async with console() as page:
        await page.goto("/console/posts?status=failed")
        await page.get_by_role("button", name="API calls").click()
        drawer = page.get_by_role("dialog", name="API calls of this page")
        for path in ("/workspaces", "/profiles", "/platforms/accounts/all"):  # what arrives moves the others down
            await drawer.get_by_role("button").filter(has_text=f"{path}200").first.wait_for()
        # With the keyboard: a row that arrives meanwhile moves the others, and a pointer would hit another one.
        await drawer.get_by_role("button").filter(has_text="/posts200").first.press("Enter")
        await expect(drawer.locator("pre")).to_contain_text("status=failed")
        await drawer.get_by_role("button", name="Python").click()
        await expect(drawer.locator("pre")).to_contain_text("httpx.request")
        await expect(drawer).to_contain_text(re.compile("req_[0-9a-f]+"))


async def test_a_failed_post_is_repaired_from_home(console: OpenPage, owned: Api, account: Any) -> None:
    """One click from the problem to its reason and what to do."""
    post = await owned.publish(["sandbox"], "Broken [[fail:content_rejected]]")
    await owned.ends(post, "failed")
    async with console() as page:
        await page.goto("/console")
        await page.get_by_role("link", name="Repair Broken").first.click()
        await page.get_by_text("What to do:").first.wait_for()
        await page.get_by_role("link", name="Change the post").first.click()
        text = page.get_by_label("Text", exact=True)
        await text.fill("Mended")
        await page.get_by_role("button", name="Publish now").click()
        await page.wait_for_url(f"**/console/posts/{post['id']}")
        await expect(page.get_by_role("main")).to_contain_text("Published")


async def test_a_key_is_made_shown_once_and_revoked_by_keyboard(console: OpenPage) -> None:
    async with console() as page:
        await page.goto("/console")
        await page.get_by_role("heading", name="Home").wait_for()
        await page.keyboard.press("g")
        await page.keyboard.press("d")
        await page.get_by_role("button", name="Make an API key").first.focus()
        await page.keyboard.press("Enter")
        dialog = page.get_by_role("dialog", name="Make an API key")
        await dialog.get_by_label("Name").and_(page.locator(":focus")).wait_for()
        await page.keyboard.type("By keyboard")
        await page.keyboard.press("Enter")
        shown = page.get_by_role("dialog", name="Copy the key now")
        key = re.search(r"sp_live_[\w.]+", await shown.locator("pre").first.inner_text())
        await page.keyboard.press("Escape")
        row = page.get_by_role("row").filter(has_text="By keyboard")
        await row.get_by_role("button", name="Revoke").focus()
        assert key
        assert key[0] not in await page.content()
        await page.keyboard.press("Enter")
        await page.get_by_role("dialog", name="Revoke By keyboard?").get_by_role("button", name="Revoke").focus()
        await page.keyboard.press("Enter")
        await page.get_by_text("The key no longer works.").wait_for()


async def test_a_webhook_is_added_tested_and_a_delivery_sent_again(console: OpenPage) -> None:
    async with receiver_server() as receiver, console() as page:
        await page.goto("/console/developers/webhooks")
        await page.get_by_role("button", name="Add a webhook").first.click()
        await page.get_by_label("Address").fill(receiver.url)
        await page.get_by_label("Name").fill("Kitchen")
        await page.keyboard.press("Enter")
        secret = page.get_by_role("dialog", name="Copy the secret now")
        await secret.get_by_role("button", name="Done").click()
        await page.get_by_role("link", name="Kitchen").click()
        await page.get_by_role("button", name="Send a test event").click()
        await page.get_by_role("cell", name="Delivered").wait_for()
        await page.get_by_role("button", name="Look at").click()
        await page.get_by_role("button", name="Send again").click()
        await expect(page.get_by_role("table", name="Attempts").get_by_role("row")).to_have_count(3)

        first, again = receiver.requests
        assert first.body == again.body


async def test_what_a_paused_webhook_missed_is_sent_and_its_secret_changed(
    console: OpenPage, owned: Api, account: Any
) -> None:
    """Resuming offers what was missed; a secret is prepared, activated, and the old one ended, each by one button.

    The times of a replay are those of the workspace, as all others, and not those of the browser.
    """
    async with receiver_server() as receiver, console(timezone_id="Asia/Tokyo") as page:
        webhook = await owned.post("/webhooks", json={"url": receiver.url, "name": "Oven", "events": ["post.queued"]})
        await page.goto(f"/console/developers/webhooks/{webhook['id']}")
        await page.get_by_role("button", name="Pause").click()
        await page.get_by_role("button", name="Resume").wait_for()
        body = {"profileId": owned.profile, "targets": [{"accountId": account["id"]}], "text": "Missed by the oven"}
        post = await owned.post("/posts", json=body)
        await page.get_by_role("button", name="Resume").click()
        missed = page.get_by_role("dialog", name="Send what it missed?")
        await missed.get_by_role("button", name="Send", exact=True).click()
        (request,) = await receiver.wait(1)
        assert request.json["data"]["postId"] == post["id"]
        await page.get_by_role("cell", name="Delivered").wait_for()

        await page.get_by_role("button", name="Replay").click()
        again = page.get_by_role("dialog", name="Send again")
        await again.get_by_label("From").fill("2026-01-02T03:04")
        async with page.expect_request("**/replay") as sent:
            await again.get_by_role("button", name="Send", exact=True).click()
        zone = ZoneInfo((await owned.get("/auth/me"))["workspace"]["timezone"])
        since = datetime.fromisoformat((await sent.value).post_data_json["from"])
        assert since == datetime(2026, 1, 2, 3, 4, tzinfo=zone)
        await again.wait_for(state="hidden")

        await page.get_by_role("button", name="New secret").click()
        await page.get_by_label("What about the old one?").select_option("prepare")
        await page.get_by_role("button", name="Make a new secret").click()
        await page.get_by_role("dialog", name="Copy the secret now").get_by_role("button", name="Done").click()
        await page.get_by_role("button", name="Activate", exact=True).click()
        await page.get_by_role("button", name="End it now").click()
        await expect(page.get_by_role("button", name="End it now")).to_have_count(0)


async def test_a_teammate_is_invited_and_joins(console: OpenPage, open_page: OpenPage, owned: Api) -> None:
    async with console() as page:
        await page.goto("/console/team")
        await page.get_by_role("button", name="Invite someone").click()
        await page.get_by_label("E-mail").fill("new@example.test")
        await page.get_by_label("Role", exact=True).select_option("viewer")
        await page.keyboard.press("Enter")
        link = await page.get_by_role("dialog", name="Invited").locator("pre").inner_text()
        await page.get_by_role("button", name="Done").click()
        await expect(page.get_by_role("row").filter(has_text="new@example.test")).to_contain_text("Invited")

    async with open_page(at=owned.service) as guest:
        await guest.goto(link)
        await guest.get_by_label("Password").fill("correct horse battery")
        await guest.get_by_role("button").first.click()
        await guest.get_by_role("link", name="Sign in").click()
        await guest.get_by_label("E-mail").fill("new@example.test")
        await guest.get_by_label("Password").fill("correct horse battery")
        await guest.keyboard.press("Enter")
        await guest.get_by_role("heading", name="Home").wait_for()
        assert await guest.get_by_role("link", name="Write a post").count() == 0, "a viewer only reads"


@pytest.mark.parametrize("language", [*TRANSLATED, "ar-XB"])
async def test_other_languages_fit_and_mirror(console: OpenPage, account: Any, language: str) -> None:
    async with console(viewport={"width": 360, "height": 900}) as page:
        for path in ("", "posts", "compose"):
            await page.goto(f"/console/{path}?lang={language}")
            await expect(page.locator("main h1")).to_be_visible()
            assert await page.evaluate("document.documentElement.scrollWidth") <= 360
            heading = await page.locator("main h1").inner_text()
            english = {"": "Home", "posts": "Posts", "compose": "Write a post"}[path]
            said = catalogs.everything(language).get(english, "")
            assert heading.startswith("[") if language == "ar-XB" else heading == said
        assert await page.evaluate("document.documentElement.dir") == ("rtl" if language == "ar-XB" else "ltr")
