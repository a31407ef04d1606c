"""Nostr: which keys and relays can be connected, what relays get, and what becomes of refusals and lost answers.

The relay of nostr-sdk, which others wrote, takes what the connector sends, and its client reads and verifies it.
"""

import base64
import hashlib
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import nostr_sdk
import pytest
from simulator import Simulator
from tests.helpers.limits import TEST_SECONDS
from tests.helpers.networks.nostr import KEY, PUBKEY
from tests.simulator.test_nostr import KEYS, Place, found

from signalpost.conformance.harness import Clock, MemoryJournal, image, outgoing, server_at, session
from signalpost.kit.http import Client
from signalpost.networks import CONNECTORS, preflight
from signalpost.networks.connectors.nostr import bech32, events, media, note
from signalpost.networks.contract import (
    Identity,
    InvalidField,
    NeedsReconnect,
    NetworkSession,
    OutcomeUnknown,
    Published,
    Refused,
    Server,
    TryLater,
)
from signalpost.networks.responses import redacted

NOSTR = CONNECTORS["nostr"]
NSEC = "nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5"
NPUB = "npub10elfcs4fr0l0r8af98jlmgdh9c8tcxjvz9qkw038js35mp4dma8qzvjptg"
SEND = "EVENT /"


@pytest.fixture(scope="module")
async def http() -> AsyncIterator[Client]:
    async with Client(["127.0.0.1"]) as client:
        yield client


@pytest.fixture(scope="module")
async def listening() -> AsyncIterator[Simulator]:
    async with Simulator(start=datetime(2026, 11, 22, 12, tzinfo=UTC)) as simulator:
        yield simulator


@pytest.fixture
def place(listening: Simulator) -> Place:
    listening.world.reset()
    return Place(listening)


@asynccontextmanager
async def relay(builder: nostr_sdk.LocalRelayBuilder | None = None) -> AsyncIterator[str]:
    """Run a relay of nostr-sdk; return its address."""
    built = (builder or nostr_sdk.LocalRelayBuilder()).addr("127.0.0.1").build()
    await built.run()
    try:
        yield f"{await built.url()}/"
    finally:
        built.shutdown()


@asynccontextmanager
async def reader(*relays: str) -> AsyncIterator[nostr_sdk.Client]:
    client = nostr_sdk.ClientBuilder().build()
    for address in relays:
        await client.add_relay(nostr_sdk.RelayUrl.parse(address))
    await client.connect(and_wait=timedelta(seconds=TEST_SECONDS))
    yield client
    await client.shutdown()


def account(http: Client, *relays: str, media_server: str = "") -> NetworkSession:
    facts = {"relays": list(relays), "mediaServer": media_server}
    first = relays[0].replace("ws", "http", 1).rstrip("/")
    return session(
        http, Clock(datetime.now(UTC)), secrets={"privateKey": KEY}, remote_id=PUBKEY, facts=facts,
        server=Server(base_url=first, trusted=True, http=http, hosts={"media": media_server}),
    )  # fmt: skip


async def connected(server: Server, **fields: str) -> Identity:
    assert NOSTR.connect is not None
    return await NOSTR.connect(server, {"privateKey": NSEC, **fields})


def event(kind: int, content: str = "", *tags: list[str]) -> nostr_sdk.Event:
    parsed = [nostr_sdk.Tag.parse(tag) for tag in tags]
    return nostr_sdk.EventBuilder(nostr_sdk.Kind(kind), content).tags(parsed).finalize(KEYS)  # type: ignore[arg-type]


# --- connecting ------------------------------------------------------------------------------------------------------


async def test_a_key_is_connected_at_its_own_relays_and_media_server(http: Client) -> None:
    async with relay() as address, reader(address) as client:
        base_url = address.replace("ws", "http", 1).rstrip("/")
        server = server_at(http, base_url, trusted=True)
        with pytest.raises(InvalidField, match="No list of relays"):
            await connected(server)
        await client.send_event(event(0, json.dumps({"name": "baker", "picture": "https://e.org/a.png"})))
        await client.send_event(
            event(10_002, "", ["r", "wss://read.example", "read"], ["r", "ws://other.example"], ["r", address, "write"],
                  ["r", "wss://10.0.0.1"])
        )  # fmt: skip
        await client.send_event(event(10_063, "", ["server", "http://plain.example"], ["server", "https://b.example/"]))
        identity = await connected(server)
        hexadecimal = await connected(server, privateKey=f" {KEY.upper()} ", relays=address, mediaServer="m.example")

    assert (identity.remote_id, identity.username, identity.display_name) == (PUBKEY, NPUB, "baker")
    assert (identity.avatar_url, identity.secrets) == ("https://e.org/a.png", {"privateKey": KEY})
    assert (identity.facts["relays"], identity.facts["mediaServer"]) == ([address], "https://b.example")
    assert (identity.base_url, identity.profile_url) == (base_url, f"https://njump.me/{NPUB}")
    assert hexadecimal.facts["mediaServer"] == "https://m.example"


