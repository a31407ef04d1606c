"""Waking a webhook's lane. It locks the lane, so it comes before the locks of deliveries and of the webhook."""

from signalpost.engine.wake import wake_sql
from signalpost.kit.db import Db
from signalpost.webhooks.queries import WebhookRow

_EARLIEST = "(select min(due_at) from delivery where webhook_id = $1 and due_at is not null)"
_WAKE_WAITING = "select " + wake_sql("delivery", keys="array[$1::uuid]", workspace_id="$2", due=f"array[{_EARLIEST}]")
_WAKE_NOW = "select " + wake_sql("delivery", keys="array[$1::uuid]", workspace_id="$2", due="array[now()]")


async def wake_waiting(db: Db, webhook: WebhookRow) -> None:
    """Have the engine look at the webhook when its earliest waiting delivery is due; none waiting: only lock."""
    await db.execute(_WAKE_WAITING, webhook.id, webhook.workspace_id)


async def wake_now(db: Db, webhook: WebhookRow) -> None:
    """Have the engine look at the webhook at once."""
    await db.execute(_WAKE_NOW, webhook.id, webhook.workspace_id)
