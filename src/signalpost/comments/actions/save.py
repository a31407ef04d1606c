"""Saved replies: a team writes what it answers with again and again. Nothing is sent by any of this."""

from typing import Final
from uuid import UUID

from msgspec import UNSET
from msgspec.structs import replace

from signalpost.audit.actions import record as audit
from signalpost.comments import saved, views
from signalpost.comments.saved import SavedReplyRow
from signalpost.comments.schemas import SavedReply, SavedReplyCreate, SavedReplyUpdate
from signalpost.context import AppContext
from signalpost.identity.errors import TestModeOnlySandbox
from signalpost.kit import clock, ids, problems, rows
from signalpost.kit.db import Db
from signalpost.web.caller import Caller
from signalpost.web.fields import ProfileId

SAVED_MAX: Final = 200
"""Of a workspace."""
_INSERT: Final = rows.insert("saved_reply", SavedReplyRow)
_UPDATE: Final = "update saved_reply set name = $3, text = $4, updated_at = $5 where id = $1 and workspace_id = $2"
_DELETE: Final = "delete from saved_reply where id = $1 and workspace_id = $2"


async def create(context: AppContext, db: Db, caller: Caller, data: SavedReplyCreate) -> SavedReply:
    """Save a reply.

    Raises:
        TestModeOnlySandbox: a test key changes nothing that live keys see.
        Forbidden: the caller sees some profiles only, and names none.
        NotFound: there is no such profile.
        TooManyItems: the workspace has `SAVED_MAX`.
    """
    _require_live(caller)
    profile_id = None if data.profile_id is None else UUID(int=data.profile_id.int)
    if profile_id is None:
        if caller.sees_profiles is not None:
            raise problems.Forbidden("You see some profiles only, so name the one that the saved reply is for.")
    elif not caller.may_see_profile(profile_id) or not await context.hooks.profile_exists(
        db, caller.workspace_id, profile_id
    ):
        raise problems.NotFound(errors=[ProfileId.not_found("/profileId")])
    if await saved.count(db, caller.workspace_id) >= SAVED_MAX:
        raise problems.TooManyItems(
            f"This workspace has {SAVED_MAX} saved replies.", remediation="Delete some that are no longer needed."
        )
    now = clock.actual()
    row = SavedReplyRow(ids.new_id(), caller.workspace_id, profile_id, data.name, data.text, now, now)
    await db.execute(_INSERT, *rows.values(row))
    await _record(db, caller, "create_saved_reply", row)
    return views.saved_reply(row)


async def update(db: Db, caller: Caller, row: SavedReplyRow, data: SavedReplyUpdate) -> SavedReply:
    """Change the fields that are present in `data`.

    Raises:
        TestModeOnlySandbox: as for `create`.
        Forbidden: it is for all profiles, and the caller sees some only.
    """
    _require_changeable(caller, row)
    row = replace(
        row,
        name=row.name if data.name is UNSET else data.name,
        text=row.text if data.text is UNSET else data.text,
        updated_at=clock.actual(),
    )
    await db.execute(_UPDATE, row.id, row.workspace_id, row.name, row.text, row.updated_at)
    await _record(db, caller, "update_saved_reply", row)
    return views.saved_reply(row)


async def delete(db: Db, caller: Caller, row: SavedReplyRow) -> None:
    """Delete it; answers that were made of it stay. Raises what `update` raises."""
    _require_changeable(caller, row)
    await db.execute(_DELETE, row.id, row.workspace_id)
    await _record(db, caller, "delete_saved_reply", row)


def _require_live(caller: Caller) -> None:
    if caller.mode == "test":
        raise TestModeOnlySandbox("A test key changes no saved replies: live keys see the same ones.")


def _require_changeable(caller: Caller, row: SavedReplyRow) -> None:
    _require_live(caller)
    if row.profile_id is None and caller.sees_profiles is not None:
        raise problems.Forbidden("This saved reply is for all profiles, and you see some of them only.")


async def _record(db: Db, caller: Caller, action: str, row: SavedReplyRow) -> None:
    subject = ids.encode("srp", row.id)
    entry = audit.Entry(workspace_id=row.workspace_id, action=action, actor=caller.actor, subject=subject)
    await audit.record(db, entry)
