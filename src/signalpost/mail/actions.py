"""The outbox: a message is a job of the engine until the mail server has accepted it, and a row with its state."""

import asyncio
from datetime import datetime
from typing import Final, Literal
from uuid import UUID

import msgspec
from msgspec import Struct

from signalpost.context import AppContext
from signalpost.engine import jobs
from signalpost.kit import batches, clock, ids, log
from signalpost.kit.crypto import SealedColumn
from signalpost.kit.db import Db
from signalpost.mail.languages.texts import language_of
from signalpost.mail.messages import NOBODY, READER, Message, mailbox_of, render
from signalpost.mail.topics import TOPICS, QuietHours, quiet_until

JOB: Final = "mail.send"
PUSH_JOB: Final = "push.announce"
"""Of the room `push`: what the message says goes to the devices of its reader."""
PER_SENDER: Final = 200
"""Messages that one workspace causes in an hour."""
PER_STRANGER: Final = 5
"""Messages in an hour that an owner, with all workspaces, causes to a mailbox of nobody who shares one with them."""
RETRY_SECONDS: Final = (60, 300, 1_800, 7_200, 14_400, 28_800, 28_800)
"""Delays while the mail server cannot be reached or asks to try later: almost a day in all."""
_SEALED_AS: Final = "mail"
_logger = log.get("mail")

State = Literal["sent", "kept", "rejected", "failed"]

_NOTE = "select note_message($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)"  # in the migrations
_LOCALE = """
select coalesce(
    (select locale from app_user where email_key = lower($1)), (select locale from app_user where id = $2::uuid))
"""
_CHOSEN = """
select u.id, $2 <> all(u.mail_off),
    $2 <> all(u.push_off) and exists (select from push_device d where d.user_id = u.id), u.quiet_hours
from app_user u where u.email_key = lower($1)
"""
_ATTEMPT = """
insert into mail_message (id, workspace_id, recipient, mailbox, template, attempts) values ($1, $2, $3, $4, $5, 1)
on conflict (id) do update set attempts = mail_message.attempts + 1 returning attempts
"""
_ERROR = "update mail_message set error = $2 where id = $1"
_SETTLE = "update mail_message set state = $2, error = $3, message = $4, settled_at = now() where id = $1"
Kind = Literal["security", "account", "own", "failure", "subscription", "stranger"]

PLACES: Final[dict[Kind, int]] = {
    "security": 20,
    "account": 5,
    "own": 30,
    "failure": 10,
    "subscription": 30,
    "stranger": 10,
}
"""Messages to one mailbox in an hour, from whomever. A kind has places of its own, so that what one can cause for a
stranger never takes the place of what a person needs."""

KINDS: Final[dict[str, Kind]] = {
    "password_reset": "security",
    "key_leaked": "security",
    "app_secret_leaked": "security",
    "messenger_linked": "security",
    "welcome": "account",
    "account_attention": "own",
    "approval_requested": "own",
    "approval_decided": "own",
    "post_message": "own",
    "post_failed": "failure",  # a network that is down makes many: they take no place of what waits for someone
    "approval_code": "own",  # to whoever shares a workspace with the owner; else `stranger`: see `enqueue`
    "account_moved": "own",
    "export_ready": "own",
    "handover_offered": "own",
    "person_deleted": "security",
    "ownership_moved": "security",  # whose card is charged changed: nothing less important takes its place
    "ticket_answered": "own",
    "ticket_written": "own",
    "usage_notice": "own",
    "feed_held": "own",
    "webhook_disabled": "own",
    "status_incident": "subscription",
    "status_confirm": "stranger",
    "report_ready": "own",  # to whoever shares a workspace with the owner; else `stranger`: see `enqueue`
    "team_invite": "own",  # to whoever shares a workspace with the owner; else `stranger`: see `enqueue`
}
"""Template -> what it is. Whoever adds one decides whether anyone can cause it for a mailbox of a stranger."""


async def enqueue(
    db: Db,
    message: Message,
    *,
    workspace_id: UUID | None = None,
    owner_id: UUID | None = None,
    per_day: int | None = None,
    queue: str | None = None,
    sender_id: UUID | None = None,
) -> bool:
    """Have the message sent; return False if its mailbox, or whoever causes it, had enough: then nothing was written.

    A message of a topic (`topics.TOPICS`) is not sent to a person who switched that off, and waits for the end of their
    quiet hours. It goes to their devices too, by a job of `push`, as they chose for those.

    Args:
        db: the transaction that makes it necessary.
        message: its template says how many of its kind a mailbox receives (`kinds`).
        workspace_id: which workspace causes it.
        owner_id: the owner of that workspace, if anybody may be the recipient: what goes to a mailbox of nobody who
            shares a workspace with them is bounded for them, in all their workspaces together.
        per_day: how many such messages the owner may cause in a day; None: any number.
        queue: of what goes to many people, so that it delays no other message.
        sender_id: the user who has it sent; a recipient who is no user is addressed in their language.
    """
    if message.to.endswith(f"@{NOBODY}"):
        return True
    choice = await _choice(db, message)
    if not (choice.mails or choice.pushes):
        return True
    if choice.mails:
        noted: bool | None = await _note(db, message, workspace_id, owner_id, per_day)
        if noted is None:  # the work that enqueues it runs for the second time
            return True
        if not noted:
            _logger.warning("mail.bounded", template=message.template)
            return False
    if "language" not in message.values:
        locale: str | None = await db.fetchval(_LOCALE, message.to, sender_id)
        message.values = message.values | {"language": language_of(locale)}
    payload = msgspec.to_builtins(message)
    for job, is_on, own_queue in ((JOB, choice.mails, queue), (PUSH_JOB, choice.pushes, None)):
        if is_on:
            key = f"{job}:{message.id.hex}"
            await jobs.enqueue(
                db, job, payload, unique_key=key, workspace_id=workspace_id, queue=own_queue, run_at=choice.run_at
            )
    return True


