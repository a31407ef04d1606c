"""Drafts: saved while they are written, one post each, whatever is lost; nobody's text is erased by another."""

import asyncio
import re
import secrets
from typing import Any

import pytest
from playwright.async_api import Locator, Page, Route, expect
from tests.console import coming
from tests.console.browser import OpenPage, pick, violations
from tests.console.watch import AWAY
from tests.helpers.service_process import Api

pytestmark = pytest.mark.xdist_group("browser-posts")

OFFLINE = "net::ERR_INTERNET_DISCONNECTED"
SAVED = re.compile("/console/compose/pst_")
LATER = f"{coming.day(6, 1)}T12:00:00.000Z"
POSTS = re.compile(r"/api/v1/posts(/pst_\w+)?$")


@pytest.fixture(scope="module")
async def client(owned: Api) -> Any:
    """A client with two accounts, so that none is chosen by itself."""
    profile = await owned.post("/profiles", json={"name": "Drafts"})
    accounts = [
        await owned.post(
            "/platforms/sandbox/connect", json={"profileId": profile["id"], "fields": {"username": username}}
        )
        for username in ("first", "second")
    ]
    return profile | {"accounts": accounts}


@pytest.fixture
def word() -> str:
    """What only the posts of one test have."""
    return f"w{secrets.token_hex(5)}"


def text_of(page: Page) -> Locator:
    return page.get_by_label("Text", exact=True)


async def begin(page: Page, client: Any, text: str = "") -> None:
    await page.goto(f"/console/compose?profileId={client['id']}")
    await text_of(page).fill(text)


async def save(page: Page) -> str:
    """Save at once, and return the id."""
    await text_of(page).press("Control+s")
    await page.wait_for_url(SAVED)
    await expect(page.get_by_text("Saved", exact=True)).to_be_visible()
    return page.url.rpartition("/")[2]


async def hold_saving(page: Page) -> asyncio.Event:
    """Have nothing that is written on this page reach the service before the event is set: it saves by itself."""
    may_go = asyncio.Event()

    async def wait(route: Route) -> None:
        if route.request.method != "GET":
            await may_go.wait()
        await route.fallback()

    await page.route(POSTS, wait)
    return may_go


async def save_by_hand(page: Page) -> None:
    """Have nothing that is written on this page be saved before somebody saves it, however slow the machine is."""
    await page.evaluate(
        "() => { const timer = setTimeout; setTimeout = (act, ...rest) => rest[0] >= 2000 ? 0 : timer(act, ...rest) }"
    )


async def posts(owned: Api, word: str) -> list[Any]:
    return list((await owned.get("/posts", params={"q": word}))["data"])


async def local(page: Page) -> int:
    """Return how many drafts this browser has, and the service has not."""
    return int(await page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('draft:')).length"))


async def test_what_is_typed_is_saved_by_itself_and_found_elsewhere(
    console: OpenPage, owned: Api, client: Any, word: str
) -> None:
    """Without an account; half a link stays in the browser, and its field says why."""
    async with console(expected={422}) as page, console() as elsewhere:
        await begin(page, client, f"{word} begun")
        await page.wait_for_url(SAVED)
        await expect(text_of(page)).to_be_focused()
        await page.keyboard.type(" and")
        await page.get_by_text("More: first comment").click()
        await page.get_by_label("Link").fill("not a link")
        await expect(page.get_by_label("Link")).to_have_attribute("aria-invalid", "true")
        await elsewhere.goto(page.url)
        await expect(text_of(elsewhere)).to_have_value(f"{word} begun and")
        await page.reload()
        await expect(page.get_by_label("Link")).to_have_value("not a link")
        await page.get_by_label("Link").fill("https://example.com")
        await expect(page.get_by_text("Saved", exact=True)).to_be_visible()
        assert await local(page) == 0

    [post] = await posts(owned, word)
    assert (post["status"], post["targets"], post["link"]) == ("draft", [], "https://example.com")


