"""Matrix: which rooms can be connected, what is sent, and what becomes of a lost answer."""

import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import pytest
from mautrix.types import PaginationDirection
from simulator import Simulator
from tests.helpers.networks.matrix import DEVICE, FAKE, error
from tests.helpers.networks.matrix import FACTS as SEEDED
from tests.simulator.test_matrix import Place

from signalpost.conformance.harness import (
    Clock,
    FakeHttp,
    MemoryJournal,
    image,
    json_response,
    outgoing,
    server_at,
    session,
)
from signalpost.kit.http import Client
from signalpost.networks import CONNECTORS, preflight
from signalpost.networks.connectors.matrix.homeserver import find_homeserver
from signalpost.networks.connectors.matrix.markdown import html_of
from signalpost.networks.contract import (
    Absent,
    BadCredentials,
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

MATRIX = CONNECTORS["matrix"]
SEND = "PUT /_matrix/client/v3/rooms/{room}/send/{kind}/{txn}"


@pytest.fixture(scope="module")
async def http() -> AsyncIterator[Client]:
    async with Client() as client:
        yield client


@pytest.fixture(scope="module")
async def listening() -> AsyncIterator[Simulator]:
    async with Simulator(start=datetime(2026, 11, 22, 12, tzinfo=UTC)) as simulator:
        yield simulator


@pytest.fixture
def place(listening: Simulator) -> Place:
    listening.world.reset()
    return Place(listening)


async def connected(network: Server, place: Place, **fields: str) -> Identity:
    assert MATRIX.connect is not None
    form = {"homeserverUrl": place.url, "accessToken": place.token, "room": place.room.alias}
    return await MATRIX.connect(network, form | fields)


async def account(place: Place, http: Client, **facts: Any) -> NetworkSession:
    network = server_at(http, place.url, trusted=True)
    identity = await connected(network, place)
    values = {"secrets": identity.secrets, "remote_id": identity.remote_id, "facts": {**identity.facts, **facts}}
    return session(http, place.world.clock, server=network, **values)


def sent(place: Place) -> list[Any]:
    return [json.loads(entry.body) for entry in place.world.log if entry.call == SEND and entry.status == 200]


# --- connecting ----------------------------------------------------------------------------------------------------


async def test_a_room_is_connected_by_its_address_its_id_or_a_link(place: Place, http: Client) -> None:
    network = server_at(http, place.url, trusted=True)
    identities = [
        await connected(network, place, room=room)
        for room in (
            place.room.alias, place.room.id, f"https://matrix.to/#/{place.room.alias}",
            f"https://matrix.to/#/{place.room.alias.replace('#', '%23')}?via=bakery.example",
        )
    ]  # fmt: skip

    assert {identity.remote_id for identity in identities} == {f"{place.user_id}/{place.room.id}"}
    first = identities[0]
    assert (first.display_name, first.secrets) == ("News", {"accessToken": place.token})
    assert first.facts["limits"]["media"]["image"] == {"bytes_max": 50 * 1024 * 1024}
    assert first.facts["deviceId"] == "DEVICE0"


async def test_what_cannot_be_connected(place: Place, http: Client) -> None:
    network, room = server_at(http, place.url, trusted=True), place.room
    other = place.network.add_room("other")
    secret = place.network.add_room("secret", members={place.user_id}, encrypted=True)
    for fields, words in (
        ({"room": "news"}, "begins with an !"),
        ({"room": "#nowhere:bakery.example"}, "knows no room"),
        ({"room": "#nowhere"}, "knows no room"),
        ({"room": "#news:typo.example"}, "cannot reach the server"),
        ({"room": other.id}, "not in the room"),
        ({"room": secret.id}, "encrypted"),
        ({"accessToken": "two words"}, "no spaces"),
        ({"homeserverUrl": "http://matrix.example"}, "https://"),
        ({"homeserverUrl": "://"}, "Enter the address"),
    ):
        with pytest.raises(InvalidField, match=words):
            await connected(network, place, **fields)
    with pytest.raises(BadCredentials, match="Unrecognised token"):
        await connected(network, place, accessToken="syt_wrong")
    room.levels = {"events_default": 50, "users": {place.user_id: "0"}}
    with pytest.raises(InvalidField, match="power level"):
        await connected(network, place)
    room.version, room.creator = "12", place.user_id  # who made it may do everything there
    await connected(network, place)


async def test_an_account_that_lost_its_room_cannot_post(place: Place, http: Client) -> None:
    opened = await account(place, http)
    assert MATRIX.check is not None
    assert (await MATRIX.check(opened)).can_post
    journal = MemoryJournal()
    place.world.add_fault("matrix", "lost", SEND)
    assert isinstance(await MATRIX.publish(opened, outgoing("seen", dedupe_key="1"), journal), OutcomeUnknown)
    place.room.remove(place.user_id)
    health = await MATRIX.check(opened)
    outcome = await MATRIX.publish(opened, outgoing("x"), MemoryJournal())
    assert isinstance(await MATRIX.publish(opened, outgoing("seen", dedupe_key="1"), journal), Published)
    assert (health.can_post, "invite" in (health.message or "")) == (False, True)
    assert isinstance(outcome, Refused)
    assert outcome.code == "permission_missing"


@pytest.mark.parametrize(
    ("entered", "answers", "found"),
    [
        ("example.org", {"https://example.org/.well-known/matrix/client": "https://hs.example.org/x/"},
         "https://hs.example.org/x"),
        ("@alice:example.org", {"https://example.org/.well-known/matrix/client": "https://hs.example.org"},
         "https://hs.example.org"),
        ("https://example.org/_matrix/client", {}, "https://example.org"),
        ("example.org", {"https://example.org/.well-known/matrix/client": ("https://www.example.org/m.json",),
                         "https://www.example.org/m.json": "https://hs.example.org"}, "https://hs.example.org"),
        ("example.org", {"https://example.org/.well-known/matrix/client": ("http://example.org/",)}, None),
        ("example.org", {"https://example.org/.well-known/matrix/client": "http://10.0.0.1"}, None),
        ("example.org", {"https://example.org/.well-known/matrix/client": ("/.well-known/matrix/client",)},
         "https://example.org"),
    ],
)  # fmt: skip
async def test_a_domain_says_where_its_homeserver_is(entered: str, answers: Any, found: str | None) -> None:
    """Redirects are followed three times; nothing without encryption is."""

    class Web:
        async def request(self, _method: str, url: str, **_rest: Any) -> Any:
            if url.endswith("/_matrix/client/versions"):
                return json_response(200, {"versions": ["v1.11"]})
            answer = answers.get(url)
            if isinstance(answer, tuple):
                return json_response(302, {}, Location=answer[0])
            return json_response(200 if answer else 404, {"m.homeserver": {"base_url": answer}})

    if found is None:
        with pytest.raises(InvalidField, match="https://"):
            await find_homeserver(server_at(Web(), ""), entered)
    else:
        assert (await find_homeserver(server_at(Web(), ""), entered)).base_url == found


# --- sending -------------------------------------------------------------------------------------------------------


async def test_texts_files_and_threads_are_read_by_another_client_as_they_were_sent(place: Place, http: Client) -> None:
    opened = await account(place, http)
    video = image(None, data=b"video", mime_type="video/mp4", kind="video", file_name="a.mp4", duration_ms=1_500,
                  thumbnail=image(None, data=b"cover"))  # fmt: skip
    post = outgoing("**Rye** & <wheat>", "More", media=(image(None), video), options={"markdown": True})

    outcome = await MATRIX.publish(opened, post, MemoryJournal())
    notice = await MATRIX.publish(
        opened, outgoing("@room", dedupe_key="2", options={"notice": True, "mentionRoom": True}), MemoryJournal()
    )
    async with place.client() as client:
        room: Any = place.room.id
        page = await client.get_messages(room, PaginationDirection.FORWARD, limit=10)
        first, second, below, last = [event.content for event in page.events]
        cover = await client.download_media(second.info.thumbnail_url)  # type: ignore[union-attr]

    assert isinstance(outcome, Published)
    assert isinstance(notice, Published)
    ids = [str(event.event_id) for event in page.events]
    assert [outcome.remote_id, *outcome.thread_ids, notice.remote_id] == [",".join(ids[:2]), ids[2], ids[3]]
    assert outcome.url == f"https://matrix.to/#/{place.room.id}/{ids[0]}?via=bakery.example"
    one, two, three, four = [json.loads(json.dumps(content.serialize())) for content in (first, second, below, last)]
    assert (one["body"], one["filename"], one["msgtype"]) == ("**Rye** & <wheat>", "dot.png", "m.image")
    assert one["formatted_body"] == "<strong>Rye</strong> &amp; &lt;wheat&gt;"
    assert (two["body"], two["msgtype"], two["info"]["duration"], cover) == ("a.mp4", "m.video", 1_500, b"cover")
    assert three["m.relates_to"]["event_id"] == ids[0]
    assert three["m.relates_to"]["m.in_reply_to"] == {"event_id": ids[1]}
    assert [content["m.mentions"] for content in sent(place)] == [{}, {}, {}, {"room": True}]
    assert (four["msgtype"], "formatted_body" in four) == ("m.notice", False)
    assert MATRIX.delete is not None
    for _ in range(2):
        await MATRIX.delete(opened, outcome.remote_id, outcome.thread_ids)
    assert [entry.remote_id for entry in place.world.ledger.of("matrix")] == [notice.remote_id]


async def test_nothing_is_sent_to_a_room_that_became_encrypted(place: Place, http: Client) -> None:
    opened = await account(place, http)
    place.room.encrypted = True
    outcome = await MATRIX.publish(opened, outgoing("plain", media=(image(),)), MemoryJournal())
    assert isinstance(outcome, Refused)
    assert "encrypted" in outcome.message
    assert (sent(place), place.network.files) == ([], {})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n\nb", "a<br>\n<br>\nb"),
        ("**b** *i* _u_ ~~s~~", "<strong>b</strong> <em>i</em> <em>u</em> <del>s</del>"),
        ("***both***", "<strong><em>both</em></strong>"),
        ("**a *b** c*", "<strong>a *b</strong> c*"),
        ("2 * 3 * 4, snake_case_name, 5*6", "2 * 3 * 4, snake_case_name, 5*6"),
        ("`**a** <b>` **", "<code>**a** &lt;b&gt;</code> **"),
        ('[a "b"](https://e.org/?a=1&b=_2_)', '<a href="https://e.org/?a=1&amp;b=_2_">a &quot;b&quot;</a>'),
        ("[a](javascript:x) <script>", "[a](javascript:x) &lt;script&gt;"),
        ("https://e.org/_a_ \\*a\\*", "https://e.org/_a_ *a*"),
        ("*open\nnext*", "*open<br>\nnext*"),
    ],
)
def test_a_little_markdown(text: str, expected: str) -> None:
    assert html_of(text) == expected


