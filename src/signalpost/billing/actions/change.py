"""Changes of a subscription that is there: to another plan, its end, and its continuation."""

from typing import Final

from signalpost.billing import queries, remote
from signalpost.billing.actions.checkout import require_owner
from signalpost.billing.actions.prices import price_of
from signalpost.billing.actions.refresh import refresh
from signalpost.billing.catalog import OFFERS
from signalpost.billing.errors import SubscriptionPastDue
from signalpost.billing.queries import SubscriptionRow
from signalpost.billing.schemas import SubscriptionUpdate
from signalpost.billing.states import LIVE, Interval, Remote, chosen, state_of
from signalpost.billing.stripe import Refused, Stripe, not_possible
from signalpost.context import AppContext
from signalpost.kit import clock, problems
from signalpost.kit.failpoint import failpoint
from signalpost.web.caller import Caller

_ORDER: Final = [offer.key for offer in OFFERS]


async def change_subscription(context: AppContext, caller: Caller, data: SubscriptionUpdate) -> SubscriptionRow:
    """Change the subscription at Stripe, as it is there now, and write what came of it.

    Raises:
        Forbidden: the caller is not the owner.
        ValidationFailed: the body asks for nothing, or for several things.
        InvalidState: there is no subscription, or it is so already.
        SubscriptionPastDue: a payment failed, so the plan cannot change.
        PaymentFailed: the payment for the larger plan failed; nothing is changed.
        BillingDisabled, BillingNotConfigured, Unavailable: see `Stripe`.
    """
    require_owner(caller, "change the subscription")
    _require_one_change(data)
    stripe = Stripe(context)
    async with context.database.connection() as db:
        row = await queries.find(db, caller.workspace_id)
    if row is None:
        raise _none()
    current = chosen(await remote.subscriptions(stripe, row.customer_id))
    if current is None or state_of(current, clock.now()).status not in LIVE:
        raise _none()
    try:
        await _change(stripe, current, data)
    except Refused as refused:
        raise not_possible(refused) from None
    failpoint("billing.changed")  # what this process does not live to write, the notification brings
    row = await refresh(context, row.customer_id)
    if row is None:
        raise _none()
    return row


def _none() -> problems.InvalidState:
    return problems.InvalidState(
        "The workspace has no subscription that could be changed.", remediation="Buy one with `POST /billing/checkout`."
    )


def _require_one_change(data: SubscriptionUpdate) -> None:
    named = [
        name
        for name, value in (
            ("plan and interval", data.plan or data.interval),
            ("cancelAtPeriodEnd", data.cancel_at_period_end),
            ("resume", data.resume),
        )
        if value is not None
    ]
    if len(named) > 1:
        raise problems.invalid("", "not_allowed", f"Change one thing at a time: {' or '.join(named)}.")
    if not named:
        raise problems.invalid("", "required", "Name what to change: plan, interval, cancelAtPeriodEnd or resume.")
    if data.resume is False:
        raise problems.invalid("/resume", "not_allowed", "Must be true; cancelAtPeriodEnd ends a subscription.")


async def _change(stripe: Stripe, current: Remote, data: SubscriptionUpdate) -> None:
    if data.resume or data.cancel_at_period_end is False:
        await _resume(stripe, current)
    elif data.cancel_at_period_end:
        await _cancel(stripe, current)
    else:
        await _change_plan(stripe, current, data.plan or current.plan, data.interval or current.interval)


async def _resume(stripe: Stripe, current: Remote) -> None:
    if current.status == "paused":
        await stripe.post(f"subscriptions/{current.id}/resume", {"billing_cycle_anchor": "now"})
        return
    if not current.cancelling:
        raise problems.InvalidState("The subscription is not cancelled.")
    await stripe.post(f"subscriptions/{current.id}", {"cancel_at_period_end": False})


async def _cancel(stripe: Stripe, current: Remote) -> None:
    if current.cancelling:
        raise problems.InvalidState("The subscription is cancelled already; it ends with its period.")
    await _release(stripe, current)
    await stripe.post(f"subscriptions/{current.id}", {"cancel_at_period_end": True})


async def _release(stripe: Stripe, current: Remote) -> None:
    """Drop a change that waits for the end of the period: the subscription goes on as it is."""
    if current.schedule_id is not None:
        await stripe.post(f"subscription_schedules/{current.schedule_id}/release")


async def _change_plan(stripe: Stripe, current: Remote, plan: str, interval: Interval) -> None:
    if current.status in ("past_due", "unpaid"):
        raise SubscriptionPastDue("A payment failed, so the plan cannot be changed now.")
    if current.cancelling or current.status == "paused":
        raise problems.InvalidState(
            "The subscription is cancelled or paused.", remediation='Continue it with {"resume": true} first.'
        )
    if (plan, interval) == (current.plan, current.interval):
        if current.pending is None:
            raise problems.InvalidState(f"The workspace has the plan {plan} by {interval} already.")
        await _release(stripe, current)
        return
    if current.pending is not None and (plan, interval) == (current.pending.plan, current.pending.interval):
        raise problems.InvalidState(f"The change to the plan {plan} by {interval} is planned already.")
    price_id = await price_of(stripe, plan, interval)
    if _is_larger(plan, interval, current):
        await _release(stripe, current)
        await stripe.post(
            f"subscriptions/{current.id}",
            {
                "items": [{"id": current.item_id, "price": price_id}],
                "proration_behavior": "always_invoice",
                "payment_behavior": "error_if_incomplete",
            },
        )
    else:
        await _schedule(stripe, current, price_id, interval)


def _is_larger(plan: str, interval: Interval, current: Remote) -> bool:
    """Whether it costs more at once: a larger plan, or a year of the same one."""
    before, after = _ORDER.index(current.plan), _ORDER.index(plan)
    return after > before or (after == before and interval == "year")


async def _schedule(stripe: Stripe, current: Remote, price_id: str, interval: Interval) -> None:
    """Plan the change for the end of the period. A schedule that is only created changes nothing yet."""
    schedule_id = current.schedule_id
    if schedule_id is None:
        created = await stripe.post("subscription_schedules", {"from_subscription": current.id})
        schedule_id = str(created.get("id"))
    now = await stripe.get(f"subscription_schedules/{schedule_id}")
    phase = remote.current_phase(now)
    await stripe.post(
        f"subscription_schedules/{schedule_id}",
        {
            "end_behavior": "release",
            "proration_behavior": "none",
            "phases": [
                phase,
                {
                    "items": [{"price": price_id, "quantity": 1}],
                    "duration": {"interval": interval, "interval_count": 1},
                    "proration_behavior": "none",
                },
            ],
        },
    )
