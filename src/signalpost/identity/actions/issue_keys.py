"""API keys: issue and revoke."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal, TypedDict
from uuid import UUID

from typing_extensions import Unpack

from signalpost import events
from signalpost.identity import roles
from signalpost.identity.authenticate import secret_hmacs
from signalpost.identity.queries import KeyRow
from signalpost.kit import clock, crypto, ids
from signalpost.kit.crypto import KeyRing
from signalpost.kit.db import Db
from signalpost.settings import BRAND_KEY

_NEW_KEY = """
with made as (
    insert into api_key (id, workspace_id, key_id, secret_hmac, name, mode, permission, scopes, profile_ids,
        ip_allow_list, expires_at, created_by, created_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
    returning id, key_id, name, mode, permission, scopes, profile_ids, ip_allow_list, expires_at, last_used_at,
        last_used_ip, created_by, created_at, revoked_at
)
select made.id, key_id, made.name, mode, permission, scopes, profile_ids, ip_allow_list, expires_at, last_used_at,
    last_used_ip, created_by, coalesce(u.name, u.email), made.created_at, revoked_at
from made join app_user u on u.id = made.created_by
"""


class Terms(TypedDict, total=False):
    """What a key may do. Left out: live, read and write, all that an owner has, everywhere, for good."""

    mode: Literal["live", "test"]
    permission: Literal["read", "read_write"]
    scopes: Sequence[str] | None
    profile_ids: Sequence[UUID] | None
    ip_allow_list: Sequence[str] | None
    expires_at: datetime | None


async def create_key_for(
    db: Db, keys: KeyRing, *, workspace_id: UUID, user_id: UUID, name: str, **terms: Unpack[Terms]
) -> tuple[KeyRow, str]:
    """Write a key of this user and return it with its plain text, which is not kept anywhere.

    Who may issue what is decided before: by `issue` for the API, by the operator for the command line. Whatever the
    terms say, a key never has more than its issuer's role at the time of use.
    """
    mode, permission = terms.get("mode", "live"), terms.get("permission", "read_write")
    parts = crypto.new_api_key(f"{BRAND_KEY}_{mode}")
    scopes = terms.get("scopes")
    granted = roles.within(roles.SCOPES_OF["owner"] if scopes is None else frozenset(scopes), permission)
    now = clock.now()
    row = await db.fetchrow(
        _NEW_KEY,
        ids.new_id(),
        workspace_id,
        parts.key_id,
        secret_hmacs(keys, parts.secret)[0],
        name,
        mode,
        permission,
        sorted(granted),
        terms.get("profile_ids"),
        terms.get("ip_allow_list"),
        terms.get("expires_at"),
        user_id,
        now,
    )
    return KeyRow(*row or ()), parts.text
