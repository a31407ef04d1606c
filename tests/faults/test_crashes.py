"""A worker dies at every line that matters. Whatever happens, no post is made twice and none is forgotten."""

import asyncio
import random
from collections import Counter

import pytest
from tests.faults import worker
from tests.faults.scene import sizes
from tests.helpers import ledger
from tests.helpers.ledger import Ledger
from tests.helpers.publishing import StagedNetwork

SEED = 20261121


async def recover(stage: StagedNetwork, url: str, *, can_reconcile: bool = True) -> None:
    """Do what an operator does after a crash: start the worker again."""
    process = worker.start(stage.dsn, stage.data_dir, url, can_reconcile=can_reconcile)
    assert await worker.ended(process) == 0


async def test_killed_at_every_point_it_posts_once(stage: StagedNetwork) -> None:
    """Kill at the N-th failpoint, N = 1, 2, ..., until a run passes them all: a thread of two parts, polled first."""
    async with Ledger() as server:
        ledger.register(server.url)
        for number in range(1, 100):
            post = await stage.post(
                await stage.account(platform="ledger"), text=f"slow {number}", thread=[{"text": f"second {number}"}]
            )
            process = worker.start(stage.dsn, stage.data_dir, server.url, failpoint=f"*:{number}")
            code = await worker.ended(process)
            await recover(stage, server.url)

            posted = [text for _, text in server.posts if text.endswith(f" {number}")]
            assert posted == [f"slow {number}", f"second {number}"], number
            status = await stage.status(post)
            assert status["status"] == "published", (number, status)
            assert {"target.published", "reconciled"} & set(await stage.history(post))
            if code != worker.KILLED:
                assert number > 25, "every failpoint was reached"
                return
    raise AssertionError("no run passed all failpoints")


async def test_without_a_way_to_reconcile_the_outcome_is_unknown(stage: StagedNetwork) -> None:
    """A network without lookup: at most one post, and where that is not certain the target says outcome_unknown."""
    outcomes = []
    async with Ledger() as server:
        ledger.register(server.url, can_reconcile=False)
        for number in range(1, 100):
            post = await stage.post(await stage.account(platform="ledger"), text=f"single {number}")
            process = worker.start(stage.dsn, stage.data_dir, server.url, failpoint=f"*:{number}", can_reconcile=False)
            code = await worker.ended(process)
            await recover(stage, server.url, can_reconcile=False)

            posted = [text for _, text in server.posts if text == f"single {number}"]
            target = (await stage.status(post))["targets"][0]
            outcomes.append((target["status"], (target["error"] or {}).get("code"), len(posted)))
            if code != worker.KILLED:
                break
    assert set(outcomes) == {
        ("published", None, 1), ("failed", "outcome_unknown", 0), ("failed", "outcome_unknown", 1),
    }, outcomes  # fmt: skip


@sizes("size", quick=(40, 16, 10), heavy=(200, 40, 25))
async def test_kills_among_four_workers(stage: StagedNetwork, size: tuple[int, int, int]) -> None:
    """`size`: kills, accounts, posts for all of them. 5 % of the responses are lost: no post twice, none missing."""
    kills, wide, deep = size
    chance = random.Random(SEED)
    async with Ledger(loses=0.05, seed=SEED) as server:
        ledger.register(server.url)
        await _allow_bursts(stage)
        accounts = [await stage.account(platform="ledger") for _ in range(wide)]
        posts = [await stage.post(*accounts, text=f"post {number}") for number in range(deep)]
        workers = [worker.start(stage.dsn, stage.data_dir, server.url, forever=True) for _ in range(4)]
        for _ in range(kills):
            await asyncio.sleep(chance.uniform(0.05, 0.2))
            index = chance.randrange(4)
            workers[index].kill()
            workers[index] = worker.start(stage.dsn, stage.data_dir, server.url, forever=True)
        for process in workers:
            process.kill()
        final = await _finish(stage, server.url, posts)

        assert max(server.counts().values()) == 1
        assert set(final) <= {"published", "outcome_unknown"}, (final, SEED)
        assert final["outcome_unknown"] <= 3, (final, SEED)
        assert len(server.posts) >= final["published"] == len(accounts) * len(posts) - final["outcome_unknown"]


async def _allow_bursts(stage: StagedNetwork) -> None:
    """Without it, an account publishes one late post a minute: after a slow start the rest would take many rounds."""
    body = {"latePolicy": {"minGapSeconds": 0}}
    response = await stage.make.api.patch(f"/profiles/{stage.owner.profile}", json=body, key=stage.owner.key)
    assert response.status_code == 200, response.text


async def _finish(stage: StagedNetwork, url: str, posts: list[str]) -> Counter[str]:
    """Let time pass until everything has ended; retry what was given up after too many crashes."""
    pool = stage.context.database.pool
    for _ in range(60):
        for post in posts:
            await stage.fast_forward(post)  # or the worker would work until the last pause after a crash is over
        await recover(stage, url)
        rows = await pool.fetch(
            "select post_id, status, error ->> 'code' as code from target where workspace_id = $1",
            stage.owner.workspace_id,
        )
        failed = {row["post_id"] for row in rows if row["status"] == "failed" and row["code"] != "outcome_unknown"}
        for post in posts:
            if stage.id(post) in failed:
                await stage.make.api.post(f"/posts/{post}/retry", key=stage.owner.key)
        if all(row["status"] == "published" or tuple(row)[1:] == ("failed", "outcome_unknown") for row in rows):
            break
    return Counter(row["status"] if row["status"] != "failed" else row["code"] for row in rows)


@pytest.mark.parametrize("failpoint", ["after-intent:1", "before-call:40", "after-call:32", "after-settle:1"])
async def test_killed_with_a_whole_batch_under_way(stage: StagedNetwork, failpoint: str) -> None:
    """Sixty-four intents are committed together; the worker dies before, between or after the calls. None is lost."""
    async with Ledger() as server:
        ledger.register(server.url)
        accounts = [await stage.account(platform="ledger") for _ in range(64)]
        posts = [await stage.post(account, text=f"post {n:02}") for n, account in enumerate(accounts)]
        await stage.execute("""update target set steps = '{"upload": {"id": "earlier"}}'""")
        process = worker.start(stage.dsn, stage.data_dir, server.url, failpoint=failpoint)
        assert await worker.ended(process) == worker.KILLED
        open_intents = await stage.context.database.pool.fetchval(
            "select count(*) from target where intent is not null"
        )
        public = len(server.posts)
        await recover(stage, server.url)

        assert open_intents == 64
        assert public == {"after-intent:1": 0, "after-settle:1": 64}.get(failpoint, public)
        assert sorted(text for _, text in server.posts) == [f"post {n:02}" for n in range(64)]
        assert {(await stage.status(post))["status"] for post in posts} == {"published"}
