import asyncio
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from tests.helpers.engine import running, until, value

from signalpost.engine import jobs
from signalpost.engine.contract import Lease
from signalpost.engine.engine import Engine
from signalpost.engine.jobs import Jobs, RunAgain
from signalpost.kit import ids
from signalpost.kit.db import Database

NO_JOBS = "not exists (select from job)"


class Recorder:
    def __init__(self, *responses: RunAgain | Exception | None) -> None:
        self.responses = list(responses)
        self.seen: list[Mapping[str, Any]] = []

    async def __call__(self, _lease: Lease, payload: Mapping[str, Any]) -> RunAgain | None:
        self.seen.append(payload)
        response = self.responses.pop(0) if self.responses else None
        if isinstance(response, Exception):
            raise response
        return response


async def _enqueue(database: Database, kind: str = "test", **options: Any) -> UUID:
    async with database.transaction() as db:
        return await jobs.enqueue(db, kind, {"n": 1}, **options)


def _engine(database: Database, handler: Any) -> tuple[Engine, Jobs]:
    source = Jobs()
    source.register("test", handler)
    return Engine(database, [source]), source


async def _hurry(database: Database) -> None:
    """Make everything due now."""
    async with database.connection() as db:
        await db.execute("update job set next_attempt_at = now() where next_attempt_at is not null")
        await db.execute("update lane set next_due_at = now(), not_before = null where owner is null")
        await db.execute("select pg_notify('lane', 'job')")


async def _wait_after_a_tick(engine: Engine, database: Database) -> tuple[float, float]:
    """Return for how many seconds the test's job waits after this tick: as seen after it, and as seen before it."""
    began = await value(database, "clock_timestamp()")
    await engine.tick()
    async with database.connection() as db:
        return tuple(
            await db.fetchrow(
                """select extract(epoch from next_attempt_at - clock_timestamp())::float8,
                    extract(epoch from next_attempt_at - $1)::float8 from job where kind <> 'engine.purge'""",
                began,
            )
        )


async def test_a_finished_job_leaves_no_row(store: Database) -> None:
    handler = Recorder()
    engine, _ = _engine(store, handler)
    async with running(engine):
        await _enqueue(store)
        await until(store, NO_JOBS)
    assert handler.seen == [{"n": 1}]


async def test_a_failing_job_is_retried_with_growing_delays_and_then_kept_as_failed(store: Database) -> None:
    engine, _ = _engine(store, Recorder(*[RuntimeError("no")] * 9))
    job = await _enqueue(store, unique_key="one")
    delays = []
    for _ in range(4):
        delays.append(await _wait_after_a_tick(engine, store))
        await _hurry(store)
    await engine.tick()
    await engine.stop()

    for (earliest, latest), planned in zip(delays, jobs.RETRY_SECONDS, strict=True):
        assert earliest <= planned * 1.1
        assert planned <= latest
    async with store.connection() as db:
        row = await db.fetchrow("select * from job where id = $1", job)
    assert (row["state"], row["failure_code"], row["attempts"], row["last_error"]) == (
        "failed", "failed", 5, "RuntimeError('no')",
    )  # fmt: skip
    assert await _enqueue(store, unique_key="one") != job, "a failed job lets go of its name"


async def test_a_job_that_takes_its_worker_down_three_times_is_not_tried_again(store: Database) -> None:
    handler = Recorder()
    engine, _ = _engine(store, handler)
    await _enqueue(store)
    async with store.connection() as db:  # what three kills leave behind
        await db.execute("update job set attempts = 3, crashes = 2, started_at = now()")
    await engine.tick()
    await engine.stop()

    assert handler.seen == []
    assert await value(store, "failure_code = 'crashed' from job")


async def test_a_crash_is_counted_by_the_next_claim_only(store: Database) -> None:
    handler = Recorder(RuntimeError("a failure is no crash"))
    engine, _ = _engine(store, handler)
    await _enqueue(store)
    await engine.tick()
    assert await value(store, "attempts = 1 and crashes = 0 and started_at is null from job")

    async with store.connection() as db:
        await db.execute("update job set started_at = now()")
    await _hurry(store)
    await engine.tick()
    await engine.stop()
    assert len(handler.seen) == 2


async def test_a_stop_does_not_count_as_an_attempt(store: Database) -> None:
    started = asyncio.Event()

    async def slow(_lease: Lease, _payload: Mapping[str, Any]) -> None:
        started.set()
        await asyncio.sleep(60)

    engine, _ = _engine(store, slow)
    await _enqueue(store)
    async with running(engine, grace_seconds=0.1):
        await started.wait()

    assert await value(store, "attempts = 0 and started_at is null and next_attempt_at <= now() from job")


async def test_a_unique_key_has_one_open_job_with_the_latest_payload(store: Database) -> None:
    first = await _enqueue(store, unique_key="one")
    async with store.transaction() as db:
        assert await jobs.enqueue(db, "test", {"n": 2}, unique_key="one") == first
    handler = Recorder()
    engine, _ = _engine(store, handler)
    await engine.tick()
    await engine.stop()
    assert handler.seen == [{"n": 2}]


