"""News of the service status, signed and sent as deliveries are, to addresses that belong to no workspace."""

from typing import Final
from uuid import UUID

from signalpost.audit.actions.record import INSTALLATION
from signalpost.context import AppContext, StatusNotice, WebhookSecret
from signalpost.kit.crypto import SealedColumn
from signalpost.webhooks import signing
from signalpost.webhooks.actions.validation import check_address
from signalpost.webhooks.sending import Attempt, sender_of


async def prepare_webhook(context: AppContext, owner_id: UUID, url: str, *, path: str) -> WebhookSecret:
    """Check an address, and return a secret for it.

    Raises:
        UnsafeAddress: the service must not connect to it; `path` is where the request named it.
        HostNotFound: its host does not resolve.
    """
    addresses = await check_address(context, url, path=path)
    secret = signing.new_secret()
    sealed = signing.seal(context.keys, owner_id, INSTALLATION, secret)
    return WebhookSecret(secret, sealed, str(addresses[0]) if addresses else None)


async def send_status_notice(context: AppContext, notice: StatusNotice) -> str | None:
    """Send once; return why it failed, or None."""
    result = await sender_of(context).send(
        Attempt(
            id=notice.id,
            webhook_id=notice.subscriber_id,
            workspace_id=INSTALLATION,
            type=notice.type,
            body=notice.body,
            resend=False,
            scheduled=notice.attempts,
            crashes=0,
            age_seconds=0.0,
            url=notice.url,
            mode="retry",
            secrets=[notice.secret],
        )
    )
    return result.error


SUBSCRIBERS_SEALED: Final = SealedColumn(
    "status_subscriber", {"id": "uuid"}, "secret", lambda row: signing.sealed_as(row["id"], INSTALLATION)
)
