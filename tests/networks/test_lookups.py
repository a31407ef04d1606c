"""A look for a post whose answer was lost reads a bounded part of a list, and cannot know what follows.

If it then said "not there", the post would be published twice.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib import import_module
from itertools import count
from typing import Any

import pytest
from simulator import Simulator
from tests.helpers.networks import FAKES
from tests.helpers.networks.mastodon import MastodonServer
from tests.helpers.scenes import SCENES
from tests.helpers.scenes.stage import connected

from signalpost.conformance.fake import TOKEN
from signalpost.conformance.harness import (
    START,
    Clock,
    FakeHttp,
    MemoryJournal,
    json_response,
    outgoing,
    publish_until_settled,
    session,
)
from signalpost.kit import clock
from signalpost.kit.http import Client
from signalpost.networks import CONNECTORS
from signalpost.networks.contract import Absent, NetworkSession, Outcome, OutcomeUnknown, Outgoing, Published
from signalpost.networks.threads import RESTORED, part_step

BOUNDS: Mapping[str, Mapping[str, Any] | str] = {
    "bluesky": {"connectors.bluesky.publish._PAGES_MAX": 1, "connectors.bluesky.publish._PAGE_LENGTH": 2},
    "devto": {"connectors.devto.publish.PAGES_MAX": 1, "connectors.devto.publish.PAGE_LENGTH": 2,
              "connectors.devto.lists.PAGE_LENGTH": 2},
    "discord": {"connectors.discord.find.PAGES_MAX": 1, "connectors.discord.find.PAGE_LENGTH": 2},
    "facebook": {"meta.graph.PAGES_MAX": 1, "connectors.facebook.publish._LISTED": "2"},
    "ghost": {"connectors.ghost.find.PAGE_LENGTH": 2},
    "google_business": {
        "connectors.google_business.find.PAGES_MAX": 1, "connectors.google_business.find.PAGE_LENGTH": 2,
    },
    "instagram": {"meta.containers.LISTED": 2, "connectors.instagram.publish.LISTED": 2},
    "lemmy": {"connectors.lemmy.find.PAGES_MAX": 1, "connectors.lemmy.find.PAGE_LENGTH": 2},
    "linkedin": {"connectors.linkedin.publish._LISTED": 2},
    "mastodon": {"connectors.mastodon.find.PAGES_MAX": 1, "connectors.mastodon.find.PAGE_LENGTH": 2},
    "matrix": {"connectors.matrix.find.PAGES_MAX": 1, "connectors.matrix.find.PAGE_LENGTH": 2},
    "nostr": {"connectors.nostr.find.NOTES_MAX": 2},
    "pinterest": {"connectors.pinterest.publish.PAGES_MAX": 1, "connectors.pinterest.publish.PAGE_LENGTH": 2},
    "reddit": {"connectors.reddit.find.PAGES_MAX": 1, "connectors.reddit.find.PAGE_LENGTH": 2},
    "sandbox": "nothing is public there",
    "slack": {"connectors.slack.find.PAGES_MAX": 1, "connectors.slack.find.PAGE_LENGTH": 2},
    "telegram": "it lists nothing, and is never believed to lack a message",
    "threads": {"meta.containers.LISTED": 2, "connectors.threads.publish.LISTED": 2},
    "tiktok": "it does not list what is private, and is never believed to lack a post",
    "tumblr": {"connectors.tumblr.find.PAGES_MAX": 1, "connectors.tumblr.find.PAGE_LENGTH": 2},
    "wordpress": {"connectors.wordpress.find.PAGES_MAX": 1, "connectors.wordpress.find.PAGE_LENGTH": 2},
    "x": {"connectors.x.find.PAGES_MAX": 1, "connectors.x.find.PAGE_LENGTH": 2},
    "youtube": {"connectors.youtube.upload._LISTED": 2},
}  # fmt: skip
"""By network: what bounds a look, made small; or why it never says that a post is not there."""
FAKED = (
    "bluesky",
    "discord",
)  # the one is not in the simulator; the scene of the other is a webhook, which lists nothing
BOUNDED = [key for key, bounds in BOUNDS.items() if not isinstance(bounds, str)]


@dataclass
class Place:
    """An account of a network, at the simulator or at a fake, and a post that is published under other words too."""

    key: str
    session: Callable[[], NetworkSession]
    clock: Any
    post: Callable[[int], Outgoing]
    """Makes one whose files, if it needs any, are those of the number."""

    def __post_init__(self) -> None:
        self._numbers = count()

    def named(self, words: str) -> Outgoing:
        post = self.post(next(self._numbers))
        parts = (replace(post.parts[0], text=words),)
        return replace(post, parts=parts, title=post.title and words, dedupe_key=words)

    async def publish(self, words: str) -> None:
        done = await publish_until_settled(
            CONNECTORS[self.key], self.session, self.named(words), MemoryJournal(), self.clock
        )
        assert isinstance(done, Published), done

    async def look(self, words: str, at: datetime) -> Outcome | Absent:
        """Look for a post of which nothing is known but when its call may have been made, as after a restore."""
        reconcile = CONNECTORS[self.key].reconcile
        assert reconcile is not None
        journal = MemoryJournal.of_backup({"at": clock.wire(at), RESTORED: True})
        return await reconcile(self.session(), self.named(words), journal)


@pytest.fixture(scope="module")
async def simulator() -> AsyncIterator[Simulator]:
    async with Simulator(start=datetime.now(UTC).replace(microsecond=0)) as simulator:
        yield simulator


@pytest.fixture
async def place(simulator: Simulator) -> AsyncIterator[Callable[[str], Awaitable[Place]]]:
    async with Client() as http:

        async def place(key: str) -> Place:
            if key in FAKED:
                fake, own = FAKES[key], Clock()
                client = FakeHttp(fake.server(own))
                return Place(key, lambda: session(client, own, **fake.account), own, lambda _: fake.post)
            simulator.world.reset()
            stage = await connected(simulator, key, SCENES[key], http)
            facts = stage.connector.facts

            def post(number: int) -> Outgoing:
                files = (stage.file(next(iter(facts.media)), number),) if facts.media_required else ()
                return stage.post("words", files=files)

            return Place(key, stage.session, stage.world.clock, post)

        yield place


def test_every_network_says_what_bounds_its_look() -> None:
    assert BOUNDS.keys() == CONNECTORS.keys()


@pytest.mark.parametrize("key", BOUNDED)
async def test_a_look_that_reached_its_bound_never_says_that_a_post_is_not_there(
    key: str, place: Callable[[str], Awaitable[Place]], monkeypatch: pytest.MonkeyPatch
) -> None:
    at = await place(key)
    since = at.clock()
    for number in range(4):
        await at.publish(f"Of {number} loaves")
    at.clock.advance(4_000)
    assert isinstance(await at.look("One that is not there", since), Absent), "all was read"
    for name, value in dict(BOUNDS[key]).items():
        module, _, constant = f"signalpost.networks.{name}".rpartition(".")
        monkeypatch.setattr(import_module(module), constant, value)  # beside it stands a function of the same name

    outcome = await at.look("One that is not there", since)

    assert isinstance(outcome, OutcomeUnknown), outcome
    assert outcome.tells_after_seconds is None, "it was not for the bound"


@pytest.mark.parametrize("is_there", [True, False])
async def test_an_answer_is_looked_for_however_many_were_sent_since(*, is_there: bool) -> None:
    """In a flood of answers, one whose process died comes up again behind all the others of its workspace."""
    now, comment = Clock(), FAKES["mastodon"].comment
    assert comment is not None
    server = MastodonServer(now, knows_keys=False)
    http, reply = FakeHttp(server), CONNECTORS["mastodon"].reply
    assert reply is not None
    account = {**FAKES["mastodon"].account, "facts": {"dedupes": False}}
    open_intent = {part_step(1): {"at": clock.wire(now())}}
    if is_there:
        await reply(session(http, now, **account), comment, MemoryJournal())
    for number in range(240):
        await _create(http, now, f"answer {number}")
    now.advance(300)

    journal = MemoryJournal(values=open_intent, open={part_step(1)})
    outcome = await reply(session(http, now, **account), comment, journal)

    assert isinstance(outcome, Published), outcome
    assert [text for text in server.created if text.endswith(comment.text)] == [
        f"@{comment.author_handle} {comment.text}"
    ]


async def _create(http: FakeHttp, now: Clock, text: str) -> None:
    now.advance(0.2)
    await http.request("POST", "https://server.example/api/v1/statuses", json={"status": text})


async def test_what_is_listed_is_found_at_once() -> None:
    """While it is too early to say that a post is not there, one that is there can be found."""
    now = Clock()
    http = FakeHttp(MastodonServer(now, knows_keys=False))
    account = {**FAKES["mastodon"].account, "facts": {"dedupes": False}}
    at = Place("mastodon", lambda: session(http, now, **account), now, lambda _: outgoing("words"))
    since = now()
    await at.publish("Here")
    now.now = since
    assert isinstance(await at.look("Here", since), Published)
    early = await at.look("Not here", since)
    assert isinstance(early, OutcomeUnknown)
    assert early.tells_after_seconds == 120


@pytest.mark.parametrize("key", [key for key in BOUNDED if key != "google_business"])  # it leaves out an empty list
async def test_an_answer_without_a_list_is_not_an_empty_list(key: str) -> None:
    now = Clock()
    http = FakeHttp(lambda _: json_response(200, {"what": "is this"}))
    fake = FAKES.get(key)
    account = {"secrets": {"accessToken": TOKEN}} if fake is None else fake.account
    post = outgoing("words", title="A title") if fake is None else fake.post
    at = Place(key, lambda: session(http, now, **account), now, lambda _: post)
    now.advance(4_000)

    outcome = await at.look("One that is not there", START)

    assert isinstance(outcome, OutcomeUnknown), outcome
