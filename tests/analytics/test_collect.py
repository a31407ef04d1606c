"""Numbers of posts: when they are asked for, what is stored, and what becomes of posts that are gone."""

import asyncio
import dataclasses
import secrets
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.helpers.mail import InTest

from signalpost import networks
from signalpost.analytics import queries, schedule, work
from signalpost.analytics.actions import collect, discover, plan
from signalpost.context import AppContext
from signalpost.engine.jobs import RunAgain
from signalpost.kit import ids
from signalpost.kit.db import Database
from signalpost.kit.http import BadResponse, Response
from signalpost.networks.connectors import sandbox
from signalpost.networks.contract import ApiError, Metrics, TryLater
from signalpost.posts.target_errors import target_error

START = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
QUEUE = {"X-Queue-Secret": "queue-secret-of-the-tests"}


def test_the_schedule_is_dense_first_and_ends_after_a_year() -> None:
    moments, after = [], START
    while (due := schedule.next_due(START, after)) is not None:
        moments.append(due - START)
        after = due

    hours = [1, 6, 24, *(24 * day for day in range(2, 31))]
    weeks = [24 * (30 + 7 * week) for week in range(1, 48)]
    assert moments == [timedelta(hours=hour) for hour in hours + weeks]
    assert schedule.next_due(START, START + timedelta(days=9, hours=5)) == START + timedelta(days=10)
    assert schedule.next_due(START, START + timedelta(days=400)) is None


@pytest.fixture
async def owner(make: Make) -> Login:
    owner = await make.owner()
    await make.account(owner)
    return owner


async def published(api: Api, make: Make, owner: Login, text: str = "") -> tuple[dict[str, Any], Any, Any]:
    """A published post, with the ids of its target and account."""
    post = await make.post(owner, text=f"Hello {secrets.token_hex(8)} {text}")
    assert (await api.post("/queue/process", json={"limit": 500}, headers=QUEUE)).status_code == 200
    post = (await api.get(f"/posts/{post['id']}", key=owner.key)).json()
    assert post["status"] == "published", post
    target = post["targets"][0]
    return post, ids.decode("tgt", target["id"]), ids.decode("acc", target["accountId"])


async def planned(lease: Any) -> None:
    planning = work.Planning()
    while await planning.run(lease, {}):
        pass


async def dispatched(lease: Any) -> None:
    dispatching = work.Dispatching()
    while await dispatching.run(lease, {}):
        pass


async def run(context: AppContext, database: Database, account_id: Any) -> RunAgain | None:
    lease: Any = InTest(database)
    return await collect.collect(context, lease, account_id)


async def due_at(database: Database, target_id: Any) -> datetime | None:
    async with database.connection() as db:
        row = await db.fetchrow("select due_at from metric_schedule where target_id = $1", target_id)
    assert row is not None
    due: datetime | None = row["due_at"]
    return due


async def make_due(database: Database, target_id: Any) -> None:
    async with database.transaction() as db:
        workspace_id = await db.fetchval("select workspace_id from target where id = $1", target_id)
        await discover.bring_up_to_date(db, workspace_id)  # however many accounts other tests have left
        await db.execute("update metric_schedule set due_at = now() where target_id = $1", target_id)


async def test_what_is_published_gets_a_schedule_and_a_job(
    api: Api, make: Make, owner: Login, database: Database
) -> None:
    _, target_id, account_id = await published(api, make, owner)
    lease: Any = InTest(database)

    for _ in range(2):
        await planned(lease)
    assert await due_at(database, target_id) is not None
    async with database.connection() as db:
        await db.execute("update metric_schedule set due_at = now() where target_id = $1", target_id)
    for _ in range(2):
        await dispatched(lease)

    async with database.connection() as db:
        keys = [row[0] for row in await db.fetch("select unique_key from job where kind = $1", plan.COLLECT)]
    assert keys.count(f"{plan.COLLECT}/{account_id}") == 1


async def test_a_network_that_asks_to_wait_is_not_asked_before_and_holds_up_no_other_account(
    api: Api, make: Make, owner: Login, database: Database
) -> None:
    """The job of the account waits as long as the network said: it is not written again, and takes no place."""
    _, target_id, account_id = await published(api, make, owner)
    await make_due(database, target_id)
    lease: Any = InTest(database)
    await dispatched(lease)
    key = f"{plan.COLLECT}/{account_id}"

    async def is_asked() -> bool:
        async with database.connection() as db:
            due = await queries.due_accounts(db, [account_id], job_key=f"{plan.COLLECT}/")
        return bool(due)

    async with database.connection() as db:
        await db.execute("update job set next_attempt_at = now() + interval '1 hour' where unique_key = $1", key)
    assert not await is_asked()
    await dispatched(lease)
    async with database.connection() as db:
        waits = "select next_attempt_at > now() + interval '59 minutes' from job where unique_key = $1"
        assert await db.fetchval(waits, key)
        await db.execute("update job set next_attempt_at = now() where unique_key = $1", key)
    assert await is_asked()


