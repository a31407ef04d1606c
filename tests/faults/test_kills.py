"""Workers are killed at random points: nothing is made twice, nothing is lost, nothing stays held."""

import asyncio
import random
from collections import Counter
from contextlib import suppress

import pytest
from tests.faults import sabotage
from tests.faults.hostile import HostileNetwork, slow
from tests.faults.processes import Process
from tests.faults.receivers import Receivers
from tests.faults.scene import Scene, Tenant, sizes

SEED = 20261122
QUICK_KILLS_MAX = 10
_ENDS = """
select p.text, t.status, t.error ->> 'code' as code from target t join post p on p.id = t.post_id
"""


async def _kill(
    scene: Scene, workers: list[Process], kills: int, chance: random.Random, pause: tuple[float, float]
) -> int:
    """Kill one of the workers after a moment, start another in its place; so many times. Few kills: short waits.

    Returns how often tokens were being renewed at that moment: what the network answered may be lost.
    """
    renewals = 0
    for _ in range(kills):
        await asyncio.sleep(chance.uniform(*pause))
        index = chance.randrange(len(workers))
        workers[index].kill()
        renewals += await scene.value("count(*) from account where renewing_until > now()")
        workers[index] = _start(scene, kills)
    return renewals


def _start(scene: Scene, kills: int) -> Process:
    return scene.start_worker(*([sabotage.short_waits] if kills <= QUICK_KILLS_MAX else []))


@sizes("size", quick=(8, 40, 8), heavy=(220, 3000, 60))
@pytest.mark.parametrize("kind", ["mastodon", "relative", "bluesky"])
async def test_kills_at_random_points(scene: Scene, kind: str, size: tuple[int, int, int]) -> None:
    """`size`: kills, posts, accounts. One answer in twenty is lost; the relative knows no idempotency keys."""
    kills, posts, accounts = size
    async with HostileNetwork(knows_keys=kind != "relative", loses=0.05) as network:
        network.on("", slow(0.02))
        tenant = await scene.tenant()
        await tenant.late_policy()
        connect = tenant.bluesky if kind == "bluesky" else tenant.mastodon
        names = [await connect(network, f"a{number}") for number in range(accounts)]
        for number in range(posts):
            await tenant.post(names[number % accounts], text=f"post {number}")
        workers = [_start(scene, kills) for _ in range(4 if kills > 50 else 2)]
        await _kill(scene, workers, kills, random.Random(SEED), (0.05, 0.5))
        await scene.all_done(600 if kills > 50 else 90)

        made = Counter(post.text for post in network.made())
        rows = {row["text"]: (row["status"], row["code"]) for row in await scene.query(_ENDS)}
        assert network.doubles() == {}
        assert Counter(rows.values()) == {("published", None): posts}
        assert made.keys() == rows.keys()
        assert not await scene.value("exists (select from lane where owner is not null and kind = 'target')")


@sizes("size", quick=(4, 15, 4), heavy=(30, 250, 15))
async def test_webhooks_arrive_through_kills(scene: Scene, size: tuple[int, int, int]) -> None:
    """`size`: kills, posts, receivers. A tenth of the answers fails. Every event arrives; one id, one body."""
    kills, posts, hooks = size
    tenant = await scene.tenant()
    await tenant.late_policy()
    boxes = [await tenant.sandbox(f"box{number}") for number in range(10)]
    async with Receivers(fails=0.1) as receivers:
        for number in range(hooks):
            url = receivers.url(f"hook{number}")
            await tenant.call("POST", "/webhooks", 201, json={"url": url, "events": ["post.published"]})
        workers = [_start(scene, kills) for _ in range(2)]
        for number in range(posts):
            await tenant.post(boxes[number % 10], text=f"post {number}")
        await _kill(scene, workers, kills, random.Random(SEED), (0.2, 1.0))
        await scene.all_done(120)
        expected = 2 * posts  # the target's event and the post's
        done = "not exists (select from delivery where due_at is not null and attempts = 0)"
        await scene.until(lambda: scene.value(done), "first attempts of all deliveries", 120)

        def arrived() -> bool:
            return all(len({one.webhook_id for one in receivers.got[f"hook{n}"]}) == expected for n in range(hooks))

        await scene.until(arrived, "all deliveries", 60)
        assert not receivers.bodies_differ()


