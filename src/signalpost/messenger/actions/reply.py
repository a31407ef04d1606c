"""Writing replies: a row in the transaction of what it answers, and the job that sends it."""

from typing import Final
from uuid import UUID

from signalpost.context import AppContext
from signalpost.engine import jobs
from signalpost.kit import ids
from signalpost.kit.db import Db
from signalpost.messenger import queries
from signalpost.messenger.contract import Reply, Sender
from signalpost.messenger.queries import LinkRow

SEND_JOB: Final = "messenger.send"
_INSERT: Final = """
insert into messenger_reply (id, workspace_id, link_id, recipient_hash, recipient, body, post_id)
values ($1, $2, $3, $4, $5, $6, $7)
"""


async def to_link(
    context: AppContext, db: Db, link: LinkRow, reply: Reply | None, *, post_id: UUID | None = None, ended: bool = False
) -> None:
    """Have a reply sent to a linked number. None: the result of the post, which is written when it is sent.

    `ended`: the link was deleted in this transaction.
    """
    recipient = queries.open_sender(context.keys, link.recipient, link.id)
    link_id = None if ended else link.id
    await _write(context, db, link.workspace_id, link_id, link.recipient_hash, recipient, reply, post_id)


async def to_sender(context: AppContext, db: Db, sender: Sender, reply: Reply) -> None:
    """Have a reply sent to a number that has no link."""
    await _write(context, db, None, None, queries.sender_hash(context.keys, sender), sender, reply, None)


async def _write(
    context: AppContext,
    db: Db,
    workspace_id: UUID | None,
    link_id: UUID | None,
    recipient_hash: bytes,
    recipient: Sender,
    reply: Reply | None,
    post_id: UUID | None,
) -> None:
    row_id, keys = ids.new_id(), context.keys
    body = None if reply is None else queries.seal(keys, reply, row_id)
    sealed = queries.seal(keys, recipient, row_id)
    await db.execute(_INSERT, row_id, workspace_id, link_id, recipient_hash, sealed, body, post_id)
    await enqueue_sending(db, recipient_hash, workspace_id)


async def enqueue_sending(db: Db, recipient_hash: bytes, workspace_id: UUID | None) -> None:
    """Start the job that sends what waits for a recipient."""
    key = f"{SEND_JOB}:{recipient_hash.hex()}:{workspace_id or ''}"
    payload = {"recipient": recipient_hash.hex(), "workspace": str(workspace_id) if workspace_id else None}
    await jobs.enqueue(db, SEND_JOB, payload, unique_key=key, workspace_id=workspace_id)