async def test_the_numbers_of_an_hour_are_one_row_and_null_is_not_zero(
    api: Api, make: Make, owner: Login, context: AppContext, database: Database
) -> None:
    _, target_id, account_id = await published(api, make, owner, "[[metrics:views=120,likes=0,watchTimeSeconds=9]]")
    for _ in range(2):
        await make_due(database, target_id)
        assert await run(context, database, account_id) is None

    async with database.connection() as db:
        rows = await queries.history(db, owner.workspace_id, target_id)
    assert len({row.bucket for row in rows}) == len(rows) <= 2  # the clock may have passed an hour in between
    assert (rows[-1].views, rows[-1].likes, rows[-1].watch_time_seconds, rows[-1].reach) == (120, 0, 9, None)
    due = await due_at(database, target_id)
    assert due is not None
    assert timedelta(minutes=55) < due - rows[-1].collected_at < timedelta(minutes=61)
    await run(context, database, account_id)
    async with database.connection() as db:
        assert await queries.history(db, owner.workspace_id, target_id) == rows, "nothing was due"


async def test_a_post_that_the_network_no_longer_has_is_removed_and_said_so(
    api: Api, make: Make, owner: Login, context: AppContext, database: Database
) -> None:
    """Nor does it say any longer that its removal failed."""
    post, target_id, account_id = await published(api, make, owner, "[[metrics:gone]]")
    await make_due(database, target_id)
    error = target_error("removal_failed", "The network refused.", datetime.now(UTC))
    async with database.connection() as db:
        await db.execute("update target set error = $2 where id = $1", target_id, error)

    await run(context, database, account_id)

    target = (await api.get(f"/posts/{post['id']}", key=owner.key)).json()["targets"][0]
    assert (target["status"], target["removedAt"] is not None, target["error"]) == ("removed", True, None)
    entries = (await api.get(f"/posts/{post['id']}/audit", key=owner.key)).json()["data"]
    assert any(entry["actor"]["name"] == "analytics" for entry in entries)
    assert await due_at(database, target_id) is None


async def test_what_was_removed_is_not_asked_for_and_not_due_for_ever(
    api: Api, make: Make, owner: Login, context: AppContext, database: Database
) -> None:
    _, target_id, account_id = await published(api, make, owner)
    await make_due(database, target_id)
    async with database.connection() as db:
        await db.execute("update target set status = 'removed' where id = $1", target_id)

    await run(context, database, account_id)

    assert await due_at(database, target_id) is None
    async with database.connection() as db:
        assert await queries.history(db, owner.workspace_id, target_id) == []


async def test_an_account_that_cannot_be_asked_waits_a_day(
    api: Api, make: Make, owner: Login, database: Database
) -> None:
    _, target_id, account_id = await published(api, make, owner)
    await make_due(database, target_id)
    async with database.connection() as db:
        await db.execute("update account set status = 'needs_reauth' where id = $1", account_id)
        await plan.dispatch(db, {account_id: None}, 10)
        accounts = await queries.due_accounts(db, [account_id], job_key=f"{plan.COLLECT}/")

    due = await due_at(database, target_id)
    assert due is not None
    assert due - datetime.now(UTC) > timedelta(hours=23)
    assert account_id not in [each for each, _ in accounts]


