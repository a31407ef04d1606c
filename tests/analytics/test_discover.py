"""What was published is found once, on the day of its profile, with sums that always equal those of its rows."""

import asyncio
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.helpers.mail import InTest

from signalpost.analytics import work
from signalpost.analytics.actions import discover
from signalpost.kit import ids
from signalpost.kit.db import Database
from signalpost.kit.isolation import SERVICE

NUMBERS = ("views", "likes", "comments", "shares", "saves", "clicks", "impressions", "reach", "watch_time_seconds")


@pytest.fixture
async def owner(make: Make) -> Login:
    owner = await make.owner()
    await make.account(owner)
    return owner


async def published_at(api: Api, make: Make, owner: Login, database: Database, at: datetime) -> UUID:
    """A target that was published then; return its id."""
    post = await make.post(owner, publishMode="draft")
    target_id = ids.decode("tgt", post["targets"][0]["id"])
    async with database.connection() as db:
        await db.execute(
            "update target set status = 'published', published_at = $2, remote_id = $3 where id = $1",
            target_id, at, str(target_id),
        )  # fmt: skip
    assert target_id is not None
    return target_id


async def discovered(database: Database, owner: Login) -> list[tuple[UUID, str]]:
    async with database.transaction() as db:
        await discover.bring_up_to_date(db, owner.workspace_id)
        found = await db.fetch(
            "select target_id, day::text from metric_latest where workspace_id = $1 order by published_at",
            owner.workspace_id,
        )
    return [(row[0], row[1]) for row in found]


async def test_what_was_published_is_found_once_and_nothing_is_looked_at_again(
    api: Api, make: Make, owner: Login, database: Database
) -> None:
    now = datetime.now(UTC)
    old = await published_at(api, make, owner, database, now - timedelta(days=200))
    assert [target for target, _ in await discovered(database, owner)] == [old]
    new = await published_at(api, make, owner, database, now - timedelta(minutes=5))
    assert [target for target, _ in await discovered(database, owner)] == [old, new]

    async with database.connection() as db:
        due = {
            row[0]: row[1]
            for row in await db.fetch(
                "select target_id, due_at from metric_schedule where workspace_id = $1", owner.workspace_id
            )
        }
        scanned = await db.fetchval(
            "select scanned_until from metric_account where workspace_id = $1", owner.workspace_id
        )
    assert due[new] == now - timedelta(minutes=5) + timedelta(hours=1)
    assert timedelta() < due[old] - now < timedelta(days=8), "weekly, and what was missed is not made up for"
    assert scanned > now - timedelta(hours=1, minutes=10), "the next look begins here"


async def test_a_post_that_becomes_visible_late_is_found(
    api: Api, make: Make, owner: Login, database: Database
) -> None:
    """A transaction that began before another one may end after it."""
    now = datetime.now(UTC)
    await published_at(api, make, owner, database, now)
    await discovered(database, owner)
    late = await published_at(api, make, owner, database, now - timedelta(seconds=30))
    assert late in [target for target, _ in await discovered(database, owner)]


async def test_days_are_those_of_the_profile_and_follow_it_to_another_zone(
    api: Api, make: Make, owner: Login, database: Database
) -> None:
    """Half past midnight in Berlin, on both days on which its clocks change; in UTC it is still the day before."""
    await api.patch(f"/profiles/{owner.profile}", json={"timezone": "Europe/Berlin"}, key=owner.key)
    spring, autumn = datetime(2026, 3, 28, 23, 30, tzinfo=UTC), datetime(2026, 10, 24, 22, 30, tzinfo=UTC)
    for at in (spring, autumn):
        await published_at(api, make, owner, database, at)
    assert [day for _, day in await discovered(database, owner)] == ["2026-03-29", "2026-10-25"]

    await api.patch(f"/profiles/{owner.profile}", json={"timezone": "UTC"}, key=owner.key)

    assert [day for _, day in await discovered(database, owner)] == ["2026-03-28", "2026-10-24"]
    assert await sums(database, owner) == await slow_sums(database, owner)


