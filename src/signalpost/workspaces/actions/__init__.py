"""Writes: delete, restore and erase a workspace."""

from signalpost.workspaces.actions.delete import GRACE_DAYS, delete_workspace, restore_workspace
from signalpost.workspaces.actions.erase import erase_step, find_expired

__all__ = ["GRACE_DAYS", "delete_workspace", "erase_step", "find_expired", "restore_workspace"]
