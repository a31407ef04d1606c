from typing import Literal

from msgspec import structs

from signalpost.api_keys.queries import ApiKeyRow
from signalpost.api_keys.schemas import Actor, ApiKey, ApiKeyWithSecret, KeyIssuer
from signalpost.identity.views import profile_ids
from signalpost.kit import clock, ids
from signalpost.settings import BRAND_KEY


def api_key(row: ApiKeyRow) -> ApiKey:
    """Return the key without its secret."""
    return ApiKey(
        id=ids.encode("key", row.id),
        name=row.name,
        prefix=f"{BRAND_KEY}_{row.mode}_{row.key_id}",
        mode=row.mode,
        permission=row.permission,
        scopes=row.scopes,
        profile_ids=profile_ids(row.profile_ids),
        ip_allow_list=row.ip_allow_list,
        expires_at=clock.wire_or_none(row.expires_at),
        last_used_at=clock.wire_or_none(row.last_used_at),
        last_used_ip=row.last_used_ip,
        created_by=Actor(type="user", id=ids.encode("usr", row.created_by), name=row.created_by_name),
        issued_by=_issuer(row),
        created_at=clock.wire(row.created_at),
        revoked_at=clock.wire_or_none(row.revoked_at),
        status=_status(row),
    )


def api_key_with_secret(row: ApiKeyRow, key: str) -> ApiKeyWithSecret:
    """Return the response that shows the key, which happens once."""
    return ApiKeyWithSecret(**structs.asdict(api_key(row)), key=key)


def without_secret(created: ApiKeyWithSecret) -> ApiKey:
    """Return the key as lists have it."""
    return ApiKey(**{name: getattr(created, name) for name in ApiKey.__struct_fields__})


def _issuer(row: ApiKeyRow) -> KeyIssuer:
    if row.issued_by is None:
        return KeyIssuer(type="user", id=ids.encode("usr", row.created_by), name=row.created_by_name)
    return KeyIssuer(type="api_key", id=ids.encode("key", row.issued_by), name=row.issued_by_name or "")


def _status(row: ApiKeyRow) -> Literal["active", "expired", "revoked"]:
    if row.revoked_at is not None:
        return "revoked"
    return "expired" if row.expires_at is not None and row.expires_at <= clock.now() else "active"
