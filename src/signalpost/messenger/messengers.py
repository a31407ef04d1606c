"""The messengers that there are, and those that an installation has."""

from collections.abc import Mapping
from typing import Final

from signalpost.messenger.contract import Messenger, Name, Sender
from signalpost.messenger.whatsapp_calls import WhatsApp
from signalpost.settings import Settings

MESSENGERS: Final[Mapping[Name, Messenger]] = {"whatsapp": WhatsApp()}
"""The first one that an installation has is its default."""


def of(sender: Sender) -> Messenger:
    """Return the messenger that a sender writes from."""
    return MESSENGERS[sender.messenger]


def configured(settings: Settings) -> list[Messenger]:
    """Return those that this installation has."""
    return [messenger for messenger in MESSENGERS.values() if messenger.is_configured(settings)]
