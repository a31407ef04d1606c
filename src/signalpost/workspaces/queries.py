"""Reads of exports."""

from datetime import datetime
from typing import Final
from uuid import UUID

from msgspec import Struct

from signalpost.kit import rows
from signalpost.kit.db import Db
from signalpost.workspaces.schemas import ExportStatus


class ExportRow(Struct):
    """The newest export of a workspace."""

    workspace_id: UUID
    user_id: UUID
    status: ExportStatus
    requested_at: datetime
    finished_at: datetime | None
    expires_at: datetime | None
    size_bytes: int | None


EXPORT_COLUMNS: Final = rows.columns(ExportRow)
read_export: Final = rows.reader(ExportRow)
_EXPORT: Final = f"select {EXPORT_COLUMNS} from workspace_export where workspace_id = $1"  # noqa: S608 - constants only


async def find_export(db: Db, workspace_id: UUID) -> ExportRow | None:
    """Return the newest export of a workspace."""
    return await rows.read_one(db, read_export, _EXPORT, workspace_id)
