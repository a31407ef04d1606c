"""Reads of API keys, as callers may see them."""

from datetime import datetime, timedelta
from typing import Final, Literal
from uuid import UUID

from msgspec import Struct

from signalpost.identity import roles
from signalpost.kit import clock
from signalpost.kit.db import Db
from signalpost.kit.rows import columns, read_all, read_one, reader
from signalpost.web.caller import Caller
from signalpost.web.paging import Page, keyset

REVOKED_VISIBLE: Final = timedelta(days=30)
"""How long a revoked key stays in the list."""


class ApiKeyRow(Struct):
    """An API key without its secret."""

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
    issued_by: UUID | None  # the key that created it
    issued_by_name: str | None
    created_at: datetime
    revoked_at: datetime | None


KEY_COLUMNS: Final = columns(
    ApiKeyRow,
    "k",
    created_by_name="coalesce(u.name, u.email)",
    issued_by_name="(select i.name from api_key i where i.id = k.issued_by)",
)
read_key: Final = reader(ApiKeyRow)

# A caller limited to profiles sees only keys limited to some of them; editors see only their own.
_KEYS = f"""
select {KEY_COLUMNS}
from api_key k join app_user u on u.id = k.created_by
where k.workspace_id = $1 and ($2::uuid is null or k.created_by = $2)
    and ($3::uuid[] is null or k.profile_ids <@ $3 or $4 in (k.created_by, k.id)) and ($5 or k.mode = 'test')
    and k.app_id is null
"""  # noqa: S608 - columns of a struct
_KEYS_PAGE = f"""{_KEYS} and (k.revoked_at is null or k.revoked_at > $6)
    and ($7::uuid is null or k.created_by = $7) and {keyset("k.created_at", "k.id", first=8)}"""
_KEY = _KEYS + " and k.id = $6"


def _visible_to(caller: Caller) -> tuple[UUID, UUID | None, list[UUID] | None, UUID, bool]:
    """Return the first five parameters of `_KEYS`.

    A member limited to profiles sees their own keys; a limited key sees itself and the keys within its limits.
    """
    own = None if roles.may_manage_others_api_keys(caller.role) else caller.user_id
    return caller.workspace_id, own, caller.sees_profiles, caller.key_id or caller.user_id, caller.mode == "live"


async def keys_page(db: Db, caller: Caller, page: Page, *, mine: bool) -> list[ApiKeyRow]:
    """Return the keys the caller may see, or those of them that they made; revoked ones for 30 days. Newest first."""
    since, maker = clock.now() - REVOKED_VISIBLE, caller.user_id if mine else None
    return await read_all(db, read_key, _KEYS_PAGE, *_visible_to(caller), since, maker, *page.bounds)


async def find_my_key(db: Db, caller: Caller, key_id: UUID) -> ApiKeyRow | None:
    """Return a key the caller may see, in any state; a key always sees itself."""
    return await read_one(db, read_key, _KEY, *_visible_to(caller), key_id)
