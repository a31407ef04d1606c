"""What one tenant, one server or one receiver does badly is not felt by the others."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from itertools import pairwise

import pytest
from tests.faults.hostile import BUSY, HANGS, HostileNetwork, limited, slow
from tests.faults.receivers import Receivers
from tests.faults.scene import MOST, Scene, Tenant, account_id, percentile, sizes

from signalpost.kit import clock
from signalpost.kit.http import CALLS_MAX
from signalpost.publishing.work import TargetSource

_HELD = "select kind, count(*) as lanes from lane where owner is not null and workspace_id = any($1) group by kind"


@pytest.fixture
async def healthy() -> AsyncIterator[HostileNetwork]:
    """A second server of the same networks, with nothing wrong."""
    async with HostileNetwork() as opened:
        yield opened


async def _lateness(scene: Scene, tenant: Tenant, accounts: list[str], word: str, rounds: int = 10) -> list[float]:
    """Have the tenant publish so many posts per account, one after the other; return how late each began."""
    late = []
    for number in range(rounds):
        started = clock.monotonic()
        posts = [await tenant.post(account, text=f"{word} {number}") for account in accounts]
        for post in posts:
            status = await tenant.ends(post, "published")
            assert status["targets"][0]["attempts"] == 1
        late.append(clock.monotonic() - started)
    return late


async def test_a_server_that_answers_429_holds_up_nobody_else(
    scene: Scene, network: HostileNetwork, healthy: HostileNetwork
) -> None:
    """Four accounts of one tenant meet their server's limit; another tenant has an account on another server."""
    bad, good = await scene.tenants(2)
    accounts = [await bad.bluesky(network, f"eve{number}") for number in range(4)]
    bob = await good.bluesky(healthy, "bob")
    await scene.worker()
    network.on("", limited(86_400))
    for account in accounts:
        await bad.post(account, text="limited")
    await scene.until(lambda: len(network.calls) >= 1, "the limit")
    for number in range(3):
        await good.ends(await good.post(bob, text=f"calm {number}"), "published", seconds=40)
    assert len(healthy.public()) == 3


async def test_the_limit_of_one_account_does_not_hold_its_server(scene: Scene, network: HostileNetwork) -> None:
    """A single account that met 429 says nothing about the others of its server."""
    bad, good = await scene.tenants(2)
    eve, bob = await bad.bluesky(network, "eve"), await good.bluesky(network, "bob")
    network.on("limited", limited(86_400))
    await scene.worker()
    await bad.post(eve, text="limited")
    await scene.until(lambda: network.called("limited"), "the limit")
    await good.ends(await good.post(bob, text="calm"), "published")


@pytest.mark.alone
@sizes("accounts", quick=20, heavy=50)
async def test_a_hanging_network_delays_nobody_else(
    scene: Scene, network: HostileNetwork, healthy: HostileNetwork, accounts: int
) -> None:
    """Four workspaces with accounts on a server that never answers: a fifth is as quick as before."""
    *hanging, quiet = await scene.tenants(5)
    network.on("", HANGS)
    targets = [(tenant, await tenant.mastodon(network, f"a{n}")) for tenant in hanging for n in range(accounts)]
    own = [await quiet.sandbox(), await quiet.mastodon(healthy, "quiet")]
    await scene.worker()
    before = await _lateness(scene, quiet, own, "before")
    for number, (tenant, account) in enumerate(targets):
        await tenant.post(account, text=f"hangs {number}")
    await scene.until(lambda: len(network.calls) >= 16, "hanging calls")
    during = await _lateness(scene, quiet, own, "during", 10 if accounts < 50 else 60)
    share = MOST if accounts < 50 else 0.99
    assert percentile(during, share) <= max(1.0, 2 * percentile(before, share)), (before, during)


@pytest.mark.alone
@sizes("seconds", quick=2.0, heavy=15.0)
async def test_a_slow_network_delays_nobody_else(
    scene: Scene, network: HostileNetwork, healthy: HostileNetwork, seconds: float
) -> None:
    """64 accounts whose server takes its time for each of two parts, and longer for the third."""
    *busy, quiet = await scene.tenants(5)
    network.on("", slow(seconds))
    network.on("three", HANGS)  # so that it is busy as long as the others publish
    thread = [{"text": "two"}, {"text": "three"}]
    targets = [(tenant, await tenant.mastodon(network, f"a{n}")) for tenant in busy for n in range(16)]
    own = [await quiet.sandbox(), await quiet.mastodon(healthy, "quiet")]
    await scene.worker()
    before = await _lateness(scene, quiet, own, "before")
    for number, (tenant, account) in enumerate(targets):
        await tenant.post(account, text=f"slow {number}", thread=thread)
    during = await _lateness(scene, quiet, own, "during")
    assert percentile(during, MOST) <= max(1.0, 2 * percentile(before, MOST)), (before, during)


