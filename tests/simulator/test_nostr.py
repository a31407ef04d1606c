"""Nostr in the simulator: the client of nostr-sdk works unmodified; what no relay would take is refused."""

import base64
import hashlib
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import httpx
import nostr_sdk
import pytest
from simulator import Simulator
from simulator.networks.nostr import Nostr
from simulator.networks.nostr_curve import is_signed, public_key
from tests.helpers.limits import TEST_SECONDS

KEYS = nostr_sdk.Keys.parse("nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5")


class Place:
    """A relay and its media server, and events that nostr-sdk signs by the relay's clock."""

    def __init__(self, simulator: Simulator) -> None:
        network = simulator.world.networks["nostr"]
        assert isinstance(network, Nostr)
        self.network, self.world, self.url = network, simulator.world, simulator.url("nostr")

    def event(self, content: str, kind: int = 1, tags: Any = (), later: int = 0) -> nostr_sdk.Event:
        at = nostr_sdk.Timestamp.from_secs(int(self.world.clock().timestamp()) + later)
        made = nostr_sdk.EventBuilder(nostr_sdk.Kind(kind), content).tags([nostr_sdk.Tag.parse(tag) for tag in tags])
        return made.custom_created_at(at).finalize(KEYS)  # type: ignore[arg-type]

    @asynccontextmanager
    async def client(self) -> AsyncIterator[nostr_sdk.Client]:
        client = nostr_sdk.ClientBuilder().build()
        await client.add_relay(nostr_sdk.RelayUrl.parse(f"ws{self.url.removeprefix('http')}"))
        await client.connect(and_wait=timedelta(seconds=TEST_SECONDS))
        yield client
        await client.shutdown()


async def found(client: nostr_sdk.Client, query: nostr_sdk.Filter) -> list[nostr_sdk.Event]:
    return await client.fetch_events(nostr_sdk.ReqTarget.auto([query]), timeout=timedelta(seconds=TEST_SECONDS))


async def test_a_client_that_others_wrote_posts_reads_and_deletes(simulator: Simulator) -> None:
    place = Place(simulator)
    profile, note = (
        place.event('{"name":"baker"}', kind=0),
        place.event('Rye & <wheat> 🍞 "\n\\', tags=[["t", "bread"]]),
    )
    reply = place.event("More", tags=[["e", note.id().to_hex(), "", "root"]], later=1)
    mine = nostr_sdk.Filter().author(KEYS.public_key()).kind(nostr_sdk.Kind(1))
    async with place.client() as client:
        sent = [await client.send_event(event) for event in (profile, note, note, reply)]
        both = await found(client, mine)
        newest = await found(client, mine.limit(1))
        deletion = place.event("", kind=5, tags=[["e", reply.id().to_hex()], ["k", "1"]])
        await client.send_event(deletion)
        left = await found(client, mine)
        again = await client.send_event(reply)

    assert all(output.success and not output.failed for output in sent)
    assert [event.as_json() for event in both] == [reply.as_json(), note.as_json()]
    assert [event.id() for event in newest] == [reply.id()]
    assert [event.id() for event in left] == [note.id()]
    assert list(again.failed.values()) == ["blocked: the author has deleted this event"]
    first, second = place.world.ledger.of("nostr", deleted=True)
    assert (first.text, first.remote_id, second.parent_id) == (note.content(), note.id().to_hex(), first.remote_id)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"content": "other"}, "the id is not that"),
        ({"sig": "0" * 128}, "bad signature"),
        ({"sig": "0"}, "lower-case hex"),
        ({"more": 1}, "other members"),
        ({"created_at": "1"}, "other members"),
        ({"tags": [[]]}, "a list of texts"),
    ],
)
def test_what_is_no_event(changes: Any, words: str, simulator: Simulator) -> None:
    place = Place(simulator)
    event = json.loads(place.event("x").as_json()) | changes
    assert words in str(place.network.answer_to(event))


@pytest.mark.parametrize(
    ("content", "kind", "tags", "later", "words"),
    [
        ("x", 1, [], 901, "too far in the future"),
        ("x", 1, [], 900, ""),
        ("x" * 65_536, 1, [], 0, "too large"),
        ("x", 4, [], 0, "blocked: kind 4"),
        ("x", 1, [["e", "0" * 64]], 0, "have no marks"),
        ("x", 1, [["e", "0" * 64, "", "root"]], 0, "is not here"),
        ("x", 1, [["imeta", "url https://e.org/a.png", "m image/png"]], 0, "not in the note"),
        ("x", 1, [["q", "0" * 64]], 0, "stands in the text"),
    ],
)
def test_what_no_relay_takes(content: str, kind: int, tags: Any, later: int, words: str, simulator: Simulator) -> None:
    place = Place(simulator)
    said = place.network.answer_to(json.loads(place.event(content, kind, tags, later).as_json()))
    assert said[2] is (words == "")
    assert words in said[3]


@pytest.mark.parametrize(
    ("tags", "later", "status"),
    [
        ([["t", "upload"], ["x", hashlib.sha256(b"file").hexdigest()], ["expiration", "9999999999"]], 0, 201),
        ([["t", "upload"], ["x", "0" * 64], ["expiration", "9999999999"]], 0, 401),
        ([["t", "delete"], ["x", hashlib.sha256(b"file").hexdigest()], ["expiration", "9999999999"]], 0, 401),
        ([["t", "upload"], ["x", hashlib.sha256(b"file").hexdigest()], ["expiration", "1"]], 0, 401),
        ([["t", "upload"], ["x", hashlib.sha256(b"file").hexdigest()], ["expiration", "9999999999"]], 60, 401),
    ],
)
async def test_files_need_a_signed_permission(tags: Any, later: int, status: int, simulator: Simulator) -> None:
    place = Place(simulator)
    permission = place.event("Upload", 24_242, tags, later).as_json().encode()
    headers = {"Authorization": f"Nostr {base64.urlsafe_b64encode(permission).decode().rstrip('=')}"}
    async with httpx.AsyncClient(base_url=place.url, headers=headers, timeout=TEST_SECONDS) as client:
        response = await client.put("/upload", content=b"file", headers={"Content-Type": "image/png"})
        assert response.status_code == status, response.text
        if status == 201:
            assert (await client.get(response.json()["url"])).content == b"file"


def test_the_curve_is_that_of_the_standard() -> None:
    """The first test vector of BIP-340, and the same with a bit turned."""
    pubkey = "f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9"
    signature = (
        "e907831f80848d1069a5371b402410364bdf1c5f8307b0084c55f1ce2dca8215"
        "25f66a4a85ea8b71e482a74f382d2ce5ebeee8fdb2172f477df4900d310536c0"
    )
    assert public_key(bytes(31) + b"\x03") == pubkey
    assert is_signed(bytes(32), pubkey, signature)
    assert not is_signed(bytes(31) + b"\x01", pubkey, signature)
    assert not is_signed(bytes(32), pubkey, f"{signature[:-1]}1")
