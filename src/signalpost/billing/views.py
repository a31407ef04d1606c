from typing import Final
from uuid import UUID

import msgspec

from signalpost.billing.catalog import CURRENCY, RECOMMENDED, Offer
from signalpost.billing.queries import HandoverRow, SubscriptionRow
from signalpost.billing.schemas import (
    Confirmation,
    Handover,
    Payer,
    PaymentMethod,
    PendingChange,
    Plan,
    PlanLimits,
    Price,
    Subscription,
)
from signalpost.kit import clock
from signalpost.plans.limits import FEATURES, LIMITS, SELF_HOSTED
from signalpost.plans.schemas import UsageLimits, UsageNumbers

_NOTHING: Final = SubscriptionRow(UUID(int=0), "")


def plan(offer: Offer, current: str | None) -> Plan:
    """Return a plan with its prices, limits and features; `current`: the key of the reader's plan, if it is known."""
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
        current=offer.key in (current, SELF_HOSTED),
        recommended=offer.key == RECOMMENDED,
    )


def subscription(
    row: SubscriptionRow | None, plan_key: str, used: dict[str, int], offered: HandoverRow | None, reader_id: UUID
) -> Subscription:
    """Return what a workspace has; without a row it never wanted to buy anything.

    `plan_key` is the plan in force, which may be another one than that of the subscription. The card is shown to whom
    it belongs.
    """
    state = row or _NOTHING
    return Subscription(
        plan=plan_key,
        status=state.status,
        interval=state.interval,
        current_period_start=clock.wire_or_none(state.period_start),
        current_period_end=clock.wire_or_none(state.period_end),
        cancel_at_period_end=state.cancel_at_period_end,
        trial_ends_at=clock.wire_or_none(state.trial_ends_at),
        pending_change=_pending_change(state),
        confirmation=_confirmation(state, reader_id),
        payment_method=_payment_method(state) if state.is_paid_by(reader_id) else None,
        usage=msgspec.convert(used, UsageNumbers),
        limits=msgspec.convert({limit.name: limit.of(plan_key) for limit in LIMITS}, UsageLimits),
        provider="stripe" if row else None,
        grace_ends_at=clock.wire_or_none(state.grace_ends_at),
        payer=Payer(name=state.payer_name, is_you=state.payer_id == reader_id) if state.payer_name else None,
        handover=handover(offered, reader_id) if offered else None,
    )


def handover(row: HandoverRow, reader_id: UUID) -> Handover:
    """Return who takes over."""
    return Handover(
        name=row.name,
        is_you=row.user_id == reader_id,
        moves_ownership=row.moves_ownership,
        expires_at=clock.wire(row.expires_at),
    )


def _pending_change(row: SubscriptionRow) -> PendingChange | None:
    if row.pending_plan is None or row.pending_interval is None or row.pending_at is None:
        return None
    return PendingChange(row.pending_plan, row.pending_interval, clock.wire(row.pending_at))


def _confirmation(row: SubscriptionRow, reader_id: UUID) -> Confirmation | None:
    if row.confirm_plan is None or row.confirm_interval is None or row.confirm_expires_at is None:
        return None
    if row.confirm_expires_at <= clock.now():
        return None
    url = row.confirm_url if row.is_paid_by(reader_id) else None
    return Confirmation(row.confirm_plan, row.confirm_interval, url, clock.wire(row.confirm_expires_at))


def _payment_method(row: SubscriptionRow) -> PaymentMethod | None:
    if row.card_brand is None or row.card_last4 is None or row.card_exp_month is None or row.card_exp_year is None:
        return None
    return PaymentMethod(row.card_brand, row.card_last4, row.card_exp_month, row.card_exp_year)
