"""From rows to what the API shows."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from signalpost.accounts.queries import AccountRow
from signalpost.analytics import rates
from signalpost.analytics.audience import AudienceRow, history_of
from signalpost.analytics.period import Days
from signalpost.analytics.schemas import (
    AccountAnalytics,
    AccountTotals,
    MetricsAt,
    Overview,
    Period,
    PlatformTotals,
    PreviousTotals,
    SampleSizes,
    TargetMetrics,
    TopPost,
    TrendDay,
)
from signalpost.analytics.totals import NUMBERS, SumRow, Sums, TargetNumbersRow, TopRow
from signalpost.kit import clock, ids


def overview(
    days: Days, sums: Sums, previous: SumRow | None, top: list[TopRow], *, timezone: str, until: datetime | None
) -> Overview:
    """Return the overview of a period."""
    return Overview(
        **_totals(sums.total),
        period=_period(days),
        timezone=timezone,
        clipped=days.clipped,
        by_platform={platform: _of_platform(row) for platform, row in sorted(sums.by_platform.items())},
        top_posts=[_top(row) for row in top],
        daily_trend=[_day(str(day), sums.by_day.get(day, SumRow())) for day in days.dates],
        previous=None if previous is None else PreviousTotals(**_totals(previous), period=_period(days.previous)),
        synced_at=clock.wire_or_none(sums.collected_at),
        collected_until=clock.wire_or_none(until),
    )


def target_metrics(row: TargetNumbersRow) -> TargetMetrics:
    """Return the newest numbers of a target."""
    return TargetMetrics(
        **_numbers({name: getattr(row, name) for name in NUMBERS}),
        target_id=ids.encode("tgt", row.target_id),
        platform=row.platform,
        account_id=ids.encode("acc", row.account_id),
        status="removed" if row.status == "removed" else "published",
        published_at=clock.wire(row.published_at),
        removed_at=clock.wire_or_none(row.removed_at),
        collected_at=clock.wire_or_none(row.collected_at),
        next_collection_at=clock.wire_or_none(row.due_at),
        source="none" if row.collected_at is None else "platform",
    )


def metrics_at(record: Any, platforms: Mapping[UUID, str]) -> MetricsAt:
    """Return the numbers of a target at one time, from a row of its history."""
    target_id, collected_at, *numbers = record
    return MetricsAt(
        **_numbers(dict(zip(NUMBERS, numbers, strict=True))),
        collected_at=clock.wire(collected_at), target_id=ids.encode("tgt", target_id), platform=platforms[target_id],
    )  # fmt: skip


def _numbers(numbers: dict[str, int | None]) -> dict[str, Any]:
    """Return the numbers of a post, by the names in `NUMBERS`, with the rate that follows from them."""
    interactions = rates.interactions_of(numbers["likes"], numbers["comments"], numbers["shares"])
    rate = rates.of_post(interactions, numbers["impressions"], numbers["reach"], numbers["views"])
    return numbers | {"engagement_rate": rate.percent, "rate_basis": rate.basis}


def account(row: AccountRow, stored: AudienceRow) -> AccountAnalytics:
    """Return how many follow an account, and how its posts did."""
    return AccountAnalytics(
        account_id=ids.encode("acc", row.id),
        profile_id=ids.encode("prof", row.profile_id),
        platform=row.platform,
        username=row.username,
        followers=row.followers if stored.collected_at is None else stored.followers,
        following=stored.following,
        posts=stored.posts,
        followers_change_7d=_change(stored.followers, stored.week_ago),
        followers_change_30d=_change(stored.followers, stored.month_ago),
        totals=AccountTotals(
            posts=stored.published,
            views=stored.views,
            likes=stored.likes,
            comments=stored.comments,
            shares=stored.shares,
        ),
        history=history_of(stored),
        collected_at=clock.wire_or_none(stored.collected_at),
    )


def _change(now: int | None, before: int | None) -> int | None:
    return None if now is None or before is None else now - before


def _period(days: Days) -> Period:
    return Period(str(days.start), str(days.end))


def _totals(row: SumRow) -> dict[str, Any]:
    rate = _rate(row)
    return {
        "total_posts": row.posts,
        "measured_posts": row.measured,
        "total_views": row.views,
        "total_likes": row.likes,
        "total_comments": row.comments,
        "total_shares": row.shares,
        "total_saves": row.saves if row.saves_n else None,
        "total_impressions": row.impressions if row.impressions_n else None,
        "avg_engagement_rate": rate.percent,
        "rate_basis": rate.basis,
        "sample_sizes": SampleSizes(
            views=row.views_n,
            likes=row.likes_n,
            comments=row.comments_n,
            shares=row.shares_n,
            saves=row.saves_n,
            impressions=row.impressions_n,
        ),
    }


def _rate(row: SumRow) -> rates.EngagementRate:
    return rates.of_sums(row.engaged, row.over_impressions, row.over_reach, row.over_views)


def _of_platform(row: SumRow) -> PlatformTotals:
    rate = _rate(row)
    return PlatformTotals(
        posts=row.posts,
        views=row.views if row.views_n else None,
        likes=row.likes if row.likes_n else None,
        comments=row.comments if row.comments_n else None,
        shares=row.shares if row.shares_n else None,
        engagement_rate=rate.percent,
        rate_basis=rate.basis,
    )


def _day(day: str, row: SumRow) -> TrendDay:
    """Return a day. Without posts its sums are 0; with posts of which nothing is known they are null."""
    return TrendDay(
        date=day,
        posts=row.posts,
        views=row.views if row.views_n or not row.posts else None,
        likes=row.likes if row.likes_n or not row.posts else None,
        comments=row.comments if row.comments_n or not row.posts else None,
        shares=row.shares if row.shares_n or not row.posts else None,
    )


def _top(row: TopRow) -> TopPost:
    rate = rates.of_post(row.interactions, row.impressions, row.reach, row.views)
    return TopPost(
        post_id=ids.encode("pst", row.post_id),
        title=row.title,
        excerpt=row.excerpt,
        platform=row.platform,
        url=row.url,
        views=row.views,
        likes=row.likes,
        comments=row.comments,
        shares=row.shares,
        engagement_rate=rate.percent,
        rate_basis=rate.basis,
    )
