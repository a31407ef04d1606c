"""DEV: what an article is made of, what DEV would misread, and that nothing is there twice."""

import sys
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from simulator import Simulator
from simulator.networks.devto import Dev
from tests.helpers.networks.devto import KEY

from signalpost.conformance.harness import MemoryJournal, outgoing, publish_until_settled, server_at, session
from signalpost.kit import clock
from signalpost.kit.http import Client
from signalpost.networks import CONNECTORS, preflight
from signalpost.networks.connectors.devto import lists
from signalpost.networks.connectors.devto.account import connect
from signalpost.networks.contract import (
    Absent,
    BadCredentials,
    InvalidField,
    NetworkSession,
    OutcomeUnknown,
    Published,
    Refused,
)
from signalpost.networks.threads import RESTORED

DEV = CONNECTORS["devto"]
CREATE = "POST /api/articles"


@pytest.fixture(scope="module")
async def http() -> AsyncIterator[Client]:
    async with Client() as client:
        yield client


@pytest.fixture(scope="module")
async def listening() -> AsyncIterator[Simulator]:
    async with Simulator(start=datetime.now(UTC).replace(microsecond=0)) as simulator:
        yield simulator


class Place:
    """A person at DEV with a key."""

    def __init__(self, simulator: Simulator, http: Client) -> None:
        simulator.world.reset()
        network = simulator.world.networks["devto"]
        assert isinstance(network, Dev)
        self.network, self.world, self.http = network, simulator.world, http
        self.server = server_at(http, simulator.url("devto"), trusted=True)
        self.alice = simulator.world.add_person("devto", "alice")
        network.add_key(self.alice, KEY)
        self.journal = MemoryJournal()

    def account(self) -> NetworkSession:
        return session(self.http, self.world.clock, server=self.server, secrets={"apiKey": KEY}, facts={})

    async def attempt(self, post: Any) -> Any:
        return await DEV.publish(self.account(), post, self.journal)

    async def published(self, post: Any) -> Any:
        """Publish a post, and return it as it is at DEV."""
        outcome = await publish_until_settled(DEV, self.account, post, MemoryJournal(), self.world.clock)
        assert isinstance(outcome, Published), outcome
        return self.network.articles[int(outcome.remote_id)]


@pytest.fixture
def place(listening: Simulator, http: Client) -> Place:
    return Place(listening, http)


def named(text: str = "x", **rest: Any) -> Any:
    return outgoing(text, **{"title": "Rye"} | rest)


async def test_a_key_opens_the_account_of_a_person(place: Place) -> None:
    identity = await connect(place.server, {"apiKey": f" {KEY} "})
    assert (identity.remote_id, identity.username, identity.display_name) == (place.alice.id, "alice", "Alice")
    with pytest.raises(BadCredentials, match="does not know"):
        await connect(place.server, {"apiKey": "another"})
    for key in ("", "a\nb", "ü", "k" * 201):
        with pytest.raises(InvalidField):
            await connect(place.server, {"apiKey": key})


async def test_an_article_has_all_that_was_said(place: Place) -> None:
    options = {
        "tags": ["bread", "rye"], "excerpt": "Dark.", "series": "Grain", "canonicalUrl": "https://bakery.example/rye",
        "coverImageUrl": "https://bakery.example/rye.png", "organizationId": 7,
    }  # fmt: skip
    article = await place.published(named("# Rye\n\n*Dark*", link="https://bakery.example", options=options))

    assert article["body_markdown"] == "# Rye\n\n*Dark*\n\nhttps://bakery.example"
    assert (article["tags"], article["description"], article["series"]) == (["bread", "rye"], "Dark.", "Grain")
    assert article["canonical_url"] == "https://bakery.example/rye"
    assert (article["main_image"], article["organization_id"]) == ("https://bakery.example/rye.png", 7)


