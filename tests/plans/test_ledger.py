"""Units of a month are spent together or not at all, never beyond the limit, and refunded to their month."""

import asyncio
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from uuid import uuid4

import pytest
from msgspec.structs import replace
from tests.helpers.api import Api
from tests.helpers.factories import Make

from signalpost.identity.errors import PlanLimitReached
from signalpost.kit import clock, ids
from signalpost.kit.db import Database
from signalpost.kit.tenant import Tenant
from signalpost.plans import actions as plans
from signalpost.plans import limits, queries
from signalpost.web.caller import Caller

_STRIPE = "select pg_backend_pid() % 32"
"""Which row of a month a connection counts in."""


def caller(plan: str) -> Caller:
    return Caller(
        user_id=ids.new_id(),
        user_name="Ada",
        workspace_id=uuid4(),
        tenant=Tenant(None),
        role="owner",
        scopes=frozenset(),
        mode="live",
        auth="session",
        credential="session:test",
        plan=plan,
    )


async def used(database: Database, who: Caller, metric: str = "posts") -> int:
    async with database.connection() as db:
        return (await queries.usage(db, who.workspace_id, plans.month_of(clock.now())))[metric]


async def spend(database: Database, who: Caller, units: int = 1) -> bool:
    try:
        async with database.transaction() as db:
            await plans.spend(db, who, limits.POSTS, units)
    except PlanLimitReached:
        return False
    return True


async def test_fifty_at_once_spend_exactly_what_the_plan_has(database: Database) -> None:
    """Two requests that both see one unit left must not both get it."""
    free = caller("free")

    passed = await asyncio.gather(*(spend(database, free) for _ in range(50)))

    assert passed.count(True) == 30
    assert await used(database, free) == 30


async def test_units_are_spent_all_or_none(database: Database) -> None:
    """A bulk request of five with four left writes nothing."""
    free = caller("free")
    assert await spend(database, free, 26)

    with pytest.raises(PlanLimitReached) as refused:
        async with database.transaction() as db:
            await plans.spend(db, free, limits.POSTS, 5)

    assert refused.value.status == 402
    assert refused.value.members == {"limit": {"name": "posts", "used": 26, "max": 30, "plan": "free"}}
    assert await spend(database, free, 4)
    assert not await spend(database, caller("free"), 31)


async def test_an_unlimited_plan_is_counted_without_waiting(database: Database) -> None:
    """Creates of one workspace must not queue up behind each other's commit."""
    own = caller("self_hosted")
    async with AsyncExitStack() as opened:
        first = second = await opened.enter_async_context(database.transaction())
        stripe = await first.fetchval(_STRIPE)
        while await second.fetchval(_STRIPE) == stripe:  # as one in 32 pairs of connections has
            second = await opened.enter_async_context(database.transaction())
        await plans.spend(first, own, limits.POSTS, 1)
        async with asyncio.timeout(60):  # if it waits, then for ever
            await plans.spend(second, own, limits.POSTS, 2)

    assert await used(database, own) == 3


async def test_what_was_spent_without_a_limit_counts_under_one(database: Database) -> None:
    """A change of plan within a month does not reset the count."""
    own = caller("self_hosted")
    await spend(database, own, 29)
    limited = replace(caller("free"), workspace_id=own.workspace_id)

    assert await spend(database, limited)
    assert not await spend(database, limited)


async def test_a_refund_goes_to_the_month_of_the_spending(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """A post counted in October and cancelled in November gives October its unit back."""
    free = caller("free")

    def be(instant: datetime) -> None:
        monkeypatch.setattr(clock, "actual", lambda: instant)

    be(datetime(2026, 10, 31, 23, 59, 59, tzinfo=UTC))
    assert await spend(database, free, 30)
    assert not await spend(database, free)
    be(datetime(2026, 11, 1, tzinfo=UTC))
    assert await spend(database, free, 30)
    async with database.transaction() as db:
        await plans.refund(db, free.workspace_id, limits.POSTS, 1, spent_at=datetime(2026, 10, 31, tzinfo=UTC))
    assert not await spend(database, free)
    be(datetime(2026, 10, 31, tzinfo=UTC))
    assert await spend(database, free)


async def test_another_statement_can_spend(database: Database) -> None:
    """`posts` writes the post and spends its unit in one round trip."""
    free = caller("free")
    statement = "select $1::text, spend_usage($2, $3, $4, $5, $6)"
    async with database.transaction() as db:
        first = await db.fetchrow(statement, "post", *plans.spend_parameters(free, limits.POSTS, 30))
        second = await db.fetchrow(statement, "post", *plans.spend_parameters(free, limits.POSTS, 1))
        assert first is not None
        assert second is not None
        assert tuple(first) == ("post", 30)
        assert tuple(second) == ("post", None)
        with pytest.raises(PlanLimitReached):
            await plans.check_spent(db, free, limits.POSTS, second[1])


@pytest.mark.parametrize("set_to", ["2020-01-05T00:00:00Z", "2031-07-05T00:00:00Z"])
async def test_a_test_clock_spends_and_refunds_in_the_real_month(api: Api, make: Make, set_to: str) -> None:
    """A test with a future clock would leave that month empty before it begins, and one with a past clock is free."""
    owner = await make.owner(plan="free")
    await make.account(owner)
    headers = {"X-Test-Now": set_to}

    async def counted() -> list[tuple[str, int]]:
        async with make.context.database.connection() as db:
            sums = "select period, sum(used)::int from usage where workspace_id = $1 group by 1 having sum(used) <> 0"
            return [(str(row[0]), row[1]) for row in await db.fetch(sums, owner.workspace_id)]

    body = {"profileId": owner.profile, "text": "Rehearsal", "platforms": ["sandbox"]}
    later = set_to.replace("-05T", "-20T")
    created = await api.post("/posts", json=body | {"scheduledAt": later}, key=owner.test_key, headers=headers)
    assert created.status_code == 201, created.text
    assert await counted() == [(str(plans.this_month()), 1)]
    usage = (await api.get("/auth/usage", key=owner.test_key, headers=headers)).json()
    assert usage["usage"]["posts"] == 1

    cancelled = await api.delete(f"/queue/cancel/{created.json()['id']}", key=owner.test_key, headers=headers)
    assert cancelled.status_code == 200, cancelled.text
    assert await counted() == []
