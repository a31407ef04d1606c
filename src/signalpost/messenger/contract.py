"""What a messenger is to this room: who wrote what, how an answer is sent, how a file is fetched, and its limits."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Final, Literal, Protocol

from msgspec import Struct

from signalpost.context import AppContext
from signalpost.kit.db import Db
from signalpost.kit.http import Client
from signalpost.messenger.names import Name
from signalpost.settings import Settings

Kind = Literal["text", "media", "tap", "left", "blocked", "silent", "unsupported"]
BUTTONS_MAX: Final = 3
"""No messenger shows fewer."""
ROWS_MAX: Final = 10


class Sender(Struct, frozen=True, omit_defaults=True):
    """Who wrote, or is written to: a phone number in digits, a user id, or both. `display_name`: for people.

    `chat_id`: where to write to, if the messenger needs more than who it is.
    """

    phone: str | None = None
    user_id: str | None = None
    messenger: Name = "whatsapp"
    display_name: str | None = None
    chat_id: str | None = None


class MessageFile(Struct, frozen=True, omit_defaults=True):
    """A file of a message. `kind`: image, video or document; `size`: in bytes, if the message says so."""

    id: str
    kind: str
    mime_type: str
    sha256: str | None = None
    name: str | None = None
    size: int | None = None


class Message(Struct, frozen=True, omit_defaults=True):
    """One message. `text`: what was written, a caption, or the id of the button; `left`: the number changed hands.

    `blocked`: the person wants nothing more from us. `answers`: how the messenger names what a reply refers to, if that
    is not `remote_id`. `album`: the messages that belong together have it in common.
    `album_count`: how many those are, if the messenger says so.
    """

    remote_id: str
    sender: Sender
    kind: Kind
    sent_at: datetime
    text: str = ""
    file: MessageFile | None = None
    answers: str | None = None
    album: str | None = None
    album_count: int | None = None

    @property
    def reply_to(self) -> str:
        """What a reply refers to."""
        return self.answers or self.remote_id


class Report(Struct, frozen=True):
    """What became of something that was sent. `code`: why it failed; `late`: because the window was closed."""

    remote_id: str
    state: Literal["delivered", "failed"]
    code: int | None
    message: str | None
    late: bool = False


class Update(Struct, frozen=True):
    """What a messenger says at once."""

    messages: list[Message]
    reports: list[Report]


class Option(Struct, frozen=True):
    """A button, or a row of a list."""

    id: str
    title: str


class Reply(Struct, frozen=True, omit_defaults=True):
    """A message to a person: at most three `buttons`, or ten `rows`. `reply_to`: the message that it answers."""

    text: str
    buttons: list[Option] = []
    rows: list[Option] = []
    reply_to: str | None = None


class Sent(Struct, frozen=True):
    """The messenger accepted the message."""

    remote_id: str


class TryAgain(Struct, frozen=True):
    """Nothing was sent."""

    after_seconds: float
    reason: str


class Refused(Struct, frozen=True):
    """Nothing was sent, and another try would not help. `late`: but that of the template would."""

    code: int
    reason: str
    late: bool = False


class Blocked(Struct, frozen=True):
    """Nothing was sent, and nothing can be: the person has blocked us, or is not there any more."""

    code: int
    reason: str


class Unknown(Struct, frozen=True):
    """The message may have been sent."""

    reason: str


SendResult = Sent | TryAgain | Refused | Blocked | Unknown


class Unusable(Exception):
    """A file cannot be used; the message says why, to the person."""


class Located(Struct, frozen=True):
    """Where a file is, and what shows that we may have it. `trusted`: at the address that the operator chose."""

    address: str
    headers: Mapping[str, str]
    trusted: bool
    bytes_max: int


class News(Struct, frozen=True):
    """What is new. `following`: from where to ask next; `is_all`: no more is waiting; `is_empty`: nothing came.

    `acknowledge`: tells the messenger that all of it was stored; until then it comes again.
    """

    messages: list[Message]
    following: int | None
    is_all: bool
    is_empty: bool
    acknowledge: Callable[[], Awaitable[None]] | None = None


class Works(Struct, frozen=True):
    """The messenger takes our credentials. `account`: whom they are of."""

    account: str


class Fails(Struct, frozen=True):
    """The messenger cannot be used. `reason`: what it says; `fix`: what an operator does."""

    reason: str
    fix: str


class Invitation(Struct, frozen=True):
    """Where a code is to be sent. `deep_link` opens the chat with it."""

    address: str
    deep_link: str
    phone_number: str | None = None


class Messenger(Protocol):
    """A messenger that people write from."""

    @property
    def name(self) -> Name:
        """The name that the API has for it."""

    @property
    def kind_of_address(self) -> str:
        """What its people are known by, for texts."""

    @property
    def window_seconds(self) -> float | None:
        """How long after a person's last message anything may be sent to them; None: always."""

    def is_configured(self, settings: Settings) -> bool:
        """Whether this installation has it."""

    def has_template(self, settings: Settings) -> bool:
        """Whether results may be sent after the window, as a template."""

    async def examine(self, client: Client, settings: Settings) -> Works | Fails:
        """Ask the messenger whether it takes the credentials of this installation; nothing is changed by that.

        Raises:
            HttpFailure: it did not answer.
        """

    async def invitation(self, db: Db, settings: Settings, code: str) -> Invitation:
        """Return where to send a code."""

    def masked(self, sender: Sender) -> str | None:
        """Return a name of the sender that only they recognize; None: there is none."""

    async def send(self, context: AppContext, recipient: Sender, reply: Reply, *, as_template: bool) -> SendResult:
        """Send a reply, once; texts and titles that are too long are cut."""

    async def locate(self, context: AppContext, file: MessageFile) -> Located:
        """Ask where the file of a message is.

        Raises:
            Unusable: it is too large, or not there any more.
            MediaFetchFailed: that cannot be said now.
        """


class Polled(Messenger, Protocol):
    """A messenger whose messages are asked for, by a bot."""

    @property
    def patience_seconds(self) -> float | None:
        """How long it keeps what nobody asks for, at least; None: long enough, or its chats have no history to read."""

    def bot_id(self, settings: Settings) -> str:
        """The id of the bot: another one counts its messages from the beginning."""

    async def introduce(self, context: AppContext) -> str | TryAgain:
        """Ask for the username of the bot."""

    async def ask(self, context: AppContext, position: int | None, since: datetime) -> News | TryAgain:
        """Wait some seconds for messages from `position` on. Those without a time were sent after `since`."""


class Forgetful(Polled, Protocol):
    """A messenger that soon gives up what nobody asks for, and tells afterwards what was written in a chat."""

    async def written(self, context: AppContext, person: Sender, since: datetime) -> list[Message] | TryAgain:
        """Return what a person wrote since then, as it would have come; nothing of a chat that is gone."""
