"""Replace a webhook's signing secret."""

from datetime import timedelta

from signalpost.kit.crypto import KeyRing
from signalpost.kit.db import Db
from signalpost.web.fields import WebhookId
from signalpost.web.inputs import deleted_meanwhile
from signalpost.webhooks import signing, views
from signalpost.webhooks.queries import WEBHOOK_COLUMNS, WebhookRow, read_webhook
from signalpost.webhooks.schemas import WebhookWithSecret

FORMER_SECRET_SIGNS_FOR = timedelta(hours=24)

_ROTATE = f"""
update webhook set former_secret = secret, former_secret_until = now() + $4::interval, secret = $3, updated_at = now()
where id = $1 and workspace_id = $2 and deleted_at is null
returning {WEBHOOK_COLUMNS}
"""  # noqa: S608 - constants only


async def rotate_secret(db: Db, keys: KeyRing, webhook: WebhookRow) -> WebhookWithSecret:
    """Create a new secret and return it, once. For 24 hours the former secret signs beside it.

    Raises:
        NotFound: the webhook was deleted meanwhile.
    """
    secret = signing.new_secret()
    record = await db.fetchrow(
        _ROTATE,
        webhook.id,
        webhook.workspace_id,
        signing.seal(keys, webhook.id, webhook.workspace_id, secret),
        FORMER_SECRET_SIGNS_FOR,
    )
    if record is None:
        raise deleted_meanwhile(WebhookId, webhook.id)
    return views.webhook_with_secret(read_webhook(record), secret)
