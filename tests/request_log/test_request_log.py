"""The request log shows what was called and what came of it, to those who may know, and nothing that is secret."""

import dataclasses
from datetime import timedelta
from typing import Any

import asyncpg
import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make

from signalpost.context import AppContext
from signalpost.kit import clock
from signalpost.kit.db import Database
from signalpost.kit.tenant import Tenant
from signalpost.main import app
from signalpost.request_log import queries, recorder
from signalpost.request_log.recorder import Recorder
from signalpost.web.caller import Caller
from signalpost.web.request_ids import next_id, request_time
from signalpost.web.served import Served

_NEWEST = "select path, address from request_log where workspace_id = $1 order by at desc limit 1"
_PARTITIONS = """
select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
where i.inhparent = 'request_log'::regclass order by 1
"""
_STORED = "select count(*) from request_log where workspace_id = $1"


@pytest.fixture
async def owner(make: Make) -> Login:
    return await make.owner()


async def listed(api: Api, context: AppContext, key: str, query: str = "") -> list[dict[str, Any]]:
    """What the log shows of this test's calls, which are written first; those of the fixtures are older."""
    await context.state(Recorder).flush()
    response = await api.get(f"/logs/requests{query}", key=key)
    assert response.status_code == 200, response.text
    rows: list[dict[str, Any]] = response.json()["data"]
    return rows


def served(login: Login, **more: Any) -> Served:
    caller = Caller(
        user_id=login.user_id, user_name="Ada", workspace_id=login.workspace_id, tenant=Tenant(login.user_id),
        role="owner", scopes=frozenset(), mode="live", auth="session", credential="session:1", plan="self_hosted",
    )  # fmt: skip
    values: dict[str, Any] = {
        "caller": caller, "operation": "get_post", "method": "GET", "path": "/api/v1/posts/1", "status": 200,
        "code": None, "at": clock.timestamp(), "seconds": 0.01, "request_id": next_id(), "address": "192.0.2.1",
    }  # fmt: skip
    return Served(**values | more)


async def test_a_call_is_listed_with_what_came_of_it_and_who_made_it(
    api: Api, context: AppContext, owner: Login
) -> None:
    failed = await api.post("/posts", json={"text": "secret words"}, key=owner.key)
    assert failed.status_code == 422
    [row] = await listed(api, context, owner.key, f"?requestId={failed.headers['x-request-id']}")

    assert row["path"] == "/posts"
    assert (row["operation"], row["method"], row["status"]) == ("create_post", "POST", 422)
    assert row["code"] == failed.json()["code"]
    assert row["actor"]["type"] == "api_key"
    assert owner.key.startswith(row["keyPrefix"])
    assert row["mode"] == "live"
    assert 0 < row["durationMs"] < 60_000
    assert "secret words" not in str(row)


async def test_the_code_of_a_stored_refusal_is_listed_again(api: Api, context: AppContext, owner: Login) -> None:
    for _ in range(2):
        refused = await api.post("/posts", json={}, key=owner.key, headers={"Idempotency-Key": "again"})
    rows = await listed(api, context, owner.key, "?method=POST&path=/posts&status=4xx&limit=2")
    assert [row["code"] for row in rows] == [refused.json()["code"]] * 2


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("?status=404", ["GET /posts/pst_1"]),
        ("?status=2xx&path=/p", ["GET /profiles", "GET /posts"]),
        ("?path=/posts", ["GET /posts/pst_1", "GET /posts"]),
        ("?path=/posts&from=2100-01-01T00:00:00Z", []),
        ("?path=/p&to=2100-01-01T00:00:00Z", ["GET /profiles", "GET /posts/pst_1", "GET /posts"]),
        ("?operation=list_profiles", ["GET /profiles"]),
        ("?code=not_found", ["GET /posts/pst_1"]),
        ("?path=/p&mode=test", []),
        ("?path=/p&method=DELETE", []),
        ("?requestId=of-the-client", ["GET /profiles"]),
    ],
)
async def test_filters(api: Api, context: AppContext, make: Make, query: str, expected: list[str]) -> None:
    owner = await make.owner()
    await api.get("/posts", key=owner.key)
    await api.get("/posts/pst_1", key=owner.key)
    await api.get("/profiles", key=owner.key, headers={"X-Request-Id": "of-the-client"})
    rows = await listed(api, context, owner.key, query)
    assert [f"{row['method']} {row['path']}" for row in rows] == expected


