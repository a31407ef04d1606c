"""What `signalpost workspaces export` and `import` do."""

from pathlib import Path
from typing import Any, Final

from signalpost.audit.actions import record as audit
from signalpost.context import AppContext
from signalpost.kit import ids, problems
from signalpost.main.operations import find_workspace
from signalpost.workspaces.actions import import_archive, write_archive

_USER: Final = "select id from app_user where email_key = lower($1)"


async def export_workspace(context: AppContext, workspace: str, path: Path) -> dict[str, Any]:
    """Write everything that a workspace has to a file, which must not exist."""
    async with context.database.transaction() as db:
        workspace_id, _ = await find_workspace(db, workspace)
        await audit.command(db, "workspaces export", workspace_id=workspace_id)
    manifest = await write_archive.write_archive(context, workspace_id, path)
    return {
        "file": str(path),
        "workspaceId": manifest.workspace.id,
        "rows": sum(manifest.rows.values()),
        "files": sum(name.startswith("media/") for name in manifest.digests),
        "missingFiles": len(manifest.missing_files),
        "madeAt": manifest.made_at.isoformat(),
    }


async def import_workspace(context: AppContext, path: Path, owner: str, name: str | None) -> dict[str, Any]:
    """Make a workspace of an export, for a user of this instance."""
    async with context.database.connection() as db:
        user_id = await db.fetchval(_USER, owner)
    if user_id is None:
        raise problems.NotFound(f"There is no user {owner}.")
    imported = await import_archive.import_archive(context, path, user_id=user_id, name=name)
    return {
        "workspaceId": ids.encode("wsp", imported.workspace_id),
        "rows": imported.rows,
        "files": imported.files,
        "ids": "kept" if imported.ids_kept else "new",
    }
