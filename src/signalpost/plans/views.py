from datetime import UTC, date, datetime, timedelta

import msgspec

from signalpost.kit import clock, ids
from signalpost.plans.limits import LIMITS
from signalpost.plans.queries import AccountQuota
from signalpost.plans.schemas import Period, PlatformQuota, RateLimit, Usage, UsageLimits, UsageNumbers
from signalpost.web.caller import Caller


def usage(caller: Caller, month: date, *, used: dict[str, int], quotas: list[AccountQuota]) -> Usage:
    """Return the usage page. `month` is its first day; `used` has every counted number by its limit's name."""
    start = datetime(month.year, month.month, 1, tzinfo=UTC)
    return Usage(
        plan=caller.plan,
        period=Period(start=clock.wire(start), end=clock.wire((start + timedelta(days=32)).replace(day=1))),
        usage=msgspec.convert(used, UsageNumbers),
        limits=msgspec.convert({limit.name: limit.of(caller.plan) for limit in LIMITS}, UsageLimits),
        rate_limit=RateLimit(
            requests_per_minute=caller.requests_per_minute, writes_per_minute=caller.writes_per_minute
        ),
        platform_quotas=[platform_quota(quota) for quota in quotas],
    )


def platform_quota(row: AccountQuota) -> PlatformQuota:
    """Return what an account may still publish today."""
    return PlatformQuota(
        account_id=ids.encode("acc", row.account_id),
        platform=row.platform,
        used=row.used,
        limit=row.limit,
        resets_at=clock.wire(row.resets_at),
    )
