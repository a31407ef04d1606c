import asyncio
import gzip
import re
import socket
import ssl
import time
import traceback
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest
from tests.counterparts.tools import free_port
from tests.helpers.http_servers import OK, Connection, Script, answering, kept, longest_turn_seconds, response, serve
from tests.helpers.publishing import until

from signalpost.kit import http
from signalpost.kit.http import CallLimits, Client, MaybeSent, NotSent, Part, TooLarge
from signalpost.kit.tenant import Tenant, tenant

SECRET = "tok_5ecret"


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    async with Client(["127.0.0.1"], "Acme/1.0") as client:
        yield client


async def stay(connection: Connection) -> None:
    """Keep the connection open without sending anything."""
    await asyncio.sleep(3600)


# What goes out


async def test_a_json_call_sends_what_it_says(client: Client) -> None:
    async with serve(answering(response(201, b'{"id":"1"}', "X-Note: a"))) as server:
        began = time.perf_counter()
        answer = await client.request(
            "POST", server.url + "v1?a=b", json={"text": "é"}, params={"c": "d e"}, headers={"X-Mine": "1"}
        )

    sent = server.requests[0].decode()
    assert sent.startswith("POST /v1?a=b&c=d+e HTTP/1.1\r\n")
    assert sent.endswith('\r\n\r\n{"text":"é"}')
    for line in ("Content-Type: application/json", "User-Agent: Acme/1.0", "Accept-Encoding: identity", "X-Mine: 1"):
        assert f"\r\n{line}\r\n" in sent
    assert (answer.status, answer.json(), answer.headers["x-NOTE"], answer.truncated) == (201, {"id": "1"}, "a", False)
    assert answer.text == '{"id":"1"}'
    assert 0 <= answer.elapsed_ms <= (time.perf_counter() - began) * 1000 + 1


async def test_own_headers_win(client: Client) -> None:
    async with serve(answering(OK)) as server:
        await client.request(
            "POST",
            server.url,
            data=b"<x/>",
            headers={"content-type": "text/xml", "user-agent": "Mine", "accept": "a/b"},
        )

    head = server.requests[0].lower()
    assert (head.count(b"content-type:"), head.count(b"user-agent:"), head.count(b"accept:")) == (1, 1, 1)
    assert b"content-type: text/xml\r\n" in head


async def test_a_form_is_sent_as_a_form(client: Client) -> None:
    async with serve(answering(OK)) as server:
        await client.request("POST", server.url, data={"grant_type": "refresh_token", "q": "a b&c"})

    assert b"Content-Type: application/x-www-form-urlencoded\r\n" in server.requests[0]
    assert server.requests[0].endswith(b"\r\n\r\ngrant_type=refresh_token&q=a+b%26c")


async def pieces(*content: bytes) -> AsyncIterator[bytes]:
    for piece in content:
        yield piece


async def test_multipart_parts_keep_names_types_and_bytes(client: Client) -> None:
    """Some networks refuse chunked uploads, so a length must be sent whenever the sizes are known."""
    async with serve(answering(OK)) as server:
        await client.request(
            "POST",
            server.url,
            data=[
                Part("caption", "été"),
                Part("meta", b"{}", content_type="application/json"),
                Part("video", pieces(b"abc", b"def"), filename="a.mp4", content_type="video/mp4", size=6),
            ],
        )

    sent = server.requests[0]
    assert re.search(rb"Content-Type: multipart/form-data; boundary=\w+\r\n", sent)
    assert b"Content-Length: " in sent.split(b"\r\n\r\n")[0]
    assert b'name="caption"' in sent
    assert "\r\n\r\nété\r\n".encode() in sent
    assert b'name="video"; filename="a.mp4"' in sent
    assert b"\r\n\r\nabcdef\r\n" in sent
    assert b"Content-Type: video/mp4" in sent


