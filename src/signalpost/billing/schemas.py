"""Billing on the wire."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import Meta, Struct, defstruct

from signalpost.billing.states import Interval, Status
from signalpost.kit.wire import Input, Instant, Output
from signalpost.plans.limits import FEATURES, LIMITS
from signalpost.plans.schemas import UsageLimits, UsageNumbers
from signalpost.web.fields import MemberId


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


class Confirmation(Output):
    """A larger plan that begins when its payment is confirmed: the bank of the card asks for it (3-D Secure)."""

    plan: Annotated[str, Meta(examples=["max"])]
    interval: Annotated[Interval, Meta(examples=["month"])]
    url: Annotated[
        str | None,
        Meta(
            description="The page where the payment is confirmed. null for everyone but the payer.",
            examples=["https://invoice.stripe.com/i/acct_1/test_YWNjdF8x"],
        ),
    ]
    expires_at: Annotated[Instant, Meta(description="Unconfirmed by then, nothing changes.")]


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


class Payer(Output):
    """Whose card pays, where it is known."""

    name: Annotated[str, Meta(examples=["Ada"])]
    is_you: Annotated[bool, Meta(description="Whether it is you. The card is shown to its payer alone.")]


class Handover(Output):
    """Someone who takes the payments over as soon as they have entered a card, and mostly the ownership with them."""

    name: Annotated[str, Meta(examples=["Grace"])]
    is_you: bool
    moves_ownership: Annotated[bool, Meta(description="Whether the workspace becomes theirs then.")]
    expires_at: Instant


class Subscription(Output):
    """What the workspace has and uses. A workspace that buys nothing has the status `none`.

    `cancelled` is paid until `currentPeriodEnd`, then `expired`; `past_due` keeps its plan until `graceEndsAt`.
    """

    plan: Annotated[str, Meta(examples=["pro"])]
    status: Annotated[Status, Meta(examples=["none"])]
    interval: Annotated[Interval | None, Meta(examples=[None])]
    current_period_start: Annotated[Instant | None, Meta(examples=[None])]
    current_period_end: Annotated[Instant | None, Meta(examples=[None])]
    cancel_at_period_end: bool
    trial_ends_at: Annotated[Instant | None, Meta(examples=[None])]
    pending_change: PendingChange | None
    confirmation: Confirmation | None
    payment_method: PaymentMethod | None
    usage: UsageNumbers
    limits: UsageLimits
    provider: Annotated[str | None, Meta(examples=[None])]
    grace_ends_at: Annotated[Instant | None, Meta(examples=[None])]
    payer: Payer | None
    handover: Handover | None


BoughtPlan = Literal["starter", "pro", "max"]
_Address = Annotated[str, Meta(min_length=1, max_length=2_048)]


class SubscriptionUpdate(Input):
    """Change one thing: plan and interval, or the end of the subscription."""

    plan: Annotated[
        Literal["free", "starter", "pro", "max"] | None,
        Meta(
            description="The plan. A larger one at once, a smaller one at the period's end. `free` is refused: it"
            " follows when a subscription ends, see `cancelAtPeriodEnd`.",
            examples=["max"],
        ),
    ] = None
    interval: Annotated[
        Interval | None, Meta(description="How often it is paid. Default: as now.", examples=["year"])
    ] = None
    cancel_at_period_end: Annotated[
        bool | None, Meta(description="true: it ends with the period. false: as `resume`.", examples=[True])
    ] = None
    resume: Annotated[
        bool | None, Meta(description="Continue what is cancelled and not over, or paused.", examples=[True])
    ] = None


class CheckoutCreate(Input):
    """Buy a plan on a payment page."""

    plan: Annotated[BoughtPlan, Meta(description="The plan.", examples=["pro"])]
    interval: Annotated[Interval, Meta(description="How often it is paid.", examples=["month"])]
    success_url: Annotated[
        _Address,
        Meta(description="Where the browser goes after the payment.", examples=["https://app.example.com/paid"]),
    ]
    cancel_url: Annotated[
        _Address, Meta(description="Where it goes without one.", examples=["https://app.example.com/plans"])
    ]
    promotion_code: Annotated[
        Annotated[str, Meta(min_length=1, max_length=100)] | None,
        Meta(description="A promotion code. Without one, the page has a field for it.", examples=[None]),
    ] = None


class Checkout(Output):
    """A payment page. It is for the owner alone."""

    url: Annotated[str, Meta(examples=["https://checkout.stripe.com/c/pay/cs_live_a1"])]
    session_id: Annotated[str, Meta(examples=["cs_live_a1"])]
    expires_at: Instant


class HandoverCreate(Input):
    """Offer a member the workspace together with its payments."""

    member_id: Annotated[MemberId, Meta(description="The active member who becomes the owner.")]


class PayerPageCreate(Input):
    """Enter a card as the one who pays from now on."""

    success_url: Annotated[
        _Address,
        Meta(description="Where the browser goes with a card entered.", examples=["https://app.example.com/paid"]),
    ]
    cancel_url: Annotated[
        _Address, Meta(description="Where it goes without one.", examples=["https://app.example.com/plans"])
    ]


class PortalCreate(Input):
    """Open the page for cards, invoices and addresses."""

    return_url: Annotated[
        _Address, Meta(description="Where its way back leads.", examples=["https://app.example.com/plans"])
    ]


class Portal(Output):
    """The page for cards, invoices and addresses. It is for the owner alone, and works for some minutes."""

    url: Annotated[str, Meta(examples=["https://billing.stripe.com/p/session/live_a1"])]


class Received(Output):
    """The acknowledgement of a notification."""

    received: bool


class Notification(Input):
    """An event of Stripe. Members that are not listed here are not read."""

    id: Annotated[str, Meta(description="The id of the event.", examples=["evt_1"])]
    type: Annotated[str, Meta(description="What happened.", examples=["customer.subscription.updated"])]
    data: Annotated[
        dict[str, Any], Meta(description="`object` names the customer.", examples=[{"object": {"customer": "cus_1"}}])
    ]


class FeedbackCreate(Input):
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