async def test_a_job_enqueued_again_while_it_runs_runs_once_more(store: Database) -> None:
    """It may have read data from before the change that enqueued it again."""
    runs = 0

    async def again_meanwhile(_lease: Lease, _payload: Mapping[str, Any]) -> None:
        nonlocal runs
        runs += 1
        if runs == 1:
            await _enqueue(store, unique_key="one")

    engine, _ = _engine(store, again_meanwhile)
    await _enqueue(store, unique_key="one")
    async with running(engine):
        await until(store, NO_JOBS)
    assert runs == 2


async def test_a_job_that_is_being_enqueued_again_holds_up_its_own_queue_only(store: Database) -> None:
    handler, other = Recorder(), Recorder()
    engine, source = _engine(store, handler)
    source.register("other", other)
    gate = asyncio.Event()

    async def wait_for_gate(_lease: Lease, _payload: Mapping[str, Any]) -> None:
        await gate.wait()

    source.register("gated", wait_for_gate)
    await _enqueue(store, "gated", unique_key="one")
    async with running(engine):
        await until(store, "started_at is not null from job where kind = 'gated'")
        async with store.transaction() as db:
            await jobs.enqueue(db, "gated", {"n": 2}, unique_key="one")
            gate.set()
            await _enqueue(store, "other")
            await until(store, "not exists (select from job where kind = 'other')")
            assert await value(store, "revision = 0 from job where kind = 'gated'")
        await until(store, NO_JOBS)


async def test_a_handler_can_ask_to_be_run_again(store: Database) -> None:
    handler = Recorder(RunAgain(0.2), RunAgain(0.2))
    engine, _ = _engine(store, handler)
    async with running(engine):
        await _enqueue(store)
        await until(store, NO_JOBS)
    assert len(handler.seen) == 3


async def test_periodic_work_is_one_row_that_computes_its_next_time(store: Database) -> None:
    handler = Recorder(RuntimeError("one failure does not end it"))
    source = Jobs()
    source.register("often", handler, every_seconds=200)
    async with store.transaction() as db:
        await source.ensure_periodic(db)
        await source.ensure_periodic(db)
    engine, waits = Engine(store, [source]), []
    for _ in range(3):
        waits.append(await _wait_after_a_tick(engine, store))
        await _hurry(store)
    await engine.stop()

    assert len(handler.seen) == 3
    (after_failure, _), *between = waits
    assert after_failure < 100, "after a failure it waits like any job"
    assert all(earliest <= 200 <= latest for earliest, latest in between), waits
    assert await value(store, "count(*) from job where kind = 'often'") == 1


async def test_a_slow_kind_of_job_does_not_hold_up_another(store: Database) -> None:
    async def slow(_lease: Lease, _payload: Mapping[str, Any]) -> None:
        await asyncio.Event().wait()

    quick = Recorder()
    engine, source = _engine(store, quick)
    source.register("slow", slow)
    async with running(engine, grace_seconds=0.1):
        for _ in range(20):
            await _enqueue(store, "slow")
        await _enqueue(store, workspace_id=ids.new_id())
        await until(store, "not exists (select from job where kind = 'test')")
        assert await value(store, "count(*) from job where kind = 'slow'") == 20
    assert len(quick.seen) == 1


async def test_an_unknown_kind_waits_for_a_version_that_knows_it(store: Database) -> None:
    engine, source = _engine(store, Recorder())
    await _enqueue(store, "newer")
    await engine.tick()
    handler = Recorder()
    source.register("newer", handler)
    await _hurry(store)
    await engine.tick()
    await engine.stop()
    assert len(handler.seen) == 1


async def test_purge_deletes_old_failures_and_unused_lanes(store: Database) -> None:
    engine, source = _engine(store, Recorder())
    await _enqueue(store)
    await engine.tick()
    old = await _enqueue(store)
    async with store.transaction() as db:
        await db.execute(
            "update job set state = 'failed', failed_at = now() - interval '31d', next_attempt_at = null where id = $1",
            old,
        )
        await source.ensure_periodic(db)
    await engine.tick()
    await _hurry(store)
    await engine.tick()
    await engine.stop()
    assert await value(store, "count(*) from job where id = $1", old) == 0


async def test_who_waits_for_a_job_is_told_once_that_it_failed_for_good(store: Database) -> None:
    """If telling fails too, it is tried again; the job is not kept as failed before."""
    told: list[str] = []

    async def tell(_lease: Lease, payload: Mapping[str, Any], error: Exception | None) -> None:
        told.append(f"{payload['n']} {error}")
        if len(told) == 1:
            raise RuntimeError("not now")

    source = Jobs()
    source.register("test", Recorder(*[RuntimeError("no")] * 9), given_up=tell)
    async with running(Engine(store, [source])):
        job = await _enqueue(store)
        for attempts in range(1, 7):
            await until(store, "attempts >= $2 and started_at is null from job where id = $1", job, attempts)
            await _hurry(store)
        await until(store, "state = 'failed' from job where id = $1", job)
    assert told == ["1 no", "1 no"]