async def sums(database: Database, owner: Login) -> dict[Any, Any]:
    async with database.connection() as db:
        found = await db.fetch("select * from metric_day where workspace_id = $1 and posts > 0", owner.workspace_id)
    return {
        (row["mode"], row["day"], row["account_id"]): {
            name: row[name] for name in row.keys() if isinstance(row[name], int)  # noqa: SIM118 - of a record
        }
        for row in found
    }  # fmt: skip


async def slow_sums(database: Database, owner: Login) -> dict[Any, Any]:
    """The same from each row, in plain Python."""
    async with database.connection() as db:
        found = await db.fetch("select * from metric_latest where workspace_id = $1", owner.workspace_id)
    days: dict[Any, Any] = {}
    names = ["posts", "measured", *NUMBERS, *(f"{name}_n" for name in NUMBERS)]
    names += ["engaged", "over_impressions", "over_reach", "over_views"]
    for row in found:
        day = days.setdefault((row["mode"], row["day"], row["account_id"]), dict.fromkeys(names, 0))
        day["posts"] += 1
        day["measured"] += row["collected_at"] is not None
        for name in NUMBERS:
            day[name] += row[name] or 0
            day[f"{name}_n"] += row[name] is not None
        known = [row[name] for name in ("likes", "comments", "shares") if row[name] is not None]
        basis = next((name for name in ("impressions", "reach", "views") if row[name] is not None), None)
        if known and basis:
            day["engaged"] += sum(known)
            day[f"over_{basis}"] += row[basis]
    return days


async def test_sums_equal_those_of_the_rows_whatever_is_written_and_deleted(
    api: Api, make: Make, owner: Login, database: Database
) -> None:
    """Numbers that come late, twice, out of order, as null after a number; posts deleted for good."""
    chance = random.Random(20261122)
    now = datetime.now(UTC)
    targets = [
        await published_at(api, make, owner, database, now - timedelta(days=chance.randrange(5), hours=1))
        for _ in range(12)
    ]
    await discovered(database, owner)
    numbers = ", ".join(f"{name} = ${place}" for place, name in enumerate(NUMBERS, 3))
    async with database.connection() as db:
        for round_ in range(6):
            for target_id in targets:
                values = [chance.choice((None, 0, chance.randrange(10_000))) for _ in NUMBERS]
                await db.execute(
                    f"update metric_latest set collected_at = $2, {numbers} where target_id = $1",
                    target_id, now + timedelta(hours=round_), *values,
                )  # fmt: skip
            gone = targets.pop(chance.randrange(len(targets)))
            await db.execute("delete from post where id = (select post_id from target where id = $1)", gone)
            assert await sums(database, owner) == await slow_sums(database, owner)
    assert len(targets) == 6


async def test_two_looks_at_once_count_nothing_twice(api: Api, make: Make, owner: Login, database: Database) -> None:

    for hours in range(4):
        await published_at(api, make, owner, database, datetime.now(UTC) - timedelta(hours=hours))
    lease: Any = InTest(database)
    await asyncio.gather(work.Planning().run(lease, {}), work.Planning().run(lease, {}), discovered(database, owner))
    assert sum(day["posts"] for day in (await sums(database, owner)).values()) == 4


async def test_old_posts_are_not_read_again_where_row_level_security_holds(owner: Login, database: Database) -> None:
    """Under a policy an index takes only conditions that cannot leak rows; others are checked post by post."""
    async with database.transaction() as db:
        await db.execute(f"set local role {SERVICE}; set local signalpost.tenant = '{owner.workspace_id}'")
        await db.execute("set local enable_seqscan = off")  # as with many posts, of which this database has few
        plan = await db.fetchval("explain (format json) " + discover._NEXT, [], [], [], 200)

    [conditions] = [
        node["Index Cond"] for node in _nodes(plan[0]["Plan"]) if node.get("Index Name") == "target_account"
    ]
    assert "published_at >= " in conditions


def _nodes(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for child in node.get("Plans", ()):
        yield from _nodes(child)
