"""Queues, links between clients, passing on and rewriting, by clicks."""

import secrets
from typing import Any

import pytest
from playwright.async_api import expect
from tests.console.browser import OpenPage, violations
from tests.console.pages import visit
from tests.helpers.service_process import Api

pytestmark = pytest.mark.xdist_group("browser-posts")


@pytest.fixture
async def shops(owned: Api) -> list[Any]:
    """Two clients with a sandbox account each, of one test alone."""
    made = []
    for name in ("Chain", "Shop"):
        profile = await owned.post("/profiles", json={"name": f"{name} {secrets.token_hex(3)}"})
        body = {"profileId": profile["id"], "fields": {"username": f"{name.lower()}{secrets.token_hex(3)}"}}
        profile["account"] = await owned.post("/platforms/sandbox/connect", json=body)
        made.append(profile)
    return made


async def test_a_queue_is_made_changed_rests_and_is_deleted(
    console: OpenPage, owned: Api, shops: list[Any], axe: str
) -> None:
    """On a phone; what comes next stands beside it, and a name that is taken is said at its field."""
    profile = shops[0]
    async with console(viewport={"width": 360, "height": 900}, expected={409}) as page:
        await visit(page, f"/console/queues?profileId={profile['id']}")
        await page.get_by_role("link", name="New queue").first.click()
        await page.get_by_label("Name").fill("Mornings")
        await page.get_by_label("Time", exact=True).fill("07:15")
        await page.get_by_role("button", name="Sat").click()
        await page.get_by_role("button", name="Add a time").click()
        await page.get_by_label("Time", exact=True).nth(1).fill("18:00")
        await page.get_by_label("Time zone").select_option("Asia/Tokyo")
        assert await page.evaluate("document.documentElement.scrollWidth") <= 360
        await page.get_by_role("button", name="Save").click()
        await expect(page.get_by_role("heading", name="Mornings")).to_be_visible()
        await expect(page.get_by_text("free", exact=True)).to_have_count(10)
        assert await violations(page, axe) == []
        [queue] = (await owned.get("/queues", params={"profileId": profile["id"]}))["data"]
        assert queue["slots"] == [
            {"time": "07:15", "days": [0, 1, 2, 3, 4, 5]},
            {"time": "18:00", "days": [0, 1, 2, 3, 4, 5]},
        ]
        assert (queue["timezone"], queue["active"], queue["isDefault"]) == ("Asia/Tokyo", True, True)

        await page.get_by_label("Gives out times").uncheck()
        await page.get_by_role("button", name="Leave out 18:00").click()
        await page.get_by_role("button", name="Save").click()
        await expect(page.get_by_text("The queue rests: it gives out no times.")).to_be_visible()
        queue = await owned.get(f"/queues/{queue['id']}")
        assert (queue["active"], len(queue["slots"])) == (False, 1)

        await visit(page, f"/console/queues/new?profileId={profile['id']}")
        await page.get_by_label("Name").fill("mornings")
        await page.get_by_role("button", name="Save").click()
        await expect(page.locator(".field .error")).to_have_text("Another queue of the profile has this name.")

        await visit(page, f"/console/queues/{queue['id']}")
        await page.get_by_role("button", name="Delete").click()
        await page.get_by_role("dialog").get_by_role("button", name="Delete").click()
        await expect(page.get_by_role("heading", name="No queue yet")).to_be_visible()
    assert (await owned.get("/queues", params={"profileId": profile["id"]}))["data"] == []


