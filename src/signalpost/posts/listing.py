"""Lists of posts and of their audit log: filters of a query string, and the statements that apply them."""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from datetime import datetime
from functools import lru_cache
from typing import Any, Final, NamedTuple
from uuid import UUID

from signalpost import networks
from signalpost.context import AppContext
from signalpost.kit import clock, ids, issue_text, problems, rows
from signalpost.kit.db import READ_SECONDS, Db
from signalpost.kit.wire import Listing
from signalpost.posts import queries, search, times, views
from signalpost.posts.rows import AuditRow
from signalpost.posts.schemas.requests import PostListQuery, ProfileQuery
from signalpost.posts.schemas.responses import AuditEntry, Post
from signalpost.posts.search import Condition
from signalpost.posts.times import InvalidTime
from signalpost.posts.views import StoredPost
from signalpost.web.caller import Caller
from signalpost.web.fields import PostId
from signalpost.web.inputs import require_profile
from signalpost.web.paging import Page, Position, keyset

_CREATED: Final = "p.created_at"
_MOMENT: Final = "coalesce(p.scheduled_at, p.published_at, p.created_at)"
_POSITIONS: Final = {
    _CREATED: ("created_at",),
    "p.deleted_at": ("deleted_at",),
    _MOMENT: ("scheduled_at", "published_at", "created_at"),
}
"""The instants that lists are ordered by: SQL, and the columns of which the first that is set gives the instant."""
_STATUS: Final = """$ = case when p.status = 'scheduled' and p.scheduled_at <= $
    and p.approval ->> 'state' in ('not_required', 'approved') then 'queued' else p.status end"""
_FEW: Final = frozenset({"queued", "publishing", "failed"})
"""Statuses that few posts have: a page of them would otherwise look through all posts."""
_NEXT_POSTS: Final = 2_000
"""So many posts are looked at one by one for a target, which takes milliseconds."""
_ON_PLATFORM: Final = """p.id = any(array(select t.post_id from account a join target t on t.account_id = a.id
    where a.workspace_id = $ and a.platform = $))"""
_AUDIT: Final = f"""
select {rows.columns(AuditRow, "a")} from audit a
where a.workspace_id = $1 and a.post_id = $2 and {keyset("a.at", "a.id", first=3)}
"""  # noqa: S608 - constants only
_read_audit: Final = rows.reader(AuditRow)


async def list_posts(context: AppContext, db: Db, caller: Caller, query: PostListQuery, page: Page) -> Listing[Post]:
    """Return a page of the posts that are not in the trash.

    Raises:
        ValidationFailed: a filter cannot match anything.
        NotFound: the profile is unknown.
    """
    visible: list[Condition] = [*_visible(caller, query), ("p.deleted_at is null", ())]
    filters, by_target = _filters(query), _by_target(caller, query)
    at, ascending = _CREATED if query.sort.endswith("createdAt") else _MOMENT, not query.sort.startswith("-")
    async with asyncio.timeout(READ_SECONDS), AsyncExitStack() as stack:  # for all statements of a search together
        if query.q:
            conditions = [*visible, *by_target.probes, *filters]
            turn = search.Turn(stack, context.state(search.LongSearches), caller.tenant.id)
            order = _search_order(page, ascending=ascending) if at == _CREATED else search.UNORDERED
            conditions.append(await search.containing(db, caller.workspace_id, query.q, conditions, order, turn))
            posts = await _page_of(db, conditions, page, at, ascending=ascending)
        else:
            posts = Listing([])
            if by_target.probes:
                posts = await _page_of(db, [*by_target.probes, *filters], page, at, ascending=ascending, among=visible)
            if not posts.has_more:
                posts = await _page_of(db, [*visible, *by_target.sets, *filters], page, at, ascending=ascending)
    if not posts.data:
        await require_profile(context, db, caller, query.profile_id)
    return posts


async def list_trash(context: AppContext, db: Db, caller: Caller, query: ProfileQuery, page: Page) -> Listing[Post]:
    """Return a page of the posts in the trash, the last trashed first.

    Raises:
        NotFound: the profile is unknown.
    """
    conditions = [*_visible(caller, query), ("p.deleted_at is not null", ())]
    async with asyncio.timeout(READ_SECONDS):
        posts = await _page_of(db, conditions, page, "p.deleted_at", ascending=False)
    if not posts.data:
        await require_profile(context, db, caller, query.profile_id)
    return posts


async def list_audit(db: Db, caller: Caller, post_id: UUID, page: Page) -> Listing[AuditEntry]:
    """Return a page of the post's audit log, newest first. It is there also when the post is deleted.

    Raises:
        NotFound: there never was such a post, or the caller may not see it.
    """
    post = await queries.find_any(db, caller, post_id)
    if post is None and (caller.profile_ids is not None or caller.mode != "live"):
        raise _no_post(post_id)  # of a deleted post nobody knows the profile and the mode
    records = await db.fetch(_AUDIT, caller.workspace_id, post_id, *page.bounds)
    if post is None and not records:
        raise _no_post(post_id)
    entries = [_read_audit(record) for record in records]
    return page.of(entries, views.audit_entry, position=lambda entry: (entry.at, entry.id))


