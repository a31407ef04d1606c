"""Writes: delete, restore and erase a workspace; its export, and a workspace of one."""

from signalpost.workspaces.actions.delete import GRACE_DAYS, delete_workspace, restore_workspace
from signalpost.workspaces.actions.erase import erase_step, find_expired
from signalpost.workspaces.actions.export import (
    JOB,
    REMOVE_JOB,
    expire_exports,
    export_content,
    fail_export,
    make_export,
    request_export,
    require_owner,
    show_export,
)
from signalpost.workspaces.actions.import_archive import CLEAR_JOB, Imported, clear_import, import_archive
from signalpost.workspaces.actions.write_archive import write_archive

__all__ = [
    "CLEAR_JOB",
    "GRACE_DAYS",
    "JOB",
    "REMOVE_JOB",
    "Imported",
    "clear_import",
    "delete_workspace",
    "erase_step",
    "expire_exports",
    "export_content",
    "fail_export",
    "find_expired",
    "import_archive",
    "make_export",
    "request_export",
    "require_owner",
    "restore_workspace",
    "show_export",
    "write_archive",
]
