"""Uptime: one sample a minute, the weight of partial outages, backfills, and what decides automatic components."""

import asyncio
from datetime import UTC, date, datetime, time, timedelta
from uuid import UUID

import pytest
from tests.helpers.api import Api
from tests.helpers.engine import until
from tests.helpers.factories import Make
from tests.status.test_incidents import component, declare, say, status_of

from signalpost.engine.contract import EngineStatus, SourceBacklog
from signalpost.kit import clock, ids
from signalpost.kit.db import Database, Db
from signalpost.status.actions import components, samples
from signalpost.status.states import ComponentStatus

WAITING = """exists (select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock')"""


def today() -> date:
    return clock.now().date()


async def set_days(database: Database, part: str, *days: tuple[int, list[int]]) -> None:
    """Write minutes by status, for days so many days ago."""
    async with database.transaction() as db:
        for ago, minutes in days:
            await db.execute(
                "insert into status_day (component_id, day, sampled) values ($1, $2, $3)",
                ids.decode("cmp", part), today() - timedelta(days=ago), minutes,
            )  # fmt: skip


async def test_a_minute_counts_once_with_the_status_it_had(api: Api, staff: str, database: Database) -> None:
    part, day_now = await component(api, staff), today()
    noon = datetime(day_now.year, day_now.month, day_now.day, 12, 0, 20, tzinfo=UTC)
    for minute, status in ((0, "operational"), (0, "major_outage"), (1, "major_outage"), (2, "partial_outage")):
        await api.patch(f"/status/admin/components/{part['id']}/status", json={"status": status}, key=staff)
        async with database.transaction() as db:
            await samples.sample(db, noon + timedelta(minutes=minute))

    day = (await api.get(f"/status/uptime/{part['key']}")).json()["days"][-1]
    assert day | {"incidentIds": []} == {
        "date": day_now.isoformat(),
        "uptimePercent": 56.66,  # 1.3 of 3 minutes were down
        "downtimeSeconds": 78,
        "worstStatus": "major_outage",
        "incidentIds": [],
    }
    await api.patch(f"/status/admin/components/{part['id']}/status", json={"status": "operational"}, key=staff)


async def test_uptime_over_a_week_a_month_and_90_days(api: Api, staff: str, database: Database) -> None:
    part = await component(api, staff)
    perfect, outage, partial = [1440, 0, 0, 0, 0], [1296, 0, 0, 0, 144], [720, 0, 0, 720, 0]
    await set_days(database, part["id"], (0, perfect), (8, outage), (40, partial), (90, [0, 0, 0, 0, 1440]))
    found = (await api.get(f"/status/uptime/{part['id']}")).json()

    assert (found["uptime7d"], found["uptime30d"], found["uptime90d"]) == (100.0, 95.0, 91.66)
    assert len(found["days"]) == 90
    assert [day["date"] for day in found["days"]] == sorted(day["date"] for day in found["days"])
    assert sum(day["uptimePercent"] is not None for day in found["days"]) == 3
    listed = (await api.get("/status/components")).json()["data"]
    assert next(row["uptime90d"] for row in listed if row["id"] == part["id"]) == 91.66


async def test_no_data_is_null_and_an_unknown_component_is_not_found(api: Api, staff: str) -> None:
    part = await component(api, staff)
    found = (await api.get(f"/status/uptime/{part['id']}")).json()
    assert (found["uptime90d"], found["days"][0]["uptimePercent"], found["days"][0]["worstStatus"]) == (None,) * 3
    for name in (ids.encode("cmp", ids.new_id()), "nothing", "acc_1"):
        assert (await api.get(f"/status/uptime/{name}")).status_code == 404


async def test_a_backfill_fills_what_was_not_recorded_and_nothing_else(
    api: Api, staff: str, database: Database
) -> None:
    part = await component(api, staff)
    incident = await declare(api, staff, part, impact="critical")
    await say(api, staff, incident, "resolved")
    start = datetime.combine(today() - timedelta(days=3), time(6), UTC)
    async with database.transaction() as db:
        await db.execute(
            "update status_incident set started_at = $2, ended_at = $3 where id = $1",
            ids.decode("inc", incident["id"]), start, start + timedelta(hours=2),
        )  # fmt: skip
    await set_days(database, part["id"], (3, [1000, 0, 0, 0, 30]), (2, [1440, 0, 0, 0, 0]))
    span = {"from": (today() - timedelta(days=4)).isoformat(), "to": (today() - timedelta(days=2)).isoformat()}
    for _ in range(2):
        answer = await api.post("/status/admin/backfill-uptime", json={"componentId": part["id"], **span}, key=staff)
        assert answer.json() == {"daysWritten": 3, "components": 1}
        days = {day["date"]: day for day in (await api.get(f"/status/uptime/{part['id']}")).json()["days"]}
        before, during, after = (days[(today() - timedelta(days=ago)).isoformat()] for ago in (4, 3, 2))

        assert (before["uptimePercent"], after["uptimePercent"]) == (100.0, 100.0)
        assert (during["downtimeSeconds"], during["incidentIds"]) == (120 * 60, [incident["id"]])


async def test_a_backfill_counts_a_minute_of_several_incidents_once_as_the_worst(
    api: Api, staff: str, database: Database
) -> None:
    """Two outages at once, the second half an hour longer, and a partial one over both and an hour more."""
    part = await component(api, staff)
    start = datetime.combine(today() - timedelta(days=3), time(6), UTC)
    for impact, minutes in (("critical", 60), ("critical", 90), ("major", 150)):
        incident = await declare(api, staff, part, impact=impact, notify=False)
        await say(api, staff, incident, "resolved", notify=False)
        async with database.transaction() as db:
            await db.execute(
                "update status_incident set started_at = $2, ended_at = $3 where id = $1",
                ids.decode("inc", incident["id"]), start, start + timedelta(minutes=minutes),
            )  # fmt: skip
    day = (today() - timedelta(days=3)).isoformat()
    span = {"componentId": part["id"], "from": day, "to": day}
    assert (await api.post("/status/admin/backfill-uptime", json=span, key=staff)).status_code == 201

    async with database.connection() as db:
        filled = await db.fetchval(
            "select filled from status_day where component_id = $1", ids.decode("cmp", part["id"])
        )
    assert filled == [1440 - 150, 0, 0, 60, 90]


