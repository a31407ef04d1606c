"""Reads of users, workspaces, sessions and keys."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Literal
from uuid import UUID

import msgspec
from msgspec import Struct

from signalpost.identity import roles
from signalpost.identity.schemas import Actor, ApiKey, User, Workspace, WorkspaceSummary
from signalpost.kit import clock, ids
from signalpost.kit.db import Db
from signalpost.settings import BRAND_KEY, Settings
from signalpost.web.caller import Caller, Role
from signalpost.web.paging import Page


class Credential(Struct):
    """An API key with all that decides what it may do. `role` is None when its issuer is no active member."""

    id: UUID
    secret_hmac: bytes
    name: str
    mode: Literal["live", "test"]
    permission: str
    scopes: list[str]
    profile_ids: list[UUID] | None
    ip_allow_list: list[str] | None
    revoked: bool
    expired: bool
    stale: bool  # its last use was noted more than a minute ago
    user_id: UUID
    user_name: str
    is_staff: bool
    workspace_id: UUID
    plan: str
    workspace_timezone: str
    role: Role | None
    member_profile_ids: list[UUID] | None


_CREDENTIAL = """
select k.id, k.secret_hmac, k.name, k.mode, k.permission, k.scopes, k.profile_ids, k.ip_allow_list,
    k.revoked_at is not null or w.deleted_at is not null, coalesce(k.expires_at <= now(), false),
    coalesce(k.last_used_at < now() - interval '1 minute', true),
    u.id, coalesce(u.name, u.email), u.is_staff, w.id, w.plan, w.timezone, m.role, m.profile_ids
from api_key k
join workspace w on w.id = k.workspace_id
join app_user u on u.id = k.created_by
left join member m on m.workspace_id = k.workspace_id and m.user_id = k.created_by and m.status = 'active'
where k.key_id = $1
"""


async def find_credential(db: Db, key_id: str) -> Credential | None:
    """Return the key with this public id, in whatever state it is."""
    row = await db.fetchrow(_CREDENTIAL, key_id)
    return Credential(*row) if row else None


_TOUCH_KEY = """
update api_key set last_used_at = now(), last_used_ip = $2
where id = $1 and coalesce(last_used_at < now() - interval '1 minute', true)
"""


async def touch_key(db: Db, key_id: UUID, address: str) -> None:
    """Note that the key was used, at most once a minute."""
    await db.execute(_TOUCH_KEY, key_id, address)


class Membership(Struct):
    """What a user is in one workspace."""

    workspace_id: UUID
    plan: str
    timezone: str
    role: Role
    status: str  # active | suspended
    profile_ids: list[UUID] | None
    stale: bool  # last activity was noted more than a minute ago, or in another workspace


class SessionRow(Struct):
    """A session, its user, and the membership in the workspace asked for, if there is one."""

    ended: bool
    user_id: UUID
    user_name: str
    is_staff: bool
    membership: Membership | None


_SESSION = """
select s.revoked_at is not null or s.expires_at <= now(), u.id, coalesce(u.name, u.email), u.is_staff,
    w.id, w.plan, w.timezone, m.role, m.status, m.profile_ids,
    coalesce(m.last_active_at < now() - interval '1 minute', true) or u.last_workspace_id is distinct from w.id
from session s
join app_user u on u.id = s.user_id
left join (member m join workspace w on w.id = m.workspace_id and w.deleted_at is null)
    on m.user_id = u.id and m.workspace_id = $3 and m.status in ('active', 'suspended')
