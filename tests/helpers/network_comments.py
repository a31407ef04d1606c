"""A post at a network of the simulator, those who comment on it, and an account that answers them."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from simulator.ledger import Entry
from simulator.world import Person
from tests.helpers.networks import FAKES

from signalpost.conformance.harness import (
    Clock,
    FakeHttp,
    FaultInjector,
    Killed,
    MemoryJournal,
    publish_until_settled,
    session,
)
from signalpost.networks import CONNECTORS
from signalpost.networks.contract import (
    Comments,
    NetworkSession,
    Outcome,
    OutgoingReply,
    Published,
    Refused,
    RemoteComment,
)

OTHERS = frozenset({"bluesky", "mastodon", "sandbox"})  # have tests of their own, and no part in the simulator
KEYS = [key for key in CONNECTORS if key not in OTHERS and CONNECTORS[key].comments is not None]
REPLYING = [key for key in KEYS if CONNECTORS[key].reply is not None]


@dataclass
class Post:
    """A post of an account at a network of the simulator, and those who comment on it."""

    key: str
    injector: FaultInjector = field(default_factory=FaultInjector)
    clock: Clock = field(default_factory=Clock)

    def __post_init__(self) -> None:
        fake = FAKES[self.key]
        self.connector, self.account = CONNECTORS[self.key], dict(fake.account)
        self.server: Any = fake.server(self.clock)
        self.network = self.server.world.networks[self.key]
        self.http = FakeHttp(self.server)
        self.remote_id = ""

    async def published(self) -> "Post":
        post = next(iter(FAKES[self.key].cases.values())).post
        post = replace(post, parts=post.parts[:1], first_comment=None)
        done = await publish_until_settled(self.connector, self.session, post, MemoryJournal(), self.clock)
        assert isinstance(done, Published), done
        self.remote_id = done.remote_id
        self.http.injector = self.injector
        self.http.requests.clear()
        self.clock.advance(600)
        return self

    def session(self) -> NetworkSession:
        return session(self.http, self.clock, **self.account)

    def person(self, name: str) -> Person:
        world = self.server.world
        people = [one for one in world.people if one.network == self.key and one.username == name]
        return people[0] if people else world.add_person(self.key, name, name=name.title())

    def says(self, name: str, text: str, below: Entry | None = None) -> Entry:
        """Have a person comment on the post, or answer a comment."""
        self.clock.advance(1)
        self.server.world.clock.set(self.clock.now)
        parent = below.remote_id if below else self.remote_id
        entry: Entry = self.network.receive_comment(parent, self.person(name), text)
        return entry

    async def listed(self) -> Comments:
        assert self.connector.comments is not None
        found = (await self.connector.comments(self.session(), [self.remote_id], None))[self.remote_id]
        assert found is not None
        return found

    async def one(self, entry: Entry) -> RemoteComment:
        return next(item for item in (await self.listed()).items if item.remote_id == entry.remote_id)

    async def reply(
        self, comment: RemoteComment, text: str, journal: MemoryJournal, created_at: datetime | None = None
    ) -> Outcome:
        assert self.connector.reply is not None
        outgoing = OutgoingReply(
            post_id=self.remote_id, comment_id=comment.remote_id, author_handle=comment.author_handle,
            reference=comment.reference, text=text, dedupe_key="reply-1",
            created_at=created_at or self.clock.now,
        )  # fmt: skip
        return await self.connector.reply(self.session(), outgoing, journal)

    async def settled(self, comment: RemoteComment, text: str, journal: MemoryJournal) -> Outcome | None:
        """Answer as the service does: again, until it is known what became of it."""
        outcome, created_at = None, self.clock.now
        for _ in range(8):
            try:
                outcome = await self.reply(comment, text, journal, created_at)
            except Killed:
                self.clock.advance(30)
                continue
            if isinstance(outcome, Published | Refused):
                break
            seconds = getattr(outcome, "tells_after_seconds", None) or getattr(outcome, "after_seconds", None)
            self.clock.advance((seconds or 30) + 1)
        return outcome

    def answers(self, text: str) -> list[Entry]:
        """What is public with these words."""
        return [entry for entry in self.server.world.ledger.of(self.key) if text in entry.text]
