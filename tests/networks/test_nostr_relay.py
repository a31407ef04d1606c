"""The Nostr connector against two relays that others wrote, in Python (nostr-relay) and in Rust (nostr-sdk).

A third program, the client of nostr-sdk, reads what they have and verifies it.
"""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import nostr_sdk
import pytest
from simulator import Simulator
from tests.counterparts import nostr_relay
from tests.networks.test_nostr import NOSTR, NPUB, NSEC, account, event, reader, relay
from tests.simulator.test_nostr import KEYS, Place, found

from signalpost.conformance.harness import Clock, MemoryJournal, image, outgoing, server_at
from signalpost.kit.http import Client, MaybeSent
from signalpost.networks.connectors.nostr import note
from signalpost.networks.contract import (
    InvalidField,
    NeedsReconnect,
    OutcomeUnknown,
    Published,
    Refused,
    TryLater,
)

pytestmark = pytest.mark.xdist_group("nostr-relay")  # one server for most of them
MINE = nostr_sdk.Filter().author(KEYS.public_key()).kind(nostr_sdk.Kind(1))
SIGNED_IN = {"enabled": True, "actions": {"save": "w", "query": "w"}}


@pytest.fixture(scope="module")
async def http() -> AsyncIterator[Client]:
    async with Client(["127.0.0.1"]) as client:
        yield client


@pytest.fixture(scope="module")
async def relays() -> AsyncIterator[tuple[str, str]]:
    async with nostr_relay() as first, relay() as second:
        yield first, second


@pytest.fixture
async def place() -> AsyncIterator[Place]:
    """A media server, by the clock of the world, as relays compare a note with theirs."""
    async with Simulator(start=datetime.now(UTC)) as simulator:
        yield Place(simulator)


async def test_a_key_is_connected_by_what_a_relay_has(http: Client, relays: tuple[str, str]) -> None:
    base_url = relays[0].replace("ws", "http", 1).rstrip("/")
    async with reader(relays[0]) as client:
        await client.send_event(event(0, json.dumps({"name": "baker"})))
        await client.send_event(event(10_002, "", ["r", relays[0]]))
    assert NOSTR.connect is not None

    identity = await NOSTR.connect(server_at(http, base_url, trusted=True), {"privateKey": NSEC})

    assert (identity.display_name, identity.username, identity.facts["relays"]) == ("baker", NPUB, [relays[0]])
    assert NOSTR.check is not None
    health = await NOSTR.check(account(http, *relays))
    assert (health.can_post, health.display_name) == (True, "baker")


async def test_both_relays_have_what_was_sent_and_another_client_verifies_it(
    http: Client, relays: tuple[str, str], place: Place
) -> None:
    opened = account(http, *relays, media_server=place.url)
    quoted = note.note_of("ab" * 32)
    files = (image("A dot", data=b"one"), image(None, data=b"two", mime_type="video/mp4", kind="video"))
    options = {"contentWarning": "Flour", "quoteId": quoted}
    post = outgoing(f'#Rye & <wheat> 🍞 "\\\n \u2028 nostr:{NPUB}', "More", "Last", media=files, options=options)

    outcome = await NOSTR.publish(opened, post, MemoryJournal())

    assert isinstance(outcome, Published), outcome
    ids = [outcome.remote_id, *outcome.thread_ids]
    held: list[dict[str, Any]] = []
    for address in relays:
        async with reader(address) as client:
            notes = {one.id().to_hex(): one for one in await found(client, MINE)}
        assert all(one.verify() for one in notes.values())
        held.append({event_id: json.loads(notes[event_id].as_json()) for event_id in ids})
    assert held[0] == held[1]
    first, second, third = held[0].values()
    assert first["content"].startswith(f"{post.text}\n\nnostr:{quoted}\n\n{place.url}/")
    tags = {tag[0]: tag for tag in first["tags"]}
    assert (tags["q"][1], tags["p"][1], tags["t"]) == ("ab" * 32, KEYS.public_key().to_hex(), ["t", "rye"])
    assert {"m video/mp4", "dim 1x1"} < set(tags["imeta"])
    assert tags["content-warning"] == ["content-warning", "Flour"]
    assert second["tags"][0] == ["e", ids[0], relays[0], "root", KEYS.public_key().to_hex()]
    assert [tag[3] for tag in third["tags"] if tag[0] == "e"] == ["root", "reply"]

    assert NOSTR.delete is not None
    for _ in range(2):
        await NOSTR.delete(opened, outcome.remote_id, outcome.thread_ids)
    for address in relays:
        async with reader(address) as client:
            assert not {one.id().to_hex() for one in await found(client, MINE)} & {*ids}


