"""The caller: what `identity` resolves a credential to, and the scopes that routes require."""

from typing import Final, Literal, get_args
from uuid import UUID

from msgspec import Struct, field

from signalpost.events import Actor
from signalpost.kit import ids
from signalpost.kit.tenant import Tenant

Scope = Literal[
    "profiles:read", "profiles:write", "accounts:read", "accounts:write", "posts:read", "posts:write", "posts:publish",
    "comments:read", "comments:write", "media:write", "analytics:read", "webhooks:read", "webhooks:write", "team:read",
    "team:write", "billing:read",
    "keys:write", "invites:write", "support:write", "instance:admin",
]  # fmt: skip
SCOPES: Final[tuple[str, ...]] = get_args(Scope)

PUBLIC: Final = "public"
"""Scope of a route that needs no credential."""

SIGNED_IN: Final = "signed_in"
"""Scope of a route that any valid credential may use; its action checks the role."""

Mode = Literal["live", "test"]

Role = Literal["owner", "admin", "editor", "contributor", "approver", "viewer"]


class Caller(Struct, frozen=True, kw_only=True):
    """A resolved credential. Requests share it for up to a second, so it is immutable."""

    user_id: UUID
    user_name: str
    workspace_id: UUID
    tenant: Tenant
    role: Role
    scopes: frozenset[str]
    mode: Mode
    auth: Literal["session", "api_key", "messaging"]
    credential: str  # stable name of the credential, by which rate limits and idempotency keys are kept
    plan: str
    workspace_timezone: str = "UTC"
    workspace_zone_chosen: bool = False  # by a person; else it may be UTC because nobody did
    profile_ids: frozenset[UUID] | None = None  # None: all of the workspace
    key_id: UUID | None = None
    key_name: str | None = None
    guest: Actor | None = None  # who acts, by a link that this user made
    session_id: UUID | None = None
    is_staff: bool = False
    requests_per_minute: int = 600_000
    writes_per_minute: int = 600_000
    ip_allow_list: tuple[str, ...] = field(default=())
    has_second_factor: bool = False  # of a session: the user has one here, or the provider asked for one
    needs_second_factor: bool = False  # the workspace requires one of this member, who has none

    @property
    def actor(self) -> Actor:
        """The caller as audit logs and `createdBy` name it."""
        if self.guest is not None:
            return self.guest
        if self.key_id is not None:
            return Actor(type="api_key", id=ids.encode("key", self.key_id), name=self.key_name)
        return Actor(type="user", id=ids.encode("usr", self.user_id), name=self.user_name)

    @property
    def uploader(self) -> str:
        """Whose files without a profile a caller limited to profiles sees: the key's own, or all of the user."""
        return str(self.user_id) if self.key_id is None else ids.encode("key", self.key_id)

    @property
    def sees_profiles(self) -> list[UUID] | None:
        """The profile filter as a query parameter: None means all."""
        return None if self.profile_ids is None else list(self.profile_ids)

    @property
    def only_reads(self) -> bool:
        """Whether this is a key all of whose scopes are for reading."""
        return self.auth == "api_key" and all(scope.endswith(":read") for scope in self.scopes)

    def may_see_profile(self, profile_id: UUID) -> bool:
        """Whether this member or key is allowed to see the profile."""
        return self.profile_ids is None or profile_id in self.profile_ids
