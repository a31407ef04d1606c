"""Changes of a subscription that is there: to another plan, its end, and its continuation."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from signalpost.billing import queries, remote
from signalpost.billing.actions.checkout import require_owner, require_payer, require_session
from signalpost.billing.actions.prices import price_of
from signalpost.billing.actions.refresh import refresh
from signalpost.billing.catalog import OFFERS
from signalpost.billing.errors import ConfirmationNeeded, PaymentFailed, SubscriptionPastDue
from signalpost.billing.queries import SubscriptionRow
from signalpost.billing.schemas import SubscriptionUpdate
from signalpost.billing.states import FREE, LIVE, Interval, Pending, Remote, chosen, state_of
from signalpost.billing.stripe import Refused, Stripe, not_possible
from signalpost.context import AppContext
from signalpost.kit import clock, log, problems
from signalpost.kit.failpoint import failpoint
from signalpost.web.caller import Caller

_ORDER: Final = [offer.key for offer in OFFERS]
_log = log.get("billing")


async def change_subscription(context: AppContext, caller: Caller, data: SubscriptionUpdate) -> SubscriptionRow:
    """Change the subscription at Stripe, as it is there now, and write what came of it.

    Raises:
        Forbidden: the caller is not the owner; the one whose card pays may end the subscription.
        AnotherPayer: the card that would be charged is not that of the owner.
        ValidationFailed: the body asks for nothing, or for several things.
        InvalidState: there is no subscription, or it is so already.
        SubscriptionPastDue: a payment failed, so the plan cannot change.
        PaymentFailed: the payment for the larger plan failed; nothing is changed.
        ConfirmationNeeded: it has to be confirmed, and a planned change stands in the way; nothing is changed.
        BillingDisabled, BillingNotConfigured, Unavailable: see `Stripe`.
    """
    require_session(caller, "change the subscription")
    _require_one_change(data)
    if data.plan == FREE:
        raise problems.invalid(
            "/plan",
            "not_allowed",
            f"{FREE} is what follows when a subscription ends: send "
            '{"cancelAtPeriodEnd": true}, and what is paid stays in force until then.',
        )
    stripe = Stripe(context)
    async with context.database.connection() as db:
        row = await queries.find(db, caller.workspace_id)
    if not (data.cancel_at_period_end and caller.role == "owner"):  # an owner may end it, whoever pays
        require_payer(caller, row, "change the subscription")
    if not data.cancel_at_period_end:
        require_owner(caller, "change the subscription")
    if row is None:
        raise _none()
    if row.payer_left_at is not None:  # first of all what was charged for another owner is ended
        await refresh(context, row.customer_id)
    current = chosen(await remote.subscriptions(stripe, row.customer_id))
    if current is None or state_of(current, clock.now()).status not in LIVE:
        raise _none()
    try:
        await _change(stripe, current, data)
    except Refused as refused:
        await _read_again(context, row.customer_id)
        raise not_possible(refused) from None
    except (ConfirmationNeeded, PaymentFailed, problems.Unavailable):
        await _read_again(context, row.customer_id)
        raise
    failpoint("billing.changed")  # what this process does not live to write, the notification brings
    row = await refresh(context, row.customer_id)
    if row is None:
        raise _none()
    return row


async def _read_again(context: AppContext, customer_id: str) -> None:
    """After a change that failed, show what is there now; if it cannot be read either, a notification tells it."""
    try:
        await refresh(context, customer_id)
    except problems.Problem as problem:
        _log.warning("subscription.unread", customer=customer_id, reason=problem.detail)


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
        waiting = current.confirmation
        plan, interval = data.plan or current.plan, data.interval or current.interval
        if waiting is not None and (plan, interval) == (waiting.plan, waiting.interval):
            return  # its page is still open
        await remote.drop_confirmation(stripe, current)
        if waiting is None or (plan, interval) != (current.plan, current.interval):
            await _change_plan(stripe, current, plan, interval)


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
    await remote.drop_confirmation(stripe, current)
    async with _without_planned_change(stripe, current):
        await stripe.post(f"subscriptions/{current.id}", {"cancel_at_period_end": True})


@asynccontextmanager
async def _without_planned_change(stripe: Stripe, current: Remote) -> AsyncIterator[None]:
    """Drop a planned change, which stands in the way of this one; if this one fails, plan it again."""
    await _release(stripe, current)
    try:
        yield
    except (Refused, ConfirmationNeeded, PaymentFailed, problems.Unavailable):
        if current.pending is not None:
            await _plan_again(stripe, current, current.pending)
        raise


async def _plan_again(stripe: Stripe, before: Remote, pending: Pending) -> None:
    """Plan what was planned, unless the change that failed for us was made at Stripe all the same."""
    try:
        now = chosen(await remote.subscriptions(stripe, before.customer_id))
        same = now is not None and (now.id, now.plan, now.interval) == (before.id, before.plan, before.interval)
        if now is not None and same and not now.cancelling and now.pending is None and pending.price_id is not None:
            await _schedule(stripe, now, pending.price_id, pending.interval)
    except (Refused, problems.Problem) as failure:
        _log.error("subscription.change_lost", subscription=before.id, plan=pending.plan, reason=str(failure))


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
        await _enlarge(stripe, current, price_id)
    else:
        await _schedule(stripe, current, price_id, interval)


async def _enlarge(stripe: Stripe, current: Remote, price_id: str) -> None:
    """Change at once, if it can be paid at once. If the bank wants the holder to confirm it, have it wait for that.

    A change cannot wait while another one is planned; then nothing is changed.
    """
    path = f"subscriptions/{current.id}"
    change = {"items": [{"id": current.item_id, "price": price_id}], "proration_behavior": "always_invoice"}
    try:
        async with _without_planned_change(stripe, current):
            await stripe.post(path, change | {"payment_behavior": "error_if_incomplete"})
    except ConfirmationNeeded:
        if current.pending is not None:
            raise
        await stripe.post(path, change | {"payment_behavior": "pending_if_incomplete"})


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
