"""The payment page for a workspace's first plan, and the page where it manages cards, invoices and addresses."""

from datetime import datetime
from typing import Any, Final

from signalpost.billing import queries, remote
from signalpost.billing.actions.prices import price_of
from signalpost.billing.actions.refresh import refresh
from signalpost.billing.errors import AnotherPayer, BillingNotConfigured, SubscriptionPastDue
from signalpost.billing.queries import SubscriptionRow
from signalpost.billing.schemas import CheckoutCreate, PortalCreate
from signalpost.billing.states import LIVE
from signalpost.billing.stripe import Refused, Stripe, not_possible
from signalpost.context import AppContext
from signalpost.identity.actions import workspaces
from signalpost.kit import clock, foreign, ids, log, problems
from signalpost.kit.problems import Issue
from signalpost.web.caller import Caller

_ADDRESS: Final = "Enter an https address, or http on loopback, without user and fragment."
_log = log.get("billing")
_SET_CUSTOMER: Final = """
insert into subscription as s (workspace_id, customer_id, payer_id) values ($1, $2, $4)
on conflict (workspace_id) do update set customer_id = excluded.customer_id, payer_id = excluded.payer_id,
    payer_left_at = null, checkout_id = null, version = s.version + 1
    where s.customer_id = $3
"""
_LEAVE_CUSTOMER: Final = """
insert into billing_former_customer (customer_id, workspace_id, left_at)
select customer_id, workspace_id, $3 from subscription where workspace_id = $1 and customer_id = $2
on conflict (customer_id) do nothing
"""
_SET_CHECKOUT: Final = """
update subscription set checkout_id = $2, checkout_at = $4, payer_id = coalesce(payer_id, $5), version = version + 1
where workspace_id = $1 and checkout_id is not distinct from $3 and status in ('none', 'expired')
returning true
"""


def require_owner(caller: Caller, what: str) -> None:
    """Ensure that the owner does this, signed in.

    Raises:
        Forbidden: it is someone else, or an API key.
    """
    require_session(caller, what)
    if caller.role != "owner":
        raise problems.Forbidden(f"Only the owner can {what}.")


def require_session(caller: Caller, what: str) -> None:
    """Ensure that a person does this, signed in.

    Raises:
        Forbidden: it is an API key.
    """
    if caller.auth != "session":
        raise problems.Forbidden(
            f"An API key cannot {what}.", remediation="Sign in with `POST /auth/login` and send its access token."
        )


def require_payer(caller: Caller, row: SubscriptionRow | None, what: str) -> None:
    """Ensure that the one whose card pays does this: the owner, unless it is known to be someone else.

    Raises:
        Forbidden: it is neither the owner nor the payer.
        AnotherPayer: it is the owner, and another person pays.
    """
    if row is not None and row.payer_id == caller.user_id:
        return
    require_owner(caller, what)
    if row is not None and not row.is_paid_by(caller.user_id):
        raise AnotherPayer(f"{row.payer_name or 'Another person'} pays for this workspace, so you cannot {what}.")


def require_addresses(**addresses: str) -> None:
    issues = [
        Issue(f"/{name}", "format", _ADDRESS)
        for name, address in addresses.items()
        if not workspaces.may_redirect_to(address)
    ]
    if issues:
        raise problems.ValidationFailed(errors=issues)


async def open_checkout(context: AppContext, caller: Caller, data: CheckoutCreate) -> tuple[str, str, datetime]:
    """Open a payment page; return its address, its id and when it expires. An earlier one is closed.

    Raises:
        Forbidden: the caller is not the owner.
        SubscriptionPastDue: a payment of the subscription failed.
        InvalidState: the workspace has a subscription, or opens another page at this moment.
        ValidationFailed: an address or the promotion code cannot be used.
        BillingDisabled, BillingNotConfigured, Unavailable: see `Stripe`.
    """
    require_owner(caller, "buy a plan")
    stripe = Stripe(context)
    require_addresses(successUrl=data.success_url, cancelUrl=data.cancel_url)
    async with context.database.connection() as db:
        row = await queries.find(db, caller.workspace_id)
    _require_unsubscribed(row, data)
    price_id = await price_of(stripe, data.plan, data.interval)
    discount = await _discount(stripe, data.promotion_code)
    row, earlier = await _customer(context, stripe, caller, row)
    _require_unsubscribed(row, data)
    parameters = _session(context, caller, row, data) | {"line_items": [{"price": price_id, "quantity": 1}]} | discount
    try:
        page = await stripe.post("checkout/sessions", parameters)
    except Refused as refused:
        raise not_possible(refused) from None
    page_id, url = foreign.identifier(page.get("id")), foreign.url(page.get("url"))
    if page_id is None or url is None:
        raise BillingNotConfigured("The provider of payments opened no page.")
    async with context.database.transaction() as db:
        noted = await db.fetchval(_SET_CHECKOUT, caller.workspace_id, page_id, earlier, clock.now(), caller.user_id)
    if not noted:
        await expire(stripe, page_id)
        raise problems.InvalidState("Another payment page of this workspace was opened or paid at this moment.")
    return url, page_id, remote.instant(page, "expires_at")


def _require_unsubscribed(row: SubscriptionRow | None, data: CheckoutCreate) -> None:
    if row is None or row.status not in LIVE:
        return
    if row.status == "past_due":
        raise SubscriptionPastDue(
            f"A payment for the plan {row.plan} failed. Pay it, and the plan is in force again: buy nothing new."
        )
    if (row.plan, row.interval) == (data.plan, data.interval):
        raise problems.InvalidState(f"The workspace has the plan {data.plan} by {data.interval} already.")
    raise problems.InvalidState(
        f"The workspace has a subscription, which is {row.status}.",
        remediation="Change it with `PATCH /billing/subscription`.",
    )


