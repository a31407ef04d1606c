"""Billing on the wire."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import Meta, Struct, defstruct

from signalpost.kit.wire import Input, Instant, Output
from signalpost.plans.limits import FEATURES, LIMITS
from signalpost.plans.schemas import UsageLimits, UsageNumbers

Interval = Literal["month", "year"]
SubscriptionStatus = Literal["none", "trialing", "active", "past_due", "paused", "cancelled", "expired"]


class Price(Output):
    """An amount in minor units, such as cents, and its ISO 4217 currency."""

    amount: Annotated[int, Meta(examples=[2_900])]
    currency: Annotated[str, Meta(examples=["usd"])]


if TYPE_CHECKING:

    class PlanLimits(Output): ...
else:

    def _limits() -> type[Struct]:
        numbers: list[tuple[str, Any]] = [
            (limit.name, Annotated[int | None, Meta(description=limit.description, examples=[limit.of("pro")])])
            for limit in LIMITS
        ]
        features = [
            (feature.name, Annotated[bool, Meta(description=feature.description, examples=[True])])
            for feature in FEATURES
        ]
        doc = "Every limit of a plan, null is unlimited, and whether it includes a feature."
        return defstruct(
            "PlanLimits", [*numbers, *features], bases=(Output,), namespace={"__doc__": doc}, module=__name__
        )

    PlanLimits = _limits()


class Plan(Output):
    """A plan, with its prices and everything that it allows. `current` where no other one can be chosen."""

    key: Annotated[str, Meta(examples=["pro"])]
    name: Annotated[str, Meta(examples=["Pro"])]
    description: Annotated[str, Meta(examples=["For teams and agencies."])]
    price_monthly: Price
    price_yearly: Price
    features: Annotated[list[str], Meta(examples=[["Approval of posts before they are published."]])]
    limits: PlanLimits
    current: bool
    recommended: bool


class PlanList(Output):
    """The plans that can be chosen here; where billing is off, the one that everybody has."""

    data: list[Plan]
    billing_enabled: bool
    currency: Annotated[str, Meta(examples=["usd"])]


class PendingChange(Output):
    """A change at the end of the period."""

    plan: str
    interval: Interval
    effective_at: Instant


class PaymentMethod(Output):
    """The card that pays."""

    brand: Annotated[str, Meta(examples=["visa"])]
    last4: Annotated[str, Meta(examples=["4242"])]
    exp_month: Annotated[int, Meta(examples=[12])]
    exp_year: Annotated[int, Meta(examples=[2030])]


class Subscription(Output):
    """What the workspace has and uses. A workspace that buys nothing has the status `none`."""

    plan: Annotated[str, Meta(examples=["pro"])]
    status: Annotated[SubscriptionStatus, Meta(examples=["none"])]
    interval: Annotated[Interval | None, Meta(examples=[None])]
    current_period_start: Annotated[Instant | None, Meta(examples=[None])]
    current_period_end: Annotated[Instant | None, Meta(examples=[None])]
    cancel_at_period_end: bool
    trial_ends_at: Annotated[Instant | None, Meta(examples=[None])]
    pending_change: PendingChange | None
    payment_method: PaymentMethod | None
    usage: UsageNumbers
    limits: UsageLimits
    provider: Annotated[str | None, Meta(examples=[None])]
    grace_ends_at: Annotated[Instant | None, Meta(examples=[None])]


class BillingFeedback(Input):
    """Why someone cancels or moves to a smaller plan, or what they think in general."""

    reason: Annotated[
        Literal["too_expensive", "missing_feature", "bugs", "switched", "unused", "other"],
        Meta(description="The reason.", examples=["missing_feature"]),
    ]
    stage: Annotated[
        Literal["cancel", "downgrade", "general"], Meta(description="What it is about.", examples=["cancel"])
    ]
    comment: Annotated[
        Annotated[str, Meta(max_length=2_000)] | None,
        Meta(description="In their own words.", examples=["We need a calendar feed."]),
    ] = None
    rating: Annotated[
        Annotated[int, Meta(ge=1, le=5)] | None, Meta(description="From 1, bad, to 5, good.", examples=[4])
    ] = None
