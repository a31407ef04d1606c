"""Billing over HTTP."""

from datetime import date

from signalpost.billing import queries, views
from signalpost.billing.actions import change, checkout, feedback, handover, notification
from signalpost.billing.catalog import CURRENCY, OFFERS, SELF_HOSTED
from signalpost.billing.errors import (
    AnotherPayer,
    BillingDisabled,
    BillingNotConfigured,
    PaymentFailed,
    SubscriptionPastDue,
)
from signalpost.billing.queries import SubscriptionRow
from signalpost.billing.schemas import (
    Checkout,
    CheckoutCreate,
    FeedbackCreate,
    Handover,
    HandoverCreate,
    Notification,
    PayerPageCreate,
    PlanList,
    Portal,
    PortalCreate,
    Received,
    Subscription,
    SubscriptionUpdate,
)
from signalpost.context import AppContext
from signalpost.identity.authenticate import authenticator
from signalpost.identity.queries import plan_in_force, workspace_terms
from signalpost.kit import clock, log
from signalpost.kit.db import Db
from signalpost.kit.problems import (
    Forbidden,
    InvalidSignature,
    InvalidState,
    MalformedRequest,
    PayloadTooLarge,
    Problem,
    Unavailable,
)
from signalpost.plans import queries as plan_queries
from signalpost.plans.actions import month_of
from signalpost.web.caller import PUBLIC, SIGNED_IN, Caller
from signalpost.web.request import ClientAddress, Request
from signalpost.web.routing import Routes
from signalpost.web.signed import read_signed_body

routes = Routes("Billing")
_log = log.get("billing")
_PROVIDER = (BillingDisabled, BillingNotConfigured, Unavailable)


def _this_month() -> date:
    return month_of(clock.actual())


@routes.get("/billing/plans", scope=PUBLIC, across_workspaces=True)
async def list_plans(context: AppContext, request: Request, address: ClientAddress) -> PlanList:
    """List the plans with their prices, limits and features. With a credential, `current` marks the workspace's plan.

    No credential is needed; one that is no longer valid changes nothing.
    """
    enabled = context.settings.billing_enabled
    offers = OFFERS if enabled else (SELF_HOSTED,)
    current = await _plan_of_reader(context, request, address) if enabled else None
    return PlanList(data=[views.plan(offer, current) for offer in offers], billing_enabled=enabled, currency=CURRENCY)


async def _plan_of_reader(context: AppContext, request: Request, address: str) -> str | None:
    scheme, _, bearer = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not bearer.strip():
        return None
    try:
        caller = await authenticator(context)(bearer.strip(), request.headers.get("x-workspace-id"), address)
    except Problem as problem:
        _log.debug("plans.reader_unknown", reason=problem.detail)
        return None
    return caller.plan


@routes.get("/billing/status", scope="billing:read")
async def get_billing_status(db: Db, caller: Caller) -> Subscription:
    """Return the subscription and the plan of the workspace, what it uses and what it may use.

    `plan` is the one in force: an operator may have given another one than was bought.
    """
    row = await queries.find(db, caller.workspace_id)
    return await _status(db, caller, row, caller.plan)


async def _status(db: Db, caller: Caller, row: SubscriptionRow | None, plan: str) -> Subscription:
    used = await plan_queries.usage(db, caller.workspace_id, _this_month())
    offered = await queries.find_handover(db, caller.workspace_id, clock.now())
    return views.subscription(row, plan, used, offered, caller.user_id)


@routes.post("/billing/refresh", scope="billing:read", status=200, raises=(*_PROVIDER, PaymentFailed), history="action")
async def refresh_billing(context: AppContext, caller: Caller) -> Subscription:
    """Read at the provider what was paid, without waiting for its notification, and return the subscription.

    For the page to which a browser comes back from a payment. What was read within five seconds is not read again.
    """
    row = await handover.look_again(context, caller)
    async with context.database.connection() as db:
        terms = await workspace_terms(context.settings, db, caller.workspace_id)
        return await _status(db, caller, row, terms.plan)


@routes.patch(
    "/billing/subscription",
    scope=SIGNED_IN,
    raises=(*_PROVIDER, AnotherPayer, Forbidden, InvalidState, SubscriptionPastDue, PaymentFailed),
    example={"plan": "max"},
)
async def update_subscription(context: AppContext, caller: Caller, data: SubscriptionUpdate) -> Subscription:
    """Change the plan or the interval, end the subscription with its period, or continue it. Only the owner can.

    Whoever's card pays can end it, too. An owner whose workspace is paid by another person enters a card of their own
    first, with `POST /billing/payer`.

    A larger plan, or a year of the same one, begins at once, and the difference is paid at once. A smaller one begins
    at the end of the period, as `pendingChange` says; naming the current plan again drops it.
    """
    row = await change.change_subscription(context, caller, data)
    plan = plan_in_force(context.settings, row.plan_in_force or caller.plan)
    async with context.database.connection() as db:
        return await _status(db, caller, row, plan)


