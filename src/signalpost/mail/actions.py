"""The outbox is the engine's job table: a message is a job until the mail server has accepted it."""

import asyncio
from uuid import UUID

import msgspec

from signalpost.engine import jobs
from signalpost.kit import log
from signalpost.kit.db import Db
from signalpost.mail.messages import Message, render
from signalpost.settings import Settings

JOB = "mail.send"
_logger = log.get("mail")


async def enqueue(db: Db, message: Message, *, workspace_id: UUID | None = None) -> None:
    """Write the job that sends the message."""
    await jobs.enqueue(db, JOB, msgspec.to_builtins(message), workspace_id=workspace_id)


async def send(settings: Settings, message: Message) -> None:
    """Send the message now. If there is no mail server, or it rejects the message for good, this is only logged.

    Raises:
        aiosmtplib.SMTPException, OSError: the server could not be reached; try again.
    """
    if settings.smtp_url is None:
        _logger.warning("mail.off", template=message.template, remedy="set SIGNALPOST_SMTP_URL")
        return
    email = await asyncio.to_thread(render, message, settings.mail_from)
    from signalpost.mail import smtp  # noqa: PLC0415 - as `render`: only who sends mail needs it

    try:
        await smtp.send(smtp.Server.of(settings.smtp_url), email)
    except smtp.Rejected as rejected:
        _logger.warning("mail.rejected", template=message.template, message=message.id.hex, reason=str(rejected))
        return
    _logger.info("mail.sent", template=message.template, message=message.id.hex)
