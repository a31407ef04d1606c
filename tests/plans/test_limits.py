"""Plans as data, and counts that stay within them."""

import asyncio

import pytest
from msgspec.structs import replace
from tests.helpers.factories import Login, Make
from tests.plans.test_ledger import caller

from signalpost import settings
from signalpost.identity.errors import PlanLimitReached
from signalpost.kit import ids
from signalpost.kit.db import Database
from signalpost.plans import actions as plans
from signalpost.plans import limits
from signalpost.plans.errors import PlanFeatureUnavailable
from signalpost.web.caller import Caller

NAMES = (
    "profiles", "profileLinks", "accounts", "posts", "scheduledPosts", "bulkItems", "members", "apiKeys", "webhooks",
    "platformInvites", "feeds", "inviteBranding", "storageBytes", "fileBytes", "requestsPerMinute", "writesPerMinute",
    "aiCaptions", "analyticsDays", "deliveryLogDays", "auditDays", "commentDays", "approvals", "messengerLink",
)  # fmt: skip


def of(owner: Login, plan: str) -> Caller:
    return replace(caller(plan), workspace_id=owner.workspace_id, user_id=owner.user_id)


def test_every_plan_has_every_limit_of_the_api() -> None:
    """The names are decided in the contract (C26.7); languageOverride is part of profile links there."""
    rows = [*limits.LIMITS, *limits.FEATURES]
    assert {row.name for row in rows} == {*NAMES, "languageOverride"}
    assert all(tuple(row.by_plan) == limits.PLANS for row in rows)


def test_self_hosting_has_no_limit_and_every_feature() -> None:
    """BILLING_ENABLED=false gives every workspace this plan."""
    assert all(limit.of("self_hosted") is None for limit in limits.LIMITS)
    assert all(feature.included_in("self_hosted") for feature in limits.FEATURES)


def test_the_operators_guard_holds_where_a_plan_sets_no_rate() -> None:
    """600,000 a minute protects the process, not a price."""
    of_plan = limits.rates(settings.load({"SIGNALPOST_WRITES_PER_MINUTE": "77"}))

    assert of_plan("free") == (60, 10)
    assert of_plan("self_hosted") == (600_000, 77)


async def test_fifty_parallel_creates_stop_at_the_limit(make: Make, database: Database) -> None:
    """Counting and writing are two statements: without the lock both of two creates would see the last room."""
    owner = await make.owner()
    free = of(owner, "starter")  # three API keys, of which the owner has two

    async def create() -> bool:
        try:
            async with database.transaction() as db:
                await plans.require_capacity(db, free, limits.API_KEYS)
                await db.execute(
                    "insert into api_key (id, workspace_id, key_id, secret_hmac, name, mode, permission, scopes,"
                    " created_by) values ($1, $2, $3, '', 'one more', 'live', 'read', '{}', $4)",
                    ids.new_id(), owner.workspace_id, ids.new_id().hex, owner.user_id,
                )  # fmt: skip
        except PlanLimitReached:
            return False
        return True

    passed = await asyncio.gather(*(create() for _ in range(50)))

    assert passed.count(True) == 1


async def test_a_limit_of_zero_is_an_unavailable_feature(database: Database) -> None:
    """Zero is not a count that was reached: the plan has no webhooks at all."""
    async with database.transaction() as db:
        with pytest.raises(PlanFeatureUnavailable) as refused:
            await plans.require_capacity(db, caller("free"), limits.WEBHOOKS)
    assert refused.value.members["limit"] == {"name": "webhooks", "used": 0, "max": 0, "plan": "free"}


@pytest.mark.parametrize(
    ("plan", "feature", "there"),
    [("free", limits.PROFILE_LINKS, False), ("starter", limits.PROFILE_LINKS, True),
     ("starter", limits.LANGUAGE_OVERRIDE, False), ("pro", limits.APPROVALS, True),
     ("self_hosted", limits.MESSENGER_LINK, True)],
)  # fmt: skip
def test_features(plan: str, feature: limits.Feature, there: bool) -> None:
    """A feature is there or 402."""
    if there:
        plans.require_feature(caller(plan), feature)
    else:
        with pytest.raises(PlanFeatureUnavailable):
            plans.require_feature(caller(plan), feature)


@pytest.mark.parametrize(
    "limit", [limit for limit in limits.LIMITS if isinstance(limit, limits.Counted)], ids=lambda limit: limit.name
)
async def test_every_count_can_be_asked_for(make: Make, database: Database, limit: limits.Counted) -> None:
    """The counts name tables of rooms above: this fails when one of them is changed."""
    owner = await make.owner()
    async with database.transaction() as db:
        await plans.require_capacity(db, of(owner, "max"), limit)
        await plans.require_capacity(db, of(owner, "pro"), limit)
