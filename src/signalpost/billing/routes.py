"""Billing over HTTP."""

from datetime import date

from signalpost.billing import queries, views
from signalpost.billing.actions import change, checkout, feedback, notification
from signalpost.billing.catalog import CURRENCY, OFFERS, SELF_HOSTED
from signalpost.billing.errors import (
    BillingDisabled,
    BillingNotConfigured,
    PaymentFailed,
    SubscriptionPastDue,
)
from signalpost.billing.schemas import (
    BillingFeedback,
    Checkout,
    CheckoutCreate,
    Notification,
    PlanList,
    Portal,
    PortalCreate,
    Received,
    Subscription,
    SubscriptionUpdate,
)
from signalpost.context import AppContext
from signalpost.identity.queries import plan_in_force
from signalpost.kit import clock
from signalpost.kit.db import Db
from signalpost.kit.problems import (
    Forbidden,
    InvalidSignature,
    InvalidState,
    MalformedRequest,
    PayloadTooLarge,
    Unavailable,
)
from signalpost.plans import queries as plan_queries
from signalpost.plans.actions import month_of
from signalpost.web.caller import PUBLIC, Caller
from signalpost.web.request import Request
from signalpost.web.routing import Routes
from signalpost.web.signed import read_signed_body

routes = Routes("Billing")
_PROVIDER = (BillingDisabled, BillingNotConfigured, Unavailable)


def _this_month() -> date:
    return month_of(clock.now())


@routes.get("/billing/plans", scope=PUBLIC)
async def list_plans(context: AppContext) -> PlanList:
    """List the plans with their prices, limits and features. `GET /billing/status` says which one a workspace has."""
    enabled = context.settings.billing_enabled
    offers = OFFERS if enabled else (SELF_HOSTED,)
    return PlanList(data=[views.plan(offer) for offer in offers], billing_enabled=enabled, currency=CURRENCY)


@routes.get("/billing/status", scope="billing:read")
async def get_billing_status(db: Db, caller: Caller) -> Subscription:
    """Return the subscription and the plan of the workspace, what it uses and what it may use.

    `plan` is the one in force: an operator may have given another one than was bought.
    """
    row = await queries.find(db, caller.workspace_id)
    return views.subscription(row, caller.plan, await plan_queries.usage(db, caller.workspace_id, _this_month()))


@routes.patch(
    "/billing/subscription",
    scope="billing:read",
    raises=(*_PROVIDER, Forbidden, InvalidState, SubscriptionPastDue, PaymentFailed),
    example={"plan": "max"},
)
async def update_subscription(context: AppContext, caller: Caller, data: SubscriptionUpdate) -> Subscription:
    """Change the plan or the interval, end the subscription with its period, or continue it. Only the owner can.

    A larger plan, or a year of the same one, begins at once, and the difference is paid at once. A smaller one begins
    at the end of the period, as `pendingChange` says; naming the current plan again drops it.
    """
    row = await change.change_subscription(context, caller, data)
    plan = plan_in_force(context.settings, row.plan_in_force or caller.plan)
    async with context.database.connection() as db:
        used = await plan_queries.usage(db, caller.workspace_id, _this_month())
    return views.subscription(row, plan, used)


@routes.post("/billing/checkout", scope="billing:read", raises=(*_PROVIDER, Forbidden, InvalidState, PaymentFailed))
async def create_checkout(context: AppContext, caller: Caller, data: CheckoutCreate) -> Checkout:
    """Open a payment page for a plan; only the owner can. It ends a page that was opened before.

    The plan is in force when the payment is made, whether or not the browser comes back to `successUrl`:
    `GET /billing/status` says so. The first subscription may begin with a free trial.
    """
    url, session_id, expires_at = await checkout.open_checkout(context, caller, data)
    return Checkout(url=url, session_id=session_id, expires_at=clock.wire(expires_at))


@routes.post("/billing/portal", scope="billing:read", raises=(*_PROVIDER, Forbidden, InvalidState, PaymentFailed))
async def create_portal(context: AppContext, caller: Caller, data: PortalCreate) -> Portal:
    """Open the page where the owner changes cards and addresses, reads invoices and cancels; only the owner can."""
    return Portal(url=await checkout.open_portal(context, caller, data))


@routes.post(
    "/billing/webhook",
    scope=PUBLIC,
    unlimited=True,
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
async def give_billing_feedback(db: Db, caller: Caller, data: BillingFeedback) -> None:
    """Say why you cancel or move to a smaller plan, or what you think. The operator reads it."""
    await feedback.give_feedback(db, caller, data)
