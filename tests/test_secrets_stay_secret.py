"""A full journey with canary secrets and a hostile network; then logs, errors and the database are searched for them.

The service runs as its own process with debug logs and an embedded database of its own, so that the logs of libraries
and of PostgreSQL are searched too. The network answers every refusal with all that it was sent.
"""

import asyncio
import base64
import json
import os
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import asyncpg
import httpx
import pytest
from tests.counterparts.tools import free_port
from tests.helpers.http_servers import Connection, serve
from tests.mail.test_mail import Inbox, serving

from signalpost.embedded_postgres.start import start_postgres

PASSWORD = "canary password +/ä"
NEW_PASSWORD = "second canary password"
WRONG = "wrong canary password"
APP_PASSWORD = "canary-appp-assw-ord1"
MASTODON = "canary-mastodon-token-4f6c1b"
MASTODON_WRONG = "canary-mastodon-wrong-77ab01"
PDS_ACCESS = "canary.access.jwt-1f0e2d"
PDS_REFRESH = "canary.refresh.jwt-9a8b7c"
DID = "did:plc:canarycanarycanarycanary"
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNgYGAAAAAEAAH2FzhVAAAAAElFTkSuQmCC"


async def _network(connection: Connection) -> None:
    """Both networks at once: sign-in works with the right secret, everything else is refused with an echo."""
    while True:
        request = (await connection.request()).decode()
        path = request.split(" ")[1].partition("?")[0]
        status, body = 422, {"error": "Refused", "message": f"I refuse: {request}"}
        if path == "/xrpc/com.atproto.server.createSession" and APP_PASSWORD in request:
            tokens = {"accessJwt": PDS_ACCESS, "refreshJwt": PDS_REFRESH}
            status, body = 200, {"did": DID, "handle": "canary.test", "active": True} | tokens
        elif path == "/api/v1/accounts/verify_credentials" and f"Bearer {MASTODON}\r\n" in request:
            status, body = 200, {"id": "1", "username": "canary", "acct": "canary", "display_name": "Canary"}
        elif path == "/api/v2/instance":
            status, body = 404, {"error": "Not here"}
        payload = json.dumps(body).encode()
        head = f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {len(payload)}\r\n\r\n"
        await connection.send(head.encode() + payload)


@asynccontextmanager
async def _service(data_dir: Path, network: str, mail: str) -> AsyncIterator[str]:
    port = free_port()
    settings = {
        "LOG_LEVEL": "debug", "LOG_FORMAT": "json", "REGISTRATION": "open", "SMTP_URL": f"smtp://{mail}",
        "BLUESKY_BASE_URL": network, "MASTODON_BASE_URL": network, "ALLOW_PRIVATE_WEBHOOKS": "true",
        "ALLOWED_PRIVATE_HOSTS": "127.0.0.1", "TRUSTED_PROXIES": "1",
    }  # fmt: skip
    environment = os.environ | {f"SIGNALPOST_{name}": value for name, value in settings.items()}
    with (data_dir / "service.log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", "from signalpost.main.cli import app; app()",
            "serve", "--data-dir", str(data_dir), "--port", str(port),
            env=environment, stdout=log, stderr=log,
        )  # fmt: skip
    try:
        url = f"http://127.0.0.1:{port}/api/v1"
        async with httpx.AsyncClient(timeout=60) as client:
            while True:
                assert process.returncode is None, (data_dir / "service.log").read_text()[-3000:]
                try:
                    await client.get(url + "/healthz/api")
                    break
                except httpx.TransportError:
                    await asyncio.sleep(0.1)
        yield url
    finally:
        process.terminate()
        await process.wait()