async def test_measuring_does_not_overrule_an_incident_that_is_declared_meanwhile(
    api: Api, staff: str, database: Database
) -> None:
    """Nothing would give the component the status of the incident again."""
    part = await component(api, staff)
    component_id = ids.decode("cmp", part["id"])
    async with database.transaction() as db:
        await db.execute(
            "update status_component set automatic = true, status = 'degraded_performance' where id = $1", component_id
        )

    async def measure() -> None:
        async with database.transaction() as db:
            await samples.apply(db, {})

    async with database.transaction() as db:
        await components.lock(db)
        await db.execute(
            "insert into status_incident (id, title, kind, status, impact, component_ids, component_status, started_at)"
            " values ($1, 'Down', 'incident', 'identified', 'critical', array[$2::uuid], 'major_outage', now())",
            ids.new_id(), component_id,
        )  # fmt: skip
        await components.settle(db, [component_id] if component_id else [], ended=False, tell=False)
        measuring = asyncio.create_task(measure())
        await until(database, WAITING)
    await measuring
    assert await status_of(api, part) == "major_outage"


@pytest.mark.parametrize(
    ("days", "path"),
    [
        ({"from": "2026-02-30"}, "/from"),
        ({"from": 90}, "/from"),
        ({"to": -1}, "/to"),
        ({"from": 0, "to": 1}, "/to"),
        ({"componentId": ids.encode("cmp", ids.new_id())}, "/componentId"),
    ],
)
async def test_a_backfill_of_impossible_days_is_refused(
    api: Api, staff: str, days: dict[str, str | int], path: str
) -> None:
    """Numbers are so many days ago."""
    body = {
        name: day if isinstance(day, str) else (today() - timedelta(days=day)).isoformat() for name, day in days.items()
    }
    answer = await api.post("/status/admin/backfill-uptime", json=body, key=staff)

    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (422, path)


@pytest.mark.parametrize(
    ("good", "total", "status"),
    [(0, 19, "operational"), (18, 20, "operational"), (17, 20, "degraded_performance"),
     (10, 20, "degraded_performance"), (9, 20, "partial_outage"), (0, 0, "operational")],
)  # fmt: skip
def test_the_share_of_good_results_decides(good: int, total: int, status: ComponentStatus) -> None:
    assert samples.rate(good, total) == status


@pytest.mark.parametrize(
    ("seconds", "status"), [(300, "operational"), (301, "degraded_performance"), (1_801, "partial_outage")]
)
def test_overdue_work_decides(seconds: float, status: ComponentStatus) -> None:
    backlog = SourceBacklog(ready_lanes=1, overdue=1, oldest_due_age_seconds=seconds)
    engine = EngineStatus(True, 1, None, 1, {"target": backlog}, None)

    assert samples.lateness(engine, "target") == status
    assert samples.lateness(engine, "delivery") == "operational"


async def test_results_of_a_network_decide_its_component_unless_an_incident_does(
    api: Api, staff: str, make: Make, database: Database
) -> None:
    """Mistakes of users do not count against a network, and neither does what is older than 15 minutes."""
    owner = await make.owner()
    await make.account(owner)
    post = await make.post(owner)
    target = ids.decode("tgt", post["targets"][0]["id"])
    platform = "lemmy"
    async with database.transaction() as db:
        await samples.seed(db, {platform: "Lemmy"})
        await samples.seed(db, {platform: "Lemmy"})
        await db.execute("update target set platform = $2 where id = $1", target, platform)
    parts = [row for row in (await api.get("/status/components")).json()["data"] if row["platform"] == platform]
    assert [(row["key"], row["automatic"]) for row in parts] == [(platform, True)]

    async def measured(outcome: str, source: str | None, count: int, *, old: bool = False) -> ComponentStatus:
        async with database.transaction() as db:
            await _attempts(db, target, outcome, source, count, old=old)
            found = await samples.measure(db, None)
            await samples.apply(db, found)
            return found.get(platform, "operational")

    assert await measured("failed", "platform", 40, old=True) == "operational"
    assert await measured("failed", "user", 40) == "operational"
    assert await measured("published", None, 20) == "operational"
    assert await measured("failed", "platform", 5) == "degraded_performance"
    assert await status_of(api, parts[0]) == "degraded_performance"
    incident = await declare(api, staff, parts[0], impact="critical")
    assert await measured("retrying", "platform", 30) == "partial_outage"
    assert await status_of(api, parts[0]) == "major_outage"
    await say(api, staff, incident, "resolved")
    assert await measured("published", None, 500) == "operational"


async def _attempts(db: Db, target: UUID | None, outcome: str, source: str | None, count: int, *, old: bool) -> None:
    moment = clock.now() - timedelta(minutes=16 if old else 1)
    first = ids.first_at(moment).int
    await db.executemany(
        "insert into attempt (id, workspace_id, post_id, target_id, number, owner, content_hash, outcome, finished_at,"
        " error) select $1, workspace_id, post_id, id, 1, id, '', $3, now(), $4 from target where id = $2",
        [
            (UUID(int=first + ids.new_id().int % (1 << 60)), target, outcome, {"source": source} if source else None)
            for _ in range(count)
        ],
    )