async def test_everyone_sees_their_own_calls_and_only_owners_and_admins_all(
    api: Api, context: AppContext, make: Make, owner: Login
) -> None:
    viewer, admin = await make.member(owner, role="viewer"), await make.member(owner, role="admin")
    narrow = (await api.post("/api-keys", json={"name": "CMS", "scopes": ["posts:read"]}, key=owner.key)).json()
    stranger = await make.owner()
    callers = {"owner": owner.key, "test": owner.test_key, "viewer": viewer.key, "narrow": narrow["key"]}
    for name, key in {**callers, "admin": admin.key, "stranger": stranger.key}.items():
        await api.get("/auth/me", key=key, headers={"X-Request-Id": f"call-of-{name}"})

    async def seen_by(key: str) -> set[str]:
        rows = await listed(api, context, key, "?operation=get_me")
        return {row["requestId"].removeprefix("call-of-") for row in rows}

    assert await seen_by(owner.key) == {*callers, "admin"}
    assert await seen_by(admin.key) == {*callers, "admin"}
    assert await seen_by(viewer.key) == {"viewer"}
    assert await seen_by(narrow["key"]) == {"narrow"}
    assert await seen_by(owner.test_key) == {"test"}
    assert await seen_by(stranger.key) == {"stranger"}


async def test_pages_follow_each_other_without_gaps(api: Api, context: AppContext, owner: Login) -> None:
    for number in range(5):
        await api.get("/auth/me", key=owner.key, headers={"X-Request-Id": f"number-{number}"})
    await context.state(Recorder).flush()
    found: list[str] = []
    path = "/logs/requests?operation=get_me&limit=2"
    page: dict[str, Any] = {"hasMore": True, "nextCursor": ""}
    while page["hasMore"]:
        page = (await api.get(f"{path}&cursor={page['nextCursor']}", key=owner.key)).json()
        found += [row["requestId"] for row in page["data"]]
    assert found == [f"number-{number}" for number in (4, 3, 2, 1, 0)]


async def test_secrets_in_paths_and_what_no_database_can_store(
    api: Api, context: AppContext, database: Database, owner: Login
) -> None:
    """A path is what a client likes; one that the database refused would take hundreds of other calls with it."""
    log = Recorder()
    log.add(context.database, served(owner, path="/api/v1/posts/\0\ud800ä\n", address="\0" * 100))
    await log.flush()
    async with database.connection() as db:
        row = await db.fetchrow(_NEWEST, owner.workspace_id)
    assert row is not None
    assert row["path"] == "/posts/%00%3F%C3%A4%0A"
    assert len(row["address"]) == 64
    invited = await api.post("/team/invites/tmi_very_secret_token/accept", key=owner.key)
    assert invited.status_code >= 400
    rows = await listed(api, context, owner.key, f"?requestId={invited.headers['x-request-id']}")
    assert "very_secret" not in str(rows)


async def test_a_flood_of_one_tenant_costs_others_nothing(
    context: AppContext, database: Database, make: Make, owner: Login, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorder, "WAITING_MAX", 50)
    monkeypatch.setattr(recorder, "ALL_WAITING_MAX", 80)
    monkeypatch.setattr(recorder, "BURST", 60)
    monkeypatch.setattr(recorder, "PER_SECOND", 0)
    log, others = Recorder(), [await make.owner() for _ in range(3)]
    for _ in range(1_000):
        log.add(context.database, served(owner))
    for other in others:
        log.add(context.database, served(other))
    await log.flush()
    for _ in range(30):
        log.add(context.database, served(owner))
    await log.end()

    async with database.connection() as db:
        assert await db.fetchval(_STORED, owner.workspace_id) == 60
        assert [await db.fetchval(_STORED, other.workspace_id) for other in others] == [1, 1, 1]
        omitted = await db.fetchval("select sum(omitted) from request_log where workspace_id = $1", owner.workspace_id)
    assert omitted == 950  # said by the next one that was kept; the last 20 wait for theirs


