"""Every option of every network in the composer: what is entered is what is sent, and the service takes it.

The values follow the description of the API (`GET /platforms`) and the types that validate them. The accounts are
connected at the simulator, which also says what they can choose now.
"""

import re
from collections.abc import AsyncIterator, Mapping
from typing import Any

import msgspec
import pytest
from playwright.async_api import Locator, Page, expect
from simulator import Destination
from tests.console import coming
from tests.console.browser import OpenPage, save_draft, sign_in, violations
from tests.helpers.everywhere import KEYS, World, everywhere
from tests.helpers.scenes import SCENES
from tests.helpers.sign_in_servers import FakeBluesky, FakeMastodon

from signalpost.networks import CONNECTORS

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browser-services")]
NETWORKS = [key for key, connector in CONNECTORS.items() if connector.facts.options]
URL = "https://example.com/a"
TEXTS: Mapping[str, str] = {
    "language": "de", "languages": "de", "link": URL, "coverUrl": URL, "coverImage": URL, "linkAttachment": URL,
    "imageUrl": URL, "locationId": "17", "quoteId": "17", "replyToId": "17", "communityId": "17", "username": "ada",
    "collaborators": "ada", "topicTag": "bread", "threadId": "1" * 17, "appliedTags": "1" * 16, "url": URL,
    "linkPreviewUrl": URL, "color": "#5865f2", "avatarUrl": URL,
    "threadTs": "1716567890.123456",
    "slug": "fresh-rye", "crosspostOf": "1kh35wk", "newsletter": "weekly", "canonicalUrl": URL,
    "startDate": f"{coming.day(2, 10)}", "endDate": f"{coming.day(2, 11)}", "startTime": "09:00", "endTime": "18:30",
    "reshareOf": "urn:li:share:17", "geoLocations": "101282230", "industries": "urn:li:industry:96",
    "jobFunctions": "4", "seniorities": "6", "interfaceLocales": "de_DE", "degrees": "700", "fieldsOfStudy": "100220",
    "organizations": "1035", "tags": "bread", "coverImageUrl": URL,
    "redeemOnlineUrl": URL, "sourceUrl": URL, "languageCode": "de", "thumbnailUrl": URL,
}  # fmt: skip
"""What is typed into a field of this name; others take any words."""
TEXTS_OF: Mapping[tuple[str, str], str] = {
    ("bluesky", "quoteId"): "https://bsky.app/profile/ada.example/post/3k",
    ("bluesky", "text"): "WEBVTT\n\n00:00.000 --> 00:02.000\nRye bread",
}
"""The same for fields that need something else at a network."""
NONE_TO_CHOOSE = {("instagram", "musicId")}
"""Live options of which the account of the test can choose nothing: there is no music with Instagram Login."""
NUMBERS: Mapping[str, float] = {"minutes": 60, "x": 0.5, "y": 0.25}
RULE = "POST /v2/post/publish/creator_info/query/"


def named(key: str, number: int = 0) -> str:
    return f"{TEXTS.get(key, 'Rye bread')}{number or ''}"


