"""What others wrote is forgotten as the plan of its workspace says, some of it at a time."""

from typing import Any, cast

import pytest
from tests.helpers.comments import commented, job
from tests.helpers.factories import Login, Make
from tests.helpers.mail import InTest

from signalpost.comments import work
from signalpost.comments.actions import forget
from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.kit import ids
from signalpost.kit.db import Database
from signalpost.plans import limits

_AGED = """
insert into comment select (jsonb_populate_record(c, jsonb_build_object(
    'id', gen_random_uuid(), 'remote_id', n::text, 'created_at', now() - make_interval(days => n)))).*
from comment c cross join unnest($2::int[]) n where c.id = $1
"""
_AGES = """
select (extract(epoch from now() - created_at) / 86400)::int from comment where workspace_id = $1 order by 1
"""


async def aged(make: Make, owner: Login, ages: list[int]) -> None:
    """A comment of today, and copies of it that are so many days old."""
    await make.account(owner)
    comment = ids.decode("cmt", (await commented(make, owner))["cmt"])
    async with make.context.database.transaction() as db:
        await db.execute(_AGED, comment, ages)


async def ages(database: Database, owner: Login) -> list[int]:
    async with database.connection() as db:
        return [row[0] for row in await db.fetch(_AGES, owner.workspace_id)]


async def purge(context: AppContext) -> None:
    lease = cast("Lease", InTest(context.database))
    handler = job(context, work.PURGE)
    while await handler(lease, {}):
        pass


@pytest.mark.parametrize(
    ("plan", "kept"),
    [
        ("free", [0, 89]), ("starter", [0, 89]), ("pro", [0, 89, 91, 179]),
        ("max", [0, 89, 91, 179, 181, 364]), ("off", [0, 89]),
    ],
)  # fmt: skip
async def test_comments_are_kept_as_long_as_the_plan_says(
    context: AppContext, sold: AppContext, make: Make, database: Database, plan: str, kept: list[int]
) -> None:
    """Where no plans are sold (`off`), for the 90 days of `SIGNALPOST_COMMENTS_DAYS`."""
    owner = await make.owner(plan="max" if plan == "off" else plan)
    await aged(make, owner, [89, 91, 179, 181, 364, 366])
    await purge(context if plan == "off" else sold)
    assert await ages(database, owner) == kept


async def test_a_plan_that_ends_forgets_what_the_smaller_one_does_not_keep(
    sold: AppContext, make: Make, database: Database
) -> None:
    owner = await make.owner(plan="max")
    await aged(make, owner, [91])
    await purge(sold)
    assert await ages(database, owner) == [0, 91]
    async with database.transaction() as db:
        await db.execute("update workspace set plan = 'free' where id = $1", owner.workspace_id)
    await purge(sold)
    assert await ages(database, owner) == [0]


async def test_a_transaction_forgets_so_many_and_leaves_the_rest_to_the_next_one(
    sold: AppContext, make: Make, database: Database
) -> None:
    """A workspace with a large backlog holds up no other one."""
    large, small = await make.owner(plan="pro"), await make.owner(plan="pro")
    await aged(make, large, [200, 201, 202, 203, 204])
    await aged(make, small, [200])
    positions: Any = {large.workspace_id: None, small.workspace_id: None}
    async with database.transaction() as db:
        left = await forget.forget(db, positions, 2, days=forget.days_by_plan(sold.settings))
    assert set(left) == {large.workspace_id}
    assert (await ages(database, large), await ages(database, small)) == ([0, 200, 201, 202], [0])


def test_no_plan_forgets_what_networks_are_still_asked_for() -> None:
    """A comment that is forgotten while its post is still read would come again as a new one."""
    assert all(days is None or days > 30 for days in limits.COMMENT_DAYS.by_plan.values())
