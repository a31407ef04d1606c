"""Reads of users, workspaces, sessions and keys."""

from datetime import datetime
from typing import Final, Literal
from uuid import UUID

from msgspec import Struct

from signalpost.kit.db import Db
from signalpost.kit.rows import columns, read_all, read_one, reader
from signalpost.settings import Settings
from signalpost.web.caller import Caller, Role
from signalpost.web.paging import Page, keyset


def tenant_sql(workspace_id: str) -> str:
    """Return SQL of the user whose workspaces count as one when something scarce is shared out: the owner.

    Args:
        workspace_id: SQL of the workspace's id, which stands in for an owner that is missing.
    """
    return f"""coalesce((select owner.user_id from member owner where owner.workspace_id = {workspace_id}
        and owner.role = 'owner' and owner.status = 'active'), {workspace_id})"""  # noqa: S608 - SQL in, SQL out


def plan_in_force(settings: Settings, bought: str) -> str:
    """Return the plan that counts: with billing off every workspace is self-hosted, whatever it once bought."""
    return bought if settings.billing_enabled else "self_hosted"


ROLE_SQL: Final = "case when m.over_limit then 'viewer' else m.role end"
"""What the member `m` may do now: one that the plan does not cover reads."""
SecondFactor = Literal["optional", "admins", "everyone"]
"""Whom a workspace requires a second factor of."""


class KeyCredential(Struct):
    """An API key with all that decides what it may do. `role` is None if its issuer is not an active member."""

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
    tenant_id: UUID
    plan: str
    workspace_timezone: str
    workspace_zone_chosen: bool
    role: Role | None
    member_profile_ids: list[UUID] | None
    is_of_app: bool  # an app acts by it; no plan counts it
    older_keys: int  # of the workspace, that work: a smaller plan covers the oldest ones


_KEY_CREDENTIAL_COLUMNS = columns(
    KeyCredential,
    "k",
    revoked="k.revoked_at is not null or w.deleted_at is not null",
    expired="coalesce(k.expires_at <= now(), false)",
    stale="coalesce(k.last_used_at < now() - interval '1 minute', true)",
    user_id="u.id",
    user_name="coalesce(u.name, u.email)",
    is_staff="u.is_staff",
    workspace_id="w.id",
    tenant_id=tenant_sql("w.id"),
    plan="w.plan",
    workspace_timezone="w.timezone",
    workspace_zone_chosen="w.zone_chosen",
    role=ROLE_SQL,
    member_profile_ids="m.profile_ids",
    is_of_app="k.app_id is not null",
    older_keys="(select count(*) from api_key o where o.workspace_id = k.workspace_id and o.revoked_at is null"
    " and o.app_id is null"
    " and (o.expires_at is null or o.expires_at > now()) and (o.created_at, o.id) < (k.created_at, k.id))",
)
_KEY_CREDENTIALS = f"""
select {_KEY_CREDENTIAL_COLUMNS}
from api_key k
join workspace w on w.id = k.workspace_id
join app_user u on u.id = k.created_by
left join member m on m.workspace_id = k.workspace_id and m.user_id = k.created_by and m.status = 'active'
"""  # noqa: S608 - columns of a struct
_KEY_CREDENTIAL = f"{_KEY_CREDENTIALS} where k.key_id = $1"
_KEY_BY_ID = f"{_KEY_CREDENTIALS} where k.id = $1"
_read_key_credential = reader(KeyCredential)


async def find_key_credential(db: Db, key_id: str) -> KeyCredential | None:
    """Return the key with this public id, in any state."""
    return await read_one(db, _read_key_credential, _KEY_CREDENTIAL, key_id)


async def find_key_by_id(db: Db, row_id: UUID) -> KeyCredential | None:
    """Return the key of something that it made, in any state."""
    return await read_one(db, _read_key_credential, _KEY_BY_ID, row_id)


_MAKER_ROLE = f"""
select {ROLE_SQL} from member m
where m.workspace_id = $1 and m.user_id = $2 and m.status = 'active' and ($3::uuid is null or exists (
    select from api_key k where k.id = $3 and k.workspace_id = $1 and k.revoked_at is null
        and (k.expires_at is null or k.expires_at > now())))
"""  # noqa: S608 - constants only


async def maker_role(db: Db, workspace_id: UUID, user_id: UUID, key_id: UUID | None) -> Role | None:
    """Return the role now of a person who made something, by a key or not; None: they left, or the key has ended."""
    role: Role | None = await db.fetchval(_MAKER_ROLE, workspace_id, user_id, key_id)
    return role


class Membership(Struct):
    """A user's membership in one workspace."""

    workspace_id: UUID
    tenant_id: UUID
    plan: str
    timezone: str
    zone_chosen: bool
    role: Role
    status: Literal["active", "suspended"]
    profile_ids: list[UUID] | None
    second_factor: SecondFactor
    granted_role: Role  # also while the plan does not cover the member
    stale: bool  # last activity was noted more than a minute ago, or in another workspace


