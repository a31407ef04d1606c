from dataclasses import replace
from uuid import UUID

import asyncpg

from signalpost.context import AppContext, DeletedProfile
from signalpost.kit import clock, ids, problems
from signalpost.kit.db import Db
from signalpost.plans import actions as plans
from signalpost.plans.errors import PlanLimitReached
from signalpost.profiles import queries, validation
from signalpost.profiles.actions.links import end_links
from signalpost.profiles.queries import ProfileRow
from signalpost.profiles.schemas import Profile, ProfileCreate, ProfileDeletion, ProfileUpdate
from signalpost.web.caller import Caller
from signalpost.web.inputs import IfMatch

_SLUGS = """
select slug from profile
where workspace_id = $1 and deleted_at is null and (slug = $2 or starts_with(slug, $2 || '-'))
"""
_INSERT = """
insert into profile (id, workspace_id, name, slug, avatar_url, description, color, timezone, language, default_hashtags,
    watermark_media_id, late_tolerance_minutes, min_gap_seconds, approval_required, external_id, metadata, is_default,
    created_at, updated_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $18)
"""
_UPDATE = """
update profile set name = $3, avatar_url = $4, description = $5, color = $6, timezone = $7, language = $8,
    default_hashtags = $9, watermark_media_id = $10, late_tolerance_minutes = $11, min_gap_seconds = $12,
    approval_required = $13, external_id = $14, metadata = $15, version = version + 1, updated_at = $16
where id = $1 and workspace_id = $2
returning version
"""
_DELETE = "update profile set deleted_at = $3, updated_at = $3 where id = $1 and workspace_id = $2"


async def create_profile(db: Db, caller: Caller, data: ProfileCreate) -> Profile:
    """Write a profile with a slug of its own.

    Raises:
        AlreadyExists: another profile of the workspace has this name.
        PlanLimitReached: the plan has no room for one more.
        Forbidden: a credential limited to some profiles cannot make others.
    """
    if caller.profile_ids is not None:
        raise problems.Forbidden("This credential is limited to some profiles, so it cannot create others.")
    await validation.check(db, caller, data)
    await queries.one_at_a_time(db, caller.workspace_id)
    await plans.require_room(db, caller, "profiles")
    row = validation.overlay(_blank(caller.workspace_id, caller.workspace_timezone), data, caller)
    return (await _insert(db, row)).shown()


async def create_default(db: Db, workspace_id: UUID, *, name: str, timezone: str) -> UUID:
    """Create the first profile of a workspace, named like the workspace; return its id."""
    row = replace(_blank(workspace_id, timezone), name=validation.clean_name(name)[:100], is_default=True)
    return (await _insert(db, row)).id


async def update_profile(db: Db, caller: Caller, profile_id: UUID, data: ProfileUpdate, if_match: IfMatch) -> Profile:
    """Change what is mentioned.

    Raises:
        VersionConflict: it was changed since the caller read it.
        AlreadyExists: another profile of the workspace has the new name.
        PlanLimitReached: the profile is over the plan's limit, so it can only be read.
    """
    await validation.check(db, caller, data)
    row = await _locked(db, caller, profile_id, if_match)
    if row.over_limit:
        raise PlanLimitReached("This profile is over the plan's limit: it can be read and deleted only.")
    row = replace(validation.overlay(row, data, caller), updated_at=clock.now())
    try:
        version = await db.fetchval(
            _UPDATE,
            row.id,
            row.workspace_id,
            row.name,
            row.avatar_url,
            row.description,
            row.color,
            row.timezone,
            row.language,
            row.default_hashtags,
            row.watermark_media_id,
            row.late_tolerance_minutes,
            row.min_gap_seconds,
            row.approval_required,
            row.external_id,
            row.metadata,
            row.updated_at,
        )
    except asyncpg.UniqueViolationError:
        raise _name_taken() from None
    return replace(row, version=version).shown()


async def delete_profile(
    context: AppContext, db: Db, caller: Caller, profile_id: UUID, if_match: IfMatch
) -> ProfileDeletion:
    """Delete a profile with its links; trash its posts and disconnect its accounts.

    Raises:
        InvalidState: a post of it is being published at this moment.
        VersionConflict: it was changed since the caller read it.
    """
    await queries.one_at_a_time(db, caller.workspace_id)
    row = await _locked(db, caller, profile_id, if_match)
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


def _blank(workspace_id: UUID, timezone: str) -> ProfileRow:
    now = clock.now()
    return ProfileRow(
        id=ids.new_id(),
        workspace_id=workspace_id,
        name="",
        slug="",
        avatar_url=None,
        description=None,
        color=None,
        timezone=timezone,
        language=None,
        default_hashtags=[],
        watermark_media_id=None,
        late_tolerance_minutes=validation.LATE_TOLERANCE_MINUTES,
        min_gap_seconds=validation.MIN_GAP_SECONDS,
        approval_required=False,
        external_id=None,
        metadata={},
        is_default=False,
        over_limit=False,
        version=1,
        created_at=now,
        updated_at=now,
        parent_id=None,
        child_count=0,
        account_count=0,
    )


async def _insert(db: Db, row: ProfileRow) -> ProfileRow:
    """Write a new profile under the first free form of its slug; nobody else makes one meanwhile."""
    wished = validation.slug_of(row.name)
    taken = {found["slug"] for found in await db.fetch(_SLUGS, row.workspace_id, wished)}
    slug = next(slug for slug in _forms(wished, len(taken)) if slug not in taken)
    try:
        await db.execute(
            _INSERT,
            row.id,
            row.workspace_id,
            row.name,
            slug,
            row.avatar_url,
            row.description,
            row.color,
            row.timezone,
            row.language,
            row.default_hashtags,
            row.watermark_media_id,
            row.late_tolerance_minutes,
            row.min_gap_seconds,
            row.approval_required,
            row.external_id,
            row.metadata,
            row.is_default,
            row.created_at,
        )
    except asyncpg.UniqueViolationError:
        raise _name_taken() from None
    return replace(row, slug=slug)


def _forms(slug: str, taken: int) -> list[str]:
    return [slug, *(f"{slug}-{number}" for number in range(2, taken + 3))]


async def _locked(db: Db, caller: Caller, profile_id: UUID, if_match: IfMatch) -> ProfileRow:
    row = await queries.lock(db, caller, profile_id)
    if row is None:
        raise problems.NotFound
    if not if_match.allows(row.version):
        raise problems.VersionConflict(f"The profile has version {row.version} by now.")
    return row


def _name_taken() -> problems.AlreadyExists:
    return problems.AlreadyExists(
        "Another profile of this workspace has this name.",
        errors=[problems.Issue("/name", "not_unique", "Another profile has this name.")],
    )
