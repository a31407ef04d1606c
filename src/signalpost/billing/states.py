"""From what Stripe has to what a workspace has: pure, and the same whatever was known before."""

from datetime import datetime, timedelta
from typing import Final, Literal

from msgspec import Struct

GRACE: Final = timedelta(days=7)
"""How long the plan stays in force after a payment failed, from the creation of the oldest unpaid invoice."""
FREE: Final = "free"

Interval = Literal["month", "year"]
Status = Literal["none", "trialing", "active", "past_due", "paused", "cancelled", "expired"]
LIVE: Final = frozenset[Status]({"trialing", "active", "past_due", "cancelled", "paused"})
"""While a workspace has one of these, it changes its subscription instead of buying another one."""

# What decides among several subscriptions of one customer: the first of these that it has.
_PRECEDENCE: Final = (
    "active", "trialing", "past_due", "unpaid", "paused", "incomplete", "canceled", "incomplete_expired",
)  # fmt: skip
_STATUSES: Final[dict[str, Status]] = {
    "active": "active", "trialing": "trialing", "past_due": "past_due", "unpaid": "past_due", "paused": "paused",
    "canceled": "expired",
}  # fmt: skip
UNDERSTOOD: Final = frozenset(_PRECEDENCE)
PAYING: Final = frozenset({"active", "trialing", "past_due", "unpaid", "paused"})


class Pending(Struct, frozen=True):
    """A change at the end of the period."""

    plan: str
    interval: Interval
    at: datetime
    price_id: str | None = None


class Confirmation(Struct, frozen=True):
    """A change that is made when its payment is confirmed on the page of the invoice."""

    plan: str
    interval: Interval
    expires_at: datetime
    invoice_id: str
    url: str


class Card(Struct, frozen=True):
    brand: str
    last4: str
    exp_month: int
    exp_year: int


class Remote(Struct, frozen=True, kw_only=True):
    """A subscription as Stripe has it, in our words."""

    id: str
    item_id: str
    status: str
    plan: str
    interval: Interval
    created_at: datetime
    period_start: datetime
    period_end: datetime
    cancelling: bool
    trial_ends_at: datetime | None = None
    schedule_id: str | None = None
    pending: Pending | None = None
    confirmation: Confirmation | None = None
    card: Card | None = None
    unpaid_since: datetime | None = None
    customer_id: str = ""
    workspace: str | None = None  # whose it is, by what was written when it was bought


class Charged(Struct, frozen=True):
    """A subscription to one of our plans that Stripe charges for. `plan`: None if its price is of no plan."""

    id: str
    customer_id: str
    status: Status
    plan: str | None
    workspace: str | None


class State(Struct, frozen=True, kw_only=True):
    """What a workspace has by its subscription. `plan_in_force`: None says nothing about the plan."""

    remote_id: str | None = None
    status: Status = "none"
    plan: str | None = None
    interval: Interval | None = None
    period_start: datetime | None = None
    period_end: datetime | None = None
    cancel_at_period_end: bool = False
    trial_ends_at: datetime | None = None
    grace_ends_at: datetime | None = None
    pending: Pending | None = None
    confirmation: Confirmation | None = None
    card: Card | None = None
    plan_in_force: str | None = None


def chosen(remotes: list[Remote]) -> Remote | None:
    """Return the subscription that counts: one that gives a plan before one that does not, then the newest."""
    return min(
        remotes,
        key=lambda remote: (_PRECEDENCE.index(remote.status), -remote.created_at.timestamp(), remote.id),
        default=None,
    )


def state_of(remote: Remote | None, now: datetime) -> State:
    """Return what the workspace has now."""
    if remote is None:
        return State()
    status = status_of(remote.status, cancelling=remote.cancelling)
    if status == "none":  # the first payment is not made
        return State(remote_id=remote.id)
    grace_ends_at = (remote.unpaid_since or remote.period_start) + GRACE if status == "past_due" else None
    return State(
        remote_id=remote.id,
        status=status,
        plan=remote.plan,
        interval=remote.interval,
        period_start=remote.period_start,
        period_end=remote.period_end,
        cancel_at_period_end=remote.cancelling and status in LIVE,
        trial_ends_at=remote.trial_ends_at,
        grace_ends_at=grace_ends_at,
        pending=remote.pending if status in LIVE else None,
        confirmation=remote.confirmation if status in LIVE else None,
        card=remote.card,
        plan_in_force=_in_force(status, remote.plan, grace_ends_at, now),
    )


def status_of(remote_status: str, *, cancelling: bool) -> Status:
    """Return our word for a status of Stripe."""
    status = _STATUSES.get(remote_status, "none")
    return "cancelled" if cancelling and status in ("trialing", "active") else status


def _in_force(status: Status, plan: str, grace_ends_at: datetime | None, now: datetime) -> str:
    if status in ("trialing", "active", "cancelled"):
        return plan
    return plan if grace_ends_at is not None and now < grace_ends_at else FREE
