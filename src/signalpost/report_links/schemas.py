from typing import Annotated, Literal, get_args

from msgspec import Meta

from signalpost.analytics.schemas import Count, Overview, Rate
from signalpost.events import Actor
from signalpost.kit.wire import Input, Instant, Output
from signalpost.web.fields import ProfileId

Language = Literal["en", "de", "es"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
TOKEN_EXAMPLE = "Zk3v8E0c5W1mB7tYx2ZpR9aLhUoJnD4sQe6iT1gVw0M"  # noqa: S105 - an example
MONTHS = 13
POSTS_MAX = 200
_Email = Annotated[str, Meta(max_length=254, pattern=r"^[^\s@]+@[^\s@]+$", examples=["maria@example.com"])]
_WordsIn = Annotated[Language, Meta(description="The language of the report and of its mails.", examples=["en"])]
_Month = Annotated[str, Meta(pattern=r"^[0-9]{4}-(0[1-9]|1[0-2])$", examples=["2026-11"])]


class ReportLinkCreate(Input):
    """A report of a profile's months, by a link for someone without a user here."""

    profile_id: Annotated[ProfileId, Meta(description="Whose posts the report is about.")]
    email: Annotated[
        _Email | None,
        Meta(
            description="Who is mailed the link on the second day of each month, when there is a report of the month"
            " before. A link in the mail ends that."
        ),
    ] = None
    language: _WordsIn = "en"


class ReportLinkQuery(Input):
    """Which links to list."""

    profile_id: Annotated[ProfileId | None, Meta(description="Only links of this profile.")] = None


class ReportLink(Output):
    id: str
    profile_id: str
    language: _WordsIn
    email: Annotated[str | None, Meta(description="Who is mailed each month.", examples=["maria@example.com"])]
    next_mail_at: Annotated[Instant | None, Meta(description="When the next mail is due; null: no mail follows.")]
    created_by: Actor
    created_at: Instant
    last_opened_at: Annotated[Instant | None, Meta(description="When the report was opened last.", examples=[None])]
    url: Annotated[
        str | None,
        Meta(
            description="What to give to its reader: only in the response that creates it, as its token is stored as a"
            " hash.",
            examples=[None],
        ),
    ]


class ReportQuery(Input):
    """Which month."""

    month: Annotated[_Month | None, Meta(description="One of `months`. Default: the last one that is over.")] = None


class ReportBranding(Output):
    """How the profile looks: its colour and its picture."""

    color: Annotated[str | None, Meta(examples=["#1f6feb"])]
    logo_url: str | None


class ReportFollowers(Output):
    """How many followed an account at the end of the month, and how that changed since its first count of it."""

    platform: Annotated[str, Meta(examples=["bluesky"])]
    username: Annotated[str, Meta(examples=["acme.example"])]
    followers: int
    change: Annotated[int | None, Meta(description="null: the month has one count.")]


class _Numbers(Output):
    views: Count
    likes: Count
    comments: Count
    shares: Count


class ReportTopPost(_Numbers):
    """One of the posts that were seen most, on one network; null: unknown."""

    platform: Annotated[str, Meta(examples=["bluesky"])]
    text: Annotated[
        str,
        Meta(description="Its title, else the first 140 characters of its text.", examples=["Fresh bread from seven."]),
    ]
    url: Annotated[str | None, Meta(description="Where it is at its network.")]
    picture_url: Annotated[str | None, Meta(description="A small picture of its first file; null: it has none.")]
    engagement_rate: Rate


class ReportPost(_Numbers):
    """A post on one network, with its newest numbers; null: unknown."""

    platform: Annotated[str, Meta(examples=["bluesky"])]
    username: Annotated[str | None, Meta(examples=["acme.example"])]
    text: Annotated[
        str,
        Meta(description="Its title, else the first 140 characters of its text.", examples=["Fresh bread from seven."]),
    ]
    url: Annotated[str | None, Meta(description="Where it is at its network.")]
    published_at: Instant


class Report(Output):
    """What a link shows of a month."""

    workspace: Annotated[str, Meta(examples=["Acme"])]
    profile: Annotated[str, Meta(examples=["Bakery Berlin"])]
    branding: ReportBranding
    language: _WordsIn
    month: _Month
    months: Annotated[list[_Month], Meta(description="Those that can be chosen, the present one first.")]
    is_over: Annotated[bool, Meta(description="false: the numbers are those until today.")]
    overview: Overview
    followers: list[ReportFollowers]
    most_seen: Annotated[list[ReportTopPost], Meta(description="At most five.")]
    posts: Annotated[list[ReportPost], Meta(description="Those of the month, in the order of time; at most 200.")]
    has_more: Annotated[bool, Meta(description="The month has more posts.")]
