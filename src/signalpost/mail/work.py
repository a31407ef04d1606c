"""The outbox is the engine's job table: a letter is a job until the server has taken it."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import msgspec

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


def sender(settings: Settings) -> Callable[[Any, Mapping[str, Any]], Awaitable[None]]:
    """Return the handler of `JOB`: `main` registers it with the engine."""

    async def send(_lease: Any, job: Mapping[str, Any]) -> None:
        await deliver(settings, msgspec.convert(job, Letter))

    return send


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
