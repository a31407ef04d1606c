"""Rows of members, for the room `team`, which has the rules. Every function that changes something needs `lock`."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final, Literal
from uuid import UUID

from msgspec import Struct

from signalpost.context import AppContext
from signalpost.identity import offspring, people
from signalpost.identity.caller_cache import CallerCache
from signalpost.kit import batches, ids
from signalpost.kit.db import Db
from signalpost.kit.rows import columns, read_all, read_one, reader
from signalpost.web.caller import Caller, Role
from signalpost.web.paging import Page, keyset

MemberStatus = Literal["invited", "active", "suspended", "declined", "expired", "removed"]
INVITE_LIFETIME: Final = timedelta(days=7)


class MemberRow(Struct):
    """A member or an invitation."""

    id: UUID
    workspace_id: UUID
    user_id: UUID | None
    email: str
    name: str | None
    avatar_url: str | None
    role: Role
    profile_ids: list[UUID] | None
    status: MemberStatus
    over_limit: bool
    invited_by: UUID | None
    inviter_name: str | None
    invited_at: datetime
    joined_at: datetime | None
    expires_at: datetime | None
    last_active_at: datetime | None
    message: str | None
    listed_at: datetime  # by which the list is ordered: the owner comes first


class Decider(Struct):
    """Someone who may approve posts: of these profiles, or of all."""

    user_id: UUID
    email: str
    profile_ids: list[UUID] | None
    workspace: str


_DECIDERS: Final = f"""
select {columns(Decider, "m", email="u.email", workspace="w.name")}
from member m join app_user u on u.id = m.user_id join workspace w on w.id = m.workspace_id and w.deleted_at is null
where m.workspace_id = $1 and m.status = 'active' and not m.over_limit and m.role in ('owner', 'admin', 'approver')
order by m.joined_at, m.id limit $2
"""  # noqa: S608 - columns of a struct
_read_decider: Final = reader(Decider)


async def deciders(db: Db, workspace_id: UUID, limit: int) -> list[Decider]:
    """Return the members who may approve posts, those who came first at the beginning."""
    return await read_all(db, _read_decider, _DECIDERS, workspace_id, limit)


_MAILBOX: Final = """
select u.email from app_user u join member m on m.user_id = u.id and m.workspace_id = $1 and m.status = 'active'
where u.id = $2
"""


async def mailbox(db: Db, workspace_id: UUID, user_id: UUID) -> str | None:
    """Return the e-mail address of a member; None: they are none, or not any more."""
    address: str | None = await db.fetchval(_MAILBOX, workspace_id, user_id)
    return address


class Reader(Struct):
    """A member who sees posts of some profile."""

    id: UUID
    user_id: UUID
    email: str
    name: str


_READERS: Final = f"""
select {columns(Reader, "m", email="u.email", name="coalesce(u.name, u.email)")}
from member m join app_user u on u.id = m.user_id
where m.workspace_id = $1 and m.status = 'active' and (m.profile_ids is null or $3 = any(m.profile_ids))
"""  # noqa: S608 - columns of a struct
_read_reader: Final = reader(Reader)


async def readers(db: Db, workspace_id: UUID, member_ids: Sequence[UUID], profile_id: UUID) -> list[Reader]:
    """Return those of these members who see a profile."""
    return await read_all(db, _read_reader, f"{_READERS} and m.id = any($2)", workspace_id, member_ids, profile_id)


async def readers_by_user(db: Db, workspace_id: UUID, user_ids: Sequence[UUID], profile_id: UUID) -> list[Reader]:
    """Return those of these users who are members and see a profile."""
    return await read_all(db, _read_reader, f"{_READERS} and m.user_id = any($2)", workspace_id, user_ids, profile_id)


_LISTED_AT: Final = "(case when m.role = 'owner' then timestamptz '9000-01-01' else m.invited_at end)"
_COLUMNS: Final = columns(
    MemberRow,
    "m",
    email="coalesce(u.email, m.email)",
    name="u.name",
    avatar_url="u.avatar_url",
    status="case when m.status = 'invited' and m.expires_at <= now() then 'expired' else m.status end",
    inviter_name="(select coalesce(i.name, i.email) from app_user i where i.id = m.invited_by)",
    listed_at=_LISTED_AT,
)
_FROM: Final = "from member m left join app_user u on u.id = m.user_id"
_PRESENT: Final = "(m.status in ('active', 'suspended') or (m.status = 'invited' and m.expires_at > now()))"
_PAGE: Final = f"""
select {_COLUMNS} {_FROM}
where m.workspace_id = $1 and {_PRESENT} and {keyset(_LISTED_AT, "m.id", first=2)}
"""
_ONE: Final = f"select {_COLUMNS} {_FROM} where m.workspace_id = $1 and m.id = $2 and {_PRESENT}"
_BY_EMAIL: Final = f"""
select {_COLUMNS} {_FROM} where m.workspace_id = $1 and lower(coalesce(u.email, m.email)) = lower($2)
    and m.status in ('active', 'suspended', 'invited') order by m.status = 'invited' limit 1
