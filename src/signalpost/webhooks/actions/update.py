"""Change a webhook, or pause, resume and enable it."""

from msgspec import UNSET

from signalpost.kit import problems
from signalpost.kit.db import Db
from signalpost.web.caller import Caller
from signalpost.web.fields import WebhookId
from signalpost.web.inputs import deleted_meanwhile
from signalpost.webhooks import queries, views
from signalpost.webhooks.actions import bounds
from signalpost.webhooks.actions.fit import require_covered
from signalpost.webhooks.actions.replay import resume_replay
from signalpost.webhooks.actions.validation import Scope, scope_of
from signalpost.webhooks.actions.wake import wake_waiting
from signalpost.webhooks.queries import WEBHOOK_COLUMNS, WebhookRow, read_webhook
from signalpost.webhooks.schemas import Webhook, WebhookUpdate
from signalpost.webhooks.states import with_active

# $10: the webhook was disabled and is enabled now.
_UPDATE = f"""
update webhook set url = $3, events = $4, name = $5, description = $6, profile_ids = $7, delivery_mode = $8,
    status = $9, stopped_at = case when $9 = 'active' then null when status = 'active' then now() else stopped_at end,
    disabled_reason = case when $9 = 'active' then null else disabled_reason end,
    consecutive_failures = case when $10 then 0 else consecutive_failures end,
    consecutive_lost = case when $10 then 0 else consecutive_lost end,
    enabled_at = case when $10 then now() else enabled_at end, updated_at = now()
where id = $1 and workspace_id = $2
returning {WEBHOOK_COLUMNS}
"""  # noqa: S608 - constants only


async def update_webhook(
    db: Db, caller: Caller, webhook: WebhookRow, data: WebhookUpdate, scope: Scope | None
) -> Webhook:
    """Change the fields that the body names. `active: true` releases held deliveries and clears the reason.

    Args:
        db: a connection in a transaction.
        caller: who changes the webhook.
        webhook: as it was when the request came in.
        data: the body.
        scope: what `validation.BEFORE_UPDATE` returned.

    Raises:
        ValidationFailed: an event or profile is unknown.
        NotFound: the webhook was deleted meanwhile.
        TooManyItems: see `bounds`.
        PlanLimitReached, PlanFeatureUnavailable: it would be active, and the plan does not cover it.
    """
    scope = scope or await scope_of(db, caller, data)
    if data.active is True:
        if webhook.replay is not None and webhook.replay.finished_at is None:
            await resume_replay(db, webhook)
        await wake_waiting(db, webhook)
    row = await queries.lock_mine(db, caller, webhook.id)
    if row is None:
        raise deleted_meanwhile(WebhookId, webhook.id)
    if data.delivery_mode is not UNSET and (data.delivery_mode == "poll") != (row.delivery_mode == "poll"):
        raise problems.invalid(
            "/deliveryMode", "not_allowed", "Whether deliveries are fetched is chosen when a webhook is created."
        )
    if data.url is not UNSET:
        await bounds.require_room(db, caller, row.id, data.url, row.mode)
    if data.active is True and row.status != "active":
        await require_covered(db, caller, row)
    status = row.status if data.active is UNSET else with_active(row.status, active=data.active)
    [record] = await db.fetch(
        _UPDATE,
        row.id,
        row.workspace_id,
        row.url if data.url is UNSET else data.url,
        row.events if scope.events is UNSET else scope.events,
        row.name if data.name is UNSET else data.name,
        row.description if data.description is UNSET else data.description,
        row.profile_ids if scope.profile_ids is UNSET else scope.profile_ids,
        row.delivery_mode if data.delivery_mode is UNSET else data.delivery_mode,
        status,
        row.status == "disabled" and status == "active",
    )
    return views.webhook(read_webhook(record))
