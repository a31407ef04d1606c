from datetime import datetime
from uuid import UUID

import asyncpg
from msgspec.structs import replace

from signalpost.context import AppContext
from signalpost.kit import clock, problems, rows
from signalpost.kit.db import Db
from signalpost.plans import actions as plans
from signalpost.plans import limits
from signalpost.profiles import queries, validation, views
from signalpost.profiles.errors import PostsWaiting, name_taken, profile_archived
from signalpost.profiles.queries import ProfileRow
from signalpost.profiles.schemas import Profile, ProfileUpdate
from signalpost.web.caller import Caller
from signalpost.web.fields import ProfileId
from signalpost.web.inputs import IfMatch, deleted_meanwhile

_NOT_UPDATED = (*queries.COMPUTED, "id", "workspace_id", "slug", "is_default", "over_limit", "created_at")
_UPDATE = f"""
update profile set {rows.assignments(ProfileRow, first=3, without=_NOT_UPDATED)} where id = $1 and workspace_id = $2
"""  # noqa: S608 - constants only


async def update_profile(
    context: AppContext, db: Db, caller: Caller, profile_id: UUID, data: ProfileUpdate, if_match: IfMatch
) -> Profile:
    """Change the fields that are present in `data`.

    Raises:
        VersionConflict, TestModeOnlySandbox: see `lock_version`.
        AlreadyExists: another profile of the workspace has the new name.
        PlanLimitReached: the profile is over the plan's limit, so it can only be read and deleted.
        PlanFeatureUnavailable: the plan does not include the approval gate.
        ProfileArchived: it is archived, and this does not restore it.
        PostsWaiting: it is to be archived, and posts of it are still to be published.
    """
    await validation.check(context, db, caller, data)
    stored = await lock_version(db, caller, profile_id, if_match)
    if stored.over_limit:
        raise await plans.over_limit(db, caller, limits.PROFILES)
    if stored.archived_at is not None and data.archived is not False:
        if data == ProfileUpdate(archived=True):
            return views.profile(stored)
        raise profile_archived()
    archived_at = await _archived_at(context, db, stored, data)
    row = replace(
        validation.apply(data, stored, caller),
        archived_at=archived_at,
        version=stored.version + 1,  # so that a post that was built from the profile of before is not written
        updated_at=clock.now(),
    )
    if row.name != stored.name and await queries.name_is_taken(db, row):
        raise name_taken()
    try:
        await db.execute(_UPDATE, row.id, row.workspace_id, *rows.values(row, without=_NOT_UPDATED))
    except asyncpg.UniqueViolationError:
        raise name_taken() from None
    return views.profile(row)


async def _archived_at(context: AppContext, db: Db, stored: ProfileRow, data: ProfileUpdate) -> datetime | None:
    """Return since when the profile is archived after this change."""
    if data.archived is not True:
        return None if data.archived is False else stored.archived_at
    waiting = await context.hooks.count_waiting_posts(db, stored.workspace_id, stored.id)
    if waiting:
        posts = "1 post of this profile is" if waiting == 1 else f"{waiting} posts of this profile are"
        raise PostsWaiting(f"{posts} still to be published.", waitingPosts=waiting)
    return clock.now()


async def lock_version(db: Db, caller: Caller, profile_id: UUID, if_match: IfMatch) -> ProfileRow:
    """Lock the profile, which the caller is about to change, until the transaction ends, and return it.

    Raises:
        NotFound: it was deleted meanwhile.
        VersionConflict: it was changed since the caller read it.
        TestModeOnlySandbox: the caller is a test key, and something live hangs on the profile.
    """
    row = await queries.lock(db, caller, profile_id)
    if row is None:
        raise deleted_meanwhile(ProfileId, profile_id)
    await validation.require_no_live_use(db, caller, profile_id)
    if not if_match.allows(row.version):
        raise problems.VersionConflict(f"The profile now has version {row.version}.")
    return row
