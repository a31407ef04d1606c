"""A long past is found in small steps: a question adds a bounded part of it, and says until when everything counts."""

from datetime import UTC, datetime, timedelta
from typing import cast
from uuid import UUID

import pytest
from tests.analytics.test_many_numbers import publish
from tests.helpers.api import Api
from tests.helpers.counted import CountedLease
from tests.helpers.factories import Login, Make

from signalpost.accounts import queries as accounts
from signalpost.accounts.queries import AccountRow
from signalpost.analytics import work
from signalpost.analytics.actions import discover
from signalpost.engine.contract import Lease
from signalpost.kit import clock, ids
from signalpost.kit.db import Database

MORE = 500
"""How many targets do not fit into one question."""


@pytest.fixture
async def owner(make: Make) -> Login:
    return await make.owner()


async def account_of(make: Make, database: Database, owner: Login) -> AccountRow:
    account_id = ids.decode("acc", (await make.account(owner))["id"])
    assert account_id is not None
    async with database.connection() as db:
        account = await accounts.by_id(db, account_id)
    assert account is not None
    return account


async def backlog(make: Make, database: Database, owner: Login, count: int) -> list[datetime]:
    """Publish so many posts, one a minute up to an hour ago, of which nothing is known yet."""
    account = await account_of(make, database, owner)
    draft = await make.post(owner, publishMode="draft")
    last = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=1)
    moments = [last - timedelta(minutes=back) for back in range(count - 1, -1, -1)]
    await publish(database, account, draft["id"], moments)
    async with database.transaction() as db:
        await db.execute("delete from metric_latest where workspace_id = $1", owner.workspace_id)
        await db.execute("delete from metric_schedule where workspace_id = $1", owner.workspace_id)
        await db.execute("delete from metric_account where workspace_id = $1", owner.workspace_id)
    return moments


async def known(database: Database, owner: Login) -> int:
    async with database.connection() as db:
        count: int = await db.fetchval("select count(*) from metric_latest where workspace_id = $1", owner.workspace_id)
    return count


async def test_a_question_adds_a_bounded_part_and_says_until_when(
    api: Api, make: Make, owner: Login, database: Database
) -> None:
    moments = await backlog(make, database, owner, discover.ROWS + MORE)
    today = datetime.now(UTC).date()
    query = {"startDate": str(today - timedelta(days=30)), "endDate": str(today)}
    first = (await api.get("/analytics/overview", params=query, key=owner.key)).json()
    assert first["totalPosts"] == await known(database, owner) == discover.ROWS
    assert first["collectedUntil"] == clock.wire(moments[discover.ROWS - 1])

    asked = clock.actual()
    second = (await api.get("/analytics/overview", params=query, key=owner.key)).json()
    assert second["totalPosts"] == len(moments)
    assert second["collectedUntil"] >= clock.wire(asked - timedelta(seconds=1))


async def test_the_background_ends_it_and_other_tenants_have_their_turns(
    make: Make, owner: Login, database: Database
) -> None:
    """Each transaction adds a bounded number of rows, and the small workspace does not wait for the large one."""
    other = await make.owner()
    await backlog(make, database, owner, discover.ROWS + MORE)
    await backlog(make, database, other, 3)
    planning, lease = work.Planning(), CountedLease(database)
    while await planning.run(cast("Lease", lease), {}):
        pass
    assert await known(database, owner) == discover.ROWS + MORE
    assert await known(database, other) == 3
    added = [step.written.get("metric_latest", 0) for step in lease.transactions]
    assert 0 < max(added) <= discover.ROWS


async def test_days_of_a_large_profile_follow_its_zone_in_steps(
    api: Api, make: Make, owner: Login, database: Database
) -> None:
    """Anyone goes on where the step before ended, also when the zone is changed once more in the middle."""
    account = await account_of(make, database, owner)
    await api.patch(f"/profiles/{owner.profile}", json={"timezone": "Europe/Berlin"}, key=owner.key)
    draft = await make.post(owner, publishMode="draft")
    midnight = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=40)
    await publish(database, account, draft["id"], [midnight + timedelta(days=day, hours=-0.5) for day in range(25)])
    profile_id = ids.decode("prof", owner.profile)
    assert profile_id is not None

    async def days() -> set[int]:
        async with database.connection() as db:
            rows = await db.fetch(
                "select day - (published_at at time zone 'UTC')::date from metric_latest where profile_id = $1",
                profile_id,
            )
        return {row[0] for row in rows}

    async def step() -> bool:
        async with database.transaction() as db:
            left: dict[UUID, None] = dict(await discover.follow_zones(db, {profile_id: None}, 10))
        return bool(left)

    assert await days() == {1}
    await api.patch(f"/profiles/{owner.profile}", json={"timezone": "UTC"}, key=owner.key)
    assert await step()
    assert await days() == {0, 1}
    await api.patch(f"/profiles/{owner.profile}", json={"timezone": "Europe/Paris"}, key=owner.key)
    steps = 1
    while await step():
        steps += 1
    assert (await days(), steps) == ({1}, 3)
    await api.patch(f"/profiles/{owner.profile}", json={"timezone": "UTC"}, key=owner.key)
    steps = 1
    while await step():
        steps += 1
    assert (await days(), steps) == ({0}, 3)