"""
_OF_USER: Final = f"""
select {_COLUMNS} {_FROM} where m.workspace_id = $1 and m.user_id = $2 and m.status in ('active', 'suspended')
"""
_read: Final = reader(MemberRow)


async def page_of(db: Db, caller: Caller, page: Page) -> list[MemberRow]:
    """Return members and open invitations: the owner, then the newest first."""
    return await read_all(db, _read, _PAGE, caller.workspace_id, *page.bounds)


async def find(db: Db, caller: Caller, member_id: UUID) -> MemberRow | None:
    """Return a member or an open invitation of the caller's workspace."""
    return await read_one(db, _read, _ONE, caller.workspace_id, member_id)


async def find_by_email(db: Db, workspace_id: UUID, email: str) -> MemberRow | None:
    """Return the member with this address, in any case, else the invitation to it, which may have expired."""
    return await read_one(db, _read, _BY_EMAIL, workspace_id, email)


async def find_of_user(db: Db, workspace_id: UUID, user_id: UUID) -> MemberRow | None:
    """Return the membership of a user."""
    return await read_one(db, _read, _OF_USER, workspace_id, user_id)


class InviteRow(Struct):
    """An invitation in any state, with what the invited person sees of the workspace."""

    id: UUID
    workspace_id: UUID
    workspace_name: str
    workspace_deleted: bool
    email: str
    role: Role
    status: MemberStatus
    inviter_name: str | None
    message: str | None
    expires_at: datetime | None


# Whoever was invited joins only while the inviter, and the key that sent the invitation, could still invite them.
_INVITER_MAY: Final = """(m.invited_by is null or exists (
    select from member i where i.workspace_id = m.workspace_id and i.user_id = m.invited_by and i.status = 'active'
        and i.role in ('owner', 'admin') and not i.over_limit
) and (m.key_id is null or exists (
    select from api_key k where k.id = m.key_id and k.revoked_at is null
        and (k.expires_at is null or k.expires_at > now()) and 'team:write' = any(k.scopes))))"""
_INVITE_COLUMNS: Final = columns(
    InviteRow,
    "m",
    workspace_name="w.name",
    workspace_deleted="w.deleted_at is not null",
    status="case when m.status = 'invited' and m.expires_at <= now() then 'expired'"
    f" when m.status = 'invited' and not {_INVITER_MAY} then 'removed' else m.status end",
    inviter_name="(select coalesce(i.name, i.email) from app_user i where i.id = m.invited_by)",
)
_INVITE: Final = f"""
select {_INVITE_COLUMNS} from member m join workspace w on w.id = m.workspace_id where m.id = $1
"""  # noqa: S608 - columns of a struct
_read_invite: Final = reader(InviteRow)


async def find_invite(db: Db, member_id: UUID) -> InviteRow | None:
    """Return an invitation of any workspace: its token stands for the right to see it."""
    return await read_one(db, _read_invite, _INVITE, member_id)


