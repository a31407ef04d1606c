from typing import Annotated

import msgspec
from msgspec import Meta

from signalpost.events import Actor
from signalpost.kit import ids
from signalpost.kit.wire import Input, Instant, Output
from signalpost.web.fields import MemberId, PostMessageId

TEXT_MAX = 2_000
MENTIONS_MAX = 20


class PostMessageCreate(Input):
    """Say something about a post to its team."""

    text: Annotated[
        Annotated[str, Meta(min_length=1, max_length=TEXT_MAX)],
        Meta(description="Plain text.", examples=["Can we use the other picture?"]),
    ]
    mentions: Annotated[
        Annotated[list[MemberId], Meta(max_length=MENTIONS_MAX)],
        Meta(description="Members who get a mail; they must see the post's profile."),
    ] = msgspec.field(default_factory=list)
    reply_to: Annotated[PostMessageId | None, Meta(description="The message that it answers.")] = None


class PostMention(Output):
    member_id: Annotated[str, Meta(examples=[ids.example("mem")])]
    name: Annotated[str, Meta(examples=["Grace Hopper"])]


class PostMessage(Output):
    """A message about a post. What someone wrote by a link for approval has an author of type `approval_link`."""

    id: str
    post_id: str
    reply_to: Annotated[str | None, Meta(examples=[None])]
    author: Actor
    text: Annotated[str, Meta(examples=["Can we use the other picture?"])]
    mentions: list[PostMention]
    created_at: Instant
