"""Replace a webhook's signing secret: at once, or in two steps; and end a secret that may be stolen."""

from datetime import timedelta
from typing import Final

from signalpost.kit import problems
from signalpost.kit.crypto import KeyRing
from signalpost.kit.db import Db
from signalpost.web.fields import WebhookId
from signalpost.web.inputs import deleted_meanwhile
from signalpost.webhooks import signing, views
from signalpost.webhooks.queries import WEBHOOK_COLUMNS, WebhookRow, read_webhook
from signalpost.webhooks.schemas import SecretActivate, SecretRotate, Webhook, WebhookWithSecret

_CHANGE: Final = f"""
update webhook set {{}}, updated_at = now() where id = $1 and workspace_id = $2 and deleted_at is null
returning {WEBHOOK_COLUMNS}
"""  # noqa: S608 - constants only
_FORMER: Final = "former_secret = secret, former_secret_until = now() + $3::interval"
_ROTATE: Final = _CHANGE.format(f"{_FORMER}, secret = $4, next_secret = null")
_PREPARE: Final = _CHANGE.format("next_secret = $3")
_ACTIVATE: Final = _CHANGE.format(f"{_FORMER}, secret = coalesce(next_secret, secret), next_secret = null")
_REVOKE: Final = _CHANGE.format("former_secret = null, former_secret_until = null, next_secret = null")
_LOCK: Final = "select next_secret is not null from webhook where id = $1 and workspace_id = $2 for no key update"


async def rotate_secret(db: Db, keys: KeyRing, webhook: WebhookRow, data: SecretRotate) -> WebhookWithSecret:
    """Create a new secret and return it, once: it replaces the current one, or waits to be activated.

    Raises:
        NotFound: the webhook was deleted meanwhile.
    """
    secret = signing.new_secret()
    sealed = signing.seal(keys, webhook.id, webhook.workspace_id, secret)
    if data.activate:
        row = await _change(db, webhook, _ROTATE, timedelta(seconds=data.overlap_seconds), sealed)
    else:
        row = await _change(db, webhook, _PREPARE, sealed)
    return views.webhook_with_secret(row, secret)


async def activate_secret(db: Db, webhook: WebhookRow, data: SecretActivate) -> Webhook:
    """Make the prepared secret the current one.

    Raises:
        InvalidState: none is prepared.
        NotFound: the webhook was deleted meanwhile.
    """
    if not await db.fetchval(_LOCK, webhook.id, webhook.workspace_id):
        raise problems.InvalidState(
            "No secret waits to be activated. Rotate the secret with activate set to false first."
        )
    return views.webhook(await _change(db, webhook, _ACTIVATE, timedelta(seconds=data.overlap_seconds)))


async def revoke_secrets(db: Db, webhook: WebhookRow) -> Webhook:
    """End the previous secret and a prepared one: from now on only the current secret signs.

    Raises:
        NotFound: the webhook was deleted meanwhile.
    """
    return views.webhook(await _change(db, webhook, _REVOKE))


async def _change(db: Db, webhook: WebhookRow, statement: str, *values: object) -> WebhookRow:
    record = await db.fetchrow(statement, webhook.id, webhook.workspace_id, *values)
    if record is None:
        raise deleted_meanwhile(WebhookId, webhook.id)
    return read_webhook(record)