async def _note(
    db: Db, message: Message, workspace_id: UUID | None, owner_id: UUID | None, per_day: int | None
) -> bool | None:
    """Note a message, if its mailbox and whoever causes it had not enough; None: it was noted before."""
    kind = KINDS[message.template]
    noted: bool | None = await db.fetchval(
        _NOTE, message.id, workspace_id, owner_id, message.to, mailbox_of(message.to), message.template, kind,
        PLACES[kind], PLACES["stranger"], PER_SENDER, PER_STRANGER, per_day,
    )  # fmt: skip
    return noted


class _Choice(Struct, frozen=True):
    """Whether the reader of a message wants it as a mail, and on their devices, and until when both wait."""

    mails: bool = True
    pushes: bool = False
    run_at: datetime | None = None


async def _choice(db: Db, message: Message) -> _Choice:
    """Return what its recipient wants of the message.

    A message of a topic gets the id of its reader, who can switch the topic off by a link in it.
    """
    topic = TOPICS.get(message.template)
    record = None if topic is None else await db.fetchrow(_CHOSEN, message.to, topic)
    if record is None:
        return _Choice()
    user_id, mails, pushes, quiet_hours = record
    message.values = message.values | {READER: ids.encode("usr", user_id)}
    if quiet_hours is None or not (mails or pushes):
        return _Choice(mails, pushes)
    return _Choice(mails, pushes, quiet_until(msgspec.convert(quiet_hours, QuietHours), clock.actual()))


_LATELY: Final = """
select count(*) from mail_message
where workspace_id = $1 and mailbox = $2 and template = $3 and created_at > now() - interval '1 hour'
"""


async def count_lately(db: Db, workspace_id: UUID, to: str, template: str) -> int:
    """Return how many such messages the workspace caused to this mailbox within an hour."""
    count: int = await db.fetchval(_LATELY, workspace_id, mailbox_of(to), template)
    return count


class Result(Struct, frozen=True):
    """What became of an attempt to send a message; no state: it is worth another one."""

    state: State | None
    error: str | None = None


async def begin(db: Db, message: Message, workspace_id: UUID | None) -> int:
    """Count an attempt; return its number."""
    values = (message.id, workspace_id, message.to, mailbox_of(message.to), message.template)
    attempt: int = await db.fetchval(_ATTEMPT, *values)
    return attempt


async def deliver(context: AppContext, message: Message) -> Result:
    """Hand the message to the mail server, if there is one."""
    settings = context.settings
    if settings.smtp_url is None:
        _logger.warning("mail.kept", message=message.id.hex, template=message.template, remedy="signalpost mail list")
        return Result("kept", "SIGNALPOST_SMTP_URL is not set")
    email = await asyncio.to_thread(render, message, settings.mail_from, context.keys, context.fixed_url)
    from signalpost.mail import smtp  # noqa: PLC0415 - as `render`: only who sends mail needs it

    try:
        await smtp.send(smtp.Server.of(settings.smtp_url), email)
    except smtp.Rejected as rejected:
        _logger.warning("mail.rejected", message=message.id.hex, template=message.template, reason=str(rejected))
        return Result("rejected", str(rejected))
    except smtp.Unreachable as unreachable:
        return Result(None, str(unreachable))
    _logger.info("mail.sent", message=message.id.hex, template=message.template)
    return Result("sent")


async def settle(context: AppContext, db: Db, message: Message, result: Result) -> None:
    """Note what became of a message. What was not sent is kept, sealed, for the operator to read."""
    if result.state is None:
        await db.execute(_ERROR, message.id, result.error)
        return
    sealed = None if result.state == "sent" else context.keys.seal(msgspec.json.encode(message), context=_SEALED_AS)
    await db.execute(_SETTLE, message.id, result.state, result.error, sealed)


_SEALED = "select message from mail_message where id = $1"
_WAITING = "select payload from job where kind = $1 and payload ->> 'id' = $2"


async def find(context: AppContext, db: Db, message_id: UUID) -> Message | None:
    """Return a message that was not sent, or not yet; None if it was, or is unknown."""
    if sealed := await db.fetchval(_SEALED, message_id):
        return msgspec.json.decode(context.keys.open(sealed, context=_SEALED_AS), type=Message)
    payload = await db.fetchval(_WAITING, JOB, str(message_id))
    return None if payload is None else msgspec.convert(payload, Message)


_PURGE = batches.delete(
    "mail_message",
    "created_at < now() - case when state = 'sent' then interval '7 days' else interval '30 days' end"
    " and state <> 'waiting'",
)


async def purge(db: Db) -> bool:
    """Forget what was sent a week ago, and what was not a month ago; return whether there may be more."""
    return await batches.run(db, [_PURGE])


SEALED: Final = SealedColumn("mail_message", {"id": "uuid"}, "message", lambda _: _SEALED_AS)
