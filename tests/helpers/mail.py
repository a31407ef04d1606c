"""A real SMTP server that keeps what arrives, and the outbox of this process, emptied as the engine does it."""

import asyncio
import dataclasses
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any, cast

from aiosmtpd.smtp import SMTP, Envelope, Session
from tests.counterparts.tools import free_port

from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.kit.db import Database
from signalpost.mail import actions, work


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

    def links(self, to: str) -> list[str]:
        """The links in the texts of the messages to this address, in the order of their arrival."""
        texts = [text_of(message) for message in self.messages if message["To"] == to]
        return [link for text in texts for link in re.findall(r"https?://\S+", text)]


class InTest:
    """The lease of a job that the test runs by itself: its transactions are ordinary ones."""

    def __init__(self, database: Database) -> None:
        self.transaction = database.transaction


def text_of(message: EmailMessage) -> str:
    """The text part."""
    part = message.get_body(("plain",))
    assert part is not None
    return str(part.get_content())


@asynccontextmanager
async def serving(inbox: Inbox, **options: Any) -> AsyncIterator[str]:
    """Run a real SMTP server; give its host and port."""
    server = await asyncio.get_running_loop().create_server(lambda: SMTP(inbox, **options), "127.0.0.1", free_port())
    async with server:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"


def with_smtp(context: AppContext, address: str | None) -> AppContext:
    """The same process with this mail server."""
    url = None if address is None else f"smtp://{address}"
    sender = "Signalpost <post@example.test>"
    return dataclasses.replace(context, settings=dataclasses.replace(context.settings, smtp_url=url, mail_from=sender))


_TAKE = """
with taken as (delete from job where kind = 'mail.send' and payload ->> 'to' = $1 returning id, payload)
select payload from taken order by id
"""


async def send_waiting(context: AppContext, to: str) -> list[float | None]:
    """Do what the engine does with each message to this address; return after how many seconds it is tried again."""
    async with context.database.transaction() as db:
        payloads = [row["payload"] for row in await db.fetch(_TAKE, to)]
    handler = next(job.handler for job in work.jobs(context) if job.kind == actions.JOB)
    results = [await handler(cast("Lease", InTest(context.database)), payload) for payload in payloads]
    return [None if again is None else again.after_seconds for again in results]
