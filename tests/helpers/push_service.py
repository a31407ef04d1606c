"""A push service with rules of its own (RFC 8030, 8291, 8292), and the browser that subscribed there.

It judges by libraries that are not ours: `joserfc` who sends, `http_ece` what the browser can read.
"""

import asyncio
import base64
import json
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, cast

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from joserfc import jwk, jwt
from tests.helpers.api import Api
from tests.helpers.http_servers import Connection, response, serve
from tests.helpers.limits import PAGE_SECONDS
from tests.helpers.mail import InTest
from tests.helpers.webhooks import parse

from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.push import work

BYTES_MAX = 4_096
DAY = 86_400


def plain(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def coded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


@dataclass
class Browser:
    """What subscribes, and reads what comes."""

    endpoint: str
    private: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    auth: bytes = field(default_factory=lambda: os.urandom(16))

    @property
    def subscription(self) -> dict[str, Any]:
        """As `PushSubscription.toJSON` gives it."""
        point = self.private.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        return {"endpoint": self.endpoint, "keys": {"p256dh": coded(point), "auth": coded(self.auth)}}

    def read(self, body: bytes) -> dict[str, Any]:
        shown: dict[str, Any] = json.loads(
            http_ece.decrypt(body, private_key=self.private, auth_secret=self.auth, version="aes128gcm")
        )
        return shown


@dataclass(frozen=True)
class PushMessage:
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class PushService:
    """Answers each message with the next of `answers`, else 201; `public_key`: what browsers subscribed with."""

    url: str
    public_key: str
    answers: list[bytes] = field(default_factory=list)
    taken: list[PushMessage] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    arrived: asyncio.Condition = field(default_factory=asyncio.Condition)

    def fault(self, request: PushMessage) -> str | None:
        """What is wrong with a message by the RFCs, and by what Apple says besides."""
        headers = request.headers
        token, key = headers["authorization"].removeprefix("vapid t=").split(", k=")
        signer = jwk.ECKey.import_key(
            {"kty": "EC", "crv": "P-256", "x": coded(plain(key)[1:33]), "y": coded(plain(key)[33:])}
        )
        claims = jwt.decode(token, signer, algorithms=["ES256"]).claims
        rules = {
            "another key than the browser subscribed with": key == self.public_key,
            "audience": claims["aud"] == self.url.rstrip("/"),
            "expiry": time.time() < claims["exp"] <= time.time() + DAY,
            "subject": claims["sub"].startswith(("mailto:", "https://")) and " " not in claims["sub"],
            "TTL": 0 <= int(headers["ttl"]) <= DAY,
            "encoding": headers["content-encoding"] == "aes128gcm",
            "urgency": headers["urgency"] in {"very-low", "low", "normal", "high"},
            "topic": 1 <= len(headers["topic"]) <= 32 and coded(plain(headers["topic"])) == headers["topic"],
            "length": 0 < len(request.body) <= BYTES_MAX,
        }
        return next((rule for rule, holds in rules.items() if not holds), None)

    async def wait(self, count: int) -> None:
        """Wait until so many messages were taken."""
        async with asyncio.timeout(PAGE_SECONDS), self.arrived:
            await self.arrived.wait_for(lambda: len(self.taken) >= count)

    async def script(self, connection: Connection) -> None:
        while True:
            raw = await connection.request()
            received = parse(raw)
            request = PushMessage(raw.split(b" ")[1].decode(), received.headers, received.body)
            fault = self.fault(request)
            if fault is not None:
                self.refused.append(fault)
                await connection.send(response(403, fault.encode()))
                continue
            answer = self.answers.pop(0) if self.answers else response(201, b"")
            self.taken.append(request)
            async with self.arrived:
                self.arrived.notify_all()
            await connection.send(answer)


@asynccontextmanager
async def push_service(public_key: str) -> AsyncIterator[PushService]:
    """Run a push service; it refuses what breaks a rule."""
    service = PushService("", public_key)
    async with serve(service.script) as server:
        service.url = server.url
        yield service


async def subscribe(api: Api, key: str, service: PushService, *, name: str = "one") -> tuple[Browser, str]:
    """Turn on notifications in the browser of a session; return it with the id of the device."""
    browser = Browser(f"{service.url}send/{name}-{os.urandom(6).hex()}")
    answer = await api.post("/auth/push", json=browser.subscription, key=key)
    assert answer.status_code == 201, answer.text
    return browser, answer.json()["id"]


_TAKE = """
with taken as (
    delete from job where kind in ('push.announce', 'push.send') and (run_all or next_attempt_at <= now())
    returning id, kind, payload, workspace_id
)
select kind, payload, workspace_id from taken order by id
"""


class _Lease(InTest):
    def __init__(self, context: AppContext, workspace_id: Any) -> None:
        super().__init__(context.database)
        self.workspace_id = workspace_id


async def push_waiting(context: AppContext, *, later: bool = False) -> int:
    """Do what the engine does with notifications that are due, or with all that wait; return how many jobs it were."""
    handlers = {job.kind: job.handler for job in work.jobs(context)}
    done = 0
    while True:
        async with context.database.transaction() as db:
            jobs = await db.fetch(_TAKE.replace("run_all", "true" if later else "false"))
        for job in jobs:
            await handlers[job["kind"]](cast("Lease", _Lease(context, job["workspace_id"])), job["payload"])
        done += len(jobs)
        if not jobs or later:
            return done
