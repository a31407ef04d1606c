"""Approval by link: someone without a user here reads chosen posts and decides. It does not know how that is done."""