async def test_two_tabs_write_two_posts(console: OpenPage, owned: Api, client: Any, word: str) -> None:
    """Also a copy of a tab, which knows the same draft of the browser."""
    async with console() as page:
        other = await page.context.new_page()
        await begin(page, client, f"{word} tab one")
        await begin(other, client, f"{word} tab two")
        await page.reload()
        await expect(text_of(page)).to_have_value(f"{word} tab one")
        await save(page)
        await save(other)
        assert {post["text"] for post in await posts(owned, word)} == {f"{word} tab one", f"{word} tab two"}

        await page.goto(f"/console/compose?profileId={client['id']}")
        await expect(text_of(page)).to_have_value("")
        await save_by_hand(page)  # a draft whose saving has begun would be one of both tabs
        await text_of(page).fill(f"{word} copied")
        await other.goto(page.url)
        await other.evaluate("(state) => history.replaceState(state, '')", await page.evaluate("history.state"))
        await other.reload()
        await expect(text_of(other)).to_have_value(f"{word} copied")
        await text_of(other).fill(f"{word} copied and changed")
        await save(page)
        await save(other)
        now = {post["text"] for post in await posts(owned, word)}
        assert now >= {f"{word} copied", f"{word} copied and changed"}


async def test_people_who_change_other_fields_are_brought_together(
    console: OpenPage, owned: Api, client: Any, word: str
) -> None:
    draft = await owned.post("/posts", json={"profileId": client["id"], "text": word, "draft": True})
    async with console(expected={412}) as page, console(expected={412}) as other:
        for opened in (page, other):
            await opened.goto(f"/console/compose/{draft['id']}")
        await text_of(page).fill(f"{word} rewritten")
        await other.get_by_text("More: first comment").click()
        await other.get_by_label("Title").fill("A title")
        await save(other)
        await expect(page.get_by_label("Title")).to_have_value("A title")
        await expect(page.get_by_role("status").filter(has_text="changed this draft")).to_contain_text("Title")
        await save(page)
        await expect(text_of(other)).to_have_value(f"{word} rewritten")

    [post] = await posts(owned, word)
    assert (post["text"], post["title"]) == (f"{word} rewritten", "A title")


@pytest.mark.parametrize(("choice", "wins", "apart"), [("Take the other", 1, 0), ("Keep mine", 0, 1)])
async def test_who_changes_the_same_field_chooses_and_nothing_is_lost(
    console: OpenPage, owned: Api, client: Any, word: str, axe: str, choice: str, wins: int, apart: int
) -> None:
    texts = [f"{word} of the first", f"{word} of the second"]
    draft = await owned.post("/posts", json={"profileId": client["id"], "text": word, "draft": True})
    async with console(expected={412}) as page, console() as other:
        is_saved = await hold_saving(page)
        for opened in (page, other):
            await opened.goto(f"/console/compose/{draft['id']}")
        await text_of(page).fill(texts[0])
        await text_of(other).fill(texts[1])
        await save(other)
        is_saved.set()
        await page.get_by_text("Both of you changed: Text").wait_for()
        await page.get_by_role("button", name="Compare").click()
        for name, text in zip(("Mine", "The other"), texts, strict=True):
            await expect(page.locator("section").filter(has=page.get_by_role("heading", name=name))).to_contain_text(
                text
            )
        assert await violations(page, axe) == []
        await page.get_by_role("button", name=choice).click()
        await expect(text_of(page)).to_have_value(texts[wins])
        await expect(page.get_by_text("Saved", exact=True)).to_be_visible()

    found = {post["id"]: post["text"] for post in await posts(owned, word)}
    assert found.pop(draft["id"]) == texts[wins]
    assert list(found.values()) == [texts[apart]]


