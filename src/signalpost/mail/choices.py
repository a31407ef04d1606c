"""Tokens by which the reader of a mail switches its topic off without signing in: they do nothing else."""

import base64
from typing import Final, NamedTuple, cast
from uuid import UUID

from signalpost.kit import cells, ids
from signalpost.kit.crypto import KeyRing, equal, hmac_sha256
from signalpost.mail.topics import TOPICS, Topic

PATH: Final = "/mails/unsubscribe"
_PURPOSE: Final = "mail-topics"
_BYTES: Final = 16


class Choice(NamedTuple):
    """A user, and the topic of which they want no more mails."""

    user_id: UUID
    topic: Topic


def issue(keys: KeyRing, user: str, topic: Topic) -> str:
    """Return the token of a user, by their public id. It is stored nowhere, and works as long as its key."""
    return cells.with_name(keys.cell, f"{user}.{topic}.{_mac(keys.derive(_PURPOSE), user, topic)}")


def read(keys: KeyRing, token: str) -> Choice | None:
    """Return what a token stands for; None: we did not issue it."""
    user, _, rest = cells.without_name(token).partition(".")
    topic, _, mac = rest.partition(".")
    user_id = ids.decode("usr", user)
    if user_id is None or topic not in TOPICS.values():
        return None
    if not any(equal(mac, _mac(key, user, topic)) for key in keys.derive_each(_PURPOSE)):
        return None
    return Choice(user_id, cast("Topic", topic))


def _mac(key: bytes, user: str, topic: str) -> str:
    mac = hmac_sha256(key, f"{user}|{topic}".encode("utf-8", "surrogatepass"))
    return base64.urlsafe_b64encode(mac[:_BYTES]).decode().rstrip("=")
