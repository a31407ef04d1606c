from datetime import datetime
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from signalpost.comments.states import CommentState, ReplyErrorCode, ReplyState
from signalpost.events import Actor
from signalpost.kit import ids
from signalpost.kit.wire import Input, Instant, Output
from signalpost.web.fields import AccountId, MemberId, Name, PostId, ProfileId

TEXT_MAX = 10_000
TAGS_MAX = 20
SNOOZE_DAYS_MAX = 365
Tag = Annotated[str, Meta(min_length=1, max_length=50, pattern=r"\S")]
Tags = Annotated[list[Tag], Meta(max_length=TAGS_MAX)]
Search = Annotated[str, Meta(min_length=2, max_length=100)]
ReplyText = Annotated[str, Meta(min_length=1, max_length=TEXT_MAX, pattern=r"\S")]


class CommentListQuery(Input):
    """Filters; a comment has to pass all of them."""

    profile_id: Annotated[ProfileId | None, Meta(description="Only comments under posts of this profile.")] = None
    account_id: Annotated[AccountId | None, Meta(description="Only comments under posts of this account.")] = None
    post_id: Annotated[PostId | None, Meta(description="Only comments under this post.")] = None
    state: Annotated[CommentState | None, Meta(description="Only comments in this state.")] = None
    since: Annotated[
        Annotated[datetime, Meta(tz=True)] | None,
        Meta(description="Only comments that were collected at this time or later.", examples=["2026-11-21T18:00:00Z"]),
    ] = None
    unanswered: Annotated[
        bool, Meta(description="Only comments that the account has not answered, and that are not deleted.")
    ] = False
    snoozed: Annotated[
        bool | None,
        Meta(description="Only comments that come back later, or only those that do not.", examples=[False]),
    ] = None
    tag: Annotated[Tag | None, Meta(description="Only comments with this tag.", examples=["question"])] = None
    assignee_id: Annotated[MemberId | None, Meta(description="Only comments that this member takes care of.")] = None
    q: Annotated[
        Search | None, Meta(description="Only comments whose text or author has these characters.", examples=["price"])
    ] = None


class CommentReplyCreate(Input):
    """An answer to a comment, written by the account whose post it is."""

    text: Annotated[ReplyText, Meta(description="Plain text.", examples=["At our shop, until six."])]
    if_unanswered: Annotated[
        bool, Meta(description="Refuse the answer if the comment has one, or one that is on its way.", examples=[True])
    ] = False


class CommentUpdate(Input):
    """Any subset of the fields."""

    state: Annotated[CommentState | UnsetType, Meta(description="`done` takes it out of the inbox.")] = UNSET
    assignee_id: Annotated[
        MemberId | UnsetType | None, Meta(description="The member who takes care of it; null: nobody.")
    ] = UNSET
    tags: Annotated[Tags | UnsetType, Meta(description="Replaces all tags.", examples=[["question"]])] = UNSET
    snoozed_until: Annotated[
        Annotated[datetime, Meta(tz=True)] | UnsetType | None,
        Meta(
            description=f"When it comes back to the top of the inbox, at most {SNOOZE_DAYS_MAX} days ahead; null: it is"
            " there now. A comment that is done has none.",
            examples=["2027-03-01T09:00:00.000Z"],
        ),
    ] = UNSET


class CommentAuthor(Output):
    """Who wrote a comment, as the network shows them."""

    name: Annotated[str, Meta(examples=["Ada Lovelace"])]
    handle: Annotated[str | None, Meta(examples=["ada.example.com"])]
    avatar_url: Annotated[str | None, Meta(examples=["https://cdn.example.com/ada.jpg"])]
    url: Annotated[str | None, Meta(examples=["https://bsky.app/profile/ada.example.com"])]
    is_self: Annotated[bool, Meta(description="Whether it is the account itself.", examples=[False])]


class CommentAssignee(Output):
    member_id: Annotated[str, Meta(examples=[ids.example("mem")])]
    name: Annotated[str, Meta(examples=["Grace Hopper"])]


class CommentReplyError(Output):
    """Why an answer was not sent, or may not have been."""

    code: Annotated[ReplyErrorCode, Meta(examples=["outcome_unknown"])]
    message: str