_OPEN_INVITE: Final = f"""
select {_INVITE_COLUMNS} from member m join workspace w on w.id = m.workspace_id
where lower(m.email) = lower($1) and m.user_id is null and m.status = 'invited' and m.expires_at > now()
    and w.deleted_at is null and {_INVITER_MAY}
order by m.invited_at desc limit 1
"""  # noqa: S608 - columns of a struct


async def find_open_invite(db: Db, email: str) -> InviteRow | None:
    """Return the newest open invitation to this address, of any workspace: who has the mailbox may see it."""
    return await read_one(db, _read_invite, _OPEN_INVITE, email)


class Addressee(Struct):
    """Where mail about a user's own things in a workspace goes, and what the workspace is called."""

    email: str
    workspace: str


_ADDRESSEE: Final = "select u.email, w.name from app_user u cross join workspace w where u.id = $1 and w.id = $2"


async def addressee(db: Db, user_id: UUID, workspace_id: UUID) -> Addressee:
    """Return whom to tell what happened to something of a user."""
    record = await db.fetchrow(_ADDRESSEE, user_id, workspace_id)
    assert record is not None  # noqa: S101 - rows that refer to both exist
    return Addressee(*record)


_OWNER: Final = "select user_id from member where workspace_id = $1 and role = 'owner' and status = 'active'"
_IS_NEW: Final = "select created_at > now() - interval '14 days' from app_user where id = $1"


async def owner_of(db: Db, workspace_id: UUID) -> UUID | None:
    """Return the owner of a workspace, who counts for all of theirs."""
    owner_id: UUID | None = await db.fetchval(_OWNER, workspace_id)
    return owner_id


async def is_new(db: Db, user_id: UUID | None) -> bool:
    """Whether a user registered in the last 14 days."""
    return bool(await db.fetchval(_IS_NEW, user_id))


_LOCK: Final = "select pg_advisory_xact_lock(hashtextextended('team:' || $1::text, 0))"


async def lock(db: Db, workspace_id: UUID) -> None:
    """Have changes to the team of a workspace happen one after the other, until the transaction ends."""
    await db.execute(_LOCK, str(workspace_id))


_INVITED_LATELY: Final = """
select count(*) filter (where invited_at > now() - interval '1 hour'), count(*) filter (where status = 'invited')
from member where workspace_id = $1 and invited_by is not null
"""


async def count_invites(db: Db, workspace_id: UUID) -> tuple[int, int]:
    """Return how many were invited within an hour, whatever became of it, and how many invitations wait."""
    lately, waiting = await db.fetchrow(_INVITED_LATELY, workspace_id) or (0, 0)
    return lately, waiting


class NewInvite(Struct, frozen=True, kw_only=True):
    """Who is invited by whom, and as what."""

    email: str
    role: Role
    profile_ids: Sequence[UUID] | None
    message: str | None
    invited_by: UUID
    key_id: UUID | None  # by which they did


_INVITE_AGAIN: Final = """
update member set role = $3, profile_ids = $4, message = $5, invited_by = $6, invited_at = now(),
    expires_at = now() + $7, key_id = $8
where workspace_id = $1 and lower(email) = lower($2) and status = 'invited' returning id
"""
_INSERT: Final = """
insert into member (workspace_id, email, role, profile_ids, message, invited_by, expires_at, status, key_id, id)
values ($1, $2, $3, $4, $5, $6, now() + $7, 'invited', $8, $9) returning id
"""


async def write_invite(db: Db, workspace_id: UUID, invite: NewInvite) -> UUID:
    """Write an invitation for seven days, or renew the one that waits; return its id."""
    values = (
        workspace_id, invite.email, invite.role, invite.profile_ids, invite.message, invite.invited_by, INVITE_LIFETIME,
        invite.key_id,
    )  # fmt: skip
    member_id: UUID | None = await db.fetchval(_INVITE_AGAIN, *values)
    return member_id or await db.fetchval(_INSERT, *values, ids.new_id())


_JOIN: Final = """
update member set status = 'active', user_id = $2, joined_at = now(), expires_at = null, message = null, key_id = null
where id = $1 and status = 'invited'
"""
_VERIFY: Final = "update app_user set email_verified_at = coalesce(email_verified_at, now()) where id = $1"


