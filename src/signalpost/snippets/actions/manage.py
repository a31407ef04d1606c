"""What members do with snippets. Posts in which one was inserted stay as they are."""

import unicodedata
from typing import Final
from uuid import UUID

import asyncpg
from msgspec import UNSET
from msgspec.structs import replace

from signalpost.context import AppContext
from signalpost.identity.errors import TestModeOnlySandbox
from signalpost.kit import batches, clock, ids, problems, rows
from signalpost.kit.db import Db
from signalpost.snippets import queries, views
from signalpost.snippets.errors import name_taken
from signalpost.snippets.queries import SnippetRow
from signalpost.snippets.schemas import Snippet, SnippetCreate, SnippetUpdate
from signalpost.web.caller import Caller
from signalpost.web.fields import ProfileId, SnippetId
from signalpost.web.inputs import IfMatch, deleted_meanwhile

SNIPPETS_MAX: Final = 500
"""Of a workspace."""
_INSERT: Final = rows.insert("snippet", SnippetRow)
_UPDATE: Final = """
update snippet set name = $3, text = $4, updated_at = $5, version = $6 where id = $1 and workspace_id = $2
"""
_DELETE: Final = "delete from snippet where id = $1 and workspace_id = $2"
_LOCK_COUNT: Final = "select pg_advisory_xact_lock(hashtextextended('snippets:' || $1::text, 0))"
PURGES: Final = (batches.delete("snippet", "profile_id in (select id from profile where deleted_at is not null)"),)
"""Statements of a job: what deleted profiles leave."""


async def create_snippet(context: AppContext, db: Db, caller: Caller, data: SnippetCreate) -> Snippet:
    """Save a text.

    Raises:
        TestModeOnlySandbox: a test key changes nothing that live keys see.
        Forbidden: the caller sees some profiles only, and names none.
        ValidationFailed: the caller sees no such profile.
        TooManyItems: the workspace has `SNIPPETS_MAX`.
        AlreadyExists: another snippet of the same profile, or for all, has this name.
    """
    _require_live(caller)
    profile_id = None if data.profile_id is None else UUID(int=data.profile_id.int)
    if profile_id is None:
        if caller.sees_profiles is not None:
            raise problems.Forbidden("You see some profiles only, so name the one that the snippet is for.")
    elif not caller.may_see_profile(profile_id) or not await context.hooks.profile_exists(
        db, caller.workspace_id, profile_id
    ):
        raise problems.ValidationFailed(errors=[ProfileId.not_found("/profileId")])
    await db.execute(_LOCK_COUNT, str(caller.workspace_id))
    if await queries.count(db, caller.workspace_id) >= SNIPPETS_MAX:
        raise problems.TooManyItems(
            f"This workspace has {SNIPPETS_MAX} snippets.", remediation="Delete some that are no longer needed."
        )
    now = clock.actual()
    name = unicodedata.normalize("NFC", data.name).strip()
    row = SnippetRow(ids.new_id(), caller.workspace_id, profile_id, name, data.text, caller.actor, now, now)
    await _write(db, _INSERT, *rows.values(row))
    return views.snippet(row)


async def update_snippet(
    db: Db, caller: Caller, snippet: SnippetRow, data: SnippetUpdate, if_match: IfMatch
) -> Snippet:
    """Change the fields that are present in `data`.

    Raises:
        TestModeOnlySandbox, AlreadyExists: as for `create_snippet`.
        Forbidden: it is for all profiles, and the caller sees some only.
        VersionConflict: it was changed since the caller read it.
    """
    stored = await _lock_version(db, caller, snippet, if_match)
    row = replace(
        stored,
        name=stored.name if data.name is UNSET else unicodedata.normalize("NFC", data.name).strip(),
        text=stored.text if data.text is UNSET else data.text,
        updated_at=clock.actual(),
        version=stored.version + 1,
    )
    await _write(db, _UPDATE, row.id, row.workspace_id, row.name, row.text, row.updated_at, row.version)
    return views.snippet(row)


async def delete_snippet(db: Db, caller: Caller, snippet: SnippetRow, if_match: IfMatch) -> None:
    """Delete it. Raises what `update_snippet` raises, but for AlreadyExists."""
    stored = await _lock_version(db, caller, snippet, if_match)
    await db.execute(_DELETE, stored.id, stored.workspace_id)


async def _lock_version(db: Db, caller: Caller, snippet: SnippetRow, if_match: IfMatch) -> SnippetRow:
    _require_live(caller)
    if snippet.profile_id is None and caller.sees_profiles is not None:
        raise problems.Forbidden("This snippet is for all profiles, and you see some of them only.")
    stored = await queries.lock(db, snippet.workspace_id, snippet.id)
    if stored is None:
        raise deleted_meanwhile(SnippetId, snippet.id)
    if_match.require(stored.version)
    return stored


async def _write(db: Db, statement: str, *values: object) -> None:
    try:
        await db.execute(statement, *values)
    except asyncpg.UniqueViolationError:
        raise name_taken() from None


def _require_live(caller: Caller) -> None:
    if caller.mode == "test":
        raise TestModeOnlySandbox("A test key changes no snippets: live keys see the same ones.")
