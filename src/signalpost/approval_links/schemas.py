from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from signalpost.approval_links.states import State
from signalpost.events import Actor
from signalpost.kit import ids
from signalpost.kit.wire import Input, Instant, Output
from signalpost.media.file_types import MediaKind
from signalpost.posts.documents import ApprovalState
from signalpost.web.fields import PostId, ProfileId

POSTS_MAX = 200
"""Of one link."""
DAYS_DEFAULT, DAYS_MAX = 14, 90
CODE_HEADER = "X-Approval-Code"
TOKEN_EXAMPLE = "Zk3v8E0c5W1mB7tYx2ZpR9aLhUoJnD4sQe6iT1gVw0M"  # noqa: S105 - an example
_AtInstant = Annotated[datetime, Meta(tz=True)]
Email = Annotated[str, Meta(max_length=254, pattern=r"^[^\s@]+@[^\s@]+$", examples=["maria@example.com"])]
Platform = Annotated[str, Meta(examples=["bluesky"])]
AltText = Annotated[str | None, Meta(examples=["A cat asleep on a keyboard"])]


class ApprovalLinkCreate(Input):
    """Ask someone without a user here to approve posts of one profile."""

    post_ids: Annotated[
        Annotated[list[PostId], Meta(min_length=1, max_length=POSTS_MAX)] | None,
        Meta(description="The posts. Drafts that nobody has offered yet are offered with it."),
    ] = None
    profile_id: Annotated[
        ProfileId | None,
        Meta(description="Instead: the profile whose posts it shows that wait for approval between `from` and `to`."),
    ] = None
    from_: Annotated[
        _AtInstant | None,
        Meta(description="With `profileId`: posts planned from this time on.", examples=["2026-12-01T00:00:00+01:00"]),
    ] = msgspec.field(default=None, name="from")
    to: Annotated[
        _AtInstant | None,
        Meta(description="With `profileId`: posts planned before this time.", examples=["2027-01-01T00:00:00+01:00"]),
    ] = None
    expires_at: Annotated[
        _AtInstant | None,
        Meta(
            description=f"When the link stops working, at most {DAYS_MAX} days ahead. Default: in {DAYS_DEFAULT} days.",
            examples=["2026-12-15T18:00:00.000Z"],
        ),
    ] = None
    email: Annotated[
        Email | None,
        Meta(
            description="Whose link it is: opening it then needs a code that is mailed to this address.",
            examples=["maria@example.com"],
        ),
    ] = None
    message: Annotated[
        Annotated[str, Meta(max_length=500)] | None,
        Meta(description="What they read above the posts.", examples=["Here is December. Please have a look."]),
    ] = None


class ApprovalLinkQuery(Input):
    """Which links to list."""

    post_id: Annotated[PostId | None, Meta(description="Only links that show this post.")] = None
    profile_id: Annotated[ProfileId | None, Meta(description="Only links of this profile.")] = None


class ApprovalLink(Output):
    id: str
    profile_id: str
    posts: Annotated[int, Meta(description="How many posts it was made for.", examples=[1])]
    post_ids: Annotated[list[str], Meta(examples=[[ids.example("pst")]])]
    state: Annotated[State, Meta(examples=["open"])]
    email: Annotated[str | None, Meta(examples=["maria@example.com"])]
    message: Annotated[str | None, Meta(examples=["Here is December. Please have a look."])]
    created_by: Actor
    created_at: Instant
    expires_at: Instant
    revoked_at: Annotated[Instant | None, Meta(examples=[None])]
    last_opened_at: Annotated[Instant | None, Meta(examples=[None])]
    url: Annotated[
        str | None,
        Meta(
            description="Where it leads: only in the response that creates it, as its token is stored as a hash.",
            examples=[None],
        ),
    ]


class ReviewFilePart(Output):
    """A part of a picture, in its pixels."""

    left: Annotated[int, Meta(examples=[0])]
    top: Annotated[int, Meta(examples=[135])]
    width: Annotated[int, Meta(examples=[1080])]
    height: Annotated[int, Meta(examples=[1080])]