def test_the_size_of_a_message_is_checked_as_it_is_sent() -> None:
    for text, options, rules in (
        ("x" * 50_000, {}, []),
        ("x" * 50_000, {"markdown": True}, ["matrix.text.max_bytes"]),
        ("\N{BREAD}" * 15_000, {}, ["matrix.text.max_bytes"]),
        ("x" * 50_001, {}, ["matrix.text.max_length"]),
    ):
        found = preflight.check(MATRIX, outgoing(text, options=options), {})
        assert [issue.rule for issue in found] == rules, text[:3]


# --- what became of a lost answer ----------------------------------------------------------------------------------


async def test_each_file_is_there_once_whichever_answer_is_lost(place: Place, http: Client) -> None:
    """The same device repeats the transaction; another one finds the message by its key, also days later."""
    files = tuple(image(None, data=f"{number}".encode()) for number in range(3))
    count = 0
    for device in ("DEVICE0", "OTHER"):
        for lost in range(3):
            count += 1
            opened, journal = await account(place, http, deviceId=device), MemoryJournal()
            post = outgoing("Pictures", media=files, dedupe_key=f"{device} {lost}")
            place.world.add_fault("matrix", "lost", SEND, after=lost)
            first = await MATRIX.publish(opened, post, journal)
            assert isinstance(first, OutcomeUnknown), first
            place.network.transactions.clear()  # as after a day
            opened.facts = {**opened.facts, "deviceId": "NEW"}
            place.world.clock.advance(100_000)
            outcome = await MATRIX.publish(opened, post, journal)
            assert isinstance(outcome, Published), outcome
            assert len(outcome.remote_id.split(",")) == 3
            assert len(place.world.ledger.of("matrix")) == 3 * count


