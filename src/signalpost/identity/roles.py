"""Which role may do what, as scopes. What a scope cannot say (own or others', below which role) the actions decide."""

from typing import Final

from signalpost.web.caller import SCOPES, Role

_READ: Final = frozenset({"profiles:read", "accounts:read", "posts:read", "analytics:read", "team:read"})
_WRITE: Final = _READ | {"posts:write", "media:write", "support:write"}
_ALL: Final = frozenset(SCOPES) - {"instance:admin"}

SCOPES_OF: Final[dict[Role, frozenset[str]]] = {
    "owner": _ALL,
    "admin": _ALL,
    "editor": _WRITE | {"posts:publish", "accounts:write", "invites:write"},
    "contributor": _WRITE,  # publishing is asked for, by request-approval
    "approver": _READ | {"support:write"},
    "viewer": _READ | {"support:write"},
}
"""Effective rights of a key are its own scopes within these, of the role its issuer has now."""

MANAGERS: Final = frozenset[Role]({"owner", "admin"})
"""Roles that manage what belongs to others: keys, webhooks, the workspace itself."""

KEY_HOLDERS: Final = frozenset[Role]({"owner", "admin", "editor"})
"""Roles that may have API keys."""


def scopes_of(role: Role, *, is_staff: bool = False) -> frozenset[str]:
    """Return all that this role includes; instance staff may administer on top, whatever their role."""
    return SCOPES_OF[role] | {"instance:admin"} if is_staff else SCOPES_OF[role]


def within(granted: frozenset[str], permission: str) -> frozenset[str]:
    """Return those of `granted` that a key of this permission (`read` or `read_write`) may use."""
    if permission == "read_write":
        return granted
    return frozenset(scope for scope in granted if scope.endswith(":read"))
