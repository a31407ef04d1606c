"""WebSockets of the outgoing client: one text goes out, what comes back is bounded, and the guard holds."""

import asyncio
import base64
import hashlib
import re
from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.helpers.http_servers import Connection, Script, serve

from signalpost.kit.http import BadResponse, Client, MaybeSent, NotSent, TooLarge, UnsafeUrl


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    async with Client(["127.0.0.1"]) as client:
        yield client


def greeting(*frames: bytes, head: bytes = b"HTTP/1.1 101 Switching Protocols", close: bool = True) -> Script:
    """Open a WebSocket, read what is sent, send these frames, and close the connection or keep it."""

    async def script(connection: Connection) -> None:
        request = await connection.request()
        key = re.search(rb"Sec-WebSocket-Key: (\S+)", request)
        assert key is not None
        accept = base64.b64encode(
            hashlib.sha1(  # noqa: S324 - as the standard has it
                key[1] + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
            ).digest()
        )
        fields = b"Upgrade: websocket", b"Connection: Upgrade", b"Sec-WebSocket-Accept: " + accept
        await connection.send(b"\r\n".join((head, *fields, b"", b"")))
        if b" 101 " in head:
            first, second, *mask = await connection.reader.readexactly(6)
            body = await connection.reader.readexactly(second & 127)
            connection.server.requests.append(bytes(one ^ mask[at % 4] for at, one in enumerate(body)))
            assert first == 0x81  # a text, not compressed
        await connection.send(b"".join(frames))
        if not close:
            await asyncio.sleep(3600)

    return script


def text(content: bytes) -> bytes:
    return b"\x81" + (bytes([len(content)]) if len(content) < 126 else b"\x7e" + len(content).to_bytes(2)) + content


async def test_a_websocket_sends_a_text_and_reads_until_the_answer(client: Client) -> None:
    frames = text(b'["A",\n1]'), b"\x89\x00", text(b'["B"]'), text(b'["C"]')
    async with serve(greeting(*frames, close=False)) as server:
        answer = await client.request("GET", server.url, json=["é"], until=lambda one: one.startswith(b'["B"'))

    assert (answer.status, answer.body) == (101, b'["A", 1]\n["B"]\n')
    assert server.requests[1] == '["é"]'.encode()
    assert b"permessage-deflate" not in server.requests[0]


@pytest.mark.parametrize(
    ("script", "seconds", "outcome"),
    [
        (greeting(text(b"a")), 5.0, b"a\n"),  # the connection ends before the answer
        (greeting(text(b"a"), b"\x82\x01b", b"\x88\x00"), 5.0, b"a\n"),
        (greeting(text(b"x" * 101)), 5.0, TooLarge),
        (greeting(*[text(b"x" * 40)] * 3), 5.0, TooLarge),
        (greeting(b"\xff\xff\xff\xff", close=False), 5.0, BadResponse),  # no frame of a WebSocket
        (greeting(text(b"a"), close=False), 0.2, MaybeSent),
        (greeting(head=b"HTTP/1.1 403 Forbidden"), 5.0, 403),
        (greeting(head=b"HTTP/1.1 200 OK"), 5.0, 200),
    ],
)
async def test_whatever_a_websocket_says_is_bounded(
    client: Client, script: Script, seconds: float, outcome: Any
) -> None:
    async with serve(script) as server:
        call = client.request(
            "GET", server.url, json=[1], until=lambda one: one == b"z", timeout_seconds=seconds, bytes_max=100
        )
        if isinstance(outcome, type):
            with pytest.raises(outcome):
                await call
        elif isinstance(outcome, int):
            assert (await call).status == outcome
        else:
            assert (await call).body == outcome


async def test_a_websocket_is_guarded_like_any_call() -> None:
    async with Client() as guarded:
        for url, kind in (("http://example.org/", UnsafeUrl), ("https://127.0.0.1/", UnsafeUrl)):
            with pytest.raises(kind):
                await guarded.request("GET", url, json=[1], until=bool)
    async with Client(["127.0.0.1"]) as allowed:
        with pytest.raises(NotSent):
            await allowed.request("GET", "http://127.0.0.1:9/", json=[1], until=bool)


async def heard(connection: Connection) -> bytes:
    """Read a short text of the client."""
    first, second, *mask = await connection.reader.readexactly(6)
    assert first == 0x81
    body = await connection.reader.readexactly(second & 127)
    return bytes(one ^ mask[at % 4] for at, one in enumerate(body))


def talking(*frames: bytes, after: bytes = b"") -> Script:
    """Open a WebSocket, send frames, read a text, and send what follows."""

    async def script(connection: Connection) -> None:
        key = re.search(rb"Sec-WebSocket-Key: (\S+)", await connection.request())
        assert key is not None
        digest = hashlib.sha1(key[1] + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11")  # noqa: S324 - as the standard has it
        fields = b"Upgrade: websocket", b"Connection: Upgrade"
        accept = b"Sec-WebSocket-Accept: " + base64.b64encode(digest.digest())
        head = b"\r\n".join((b"HTTP/1.1 101 Switching Protocols", *fields, accept, b"", b""))
        await connection.send(head + b"".join(frames))
        connection.server.requests.append(await heard(connection))
        await connection.send(after)
        await asyncio.sleep(3600)

    return script


async def test_a_websocket_that_stays_open_is_read_and_answered(client: Client) -> None:
    async with serve(talking(text(b"a"), b"\x82\x01b", text(b"c"), after=text(b"d") + b"\x88\x00")) as server:
        socket = await client.connect(server.url, trusted=True)
        assert [await socket.receive(5), await socket.receive(5)] == [b"a", b"c"]
        assert await socket.receive(0.05) is None
        assert socket.is_open, "nothing came, but it may come yet"
        await socket.send({"a": "é"})
        assert await socket.receive(5) == b"d"
        assert await socket.receive(5) is None
        assert not socket.is_open
        with pytest.raises(MaybeSent):
            await socket.send({})

    assert server.requests[-1] == '{"a":"é"}'.encode()


async def test_a_text_that_is_too_large_ends_the_connection(client: Client) -> None:
    async with serve(talking(text(b"x" * 101))) as server:
        socket = await client.connect(server.url, bytes_max=100, trusted=True)
        assert await socket.receive(5) is None
        assert not socket.is_open


async def test_a_client_that_is_closed_leaves_no_websocket_open() -> None:
    async with serve(talking(text(b"a"))) as server:
        async with Client(["127.0.0.1"]) as client:
            socket = await client.connect(server.url, trusted=True)
        assert not socket.is_open
        assert await socket.receive(5) is None


async def test_a_server_that_opens_no_websocket_and_one_that_may_not_be_reached(client: Client) -> None:
    async with serve(greeting(head=b"HTTP/1.1 403 Forbidden")) as server:
        with pytest.raises(BadResponse, match="responded with 403"):
            await client.connect(server.url, trusted=True)
    with pytest.raises(NotSent):
        await client.connect("http://127.0.0.1:9/", trusted=True)
    async with Client() as guarded:
        with pytest.raises(UnsafeUrl):
            await guarded.connect("https://127.0.0.1/")
