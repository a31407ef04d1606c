"""A letter: a template and its values, made into a message with a text and an HTML part."""

from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, parseaddr
from functools import cache
from typing import Any
from uuid import UUID

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from msgspec import Struct, field

from signalpost.kit import clock, ids


class Letter(Struct, kw_only=True):
    """What is to be sent to whom. `values` fill the templates `<template>.txt` and `<template>.html`.

    The id becomes the Message-ID: when a job runs twice, the mailbox sees the same letter twice and may drop one.
    """

    to: str
    template: str
    values: dict[str, Any]
    id: UUID = field(default_factory=ids.new_id)


@cache
def _templates() -> Environment:
    return Environment(
        loader=PackageLoader("signalpost.mail"),
        autoescape=select_autoescape(["html"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def compose(letter: Letter, sender: str) -> EmailMessage:
    """Return the message. The first line of the text template is the subject.

    Raises:
        ValueError: an address is none; so neither it nor a subject can smuggle in a header.
    """
    subject, _, text = _templates().get_template(f"{letter.template}.txt").render(letter.values).partition("\n")
    name, address = parseaddr(sender)
    message = EmailMessage(policy=SMTP)
    message["From"] = Address(name, addr_spec=address)
    message["To"] = Address(addr_spec=letter.to)
    message["Subject"] = " ".join(subject.split())
    message["Date"] = format_datetime(clock.now())
    message["Message-ID"] = f"<{letter.id.hex}@{address.rpartition('@')[2]}>"
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(text.strip() + "\n")
    html = _templates().get_template(f"{letter.template}.html").render(letter.values, subject=message["Subject"])
    message.add_alternative(html, subtype="html")
    return message