@sizes("size", quick=(3, 3, 3, 6.0), heavy=(14, 10, 15, 60.0))
async def test_single_use_tokens_are_spent_once(scene: Scene, size: tuple[int, int, int, float]) -> None:
    """`size`: kills, accounts, posts of each, seconds. Every call renews; health checks renew beside the workers.

    Only where a worker was killed between the network's answer and its commit is a token tried that was spent; then the
    app password helps.
    """
    kills, accounts, posts, seconds = size
    async with HostileNetwork(access_seconds=2.0) as network:
        tenant = await scene.tenant()
        await tenant.late_policy()
        names = [await tenant.bluesky(network, f"b{number}") for number in range(accounts)]
        for number, account in enumerate(names):
            for index in range(posts):
                await tenant.post(account, text=f"post {number} {index}")
        workers = [_start(scene, kills) for _ in range(2)]
        killing = asyncio.create_task(_kill(scene, workers, kills, random.Random(SEED), (0.5, seconds / kills)))
        chance = random.Random(SEED)
        while not killing.done():
            await tenant.call("GET", f"/platforms/accounts/{chance.choice(names)}/health?refresh=true", None)
        lost_at_most = await killing
        await scene.all_done(150)

        assert network.refreshes["ok"] > 0
        assert network.refreshes["spent"] <= lost_at_most
        assert not await scene.value("exists (select from account where status <> 'active')")
        assert network.doubles() == {}
        assert len(network.public()) == accounts * posts


@sizes("size", quick=(6, 3), heavy=(16, 10))
async def test_a_stop_under_load_finishes_what_is_under_way(scene: Scene, size: tuple[int, int]) -> None:
    """SIGTERM with calls under way and more waiting (`size`: accounts, posts of each); another worker takes over."""
    accounts, waiting = size
    async with HostileNetwork() as network:
        tenant = await scene.tenant()
        await tenant.late_policy()
        network.on("slow", slow(2.0 if accounts < 16 else 12.0))
        network.on("very slow", slow(4.0 if accounts < 16 else 29.0))
        names = [await tenant.mastodon(network, f"a{number}") for number in range(accounts)]
        for number, account in enumerate(names):
            await tenant.post(account, text=f"{'very ' if number % 2 else ''}slow {number}")
            for index in range(waiting):
                await tenant.post(account, text=f"quick {number} {index}")
        worker = await scene.worker()
        await scene.until(lambda: len(network.calls) >= accounts, "calls under way")
        await scene.worker()
        assert await worker.stop() == 0
        orphans = "exists (select from lane l where owner is not null and not exists"
        assert not await scene.value(f"{orphans} (select from worker w where w.id = l.owner))")
        await scene.all_done(120)
        assert network.doubles() == {}
        assert len(network.public()) == accounts * (1 + waiting)


@sizes("size", quick=(2, 20), heavy=(50, 1000))
async def test_posts_that_kill_their_worker_take_no_others_along(scene: Scene, size: tuple[int, int]) -> None:
    """`size`: poison posts, good ones. Whenever the worker dies, another one is started."""
    poison, good = size
    tenants = await scene.tenants(4)
    each = -(-(poison + good) // len(tenants))
    boxes = [(tenant, await tenant.sandbox(f"box{number}")) for tenant in tenants for number in range(each)]
    boxes = boxes[: poison + good]
    random.Random(SEED).shuffle(boxes)
    posts: dict[str, list[tuple[Tenant, str]]] = {"poison": [], "good": []}
    for number, (tenant, box) in enumerate(boxes):
        word = "poison" if number % ((poison + good) // poison) == 0 and len(posts["poison"]) < poison else "good"
        posts[word].append((tenant, await tenant.post(box, text=f"{word} {number}")))
    workers: list[Process] = []

    async def ended() -> bool:
        if not workers or not workers[-1].runs:
            workers.append(scene.start_worker(_poison))
        if good < 1000:
            with suppress(IndexError):
                await scene.skip_wait()
        return bool(await scene.value("not exists (select from target where next_attempt_at is not null)"))

    await scene.until(ended, "end of all posts", 90 if good < 1000 else 1000)
    rows = await scene.query(_ENDS)
    ends = {word: Counter((r["status"], r["code"]) for r in rows if r["text"].startswith(word)) for word in posts}
    assert ends == {"poison": {("failed", "internal_error"): poison}, "good": {("published", None): good}}


def _poison() -> None:
    sabotage.poisonous("poison", naps_seconds=0.1)