class CommentReply(Output):
    """An answer from here."""

    id: str
    comment_id: str
    text: Annotated[str, Meta(examples=["At our shop, until six."])]
    state: Annotated[
        ReplyState,
        Meta(
            description="`pending` waits for an approval; `unknown` may have been sent: look at the network.",
            examples=["sending"],
        ),
    ]
    author: Actor
    decided_by: Annotated[Actor | None, Meta(description="Who approved or rejected it.")]
    platform_comment_id: Annotated[str | None, Meta(examples=[None])]
    url: Annotated[str | None, Meta(examples=[None])]
    error: Annotated[CommentReplyError | None, Meta(examples=[None])]
    created_at: Instant
    sent_at: Annotated[Instant | None, Meta(examples=[None])]


class CommentActions(Output):
    """What can be done with a comment: its network allows it, and it is still there."""

    reply: bool
    hide: bool
    like: bool
    delete: bool


class Comment(Output):
    """What someone wrote under a published post. Of a deleted one neither text nor author is kept."""

    id: str
    post_id: str
    target_id: str
    profile_id: str
    account_id: str
    platform: Annotated[str, Meta(examples=["bluesky"])]
    platform_comment_id: Annotated[
        str, Meta(examples=["at://did:plc:ewvi7nxzyoun6zhxrhs64oiz/app.bsky.feed.post/3l6oveex3ii2l"])
    ]
    parent_id: Annotated[str | None, Meta(description="The comment that it answers; null: the post.", examples=[None])]
    author: CommentAuthor
    text: Annotated[str, Meta(examples=["Where can I buy this?"])]
    url: Annotated[str | None, Meta(examples=["https://bsky.app/profile/ada.example.com/post/3l6oveex3ii2l"])]
    state: CommentState
    assignee: CommentAssignee | None
    tags: Annotated[list[str], Meta(examples=[["question"]])]
    snoozed_until: Annotated[
        Instant | None, Meta(description="When it comes back to the inbox, or came back.", examples=[None])
    ]
    hidden: bool
    liked: bool
    actions: CommentActions
    replies: Annotated[list[CommentReply], Meta(description="Answers from here, oldest first, the last 20.")]
    answered_at: Annotated[Instant | None, Meta(description="When the account answered it, here or at the network.")]
    posted_at: Instant
    edited_at: Instant | None
    deleted_at: Annotated[Instant | None, Meta(examples=[None])]
    created_at: Instant
    updated_at: Instant


class PushReceived(Output):
    """The posts concerned are looked at within moments."""

    received: bool = True


class CommentThread(Output):
    """A comment under the post itself, and what hangs on it, oldest first. `more`: there are further answers."""

    comment: Comment
    answers: list[Comment]
    more: Annotated[bool, Meta(examples=[False])]


_SavedText = Annotated[
    ReplyText,
    Meta(
        description="`{{author}}` stands for the name of whoever is answered; clients put it in before they send.",
        examples=["Hello {{author}}, thank you!"],
    ),
]


class SavedReplyCreate(Input):
    """A text that a team answers with again and again."""

    name: Annotated[Name, Meta(description="What people call it.", examples=["Thanks"])]
    text: _SavedText
    profile_id: Annotated[
        ProfileId | None, Meta(description="The profile that it is for; null: all of the workspace.")
    ] = None


class SavedReplyUpdate(Input):
    """Any subset of the fields."""

    name: Annotated[Name | UnsetType, Meta(description="What people call it.", examples=["Thanks"])] = UNSET
    text: Annotated[ReplyText | UnsetType, Meta(description="The text.", examples=["Hello {{author}}, thank you!"])] = (
        UNSET
    )


class SavedReplyQuery(Input):
    """Which to list."""

    profile_id: Annotated[ProfileId | None, Meta(description="Those of this profile, and those for all profiles.")] = (
        None
    )


class SavedReply(Output):
    id: str
    profile_id: Annotated[str | None, Meta(description="null: for all profiles.")]
    name: Annotated[str, Meta(examples=["Thanks"])]
    text: _SavedText
    created_at: Instant
    updated_at: Instant
