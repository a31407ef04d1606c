"""Every known way to make a server call an address it must not. A canary on 127.0.0.1 must receive nothing."""

import asyncio
import socket
import ssl
import threading
import time
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import aiohttp.connector
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from tests.helpers.http_servers import OK, Connection, Server, answering, response, serve

from signalpost.kit.addresses import Address
from signalpost.kit.http import (
    BadResponse,
    Client,
    HttpFailure,
    Lookup,
    MaybeSent,
    NotSent,
    TooLarge,
    UnsafeUrl,
    reading,
    transport,
)
from signalpost.kit.http.connector import GuardedResolver
from signalpost.kit.http.resolver import Resolver

PUBLIC = "93.184.216.34"
CLOSING = response(200, b"", "Connection: close")


def resolving(*answers: Sequence[str]) -> Lookup:
    """A resolver that gives the n-th answer to the n-th lookup, and the last one from then on."""
    asked = 0

    async def lookup(host: str) -> Sequence[str]:
        nonlocal asked
        asked += 1
        return answers[min(asked, len(answers)) - 1]

    return lookup


@pytest.fixture
async def canary() -> AsyncIterator[Server]:
    async with serve(answering(OK)) as server:
        yield server
        assert server.accepted == 0


UNUSUAL_HOSTS = """
127.0.0.1 127.0.0.1. 127.0.0.2 127.1 127.0.1 2130706433 017700000001 0x7f000001 0x7F.1 0x7f.0.0.1 0177.0.0.1 0177.1
127.0.0.0x1 127.0.0.01 00127.0.0.1 127.0.0.1.. 4294967297 0 0.0.0.0 00 0x0 1.1.1.1.1 256.1.1.1 [127.0.0.1]
[::] [::1] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::127.0.0.1] [::ffff:0:127.0.0.1] [64:ff9b::127.0.0.1]
[64:ff9b::7f00:1] [64:ff9b:1::7f00:1] [2002:7f00:1::1] [2001:0:4136:e378:8000:63bf:807f:fffe] [fe80::1] [fe80::1%25lo]
[v1.127.0.0.1] [fec0::1] [fd00:ec2::254] [ff02::1] [::1%00] [::1].example.com
127.0.0.1%00.example.com 127.0.0.1%2f.example.com example.com%00 localhost localhost. LOCALHOST loc%61lhost
169.254.169.254 2852039166 0xa9fea9fe 0251.0376.0251.0376 [::ffff:a9fe:a9fe] 168.63.129.16 192.0.0.192 100.100.100.200
10.0.0.1 172.16.0.1 192.168.0.1 224.0.0.1 255.255.255.255 240.0.0.1 198.18.0.1 192.88.99.1
\u2460\u2461\u2466.\u24ea.\u24ea.\u2460 \uff11\uff12\uff17.\uff10.\uff10.\uff11 127\u30020\u30020\u30021 \u246b7.0.0.1
\U0001d7cf\U0001d7d0\U0001d7d5.\U0001d7ce.\U0001d7ce.\U0001d7cf \u24db\u24de\u24d2\u24d0\u24db\u24d7\u24de\u24e2\u24e3
"""


@pytest.mark.parametrize("host", UNUSUAL_HOSTS.split())
@pytest.mark.parametrize("scheme", ["https", "http"])
async def test_no_spelling_of_a_private_host_is_reached(canary: Server, host: str, scheme: str) -> None:
    """With the system's resolver, which takes 2130706433 or circled digits for addresses."""
    async with Client() as client:
        url = f"{scheme}://{host}:{canary.port}/"
        with pytest.raises((UnsafeUrl, NotSent)):
            await client.request("POST", url, json={})
        with pytest.raises(UnsafeUrl):
            await client.check_url(url, schemes=("http", "https"))


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "::1",
        "10.0.0.1",
        "169.254.169.254",
        "::ffff:169.254.169.254",
        "64:ff9b::a9fe:a9fe",
        "fd00:ec2::254",
    ],
)
@pytest.mark.parametrize("others", [[], [PUBLIC], [PUBLIC, "2606:4700:4700::1111", "1.1.1.1"]])
async def test_one_forbidden_address_makes_the_name_forbidden(canary: Server, address: str, others: list[str]) -> None:
    """If the forbidden ones were dropped, an attacker could learn which of our addresses respond."""
    for answers in ([address, *others], [*others, address]):
        async with Client(lookup=resolving(answers)) as client:
            url = f"https://rebind.example:{canary.port}/"
            with pytest.raises(UnsafeUrl, match=r"rebind\.example resolves to a forbidden address"):
                await client.check_url(url)
            with pytest.raises(UnsafeUrl):
                await client.request("POST", url, json={})


