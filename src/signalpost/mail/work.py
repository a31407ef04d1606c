"""The outbox is the engine's job table: a letter is a job until the server has taken it."""

from collections.abc import Mapping
from typing import Any

import msgspec

from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import JobKind
from signalpost.kit import log
from signalpost.mail import smtp
from signalpost.mail.letters import Letter, compose
from signalpost.settings import Settings

JOB = "mail.send"
_logger = log.get("mail")


def payload(letter: Letter) -> dict[str, Any]:
    """Return the letter as the payload of a job."""
    found: dict[str, Any] = msgspec.to_builtins(letter)
    return found


def jobs(context: AppContext) -> list[JobKind]:
    """Return the jobs of this room."""

    async def send(_lease: Lease, payload: Mapping[str, Any]) -> None:
        await deliver(context.settings, msgspec.convert(payload, Letter))

    return [JobKind(JOB, send)]


async def deliver(settings: Settings, letter: Letter) -> None:
    """Send the letter now. Without a mail server, or when it refuses the letter for good, only the log tells.

    Raises:
        aiosmtplib.SMTPException, OSError: the server could not be reached; try again.
    """
    if settings.smtp_url is None:
        _logger.warning("mail.off", template=letter.template, remedy="set SIGNALPOST_SMTP_URL")
        return
    try:
        await smtp.deliver(smtp.Server.of(settings.smtp_url), compose(letter, settings.mail_from))
    except smtp.Refused as refused:
        _logger.warning("mail.refused", template=letter.template, letter=letter.id.hex, reason=str(refused))
        return
    _logger.info("mail.sent", template=letter.template, letter=letter.id.hex)
