"""Writes: sign up, sign in, change a password, create keys, change workspaces."""

from signalpost.identity.actions.deletion import deleted_before, is_deleted, mark_deleted, mark_erased, unmark_deleted
from signalpost.identity.actions.one_time import use_once
from signalpost.identity.actions.passwords import (
    forgot_password,
    forgotten_password_message,
    is_reset_valid,
    reset_password,
    reset_with_token,
)
from signalpost.identity.actions.second_factor import check_code, confirm, disable, enrol, reset_second_factor
from signalpost.identity.actions.sign_in import (
    check_credentials,
    end_session,
    end_session_of_cookie,
    end_sessions,
    find_user,
    login,
    logout,
    open_session,
    record_in_workspaces,
    refresh,
    require_unchanged,
    session_cookie,
    sign_in,
    signed_in_lately,
)
from signalpost.identity.actions.sign_up import (
    NewWorkspace,
    create_owner,
    create_user,
    create_workspace,
    register,
    require_free_place,
    validate_time_zone,
    write_workspace,
)
from signalpost.identity.actions.staff import make_staff
from signalpost.identity.actions.workspaces import (
    may_redirect_to,
    require_second_factor,
    set_plan,
)

__all__ = [
    "NewWorkspace",
    "check_code",
    "check_credentials",
    "confirm",
    "create_owner",
    "create_user",
    "create_workspace",
    "deleted_before",
    "disable",
    "end_session",
    "end_session_of_cookie",
    "end_sessions",
    "enrol",
    "find_user",
    "forgot_password",
    "forgotten_password_message",
    "is_deleted",
    "is_reset_valid",
    "login",
    "logout",
    "make_staff",
    "mark_deleted",
    "mark_erased",
    "may_redirect_to",
    "open_session",
    "record_in_workspaces",
    "refresh",
    "register",
    "require_free_place",
    "require_second_factor",
    "require_unchanged",
    "reset_password",
    "reset_second_factor",
    "reset_with_token",
    "session_cookie",
    "set_plan",
    "sign_in",
    "signed_in_lately",
    "unmark_deleted",
    "use_once",
    "validate_time_zone",
    "write_workspace",
]
