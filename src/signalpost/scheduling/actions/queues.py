"""Creating, changing and deleting slot queues."""

import unicodedata
from typing import Final
from uuid import UUID

import asyncpg
from msgspec import UNSET
from msgspec.structs import replace

from signalpost.identity.errors import PlanLimitReached
from signalpost.kit import clock, ids, problems, rows, zones
from signalpost.kit.db import Db
from signalpost.kit.problems import Issue
from signalpost.profiles import queries as profiles
from signalpost.profiles.errors import profile_archived
from signalpost.profiles.validation import require_no_live_use
from signalpost.scheduling import queries, views
from signalpost.scheduling.errors import name_taken
from signalpost.scheduling.queries import QueueRow
from signalpost.scheduling.schemas import QueueCreate, QueueDeletion, QueueUpdate, SlotIn, SlotQueue
from signalpost.scheduling.week import WeeklySlot
from signalpost.web.caller import Caller
from signalpost.web.fields import ProfileId, QueueId
from signalpost.web.inputs import IfMatch, deleted_meanwhile

QUEUES_MAX: Final = 50
"""Of one profile."""

_NOT_UPDATED: Final = (*queries.COMPUTED, "id", "workspace_id", "profile_id", "created_at")
_INSERT: Final = rows.insert("slot_queue", QueueRow, without=queries.COMPUTED)
_UPDATE: Final = f"""
update slot_queue set {rows.assignments(QueueRow, first=3, without=_NOT_UPDATED)} where id = $1 and workspace_id = $2
"""  # noqa: S608 - constants only
_LOCK_PROFILE = "select pg_advisory_xact_lock(hashtextextended('slot queues:' || $1::text, 0))"
_COUNT = "select count(*) from slot_queue where profile_id = $1 and workspace_id = $2"
_CLEAR_DEFAULT = """
update slot_queue set is_default = false, version = version + 1, updated_at = now()
where profile_id = $1 and workspace_id = $2 and is_default and id <> $3
"""
_DELETE = "delete from slot_queue where id = $1 and workspace_id = $2"
_NEXT_DEFAULT = """
update slot_queue set is_default = true, version = version + 1, updated_at = now() where id = (
    select id from slot_queue where profile_id = $1 and workspace_id = $2 order by created_at, id limit 1)
"""


async def create_queue(db: Db, caller: Caller, data: QueueCreate) -> SlotQueue:
    """Create a queue; the first of a profile is its default.

    Raises:
        ValidationFailed: there is no such profile or zone, or a slot is named twice.
        AlreadyExists: another queue of the profile has this name.
        TooManyItems: the profile has enough queues.
        PlanLimitReached, ProfileArchived, TestModeOnlySandbox: see `_lock_profile`.
    """
    _require_valid(data)
    if not caller.may_see_profile(data.profile_id) or await profiles.find_mine(db, caller, data.profile_id) is None:
        raise problems.ValidationFailed(errors=[ProfileId.not_found("/profileId")])
    zone_name = await _lock_profile(db, caller, data.profile_id)
    count = await db.fetchval(_COUNT, data.profile_id, caller.workspace_id)
    if count >= QUEUES_MAX:
        raise problems.TooManyItems(f"A profile can have at most {QUEUES_MAX} queues. Delete one first.")
    now = clock.now()
    new = QueueRow(
        id=ids.new_id(),
        workspace_id=caller.workspace_id,
        profile_id=UUID(int=data.profile_id.int),
        name="",
        created_at=now,
        updated_at=now,
        profile_timezone=zone_name,
    )
    row = _apply(data, new)
    if count == 0:
        row = replace(row, is_default=True)
    if row.is_default:
        await db.execute(_CLEAR_DEFAULT, row.profile_id, row.workspace_id, row.id)
    await _write(db, _INSERT, *rows.values(row, without=queries.COMPUTED))
    return views.queue(row)