async def test_what_cannot_be_written_now_waits(
    context: AppContext, database: Database, owner: Login, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, insert = Recorder(), recorder._insert
    outage = [True]

    async def insert_or_fail(*arguments: Any) -> None:
        if outage:
            outage.clear()
            raise asyncpg.CannotConnectNowError("the database system is starting up")
        await insert(*arguments)

    monkeypatch.setattr(recorder, "_insert", insert_or_fail)
    log.add(context.database, served(owner))
    with pytest.raises(asyncpg.CannotConnectNowError):
        await log.flush()
    log.add(context.database, served(owner))
    await log.end()
    async with database.connection() as db:
        assert await db.fetchval(_STORED, owner.workspace_id) == 2


async def test_an_outage_leaves_each_tenant_its_share_of_memory(
    context: AppContext, owner: Login, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However often what waits was tried again meanwhile."""
    monkeypatch.setattr(recorder, "WAITING_MAX", 50)
    monkeypatch.setattr(recorder, "ALL_WAITING_MAX", 80)
    log, other = Recorder(), await make.owner()

    async def fail(*_: Any) -> None:
        raise asyncpg.CannotConnectNowError("the database system is starting up")

    with monkeypatch.context() as outage:
        outage.setattr(recorder, "_insert", fail)
        for _ in range(5):
            for _ in range(100):
                log.add(context.database, served(owner))
            with pytest.raises(asyncpg.CannotConnectNowError):
                await log.flush()
        for _ in range(20):
            log.add(context.database, served(other))
    assert {
        served.caller.workspace_id: share.count for share in log._shares.values() for served, _ in share.waiting
    } == {other.workspace_id: 20}
    assert log._waiting == 70
    await log.end()
    assert log._waiting == 0
    assert [share.count for share in log._shares.values()] == [0, 0]


async def test_rows_that_cannot_be_written_at_all_do_not_stop_the_log(
    api: Api, context: AppContext, owner: Login, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = context.state(recorder.Recorder)
    await log.flush()
    with monkeypatch.context() as broken:
        broken.setattr(recorder, "_INSERT", recorder._INSERT.replace("$11::smallint[]", "$11::text[]"))
        await api.get("/profiles", key=owner.key)
        await log._write()
    await api.get("/posts", key=owner.key)
    await log._write()

    assert log._waiting == 0
    listed = (await api.get("/logs/requests", key=owner.key)).json()["data"]
    assert [call["path"] for call in listed] == ["/posts"]


async def test_days_are_dropped_after_a_week(context: AppContext, fresh_dsn: str, owner: Login) -> None:
    """The partition of a day goes as a whole; what is older than seven days is not shown before that either."""
    connection = await asyncpg.connect(fresh_dsn)
    try:
        await connection.execute("select rotate_request_log()")
        made = [row[0] for row in await connection.fetch(_PARTITIONS)]
        today = clock.actual().date()
        assert made == [f"request_log_{today + timedelta(days=n):%Y%m%d}" for n in (-1, 0, 1, 2)]
        for age in (7, 8):
            day = today - timedelta(days=age)
            await connection.execute(
                f"create table request_log_{day:%Y%m%d} partition of request_log"
                f" for values from ('{day} 00:00+00') to ('{day + timedelta(days=1)} 00:00+00')"
            )
        await connection.execute("select rotate_request_log()")
        left = [row[0] for row in await connection.fetch(_PARTITIONS)]
        assert left == [f"request_log_{today - timedelta(days=7):%Y%m%d}", *made]
    finally:
        await connection.close()


async def test_nothing_is_recorded_where_the_operator_wants_no_log(
    context: AppContext, database: Database, owner: Login
) -> None:
    settings = dataclasses.replace(context.settings, request_log_days=0)
    silent = dataclasses.replace(context, settings=settings, states={})
    async with Api(app.create(silent)) as api:
        await context.state(Recorder).flush()
        async with database.connection() as db:
            before = await db.fetchval(_STORED, owner.workspace_id)
        await api.get("/auth/me", key=owner.key)
        await silent.state(Recorder).flush()
        async with database.connection() as db:
            assert await db.fetchval(_STORED, owner.workspace_id) == before
        assert (await api.get("/logs/requests", key=owner.key)).json()["data"] == []


def test_a_request_id_says_when_it_was_made() -> None:
    made = request_time(next_id())
    assert made is not None
    assert abs((clock.actual() - made).total_seconds()) < 60
    assert len({next_id() for _ in range(2_000)}) == 2_000
    assert request_time("of-the-client") is None


async def test_a_filter_that_finds_too_little_says_what_to_do(
    api: Api, owner: Login, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Trying again would take as long."""
    monkeypatch.setattr(queries, "READ_SECONDS", 0.1)
    async with database.transaction() as db:
        await db.execute("lock table request_log in access exclusive mode")  # stands for millions of calls
        answer = await api.get("/logs/requests?code=nothing", key=owner.key)

    assert (answer.status_code, answer.json()["code"]) == (422, "period_too_long")
    assert "`from`" in answer.json()["remediation"]
    monkeypatch.undo()
    assert (await api.get("/logs/requests?code=nothing", key=owner.key)).json()["data"] == []
