"""Analytics on the wire. A number that no network gave is null; 0 is a number."""

from typing import Annotated, Literal

from msgspec import Meta, field

from signalpost.kit import ids
from signalpost.kit.wire import Input, Instant, Output
from signalpost.web.fields import Day, PlatformSlug, ProfileId, TimeZone

Rate = Annotated[
    float | None,
    Meta(
        description="Likes, comments and shares as a percentage of what `rateBasis` names, with two decimals; null:"
        " unknown, or the basis is 0.",
        examples=[4.25],
    ),
]
RateBasis = Annotated[
    Literal["impressions", "reach", "views", "mixed"] | None,
    Meta(
        description="What the rate is over: impressions, else reach, else views; `mixed`: not the same for all posts.",
        examples=["impressions"],
    ),
]
Date = Annotated[str, Meta(extra_json_schema={"format": "date"}, examples=["2026-11-21"])]
Count = Annotated[int | None, Meta(examples=[120])]


class OverviewQuery(Input):
    """Which posts, and of which days."""

    profile_id: Annotated[ProfileId | None, Meta(description="Only posts of this profile.")] = None
    start_date: Annotated[
        Day | None, Meta(description="The first day. Default: 29 days before the last one.", examples=["2026-11-01"])
    ] = None
    end_date: Annotated[
        Day | None, Meta(description="The last day, at most 366 days in all. Default: today.", examples=["2026-11-21"])
    ] = None


class ExportQuery(OverviewQuery):
    """Which posts, and in which format."""

    format: Annotated[
        Literal["csv", "parquet"], Meta(description="CSV for spreadsheets, Apache Parquet for programs.")
    ] = "csv"


class Period(Output):
    """From the first to the last day, both included."""

    start: Date
    end: Date


class SampleSizes(Output):
    """Of how many posts each total is the sum: those whose network gave this number."""

    views: int
    likes: int
    comments: int
    shares: int
    saves: int
    impressions: int


class Totals(Output):
    """The sums of the posts of a period. `measuredPosts`: of how many of them any number is known."""

    total_posts: Annotated[
        int, Meta(description="Published posts; one that was published by three accounts counts three times.")
    ]
    measured_posts: int
    total_views: int
    total_likes: int
    total_comments: int
    total_shares: int
    total_saves: Count
    total_impressions: Count
    avg_engagement_rate: Rate
    rate_basis: RateBasis
    sample_sizes: SampleSizes


class PreviousTotals(Totals):
    """The sums of as many days before."""

    period: Period


class PlatformTotals(Output):
    """The sums of the posts on one network; null: it gave this number of none of them."""

    posts: int
    views: Count
    likes: Count
    comments: Count
    shares: Count
    engagement_rate: Rate
    rate_basis: RateBasis


class TopPost(Output):
    """A post on one network, with its newest numbers."""

    post_id: Annotated[str, Meta(examples=[ids.example("pst")])]
    title: str | None
    excerpt: Annotated[
        str, Meta(description="The first 140 characters of its text.", examples=["Fresh bread from seven."])
    ]
    platform: Annotated[str, Meta(examples=["bluesky"])]
    url: str | None
    views: Count
    likes: Count
    comments: Count
    shares: Count
    engagement_rate: Rate
    rate_basis: RateBasis


class TrendDay(Output):
    """The posts that were published on a day, and their newest numbers; null: published, but unknown."""

    date: Date
    posts: int
    views: Count
    likes: Count
    comments: Count
    shares: Count


class Overview(Totals):
    """How the posts of a period have done so far, compared with as many days before."""

    period: Period
    timezone: Annotated[str, Meta(description="The zone in which today is meant.", examples=["Europe/Berlin"])]
    clipped: Annotated[
        bool, Meta(description="The period begins later than was requested: the plan shows no earlier days.")
    ]
    by_platform: dict[str, PlatformTotals]
    top_posts: Annotated[list[TopPost], Meta(description="At most 5, those with the most views first.")]
    daily_trend: Annotated[list[TrendDay], Meta(description="Every day of the period.")]
    previous: Annotated[PreviousTotals | None, Meta(description="Null: the plan does not show all of these days.")]
    synced_at: Annotated[Instant | None, Meta(description="When any of these numbers was collected last.")]
    collected_until: Annotated[
        Instant | None,
        Meta(
            description="Everything that was published until then is counted. Usually now; earlier while many posts are"
            " still to be added, some of them by each question and all of them in the background. Null: the workspace"
            " has more than 200 accounts, and posts of the last minutes may be missing."
        ),
    ]


