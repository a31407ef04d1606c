"""The messengers that there are, and those that an installation has."""

from collections.abc import Mapping, Sequence
from typing import Final

from signalpost.messenger.contract import Forgetful, Messenger, Polled, Sender
from signalpost.messenger.names import Name
from signalpost.messenger.slack_calls import Slack
from signalpost.messenger.telegram_calls import Telegram
from signalpost.messenger.whatsapp_calls import WhatsApp
from signalpost.settings import Settings

TELEGRAM: Final = Telegram()
SLACK: Final = Slack()
MESSENGERS: Final[Mapping[Name, Messenger]] = {"whatsapp": WhatsApp(), "telegram": TELEGRAM, "slack": SLACK}
"""The first one that an installation has is its default."""
POLLED: Final[Sequence[Polled]] = (TELEGRAM, SLACK)
FORGETFUL: Final[Sequence[Forgetful]] = (SLACK,)


def of(sender: Sender) -> Messenger:
    """Return the messenger that a sender writes from."""
    return MESSENGERS[sender.messenger]


def named(sender: Sender) -> str | None:
    """Return a name of the sender that only they recognize, with what it is; None: there is none."""
    messenger = of(sender)
    masked = messenger.masked(sender)
    return None if masked is None else f"{messenger.kind_of_address} {masked}"


def configured(settings: Settings) -> list[Messenger]:
    """Return those that this installation has."""
    return [messenger for messenger in MESSENGERS.values() if messenger.is_configured(settings)]