@pytest.mark.parametrize(("device", "waits"), [(DEVICE, False), ("OTHER", True), (None, True)])
async def test_only_the_device_that_sent_repeats_soon(device: str | None, waits: bool) -> None:
    """Its transaction is known to the server soon, so that a message that was on its way is not there twice."""
    clock = Clock()
    server = FAKE.server(clock)
    values = {**FAKE.account, "facts": {**SEEDED, "deviceId": device}}
    journal = MemoryJournal(values={"part:0": {"at": clock.now.isoformat(), "device": DEVICE}}, open={"part:0"})
    clock.advance(10)
    reconcile = MATRIX.reconcile
    assert reconcile is not None
    early = await reconcile(session(FakeHttp(server), clock, **values), outgoing("x"), journal)
    clock.advance(60)
    late = await reconcile(session(FakeHttp(server), clock, **values), outgoing("x"), journal)

    assert isinstance(early, OutcomeUnknown if waits else Absent)
    assert isinstance(late, Absent)


def test_what_errors_ask_for() -> None:
    for response, kind, words in (
        (error(401, "M_UNKNOWN_TOKEN"), NeedsReconnect, "Make a new access token"),
        (error(403, "M_FORBIDDEN"), Refused, "power level"),
        (error(403, "M_CONSENT_NOT_GIVEN"), Refused, "accept the terms"),
    ):
        outcome = MATRIX.explain(response)
        assert isinstance(outcome, kind)
        assert words in f"{outcome.message} {getattr(outcome, 'remediation', '')}"
    limited = json_response(429, {"errcode": "M_LIMIT_EXCEEDED", "retry_after_ms": 1_500})
    waits = MATRIX.explain(type(error(429, ""))(limited, SEND))
    assert isinstance(waits, TryLater)
    assert waits.after_seconds == 1.5
    assert redacted("token syt_YmFrZXI_abcDEFghiJKL_1a2b3c") == "token [redacted]"
