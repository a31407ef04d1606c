"""Rate buckets and the clock."""

import asyncio
import time

import pytest
from tests.engine.test_faults import worker
from tests.helpers.engine import ALL_DONE, Work, add, running, until, value

from signalpost.engine import buckets, clock
from signalpost.engine.clock import TRUST_AFTER_SECONDS, ClockGuard
from signalpost.engine.engine import Engine
from signalpost.kit import ids
from signalpost.kit.db import Database

START = time.time()


async def test_a_bucket_is_never_exceeded_by_two_processes(store: Database) -> None:
    async with store.transaction() as db:
        await buckets.declare(db, "test:app", capacity=5, per_second=20)
    await add(store, [ids.new_id() for _ in range(60)], bucket="test:app")

    async with worker(store.dsn, 0.001), worker(store.dsn, 0.001):
        await until(store, ALL_DONE)

    # What is claimed between two moments is at most the capacity, and what flows in meanwhile. (It may begin later.)
    more_than_flows_in = """max(items - 20 * extract(epoch from ended - began))::float8 from (
        select a.began, b.ended, (
            select sum(items) from claimed c where c.began >= a.began and c.ended <= b.ended) as items
        from claimed a, claimed b where a.items > 0 and b.items > 0 and a.began <= b.began) claims"""
    assert await value(store, more_than_flows_in) <= 5
    assert await value(store, "sum(items) from claimed") == 60
    seconds = "extract(epoch from max(ended) - min(began))::float8 from claimed where items > 0"
    assert await value(store, seconds) < buckets.PAUSE_SECONDS_MAX / 2, "and it is used"


async def test_take_grants_the_tokens_left_and_says_when_the_next_come(store: Database) -> None:
    async with store.transaction() as db:
        await buckets.declare(db, "a", capacity=3, per_second=0.5)
        grants = await buckets.take(db, {"a": 5, "unknown": 9})
    assert list(grants) == ["a"]
    assert grants["a"].tokens == 3
    assert grants["a"].wait_seconds(0) == pytest.approx(2, abs=0.2)
    assert grants["a"].wait_seconds(1) == pytest.approx(4, abs=0.2)
    assert grants["a"].wait_seconds(1000) == buckets.PAUSE_SECONDS_MAX


async def test_buckets_that_nobody_uses_are_forgotten(store: Database) -> None:
    async with store.transaction() as db:
        for key in ("old", "new", "paused"):
            await buckets.declare(db, key, capacity=3, per_second=1)
        await db.execute("update rate_bucket set refilled_at = now() - interval '2 days' where key <> 'new'")
        await buckets.pause(db, "paused", 30)
        await buckets.forget_idle(db)
        kept = await db.fetch("select key from rate_bucket where key in ('old', 'new', 'paused') order by key")

    assert [row["key"] for row in kept] == ["new", "paused"]


async def test_a_paused_bucket_grants_nothing(store: Database) -> None:
    async with store.transaction() as db:
        await buckets.declare(db, "a", capacity=3, per_second=1)
        await buckets.pause(db, "a", 30)
        grants = await buckets.take(db, {"a": 1})
        passed = await db.fetchval("select extract(epoch from clock_timestamp() - now())::float8")
    assert grants["a"].tokens == 0
    assert 30 - passed <= grants["a"].wait_seconds(0) <= 30


async def test_a_locked_bucket_grants_nothing_and_is_asked_again_soon(store: Database) -> None:
    """A worker may have frozen with it; other buckets are not held up."""
    async with store.transaction() as db:
        await buckets.declare(db, "a", capacity=3, per_second=1)
        await buckets.declare(db, "b", capacity=3, per_second=1)
    async with store.transaction() as holder, store.transaction() as db:
        await buckets.take(holder, {"a": 1})
        async with asyncio.timeout(20):
            grants = await buckets.take(db, {"a": 1, "b": 1})

    assert (grants["a"].tokens, grants["b"].tokens) == (0, 1)
    assert grants["a"].wait_seconds(0) < 0.5


async def test_a_step_that_one_worker_saw_stops_all_and_shows_everywhere(store: Database) -> None:
    """One that starts later has nothing to compare with; and a process without a worker shows it in its health."""
    witness, late, api = (Engine(store, [Work(store)]) for _ in range(3))
    async with running(witness):
        await until(store, "exists (select from worker where looped_at is not null)")
        witness.clock._offset -= 3600  # type: ignore[operator]
        await until(store, "clock_stepped from worker")
        async with running(late):
            await add(store, [ids.new_id()])
            await asyncio.sleep(1.5)
            assert await value(store, "count(*) from ledger") == 0
            assert "jumped by" in str((await api.status()).clock_problem)
            assert (await late.tick(budget_seconds=1)).claimed == {"work": 0}
            witness.clock._offset += 3600  # type: ignore[operator]
            await until(store, ALL_DONE)
            await until(store, "not exists (select from worker where clock_problem is not null)")
        assert (await api.status()).clock_problem is None