async def test_what_cannot_be_connected(http: Client, place: Place) -> None:
    server = server_at(http, place.url, trusted=True)
    for fields, name, words in (
        ({"privateKey": NPUB}, "privateKey", "nsec1"),
        ({"privateKey": NSEC[:-1] + "q"}, "privateKey", "nsec1"),
        ({"privateKey": "0" * 64}, "privateKey", "nsec1"),
        ({"relays": "ws://relay.example"}, "relays", "wss://"),
        ({"relays": "ftp://relay.example"}, "relays", "addresses of relays"),
        ({"relays": "wss://user@relay.example"}, "relays", "addresses of relays"),
        ({"relays": "wss://10.0.0.1"}, "relays", "forbidden address"),
        ({"relays": f"{place.url}/nowhere"}, "relays", "None of the relays answers"),
        ({"mediaServer": "http://media.example"}, "mediaServer", "Blossom"),
    ):
        with pytest.raises(InvalidField, match=words) as raised:
            await connected(server, **fields)
        assert raised.value.name == name


async def test_a_relay_that_refuses_a_query_is_quoted(http: Client, place: Place) -> None:
    """Whether it closes the query or, as before NIP-01 had that, sends a notice and ends nothing."""
    server = server_at(http, place.url, trusted=True)
    place.network.banned.add(PUBKEY)
    for says_notice in (False, True):
        place.network.says_notice = says_notice
        with pytest.raises(InvalidField, match="restricted: not allowed to read"):
            await connected(server, relays=place.url)


async def test_limits_are_those_of_the_relay_that_takes_most(http: Client, place: Place) -> None:
    identity = await connected(server_at(http, place.url, trusted=True), relays=place.url)
    assert identity.facts["limits"] == {"text": {"max_length": 50_000}}
    for texts, rules in ((("x" * 50_000,), []), (("🍞" * 20_000,), ["nostr.text.max_bytes"])):
        found_issues = preflight.check(NOSTR, outgoing(*texts), identity.facts)
        assert [issue.rule for issue in found_issues] == rules
    for value, rules in (("note1x", ["nostr.quote.invalid"]), (note.note_of("0" * 64), [])):
        found_issues = preflight.check(NOSTR, outgoing("x", options={"quoteId": value}), {})
        assert [issue.rule for issue in found_issues] == rules


# --- sending ---------------------------------------------------------------------------------------------------------