async def test_a_network_that_refuses_is_left_alone_as_long_as_it_says(
    api: Api, make: Make, owner: Login, context: AppContext, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a 429 the job comes back when it may; after any other refusal, the account is left alone for a day."""
    _, target_id, account_id = await published(api, make, owner)
    await make_due(database, target_id)
    error = ApiError(Response(429, {}, b"{}", 5), "GET /numbers")

    async def refuse(*_: object) -> Any:
        raise error

    for outcome, expected in ((TryLater(message="Wait.", after_seconds=900.0), RunAgain(900.0)), (None, None)):
        explain = sandbox.explain if outcome is None else lambda _, result=outcome: result
        broken = dataclasses.replace(sandbox.CONNECTOR, metrics=refuse, explain=explain)
        monkeypatch.setitem(networks.CONNECTORS, "sandbox", broken)
        assert await run(context, database, account_id) == expected
    due = await due_at(database, target_id)
    assert due is not None
    assert due - datetime.now(UTC) > timedelta(hours=23)


async def test_a_post_that_the_network_refuses_does_not_stop_the_others(
    api: Api, make: Make, owner: Login, context: AppContext, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One call is about many posts. The bad one is found by halves, and asked for again in a day."""
    targets = [(await published(api, make, owner, f"[[metrics:views={number}]]"))[1] for number in range(5)]
    account_id = (await published(api, make, owner, "[[metrics:views=5]]"))[2]
    for target_id in targets:
        await make_due(database, target_id)
    calls = 0

    async def picky(session: Any, remote_ids: Any) -> Any:
        nonlocal calls
        calls += 1
        if any("views.3" in remote_id for remote_id in remote_ids):
            raise ApiError(Response(400, {}, b"{}", 5), "GET /numbers")
        return await sandbox.metrics(session, remote_ids)

    monkeypatch.setitem(networks.CONNECTORS, "sandbox", dataclasses.replace(sandbox.CONNECTOR, metrics=picky))
    assert await run(context, database, account_id) is None

    async with database.connection() as db:
        found = [bool(await queries.history(db, owner.workspace_id, target_id)) for target_id in targets]
    assert found == [True, True, True, False, True]
    assert calls <= 7
    due = await due_at(database, targets[3])
    assert due is not None
    assert due - datetime.now(UTC) > timedelta(hours=23)


async def test_an_account_whose_every_post_is_refused_is_left_alone(
    api: Api, make: Make, owner: Login, context: AppContext, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    targets = [(await published(api, make, owner)) for _ in range(8)]
    for _, target_id, _ in targets:
        await make_due(database, target_id)
    calls = 0

    async def refuse(_session: Any, _remote_ids: Any) -> Any:
        nonlocal calls
        calls += 1
        raise BadResponse("not a list")

    monkeypatch.setitem(networks.CONNECTORS, "sandbox", dataclasses.replace(sandbox.CONNECTOR, metrics=refuse))
    assert await run(context, database, targets[0][2]) is None

    dues = [await due_at(database, target_id) for _, target_id, _ in targets]
    assert all(due is not None and due - datetime.now(UTC) > timedelta(hours=23) for due in dues)
    assert calls <= 8


async def test_numbers_of_the_sandbox_are_plausible_grow_and_repeat(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[Metrics] = []
    for hours in (24, 24, 2_400):
        monkeypatch.setattr("signalpost.kit.clock.now", lambda hours=hours: START + timedelta(hours=hours))
        answer = (await sandbox.metrics(None, ["sbx_1"]))["sbx_1"]  # type: ignore[arg-type] # it needs no session
        assert answer is not None
        found.append(answer)
    first, same, later = found
    assert first == same
    assert (first.views or 0) < (later.views or 0)
    assert 0 <= (later.likes or 0) <= (later.views or 0) <= (later.impressions or 0)


# --- by hand --------------------------------------------------------------------------------------------------------


async def test_staff_have_numbers_collected_and_what_is_fresh_is_skipped(
    api: Api, make: Make, owner: Login, context: AppContext, database: Database
) -> None:
    staff = await make.staff()
    post, target_id, account_id = await published(api, make, owner)

    async def sync(**body: Any) -> tuple[int, int]:
        answer = await api.post("/admin/sync-metrics", json=body, key=staff.key)
        assert answer.status_code == 201, answer.text
        assert answer.json()["jobId"].startswith("job_")
        return answer.json()["accepted"], answer.json()["skipped"]

    assert await sync(postIds=[post["id"]]) == (1, 0)
    await run(context, database, account_id)
    assert await sync(profileId=owner.profile) == (0, 1)
    assert await sync(accountId=post["targets"][0]["accountId"], force=True) == (1, 0)
    assert (await sync())[0] >= 1
    due = await due_at(database, target_id)
    assert due is not None
    assert due <= datetime.now(UTC)
    unknown = {"profileId": ids.encode("prof", ids.new_id()), "postIds": [ids.encode("pst", ids.new_id())]}
    answer = await api.post("/admin/sync-metrics", json=unknown, key=staff.key)
    assert [issue["path"] for issue in answer.json()["errors"]] == ["/profileId", "/postIds/0"]


async def test_cron_needs_the_secret_or_staff(api: Api, make: Make, owner: Login) -> None:
    staff, path = await make.staff(), "/admin/sync-metrics-cron"

    results = [
        (await api.post(path)).json(),
        (await api.post(path, headers={"X-Queue-Secret": "wrong"})).json(),
        (await api.post(path, key=owner.key)).json(),
        (await api.post(path, key="sp_live_x")).json(),
    ]
    good = await asyncio.gather(
        api.post(path, headers=QUEUE), api.post(path, headers=QUEUE), api.post(path, key=staff.key)
    )

    codes = ["unauthenticated", "invalid_queue_secret", "insufficient_scope", "unauthenticated"]
    assert [result["code"] for result in results] == codes
    assert {answer.status_code for answer in good} == {201}
    assert len({answer.json()["jobId"] for answer in good}) == 1, "several at once are one job"
