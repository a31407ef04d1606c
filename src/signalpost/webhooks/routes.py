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
from signalpost.webhooks.actions import create, delete, deliveries, poll, replay, rotate, update
from signalpost.webhooks.actions.validation import BEFORE_CREATE, BEFORE_UPDATE, Scope
from signalpost.webhooks.queries import WebhookRow
from signalpost.webhooks.schemas import (
    ACTIVATE_NOW,
    MISSED,
    ROTATE_NOW,
    TEST_DEFAULT,
    Delivery,
    DeliveryDetail,
    DeliveryQuery,
    PendingDeliveries,
    PendingQuery,
    RecordedResults,
    Replay,
    ReplayCreate,
    ResultsCreate,
    SecretActivate,
    SecretRotate,
    Webhook,
    WebhookCreate,
    WebhookCreated,
    WebhookDeletion,
    WebhookTest,
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

    `active: false` pauses the webhook: new events are recorded as `skipped` for 30 days, waiting deliveries are held.
    `active: true` resumes it, and enables a webhook that was disabled because its deliveries kept failing. What it
    missed is sent by a replay.
    """
    return await update.update_webhook(db, caller, webhook, data, scope)


@routes.delete("/webhooks/{id}", scope="webhooks:write")
async def delete_webhook(webhook: MyWebhook, db: Db) -> WebhookDeletion:
    """Delete a webhook with its deliveries. Waiting attempts are dropped."""
    return await delete.delete_webhook(db, webhook)


@routes.post("/webhooks/{id}/test", scope="webhooks:write", raises=(InvalidState,))
async def test_webhook(webhook: MyWebhook, db: Db, data: WebhookTest = TEST_DEFAULT) -> Delivery:  # noqa: PT028 - no test
    """Send a `webhook.test` event to this webhook, whichever events it receives, or the example of another event.

    The delivery is signed and retried like any other.
    """
    return await deliveries.send_test(db, webhook, data)


@routes.post("/webhooks/{id}/rotate-secret", scope="webhooks:write")
async def rotate_webhook_secret(
    webhook: MyWebhook, db: Db, context: AppContext, data: SecretRotate = ROTATE_NOW
) -> WebhookWithSecret:
    """Replace the signing secret. The response shows the new one; it is never shown again.

    For 24 hours, or `overlapSeconds`, `webhook-signature` carries signatures made with both secrets. The signature of
    the body alone is made with the new secret at once. With `activate: false` the new secret is only prepared: it signs
    beside the current one in `webhook-signature`, and nothing else changes until it is activated.
    """
    return await rotate.rotate_secret(db, context.keys, webhook, data)


@routes.post("/webhooks/{id}/activate-secret", scope="webhooks:write", raises=(InvalidState,))
async def activate_webhook_secret(webhook: MyWebhook, db: Db, data: SecretActivate = ACTIVATE_NOW) -> Webhook:
    """Make the secret that was prepared by `rotate-secret` the current one.

    The previous one signs beside it in `webhook-signature` for 24 hours, or `overlapSeconds`.
    """
    return await rotate.activate_secret(db, webhook, data)


@routes.post("/webhooks/{id}/revoke-secret", scope="webhooks:write")
async def revoke_webhook_secret(webhook: MyWebhook, db: Db) -> Webhook:
    """Let only the current secret sign, from now on: a previous secret and one that was only prepared end.

    If the current secret is stolen, rotate it with `overlapSeconds: 0` instead.
    """
    return await rotate.revoke_secrets(db, webhook)


@routes.post("/webhooks/{id}/replay", scope="webhooks:write", raises=(InvalidState,))
async def replay_webhook(webhook: MyWebhook, db: Db, caller: Caller, data: ReplayCreate = MISSED) -> Replay:
    """Send events of a range of time again: by default those of the last 30 days that did not arrive.

    Each keeps its id and bytes. A skipped delivery, of an event that happened while the webhook was paused or disabled,
    begins its schedule; of any other, one extra attempt is made. At most 200 wait at one time, so that new events are
    not delayed; the webhook's `replay` shows how far it has come. A webhook has one replay at a time: the same request
    again while it runs changes nothing.
    """
    return await replay.request_replay(db, caller, webhook, data)


@routes.delete("/webhooks/{id}/replay", scope="webhooks:write")
async def stop_webhook_replay(webhook: MyWebhook, db: Db, caller: Caller) -> Webhook:
    """Stop the replay that is running. What it has made due already is still sent."""
    return await replay.stop_replay(db, caller, webhook)


@routes.get("/webhooks/{id}/pending", scope="webhooks:write", raises=(InvalidState,))
async def list_pending_deliveries(
    webhook: MyWebhook, db: Db, context: AppContext, query: PendingQuery
) -> PendingDeliveries:
    """Return what waits to be fetched, the oldest first, signed, for a webhook with the deliveryMode `poll`.

    A delivery waits, and is returned again, until its result is recorded; after 30 days it is removed. This needs the
    right to change webhooks, since signed requests could be passed on as if they came from the service.
    """
    return await poll.pending(db, context, webhook, query.limit)


@routes.post("/webhooks/{id}/results", scope="webhooks:write", raises=(InvalidState,), history="nothing")
async def record_delivery_results(webhook: MyWebhook, db: Db, caller: Caller, data: ResultsCreate) -> RecordedResults:
    """Record what became of deliveries that were fetched. They do not wait any longer, whatever it was.

    A status of 200 to 299 makes a delivery `delivered`, anything else `failed`. Results of deliveries that do not wait
    change nothing, so a request whose response was lost can be sent again.
    """
    return await poll.record_results(db, caller, webhook, data)


@routes.get("/webhooks/{id}/deliveries", scope="webhooks:read")
async def list_webhook_deliveries(webhook: MyWebhook, db: Db, page: Page, query: DeliveryQuery) -> Listing[Delivery]:
    """List a webhook's deliveries, newest first."""
    return page.of(await queries.deliveries(db, webhook, query, page), views.delivery)


@routes.get("/webhooks/{id}/deliveries/{deliveryId}", scope="webhooks:read")
async def get_webhook_delivery(
    webhook: MyWebhook, delivery_id: DeliveryId, db: Db, context: AppContext
) -> DeliveryDetail:
    """Return a delivery with its exact body and the log of its attempts: request, response and duration."""
    delivery = await queries.delivery(db, webhook, delivery_id)
    if delivery is None:
        raise NotFound(DeliveryId.not_found_detail(ids.encode("dlv", delivery_id)))
    return views.delivery_detail(delivery, context.settings.brand)


@routes.post("/webhooks/{id}/deliveries/{deliveryId}/resend", scope="webhooks:write", raises=(InvalidState,))
async def resend_webhook_delivery(webhook: MyWebhook, delivery_id: DeliveryId, db: Db) -> Delivery:
    """Make one extra attempt now, with the same id and bytes.

    Success makes the delivery `delivered`. A failure changes neither its state nor its schedule. A skipped delivery
    becomes `pending`, and begins its schedule.
    """
    return await deliveries.resend(db, webhook, delivery_id)
