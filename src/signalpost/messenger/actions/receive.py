"""Calls of the webhook: verified, stored sealed, and answered; a job handles what they contain."""

from collections.abc import Callable, Sequence
from typing import Any, Final
from uuid import UUID

import msgspec

from signalpost.context import AppContext
from signalpost.engine import jobs
from signalpost.kit import ids, log, problems
from signalpost.kit.db import Db
from signalpost.kit.worker_threads import in_thread
from signalpost.messenger import queries
from signalpost.messenger.actions import reply
from signalpost.messenger.contract import Message, Messenger, Report, Update

SORT_JOB: Final = "messenger.sort"
_INLINE_BYTES_MAX: Final = 50_000
"""A larger body is decoded in a thread."""
_logger = log.get("messenger")

_INSERT: Final = """
insert into messenger_message (id, remote_hash, sender_hash, sent_at, body)
select * from unnest($1::uuid[], $2::bytea[], $3::bytea[], $4::timestamptz[], $5::bytea[])
on conflict (remote_hash) do nothing returning sender_hash
"""
# Reports come in any order and more than once: `delivered` is final, `failed` follows only what was sent.
_REPORTED: Final = """
update messenger_reply set state = $2, error = $3, settled_at = now()
where remote_hash = $1 and state in ('sent', 'unknown')
returning id, workspace_id, recipient_hash, post_id, as_template
"""
_AS_TEMPLATE: Final = """
update messenger_reply set state = 'waiting', as_template = true, remote_hash = null, settled_at = null where id = $1
"""


async def receive(context: AppContext, messenger: Messenger, body: bytes, read: Callable[[Any], Update]) -> None:
    """Store the messages of a call that was verified, and have them handled. One that came before is not stored again.

    Raises:
        MalformedRequest: the body is not JSON.
    """
    update = await _read(body, read)
    if not update.messages and not update.reports:
        return
    async with context.database.transaction() as db:
        await store(context, db, update.messages)
        # In one order, and what they share last: two calls with the same reports wait for each other. Several of one
        # message stay in the order in which they came.
        again: set[tuple[str, bytes, UUID | None]] = set()
        for report in sorted(update.reports, key=lambda report: queries.remote_hash(report.remote_id)):
            again |= await _apply(context, db, messenger, report)
        for _, recipient_hash, workspace_id in sorted(again, key=lambda entry: entry[:2]):
            await reply.enqueue_sending(db, recipient_hash, workspace_id)


async def _read(body: bytes, read: Callable[[Any], Update]) -> Update:
    try:
        if len(body) <= _INLINE_BYTES_MAX:
            return read(msgspec.json.decode(body))
        return await in_thread(lambda: read(msgspec.json.decode(body)))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise problems.MalformedRequest("The body is not valid JSON.") from None


async def store(context: AppContext, db: Db, messages: Sequence[Message]) -> None:
    """Store messages, and have those handled that did not come before."""
    if not messages:
        return
    keys = context.keys
    rows = []
    for message in messages:
        row_id = ids.new_id()
        hashes = (queries.remote_hash(message.remote_id), queries.sender_hash(keys, message.sender))
        rows.append((row_id, *hashes, message.sent_at, queries.seal(keys, message, row_id)))
    rows.sort(key=lambda row: row[1])  # so that two calls with the same messages wait for each other in one order
    records = await db.fetch(_INSERT, *(list(column) for column in zip(*rows, strict=True)))
    for sender in sorted({record["sender_hash"] for record in records}):
        await jobs.enqueue(db, SORT_JOB, {"sender": sender.hex()}, unique_key=f"{SORT_JOB}:{sender.hex()}")
    _logger.info("messages.received", new=len(records), again=len(messages) - len(records))


async def _apply(
    context: AppContext, db: Db, messenger: Messenger, report: Report
) -> set[tuple[str, bytes, UUID | None]]:
    """Note what became of a reply. A result that came after the window goes out as the template.

    Returns:
        To whom it goes out then: the workspace as text, by which they are ordered, the recipient, and the workspace.
    """
    error = None if report.state == "delivered" else f"{report.code or 'unknown'}: {report.message or ''}".strip(": ")
    row = await db.fetchrow(_REPORTED, queries.remote_hash(report.remote_id), report.state, error)
    if row is None or not report.late:
        return set()
    if row["post_id"] is not None and not row["as_template"] and messenger.has_template(context.settings):
        await db.execute(_AS_TEMPLATE, row["id"])
        return {(str(row["workspace_id"] or ""), row["recipient_hash"], row["workspace_id"])}
    return set()
