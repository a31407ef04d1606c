"""Delete a webhook."""

from signalpost.kit import ids
from signalpost.kit.db import Db
from signalpost.web.fields import WebhookId
from signalpost.web.inputs import deleted_meanwhile
from signalpost.webhooks.actions.wake import wake_waiting
from signalpost.webhooks.queries import WebhookRow
from signalpost.webhooks.schemas import WebhookDeletion

_DROP_WAITING = """
update delivery set next_attempt_at = null, resend_at = null
where workspace_id = $2 and webhook_id = $1 and due_at is not null
"""
_DELETE = """
update webhook set deleted_at = now(), status = 'disabled', stopped_at = null, updated_at = now()
where id = $1 and workspace_id = $2 and deleted_at is null returning true
"""


async def delete_webhook(db: Db, webhook: WebhookRow) -> WebhookDeletion:
    """Delete a webhook and drop its waiting deliveries. The result of an attempt under way changes nothing any more.

    Raises:
        NotFound: it was deleted meanwhile.
    """
    await wake_waiting(db, webhook)
    await db.execute(_DROP_WAITING, webhook.id, webhook.workspace_id)
    if not await db.fetchval(_DELETE, webhook.id, webhook.workspace_id):
        raise deleted_meanwhile(WebhookId, webhook.id)
    return WebhookDeletion(id=ids.encode("whk", webhook.id), deleted=True)
