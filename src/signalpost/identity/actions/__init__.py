"""Writes, by what people do: sign up, sign in, change a password, issue keys, keep workspaces."""

from signalpost.identity.actions.issue_keys import create_key_for
from signalpost.identity.actions.sign_up import Owner, create_owner

__all__ = ["Owner", "create_key_for", "create_owner"]
