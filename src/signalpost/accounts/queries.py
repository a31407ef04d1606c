"""Reads of accounts. A row never carries secrets: only `token_store` opens them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from msgspec import Struct

from signalpost.accounts import states
from signalpost.accounts.schemas import Kind, Via
from signalpost.kit import clock, rows
from signalpost.kit.db import Db
from signalpost.web.caller import Caller, Mode
from signalpost.web.paging import Page, keyset


class AccountRow(Struct, frozen=True):
    """A connected account, or what is left of a disconnected one."""

    id: UUID
    workspace_id: UUID
    profile_id: UUID
    platform: str
    kind: Kind
    remote_id: str
    username: str
    display_name: str
    avatar_url: str | None
    profile_url: str | None
    status: states.State
    status_reason: str | None
    connected_via: Via
    parent_account_id: UUID | None
    grant_remote_id: str | None
    base_url: str | None
    scopes: list[str]
    token_expires_at: datetime | None
    refreshable: bool
    facts: dict[str, Any]
    followers: int | None
    daily_limit: int | None
    over_limit: bool
    secrets_version: int
    last_published_at: datetime | None
    last_refreshed_at: datetime | None
    last_refresh_error: str | None
    last_checked_at: datetime | None
    created_at: datetime
    updated_at: datetime
    language: str | None
    comments_pushed: bool


class HealthCheck(Struct, frozen=True):
    """The result of the last live check, as it is stored. `problem`: why the platform gave no result."""

    valid: bool = True
    can_post: bool = True
    restricted: bool = False
    granted: list[str] = []
    missing: list[str] = []
    message: str | None = None
    problem: str | None = None


class RecentTargets(NamedTuple):
    """How many targets of an account were published and how many failed."""

    published: int
    failed: int


class _Checked(Struct):
    health: HealthCheck | None


_read = rows.reader(AccountRow)
_read_checked = rows.reader(_Checked)

_SELECT = f"select {rows.columns(AccountRow, 'a')} from account a "  # noqa: S608 - constants only
_BY_ID = _SELECT + "where a.id = $1"
_MINE = f"""{_SELECT}
where a.workspace_id = $1 and a.id = $2 and ($3 or a.platform = 'sandbox')
and ($4::uuid[] is null or a.profile_id = any($4))
"""
_LOCK = _SELECT + "where a.workspace_id = $1 and a.id = $2 for update"
_LOCK_OF_PROFILE = (
    _SELECT + "where a.workspace_id = $1 and a.profile_id = $2 and a.status <> 'disconnected' order by a.id for update"
)
_LOCK_CONNECTED = f"""{_SELECT}
where a.workspace_id = $1 and a.platform = $2 and (
    (a.profile_id = $3 and a.remote_id = $4) or (a.grant_remote_id = $5 and a.status <> 'disconnected'))
order by a.id for update
"""
_AT_PLATFORM = """
a.workspace_id = $1 and a.platform = $2 and a.status <> 'disconnected'
and ($3::uuid is null or a.profile_id = $3) and ($4::uuid[] is null or a.profile_id = any($4))
"""
_WITH_GRANTS = f"""
select distinct on (a.profile_id, a.grant_remote_id) {rows.columns(AccountRow, "a")} from account a
where {_AT_PLATFORM} and a.grant_remote_id is not null
order by a.profile_id, a.grant_remote_id, a.status not in ('active', 'expiring', 'paused'), a.id limit 100
"""  # noqa: S608 - constants only
_OF_PLATFORM = f"{_SELECT} where {_AT_PLATFORM}"
_VISIBLE = f"""{_SELECT}
where a.workspace_id = $1 and ($2 or a.platform = 'sandbox') and ($3::uuid[] is null or a.profile_id = any($3))
and ($4::uuid is null or a.profile_id = $4) and ($5 or a.status <> 'disconnected')
and {keyset("a.created_at", "a.id", first=6)}
"""
_OF_PROFILE = f"""{_SELECT}
where a.workspace_id = $1 and ($2 or a.platform = 'sandbox') and ($3::uuid[] is null or a.profile_id = any($3))
and a.profile_id = $4 order by a.status = 'disconnected', a.created_at, a.id limit $5
"""
_POSTS_TODAY = """
select account_id, count(*) from target
where account_id = any($1)
and (published_at >= $2 or next_attempt_at is not null and status in ('publishing', 'processing'))
group by account_id
"""
_RECENT = """
select count(*) filter (where status in ('published', 'removed') and published_at >= $2),
    count(*) filter (where status = 'failed' and updated_at >= $2)
from target where account_id = $1 and (published_at >= $2 or status = 'failed')
"""
_WAITING = """
select exists (select from target t where t.account_id = $1 and t.next_attempt_at is not null
    and ($2::text is null or (select p.mode from post p where p.id = t.post_id) = $2))
"""
# Of an account with many test posts, the last ones are enough: whoever posts live does so again.
_HAS_LIVE = """
select exists (select from (
    select post_id from target where account_id = $1 order by published_at desc limit 1000) t
    join post p on p.id = t.post_id where p.mode = 'live' and p.deleted_at is null)
