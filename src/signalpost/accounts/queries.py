"""Reads of accounts. A row never carries secrets: only `token_store` opens them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec

from signalpost import networks
from signalpost.accounts import states
from signalpost.accounts.schemas import Capabilities, Kind, PlatformAccount, Via
from signalpost.kit import clock, ids, problems, wire
from signalpost.kit.db import Db, Row
from signalpost.profiles import queries as profiles
from signalpost.web.caller import Caller
from signalpost.web.paging import Page


@dataclass(frozen=True, slots=True)
class AccountRow:
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

    def shown(self, posts_today: int = 0) -> PlatformAccount:
        """Return the account as the API answers it."""
        return PlatformAccount(
            id=ids.encode("acc", self.id),
            profile_id=ids.encode("prof", self.profile_id),
            platform=self.platform,
            kind=self.kind,
            platform_account_id=self.remote_id,
            username=self.username,
            display_name=self.display_name,
            avatar_url=self.avatar_url,
            profile_url=self.profile_url,
            status=self.status,
            status_reason=self.status_reason,
            connected_via=self.connected_via,
            parent_account_id=ids.encode_or_none("acc", self.parent_account_id),
            scopes=self.scopes,
            capabilities=capabilities(self.platform, self.facts),
            token_expires_at=clock.wire_or_none(self.token_expires_at),
            refreshable=self.refreshable,
            last_published_at=clock.wire_or_none(self.last_published_at),
            last_checked_at=clock.wire_or_none(self.last_checked_at),
            followers=self.followers,
            daily_limit=self.daily_limit,
            posts_today=posts_today,
            over_limit=self.over_limit,
            created_at=clock.wire(self.created_at),
            updated_at=clock.wire(self.updated_at),
        )


NOTHING = Capabilities(
    text=False,
    image=False,
    video=False,
    carousel=False,
    story=False,
    thread=False,
    first_comment=False,
    delete=False,
    analytics=False,
    max_text_length=0,
)


def capabilities(platform: str, facts: Mapping[str, Any]) -> Capabilities:
    """Return what an account can do; nothing on a platform whose connector is gone."""
    connector = networks.get(platform)
    return NOTHING if connector is None else msgspec.convert(networks.capabilities(connector, facts), Capabilities)


_SELECT = """
select a.id, a.workspace_id, a.profile_id, a.platform, a.kind, a.remote_id, a.username, a.display_name, a.avatar_url,
    a.profile_url, a.status, a.status_reason, a.connected_via, a.parent_account_id, a.base_url, a.scopes,
    a.token_expires_at, a.refreshable, a.facts, a.followers, a.daily_limit, a.over_limit,
    a.secrets_version, a.last_published_at, a.last_refreshed_at, a.last_refresh_error, a.last_checked_at,
    a.created_at, a.updated_at
from account a
"""
_BY_ID = _SELECT + "where a.id = $1"
_MINE = (
    _SELECT
    + """
where a.workspace_id = $1 and a.id = $2 and ($3 or a.platform = 'sandbox')
and ($4::uuid[] is null or a.profile_id = any($4))
"""
)
_LOCK = _SELECT + "where a.workspace_id = $1 and a.id = $2 for update"
_SAME = _SELECT + "where a.profile_id = $1 and a.platform = $2 and a.remote_id = $3 for update"
_CONNECTED = (
    _SELECT
    + """
where a.workspace_id = $1 and a.profile_id = $2 and a.status <> 'disconnected' and ($3 or a.platform = 'sandbox')
order by a.created_at, a.id
"""
)
_OF_PROFILE = _SELECT + "where a.workspace_id = $1 and a.profile_id = $2 and a.status <> 'disconnected' for update"
_VISIBLE = (
    _SELECT
    + """
where a.workspace_id = $1 and ($2 or a.platform = 'sandbox') and ($3::uuid[] is null or a.profile_id = any($3))
and ($4::uuid is null or a.profile_id = $4) and ($5 or a.status <> 'disconnected')
and ($6::timestamptz is null or (a.created_at, a.id) < ($6, $7))
order by a.created_at desc, a.id desc limit $8
"""
)
_POSTS_TODAY = """
select account_id, count(*) from target
where account_id = any($1)
and (published_at >= $2 or next_attempt_at is not null and status in ('publishing', 'processing'))
group by account_id
"""


async def find_mine(db: Db, caller: Caller, account_id: UUID) -> AccountRow | None:
    """Return the account if this caller may see it; disconnected ones too."""
    live = caller.mode == "live"
    return _row(await db.fetchrow(_MINE, caller.workspace_id, account_id, live, caller.sees_profiles))


async def connected(db: Db, caller: Caller, profile_id: UUID) -> list[AccountRow]:
    """Return the profile's accounts that are not disconnected, oldest first; for a test key those of the sandbox."""
    if not caller.may_see_profile(profile_id):
        return []
    rows = await db.fetch(_CONNECTED, caller.workspace_id, profile_id, caller.mode == "live")
    return [AccountRow(*row) for row in rows]