class SessionCredential(Struct):
    """A session, its user, and their membership in the requested workspace, if there is one."""

    ended: bool
    user_id: UUID
    user_name: str
    is_staff: bool
    has_second_factor: bool
    stale: bool  # its last use was noted more than a minute ago
    membership: Membership | None


_MEMBERSHIP_COLUMNS = columns(
    Membership,
    "m",
    workspace_id="w.id",
    tenant_id=tenant_sql("w.id"),
    plan="w.plan",
    timezone="w.timezone",
    zone_chosen="w.zone_chosen",
    role=ROLE_SQL,
    second_factor="w.second_factor",
    granted_role="m.role",
    stale="coalesce(m.last_active_at < now() - interval '1 minute', true) or u.last_workspace_id is distinct from w.id",
)
_SESSION_CREDENTIAL_COLUMNS = columns(
    SessionCredential,
    ended="s.revoked_at is not null or s.expires_at <= now()",
    user_id="u.id",
    user_name="coalesce(u.name, u.email)",
    is_staff="u.is_staff",
    has_second_factor="u.totp_confirmed_at is not null or s.second_factor",
    stale="coalesce(s.last_used_at, s.created_at) < now() - interval '1 minute'",
    membership=_MEMBERSHIP_COLUMNS,
)
_SESSION_CREDENTIAL = f"""
select {_SESSION_CREDENTIAL_COLUMNS}
from session s
join app_user u on u.id = s.user_id
left join (member m join workspace w on w.id = m.workspace_id and w.deleted_at is null)
    on m.user_id = u.id and m.workspace_id = $3 and m.status in ('active', 'suspended')
where s.id = $1 and s.user_id = $2
"""  # noqa: S608 - columns of a struct


async def find_session_credential(
    db: Db, session_id: UUID, user_id: UUID, workspace_id: UUID
) -> SessionCredential | None:
    """Return the session of this user with their membership in this workspace."""
    record = await db.fetchrow(_SESSION_CREDENTIAL, session_id, user_id, workspace_id)
    if record is None:
        return None
    ended, user_id, user_name, is_staff, has_second_factor, stale, *membership = record
    of_workspace = Membership(*membership) if membership[0] else None
    return SessionCredential(ended, user_id, user_name, is_staff, has_second_factor, stale, of_workspace)


_MEMBERSHIP = f"""
select coalesce(u.name, u.email), {_MEMBERSHIP_COLUMNS}
from member m
join workspace w on w.id = m.workspace_id and w.deleted_at is null
join app_user u on u.id = m.user_id
where m.user_id = $1 and m.workspace_id = $2 and m.status in ('active', 'suspended')
"""  # noqa: S608 - columns of a struct


async def find_membership(db: Db, user_id: UUID, workspace_id: UUID) -> tuple[str, Membership] | None:
    """Return the name of a user, and their membership in the workspace; None: they are not a member."""
    record = await db.fetchrow(_MEMBERSHIP, user_id, workspace_id)
    return None if record is None else (record[0], Membership(*list(record.values())[1:]))


class UserRow(Struct):
    """A user, without the password."""

    id: UUID
    email: str
    name: str | None
    avatar_url: str | None
    timezone: str
    locale: str | None
    is_staff: bool
    totp_enabled: bool
    created_at: datetime


_USER = f"select {columns(UserRow, totp_enabled='totp_confirmed_at is not null')} from app_user where id = $1"  # noqa: S608
_read_user = reader(UserRow)


async def read_user(db: Db, user_id: UUID) -> UserRow:
    """Return a user that exists: users are never deleted."""
    record = await db.fetchrow(_USER, user_id)
    assert record is not None  # noqa: S101 - see above
    return _read_user(record)


_PERSON: Final = "select name, email from app_user where id = $1"


async def read_person(db: Db, user_id: UUID) -> tuple[str | None, str]:
    """Return name and e-mail address of a member of the workspace, or of staff: what requests may read of a user."""
    record = await db.fetchrow(_PERSON, user_id)
    assert record is not None  # noqa: S101 - users are never deleted
    return record[0], record[1]


class PasswordRow(Struct):
    """What a sign-in is checked against."""

    user_id: UUID
    password_hash: str | None
    totp_enabled: bool
    knows_address: bool  # the user signed in from there within 30 days


_PASSWORD_COLUMNS = columns(
    PasswordRow,
    "u",
    user_id="u.id",
    totp_enabled="u.totp_confirmed_at is not null",
    knows_address="""exists (select from session s
        where s.user_id = u.id and s.address = $2 and s.created_at > now() - interval '30 days')""",
)
_PASSWORD = f"select {_PASSWORD_COLUMNS} from app_user u where email_key = lower($1)"  # noqa: S608 - columns of a struct
_read_password = reader(PasswordRow)


async def find_password(db: Db, email: str, address: str) -> PasswordRow | None:
    """Return the user with this e-mail address, in any case, and whether they know the client's address."""
    return await read_one(db, _read_password, _PASSWORD, email, address)


class WorkspaceRow(Struct):
    """A workspace, and the role of the user in it."""

    id: UUID
    name: str
    slug: str
    plan: str  # the one bought
    timezone: str
    zone_chosen: bool
    redirect_urls: list[str]
    created_at: datetime
    second_factor: SecondFactor
    role: Role


