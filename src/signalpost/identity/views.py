from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from msgspec import structs

from signalpost.identity.queries import UserRow, WorkspaceRow, plan_in_force
from signalpost.identity.schemas import Authentication, Me, User, Workspace, WorkspaceSummary
from signalpost.kit import clock, ids
from signalpost.settings import Settings
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
        timezone_chosen=row.zone_chosen,
        created_at=clock.wire(row.created_at),
    )


def workspace(settings: Settings, row: WorkspaceRow) -> Workspace:
    """Return the workspace as one of its members sees it."""
    return Workspace(
        **structs.asdict(workspace_summary(settings, row)),
        role=row.role, redirect_urls=row.redirect_urls, second_factor=row.second_factor,
    )  # fmt: skip


def me(
    settings: Settings, caller: Caller, *, user_row: UserRow, workspace_row: WorkspaceRow, expires_at: datetime | None
) -> Me:
    """Return who is calling; `expires_at` is that of the credential."""
    return Me(
        user=user(user_row),
        workspace=workspace_summary(settings, workspace_row),
        role=caller.role,
        profile_ids=profile_ids(None if caller.profile_ids is None else sorted(caller.profile_ids)),
        auth=Authentication(
            type="api_key" if caller.auth == "api_key" else "session",
            key_id=ids.encode_or_none("key", caller.key_id),
            mode=caller.mode,
            scopes=sorted(caller.scopes),
            expires_at=clock.wire_or_none(expires_at),
            needs_second_factor=caller.needs_second_factor,
        ),
    )


def profile_ids(of: Iterable[UUID] | None) -> list[str] | None:
    """Return the ids of the only profiles that someone sees; None: all."""
    return None if of is None else [ids.encode("prof", profile_id) for profile_id in of]
