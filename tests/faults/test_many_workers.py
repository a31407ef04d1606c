"""Many workers on one PostgreSQL: what they cost it while they have nothing to do, and for each post.

`tests/engine/test_one_wake.py` has the same without processes and without a clock.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.faults.own_postgres import OwnPostgres, own_postgres
from tests.faults.scene import Scene, open_scene
from tests.figures.record import Record, holds

from signalpost.engine.runner import LOOK_SECONDS
from signalpost.kit import clock
from signalpost.settings import Settings

_CLAIMS = "coalesce(sum(calls) filter (where query like '%with picked as%'), 0)::integer from pg_stat_statements"
_JOBS = "coalesce(sum(fence), 0)::integer from lane where kind = 'job'"
"""Claims of periodic jobs, which have nothing to do with posts."""
_OURS = "from pg_stat_activity where application_name like 'signalpost%'"
_LATEST = "count(*) = {} from target where published_at is not null"


@asynccontextmanager
async def counting(files: Path) -> AsyncIterator[OwnPostgres]:
    """A server that counts statements."""
    async with own_postgres(files) as server:
        await server.stop()
        server.configure(shared_preload_libraries="pg_stat_statements")
        server.connections_max = 400
        await server.start()
        await server.execute("create extension pg_stat_statements")
        yield server


async def workers(scene: Scene, count: int) -> None:
    for _ in range(count):
        scene.start_worker()
    await scene.until(lambda: scene.value("count(looped_at) = $1 from worker", count), "all workers", 120)
    # Each knows of all others with its next heartbeat.
    since = await scene.value("now()")
    await scene.until(
        lambda: scene.value("min(seen_at) > $1::timestamptz + interval '2 s' from worker", since), "beats"
    )


async def idle(server: OwnPostgres, seconds: float) -> float:
    """Return the statements a second of everybody while nothing is to do."""
    await server.execute("select pg_stat_statements_reset()")
    await asyncio.sleep(seconds)
    return float(await server.value("sum(calls)::float8 from pg_stat_statements")) / seconds


@pytest.mark.alone
@holds("R21")
@pytest.mark.heavy
@pytest.mark.timeout(600)
async def test_a_post_for_now_wakes_one_worker(
    settings: Settings, server_files: Path, tmp_path: Path, record: Record
) -> None:
    """One by one, each when the one before is public."""
    count, creates = 10, 80
    async with counting(server_files) as server, open_scene(settings, server.dsn, tmp_path) as scene:
        tenant = await scene.tenant()
        accounts = [await tenant.sandbox(f"a{number}") for number in range(4)]
        await workers(scene, count)
        await scene.all_done()
        jobs = await scene.value(_JOBS)
        await server.execute("select pg_stat_statements_reset()")
        slowest = 0.0
        for number in range(creates):
            began = clock.monotonic()
            await tenant.post(accounts[number % 4], text=f"post {number}")
            await scene.until(lambda done=number + 1: scene.value(_LATEST.format(done)), "a post that is public")
            slowest = max(slowest, clock.monotonic() - began)
            await asyncio.sleep(2 * LOOK_SECONDS)  # in which the others look whether it was claimed
        claims = (await server.value(_CLAIMS) - await scene.value(_JOBS) + jobs) / creates
        owners = await scene.value("count(distinct owner) from attempt")
    record(
        "R21", tried={"workers": count, "creates": creates},
        measured={"claims a create": claims, "s from a create to its claim": slowest},
    )  # fmt: skip
    assert claims <= 1.2
    assert owners > 1, "lanes are spread over the workers"


@pytest.mark.alone
@holds("R21")
@pytest.mark.heavy
@pytest.mark.timeout(600)
async def test_fifty_idle_workers(settings: Settings, server_files: Path, tmp_path: Path, record: Record) -> None:
    async with counting(server_files) as server, open_scene(settings, server.dsn, tmp_path) as scene:
        await workers(scene, 50)
        rate = await idle(server, 30)
        tenant = await scene.tenant()
        accounts = [await tenant.sandbox(f"a{number}") for number in range(20)]
        for number in range(40):
            await tenant.post(accounts[number % 20], text=f"post {number}")
        await scene.until(lambda: scene.value(_LATEST.format(40)), "all posts")
        connections = await server.value(f"count(*) {_OURS}")
    record(
        "R21", tried={"workers": 50, "creates": 40},
        measured={"statements a second of idle workers": rate, "connections": connections},
    )  # fmt: skip
    assert rate <= 100
    assert connections <= 250


@pytest.mark.heavy
async def test_a_lane_whose_worker_hangs_is_taken_by_another(
    settings: Settings, server_files: Path, tmp_path: Path
) -> None:
    """Each of three workers hangs once; the posts of that moment are for any of them."""
    async with own_postgres(server_files) as server, open_scene(settings, server.dsn, tmp_path) as scene:
        tenant = await scene.tenant()
        accounts = [await tenant.sandbox(f"a{number}") for number in range(6)]
        await workers(scene, 3)
        posts = 0
        for hangs in list(scene.processes):
            hangs.freeze()
            for account in accounts:
                await tenant.post(account, text=f"beside {hangs.name}")
            posts += len(accounts)
            await scene.until(lambda done=posts: scene.value(_LATEST.format(done)), "posts of who hangs", 5)
            hangs.thaw()
            since = await scene.value("now()")
            await scene.until(
                lambda at=since: scene.value("min(looped_at) > $1::timestamptz from worker", at), "all work again"
            )
