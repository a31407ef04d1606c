"""The jobs that erase what was deleted 30 days ago and the names of people who left for good, make and remove exports,
and remove what a killed import left.
"""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import JobKind, RunAgain
from signalpost.workspaces.actions import delete_person, erase, erase_people, export, import_archive

JOB: Final = "workspaces.erase"
EXPIRE_JOB: Final = "workspaces.expire_exports"
EVERY_SECONDS: Final = 3_600
EXPORT_AGAIN_SECONDS: Final = 15.0
"""After this long an export that waits for others is tried again."""
_BATCH: Final = 20
_STEPS: Final = 50
"""Transactions in a row before other jobs have their turn."""


def jobs(context: AppContext) -> list[JobKind]:
    """Return the jobs of this room."""

    async def erase_due(lease: Lease, _payload: Mapping[str, Any]) -> RunAgain | None:
        return await erase_expired(context, lease)

    async def make_export(lease: Lease, payload: Mapping[str, Any]) -> RunAgain | None:
        is_over = await export.make_export(context, lease, UUID(payload["workspace"]))
        return None if is_over else RunAgain(EXPORT_AGAIN_SECONDS)

    async def give_up(lease: Lease, payload: Mapping[str, Any], _error: Exception | None) -> None:
        await export.fail_export(lease, UUID(payload["workspace"]))

    async def remove(_lease: Lease, payload: Mapping[str, Any]) -> None:
        await context.storage.delete([payload["path"]])

    async def expire(lease: Lease, _payload: Mapping[str, Any]) -> RunAgain | None:
        return RunAgain(0) if await export.expire_exports(context, lease) else None

    async def erase_names(lease: Lease, _payload: Mapping[str, Any]) -> RunAgain | None:
        return RunAgain(0) if await erase_people.erase_people(context, lease) else None

    async def clear(lease: Lease, payload: Mapping[str, Any]) -> RunAgain | None:
        seconds = await import_archive.clear_import(context, lease, UUID(payload["source"]), UUID(payload["workspace"]))
        return None if seconds is None else RunAgain(seconds)

    return [
        JobKind(JOB, erase_due, EVERY_SECONDS),
        JobKind(delete_person.ERASE_JOB, erase_names, EVERY_SECONDS),
        JobKind(export.JOB, make_export, given_up=give_up),
        JobKind(export.REMOVE_JOB, remove),
        JobKind(import_archive.CLEAR_JOB, clear),
        JobKind(EXPIRE_JOB, expire, EVERY_SECONDS),
    ]


async def erase_expired(context: AppContext, lease: Lease) -> RunAgain | None:
    """Erase workspaces whose time is over, some steps at a time."""
    async with lease.transaction() as db:
        expired = await erase.find_expired(db, _BATCH)
    steps = 0
    for workspace_id in expired:
        while not await erase.erase_step(context, lease, workspace_id):
            steps += 1
            if steps == _STEPS:
                return RunAgain(1)
        lease.count("erased")
    return RunAgain(0) if len(expired) == _BATCH else None
