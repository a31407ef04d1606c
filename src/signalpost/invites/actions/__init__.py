"""Writes of invitations: by their workspace, and by the guests who open them."""

from signalpost.invites.actions.guest import begin, find, record_invited_account, require_open_invite
from signalpost.invites.actions.manage import create_invite, revoke_invite

__all__ = ["begin", "create_invite", "find", "record_invited_account", "require_open_invite", "revoke_invite"]
