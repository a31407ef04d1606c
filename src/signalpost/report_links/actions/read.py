"""What the reader of a report does, who has nothing but the link: read a month, and end the mails."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple
from uuid import UUID

from signalpost.accounts import queries as accounts
from signalpost.accounts.queries import AccountRow
from signalpost.analytics import audience, period, totals
from signalpost.analytics.actions import ask
from signalpost.analytics.audience import AudienceRow, history_of
from signalpost.analytics.period import Days
from signalpost.analytics.schemas import OverviewQuery, TopPost
from signalpost.analytics.totals import ExportRow
from signalpost.context import AppContext
from signalpost.identity.authenticate import caller_by_grant
from signalpost.identity.errors import KeyRevoked, TokenExpired
from signalpost.kit import clock, ids, problems
from signalpost.kit.db import Db
from signalpost.kit.problems import Issue
from signalpost.kit.tenant import across_workspaces, work_for
from signalpost.media import queries as media
from signalpost.media import signed_urls
from signalpost.plans import limits
from signalpost.posts.find import chosen
from signalpost.report_links import months, queries, views
from signalpost.report_links.errors import ReportLinkEnded
from signalpost.report_links.queries import ReportLinkRow
from signalpost.report_links.schemas import POSTS_MAX, Report, ReportFollowers, ReportPost, ReportTopPost
from signalpost.web import shared_buckets
from signalpost.web.caller import Caller
from signalpost.web.fields import ProfileId
from signalpost.web.shared_buckets import Want

PER_LINK: Final = 60
"""Requests a minute with one link, from wherever they come."""
ACCOUNTS_MAX: Final = 200
_OPENED: Final = """
update report_link set last_opened_at = now()
where workspace_id = $1 and id = $2 and coalesce(last_opened_at < now() - interval '1 minute', true)
"""
_UNSUBSCRIBE: Final = """
update report_link set email = null, sealed_token = null, next_mail_at = null where workspace_id = $1 and id = $2
"""


class _Opened(NamedTuple):
    link: ReportLinkRow
    maker: Caller
    """With the rights that they have now."""


async def read_report(context: AppContext, token: str, month: str | None) -> Report:
    """Return a month as a link shows it.

    Raises:
        NotFound: there is no such link.
        ReportLinkEnded: its maker may not read these numbers any more.
        ValidationFailed: this month cannot be chosen.
        RateLimited: it is read too often.
    """
    link, maker = await _open(context, token)
    today = ask.today_in(link.profile_timezone)
    days_shown = limits.ANALYTICS_DAYS.of(maker.plan)
    earliest = period.EARLIEST if days_shown is None else period.earliest_shown(today, days_shown)
    choices = months.choices(today, earliest)
    month = month or months.default(choices)
    if month not in choices:
        detail = f"The report has the months from {choices[-1]} to {choices[0]}."
        raise problems.ValidationFailed(errors=[Issue("month", "out_of_range", detail)])
    first, last = months.days_of(month)
    days = Days(max(first, earliest), min(last, today))
    query = OverviewQuery(profile_id=ProfileId(int=link.profile_id.int), start_date=str(first), end_date=str(days.end))
    overview = await ask.overview(context, maker, query)
    chunks = totals.export_rows(context.database, maker, days, link.profile_id, POSTS_MAX + 1)
    rows: list[ExportRow] = await anext(chunks, [])  # the first chunk is all that is shown
    async with context.database.transaction() as db:
        await db.execute(_OPENED, link.workspace_id, link.id)
        connected = await accounts.of_profile(db, maker, link.profile_id, ACCOUNTS_MAX)
        account_ids = [row.id for row in connected]
        stored = await audience.of_accounts(db, maker, account_ids, today=today, since=earliest)
        pictures = await _pictures(context, db, maker, link.profile_id, overview.top_posts)
    names = {row.id: row.username for row in connected}
    return Report(
        workspace=link.workspace_name,
        profile=link.profile_name,
        branding=views.branding(context, link),
        language=link.language,
        month=month,
        months=choices,
        is_over=last < today,
        overview=overview,
        followers=_followers(connected, stored, days),
        most_seen=[_top_post(post, pictures) for post in overview.top_posts],
        posts=[_post(row, names) for row in sorted(rows[:POSTS_MAX], key=lambda row: row.published_at)],
        has_more=len(rows) > POSTS_MAX,
    )


async def unsubscribe(context: AppContext, token: str) -> str:
    """End the mails of a link; it goes on to work. Return whose reports they were. Repeating this changes nothing.

    Raises:
        NotFound: there is no such link.
    """
    with across_workspaces():  # the token tells the workspace
        async with context.database.transaction() as db:
            link = await _find(db, token)
            await db.execute(_UNSUBSCRIBE, link.workspace_id, link.id)
    return link.profile_name


async def maker_of(context: AppContext, db: Db, link: ReportLinkRow) -> Caller | None:
    """Return who made a link, with what is left of their rights; None: they may not read its numbers any more."""
    try:
        caller = await caller_by_grant(context.settings, db, link, f"report-link:{link.id.hex}", limits.API_KEYS.of)
    except (KeyRevoked, TokenExpired, problems.Forbidden):
        return None
    if caller is None or "analytics:read" not in caller.scopes or not caller.may_see_profile(link.profile_id):
        return None
    return caller


async def _open(context: AppContext, token: str) -> _Opened:
    """Return the link, and its maker with the rights of this moment. The request then counts as their workspace's."""
    with across_workspaces():  # the token tells the workspace
        async with context.database.connection() as db:
            link = await _find(db, token)
            maker = await maker_of(context, db, link)
    await _count(context, link)
    if maker is None:
        raise ReportLinkEnded("Whoever made this link may no longer read these numbers.")
    work_for(maker.tenant)
    return _Opened(link, maker)