async def test_a_clock_step_keeps_due_work_until_the_clock_is_back(store: Database) -> None:
    """The claim that would have published too early sees the step itself."""
    engine = Engine(store, [Work(store)])
    async with running(engine):
        await until(store, "exists (select from worker where looped_at is not null)")
        engine.clock.observe(time.time() - 3600, *_now())  # as if the clock had been an hour behind before
        assert engine.clock.problem is not None
        engine.clock._offset -= 3600  # type: ignore[operator]
        await add(store, [ids.new_id()])
        await asyncio.sleep(1.5)
        status = await engine.status()
        assert await value(store, "count(*) from ledger") == 0
        assert "jumped by" in str(status.clock_problem)
        engine.clock._offset += 3600  # type: ignore[operator]
        await until(store, ALL_DONE)
    assert engine.clock.problem is None


def _now() -> tuple[float, float]:
    from signalpost.engine.clock import boottime

    return boottime(), boottime()


class TestClockGuard:
    @pytest.fixture(autouse=True)
    def _stands_still(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(clock.time, "time", lambda: START)

    def test_follows_slow_drift(self) -> None:
        guard = ClockGuard()
        assert all(guard.observe(START + second * 1.0005, second, second + 0.001) for second in range(20_000))

    @pytest.mark.parametrize("step", [3600.0, -1800.0, 400 * 86400.0])
    def test_a_step_is_a_problem_until_it_is_undone(self, step: float) -> None:
        guard = ClockGuard()
        guard.observe(START, 0, 0.01)
        assert not guard.observe(START + 1 + step, 1, 1.01)
        assert guard.problem is not None
        assert not guard.observe(START + 2 + step, 2, 2.01)
        assert guard.observe(START + 3, 3, 3.01)
        assert guard.problem is None

    def test_a_slow_response_is_not_a_step(self) -> None:
        guard = ClockGuard()
        guard.observe(START, 0, 0.01)
        assert guard.observe(START + 1, 1, 31)

    def test_a_clock_that_agrees_with_this_machine_is_trusted_again_after_a_while(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        guard = ClockGuard()
        start = time.time()
        monkeypatch.setattr(clock.time, "time", lambda: start - 3600)
        guard.observe(start - 3600, 0, 0.01)
        monkeypatch.setattr(clock.time, "time", lambda: start)
        assert not guard.observe(start, 1, 1.01)
        assert not guard.observe(start, 2, 2.01)  # time.time() stands still meanwhile; up to 2 s count as even
        guard._candidate = start - 1 - TRUST_AFTER_SECONDS
        guard._candidate_since = 1
        assert guard.observe(start, 1 + TRUST_AFTER_SECONDS, 1 + TRUST_AFTER_SECONDS)
        assert guard.problem is None

    def test_a_clock_that_disagrees_with_this_machine_waits_for_a_person(self) -> None:
        guard = ClockGuard()
        guard.observe(START, 0, 0.01)
        assert not any(guard.observe(START + 1e9 + second, second, second + 0.01) for second in range(1, 1000))
        guard.accept()
        assert guard.observe(START + 1e9 + 1000, 1000, 1000.01)

    @pytest.mark.parametrize("apart", [1800.0, -1800.0, 11.0])
    def test_a_first_reading_far_from_this_machine_is_no_reference(self, apart: float) -> None:
        """The process may have started while the clock was wrong."""
        guard = ClockGuard()
        assert not guard.observe(time.time() + apart, 0, 0.01)
        assert not guard.observe(time.time() + apart, 1, 1.01)
        assert guard.problem is not None
        assert "apart" in guard.problem
        assert not guard.stepped
        assert guard.observe(time.time(), 2, 2.01)
        assert guard.problem is None

    def test_what_another_worker_saw_is_obeyed(self) -> None:
        guard = ClockGuard()
        assert guard.observe(START, 0, 0.01)
        guard.report("It jumped.")
        assert not guard.observe(START + 1, 1, 1.01)
        assert (guard.problem, guard.seen_problem) == ("It jumped.", None)
        guard.report(None)
        assert guard.observe(START + 2, 2, 2.01)
