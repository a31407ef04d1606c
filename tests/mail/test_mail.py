"""Messages arrive whole at a real SMTP server, and cannot be made to carry more than they should."""

import asyncio
import dataclasses
import re
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

import aiosmtplib
import pytest
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

from signalpost import settings as settings_module
from signalpost.context import AppContext
from signalpost.mail import Message, actions, smtp, work
from signalpost.mail.messages import render
from signalpost.main import wiring
from signalpost.settings import Settings

RESET = {"email": "ada@example.test", "minutes": 30, "link": "http://signalpost.test/reset#token=a&b"}


class Inbox:
    """Keeps what arrives; rejects recipients at `nobody.test` for good and at `busy.test` for now."""

    def __init__(self) -> None:
        self.messages: list[EmailMessage] = []

    async def handle_RCPT(  # noqa: N802 - aiosmtpd's name
        self, _server: SMTP, _session: Session, envelope: Envelope, address: str, _options: list[str]
    ) -> str:
        if address.endswith("@nobody.test"):
            return "550 no such mailbox"
        if address.endswith("@busy.test"):
            return "451 try later"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, _server: SMTP, _session: Session, envelope: Envelope) -> str:  # noqa: N802
        content: Any = envelope.content
        message = message_from_bytes(content, policy=policy.default)
        assert isinstance(message, EmailMessage)
        self.messages.append(message)
        return "250 OK"


@pytest.fixture
def inbox() -> Inbox:
    return Inbox()


@asynccontextmanager
async def serving(inbox: Inbox, **options: Any) -> AsyncIterator[str]:
    """Run a real SMTP server; give its host and port."""
    server = await asyncio.get_running_loop().create_server(lambda: SMTP(inbox, **options), "127.0.0.1", 0)
    async with server:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"


@pytest.fixture
async def address(inbox: Inbox) -> AsyncIterator[str]:
    async with serving(inbox) as address:
        yield address


@pytest.fixture
def mailing(address: str) -> Settings:
    return settings_module.load(
        {"SIGNALPOST_SMTP_URL": f"smtp://{address}", "SIGNALPOST_MAIL_FROM": "Signalpost <post@example.test>"}
    )


async def test_a_message_travels_through_the_job(context: AppContext, mailing: Settings, inbox: Inbox) -> None:
    """What is enqueued is JSON; what arrives has both parts, and the id that a second run would repeat."""
    message = Message(to="ada@example.test", template="password_reset", values=RESET)
    [job] = work.jobs(dataclasses.replace(context, settings=mailing))
    lease: Any = None  # sending a message needs none

    async with context.database.transaction() as db:
        await actions.enqueue(db, message)
        payload = await db.fetchval("delete from job where payload ->> 'id' = $1 returning payload", str(message.id))
    await job.handler(lease, payload)

    [arrived] = inbox.messages
    assert arrived["From"] == "Signalpost <post@example.test>"
    assert arrived["To"] == "ada@example.test"
    assert arrived["Subject"] == "Choose a new password"
    assert arrived["Message-ID"] == f"<{message.id.hex}@example.test>"
    assert arrived["Auto-Submitted"] == "auto-generated"
    text, html = (part.get_content() for part in arrived.iter_parts())
    assert "http://signalpost.test/reset#token=a&b" in text
    assert "#token=a&amp;b" in html


@pytest.mark.parametrize("to", ["ada@example.test\r\nBcc: all@example.test", "ada@example.test, eve@example.test", "a"])
def test_an_address_cannot_add_recipients(to: str) -> None:
    """Whatever let such an address through, no message is made of it."""
    with pytest.raises((ValueError, IndexError)):
        render(Message(to=to, template="password_reset", values=RESET), "post@example.test")


def test_values_cannot_add_headers_or_markup() -> None:
    """A workspace may be called anything."""
    name = 'X\r\nBcc: all@example.test\r\n\r\n<script>"'
    message = Message(
        to="ada@example.test", template="welcome", values={"workspace": name, "email": "ada@example.test", "link": "#"}
    )

    made = message_from_bytes(render(message, "post@example.test").as_bytes(), policy=policy.default)

    assert made["Bcc"] is None
    assert "<script>" not in made.get_body(("html",)).get_content()  # type: ignore[attr-defined]