async def update_queue(db: Db, caller: Caller, queue: QueueRow, data: QueueUpdate, if_match: IfMatch) -> SlotQueue:
    """Change the fields that are present in `data`. Posts that have a slot keep their times.

    Raises:
        VersionConflict: the queue was changed since the caller read it.
        InvalidState: the default queue can only be replaced by another one.
        and what `create_queue` raises.
    """
    _require_valid(data)
    await _lock_profile(db, caller, queue.profile_id)
    stored = await _lock_version(db, queue, if_match)
    row = replace(_apply(data, stored), version=stored.version + 1, updated_at=clock.now())
    if stored.is_default and not row.is_default:
        raise problems.InvalidState("A profile with queues has a default one: make another queue the default instead.")
    if row.is_default:
        await db.execute(_CLEAR_DEFAULT, row.profile_id, row.workspace_id, row.id)
    await _write(db, _UPDATE, row.id, row.workspace_id, *rows.values(row, without=_NOT_UPDATED))
    return views.queue(row)


async def delete_queue(db: Db, caller: Caller, queue: QueueRow, if_match: IfMatch) -> QueueDeletion:
    """Delete a queue; posts that have a slot keep their times. The oldest of the others becomes the default.

    Raises:
        VersionConflict: the queue was changed since the caller read it.
        PlanLimitReached, ProfileArchived, TestModeOnlySandbox: see `_lock_profile`.
    """
    await _lock_profile(db, caller, queue.profile_id)
    stored = await _lock_version(db, queue, if_match)
    posts_kept = await queries.count_held(db, stored)
    await db.execute(_DELETE, stored.id, stored.workspace_id)
    if stored.is_default:
        await db.execute(_NEXT_DEFAULT, stored.profile_id, stored.workspace_id)
    return QueueDeletion(id=ids.encode("slq", stored.id), deleted=True, posts_kept=posts_kept)


async def _lock_profile(db: Db, caller: Caller, profile_id: UUID) -> str:
    """Keep others from changing queues of the profile, and the profile from being deleted; return its zone.

    Raises:
        NotFound: it was deleted meanwhile.
        PlanLimitReached: the profile is over the plan's limit.
        ProfileArchived: it is archived.
        TestModeOnlySandbox: the caller is a test key, and something live hangs on the profile.
    """
    await db.execute(_LOCK_PROFILE, str(profile_id))
    profile = await profiles.lock_shared(db, caller.workspace_id, profile_id)
    if profile is None:
        raise deleted_meanwhile(ProfileId, profile_id)
    await require_no_live_use(db, caller, profile_id)
    if profile.archived_at is not None:
        raise profile_archived()
    if profile.over_limit:
        raise PlanLimitReached("This profile is over the plan's limit: it can only be read and deleted.")
    return profile.timezone


async def _lock_version(db: Db, queue: QueueRow, if_match: IfMatch) -> QueueRow:
    stored = await queries.lock(db, queue.workspace_id, queue.id)
    if stored is None:
        raise deleted_meanwhile(QueueId, queue.id)
    if_match.require(stored.version)
    return stored


async def _write(db: Db, statement: str, *values: object) -> None:
    try:
        await db.execute(statement, *values)
    except asyncpg.UniqueViolationError:
        raise name_taken() from None


def _require_valid(data: QueueUpdate) -> None:
    """Ensure that the zone exists and that no slot is named twice.

    Raises:
        ValidationFailed: with all issues.
    """
    issues = []
    if isinstance(data.timezone, str) and zones.zone(data.timezone) is None:
        issues.append(zones.unknown("/timezone", data.timezone))
    seen: set[tuple[str, int]] = set()
    for index, slot in enumerate(() if data.slots is UNSET else data.slots):
        moments = [(slot.time, day) for day in slot.days]
        if seen.intersection(moments) or len(set(moments)) < len(moments):
            issues.append(Issue(f"/slots/{index}", "not_unique", "A day of this slot is named twice: leave one out."))
        seen.update(moments)
    if issues:
        raise problems.ValidationFailed(errors=issues)


def _apply(data: QueueUpdate, row: QueueRow) -> QueueRow:
    """Return the queue with the changes: an absent field stays as it is."""
    return replace(
        row,
        name=row.name if data.name is UNSET else unicodedata.normalize("NFC", data.name).strip(),
        slots=row.slots if data.slots is UNSET else [_stored(slot) for slot in data.slots],
        timezone=row.timezone if data.timezone is UNSET else data.timezone,
        active=row.active if data.active is UNSET else data.active,
        is_default=row.is_default if data.is_default is UNSET else data.is_default,
    )


def _stored(slot: SlotIn) -> WeeklySlot:
    return WeeklySlot(slot.time, sorted(slot.days))