MODES = {"save": "draft", "publish": "now", "schedule": "schedule"}
LOST = [
    ("POST", "save", "wait"), ("POST", "save", "reload"), ("PATCH", "save", "reload"), ("PATCH", "publish", "wait"),
    ("PATCH", "publish", "reload"), ("PATCH", "schedule", "wait"),
]  # fmt: skip


@pytest.mark.parametrize(("method", "step", "then"), LOST)
async def test_an_answer_that_is_lost_makes_no_second_post(
    console: OpenPage, owned: Api, client: Any, word: str, method: str, step: str, then: str
) -> None:
    """The service has done its part; the page hears nothing, and asks again, or is loaded again."""
    text = f"{word} through a tunnel"
    async with console(expected={412, 503}) as page:
        lost: list[str] = []
        is_open = False

        async def lose(route: Route) -> None:
            body = route.request.post_data_json if route.request.method == method else None
            if body is None or is_open or body["publishMode"] != MODES[step]:
                await route.fallback()
                return
            answer = await route.fetch()
            lost.append(f"{answer.status}")
            await route.fulfill(status=503, json={"code": "unavailable"})

        if method == "POST":
            await page.route(POSTS, lose)
        await begin(page, client, f"{word} before" if method == "PATCH" else text)
        await page.get_by_role("button", name="first").click()
        if method == "PATCH":
            await save(page)
            await page.route(POSTS, lose)
            await text_of(page).fill(text)
        await go(page, step)
        await owned.service.until(lambda: _is_true(lost), "a lost answer")
        if then == "reload":
            await page.reload()
        is_open = True
        if step == "save":
            await expect(page.get_by_text("Saved", exact=True)).to_be_visible()
        else:
            await page.wait_for_url(re.compile("/console/posts/pst_"))
        assert await local(page) == 0
        assert set(lost) <= {"200", "201", "412"}

    [post] = await posts(owned, word)
    assert post["text"] == text
    ends = {"save": {"draft"}, "publish": {"queued", "publishing", "published"}, "schedule": {"scheduled"}}
    assert post["status"] in ends[step]


async def go(page: Page, step: str) -> None:
    """Press what saves, publishes or schedules."""
    if step == "publish":
        await page.get_by_role("button", name="Publish now").click()
    elif step == "schedule":
        await pick(page, "At a time")
        await page.get_by_role("button", name="Schedule").click()
    else:
        await text_of(page).press("Control+s")


async def _is_true(values: list[str]) -> bool:
    return bool(values)


async def test_offline_it_stays_in_the_browser_and_is_saved_afterwards(
    console: OpenPage, owned: Api, client: Any, word: str
) -> None:
    async with console(expected={OFFLINE}) as page:
        await begin(page, client, f"{word} half")
        await save(page)
        await page.context.set_offline(True)
        await text_of(page).fill(f"{word} half, and the other half")
        await page.get_by_text("No connection.").wait_for()
        await expect(page.get_by_text("Kept in this browser")).to_be_visible()
        assert await local(page) == 1
        await page.context.set_offline(False)
        await expect(page.get_by_text("Saved", exact=True)).to_be_visible()

    [post] = await posts(owned, word)
    assert post["text"] == f"{word} half, and the other half"


async def test_the_service_ends_in_the_middle_and_there_is_one_post(
    console: OpenPage, owned: Api, client: Any, mastodon: str, word: str
) -> None:
    """Killed while someone writes and publishes: it is sent when the service is back."""
    async with console(expected={*AWAY, 503}) as page:
        await begin(page, client, f"{word} before it ended")
        await page.get_by_role("button", name="first").click()
        await owned.service.kill()
        try:
            await text_of(page).fill(f"{word} and after")
            await page.get_by_role("button", name="Publish now").click()
            await page.get_by_text("No connection.").wait_for()
            assert await local(page) == 1
        finally:
            await owned.service.start(SIGNALPOST_TRUSTED_PROXIES="1", SIGNALPOST_MASTODON_BASE_URL=mastodon)
        await page.wait_for_url(re.compile("/console/posts/pst_"))
        assert await local(page) == 0

    [post] = await posts(owned, word)
    assert post["text"] == f"{word} and after"