_WORKSPACES = f"""
select {columns(WorkspaceRow, "w", role=ROLE_SQL)}
from member m
join workspace w on w.id = m.workspace_id and w.deleted_at is null
join app_user u on u.id = m.user_id
where m.user_id = $1 and m.status = 'active' and ($2::uuid is null or w.id = $2)
"""  # noqa: S608 - columns of a struct
_WORKSPACES_LAST_FIRST = (
    _WORKSPACES + " order by w.id = u.last_workspace_id desc nulls last, m.joined_at, w.id limit 500"
)
_WORKSPACES_PAGE = f"{_WORKSPACES} and {keyset('w.created_at', 'w.id', first=3)}"
_read_workspace = reader(WorkspaceRow)


async def workspaces_of(db: Db, user_id: UUID) -> list[WorkspaceRow]:
    """Return the workspaces where the user is an active member, the one they used last first; at most 500."""
    return await read_all(db, _read_workspace, _WORKSPACES_LAST_FIRST, user_id, None)


async def workspaces_page(db: Db, caller: Caller, page: Page) -> list[WorkspaceRow]:
    """Return the caller's workspaces, newest first; an API key sees only its own."""
    only = caller.workspace_id if caller.auth == "api_key" else None
    return await read_all(db, _read_workspace, _WORKSPACES_PAGE, caller.user_id, only, *page.bounds)


async def find_my_workspace(db: Db, caller: Caller, workspace_id: UUID) -> WorkspaceRow | None:
    """Return the workspace if the caller is an active member of it; not only the one of the request."""
    if caller.auth == "api_key" and workspace_id != caller.workspace_id:
        return None
    return await find_workspace_of(db, caller.user_id, workspace_id)


async def find_workspace_of(db: Db, user_id: UUID, workspace_id: UUID) -> WorkspaceRow | None:
    """Return the workspace if the user is an active member of it."""
    return await read_one(db, _read_workspace, _WORKSPACES, user_id, workspace_id)


_OWNED = "select count(*) from member where user_id = $1 and role = 'owner' and status = 'active'"
_LOCK_OWNER = "select pg_advisory_xact_lock(hashtextextended('free/' || $1::uuid::text, 0))"
_FREE_OWNED = """
select count(*) from member m join workspace w on w.id = m.workspace_id and w.deleted_at is null and w.plan = 'free'
where m.user_id = $1 and m.role = 'owner' and m.status = 'active'
"""


async def count_free_owned(db: Db, user_id: UUID) -> int:
    """Return how many workspaces with the free plan the user owns; others wait for the end of this transaction."""
    await db.execute(_LOCK_OWNER, user_id)
    count: int = await db.fetchval(_FREE_OWNED, user_id)
    return count


async def count_owned(db: Db, user_id: UUID) -> int:
    """Return how many workspaces the user owns."""
    count: int = await db.fetchval(_OWNED, user_id)
    return count


_SESSION_EXPIRES = "select expires_at from session where id = $1"
_KEY_EXPIRES = "select expires_at from api_key where id = $1"


async def credential_expires_at(db: Db, caller: Caller) -> datetime | None:
    """Return when the caller's key expires, or when their session ends unless it is refreshed."""
    statement = _SESSION_EXPIRES if caller.key_id is None else _KEY_EXPIRES
    expires_at: datetime | None = await db.fetchval(statement, caller.key_id or caller.session_id)
    return expires_at


class WorkspaceTerms(Struct):
    """What a workspace has without a caller: its plan in force and its time zone."""

    plan: str
    timezone: str


_TERMS = "select plan, timezone from workspace where id = $1"


async def workspace_name(db: Db, workspace_id: UUID) -> str:
    """Return what a workspace is called; one that is erased is called nothing."""
    name: str = await db.fetchval("select name from workspace where id = $1", workspace_id)
    return name


async def workspace_terms(settings: Settings, db: Db, workspace_id: UUID) -> WorkspaceTerms:
    """Return the plan in force and the time zone of a workspace.

    Raises:
        LookupError: there is no such workspace.
    """
    record = await db.fetchrow(_TERMS, workspace_id)
    if record is None:
        raise LookupError("no such workspace")
    return WorkspaceTerms(plan_in_force(settings, record["plan"]), record["timezone"])


STAFF_MAILED_MAX: Final = 20
_STAFF: Final = "select id, email from app_user where is_staff order by (id = $1) desc nulls last, id limit $2"


async def staff_mailboxes(db: Db, assignee_id: UUID | None) -> list[tuple[UUID, str]]:
    """Return id and e-mail address of this administrator of the installation; if they are none, of all, at most 20."""
    everyone = [(record["id"], record["email"]) for record in await db.fetch(_STAFF, assignee_id, STAFF_MAILED_MAX)]
    return everyone[:1] if everyone and everyone[0][0] == assignee_id else everyone


async def is_staff(db: Db, user_id: UUID) -> bool:
    """Whether the user administers the installation."""
    return bool(await db.fetchval("select exists (select from app_user where id = $1 and is_staff)", user_id))
