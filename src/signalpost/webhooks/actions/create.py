"""Register a webhook."""

from msgspec import UNSET

from signalpost.kit import ids, problems
from signalpost.kit.crypto import KeyRing
from signalpost.kit.db import Db
from signalpost.plans import actions as plans
from signalpost.plans import limits
from signalpost.web.caller import Caller, Mode
from signalpost.webhooks import signing, views
from signalpost.webhooks.actions import bounds
from signalpost.webhooks.actions.validation import DEFAULT_EVENTS, Scope, scope_of
from signalpost.webhooks.queries import WEBHOOK_COLUMNS, read_webhook
from signalpost.webhooks.schemas import WebhookCreate, WebhookCreated

_INSERT = f"""
insert into webhook (id, workspace_id, url, events, name, description, profile_ids, delivery_mode, status, secret,
    created_by, mode, stopped_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, case when $9 = 'paused' then now() end)
returning {WEBHOOK_COLUMNS}
"""  # noqa: S608 - constants only


async def create_webhook(
    db: Db, keys: KeyRing, caller: Caller, data: WebhookCreate, scope: Scope | None
) -> WebhookCreated:
    """Write a webhook and return it with its secret, which is never shown again.

    Args:
        db: a connection in a transaction.
        keys: seal the secret.
        caller: whose workspace gets the webhook.
        data: the body.
        scope: what `validation.BEFORE_CREATE` returned.

    Raises:
        PlanLimitReached: the plan does not allow another webhook.
        PlanFeatureUnavailable: the plan does not include webhooks.
        TooManyItems: see `bounds`.
        ValidationFailed: the body is wrong, or a key asks for another mode than its own.
    """
    await plans.require_capacity(db, caller, limits.WEBHOOKS)
    scope = scope or await scope_of(db, caller, data)
    webhook_id, secret = ids.new_id(), signing.new_secret()
    mode = _mode(caller, data)
    is_registered = await bounds.require_room(db, caller, webhook_id, data.url, mode)
    [record] = await db.fetch(
        _INSERT,
        webhook_id,
        caller.workspace_id,
        data.url,
        scope.events or DEFAULT_EVENTS,
        data.name or None,
        data.description or None,
        caller.sees_profiles if scope.profile_ids is UNSET else scope.profile_ids,
        data.delivery_mode or "retry",
        "paused" if data.active is False else "active",
        signing.seal(keys, webhook_id, caller.workspace_id, secret),
        caller.actor,
        mode,
    )
    return views.webhook_created(read_webhook(record), secret, is_registered=is_registered)


def _mode(caller: Caller, data: WebhookCreate) -> Mode:
    if data.mode not in (None, caller.mode) and caller.auth == "api_key":
        raise problems.invalid(
            "/mode", "not_allowed", f"A webhook has the mode of the key that creates it: {caller.mode}."
        )
    return data.mode or caller.mode
