"""The mail server of SIGNALPOST_SMTP_URL."""

import ipaddress
import ssl
from email.message import EmailMessage
from urllib.parse import unquote, urlsplit

import aiosmtplib
from msgspec import Struct

SECONDS_MAX = 20.0
_PORTS = {"smtp": 587, "smtps": 465}


class Refused(Exception):
    """The server will never take this message: unknown recipient, bad address. Sending it again is of no use."""


class Server(Struct, frozen=True):
    """Where to deliver."""

    host: str
    port: int
    tls: bool  # from the first byte; otherwise STARTTLS
    user: str | None
    password: str | None

    @classmethod
    def of(cls, url: str) -> "Server":
        """Read `smtp://user:password@host:587` or `smtps://…`; user and password are percent-encoded.

        Raises:
            ValueError: it is no such address; the message does not quote it, there may be a password in it.
        """
        parts = urlsplit(url)
        if parts.scheme not in _PORTS or not parts.hostname or parts.path not in ("", "/"):
            raise ValueError("the mail server is written as smtp://user:password@host:port or smtps://…")
        user, password = (unquote(part) if part else None for part in (parts.username, parts.password))
        return cls(parts.hostname, parts.port or _PORTS[parts.scheme], parts.scheme == "smtps", user, password)

    @property
    def start_tls(self) -> bool | None:
        """Whether STARTTLS is a must (a password never travels in the clear), or used when offered (None)."""
        if self.tls:
            return False
        return True if self.password and not _is_loopback(self.host) else None


async def deliver(server: Server, message: EmailMessage, *, context: ssl.SSLContext | None = None) -> None:
    """Hand the message over.

    Raises:
        Refused: the server refuses it for good.
        aiosmtplib.SMTPException, OSError: it could not be reached, or wants it later; try again.
    """
    try:
        await aiosmtplib.send(
            message,
            hostname=server.host,
            port=server.port,
            use_tls=server.tls,
            start_tls=server.start_tls,
            username=server.user,
            password=server.password,
            timeout=SECONDS_MAX,
            tls_context=context,
        )
    except aiosmtplib.SMTPRecipientsRefused as error:
        if all(one.code >= 500 for one in error.recipients):
            raise Refused("the server refuses the recipient") from error
        raise
    except (aiosmtplib.SMTPSenderRefused, aiosmtplib.SMTPDataError) as error:
        if error.code >= 500:
            raise Refused(f"the server refuses the message with {error.code}") from error
        raise


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
