"""Feeds are set up, changed, paused, resumed and deleted. Whoever does so answers for what they post from then on."""

from datetime import datetime
from typing import Any, Final
from uuid import UUID

import asyncpg
from msgspec import UNSET
from msgspec.structs import replace

from signalpost.engine.wake import wake
from signalpost.feeds import queries, template, views
from signalpost.feeds.queries import COMPUTED, FeedRow
from signalpost.feeds.schemas import Feed, FeedCreate, FeedResume, FeedUpdate
from signalpost.feeds.states import PublishMode
from signalpost.identity.errors import TestModeOnlySandbox
from signalpost.kit import clock, http, ids, problems, rows
from signalpost.kit.db import Db
from signalpost.kit.problems import Issue
from signalpost.plans import actions as plans
from signalpost.plans import limits
from signalpost.posts import queries as posts
from signalpost.posts.write import permissions
from signalpost.profiles import queries as profiles
from signalpost.scheduling import queries as slots
from signalpost.web.caller import Caller
from signalpost.web.fields import AccountId, FeedId, ProfileId, QueueId
from signalpost.web.inputs import IfMatch, deleted_meanwhile

LANE: Final = "feed"
_NOT_UPDATED: Final = (*COMPUTED, "id", "workspace_id", "profile_id", "mode", "url", "latest", "created_at")
_INSERT: Final = rows.insert("feed", FeedRow, without=COMPUTED)
_UPDATE: Final = f"""
update feed set {rows.assignments(FeedRow, first=3, without=_NOT_UPDATED)} where id = $1 and workspace_id = $2
"""  # noqa: S608 - constants only
_DELETE: Final = "delete from feed where id = $1 and workspace_id = $2"
_SKIP: Final = "update feed_item set state = 'skipped' where feed_id = $1 and workspace_id = $2 and state = 'waiting'"


async def create_feed(db: Db, caller: Caller, data: FeedCreate) -> Feed:
    """Set up a feed; the engine reads it at once.

    Raises:
        ValidationFailed: there is no such profile, account or queue, or the template has an unknown place.
        UnsafeAddress: the address is none that may be read.
        Forbidden, InsufficientScope: the caller may not publish, and the feed is to.
        PlanLimitReached, PlanFeatureUnavailable: the plan has no room for it.
        AlreadyExists: the profile has this feed.
    """
    _require_address(data.url)
    profile_id = UUID(int=data.profile_id.int)
    if await profiles.find_mine(db, caller, profile_id) is None:
        raise problems.ValidationFailed(errors=[ProfileId.not_found("/profileId")])
    now = clock.actual()
    account_ids = None if data.account_ids is None else [UUID(int=account.int) for account in data.account_ids]
    row = FeedRow(
        id=ids.new_id(),
        workspace_id=caller.workspace_id,
        profile_id=profile_id,
        mode=caller.mode,
        url=data.url,
        account_ids=account_ids,
        template=data.template,
        include=data.include,
        exclude=data.exclude,
        publish_mode=data.publish_mode,
        queue_id=None if data.queue_id is None else UUID(int=data.queue_id.int),
        daily_max=data.daily_max,
        latest=data.latest,
        created_at=now,
        updated_at=now,
        next_attempt_at=now,
        **_answering(caller),
    )
    await _require_usable(db, caller, row)
    await plans.require_capacity(db, caller, limits.FEEDS)
    await _wake(db, row, now)
    try:
        await db.execute(_INSERT, *rows.values(row, without=COMPUTED))
    except asyncpg.UniqueViolationError:
        issue = Issue("/url", "not_unique", "The profile has a feed with this address.")
        raise problems.AlreadyExists("The profile has a feed with this address.", errors=[issue]) from None
    return views.feed(row)


async def update_feed(db: Db, caller: Caller, feed: FeedRow, data: FeedUpdate, if_match: IfMatch) -> Feed:
    """Change the fields that are present in `data`.

    Raises:
        VersionConflict: it was changed since the caller read it.
        and what `create_feed` raises of its fields.
    """
    now = clock.actual()
    stored = await _lock(db, caller, feed, now if data.paused is False else None)
    if_match.require(stored.version)
    account_ids, queue_id = data.account_ids, data.queue_id
    changed = replace(
        stored,
        account_ids=_chosen(stored.account_ids, account_ids),
        template=stored.template if data.template is UNSET else data.template,
        include=stored.include if data.include is UNSET else data.include,
        exclude=stored.exclude if data.exclude is UNSET else data.exclude,
        publish_mode=stored.publish_mode if data.publish_mode is UNSET else data.publish_mode,
        queue_id=stored.queue_id if queue_id is UNSET else None if queue_id is None else UUID(int=queue_id.int),
        daily_max=stored.daily_max if data.daily_max is UNSET else data.daily_max,
    )
    if data.paused is True:
        changed = replace(changed, state="paused", held_reason=None, next_attempt_at=None)
    elif data.paused is False and stored.state != "active":
        changed = _resumed(changed, now)
    return await _write(db, caller, changed, now)


