"""Sending replies: at most once each. What may have been sent is `unknown`, and is not sent again."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

import msgspec

from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import RunAgain
from signalpost.kit import clock, http, log
from signalpost.kit.db import Db
from signalpost.kit.failpoint import failpoint
from signalpost.messenger import messengers, queries
from signalpost.messenger.actions import drafts, link
from signalpost.messenger.contract import (
    Blocked,
    Messenger,
    Refused,
    Reply,
    Sender,
    SendResult,
    Sent,
    TryAgain,
    Unknown,
)
from signalpost.messenger.queries import ReplyRow

ATTEMPTS_MAX: Final = 5
BEHIND_SECONDS: Final = 0.3
_WINDOW_CLOSED: Final = "too long after the last message, and there is no template"
_logger = log.get("messenger")

_BEGIN: Final = """
update messenger_reply set state = 'sending', attempts = attempts + 1, as_template = $2 where id = $1
"""
_SETTLE: Final = """
update messenger_reply set state = $2, remote_hash = $3, error = $4, body = null, settled_at = now() where id = $1
"""
_DOUBT: Final = """
update messenger_reply
set state = 'unknown', error = 'restored from a backup, or a failover', body = null, settled_at = now()
where state in ('waiting', 'sending') and created_at <= $1
"""
_WAIT: Final = "update messenger_reply set state = 'waiting', error = $2, as_template = $3 where id = $1"


async def doubt_what_waits(db: Db, until: datetime) -> None:
    """Send no reply that waited at this time: an instance that knew more than this database may have sent it since."""
    await db.execute(_DOUBT, until)


async def send_waiting(context: AppContext, lease: Lease, payload: Mapping[str, Any]) -> RunAgain | None:
    """Send what waits for a recipient, in its order, also where other jobs send the rest."""
    recipient = bytes.fromhex(payload["recipient"])
    workspace_id = UUID(payload["workspace"]) if payload["workspace"] else None
    while True:
        async with lease.transaction() as db:
            row = await queries.next_reply(db, recipient, workspace_id)
            if row is None:
                return None
            if await queries.is_behind(db, recipient, row):
                return RunAgain(BEHIND_SECONDS)
            call = await _begin(context, db, row)
        if call is None:
            continue
        failpoint("messenger.sending")
        async with lease.while_fresh():
            result = await _send(context, call)
        failpoint("messenger.sent")
        async with lease.transaction() as db:
            seconds = await _settle(context, db, row, call, result)
        if seconds is not None:
            return RunAgain(seconds)


class Call(NamedTuple):
    """A reply that is about to be sent."""

    recipient: Sender
    reply: Reply
    as_template: bool

    @property
    def messenger(self) -> Messenger:
        return messengers.of(self.recipient)


async def _begin(context: AppContext, db: Db, row: ReplyRow) -> Call | None:
    """Note that the reply is being sent, and return it; None: there is nothing to send."""
    if row.state == "sending":  # by a process that died, or lost its lease
        await db.execute(_SETTLE, row.id, "unknown", None, "the process ended while it was sent")
        return None
    reply = await _reply(context, db, row)
    if reply is None:
        await db.execute(_SETTLE, row.id, "dropped", None, "the post was deleted")
        return None
    recipient = queries.open_sender(context.keys, row.recipient, row.id)
    messenger = messengers.of(recipient)
    as_template = row.as_template or not await _is_window_open(db, row, messenger.window_seconds)
    if as_template and not _has_template(context, row, messenger):
        await db.execute(_SETTLE, row.id, "dropped", None, _WINDOW_CLOSED)
        return None
    await db.execute(_BEGIN, row.id, as_template)
    return Call(recipient, reply, as_template)


async def _reply(context: AppContext, db: Db, row: ReplyRow) -> Reply | None:
    if row.body is not None:
        plain = context.keys.open(row.body, context=queries.sealed_as(row.id))
        return msgspec.json.decode(plain, type=Reply)
    if row.post_id is None or row.workspace_id is None:
        return None
    text = await drafts.result(db, row.post_id, row.workspace_id)
    return None if text is None else Reply(text)


async def _is_window_open(db: Db, row: ReplyRow, seconds: float | None) -> bool:
    """Whether the person wrote within this time; a stranger, or whoever just unlinked, did."""
    linked = None if row.link_id is None else await queries.find_link(db, row.link_id)
    return linked is None or seconds is None or (clock.actual() - linked.last_message_at).total_seconds() < seconds


async def _send(context: AppContext, call: Call) -> SendResult:
    try:
        return await call.messenger.send(context, call.recipient, call.reply, as_template=call.as_template)
    except (http.NotSent, http.UnsafeUrl) as failure:
        return TryAgain(10, failure.detail)
    except http.HttpFailure as failure:
        return Unknown(failure.detail)


async def _settle(context: AppContext, db: Db, row: ReplyRow, call: Call, result: SendResult) -> float | None:
    """Write how the attempt ended; return after how many seconds to try again."""
    match result:
        case Sent(remote_id):
            await db.execute(_SETTLE, row.id, "sent", queries.remote_hash(remote_id), None)
        case TryAgain(after_seconds, reason) if row.attempts + 1 < ATTEMPTS_MAX:
            await db.execute(_WAIT, row.id, reason, row.as_template)
            return after_seconds
        case TryAgain(_, reason):
            await db.execute(_SETTLE, row.id, "failed", None, reason)
        case Refused(_, reason, late=True) if not call.as_template and _has_template(context, row, call.messenger):
            await db.execute(_WAIT, row.id, reason, True)  # noqa: FBT003 - $3
        case Refused(code, reason):
            await db.execute(_SETTLE, row.id, "failed", None, f"{code}: {reason}")
            _logger.warning("reply.refused", code=code)
        case Blocked(code, reason):
            await db.execute(_SETTLE, row.id, "failed", None, f"{code}: {reason}")
            if row.link_id is not None and (linked := await queries.find_link(db, row.link_id)) is not None:
                await link.end(db, linked)
        case Unknown(reason):
            await db.execute(_SETTLE, row.id, "unknown", None, reason)
            _logger.warning("reply.unknown", reason=reason)
    return None


def _has_template(context: AppContext, row: ReplyRow, messenger: Messenger) -> bool:
    return row.post_id is not None and messenger.has_template(context.settings)
