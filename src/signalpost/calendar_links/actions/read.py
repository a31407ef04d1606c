"""What a calendar program does, which has nothing but the link: read the posts."""

import hashlib
from datetime import timedelta
from typing import Final, NamedTuple

from signalpost.calendar_links import events, queries, views
from signalpost.calendar_links.errors import CalendarLinkEnded
from signalpost.calendar_links.queries import CalendarLinkRow
from signalpost.calendar_links.schemas import DAYS_AHEAD, DAYS_PAST, EVENTS_MAX
from signalpost.context import AppContext
from signalpost.identity.authenticate import caller_by_grant
from signalpost.identity.errors import KeyRevoked, TokenExpired
from signalpost.kit import clock, problems
from signalpost.kit.db import Db
from signalpost.kit.tenant import across_workspaces, work_for
from signalpost.kit.worker_threads import in_thread
from signalpost.plans import limits
from signalpost.posts.find import agenda
from signalpost.posts.find.agenda import AgendaQuery
from signalpost.web import shared_buckets
from signalpost.web.caller import Caller
from signalpost.web.conditional import is_current
from signalpost.web.routing import RawResponse
from signalpost.web.shared_buckets import Want

PER_LINK: Final = 60
"""Requests a minute with one link, from wherever they come."""
_READ: Final = """
update calendar_link set last_read_at = now()
where workspace_id = $1 and id = $2 and coalesce(last_read_at < now() - interval '1 minute', true)
"""
_MEDIA_TYPE: Final = "text/calendar; charset=utf-8"


class _Opened(NamedTuple):
    link: CalendarLinkRow
    maker: Caller
    """With the rights that they have now."""


async def read_calendar(context: AppContext, file: str, if_none_match: str) -> RawResponse:
    """Return the file of a link; 304 without a body if the program has it.

    Raises:
        NotFound: there is no such link.
        CalendarLinkEnded: its maker may not read these posts any more.
        RateLimited: it is read too often.
    """
    link, maker = await _open(context, file.removesuffix(views.SUFFIX))
    now = clock.now()
    query = AgendaQuery(
        profile_id=link.profile_id,
        account_id=link.account_id,
        tag=link.tag,
        campaign=link.campaign,
        statuses=link.statuses,
        first=now - timedelta(days=DAYS_PAST),
        now=now,
        end=now + timedelta(days=DAYS_AHEAD),
    )
    async with context.database.transaction() as db:
        await db.execute(_READ, link.workspace_id, link.id)
        posts = await agenda.read_agenda(db, maker, query, EVENTS_MAX)
        names = {}
        if link.profile_id is None:
            profile_ids = {post.profile_id for post in posts}
            names = await queries.names_of_profiles(db, link.workspace_id, profile_ids)
    body = await in_thread(events.write, link, posts, names, context.fixed_url)
    etag = f'"{hashlib.blake2b(body, digest_size=16).hexdigest()}"'
    headers = {"ETag": etag, "Cache-Control": "private, no-cache"}
    if is_current(if_none_match.strip(), etag):
        return RawResponse(b"", _MEDIA_TYPE, 304, headers)
    return RawResponse(body, _MEDIA_TYPE, headers=headers | {"Content-Disposition": 'inline; filename="posts.ics"'})


async def _open(context: AppContext, token: str) -> _Opened:
    """Return the link, and its maker with the rights of this moment. The request then counts as their workspace's."""
    with across_workspaces():  # the token tells the workspace
        async with context.database.connection() as db:
            link = await queries.by_token(db, token)
            if link is None:
                raise problems.NotFound(
                    "There is no such calendar.",
                    remediation="Check that its address was copied completely, or ask for another one.",
                )
            maker = await _maker(context, db, link)
    await _count(context, link)
    if maker is None:
        raise CalendarLinkEnded("Whoever made this link may no longer read these posts.")
    work_for(maker.tenant)
    return _Opened(link, maker)


async def _maker(context: AppContext, db: Db, link: CalendarLinkRow) -> Caller | None:
    """Return who made a link, with what is left of their rights; None: they may not read its posts any more."""
    try:
        caller = await caller_by_grant(context.settings, db, link, f"calendar-link:{link.id.hex}", limits.API_KEYS.of)
    except (KeyRevoked, TokenExpired, problems.Forbidden):
        return None
    if caller is None or "posts:read" not in caller.scopes:
        return None
    return caller if link.profile_id is None or caller.may_see_profile(link.profile_id) else None


async def _count(context: AppContext, link: CalendarLinkRow) -> None:
    refused = await shared_buckets.take_each(context.database, [Want(f"calendar link {link.id.hex}", PER_LINK)], 60)
    if refused is not None:
        wait = refused[1].seconds_to_next
        raise problems.RateLimited(
            f"This calendar was read more than {PER_LINK} times in a minute. Try again in {wait} seconds.",
            headers={"Retry-After": str(wait)},
        )
