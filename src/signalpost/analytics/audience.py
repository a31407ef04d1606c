"""Reads of accounts: how many follow them, and what their posts add up to; and of posts by time."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Final
from uuid import UUID

import msgspec
from msgspec import Struct

from signalpost.analytics.schemas import FollowersOn
from signalpost.context import PostsOf
from signalpost.kit import rows
from signalpost.kit.db import READ_SECONDS, Db
from signalpost.web.caller import Caller

HISTORY_DAYS: Final = 90
TOLERANCE_DAYS: Final = 3
"""A change is compared with a count that is up to so many days older."""
POSTS_MAX: Final = 5_000


class AudienceRow(Struct, frozen=True):
    """What is stored of an account besides its row."""

    account_id: UUID
    followers: int | None
    following: int | None
    posts: int | None
    collected_at: datetime | None
    week_ago: int | None
    month_ago: int | None
    history: str | None
    published: int
    views: int | None
    likes: int | None
    comments: int | None
    shares: int | None


class PublishedPost(Struct, frozen=True):
    """A post on one network with numbers that are at least a day old."""

    account_id: UUID
    published_at: datetime
    interactions: int | None
    views: int | None


_AGO: Final = f"""(select followers from metric_followers f where f.account_id = k.id and followers is not null
    and day between $2::date - %(days)s - {TOLERANCE_DAYS} and $2::date - %(days)s order by day desc limit 1)"""  # noqa: S608 - constants only
_AUDIENCE: Final = f"""
select k.id, n.followers, n.following, n.posts, n.collected_at, {_AGO % {"days": 7}}, {_AGO % {"days": 30}}, h.history,
    coalesce(d.published, 0), d.views, d.likes, d.comments, d.shares
from unnest($1::uuid[]) as k(id)
left join lateral (
    select followers, following, posts, collected_at from metric_followers
    where account_id = k.id and day <= $2 order by day desc limit 1
) n on true
left join lateral (
    select json_agg(json_build_object('date', day, 'followers', followers) order by day)::text as history
    from metric_followers
    where account_id = k.id and followers is not null and day between $2::date - {HISTORY_DAYS - 1} and $2
) h on true
left join (
    select account_id, sum(posts)::bigint as published,
        case when sum(views_n) > 0 then sum(views)::bigint end as views,
        case when sum(likes_n) > 0 then sum(likes)::bigint end as likes,
        case when sum(comments_n) > 0 then sum(comments)::bigint end as comments,
        case when sum(shares_n) > 0 then sum(shares)::bigint end as shares
    from metric_day
    where workspace_id = $3 and mode = $4 and day between $5 and $2::date + 1
        and ($6::uuid[] is null or profile_id = any($6))
    group by account_id
) d on d.account_id = k.id
"""  # noqa: S608 - constants only
_POSTS: Final = f"""
select account_id, published_at, interactions, views from metric_latest
where workspace_id = $1 and mode = $2 and day between $3 and $4
    and ($5::uuid[] is null or profile_id = any($5)) and ($6::text is null or platform = $6)
    and collected_at >= published_at + interval '1 day' and coalesce(interactions, views) is not null
order by day desc, published_at desc limit {POSTS_MAX}
"""  # noqa: S608 - constants only
_read_audience: Final = rows.reader(AudienceRow)
_read_post: Final = rows.reader(PublishedPost)
_decode_history: Final = msgspec.json.Decoder(list[FollowersOn]).decode


async def of_accounts(
    db: Db, caller: Caller, account_ids: Sequence[UUID], *, today: date, since: date
) -> dict[UUID, AudienceRow]:
    """Return how many follow these accounts, and the sums of their posts since a day."""
    arguments = (account_ids, today, caller.workspace_id, caller.mode, since, caller.sees_profiles)
    records = await db.fetch(_AUDIENCE, *arguments, timeout=READ_SECONDS) if account_ids else []
    return {record[0]: _read_audience(record) for record in records}


def history_of(row: AudienceRow) -> list[FollowersOn]:
    """Return how many followed an account on each day, oldest first."""
    return _decode_history(row.history) if row.history else []


async def posts_by_time(
    db: Db, posts: PostsOf, *, since: date, until: date, platform: str | None
) -> list[PublishedPost]:
    """Return posts with numbers, the newest 5,000."""
    arguments = (posts.workspace_id, posts.mode, since, until, posts.profile_ids, platform)
    return [_read_post(record) for record in await db.fetch(_POSTS, *arguments, timeout=READ_SECONDS)]
