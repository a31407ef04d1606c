"""Events: what happened, signed and sent to an endpoint until it accepts, in whatever order a test wants."""

import copy
import hashlib
import hmac
import json
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import aiohttp

RETRY_SECONDS = (0, 300, 1_800, 7_200, 18_000, 36_000, 43_200, 43_200, 43_200, 43_200)
"""About three days, as Stripe does for live events."""
WAIT_SECONDS = 20


@dataclass
class Event:
    id: str
    type: str
    body: bytes
    due_at: datetime
    attempts: list[int] = field(default_factory=list)
    """The status of each answer; 0: none came."""

    @property
    def accepted(self) -> bool:
        return any(200 <= status < 300 for status in self.attempts)


@dataclass
class Endpoint:
    url: str
    secret: str


class Outbox:
    """All events, oldest first."""

    def __init__(self, clock: Callable[[], datetime], version: str) -> None:
        self._clock, self._version = clock, version
        self.events: list[Event] = []
        self.endpoint: Endpoint | None = None

    def add(self, kind: str, about: dict[str, Any], event_id: str) -> Event:
        """Note what happened; the object is copied as it is now."""
        now = self._clock()
        document = {
            "id": event_id,
            "object": "event",
            "api_version": self._version,
            "created": int(now.timestamp()),
            "type": kind,
            "livemode": False,
            "pending_webhooks": 1,
            "request": {"id": None, "idempotency_key": None},
            "data": {"object": copy.deepcopy(about)},
        }
        event = Event(event_id, kind, json.dumps(document, indent=2).encode(), now)
        self.events.append(event)
        return event

    def sign(self, body: bytes, *, at: datetime | None = None, secret: str | None = None) -> str:
        """Return the header `Stripe-Signature` of these bytes."""
        key = secret or (self.endpoint.secret if self.endpoint else "")
        seconds = int((at or self._clock()).timestamp())
        digest = hmac.new(key.encode(), f"{seconds}.".encode() + body, hashlib.sha256).hexdigest()
        return f"t={seconds},v1={digest},v0={hashlib.sha256(body).hexdigest()}"

    def due(self) -> list[Event]:
        """Return what has to be sent now: new events, and those whose last attempt failed long enough ago."""
        now = self._clock()
        return [
            event
            for event in self.events
            if not event.accepted and len(event.attempts) < len(RETRY_SECONDS) and event.due_at <= now
        ]

    async def deliver(self, events: Iterable[Event] | None = None) -> list[int]:
        """Send events in this order, again if they were sent before; None: what is due. Return the statuses."""
        chosen = self.due() if events is None else list(events)
        if self.endpoint is None:
            return []
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=WAIT_SECONDS)) as session:
            return [await self._send(session, self.endpoint, event) for event in chosen]

    async def _send(self, session: aiohttp.ClientSession, endpoint: Endpoint, event: Event) -> int:
        headers = {"Stripe-Signature": self.sign(event.body), "Content-Type": "application/json; charset=utf-8"}
        try:
            async with session.post(endpoint.url, data=event.body, headers=headers) as response:
                status = response.status
        except (aiohttp.ClientError, TimeoutError):
            status = 0
        event.attempts.append(status)
        wait = RETRY_SECONDS[min(len(event.attempts), len(RETRY_SECONDS) - 1)]
        event.due_at = self._clock() + timedelta(seconds=wait)
        return status


def shuffled(events: Sequence[Event], seed: int, *, duplicates: int = 0) -> list[Event]:
    """Return events in another order, some of them twice; the same for the same seed."""
    chance = random.Random(seed)  # noqa: S311 - an order that can be repeated, not a secret
    order = [*events, *chance.choices(events, k=duplicates)] if events else []
    chance.shuffle(order)
    return order
