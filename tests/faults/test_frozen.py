"""A process that freezes (a hung machine looks the same) stops nobody else, and posts nothing when it wakes."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from functools import partial

import httpx
import pytest
from tests.faults import sabotage
from tests.faults.hostile import HostileNetwork, slow
from tests.faults.processes import Process, Sabotage
from tests.faults.scene import Scene, Tenant, percentile, sizes

from signalpost.kit import connections, db

GRACE_SECONDS = 5.0
"""How long after the server ended a frozen session others may still be late."""
LATENESS_SECONDS_MAX = 15.0 + GRACE_SECONDS
_LATENESS = """
select extract(epoch from min(a.started_at) - t.due_at)::float8 as seconds from target t
join attempt a on a.target_id = t.id where t.workspace_id = $1 group by t.id
"""
_SETTINGS = """
select name, setting from pg_settings
where name in ('idle_in_transaction_session_timeout', 'transaction_timeout', 'lock_timeout', 'tcp_keepalives_idle')
"""


@pytest.fixture
async def relative() -> AsyncIterator[HostileNetwork]:
    """A server that does not recognise idempotency keys."""
    async with HostileNetwork(knows_keys=False) as opened:
        yield opened


async def _frozen(scene: Scene, process: Process) -> None:
    await scene.until(lambda: process.is_frozen, "freezing of the process")


async def _lateness(scene: Scene, tenant: Tenant) -> list[float]:
    return [row["seconds"] for row in await scene.query(_LATENESS, tenant.login.workspace_id)]


async def _created(tenant: Tenant, account: str) -> str | None:
    """Return the id of a post of this account, or None if the answer says that it may be tried again."""
    body = tenant.body(account, text="same account")
    answer = await tenant.call("POST", "/posts", want=None, json=body)
    if "id" in answer:
        return str(answer["id"])
    assert (answer["status"], answer["retryable"]) == (503, True), answer
    return None


def _times(waits: bool) -> tuple[list[Sabotage], float]:
    """What to build into processes, and how late others may be: with real times, or with short ones."""
    if waits:
        return [], LATENESS_SECONDS_MAX
    return [sabotage.short_waits, sabotage.short_transactions], sabotage.TRANSACTION_SECONDS + GRACE_SECONDS


WORKER_PLACES = {
    "claim": "fence = l.fence + 1",
    "release": "owner = null, lease_until = null",
    "intent": "intent_at",
}


@pytest.mark.alone
@sizes("size", quick=(5, False), heavy=(60, True))
@pytest.mark.parametrize("place", ["claim", "release", "intent"])
async def test_a_worker_frozen_inside_a_transaction(
    scene: Scene, network: HostileNetwork, place: str, size: tuple[int, bool]
) -> None:
    """One of two workers freezes. Posts of other tenants, on the same network and another, are on time.

    `size`: posts, and whether sessions and leases end when they do in production.
    """
    posts, waits = size
    times, late_max = _times(waits)
    victim, other = await scene.tenants(2)
    account = await victim.bluesky(network, "victim")
    a = await scene.worker(*times, partial(sabotage.freeze_after_statement, WORKER_PLACES[place], scene.trigger))
    scene.trigger.touch()
    held = await victim.post(account, text="held")
    await _frozen(scene, a)
    await scene.worker(*times)
    accounts = [await other.bluesky(network, "other"), await other.sandbox()]
    made = []
    for number in range(posts):
        made += [await other.post(account, text=f"post {number}") for account in accounts]
        await asyncio.sleep(0.05)
    # The frozen lane itself: an edit of its owner does not wait for ever either.
    await victim.post(account, text="more for the same lane")
    for post in made:
        await other.ends(post, "published")
    assert percentile(await _lateness(scene, other), 0.99) <= late_max

    await victim.ends(held, "published")
    a.thaw()
    await scene.all_done()
    assert network.doubles() == {}


@sizes("waits", quick=False, heavy=True)
@pytest.mark.parametrize("action", ["create", "submit"])
async def test_an_api_process_frozen_inside_a_transaction(
    scene: Scene, network: HostileNetwork, action: str, waits: bool
) -> None:
    """It holds what it wrote, until the server ends its session. Other tenants go on; a create for the same account is
    answered 503 within ten seconds at most, and goes through when it is repeated as `Retry-After` says.
    """
    times, late_max = _times(waits)
    tenant, other = await scene.tenants(2)
    account = await tenant.mastodon(network, "alice")
    await scene.worker(*times)
    part = "prepare_post" if action == "create" else "wake_lanes"  # the statements that lock the lane
    server = await scene.serve(*times, partial(sabotage.freeze_after_statement, part, scene.trigger))
    path, body = "/posts", tenant.body(account, text="never answered")
    if action == "submit":
        path, body = f"/queue/submit/{await tenant.post(account, text='never answered', publishMode='draft')}", {}
    headers = {"Idempotency-Key": "frozen"}  # with a key the whole request is one transaction
    async with scene.client(server, tenant) as client:
        scene.trigger.touch()
        hanging = asyncio.create_task(client.post(path, json=body, headers=headers))
        await _frozen(scene, server)
        others = await other.post(await other.sandbox(), text="another tenant")
        await other.ends(others, "published")
        same = await scene.until(partial(_created, tenant, account), "post of the same account", late_max)
        await tenant.ends(same, "published")
        lateness = await _lateness(scene, tenant) + await _lateness(scene, other)
        assert max(lateness) <= late_max
        server.thaw()
        with suppress(httpx.HTTPError):
            await hanging
    await scene.all_done()
    assert network.doubles() == {}
    assert len(network.public("never answered")) <= 1


async def test_a_release_waits_for_no_locked_lane(scene: Scene, network: HostileNetwork) -> None:
    """A session holds one lane's row; the worker that has a turn on it goes on with all others."""
    tenant, other = await scene.tenants(2)
    account, box = await tenant.mastodon(network), await other.sandbox()
    network.on("", slow(1.0))
    await scene.worker()
    first = await tenant.post(account, text="one")
    await scene.until(lambda: network.calls, "create call")
    async with scene.context.database.transaction() as db:
        rows = await db.fetch("select from lane where kind = 'target' and platform = 'mastodon' for no key update")
        assert len(rows) == 1
        for number in range(3):
            await other.ends(await other.post(box, text=f"post {number}"), "published", seconds=LATENESS_SECONDS_MAX)
            await asyncio.sleep(0.7)  # past the end of the slow call, whose turn wants to be released
        assert max(await _lateness(scene, other)) <= LATENESS_SECONDS_MAX
    await tenant.ends(first, "published")


