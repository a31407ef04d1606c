"""A connector dies, or loses a call, at every single place it can: each part is public exactly once in the end."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from tests.helpers.connector_harness import (
    Clock,
    Fault,
    Fuse,
    MemoryJournal,
    Reply,
    Request,
    Wire,
    drive,
    image,
    outgoing,
    reply,
    session,
)
from tests.helpers.network_ledgers import DID, LedgerMastodon, LedgerPds

from signalpost.networks import CONNECTORS
from signalpost.networks.contract import Absent, NetworkSession, OutcomeUnknown, Outgoing, Published, TryLater

FAULTS: tuple[Fault, ...] = ("kill", "lost", "unsent", "answer_lost")


@dataclass(frozen=True)
class Case:
    key: str
    post: Outgoing
    server: Callable[[Clock], Any]
    account: dict[str, Any]


def _bluesky(post: Outgoing) -> Case:
    secrets = {"accessJwt": "a", "refreshJwt": "r"}
    return Case("bluesky", post, LedgerPds, {"remote_id": DID, "secrets": secrets})


def _mastodon(post: Outgoing, **server: bool) -> Case:
    account = {
        "remote_id": "7@server.example",
        "secrets": {"accessToken": "t"},
        "facts": {"dedupes": server.get("knows_keys", True)},
    }
    return Case("mastodon", post, lambda clock: LedgerMastodon(clock, **server), account)


THREAD = outgoing("one & only", "two", "three", media=(image(),))
CASES = {
    "bluesky": _bluesky(THREAD),
    "bluesky with a gate": _bluesky(outgoing("one", "two", options={"replyGate": "nobody"})),
    "mastodon": _mastodon(THREAD),
    "mastodon converting": _mastodon(THREAD, slow_media=True),
    "a relative of mastodon": _mastodon(THREAD, knows_keys=False),
}


async def _run(case: Case, fault: Fault, at: int | None) -> tuple[int, Any, Any, MemoryJournal]:
    clock = Clock()
    fuse = Fuse(at, fault)
    server, journal = case.server(clock), MemoryJournal(fuse)
    wire = Wire(server, fuse)

    def fresh() -> NetworkSession:
        return session(wire, clock, **case.account)

    outcome = await drive(CONNECTORS[case.key], fresh, case.post, journal, clock)
    return fuse.count, server, outcome, journal


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", CASES)
async def test_each_part_is_public_exactly_once(name: str, fault: Fault) -> None:
    """Every place is tried: the number of places is counted in a run without a fault."""
    case = CASES[name]
    places, _, _, _ = await _run(case, fault, None)
    assert places >= 2

    for at in range(1, places + 1):
        _, server, outcome, journal = await _run(case, fault, at)

        assert server.created == [part.text for part in case.post.parts], f"{fault} at {at}"
        assert isinstance(outcome, Published), f"{fault} at {at}: {outcome}"
        assert len(outcome.thread_ids) == len(case.post.parts) - 1
        assert not journal.open


@pytest.mark.parametrize("name", CASES)
async def test_the_intent_is_kept_before_and_the_end_after_each_create(name: str) -> None:
    case = CASES[name]
    _, _, _, journal = await _run(case, "kill", None)

    for index in range(len(case.post.parts)):
        writes = [kind for kind, step in journal.log if step == f"part:{index}"]
        assert writes == ["intend", "done"]


async def test_two_faults_on_the_way_are_no_more_than_one() -> None:
    """The second fault strikes while the first is being mended, also after Mastodon forgot the key."""
    for name, case in CASES.items():
        for first in range(4, 14):
            clock = Clock()
            server = case.server(clock)
            journal = MemoryJournal(Fuse(first, "kill"))
            wire = Wire(server, Fuse(first % 5 + 1, "answer_lost"))

            def fresh(wire: Wire = wire, clock: Clock = clock, case: Case = case, first: int = first) -> NetworkSession:
                clock.advance(first * 300)
                return session(wire, clock, **case.account)

            await drive(CONNECTORS[case.key], fresh, case.post, journal, clock)

            assert server.created == [part.text for part in case.post.parts], f"{name} at {first}"


async def test_a_call_that_fails_while_an_earlier_one_is_open_settles_nothing() -> None:
    """Were it "try later", the intent would be closed, and after an hour the key forgotten: a second post."""
    clock = Clock()
    case = CASES["mastodon"]
    server, journal = case.server(clock), MemoryJournal()
    post = outgoing("once")
    wire = Wire(server, Fuse(1, "answer_lost"))
    connector = CONNECTORS["mastodon"]

    first = await connector.publish(session(wire, clock, **case.account), post, journal)
    clock.advance(60)
    wire.fuse = Fuse(1, "unsent")
    second = await connector.publish(session(wire, clock, **case.account), post, journal)
    server.broken["POST /api/v1/statuses"] = reply(429, {"error": "Too many requests"})
    third = await connector.publish(session(wire, clock, **case.account), post, journal)

    assert [type(outcome) for outcome in (first, second, third)] == [OutcomeUnknown] * 3
    assert server.created == ["once"]


@pytest.mark.parametrize(
    ("status", "created", "kind"),
    [(500, True, Published), (500, False, TryLater), (502, True, Published), (502, False, OutcomeUnknown)],
)
async def test_an_error_of_a_create_is_settled_by_looking(status: int, created: bool, kind: type) -> None:
    """Bluesky's server answers 500 for a taken key; a proxy's 502 may come while the server still works."""
    clock = Clock()
    pds = LedgerPds(clock)

    def serve(request: Request) -> Reply:
        if not request.path.endswith("createRecord"):
            return pds(request)
        if created:
            pds(request)
        return reply(status, {"error": "InternalServerError"})

    opened = session(Wire(serve), clock, **CASES["bluesky"].account)
    assert isinstance(await CONNECTORS["bluesky"].publish(opened, outgoing("x"), MemoryJournal()), kind)


@pytest.mark.parametrize(("knows_keys", "early", "late"), [(True, 20, 40), (False, 100, 130)])
async def test_a_young_intent_is_left_alone(knows_keys: bool, early: int, late: int) -> None:
    """The first call may still be under way, and a key is only known once its post is made."""
    clock = Clock()
    case = _mastodon(outgoing("x"), knows_keys=knows_keys)
    journal = MemoryJournal(kept={"part:0": {"at": clock.now.isoformat()}}, open={"part:0"})
    connector = CONNECTORS["mastodon"]
    assert connector.reconcile is not None
    opened = session(Wire(case.server(clock)), clock, **case.account)

    clock.advance(early)
    assert isinstance(await connector.reconcile(opened, case.post, journal), OutcomeUnknown)
    clock.advance(late - early)
    assert isinstance(await connector.reconcile(opened, case.post, journal), Absent)
