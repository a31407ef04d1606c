"""What each role may do: scopes, and predicates for what a scope cannot express (others' posts, others' keys)."""

from collections.abc import Callable
from functools import partial
from typing import Final, Literal, NamedTuple

from signalpost.web.caller import SCOPES, Role

_READ: Final = frozenset(
    {"profiles:read", "accounts:read", "posts:read", "comments:read", "analytics:read", "team:read"}
)
_WRITE: Final = _READ | {"posts:write", "comments:write", "media:write", "support:write"}
_ALL: Final = frozenset(SCOPES) - {"instance:admin"}

SCOPES_OF: Final[dict[Role, frozenset[str]]] = {
    "owner": _ALL,
    "admin": _ALL,
    "editor": _WRITE | {"posts:publish", "accounts:write", "invites:write", "keys:write"},
    "contributor": _WRITE,  # what it publishes waits for an approval
    "approver": _READ | {"support:write"},
    "viewer": _READ | {"support:write"},
}
"""The effective rights of a key are its own scopes within these, of the role its issuer has now."""

_RANK: Final[dict[Role, int]] = {"owner": 2, "admin": 1, "editor": 0, "contributor": 0, "approver": 0, "viewer": 0}
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


def _is(wanted_role: Role, role: Role) -> bool:
    return role == wanted_role


def outranks(role: Role, other: Role) -> bool:
    """Whether the role may invite, change and remove members with the other one: admins all below them."""
    return role in _ADMINS and _RANK[role] > _RANK[other]


def needs_second_factor(role: Role, required: Literal["optional", "admins", "everyone"]) -> bool:
    """Whether a workspace that requires it of these people requires a second factor of the role."""
    return required == "everyone" or (required == "admins" and role in _ADMINS)


def may_manage_workspace(role: Role) -> bool:
    """Whether the role may change the workspace's name, time zone and redirect addresses."""
    return role in _ADMINS


def may_manage_others_api_keys(role: Role) -> bool:
    """Whether the role may list and revoke the API keys of other members."""
    return role in _ADMINS


def may_end_others_calendar_links(role: Role) -> bool:
    """Whether the role may list and end the calendar links of other members."""
    return role in _ADMINS


def may_end_others_report_links(role: Role) -> bool:
    """Whether the role may list and end the links to reports of other members."""
    return role in _ADMINS


def may_publish(role: Role) -> bool:
    """Whether the role may publish a post without approval; a key also needs the scope itself."""
    return "posts:publish" in SCOPES_OF[role]


def asks_approval(role: Role) -> bool:
    """Whether what the role publishes or schedules waits for an approval, on every profile."""
    return role == "contributor"


def may_edit_others_posts(role: Role) -> bool:
    """Whether the role may edit, trash and restore posts of other members."""
    return role in _EDITORS


def may_approve(role: Role) -> bool:
    """Whether the role may approve and reject posts that wait for approval."""
    return role in _APPROVERS


def may_discuss(role: Role) -> bool:
    """Whether the role may write to the team about posts."""
    return role != "viewer"


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


class Right(NamedTuple):
    """A line of the table of roles, as the reference shows it."""

    description: str
    belongs_to: Callable[[Role], bool]


def _scope(*scopes: str) -> Callable[[Role], bool]:
    return lambda role: SCOPES_OF[role].issuperset(scopes)


RIGHTS: Final[tuple[Right, ...]] = (
    Right("Read profiles, accounts, posts, analytics, the queue and the team", _scope(*_READ)),
    Right("Upload media; create and edit own drafts; rewrite captions; request approval", _scope("posts:write")),
    Right("Publish and schedule own posts with an approval: now, slot, bulk, fan-out, submit, withdraw", asks_approval),
    Right("Edit, trash and restore posts of others", may_edit_others_posts),
    Right("Schedule and publish: now, bulk, fan-out, submit, cancel, retry", may_publish),
    Right("Approve and reject posts", may_approve),
    Right(
        "Answer comments (a contributor's answers wait for an approval), hide, like and delete them",
        _scope("comments:write"),
    ),
    Right("Write in the discussion of posts; mention members", may_discuss),
    Right("Delete own posts permanently, also from the networks", partial(may_delete_permanently, own=True)),
    Right("Delete posts of others permanently", partial(may_delete_permanently, own=False)),
    Right("Delete files of others", may_delete_others_media),
    Right("Connect accounts; invite others to connect theirs", _scope("accounts:write", "invites:write")),
    Right("Disconnect and move accounts", may_disconnect_accounts),
    Right("Create, change and delete profiles, their links and queues", _scope("profiles:write")),
    Right("Own API keys", _scope("keys:write")),
    Right("API keys of others", may_manage_others_api_keys),
    Right("Own calendar links", _scope("posts:read")),
    Right("Calendar links of others", may_end_others_calendar_links),
    Right("Own links to reports", _scope("analytics:read")),
    Right("Links to reports of others", may_end_others_report_links),
    Right("Webhooks", _scope("webhooks:read", "webhooks:write")),
    Right("Invite, change and remove members below the own role", _scope("team:write")),
    Right("Name, time zone and redirect addresses of the workspace; its audit log", may_manage_workspace),
    Right("Read billing", _scope("billing:read")),
    Right("Support tickets", _scope("support:write")),
    Right("Transfer the ownership", partial(_is, "owner")),
)
"""The table of roles for people."""
