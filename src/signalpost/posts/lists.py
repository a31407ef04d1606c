"""Lists and figures: what a query string asks for, as the reads take it."""

from datetime import datetime
from typing import Final
from uuid import UUID

from signalpost import networks
from signalpost.kit import ids, problems
from signalpost.kit.db import Db
from signalpost.kit.wire import Listing
from signalpost.posts import queries, times
from signalpost.posts.queries import Filters, PostRow
from signalpost.posts.schemas import AuditEntry, ListPosts, OfProfile, Post, PostStats
from signalpost.posts.times import Fault
from signalpost.web.caller import Caller
from signalpost.web.inputs import Page

_FORMS: Final = {"profileId": "prof", "accountId": "acc", "fanoutId": "job"}


async def list_posts(db: Db, caller: Caller, wish: ListPosts, page: Page) -> Listing[Post]:
    """Return one page of posts.

    Raises:
        ValidationFailed: a filter that nothing can match.
        NotFound: there is no such profile.
    """
    platform = networks.canonical(wish.platform) if wish.platform else None
    if wish.platform and platform is None:
        raise problems.invalid("platform", "not_allowed", "There is no such platform.", known=list(networks.PLATFORMS))
    filters = Filters(
        profile_id=_id("profileId", wish.profile_id), status=wish.status, platform=platform,
        account_id=_id("accountId", wish.account_id), since=_instant("from", wish.from_), until=_instant("to", wish.to),
        q=wish.q, tag=wish.tag, external_id=wish.external_id, fanout_id=_id("fanoutId", wish.fanout_id), sort=wish.sort,
    )  # fmt: skip
    posts, positions = await queries.visible(db, caller, page, filters)
    if not posts:
        await _require_profile(db, caller, filters.profile_id)
    return page.listing(posts, positions)


async def list_trash(db: Db, caller: Caller, wish: OfProfile, page: Page) -> Listing[Post]:
    """Return posts in the trash.

    Raises:
        NotFound: there is no such profile.
    """
    profile_id = _id("profileId", wish.profile_id)
    posts, positions = await queries.trashed(db, caller, page, profile_id)
    if not posts:
        await _require_profile(db, caller, profile_id)
    return page.listing(posts, positions)


async def post_stats(db: Db, caller: Caller, wish: OfProfile) -> PostStats:
    """Return the figures of the workspace, or of one profile.

    Raises:
        NotFound: there is no such profile.
    """
    profile_id = _id("profileId", wish.profile_id)
    await _require_profile(db, caller, profile_id)
    return await queries.stats(db, caller, profile_id)


async def list_audit(db: Db, row: PostRow, page: Page) -> Listing[AuditEntry]:
    """Return the history of a post."""
    return page.listing(*await queries.history(db, row, page))


async def _require_profile(db: Db, caller: Caller, profile_id: UUID | None) -> None:
    if profile_id is not None and not await queries.profile_exists(db, caller, profile_id):
        raise problems.NotFound("There is no such profile.")


def _id(name: str, text: str | None) -> UUID | None:
    if text is None:
        return None
    found = ids.decode(_FORMS[name], text)
    if found is None:
        raise problems.invalid(name, "format", f"{name} looks like {_FORMS[name]}_ and 26 characters.")
    return found


def _instant(name: str, text: str | None) -> datetime | None:
    if text is None:
        return None
    moment = times.read(text, "UTC", name)
    if isinstance(moment, Fault):
        raise problems.ValidationFailed(moment.issue.message, errors=[moment.issue])
    return moment.at
