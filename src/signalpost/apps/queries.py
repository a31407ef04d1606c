"""Reads of apps and of what they were allowed. No row carries a secret, only what is stored of one."""

from datetime import datetime
from typing import Final, Literal
from uuid import UUID

from msgspec import Struct

from signalpost.events import Actor
from signalpost.identity import roles
from signalpost.kit import rows
from signalpost.kit.db import Db
from signalpost.web.caller import Caller
from signalpost.web.paging import Page, keyset

AuthMethod = Literal["none", "client_secret_basic", "client_secret_post"]


class AppRow(Struct):
    """An app. `workspace_id` None: it registered itself."""

    id: UUID
    workspace_id: UUID | None
    name: str
    website_url: str | None
    redirect_uris: list[str]
    auth_method: AuthMethod
    secret_hmac: bytes | None
    created_by: Actor | None
    created_at: datetime
    updated_at: datetime
    used_at: datetime | None = None


class GrantRow(Struct):
    """What a person allowed an app, with the key by which it acts."""

    id: UUID
    workspace_id: UUID
    app_id: UUID
    app_name: str
    redirect_host: str
    authorization_id: UUID
    generation: int
    access_hmac: bytes
    access_expires_at: datetime
    former_hmac: bytes | None
    former_expires_at: datetime | None
    created_at: datetime
    key_id: str = ""
    user_id: UUID = UUID(int=0)
    user_name: str = ""
    scopes: list[str] = []
    profile_ids: list[UUID] | None = None
    last_used_at: datetime | None = None
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    app_ended: bool = False
    just_rotated: bool = False


COMPUTED: Final = (
    "key_id", "user_id", "user_name", "scopes", "profile_ids", "last_used_at", "expires_at", "revoked_at", "app_ended",
    "just_rotated",
)  # fmt: skip
"""Fields of a `GrantRow` that are not columns of the table."""
_GRACE: Final = "interval '30 seconds'"
"""So long a refresh token that was just used may come again, from an app that lost the response."""
APP_COLUMNS: Final = rows.columns(AppRow, "a")
read_app: Final = rows.reader(AppRow)
_read_grant: Final = rows.reader(GrantRow)
_APP: Final = f"""
select {APP_COLUMNS} from app a left join workspace w on w.id = a.workspace_id
where a.id = $1 and a.deleted_at is null and w.deleted_at is null
"""  # noqa: S608 - columns of a struct
_MINE: Final = f"""
select {APP_COLUMNS} from app a
where a.workspace_id = $1 and $2 and a.created_by is not null and a.deleted_at is null
"""  # noqa: S608 - columns of a struct
_VISIBLE: Final = f"{_MINE} and {keyset('a.created_at', 'a.id', first=3)}"
_GRANTS: Final = f"""
select {
    rows.columns(
        GrantRow,
        "g",
        key_id="k.key_id",
        user_id="k.created_by",
        user_name="coalesce(u.name, u.email)",
        scopes="k.scopes",
        profile_ids="k.profile_ids",
        last_used_at="k.last_used_at",
        expires_at="k.expires_at",
        revoked_at="k.revoked_at",
        app_ended="(a.deleted_at is not null or w.deleted_at is not null)",
        just_rotated=f"coalesce(g.rotated_at > now() - {_GRACE}, false)",
    )
}
from app_grant g join api_key k on k.id = g.id join app_user u on u.id = k.created_by
left join app a on a.id = g.app_id left join workspace w on w.id = a.workspace_id
"""  # noqa: S608 - columns of a struct
_GRANT: Final = f"{_GRANTS} where g.id = $1"
_GRANT_LOCKED: Final = f"{_GRANT} for update of g"
_GRANT_OF_KEY: Final = f"{_GRANTS} where k.key_id = $1"
_GRANT_OF_CODE: Final = "select id from app_grant where authorization_id = $1"
# An admin sees those of all; whoever sees only some profiles sees their own and those within these profiles.
_SEEN: Final = """g.workspace_id = $1 and ($2::uuid is null or k.created_by = $2)
    and ($3::uuid[] is null or k.profile_ids <@ $3 or k.created_by = $4) and $5"""
_LIVE: Final = "k.revoked_at is null and (k.expires_at is null or k.expires_at > now())"
_MY_GRANT: Final = f"{_GRANTS} where {_SEEN} and g.id = $6"
_MY_GRANTS: Final = f"{_GRANTS} where {_SEEN} and {_LIVE} and {keyset('g.created_at', 'g.id', first=6)}"


