"""Lists of posts and of their audit log: the statements that apply the filters of a query string."""

import asyncio
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, Final, NamedTuple
from uuid import UUID

from signalpost.context import AppContext
from signalpost.kit import clock, ids, problems, rows
from signalpost.kit.db import READ_SECONDS, Db
from signalpost.kit.wire import Listing
from signalpost.posts import queries, views
from signalpost.posts.find import search
from signalpost.posts.find.filters import MOMENT, Filters, read_filters, visible_posts
from signalpost.posts.find.search import Condition
from signalpost.posts.rows import AuditRow
from signalpost.posts.schemas.requests import PostListQuery, ProfileQuery
from signalpost.posts.schemas.responses import AuditEntry, Post
from signalpost.posts.views import StoredPost
from signalpost.web.caller import Caller
from signalpost.web.fields import PostId
from signalpost.web.inputs import require_profile
from signalpost.web.paging import Page, Position, keyset


def number_parameters(conditions: Iterable[str], first: int = 1) -> tuple[str, int]:
    """Return these conditions as one, its parameters numbered from `first` on, and the number after the last one."""
    start, *rest = " and ".join(conditions).split("$")
    return start + "".join(f"${number}{sql}" for number, sql in enumerate(rest, first)), first + len(rest)


_CREATED: Final = "p.created_at"
_POSITIONS: Final = {
    _CREATED: ("created_at",),
    "p.deleted_at": ("deleted_at",),
    MOMENT: ("scheduled_at", "published_at", "created_at"),
}
"""The instants that lists are ordered by: SQL, and the columns of which the first that is set gives the instant."""
_NEXT_POSTS: Final = 2_000
"""So many posts are looked at one by one, which takes milliseconds; no plan can guess it (decision 0145)."""
_SEARCHED_POSTS: Final = 10_000
"""So many are looked at for a page of those with a text that no index tells."""
_IN_RANGE: Final = f"""s.workspace_id = $ and s.deleted_at is null
    and {MOMENT.replace("p.", "s.")} >= $ and {MOMENT.replace("p.", "s.")} < $"""
_OF_MOMENTS: Final = f"p.id = any(array(select s.id from post s where {_IN_RANGE}))"  # noqa: S608 - constants only
_MOMENTS_MAX: Final = 5_000
"""So many posts of a range are put in order; of more, those that follow one another are looked at."""
_COUNT_OF_MOMENTS: Final = f"""
select count(*) from (
    select from post s where {number_parameters([_IN_RANGE])[0]} limit {_MOMENTS_MAX + 1}) s
"""  # noqa: S608 - as above
_AUDIT: Final = f"""
select {rows.columns(AuditRow, "a")} from audit a
where a.workspace_id = $1 and a.post_id = $2 and {keyset("a.at", "a.id", first=3)}
"""  # noqa: S608 - constants only
_read_audit: Final = rows.reader(AuditRow)


class _Order(NamedTuple):
    """What a list is ordered by: SQL of the instant, then the id."""

    at: str
    ascending: bool = False

    def by(self, at: str, post_id: str) -> str:
        """Return what stands after `order by`, for columns of these names."""
        direction = "asc" if self.ascending else "desc"
        return f"{at} {direction}, {post_id} {direction}"


async def list_posts(context: AppContext, db: Db, caller: Caller, query: PostListQuery, page: Page) -> Listing[Post]:
    """Return a page of the posts that are not in the trash.

    Raises:
        ValidationFailed: a filter cannot match anything.
        NotFound: the profile is unknown.
    """
    visible: list[Condition] = [*visible_posts(caller, query), ("p.deleted_at is null", ())]
    at, ascending = _CREATED if query.sort.endswith("createdAt") else MOMENT, not query.sort.startswith("-")
    filters = read_filters(caller, query, at)
    order = _Order(at, ascending=ascending)
    async with asyncio.timeout(READ_SECONDS):  # for all statements together
        if query.q:
            posts = await _search(db, page, order, visible, filters, search.TextQuery(caller.workspace_id, query.q))
        else:
            posts = await _filter(db, page, order, visible, filters)
    if not posts.data:
        await require_profile(context, db, caller, query.profile_id)
    return posts


async def _filter(db: Db, page: Page, order: _Order, visible: list[Condition], filters: Filters) -> Listing[Post]:
    parts = [[*visible, *part] for part in filters.parts]
    if filters.sets or filters.moments:
        posts = await _page_of(db, page, order, parts, among_next=[*filters.probes, *filters.plain])
        if posts.has_more or await _end_of_next(db, page, order, parts, _NEXT_POSTS) is None:
            return posts
        sets = [*filters.sets, *(await _few_moments(db, filters.moments))]
        parts = [[*visible, *sets]] if sets else parts
    return await _page_of(db, page, order, [[*part, *filters.plain] for part in parts])


async def _search(
    db: Db, page: Page, order: _Order, visible: list[Condition], filters: Filters, text: search.TextQuery
) -> Listing[Post]:
    """Return a page of the posts that contain a text: among the next posts, then by the index, then among more.

    A page that ends where no more posts were looked at leads on from there, however many it has.
    """
    parts = [[*visible, *part] for part in filters.parts]
    met = [*filters.probes, *filters.plain, text.condition]
    posts, end = await _look_at_next(db, page, order, parts, met, _NEXT_POSTS)
    if end is None:
        return posts
    if (candidates := await text.candidates(db)) is not None:
        return await _page_of(db, page, order, [[*visible, ("p.id = any($)", (candidates,)), *met]])
    if filters.sets:  # what few posts meet is read at once
        others = await _page_of(db, page, order, parts, among_next=[*filters.probes, *filters.plain])
        if not others.has_more:
            return await _page_of(db, page, order, [[*visible, *filters.sets, *met]])
    posts, end = await _look_at_next(db, page, order, parts, met, _SEARCHED_POSTS)
    return posts if end is None else page.leading_on(posts, end)