class ReviewFile(Output):
    """A file of a post. Its addresses work for an hour."""

    kind: MediaKind
    url: Annotated[str, Meta(examples=["https://signalpost.example.com/api/v1/media/…"])]
    thumbnail_url: Annotated[str | None, Meta(examples=[None])]
    alt_text: AltText
    width: Annotated[int | None, Meta(examples=[1080])]
    height: Annotated[int | None, Meta(examples=[1350])]
    part: Annotated[
        ReviewFilePart | None, Meta(description="What is sent of the picture; null: all of it.", examples=[None])
    ]


class ReviewPart(Output):
    """A further post of a thread."""

    text: Annotated[str, Meta(examples=["And there is more."])]
    media: list[ReviewFile]


class Preview(Output):
    """What some accounts on a network will show."""

    platform: Platform
    network: Annotated[str, Meta(description="The name of the network.", examples=["Bluesky"])]
    usernames: Annotated[list[str], Meta(examples=[["acme.example.com"]])]
    when: Annotated[Instant | None, Meta(description="If it is not the time of the post.", examples=[None])]
    title: Annotated[str | None, Meta(examples=[None])]
    text: Annotated[str, Meta(examples=["Hello from #signalpost"])]
    media: list[ReviewFile]
    thread: list[ReviewPart]
    link: Annotated[str | None, Meta(examples=[None])]
    first_comment: Annotated[str | None, Meta(examples=[None])]
    options: Annotated[dict[str, Any], Meta(description="Settings of the network.", examples=[{}])]


class ReviewDecision(Output):
    """What was decided by a link for approval."""

    name: Annotated[str | None, Meta(description="As they gave it.", examples=["Maria Rossi"])]
    note: Annotated[str | None, Meta(examples=["Lovely!"])]
    at: Instant | None


class ReviewComment(Output):
    """What was said about a post by this link."""

    name: Annotated[str | None, Meta(description="As they gave it.", examples=["Maria Rossi"])]
    text: Annotated[str, Meta(examples=["Which soup is it?"])]
    at: Instant


class ReviewPost(Output):
    """A post as the receiver of a link sees it."""

    id: str
    version: Annotated[int, Meta(description="Send it with the decision.", examples=[2])]
    state: Annotated[ApprovalState, Meta(examples=["pending"])]
    when: Annotated[Instant | None, Meta(description="When it is to be published; null: no time was chosen.")]
    timezone: Annotated[str, Meta(examples=["Europe/Berlin"])]
    previews: list[Preview]
    decision: ReviewDecision | None
    comments: list[ReviewComment]


class ReviewBranding(Output):
    color: Annotated[str | None, Meta(examples=["#1f6feb"])]
    logo_url: Annotated[str | None, Meta(examples=["https://example.com/logo.png"])]


class Review(Output):
    """What the receiver of a link may know: a page of its posts, in the order of time."""

    workspace: Annotated[str, Meta(description="Its name.", examples=["Acme"])]
    profile: Annotated[str, Meta(description="Its name.", examples=["Bakery Berlin"])]
    branding: ReviewBranding
    message: Annotated[str | None, Meta(examples=["Here is December. Please have a look."])]
    expires_at: Instant
    posts: list[ReviewPost]
    has_more: Annotated[bool, Meta(description="Whether more follow: ask for those `after` the last one.")]


class ReviewQuery(Input):
    """Which of the posts."""

    after: Annotated[PostId | None, Meta(description="Only those that follow this one.")] = None
    limit: Annotated[Annotated[int, Meta(ge=1, le=100)], Meta(description="At most so many.", examples=[20])] = 20


class ReviewDecide(Input):
    """A decision about a post as it was shown, or a comment."""

    decision: Annotated[
        Literal["approve", "changes", "reject", "comment"],
        Meta(
            description="Approve it, ask for changes, reject it, or only say something: `note`.", examples=["approve"]
        ),
    ]
    version: Annotated[
        Annotated[int, Meta(ge=1, le=999_999_999)], Meta(description="The version that was shown.", examples=[2])
    ]
    name: Annotated[
        Annotated[str, Meta(min_length=1, max_length=100)],
        Meta(description="Who decides, for the history of the post.", examples=["Maria Rossi"]),
    ]
    note: Annotated[
        Annotated[str, Meta(max_length=2_000)] | None,
        Meta(
            description="A note to the author of the post. A comment needs it.",
            examples=["Please mention the opening hours."],
        ),
    ] = None


class CodeSent(Output):
    """Where the code was sent."""

    email: Annotated[str, Meta(description="The address, in part.", examples=["m…@example.com"])]
