"""The inbox that a person can empty: by mouse and by keyboard, wide and on a phone."""

import secrets

import pytest
from playwright.async_api import Page, Route, expect
from tests.console.browser import OpenPage, violations
from tests.console.pages import sources, visit
from tests.console.test_approval_in_browser import signed_in_contributor
from tests.helpers.service_process import Api

from signalpost.networks import CONNECTORS, capabilities
from signalpost.networks.counting import length
from signalpost.networks.replies import addressed

pytestmark = pytest.mark.xdist_group("browser")


async def commented(owned: Api) -> dict[str, str]:
    """A client with a post that three people commented on."""
    profile: dict[str, str] = await owned.post("/profiles", json={"name": f"Bakery {secrets.token_hex(3)}"})
    await owned.post("/platforms/sandbox/connect", json={"profileId": profile["id"], "fields": {"username": "bakery"}})
    text = f"Rye bread today {secrets.token_hex(4)} [[comments:3]]"
    await owned.post("/posts", json={"profileId": profile["id"], "text": text, "platforms": ["sandbox"]})

    async def are_there() -> bool:
        return len((await owned.get("/comments", params={"profileId": profile["id"]}))["data"]) == 3

    await owned.service.until(are_there, "comments of the post")
    return profile


async def focused(page: Page) -> str:
    return str(await page.evaluate("document.activeElement.closest('.inbox li')?.dataset.id ?? ''"))


async def test_comments_are_answered_done_and_found_by_keyboard(console: OpenPage, owned: Api, axe: str) -> None:
    profile = await commented(owned)
    async with console(viewport={"width": 1200, "height": 1000}) as page:
        await visit(page, f"/console/inbox?profileId={profile['id']}")
        rows = page.locator(".inbox li")
        await expect(rows).to_have_count(3)
        assert await violations(page, axe) == []
        await page.keyboard.press("j")
        first = await focused(page)
        await page.keyboard.press("j")
        assert first
        assert await focused(page) not in ("", first)
        await page.keyboard.press("k")
        assert await focused(page) == first
        await page.keyboard.press("e")
        await expect(rows).to_have_count(2)

        await page.keyboard.press("r")
        await expect(page.get_by_role("heading", name="The post")).to_be_visible()
        await expect(page.get_by_text("Rye bread today")).to_be_visible()
        assert await violations(page, axe) == []
        await expect(page.get_by_label("Answer as")).to_be_focused()
        await page.keyboard.type("At our shop, until six.")
        await expect(page.get_by_text("4,977 characters left")).to_be_visible()
        await page.get_by_role("button", name="Send the answer").click()
        await expect(page.get_by_text("was sent")).to_be_visible()
        await expect(page.get_by_role("button", name="To do again")).to_be_visible()
        await expect(page.get_by_text("has answered, or is about to.")).to_have_count(0)  # it was the person here
        await expect(page.get_by_role("heading", name="Also said there")).to_be_visible()
        await expect(page.locator(".timeline .timeline li")).to_contain_text(["At our shop, until six."])
        assert await violations(page, axe) == []
        await visit(page, f"/console/inbox?profileId={profile['id']}")
        await expect(rows).to_have_count(1)
    [comment] = (await owned.get("/comments", params={"profileId": profile["id"], "state": "open"}))["data"]
    assert comment["replies"] == []


async def test_a_comment_is_assigned_hidden_and_deleted_on_a_phone(console: OpenPage, owned: Api) -> None:
    profile = await commented(owned)
    [comment, *_] = (await owned.get("/comments", params={"profileId": profile["id"]}))["data"]
    async with console(viewport={"width": 360, "height": 740}) as page:
        await visit(page, f"/console/inbox/{comment['id']}")
        await page.get_by_label("Member").select_option(index=1)
        await page.get_by_role("button", name="Hide from others").click()
        await expect(page.get_by_role("button", name="Show to others again")).to_be_visible()
        await page.get_by_role("button", name="Like").click()
        await expect(page.get_by_role("button", name="Like")).to_have_count(0)
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "it scrolls sideways"
        await page.get_by_role("button", name="Delete at the network").click()
        await page.get_by_role("dialog").get_by_role("button", name="Delete at the network").click()
        await expect(page.get_by_text("This comment was deleted.")).to_be_visible()
    now = await owned.get(f"/comments/{comment['id']}")
    assert (now["hidden"], now["liked"], now["text"], now["assignee"] is not None) == (True, True, "", True)


async def test_why_an_answer_was_not_sent_is_said_in_the_language_of_the_page(
    console: OpenPage, owned: Api, axe: str
) -> None:
    """What the network itself says is quoted, in its own words."""
    profile = await commented(owned)
    [comment, *_] = (await owned.get("/comments", params={"profileId": profile["id"]}))["data"]
    await owned.post(f"/comments/{comment['id']}/reply", json={"text": "Hello [[fail:content_rejected]]"})

    async def has_failed() -> bool:
        return (await owned.get(f"/comments/{comment['id']}"))["replies"][0]["state"] == "failed"

    await owned.service.until(has_failed, "answer that the network refuses")
    [reply] = (await owned.get(f"/comments/{comment['id']}"))["replies"]
    async with console(locale="de-DE", viewport={"width": 360, "height": 740}) as page:
        await visit(page, f"/console/inbox/{comment['id']}")
        refused = "Das Netzwerk hat die Antwort abgelehnt. Ändern Sie sie, und antworten Sie dann noch einmal."
        await expect(page.get_by_text(refused, exact=True)).to_be_visible()
        await expect(page.locator('q[lang="en"]')).to_have_text(reply["error"]["message"])
        assert await violations(page, axe) == []