async def test_a_name_that_turns_private_after_the_check_is_not_called(canary: Server) -> None:
    """DNS rebinding: public when it is registered, 127.0.0.1 when it is called."""
    async with Client(lookup=resolving([PUBLIC], ["127.0.0.1"])) as client:
        url = f"https://rebind.example:{canary.port}/"
        await client.check_url(url)

        for _ in range(20):
            with pytest.raises(UnsafeUrl):
                await client.request("POST", url, json={})


async def test_the_address_dialled_is_the_one_that_was_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The name is looked up once per connection and that result is used: there is no second lookup to manipulate."""
    questions: list[str] = []
    dialled: list[tuple[str, int]] = []

    async def lookup(host: str) -> Sequence[str]:
        questions.append(host)
        return [PUBLIC] if len(questions) == 1 else ["127.0.0.1"]

    async def connect(_: socket.socket, address: tuple[str, int]) -> None:
        dialled.append(address)
        raise ConnectionRefusedError(111, "refused")

    monkeypatch.setattr(asyncio.get_running_loop(), "sock_connect", connect)
    async with Client(lookup=lookup) as client:
        with pytest.raises(NotSent):
            await client.request("POST", "https://rebind.example/", json={})

    assert (questions, dialled) == (["rebind.example"], [(PUBLIC, 443)])


async def test_the_dial_checks_again_by_itself(canary: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """If a lookup ever gets past the first check, the socket is still not made."""

    async def unguarded(self: GuardedResolver, host: str, port: int = 0, family: int = 0) -> list[dict[str, object]]:
        return [
            {"hostname": host, "host": address, "port": port, "family": socket.AF_INET, "proto": 0, "flags": 0}
            for address in ("127.0.0.1", "127.0.0.2")
        ]

    monkeypatch.setattr(GuardedResolver, "resolve", unguarded)
    async with Client() as client:
        with pytest.raises(UnsafeUrl, match="loopback"):
            await client.request("POST", f"https://any.example:{canary.port}/", json={})


async def test_users_cannot_use_a_connection_that_only_the_operator_may_open() -> None:
    """Trusted and guarded calls to one host must not share a pool."""
    async with serve(answering(OK)) as server:
        url = f"http://inside.example:{server.port}/"
        async with Client(["10.0.0.0/8"], lookup=resolving(["127.0.0.1"])) as client:
            await client.request("GET", url, trusted=True)
            with pytest.raises(UnsafeUrl):
                await client.request("GET", url)

        assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("allowed", "host"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("127.0.0.0/8", "127.0.0.1"),
        ("127.0.0.1", "named.example"),
        ("named.example", "named.example"),
        ("NAMED.example.", "named.EXAMPLE"),
        ("127.0.0.1:{port}", "127.0.0.1"),
        ("named.example:{port}", "named.example"),
    ],
)
async def test_what_the_operator_lists_is_reached_also_over_http(allowed: str, host: str) -> None:
    async with (
        serve(answering(OK)) as server,
        Client([allowed.format(port=server.port)], lookup=resolving(["127.0.0.1"])) as client,
    ):
        url = f"http://{host}:{server.port}/"
        await client.check_url(url)
        assert (await client.request("POST", url, json={})).status == 200


@pytest.mark.parametrize(
    ("allowed", "url"),
    [
        ("127.0.0.1:1", "http://127.0.0.1:{port}/"),
        ("127.0.0.2", "http://127.0.0.1:{port}/"),
        ("named.example", "http://127.0.0.1:{port}/"),
        ("named.example", "http://other.example:{port}/"),
        ("named.example:1", "http://named.example:{port}/"),
        ("10.0.0.0/8", "http://other.example:{port}/"),
    ],
)
async def test_the_list_opens_nothing_else(canary: Server, allowed: str, url: str) -> None:
    async with Client([allowed], lookup=resolving(["127.0.0.1"])) as client:
        with pytest.raises(UnsafeUrl):
            await client.request("POST", url.format(port=canary.port), json={})


async def test_http_to_a_public_host_is_refused_even_with_a_list() -> None:
    async with Client(["10.0.0.0/8"], lookup=resolving([PUBLIC], ["10.0.0.1", PUBLIC])) as client:
        for _ in range(2):
            with pytest.raises(UnsafeUrl, match="https://"):
                await client.request("POST", "http://plain.example/", json={})


LONG = "https://a.example/" + "x" * 2048


@pytest.mark.parametrize(
    ("url", "detail"),
    [
        ("", "https://"),
        ("nonsense", "https://"),
        ("//a.example/", "https://"),
        ("http://a.example/", "https://"),
        ("ftp://a.example/", "https://"),
        ("file:///etc/passwd", "https://"),
        ("javascript:alert(1)", "https://"),
        ("gopher://a.example/", "https://"),
        ("unix:/run/docker.sock", "https://"),
        ("https://", "host|malformed"),
        ("https:///path", "host|malformed"),
        ("https://?a", "host|malformed"),
        ("https://:443/", "host|malformed"),
        ("https://./", "host|malformed"),
        ("https://../", "host|malformed"),
        ("https://a..example/", "malformed"),
        ("https://-a.example/", "malformed"),
        ("https://a.example-/", "malformed"),
        ("https://" + "a" * 64 + ".example/", "malformed"),
        ("https://" + "a." * 130 + "example/", "malformed"),
        ("https://xn--a.example/", "resolve|malformed"),
        ("https://xn--/", "resolve|malformed"),
        ("https://\u200d.example/", "control character"),
        ("https://a\u202eb.example/", "control character"),
        ("https://\ud800.example/", "control character"),
        ("https://u@a.example/", "user name"),
        ("https://u:p@a.example/", "user name"),
        ("https://@a.example/", "user name"),
        ("https://:@a.example/", "user name"),
        ("https://127.0.0.1@a.example/", "user name"),
        ("https://a.example:0/", "port 0"),
        ("https://a.example:65536/", "malformed"),
        ("https://a.example:-1/", "malformed"),
        ("https://a.example:http/", "malformed"),
        ("https://a.example:22/", "port 22"),
        ("https://a.example:8443/", "port 8443"),
        ("https://a b.example/", "space"),
        (" https://a.example/", "space"),
        ("https://a.example/ b", "space"),
        ("https://a.example/\r\nX: y", "control character"),
        ("https://a.example/\x00", "control character"),
        ("https://a.example/\t", "control character"),
        ("https://a.example/\u2028", "control character"),
        ("https://a.example\\@127.0.0.1/", "backslash"),
        ("https:\\\\a.example/", "backslash"),
        ("https://[::1/", "malformed"),
        ("https://[a]/", "malformed"),
        ("https://[v1.a]/", "malformed"),
        ("https://2130706433/", "unusual notation"),
        ("https://0x7f.0.0.1/", "unusual notation"),
        ("https://127.1/", "unusual notation"),
        ("https://nowhere.example/", "does not resolve"),
        (LONG, "longer than 2048"),
    ],
)
async def test_a_refused_address_says_what_is_wrong(url: str, detail: str) -> None:
    """The message is shown to the user who entered the address."""

    async def lookup(host: str) -> Sequence[str]:
        if host == "a.example":
            return [PUBLIC]
        raise socket.gaierror(socket.EAI_NONAME, "unknown")

    async with Client(lookup=lookup) as client:
        with pytest.raises(UnsafeUrl, match=detail) as refusal:
            await client.check_url(url, ports=(443,))

    assert refusal.value.detail == str(refusal.value)


@pytest.mark.parametrize(
    "url",
    [
        "https://a.example",
        "https://a.example/",
        "https://A.EXAMPLE/",
        "https://a.example./x",
        "https://a.example:443/x?y=z#f",
        "https://a.example/x@y:z",
        "https://a.example/?u=a@b",
        "https://bücher.example/ä?ö=ü",
        "https://xn--bcher-kva.example/",
        "https://a_b.example/",
        "https://93.184.216.34/",
        "https://[2606:4700:4700::1111]/",
        "https://9gag.example/",
        "https://a.example/%00%0a",
    ],
)
async def test_a_usual_address_is_fine(url: str) -> None:
    async with Client(lookup=resolving([PUBLIC, "2606:4700:4700::1111"])) as client:
        await client.check_url(url, ports=(443,))


async def test_of_a_trusted_address_only_the_form_is_checked() -> None:
    async with Client() as client:
        await client.check_url("http://127.0.0.1:9000/", schemes=("http", "https"), trusted=True)
        with pytest.raises(UnsafeUrl, match="user name"):
            await client.check_url("http://a:b@127.0.0.1:9000/", trusted=True)


# Lookups


async def test_a_slow_name_server_does_not_delay_other_lookups() -> None:
    async def lookup(host: str) -> Sequence[str]:
        await asyncio.sleep(3600 if host == "slow.example" else 0)
        return ["127.0.0.1"]

    async with serve(answering(CLOSING)) as server, Client(["127.0.0.1"], lookup=lookup) as client:
        slow = asyncio.create_task(
            client.request("POST", "https://slow.example/", connect_timeout_seconds=60, timeout_seconds=60)
        )
        for _ in range(20):
            await client.request("POST", f"http://quick.example:{server.port}/")
        assert not slow.done()
        slow.cancel()


async def test_the_system_lookup_does_not_block_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    released = threading.Event()

    def stuck(host: str, *_: object, **__: object) -> list[object]:
        released.wait(60)
        raise socket.gaierror(socket.EAI_AGAIN, "later")

    monkeypatch.setattr(socket, "getaddrinfo", stuck)
    async with Client() as client:
        task = asyncio.create_task(client.request("GET", "https://stuck.example/"))
        for _ in range(20):
            await asyncio.sleep(0.01)
        assert not task.done()
        released.set()
        with pytest.raises(NotSent) as failure:
            await task

    assert failure.value.ours


async def test_calls_at_one_moment_share_a_lookup_and_later_ones_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sharing saves lookups in a burst; caching would keep a stale address."""
    questions: list[str] = []
    all_asked = asyncio.Barrier(21)
    addresses = Resolver.addresses

    async def counted(self: Resolver, host: str) -> list[Address]:
        asking = asyncio.create_task(addresses(self, host))
        await asyncio.sleep(0)  # it has found the lookup of the others, or begun one
        await all_asked.wait()
        return await asking

    async def lookup(host: str) -> Sequence[str]:
        questions.append(host)
        await all_asked.wait()
        return ["127.0.0.1"]

    monkeypatch.setattr(Resolver, "addresses", counted)
    async with serve(answering(CLOSING)) as server, Client(["127.0.0.1"], lookup=lookup) as client:
        url = f"http://burst.example:{server.port}/"
        for _ in range(2):
            await asyncio.gather(*(client.request("GET", url) for _ in range(20)))

    assert len(questions) == 2


