"""A day of somebody, and how it has to end: all is published once, nothing is lost, and every page tells the truth."""

import itertools
import re
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from playwright.async_api import Page, expect
from tests.console.browser import OpenPage
from tests.console.days.hand import Hand, Way
from tests.console.days.town import Town
from tests.console.watch import AWAY

from signalpost.console.texts import LANGUAGES

PASSWORD = "correct horse battery"
_STATES = {"draft": "Draft", "scheduled": "Scheduled", "published": "Published", "failed": "Failed"}
_BERLIN = ZoneInfo("Europe/Berlin")
_numbers = itertools.count(1)


def ways(usual: Way) -> pytest.MarkDecorator:
    """Live a day in this way in `make test`, and in all others besides where heavy tests run."""
    every = itertools.product(LANGUAGES, *[(False, True)] * 3)
    others = [way for way in (Way(*values) for values in every) if way != usual]
    heavy = [pytest.param(way, marks=pytest.mark.heavy, id=str(way)) for way in others]
    return pytest.mark.parametrize("way", [pytest.param(usual, id=str(usual)), *heavy])


def in_days(count: int) -> str:
    """Return a date, as it is where the clients are."""
    return (datetime.now(_BERLIN) + timedelta(days=count)).date().isoformat()


class Day:
    """One day in one way."""

    def __init__(self, town: Town, open_page: OpenPage, way: Way) -> None:
        self.town = town
        self.way = way
        self.number = next(_numbers)
        self._open_page = open_page

    def email(self, name: str) -> str:
        """An address that is of this day alone."""
        return f"{name}-{self.number}@example.test"

    @asynccontextmanager
    async def person(self, *, expected: set[int | str] | None = None) -> AsyncIterator[Hand]:
        """Somebody sits down at a browser of their own."""
        hosts = (self.town.service.base_url, *self.town.simulator.world.urls.values())
        wrong = (expected or set()) | (AWAY if self.way.killed else set())
        options = self.way.options | {"viewport": self.way.viewport}
        async with self._open_page(at=self.town.service, hosts=hosts, expected=wrong, **options) as page:
            yield Hand(page, self.way)

    def foreign(self, page: Page) -> Hand:
        """A page of a network. It speaks English."""
        return Hand(page, replace(self.way, language="en"))

    @asynccontextmanager
    async def network(self, hand: Hand, name: str) -> AsyncIterator[Hand]:
        """The window of a network that the press of a button opens."""
        async with hand.page.context.expect_page() as opened:
            await hand.press(name)
        there = self.foreign(await opened.value)
        yield there
        await there.page.close()

    async def agrees(self, there: Hand, username: str) -> None:
        """Let the service post for this user of the network whose window is open."""
        await there.touch(there.main.get_by_role("button"))
        await there.select(there.page.get_by_role("combobox"), username)
        await there.press("Approve")
        await there.sees("is connected. You can close this page.")

    async def connects_x(self, hand: Hand, username: str, client: str | None = None) -> None:
        """Connect an account of X, whose window opens with the choice of the network."""
        await hand.go("Accounts")
        await hand.press("Connect an account")
        if client:
            await hand.choose("Client", client, hand.dialog)
        async with hand.page.context.expect_page() as opened:
            await hand.touch(hand.dialog.get_by_role("button", name="X").first)
        there = self.foreign(await opened.value)
        await self.agrees(there, username)
        await there.page.close()
        await hand.press("Done", hand.dialog)
        await expect(hand.main).to_contain_text(username)

    async def accident(self) -> None:
        """The server is killed, if it is such a day, and started again."""
        if self.way.killed:
            await self.town.lose_power()

    async def signs_in(self, hand: Hand, email: str) -> None:
        await hand.enter("E-mail", email)
        await hand.enter("Password", PASSWORD)
        await hand.press("Sign in")
        await expect(hand.main.get_by_role("heading", level=1)).to_have_text(hand.say("Home"))

    async def mail(self, to: str) -> str:
        """Return the link in the mail to this address."""

        async def arrived() -> str | None:
            return next(iter(self.town.inbox.links(to)), None)

        return str(await self.town.service.until(arrived, f"mail to {to}"))

    async def ends(
        self, hand: Hand, *, published: Mapping[str, Sequence[tuple[str, str]]], others: Mapping[str, str] | None = None
    ) -> None:
        """Hold what there is against what was wanted, and every page against what there is.

        Of what is public, each network has user names and texts; of the other posts, each text has a state.
        """
        posts = await self._posts(hand)
        texts = Counter(post["text"] for post in posts)
        assert max(texts.values()) == 1, texts
        assert {post["text"]: post["status"] for post in posts if post["status"] != "published"} == (others or {})
        world = self.town.simulator.world
        names = {person.id: person.username for person in world.people}
        for network, wanted in published.items():
            if network == "sandbox":
                public = [
                    (target["username"], target["text"] or post["text"])
                    for post in posts
                    for target in post["targets"]
                    if (target["platform"], target["status"]) == ("sandbox", "published")
                ]
            else:
                users = {user for user, _ in wanted}
                public = [(names[entry.account_id], entry.text) for entry in world.ledger.of(network)]
                public = [(user, text) for user, text in public if user in users]
            assert sorted(public) == sorted(wanted)
        await self._every_page(hand, posts)

    async def _posts(self, hand: Hand) -> list[dict[str, Any]]:
        """The truth: what the API says, read with the session of the person."""
        headers = {"X-Console": "1", "Sec-Fetch-Site": "same-origin"}
        answer = await hand.page.context.request.get("/api/v1/posts?limit=100", headers=headers)
        assert answer.ok, await answer.text()
        found: list[dict[str, Any]] = (await answer.json())["data"]
        return found

    async def _every_page(self, hand: Hand, posts: Sequence[Mapping[str, Any]]) -> None:
        """Each says of each post what is true, and none has an error."""
        await hand.go("Posts")
        rows = hand.main.get_by_role("table").get_by_role("row")
        for post in posts:
            row = rows.filter(has=hand.page.get_by_role("link", name=post["text"], exact=True))
            await expect(row).to_contain_text(hand.say("Held" if post["held"] else _STATES[post["status"]]))
        for name in ("Home", "Calendar", "Approvals", "Media", "Clients", "Accounts", "Analytics"):
            await hand.go(name)
            await expect(hand.main.locator(".problem")).to_have_count(0)
        await hand.go("Home")
        for word, states in (
            ("Scheduled", {"scheduled", "queued"}),
            ("Published", {"published"}),
            ("Drafts", {"draft"}),
        ):
            count = sum(post["status"] in states for post in posts)
            figure = hand.main.locator("dl.figures > div").filter(has_text=re.compile(f"^{hand.say(word)}"))
            await expect(figure.locator("dd")).to_have_text(str(count))