class TargetMetrics(Output):
    """The newest numbers of a post on one network. `source: none`: none are known yet, or the network gives none."""

    target_id: Annotated[str, Meta(examples=[ids.example("tgt")])]
    platform: Annotated[str, Meta(examples=["bluesky"])]
    account_id: Annotated[str, Meta(examples=[ids.example("acc")])]
    status: Annotated[
        Literal["published", "removed"],
        Meta(description="`removed`: it is no longer on the network; the numbers are the last ones."),
    ]
    published_at: Instant
    removed_at: Instant | None
    views: Count
    likes: Count
    comments: Count
    shares: Count
    saves: Count
    clicks: Count
    impressions: Count
    reach: Count
    watch_time_seconds: Count
    engagement_rate: Rate
    rate_basis: RateBasis
    collected_at: Instant | None
    next_collection_at: Annotated[Instant | None, Meta(description="When they are collected next; null: not again.")]
    source: Literal["platform", "none"]


class MetricsAt(Output):
    """The numbers of a post on one network at one time."""

    collected_at: Instant
    target_id: Annotated[str, Meta(examples=[ids.example("tgt")])]
    platform: Annotated[str, Meta(examples=["bluesky"])]
    views: Count
    likes: Count
    comments: Count
    shares: Count
    saves: Count
    clicks: Count
    impressions: Count
    reach: Count
    watch_time_seconds: Count
    engagement_rate: Rate
    rate_basis: RateBasis


class PostAnalytics(Output):
    """The numbers of a post, now and over time, oldest first."""

    post_id: Annotated[str, Meta(examples=[ids.example("pst")])]
    metrics: list[TargetMetrics]
    history: list[MetricsAt]
    clipped: Annotated[
        bool, Meta(description="`history` begins later: the plan shows no earlier days, or there are over 5,000 rows.")
    ]


class AccountsQuery(Input):
    """Which accounts."""

    profile_id: Annotated[ProfileId | None, Meta(description="Only accounts of this profile.")] = None


class AccountTotals(Output):
    """The sums of an account's posts on the days that the plan shows; null: no network gave this number."""

    posts: int
    views: Count
    likes: Count
    comments: Count
    shares: Count


class FollowersOn(Output):
    """How many followed an account on a day, UTC."""

    date: Date
    followers: int


class AccountAnalytics(Output):
    """How many follow an account, and how its posts did. Null: the network does not say, or not yet."""

    account_id: Annotated[str, Meta(examples=[ids.example("acc")])]
    profile_id: Annotated[str, Meta(examples=[ids.example("prof")])]
    platform: Annotated[str, Meta(examples=["bluesky"])]
    username: Annotated[str, Meta(examples=["acme.example"])]
    followers: Count
    following: Count
    posts: Annotated[int | None, Meta(description="Posts of the account at its network.")]
    followers_change_7d: Annotated[
        int | None, Meta(description="Followers gained in 7 days; null without a count of that time.")
    ] = field(name="followersChange7d")
    followers_change_30d: Annotated[int | None, Meta(description="Followers gained in 30 days.")] = field(
        name="followersChange30d"
    )
    totals: AccountTotals
    history: Annotated[list[FollowersOn], Meta(description="The last 90 days, those without a count left out.")]
    collected_at: Annotated[Instant | None, Meta(description="When the network was last asked how many follow it.")]


class BestTimesQuery(Input):
    """For which posts, and in which zone."""

    platform: Annotated[PlatformSlug | None, Meta(description="Only posts on this network.")] = None
    profile_id: Annotated[ProfileId | None, Meta(description="Only posts of this profile.")] = None
    timezone: Annotated[
        TimeZone | None, Meta(description="The zone of the hours. Default: that of the profile, else of the workspace.")
    ] = None


Confidence = Annotated[Literal["low", "medium", "high"], Meta(examples=["medium"])]


class TimeOfWeek(Output):
    """An hour of the week. `postCount`: posts that were published in it; `confidence`: how well they tell its score."""

    day_of_week: Annotated[int, Meta(description="0 is Monday.", examples=[1])]
    hour: Annotated[int, Meta(description="From 0 to 23, in `timezone`.", examples=[18])]
    score: Annotated[float, Meta(description="From 0 to 1, compared with the other hours.", examples=[0.84])]
    avg_engagement: Annotated[
        float | None, Meta(description="Likes, comments and shares of a post, on average.", examples=[12.5])
    ]
    post_count: int
    confidence: Confidence


class BestTimes(Output):
    """The hours of the week by how well posts do in them.

    `basis: defaults`: fewer than 20 posts have numbers, so these are rules of thumb. `confidence: low`: the numbers
    show no pattern that chance would not show as well.
    """

    platform: Annotated[str | None, Meta(examples=["bluesky"])]
    timezone: Annotated[str, Meta(examples=["Europe/Berlin"])]
    basis: Literal["history", "defaults"]
    sample_size: Annotated[int, Meta(description="Posts of the last year whose numbers are at least a day old.")]
    confidence: Confidence
    slots: Annotated[list[TimeOfWeek], Meta(description="All 168 hours, best first.")]
    recommended: Annotated[list[TimeOfWeek], Meta(description="At most 5, the best ones.")]