async def _look_at_next(
    db: Db, page: Page, order: _Order, parts: Sequence[Sequence[Condition]], met: Sequence[Condition], limit: int
) -> tuple[Listing[Post], Position | None]:
    """Return a page of those of the next `limit` posts that meet more; and where these end, if it is not full.

    Where they end is asked first, so that posts that appear meanwhile are not returned again with the next page.
    """
    end = await _end_of_next(db, page, order, parts, limit)
    sign = "<=" if order.ascending else ">="
    until: list[Condition] = [] if end is None else [(f"({order.at}, p.id) {sign} ($, $)", end)]
    posts = await _page_of(db, page, order, [[*part, *met, *until] for part in parts])
    return posts, None if posts.has_more else end


async def list_trash(context: AppContext, db: Db, caller: Caller, query: ProfileQuery, page: Page) -> Listing[Post]:
    """Return a page of the posts in the trash, the last trashed first.

    Raises:
        NotFound: the profile is unknown.
    """
    conditions = [*visible_posts(caller, query), ("p.deleted_at is not null", ())]
    async with asyncio.timeout(READ_SECONDS):
        posts = await _page_of(db, page, _Order("p.deleted_at"), [conditions])
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
    db: Db, page: Page, order: _Order, parts: Sequence[Sequence[Condition]], *, among_next: Sequence[Condition] = ()
) -> Listing[Post]:
    """Return a page of the posts that meet all conditions of one of the parts; no post meets those of two.

    `among_next`: only the next `_NEXT_POSTS` of them are looked at, for those that meet these conditions too.
    """
    inner, outer = tuple(tuple(sql for sql, _ in part) for part in parts), tuple(sql for sql, _ in among_next)
    statement = _statement(inner, outer, page.limit, order)
    values = [value for part in (*parts, among_next) for _, values in part for value in values]
    posts = queries.group_targets(await db.fetch(statement, *values, page.after_at, page.after_id))

    def position(post: StoredPost) -> Position:
        return _instant_of(post, order.at), post.post[0]

    return await page.of_large(posts, views.stored_post, position=position)


def _instant_of(post: StoredPost, at: str) -> datetime:
    values = (post.post[views.POST_COLUMNS.index(name)] for name in _POSITIONS[at])
    return clock.from_micros(next(value for value in values if value is not None))


def moment_of(post: StoredPost) -> datetime:
    """Return the moment of a post: its schedule, else its publication, else its creation."""
    return _instant_of(post, MOMENT)


async def _end_of_next(
    db: Db, page: Page, order: _Order, parts: Sequence[Sequence[Condition]], limit: int
) -> Position | None:
    """Return where the next `limit` posts of these parts end; None: there are no more than these."""
    statement = _last_of_next(tuple(tuple(sql for sql, _ in part) for part in parts), limit, order)
    values = [value for part in parts for _, values in part for value in values]
    rows_ = await db.fetch(statement, *values, page.after_at, page.after_id)
    return (rows_[0][0], rows_[0][1]) if len(rows_) == 2 else None


@lru_cache(maxsize=256)
def _last_of_next(parts: tuple[tuple[str, ...], ...], limit: int, order: _Order) -> str:
    wheres, number = _numbered(parts)
    end = keyset(order.at, "p.id", first=number, ascending=order.ascending, limit=limit + 1)
    posts = " union all ".join(
        f"(select {order.at} as at, p.id from post p where {where} and {end})"  # noqa: S608 - constants only
        for where in wheres
    )
    return f"select at, id from ({posts}) p order by {order.by('at', 'id')} offset {limit - 1} limit 2"  # noqa: S608


async def _few_moments(db: Db, moments: tuple[Any, ...]) -> list[Condition]:
    """Return that a post is of this range of moments, by the ids of all that are, if that are not too many."""
    if not moments:
        return []
    count = await db.fetchval(_COUNT_OF_MOMENTS, *moments)
    return [(_OF_MOMENTS, moments)] if count <= _MOMENTS_MAX else []


def _numbered(parts: Iterable[tuple[str, ...]]) -> tuple[list[str], int]:
    """Return each part as one condition, with all parameters numbered; and the number after the last one."""
    number, wheres = 1, []
    for part in parts:
        where, number = number_parameters(part, number)
        wheres.append(where)
    return wheres, number


@lru_cache(maxsize=256)
def _statement(parts: tuple[tuple[str, ...], ...], among_next: tuple[str, ...], limit: int, order: _Order) -> str:
    wheres, number = _numbered((*parts, *([among_next] if among_next else [])))
    next_posts = _NEXT_POSTS if among_next else limit + 1
    end = keyset(order.at, "p.id", first=number, ascending=order.ascending, limit=next_posts)
    if len(wheres) == 1:
        return queries.with_targets(f"select {queries.STORED_POST} from post p where {wheres[0]} and {end}", limit)  # noqa: S608
    posts = " union all ".join(
        f"(select p.*, {order.at} as at from post p where {where} and {end})"  # noqa: S608 - constants only
        for where in wheres[: len(parts)]
    )
    sorted_ = f"order by {order.by('p.at', 'p.id')}"
    posts = f"({posts}) p"
    if among_next:
        posts = f"(select * from {posts} {sorted_} limit {_NEXT_POSTS}) p where {wheres[-1]}"  # noqa: S608 - as above
    return queries.with_targets(f"select {queries.STORED_POST} from {posts} {sorted_} limit {limit + 1}", limit)  # noqa: S608