where s.id = $1 and s.user_id = $2
"""


async def find_session(db: Db, session_id: UUID, user_id: UUID, workspace_id: UUID) -> SessionRow | None:
    """Return the session of this user as it stands in this workspace."""
    row = await db.fetchrow(_SESSION, session_id, user_id, workspace_id)
    if row is None:
        return None
    ended, user_id, user_name, is_staff, *member = row
    return SessionRow(ended, user_id, user_name, is_staff, Membership(*member) if member[0] else None)


_TOUCH_MEMBER = """
with seen as (
    update member set last_active_at = now()
    where user_id = $1 and workspace_id = $2 and status = 'active'
        and coalesce(last_active_at < now() - interval '1 minute', true)
)
update app_user set last_workspace_id = $2 where id = $1 and last_workspace_id is distinct from $2
"""


async def touch_member(db: Db, user_id: UUID, workspace_id: UUID) -> None:
    """Note that the member was active, at most once a minute, and where: the next sign-in starts there."""
    await db.execute(_TOUCH_MEMBER, user_id, workspace_id)


class UserRow(Struct):
    """A user, without the password."""

    id: UUID
    email: str
    name: str | None
    avatar_url: str | None
    timezone: str
    locale: str
    is_staff: bool
    created_at: datetime

    def shown(self) -> User:
        """Return the user as on the wire."""
        return User(
            ids.encode("usr", self.id),
            self.email,
            self.name,
            self.avatar_url,
            self.timezone,
            self.locale,
            self.is_staff,
            clock.wire(self.created_at),
        )


_USER = "select id, email, name, avatar_url, timezone, locale, is_staff, created_at from app_user where id = $1"


async def read_user(db: Db, user_id: UUID) -> UserRow:
    """Return a user that is known to exist: users are never deleted."""
    row = await db.fetchrow(_USER, user_id)
    assert row is not None  # noqa: S101 - see above
    return UserRow(*row)


class PasswordRow(Struct):
    """What a sign-in is checked against."""

    user_id: UUID
    password_hash: str | None


_PASSWORD = "select id, password_hash from app_user where email_key = lower($1)"  # noqa: S105 - no password


async def find_password(db: Db, email: str) -> PasswordRow | None:
    """Return the user with this e-mail address, in whatever case."""
    row = await db.fetchrow(_PASSWORD, email)
    return PasswordRow(*row) if row else None


class WorkspaceRow(Struct):
    """A workspace, and what the user is in it."""

    id: UUID
    name: str
    slug: str
    plan: str  # the one bought
    timezone: str
    redirect_urls: list[str]
    created_at: datetime
    role: Role

    def summary(self, settings: Settings) -> WorkspaceSummary:
        """Return the workspace as on the wire, with the plan in force."""
        return WorkspaceSummary(
            ids.encode("wsp", self.id),
            self.name,
            self.slug,
            plan_in_force(settings, self.plan),
            self.timezone,
            clock.wire(self.created_at),
        )

    def shown(self, settings: Settings) -> Workspace:
        """Return the workspace as one of its members sees it."""
        summary = msgspec.structs.asdict(self.summary(settings))
        return Workspace(**summary, role=self.role, redirect_urls=self.redirect_urls)


def plan_in_force(settings: Settings, bought: str) -> str:
    """Return the plan that counts: with billing off every workspace is self-hosted, whatever it once bought."""
    return bought if settings.billing_enabled else "self_hosted"


_WORKSPACES = """
select w.id, w.name, w.slug, w.plan, w.timezone, w.redirect_urls, w.created_at, m.role
from member m
join workspace w on w.id = m.workspace_id and w.deleted_at is null
join app_user u on u.id = m.user_id
where m.user_id = $1 and m.status = 'active' and ($2::uuid is null or w.id = $2)
"""
_WORKSPACES_LAST_FIRST = (
    _WORKSPACES + " order by w.id = u.last_workspace_id desc nulls last, m.joined_at, w.id limit 500"
)
_WORKSPACES_PAGE = (
    _WORKSPACES
    + """ and ($3::timestamptz is null or (w.created_at, w.id) < ($3, $4))
order by w.created_at desc, w.id desc limit $5
"""
)


async def workspaces_of(db: Db, user_id: UUID) -> list[WorkspaceRow]:
    """Return the workspaces where the user is an active member, the one they were in last first; at most 500."""
    return [WorkspaceRow(*row) for row in await db.fetch(_WORKSPACES_LAST_FIRST, user_id, None)]


async def workspaces_page(db: Db, caller: Caller, page: Page) -> list[WorkspaceRow]:
    """Return the caller's workspaces, newest first; an API key sees its own one only."""
    only = caller.workspace_id if caller.auth == "api_key" else None
    rows = await db.fetch(_WORKSPACES_PAGE, caller.user_id, only, page.after_at, page.after_id, page.fetch)
    return [WorkspaceRow(*row) for row in rows]


async def find_my_workspace(db: Db, caller: Caller, workspace_id: UUID) -> WorkspaceRow | None:
    """Return the workspace if the caller is an active member of it; not only the one of the request."""
    if caller.auth == "api_key" and workspace_id != caller.workspace_id:
        return None
    row = await db.fetchrow(_WORKSPACES, caller.user_id, workspace_id)
    return WorkspaceRow(*row) if row else None


_OWNED = "select count(*) from member where user_id = $1 and role = 'owner' and status = 'active'"


async def count_owned(db: Db, user_id: UUID) -> int:
    """Return how many workspaces the user owns."""
    found: int = await db.fetchval(_OWNED, user_id)
    return found


