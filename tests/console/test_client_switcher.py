"""The client that is chosen at the top of the console: every page lists what is theirs, as the API filters it."""

import asyncio
import re
import secrets
from collections import defaultdict
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.async_api import Page, Route, expect
from tests.console.browser import OpenPage, violations
from tests.console.pages import KEYS, all_of, visit
from tests.console.watch import operation_of
from tests.console.world import Person
from tests.helpers.service_process import Api

from signalpost.console.openapi import openapi_document
from signalpost.main import wiring

pytestmark = pytest.mark.xdist_group("browser")

LISTS: dict[str, set[str]] = {
    "": {"listPosts", "getPostStats", "listAccounts"},
    "posts": {"listPosts"},
    "approvals": {"listPosts", "listApprovalLinks"},
    "calendar": {"getPostCalendar", "listQueues"},
    "queues": {"listQueues"},
    "media": {"listMedia", "getMediaStats"},
    "accounts": {"listAccounts", "listPlatformInvites"},
    "analytics": {"getAnalyticsOverview", "exportAnalytics", "listAccountAnalytics", "getBestTimes"},
    "trash": {"listTrash"},
    "compose": {"listQueues"},
    "account": {"listCalendarLinks"},
}
"""Page -> what it, with its tabs, must have asked of the client that was chosen; the other pages ask nothing of one."""


class Agency(NamedTuple):
    """A workspace with two clients, each with an account."""

    person: Person
    workspace: str
    north: str
    south: str


@cache
def _filterable() -> set[str]:
    """Return the operations that can be limited to a profile by their query."""
    document = openapi_document(wiring.endpoints(), base_url="http://x", version="0", brand="Service")
    return {
        operation["operationId"]
        for operations in document["paths"].values()
        for operation in operations.values()
        if any(parameter.get("name") == "profileId" for parameter in operation.get("parameters", ()))
    }


def at_hours(hours: int) -> str:
    """So many hours from now."""
    return (datetime.now(UTC) + timedelta(hours=hours)).isoformat()


@pytest.fixture(scope="module")
async def agency(owned: Api, signed_in: dict[str, Any]) -> Agency:
    person = Person(owned.service, signed_in["cookies"][0]["value"])
    workspace = (await person.post("/workspaces", {"name": "Agency", "timezone": "Europe/Berlin"}))["id"]
    here = person.at(workspace)
    clients = [(await here.post("/profiles", {"name": name}))["id"] for name in ("North Café", "South Wines")]
    for number, client in enumerate(clients):
        fields = {"profileId": client, "fields": {"username": f"client{number}"}}
        await here.post("/platforms/sandbox/connect", fields)
        await here.post("/posts", {"profileId": client, "text": f"Of client {number}", "draft": True})
        soon = {"text": f"Soon of client {number}", "platforms": ["sandbox"], "scheduledAt": at_hours(20)}
        await here.post("/posts", {"profileId": client} | soon)  # home asks for no list that is empty
        await here.post("/platform-invites", {"profileId": client, "platforms": ["sandbox"], "label": f"To {number}"})
    return Agency(here, workspace, *clients)


OpenAt = Callable[..., AbstractAsyncContextManager[Page]]


@pytest.fixture
def at_agency(open_page: OpenPage, owned: Api, signed_in: dict[str, Any], agency: Agency) -> OpenAt:
    """Open the console in that workspace, with what the browser has kept."""

    def opened(**kept: str) -> AbstractAsyncContextManager[Page]:
        items = [{"name": name, "value": value} for name, value in {"workspace": agency.workspace, **kept}.items()]
        state = signed_in | {"origins": [{"origin": owned.service.base_url, "localStorage": items}]}
        return open_page(at=owned.service, storage_state=state, viewport={"width": 1280, "height": 900})

    return opened


async def test_nothing_moves_when_the_clients_and_workspaces_arrive(at_agency: OpenAt) -> None:
    """From the second visit on: at the first one, this browser does not know yet that there are several."""
    async with at_agency() as page:
        first_page = page.locator(".side nav a").first
        arrived = page.get_by_role("button", name=re.compile("Client:"))
        await visit(page, "/console/media")
        await arrived.wait_for()
        release = asyncio.Event()

        async def later(route: Route) -> None:
            await release.wait()
            await route.continue_()

        await page.route(re.compile(r"/api/v1/(profiles|workspaces)\b"), later)
        await page.reload()
        await first_page.wait_for()
        before = await first_page.bounding_box()
        assert await arrived.count() == 0
        release.set()
        await arrived.wait_for()
        await page.locator("select.workspace").wait_for()
        assert await first_page.bounding_box() == before