@pytest.mark.alone
@sizes("rounds", quick=8, heavy=60)
async def test_hanging_receivers_delay_nobody_else(scene: Scene, network: HostileNetwork, rounds: int) -> None:
    """70 webhooks of each of two tenants never answer; a third publishes and gets its own deliveries as before."""
    bad, worse, quiet = await scene.tenants(3)
    async with Receivers() as receivers:
        await quiet.call("POST", "/webhooks", 201, json={"url": receivers.url("good"), "events": ["post.published"]})
        account = await quiet.mastodon(network, "quiet")
        await scene.worker()
        before = await _lateness(scene, quiet, [account], "before", rounds)
        for tenant in (bad, worse):
            box = await tenant.sandbox()
            for number in range(70):
                await tenant.call("POST", "/webhooks", 201, json={"url": receivers.url(f"hang/{number}")})
            for number in range(4):
                await tenant.post(box, text=f"event {number}")
        await scene.until(lambda: receivers.hanging >= 16, "hanging deliveries")
        during = await _lateness(scene, quiet, [account], "during", rounds)
        share = MOST if rounds < 60 else 0.99
        assert percentile(during, share) <= max(1.0, 1.5 * percentile(before, share)), (before, during)
        arrived = 4 * rounds  # before and during, the target's event and the post's
        await scene.until(lambda: len(receivers.got["good"]) >= arrived, "deliveries of the third tenant")
        words = receivers.delays("good")
        late, calm = words[2 * rounds :], words[: 2 * rounds]
        assert percentile(late, share) <= max(1.0, 1.5 * percentile(calm, share)), (calm, late)


@pytest.mark.alone
@sizes("size", quick=(8, 16, 16, 8), heavy=(8, 16, 64, 60))
async def test_many_workspaces_of_one_person_count_as_one(
    scene: Scene, network: HostileNetwork, healthy: HostileNetwork, size: tuple[int, int, int, int]
) -> None:
    """`size`: workspaces of a stranger, accounts in each on a slow server of their own, webhooks in each that never
    answer, posts of somebody else meanwhile.
    """
    workspaces, accounts, webhooks, rounds = size
    bad, quiet = await scene.workspaces(workspaces), await scene.tenant()
    network.on("slow", slow(2.0 if rounds < 60 else 29.0))
    async with Receivers() as receivers:
        await quiet.call("POST", "/webhooks", 201, json={"url": receivers.url("good"), "events": ["post.published"]})
        own = [await quiet.mastodon(healthy, "quiet")]
        await scene.worker()
        before = await _lateness(scene, quiet, own, "before", rounds)
        thread = [{"text": "slow two"}, {"text": "slow three"}]
        for number, tenant in enumerate(bad):
            slow_ones = [await tenant.mastodon(network, f"eve{number}-{n}") for n in range(accounts)]
            for webhook in range(webhooks):
                await tenant.call("POST", "/webhooks", 201, json={"url": receivers.url(f"hang/{number}/{webhook}")})
            for account in slow_ones:
                await tenant.post(account, text="slow", thread=thread)
        await scene.until(lambda: receivers.hanging >= 16, "hanging deliveries")
        await scene.until(lambda: len(network.calls) >= 32, "slow calls")
        during = await _lateness(scene, quiet, own, "during", rounds)
        held = {row["kind"]: row["lanes"] for row in await scene.query(_HELD, [t.login.workspace_id for t in bad])}
        assert 0 < held["delivery"] <= CALLS_MAX.per_tenant, held
        assert held.get("target", 0) <= TargetSource.lanes // 2, held
        share = MOST if rounds < 60 else 0.99
        assert percentile(during, share) <= max(1.0, 1.5 * percentile(before, share)), (before, during)
        arrived = 4 * rounds  # before and during, the target's event and the post's
        await scene.until(lambda: len(receivers.got["good"]) >= arrived, "deliveries of the other tenant")
        delays = receivers.delays("good")
        late, calm = delays[2 * rounds :], delays[: 2 * rounds]
        assert percentile(late, share) <= max(1.0, 1.5 * percentile(calm, share)), (calm, late)