class Composer:
    """The page of one network's post, with the options that it enters."""

    def __init__(self, page: Page, network: str) -> None:
        self.page, self.network = page, network
        facts = CONNECTORS[network].facts
        self.panel = page.locator("details.more").filter(has_text=f"Options of {facts.name}")

    async def enter(self, option: Any) -> Any:
        """Enter a value; returns what has to be sent."""
        label = f"{option['label']} (needed)" if option["required"] else option["label"]
        if option["instead"]:
            value = option["instead"][0]
            await self.select(label, str(value).lower() if isinstance(value, bool) else value)
            return value
        if option["source"] and option["type"] != "flag":
            return await self.choose(label)
        if option["type"] == "object":
            await self.panel.get_by_role("button", name=f"Add: {label}").click()
            return await self.members(self.panel.get_by_role("group", name=label, exact=True).first, option)
        if option["type"] == "objects":
            return [await self.one_more(label, option, number) for number in range(option["itemsMin"] or 1)]
        return await self.simple(self.panel, label, option)

    async def one_more(self, label: str, option: Any, number: int) -> Any:
        await self.panel.get_by_role("button", name=f"Add: {label}").click()
        group = self.panel.get_by_role("group", name=f"{label}, {number + 1}", exact=True)
        return await self.members(group, option)

    async def members(self, place: Locator, option: Any) -> Any:
        """Fill in all parts of an object."""
        return {
            part["key"]: await self.simple(
                place, f"{part['label']} (needed)" if part["required"] else part["label"], part
            )
            for part in option["parts"]
        }  # fmt: skip

    async def simple(self, place: Locator, label: str, field: Any) -> Any:  # noqa: PLR0911 - one for each kind
        key, choices = field["key"], field.get("choices")
        match field["type"]:
            case "flag" if field["default"] is None:
                await self.select(label, "false")
                return False
            case "flag":
                box = place.get_by_role("checkbox", name=re.compile(f"^{re.escape(label)}"))
                await box.set_checked(not field["default"])
                return not field["default"]
            case "choice":
                await place.get_by_label(label, exact=True).select_option(value=choices[-1])
                return choices[-1]
            case "number":
                value = NUMBERS.get(key, 7)
                await place.get_by_label(label, exact=True).fill(str(value))
                return value
            case "list" if choices:
                await place.get_by_role("group", name=label).get_by_role("checkbox").first.check()
                return choices[:1]
            case "list" if (field["itemsMax"] or 11) <= 10 or place is not self.panel:
                return await self.rows(place.get_by_role("group", name=label, exact=True), label, field)
            case "list":
                await place.get_by_label(label, exact=True).fill("rye, bread")
                return ["rye", "bread"]
        text = TEXTS_OF.get((self.network, key), named(key))
        await place.get_by_label(label, exact=True).fill(text)
        return text

    async def rows(self, group: Locator, label: str, field: Any) -> list[str]:
        values = [named(field["key"], number) for number in range(field["itemsMin"] or 1)]
        for number, value in enumerate(values, 1):
            await group.get_by_role("textbox", name=f"{label}, {number}", exact=True).fill(value)
        return values

    async def choose(self, label: str) -> str:
        """Choose the first of what the account has."""
        field = self.panel.get_by_label(label, exact=True)
        first = field.locator("option:not([disabled]):not([value=''])").first
        await expect(first).to_be_attached()
        value = str(await first.get_attribute("value"))
        await field.select_option(value=value)
        return value

    async def select(self, label: str, value: str) -> None:
        await self.panel.get_by_label(label, exact=True).select_option(value=value)


@pytest.fixture(scope="module")
async def world() -> AsyncIterator[World]:
    mastodon, bluesky = FakeMastodon(), FakeBluesky()
    async with mastodon.serve() as mastodon_url, bluesky.serve() as bluesky_url:
        mastodon.tokens.add("t")
        settings = {"SIGNALPOST_MASTODON_BASE_URL": mastodon_url, "SIGNALPOST_BLUESKY_BASE_URL": bluesky_url}
        async with everywhere(SIGNALPOST_TRUSTED_PROXIES="1", **settings) as opened:
            people = opened.simulator.world
            people.person("youtube", "alice").destinations.append(Destination("PL1", "playlist", "Recipes"))
            board = people.person("pinterest", "alice").destinations[0]
            board.details["sections"] = {"88": "Rye"}
            yield opened


@pytest.fixture(scope="module")
async def clients(world: World) -> dict[str, str]:
    """A client for each network, with one account there."""
    by_hand = {
        "mastodon": {"instanceUrl": world.service.settings["SIGNALPOST_MASTODON_BASE_URL"], "accessToken": "t"},
        "bluesky": {"identifier": "alice.test", "appPassword": "right"},
        **{
            key: SCENES[key].fields(world.simulator.world.networks[key])  # type: ignore[misc]
            for key in ("devto", "discord", "ghost", "lemmy", "matrix", "nostr", "slack", "wordpress")
        },
    }
    clients = {}
    for key in NETWORKS:
        clients[key] = (await world.api.post("/profiles", json={"name": f"On {key}"}))["id"]
        if key in by_hand:
            body = {"profileId": clients[key], "fields": by_hand[key]}
            await world.api.post(f"/platforms/{key}/connect", json=body)
        else:
            await world.connect(key, clients[key], place="alice" if key == "pinterest" else None)
    return clients


