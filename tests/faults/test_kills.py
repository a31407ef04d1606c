"""Workers are killed at random points: nothing is made twice, nothing is lost, nothing stays held."""

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial

import pytest
from tests.faults import sabotage
from tests.faults.hostile import HostileNetwork, slow
from tests.faults.processes import Process, Sabotage
from tests.faults.receivers import Receivers
from tests.faults.scene import Scene, Tenant, sizes
from tests.figures.record import Record, holds
from tests.helpers.sign_in_servers import did_of

from signalpost.accounts import token_store
from signalpost.kit import clock

SEED = 20261122
QUICK_KILLS_MAX = 10
_ENDS = """
select p.text, t.status, t.error ->> 'code' as code from target t join post p on p.id = t.post_id
"""


async def kill_workers(
    workers: list[Process], kills: int, pause: tuple[float, float], start: Callable[[], Process]
) -> None:
    """Kill one of the workers after a moment, start another in its place; so many times."""
    chance = random.Random(SEED)
    for _ in range(kills):
        await asyncio.sleep(chance.uniform(*pause))
        index = chance.randrange(len(workers))
        workers[index].kill()
        workers[index] = start()


def start_worker(scene: Scene, kills: int) -> Process:
    """Start a worker; one that is killed a few times only has short waits."""
    return scene.start_worker(*([sabotage.short_waits] if kills <= QUICK_KILLS_MAX else []))


@holds("R1")
@sizes("size", quick=(8, 40, 8), heavy=(340, 3400, 60))
@pytest.mark.parametrize("kind", ["mastodon", "relative", "bluesky"])
async def test_kills_at_random_points(scene: Scene, record: Record, kind: str, size: tuple[int, int, int]) -> None:
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
        workers = [start_worker(scene, kills) for _ in range(4 if kills > 50 else 2)]
        await kill_workers(workers, kills, (0.05, 0.5), partial(start_worker, scene, kills))
        await scene.all_done()  # a network is believed after two minutes that a post is missing

        made = Counter(post.text for post in network.made())
        rows = {row["text"]: (row["status"], row["code"]) for row in await scene.query(_ENDS)}
        measured = {"doubles": len(network.doubles()), "missing": posts - len(made)}
        record("R1", tried={"posts": posts, "kills": kills}, measured=measured, seed=SEED)
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
        workers = [start_worker(scene, kills) for _ in range(2)]
        for number in range(posts):
            await tenant.post(boxes[number % 10], text=f"post {number}")
        await kill_workers(workers, kills, (0.2, 1.0), partial(start_worker, scene, kills))
        await scene.all_done()
        expected = 2 * posts  # the target's event and the post's
        done = "not exists (select from delivery where due_at is not null and attempts = 0)"
        await scene.until(lambda: scene.value(done), "first attempts of all deliveries")

        def arrived() -> bool:
            return all(len({one.webhook_id for one in receivers.got[f"hook{n}"]}) == expected for n in range(hooks))

        await scene.until(arrived, "all deliveries")
        assert receivers.differing() == set()


TAKEN_OVER_SECONDS = 12.0
"""Before that, no other process goes on where one was killed: `sabotage.short_claims` gives it sixteen."""
_ALL_SECRETS = "select id, workspace_id, secrets from account"
_SESSIONS = "count(*) from pg_stat_activity where application_name = $1"


class _Renewers:
    """Workers that are killed while they renew tokens. All that is known of each: which tokens were stored after it."""

    def __init__(self, scene: Scene, network: HostileNetwork, *sabotage: Sabotage) -> None:
        self._scene, self._network, self._sabotage = scene, network, sabotage
        self._workers = [self.start_worker() for _ in range(2)]
        self._stored_after: dict[str, set[str]] = {}
        self._seen_late: set[str] = set()

    def start_worker(self) -> Process:
        return self._scene.start_worker(partial(sabotage.slow_saves, 0.5), *self._sabotage)

    async def kill(
        self, kills: int, chance: random.Random, pause: tuple[float, float], post: Callable[[], Awaitable[None]]
    ) -> None:
        """Kill one after a moment, every other time just after the network has answered it, and start another.

        It goes on until a token is lost, which a busy machine can spoil. `post`: makes posts for all accounts, so that
        somebody has to renew their tokens.
        """
        number = 0
        while number < kills or not self.lost():
            await asyncio.sleep(chance.uniform(*pause))
            index = chance.randrange(len(self._workers))
            if number % 2:
                renewing = partial(self._renewing, len(self._network.refreshes))
                await post()
                index = (await self._scene.until(renewing, "renewal"))[0]
            worker, killed = self._workers[index], clock.monotonic()
            worker.kill()
            await self._scene.until(lambda name=worker.name: self._ended(name), "end of its sessions")
            stored = await self._stored()
            if clock.monotonic() - killed < TAKEN_OVER_SECONDS:
                self._stored_after[worker.name] = stored
            else:  # another one may have stored its own by now: what this one lost cannot be told
                self._seen_late.add(worker.name)
            self._workers[index] = self.start_worker()
            number += 1

    def _renewing(self, seen: int) -> list[int]:
        """Which workers have been answered since there were so many answers, and cannot have stored theirs yet."""
        answered = {refresh.sender for refresh in self._network.refreshes[seen:]}
        return [index for index, worker in enumerate(self._workers) if worker.name in answered]

    async def _ended(self, name: str) -> bool:
        return not await self._scene.value(_SESSIONS, name)

    async def _stored(self) -> set[str]:
        keys = self._scene.context.keys
        return {token_store.unseal(keys, r[1], r[0], r[2])["refreshJwt"] for r in await self._scene.query(_ALL_SECRETS)}

    def lost(self) -> Counter[str]:
        """How often each token was presented by a process that was killed before it stored what it got for it."""
        unknown = self._unknown()
        presented = {(one.token, one.sender) for one in self._network.refreshes if one.token not in unknown}
        return Counter(token for token, sender in presented if token in self._stored_after.get(sender, ()))

    def spent(self) -> Counter[str]:
        """How often each token was presented after it was used."""
        unknown = self._unknown()
        return Counter(
            refresh.token for refresh in self._network.refreshes if refresh.spent and refresh.token not in unknown
        )

    def _unknown(self) -> set[str]:
        """Tokens of processes of which it is not known what they stored."""
        return {refresh.token for refresh in self._network.refreshes if refresh.sender in self._seen_late}