async def resume_feed(db: Db, caller: Caller, feed: FeedRow, data: FeedResume) -> Feed:
    """Go on with a feed that is held or paused.

    Raises:
        what `create_feed` raises of its fields.
    """
    now = clock.actual()
    stored = await _lock(db, caller, feed, now)
    if data.waiting == "skip":
        await db.execute(_SKIP, stored.id, stored.workspace_id)
        stored = replace(stored, waiting=0)
    return await _write(db, caller, _resumed(stored, now), now)


async def delete_feed(db: Db, caller: Caller, feed: FeedRow, if_match: IfMatch) -> None:
    """Delete a feed; its posts stay.

    Raises:
        VersionConflict: it was changed since the caller read it.
    """
    stored = await _lock(db, caller, feed, None)
    if_match.require(stored.version)
    await db.execute(_DELETE, stored.id, stored.workspace_id)


async def _lock(db: Db, caller: Caller, feed: FeedRow, due: datetime | None) -> FeedRow:
    """Wake the lane of a feed and lock its row: in this order, as the engine does."""
    if caller.mode == "test" and feed.mode == "live":
        raise TestModeOnlySandbox("A test key changes no live feed.")
    await _wake(db, feed, due)
    stored = await queries.lock(db, feed.workspace_id, feed.id)
    if stored is None:
        raise deleted_meanwhile(FeedId, feed.id)
    return stored


async def _wake(db: Db, feed: FeedRow, due: datetime | None) -> None:
    await wake(db, LANE, [feed.id], workspace_id=feed.workspace_id, platforms=[None], due=[due])


async def _write(db: Db, caller: Caller, changed: FeedRow, now: datetime) -> Feed:
    row = replace(changed, updated_at=now, version=changed.version + 1, **_answering(caller))
    await _require_usable(db, caller, row)
    await db.execute(_UPDATE, row.id, row.workspace_id, *rows.values(row, without=_NOT_UPDATED))
    return views.feed(row)


def _resumed(row: FeedRow, now: datetime) -> FeedRow:
    return replace(row, state="active", held_reason=None, failures=0, last_error=None, next_attempt_at=now)


def _answering(caller: Caller) -> dict[str, Any]:
    """Return who answers for a feed, and what they may do now."""
    return {
        "scopes": sorted(caller.scopes), "profile_ids": caller.sees_profiles, "user_id": caller.user_id,
        "key_id": caller.key_id, "created_by": caller.actor,
    }  # fmt: skip


def _chosen(stored: list[UUID] | None, sent: Any) -> list[UUID] | None:
    if sent is UNSET:
        return stored
    return None if sent is None else [UUID(int=account.int) for account in sent]


def _require_address(url: str) -> None:
    """Ensure that an address is well formed; whether it is public is checked whenever it is read."""
    try:
        http.parse_url(url)
    except http.UnsafeUrl as failure:
        message = f"This address cannot be read: {failure.detail}."
        raise problems.UnsafeAddress(message, errors=[Issue("/url", "unsafe_url", message)]) from None


async def _require_usable(db: Db, caller: Caller, row: FeedRow) -> None:
    """Ensure that the caller may have such posts made now, and that what they name is there."""
    require_rights(caller, row.publish_mode)
    await profiles.require_in_use(db, row.workspace_id, row.profile_id)
    issues = [
        Issue("/template", "not_allowed", f"There is no {{{name}}}; use {{title}}, {{summary}}, {{link}} and the like.")
        for name in template.unknown_places(row.template)
    ]
    if row.account_ids is not None:
        profile = await posts.profile_with_accounts(db, caller, row.profile_id, account_ids=row.account_ids)
        there = {account.id: account.platform for account in (profile.accounts if profile else ())}
        for index, account_id in enumerate(row.account_ids):
            if account_id not in there:
                issues.append(AccountId.not_found(f"/accountIds/{index}"))
            elif caller.mode == "test" and there[account_id] != "sandbox":
                raise TestModeOnlySandbox("A test key posts to accounts of the sandbox only.")
    if row.queue_id is not None:
        queue = await slots.find_mine(db, caller, row.queue_id)
        if queue is None or queue.profile_id != row.profile_id:
            issues.append(QueueId.not_found("/queueId"))
    if issues:
        raise problems.ValidationFailed(errors=issues)


def require_rights(caller: Caller, publish_mode: PublishMode) -> None:
    """Ensure that the caller may write such posts.

    Raises:
        Forbidden, InsufficientScope: they may not.
    """
    if "posts:write" not in caller.scopes:
        raise problems.InsufficientScope("Posts need the scope posts:write.")
    if publish_mode != "draft":
        permissions.require_publishing(caller)
