"""What each role may do: scopes, and predicates for what a scope cannot express (others' posts, others' keys)."""

from typing import Final

from signalpost.web.caller import SCOPES, Role

_READ: Final = frozenset({"profiles:read", "accounts:read", "posts:read", "analytics:read", "team:read"})
_WRITE: Final = _READ | {"posts:write", "media:write", "support:write"}
_ALL: Final = frozenset(SCOPES) - {"instance:admin"}

SCOPES_OF: Final[dict[Role, frozenset[str]]] = {
    "owner": _ALL,
    "admin": _ALL,
    "editor": _WRITE | {"posts:publish", "accounts:write", "invites:write", "keys:write"},
    "contributor": _WRITE,  # publishes through request-approval
    "approver": _READ | {"support:write"},
    "viewer": _READ | {"support:write"},
}
"""The effective rights of a key are its own scopes within these, of the role its issuer has now."""

_ADMINS: Final = frozenset[Role]({"owner", "admin"})
_EDITORS: Final = frozenset[Role]({"owner", "admin", "editor"})
_APPROVERS: Final = frozenset[Role]({"owner", "admin", "approver"})


def scopes_of(role: Role, *, is_staff: bool = False) -> frozenset[str]:
    """Return all scopes of the role. Instance staff have `instance:admin` in addition, whatever their role."""
    return SCOPES_OF[role] | {"instance:admin"} if is_staff else SCOPES_OF[role]


def restrict(scopes: frozenset[str], permission: str) -> frozenset[str]:
    """Return those of `scopes` that a key with this permission (`read` or `read_write`) may use."""
    if permission == "read_write":
        return scopes
    return frozenset(scope for scope in scopes if scope.endswith(":read"))


def may_manage_workspace(role: Role) -> bool:
    """Whether the role may change the workspace's name, time zone and redirect addresses."""
    return role in _ADMINS


def may_manage_others_api_keys(role: Role) -> bool:
    """Whether the role may list and revoke the API keys of other members."""
    return role in _ADMINS


def may_publish(role: Role) -> bool:
    """Whether the role may publish a post without approval; a key also needs the scope itself."""
    return "posts:publish" in SCOPES_OF[role]


def may_edit_others_posts(role: Role) -> bool:
    """Whether the role may edit, trash and restore posts of other members."""
    return role in _EDITORS


def may_approve(role: Role) -> bool:
    """Whether the role may approve and reject posts that wait for approval."""
    return role in _APPROVERS


def may_delete_permanently(role: Role, *, own: bool) -> bool:
    """Whether the role may delete a post permanently or from its networks: admins any post, editors their `own`."""
    return role in _ADMINS or (own and role in _EDITORS)


def may_delete_others_media(role: Role) -> bool:
    """Whether the role may delete files that other members uploaded."""
    return role in _ADMINS


def may_disconnect_accounts(role: Role) -> bool:
    """Whether the role may disconnect accounts; connecting needs only the scope `accounts:write`."""
    return role in _ADMINS


def may_move_accounts(role: Role) -> bool:
    """Whether the role may move an account to another profile."""
    return role in _ADMINS