async def _find(db: Db, token: str) -> ReportLinkRow:
    link = await queries.by_token(db, token)
    if link is None:
        raise problems.NotFound(
            "There is no such report.",
            remediation="Check that its address was copied completely, or ask for another one.",
        )
    return link


async def _count(context: AppContext, link: ReportLinkRow) -> None:
    refused = await shared_buckets.take_each(context.database, [Want(f"report link {link.id.hex}", PER_LINK)], 60)
    if refused is not None:
        wait = refused[1].seconds_to_next
        raise problems.RateLimited(
            f"This report was read more than {PER_LINK} times in a minute. Try again in {wait} seconds.",
            headers={"Retry-After": str(wait)},
        )


async def _pictures(
    context: AppContext, db: Db, maker: Caller, profile_id: UUID, top: Sequence[TopPost]
) -> dict[str, str]:
    """Return a small picture of the first file of each post that has one. What was deleted since then has none."""
    post_ids = [post_id for post in top if (post_id := ids.decode("pst", post.post_id)) is not None]
    posts = await chosen.page_of_chosen(db, maker, post_ids, profile_id, after=None, limit=len(post_ids))
    first_files = {post.id: post.media_ids[0] for post in posts if post.media_ids}
    files = await media.attached(db, [*first_files.values()])
    return {
        ids.encode("pst", post_id): signed_urls.create(context.keys, context.base_url, media_id, "thumbnail")
        for post_id, media_id in first_files.items()
        if (file := files.get(media_id)) is not None and file.thumbnail_path
    }


def _top_post(post: TopPost, pictures: Mapping[str, str]) -> ReportTopPost:
    return ReportTopPost(
        platform=post.platform,
        text=post.title or post.excerpt,
        url=post.url,
        picture_url=pictures.get(post.post_id),
        engagement_rate=post.engagement_rate,
        views=post.views,
        likes=post.likes,
        comments=post.comments,
        shares=post.shares,
    )


def _post(row: ExportRow, names: Mapping[UUID, str]) -> ReportPost:
    return ReportPost(
        platform=row.platform,
        username=names.get(row.account_id),
        text=row.title or row.excerpt,
        url=row.url,
        published_at=clock.wire(row.published_at),
        views=row.views,
        likes=row.likes,
        comments=row.comments,
        shares=row.shares,
    )


def _followers(
    connected: Sequence[AccountRow], stored: Mapping[UUID, AudienceRow], days: Days
) -> list[ReportFollowers]:
    """Return how many followed each account on the last day of a month that has a count."""
    followers = []
    for row in connected:
        audience_row = stored.get(row.id)
        counts = [] if audience_row is None else history_of(audience_row)
        of_month = [count for count in counts if str(days.start) <= count.date <= str(days.end)]
        if of_month:
            change = of_month[-1].followers - of_month[0].followers if len(of_month) > 1 else None
            followers.append(ReportFollowers(row.platform, row.username, of_month[-1].followers, change))
    return followers