_SESSION_ENDS = "select expires_at from session where id = $1"
_KEY_ENDS = "select expires_at from api_key where id = $1"


async def credential_ends(db: Db, caller: Caller) -> datetime | None:
    """Return when the caller's key expires, or their session ends unless it is refreshed."""
    if caller.key_id is not None:
        found: datetime | None = await db.fetchval(_KEY_ENDS, caller.key_id)
    else:
        found = await db.fetchval(_SESSION_ENDS, caller.session_id)
    return found


class KeyRow(Struct):
    """An API key as people see it; its secret is not among it."""

    id: UUID
    key_id: str
    name: str
    mode: Literal["live", "test"]
    permission: Literal["read", "read_write"]
    scopes: list[str]
    profile_ids: list[UUID] | None
    ip_allow_list: list[str] | None
    expires_at: datetime | None
    last_used_at: datetime | None
    last_used_ip: str | None
    created_by: UUID
    created_by_name: str
    created_at: datetime
    revoked_at: datetime | None

    def shown(self) -> ApiKey:
        """Return the key as on the wire: without what it takes to use it."""
        if self.revoked_at is not None:
            status: Literal["active", "expired", "revoked"] = "revoked"
        else:
            status = "expired" if self.expires_at is not None and self.expires_at <= clock.now() else "active"
        return ApiKey(
            ids.encode("key", self.id),
            self.name,
            f"{BRAND_KEY}_{self.mode}_{self.key_id}",
            self.mode,
            self.permission,
            self.scopes,
            None if self.profile_ids is None else [ids.encode("prof", one) for one in self.profile_ids],
            self.ip_allow_list,
            clock.wire_or_none(self.expires_at),
            clock.wire_or_none(self.last_used_at),
            self.last_used_ip,
            Actor("user", ids.encode("usr", self.created_by), self.created_by_name),
            clock.wire(self.created_at),
            clock.wire_or_none(self.revoked_at),
            status,
        )


# Whoever is limited to profiles sees only keys limited to some of them; editors see only their own.
_KEYS = """
select k.id, k.key_id, k.name, k.mode, k.permission, k.scopes, k.profile_ids, k.ip_allow_list, k.expires_at,
    k.last_used_at, k.last_used_ip, k.created_by, coalesce(u.name, u.email), k.created_at, k.revoked_at
from api_key k join app_user u on u.id = k.created_by
where k.workspace_id = $1 and ($2::uuid is null or k.created_by = $2)
    and ($3::uuid[] is null or k.profile_ids <@ $3 or $4 in (k.created_by, k.id))
"""
_KEYS_PAGE = (
    _KEYS
    + """ and (k.revoked_at is null or k.revoked_at > $5)
    and ($6::timestamptz is null or (k.created_at, k.id) < ($6, $7))
order by k.created_at desc, k.id desc limit $8
"""
)
REVOKED_SHOWN = timedelta(days=30)


def _keys_seen_by(caller: Caller) -> tuple[UUID, UUID | None, list[UUID] | None, UUID]:
    own = None if roles.may_manage_others_api_keys(caller.role) else caller.user_id
    # A limited member sees the own keys, a limited key only itself and what is within its limits.
    return caller.workspace_id, own, caller.sees_profiles, caller.key_id or caller.user_id


async def keys_page(db: Db, caller: Caller, page: Page) -> list[KeyRow]:
    """Return the keys the caller may see, newest first; revoked ones for 30 days."""
    since = clock.now() - REVOKED_SHOWN
    rows = await db.fetch(_KEYS_PAGE, *_keys_seen_by(caller), since, page.after_at, page.after_id, page.fetch)
    return [KeyRow(*row) for row in rows]


async def find_my_key(db: Db, caller: Caller, key_id: UUID) -> KeyRow | None:
    """Return a key the caller may see, in whatever state; a key always sees itself."""
    row = await db.fetchrow(_KEYS + " and k.id = $5", *_keys_seen_by(caller), key_id)
    return KeyRow(*row) if row else None


# The table belongs to a room above; a key for a profile that does not exist would only be found out when it is used.
_PROFILES = "select id from profile where workspace_id = $1 and id = any($2) and deleted_at is null"


async def existing_profiles(db: Db, caller: Caller, profile_ids: Sequence[UUID]) -> set[UUID]:
    """Return those of the ids that are profiles the caller may see."""
    rows = await db.fetch(_PROFILES, caller.workspace_id, profile_ids)
    return {row["id"] for row in rows if caller.may_see_profile(row["id"])}
