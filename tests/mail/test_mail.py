"""Messages arrive whole at a real SMTP server, and cannot be made to carry more than they should."""

import asyncio
import re
import secrets
import ssl
from collections.abc import AsyncIterator
from datetime import UTC, timedelta
from email import message_from_bytes, policy
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session
from tests.helpers.factories import Make
from tests.helpers.mail import Inbox, InTest, send_waiting, serving, text_of, with_smtp

from signalpost import mail
from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.kit import clock, problems
from signalpost.kit.crypto import KeyRing
from signalpost.mail import Message, actions, smtp, topics, work
from signalpost.mail.actions import KINDS, PLACES, RETRY_SECONDS
from signalpost.mail.messages import render
from signalpost.main import operations

KEYS = KeyRing.from_master(bytes(32))
SITE = "https://signalpost.test"
RESET = {"email": "ada@example.test", "minutes": 30, "link": "http://signalpost.test/reset#token=a&b"}


@pytest.fixture
def inbox() -> Inbox:
    return Inbox()


@pytest.fixture
async def address(inbox: Inbox) -> AsyncIterator[str]:
    async with serving(inbox) as address:
        yield address


@pytest.fixture
def mailing(context: AppContext, address: str) -> AppContext:
    return with_smtp(context, address)


async def enqueue(context: AppContext, to: str, **fields: Any) -> Message:
    message = Message(to=to, template="password_reset", values=RESET, **fields)
    async with context.database.transaction() as db:
        assert await mail.enqueue(db, message)
    return message


async def row_of(context: AppContext, message: Message) -> dict[str, Any]:
    async with context.database.connection() as db:
        return dict(await db.fetchrow("select * from mail_message where id = $1", message.id) or {})


def address_at(host: str) -> str:
    return f"ada-{secrets.token_hex(5)}@{host}"


async def test_a_message_travels_through_the_job(mailing: AppContext, inbox: Inbox) -> None:
    """What arrives has both parts, and the id that a second run would repeat."""
    message = await enqueue(mailing, address_at("example.test"))
    assert await send_waiting(mailing, message.to) == [None]

    [arrived] = inbox.messages
    assert arrived["From"] == "Signalpost <post@example.test>"
    assert arrived["To"] == message.to
    assert arrived["Subject"] == "Choose a new password"
    assert arrived["Message-ID"] == f"<{message.id.hex}@example.test>"
    assert arrived["Auto-Submitted"] == "auto-generated"
    assert arrived["List-Unsubscribe"] is None
    text, html = (part.get_content() for part in arrived.iter_parts())
    assert "http://signalpost.test/reset#token=a&b" in text
    assert "#token=a&amp;b" in html
    assert "prefers-color-scheme: dark" in html
    row = await row_of(mailing, message)
    assert (row["state"], row["attempts"], row["message"]) == ("sent", 1, None)


@pytest.mark.parametrize(
    ("locale", "subject"),
    [("de-AT", "Neues Passwort wählen"), ("es", "Elige una contraseña nueva"), ("fr", "Choose a new password")],
)
async def test_a_mail_is_in_the_language_of_its_reader(
    mailing: AppContext, inbox: Inbox, make: Make, locale: str, subject: str
) -> None:
    """Whoever is no user gets it in the language of who sends it."""
    owner = await make.owner()
    stranger = address_at("example.test")
    async with mailing.database.transaction() as db:
        await db.execute("update app_user set locale = $2 where id = $1", owner.user_id, locale)
        email = await db.fetchval("select email from app_user where id = $1", owner.user_id)
        for to, sender_id in ((email, None), (stranger, owner.user_id)):
            message = Message(to=to, template="password_reset", values=RESET)
            assert await mail.enqueue(db, message, sender_id=sender_id)
    await send_waiting(mailing, email)
    await send_waiting(mailing, stranger)

    assert {arrived["To"]: arrived["Subject"] for arrived in inbox.messages} == {email: subject, stranger: subject}