class _Journey:
    """Calls the service, and records which secrets it returned on purpose and everything else it returned."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self.client = client
        self.secrets = {PASSWORD, NEW_PASSWORD, WRONG, APP_PASSWORD, MASTODON, MASTODON_WRONG, PDS_ACCESS, PDS_REFRESH}
        self.recorded: list[str] = []

    async def call(
        self, method: str, path: str, key: str | None = None, *, shows: tuple[str, ...] = (), **options: Any
    ) -> Any:
        """Return the response's body. `shows`: members that are shown once, on purpose; they are secret from now on."""
        headers = {"X-Forwarded-For": f"203.0.113.{len(self.recorded)}"}  # sign-ins are few for each address
        headers |= {"Authorization": f"Bearer {key}"} if key else {}
        response = await self.client.request(method, path, headers=headers | options.pop("headers", {}), **options)
        assert response.status_code < 500 or response.status_code == 502, response.text
        body = response.json() if response.content else {}
        self.secrets |= {body[name] for name in shows}
        hidden = {name: value for name, value in body.items() if name not in shows}
        self.recorded.append(json.dumps([hidden, dict(response.headers)], ensure_ascii=False))
        return body


async def _sign_in(journey: _Journey, inbox: Inbox) -> dict[str, Any]:
    """Register, sign in with right and wrong passwords, refresh, reuse a token, reset it; return the last session."""
    call, shows, email = journey.call, ("accessToken", "refreshToken"), "canary@example.test"
    right = {"email": email, "password": PASSWORD}
    await call("POST", "/auth/register", json=right, shows=shows, headers={"Idempotency-Key": "register"})
    await call("POST", "/auth/register", json=right)
    await call("POST", "/auth/login", json={"email": email, "password": WRONG})
    await call("POST", "/auth/login", json={"email": email, "password": [WRONG], WRONG[:5]: WRONG})
    await call("POST", "/auth/login", content=json.dumps(right)[:-1])
    entered = await call("POST", "/auth/login", json=right, shows=shows)
    await call("POST", "/auth/refresh", json={"refreshToken": entered["refreshToken"]}, shows=shows)
    await call("POST", "/auth/refresh", json={"refreshToken": entered["refreshToken"] + "x"})
    await call("GET", "/auth/me?token=" + quote(entered["accessToken"]), entered["accessToken"] + "x")
    await call("POST", "/auth/password/forgot", json={"email": email})
    while len(inbox.messages) < 2:  # the welcome, and the link
        await asyncio.sleep(0.05)
    body = inbox.messages[-1].get_body(("plain",))
    assert body is not None
    token = body.get_content().partition("token=")[2].split()[0]
    journey.secrets.add(token)
    await call("POST", "/auth/password/reset", json={"token": token, "password": "short"})
    await call("POST", "/auth/password/reset", json={"token": token, "password": NEW_PASSWORD})
    await call("POST", "/auth/password/reset", json={"token": token, "password": NEW_PASSWORD})
    entered = await call("POST", "/auth/login", json={"email": email, "password": NEW_PASSWORD}, shows=shows)
    return dict(entered)