async def test_what_only_the_browser_has_is_listed_and_opened(
    console: OpenPage, owned: Api, client: Any, word: str, axe: str
) -> None:
    """A tab was closed before its draft was saved; also one that an earlier version of the console had."""
    async with console(expected={503}) as page:
        await page.route(POSTS, lambda route: route.fulfill(status=503, json={"code": "unavailable"}))
        await begin(page, client, f"{word} never sent")
        await page.evaluate(
            """(text) => {
              const [key] = Object.keys(localStorage).filter((key) => key.startsWith("draft:"));
              const { draft } = JSON.parse(localStorage[key]);
              localStorage[key.replace(/[^:]+$/, "new")] = JSON.stringify({ ...draft, text });
            }""",
            f"{word} of an earlier version",
        )
        await page.unroute_all(behavior="ignoreErrors")
        await page.route(re.compile("/api/v1/posts$"), _hold_back)
        await page.goto(f"/console/compose?profileId={client['id']}")
        await page.get_by_role("button", name="Drafts").click()
        dialog = page.get_by_role("dialog", name="Drafts")
        await expect(dialog.get_by_text("only in this browser")).to_have_count(2)
        assert await violations(page, axe) == []
        await page.unroute_all(behavior="ignoreErrors")
        await dialog.get_by_role("link", name=f"{word} never sent").click()
        await expect(text_of(page)).to_have_value(f"{word} never sent")
        await save(page)
        await page.get_by_role("button", name="Drafts").click()
        await dialog.get_by_role("link", name=f"{word} of an earlier version").click()
        await expect(text_of(page)).to_have_value(f"{word} of an earlier version")
        await save(page)
        assert await local(page) == 0

    assert {post["text"] for post in await posts(owned, word)} == {
        f"{word} never sent", f"{word} of an earlier version",
    }  # fmt: skip


async def _hold_back(route: Route) -> None:
    if route.request.method == "GET":
        await route.fallback()
    else:
        await route.fulfill(status=503, json={"code": "unavailable"})


async def test_a_draft_goes_to_another_client_and_loses_its_accounts(
    console: OpenPage, owned: Api, client: Any, word: str
) -> None:
    async with console() as page:
        await begin(page, client, f"{word} for whom")
        await page.get_by_role("button", name="first").click()
        first = await save(page)
        await page.get_by_role("button", name="first").click()
        await expect(page.get_by_text("Saved", exact=True)).to_be_visible()
        assert (await owned.get(f"/posts/{first}"))["targets"] == []
        await page.get_by_label("Client").select_option(value=owned.profile)
        second = await save(page)

    assert second != first
    [post] = await posts(owned, word)
    assert (post["id"], post["profileId"], post["text"]) == (second, owned.profile, f"{word} for whom")


async def test_discarded_and_brought_back_and_duplicated(console: OpenPage, owned: Api, client: Any, word: str) -> None:
    """What is being discarded is not asked for, whatever wakes the page meanwhile."""

    async def answer_late(route: Route) -> None:
        if route.request.method != "DELETE":
            await route.fallback()
            return
        answer = await route.fetch()
        await page.evaluate("dispatchEvent(new Event('online'))")
        await route.fulfill(response=answer)

    async with console() as page:
        await page.route(POSTS, answer_late)
        await begin(page, client, f"{word} not good")
        draft = await save(page)
        await page.get_by_role("button", name="Discard").click()
        await page.wait_for_url(re.compile(r"/console/posts\?status=draft"))
        assert await posts(owned, word) == []
        await page.locator(".toasts").get_by_role("button", name="Undo").click()
        await page.wait_for_url(re.compile(f"/console/compose/{draft}"))
        await page.get_by_role("button", name="Drafts").click()
        row = page.get_by_role("dialog").get_by_role("listitem").filter(has_text=word)
        await row.get_by_role("link", name="Duplicate").click()
        await page.wait_for_url(re.compile("copy="))
        await text_of(page).fill(f"{word} better")
        assert await save(page) != draft

    assert {post["text"] for post in await posts(owned, word)} == {f"{word} not good", f"{word} better"}