class _Deaf:
    """Passes calls on, and loses the answers of one relay: it has the note, and we cannot know."""

    def __init__(self, http: Client, relay: str) -> None:
        self.http, self.relay = http, relay.replace("ws", "http", 1)

    async def request(self, method: str, url: str, **rest: Any) -> Any:
        response = await self.http.request(method, url, **rest)
        if url == self.relay and rest["json"][0] == "EVENT":
            raise MaybeSent("no response in time", timed_out=True)
        return response


async def test_a_note_whose_answer_is_lost_is_there_once(http: Client, relays: tuple[str, str]) -> None:
    """Whether the look for it finds it, or nothing is known of it and it is sent again, as after a restore."""
    for looks in (True, False):
        opened, journal = account(http, relays[0]), MemoryJournal()
        usual, post = opened.server, outgoing("lost", "below", dedupe_key=f"{looks}")
        opened.now = Clock(datetime.now(UTC))
        opened.server = replace(usual, http=_Deaf(http, relays[0]))
        first = await NOSTR.publish(opened, post, journal)
        opened.server = usual
        if not looks:
            journal.settle()
        second = await NOSTR.publish(opened, post, journal)
        assert isinstance(first, OutcomeUnknown)
        assert isinstance(second, Published)
        async with reader(relays[0]) as client:
            lost = [one for one in await found(client, MINE) if one.content() == "lost"]
            below = [one for one in await found(client, MINE) if one.content() == "below"]
            assert [len(lost), len(below)] == [1, 1]
            await client.send_event(event(5, "", *[["e", one.id().to_hex()] for one in (*lost, *below)]))


async def test_a_note_that_a_relay_has_already_is_published(http: Client, relays: tuple[str, str]) -> None:
    """nostr-relay answers a repeat with `false` and the word duplicate."""
    opened, journal = account(http, relays[0]), MemoryJournal()
    first = await NOSTR.publish(opened, outgoing("again"), journal)
    at = journal.values["time:0"]
    second = await NOSTR.publish(opened, outgoing("again"), MemoryJournal(values={"time:0": at}))
    assert isinstance(first, Published)
    assert second == first


@pytest.mark.parametrize(
    ("validators", "settings", "kind", "code", "words"),
    [
        ((), {"authentication": SIGNED_IN}, NeedsReconnect, None, "restricted: permission denied. Connect the account"),
        (("is_author_whitelisted",), {"pubkey_whitelist": []}, Refused, "content_rejected", "not allowed"),
        ((), {"rate_limits": {"ip": {"EVENT": "1/min"}}}, TryLater, "rate_limited", "rate-limited: slow down"),
    ],
)
async def test_what_users_are_told(
    http: Client, validators: tuple[str, ...], settings: Any, kind: Any, code: str | None, words: str
) -> None:
    async with nostr_relay(*validators, **settings) as address, relay() as other:
        for _ in range(2 if kind is TryLater else 1):
            outcome = await NOSTR.publish(account(http, address), outgoing("x"), MemoryJournal())
        journal = MemoryJournal()
        elsewhere = await NOSTR.publish(account(http, address, other), outgoing("x"), journal)

    assert isinstance(outcome, kind), outcome
    assert getattr(outcome, "code", None) == code
    assert words in outcome.message
    if kind is Refused:
        assert "relays that take its notes" in (outcome.remediation or "")
    assert isinstance(elsewhere, Published)
    assert list(journal.values["part:0"]["refused"]) == [address.split("/")[2]]


async def test_a_relay_that_does_not_answer_a_query_says_why(http: Client) -> None:
    """nostr-relay, as old ones of strfry, answers with a notice, and ends nothing."""
    assert NOSTR.connect is not None
    async with nostr_relay(authentication=SIGNED_IN) as address:
        base_url = address.replace("ws", "http", 1).rstrip("/")
        fields = {"privateKey": NSEC, "relays": address}
        with pytest.raises(InvalidField, match="restricted: permission denied"):
            await NOSTR.connect(server_at(http, base_url, trusted=True), fields)
