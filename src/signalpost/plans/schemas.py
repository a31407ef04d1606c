from signalpost.kit.wire import Instant, Output


class Period(Output):
    """The calendar month in UTC: `start` is its first instant, `end` that of the next one."""

    start: Instant
    end: Instant


class UsageNumbers(Output):
    """What is there now, and what the month has used (posts, aiCaptions)."""

    posts: int
    profiles: int
    accounts: int
    members: int
    api_keys: int
    webhooks: int
    storage_bytes: int
    ai_captions: int
    scheduled_posts: int


class UsageLimits(Output):
    """The plan's limit of each number; null is unlimited."""

    posts: int | None
    profiles: int | None
    accounts: int | None
    members: int | None
    api_keys: int | None
    webhooks: int | None
    storage_bytes: int | None
    ai_captions: int | None
    scheduled_posts: int | None


class RateLimit(Output):
    """Requests allowed to this credential, by minute."""

    requests_per_minute: int
    writes_per_minute: int


class PlatformQuota(Output):
    """Posts an account published within 24 hours; `limit` is null where the platform's is not known."""

    account_id: str
    platform: str
    used: int
    limit: int | None
    resets_at: Instant


class Usage(Output):
    """What the workspace uses of its plan."""

    plan: str
    period: Period
    usage: UsageNumbers
    limits: UsageLimits
    rate_limit: RateLimit
    platform_quotas: list[PlatformQuota]
