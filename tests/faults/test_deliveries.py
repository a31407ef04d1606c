"""Webhooks in numbers: workers are killed and receivers fail, or misbehave in every way; the good ones get theirs."""

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.faults import sabotage
from tests.faults.processes import Process
from tests.faults.receivers import Receivers
from tests.faults.scene import Scene, Tenant, percentile, sizes
from tests.figures.record import Record, holds
from tests.helpers.http_servers import serve
from tests.helpers.webhooks import advance_time, emit, post_published
from tests.webhooks.test_faults import HOSTILE

from signalpost.webhooks.states import JITTER_SECONDS, RETRY_SECONDS

SEED = 20261123
BATCH = 200
_NOT_DELIVERED = "count(*) from delivery where state <> 'delivered'"


async def _webhook(tenant: Tenant, url: str) -> Any:
    return await tenant.call("POST", "/webhooks", 201, json={"url": url, "events": ["post.published"]})


async def _kill_all_the_time(scene: Scene, kills: int, quick: list[Any]) -> None:
    """Have two workers, and kill one of them after a moment, so many times."""
    chance = random.Random(SEED)
    workers: list[Process] = [await scene.worker(*quick) for _ in range(2)]
    for _ in range(kills):
        await asyncio.sleep(chance.uniform(0.1, 0.7))
        index = chance.randrange(2)
        workers[index].kill()
        workers[index] = scene.start_worker(*quick)


@holds("R3")
@sizes("size", quick=(2, 2, 20, 3), heavy=(10, 5, 1_000, 300))
async def test_every_event_arrives_through_kills(scene: Scene, record: Record, size: tuple[int, int, int, int]) -> None:
    """`size`: tenants, receivers and events of each, kills. A fifth of the deliveries gets 500, or no answer at all.

    Everything that failed is due at once in the end, when the receivers are well again: as if hours had passed.
    """
    count, hooks, events, kills = size
    tenants = await scene.tenants(count)
    async with Receivers(fails=0.2, seed=SEED) as receivers:
        webhooks = {
            f"t{number}-{hook}": await _webhook(tenant, receivers.url(f"t{number}-{hook}"))
            for number, tenant in enumerate(tenants)
            for hook in range(hooks)
        }
        for _ in range(0, events, min(BATCH, events)):
            for tenant in tenants:
                await emit(scene.database, *(post_published(tenant.login) for _ in range(min(BATCH, events))))
        await _kill_all_the_time(scene, kills, [sabotage.short_waits] if kills < 10 else [])
        receivers.fails = 0.0

        async def delivered() -> bool:
            for webhook in webhooks.values():
                await advance_time(scene.database, webhook, RETRY_SECONDS[-1] + JITTER_SECONDS)
            await asyncio.sleep(2)
            return bool(await scene.value(_NOT_DELIVERED) == 0)

        await scene.until(delivered, "all deliveries", 400)
        accepted = {name: {one.webhook_id for one in receivers.got[name] if one.accepted} for name in webhooks}
        lost = sum(events - len(found) for found in accepted.values())
        differ = receivers.differing()
    tried = {"events": events * count, "receivers": len(webhooks), "kills": kills}
    record("R3", tried=tried, measured={"lost": lost, "repetitions that differ": len(differ)}, seed=SEED)
    assert lost == 0
    assert differ == set()
    assert await scene.value("count(*) from delivery") == events * count * hooks


@contextlib.asynccontextmanager
async def _hostile_urls(count: int) -> AsyncIterator[Sequence[str]]:
    """One server for each way to misbehave; yields so many addresses, which take turns."""
    async with contextlib.AsyncExitStack() as stack:
        servers = [await stack.enter_async_context(serve(script)) for script, _, _ in HOSTILE.values()]
        yield [f"{servers[number % len(servers)].url}{number}" for number in range(count)]


def _memory_mib(worker: Process) -> float:
    status = Path(f"/proc/{worker.process_id}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


@pytest.mark.alone
@pytest.mark.heavy
@pytest.mark.timeout(600)
@holds("R4")
async def test_good_receivers_beside_a_hundred_hostile_ones(scene: Scene, record: Record) -> None:
    """Half of the good ones belong to the tenants of the hostile ones. In small: tests/webhooks/test_faults.py."""
    tenants, rounds = await scene.tenants(20), 20
    async with _hostile_urls(100) as hostile, Receivers() as receivers:
        for number, url in enumerate(hostile):
            await _webhook(tenants[number % 10], url)
        names = [f"good{number}" for number in range(100)]
        for number, name in enumerate(names):
            await _webhook(tenants[number % 20], receivers.url(name))
        worker = await scene.worker()
        await emit(scene.database, *(post_published(tenant.login) for tenant in tenants))
        await scene.until(lambda: all(receivers.got[name] for name in names), "first deliveries")
        before = _memory_mib(worker)
        for _ in range(rounds):
            await emit(scene.database, *(post_published(tenant.login) for tenant in tenants))
            await asyncio.sleep(1)
        arrived = 1 + rounds
        await scene.until(lambda: all(len(receivers.got[name]) == arrived for name in names), "all deliveries", 60)
        grown, crashes = _memory_mib(worker) - before, int(not worker.runs)
        delays = [delay for name in names for delay in receivers.delays(name)[1:]]
    measured = {"p99 of the good ones, s": percentile(delays, 0.99), "growth of memory, MiB": grown, "crashes": crashes}
    record("R4", tried={"hostile endpoints": 100, "good endpoints": 100}, measured=measured)
    assert percentile(delays, 0.99) <= 2.0
    assert grown <= 50
    assert not crashes