async def test_a_stream_of_unknown_size_is_chunked(client: Client) -> None:
    async with serve(answering(OK)) as server:
        await client.request("PUT", server.url, data=pieces(b"abc", b"def"))

    assert b"Transfer-Encoding: chunked" in server.requests[0]
    assert b"abc" in server.requests[0]


async def test_a_stream_with_a_length_header_is_not_chunked(client: Client) -> None:
    async with serve(answering(OK)) as server:
        await client.request("PUT", server.url, data=pieces(b"abc", b"def"), headers={"Content-Length": "6"})

    assert server.requests[0].endswith(b"\r\n\r\nabcdef")


async def test_a_large_body_arrives_whole(client: Client) -> None:
    body = bytes(range(256)) * 20_000
    async with serve(answering(OK)) as server:
        await client.request("POST", server.url, data=body)

    assert server.requests[0].endswith(body)
    assert f"Content-Length: {len(body)}\r\n".encode() in server.requests[0]


@pytest.mark.parametrize(
    "headers", [{"X-A": "a\r\nX-B: b"}, {"X-A": "a\nb"}, {"X-A": "a\x00b"}, {"X\r\nA": "a"}, {"é": "a"}]
)
async def test_a_header_cannot_start_another_one(client: Client, headers: dict[str, str]) -> None:
    async with serve(answering(OK)) as server:
        with pytest.raises(NotSent, match="control character"):
            await client.request("GET", server.url, headers=headers)

    assert server.accepted == 0


