"""The Matrix connector against Synapse, read back through a client that we did not write (mautrix)."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any
from urllib.parse import quote

import aiohttp
import pytest
from mautrix.api import HTTPAPI
from mautrix.client import ClientAPI
from mautrix.types import PaginationDirection
from tests.counterparts import Synapse, synapse
from tests.counterparts.synapse import API, FILE_BYTES_MAX, User

from signalpost.conformance.harness import Clock, MemoryJournal, image, outgoing, server_at, session
from signalpost.kit.http import Client, MaybeSent
from signalpost.networks import CONNECTORS
from signalpost.networks.contract import (
    BadCredentials,
    Identity,
    InvalidField,
    NeedsReconnect,
    NetworkSession,
    OutcomeUnknown,
    Published,
    Refused,
    TryLater,
)

pytestmark = pytest.mark.xdist_group("matrix-server")  # one server for all of them
MATRIX = CONNECTORS["matrix"]
ENCRYPTION = {"type": "m.room.encryption", "content": {"algorithm": "m.megolm.v1.aes-sha2"}}


@dataclass
class Place:
    """Rooms of Synapse: their owner, and a user who posts there as fast as anyone wants."""

    server: Synapse
    admin: User
    owner: User
    bot: User
    numbers: "count[int]"

    def new_name(self) -> str:
        return f"room{next(self.numbers)}"

    async def new_user(self) -> User:
        """Add a user who may post as fast as Synapse is shipped to allow, or slower."""
        return await self.server.add_user(self.new_name())

    async def as_owner(self, method: str, path: str, body: Any) -> None:
        await self.server.call(self.owner, method, f"{API}/rooms/{path}", json=body)


@pytest.fixture(scope="module")
async def place() -> AsyncIterator[Place]:
    async with synapse() as server:
        admin = await server.add_user("admin", is_admin=True)
        owner, bot = await server.add_user("owner"), await server.add_user("bot")
        for user in (owner, bot):
            await server.free_of_limits(admin, user)
        yield Place(server, admin, owner, bot, count())


@pytest.fixture(scope="module")
async def http() -> AsyncIterator[Client]:
    async with Client() as client:
        yield client


@asynccontextmanager
async def reader(place: Place) -> AsyncIterator[ClientAPI]:
    async with aiohttp.ClientSession() as opened:
        api = HTTPAPI(place.server.url, place.owner.token, client_session=opened, default_retry_count=0)
        yield ClientAPI(place.owner.id, api=api)  # type: ignore[arg-type]


async def connected(place: Place, http: Client, room: str, **fields: str) -> Identity:
    assert MATRIX.connect is not None
    form = {"homeserverUrl": place.server.url, "accessToken": place.bot.token, "room": room}
    return await MATRIX.connect(server_at(http, place.server.url, trusted=True), form | fields)


async def opened(place: Place, http: Client, room: str, user: User | None = None) -> NetworkSession:
    token = (user or place.bot).token
    identity = await connected(place, http, room, accessToken=token)
    return session(
        http, Clock(datetime.now(UTC)), server=server_at(http, place.server.url, trusted=True),
        secrets=identity.secrets, remote_id=identity.remote_id, facts=identity.facts,
    )  # fmt: skip


async def contents(place: Place, room: str) -> list[Any]:
    return [event["content"] for event in await place.server.messages(place.owner, room)]


# --- connecting ------------------------------------------------------------------------------------------------------


async def test_a_room_is_connected_by_its_address_its_id_or_a_link(place: Place, http: Client) -> None:
    """Ids of rooms name no server since version 12, which Synapse makes."""
    name = place.new_name()
    room = await place.server.add_room(place.owner, name, place.bot)
    alias = f"#{name}:signalpost.test"

    identities = [
        await connected(place, http, entered)
        for entered in (alias, room, f"https://matrix.to/#/{quote(alias)}", f"https://matrix.to/#/{room}?via=x.example")
    ]

    assert ":" not in room
    assert {identity.remote_id for identity in identities} == {f"{place.bot.id}/{room}"}
    first = identities[0]
    assert (first.display_name, first.profile_url) == ("News", f"https://matrix.to/#/{alias}")
    assert first.facts["deviceId"] == place.bot.device_id
    assert first.facts["limits"]["media"]["video"] == {"bytes_max": FILE_BYTES_MAX}


async def test_what_cannot_be_connected(place: Place, http: Client) -> None:
    server, owner, bot = place.server, place.owner, place.bot
    other = await server.add_room(owner, place.new_name())
    secret = await server.add_room(owner, place.new_name(), bot, initial_state=[ENCRYPTION | {"state_key": ""}])
    quiet = await server.add_room(
        owner, place.new_name(), bot, power_level_content_override={"events": {"m.room.message": 50}}
    )
    left = await server.add_room(owner, place.new_name(), bot)
    await server.call(bot, "POST", f"{API}/rooms/{quote(left)}/leave", json={})
    for room, words in (
        (other, "not in the room"),
        (left, "not in the room"),
        ("!nowhere", "not in the room"),
        (secret, "encrypted"),
        (quiet, "power level"),
        ("#nowhere:signalpost.test", "knows no room"),
        ("#nowhere", "knows no room"),
        ("#news:127.0.0.1:9", "cannot reach the server"),
    ):
        with pytest.raises(InvalidField, match=words) as raised:
            await connected(place, http, room)
        assert raised.value.name == "room"
    with pytest.raises(BadCredentials, match="Invalid access token"):
        await connected(place, http, other, accessToken="syt_wrong")
    own = await server.add_room(bot, place.new_name(), power_level_content_override={"events_default": 100})
    await connected(place, http, own)  # who made a room may do everything in it, whatever its levels say


# --- sending ---------------------------------------------------------------------------------------------------------


async def test_another_client_reads_what_was_sent(place: Place, http: Client) -> None:
    room = await place.server.add_room(place.owner, place.new_name(), place.bot)
    account = await opened(place, http, room)
    cover = image(None, data=b"cover")
    files = (
        image(None, data=b"picture", file_name="Bröd 🍞.png"),
        image(None, data=b"film", mime_type="video/mp4", kind="video", file_name="a.mp4", duration_ms=1_500,
              thumbnail=cover),
        image(None, data=b"sound", mime_type="audio/ogg", kind="audio", file_name="a.ogg", width=None, height=None),
    )  # fmt: skip
    post = outgoing("**Rye** & <wheat> 🍞\nline", "More", "Last", media=files, options={"markdown": True})
    loud = outgoing("@room", dedupe_key="2", options={"notice": True, "mentionRoom": True})

    outcome = await MATRIX.publish(account, post, MemoryJournal())
    notice = await MATRIX.publish(account, loud, MemoryJournal())
    async with reader(place) as client:
        page = await client.get_messages(room, PaginationDirection.FORWARD, limit=50)  # type: ignore[arg-type]
        events = [event for event in page.events if str(event.type) == "m.room.message"]
        data = [await client.download_media(event.content.url) for event in events[:3]]  # type: ignore[union-attr]
        thumbnail = await client.download_media(events[1].content.info.thumbnail_url)  # type: ignore[union-attr]

    assert isinstance(outcome, Published), outcome
    assert isinstance(notice, Published), notice
    ids = [str(event.event_id) for event in events]
    assert [*outcome.remote_id.split(","), *outcome.thread_ids, notice.remote_id] == ids
    assert outcome.url == f"https://matrix.to/#/{room}/{ids[0]}?via=signalpost.test"
    assert (data, thumbnail) == ([b"picture", b"film", b"sound"], b"cover")
    read: list[Any] = [event.content.serialize() for event in events]
    assert [one["msgtype"] for one in read] == ["m.image", "m.video", "m.audio", "m.text", "m.text", "m.notice"]
    assert [one["body"] for one in read] == [post.text, "a.mp4", "a.ogg", "More", "Last", "@room"]
    assert read[0]["formatted_body"] == "<strong>Rye</strong> &amp; &lt;wheat&gt; 🍞<br>\nline"
    assert (read[0]["filename"], read[1]["info"]["duration"]) == ("Bröd 🍞.png", 1_500)
    parents = [(one["m.relates_to"]["event_id"], one["m.relates_to"]["m.in_reply_to"]["event_id"]) for one in read[3:5]]
    assert parents == [(ids[0], ids[2]), (ids[0], ids[3])]
    assert [one["m.mentions"] for one in await contents(place, room)] == [{}] * 5 + [{"room": True}]


async def test_what_is_deleted_has_no_content_left(place: Place, http: Client) -> None:
    room = await place.server.add_room(place.owner, place.new_name(), place.bot)
    account = await opened(place, http, room)
    outcome = await MATRIX.publish(account, outgoing("1", "2", media=(image(), image())), MemoryJournal())
    kept = await MATRIX.publish(account, outgoing("kept", dedupe_key="kept"), MemoryJournal())
    assert isinstance(outcome, Published)
    assert isinstance(kept, Published)
    assert MATRIX.delete is not None

    for _ in range(2):
        await MATRIX.delete(account, outcome.remote_id, outcome.thread_ids)
    await MATRIX.delete(account, "$nowhere", ())

    assert [content.get("body") for content in await contents(place, room)] == [None, None, None, "kept"]


# --- what became of a lost answer ------------------------------------------------------------------------------------


class _Deaf:
    """Passes calls on, and loses the answer to the n-th message: Synapse has it, and we cannot know."""

    def __init__(self, http: Client, lost: int) -> None:
        self.http, self.left = http, lost

    async def request(self, method: str, url: str, **rest: Any) -> Any:
        response = await self.http.request(method, url, **rest)
        if "/send/" in url:
            self.left -= 1
            if self.left == -1:
                raise MaybeSent("no response in time", timed_out=True)
        return response


@pytest.mark.parametrize("lost", [0, 2, 3])
async def test_each_message_is_there_once_whichever_answer_is_lost(place: Place, http: Client, lost: int) -> None:
    """The same device repeats its transactions; another one finds the messages by their key."""
    room = await place.server.add_room(place.owner, place.new_name(), place.bot)
    files = tuple(image(None, data=f"{number}".encode()) for number in range(3))
    login = {"type": "m.login.password", "identifier": {"type": "m.id.user", "user": "bot"}, "password": "password"}
    for same_device in (True, False):
        account, journal = await opened(place, http, room), MemoryJournal()
        post = outgoing("Pictures", "below", media=files, dedupe_key=f"{lost} {same_device}")
        usual = account.server
        account.server = replace(usual, http=_Deaf(http, lost))
        first = await MATRIX.publish(account, post, journal)
        account.server = usual
        if not same_device:
            made = await place.server.call(None, "POST", f"{API}/login", json=login)
            account.secrets = {"accessToken": made["access_token"]}
            account.facts = {**account.facts, "deviceId": made["device_id"]}
        account.now = Clock(datetime.now(UTC) + timedelta(seconds=90))
        second = await MATRIX.publish(account, post, journal)

        assert isinstance(first, OutcomeUnknown), first
        assert isinstance(second, Published), second
    keys = [content["dev.signalpost.key"] for content in await contents(place, room)]
    assert (len(keys), len(set(keys))) == (8, 8)


async def test_a_transaction_that_is_repeated_makes_no_second_message(place: Place, http: Client) -> None:
    """Nothing is known of the first attempt, as after a restore: what Synapse answers is the first event."""
    room = await place.server.add_room(place.owner, place.new_name(), place.bot)
    account, post = await opened(place, http, room), outgoing("once", media=(image(), image()))

    outcomes = [await MATRIX.publish(account, post, MemoryJournal()) for _ in range(2)]

    assert isinstance(outcomes[0], Published)
    assert outcomes[0] == outcomes[1]
    assert len(await contents(place, room)) == 2


async def test_a_limit_in_the_middle_of_a_post_is_waited_for(place: Place, http: Client) -> None:
    """Synapse says how long; what is public by then is not sent again."""
    room, slow = await place.server.add_room(place.owner, place.new_name()), await place.new_user()
    await place.server.call(slow, "POST", f"{API}/join/{quote(room)}", json={})
    account, journal = await opened(place, http, room, slow), MemoryJournal()
    post = outgoing("Pictures", media=tuple(image(None, data=f"{number}".encode()) for number in range(4)))

    limited = await MATRIX.publish(account, post, journal)
    count_then = len(await contents(place, room))
    journal.settle()
    await place.server.free_of_limits(place.admin, slow)
    outcome = await MATRIX.publish(account, post, journal)

    assert isinstance(limited, TryLater), limited
    assert limited.code == "rate_limited"
    assert 0 < (limited.after_seconds or 0) <= 5
    assert 0 < count_then < 4
    assert isinstance(outcome, Published), outcome
    assert len(await contents(place, room)) == 4


# --- what users are told ---------------------------------------------------------------------------------------------


async def _kicked(place: Place, room: str, user: User) -> None:
    await place.as_owner("POST", f"{quote(room)}/kick", {"user_id": user.id})


async def _banned(place: Place, room: str, user: User) -> None:
    await place.as_owner("POST", f"{quote(room)}/ban", {"user_id": user.id})


async def _encrypted(place: Place, room: str, user: User) -> None:
    await place.as_owner("PUT", f"{quote(room)}/state/m.room.encryption", ENCRYPTION["content"])


async def _silenced(place: Place, room: str, user: User) -> None:
    path = f"{quote(room)}/state/m.room.power_levels"
    levels = await place.server.call(place.owner, "GET", f"{API}/rooms/{path}")
    await place.as_owner("PUT", path, levels | {"events_default": 50})


async def _suspended(place: Place, room: str, user: User) -> None:
    path = f"/_synapse/admin/v1/suspend/{quote(user.id)}"
    await place.server.call(place.admin, "PUT", path, json={"suspend": True})


async def _locked(place: Place, room: str, user: User) -> None:
    path = f"/_synapse/admin/v2/users/{quote(user.id)}"
    await place.server.call(place.admin, "PUT", path, json={"locked": True})


async def _signed_out(place: Place, room: str, user: User) -> None:
    await place.server.call(user, "POST", f"{API}/logout", json={})


async def _removed(place: Place, room: str, user: User) -> None:
    path = f"/_synapse/admin/v1/rooms/{quote(room)}"
    await place.server.call(place.admin, "DELETE", path, json={"purge": True})


@pytest.mark.parametrize(
    ("happens", "kind", "code", "words", "health"),
    [
        (_kicked, Refused, "permission_missing", "invite them again", "not in the room"),
        (_banned, Refused, "permission_missing", "invite them again", "not in the room"),
        (_encrypted, Refused, "destination_missing", "room without encryption", "room without encryption"),
        (_silenced, Refused, "permission_missing", "raise their power level", "power level"),
        (_suspended, Refused, "permission_missing", "administrator", None),
        (_locked, NeedsReconnect, None, "administrator of the server has locked", ""),
        (_signed_out, NeedsReconnect, None, "Make a new access token", ""),
        (_removed, Refused, "permission_missing", "invite them again", "not in the room"),
    ],
)
async def test_what_users_are_told(
    place: Place, http: Client, happens: Any, kind: Any, code: str | None, words: str, health: str | None
) -> None:
    user = await place.new_user()
    room = await place.server.add_room(place.owner, place.new_name(), user)
    account = await opened(place, http, room, user)
    assert MATRIX.check is not None
    assert (await MATRIX.check(account)).can_post

    await happens(place, room, user)
    outcome = await MATRIX.publish(account, outgoing("x", media=(image(),)), MemoryJournal())

    assert isinstance(outcome, kind), outcome
    assert getattr(outcome, "code", None) in (code, None)
    assert words in f"{outcome.message} {getattr(outcome, 'remediation', '')}"
    if health != "":
        checked = await MATRIX.check(account)
        assert (checked.can_post, checked.message or "") == (health is None, checked.message or "")
        assert (health or "") in (checked.message or "")


async def test_a_file_or_a_text_that_is_too_large_is_refused(place: Place, http: Client) -> None:
    room = await place.server.add_room(place.owner, place.new_name(), place.bot)
    account = await opened(place, http, room)
    large = image(None, data=b"x" * (FILE_BYTES_MAX + 1))

    file = await MATRIX.publish(account, outgoing("x", media=(large,)), MemoryJournal())
    text = await MATRIX.publish(account, outgoing("x" * 65_536), MemoryJournal())
    longest = await MATRIX.publish(account, outgoing("x" * 59_800, dedupe_key="2"), MemoryJournal())

    assert isinstance(file, Refused)
    assert isinstance(text, Refused)
    assert (file.code, text.code) == ("media_too_large", "text_too_long")
    assert isinstance(longest, Published), longest
    assert len(json.dumps(await contents(place, room))) > 59_800
