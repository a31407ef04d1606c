"""Matrix in the simulator: mautrix, of which bridges are made, works unmodified; what Matrix refuses is refused."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import quote

import aiohttp
import httpx
import pytest
from mautrix.api import HTTPAPI
from mautrix.client import ClientAPI
from mautrix.errors import MForbidden, MNotFound, MUnknownToken
from mautrix.types import EventType, ImageInfo, MessageType, PaginationDirection, RelatesTo, RelationType
from simulator import Simulator
from simulator.networks.matrix import API, DOMAIN, Matrix, Room
from tests.helpers.limits import TEST_SECONDS


class Place:
    """A homeserver with a room and a user in it."""

    def __init__(self, simulator: Simulator) -> None:
        network = simulator.world.networks["matrix"]
        assert isinstance(network, Matrix)
        self.network, self.world, self.url = network, simulator.world, simulator.url("matrix")
        self.person = simulator.world.add_person("matrix", "baker")
        self.user_id = network.user_id(self.person)
        self.room: Room = network.add_room(members={self.user_id})
        self.token = network.add_token(self.person)

    @asynccontextmanager
    async def client(self) -> AsyncIterator[ClientAPI]:
        async with aiohttp.ClientSession() as session:
            api = HTTPAPI(self.url, self.token, client_session=session, default_retry_count=0)
            yield ClientAPI(self.user_id, api=api)  # type: ignore[arg-type]

    async def call(self, method: str, path: str, **rest: Any) -> tuple[int, Any]:
        headers = {"Authorization": f"Bearer {self.token}"}
        async with httpx.AsyncClient(base_url=self.url, timeout=TEST_SECONDS) as client:
            response = await client.request(method, path, headers=headers, **rest)
        return response.status_code, response.json().get("errcode")

    async def send(self, content: Any, txn: str = "1") -> tuple[int, Any]:
        return await self.call("PUT", f"{API}/rooms/{quote(self.room.id)}/send/m.room.message/{txn}", json=content)


async def test_a_client_that_others_wrote_posts_reads_and_redacts(simulator: Simulator) -> None:
    place = Place(simulator)
    room: Any = place.room.id
    async with place.client() as client:
        who = await client.whoami()
        rooms = await client.get_joined_rooms()
        alias = await client.resolve_room_alias(place.room.alias)  # type: ignore[arg-type]
        name = await client.get_state_event(room, EventType.ROOM_NAME)
        size = (await client.get_media_repo_config()).upload_size
        url = await client.upload_media(b"first", "image/png", "dot.png")
        content = await client.download_media(url)
        text = await client.send_text(room, "Rye & wheat", html="Rye &amp; <b>wheat</b>")
        thread = RelatesTo(rel_type=RelationType.THREAD, event_id=text)
        below = await client.send_text(room, "More", msgtype=MessageType.NOTICE, relates_to=thread)
        picture = await client.send_image(
            room, url, info=ImageInfo(mimetype="image/png", size=5, width=1, height=1), file_name="dot.png"
        )
        listed = await client.get_messages(room, PaginationDirection.BACKWARD, limit=2)
        older = await client.get_messages(room, PaginationDirection.BACKWARD, from_token=listed.end, limit=2)
        await client.redact(room, below)
        with pytest.raises(MNotFound):
            await client.redact(room, "$nowhere")  # type: ignore[arg-type]
        synced: Any = await client.sync(timeout=0)

    assert (who.user_id, rooms, alias.room_id, name.name) == (place.user_id, [room], room, "News")  # type: ignore[union-attr]
    assert (size, content) == (50 * 1024 * 1024, b"first")
    post, image = place.world.ledger.of("matrix")
    assert (post.remote_id, post.text, image.remote_id, len(image.media)) == (text, "Rye & wheat", picture, 1)
    events = [*listed.events, *older.events]
    assert [event.event_id for event in events] == [picture, below, text]
    assert [str(event.content.msgtype) for event in events] == ["m.image", "m.notice", "m.text"]  # type: ignore[union-attr]
    assert events[1].content.relates_to.event_id == text  # type: ignore[union-attr]
    assert older.end is None or older.events == [events[2]]
    shown = synced["rooms"]["join"][room]["timeline"]["events"]
    assert [bool(event["content"]) for event in shown] == [True, False, True]


async def test_a_transaction_of_a_device_makes_one_event(simulator: Simulator) -> None:
    place = Place(simulator)
    message = {"msgtype": "m.text", "body": "once"}
    for _ in range(2):
        assert await place.send(message) == (200, None)
    assert len(place.world.ledger.of("matrix")) == 1
    place.world.clock.advance(86_400)
    await place.send(message)  # forgotten
    place.token = place.network.add_token(place.person)
    await place.send(message)  # of another device
    assert len(place.world.ledger.of("matrix")) == 3


@pytest.mark.parametrize(
    ("content", "answer"),
    [
        ({"msgtype": "m.text", "body": "x" * 60_000}, (200, None)),
        ({"msgtype": "m.text", "body": "x" * 65_536}, (413, "M_TOO_LARGE")),
        ({"msgtype": "m.text"}, (400, "M_BAD_JSON")),
        ({"msgtype": "m.poem", "body": "x"}, (400, "M_BAD_JSON")),
        ({"msgtype": "m.text", "body": "x", "bodi": "y"}, (400, "M_BAD_JSON")),
        ({"msgtype": "m.text", "body": "x", "formatted_body": "x"}, (400, "M_BAD_JSON")),
        ({"msgtype": "m.image", "body": "x", "url": f"mxc://{DOMAIN}/none"}, (400, "M_BAD_JSON")),
        ({"msgtype": "m.text", "body": "x", "m.relates_to": {"rel_type": "m.thread", "event_id": "$1"}},
         (400, "M_UNKNOWN")),
    ],
)  # fmt: skip
async def test_messages(content: Any, answer: Any, simulator: Simulator) -> None:
    assert await Place(simulator).send(content) == answer


async def test_who_may_write(simulator: Simulator) -> None:
    place = Place(simulator)
    message = {"msgtype": "m.text", "body": "x"}
    place.room.levels = {"events": {"m.room.message": 50}, "users": {place.user_id: 50}}
    assert await place.send(message, "1") == (200, None)
    place.room.levels["users"] = {}
    assert await place.send(message, "2") == (403, "M_FORBIDDEN")
    place.room.version, place.room.creator = "12", place.user_id
    assert await place.send(message, "3") == (200, None)
    place.room.remove(place.user_id)
    assert await place.send(message, "1") == (200, None)  # the same event: nothing new is sent
    assert await place.send(message, "4") == (403, "M_FORBIDDEN")
    assert await place.call("GET", f"{API}/rooms/{quote(place.room.id)}/messages") == (200, None)
    place.room.left.clear()
    assert await place.call("GET", f"{API}/rooms/{quote(place.room.id)}/messages") == (403, "M_FORBIDDEN")
    assert await place.call("GET", f"{API}/directory/room/{quote('#news')}") == (400, "M_INVALID_PARAM")
    assert await place.call("GET", f"{API}/directory/room/{quote('#news:typo.example')}") == (502, "M_UNKNOWN")
    async with place.client() as client:
        with pytest.raises(MForbidden):
            await client.send_text(place.room.id, "x")  # type: ignore[arg-type]
        with pytest.raises(MNotFound):
            await client.resolve_room_alias("#other:bakery.example")  # type: ignore[arg-type]
    assert await place.call("POST", "/_matrix/media/v3/upload?filename=a") == (400, "M_UNKNOWN")
    place.token = "syt_wrong"
    async with place.client() as client:
        with pytest.raises(MUnknownToken):
            await client.whoami()