async def test_no_cookie_is_kept_no_redirect_followed_no_proxy_used(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    moved = response(302, b"", "Location: /elsewhere", "Set-Cookie: a=b")
    async with serve(answering(moved, OK)) as server:
        first = await client.request("GET", server.url)
        await client.request("GET", server.url)

    assert (first.status, first.headers["Location"]) == (302, "/elsewhere")
    assert len(server.requests) == 2
    assert b"cookie" not in server.requests[1].lower()


# What comes back


async def test_a_connection_is_used_again(client: Client) -> None:
    """A delivery must cost neither a lookup nor a handshake while the receiver keeps the line open."""
    async with serve(answering(OK)) as server:
        for _ in range(20):
            await client.request("POST", server.url, json={})

    assert server.accepted == 1


@pytest.mark.parametrize("status", [200, 204, 301, 400, 404, 410, 429, 500, 503])
async def test_every_status_is_a_response(client: Client, status: int) -> None:
    answer = b"HTTP/1.1 204 X\r\n\r\n" if status == 204 else response(status, b"body")
    async with serve(answering(answer)) as server:
        assert (await client.request("GET", server.url)).status == status


@pytest.mark.parametrize("body", [b"", b"<html>", b'{"a":', b"\xff\xfe", gzip.compress(b"{}", mtime=0), b"[" * 100_000])
async def test_a_response_that_is_not_json_raises(client: Client, body: bytes) -> None:
    async with serve(answering(response(502, body))) as server:
        answer = await client.request("GET", server.url)

    with pytest.raises(http.BadResponse, match="502") as failure:
        answer.json()
    assert failure.value.status == 502
    assert isinstance(answer.text, str)


def unsized(body: bytes) -> Script:
    async def script(connection: Connection) -> None:
        await connection.request()
        await connection.send(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + body)

    return script


def chunked(body: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)


@pytest.mark.parametrize("form", ["sized", "chunked", "unsized"])
@pytest.mark.parametrize("size", [999, 1000, 1001, 300_000])
async def test_a_body_is_bounded_however_it_comes(client: Client, form: str, size: int) -> None:
    body = b"x" * size
    script = {"sized": answering(response(200, body)), "chunked": answering(chunked(body)), "unsized": unsized(body)}[
        form
    ]
    async with serve(script) as server:
        cut = await client.request("GET", server.url, bytes_max=1000, truncate=True)
        assert (len(cut.body), cut.truncated) == (min(size, 1000), size > 1000)

        if size > 1000:
            with pytest.raises(TooLarge) as failure:
                await client.request("GET", server.url, bytes_max=1000)
            assert failure.value.status == 200
        else:
            assert (await client.request("GET", server.url, bytes_max=1000)).body == body


async def test_after_a_cut_the_connection_is_not_used_again(client: Client) -> None:
    """The rest of the old body would be read as the next response."""
    async with serve(answering(response(200, b"x" * 5_000_000))) as server:
        await client.request("GET", server.url, bytes_max=10, truncate=True)
        await client.request("GET", server.url, bytes_max=10, truncate=True)

    assert server.accepted == 2


async def test_the_response_to_head_has_no_body_whatever_it_announces(client: Client) -> None:
    async with serve(answering(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n")) as server:
        answer = await client.request("HEAD", server.url, bytes_max=1000)

    assert (answer.status, answer.body, answer.truncated) == (200, b"", False)


async def test_a_compressed_response_is_not_decompressed(client: Client) -> None:
    bomb = gzip.compress(b"\x00" * 10_000_000)
    async with serve(answering(response(200, bomb, "Content-Encoding: gzip"))) as server:
        assert (await client.request("GET", server.url)).body == bomb


# Sent, or perhaps sent: the line on which "never post twice" hangs


async def disconnect_after_request(connection: Connection) -> None:
    await connection.request()


async def reset_after_request(connection: Connection) -> None:
    await connection.request()
    connection.reset()


async def disconnect_at_once(connection: Connection) -> None:
    return


async def half_head(connection: Connection) -> None:
    await connection.request()
    await connection.send(b"HTTP/1.1 200 OK\r\nContent-")


async def half_body(connection: Connection) -> None:
    await connection.request()
    await connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")


async def half_body_then_reset(connection: Connection) -> None:
    await half_body(connection)
    await asyncio.sleep(0.05)
    connection.reset()


async def broken_chunk(connection: Connection) -> None:
    await connection.request()
    await connection.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")


async def cut_chunks(connection: Connection) -> None:
    await connection.request()
    await connection.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel")


async def two_lengths(connection: Connection) -> None:
    await connection.request()
    await connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok")


async def no_http(connection: Connection) -> None:
    await connection.request()
    await connection.send(b"SSH-2.0-OpenSSH_9.2\r\n\r\n")


async def binary(connection: Connection) -> None:
    await connection.request()
    await connection.send(bytes(range(256)) * 4)


@pytest.mark.parametrize(
    "script",
    [
        disconnect_after_request,
        reset_after_request,
        disconnect_at_once,
        half_head,
        half_body,
        half_body_then_reset,
        broken_chunk,
        cut_chunks,
        two_lengths,
        no_http,
        binary,
    ],
)
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
async def test_an_incomplete_response_means_maybe_sent(client: Client, script: Script, method: str) -> None:
    async with serve(script) as server:
        with pytest.raises(MaybeSent) as failure:
            await client.request(method, server.url, json={"a": 1})

    assert not failure.value.timed_out
    if script in (half_body, half_body_then_reset, cut_chunks):
        assert failure.value.status == 200
    assert server.accepted == 1


async def drip_head(connection: Connection) -> None:
    await connection.request()
    await connection.send(b"HTTP/1.1 200 OK\r\n")
    while True:
        await connection.send(b"X")
        await asyncio.sleep(0.05)


async def drip_body(connection: Connection) -> None:
    await connection.request()
    await connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
    while True:
        await connection.send(b"x")
        await asyncio.sleep(0.05)


async def drip_chunks(connection: Connection) -> None:
    await connection.request()
    await connection.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        await connection.send(b"1\r\nx\r\n")
        await asyncio.sleep(0.05)


async def read_and_wait(connection: Connection) -> None:
    await connection.request()
    await stay(connection)


@pytest.mark.parametrize("script", [stay, read_and_wait, drip_head, drip_body, drip_chunks])
@pytest.mark.parametrize("timeout_seconds", [0.3, 0.6])
async def test_the_deadline_is_for_the_whole_call(client: Client, script: Script, timeout_seconds: float) -> None:
    """A receiver that sends a byte now and then must not occupy a worker."""
    async with serve(kept(script)) as server:
        await client.request("GET", server.url)
        started = time.perf_counter()
        with pytest.raises(MaybeSent) as failure:  # else the drip would go on
            await client.request("POST", server.url, json={}, timeout_seconds=timeout_seconds)

    assert failure.value.timed_out
    assert time.perf_counter() - started >= timeout_seconds - 0.02


async def test_a_long_deadline_is_not_rounded_up(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """The library rounds timeouts over 5 s up to whole seconds of the loop's clock unless configured otherwise."""
    loop = asyncio.get_running_loop()
    call_at, deadlines = loop.call_at, []

    def observed(when: float, *args: Any, **options: Any) -> asyncio.TimerHandle:
        deadlines.append(when)
        return call_at(when, *args, **options)

    monkeypatch.setattr(loop, "call_at", observed)
    async with serve(answering(OK)) as server:
        began = loop.time()
        await client.request("POST", server.url, json={}, timeout_seconds=300.05)
        ended = loop.time()

    assert any(began + 300.05 <= when <= ended + 300.05 for when in deadlines)
    assert not [when for when in deadlines if when > began + 5 and when % 1 == 0]


async def test_a_server_that_never_reads_ends_with_the_deadline(client: Client) -> None:
    async with serve(kept(stay)) as server:
        await client.request("GET", server.url)
        with pytest.raises(MaybeSent) as failure:
            await client.request("POST", server.url, data=b"x" * 30_000_000, timeout_seconds=0.5)

    assert failure.value.timed_out


async def test_a_refused_connection_is_not_sent(client: Client) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", free_port()))
        with pytest.raises(NotSent, match=r"[Rr]efused") as failure:
            await client.request("POST", f"http://127.0.0.1:{unused.getsockname()[1]}/", json={})

    assert (failure.value.stage, failure.value.ours) == ("connect", False)


async def test_a_tls_handshake_that_stalls_is_not_sent(client: Client) -> None:
    async with serve(stay) as server:
        started = time.perf_counter()
        with pytest.raises(NotSent, match="took too long"):
            await client.request(
                "POST", f"https://127.0.0.1:{server.port}/", json={}, connect_timeout_seconds=0.3, timeout_seconds=100
            )

    assert time.perf_counter() - started < 100


async def test_the_total_deadline_during_the_handshake_is_not_sent(client: Client) -> None:
    async with serve(stay) as server:
        with pytest.raises(NotSent, match="took too long"):
            await client.request(
                "POST", f"https://127.0.0.1:{server.port}/", json={}, connect_timeout_seconds=5, timeout_seconds=0.3
            )


async def say_hello(connection: Connection) -> None:
    await connection.send(b"220 mail.example ESMTP\r\n")
    await asyncio.sleep(0.2)


async def test_a_failed_tls_handshake_is_not_sent(client: Client) -> None:
    async with serve(say_hello) as server:
        with pytest.raises(NotSent) as failure:
            await client.request("POST", f"https://127.0.0.1:{server.port}/", json={})

    assert failure.value.stage == "tls"


@pytest.mark.parametrize(("errno", "ours"), [(socket.EAI_NONAME, False), (socket.EAI_AGAIN, True), (None, False)])
async def test_a_name_that_does_not_resolve_is_not_sent(errno: int | None, ours: bool) -> None:
    async def lookup(host: str) -> list[str]:
        if errno is None:
            return []
        raise socket.gaierror(errno, "no")

    async with Client(lookup=lookup) as client:
        with pytest.raises(NotSent, match=r"nowhere\.example does not resolve") as failure:
            await client.request("POST", "https://nowhere.example/", json={})

    assert (failure.value.stage, failure.value.ours) == ("lookup", ours)


async def test_no_free_connection_is_not_sent_and_our_own_fault() -> None:
    """Our full pool must not count against the receiver."""
    async with Client(["127.0.0.1"], connections_max=1) as client, serve(read_and_wait) as server:
        first = asyncio.create_task(client.request("POST", server.url, json={}, timeout_seconds=60))
        await until(lambda: server.accepted == 1)
        with pytest.raises(NotSent) as failure:
            await client.request("POST", server.url, json={}, connect_timeout_seconds=0.1)
        first.cancel()

    assert (failure.value.stage, failure.value.ours) == ("pool", True)


@pytest.mark.parametrize(("method", "sent"), [("POST", 1), ("PATCH", 1), ("PUT", 1), ("DELETE", 1), ("GET", 2)])
async def test_the_library_never_resends_after_a_stale_connection(client: Client, method: str, sent: int) -> None:
    """The library resends idempotent methods. Only reads may be repeated without the caller's decision."""

    async def script(connection: Connection) -> None:
        await connection.request()
        await connection.send(OK)
        await connection.request()
        connection.reset()

    async with serve(script) as server:
        await client.request("GET", server.url)
        if method == "GET":
            await client.request(method, server.url + "second")
        else:
            with pytest.raises(MaybeSent):
                await client.request(method, server.url + "second", data=b"x")

    assert sum(b"/second" in request for request in server.requests) == sent


async def test_a_cancelled_call_closes_its_connection(client: Client) -> None:
    gone = asyncio.Event()

    async def script(connection: Connection) -> None:
        await connection.request()
        await connection.reader.read()
        gone.set()

    async with serve(script) as server:
        task = asyncio.create_task(client.request("POST", server.url, json={}))
        while not server.requests:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await gone.wait()


# Hostile heads


def heads(*parts: bytes, forever: bytes = b"") -> Script:
    async def script(connection: Connection) -> None:
        await connection.request()
        for part in parts:
            await connection.send(part)
        while forever:
            await connection.send(forever)
            await asyncio.sleep(0)
        await asyncio.sleep(0.5)

    script.__name__ = f"{parts[0][:20]!r}…{forever[:20]!r}"
    return script


LINE = b"HTTP/1.1 200 OK\r\n"
HOSTILE_HEADS = [
    heads(LINE + b"X-A: " + b"a" * 20_000 + b"\r\n\r\n"),
    heads(LINE + b"A" * 20_000 + b": a\r\n\r\n"),
    heads(LINE + b"".join(b"X-%d: %b\r\n" % (n, b"a" * 1000) for n in range(20)) + b"\r\n"),
    heads(*[LINE, *[b"X-%d: %b\r\n" % (n, b"a" * 1000) for n in range(20)], b"\r\n"]),
    heads(b"HTTP/1.1 200 " + b"O" * 20_000 + b"\r\n\r\n"),
    heads(LINE, forever=b"X-A: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n" * 100),
    heads(LINE, forever=b"a" * 65_536),
    heads(LINE + b"X: ", forever=b"a" * 100),
    heads(b"HTTP/1.1 100 Continue\r\n\r\n", forever=b"HTTP/1.1 100 Continue\r\n\r\n" * 10_000),
    heads(b"HTTP/1.1 103 Early Hints\r\n\r\n", forever=b"HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n" * 2000),
]


@pytest.mark.parametrize("script", HOSTILE_HEADS, ids=lambda script: script.__name__)
async def test_malicious_headers_end_the_call_soon_and_affect_no_other(client: Client, script: Script) -> None:
    async def call() -> None:
        with pytest.raises((TooLarge, MaybeSent)) as failure:
            await client.request("POST", server.url, json={}, timeout_seconds=60)
        assert not getattr(failure.value, "timed_out", False)

    async with serve(script) as server:
        assert await longest_turn_seconds(call()) < 1


@pytest.mark.parametrize("script", HOSTILE_HEADS[:4], ids=["value", "name", "sum at once", "sum by and by"])
async def test_headers_over_their_bound_are_too_large(client: Client, script: Script) -> None:
    async with serve(script) as server:
        with pytest.raises(TooLarge, match="head"):
            await client.request("POST", server.url, json={})


async def test_many_usual_headers_are_fine(client: Client) -> None:
    fat = [f"X-{number}: {'a' * 200}" for number in range(60)]
    async with serve(answering(response(200, b"ok", *fat, "Content-Security-Policy: " + "a" * 3000))) as server:
        for _ in range(3):
            assert (await client.request("GET", server.url)).body == b"ok"

    assert server.accepted == 1


async def test_a_few_early_hints_are_fine(client: Client) -> None:
    hints = b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n" * 3
    async with serve(answering(hints + OK)) as server:
        for _ in range(3):
            assert (await client.request("GET", server.url)).body == b"ok"

    assert server.accepted == 1


async def test_an_endless_body_is_cut_and_the_loop_stays_free(client: Client) -> None:
    async def script(connection: Connection) -> None:
        await connection.request()
        await connection.send(LINE + b"\r\n")
        while True:
            await connection.send(b"x" * 65_536)

    async def call() -> None:
        answer = await client.request("POST", server.url, json={}, bytes_max=65_536, truncate=True)
        assert (len(answer.body), answer.truncated) == (65_536, True)

    async with serve(script) as server:
        assert await longest_turn_seconds(call()) < 0.2


# Secrets


async def test_no_failure_contains_headers_query_or_body(client: Client) -> None:
    """Failures are logged and stored; tokens must not be in them, nor in the traceback of what caused them."""
    scripts: list[Script] = [disconnect_after_request, half_body, no_http, binary, HOSTILE_HEADS[0], read_and_wait]
    texts = []
    for script in scripts:
        async with serve(script) as server:
            with pytest.raises(http.HttpFailure) as failure:
                await client.request(
                    "POST",
                    f"{server.url}path?access_token={SECRET}",
                    headers={"Authorization": f"Bearer {SECRET}", "Cookie": SECRET},
                    json={"secret": SECRET},
                    timeout_seconds=0.3,
                )
            texts += [str(failure.value), repr(failure.value), repr(vars(failure.value))]
            texts += traceback.format_exception(failure.value)
    for url in (f"https://a:{SECRET}@b.example/", f"https://b.example:99999/?{SECRET}", f"ftp://b.example/{SECRET}"):
        with pytest.raises(http.UnsafeUrl) as refusal:
            await client.request("GET", url)
        texts += [str(refusal.value), repr(refusal.value)]

    assert not [text for text in texts if SECRET in text]


def test_reprs_hide_headers_and_bodies() -> None:
    answer = http.Response(200, {"Set-Cookie": SECRET}, SECRET.encode(), 3)
    part = Part("token", SECRET)

    assert SECRET not in repr(answer)
    assert SECRET not in repr(part)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://u:p@a.example:8443/b?c=d#e", "https://a.example:8443/b"),
        ("https://a.example", "https://a.example"),
        ("https://[::1]:80/x?y", "https://[::1]:80/x"),
        ("https://[::1", "(malformed address)"),
        ("nonsense?secret", "nonsense"),
    ],
)
def test_a_redacted_url_has_no_secret_part(url: str, shown: str) -> None:
    assert http.redact_url(url) == shown


# Shares and the last check


async def test_workspaces_and_owners_have_shares_of_the_calls_and_others_pass_by() -> None:
    """Two calls for a workspace, three for all of its owner's."""

    def call(owner: str | None, workspace: str, url: str, wait_seconds: float = 3.0) -> "asyncio.Task[http.Response]":
        tenant.set(Tenant(owner, workspace) if owner else None)
        return asyncio.create_task(client.request("POST", url, json={}, connect_timeout_seconds=wait_seconds))

    async with Client(["127.0.0.1"], calls_max=CallLimits(2, 3)) as client, serve(read_and_wait) as hanging:
        under_way = [call("eve", workspace, hanging.url) for workspace in ("a", "a", "b")]
        await until(lambda: hanging.accepted == 3)
        async with serve(answering(OK)) as server:
            for workspace in ("a", "b", "c"):  # the first has its share, and their owner has hers
                with pytest.raises(NotSent) as failure:
                    await call("eve", workspace, server.url, 0.05)
                assert (failure.value.stage, failure.value.ours) == ("pool", True)
            assert (await call("bob", "d", server.url)).status == 200
            assert (await call(None, "", server.url)).status == 200
            waiting = call("eve", "c", server.url)
            await asyncio.sleep(0.05)
            under_way[0].cancel()
            assert (await waiting).status == 200
        for task in under_way[1:]:
            task.cancel()


async def test_a_host_has_a_share_of_the_connections_whoever_calls_it() -> None:
    """Many callers that all name one slow host leave connections to all others."""
    async with (
        Client(["127.0.0.1"], connections_max=4, connections_per_host_max=2) as client,
        serve(read_and_wait) as hanging,
        serve(answering(OK)) as server,
    ):
        calls = [client.request("POST", hanging.url, json={}, timeout_seconds=30) for _ in range(2)]
        under_way = [asyncio.create_task(call) for call in calls]
        await until(lambda: hanging.accepted == 2)
        with pytest.raises(NotSent) as failure:
            await client.request("POST", hanging.url, json={}, connect_timeout_seconds=0.1)
        assert (await client.request("POST", server.url, json={})).status == 200
        for call in under_way:
            call.cancel()

    assert (failure.value.stage, failure.value.ours) == ("pool", True)


@pytest.mark.parametrize("fresh", [True, False], ids=["fresh connection", "kept connection"])
async def test_the_last_check_comes_after_the_connection_and_before_the_bytes(client: Client, fresh: bool) -> None:
    class Stop(Exception):
        pass

    accepted: list[int] = []

    def stop() -> None:
        accepted.append(server.accepted)
        raise Stop

    async with serve(answering(OK)) as server:
        if not fresh:
            await client.request("GET", server.url)
        with pytest.raises(Stop):
            await client.request("POST", server.url, json={}, before_send=stop)
        assert (await client.request("GET", server.url)).status == 200

    assert accepted == [1]
    assert not any(request.startswith(b"POST") for request in server.requests)


async def test_a_lookup_that_takes_too_long_is_not_the_receivers_fault() -> None:
    async def silent(host: str) -> list[str]:
        await asyncio.sleep(60)
        return []

    async with Client(lookup=silent) as client:
        with pytest.raises(NotSent) as failure:
            await client.request("POST", "https://slow.example/", json={})

    assert (failure.value.stage, failure.value.ours) == ("lookup", True)


# Life of a client


async def test_a_client_makes_nothing_before_it_is_used_and_can_be_closed_twice() -> None:
    client = Client(["127.0.0.1"])
    await client.close()
    async with serve(answering(OK)) as server:
        assert (await client.request("GET", server.url)).body == b"ok"
    await client.close()
    await client.close()


def test_a_client_is_made_outside_of_a_loop() -> None:
    client = Client()

    asyncio.run(client.close())


async def test_simultaneous_calls_get_their_own_responses(client: Client) -> None:
    async def echo(connection: Connection) -> None:
        while True:
            body = (await connection.request()).split(b"\r\n\r\n", 1)[1]
            await asyncio.sleep(0.001)
            await connection.send(response(200, body))

    async def call(number: int) -> None:
        answer = await client.request(
            "POST", server.url, json={"number": number}, timeout_seconds=300, connect_timeout_seconds=300
        )
        assert answer.json() == {"number": number}

    async with serve(echo) as server:
        await asyncio.gather(*(call(number) for number in range(300)))


async def test_json_is_encoded_before_anything_is_sent(client: Client) -> None:
    async with serve(answering(OK)) as server:
        with pytest.raises((TypeError, msgspec.MsgspecError)):
            await client.request("POST", server.url, json={"a": ssl})

    assert server.accepted == 0
