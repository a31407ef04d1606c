from uuid import UUID

import asyncpg
from msgspec.structs import replace

from signalpost.context import AppContext
from signalpost.kit import clock, ids, problems, rows
from signalpost.kit.db import Db
from signalpost.kit.slugs import slugify
from signalpost.plans import actions as plans
from signalpost.plans import limits
from signalpost.profiles import queries, validation, views
from signalpost.profiles.errors import name_taken
from signalpost.profiles.queries import ProfileRow
from signalpost.profiles.schemas import Profile, ProfileCreate
from signalpost.web.caller import Caller

_SLUGS = """
select slug from profile
where workspace_id = $1 and deleted_at is null and (slug = $2 or starts_with(slug, $2 || '-'))
"""
_INSERT = rows.insert("profile", ProfileRow, without=queries.COMPUTED)


async def create_profile(context: AppContext, db: Db, caller: Caller, data: ProfileCreate) -> Profile:
    """Create a profile with a slug of its own.

    Raises:
        AlreadyExists: another profile of the workspace has this name.
        PlanLimitReached: the plan does not cover one more profile.
        PlanFeatureUnavailable: the plan does not include the approval gate.
        Forbidden: a credential limited to some profiles cannot create others.
    """
    if caller.profile_ids is not None:
        raise problems.Forbidden("This credential is limited to some profiles, so it cannot create others.")
    await validation.check(context, db, caller, data)
    await queries.lock_workspace(db, caller.workspace_id)
    await plans.require_capacity(db, caller, limits.PROFILES)
    row = validation.apply(data, _new_profile(caller.workspace_id), caller)
    if await queries.name_is_taken(db, row):
        raise name_taken()
    return views.profile(await _insert(db, row))


async def create_default(db: Db, workspace_id: UUID, *, name: str, timezone: str | None) -> UUID:
    """Create the first profile of a workspace, named like the workspace; return its id."""
    row = replace(
        _new_profile(workspace_id),
        name=validation.clean_name(name)[:100],
        timezone=timezone or "UTC",
        zone_chosen=timezone is not None,
        is_default=True,
    )
    return (await _insert(db, row)).id


def _new_profile(workspace_id: UUID) -> ProfileRow:
    now = clock.now()
    return ProfileRow(
        id=ids.new_id(), workspace_id=workspace_id, name="", slug="", timezone="", created_at=now, updated_at=now
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
        raise name_taken() from None
    return row