async def test_another_relay_takes_the_notes_and_another_client_verifies_them(http: Client, place: Place) -> None:
    quoted = "nevent1qqstna2yrezu5wghjvswqqculvvwxsrcvu7uc0f78gan4xqhvz49d9spr3mhxue69uhkummnw3ez6un9d3shjtn4de6x2argwghx6egpr4mhxue69uhkummnw3ez6ur4vgh8wetvd3hhyer9wghxuet5nxnepm"  # noqa: E501
    files = (image("A dot", data=b"one"), image(None, data=b"two", mime_type="video/mp4", kind="video"))
    options = {"contentWarning": "Flour", "quoteId": quoted}
    async with relay() as address, reader(address) as client:
        opened = account(http, address, media_server=place.url)
        place.world.clock.set(opened.now())
        post = outgoing(f'#Rye & <wheat> 🍞 "\\\n nostr:{NPUB} #2', "More", "Last", media=files, options=options)
        outcome = await NOSTR.publish(opened, post, MemoryJournal())
        assert isinstance(outcome, Published), outcome
        mine = nostr_sdk.Filter().author(KEYS.public_key()).kind(nostr_sdk.Kind(1))
        notes = {one.id().to_hex(): one for one in await found(client, mine)}
        first, second, third = [notes[event_id] for event_id in (outcome.remote_id, *outcome.thread_ids)]
        linked = nostr_sdk.Nip19Event.from_bech32((outcome.url or "").removeprefix("https://njump.me/"))
        assert NOSTR.delete is not None
        for _ in range(2):
            await NOSTR.delete(opened, outcome.remote_id, outcome.thread_ids)
        left = await found(client, mine)

    assert all(one.verify() for one in notes.values())
    urls = [
        f"{place.url}/{hashlib.sha256(content).hexdigest()}.{end}"
        for content, end in ((b"one", "png"), (b"two", "mp4"))
    ]
    assert first.content() == "\n\n".join((post.text, f"nostr:{quoted}", "\n".join(urls)))
    tags = [tag.to_vec() for tag in first.tags()]
    quoted_id = nostr_sdk.Nip19Event.from_bech32(quoted).event_id().to_hex()
    assert tags[:3] == [["q", quoted_id, ""], ["p", PUBKEY], ["t", "rye"]]
    assert tags[3][:3] == ["imeta", f"url {urls[0]}", "m image/png"]
    assert {"dim 1x1", "alt A dot", f"x {hashlib.sha256(b'one').hexdigest()}"} < set(tags[3])
    assert tags[5] == ["content-warning", "Flour"]
    assert second.tags()[0].to_vec() == ["e", outcome.remote_id, address, "root", PUBKEY]
    assert [tag.to_vec()[1:4:2] for tag in third.tags()[:2]] == [
        [outcome.remote_id, "root"], [outcome.thread_ids[0], "reply"],
    ]  # fmt: skip
    assert (linked.event_id().to_hex(), linked.author().to_hex()) == (outcome.remote_id, PUBKEY)  # type: ignore[union-attr]
    assert left == []
    assert [held[0] for held in place.network.blobs.values()] == [b"one", b"two"]


async def test_one_relay_is_enough_and_the_others_say_why(http: Client) -> None:
    """Relays of nostr-sdk that want proof of work, or a client that signs in; one that is not there."""
    mode = nostr_sdk.LocalRelayBuilderNip42(mode=nostr_sdk.LocalRelayBuilderNip42Mode.WRITE)
    proof, sign_in = nostr_sdk.LocalRelayBuilder().min_pow(20), nostr_sdk.LocalRelayBuilder().nip42(mode)
    async with relay() as open_one, relay(proof) as working, relay(sign_in) as closed:
        gone = "ws://127.0.0.1:9/"
        journal = MemoryJournal()
        outcome = await NOSTR.publish(account(http, gone, working, closed, open_one), outgoing("x"), journal)
        refused = await NOSTR.publish(account(http, gone, working, closed), outgoing("x"), MemoryJournal())
        signed_out = await NOSTR.publish(account(http, gone, closed), outgoing("x"), MemoryJournal())
        unreached = await NOSTR.publish(account(http, gone), outgoing("x"), MemoryJournal())

    assert isinstance(outcome, Published)
    said = journal.values["part:0"]["refused"]
    assert len(said) == 3
    assert {text.partition(":")[0] for text in said.values()} >= {"pow", "auth-required"}
    assert isinstance(refused, Refused)
    assert "pow: " in refused.message
    assert "proof of work" in (refused.remediation or "")
    assert isinstance(signed_out, NeedsReconnect)
    assert isinstance(unreached, TryLater)


async def test_a_refusal_in_other_words_asks_for_other_relays(http: Client, place: Place) -> None:
    opened = account(http, f"{place.url.replace('http', 'ws', 1)}/")
    opened.now = place.world.clock
    place.network.rejected.add(PUBKEY)
    outcome = await NOSTR.publish(opened, outgoing("x"), MemoryJournal())
    assert isinstance(outcome, Refused)
    assert "not allowed" in outcome.message
    assert "relays that take its notes" in (outcome.remediation or "")


# --- what became of a lost answer ------------------------------------------------------------------------------------


