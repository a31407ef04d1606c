from collections.abc import Iterable
from datetime import datetime
from typing import Literal
from uuid import UUID

from msgspec import structs

from signalpost.identity.api_key_queries import ApiKeyRow
from signalpost.identity.queries import UserRow, WorkspaceRow, plan_in_force
from signalpost.identity.schemas import (
    Actor,
    ApiKey,
    ApiKeyWithSecret,
    Authentication,
    KeyIssuer,
    Me,
    User,
    Workspace,
    WorkspaceSummary,
)
from signalpost.kit import clock, ids
from signalpost.settings import BRAND_KEY, Settings
from signalpost.web.caller import Caller


def user(row: UserRow) -> User:
    """Return the user as the API shows it."""
    return User(
        id=ids.encode("usr", row.id),
        email=row.email,
        name=row.name,
        avatar_url=row.avatar_url,
        timezone=row.timezone,
        locale=row.locale,
        is_staff=row.is_staff,
        totp_enabled=row.totp_enabled,
        created_at=clock.wire(row.created_at),
    )


def workspace_summary(settings: Settings, row: WorkspaceRow) -> WorkspaceSummary:
    """Return the workspace with the plan in force."""
    return WorkspaceSummary(
        id=ids.encode("wsp", row.id),
        name=row.name,
        slug=row.slug,
        plan=plan_in_force(settings, row.plan),
        timezone=row.timezone,
        created_at=clock.wire(row.created_at),
    )


def workspace(settings: Settings, row: WorkspaceRow) -> Workspace:
    """Return the workspace as one of its members sees it."""
    return Workspace(
        id=ids.encode("wsp", row.id),
        name=row.name,
        slug=row.slug,
        plan=plan_in_force(settings, row.plan),
        timezone=row.timezone,
        created_at=clock.wire(row.created_at),
        role=row.role,
        redirect_urls=row.redirect_urls,
        second_factor=row.second_factor,
    )


def me(
    settings: Settings, caller: Caller, *, user_row: UserRow, workspace_row: WorkspaceRow, expires_at: datetime | None
) -> Me:
    """Return who is calling; `expires_at` is that of the credential."""
    return Me(
        user=user(user_row),
        workspace=workspace_summary(settings, workspace_row),
        role=caller.role,
        profile_ids=_profile_ids(None if caller.profile_ids is None else sorted(caller.profile_ids)),
        auth=Authentication(
            type="api_key" if caller.auth == "api_key" else "session",
            key_id=ids.encode_or_none("key", caller.key_id),
            mode=caller.mode,
            scopes=sorted(caller.scopes),
            expires_at=clock.wire_or_none(expires_at),
            needs_second_factor=caller.needs_second_factor,
        ),
    )


def api_key(row: ApiKeyRow) -> ApiKey:
    """Return the key without its secret."""
    return ApiKey(
        id=ids.encode("key", row.id),
        name=row.name,
        prefix=f"{BRAND_KEY}_{row.mode}_{row.key_id}",
        mode=row.mode,
        permission=row.permission,
        scopes=row.scopes,
        profile_ids=_profile_ids(row.profile_ids),
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


def _issuer(row: ApiKeyRow) -> KeyIssuer:
    if row.issued_by is None:
        return KeyIssuer(type="user", id=ids.encode("usr", row.created_by), name=row.created_by_name)
    return KeyIssuer(type="api_key", id=ids.encode("key", row.issued_by), name=row.issued_by_name or "")


def _status(row: ApiKeyRow) -> Literal["active", "expired", "revoked"]:
    if row.revoked_at is not None:
        return "revoked"
    return "expired" if row.expires_at is not None and row.expires_at <= clock.now() else "active"


def _profile_ids(profile_ids: Iterable[UUID] | None) -> list[str] | None:
    return None if profile_ids is None else [ids.encode("prof", profile_id) for profile_id in profile_ids]