async def test_every_page_asks_for_the_client_that_was_chosen(at_agency: OpenAt, agency: Agency) -> None:
    """Each call that can name the client does: no page shows others, and none filters what was cut."""
    asked = defaultdict[str, set[str]](set)
    others: list[str] = []
    async with at_agency() as page:
        await visit(page, f"/console/posts?profileId={agency.south}")
        key = ""

        def note(url: str) -> None:
            name = operation_of("GET", url)
            if name not in _filterable():
                return
            if parse_qs(urlsplit(url).query).get("profileId") == [agency.south]:
                asked[key].add(name)
            else:
                others.append(f"{key}: {url}")

        page.on("request", lambda request: note(request.url) if request.method == "GET" else None)
        for key in KEYS:
            async for address in all_of(page, key):
                await expect(page.get_by_role("button", name="Client: South Wines"), address).to_be_visible()

    assert others == []
    assert {key: asked[key] & LISTS.get(key, set()) for key in KEYS} == {key: LISTS.get(key, set()) for key in KEYS}


async def test_the_choice_is_kept_and_an_address_wins(at_agency: OpenAt, agency: Agency, axe: str) -> None:
    """By reload, from page to page, in the next tab, for what is made; "All clients" ends it."""
    async with at_agency() as page:
        await visit(page, "/console/posts")
        await expect(page.locator(".table")).to_contain_text("Of client 0")
        await page.get_by_role("button", name="Client: All clients").click()
        assert await violations(page, axe) == []
        await page.get_by_role("dialog").get_by_role("button", name="South Wines").click()
        await expect(page.locator(".table")).not_to_contain_text("Of client 0")
        await page.wait_for_url(f"**?profileId={agency.south}")
        await page.reload()
        await expect(page.locator(".table")).to_contain_text("Of client 1")

        await page.get_by_role("link", name="Accounts", exact=True).click()
        await expect(page.locator(".table")).to_contain_text("client1")
        await expect(page.locator(".table")).not_to_contain_text("client0")
        await page.wait_for_url(f"**/accounts?profileId={agency.south}")
        await page.get_by_role("button", name="Connect an account").click()
        await expect(page.get_by_role("dialog").get_by_label("Client")).to_have_value(agency.south)
        await page.keyboard.press("Escape")
        await page.keyboard.press("c")
        await expect(page.get_by_label("Client", exact=True)).to_have_value(agency.south)

        another = await page.context.new_page()
        await visit(another, f"/console/posts?profileId={agency.north}")
        await expect(another.locator(".table")).not_to_contain_text("Of client 1")
        await visit(another, "/console/posts")
        await expect(another.get_by_role("button", name="Client: North Café")).to_be_visible()
        await another.get_by_role("button", name="Client: North Café").click()
        await another.get_by_role("dialog").get_by_role("button", name="All clients").click()
        await expect(another.locator(".table")).to_contain_text("Of client 1")
        assert "profileId" not in another.url
        await visit(another, "/console/approvals")
        await expect(another.get_by_role("button", name="Client: All clients")).to_be_visible()


async def test_many_clients_are_found_by_typing_and_one_that_is_gone_is_left(
    open_page: OpenPage, owned: Api, signed_in: dict[str, Any], axe: str
) -> None:
    """On a phone."""
    person = Person(owned.service, signed_in["cookies"][0]["value"])
    workspace = (await person.post("/workspaces", {"name": f"Agency {secrets.token_hex(3)}"}))["id"]
    here = person.at(workspace)
    clients = [await here.post("/profiles", {"name": f"Client number {number}"}) for number in range(12)]
    items = [{"name": "workspace", "value": workspace}]
    state = signed_in | {"origins": [{"origin": owned.service.base_url, "localStorage": items}]}
    async with open_page(
        at=owned.service, storage_state=state, viewport={"width": 360, "height": 900}, expected={404}
    ) as page:
        await visit(page, "/console")
        await page.get_by_role("button", name="Client: All clients").click()
        await page.get_by_role("dialog").get_by_label("Search").fill("number 7")
        assert await page.evaluate("document.documentElement.scrollWidth") <= 360
        assert await violations(page, axe) == []
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("button", name="Client: Client number 7")).to_be_visible()

        await here.call("DELETE", f"/profiles/{clients[7]['id']}")
        await page.goto("/console/trash", wait_until="commit")  # a message goes after some seconds
        await expect(page.get_by_text("is not there any more. You see all of them.")).to_be_visible()
        await expect(page.get_by_role("button", name="Client: All clients")).to_be_visible()