async def test_an_earlier_version_is_put_back(console: OpenPage, owned: Api, client: Any, word: str, axe: str) -> None:
    """What people and programs change are versions of their own; a long text is shown, and says what is missing."""
    draft = await owned.post("/posts", json={"profileId": client["id"], "text": f"{word} at first", "draft": True})
    await owned.call("PATCH", f"/posts/{draft['id']}", json={"text": f"{word} {'long ' * 500}", "tags": ["spring"]})
    async with console() as page:
        await page.goto(f"/console/compose/{draft['id']}")
        await text_of(page).fill(f"{word} at last")
        await page.get_by_role("button", name="Versions").click()
        rows = page.get_by_role("dialog", name="Earlier versions").get_by_role("listitem")
        await expect(rows).to_have_count(3)
        await expect(rows.nth(0)).to_contain_text("at last")
        await expect(rows.nth(1)).to_contain_text("only the beginning of texts over 2000")
        await expect(rows.nth(1).get_by_role("button")).to_have_count(0)
        assert await violations(page, axe) == []
        await rows.nth(2).get_by_role("button", name="Put back").click()
        await expect(text_of(page)).to_have_value(f"{word} at first")
        await save(page)

    [post] = await posts(owned, word)
    assert (post["text"], post["tags"]) == (f"{word} at first", [])


async def test_what_waits_for_its_time_changes_only_by_a_button(
    console: OpenPage, owned: Api, client: Any, word: str
) -> None:
    body = {
        "profileId": client["id"], "targets": [{"accountId": client["accounts"][0]["id"]}], "text": word,
        "scheduledAt": LATER,
    }  # fmt: skip
    post = await owned.post("/posts", json=body)
    async with console() as page:
        await page.goto(f"/console/compose/{post['id']}")
        await text_of(page).fill(f"{word}, changed")
        await expect(page.get_by_text("Kept in this browser")).to_be_visible()
        await page.reload()
        await expect(text_of(page)).to_have_value(f"{word}, changed")
        assert (await owned.get(f"/posts/{post['id']}"))["text"] == word
        await page.get_by_role("button", name="Schedule").click()
        await page.wait_for_url(re.compile("/console/posts/pst_"))

    now = await owned.get(f"/posts/{post['id']}")
    assert (now["text"], now["scheduledAt"], now["status"]) == (f"{word}, changed", post["scheduledAt"], "scheduled")


@pytest.mark.parametrize("deleted", [False, True])
async def test_a_draft_that_is_one_no_longer_is_not_written_to(
    console: OpenPage, owned: Api, client: Any, word: str, deleted: bool
) -> None:
    draft = await owned.post(
        "/posts",
        json={
            "profileId": client["id"], "targets": [{"accountId": client["accounts"][0]["id"]}],
            "text": word, "draft": True,
        },
    )  # fmt: skip
    async with console(expected={404, 409, 412}) as page:
        is_over = await hold_saving(page)
        await page.goto(f"/console/compose/{draft['id']}")
        await text_of(page).fill(f"{word}, written on")
        if deleted:
            await owned.call("DELETE", f"/posts/{draft['id']}")
        else:
            await owned.post(f"/queue/submit/{draft['id']}", json={"scheduledAt": LATER})
        is_over.set()
        await page.get_by_role("button", name="Go on with a draft of its own").click()
        await expect(page.get_by_text("Saved", exact=True)).to_be_visible()

    found = {post["text"]: post["status"] for post in await posts(owned, word)}
    assert found == {f"{word}, written on": "draft"} | ({} if deleted else {word: "scheduled"})
