"""Many accounts, many workers, and backlogs."""

import asyncio
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest
from tests.helpers.limits import TEST_SECONDS
from tests.helpers.publishing import StagedNetwork, until

from signalpost.engine.engine import Engine
from signalpost.kit import clock, ids
from signalpost.networks.contract import Refused
from signalpost.publishing import queries


async def run(stage: StagedNetwork, engines: list[Engine], condition: Any) -> None:
    """Let these workers run until the condition holds."""
    running = [asyncio.create_task(engine.run()) for engine in engines]
    try:
        await until(condition)
    finally:
        await asyncio.gather(*(engine.stop(5) for engine in engines))
        await asyncio.gather(*running)


async def test_two_targets_that_end_together_end_the_post_once(stage: StagedNetwork) -> None:
    """Two accounts, two lanes, the same moment: exactly one event for the whole post, twenty times over."""
    gate = asyncio.Barrier(2)

    async def together(session: Any, outgoing: Any, journal: Any) -> Any:
        await asyncio.wait_for(gate.wait(), TEST_SECONDS)
        if session.username.startswith("strict"):
            return Refused(code="content_rejected", message="no")
        return await stage.accept(session, outgoing, journal)

    stage.publish = together
    for number in range(20):
        other = "strict" if number % 2 else "calm"
        post = await stage.post(await stage.account(f"one{number}"), await stage.account(f"{other}{number}"))
        await stage.work()
        post_events = [event for event in stage.emitted(post) if event[1] == "post"]
        status = "partial" if number % 2 else "published"
        assert post_events == [("post.queued", "post", "queued"), (f"post.{status}", "post", status)], number


async def test_an_account_gets_one_post_at_a_time_from_any_number_of_workers(stage: StagedNetwork) -> None:
    """Two workers, six accounts, sixty posts: each published once, in order, never two at once on an account."""
    busy: Counter[str] = Counter()
    overlaps = []

    async def slowly(session: Any, outgoing: Any, journal: Any) -> Any:
        busy[session.username] += 1
        overlaps.append(busy[session.username] > 1)
        await asyncio.sleep(0.01)
        busy[session.username] -= 1
        return await stage.accept(session, outgoing, journal)

    stage.publish = slowly
    accounts = [await stage.account(f"acc{n}") for n in range(6)]
    for number in range(10):
        await stage.post(*accounts, text=f"post {number}")
    await run(stage, [stage.engine(), stage.engine()], lambda: len(stage.sent) >= 60)

    assert not any(overlaps)
    assert len(set(stage.sent)) == len(stage.sent) == 60
    for n in range(6):
        assert [text for name, text in stage.sent if name == f"acc{n}"] == [f"post {number}" for number in range(10)]


@pytest.mark.slow
async def test_a_backlog_after_downtime_does_not_burst(stage: StagedNetwork) -> None:
    """200 posts were due in three hours of downtime: the late ones say so, the others keep the account's gap."""
    pool = stage.context.database.pool
    await pool.execute(
        "update profile set late_tolerance_minutes = 90, min_gap_seconds = 60 where id = $1",
        ids.decode("prof", stage.owner.profile),
    )
    account = await stage.account()
    posts = [await stage.post(account, text=f"post {n}") for n in range(200)]
    await pool.execute(
        """update target t set due_at = now() - make_interval(secs => 10800 - u.nth * 54),
        next_attempt_at = now() - make_interval(secs => 10800 - u.nth * 54)
        from unnest($1::uuid[]) with ordinality as u(id, nth) where t.post_id = u.id""",
        [stage.id(post) for post in posts],
    )
    await stage.work()

    rows = await pool.fetch(
        "select status, error ->> 'code' as code, next_attempt_at from target where account_id = $1"
        " order by due_at, id",
        ids.decode("acc", account),
    )
    outcomes = Counter((row["status"], row["code"]) for row in rows)
    assert outcomes == {("failed", "missed_window"): 100, ("published", None): 1, ("pending", None): 99}
    assert len(stage.sent) == 1
    waiting = sorted(row["next_attempt_at"] for row in rows if row["status"] == "pending")
    gaps = [(later - earlier).total_seconds() for earlier, later in pairwise(waiting)]
    assert min(gaps) >= 59.9
    attempts = await pool.fetchval(
        "select count(*) from attempt a join target t on t.id = a.target_id where t.account_id = $1",
        ids.decode("acc", account),
    )
    assert attempts == 1, "waiting targets are not tried"


