"""The mail server of SIGNALPOST_SMTP_URL."""

import ipaddress
import ssl
from email.message import EmailMessage
from urllib.parse import unquote, urlsplit

import aiosmtplib
from msgspec import Struct

SECONDS_MAX = 20.0
_PORTS = {"smtp": 587, "smtps": 465}


class Rejected(Exception):
    """The server will never accept this message: unknown recipient, bad address. Sending it again is useless."""


class Unreachable(Exception):
    """The server could not be reached, or asks to try later."""


class Server(Struct, frozen=True):
    """The mail server to send through."""

    host: str
    port: int
    tls: bool  # from the first byte; otherwise STARTTLS
    user: str | None
    password: str | None

    @classmethod
    def of(cls, url: str) -> "Server":
        """Read `smtp://user:password@host:587` or `smtps://…`; user and password are percent-encoded.

        Raises:
            ValueError: it is not such an address; the error does not quote it, since it may contain a password.
        """
        parts = urlsplit(url)
        if parts.scheme not in _PORTS or not parts.hostname or parts.path not in ("", "/"):
            raise ValueError("the mail server must be given as smtp://user:password@host:port or smtps://…")
        user, password = (unquote(part) if part else None for part in (parts.username, parts.password))
        return cls(parts.hostname, parts.port or _PORTS[parts.scheme], parts.scheme == "smtps", user, password)

    @property
    def start_tls(self) -> bool | None:
        """Whether STARTTLS is required (a password is never sent unencrypted), or used if offered (None)."""
        if self.tls:
            return False
        return True if self.password and not _is_loopback(self.host) else None


async def send(server: Server, email: EmailMessage, *, tls_context: ssl.SSLContext | None = None) -> None:
    """Hand the e-mail to the server.

    Raises:
        Rejected: the server rejects it for good.
        Unreachable: it could not be reached, or asks to try later.
    """
    try:
        await aiosmtplib.send(
            email,
            hostname=server.host,
            port=server.port,
            use_tls=server.tls,
            start_tls=server.start_tls,
            username=server.user,
            password=server.password,
            timeout=SECONDS_MAX,
            tls_context=tls_context,
        )
    except aiosmtplib.SMTPRecipientsRefused as error:
        if all(recipient.code >= 500 for recipient in error.recipients):
            raise Rejected("the server rejects the recipient") from error
        raise Unreachable("the server does not accept the recipient now") from error
    except (aiosmtplib.SMTPSenderRefused, aiosmtplib.SMTPDataError) as error:
        if error.code >= 500:
            raise Rejected(f"the server rejects the message with {error.code}") from error
        raise Unreachable(f"the server answers {error.code}") from error
    except (aiosmtplib.SMTPException, OSError) as error:
        raise Unreachable(f"{type(error).__name__}: {error}"[:300]) from error


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
