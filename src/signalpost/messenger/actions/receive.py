"""Calls of the webhook: verified, stored sealed, and answered; a job handles what they contain."""

import re
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from signalpost.context import AppContext
from signalpost.engine import jobs
from signalpost.kit import crypto, ids, log, problems
from signalpost.kit.db import Db
from signalpost.kit.worker_threads import in_thread
from signalpost.messenger import queries, whatsapp
from signalpost.messenger.actions import reply
from signalpost.messenger.errors import VerificationFailed
from signalpost.messenger.schemas import Handshake
from signalpost.messenger.whatsapp import Message, Report, Update

SORT_JOB: Final = "messenger.sort"
SIGNATURE_PREFIX: Final = "sha256="
_SIGNATURE: Final = re.compile(SIGNATURE_PREFIX + "[0-9a-f]{64}")
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


def shake_hands(context: AppContext, query: Handshake) -> str:
    """Return the challenge of whoever knows the verify token.

    Raises:
        VerificationFailed: the token is wrong, or the installation has none.
    """
    token = context.settings.whatsapp_verify_token
    if token is None or not crypto.equal(token, query.verify_token):
        raise VerificationFailed("The verify token is not that of this installation.")
    return query.challenge


def require_verifiable(context: AppContext, signature: str | None) -> None:
    """Ensure that a call with this signature may be one of the messenger, before its body is read.

    Raises:
        InvalidSignature: it is missing or not of the form, or the installation has no messenger.
    """
    if context.settings.whatsapp_app_secret is None:
        raise problems.InvalidSignature("This installation has no messenger, so no signature is valid.")
    if signature is None or not _SIGNATURE.fullmatch(signature):
        raise problems.InvalidSignature("X-Hub-Signature-256 is not of the form sha256= and 64 hexadecimal digits.")


def require_signature(context: AppContext, body: bytes, signature: str | None) -> None:
    """Ensure that a body comes from the messenger.

    Raises:
        InvalidSignature: it is not signed with the app's secret, or the installation has none.
    """
    secret = context.settings.whatsapp_app_secret
    if secret is None:
        raise problems.InvalidSignature("This installation has no messenger, so no signature is valid.")
    expected = SIGNATURE_PREFIX + crypto.hmac_sha256(secret.encode(), body).hex()
    if signature is None or not crypto.equal(expected, signature):
        raise problems.InvalidSignature("X-Hub-Signature-256 is not the signature of this body.")


async def receive(context: AppContext, body: bytes) -> None:
    """Store the messages of a call that was verified, and have them handled. One that came before is not stored again.

    Raises:
        MalformedRequest: the body is not JSON.
    """
    update = await _read(body, context.settings.whatsapp_phone_number_id or "")
    if not update.messages and not update.reports:
        return
    async with context.database.transaction() as db:
        await _store(context, db, update.messages)
        for report in update.reports:
            await _apply(context, db, report)


async def _read(body: bytes, phone_number_id: str) -> Update:
    try:
        if len(body) <= _INLINE_BYTES_MAX:
            return _decode(body, phone_number_id)
        return await in_thread(_decode, body, phone_number_id)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise problems.MalformedRequest("The body is not valid JSON.") from None


def _decode(body: bytes, phone_number_id: str) -> Update:
    payload: Any = msgspec.json.decode(body)
    return whatsapp.read_update(payload, phone_number_id)


async def _store(context: AppContext, db: Db, messages: Sequence[Message]) -> None:
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


async def _apply(context: AppContext, db: Db, report: Report) -> None:
    """Note what became of a reply. A result that came after the window of 24 hours goes out as the template."""
    error = None if report.state == "delivered" else f"{report.code or 'unknown'}: {report.message or ''}".strip(": ")
    row = await db.fetchrow(_REPORTED, queries.remote_hash(report.remote_id), report.state, error)
    if row is None or report.code != whatsapp.OUTSIDE_WINDOW or report.state != "failed":
        return
    if row["post_id"] is not None and not row["as_template"] and context.settings.whatsapp_template is not None:
        await db.execute(_AS_TEMPLATE, row["id"])
        await reply.enqueue_sending(db, row["recipient_hash"], row["workspace_id"])
