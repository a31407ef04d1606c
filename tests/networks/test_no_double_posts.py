"""Each part must be public exactly once: two failures, restores, keys that are forgotten.

The conformance suite has one failure at every place where one can be.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import pytest
from tests.helpers.networks import FAKES

from signalpost.conformance.harness import (
    Clock,
    FakeHttp,
    FakeResponse,
    FaultInjector,
    MemoryJournal,
    Request,
    json_response,
    outgoing,
    publish_until_settled,
    session,
)
from signalpost.conformance.harness import (
    Failure as Fault,
)
from signalpost.kit import clock
from signalpost.networks import CONNECTORS
from signalpost.networks.contract import Absent, NetworkSession, OutcomeUnknown, Published, TryLater
from signalpost.networks.threads import RESTORED

CASES = {f"{key}: {name}": (key, case) for key, fake in FAKES.items() for name, case in fake.cases.items()}


FOUND_BY_NOBODY: frozenset[str] = frozenset((
    "facebook: video", "facebook: reel", "facebook: video story", "instagram: story", "linkedin: of a member",
    "tiktok: inbox", "telegram: thread", "telegram: album", "telegram: poll", "google_business: photo alone",
))  # fmt: skip
"""Posts that their networks list nowhere: after a restore, a person has to look."""
ABSENT_FOR_NOBODY: frozenset[str] = frozenset(("tiktok: one part", "tiktok: two parts"))
"""Posts that are found by their text, but whose networks do not list every post."""


@dataclass
class Run:
    """A case with a server of its own, ready to run."""

    name: str
    journal: MemoryJournal = field(default_factory=MemoryJournal)
    injector: FaultInjector = field(default_factory=FaultInjector)
    clock: Clock = field(default_factory=Clock)

    def __post_init__(self) -> None:
        self.key, case = CASES[self.name]
        self.post = case.post
        self.account = {**FAKES[self.key].account, **case.account}
        self.connector = CONNECTORS[self.key]
        self.server = (case.server or FAKES[self.key].server)(self.clock)
        self.http = FakeHttp(self.server, self.injector)

    def session(self) -> NetworkSession:
        return session(self.http, self.clock, **self.account)

    async def publish(self, pause_seconds: float = 0) -> Any:
        def fresh() -> NetworkSession:
            self.clock.advance(pause_seconds)
            return self.session()

        return await publish_until_settled(self.connector, fresh, self.post, self.journal, self.clock)

    def texts(self) -> list[str]:
        return [part.text for part in self.post.parts]


def _run(name: str, fault: Fault, at: int | None) -> Run:
    injector = FaultInjector(at, fault)
    return Run(name, journal=MemoryJournal(injector), injector=injector)


@pytest.mark.parametrize("name", [name for name, (_, case) in CASES.items() if case.tells_later])
async def test_two_faults_are_no_worse_than_one(name: str) -> None:
    """The second strikes while the first is being repaired, also after Mastodon has forgotten the key."""
    for first in range(4, 14):
        run = Run(
            name,
            journal=MemoryJournal(FaultInjector(first, "kill")),
            injector=FaultInjector(first % 5 + 1, "answer_lost"),
        )
        await run.publish(pause_seconds=first * 300)

        assert run.server.created == run.texts(), f"{name} at {first}"


async def _resume(run: Run, since: datetime) -> Any:
    """Go on with what a database from a backup knows of a post: nothing but when the backup was made."""
    run.journal = MemoryJournal.of_backup({"at": clock.wire(since), RESTORED: True})
    run.clock.advance(300)
    assert run.connector.reconcile is not None
    outcome = await run.connector.reconcile(run.session(), run.post, run.journal)
    return await run.publish() if isinstance(outcome, Absent) else outcome


@pytest.mark.parametrize("name", CASES)
async def test_what_was_published_after_a_backup_is_not_published_again(name: str) -> None:
    run = _run(name, "kill", None)
    made_at = run.clock.now
    first = await run.publish()

    outcome = await _resume(run, made_at)

    assert run.server.created == run.texts()
    if name in FOUND_BY_NOBODY:
        assert isinstance(outcome, OutcomeUnknown)
    else:
        assert isinstance(outcome, Published), outcome
        assert (outcome.remote_id, outcome.thread_ids) == (first.remote_id, first.thread_ids)


@pytest.mark.parametrize("name", CASES)
async def test_what_was_not_published_after_a_backup_is_published_once(name: str) -> None:
    run = _run(name, "kill", None)

    outcome = await _resume(run, run.clock.now)

    if name in FOUND_BY_NOBODY | ABSENT_FOR_NOBODY:
        assert isinstance(outcome, OutcomeUnknown)
        assert run.server.created == []
    else:
        assert isinstance(outcome, Published), outcome
        assert run.server.created == run.texts()


async def test_a_call_that_fails_while_an_earlier_one_is_open_settles_nothing() -> None:
    """If it were `TryLater`, the intent would be closed, and after an hour the key forgotten: a second post."""
    run = Run("mastodon: thread", injector=FaultInjector(1, "answer_lost"))
    post, journal, publish = outgoing("once"), run.journal, run.connector.publish

    first = await publish(run.session(), post, journal)
    run.clock.advance(60)
    run.http.injector = FaultInjector(1, "unsent")
    second = await publish(run.session(), post, journal)
    run.server.broken["POST /api/v1/statuses"] = json_response(429, {"error": "Too many requests"})
    third = await publish(run.session(), post, journal)

    assert [type(outcome) for outcome in (first, second, third)] == [OutcomeUnknown] * 3
    assert run.server.created == ["once"]


@pytest.mark.parametrize(
    ("status", "created", "kind"),
    [(500, True, Published), (500, False, TryLater), (502, True, Published), (502, False, OutcomeUnknown)],
)
async def test_an_error_of_a_create_is_resolved_by_reading_back(status: int, created: bool, kind: type) -> None:
    """Bluesky's server answers 500 for a taken key; a proxy's 502 may come while the server still works."""
    run = Run("bluesky: thread")

    def serve(request: Request) -> FakeResponse:
        if not request.path.endswith("createRecord"):
            return run.server(request)
        if created:
            run.server(request)
        return json_response(status, {"error": "InternalServerError"})

    run.http.serve = serve
    assert isinstance(await run.connector.publish(run.session(), outgoing("x"), run.journal), kind)


@pytest.mark.parametrize(
    ("name", "early", "told"), [("mastodon: thread", 20, 30), ("mastodon: a server without keys", 100, 120)]
)
async def test_a_young_intent_is_not_judged(name: str, early: int, told: int) -> None:
    """The first call may still be under way, and a key is known only once its post exists."""
    run = Run(name)
    intent = {"part:0": {"at": run.clock.now.isoformat()}}
    run.journal = MemoryJournal(values=intent, open={"part:0"})
    reconcile = run.connector.reconcile
    assert reconcile is not None

    run.clock.advance(early)
    outcome = await reconcile(run.session(), outgoing("x"), run.journal)
    assert isinstance(outcome, OutcomeUnknown)
    assert outcome.tells_after_seconds == told - early
    run.clock.advance(outcome.tells_after_seconds)
    assert isinstance(await reconcile(run.session(), outgoing("x"), run.journal), Absent)
