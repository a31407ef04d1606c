"""Reads of users, workspaces, sessions and keys."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from msgspec import Struct

from signalpost.kit.db import Db
from signalpost.web.caller import Role


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
    stale: bool  # last activity was noted more than a minute ago


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
    coalesce(m.last_active_at < now() - interval '1 minute', true)
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
    returning workspace_id
)
update app_user set last_workspace_id = seen.workspace_id from seen
where app_user.id = $1 and app_user.last_workspace_id is distinct from seen.workspace_id
"""


async def touch_member(db: Db, user_id: UUID, workspace_id: UUID) -> None:
    """Note that the member was active, and where: the next sign-in starts there. At most once a minute."""
    await db.execute(_TOUCH_MEMBER, user_id, workspace_id)


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
