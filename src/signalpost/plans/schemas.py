from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta, Struct, defstruct

from signalpost.kit.wire import Instant, Output
from signalpost.plans.limits import LIMITS, Counted, Monthly

_EXAMPLES: dict[str, int] = {"posts": 12, "profiles": 3, "accounts": 5, "storageBytes": 218_412_000}


class Period(Output):
    """The calendar month in UTC: `start` is its first instant, `end` the first instant of the next month."""

    start: Annotated[Instant, Meta(examples=["2026-11-01T00:00:00.000Z"])]
    end: Annotated[Instant, Meta(examples=["2026-12-01T00:00:00.000Z"])]


def _numbers(name: str, doc: str, kind: Any, examples: dict[str, int]) -> type[Struct]:
    """Return a struct with one member per limit that is counted or spent."""
    fields = [
        (limit.name, Annotated[kind, Meta(description=limit.description, examples=[examples.get(limit.name)])])
        for limit in LIMITS
        if isinstance(limit, Counted | Monthly)
    ]
    return defstruct(name, fields, bases=(Output,), namespace={"__doc__": doc}, module=__name__)


if TYPE_CHECKING:

    class UsageNumbers(Output): ...

    class UsageLimits(Output): ...
else:
    _USED = {limit.name: _EXAMPLES.get(limit.name, 1) for limit in LIMITS}
    UsageNumbers = _numbers("UsageNumbers", "What exists now, and what the month has used.", int, _USED)
    UsageLimits = _numbers("UsageLimits", "The plan's limit of each number; null is unlimited.", int | None, {})


class RateLimit(Output):
    """Requests per minute that this credential may send."""

    requests_per_minute: Annotated[int, Meta(examples=[600])]
    writes_per_minute: Annotated[int, Meta(examples=[120])]


class PlatformQuota(Output):
    """Posts that an account published within 24 hours. `limit` is null where the network's limit is not known."""

    account_id: str
    platform: Annotated[str, Meta(examples=["bluesky"])]
    used: Annotated[int, Meta(examples=[3])]
    limit: Annotated[int | None, Meta(examples=[25])]
    resets_at: Instant


class Usage(Output):
    """What the workspace uses of its plan."""

    plan: Annotated[str, Meta(examples=["pro"])]
    period: Period
    usage: UsageNumbers
    limits: UsageLimits
    rate_limit: RateLimit
    platform_quotas: list[PlatformQuota]