"""
_LAST_CHECK = f"select {rows.columns(_Checked)} from account where id = $1"  # noqa: S608 - constants only


async def find_mine(db: Db, caller: Caller, account_id: UUID) -> AccountRow | None:
    """Return the account if this caller may see it; disconnected ones too."""
    live = caller.mode == "live"
    return await rows.read_one(db, _read, _MINE, caller.workspace_id, account_id, live, caller.sees_profiles)


async def by_id(db: Db, account_id: UUID) -> AccountRow | None:
    """Return the account, for work that runs without a caller."""
    return await rows.read_one(db, _read, _BY_ID, account_id)


async def lock(db: Db, workspace_id: UUID, account_id: UUID) -> AccountRow | None:
    """Return the current account and lock it against changes until the transaction ends."""
    return await rows.read_one(db, _read, _LOCK, workspace_id, account_id)


async def lock_connected(
    db: Db, workspace_id: UUID, platform: str, *, profile_id: UUID, remote_id: str, grant_remote_id: str | None
) -> tuple[AccountRow | None, list[AccountRow]]:
    """Return the profile's row for this platform account, and the accounts that share the grant, none without one.

    All are locked until the transaction ends, in one order. Disconnected ones share nothing.
    """
    records = await db.fetch(_LOCK_CONNECTED, workspace_id, platform, profile_id, remote_id, grant_remote_id)
    locked = [_read(record) for record in records]
    existing = next((row for row in locked if (row.profile_id, row.remote_id) == (profile_id, remote_id)), None)
    if grant_remote_id is None:
        return existing, []
    sharing = [row for row in locked if row.grant_remote_id == grant_remote_id]
    return existing, [row for row in sharing if row.status != "disconnected"]


async def with_grants(db: Db, caller: Caller, platform: str, profile_id: UUID | None) -> list[AccountRow]:
    """Return one account for each grant that covers several places to post to, working ones first.

    Of one profile, or of all that the caller sees.
    """
    return await rows.read_all(db, _read, _WITH_GRANTS, caller.workspace_id, platform, profile_id, caller.sees_profiles)


async def of_platform(
    db: Db, workspace_id: UUID, platform: str, profile_id: UUID | None, *, sees: list[UUID] | None = None
) -> list[AccountRow]:
    """Return the accounts at a platform that are not disconnected: of a profile, or of those in `sees`; None: all."""
    return await rows.read_all(db, _read, _OF_PLATFORM, workspace_id, platform, profile_id, sees)


async def lock_of_profile(db: Db, workspace_id: UUID, profile_id: UUID) -> list[AccountRow]:
    """Return all accounts of a profile that are not disconnected, locked until the transaction ends."""
    return await rows.read_all(db, _read, _LOCK_OF_PROFILE, workspace_id, profile_id)


async def visible(
    db: Db, caller: Caller, page: Page, *, profile_id: UUID | None, include_disconnected: bool
) -> list[AccountRow]:
    """Return the caller's accounts, newest first."""
    live = caller.mode == "live"
    return await rows.read_all(
        db,
        _read,
        _VISIBLE,
        caller.workspace_id,
        live,
        caller.sees_profiles,
        profile_id,
        include_disconnected,
        *page.bounds,
    )


async def of_profile(db: Db, caller: Caller, profile_id: UUID, limit: int) -> list[AccountRow]:
    """Return accounts of a profile, in the order in which they were made; those that are disconnected last."""
    live = caller.mode == "live"
    return await rows.read_all(
        db, _read, _OF_PROFILE, caller.workspace_id, live, caller.sees_profiles, profile_id, limit
    )


async def posts_today(db: Db, account_ids: Sequence[UUID]) -> dict[UUID, int]:
    """Return how many targets each account published since midnight UTC or is publishing now; 0 is left out."""
    midnight = clock.now().replace(hour=0, minute=0, second=0, microsecond=0)
    records = await db.fetch(_POSTS_TODAY, account_ids, midnight) if account_ids else []
    return {record[0]: record[1] for record in records}


async def recent_targets(db: Db, account_id: UUID, since: datetime) -> RecentTargets:
    """Return how many targets of the account were published and how many failed since then."""
    record = await db.fetchrow(_RECENT, account_id, since)
    return RecentTargets(*record) if record else RecentTargets(0, 0)


async def has_waiting_targets(db: Db, account_id: UUID, *, mode: Mode | None = None) -> bool:
    """Return whether targets, of this mode, wait for this account. Exact only while its row is locked for update."""
    return bool(await db.fetchval(_WAITING, account_id, mode))


async def has_live_posts(db: Db, account_id: UUID) -> bool:
    """Return whether live posts use the account."""
    return bool(await db.fetchval(_HAS_LIVE, account_id))


async def last_check(db: Db, account_id: UUID) -> HealthCheck | None:
    """Return the stored result of the last live check."""
    record = await db.fetchrow(_LAST_CHECK, account_id)
    return None if record is None else _read_checked(record).health