async def test_clients_are_linked_and_a_post_is_passed_on(
    console: OpenPage, owned: Api, shops: list[Any], axe: str
) -> None:
    """What the parent publishes goes on by itself with the words in front; single posts by hand, as drafts."""
    chain, shop = shops
    async with console(viewport={"width": 1280, "height": 900}) as page:
        await visit(page, "/console/clients/links")
        await page.get_by_role("button", name="Link two clients").first.click()
        dialog = page.get_by_role("dialog")
        await dialog.get_by_label("Posts of").select_option(label=chain["name"])
        await dialog.get_by_label("Also go out at").select_option(label=shop["name"])
        await dialog.get_by_label("As drafts").check()
        await dialog.get_by_label("Words in front").fill("From the chain: ")
        assert await violations(page, axe) == []
        await dialog.get_by_role("button", name="Save").click()
        row = page.get_by_role("row").filter(has_text=shop["name"]).first
        await expect(row).to_contain_text("as a draft, “From the chain:”")
        [link] = [each for each in (await owned.get("/profiles/links"))["data"] if each["childProfileId"] == shop["id"]]
        assert (link["parentProfileId"], link["rules"]["asDraft"]) == (chain["id"], True)

        await row.get_by_role("button", name=f"End the link to {shop['name']}").click()
        await dialog.get_by_role("button", name="End it").click()
        await expect(page.get_by_role("link", name="Link two clients")).to_have_count(0)
        await expect(page.get_by_role("cell", name="Link ended").first).to_be_visible()

        body = {"profileId": chain["id"], "text": "Open on Sunday", "draft": True}
        post = await owned.post("/posts", json=body | {"targets": [{"accountId": chain["account"]["id"]}]})
        await visit(page, f"/console/posts/{post['id']}")
        await page.get_by_role("button", name="Pass on…").click()
        await dialog.get_by_label(shop["name"]).check()
        await dialog.get_by_role("button", name="Pass on").click()
        await expect(dialog.get_by_role("heading", name="Passed on to 1 client")).to_be_visible()
    [passed] = (await owned.get("/posts", params={"profileId": shop["id"]}))["data"]
    assert (passed["text"], passed["status"]) == ("Open on Sunday", "draft")


async def test_a_text_is_rewritten_for_a_network(console: OpenPage, shops: list[Any], axe: str) -> None:
    """By rules, without a model; it is taken into the text, and nothing is saved."""
    chain = shops[0]
    async with console(viewport={"width": 1280, "height": 900}) as page:
        await visit(page, f"/console/compose?profileId={chain['id']}")
        text = page.get_by_label("Text", exact=True)
        await text.fill("**Our spring menu** is here.\n\n#food #spring #menu")
        await page.get_by_role("button", name="Rewrite…").click()
        dialog = page.get_by_role("dialog")
        await dialog.get_by_label("Hashtags at most").fill("1")
        await dialog.get_by_role("button", name="Suggest").click()
        await expect(dialog.get_by_text("by rules")).to_be_visible()
        assert await violations(page, axe) == []
        await dialog.get_by_role("button", name="Use it for Sandbox").click()
        await dialog.get_by_role("button", name="Close").last.click()
        await expect(text).to_have_value("Our spring menu is here.\n\n#food")
        await page.evaluate("localStorage.clear()")


async def test_drafts_get_times_all_at_once(console: OpenPage, owned: Api, shops: list[Any], axe: str) -> None:
    """The oldest first, on the days that are chosen."""
    shop = shops[1]
    body = {"profileId": shop["id"], "targets": [{"accountId": shop["account"]["id"]}], "draft": True}
    drafts = [await owned.post("/posts", json=body | {"text": f"Draft {number}"}) for number in range(3)]
    async with console(viewport={"width": 360, "height": 900}) as page:
        await visit(page, f"/console/posts?status=draft&profileId={shop['id']}")
        await page.get_by_role("button", name="Schedule these…").click()
        dialog = page.get_by_role("dialog")
        await dialog.get_by_label("Times of a day").fill("08:30, 19:00")
        assert await violations(page, axe) == []
        await dialog.get_by_role("button", name="Schedule").click()
        await expect(dialog.get_by_role("heading", name="3 drafts are scheduled")).to_be_visible()
    times = [(await owned.get(f"/posts/{draft['id']}"))["scheduledAt"] for draft in drafts]
    assert sorted(times) == times
    assert [time[11:16] for time in times] == ["08:30", "19:00", "08:30"]