def test_the_welcome_names_only_what_exists() -> None:
    """Whoever follows it finds operations and their documentation, not a form to sign in that there is none of."""
    values = {"workspace": "W", "email": "ada@example.test", "link": "http://signalpost.test"}
    message = render(Message(to="ada@example.test", template="welcome", values=values), "post@example.test")
    text = message.get_body(("plain",)).get_content()  # type: ignore[union-attr]
    named = set(re.findall(r"(?:(POST) )?http://signalpost\.test(/\S+)", text))
    served = {(endpoint.method, "/api/v1" + endpoint.path) for endpoint in wiring.endpoints()}

    assert len(named) == 3
    assert named <= served | {("", "/docs")}


@pytest.mark.parametrize("name", ["password_reset", "welcome"])
def test_a_missing_value_is_an_error(name: str) -> None:
    """A message without its link is worse than none."""
    with pytest.raises(Exception, match="undefined"):
        render(Message(to="ada@example.test", template=name, values={}), "post@example.test")


async def test_an_unknown_mailbox_is_given_up_and_a_busy_one_tried_again(mailing: Settings, inbox: Inbox) -> None:
    """The engine retries what raises: that would be of no use for a mailbox that does not exist."""
    await actions.send(mailing, Message(to="who@nobody.test", template="password_reset", values=RESET))
    with pytest.raises(aiosmtplib.SMTPException):
        await actions.send(mailing, Message(to="who@busy.test", template="password_reset", values=RESET))
    assert inbox.messages == []


async def test_without_a_server_nothing_is_sent(inbox: Inbox) -> None:
    """An installation without mail works; the log says why nothing arrives."""
    await actions.send(
        settings_module.load({}), Message(to="ada@example.test", template="password_reset", values=RESET)
    )
    assert inbox.messages == []


async def test_a_password_never_travels_in_the_clear(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server, or someone in between, that does not offer STARTTLS must not get the password."""
    monkeypatch.setattr(smtp, "_is_loopback", lambda _host: False)
    url = f"smtp://ada:secret@{address}"

    with pytest.raises(aiosmtplib.SMTPException, match="STARTTLS"):
        await smtp.send(smtp.Server.of(url), render(_reset(), "post@example.test"))


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """A server's context and that of a client who trusts it."""
    import datetime
    import ipaddress

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "server.pem"
    path.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        + made.public_bytes(serialization.Encoding.PEM)
    )
    own = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    own.load_cert_chain(path)
    return own, ssl.create_default_context(cafile=str(path))


async def test_starttls_is_used_before_signing_in(
    inbox: Inbox, certificate: tuple[ssl.SSLContext, ssl.SSLContext], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The usual provider on port 587."""
    monkeypatch.setattr(smtp, "_is_loopback", lambda _host: False)
    own, trusting = certificate
    logins = []

    def check(
        _server: SMTP, _session: Session, _envelope: Envelope, _mechanism: str, login: LoginPassword
    ) -> AuthResult:
        logins.append((login.login, login.password))
        return AuthResult(success=True)

    async with serving(inbox, tls_context=own, authenticator=check, auth_required=True) as address:
        url = f"smtp://ada%40example.test:s%2Fcret@{address}"
        await smtp.send(smtp.Server.of(url), render(_reset(), "post@example.test"), tls_context=trusting)

    assert logins == [(b"ada@example.test", b"s/cret")]
    assert len(inbox.messages) == 1


@pytest.mark.parametrize("url", ["http://mail", "smtp://", "mail.example.test:25", "smtp://ada:hunter2@mail/path"])
def test_an_invalid_address_is_reported_without_its_password(url: str) -> None:
    """It ends up in logs."""
    with pytest.raises(ValueError, match="must be given as") as caught:
        smtp.Server.of(url)
    assert "hunter2" not in str(caught.value)


def test_ports_by_default() -> None:
    """Submission for smtp, the TLS port for smtps."""
    assert smtp.Server.of("smtp://mail.example.test").port == 587
    assert smtp.Server.of("smtps://mail.example.test") == smtp.Server("mail.example.test", 465, True, None, None)


def _reset() -> Message:
    return Message(to="ada@example.test", template="password_reset", values=RESET)
