"""Webhooks over HTTP."""

from typing import Annotated

from signalpost.context import AppContext
from signalpost.identity.errors import PlanLimitReached
from signalpost.kit import ids
from signalpost.kit.db import Db
from signalpost.kit.problems import InvalidState, NotFound, TooManyItems, UnsafeAddress
from signalpost.kit.wire import Listing
from signalpost.plans.errors import PlanFeatureUnavailable
from signalpost.web.caller import Caller
from signalpost.web.fields import DeliveryId, WebhookId
from signalpost.web.inputs import Mine
from signalpost.web.paging import LIST_ALL, Page
from signalpost.web.routing import Routes
from signalpost.webhooks import queries, views
from signalpost.webhooks.actions import create, delete, deliveries, rotate, update
from signalpost.webhooks.actions.validation import BEFORE_CREATE, BEFORE_UPDATE, Scope
from signalpost.webhooks.queries import WebhookRow
from signalpost.webhooks.schemas import (
    Delivery,
    DeliveryDetail,
    DeliveryQuery,
    Webhook,
    WebhookCreate,
    WebhookCreated,
    WebhookDeletion,
    WebhookUpdate,
    WebhookWithSecret,
)

routes = Routes("Webhooks")

MyWebhook = Annotated[WebhookRow, Mine(WebhookId, queries.find_mine, "id")]
ScopeOfCreate = Annotated[Scope | None, BEFORE_CREATE]
ScopeOfUpdate = Annotated[Scope | None, BEFORE_UPDATE]


@routes.post(
    "/webhooks",
    scope="webhooks:write",
    raises=(UnsafeAddress, TooManyItems, PlanLimitReached, PlanFeatureUnavailable),
    example={"url": "https://example.com/hooks/signalpost", "events": ["post.published", "post.failed"]},
)
async def create_webhook(
    db: Db, context: AppContext, caller: Caller, data: WebhookCreate, scope: ScopeOfCreate
) -> WebhookCreated:
    """Register an address that receives events.

    The response shows the signing `secret`; it is never shown again. Live and test mode have webhooks of their own: one
    receives the events of its `mode`. The address is resolved and checked now, and again at every delivery.

    A workspace can have 100 webhooks, or what its plan allows, and 10 of them for one host.
    """
    return await create.create_webhook(db, context.keys, caller, data, scope)


@routes.get("/webhooks", scope="webhooks:read", limit_default=LIST_ALL)
async def list_webhooks(db: Db, caller: Caller, page: Page) -> Listing[Webhook]:
    """List webhooks, newest first. Without `limit`, all of them are returned. Secrets are never shown.

    A test key sees those of test mode only.
    """
    return page.of(await queries.listed(db, caller, page), views.webhook)


@routes.get("/webhooks/{id}", scope="webhooks:read")
async def get_webhook(webhook: MyWebhook) -> Webhook:
    """Return a webhook."""
    return views.webhook(webhook)


@routes.patch("/webhooks/{id}", scope="webhooks:write", raises=(UnsafeAddress, TooManyItems))
async def update_webhook(
    webhook: MyWebhook, db: Db, caller: Caller, data: WebhookUpdate, scope: ScopeOfUpdate
) -> Webhook:
    """Change a webhook. Fields that are left out keep their value, null clears a field.

    `active: false` pauses the webhook: new events are not recorded for it, and waiting deliveries are held.
    `active: true` resumes it, and enables a webhook that was disabled because its deliveries kept failing.
    """
    return await update.update_webhook(db, caller, webhook, data, scope)


@routes.delete("/webhooks/{id}", scope="webhooks:write")
async def delete_webhook(webhook: MyWebhook, db: Db) -> WebhookDeletion:
    """Delete a webhook with its deliveries. Waiting attempts are dropped."""
    return await delete.delete_webhook(db, webhook)


@routes.post("/webhooks/{id}/test", scope="webhooks:write", raises=(InvalidState,))
async def test_webhook(webhook: MyWebhook, db: Db) -> Delivery:
    """Send a `webhook.test` event to this webhook, whichever events it receives.

    The delivery is signed and retried like any other.
    """
    return await deliveries.send_test(db, webhook)


@routes.post("/webhooks/{id}/rotate-secret", scope="webhooks:write")
async def rotate_webhook_secret(webhook: MyWebhook, db: Db, context: AppContext) -> WebhookWithSecret:
    """Replace the signing secret. The response shows the new one; it is never shown again.

    For 24 hours `webhook-signature` carries signatures made with both secrets. The signature of the body alone is made
    with the new secret at once.
    """
    return await rotate.rotate_secret(db, context.keys, webhook)


@routes.get("/webhooks/{id}/deliveries", scope="webhooks:read")
async def list_webhook_deliveries(webhook: MyWebhook, db: Db, page: Page, query: DeliveryQuery) -> Listing[Delivery]:
    """List a webhook's deliveries, newest first."""
    return page.of(await queries.deliveries(db, webhook, query, page), views.delivery)


@routes.get("/webhooks/{id}/deliveries/{deliveryId}", scope="webhooks:read")
async def get_webhook_delivery(webhook: MyWebhook, delivery_id: DeliveryId, db: Db) -> DeliveryDetail:
    """Return a delivery with its exact body and the log of its attempts."""
    delivery = await queries.delivery(db, webhook, delivery_id)
    if delivery is None:
        raise NotFound(DeliveryId.not_found_detail(ids.encode("dlv", delivery_id)))
    return views.delivery_detail(delivery)


@routes.post("/webhooks/{id}/deliveries/{deliveryId}/resend", scope="webhooks:write", raises=(InvalidState,))
async def resend_webhook_delivery(webhook: MyWebhook, delivery_id: DeliveryId, db: Db) -> Delivery:
    """Make one extra attempt now, with the same id and bytes.

    Success makes the delivery `delivered`. A failure changes neither its state nor its schedule.
    """
    return await deliveries.resend(db, webhook, delivery_id)
