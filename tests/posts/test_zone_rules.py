"""A country changes its clocks after a post was scheduled for a wall time there: the post is moved, and says so."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from tests.figures.record import Record, holds
from tests.helpers.api import Api
from tests.helpers.blocked import until_blocked
from tests.helpers.factories import Login, Make

from signalpost.context import AppContext
from signalpost.kit import clock, ids
from signalpost.posts import queries, times, work
from signalpost.posts.change import zone_rules

ZONE = ZoneInfo("Europe/Berlin")
OLD = "1999a"


class Lease:
    """The lease of a job, as far as its handler uses it."""

    def __init__(self, context: AppContext) -> None:
        self.transaction = context.database.transaction


async def _run(context: AppContext) -> None:
    lease: Any = Lease(context)
    await work.ZoneRules().follow(lease, {})


def _summer(days: int = 0) -> datetime:
    """A wall time at noon, one to eleven months ahead."""
    return (clock.now() + timedelta(days=60 + days)).replace(hour=12, minute=0, second=0, microsecond=0, tzinfo=None)


async def _scheduled(make: Make, owner: Login, at: str, **fields: Any) -> dict[str, Any]:
    return await make.post(owner, scheduledAt=at, timezone=ZONE.key, **fields)


async def _as_if_by_old_rules(
    context: AppContext, post: dict[str, Any], at: datetime, version: str | None = OLD
) -> None:
    """Give the post the instant that rules of an older version would have given it."""
    async with context.database.transaction() as db:
        await db.execute("update post set scheduled_at = $2, tzdata_version = $3 where id = $1", _id(post), at, version)
        await db.execute("update target set due_at = $2, next_attempt_at = $2 where post_id = $1", _id(post), at)


def _id(post: dict[str, Any]) -> Any:
    return ids.decode("pst", post["id"])


async def _row(context: AppContext, post: dict[str, Any]) -> Any:
    async with context.database.connection() as db:
        return await db.fetchrow(
            "select p.scheduled_at, p.tzdata_version, p.version, t.due_at, t.next_attempt_at, l.next_due_at from post p"
            " join target t on t.post_id = p.id left join lane l on l.kind = 'target' and l.key = t.account_id"
            " where p.id = $1",
            _id(post),
        )


@pytest.fixture
async def owner(make: Make) -> Login:
    owner = await make.owner()
    await make.account(owner)
    return owner


@holds("R2")
@pytest.mark.parametrize("hours", [-1, 1])
async def test_a_post_for_a_wall_time_is_moved(
    context: AppContext, api: Api, make: Make, owner: Login, record: Record, hours: int
) -> None:
    wall = _summer()
    post = await _scheduled(make, owner, wall.isoformat())
    right = wall.replace(tzinfo=ZONE).astimezone(UTC)
    before = right + timedelta(hours=hours)
    await _as_if_by_old_rules(context, post, before)

    await _run(context)

    row = await _row(context, post)
    record("R2", tried={"changed zone rules": 1}, measured={"early": int(row["next_attempt_at"] < right)})
    assert row["scheduled_at"] == row["due_at"] == row["next_attempt_at"] == right
    assert row["tzdata_version"] == times.tzdata_version()
    assert row["next_due_at"] <= right
    shown = (await api.get(f"/posts/{post['id']}", key=owner.key)).json()
    assert shown["scheduledAt"] == clock.wire(right)
    assert shown["version"] == post["version"] + 1
    log = (await api.get(f"/posts/{post['id']}/audit", key=owner.key)).json()["data"]
    entry = next(entry for entry in log if entry["actor"]["type"] == "system")
    assert entry["action"] == "updated"
    assert entry["changes"] == [{"field": "scheduledAt", "from": clock.wire(before), "to": clock.wire(right)}]


@pytest.mark.parametrize(
    ("wall", "utc"),
    [
        ("2040-03-25T02:30:00", "2040-03-25T01:30:00"),  # does not exist: 03:30 summer time
        ("2040-10-28T02:30:00", "2040-10-28T00:30:00"),  # exists twice: the first one
    ],
)
async def test_the_rules_of_daylight_saving_apply(
    context: AppContext, make: Make, owner: Login, wall: str, utc: str
) -> None:
    post = await _scheduled(make, owner, _summer().isoformat())
    right = datetime.fromisoformat(f"{utc}+00:00")
    async with context.database.connection() as db:
        local = datetime.fromisoformat(wall)
        await db.execute("update post set scheduled_local = $2 where id = $1", _id(post), local)
    await _as_if_by_old_rules(context, post, right + timedelta(hours=1))

    await _run(context)

    assert (await _row(context, post))["scheduled_at"] == right


async def test_lanes_are_locked_before_posts(context: AppContext, make: Make, owner: Login) -> None:
    """As by whoever changes a post: if both were begun in the other order, they would end in a deadlock."""
    post = await _scheduled(make, owner, _summer().isoformat())
    right = (await _row(context, post))["scheduled_at"]
    later = right + timedelta(hours=1)
    await _as_if_by_old_rules(context, post, later)
    async with context.database.connection() as db:
        await db.execute(
            "update lane set next_due_at = $2 where kind = 'target' and key in ("
            "select account_id from target where post_id = $1)",
            _id(post),
            later,
        )
    async with context.database.transaction() as db:
        accounts = await db.fetch("select account_id from target where post_id = $1", _id(post))
        await queries.lock_lanes(db, [row["account_id"] for row in accounts])
        moving = asyncio.create_task(_run(context))
        await until_blocked(context.database, db)
        await db.execute("select from post where id = $1 for no key update nowait", _id(post))
    await moving

    row = await _row(context, post)
    assert row["scheduled_at"] == row["due_at"] == row["next_due_at"] == right


async def test_a_post_for_an_instant_stays(context: AppContext, make: Make, owner: Login) -> None:
    """An offset names an instant, whatever the clocks of the zone show then."""
    at = clock.wire(_summer().replace(tzinfo=UTC))
    post = await _scheduled(make, owner, at)
    async with context.database.connection() as db:
        await db.execute("update post set tzdata_version = $2 where id = $1", _id(post), OLD)

    await _run(context)

    row = await _row(context, post)
    assert clock.wire(row["scheduled_at"]) == at
    assert row["version"] == 1


async def test_what_is_right_already_is_only_marked(context: AppContext, make: Make, owner: Login) -> None:
    wall = _summer()
    post = await _scheduled(make, owner, wall.isoformat())
    await _as_if_by_old_rules(context, post, wall.replace(tzinfo=ZONE).astimezone(UTC), None)

    await _run(context)

    row = await _row(context, post)
    assert (row["version"], row["tzdata_version"]) == (1, times.tzdata_version())


async def test_a_post_that_is_due_soon_stays(context: AppContext, make: Make, owner: Login) -> None:
    post = await _scheduled(make, owner, _summer().isoformat())
    soon = clock.now() + zone_rules.SOON - timedelta(seconds=30)
    await _as_if_by_old_rules(context, post, soon)

    await _run(context)

    assert (await _row(context, post))["scheduled_at"] == soon


async def test_a_wall_time_that_has_passed_by_the_new_rules_is_due_soon(
    context: AppContext, make: Make, owner: Login
) -> None:
    """Never in the past, where it could have missed its window."""
    post = await _scheduled(make, owner, _summer().isoformat())
    passed = (clock.now().astimezone(ZONE) - timedelta(minutes=20)).replace(tzinfo=None)
    async with context.database.connection() as db:
        await db.execute("update post set scheduled_local = $2 where id = $1", _id(post), passed)
    await _as_if_by_old_rules(context, post, clock.now() + timedelta(minutes=40))

    await _run(context)

    row = await _row(context, post)
    assert abs(row["due_at"] - clock.now() - zone_rules.SOON) < timedelta(minutes=1)


async def test_an_older_program_leaves_newer_posts_alone(context: AppContext, make: Make, owner: Login) -> None:
    wall = _summer()
    post = await _scheduled(make, owner, wall.isoformat())
    newer = wall.replace(tzinfo=ZONE).astimezone(UTC) + timedelta(hours=1)
    await _as_if_by_old_rules(context, post, newer, "2999a")

    await _run(context)

    assert (await _row(context, post))["scheduled_at"] == newer


async def test_an_edit_keeps_the_wall_time(context: AppContext, api: Api, make: Make, owner: Login) -> None:
    """A change of the text, or writing back the time that was read, is no new wish."""
    wall = _summer()
    post = await _scheduled(make, owner, wall.isoformat())
    right = wall.replace(tzinfo=ZONE).astimezone(UTC)
    await _as_if_by_old_rules(context, post, right + timedelta(hours=1))
    shown = (await api.get(f"/posts/{post['id']}", key=owner.key)).json()
    for change in ({"text": "another text"}, {"scheduledAt": shown["scheduledAt"]}):
        response = await api.patch(f"/posts/{post['id']}", json=change, key=owner.key)
        assert response.status_code == 200, response.text

    await _run(context)

    assert (await _row(context, post))["scheduled_at"] == right


async def test_batches_reach_every_post(
    context: AppContext, make: Make, owner: Login, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "_ZONE_BATCH", 2)
    wall = _summer()
    posts = [await _scheduled(make, owner, (wall + timedelta(days=n // 2)).isoformat()) for n in range(5)]
    for number, post in enumerate(posts):
        at = (wall + timedelta(days=number // 2)).replace(tzinfo=ZONE).astimezone(UTC)
        await _as_if_by_old_rules(context, post, at + timedelta(hours=1))

    await _run(context)

    versions = [(await _row(context, post))["tzdata_version"] for post in posts]
    assert versions == [times.tzdata_version()] * 5


async def test_a_process_looks_once_a_day(
    context: AppContext, make: Make, owner: Login, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules, lease = work.ZoneRules(), Lease(context)
    following: Any = lease
    await rules.follow(following, {})
    wall = _summer()
    post = await _scheduled(make, owner, wall.isoformat())
    right = wall.replace(tzinfo=ZONE).astimezone(UTC)
    await _as_if_by_old_rules(context, post, right + timedelta(hours=1))

    await rules.follow(following, {})
    assert (await _row(context, post))["scheduled_at"] != right
    now = clock.monotonic()
    monkeypatch.setattr(clock, "monotonic", lambda: now + work.DAY_SECONDS + 1)
    await rules.follow(following, {})
    assert (await _row(context, post))["scheduled_at"] == right