async def _publish(journey: _Journey, access: str) -> None:
    """Create a key, connect both networks with right and wrong secrets, upload, publish, fail, read it, disconnect."""
    call = journey.call
    api_key = await call(
        "POST", "/api-keys", access, json={"name": "K"}, shows=("key",), headers={"Idempotency-Key": "key"}
    )
    await call("POST", "/api-keys", access, json={"name": "K"}, shows=("key",), headers={"Idempotency-Key": "key"})
    key = api_key["key"]
    await call("GET", "/api-keys", access)
    await call("GET", "/auth/me", key[:-1] + ("a" if key[-1] != "a" else "b"))
    [profile] = (await call("GET", "/profiles", key))["data"]
    there = {"profileId": profile["id"]}
    bluesky = there | {"fields": {"identifier": "canary.test", "appPassword": APP_PASSWORD}}
    await call("POST", "/platforms/bluesky/connect", key, json=bluesky, headers={"Idempotency-Key": "bsky"})
    bluesky["fields"] = {"identifier": "canary.test", "appPassword": WRONG}
    await call("POST", "/platforms/bluesky/connect", key, json=bluesky)
    for token in (MASTODON, MASTODON_WRONG):
        await call("POST", "/platforms/mastodon/connect", key, json=there | {"fields": {"accessToken": token}})
    accounts = (await call("GET", "/platforms/accounts/all", key))["data"]
    assert {account["platform"] for account in accounts} == {"bluesky", "mastodon"}
    for account in accounts:
        await call("GET", f"/platforms/accounts/{account['id']}/health?refresh=true", key)
    hook = {"url": "http://127.0.0.1:9/hook", "events": ["post.failed", "post.published"]}
    webhook = await call("POST", "/webhooks", key, json=hook, shows=("secret",), headers={"Idempotency-Key": "hook"})
    await call("POST", f"/webhooks/{webhook['id']}/test", key)
    pixel = base64.b64decode(PIXEL)
    media = await call("POST", "/media/upload", key, files={"file": ("a.png", pixel)})
    post = there | {"platforms": ["bluesky", "mastodon"], "text": "Hello", "media": [{"mediaId": media["id"]}]}
    await call("POST", "/posts", key, json=there | {"platforms": ["bluesky", "mastodon"], "text": "Without a picture"})
    first = await call("POST", "/posts", key, json=post, headers={"Idempotency-Key": "post"})
    while (status := await call("GET", f"/posts/{first['id']}/status", key))["status"] in ("queued", "publishing"):
        if all(target["attempts"] for target in status["targets"]):
            break
        await asyncio.sleep(0.1)
    for path in (f"/posts/{first['id']}", f"/posts/{first['id']}/audit", f"/webhooks/{webhook['id']}/deliveries"):
        await call("GET", path, key)
    for account in accounts:
        await call("DELETE", f"/platforms/accounts/{account['id']}", key)
    await call("DELETE", f"/api-keys/{api_key['id']}", access)
    await call("GET", "/auth/me", key)
    await call("POST", "/auth/logout", access)


async def _database(data_dir: Path) -> str:
    """Return every row of every table as text; bytes are read as Latin-1, so that plain text in them is found."""
    cluster = await asyncio.to_thread(start_postgres, data_dir)
    connection = await asyncpg.connect(cluster.dsn())
    rows = []
    try:
        tables = await connection.fetch("select oid::regclass::text as name from pg_class where relkind in ('r', 'p')"
            " and relnamespace = 'public'::regnamespace")  # fmt: skip
        for table in tables:
            for row in await connection.fetch(f"select * from {table['name']}"):
                values = (value.decode("latin-1") if isinstance(value, bytes) else str(value) for value in row.values())
                rows.append(" ".join(values))
    finally:
        await connection.close()
        await asyncio.to_thread(cluster.stop)
    assert len(tables) > 20
    assert len(rows) > 30
    return "\n".join(rows)


def _forms(secret: str) -> Iterator[str]:
    """The secret as it may have slipped through: plain, escaped, encoded, as part of a longer base64 text."""
    plain = secret.encode()
    yield from (secret, json.dumps(secret)[1:-1], quote(secret, safe=""), quote(secret), plain.decode("latin-1"))
    yield plain.hex()
    for shift in range(3):
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            yield encode(bytes(shift) + plain).decode()[4 if shift else 0 : -4]


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    tmp_path.chmod(0o755)  # the account of the embedded database has to pass through
    return tmp_path


async def test_no_secret_is_left_anywhere(data_dir: Path) -> None:
    inbox = Inbox()
    async with serving(inbox) as mail, serve(_network) as network:
        async with (
            _service(data_dir, network.url.rstrip("/"), mail) as url,
            httpx.AsyncClient(base_url=url, timeout=60) as client,
        ):
            journey = _Journey(client)
            entered = await _sign_in(journey, inbox)
            await _publish(journey, entered["accessToken"])
        sent = b"".join(network.requests).decode("latin-1")

    assert APP_PASSWORD in sent
    assert MASTODON in sent  # the search below has something to find
    places = {
        "responses": "\n".join(journey.recorded),
        "service log": (data_dir / "service.log").read_text(),
        "database log": (data_dir / "postgres" / "server.log").read_text(errors="replace"),
        "database": await _database(data_dir),
    }
    assert places["service log"].count("request.completed") > 30
    assert len(journey.secrets) >= 18
    leaks = {
        (place, secret)
        for place, text in places.items()
        for secret in journey.secrets
        for form in _forms(secret)
        if form in text
    }
    assert leaks == set()
