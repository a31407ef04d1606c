"""Billing over HTTP."""

from signalpost.billing import actions, views
from signalpost.billing.catalog import CURRENCY, OFFERS, SELF_HOSTED
from signalpost.billing.schemas import BillingFeedback, PlanList, Subscription
from signalpost.context import AppContext
from signalpost.kit import clock
from signalpost.kit.db import Db
from signalpost.plans import queries
from signalpost.plans.actions import month_of
from signalpost.web.caller import PUBLIC, Caller
from signalpost.web.routing import Routes

routes = Routes("Billing")


@routes.get("/billing/plans", scope=PUBLIC)
async def list_plans(context: AppContext) -> PlanList:
    """List the plans with their prices, limits and features. `GET /billing/status` says which one a workspace has."""
    enabled = context.settings.billing_enabled
    offers = OFFERS if enabled else (SELF_HOSTED,)
    return PlanList(data=[views.plan(offer) for offer in offers], billing_enabled=enabled, currency=CURRENCY)


@routes.get("/billing/status", scope="billing:read")
async def get_billing_status(db: Db, caller: Caller) -> Subscription:
    """Return the plan of the workspace, what it uses and what it may use.

    No payments are taken yet: an operator sets the plan, and `status` is `none`.
    """
    used = await queries.usage(db, caller.workspace_id, month_of(clock.now()))
    return views.without_subscription(caller.plan, used)


@routes.post("/billing/feedback", scope="billing:read", status=204)
async def give_billing_feedback(db: Db, caller: Caller, data: BillingFeedback) -> None:
    """Say why you cancel or move to a smaller plan, or what you think. The operator reads it."""
    await actions.give_feedback(db, caller, data)
