"""Connections that wait, sleep or crowd have to go, and those that work stay."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from tests.counterparts.tools import free_port
from tests.web.test_hostile import served

from signalpost.kit import problems
from signalpost.web import connections, streaming
from signalpost.web.connections import Connection, Connections


async def _answer(scope: Any, receive: Any, send: Any) -> None:
    """Read the body, then respond: a request whose body does not come stays under way."""
    if scope["method"] == "POST":
        await receive()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


def connection(number: int, *, address: str = "192.0.2.1", silent: float = 0, owes: bool = False) -> Connection:
    return Connection((address, str(number)), silent, 0 if owes else 100, owes)


def gone(guarded: Connections, open_ones: list[Connection], now: float = 0) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for closed, reason in guarded.surplus(open_ones, now):
        found.setdefault(reason, []).append(int(closed.peer[1]))
    return {reason: sorted(numbers) for reason, numbers in found.items()}


def test_of_one_address_those_that_wait_go_first_then_the_idle_ones() -> None:
    guarded = Connections(_answer, connections_max=100, per_address_max=2)
    own = [connection(1, silent=9), connection(2, silent=5), connection(3, silent=1), connection(4, owes=True)]

    assert gone(guarded, [*own, connection(5, address="192.0.2.2", silent=99)]) == {"too many of an address": [1, 4]}


@pytest.mark.parametrize(
    ("addresses", "closed"),
    [(["2001:db8::1", "2001:db8::2", "2001:db8::3"], 1), (["::ffff:192.0.2.1", "::ffff:192.0.2.2", "2001:db8::3"], 0)],
)
def test_a_client_has_a_whole_network_of_ipv6(addresses: list[str], closed: int) -> None:
    guarded = Connections(_answer, connections_max=100, per_address_max=2)

    found = gone(guarded, [connection(number, address=address) for number, address in enumerate(addresses)])

    assert sum(map(len, found.values())) == closed


def test_behind_a_proxy_an_address_may_have_all_connections() -> None:
    guarded = Connections(_answer, connections_max=100, per_address_max=None)

    assert gone(guarded, [connection(number) for number in range(90)]) == {}


def test_when_nearly_all_are_in_use_the_longest_idle_go() -> None:
    guarded = Connections(_answer, connections_max=10, per_address_max=None)
    crowd = [connection(number, address=f"192.0.2.{number}", silent=number) for number in range(10)]

    assert gone(guarded, crowd) == {"no room": [8, 9]}


def test_a_head_has_ten_seconds_and_a_response_begins_them_anew() -> None:
    guarded = Connections(_answer, connections_max=100, per_address_max=None)
    slow, quick = connection(1, owes=True), connection(2, owes=True)

    assert gone(guarded, [slow, quick], now=0) == {}
    assert gone(guarded, [slow, quick._replace(responses_bytes=500)], now=9) == {}
    assert gone(guarded, [slow, quick._replace(responses_bytes=500)], now=10) == {"no request": [1]}


@asynccontextmanager
async def guarded_service(connections_max: int, per_address_max: int | None) -> AsyncIterator[int]:
    guarded = Connections(_answer, connections_max=connections_max, per_address_max=per_address_max)
    async with served(guarded) as port:
        guard = asyncio.create_task(connections.guard(guarded, port))
        try:
            yield port
        finally:
            guard.cancel()


class Clients:
    """Opens connections from addresses of this machine, and closes them at the end."""

    def __init__(self) -> None:
        self._writers: list[asyncio.StreamWriter] = []

    async def __call__(
        self, port: int, address: str, text: bytes = b""
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
        self._writers.append(writer)
        writer.write(text)
        return reader, writer

    async def close(self) -> None:
        for writer in self._writers:
            writer.close()
        await asyncio.gather(*(writer.wait_closed() for writer in self._writers), return_exceptions=True)


@pytest.fixture
async def connect() -> AsyncIterator[Clients]:
    clients = Clients()
    yield clients
    await clients.close()


async def ended(reader: asyncio.StreamReader) -> bytes:
    """Return what came until the other side closed."""
    async with asyncio.timeout(30):
        try:
            return await reader.read()
        except ConnectionResetError:
            return b""


async def test_the_kernel_tells_who_waits_and_a_request_under_way_is_left_alone(
    monkeypatch: pytest.MonkeyPatch, connect: Clients
) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 1.0)
    async with guarded_service(100, 3) as port:
        working, still_sending = await connect(
            port, "127.0.0.2", b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n"
        )
        silent, _ = await connect(port, "127.0.0.3")
        half, _ = await connect(port, "127.0.0.4", b"GET / HTTP/1.1\r\nHost: x\r\n")
        idle, used_again = await connect(port, "127.0.0.5", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert (await idle.readuntil(b"ok")).startswith(b"HTTP/1.1 200")

        assert await asyncio.gather(ended(silent), ended(half)) == [b"", b""]
        used_again.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert (await idle.readuntil(b"ok")).startswith(b"HTTP/1.1 200")
        still_sending.write(b"text")
        assert (await working.readuntil(b"ok")).startswith(b"HTTP/1.1 200")


async def test_a_body_that_trickles_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A byte a second never stalls, and would hold a connection for days."""
    now = 0
    monkeypatch.setattr(streaming, "clock", SimpleNamespace(monotonic=lambda: now))

    async def receive() -> Any:
        nonlocal now
        now += 1
        return {"type": "http.request", "body": b"x", "more_body": True}

    request: Any = SimpleNamespace(receive=receive)
    with pytest.raises(problems.Unavailable) as refused:
        assert b"" not in [piece async for piece in streaming.body_pieces(request)]
    assert "bytes a second" in str(refused.value.detail)
    assert now == streaming.STALL_SECONDS + 1


def test_the_connections_of_others_are_not_looked_at() -> None:
    """The process has connections of its own: to the database, to networks, and to itself."""
    with (
        socket.create_server(("127.0.0.1", free_port())) as listener,
        socket.create_connection(listener.getsockname()) as ours,
        listener.accept()[0] as accepted,
    ):
        port = listener.getsockname()[1]
        looked_at: list[Connection] = []

        def all_of_them(found: Iterable[Connection], _now: float) -> list[tuple[Connection, str]]:
            looked_at.extend(found)
            return [(one, "closed by the test") for one in looked_at]

        assert connections.close_surplus(all_of_them, port) == ["closed by the test"]
        assert [one.peer for one in looked_at] == [("127.0.0.1", str(ours.getsockname()[1]))]
        assert accepted.recv(1) == ours.recv(1) == b""