async def test_a_draft_is_shown_to_nobody_and_found_again(place: Place) -> None:
    place.world.add_fault("devto", "lost", CREATE)
    post = named(options={"status": "draft"})
    first, second = await place.attempt(post), await place.attempt(post)

    assert isinstance(first, OutcomeUnknown)
    assert isinstance(second, Published)
    assert (second.delivery, second.url) == ("private", None)
    assert [article["published"] for article in place.network.articles.values()] == [False]
    assert place.world.ledger.of("devto") == []


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("---\ntitle: Other\n---\n\nText", ["devto.text.front_matter"]),
        ("\n --- \r\npublished: false\n---\n", ["devto.text.front_matter"]),
        ("---", []),
        ("A line\n---\nanother", []),
    ],
)
def test_what_dev_would_misread_is_said_before(text: str, rules: list[str]) -> None:
    assert [issue.rule for issue in preflight.check(DEV, named(text), {})] == rules


async def test_dev_reads_front_matter_as_the_rule_expects(place: Place) -> None:
    """The rule stands before the article: DEV itself would have published another title."""
    article = await place.published(named("---\ntitle: Other\n---\n\nText"))
    assert article["title"] == "Other"


async def test_the_same_article_is_refused_the_second_time(place: Place) -> None:
    await place.published(named("same"))
    outcome = await place.attempt(named("same"))
    assert isinstance(outcome, Refused)
    assert outcome.code == "duplicate_content"
    assert await place.published(named("same", title="Wheat"))


async def test_a_call_that_arrives_after_all_is_the_same_article(place: Place) -> None:
    """It was not listed for two minutes, and DEV refuses the second one."""
    post = named("late")
    place.world.add_fault("devto", "dropped", CREATE)
    assert isinstance(await place.attempt(post), OutcomeUnknown)
    place.world.clock.advance(121)
    late = await place.published(post)
    place.network.articles.pop(late["id"])  # the list does not have it yet

    class Behind(Client):
        async def request(self, method: str, url: str, **rest: Any) -> Any:
            response = await super().request(method, url, **rest)
            place.network.articles[late["id"]] = late
            return response

    async with Behind() as behind:
        place.http = behind
        place.server = server_at(behind, place.server.base_url, trusted=True)
        outcome = await place.attempt(post)
    assert isinstance(outcome, Published)
    assert outcome.remote_id == str(late["id"])
    assert len(place.network.articles) == 1


async def test_after_a_restore_an_article_is_known_by_title_and_text(place: Place) -> None:
    since = place.world.clock() - timedelta(seconds=1)
    await place.published(named("as it was"))
    place.world.clock.advance(300)
    assert DEV.reconcile is not None
    outcomes = []
    for text in ("as it was", "edited"):
        journal = MemoryJournal.of_backup({"at": clock.wire(since), RESTORED: True})
        outcomes.append(await DEV.reconcile(place.account(), named(text), journal))

    assert isinstance(outcomes[0], Published)
    assert isinstance(outcomes[1], Absent)


async def test_more_than_is_read_is_unknown(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Never sent again while it may be there."""
    monkeypatch.setattr(sys.modules["signalpost.networks.connectors.devto.publish"], "PAGES_MAX", 1)
    for number in range(lists.PAGE_LENGTH):
        await place.published(named(f"draft {number}", options={"status": "draft"}))
        place.world.clock.advance(31)
    place.world.add_fault("devto", "dropped", CREATE)
    await place.attempt(named())
    place.world.clock.advance(200)
    assert isinstance(await place.attempt(named()), OutcomeUnknown)


async def test_what_is_deleted_becomes_a_draft(place: Place) -> None:
    article = await place.published(named())
    assert DEV.delete is not None
    for _ in range(2):
        await DEV.delete(place.account(), str(article["id"]), ())
    await DEV.delete(place.account(), "999", ())
    assert (article["published"], place.world.ledger.of("devto")) == (False, [])


async def test_numbers_of_articles_are_read_from_pages(place: Place) -> None:
    ids = []
    for number in range(lists.PAGE_LENGTH + 1):
        ids.append(str((await place.published(named(f"number {number}")))["id"]))
        place.world.clock.advance(60)
    place.world.clock.advance(36_000)
    assert DEV.metrics is not None
    before = len(place.world.log)
    numbers = await DEV.metrics(place.account(), [ids[0], ids[-1], "999"])

    assert len(place.world.log) - before == 2
    assert numbers["999"] is None
    assert all((numbers[each].views or 0) > (numbers[each].comments or 0) > 0 for each in (ids[0], ids[-1]))  # type: ignore[union-attr]
