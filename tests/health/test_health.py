"""Health checks: what a load balancer and a person on call can rely on."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import asyncpg
import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Make
from tests.helpers.owner import owner_of_tables

from signalpost.context import AppContext
from signalpost.engine.contract import EngineStatus
from signalpost.engine.wake import wake
from signalpost.health import queries, views
from signalpost.health.routes import routes
from signalpost.kit import clock, ids, writes
from signalpost.main import app
from signalpost.settings import Settings
from signalpost.web import cache


@dataclass
class Service:
    """A service on a database of its own, its engine running."""

    context: AppContext
    api: Api
    engine: "asyncio.Task[None]"


@pytest.fixture
async def service(settings: Settings, fresh_dsn: str) -> AsyncIterator[Service]:
    async with app.open_context(settings, fresh_dsn) as context, Api(app.create(context)) as api:
        assert context.engine is not None
        engine = asyncio.create_task(context.engine.run())
        yield Service(context, api, engine)
        await context.engine.stop(1)
        engine.cancel()
        await asyncio.gather(engine, return_exceptions=True)


async def wait_for(service: Service, status: str, reason: str | None = None) -> Any:
    """Return the health of the API as soon as it has this status, for this reason alone."""
    async with asyncio.timeout(240):  # a little less than a test may take
        while True:
            response = await service.api.get("/healthz/api")
            assert response.status_code == 200
            health = response.json()
            if health["status"] == status and reason in (None, *health["reasons"][:1]):
                return health
            await asyncio.sleep(0.05)


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time by which a response is kept: it stands still, until a test says that it passes."""
    now = [clock.monotonic()]
    monkeypatch.setattr(cache, "clock", SimpleNamespace(monotonic=lambda: now[0]))
    return now


def kept_seconds() -> float:
    [endpoint] = [endpoint for endpoint in routes if endpoint.path == "/healthz/api"]
    return endpoint.cached_seconds


async def test_a_working_service_is_ok(service: Service) -> None:
    health = await wait_for(service, "ok")

    assert health["reasons"] == []
    assert health["worker"]["running"] is True
    assert health["worker"]["overdue"] == 0
    assert health["version"]


async def test_without_an_engine_it_is_degraded_and_says_why(settings: Settings, fresh_dsn: str) -> None:
    """Posts that are silently never published are the worst failure: the service must not look healthy then."""
    async with app.open_context(settings, fresh_dsn) as context, Api(app.create(context)) as api:
        health = (await api.get("/healthz/api")).json()

    assert health["status"] == "degraded"
    assert "No engine is running" in health["reasons"][0]


@pytest.mark.parametrize(("minutes", "status"), [(3, "ok"), (8, "degraded")])
async def test_work_overdue_for_five_minutes_is_a_reason(
    settings: Settings, fresh_dsn: str, minutes: int, status: str
) -> None:
    """A worker that is alive but does not do its work must not look healthy."""
    async with app.open_context(settings, fresh_dsn) as context, Api(app.create(context)) as api:
        async with context.database.connection() as db:
            queue = ids.new_id()
            due = await db.fetchval("select now() - make_interval(mins => $1)", minutes)
            await db.execute(
                "insert into worker (id, lock_key, host, looped_at) values ($1, 1, 'elsewhere', now())", ids.new_id()
            )
            await db.execute(
                "insert into job (id, queue, kind, next_attempt_at) values ($1, $2, 'mail.send', $3)",
                ids.new_id(), queue, due,
            )  # fmt: skip
            await wake(db, "job", [queue], workspace_id=None, platforms=[None], due=[due])
        health = (await api.get("/healthz/api")).json()

    assert health["status"] == status
    assert health["worker"]["overdue"] == 1
    assert bool(health["reasons"]) == (status == "degraded")
    assert all("8 minutes" in reason for reason in health["reasons"])


async def test_the_datastore_reports_its_version_and_revision(service: Service) -> None:
    health = (await service.api.get("/healthz/datastore")).json()

    assert health["status"] == "ok"
    assert health["migrations"] == "current"
    assert health["engine"].startswith("PostgreSQL 18")
    assert health["latencyMs"] < 5_000
    async with owner_of_tables(service.context.database) as db:
        await db.execute("update schema_migration set finished_at = null")
    await asyncio.sleep(1)  # as long as a response is kept
    assert (await service.api.get("/healthz/datastore")).json()["migrations"] == "pending"


async def test_an_unreachable_database_is_a_503_of_the_datastore_only(service: Service, fresh_dsn: str) -> None:
    """The API process itself is alive: taking it out of rotation would not bring the database back."""
    async with owner_of_tables(service.context.database) as db:
        name = await db.fetchval("select current_database()")
    admin = await asyncpg.connect(fresh_dsn, database="postgres")
    try:
        await admin.execute(f'alter database "{name}" allow_connections false')
        await admin.execute(  # an autovacuum worker in that database belongs to someone else
            "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and usename = current_user", name
        )
        health = await wait_for(service, "degraded", "The database is unreachable.")
        assert health["reasons"] == ["The database is unreachable."]
        gone = await service.api.get("/healthz/datastore")
        assert (gone.status_code, gone.json()["code"]) == (503, "unavailable")
        assert gone.headers["retry-after"]
    finally:
        await admin.execute(f'alter database "{name}" allow_connections true')
        await admin.close()
    await wait_for(service, "ok")