async def test_sessions_end_when_their_process_does_not_answer(scene: Scene) -> None:
    """What the server does with a session whose process froze or whose machine has gone."""
    settings = {row["name"]: int(row["setting"]) for row in await scene.query(_SETTINGS)}
    assert 0 < settings["idle_in_transaction_session_timeout"] <= 15_000
    assert 0 < settings["transaction_timeout"] <= 30_000
    assert 0 < settings["lock_timeout"] <= 5_000


async def test_a_session_ends_in_the_middle_of_a_statement(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its process freezes after it prepared a statement: for the server it is active, not idle, and holds its locks."""
    monkeypatch.setattr(
        connections, "SET_SESSION", connections.session_sql(connections.SESSION | {"transaction_timeout": "3s"})
    )
    await scene.tenant()
    frozen = await db.Database.open(scene.dsn, connections_max=1)
    with suppress(*db.DATABASE_DOWN):
        async with frozen.transaction() as connection:
            await connection.fetch("select from workspace for update")
            await connection.prepare("select 1")
            session = connection.get_server_pid()
            waits = "state = 'active' and wait_event = 'ClientRead' from pg_stat_activity where pid = $1"
            await scene.until(partial(scene.value, waits, session), "wait of the server for its client", GRACE_SECONDS)
            ended = partial(scene.value, "not exists (select from pg_stat_activity where pid = $1)", session)
            await scene.until(ended, "end of the session", GRACE_SECONDS)
            assert await scene.query("select from workspace for update nowait")
    await frozen.close()


@pytest.mark.parametrize("place", ["after-intent", "before-call"])
@sizes("waits", quick=False, heavy=True)
async def test_frozen_between_intent_and_bytes(scene: Scene, relative: HostileNetwork, place: str, waits: bool) -> None:
    """Another worker takes the post over; when the first one wakes, it sends nothing.

    Quick: leases last three seconds, and the time that the network gets to show a post passes at once.
    """
    tenant = await scene.tenant()
    account = await tenant.mastodon(relative)
    short = [] if waits else [sabotage.short_waits]
    a = await scene.worker(*short, partial(sabotage.freeze_at, place, scene.trigger))
    scene.trigger.touch()
    post = await tenant.post(account, text="once")
    await _frozen(scene, a)
    await scene.worker(*short)

    await scene.until(lambda: relative.posts, "publication by the second worker")
    a.thaw()
    await tenant.ends(post, "published")
    await asyncio.sleep(2)  # what the first one would send, it sends now
    assert len(relative.made("once")) == 1
    assert len(relative.called("once")) == 1


_RELEASED = """
select not_before - interval '1 s' as at from lane
where kind = 'target' and key = $1 and (owner is null or fence <> $2) and not_before is not null
"""
"""Who gives a call up for its lease pauses the lane for a second, which says when that was."""


async def test_a_call_ends_before_its_lease(scene: Scene, relative: HostileNetwork) -> None:
    """The lease is not renewed, the network takes longer: the call is given up in time, and nothing is sent again.

    The network makes the post nevertheless, when nobody waits for it any more.
    """
    tenant = await scene.tenant()
    account = await tenant.mastodon(relative)
    relative.on("late", slow(4.0))
    worker = await scene.worker(sabotage.no_renewal)
    post = await tenant.post(account, text="late")
    await scene.until(lambda: relative.calls, "create call")
    (lane,) = await scene.query("select key, fence, lease_until from lane where kind = 'target'")
    (released,) = await scene.until(lambda: scene.query(_RELEASED, lane["key"], lane["fence"]), "end of the call")
    assert released["at"] < lane["lease_until"]
    assert "lanes.freed" not in worker.log_file.read_text(), "the lease has expired"
    await scene.until(lambda: relative.posts, "publication")
    await scene.age_sent_parts()
    await scene.skip_wait()
    await tenant.ends(post, "published")
    assert len(relative.made("late")) == len(relative.called("late")) == 1


@sizes("accounts", quick=8, heavy=40)
@pytest.mark.parametrize("kind", ["mastodon", "relative", "bluesky"])
async def test_frozen_in_the_middle_of_calls(scene: Scene, kind: str, accounts: int) -> None:
    """SIGSTOP for longer than the lease, then SIGCONT: each post is made once, in flight or waiting behind."""
    async with HostileNetwork(knows_keys=kind != "relative") as network:
        tenant = await scene.tenant()
        await tenant.late_policy()
        connect = tenant.bluesky if kind == "bluesky" else tenant.mastodon
        short = [] if accounts > 8 else [sabotage.short_waits]
        network.on("first", slow(1.0))
        names = [await connect(network, f"a{number}") for number in range(accounts)]
        a = await scene.worker(*short)
        for number, account in enumerate(names):
            await tenant.post(account, text=f"first {number}")
            await tenant.post(account, text=f"second {number}")
        await scene.until(lambda: len(network.calls) >= min(accounts, 8), "calls in flight")
        frozen = await scene.value("id from worker")
        a.freeze()
        await scene.worker(*short)
        taken_over = partial(scene.value, "not exists (select from lane where owner = $1)", frozen)
        await scene.until(taken_over, "the end of its leases")
        a.thaw()
        await scene.all_done()
        assert network.doubles() == {}


@pytest.mark.alone
@sizes("rounds", quick=1, heavy=5)
async def test_the_work_of_a_killed_worker_runs_again_soon(scene: Scene, network: HostileNetwork, rounds: int) -> None:
    """Sixteen calls are under way when the worker dies; another one begins them again within seconds."""
    tenant = await scene.tenant()
    network.on("", slow(20))
    worker = await scene.worker()
    for number in range(rounds):
        accounts = [await tenant.mastodon(network, f"r{number}a{index}") for index in range(16)]
        before = len(network.calls)
        posts = [await tenant.post(account, text=f"{number} {index}") for index, account in enumerate(accounts)]
        await scene.until(lambda since=before: len(network.calls) >= since + 16, "calls under way")
        following = await scene.worker()
        worker.kill()
        killed_at = await scene.value("clock_timestamp()")
        condition = f"count(*) >= {len(posts)} from attempt where started_at > $1"
        await scene.until(partial(scene.value, condition, killed_at), "new attempts")
        seconds = await scene.value("extract(epoch from max(started_at) - $1)::float8 from attempt", killed_at)
        assert seconds < 25, "their leases end after thirty"
        worker = following
