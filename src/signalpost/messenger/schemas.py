"""The link to a messenger on the wire."""

from typing import Annotated, Literal

from msgspec import Meta

from signalpost.kit.wire import Input, Instant, Output
from signalpost.messenger.names import Name
from signalpost.web.fields import ProfileId

ReplyState = Literal["waiting", "sending", "sent", "delivered", "failed", "unknown", "dropped"]


class MessagesReceived(Output):
    """The messages were stored; they are handled after the response."""

    received: bool = True


class LinkCodeCreate(Input):
    """Which profile the messages are for, and from which messenger they come."""

    profile_id: Annotated[
        ProfileId | None, Meta(description="The profile to post from. Default: the default profile.")
    ] = None
    messenger: Annotated[
        Name | None,
        Meta(
            description="Where the code is to be sent. Default: the first of those that the installation has.",
            examples=["whatsapp"],
        ),
    ] = None


class LinkCode(Output):
    """A code that links the number that sends it. It works once, until `expiresAt`."""

    code: Annotated[str, Meta(examples=["K7PM2XQ9"])]
    expires_at: Instant
    messenger: Annotated[Name, Meta(description="Where `deepLink` leads.", examples=["whatsapp"])]
    address: Annotated[
        str, Meta(description="Whom to send it to: a number, or the name of a bot.", examples=["+49 30 1234567"])
    ]
    phone_number: Annotated[
        str | None,
        Meta(description="The number to send it to. Null: the messenger has none.", examples=["+49 30 1234567"]),
    ]
    deep_link: Annotated[
        str,
        Meta(
            description="Opens the chat with the code written into it.",
            examples=["https://wa.me/49301234567?text=K7PM2XQ9"],
        ),
    ]
    qr_text: Annotated[
        str, Meta(description="What a QR code should contain.", examples=["https://wa.me/49301234567?text=K7PM2XQ9"])
    ]


class PendingCode(Output):
    """A code that was not sent yet."""

    expires_at: Instant


class LastReply(Output):
    """What became of the newest reply. `unknown`: it may have arrived, and is not sent again."""

    state: Annotated[ReplyState, Meta(examples=["delivered"])]
    error: Annotated[str | None, Meta(description="Why it was not sent, or may not have been.")]
    at: Instant


class LinkStatus(Output):
    """Your link in this workspace."""

    linked: bool
    state: Annotated[Literal["none", "pending", "linked"], Meta(examples=["linked"])]
    messenger: Annotated[Name | None, Meta(description="The linked messenger.", examples=["whatsapp"])]
    messengers: Annotated[
        list[Name], Meta(description="Those that this installation has.", examples=[["whatsapp", "telegram", "slack"]])
    ]
    phone_masked: Annotated[
        str | None, Meta(description="Null if the messenger does not reveal the number.", examples=["+49 *** ** 67"])
    ]
    user_masked: Annotated[
        str | None, Meta(description="The name of whoever is known by no number.", examples=["@a***e"])
    ]
    profile_id: Annotated[str | None, Meta(examples=["prof_01M7Z0000000000000000000AB"])]
    linked_at: Instant | None
    last_message_at: Instant | None
    pending_code: PendingCode | None
    last_reply: LastReply | None


class Unlinked(Output):
    """There is no link any more."""

    linked: bool = False