async def test_posts_sent_at_once_do_not_wait_for_each_other(stage: StagedNetwork) -> None:
    """The gap is for backlogs: ten posts sent now by a user go out now."""
    account = await stage.account()
    for _ in range(10):
        await stage.post(account)
    started = clock.monotonic()
    await run(stage, [stage.engine()], lambda: len(stage.sent) == 10)

    assert clock.monotonic() - started < 60, "a gap"


async def test_posts_keep_a_gap_that_someone_set_also_when_they_are_on_time(stage: StagedNetwork) -> None:
    """The first goes out; the others wait a gap apart, as if they were of a backlog."""
    account = await stage.account()
    policy = {"latePolicy": {"minGapSeconds": 600}}
    changed = await stage.make.api.patch(f"/profiles/{stage.owner.profile}", json=policy, key=stage.owner.key)
    assert changed.status_code == 200, changed.text
    for _ in range(4):
        await stage.post(account)
    pool, waiting = (
        stage.context.database.pool,
        "select next_attempt_at from target where account_id = $1 and next_attempt_at > now() order by 1",
    )

    async def spread() -> bool:
        return len(stage.sent) == 1 and len(await pool.fetch(waiting, ids.decode("acc", account))) == 3

    await run(stage, [stage.engine()], spread)
    times = [row[0] for row in await pool.fetch(waiting, ids.decode("acc", account))]
    assert [(later - earlier).total_seconds() for earlier, later in pairwise(times)] == [600, 600]


async def test_a_worker_that_stops_finishes_its_calls(stage: StagedNetwork) -> None:
    """SIGTERM in the middle of a call: the call ends, is settled, and nothing is left leased."""
    began = asyncio.Event()

    async def slowly(session: Any, outgoing: Any, journal: Any) -> Any:
        began.set()
        await asyncio.sleep(0.5)
        return await stage.accept(session, outgoing, journal)

    stage.publish = slowly
    post = await stage.post()
    engine = stage.engine()
    running = asyncio.create_task(engine.run())
    await began.wait()
    await engine.stop(10)
    await running

    assert (await stage.status(post))["status"] == "published"


async def test_a_call_cut_off_after_the_grace_is_made_by_another_worker(stage: StagedNetwork) -> None:
    """The grace period ends in the middle of a call, before its intent: another worker sends the post, once."""
    began = asyncio.Event()

    async def hang(session: Any, outgoing: Any, journal: Any) -> Any:
        began.set()
        await asyncio.sleep(60)

    stage.publish = hang
    post = await stage.post()
    engine = stage.engine()
    running = asyncio.create_task(engine.run())
    await began.wait()
    await engine.stop(0.1)
    await running
    assert (await stage.target(post))["crashes"] == 0
    stage.publish = stage.accept
    await run(stage, [stage.engine()], lambda: stage.sent)

    assert (await stage.status(post))["targets"][0]["attempts"] == 2


async def test_a_post_that_always_crashes_the_worker_fails(stage: StagedNetwork) -> None:
    """After three attempts that never ended it fails, and the account's other posts go out."""
    account = await stage.account()
    poison = await stage.post(account)
    for _ in range(3):
        await stage.execute(
            "update target set status = 'publishing', crashes = crashes + 1, tries = tries + 1, started_at = now(),"
            " attempts = attempts + 1 where post_id = $1",
            stage.id(poison),
        )
    good = await stage.post(account)
    await stage.work()

    assert (await stage.target(poison))["error"]["code"] == "internal_error"
    assert (await stage.status(good))["status"] == "published"
    assert len(stage.sent) == 1


async def test_a_look_goes_before_new_posts_of_its_account(stage: StagedNetwork) -> None:
    """Its time comes after that of posts that are due already; they would keep it waiting for as long as they take."""
    account = await stage.account("slow")
    unknown = await stage.post(account, text="unknown")
    others = [await stage.post(account, text=f"other {number}") for number in range(3)]
    await stage.execute(
        "update target set status = 'unknown', intent = $2, started_at = now(), attempts = 1,"
        " next_attempt_at = now() - interval '1 second' where post_id = $1",
        stage.id(unknown), {"step": "part:0", "value": None, "at": clock.now().isoformat()},
    )  # fmt: skip
    for other in others:
        await stage.execute(
            "update target set next_attempt_at = now() - interval '30 seconds' where post_id = $1", stage.id(other)
        )
    async with stage.context.database.transaction() as db:
        [picked], _ = await queries.pick_due(db, [ids.decode("acc", account)])
    assert picked.post_id == stage.id(unknown)
