import msgspec

from signalpost.billing.catalog import CURRENCY, RECOMMENDED, Offer
from signalpost.billing.schemas import Plan, PlanLimits, Price, Subscription
from signalpost.plans.limits import FEATURES, LIMITS, SELF_HOSTED
from signalpost.plans.schemas import UsageLimits, UsageNumbers


def plan(offer: Offer) -> Plan:
    """Return a plan with its prices, limits and features."""
    included = [feature for feature in FEATURES if feature.included_in(offer.key)]
    values: dict[str, int | bool | None] = {limit.name: limit.of(offer.key) for limit in LIMITS}
    values |= {feature.name: feature in included for feature in FEATURES}
    return Plan(
        key=offer.key,
        name=offer.name,
        description=offer.description,
        price_monthly=Price(amount=offer.month_minor, currency=CURRENCY),
        price_yearly=Price(amount=offer.year_minor, currency=CURRENCY),
        features=[feature.description for feature in included],
        limits=msgspec.convert(values, PlanLimits),
        current=offer.key == SELF_HOSTED,
        recommended=offer.key == RECOMMENDED,
    )


def without_subscription(plan_key: str, used: dict[str, int]) -> Subscription:
    """Return the status of a workspace that pays nothing."""
    return Subscription(
        plan=plan_key,
        status="none",
        interval=None,
        current_period_start=None,
        current_period_end=None,
        cancel_at_period_end=False,
        trial_ends_at=None,
        pending_change=None,
        payment_method=None,
        usage=msgspec.convert(used, UsageNumbers),
        limits=msgspec.convert({limit.name: limit.of(plan_key) for limit in LIMITS}, UsageLimits),
        provider=None,
        grace_ends_at=None,
    )
