"""A worker dies at every line that matters. Whatever happens, no post is made twice and none is forgotten."""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.faults import worker
from tests.helpers import ledger
from tests.helpers.factories import Make
from tests.helpers.ledger import Ledger
from tests.helpers.publishing import World

from signalpost import networks
from signalpost.context import AppContext
from signalpost.kit import clock

SEED = 20261121


@pytest.fixture
async def world(context: AppContext, make: Make) -> AsyncIterator[World]:
    opened = World(context, make, await make.owner())
    yield opened
    await opened.close()


@pytest.fixture(autouse=True)
def only_here() -> Iterator[None]:
    """The network of these tests is unknown to all others of this process."""
    known: Any = networks.CONNECTORS
    yield
    known.pop("ledger", None)


async def recover(dsn: str, folder: Path, url: str, *, blind: bool = False) -> None:
    """What an operator does after a crash: start it again."""
    assert await worker.ended(worker.start(dsn, folder, url, blind=blind)) == 0


async def test_killed_at_every_point_it_posts_once(world: World, dsn: str, data_dir: Path) -> None:
    """Before and after each commit and call, N = 1, 2, ... until a run comes through: a thread that is polled first."""
    async with Ledger() as server:
        ledger.register(server.url)
        for number in range(1, 100):
            post = await world.post(
                await world.account(platform="ledger"), text=f"slow {number}", thread=[{"text": f"second {number}"}]
            )
            dead = worker.start(dsn, data_dir, server.url, failpoint=f"*:{number}")
            code = await worker.ended(dead)
            await recover(dsn, data_dir, server.url)

            made = [text for _, text in server.posts if text.endswith(f" {number}")]
            assert made == [f"slow {number}", f"second {number}"], number
            status = await world.status(post)
            assert status["status"] == "published", (number, status)
            assert {"target.published", "reconciled"} & set(await world.history(post))
            if code != worker.KILLED:
                assert number > 25, "the walk must have met every point"
                return
    raise AssertionError("no run came through")


async def test_where_nobody_can_look_it_says_unknown(world: World, dsn: str, data_dir: Path) -> None:
    """A network without lookup: at most one post, and where that is not sure the post says outcome_unknown."""
    endings = []
    async with Ledger() as server:
        ledger.register(server.url, blind=True)
        for number in range(1, 100):
            post = await world.post(await world.account(platform="ledger"), text=f"single {number}")
            dead = worker.start(dsn, data_dir, server.url, failpoint=f"*:{number}", blind=True)
            code = await worker.ended(dead)
            await recover(dsn, data_dir, server.url, blind=True)

            made = [text for _, text in server.posts if text == f"single {number}"]
            target = (await world.status(post))["targets"][0]
            endings.append((target["status"], (target["error"] or {}).get("code"), len(made)))
            if code != worker.KILLED:
                break
    assert set(endings) == {
        ("published", None, 1), ("failed", "outcome_unknown", 0), ("failed", "outcome_unknown", 1),
    }, endings  # fmt: skip


async def test_two_hundred_kills(world: World, dsn: str, data_dir: Path) -> None:
    """Four workers, one of them killed again and again, five in a hundred answers lost: no post twice, none missing."""
    chance = random.Random(SEED)
    async with Ledger(loses=0.05, seed=SEED) as server:
        ledger.register(server.url)
        accounts = [await world.account(platform="ledger") for _ in range(40)]
        posts = [await world.post(*accounts, text=f"post {number}") for number in range(25)]
        workers = [worker.start(dsn, data_dir, server.url, forever=True) for _ in range(4)]
        kills, until = 0, clock.monotonic() + 40
        while kills < 200 and clock.monotonic() < until:
            await asyncio.sleep(chance.uniform(0.05, 0.2))
            index = chance.randrange(4)
            workers[index].kill()
            workers[index] = worker.start(dsn, data_dir, server.url, forever=True)
            kills += 1
        for process in workers:
            process.kill()
        final = await _finish(world, dsn, data_dir, server.url, posts)

        assert max(server.counts().values()) == 1
        assert set(final) <= {"published", "outcome_unknown"}, (final, kills, SEED)
        assert final["outcome_unknown"] <= 3, (final, kills, SEED)
        assert len(server.posts) >= final["published"] == len(accounts) * len(posts) - final["outcome_unknown"]


async def _finish(world: World, dsn: str, folder: Path, url: str, posts: list[str]) -> Counter[str]:
    """Let time pass until everything has ended; have what was given up after so many crashes tried again."""
    pool = world.context.database.pool
    for _ in range(60):  # each round is a minute at least; an account lets one post a minute out of a backlog
        await recover(dsn, folder, url)
        rows = await pool.fetch(
            "select post_id, status, error ->> 'code' as code from target where workspace_id = $1",
            world.owner.workspace_id,
        )
        broken = {row["post_id"] for row in rows if row["status"] == "failed" and row["code"] != "outcome_unknown"}
        for post in posts:
            if world.id(post) in broken:
                await world.make.api.post(f"/posts/{post}/retry", key=world.owner.key)
            await world.fast_forward(post)
        if all(row["status"] == "published" or tuple(row)[1:] == ("failed", "outcome_unknown") for row in rows):
            break
    return Counter(row["status"] if row["status"] != "failed" else row["code"] for row in rows)
