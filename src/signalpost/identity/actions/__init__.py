"""Writes, by what people do: sign up, sign in, change a password, issue keys, keep workspaces."""

from signalpost.identity.actions.issue_keys import create_key_for, issue, revoke
from signalpost.identity.actions.passwords import forgot_password, reset_password, reset_with_token
from signalpost.identity.actions.sign_in import end_session, end_sessions, login, logout, open_session, refresh
from signalpost.identity.actions.sign_up import (
    Owner,
    add_workspace,
    create_owner,
    create_user,
    create_workspace,
    register,
)
from signalpost.identity.actions.staff import make_staff
from signalpost.identity.actions.workspaces import may_redirect_to, set_plan, update_workspace

__all__ = [
    "Owner",
    "add_workspace",
    "create_key_for",
    "create_owner",
    "create_user",
    "create_workspace",
    "end_session",
    "end_sessions",
    "forgot_password",
    "issue",
    "login",
    "logout",
    "make_staff",
    "may_redirect_to",
    "open_session",
    "refresh",
    "register",
    "reset_password",
    "reset_with_token",
    "revoke",
    "set_plan",
    "update_workspace",
]
