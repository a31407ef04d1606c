"""The row of a person who deletes their account: it stays, without a name, for what refers to it."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from msgspec import Struct

from signalpost.context import AppContext
from signalpost.identity import offspring
from signalpost.identity.actions.sign_in import end_sessions
from signalpost.identity.caller_cache import CallerCache
from signalpost.kit import ids, problems
from signalpost.kit.db import Db
from signalpost.kit.rows import columns, read_all, reader
from signalpost.mail.messages import NOBODY

NAME: Final = "Deleted user"
"""What stands where the name of someone stood who deleted their account."""

ERASE_AFTER_SECONDS: Final = 60

# All staff, too, if the person is one of them: two of them who leave at once wait for each other.
_LOCK: Final = """
select id, email, locale, is_staff from app_user
where id = $1 or (is_staff and (select is_staff from app_user where id = $1)) order by id for update
"""
_CHANGED: Final = "select password_hash is distinct from $2 or deleted_at is not null from app_user where id = $1"


class PersonRow(Struct):
    """A person as they were, whose row is locked."""

    id: UUID
    email: str
    locale: str | None
    is_last_staff: bool


async def lock_person(db: Db, user_id: UUID, password_hash: str | None) -> PersonRow | None:
    """Lock a person until the transaction ends; None: the password changed meanwhile, or they are deleted."""
    rows = await db.fetch(_LOCK, user_id)
    if await db.fetchval(_CHANGED, user_id, password_hash):
        return None
    row = next(row for row in rows if row["id"] == user_id)
    is_last_staff = row["is_staff"] and len(rows) == 1
    return PersonRow(id=user_id, email=row["email"], locale=row["locale"], is_last_staff=is_last_staff)


class MembershipRow(Struct):
    """A workspace where a person is a member, or suspended."""

    member_id: UUID
    workspace_id: UUID
    workspace_name: str
    workspace_deleted: bool
    is_owner: bool


_MEMBERSHIPS: Final = f"""
select {
    columns(
        MembershipRow,
        member_id="m.id",
        workspace_id="w.id",
        workspace_name="w.name",
        workspace_deleted="w.deleted_at is not null",
        is_owner="m.role = 'owner'",
    )
}
from member m join workspace w on w.id = m.workspace_id
where m.user_id = $1 and m.status in ('active', 'suspended') order by w.id
"""  # noqa: S608 - columns of a struct
_read_membership: Final = reader(MembershipRow)


async def memberships_of(db: Db, user_id: UUID) -> list[MembershipRow]:
    """Return where a person is a member, in the order in which teams are locked; also of deleted workspaces."""
    return await read_all(db, _read_membership, _MEMBERSHIPS, user_id)


_END: Final = """
update app_user set email = $2, name = $3, password_hash = null, avatar_url = null, timezone = 'UTC', locale = null,
    is_staff = false, last_workspace_id = null, email_verified_at = null, totp_secret = null,
    totp_confirmed_at = null, totp_last_step = null, recovery_hashes = '{}', mail_off = '{}', push_off = '{}',
    quiet_hours = null, deleted_at = now(), updated_at = now()
where id = $1
"""
_FORGET_MEMBER: Final = "update member set email = $2, message = null where user_id = $1"
_FORGET_INVITES: Final = "delete from member where user_id is null and status = 'invited' and lower(email) = lower($1)"
_FORGET: Final = (
    "delete from one_time_token where user_id = $1",
    "delete from user_identity where user_id = $1",
    "delete from billing_handover where user_id = $1 or offered_by = $1",
)


async def end_person(context: AppContext, db: Db, row: PersonRow) -> None:
    """Take from a person all that lets in or acts for them, and the names off their row. Their teams come before."""
    address = f"{row.id.hex}@{NOBODY}"
    await end_sessions(context, db, row.id, "person_deleted")
    await offspring.end_of_person(db, row.id)
    await db.execute(_FORGET_MEMBER, row.id, address)
    await db.execute(_FORGET_INVITES, row.email)
    for statement in _FORGET:
        await db.execute(statement, row.id)
    await db.execute(_END, row.id, address, NAME)


# After a minute no request is under way that they began, and that may write their name.
_UNERASED: Final = f"""
select id from app_user where deleted_at < now() - interval '{ERASE_AFTER_SECONDS} seconds' and erased_at is null
order by deleted_at, id limit $1
"""  # noqa: S608 - a constant
_MEMBERS: Final = "select id from member where user_id = any($1)"
_ERASED: Final = "update app_user set erased_at = now() where id = any($1) and erased_at is null"


async def find_unerased(db: Db, limit: int) -> list[UUID]:
    """Return people who deleted their account and may still be named by rows of others, the longest ago first."""
    return [record["id"] for record in await db.fetch(_UNERASED, limit)]


async def member_ids(db: Db, user_ids: Sequence[UUID]) -> list[UUID]:
    """Return the ids by which these people were members of workspaces."""
    return [record["id"] for record in await db.fetch(_MEMBERS, user_ids)]


async def mark_erased(db: Db, user_ids: Sequence[UUID]) -> None:
    """Note that nothing names these people any more."""
    await db.execute(_ERASED, user_ids)


_OWNER_LEFT: Final = """
select exists (select from member m join app_user u on u.id = m.user_id
    where m.workspace_id = $1 and m.role = 'owner' and m.status = 'active' and u.deleted_at is not null)
"""


async def has_deleted_owner(db: Db, workspace_id: UUID) -> bool:
    """Whether the owner of a deleted workspace deleted their account, too."""
    return bool(await db.fetchval(_OWNER_LEFT, workspace_id))


_FIND: Final = "select id, email from app_user where email_key = lower($1) and deleted_at is null for key share"
_END_OWNER: Final = """
update member set status = 'removed' where workspace_id = $1 and role = 'owner' and status = 'active'
"""
_PROMOTE: Final = """
update member set role = 'owner', profile_ids = null, status = 'active', over_limit = false
where workspace_id = $1 and user_id = $2 and status in ('active', 'suspended') returning true
"""
_JOIN: Final = """
insert into member (id, workspace_id, user_id, email, role, joined_at) values ($1, $2, $3, $4, 'owner', now())
"""


async def replace_owner(context: AppContext, db: Db, workspace_id: UUID, email: str) -> None:
    """Make a user the owner of a workspace whose owner is deleted, member or not. Lock its members before.

    Raises:
        NotFound: there is no such user.
    """
    user = await db.fetchrow(_FIND, email)
    if user is None:
        raise problems.NotFound(f"There is no user {email}.")
    await db.execute(_END_OWNER, workspace_id)
    if not await db.fetchval(_PROMOTE, workspace_id, user["id"]):
        await db.execute(_JOIN, ids.new_id(), workspace_id, user["id"], user["email"])
    context.state(CallerCache).invalidate(workspace_id)
    context.state(CallerCache).invalidate(user["id"])
