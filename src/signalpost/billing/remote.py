"""Reading from Stripe what a customer has. Everything is foreign: a value that cannot be right ends the reading."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from signalpost.billing.catalog import CURRENCY, OFFERS
from signalpost.billing.errors import BillingNotConfigured
from signalpost.billing.queries import Payment
from signalpost.billing.states import (
    PAYING,
    UNDERSTOOD,
    Card,
    Charged,
    Confirmation,
    Interval,
    Pending,
    Remote,
    status_of,
)
from signalpost.billing.stripe import Refused, Stripe, not_possible
from signalpost.kit import foreign, log, problems

PLAN_KEY: Final = "signalpost_plan"
"""Metadata of products and prices: which plan they sell. Of a subscription: what it was bought as."""
WORKSPACE_KEY: Final = "signalpost_workspace"
"""Metadata of customers and subscriptions: whose they are."""
SUBSCRIPTIONS_MAX: Final = 10
CHARGED_PAGE: Final = 25
"""Of subscriptions of all customers; a page has to fit into what is read of a response."""
INVOICES_MAX: Final = 12
INSTANT_MAX: Final = 4_000_000_000
"""In seconds since 1970."""
AMOUNT_MAX: Final = 10**12
_SOLD: Final = frozenset(offer.key for offer in OFFERS if offer.month_minor)
_INTERVALS: Final[Mapping[str, Interval]] = {"month": "month", "year": "year"}
_log = log.get("billing")

Document = Mapping[str, Any]


async def subscriptions(stripe: Stripe, customer_id: str) -> list[Remote]:
    """Return the subscriptions of a customer to our plans, of every status, the newest ten.

    Raises:
        BillingNotConfigured: one of ours has a price that no plan has.
        Unavailable: Stripe cannot be read.
    """
    query = {
        "customer": customer_id,
        "status": "all",
        "limit": SUBSCRIPTIONS_MAX,
        "expand": [
            "data.default_payment_method", "data.customer.invoice_settings.default_payment_method", "data.schedule",
            "data.latest_invoice",
        ],
    }  # fmt: skip
    try:
        listed = await stripe.get("subscriptions", query)
    except Refused as refused:
        if refused.code == "resource_missing":  # the customer was deleted there, and every subscription with it
            return []
        raise not_possible(refused) from None
    return [await _read(stripe, customer_id, document) for document in _list(listed) if _is_ours(document)]


async def charged(stripe: Stripe, after: str | None) -> tuple[list[Charged], str | None]:
    """Return a page of what is charged for our plans, newest first, and where the next page begins (None: nowhere).

    Raises:
        Unavailable: Stripe cannot be read.
    """
    query = {"limit": CHARGED_PAGE, "starting_after": after}  # without a status: all but those that have ended
    try:
        listed = await stripe.get("subscriptions", query)
    except Refused as refused:
        if (
            refused.code == "resource_missing"
        ):  # the one before was deleted meanwhile: the next comparison sees the rest
            return [], None
        raise not_possible(refused) from None
    documents = _list(listed)
    ours = [_charged(document) for document in documents if _is_ours(document) and document.get("status") in PAYING]
    last = foreign.identifier(documents[-1].get("id")) if documents and listed.get("has_more") is True else None
    return ours, last


def _charged(document: Document) -> Charged:
    remote_id, customer_id = foreign.identifier(document.get("id")), foreign.identifier(document.get("customer"), 255)
    if remote_id is None or customer_id is None:
        raise _unreadable("an id")
    plan = _object(_price(document), "metadata").get(PLAN_KEY)
    return Charged(
        id=remote_id,
        customer_id=customer_id,
        status=status_of(str(document.get("status")), cancelling=_is_cancelling(document)),
        plan=plan if plan in _SOLD else None,
        workspace=foreign.identifier(_object(document, "metadata").get(WORKSPACE_KEY)),
    )


def _is_cancelling(document: Document) -> bool:
    return document.get("cancel_at_period_end") is True or document.get("cancel_at") is not None


def _is_ours(document: Document) -> bool:
    """Whether a subscription is to one of our plans: the account may sell other things too."""
    marks = (_object(document, "metadata"), _object(_price(document), "metadata"))
    return WORKSPACE_KEY in marks[0] or PLAN_KEY in marks[1]


async def _read(stripe: Stripe, customer_id: str, document: Document) -> Remote:
    item, price = _item(document), _price(document)
    plan, interval = plan_of(price)
    status = foreign.identifier(document.get("status"), 50)
    if status not in UNDERSTOOD:
        raise _unreadable("a status")
    remote_id, item_id = foreign.identifier(document.get("id")), foreign.identifier(item.get("id"))
    if remote_id is None or item_id is None:
        raise _unreadable("an id")
    schedule = _object(document, "schedule")
    confirmation = _confirmation(document)
    is_owing = status in ("past_due", "unpaid")
    return Remote(
        id=remote_id,
        item_id=item_id,
        status=status,
        plan=plan,
        interval=interval,
        created_at=instant(document, "created"),
        period_start=instant(item, "current_period_start"),
        period_end=instant(item, "current_period_end"),
        cancelling=_is_cancelling(document),
        trial_ends_at=None if document.get("trial_end") is None else instant(document, "trial_end"),
        schedule_id=foreign.identifier(schedule.get("id")),
        pending=await _pending(stripe, schedule, foreign.identifier(price.get("id"))),
        confirmation=confirmation,
        card=_card(document),
        unpaid_since=await _unpaid_since(stripe, remote_id, confirmation) if is_owing else None,
        customer_id=customer_id,
        workspace=foreign.identifier(_object(document, "metadata").get(WORKSPACE_KEY)),
    )


def plan_of(price: Document) -> tuple[str, Interval]:
    """Return the plan and the interval that a price sells.

    Raises:
        BillingNotConfigured: it sells none, or not in the currency of the plans.
    """
    plan = _object(price, "metadata").get(PLAN_KEY)
    interval = _INTERVALS.get(str(_object(price, "recurring").get("interval")))
    name = foreign.line(price.get("id"), 100) or "without an id"
    if plan not in _SOLD or interval is None:
        _log.error("billing.price_unknown", price=name)
        raise BillingNotConfigured(
            f"The price {name} at the provider belongs to no plan; `signalpost billing sync` helps."
        )
    if price.get("currency") != CURRENCY:
        _log.error("billing.price_unknown", price=name)
        raise BillingNotConfigured(f"The price {name} at the provider is not in {CURRENCY.upper()}, as the plans are.")
    return str(plan), interval


async def _pending(stripe: Stripe, schedule: Document, current_price: str | None) -> Pending | None:
    """Return the change that the last phase of a schedule makes, if it lies ahead."""
    phases = schedule.get("phases")
    if schedule.get("status") not in ("active", "not_started") or not isinstance(phases, list) or len(phases) < 2:
        return None
    items = phases[-1].get("items") if isinstance(phases[-1], Mapping) else None
    price_id = foreign.identifier(items[0].get("price")) if isinstance(items, list) and items else None
    if price_id is None or price_id == current_price:
        return None
    try:
        plan, interval = plan_of(await stripe.get(f"prices/{price_id}"))
    except Refused as refused:
        raise not_possible(refused) from None
    return Pending(plan, interval, instant(phases[-1], "start_date"), price_id)


def _confirmation(document: Document) -> Confirmation | None:
    """Return the change that waits for its payment, and the page where the holder of the card confirms it."""
    change, invoice = _object(document, "pending_update"), _object(document, "latest_invoice")
    items = change.get("subscription_items")
    if not isinstance(items, list) or not items or not isinstance(items[0], Mapping):
        return None
    plan, interval = plan_of(_object(items[0], "price"))
    invoice_id, url = foreign.identifier(invoice.get("id")), foreign.url(invoice.get("hosted_invoice_url"))
    if invoice_id is None or url is None or invoice.get("status") != "open":
        return None
    return Confirmation(plan, interval, instant(change, "expires_at"), invoice_id, url)


async def _unpaid_since(stripe: Stripe, subscription_id: str, confirmation: Confirmation | None) -> datetime | None:
    """Return since when something is owed: since the oldest open invoice, except that of a change that waits."""
    try:
        query = {"subscription": subscription_id, "status": "open", "limit": INVOICES_MAX}
        invoices = _list(await stripe.get("invoices", query))
    except Refused as refused:
        raise not_possible(refused) from None
    waiting = confirmation and confirmation.invoice_id
    return min((instant(invoice, "created") for invoice in invoices if invoice.get("id") != waiting), default=None)


async def drop_confirmation(stripe: Stripe, subscription: Remote) -> None:
    """Drop a change that waits for its payment: its page can no longer be paid. Safe to repeat."""
    if subscription.confirmation is None:
        return
    try:
        await stripe.post(f"invoices/{subscription.confirmation.invoice_id}/void")
    except Refused as refused:  # it was paid, or has expired; what is true is read next
        _log.debug("confirmation.closed_already", code=refused.code)


async def payments(stripe: Stripe, customer_id: str, remotes: list[Remote]) -> list[Payment]:
    """Return what a customer paid for these subscriptions, the newest twelve; what cost nothing is left out."""
    try:
        query = {"customer": customer_id, "status": "paid", "limit": INVOICES_MAX}
        invoices = _list(await stripe.get("invoices", query)) if remotes else []
    except Refused as refused:
        if refused.code == "resource_missing":
            return []
        raise not_possible(refused) from None
    ours, paid = {subscription.id for subscription in remotes}, list[Payment]()
    for invoice in invoices:
        details = _object(_object(invoice, "parent"), "subscription_details")
        amount = foreign.integer(invoice.get("amount_paid"), maximum=AMOUNT_MAX)
        invoice_id, currency = foreign.identifier(invoice.get("id")), foreign.identifier(invoice.get("currency"), 3)
        if invoice_id is None or currency is None or amount is None:
            raise _unreadable("a payment")
        if amount and details.get("subscription") in ours:
            paid.append(Payment(invoice_id, amount, currency, instant(invoice, "created")))
    return paid


async def refund(stripe: Stripe, invoice_id: str) -> None:
    """Give back what was paid of an invoice. Safe to repeat."""
    try:
        listed = _list(await stripe.get("invoice_payments", {"invoice": invoice_id, "status": "paid"}))
        for entry in listed:
            intent = foreign.identifier(_object(entry, "payment").get("payment_intent"))
            if intent is not None:
                await stripe.post("refunds", {"payment_intent": intent}, idempotency_key=f"refund:{intent}")
    except Refused as refused:
        if refused.code != "charge_already_refunded":
            raise not_possible(refused) from None


def _card(document: Document) -> Card | None:
    """Return the card that pays: that of the subscription, else that of the customer."""
    settings = _object(_object(document, "customer"), "invoice_settings")
    for method in (_object(document, "default_payment_method"), _object(settings, "default_payment_method")):
        card = _object(method, "card")
        brand, last4 = foreign.line(card.get("brand"), 50), foreign.line(card.get("last4"), 4)
        month, year = (
            foreign.integer(card.get("exp_month"), maximum=12),
            foreign.integer(card.get("exp_year"), maximum=9_999),
        )
        if brand and last4 and month and year:
            return Card(brand, last4, month, year)
    return None


def instant(document: Document, name: str) -> datetime:
    """Return a time that is given in seconds since 1970."""
    seconds = foreign.integer(document.get(name), maximum=INSTANT_MAX)
    if seconds is None:
        raise _unreadable(f"no {name}")
    return datetime.fromtimestamp(seconds, UTC)


def _unreadable(what: str) -> problems.Unavailable:
    _log.error("stripe.unreadable", what=what)
    return problems.Unavailable(
        "The provider of payments answered with something unknown.", headers={"Retry-After": "60"}
    )


def _item(document: Document) -> Document:
    items = _object(document, "items").get("data")
    return items[0] if isinstance(items, list) and items and isinstance(items[0], Mapping) else {}


def _price(document: Document) -> Document:
    return _object(_item(document), "price")


def _object(document: Document, name: str) -> Document:
    value = document.get(name)
    return value if isinstance(value, Mapping) else {}


def _list(document: Document) -> list[Document]:
    data = document.get("data")
    return [entry for entry in data if isinstance(entry, Mapping)] if isinstance(data, list) else []


def current_phase(schedule: Document) -> dict[str, Any]:
    """Return the phase of a schedule that runs now, as a change of the schedule has to repeat it."""
    running = _object(schedule, "current_phase")
    start, phases = running.get("start_date"), schedule.get("phases")
    for phase in phases if isinstance(phases, list) else ():
        if isinstance(phase, Mapping) and phase.get("start_date") == start and start is not None:
            items = [item for item in phase.get("items") or () if isinstance(item, Mapping)]
            return {
                "items": [
                    {"price": foreign.identifier(item.get("price")), "quantity": foreign.integer(item.get("quantity"))}
                    for item in items
                ],
                "start_date": foreign.integer(start, maximum=INSTANT_MAX),
                "end_date": foreign.integer(phase.get("end_date"), maximum=INSTANT_MAX),
                "trial_end": foreign.integer(phase.get("trial_end"), maximum=INSTANT_MAX),
                "metadata": {WORKSPACE_KEY: _object(phase, "metadata").get(WORKSPACE_KEY)},
            }
    raise _unreadable("a schedule without a current phase")