async def test_retry_after_holds_the_lane_for_minutes_and_says_so(scene: Scene, network: HostileNetwork) -> None:
    """`Retry-After: 86400` for one post. The account's next one is held with a word, and ends in its window."""
    tenant = await scene.tenant()
    await tenant.late_policy(tolerance_minutes=0)
    account = await tenant.mastodon(network)
    network.on("first", limited(86_400))
    await scene.worker()
    await tenant.post(account, text="first")

    async def held() -> bool:
        return bool(await scene.value("not_before > now() from lane where key = $1", account_id(account)))

    await scene.until(held, "a held lane")
    wait = await scene.value("not_before - now() from lane where key = $1", account_id(account))
    assert wait <= timedelta(minutes=16)
    second = await tenant.post(account, text="second")
    shown = await tenant.call("GET", f"/queue/status/{second}")
    assert shown["heldReason"] == "network", shown
    assert shown["state"] == "waiting"
    assert shown["runAt"] > clock.wire(clock.now())

    await scene.query(  # its window of a minute has passed
        "update target set due_at = due_at - interval '2 minutes', next_attempt_at = next_attempt_at"
        " - interval '2 minutes' where post_id in (select id from post where text = 'second')"
    )
    await scene.query("update lane set not_before = null where kind = 'target'")  # the hold ends
    status = await tenant.ends(second)
    assert status["targets"][0]["error"]["code"] == "missed_window"
    assert network.public() == []


async def test_connecting_again_ends_the_hold(scene: Scene, network: HostileNetwork) -> None:
    tenant = await scene.tenant()
    account = await tenant.mastodon(network)
    network.on("first", limited(86_400))
    await scene.worker()
    await tenant.post(account, text="first")

    async def held() -> bool:
        return bool(await scene.value("not_before > now() from lane where key = $1", account_id(account)))

    await scene.until(held, "a held lane")
    second = await tenant.post(account, text="second")
    await tenant.mastodon(network)
    await tenant.ends(second, "published")


@sizes("accounts", quick=30, heavy=200)
async def test_the_retries_of_an_outage_are_spread(scene: Scene, network: HostileNetwork, accounts: int) -> None:
    """Every call is answered 503: second tries lie between 60 and 72 s, never in one wave, and few probe meanwhile."""
    tenant = await scene.tenant()
    network.on("", BUSY)
    targets = [await tenant.mastodon(network, f"a{number}") for number in range(accounts)]
    for number, account in enumerate(targets):
        await tenant.post(account, text=f"busy {number}")
    await scene.worker()

    async def all_tried() -> bool:
        return bool(await scene.value("count(*) from target where status = 'retrying'") >= min(accounts, 16))

    await scene.until(all_tried, "first tries")
    waits = [
        row["seconds"]
        for row in await scene.query(
            "select extract(epoch from t.next_attempt_at - a.finished_at)::float8 as seconds from target t"
            " join attempt a on a.target_id = t.id and a.number = t.attempts where t.status = 'retrying'"
        )
    ]
    assert max(waits) - min(waits) >= 4, "jitter of up to a fifth"
    assert len({round(wait, 2) for wait in waits}) > len(waits) / 3
    if accounts > 30:
        called = len(network.calls)
        await asyncio.sleep(20)
        assert len(network.calls) - called <= 2 * 20, "while the network is down, few calls probe it"
        times = sorted(call.at for call in network.calls)
        assert max(len([t for t in times if start <= t < start + 1]) for start in times) < accounts
        assert all(earlier <= later for earlier, later in pairwise(times))


async def test_tries_are_not_counted_while_the_network_is_down(scene: Scene, network: HostileNetwork) -> None:
    """An outage longer than five tries: every post goes out when the network is back."""
    tenant = await scene.tenant()
    await tenant.late_policy()
    network.on("", BUSY)
    accounts = [await tenant.mastodon(network, f"a{number}") for number in range(12)]
    posts = [await tenant.post(account, text=f"busy {number}") for number, account in enumerate(accounts)]
    await scene.worker()
    await scene.until(lambda: len(network.calls) >= 5, "first tries")
    for _ in range(8):
        await scene.skip_wait()
        await asyncio.sleep(0.5)
    network.on("", None)
    await scene.age_sent_parts()  # waits are skipped here, so the first tries are too young to look for them

    async def published() -> bool:
        await scene.skip_wait()
        return len(network.public()) == len(posts)

    await scene.until(published, "publication of all")
    assert network.doubles() == {}
