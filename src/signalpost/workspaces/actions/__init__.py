"""Writes: delete, restore and erase a workspace; its export, and a workspace of one."""