async def by_id(db: Db, account_id: UUID) -> AccountRow | None:
    """Return the account, for work that runs without a caller."""
    return _row(await db.fetchrow(_BY_ID, account_id))


async def lock(db: Db, workspace_id: UUID, account_id: UUID) -> AccountRow | None:
    """Return the account as it is now, and keep others from changing it until the transaction ends."""
    return _row(await db.fetchrow(_LOCK, workspace_id, account_id))


async def lock_same(db: Db, profile_id: UUID, platform: str, remote_id: str) -> AccountRow | None:
    """Return the row that this profile already has of a platform account, locked."""
    return _row(await db.fetchrow(_SAME, profile_id, platform, remote_id))


async def lock_of_profile(db: Db, workspace_id: UUID, profile_id: UUID) -> list[AccountRow]:
    """Return all accounts of a profile that are not disconnected, locked."""
    return [AccountRow(*row) for row in await db.fetch(_OF_PROFILE, workspace_id, profile_id)]


async def visible(
    db: Db, caller: Caller, page: Page, *, profile_id: UUID | None, include_disconnected: bool
) -> list[AccountRow]:
    """Return the caller's accounts, newest first."""
    rows = await db.fetch(
        _VISIBLE,
        caller.workspace_id,
        caller.mode == "live",
        caller.sees_profiles,
        profile_id,
        include_disconnected,
        page.after_at,
        page.after_id,
        page.fetch,
    )
    return [AccountRow(*row) for row in rows]


async def posts_today(db: Db, account_ids: Sequence[UUID]) -> dict[UUID, int]:
    """Return how many targets each account published since midnight UTC or is publishing now; 0 is left out."""
    midnight = clock.now().replace(hour=0, minute=0, second=0, microsecond=0)
    rows = await db.fetch(_POSTS_TODAY, account_ids, midnight) if account_ids else []
    return {row[0]: row[1] for row in rows}


_RECENT = """
select count(*) filter (where status in ('published', 'removed') and published_at >= $2),
    count(*) filter (where status = 'failed' and updated_at >= $2)
from target where account_id = $1 and (published_at >= $2 or status = 'failed')
"""
_WAITING = "select exists (select from target where account_id = $1 and next_attempt_at is not null)"
_LAST_CHECK = "select health from account where id = $1"


async def recent(db: Db, account_id: UUID, since: datetime) -> tuple[int, int]:
    """Return how many targets of the account were published and how many failed since then."""
    row = await db.fetchrow(_RECENT, account_id, since)
    return (row[0], row[1]) if row else (0, 0)


async def has_waiting_posts(db: Db, account_id: UUID) -> bool:
    """Return whether work waits for this account. Exact only while its row is locked for update."""
    return bool(await db.fetchval(_WAITING, account_id))


async def last_check(db: Db, account_id: UUID) -> dict[str, Any] | None:
    """Return what the last live check told, as `actions.check` stored it."""
    found: dict[str, Any] | None = await db.fetchval(_LAST_CHECK, account_id)
    return found


async def shown(db: Db, rows: Sequence[AccountRow]) -> list[PlatformAccount]:
    """Return accounts as the API answers them; one more read for any number of them."""
    today = await posts_today(db, [row.id for row in rows])
    return [row.shown(today.get(row.id, 0)) for row in rows]


async def profile_filter(db: Db, caller: Caller, profile: str | None) -> UUID | None:
    """Return the profile that a list is limited to.

    Raises:
        NotFound: the caller sees no such profile.
    """
    if profile is None:
        return None
    profile_id = ids.decode("prof", profile)
    if profile_id is None or await profiles.find_mine(db, caller, profile_id) is None:
        raise problems.NotFound(errors=[problems.Issue("profileId", "not_found", "There is no such profile here.")])
    return profile_id


async def listing(
    db: Db, caller: Caller, page: Page, *, profile_id: UUID | None, include_disconnected: bool
) -> wire.Listing[PlatformAccount]:
    """Return a page of the caller's accounts."""
    rows = await visible(db, caller, page, profile_id=profile_id, include_disconnected=include_disconnected)
    return page.listing(await shown(db, rows), [(row.created_at, row.id) for row in rows])


def _row(row: Row | None) -> AccountRow | None:
    return None if row is None else AccountRow(*row)
