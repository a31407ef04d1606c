"""Which hosts the service answers for, and what a client that thinks of hosts can make it keep."""

import gzip
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from typing import Any

import httpx
import pytest

from signalpost.context import AppContext
from signalpost.main import app

LOOPBACK = ("127.0.0.1", 50_000)
REMOTE = ("203.0.113.7", 50_000)
PATHS = (
    "/", "/docs", "/openapi.json", "/llms.txt", "/metrics", "/console", "/login", "/status", "/first-run", "/healthz",
    "/api/v1/healthz/api", "/v1/healthz/api", "/api/v1/auth/me", "/api/v1/posts", "/no/such/path",
)  # fmt: skip
FOREIGN = (
    "rebind.example:8000",
    "rebind.example",
    "localhost.rebind.example",
    "127.0.0.1.nip.example",
    "1.2.3",
    "[::1",
)
OURS = (
    "localhost", "LOCALHOST:8000", "localhost.", "app.localhost:3000", "127.0.0.1:8000", "[::1]:8000", "192.0.2.4", "",
    "social.example.com", "Social.Example.com:443",
)  # fmt: skip
Clients = Callable[..., AbstractAsyncContextManager[httpx.AsyncClient]]


@pytest.fixture
def clients(context: AppContext) -> Clients:
    """Clients of the application with some settings, from one address."""

    @asynccontextmanager
    async def client(address: tuple[str, int] = LOOPBACK, **settings: Any) -> AsyncIterator[httpx.AsyncClient]:
        changed = replace(context, settings=replace(context.settings, **{"trusted_proxies": 0} | settings))
        transport = httpx.ASGITransport(app=app.create(changed), client=address)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as found:
            yield found

    return client


@pytest.mark.parametrize("base_url", [None, "https://social.example.com"])
async def test_a_page_of_a_stranger_reads_nothing_of_this_machine(clients: Clients, base_url: str | None) -> None:
    """Its name resolves to 127.0.0.1 meanwhile, so the browser takes us for its own server (DNS rebinding)."""
    async with clients(base_url=base_url) as client:
        for host in FOREIGN:
            for path in PATHS:
                for method in ("GET", "POST", "OPTIONS"):
                    # A page may send headers of proxies, as many as it likes.
                    answer = await client.request(method, path, headers={"Host": host, "X-Forwarded-For": "192.0.2.1"})
                    assert (answer.status_code, host, path) == (421, host, path)
                    assert "access-control-allow-origin" not in answer.headers
        answer = await client.get("/docs", headers={"Host": FOREIGN[0], "Accept": "application/json"})
        assert answer.json()["code"] == "foreign_host"
        assert "SIGNALPOST_BASE_URL" in answer.json()["remediation"]
        assert answer.json()["type"].startswith(base_url or "http://")
        assert "rebind" not in answer.json()["type"]


@pytest.mark.parametrize("host", OURS)
async def test_addresses_of_this_machine_and_ours_are_answered(clients: Clients, host: str) -> None:
    async with clients(base_url="https://social.example.com") as client:
        answers = {path: (await client.get(path, headers={"Host": host})).status_code for path in ("/", "/metrics")}
    assert answers == {"/": 200, "/metrics": 200}


async def test_a_proxy_on_this_machine_passes_on_any_host(clients: Clients) -> None:
    """Once SIGNALPOST_TRUSTED_PROXIES says that there is one, and it says for whom it asks."""
    headers = {"Host": "upstream", "X-Forwarded-For": "203.0.113.7"}
    async with clients(base_url="https://social.example.com", trusted_proxies=1) as client:
        assert (await client.get("/docs", headers=headers)).status_code == 200
        assert (await client.get("/metrics", headers=headers)).status_code == 404
        assert (await client.get("/docs", headers={"Host": "upstream"})).status_code == 421
    async with clients(base_url="https://social.example.com") as client:
        assert (await client.get("/docs", headers=headers)).status_code == 421


async def test_clients_elsewhere_use_any_name(clients: Clients) -> None:
    """In a network at home the service may have several names, and learns only this one's from the request."""
    async with clients(REMOTE, base_url=None) as client:
        answer = await client.get("/llms.txt", headers={"Host": "pi.lan:8000"})
    assert answer.status_code == 200
    assert "http://pi.lan:8000/" in answer.text


async def test_hosts_that_clients_think_of_are_neither_kept_nor_compressed(
    clients: Clients, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first request makes the pages; the others cost a copy of their text."""
    compressed: list[int] = []
    compress = gzip.compress

    def counted(data: bytes, *args: Any, **options: Any) -> bytes:
        compressed.append(len(data))
        return compress(data, *args, **options)

    async with clients(REMOTE, base_url=None) as client:
        first = await client.get("/openapi.json", headers={"Host": "a.example"})
        monkeypatch.setattr(gzip, "compress", counted)
        pages = [await client.get("/openapi.json", headers={"Host": f"a{n}.example"}) for n in range(20)]
    assert {page.status_code for page in pages} == {200}
    assert all(f"http://a{n}.example/" in page.text for n, page in enumerate(pages))
    assert len({page.headers["etag"] for page in [first, *pages]}) == 21
    assert compressed == []
