"""What Google Business Profile accepts, and the values of its options."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from msgspec import Meta, Struct

from signalpost.networks.connectors.google_business.sources import SOURCES
from signalpost.networks.contract import Appearance, Facts, MediaRule, Option, RateLimit, TextRule, View

Address = Annotated[str, Meta(pattern=r"^https?://", max_length=2048)]
Day = Annotated[str, Meta(pattern=r"^20[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$")]
TimeOfDay = Annotated[str, Meta(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$")]
Topic = Literal["STANDARD", "EVENT", "OFFER"]
Action = Literal["BOOK", "ORDER", "SHOP", "LEARN_MORE", "SIGN_UP", "CALL"]
TITLE_MAX: Final = 58
"""https://docs.postsyncer.com/platforms/google-business-profile (2026-11-29),
https://lettercounter.org/blog/google-business-profile-character-limit (2026-11-29)."""
PHOTO_BYTES_MIN: Final = 10_240
"""https://www.ayrshare.com/docs/media-guidelines/google-business-profile (2026-11-29),
https://www.weltodigital.com/google-business-image-size-guide (2026-11-29)."""
PHOTO_SIDE_MIN: Final = 250
"""The former, and https://docs.getlate.dev/resources/media-guidelines/google-business (2026-11-29)."""


class CallToAction(Struct, forbid_unknown_fields=True, rename="camel"):
    """The button below a post."""

    action_type: Annotated[Action, Meta(title="What the button says")]
    url: Annotated[Address, Meta(title="Where it leads")] | None = None


class Event(Struct, forbid_unknown_fields=True, rename="camel"):
    """What happens when, in dates and times of day as the clocks of the location show them."""

    title: Annotated[str, Meta(title="Title", min_length=1, max_length=TITLE_MAX)]
    start_date: Annotated[Day, Meta(title="First day, as in 2027-01-31")]
    end_date: Annotated[Day, Meta(title="Last day")]
    start_time: Annotated[TimeOfDay, Meta(title="From, as in 18:30")] | None = None
    end_time: Annotated[TimeOfDay, Meta(title="Until")] | None = None


class Offer(Struct, forbid_unknown_fields=True, rename="camel"):
    """What an offer has besides its title and dates."""

    coupon_code: Annotated[str, Meta(title="Code", min_length=1, max_length=100)] | None = None
    redeem_online_url: Annotated[Address, Meta(title="Where it is redeemed")] | None = None
    terms_conditions: Annotated[str, Meta(title="Conditions", min_length=1, max_length=5000)] | None = None


FACTS: Final = Facts(
    key="google_business",
    name="Google Business Profile",
    source="developers.google.com/my-business: reference v4 (accounts.locations.localPosts), limits; "
    "discovery documents of the v1 APIs (20261026)",
    verified_on="2026-11-29",
    sources=SOURCES,
    appearance=Appearance(views=(View(kind="feed", text="below"),), marks=()),
    api_version="v4.9",
    base_url="https://mybusiness.googleapis.com",
    hosts={
        "accounts": "https://accounts.google.com",
        "oauth": "https://oauth2.googleapis.com",
        "management": "https://mybusinessaccountmanagement.googleapis.com",
        "information": "https://mybusinessbusinessinformation.googleapis.com",
    },
    app_credentials=True,
    rate_limit=RateLimit(count=60, seconds=60, per="app"),
    text=TextRule(max_length=1_500, unit="code_point"),
    link="field",
    media={"image": MediaRule(per_post=1, bytes_max=5_000_000, mime_types=("image/jpeg", "image/png"))},
    options={
        "topicType": Option(
            label="Kind of post",
            type=Topic,
            description="`STANDARD` is an update. By default a post with an `offer` is an `OFFER`, one with an `event` "
            "an `EVENT`.",
        ),
        "callToAction": Option(
            label="Button",
            type=CallToAction,
            description="The button of an update or event: `{actionType, url?}`. Without `url` it leads to the post's "
            "`link`; `CALL` has none and calls the location. A post with a `link` alone gets `LEARN_MORE`.",
        ),
        "event": Option(
            label="Title and dates",
            type=Event,
            description="What an event or an offer is called, and when: `{title, startDate, endDate, startTime?, "
            "endTime?}`, as in `2027-01-31` and `18:30`, by the clocks of the location.",
        ),
        "offer": Option(
            label="Offer",
            type=Offer,
            description="Of an offer: `{couponCode?, redeemOnlineUrl?, termsConditions?}`. It also needs `event`. "
            "Without `redeemOnlineUrl` it is redeemed at the post's `link`.",
        ),
        "languageCode": Option(
            label="Language",
            type=Annotated[str, Meta(pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$")],
            description="The language of the text, as in `de` or `en-US`. Default: that of the location.",
        ),
    },
    notes="A post has a text, a photo or both. Google reviews it; one that it rejects ends as failed, and one with a "
    "telephone number in its text is always rejected. A photo has 250 pixels at least on each side and 10 kB at least.",
)


def topic_of(options: Mapping[str, Any]) -> str:
    """Return the kind of a post: the one that is named, or the one that its options make of it."""
    return options.get("topicType") or (
        "OFFER" if options.get("offer") else "EVENT" if options.get("event") else "STANDARD"
    )