async def find_app(db: Db, app_id: UUID) -> AppRow | None:
    """Return an app of any workspace, unless it or its workspace was deleted."""
    return await rows.read_one(db, read_app, _APP, app_id)


async def find_mine(db: Db, caller: Caller, app_id: UUID) -> AppRow | None:
    """Return an app of the caller's workspace; a test key sees none, since apps act for real."""
    return await rows.read_one(
        db, read_app, f"{_MINE} and a.id = $3", caller.workspace_id, caller.mode == "live", app_id
    )


async def visible(db: Db, caller: Caller, page: Page) -> list[AppRow]:
    """Return the apps of the caller's workspace, newest first."""
    return await rows.read_all(db, read_app, _VISIBLE, caller.workspace_id, caller.mode == "live", *page.bounds)


def _visible_to(caller: Caller) -> tuple[UUID, UUID | None, list[UUID] | None, UUID, bool]:
    own = None if roles.may_manage_others_api_keys(caller.role) else caller.user_id
    return caller.workspace_id, own, caller.sees_profiles, caller.user_id, caller.mode == "live"


async def my_grants(db: Db, caller: Caller, page: Page) -> list[GrantRow]:
    """Return the grants that the caller may see and that have not ended, newest first."""
    return await rows.read_all(db, _read_grant, _MY_GRANTS, *_visible_to(caller), *page.bounds)


async def find_my_grant(db: Db, caller: Caller, grant_id: UUID) -> GrantRow | None:
    """Return a grant that the caller may see, in any state."""
    return await rows.read_one(db, _read_grant, _MY_GRANT, *_visible_to(caller), grant_id)


async def lock_grant(db: Db, grant_id: UUID) -> GrantRow | None:
    """Return a grant of any workspace in any state, locked."""
    return await rows.read_one(db, _read_grant, _GRANT_LOCKED, grant_id)


async def find_grant_of_key(db: Db, key_id: str) -> GrantRow | None:
    """Return the grant of any workspace, in any state, whose key has this public id."""
    return await rows.read_one(db, _read_grant, _GRANT_OF_KEY, key_id)


async def find_grant_of_code(db: Db, authorization_id: UUID) -> UUID | None:
    """Return what a code was redeemed for."""
    grant_id: UUID | None = await db.fetchval(_GRANT_OF_CODE, authorization_id)
    return grant_id


_SAME: Final = f"""
select g.id from app_grant g join api_key k on k.id = g.id
where g.app_id = $1 and g.workspace_id = $2 and k.created_by = $3 and {_LIVE}
order by g.created_at desc offset $4
"""  # noqa: S608 - constants only


async def older_grants(db: Db, app_id: UUID, workspace_id: UUID, user_id: UUID, spared: int) -> list[UUID]:
    """Return what a person allowed an app for a workspace, but for the newest ones."""
    return [record["id"] for record in await db.fetch(_SAME, app_id, workspace_id, user_id, spared)]


_ENDED: Final = f"""
select g.id from app_grant g join api_key k on k.id = g.id join app a on a.id = g.app_id
left join workspace w on w.id = a.workspace_id
where {_LIVE} and (a.deleted_at is not null or w.deleted_at is not null) limit $1
"""  # noqa: S608 - constants only


async def grants_of_ended_apps(db: Db, limit: int) -> list[UUID]:
    """Return grants that still have a key although their app is gone."""
    return [record["id"] for record in await db.fetch(_ENDED, limit)]


_UNUSED: Final = """
select count(*) from (select from app where workspace_id is null and used_at is null limit $1) unused
"""
_OWN: Final = "select count(*) from app where workspace_id = $1 and deleted_at is null"


async def count_unused(db: Db, at_most: int) -> int:
    """Return how many apps registered themselves and were never allowed anything, up to a number."""
    count: int = await db.fetchval(_UNUSED, at_most)
    return count


async def count_own(db: Db, workspace_id: UUID) -> int:
    """Return how many apps a workspace has."""
    count: int = await db.fetchval(_OWN, workspace_id)
    return count


_PROFILES: Final = """
select id, name from profile
where workspace_id = $1 and deleted_at is null and ($2::uuid[] is null or id = any($2))
order by lower(name), id limit $3
"""


async def profile_names(db: Db, caller: Caller, limit: int) -> list[tuple[UUID, str]]:
    """Return the profiles that the caller sees, by name."""
    records = await db.fetch(_PROFILES, caller.workspace_id, caller.sees_profiles, limit)
    return [(record["id"], record["name"]) for record in records]
