"""Callers who create posts, with a service and workers under way, while a test does something to the database."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import httpx
from tests.faults import sabotage
from tests.faults.hostile import HostileNetwork, slow
from tests.faults.scene import Scene, Tenant, post_id
from tests.figures.record import Record

from signalpost.kit import clock

REQUEST_SECONDS_MAX = 10.0
HEALTHY_SECONDS_MAX = 5.0
ACCOUNTS = 10


@dataclass
class Load:
    """Three callers who create posts until they are told to stop, and what they were answered."""

    scene: Scene
    tenant: Tenant
    client: httpx.AsyncClient
    accounts: list[str]
    acknowledged: dict[str, str] = field(default_factory=dict)
    codes: Counter[int] = field(default_factory=Counter)
    slowest: float = 0.0
    last: float = 0.0
    """When a post was accepted last, by the monotonic clock."""

    async def call(self, caller: int) -> None:
        for number in range(100_000):
            body = self.tenant.body(self.accounts[number % len(self.accounts)], text=f"c{caller}-{number}")
            began = clock.monotonic()
            answer = await self.client.post("/posts", json=body)
            self.slowest = max(self.slowest, clock.monotonic() - began)
            self.codes[answer.status_code] += 1
            if answer.status_code == 201:
                self.acknowledged[answer.json()["id"]], self.last = str(body["text"]), clock.monotonic()
            await asyncio.sleep(0.05)

    async def accepted(self, since: float) -> float:
        """Wait until a post is accepted after that moment; return how long after it."""
        await self.scene.until(lambda: self.last > since, "an accepted post")
        return self.last - since

    async def check(
        self, record: Record, network: HostileNetwork, healthy: float, *, may_lack: bool = False, **tried: int
    ) -> None:
        """Wait until all is done: what was acknowledged is published, once, and nobody had to wait for long.

        Args:
            record: of the test.
            network: where the posts are.
            healthy: after how many seconds the API was well again.
            may_lack: whether the database may know nothing of some posts, since it is that of an asynchronous standby.
            tried: what was done to the database, and how often.
        """
        await self.scene.all_done()
        rows = {row["id"]: row["status"] for row in await self.scene.query("select post_id as id, status from target")}
        known = [post for post in self.acknowledged if not may_lack or post_id(post) in rows]
        lost = [self.acknowledged[post] for post in known if rows.get(post_id(post)) != "published"]
        measured = {
            "acknowledged and lost": len(lost), "doubles": len(network.doubles()),
            "s until the API is well": healthy, "s of the slowest request": self.slowest,
        }  # fmt: skip
        record("R10", tried={name.replace("_", " "): count for name, count in tried.items()}, measured=measured)
        assert self.acknowledged
        assert lost == []
        assert network.doubles() == {}
        assert healthy < HEALTHY_SECONDS_MAX
        assert self.slowest < REQUEST_SECONDS_MAX
        assert self.codes.keys() <= {201, 503}, self.codes


@asynccontextmanager
async def load(scene: Scene, network: HostileNetwork, workers: int = 2) -> AsyncIterator[Load]:
    """Callers, a service and workers under way."""
    network.on("", slow(0.05))
    network.loses = 0.02
    tenant = await scene.tenant()
    await tenant.late_policy()
    accounts = [await tenant.mastodon(network, f"a{number}") for number in range(ACCOUNTS)]
    service = await scene.serve()
    for _ in range(workers):
        await scene.worker(sabotage.short_waits)
    async with scene.client(service, tenant) as client:
        running = Load(scene, tenant, client, accounts)
        callers = [asyncio.create_task(running.call(number)) for number in range(3)]
        try:
            yield running
        finally:
            for caller in callers:
                caller.cancel()
            await asyncio.gather(*callers, return_exceptions=True)