@pytest.fixture(scope="module")
async def session(world: World) -> dict[str, Any]:
    return await sign_in(world.service)


async def write(page: Page, client: str, text: str = "Bread") -> None:
    await page.goto(f"/console/compose?profileId={client}")
    await page.get_by_label("Text", exact=True).fill(text)


async def test_every_option_of_every_network_is_sent_as_it_was_entered(
    open_page: OpenPage, world: World, clients: dict[str, str], session: dict[str, Any]
) -> None:
    described = {entry["platform"]: entry["options"] for entry in (await world.api.get("/platforms"))["data"]}
    async with open_page(at=world.service, storage_state=session) as page:
        for network, client in clients.items():
            await write(page, client)
            composer = Composer(page, network)
            if await composer.panel.get_attribute("open") is None:
                await composer.panel.locator("summary").click()
            entered = {
                option["key"]: await composer.enter(option)
                for option in described[network]
                if (network, option["key"]) not in NONE_TO_CHOOSE
            }
            await save_draft(page)
            saved = await world.api.get(f"/posts/{page.url.rpartition('/')[2]}")

            assert saved["options"] == {network: entered}
            for key, value in entered.items():
                msgspec.convert(value, CONNECTORS[network].facts.options[key].type)


def test_no_network_is_left_out() -> None:
    by_form = {"devto", "discord", "ghost", "lemmy", "matrix", "nostr", "slack", "wordpress"}
    assert {*KEYS, "mastodon", "bluesky"} | by_form == {*NETWORKS}


async def test_a_network_that_does_not_answer_is_asked_again_and_what_was_chosen_stays(
    open_page: OpenPage, world: World, clients: dict[str, str], session: dict[str, Any], axe: str
) -> None:
    fault = world.simulator.world.add_fault("tiktok", "status", RULE, times=None)
    async with open_page(at=world.service, storage_state=session, expected={502}) as page:
        await write(page, clients["tiktok"])
        field = page.get_by_label("Who can see it (needed)")
        await expect(page.get_by_text("TikTok does not say now what alice can choose.")).to_be_visible()
        await field.select_option(value="SELF_ONLY")
        assert await violations(page, axe) == []
        fault.times = 0
        await page.get_by_role("button", name="Ask again").click()
        await expect(page.get_by_text("TikTok does not say now")).to_have_count(0)
        await expect(field).to_have_value("SELF_ONLY")


async def test_two_accounts_of_a_network_have_boards_of_their_own(
    open_page: OpenPage, world: World, clients: dict[str, str], session: dict[str, Any]
) -> None:
    """A section can be chosen once its board is; a value for one account is none for the other."""
    client = (await world.api.post("/profiles", json={"name": "Two boards"}))["id"]
    accounts = [await world.connect("pinterest", client, place=place) for place in ("alice", "Travel")]
    async with open_page(at=world.service, storage_state=session) as page:
        await write(page, client)
        await expect(page.locator("button.chip")).to_have_count(2)
        for chip in await page.locator("button.chip").all():
            await chip.click()
        await page.locator("details.more summary").filter(has_text="Pinterest").click()
        first = page.get_by_role("group", name="alice", exact=True)
        await expect(first.get_by_label("Section of the board")).to_be_disabled()
        await first.get_by_label("Board", exact=True).select_option(label="Recipes")
        await first.get_by_label("Section of the board").select_option(label="Rye")
        await save_draft(page)
        saved = await world.api.get(f"/posts/{page.url.rpartition('/')[2]}")

    options = {target["accountId"]: target["options"] for target in saved["targets"]}
    assert saved["options"].get("pinterest", {}) == {}
    assert options[accounts[0]] == {"boardId": "5001", "boardSectionId": "88"}
    assert not options[accounts[1]]
