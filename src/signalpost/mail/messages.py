"""A message: a template and its values, rendered as an e-mail with a text part and an HTML part."""

from functools import cache
from typing import TYPE_CHECKING, Any
from uuid import UUID

from msgspec import Struct, field

from signalpost.kit import clock, ids

if TYPE_CHECKING:
    from email.message import EmailMessage

    from jinja2 import Environment


class Message(Struct, kw_only=True):
    """What to send to whom. `values` fill the templates `<template>.txt` and `<template>.html`.

    The id becomes the Message-ID: if a job runs twice, the mailbox receives the same message twice and may drop one.
    """

    to: str
    template: str
    values: dict[str, Any]
    id: UUID = field(default_factory=ids.new_id)


@cache
def _templates() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape  # noqa: PLC0415 - see `render`

    return Environment(
        loader=PackageLoader("signalpost.mail"),
        autoescape=select_autoescape(["html"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def render(message: Message, sender: str) -> "EmailMessage":
    """Return the e-mail. The first line of the text template is the subject. Call it in a thread.

    Whoever sends no mail never imports what this needs: 25 ms.

    Raises:
        ValueError: an address is invalid; so neither an address nor a subject can inject a header.
    """
    from email.headerregistry import Address  # noqa: PLC0415 - see above
    from email.message import EmailMessage  # noqa: PLC0415 - see above
    from email.policy import SMTP  # noqa: PLC0415 - see above
    from email.utils import format_datetime, parseaddr  # noqa: PLC0415 - see above

    subject, _, text = _templates().get_template(f"{message.template}.txt").render(message.values).partition("\n")
    name, address = parseaddr(sender)
    email = EmailMessage(policy=SMTP)
    email["From"] = Address(name, addr_spec=address)
    email["To"] = Address(addr_spec=message.to)
    email["Subject"] = " ".join(subject.split())
    email["Date"] = format_datetime(clock.now())
    email["Message-ID"] = f"<{message.id.hex}@{address.rpartition('@')[2]}>"
    email["Auto-Submitted"] = "auto-generated"
    email.set_content(text.strip() + "\n")
    html = _templates().get_template(f"{message.template}.html").render(message.values, subject=email["Subject"])
    email.add_alternative(html, subtype="html")
    return email