async def test_a_lookup_has_a_deadline_of_its_own() -> None:
    async def lookup(host: str) -> Sequence[str]:
        await asyncio.sleep(3600)
        return []

    async with Client(lookup=lookup) as client:
        with pytest.raises(UnsafeUrl, match="took too long"):
            await client.check_url("https://slow.example/")


# TLS


@pytest.fixture
def certificate(tmp_path: Path) -> Callable[[str], ssl.SSLContext]:
    """Makes server contexts whose self-signed certificate names one host."""

    def make(host: str) -> ssl.SSLContext:
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
        now = datetime.now(UTC)
        signed = (
            x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=1))
            .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
            .sign(key, hashes.SHA256())
        )
        path = tmp_path / "server.pem"
        path.write_bytes(
            signed.public_bytes(serialization.Encoding.PEM)
            + key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(path)
        return context

    return make


async def test_tls_names_the_host_although_an_address_is_dialled(
    certificate: Callable[[str], ssl.SSLContext], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named: list[str | None] = []
    context = certificate("good.example")
    context.sni_callback = lambda _socket, name, _context: named.append(name)
    monkeypatch.setattr(
        aiohttp.connector, "_SSL_CONTEXT_VERIFIED", ssl.create_default_context(cafile=tmp_path / "server.pem")
    )
    async with (
        serve(answering(OK), context) as server,
        Client(["127.0.0.1"], lookup=resolving(["127.0.0.1"])) as client,
    ):
        assert (await client.request("POST", f"https://good.example:{server.port}/", json={})).status == 200
        with pytest.raises(NotSent) as failure:
            await client.request("POST", f"https://evil.example:{server.port}/", json={})

    assert named == ["good.example", "evil.example"]
    assert failure.value.stage == "tls"
    assert len(server.requests) == 1


async def test_an_unknown_certificate_is_not_sent(certificate: Callable[[str], ssl.SSLContext]) -> None:
    async with serve(answering(OK), certificate("good.example")) as server, Client(["127.0.0.1"]) as client:
        with pytest.raises(NotSent) as failure:
            await client.request("POST", f"https://127.0.0.1:{server.port}/", json={})

    assert failure.value.stage == "tls"
    assert server.requests == []


# Downloads


class Sink:
    def __init__(self) -> None:
        self.content = bytearray()

    async def __call__(self, piece: bytes) -> None:
        self.content += piece


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    async with Client(["127.0.0.1", "media.example"], lookup=resolving(["127.0.0.1"])) as client:
        yield client


async def test_a_download_passes_every_byte_to_the_sink(client: Client) -> None:
    body = bytes(range(256)) * 8000
    sink = Sink()
    async with serve(answering(response(200, body, "Content-Type: image/png"))) as server:
        downloaded = await client.download(server.url + "a.png", sink, bytes_max=len(body), timeout_seconds=5)

    assert sink.content == body
    assert (downloaded.bytes_count, downloaded.headers["content-type"]) == (len(body), "image/png")
    assert downloaded.url == server.url + "a.png"


async def endless(connection: Connection) -> None:
    await connection.request()
    await connection.send(b"HTTP/1.1 200 OK\r\n\r\n")
    while True:
        await connection.send(b"x" * 65_536)


async def test_a_download_is_bounded(client: Client) -> None:
    sink = Sink()
    async with serve(answering(response(200, b"x" * 5000))) as server:
        with pytest.raises(TooLarge, match="announces 5000"):
            await client.download(server.url, sink, bytes_max=4999, timeout_seconds=5)
    assert sink.content == b""

    async with serve(endless) as server:
        with pytest.raises(TooLarge):
            await client.download(server.url, sink, bytes_max=1_000_000, timeout_seconds=5)
    assert len(sink.content) <= 1_000_000


async def test_a_server_that_sends_too_slowly_is_given_up(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise a byte a second would hold a connection until the deadline."""
    monkeypatch.setattr(reading, "GRACE_SECONDS", 0.3)
    monkeypatch.setattr(transport, "STALL_SECONDS", 0.3)

    async def drip(connection: Connection) -> None:
        await connection.request()
        await connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        for _ in range(1000):
            await connection.send(b"x")
            await asyncio.sleep(0.05)

    async def stall(connection: Connection) -> None:
        await connection.request()
        await connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nx")
        await asyncio.sleep(3600)

    for script in (drip, stall):
        async with serve(script) as server:
            started = time.monotonic()
            with pytest.raises(MaybeSent) as failure:
                await client.download(
                    server.url, Sink(), bytes_max=1000, timeout_seconds=100, bytes_per_second_min=10_000
                )
            assert failure.value.timed_out
            assert time.monotonic() - started < 100


async def test_the_time_of_the_sink_is_not_the_servers(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that takes an hour for the first piece of two."""
    now, taken = 0.0, asyncio.Event()
    monkeypatch.setattr(reading, "time", SimpleNamespace(monotonic=lambda: now))

    async def in_two(connection: Connection) -> None:
        await connection.request()
        await connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n" + b"x" * 250)
        await taken.wait()
        await connection.send(b"x" * 250)

    async def slow_disk(piece: bytes) -> None:
        nonlocal now
        now += 3_600
        taken.set()

    async with serve(in_two) as server:
        await client.download(server.url, slow_disk, bytes_max=1000, timeout_seconds=300, bytes_per_second_min=10_000)


async def test_a_download_has_one_deadline_for_all_hops_and_the_sink(client: Client) -> None:
    async def slow_sink(piece: bytes) -> None:
        await asyncio.sleep(3600)

    async def drip(connection: Connection) -> None:
        await connection.request()
        await asyncio.sleep(0.2)
        await connection.send(response(302, b"", "Location: /next"))

    for script, sink, hops in ((answering(OK), slow_sink, 0), (drip, Sink(), 20)):
        async with serve(script) as server:
            # Not the end of the redirects, nor of the sink. It may come while the next hop connects.
            with pytest.raises((MaybeSent, NotSent), match=r"in time|too long"):
                await client.download(server.url, sink, bytes_max=10, timeout_seconds=0.5, redirects_max=hops)


@pytest.mark.parametrize("error", [OSError(28, "disk full"), TimeoutError("mine"), ValueError("bad bytes")])
async def test_what_the_sink_raises_comes_out_unchanged(client: Client, error: Exception) -> None:
    async def sink(piece: bytes) -> None:
        raise error

    async with serve(answering(OK)) as server:
        with pytest.raises(type(error)) as raised:
            await client.download(server.url, sink, bytes_max=10, timeout_seconds=5)

    assert raised.value is error


@pytest.mark.parametrize("status", [201, 204, 206, 304, 400, 404, 500])
async def test_only_200_is_a_download(client: Client, status: int) -> None:
    sink = Sink()
    async with serve(answering(f"HTTP/1.1 {status} X\r\nContent-Length: 0\r\n\r\n".encode())) as server:
        with pytest.raises(BadResponse) as failure:
            await client.download(server.url, sink, bytes_max=10, timeout_seconds=5)

    assert failure.value.status == status
    assert sink.content == b""


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_redirects_are_followed_as_far_as_asked(client: Client, status: int) -> None:
    moves = [response(status, b"", f"Location: /{hop}", "Connection: close") for hop in range(3)]

    async def script(connection: Connection) -> None:
        await connection.request()
        await connection.send(moves.pop(0) if moves else OK)

    async with serve(script) as server:
        downloaded = await client.download(server.url, Sink(), bytes_max=10, timeout_seconds=5, redirects_max=3)
    assert downloaded.url == server.url + "2"

    moves = [response(status, b"", "Location: /again", "Connection: close")] * 100
    async with serve(script) as server:
        for hops in (0, 5):
            with pytest.raises(BadResponse, match="redirects"):
                await client.download(server.url, Sink(), bytes_max=10, timeout_seconds=5, redirects_max=hops)
    assert len(server.requests) == 1 + 6


@pytest.mark.parametrize(
    "location",
    [
        "http://169.254.169.254/latest/meta-data/",
        "https://10.0.0.1/",
        "//10.0.0.1/",
        "https://[::ffff:127.0.0.1]:{port}/",
        "http://2130706433:{port}/",
        "file:///etc/passwd",
        "https://u:p@media.example/",
        "http://other.example:{port}/",
        "gopher://media.example/",
    ],
)
async def test_a_redirect_is_checked_like_any_address(canary: Server, location: str) -> None:
    target = location.format(port=canary.port)
    async with (
        serve(answering(response(302, b"", f"Location: {target}"))) as server,
        Client(["media.example"], lookup=resolving(["127.0.0.1"])) as client,
    ):
        for trusted in (False, True):
            with pytest.raises(UnsafeUrl):
                await client.download(
                    f"http://media.example:{server.port}/",
                    Sink(),
                    bytes_max=10,
                    timeout_seconds=5,
                    redirects_max=5,
                    trusted=trusted,
                )


@pytest.mark.parametrize("headers", [[], ["Location: "], ["Location: https://[::1"], ["Location: \x80\xff"]])
async def test_a_redirect_to_nowhere_ends(client: Client, headers: list[str]) -> None:
    async with serve(answering(response(302, b"", *headers))) as server:
        with pytest.raises(HttpFailure):
            await client.download(server.url, Sink(), bytes_max=10, timeout_seconds=5, redirects_max=5)

    assert len(server.requests) <= 6


async def test_credentials_do_not_follow_to_another_host(client: Client) -> None:
    async with serve(answering(OK)) as other:
        for host in ("media.example", "127.0.0.1"):  # another port is another origin, too
            to_other = response(302, b"", f"Location: http://{host}:{other.port}/x")
            async with serve(answering(to_other)) as server:
                await client.download(
                    server.url, Sink(), bytes_max=10, timeout_seconds=5, redirects_max=1, headers={"Authorization": "s"}
                )
                assert b"Authorization: s" in server.requests[0]
        assert not any(b"authorization" in request.lower() for request in other.requests)


async def test_credentials_stay_on_the_same_host(client: Client) -> None:
    async with serve(answering(response(302, b"", "Location: /x"), OK)) as server:
        await client.download(
            server.url, Sink(), bytes_max=10, timeout_seconds=5, redirects_max=1, headers={"Authorization": "s"}
        )

    assert all(b"Authorization: s" in request for request in server.requests)
    assert len(server.requests) == 2