async def test_a_note_that_is_sent_again_is_the_same(http: Client, place: Place) -> None:
    """Its time is that of the first attempt, so that a relay has it once, whether a look finds it or not."""
    opened = account(http, f"{place.url.replace('http', 'ws', 1)}/")
    opened.now = place.world.clock
    for fault, looks in (("lost", True), ("dropped", True), ("lost", False)):
        journal, post = MemoryJournal(), outgoing(f"{fault} {looks}")
        place.world.add_fault("nostr", fault, SEND)
        first = await NOSTR.publish(opened, post, journal)
        assert isinstance(first, OutcomeUnknown)
        intended = journal.values["part:0"]["note"]
        place.world.clock.advance(86_400)
        if not looks:
            journal.settle()
        outcome = await NOSTR.publish(opened, post, journal)
        assert isinstance(outcome, Published)
        assert outcome.remote_id == intended
    assert len(place.world.ledger.of("nostr")) == 3


async def test_relays_that_say_nothing_or_lie_settle_nothing(http: Client, place: Place) -> None:
    opened = account(http, f"{place.url.replace('http', 'ws', 1)}/")
    opened.now = place.world.clock
    reconcile = NOSTR.reconcile
    assert reconcile is not None
    intent = {"at": place.world.clock().isoformat(), "note": "1" * 64}
    forged = json.loads(place.event("x").as_json()) | {"id": "1" * 64}
    place.network.events["1" * 64] = forged
    journal = MemoryJournal(values={"part:0": intent}, open={"part:0"})
    lied = await reconcile(opened, outgoing("x"), journal)
    place.world.add_fault("nostr", "dropped", "REQ /")
    silent = await reconcile(opened, outgoing("x"), journal)

    assert type(lied).__name__ == "Absent"
    assert isinstance(silent, OutcomeUnknown)


# --- keys, ids, tags -------------------------------------------------------------------------------------------------


def test_keys_and_ids_are_read_and_written_as_others_do() -> None:
    assert bech32.decoded(NSEC) == ("nsec", bytes.fromhex(KEY))
    assert bech32.encoded("npub", bytes.fromhex(PUBKEY)) == NPUB
    assert events.public_key(KEY) == PUBKEY
    event_id = nostr_sdk.EventId.parse("a" * 64)
    assert note.note_of("a" * 64) == event_id.to_bech32()
    for text in ("", "1", "nsec1", NSEC.replace("v", "w", 1), f"{NSEC}b", "nsec1\N{KELVIN SIGN}", "1" * 5_000):
        assert bech32.decoded(text) is None, text
    for value in (f"nevent1{'q' * 60}", NPUB, "note1", "x"):
        assert note.quoted_of(value) is None, value
    assert redacted(f"key {NSEC}!") == "key [redacted]!"


def test_signatures_are_those_of_the_standard() -> None:
    """The same event has the same signature each time, and nothing of it can be changed."""
    made = events.signed(KEY, 1_795_000_000, 1, [["t", "x"]], "🍞 \u2028 \x7f </a>")
    assert nostr_sdk.Event.from_json(json.dumps(made)).verify()
    assert events.signed(KEY, 1_795_000_000, 1, [["t", "x"]], "🍞 \u2028 \x7f </a>") == made
    assert events.genuine(made, PUBKEY) == made
    changes: tuple[dict[str, Any], ...] = (
        {"content": "x"},
        {"kind": True},
        {"tags": [1]},
        {"sig": "0" * 128},
        {"id": 1},
    )
    for changed in changes:
        assert events.genuine(made | changed, PUBKEY) is None, changed
    assert events.genuine(made, "0" * 64) is None
    assert events.genuine([], PUBKEY) is None


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("#Rye, #rye #Käse-#Brot", ["rye", "käse", "brot"]),
        ("https://e.org/#part a#b &#39; ##x #1 #1a", ["1a"]),
        ("#" + "x" * 101, []),
        ("none", []),
    ],
)
def test_hashtags(text: str, names: list[str]) -> None:
    tags = note.tags_of(outgoing(text), 0, [], [], PUBKEY)
    assert tags == [["t", name] for name in names]


def test_a_permission_is_read_by_old_and_new_media_servers() -> None:
    header = media.authorization(KEY, "a" * 64, "https://Media.example:8443", datetime(2026, 11, 29, tzinfo=UTC))
    scheme, _, token = header.partition(" ")
    assert scheme == "Nostr"
    assert base64.b64decode(token, validate=True) == base64.urlsafe_b64decode(token)
    permission = nostr_sdk.Event.from_json(base64.b64decode(token).decode())
    assert permission.verify()
    assert ["server", "media.example"] in [tag.to_vec() for tag in permission.tags()]
