"""Lists of posts and of their audit log: filters of a query string, and the statements that apply them."""

from collections.abc import Callable
from datetime import datetime
from typing import Final

from signalpost import networks
from signalpost.context import AppContext
from signalpost.kit import clock, problems, rows
from signalpost.kit.db import Db
from signalpost.kit.wire import Listing
from signalpost.posts import queries, times, views
from signalpost.posts.rows import AuditRow, PostRow
from signalpost.posts.schemas.requests import PostListQuery, ProfileQuery
from signalpost.posts.schemas.responses import AuditEntry, Post
from signalpost.posts.times import InvalidTime
from signalpost.web.caller import Caller
from signalpost.web.inputs import require_profile
from signalpost.web.paging import Page, Position, keyset

_MOMENT: Final = "coalesce(p.scheduled_at, p.published_at, p.created_at)"


def _list_by(at: str, *, ascending: bool) -> str:
    """Return the statement of a list in the order of the instant `at`."""
    return f"""
    select {queries.POST_COLUMNS} from post p
    where p.workspace_id = $1 and ($2::uuid[] is null or p.profile_id = any($2)) and ($3 or p.mode = 'test')
        and p.deleted_at is null
        and ($4::uuid is null or p.profile_id = $4)
        and ($5::text is null or $5 = case when p.status = 'scheduled' and p.scheduled_at <= $6
            and p.approval ->> 'state' in ('not_required', 'approved') then 'queued' else p.status end)
        and ($7::text is null or exists (select from target t where t.post_id = p.id and t.platform = $7))
        and ($8::uuid is null or exists (select from target t where t.post_id = p.id and t.account_id = $8))
        and ($9::timestamptz is null or {_MOMENT} >= $9) and ($10::timestamptz is null or {_MOMENT} < $10)
        and ($11::text is null or strpos(lower(concat_ws(' ', p.title, p.text)), lower($11)) > 0)
        and ($12::text is null or $12 = any(p.tags))
        and ($13::text is null or p.external_id = $13)
        and ($14::uuid is null or p.fanout_id = $14)
        and {keyset(at, "p.id", first=15, ascending=ascending)}
    """  # noqa: S608 - constants only


_LISTS: Final = {
    "-createdAt": _list_by("p.created_at", ascending=False),
    "createdAt": _list_by("p.created_at", ascending=True),
    "-scheduledAt": _list_by(_MOMENT, ascending=False),
    "scheduledAt": _list_by(_MOMENT, ascending=True),
}
_TRASH: Final = f"""
select {queries.POST_COLUMNS} from post p
where p.workspace_id = $1 and ($2::uuid[] is null or p.profile_id = any($2)) and ($3 or p.mode = 'test')
    and p.deleted_at is not null and ($4::uuid is null or p.profile_id = $4)
    and {keyset("p.deleted_at", "p.id", first=5)}
"""  # noqa: S608 - constants only
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
    platform = networks.canonical(query.platform) if query.platform else None
    if query.platform and platform is None:
        raise problems.invalid("platform", "not_allowed", "Unknown platform.", known=list(networks.PLATFORMS))
    records = await db.fetch(
        _LISTS[query.sort], caller.workspace_id, caller.sees_profiles, caller.mode == "live", query.profile_id,
        query.status, clock.now(), platform, query.account_id, _instant("from", query.from_),
        _instant("to", query.to), query.q, query.tag, query.external_id, query.fanout_id, *page.bounds,
    )  # fmt: skip
    if not records:
        await require_profile(context, db, caller, query.profile_id)
    position = _created if query.sort in ("-createdAt", "createdAt") else _moment
    return await _page_of(db, page, [queries.read_post(record) for record in records], position)


async def list_trash(context: AppContext, db: Db, caller: Caller, query: ProfileQuery, page: Page) -> Listing[Post]:
    """Return a page of the posts in the trash, the last trashed first.

    Raises:
        NotFound: the profile is unknown.
    """
    records = await db.fetch(
        _TRASH, caller.workspace_id, caller.sees_profiles, caller.mode == "live", query.profile_id, *page.bounds
    )
    if not records:
        await require_profile(context, db, caller, query.profile_id)
    return await _page_of(db, page, [queries.read_post(record) for record in records], _trashed)


async def list_audit(db: Db, post: PostRow, page: Page) -> Listing[AuditEntry]:
    """Return a page of the post's audit log, newest first."""
    records = await db.fetch(_AUDIT, post.workspace_id, post.id, *page.bounds)
    entries = [_read_audit(record) for record in records]
    return page.of(entries, views.audit_entry, position=lambda entry: (entry.at, entry.id))


async def _page_of(db: Db, page: Page, posts: list[PostRow], position: Callable[[PostRow], Position]) -> Listing[Post]:
    targets = await queries.targets_by_post(db, [post.id for post in page.trim(posts)])
    return page.of(posts, lambda post: views.post(post, targets[post.id]), position=position)


def _created(post: PostRow) -> Position:
    return post.created_at, post.id


def _moment(post: PostRow) -> Position:
    return post.scheduled_at or post.published_at or post.created_at, post.id


def _trashed(post: PostRow) -> Position:
    return post.deleted_at or post.created_at, post.id


def _instant(name: str, text: str | None) -> datetime | None:
    if text is None:
        return None
    moment = times.read(text, "UTC", name)
    if isinstance(moment, InvalidTime):
        raise moment.problem(moment.issue.message, errors=[moment.issue])
    return moment.at
