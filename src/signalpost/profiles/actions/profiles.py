from uuid import UUID

import asyncpg
from msgspec.structs import replace

from signalpost.context import AppContext, DeletedProfile
from signalpost.identity.errors import PlanLimitReached
from signalpost.kit import clock, ids, problems, rows
from signalpost.kit.db import Db
from signalpost.kit.slugs import slugify
from signalpost.plans import actions as plans
from signalpost.plans import limits
from signalpost.profiles import queries, validation, views
from signalpost.profiles.actions.links import end_links
from signalpost.profiles.queries import ProfileRow
from signalpost.profiles.schemas import Profile, ProfileCreate, ProfileDeletion, ProfileUpdate
from signalpost.web.caller import Caller
from signalpost.web.inputs import IfMatch

_SLUGS = """
select slug from profile
where workspace_id = $1 and deleted_at is null and (slug = $2 or starts_with(slug, $2 || '-'))
"""
_NOT_UPDATED = (*queries.COMPUTED, "id", "workspace_id", "slug", "is_default", "over_limit", "created_at")
_INSERT = rows.insert("profile", ProfileRow, without=queries.COMPUTED)
_UPDATE = f"""
update profile set {rows.assignments(ProfileRow, first=3, without=_NOT_UPDATED)} where id = $1 and workspace_id = $2
"""  # noqa: S608 - constants only
_DELETE = "update profile set deleted_at = $3, updated_at = $3 where id = $1 and workspace_id = $2"


async def create_profile(context: AppContext, db: Db, caller: Caller, data: ProfileCreate) -> Profile:
    """Create a profile with a slug of its own.

    Raises:
        AlreadyExists: another profile of the workspace has this name.
        PlanLimitReached: the plan does not cover one more profile.
        Forbidden: a credential limited to some profiles cannot create others.
    """
    if caller.profile_ids is not None:
        raise problems.Forbidden("This credential is limited to some profiles, so it cannot create others.")
    await validation.check(context, db, caller, data)
    await queries.lock_workspace(db, caller.workspace_id)
    await plans.require_capacity(db, caller, limits.PROFILES)
    row = validation.apply(data, _new_profile(caller.workspace_id, caller.workspace_timezone), caller)
    return views.profile(await _insert(db, row))


async def create_default(db: Db, workspace_id: UUID, *, name: str, timezone: str) -> UUID:
    """Create the first profile of a workspace, named like the workspace; return its id."""
    row = replace(_new_profile(workspace_id, timezone), name=validation.clean_name(name)[:100], is_default=True)
    return (await _insert(db, row)).id


async def update_profile(
    context: AppContext, db: Db, caller: Caller, profile_id: UUID, data: ProfileUpdate, if_match: IfMatch
) -> Profile:
    """Change the fields that are present in `data`.

    Raises:
        VersionConflict: it was changed since the caller read it.
        AlreadyExists: another profile of the workspace has the new name.
        PlanLimitReached: the profile is over the plan's limit, so it can only be read and deleted.
    """
    await validation.check(context, db, caller, data)
    stored = await _lock(db, caller, profile_id, if_match)
    if stored.over_limit:
        raise PlanLimitReached("This profile is over the plan's limit: it can only be read and deleted.")
    row = replace(validation.apply(data, stored, caller), version=stored.version + 1, updated_at=clock.now())
    try:
        await db.execute(_UPDATE, row.id, row.workspace_id, *rows.values(row, without=_NOT_UPDATED))
    except asyncpg.UniqueViolationError:
        raise _name_taken() from None
    return views.profile(row)


async def delete_profile(
    context: AppContext, db: Db, caller: Caller, profile_id: UUID, if_match: IfMatch
) -> ProfileDeletion:
    """Delete a profile with its links; trash its posts and disconnect its accounts.

    Raises:
        InvalidState: a post of it is being published at this moment.
        VersionConflict: it was changed since the caller read it.
    """
    await queries.lock_workspace(db, caller.workspace_id)
    row = await _lock(db, caller, profile_id, if_match)
    now = clock.now()
    deleted = DeletedProfile(row.workspace_id, row.id, caller.actor, now)
    posts = await context.hooks.trash_profile_posts(context, db, deleted)  # first, since it may refuse
    accounts_disconnected = await context.hooks.disconnect_profile_accounts(context, db, deleted)
    await end_links(db, caller, row.id)
    await db.execute(_DELETE, row.id, row.workspace_id, now)
    return ProfileDeletion(
        id=ids.encode("prof", row.id),
        deleted=True,
        accounts_disconnected=accounts_disconnected,
        posts_trashed=posts.trashed,
        posts_cancelled=posts.cancelled,
    )


def _new_profile(workspace_id: UUID, timezone: str) -> ProfileRow:
    now = clock.now()
    return ProfileRow(
        id=ids.new_id(),
        workspace_id=workspace_id,
        name="",
        slug="",
        timezone=timezone,
        created_at=now,
        updated_at=now,
    )


async def _insert(db: Db, row: ProfileRow) -> ProfileRow:
    """Insert a new profile under the first free variant of its slug; the workspace's lock keeps others out."""
    slug = slugify(row.name, length_max=60, default="profile")
    taken = {record["slug"] for record in await db.fetch(_SLUGS, row.workspace_id, slug)}
    variants = [slug, *(f"{slug}-{number}" for number in range(2, len(taken) + 3))]
    row = replace(row, slug=next(variant for variant in variants if variant not in taken))
    try:
        await db.execute(_INSERT, *rows.values(row, without=queries.COMPUTED))
    except asyncpg.UniqueViolationError:
        raise _name_taken() from None
    return row


async def _lock(db: Db, caller: Caller, profile_id: UUID, if_match: IfMatch) -> ProfileRow:
    row = await queries.lock(db, caller, profile_id)
    if row is None:
        raise problems.NotFound
    if not if_match.allows(row.version):
        raise problems.VersionConflict(f"The profile now has version {row.version}.")
    return row


def _name_taken() -> problems.AlreadyExists:
    return problems.AlreadyExists(
        "Another profile of this workspace has this name.",
        errors=[problems.Issue("/name", "not_unique", "Another profile has this name.")],
    )
