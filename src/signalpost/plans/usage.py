"""The usage page: numbers beside their limits."""

from datetime import UTC, datetime, timedelta

import msgspec

from signalpost.kit import clock, ids
from signalpost.kit.db import Db
from signalpost.plans import queries
from signalpost.plans.actions import month_of
from signalpost.plans.limits import PLANS
from signalpost.plans.schemas import Period, PlatformQuota, RateLimit, Usage, UsageLimits, UsageNumbers
from signalpost.web.caller import Caller


async def usage(db: Db, caller: Caller) -> Usage:
    """Return what the workspace uses of its plan, in two reads."""
    month = month_of(clock.now())
    start = datetime(month.year, month.month, 1, tzinfo=UTC)
    used = await queries.usage_of(db, caller.workspace_id, month)
    return Usage(
        plan=caller.plan,
        period=Period(clock.wire(start), clock.wire((start + timedelta(days=32)).replace(day=1))),
        usage=msgspec.convert(used, UsageNumbers),
        limits=msgspec.convert(msgspec.to_builtins(PLANS[caller.plan]), UsageLimits),
        rate_limit=RateLimit(caller.requests_per_minute, caller.writes_per_minute),
        platform_quotas=[
            PlatformQuota(
                ids.encode("acc", quota.account_id),
                quota.platform,
                quota.used,
                quota.limit,
                clock.wire(quota.resets_at),
            )
            for quota in await queries.quotas_of(db, caller)
        ],
    )
