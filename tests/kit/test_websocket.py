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