async def test_who_answers_second_is_warned_before_and_refused_if_the_page_was_too_slow(
    console: OpenPage, owned: Api
) -> None:
    profile = await commented(owned)
    slow, live, *_ = (await owned.get("/comments", params={"profileId": profile["id"]}))["data"]
    async with console(expected={409}, viewport={"width": 1200, "height": 1000}) as page:
        await visit(page, f"/console/inbox/{live['id']}")
        await expect(page.get_by_label("Answer as")).to_be_visible()
        await owned.post(f"/comments/{live['id']}/reply", json={"text": "Answered by a program."})
        await expect(page.get_by_text("has answered, or is about to.")).to_be_visible(timeout=60_000)

        stale = await owned.get(f"/comments/{slow['id']}")
        refused = False

        async def show_before(route: Route) -> None:
            """What the comment was before, until an answer was refused."""
            await (route.continue_() if refused else route.fulfill(json=stale))

        async def send(route: Route) -> None:
            nonlocal refused
            response = await route.fetch()
            refused = response.status == 409
            await route.fulfill(response=response)

        await page.route(f"**/api/v1/comments/{slow['id']}", show_before)
        await page.route(f"**/api/v1/comments/{slow['id']}/reply", send)
        await visit(page, f"/console/inbox/{slow['id']}")
        await owned.post(f"/comments/{slow['id']}/reply", json={"text": "Answered by a program."})
        await page.get_by_label("Answer as").fill("Mine.")
        await page.get_by_role("button", name="Send the answer").click()
        await expect(page.get_by_text("Someone has answered this comment, or is about to.")).to_be_visible()
        await expect(page.get_by_text("has answered, or is about to.")).to_be_visible()
        await expect(page.get_by_label("Answer as")).to_have_value("Mine.")
    replies = (await owned.get(f"/comments/{slow['id']}"))["replies"]
    assert [reply["text"] for reply in replies] == ["Answered by a program."]


async def test_a_contributor_asks_for_an_answer_and_is_offered_nothing_that_is_refused(
    open_page: OpenPage, owned: Api
) -> None:
    """Hiding, liking and deleting are for who publishes; an answer of someone else is not theirs to take back."""
    profile = await commented(owned)
    [comment, *_] = (await owned.get("/comments", params={"profileId": profile["id"]}))["data"]
    first, second = await signed_in_contributor(owned), await signed_in_contributor(owned)
    async with (
        open_page(at=owned.service, storage_state=first) as author,
        open_page(at=owned.service, storage_state=second) as other,
    ):
        await visit(author, f"/console/inbox/{comment['id']}")
        await author.get_by_label("Answer as").fill("May I say this?")
        await author.get_by_role("button", name="Ask for approval").click()
        await expect(author.get_by_role("button", name="Take back")).to_be_visible()
        await visit(other, f"/console/inbox/{comment['id']}")
        await expect(other.get_by_text("May I say this?")).to_be_visible()
        await expect(other.get_by_role("button", name="Take back")).to_have_count(0)
        for page in (author, other):
            await expect(page.get_by_role("link", name="Inbox").first).to_be_visible()
            for name in ("Hide from others", "Like", "Delete at the network", "Approve"):
                await expect(page.get_by_role("button", name=name)).to_have_count(0)


COUNTED = [
    "", "abc", "a\r\nb", "e\u0301", "👍🏽", "👩‍👩‍👧‍👦 🇩🇪🇫🇷 #️⃣", "नमस्ते 한국어 日本", "a🎈", "“q”…",
    "https://example.com/" + "x" * 200, "(https://e.org/a_(b)).", "https://e.org/x, and", "http://localhost",
    "@alice@m.example, @bob", "mail alice@example.com", "🎈 https://ä.example/ü?q=日本", "x@y.example @z@", "@ada hi",
    "@ADA@far.example. Hi", "@ada@far.example.org hi", "@ada@far.example-x",
]  # fmt: skip
LEFT = """async ({ folder, texts, handle, rules }) => {
  const { leftOf } = await import(folder + "text-length.js");
  return texts.map((text) => leftOf(text, handle, rules));
}"""


async def test_the_counter_counts_as_each_network_does(console: OpenPage) -> None:
    """What the page says is left is what the service would take."""
    answered = {key: connector for key, connector in CONNECTORS.items() if connector.reply is not None}
    async with console() as page:
        await visit(page, "/console/inbox")
        folder = await sources(page)
        for key, connector in answered.items():
            facts = connector.facts
            rule, handle = facts.reply_text or facts.text, "ada@far.example"
            rules = capabilities(connector)["comments"]["replyText"]
            counted = {"folder": folder, "texts": COUNTED, "handle": handle, "rules": rules}
            shown = await page.evaluate(LEFT, counted)
            sent = [addressed(text, handle) if facts.replies_mention else text for text in COUNTED]
            expected = [rule.max_length - length(rule, text) for text in sent]
            if rule.bytes_max is not None:
                expected = [
                    min(left, rule.bytes_max - len(text.encode())) for left, text in zip(expected, sent, strict=True)
                ]
            assert shown == expected, key
