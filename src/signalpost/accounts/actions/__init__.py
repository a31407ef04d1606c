"""What can be done to accounts."""

from signalpost.accounts.actions.authorize import finish, start
from signalpost.accounts.actions.connect import connect_account
from signalpost.accounts.actions.disconnect import disconnect_account, disconnect_profile
from signalpost.accounts.actions.health import account_health
from signalpost.accounts.actions.moves import mark_needs_reauth, mark_restricted
from signalpost.accounts.actions.update import update_account

__all__ = [
    "account_health",
    "connect_account",
    "disconnect_account",
    "disconnect_profile",
    "finish",
    "mark_needs_reauth",
    "mark_restricted",
    "start",
    "update_account",
]