async def join(context: AppContext, db: Db, member_id: UUID, user_id: UUID, *, email_verified: bool) -> None:
    """Make an invitation a membership of this user, who may have proved that the mailbox is theirs.

    Raises:
        Unauthenticated: the user has deleted their account meanwhile.
    """
    await people.require_person(db, user_id)
    await db.execute(_JOIN, member_id, user_id)
    if email_verified:
        await verify_email(db, user_id)
    context.state(CallerCache).invalidate(user_id)


async def verify_email(db: Db, user_id: UUID) -> None:
    """Note that the user has proved that the mailbox is theirs."""
    await db.execute(_VERIFY, user_id)


_SET_STATUS: Final = "update member set status = $3 where workspace_id = $1 and id = $2"
_UPDATE: Final = "update member set role = $3, profile_ids = $4, status = $5 where workspace_id = $1 and id = $2"
_REVOKE_KEYS: Final = """
update api_key set revoked_at = now() where workspace_id = $1 and created_by = $2 and revoked_at is null
returning id
"""


async def update(context: AppContext, db: Db, row: MemberRow) -> None:
    """Store role, profiles and status of a member; credentials have the new rights at once."""
    await db.execute(_UPDATE, row.workspace_id, row.id, row.role, row.profile_ids, row.status)
    if row.user_id is not None:
        context.state(CallerCache).invalidate(row.user_id)


async def transfer(context: AppContext, db: Db, owner: MemberRow, successor: MemberRow) -> None:
    """Make another member the owner, and the owner an admin; the whole workspace then counts as the successor's."""
    owner.role, successor.role = "admin", "owner"
    owner.profile_ids = successor.profile_ids = None
    for row in (owner, successor):  # in this order: there is never more than one owner
        await update(context, db, row)
    context.state(CallerCache).invalidate(owner.workspace_id)


async def decline(db: Db, invite: InviteRow) -> None:
    """End an invitation that the invited person does not want."""
    await db.execute(_SET_STATUS, invite.workspace_id, invite.id, "declined")


async def remove(context: AppContext, db: Db, row: MemberRow) -> None:
    """End a membership with its API keys, or an invitation."""
    await db.execute(_SET_STATUS, row.workspace_id, row.id, "removed")
    if row.user_id is not None:
        keys = [record["id"] for record in await db.fetch(_REVOKE_KEYS, row.workspace_id, row.user_id)]
        await offspring.end_of_keys(db, keys)
        await offspring.end_of_member(db, row.user_id, row.workspace_id)
        context.state(CallerCache).invalidate(row.user_id)


_FIT: Final = """
with changing as materialized (
    select m.id, r.over
    from member m join (
        select id, row_number() over (order by role = 'owner' desc, joined_at, id) > coalesce($2, 2147483647) as over
        from member where workspace_id = $1 and status in ('active', 'suspended')
    ) r on r.id = m.id
    where m.workspace_id = $1 and m.over_limit <> r.over
    order by m.id for no key update of m  -- as all do that lock several members
)
update member m set over_limit = c.over from changing c where m.id = c.id and m.workspace_id = $1
returning m.id
"""


async def fit(context: AppContext, db: Db, workspace_id: UUID, maximum: int | None) -> None:
    """Have the newest members beyond the maximum act as viewers, and all others as what they are."""
    if await db.fetch(_FIT, workspace_id, maximum):
        context.state(CallerCache).invalidate(workspace_id)


_EXPIRE: Final = batches.update("member", "status = 'expired'", "status = 'invited' and expires_at <= now()")
_FORGET: Final = batches.delete(
    "member",
    "joined_at is null and status in ('declined', 'expired', 'removed') and invited_at < now() - interval '90 days'",
)


async def expire_invites(db: Db) -> bool:
    """Note which invitations have expired, and forget those that ended long ago without a member.

    Return whether there may be more.
    """
    return await batches.run(db, (_EXPIRE, _FORGET))
