"""Posts with a time of their own around now, in the few words that another program's calendar shows of them."""

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, Final
from uuid import UUID

from msgspec import Struct

from signalpost.kit import rows
from signalpost.kit.db import READ_SECONDS, Db
from signalpost.posts.find.filters import CURRENT_STATUS, MOMENT, visible_posts
from signalpost.posts.find.listing import number_parameters
from signalpost.posts.find.search import Condition
from signalpost.posts.schemas.requests import ProfileQuery
from signalpost.posts.states import PostStatus
from signalpost.web.caller import Caller

TEXT_MAX: Final = 1_000
"""Characters of the text that are read."""
TRASHED_DAYS: Final = 7
"""So long a post in the trash is still there, as one that is cancelled: programs that saw it ask within days."""
TRASHED_MAX: Final = 200
_HAS_TIME: Final = "(p.scheduled_at is not null or p.status <> 'draft')"


class AgendaQuery(Struct, frozen=True):
    """Which posts: from `first` on and before `end`; no statuses are all."""

    first: datetime
    now: datetime
    end: datetime
    profile_id: UUID | None = None
    account_id: UUID | None = None
    tag: str | None = None
    campaign: str | None = None
    statuses: Sequence[PostStatus] = ()


class AgendaPost(Struct, frozen=True):
    """A post at its moment. The last three go together: one of each for every account."""

    id: UUID
    profile_id: UUID
    at: datetime
    title: str | None
    text: str
    status: PostStatus
    approval: str
    deleted: bool
    version: int
    updated_at: datetime
    tags: list[str]
    platforms: list[str]
    usernames: list[str]
    urls: list[str | None]


_read: Final = rows.reader(AgendaPost)
_COLUMNS: Final = f"""p.id, p.profile_id, {MOMENT} as at, p.title, left(p.text, {TEXT_MAX}) as text,
    case when p.deleted_at is null then p.status else coalesce(p.former_status, p.status) end as status,
    p.approval ->> 'state' as approval, p.deleted_at is not null as deleted, p.version, p.updated_at, p.tags"""
_WITH_ACCOUNTS: Final = """
select page.*, coalesce(t.platforms, '{{}}') as platforms, coalesce(t.usernames, '{{}}') as usernames,
    coalesce(t.urls, '{{}}') as urls
from ({page}) page cross join lateral (
    select array_agg(t.platform order by t.position) as platforms,
        array_agg(a.username order by t.position) as usernames, array_agg(t.url order by t.position) as urls
    from target t join account a on a.id = t.account_id where t.post_id = page.id) t
order by page.at, page.id
"""


async def read_agenda(db: Db, caller: Caller, query: AgendaQuery, limit: int) -> list[AgendaPost]:
    """Return up to `limit` posts: those that come next first, then those before them, then those just trashed."""
    met = [*visible_posts(caller, ProfileQuery()), *_filters(query), (_HAS_TIME, ())]
    ahead: list[Condition] = [(f"p.deleted_at is null and {MOMENT} >= $ and {MOMENT} < $", (query.now, query.end))]
    past: list[Condition] = [(f"p.deleted_at is null and {MOMENT} >= $ and {MOMENT} < $", (query.first, query.now))]
    trashed: list[Condition] = [
        ("p.deleted_at >= $", (query.now - timedelta(days=TRASHED_DAYS),)),
        (f"p.published_at is null and {MOMENT} >= $ and {MOMENT} < $", (query.first, query.end)),
    ]
    posts: list[AgendaPost] = []
    async with asyncio.timeout(READ_SECONDS):  # for all statements together
        for conditions, order, most in (
            (ahead, f"{MOMENT}, p.id", limit),
            (past, f"{MOMENT} desc, p.id desc", limit),
            (trashed, "p.deleted_at desc, p.id desc", min(limit, TRASHED_MAX)),
        ):
            whole = [*met, *conditions]
            values = [value for _, values in whole for value in values]
            statement = _statement(tuple(sql for sql, _ in whole), order)
            records = await db.fetch(statement, *values, min(most, limit - len(posts))) if len(posts) < limit else []
            posts += [_read(record) for record in records]
    return posts


def _filters(query: AgendaQuery) -> list[Condition]:
    conditions: list[tuple[str, tuple[Any, ...]]] = []
    if query.profile_id is not None:
        conditions.append(("p.profile_id = $", (query.profile_id,)))
    if query.account_id is not None:
        of_account = "exists (select from target t where t.post_id = p.id and t.account_id = $)"
        conditions.append((of_account, (query.account_id,)))
    if query.tag is not None:
        conditions.append(("$ = any(p.tags)", (query.tag,)))
    if query.campaign is not None:
        conditions.append(("p.campaign = $", (query.campaign,)))
    if query.statuses:
        status = f"case when p.deleted_at is null then {CURRENT_STATUS} else coalesce(p.former_status, p.status) end"
        conditions.append((f"{status} = any($)", (query.now, list(query.statuses))))
    return conditions


@lru_cache(maxsize=64)
def _statement(wheres: tuple[str, ...], order: str) -> str:
    where, number = number_parameters(wheres)
    page = f"select {_COLUMNS} from post p where {where} order by {order} limit ${number}"  # noqa: S608 - constants
    return _WITH_ACCOUNTS.format(page=page)