@routes.post(
    "/billing/checkout",
    scope="billing:read",
    raises=(*_PROVIDER, Forbidden, InvalidState, PaymentFailed, SubscriptionPastDue),
)
async def create_checkout(context: AppContext, caller: Caller, data: CheckoutCreate) -> Checkout:
    """Open a payment page for a plan; only the owner can. It ends a page that was opened before.

    The plan is in force when the payment is made, whether or not the browser comes back to `successUrl`:
    `GET /billing/status` says so. The first subscription may begin with a free trial.
    """
    url, session_id, expires_at = await checkout.open_checkout(context, caller, data)
    return Checkout(url=url, session_id=session_id, expires_at=clock.wire(expires_at))


@routes.post(
    "/billing/portal", scope=SIGNED_IN, raises=(*_PROVIDER, AnotherPayer, Forbidden, InvalidState, PaymentFailed)
)
async def create_portal(context: AppContext, caller: Caller, data: PortalCreate) -> Portal:
    """Open the page where the payer changes cards and addresses, reads invoices and cancels.

    That is the owner, except where the card of someone else pays: then only that person can.
    """
    return Portal(url=await checkout.open_portal(context, caller, data))


@routes.post(
    "/billing/handover",
    scope=SIGNED_IN,
    raises=(*_PROVIDER, Forbidden, InvalidState, PaymentFailed, SubscriptionPastDue),
)
async def offer_handover(context: AppContext, caller: Caller, data: HandoverCreate) -> Handover:
    """Offer an admin this workspace together with its payments; only the owner can. Valid for seven days.

    The successor enters a card with `POST /billing/payer`. Then it pays from the next payment on, your card is removed,
    and the ownership moves: nobody pays twice, and the plan stays in force. You become an admin.
    """
    return views.handover(await handover.offer_handover(context, caller, data.member_id), caller.user_id)


@routes.delete(
    "/billing/handover", scope=SIGNED_IN, status=204, raises=(*_PROVIDER, Forbidden, InvalidState, PaymentFailed)
)
async def withdraw_handover(context: AppContext, caller: Caller) -> None:
    """Take the offer back, or decline it."""
    await handover.withdraw_handover(context, caller)


@routes.post("/billing/payer", scope=SIGNED_IN, raises=(*_PROVIDER, Forbidden, InvalidState, PaymentFailed))
async def open_payer_page(context: AppContext, caller: Caller, data: PayerPageCreate) -> Checkout:
    """Open the page where you enter a card that pays for this workspace from now on; nothing is charged by it.

    For whom the owner has offered it (`POST /billing/handover`), and for an owner whose workspace is paid by another
    person. When the card is entered, the cards before it are removed; with an offer the workspace becomes yours.
    """
    url, session_id, expires_at = await handover.open_payer_page(context, caller, data)
    return Checkout(url=url, session_id=session_id, expires_at=clock.wire(expires_at))


@routes.post(
    "/billing/webhook",
    scope=PUBLIC,
    unlimited=True,
    has_cell_path=True,
    across_workspaces=True,
    history="action",
    raises=(*_PROVIDER, InvalidSignature, MalformedRequest, PayloadTooLarge, PaymentFailed),
    documented_request_body={"application/json": Notification},
    documented_headers={"Stripe-Signature": "When Stripe signed the body, and with what: `t=…,v1=…`."},
)
async def receive_billing_webhook(context: AppContext, request: Request) -> Received:
    """Receive a notification of Stripe, signed with the secret of the endpoint.

    Each has its effect once, in whatever order they arrive: what changed is read from Stripe again. Types that change
    nothing here are accepted. One that could not be processed is answered with 503, and sent again by Stripe.
    """
    header = request.headers.get("stripe-signature", "")
    secret = notification.require_verifiable(context, header)
    body = await read_signed_body(context, request, notification.BODY_BYTES_MAX)
    await notification.receive(context, header, body, secret)
    return Received(received=True)


@routes.post("/billing/feedback", scope="billing:read", status=204)
async def give_billing_feedback(db: Db, caller: Caller, data: FeedbackCreate) -> None:
    """Say why you cancel or move to a smaller plan, or what you think. The operator reads it."""
    await feedback.give_feedback(db, caller, data)
