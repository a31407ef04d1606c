from typing import Annotated

from signalpost.context import AppContext
from signalpost.identity.errors import PlanLimitReached
from signalpost.kit.db import Db
from signalpost.kit.problems import InvalidState, NotFound, UnsafeAddress
from signalpost.kit.wire import Listing
from signalpost.plans.errors import PlanFeatureUnavailable
from signalpost.web.caller import Caller
from signalpost.web.fields import DeliveryId, WebhookId
from signalpost.web.inputs import Mine
from signalpost.web.paging import LIST_ALL, Page
from signalpost.web.routing import Routes
from signalpost.webhooks import actions, queries
from signalpost.webhooks.queries import WebhookRow
from signalpost.webhooks.schemas import (
    Delivery,
    DeliveryDetail,
    DeliveryQuery,
    Webhook,
    WebhookCreate,
    WebhookDeletion,
    WebhookUpdate,
    WebhookWithSecret,
)

routes = Routes("Webhooks")

MyWebhook = Annotated[WebhookRow, Mine(WebhookId, queries.find_mine, "id")]


@routes.post(
    "/webhooks",
    scope="webhooks:write",
    raises=(UnsafeAddress, PlanLimitReached, PlanFeatureUnavailable),
    example={"url": "https://example.com/hooks/signalpost", "events": ["post.published", "post.failed"]},
)
async def create_webhook(context: AppContext, caller: Caller, data: WebhookCreate) -> WebhookWithSecret:
    """Register an address that hears of events.

    The answer shows the signing `secret`, this once. Events of live and test mode are sent alike; `data.mode` tells
    them apart. The address is resolved and judged now and at every delivery.
    """
    return await actions.create_webhook(context, caller, data)


@routes.get("/webhooks", scope="webhooks:read", limit_default=LIST_ALL)
async def list_webhooks(db: Db, caller: Caller, page: Page) -> Listing[Webhook]:
    """List webhooks, newest first: all of them unless `limit` says otherwise. Secrets are never shown."""
    rows = await queries.visible(db, caller, page)
    return page.listing([row.shown() for row in rows], [(row.created_at, row.id) for row in rows])


@routes.get("/webhooks/{id}", scope="webhooks:read")
async def get_webhook(webhook: MyWebhook) -> Webhook:
    """Return a webhook."""
    return webhook.shown()


@routes.patch("/webhooks/{id}", scope="webhooks:write", raises=(UnsafeAddress,))
async def update_webhook(webhook: MyWebhook, context: AppContext, caller: Caller, data: WebhookUpdate) -> Webhook:
    """Change a webhook: what is left out stays, null clears.

    `active: false` pauses it: new events are not recorded for it, waiting deliveries are held. `active: true` lets them
    go, and enables a webhook that was disabled because its deliveries kept failing.
    """
    return await actions.update_webhook(context, caller, webhook.id, data)


@routes.delete("/webhooks/{id}", scope="webhooks:write")
async def delete_webhook(webhook: MyWebhook, db: Db) -> WebhookDeletion:
    """Delete a webhook with its deliveries. Attempts that wait are dropped."""
    return await actions.delete_webhook(db, webhook)


@routes.post("/webhooks/{id}/test", scope="webhooks:write", raises=(InvalidState,))
async def test_webhook(webhook: MyWebhook, db: Db) -> Delivery:
    """Send a webhook.test event to this webhook, whatever events it has chosen; signed and retried like any other."""
    return await actions.send_test(db, webhook)


@routes.post("/webhooks/{id}/rotate-secret", scope="webhooks:write")
async def rotate_webhook_secret(webhook: MyWebhook, db: Db, context: AppContext) -> WebhookWithSecret:
    """Replace the signing secret; the answer shows the new one, this once.

    For 24 hours `webhook-signature` carries signatures of both. The signature of the body alone uses the new one.
    """
    return await actions.rotate_secret(db, context.keys, webhook)


@routes.get("/webhooks/{id}/deliveries", scope="webhooks:read")
async def list_webhook_deliveries(webhook: MyWebhook, db: Db, page: Page, query: DeliveryQuery) -> Listing[Delivery]:
    """List a webhook's deliveries, newest first."""
    rows = await queries.deliveries(db, webhook, page, state=query.state, type_=query.type)
    return page.listing([row.shown() for row in rows], [(row.created_at, row.id) for row in rows])


@routes.get("/webhooks/{id}/deliveries/{deliveryId}", scope="webhooks:read")
async def get_webhook_delivery(webhook: MyWebhook, delivery_id: DeliveryId, db: Db) -> DeliveryDetail:
    """Return a delivery with the exact body and the log of its attempts."""
    found = await queries.delivery(db, webhook, delivery_id)
    if found is None:
        raise NotFound
    return found


@routes.post("/webhooks/{id}/deliveries/{deliveryId}/resend", scope="webhooks:write", raises=(InvalidState,))
async def resend_webhook_delivery(webhook: MyWebhook, delivery_id: DeliveryId, db: Db) -> Delivery:
    """Make one extra attempt now, with the same id and bytes.

    Success makes the delivery delivered; failure leaves its state, and always its schedule, as they were.
    """
    return await actions.resend(db, webhook, delivery_id)
