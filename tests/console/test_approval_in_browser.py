"""Those who do not publish ask, and those who decide see it: approval in a real browser."""

import secrets
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from playwright.async_api import Page, expect
from tests.console.browser import OpenPage, pick, sign_in, violations
from tests.helpers.limits import TEST_SECONDS
from tests.helpers.service_process import Api

pytestmark = pytest.mark.xdist_group("browser-posts")


async def signed_in_contributor(owned: Api) -> dict[str, Any]:
    """What the browser of a new contributor has stored."""
    email = f"writer-{secrets.token_hex(4)}@example.test"
    invited = await owned.post("/team/invite", json={"email": email, "role": "contributor"})
    token = invited["inviteUrl"].rpartition("/")[2]
    body = {"name": "Willa Writer", "password": "correct horse battery"}
    async with httpx.AsyncClient(base_url=f"{owned.service.base_url}/api/v1", timeout=TEST_SECONDS) as client:
        accepted = await client.post(f"/team/invites/{token}/accept", json=body)
    assert accepted.status_code == 200, accepted.text
    return await sign_in(owned.service, email)


@pytest.fixture
async def contributor(owned: Api) -> dict[str, Any]:
    return await signed_in_contributor(owned)


@pytest.fixture
async def account(owned: Api) -> Any:
    return await owned.connect("sandbox", username="bakery")


async def begin(page: Page) -> None:
    await page.goto("/console/compose")
    chip = page.get_by_role("button", name="bakery")
    if await chip.get_attribute("aria-pressed") == "false":
        await chip.click()


async def ask(page: Page, text: str) -> None:
    await page.get_by_label("Text", exact=True).fill(text)
    await page.get_by_role("button", name="Ask for approval").click()
    await page.get_by_text("Willa Writer asks for approval.").wait_for()


@pytest.mark.usefixtures("account")
async def test_a_contributor_asks_and_the_owner_decides(
    open_page: OpenPage, console: OpenPage, owned: Api, contributor: dict[str, Any]
) -> None:
    """Changes are requested first, and seen by the author; what is approved then is published."""
    word = secrets.token_hex(4)
    async with open_page(at=owned.service, storage_state=contributor) as author, console() as page:
        await begin(author)
        await expect(author.get_by_role("button", name="Publish now")).to_have_count(0)
        await ask(author, f"Soup {word}, mispelt")
        await expect(author.get_by_role("button", name="Approve")).to_have_count(0)

        await page.goto("/console")
        await page.get_by_role("link", name=f"Decide Soup {word}, mispelt").click()
        await page.get_by_role("button", name="Request changes").click()
        await page.get_by_label("Note to the author").fill("It is: misspelt.")
        await page.get_by_role("dialog").get_by_role("button", name="Request changes").click()
        await page.get_by_text("requested changes.").wait_for()

        await author.get_by_text("It is: misspelt.").wait_for()
        await author.get_by_role("link", name="Edit").click()
        await ask(author, f"Soup {word}")

        await page.goto("/console")
        await page.get_by_role("link", name=f"Decide Soup {word}", exact=True).click()
        await page.get_by_role("button", name="Approve").click()
        await page.get_by_role("dialog", name="Approve this post?").get_by_text("It is published now.").wait_for()
        await page.get_by_role("dialog").get_by_role("button", name="Approve").click()
        await expect(page.get_by_role("main")).to_contain_text("Published")
        await expect(author.get_by_role("main")).to_contain_text("Published")


@pytest.mark.usefixtures("account")
async def test_a_time_is_kept_until_the_decision_and_a_rejected_post_is_not_published(
    open_page: OpenPage, console: OpenPage, owned: Api, contributor: dict[str, Any]
) -> None:
    day = (datetime.now(UTC) + timedelta(days=3)).strftime("%Y-%m-%d")
    async with open_page(at=owned.service, storage_state=contributor) as author, console() as page:
        await begin(author)
        await pick(author, "At a time")
        await author.get_by_label("Date and time").fill(f"{day}T10:00")
        await ask(author, f"Later {secrets.token_hex(4)}")
        post_id = author.url.rpartition("/")[2]
        assert (await owned.get(f"/posts/{post_id}"))["scheduledAt"].startswith(day)

        await page.goto(f"/console/posts/{post_id}")
        await page.get_by_role("button", name="Approve").click()
        await page.get_by_role("dialog").get_by_text("It is published at its time:").wait_for()
        await page.keyboard.press("Escape")
        await page.get_by_role("button", name="Reject").click()
        await page.get_by_label("Note to the author").fill("Not this week.")
        await page.get_by_role("dialog").get_by_role("button", name="Reject").click()
        await page.get_by_text("rejected this post.").wait_for()
        await author.get_by_text("Not this week.").wait_for()
    post = await owned.get(f"/posts/{post_id}")
    assert (post["status"], post["approval"]["state"], post["held"]) == ("scheduled", "rejected", True)


@pytest.mark.usefixtures("account")
async def test_a_request_stands_in_the_list_behind_however_many_drafts(
    open_page: OpenPage, console: OpenPage, owned: Api, contributor: dict[str, Any], axe: str
) -> None:
    """With a number in the navigation; it is decided there, and the author reads on home what to change."""
    word = secrets.token_hex(4)
    async with open_page(at=owned.service, storage_state=contributor) as author, console() as page:
        await begin(author)
        await ask(author, f"Bread {word}")
        profile = (await owned.get("/profiles"))["data"][0]["id"]
        for number in range(2):
            drafts = [{"profileId": profile, "text": f"Draft {number} {each} {word}"} for each in range(30)]
            await owned.post("/posts/bulk", json={"posts": drafts})

        await page.goto("/console")
        await page.get_by_role("link", name=f"Decide Bread {word}").wait_for()
        await page.get_by_role("link", name="Approvals").first.click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("Approvals")
        await expect(page.get_by_role("link", name="waiting for you")).to_be_visible()
        assert await violations(page, axe) == []
        await page.get_by_role("button", name=f"Request changes Bread {word}").click()
        await page.get_by_label("Note to the author").fill("Which bread?")
        await page.get_by_role("dialog").get_by_role("button", name="Request changes").click()
        await expect(page.get_by_role("link", name=f"Bread {word}")).to_have_count(0)
        await page.get_by_role("link", name="Changes requested").click()
        await expect(page.get_by_role("listitem").filter(has_text="Which bread?")).to_contain_text(word)

        await author.goto("/console")
        await expect(author.get_by_role("link", name=f"Look Bread {word}")).to_be_visible()
        await author.goto("/console/approvals/changes?mine=true")
        await author.get_by_role("link", name=f"Bread {word}").click()
        await author.get_by_role("link", name="Edit").click()
        await ask(author, f"Rye bread {word}")

        await page.set_viewport_size({"width": 360, "height": 900})
        await page.goto("/console/approvals")
        await page.get_by_role("button", name=f"Approve Rye bread {word}").click()
        assert await page.evaluate("document.documentElement.scrollWidth") <= 360
        await page.get_by_role("dialog").get_by_role("button", name="Approve").click()
        await expect(page.get_by_role("link", name=f"Rye bread {word}")).to_have_count(0)
        await page.goto("/console/approvals/approved")
        await expect(page.get_by_role("link", name=f"Rye bread {word}")).to_be_visible()
