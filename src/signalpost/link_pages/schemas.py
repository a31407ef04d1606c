from datetime import datetime
from typing import Annotated, Literal, get_args

from msgspec import Meta

from signalpost.kit import ids, issue_text
from signalpost.kit.wire import Input, Instant, Output
from signalpost.web.fields import MediaId

Language = Literal["en", "de", "es"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
LINKS_MAX = 50
POSTS_MAX = 12
DAYS_DEFAULT = 30
DAYS_MAX = 365
_LINK_ID = "k3x9q2ab"
_URL = "https://shop.example.com/menu"
SLUG_LENGTH_MAX = 48
SLUG_PATTERN = "^[a-z0-9]+(-[a-z0-9]+)*$"
_Slug = Annotated[
    str,
    Meta(
        min_length=3,
        max_length=SLUG_LENGTH_MAX,
        pattern=SLUG_PATTERN,
        extra={issue_text.FORMAT: "Must be lower-case letters a to z, digits, and single hyphens between them."},
        examples=["bakery-berlin"],
    ),
]
_LinkUrl = Annotated[
    str,
    Meta(
        max_length=2_048,
        pattern=r"^https://[^\s/?#@\\\x00-\x20]+([/?#][^\s\x00-\x20]*)?$",
        extra={issue_text.FORMAT: "Must be an address that begins with https://, without spaces, name or password."},
        examples=[_URL],
    ),
]


def _text(length_max: int) -> Meta:
    return Meta(
        min_length=1, max_length=length_max, pattern=r"\S", extra={issue_text.FORMAT: issue_text.NOT_BLANK}
    )  # fmt: skip


_Title = Annotated[str, _text(80)]
_LinkTitle = Annotated[str, _text(100)]
_Text = Annotated[str, _text(300)]
_LinkId = Annotated[
    str,
    Meta(
        min_length=8,
        max_length=8,
        pattern=r"^[a-z0-9]{8}$",
        extra={issue_text.FORMAT: "Must be the `id` of a link as the page has it."},
    ),
]


class LinkIn(Input):
    """A link of the page."""

    title: Annotated[_LinkTitle, Meta(description="What people read.", examples=["Order bread"])]
    url: Annotated[_LinkUrl, Meta(description="Where it leads, exactly as it is here.", examples=[_URL])]
    id: Annotated[
        _LinkId | None,
        Meta(description="Of a link that the page has: it keeps its address and clicks. Left out: a new one."),
    ] = None
    media_id: Annotated[MediaId | None, Meta(description="An image of the library beside it.")] = None
    shown_from: Annotated[
        Annotated[datetime, Meta(tz=True)] | None,
        Meta(description="It is left out until then.", examples=["2026-12-01T00:00:00Z"]),
    ] = None
    shown_until: Annotated[
        Annotated[datetime, Meta(tz=True)] | None,
        Meta(description="It is left out from then on.", examples=["2026-12-24T00:00:00Z"]),
    ] = None


class LinkPageUpdate(Input):
    """The whole page: what is left out returns to its default."""

    slug: Annotated[
        _Slug,
        Meta(
            description="The end of the public address, unique in the installation. A former one goes on to lead here."
        ),
    ]
    title: Annotated[_Title, Meta(description="The headline.", examples=["Bakery Berlin"])]
    text: Annotated[_Text | None, Meta(description="A few words below it.", examples=["Fresh bread from seven."])] = (
        None
    )
    language: Annotated[Language, Meta(description="The language of the page.", examples=["en"])] = "en"
    is_published: Annotated[bool, Meta(description="Whether everyone can open it.", examples=[True])] = False
    is_indexed: Annotated[bool, Meta(description="Whether search engines may list it.", examples=[False])] = False
    shows_accounts: Annotated[
        bool, Meta(description="Whether it has the connected accounts that have a public page, as icons.")
    ] = True
    latest_posts: Annotated[
        Annotated[int, Meta(ge=0, le=POSTS_MAX)],
        Meta(description="How many of the last published posts it shows; 0: none.", examples=[3]),
    ] = 0
    links: Annotated[
        Annotated[list[LinkIn], Meta(max_length=LINKS_MAX)],
        Meta(description="In their order.", examples=[[{"title": "Order bread", "url": _URL}]]),
    ] = []  # noqa: RUF012 - msgspec copies it


class Link(Output):
    id: Annotated[str, Meta(examples=[_LINK_ID])]
    title: Annotated[str, Meta(examples=["Order bread"])]
    url: Annotated[str, Meta(examples=[_URL])]
    media_id: Annotated[str | None, Meta(examples=[ids.example("med")])]
    shown_from: Annotated[Instant | None, Meta(description="It is left out until then.")]
    shown_until: Annotated[Instant | None, Meta(description="It is left out from then on.")]


class LinkPage(Output):
    """The public page of a profile. Its name, picture and colour are those of the profile."""

    profile_id: str
    url: Annotated[str, Meta(description="Its address.", examples=["https://app.example.com/l/bakery-berlin"])]
    slug: Annotated[str, Meta(examples=["bakery-berlin"])]
    former_slugs: Annotated[
        list[str], Meta(description="Addresses that lead here too: the last ten that it had.", examples=[["bakery"]])
    ]
    title: Annotated[str, Meta(examples=["Bakery Berlin"])]
    text: Annotated[str | None, Meta(examples=["Fresh bread from seven."])]
    language: Language
    is_published: bool
    is_indexed: bool
    shows_accounts: bool
    latest_posts: Annotated[int, Meta(examples=[3])]
    links: list[Link]
    created_at: Instant
    updated_at: Instant


class LinkPageStatsQuery(Input):
    """How far back."""

    days: Annotated[
        Annotated[int, Meta(ge=1, le=DAYS_MAX)],
        Meta(description="How many days, today (UTC) included.", examples=[30]),
    ] = DAYS_DEFAULT


class LinkPageDay(Output):
    date: Annotated[str, Meta(description="A day of UTC.", examples=["2026-11-30"])]
    views: Annotated[int, Meta(examples=[120])]
    clicks: Annotated[int, Meta(examples=[31])]


class LinkClicks(Output):
    id: Annotated[str, Meta(examples=[_LINK_ID])]
    title: Annotated[str, Meta(examples=["Order bread"])]
    clicks: Annotated[int, Meta(examples=[31])]


class LinkPageStats(Output):
    """How often the page was opened, and its links clicked; without what says that it is a bot."""

    profile_id: str
    views: Annotated[int, Meta(examples=[120])]
    clicks: Annotated[int, Meta(description="On all links, those that it has no longer included.", examples=[31])]
    daily: Annotated[list[LinkPageDay], Meta(description="Each day of the range, the oldest first.")]
    links: Annotated[list[LinkClicks], Meta(description="The links that it has, in their order.")]
