"""A message: a template and its values, rendered as an e-mail with a text part and an HTML part."""

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

import msgspec
from msgspec import Struct, field

from signalpost.kit import clock, ids
from signalpost.kit.crypto import KeyRing
from signalpost.kit.markdown import to_html
from signalpost.mail import choices
from signalpost.mail.languages.texts import Texts, language_of
from signalpost.mail.topics import TOPICS

if TYPE_CHECKING:
    from email.message import EmailMessage

    from jinja2 import Environment

NOBODY: Final = "deleted.invalid"
"""The domain of addresses that stand for people who deleted their account (RFC 6761): nothing is sent to it."""
UNSUBSCRIBE: Final = "unsubscribe_link"
"""The value that makes a message one of a subscription."""
READER: Final = "reader"
"""The public id of the user to whom a message of a topic goes."""
UNSUBSCRIBE_TEXT: Final = "To receive no more of these messages: {link}"
CHOICES_PATH: Final = "/console/account/notifications"
CHOICES_TEXT: Final = "Choose what you are mailed: {link}"
_SECRETS: Final = "mail-secrets"


class Message(Struct, kw_only=True):
    """What to send to whom. `values` fill the templates `<template>.txt` and `<template>.html`.

    `language` among them is that of the recipient; without it, `enqueue` takes the one of the user with this address.

    The id becomes the Message-ID: if a job runs twice, the mailbox receives the same message twice and may drop one.
    """

    to: str
    template: str
    values: dict[str, Any]
    secrets: bytes = b""  # sealed: more values, which only the recipient may read
    id: UUID = field(default_factory=ids.new_id)


def seal(keys: KeyRing, values: Mapping[str, str]) -> bytes:
    """Return values for `Message.secrets`, encrypted until the message is rendered."""
    return keys.seal(msgspec.json.encode(values), context=_SECRETS)


def mailbox_of(address: str) -> str:
    """Return where an address delivers to, as far as it tells: without case, and without what follows a plus sign."""
    local, _, domain = address.lower().rpartition("@")
    return f"{local.partition('+')[0] or local}@{domain}"


def _values(message: Message, keys: KeyRing, base_url: str) -> dict[str, Any]:
    """Return what the templates may use: besides the values, `t`, which says a text in `language`."""
    texts = Texts(language_of(message.values.get("language")))
    spoken = message.values | {"t": texts, "language": texts.language}
    if topic := TOPICS.get(message.template):
        spoken["choices_link"] = base_url + CHOICES_PATH
        if reader := message.values.get(READER):
            spoken[UNSUBSCRIBE] = f"{base_url}{choices.PATH}?token={choices.issue(keys, reader, topic)}"
    if not message.secrets:
        return spoken
    return spoken | msgspec.json.decode(keys.open(message.secrets, context=_SECRETS), type=dict[str, str])


@cache
def _templates() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape  # noqa: PLC0415 - see `render`
    from markupsafe import Markup  # noqa: PLC0415 - see `render`

    templates = Environment(
        loader=PackageLoader("signalpost.mail"),
        autoescape=select_autoescape(["html"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters["markdown"] = lambda text: Markup(to_html(text))  # noqa: S704 - HTML in it is shown as text
    return templates


def read(message: Message, keys: KeyRing, base_url: str) -> tuple[str, str]:
    """Return the subject, which is the first line of the text template, and the text of a message."""
    return _text(message, _values(message, keys, base_url))


def _text(message: Message, values: Mapping[str, Any]) -> tuple[str, str]:
    subject, _, text = _templates().get_template(f"{message.template}.txt").render(values).partition("\n")
    if link := values.get(UNSUBSCRIBE):
        unsubscribe = values["t"](UNSUBSCRIBE_TEXT, link=link)
        text = f"{text.strip()}\n\n{unsubscribe}"
    if link := values.get("choices_link"):
        choices = values["t"](CHOICES_TEXT, link=link)
        text = f"{text.strip()}\n\n{choices}"
    return " ".join(subject.split()), text.strip() + "\n"


def render(message: Message, sender: str, keys: KeyRing, base_url: str) -> "EmailMessage":
    """Return the e-mail; one of a topic leads below `base_url` to where its reader chooses topics. Call it in a thread.

    Whoever sends no mail never imports what this needs: 25 ms.

    Raises:
        ValueError: an address is invalid; so neither an address nor a subject can inject a header.
    """
    from email.headerregistry import Address  # noqa: PLC0415 - see above
    from email.message import EmailMessage  # noqa: PLC0415 - see above
    from email.policy import SMTP  # noqa: PLC0415 - see above
    from email.utils import format_datetime, parseaddr  # noqa: PLC0415 - see above

    values = _values(message, keys, base_url)
    subject, text = _text(message, values)
    name, address = parseaddr(sender)
    email = EmailMessage(policy=SMTP)
    email["From"] = Address(name, addr_spec=address)
    email["To"] = Address(addr_spec=message.to)
    email["Subject"] = subject
    email["Date"] = format_datetime(clock.now())
    email["Message-ID"] = f"<{message.id.hex}@{address.rpartition('@')[2]}>"
    email["Auto-Submitted"] = "auto-generated"
    if link := values.get(UNSUBSCRIBE):  # RFC 8058: one click, without opening the message
        email["List-Unsubscribe"] = f"<{link}>"
        email["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    email.set_content(text)
    html = _templates().get_template(f"{message.template}.html").render(values, mail_subject=subject)
    email.add_alternative(html, subtype="html")
    return email