def _no_post(post_id: UUID) -> problems.NotFound:
    return problems.NotFound(PostId.not_found_detail(ids.encode("pst", post_id)))


# --- statements ------------------------------------------------------------------------------------------------------
# A statement has only the conditions that apply, and its limit as a literal. So one plan is good for all parameters and
# a connection plans it once; with a parameter for every filter it would be planned for every request.


async def _page_of(
    db: Db, conditions: Sequence[Condition], page: Page, at: str, *, ascending: bool, among: Sequence[Condition] = ()
) -> Listing[Post]:
    """Return a page of the posts that meet the conditions; with `among`, only of the next ones that meet those."""
    sql, inner = tuple(sql for sql, _ in conditions), tuple(sql for sql, _ in among)
    statement = _statement(sql, inner, at, page.limit, ascending=ascending)
    bounds, own = (page.after_at, page.after_id), [value for _, values in conditions for value in values]
    values = [*(value for _, values in among for value in values), *bounds, *own] if among else [*own, *bounds]
    posts = queries.group_targets(await db.fetch(statement, *values))
    indexes = [views.POST_COLUMNS.index(name) for name in _POSITIONS[at]]

    def position(post: StoredPost) -> Position:
        at = next(post.post[index] for index in indexes if post.post[index] is not None)
        return clock.from_micros(at), post.post[0]

    return await page.of_large(posts, views.stored_post, position=position)


@lru_cache(maxsize=256)
def _statement(conditions: tuple[str, ...], among: tuple[str, ...], at: str, limit: int, *, ascending: bool) -> str:
    where, number = search.number_parameters(among or conditions)
    end = keyset(at, "p.id", first=number, ascending=ascending, limit=_NEXT_POSTS if among else limit + 1)
    if not among:
        return queries.with_targets(f"select {queries.STORED_POST} from post p where {where} and {end}", limit)  # noqa: S608
    order, (filters, _) = "asc" if ascending else "desc", search.number_parameters(conditions, number + 2)
    posts = f"(select p.*, {at} as at from post p where {where} and {end}) p where {filters}"  # noqa: S608
    end = f"order by p.at {order}, p.id {order} limit {limit + 1}"  # the order in which they come already
    return queries.with_targets(f"select {queries.STORED_POST} from {posts} {end}", limit)  # noqa: S608


def _search_order(page: Page, *, ascending: bool) -> search.Order:
    after = None if page.after_at is None or page.after_id is None else (page.after_at, page.after_id)
    return search.Order(page.limit + 1, ascending, after)


def _visible(caller: Caller, query: PostListQuery | ProfileQuery) -> list[Condition]:
    conditions: list[Condition] = [("p.workspace_id = $", (caller.workspace_id,))]
    if caller.sees_profiles is not None:
        conditions.append(("p.profile_id = any($)", (caller.sees_profiles,)))
    if caller.mode == "test":
        conditions.append(("p.mode = 'test'", ()))
    if query.profile_id is not None:
        conditions.append(("p.profile_id = $", (query.profile_id,)))
    return conditions


class _ByTarget(NamedTuple):
    """That a post has a target on a network or account, as a question about each post, and as the set of all posts.

    The first is quick where most posts have one: the page is full after a few. The second is quick where few have one,
    in a workspace with a million others. Nobody knows beforehand, so the next posts are asked first.
    """

    probes: list[Condition]
    sets: list[Condition]


def _by_target(caller: Caller, query: PostListQuery) -> _ByTarget:
    platform = networks.canonical(query.platform) if query.platform else None
    if query.platform and platform is None:
        raise problems.ValidationFailed(errors=[issue_text.not_allowed("platform", query.platform, networks.PLATFORMS)])
    forms = _ByTarget([], [])
    if platform is not None:
        forms.probes.append(("exists (select from target t where t.post_id = p.id and t.platform = $)", (platform,)))
        forms.sets.append((_ON_PLATFORM, (caller.workspace_id, platform)))
    if query.account_id is not None:
        account = (query.account_id,)
        forms.probes.append(("exists (select from target t where t.post_id = p.id and t.account_id = $)", account))
        forms.sets.append(("p.id = any(array(select t.post_id from target t where t.account_id = $))", account))
    return forms


def _filters(query: PostListQuery) -> list[Condition]:
    filters: tuple[tuple[str, Any], ...] = (
        (f"{_MOMENT} >= $", _instant("from", query.from_)),
        (f"{_MOMENT} < $", _instant("to", query.to)),
        ("$ = any(p.tags)", query.tag),
        ("p.external_id = $", query.external_id),
        ("p.fanout_id = $", query.fanout_id),
    )
    conditions: list[Condition] = [(sql, (value,)) for sql, value in filters if value is not None]
    if query.status is not None:
        conditions.append((_STATUS, (query.status, clock.now())))
        if query.status in _FEW:
            conditions.append(("p.published_at is null", ()))  # as `progress.published_at` says; an index has these
    return conditions


def _instant(name: str, text: str | None) -> datetime | None:
    if text is None:
        return None
    moment = times.read(text, "UTC", name)
    if isinstance(moment, InvalidTime):
        raise moment.problem(moment.issue.message, errors=[moment.issue])
    return moment.at