@holds("R6")
@sizes("size", quick=(2, 4, 4, 3.0), heavy=(20, 10, 40, 80.0))
async def test_single_use_tokens_are_spent_once(
    scene: Scene, record: Record, size: tuple[int, int, int, float]
) -> None:
    """`size`: kills, accounts, posts of each, seconds. Each call renews; so do health checks, and for half the jobs.

    A token is presented again exactly where a worker was killed between the network's answer and its commit; then the
    app password helps.
    """
    kills, accounts, posts, seconds = size
    async with HostileNetwork(access_seconds=2.0) as network:
        tenant = await scene.tenant()
        await tenant.late_policy()
        network.refresh_seconds = {did_of(f"b{number}"): 2.0 for number in range(0, accounts, 2)}
        names = [await tenant.bluesky(network, f"b{number}") for number in range(accounts)]
        made: list[str] = []

        async def post() -> None:
            for account in names:
                made.append(await tenant.post(account, text=f"post {len(made)}"))

        for _ in range(posts):
            await post()
        minute = partial(sabotage.constants, CLAIM_SECONDS=60)  # long enough: the database is never away
        renewers = _Renewers(scene, network, sabotage.short_claims if kills <= QUICK_KILLS_MAX else minute)
        killing = asyncio.create_task(renewers.kill(kills, random.Random(SEED), (0.5, seconds / kills), post))
        chance = random.Random(SEED)

        async def check_one() -> None:
            await tenant.call("GET", f"/platforms/accounts/{chance.choice(names)}/health?refresh=true", None)

        while not killing.done():
            await check_one()
        await killing
        await scene.all_done()

        async def lost_ones_presented() -> bool:
            await check_one()
            return renewers.lost().total() <= renewers.spent().total()

        await scene.until(lost_ones_presented, "renewal of all accounts")
        senders = {refresh.sender for refresh in network.refreshes}
        again = (renewers.spent() - renewers.lost()).total()
        ended = await scene.value("count(*) from account where status <> 'active'")
        measured = {"redeemed again": again, "accounts lost": ended}
        record("R6", tried={"kills": kills}, measured=measured, seed=SEED)
        assert len(senders) > 2, senders
        assert renewers.lost().total() > 0
        assert renewers.spent() == renewers.lost()
        assert ended == 0
        assert network.doubles() == {}
        assert len(network.public()) == len(made)


async def test_tokens_that_come_after_the_lease_are_stored(scene: Scene) -> None:
    """The lease is not renewed, the network takes longer: nothing is published then, but the new tokens are kept."""
    async with HostileNetwork(access_seconds=2.0, refresh_answers_after=4.0) as network:
        tenant = await scene.tenant()
        account = await tenant.bluesky(network)
        await scene.worker(sabotage.no_renewal)
        post = await tenant.post(account, text="late")
        await scene.until(lambda: network.refreshes, "renewal")
        network.refresh_answers_after = 0.0
        await tenant.ends(post, "published")

        assert len(network.refreshes) > 1
        assert not [refresh for refresh in network.refreshes if refresh.spent]
        assert len(network.made("late")) == len(network.called("late")) == 1


async def test_a_stop_waits_for_tokens_whose_lease_is_lost(scene: Scene) -> None:
    """Nothing else is under way in the worker: the new tokens exist only in a response that has not arrived."""
    async with HostileNetwork(access_seconds=2.0, refresh_answers_after=6.0) as network:
        tenant = await scene.tenant()
        account = await tenant.bluesky(network)
        # That its lease is over has to be noticed while the tokens are still on their way.
        worker = await scene.worker(sabotage.no_renewal, partial(sabotage.constants, REAP_SECONDS=0.5))
        await tenant.post(account, text="waits for the tokens")
        await scene.until(lambda: network.refreshes, "renewal")
        await scene.until(lambda: "lease.lost" in worker.log_file.read_text(), "loss of the lease")
        assert await worker.stop() == 0
        version = await scene.value("secrets_version from account")

        assert (len(network.refreshes), version) == (1, 2)


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
        await scene.all_done()
        assert network.doubles() == {}
        assert len(network.public()) == accounts * (1 + waiting)


@holds("R7")
@sizes("size", quick=(2, 20), heavy=(50, 1000))
async def test_posts_that_kill_their_worker_take_no_others_along(
    scene: Scene, record: Record, size: tuple[int, int]
) -> None:
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

    await scene.until(ended, "end of all posts", 240 if good < 1000 else 1000)
    rows = await scene.query(_ENDS)
    ends = {word: Counter((r["status"], r["code"]) for r in rows if r["text"].startswith(word)) for word in posts}
    measured = {
        "good posts not published": good - ends["good"]["published", None],
        "poison posts not ended": poison - ends["poison"]["failed", "internal_error"],
    }
    record("R7", tried={"poison posts": poison, "good posts": good}, measured=measured, seed=SEED)
    assert ends == {"poison": {("failed", "internal_error"): poison}, "good": {("published", None): good}}


def _poison() -> None:
    sabotage.poisonous("poison", naps_seconds=0.1)