def _session(context: AppContext, caller: Caller, row: SubscriptionRow, data: CheckoutCreate) -> dict[str, Any]:
    workspace_id, tax = ids.encode("wsp", caller.workspace_id), context.settings.billing_tax
    days = context.settings.billing_trial_days if row.plan_in_force is None else 0  # one trial for each workspace
    return {
        "mode": "subscription",
        "customer": row.customer_id,
        "client_reference_id": workspace_id,
        "success_url": data.success_url,
        "cancel_url": data.cancel_url,
        "subscription_data": {
            "metadata": {remote.WORKSPACE_KEY: workspace_id, remote.PLAN_KEY: data.plan},
            "trial_period_days": days or None,
        },
        "automatic_tax": {"enabled": True} if tax else None,
        "customer_update": {"address": "auto", "name": "auto"} if tax else None,
        "tax_id_collection": {"enabled": True} if tax else None,
    }


async def _discount(stripe: Stripe, code: str | None) -> dict[str, Any]:
    """Return what a page needs to apply a promotion code, or to let people enter one."""
    if code is None:
        return {"allow_promotion_codes": True}
    try:
        listed = await stripe.get("promotion_codes", {"code": code, "active": True, "limit": 1})
    except Refused as refused:
        raise not_possible(refused) from None
    match listed.get("data"):
        case [{"id": str(promotion_id)}, *_]:
            return {"discounts": [{"promotion_code": promotion_id}]}
    raise problems.invalid("/promotionCode", "not_found", "No such promotion code is valid now.")


async def _customer(
    context: AppContext, stripe: Stripe, caller: Caller, row: SubscriptionRow | None
) -> tuple[SubscriptionRow, str | None]:
    """Return the workspace's customer as it is at Stripe now, and its earlier payment page, which is closed."""
    if row is None:
        row = await _create_customer(context, stripe, caller, replaced=None)
    if not row.version:  # no page was opened yet, and nothing bought
        return row, None
    earlier = row.checkout_id
    if earlier is not None:
        await expire(stripe, earlier)
    if await _is_deleted(stripe, row.customer_id):
        return await _create_customer(context, stripe, caller, replaced=row.customer_id), None
    # Perhaps the earlier page was paid, and the notification is on its way.
    row = await refresh(context, row.customer_id) or row
    if row.status not in LIVE and not row.is_paid_by(caller.user_id):  # cards of other people are not offered
        return await _create_customer(context, stripe, caller, replaced=row.customer_id), None
    return row, earlier


async def _is_deleted(stripe: Stripe, customer_id: str) -> bool:
    try:
        return (await stripe.get(f"customers/{customer_id}")).get("deleted") is True
    except Refused as refused:
        if refused.code == "resource_missing":
            return True
        raise not_possible(refused) from None


async def _create_customer(
    context: AppContext, stripe: Stripe, caller: Caller, *, replaced: str | None
) -> SubscriptionRow:
    """Create a customer for the workspace, in the place of one that was deleted at Stripe."""
    workspace_id = ids.encode("wsp", caller.workspace_id)
    parameters = {"metadata": {remote.WORKSPACE_KEY: workspace_id}, "name": caller.user_name}
    try:
        # Requests at the same time, and one after this process died, get the same customer.
        key = f"customer:{workspace_id}:{caller.user_id}:{replaced or ''}"
        customer = await stripe.post("customers", parameters, idempotency_key=key)
    except Refused as refused:
        raise not_possible(refused) from None
    customer_id = foreign.identifier(customer.get("id"), 255)
    if customer_id is None:
        raise BillingNotConfigured("The provider of payments created no customer.")
    async with context.database.transaction() as db:
        if replaced is not None:
            await db.execute(_LEAVE_CUSTOMER, caller.workspace_id, replaced, clock.now())
        await db.execute(_SET_CUSTOMER, caller.workspace_id, customer_id, replaced, caller.user_id)
        row = await queries.find(db, caller.workspace_id)
    if row is None:
        raise problems.InvalidState("The workspace was deleted at this moment.")
    return row


async def expire(stripe: Stripe, page_id: str) -> None:
    """Close a page. One that is closed already, or was paid, stays as it is."""
    try:
        await stripe.post(f"checkout/sessions/{page_id}/expire")
    except Refused as refused:  # it has expired or was paid
        _log.debug("checkout.closed_already", code=refused.code)


async def open_portal(context: AppContext, caller: Caller, data: PortalCreate) -> str:
    """Return the address of the page where the owner manages cards, invoices and addresses.

    Raises:
        Forbidden: the caller is neither the owner nor the one whose card pays.
        AnotherPayer: the card is not that of the owner who asks.
        InvalidState: the workspace never wanted to buy anything, so there is nothing to manage.
        ValidationFailed: the address cannot be used.
        BillingDisabled, BillingNotConfigured, Unavailable: see `Stripe`.
    """
    require_session(caller, "manage payments")
    stripe = Stripe(context)
    async with context.database.connection() as db:
        row = await queries.find(db, caller.workspace_id)
    require_payer(caller, row, "manage payments")
    require_addresses(returnUrl=data.return_url)
    if row is None:
        raise problems.InvalidState(
            "The workspace has never paid anything.", remediation="Buy a plan with `POST /billing/checkout` first."
        )
    try:
        page = await stripe.post(
            "billing_portal/sessions", {"customer": row.customer_id, "return_url": data.return_url}
        )
    except Refused as refused:
        raise not_possible(refused) from None
    url = foreign.url(page.get("url"))
    if url is None:
        raise BillingNotConfigured("The provider of payments opened no page.")
    return url
