"""What strangers and careless proxies send: nothing of it may take the service down, or fool it."""

import asyncio
from typing import Any

import pytest
from tests.helpers.api import Api
from tests.helpers.limits import TEST_SECONDS
from tests.helpers.served import served
from tests.web.conftest import SmallApp

from signalpost.web import lingering
from signalpost.web.lingering import Lingering
from signalpost.web.request import client_address

BIG = 60_000_000


@pytest.mark.parametrize("instant", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "1999-12-31T23:59:59Z"])
async def test_a_test_clock_stays_within_what_can_be_computed(small_app: SmallApp, instant: str) -> None:
    """PostgreSQL stores the ends of Python's calendar as infinity: one such row would break every list it is in."""
    answer = await small_app.api.post("/things", json={"name": "a"}, key="tester", headers={"X-Test-Now": instant})

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["path"] == "X-Test-Now"


async def test_head_answers_like_get_without_a_body(small_app: SmallApp) -> None:
    """Networks look at a media address by HEAD before they fetch it."""
    answer = await small_app.api.call("HEAD", "/me", key="ann")

    assert answer.status_code == 200
    assert int(answer.headers["content-length"]) > 0
    assert answer.content == b""


async def test_a_compressed_body_is_refused_by_its_name(small_app: SmallApp) -> None:
    answer = await small_app.api.post("/things", content=b"\x1f\x8b", headers={"Content-Encoding": "gzip"}, key="ann")

    assert answer.status_code == 415
    assert "gzip" in answer.json()["detail"]


async def test_the_detail_names_the_first_finding(small_app: SmallApp) -> None:
    """Many clients show `detail` and nothing else."""
    answer = await small_app.api.post("/things", json={"number": 1, "nam": "a"}, key="ann")

    assert answer.json()["detail"] == "/nam: Unknown field. Did you mean name? And 1 more."


async def test_an_unknown_parameter_tells_of_all_known_ones(small_app: SmallApp) -> None:
    """Who tries `page=2` has to learn of the cursor."""
    answer = await small_app.api.get("/things?page=2", key="ann")

    assert answer.json()["errors"][0]["params"]["known"] == ["color", "cursor", "limit"]


def test_every_line_of_x_forwarded_for_counts() -> None:
    """HAProxy adds a line of its own: reading the first one only would let a client choose its address."""
    headers = [(b"x-forwarded-for", b"6.6.6.6"), (b"x-forwarded-for", b"203.0.113.9")]

    assert client_address({"headers": headers, "client": ("10.0.0.1", 1)}, 1) == "203.0.113.9"


async def _refuse(_scope: Any, _receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 413, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"no"})


async def test_an_early_answer_reaches_a_client_that_sends_first_and_reads_then() -> None:
    """Closing on unread bytes resets the connection: Python's urllib then shows a broken pipe instead of the 413."""
    async with served(_refuse) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % BIG)
        for _ in range(BIG // 1_000_000):
            writer.write(bytes(1_000_000))
            await writer.drain()

        assert (await asyncio.wait_for(reader.readline(), TEST_SECONDS)).startswith(b"HTTP/1.1 413")
        writer.close()


async def test_who_uploads_without_a_credential_learns_it_after_the_first_pieces(api: Api) -> None:
    """The answer comes before the body is read; what a client sends in spite of it is discarded, within bounds."""
    async with served(api.app) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        head = b"POST /api/v1/media/upload HTTP/1.1\r\nHost: localhost\r\n"
        head += b"Content-Type: multipart/form-data; boundary=b\r\n"
        writer.write(head + b"Content-Length: %d\r\n\r\n" % BIG)
        answer, sent = asyncio.create_task(reader.readline()), 0
        while not answer.done() and sent < BIG:
            writer.write(bytes(64_000))
            await writer.drain()
            await asyncio.sleep(0)
            sent += 64_000

        assert (await answer).startswith(b"HTTP/1.1 401")
        assert sent < BIG / 2, "the buffers of the system take the rest"
        writer.close()


@pytest.mark.parametrize(
    ("headers", "pieces", "expected"),
    [
        ([], [True, True, False], ["piece", "piece", "piece", "start"]),
        ([], [True, None], ["piece", "start"]),  # it waits for the response before it sends the rest
        ([(b"expect", b"100-continue")], [True, False], ["start", "piece", "piece"]),
        ([(b"content-length", b"1000000")], [True, False], ["piece", "piece", "start"]),
        ([(b"content-length", b"1000001")], [True, False], ["start", "piece", "piece"]),
        ([(b"transfer-encoding", b"chunked")], [True] * 3 + [False], ["piece"] * 3 + ["start", "piece"]),
        ([(b"content-length", b"9" * 5_000)], [True, False], ["start", "piece", "piece"]),
    ],
)
async def test_a_refusal_comes_when_a_small_body_is_here_and_at_once_for_a_large_one(
    headers: list[tuple[bytes, bytes]],
    pieces: list[bool | None],
    expected: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A proxy that does not buffer closes its connection to the client when it has the response of a refused upload."""
    monkeypatch.setattr(lingering, "PAUSE_SECONDS", 0.05)
    monkeypatch.setattr(lingering, "LINGER_SECONDS", 0.1)
    order, left = [], list(pieces)

    async def receive() -> Any:
        if (more := left.pop(0)) is None:
            left.append(None)
            await asyncio.Event().wait()
        order.append("piece")
        return {"type": "http.request", "body": bytes(400_000), "more_body": more}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            order.append("start")

    await Lingering(_refuse)({"type": "http", "method": "POST", "headers": headers}, receive, send)
    assert order == expected