async def test_a_subscription_can_be_ended_from_the_mail_program(mailing: AppContext, inbox: Inbox) -> None:
    link = "https://signalpost.test/unsubscribe?token=s3cret"
    message = await enqueue(
        mailing, address_at("example.test"), secrets=mail.seal(mailing.keys, {"unsubscribe_link": link})
    )
    async with mailing.database.connection() as db:
        stored = await db.fetchval("select payload::text from job where payload ->> 'to' = $1", message.to)
    assert "s3cret" not in stored
    await send_waiting(mailing, message.to)

    [arrived] = inbox.messages
    assert arrived["List-Unsubscribe"] == f"<{link}>"
    assert arrived["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert [link in part.get_content() for part in arrived.iter_parts()] == [True, True]


async def test_enqueueing_a_message_twice_sends_it_once(mailing: AppContext, inbox: Inbox) -> None:
    """The job that makes it necessary may run twice, also after the message was sent."""
    message = await enqueue(mailing, address_at("example.test"))
    await send_waiting(mailing, message.to)
    async with mailing.database.transaction() as db:
        assert await mail.enqueue(db, message)
    await send_waiting(mailing, message.to)
    assert len(inbox.messages) == 1


@pytest.mark.parametrize("template", ["password_reset", "welcome"])
async def test_a_mailbox_receives_a_bounded_number(mailing: AppContext, make: Make, template: str) -> None:
    """However its address is written, and whoever causes it; at the same moment, too. The plain address has its own."""
    local, owner = f"ada-{secrets.token_hex(5)}", await make.owner()

    async def post(number: int) -> bool:
        to = f"{local.upper() if number % 2 else local}+{number}@example.test"
        async with mailing.database.transaction() as db:
            workspace_id = owner.workspace_id if number % 3 else None
            message = Message(to=to, template=template, values=RESET)
            return await mail.enqueue(db, message, workspace_id=workspace_id)

    places = PLACES[KINDS[template]]
    accepted = await asyncio.gather(*(post(number) for number in range(places + 8)))
    assert accepted.count(True) == places
    async with mailing.database.transaction() as db:
        assert await mail.enqueue(db, Message(to=f"{local}@example.test", template=template, values=RESET))


def test_every_template_has_a_kind() -> None:
    """A new one is not sent before somebody decided for whom others can cause it."""
    folder = Path(mail.__file__).parent / "templates"
    assert {file.stem for file in folder.glob("*.*") if not file.stem.startswith("_")} == KINDS.keys()
    assert set(KINDS.values()) == PLACES.keys()


async def test_one_kind_takes_no_place_of_another(mailing: AppContext) -> None:
    to = address_at("example.test")
    async with mailing.database.transaction() as db:
        for kind, places in PLACES.items():
            template = next(name for name, of in KINDS.items() if of == kind)
            accepted = [await mail.enqueue(db, Message(to=to, template=template, values={})) for _ in range(places + 1)]
            assert accepted == [True] * places + [False], kind


async def test_a_workspace_causes_a_bounded_number(mailing: AppContext, make: Make) -> None:
    owner, other = await make.owner(), await make.owner()
    insert = """insert into mail_message (id, workspace_id, recipient, mailbox, template)
        select gen_random_uuid(), $1, n::text, n::text, 'welcome' from generate_series(1, $2) n"""
    async with mailing.database.transaction() as db:
        await db.execute(insert, owner.workspace_id, actions.PER_SENDER)
        accepted = [
            await mail.enqueue(
                db, Message(to=address_at("example.test"), template="password_reset", values=RESET), workspace_id=each
            )
            for each in (owner.workspace_id, other.workspace_id, None)
        ]
    assert accepted == [False, True, True]


@pytest.mark.parametrize("to", ["ada@example.test\r\nBcc: all@example.test", "ada@example.test, eve@example.test", "a"])
def test_an_address_cannot_add_recipients(to: str) -> None:
    """Whatever let such an address through, no message is made of it."""
    with pytest.raises((ValueError, IndexError)):
        render(Message(to=to, template="password_reset", values=RESET), "post@example.test", KEYS, SITE)


def test_values_cannot_add_headers_or_markup() -> None:
    """A workspace may be called anything."""
    name = 'X\r\nBcc: all@example.test\r\n\r\n<script>"'
    message = Message(
        to="ada@example.test", template="welcome", values={"workspace": name, "email": "ada@example.test", "link": "#"}
    )

    made = message_from_bytes(render(message, "post@example.test", KEYS, SITE).as_bytes(), policy=policy.default)

    assert made["Bcc"] is None
    assert "<script>" not in made.get_body(("html",)).get_content()  # type: ignore[attr-defined]


def test_the_welcome_leads_to_the_console_and_the_documentation() -> None:
    """Whoever follows it need not know what an API is."""
    values = {"workspace": "W", "email": "ada@example.test", "link": "http://signalpost.test"}
    message = render(Message(to="ada@example.test", template="welcome", values=values), "post@example.test", KEYS, SITE)
    text = message.get_body(("plain",)).get_content()  # type: ignore[union-attr]

    assert re.findall(r"http://signalpost\.test(/\S+)", text) == ["/console", "/docs"]


@pytest.mark.parametrize("name", ["password_reset", "welcome"])
def test_a_missing_value_is_an_error(name: str) -> None:
    """A message without its link is worse than none."""
    with pytest.raises(Exception, match="undefined"):
        render(Message(to="ada@example.test", template=name, values={}), "post@example.test", KEYS, SITE)


@pytest.mark.parametrize(
    ("host", "again", "state"), [("nobody.test", None, "rejected"), ("busy.test", RETRY_SECONDS[0], "waiting")]
)
async def test_an_unknown_mailbox_is_given_up_and_a_busy_one_tried_again(
    mailing: AppContext, inbox: Inbox, host: str, again: float | None, state: str
) -> None:
    """Trying again would be of no use for a mailbox that does not exist."""
    message = await enqueue(mailing, address_at(host))
    assert await send_waiting(mailing, message.to) == [again]
    row = await row_of(mailing, message)
    assert (row["state"], bool(row["error"])) == (state, True)
    assert inbox.messages == []


async def test_the_last_attempt_ends_it_and_the_operator_can_read_it(mailing: AppContext) -> None:
    """After a day; a message that the engine itself gives up, because it cannot be rendered, ends the same."""
    message = await enqueue(mailing, address_at("busy.test"))
    async with mailing.database.transaction() as db:
        await db.execute("update mail_message set attempts = $2 where id = $1", message.id, len(RETRY_SECONDS))
    assert await send_waiting(mailing, message.to) == [None]
    assert (await row_of(mailing, message))["state"] == "failed"
    assert "http://signalpost.test/reset#token=a&b" in await operations.show_mail(mailing, message.id.hex)

    broken = await enqueue(mailing, address_at("example.test"))
    [give_up] = [job.given_up for job in work.jobs(mailing) if job.given_up]
    await give_up(cast("Lease", InTest(mailing.database)), msgspec.to_builtins(broken), ValueError("no such template"))
    row = await row_of(mailing, broken)
    assert (row["state"], row["error"]) == ("failed", "ValueError('no such template')")


async def test_without_a_server_mail_is_kept_for_the_operator(context: AppContext) -> None:
    """An installation without mail works: the operator copies the link. What is kept is sealed."""
    keeping = with_smtp(context, None)
    message = await enqueue(
        keeping, address_at("example.test"), secrets=mail.seal(context.keys, {"link": "https://x/1"})
    )
    waiting = await operations.show_mail(keeping, message.id.hex)
    assert await send_waiting(keeping, message.to) == [None]

    row = await row_of(keeping, message)
    assert row["state"] == "kept"
    assert b"https://x" not in row["message"]
    text = await operations.show_mail(keeping, message.id.hex)
    assert text == waiting
    assert text.startswith(f"To: {message.to}\nSubject: Choose a new password\n\n")
    assert "https://x/1" in text
    with pytest.raises(problems.NotFound):
        await operations.show_mail(keeping, "f" * 32)


async def test_what_is_over_is_forgotten(context: AppContext) -> None:
    ages = {"sent": (8, 6), "kept": (31, 29), "waiting": (40,)}
    async with context.database.transaction() as db:
        for state, days in ages.items():
            for age in days:
                await db.execute(
                    """insert into mail_message (id, recipient, mailbox, template, state, created_at)
                    values (gen_random_uuid(), 'purge', $2, 'welcome', $1, now() - make_interval(days => $3))""",
                    state, f"{state} {age}", age,
                )  # fmt: skip
        await actions.purge(db)
        left = await db.fetch("select mailbox from mail_message where recipient = 'purge'")
    assert {row["mailbox"] for row in left} == {"sent 6", "kept 29", "waiting 40"}


async def test_a_password_never_travels_in_the_clear(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server, or someone in between, that does not offer STARTTLS must not get the password."""
    monkeypatch.setattr(smtp, "_is_loopback", lambda _host: False)
    url = f"smtp://ada:secret@{address}"

    with pytest.raises(smtp.Unreachable, match="STARTTLS"):
        await smtp.send(smtp.Server.of(url), render(_reset(), "post@example.test", KEYS, SITE))


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
        await smtp.send(smtp.Server.of(url), render(_reset(), "post@example.test", KEYS, SITE), tls_context=trusting)

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


HELD = {"workspace": "Corner", "feed": "News", "url": "https://example.com/feed", "reason": "It is gone."}
ALL_DAY = (("00:00", "12:00"), ("12:00", "00:00"))
"""Together the whole day: it is one of both now, and a person has one of them."""


async def _choose(context: AppContext, email: str, off: list[str], quiet: dict[str, str] | None) -> None:
    async with context.database.transaction() as db:
        await db.execute("update app_user set mail_off = $2, quiet_hours = $3 where email = $1", email, off, quiet)


async def _have_mailed(context: AppContext, to: str, template: str, values: dict[str, Any]) -> Message:
    message = Message(to=to, template=template, values=values)
    async with context.database.transaction() as db:
        assert await mail.enqueue(db, message)
    return message


async def test_a_topic_that_was_switched_off_is_not_mailed(mailing: AppContext, inbox: Inbox, make: Make) -> None:
    """The address is compared without case. What always comes does."""
    owner = await make.owner()
    await _choose(mailing, owner.email, ["feeds"], None)
    unwanted = await _have_mailed(mailing, owner.email.upper(), "feed_held", HELD)
    assert await row_of(mailing, unwanted) == {}

    await _have_mailed(mailing, owner.email, "password_reset", RESET)
    await _choose(mailing, owner.email, ["decisions"], None)
    await _have_mailed(mailing, owner.email, "feed_held", HELD)
    assert await send_waiting(mailing, owner.email) == [None, None]
    reset, held = inbox.messages
    assert "/console/account/notifications" not in text_of(reset)
    link = f"{mailing.fixed_url}/console/account/notifications"
    assert text_of(held).rstrip().endswith(f"Choose what you are mailed: {link}")
    html = held.get_body(("html",))
    assert html is not None
    assert f'<a href="{link}">' in html.get_content()


async def test_in_quiet_hours_a_mail_waits_for_their_end(mailing: AppContext, make: Make) -> None:
    """It is not lost: it is a job with a later time. What always comes does not wait."""
    owner = await make.owner()
    now = clock.actual()
    start, end = next(hours for hours in ALL_DAY if topics.quiet_until(topics.QuietHours(*hours, "UTC"), now))
    await _choose(mailing, owner.email, [], {"start": start, "end": end, "timezone": "UTC"})
    held = await _have_mailed(mailing, owner.email, "feed_held", HELD)
    reset = await _have_mailed(mailing, owner.email, "password_reset", RESET)
    statement = "select next_attempt_at from job where kind = 'mail.send' and payload ->> 'id' = $1"
    async with mailing.database.connection() as db:
        due = {message.template: await db.fetchval(statement, str(message.id)) for message in (held, reset)}
    assert due["feed_held"].astimezone(UTC).strftime("%H:%M") == end
    assert due["feed_held"] - due["password_reset"] < timedelta(hours=13)
    assert (await row_of(mailing, held))["state"] == "waiting"