async def test_health_checks_have_no_rate_limit(service: Service) -> None:
    here = {"X-Forwarded-For": "203.0.113.77"}
    answers = [await service.api.get("/healthz/api", headers=here) for _ in range(60)]

    assert {answer.status_code for answer in answers} == {200}


async def test_the_database_is_asked_at_most_once_a_second(
    service: Service, monkeypatch: pytest.MonkeyPatch, kept: list[float]
) -> None:
    """Everyone may ask, as often as they like; a flood of them must not reach the database."""
    await service.api.get("/healthz/api")
    kept[0] += kept_seconds()
    assert kept_seconds() == 1
    assert service.context.engine is not None
    status, asked = service.context.engine.status, 0

    async def count() -> EngineStatus:
        nonlocal asked
        asked += 1
        return await status()

    monkeypatch.setattr(service.context.engine, "status", count)
    answers = await asyncio.gather(*(service.api.get("/healthz/api") for _ in range(50)))

    assert len({answer.content for answer in answers}) == 1
    assert len({answer.headers["x-request-id"] for answer in answers}) == 50
    assert asked == 1


async def test_a_database_that_hangs_shows_within_two_seconds(
    service: Service, monkeypatch: pytest.MonkeyPatch, kept: list[float]
) -> None:
    """It accepts connections and statements, and never answers."""
    await service.api.get("/healthz/api")
    assert service.context.engine is not None

    async def hang() -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(service.context.engine, "status", hang)
    kept[0] += kept_seconds()
    health = (await service.api.get("/healthz/api")).json()

    assert (health["status"], health["reasons"]) == ("degraded", [views.DATABASE_SLOW])
    assert kept_seconds() + queries.ENGINE_SECONDS < 2


_REFUSE = """
create function refuse_rows() returns trigger language plpgsql as
$$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$;
create trigger full_disk before insert on profile for each row execute function refuse_rows();
create function refuse_probe() returns void language plpgsql as
$$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$;
"""


async def test_a_full_disk_shows_in_both_checks_and_in_one_line_of_the_log(
    service: Service, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Reads work on, so that everything looked healthy while each write was refused."""
    monkeypatch.setattr(writes, "PROBE_SECONDS", 0.1)
    await wait_for(service, "ok")
    make = Make(service.context, service.api)
    owner = await make.owner()
    async with owner_of_tables(service.context.database) as db:
        await db.execute(_REFUSE)
    real_probe = writes._PROBE
    monkeypatch.setattr(writes, "_PROBE", "select refuse_probe()")
    capsys.readouterr()

    answers = [await service.api.post("/profiles", json={"name": f"p{n}"}, key=owner.key) for n in range(5)]
    assert {answer.status_code for answer in answers} == {503}
    health = await wait_for(service, "degraded", "The database accepts no changes: its disk is full.")
    assert health["reasons"] == ["The database accepts no changes: its disk is full."]
    refused = await service.api.get("/healthz/datastore")
    assert (refused.status_code, refused.json()["detail"]) == (503, health["reasons"][0])
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [line["event"] for line in lines if line["room"] == "database"] == ["database.full"]
    assert not any("exception" in line for line in lines)

    async with owner_of_tables(service.context.database) as db:
        await db.execute("drop trigger full_disk on profile")
    monkeypatch.setattr(writes, "_PROBE", real_probe)
    await wait_for(service, "ok")
    async with asyncio.timeout(240):
        while (await service.api.get("/healthz/datastore")).status_code != 200:
            await asyncio.sleep(0.05)
    assert "database.writable" in capsys.readouterr().err


async def test_a_read_only_database_is_told(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """As after a failover that left the address at the standby."""
    monkeypatch.setattr(writes, "PROBE_SECONDS", 0.1)
    owner = await Make(service.context, service.api).owner()
    async with owner_of_tables(service.context.database) as db:
        name = await db.fetchval("select current_database()")
        await db.execute(f'alter database "{name}" set default_transaction_read_only = on')
        await db.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and usename = current_user"
            " and pid <> pg_backend_pid()", name
        )  # fmt: skip
        await db.execute("set default_transaction_read_only = on")

    sentence = "The database accepts no changes: it is read-only."
    async with asyncio.timeout(240):  # the first change may meet only the end of its session
        while True:
            assert (await service.api.post("/profiles", json={"name": "new"}, key=owner.key)).status_code == 503
            if sentence in (await wait_for(service, "degraded"))["reasons"]:
                break
    assert (await service.api.get("/healthz/datastore")).status_code == 503


async def test_a_disk_that_is_nearly_full_is_told_before_it_is_full(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The embedded database stops when there is no space left, and then cannot say why."""
    await wait_for(service, "ok")
    monkeypatch.setattr(queries, "FREE_BYTES_MIN", 10**18)

    health = await wait_for(service, "degraded")

    assert [reason.partition(":")[0] for reason in health["reasons"]] == ["The disk of the data folder is nearly full"]
