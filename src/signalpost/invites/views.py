from datetime import datetime
from typing import Any

from signalpost import networks
from signalpost.accounts.platforms import needs_app
from signalpost.context import AppContext
from signalpost.invites import states
from signalpost.invites.queries import BrandingRow, InviteRow
from signalpost.invites.schemas import (
    Branding,
    CreatedPlatformInvite,
    InviteConnection,
    InvitedPlatform,
    InviteValidation,
    PlatformInvite,
)
from signalpost.invites.states import State
from signalpost.kit import clock, ids


def page_url(context: AppContext, token: str) -> str:
    """Return the address that the guest gets."""
    return f"{context.fixed_url}/platform-invites/{token}"


def state_of(row: InviteRow, now: datetime) -> State:
    """Return the present state of an invitation."""
    return states.present(row.status, now, row.expires_at, profile_deleted=row.profile_deleted)


def invite(row: InviteRow) -> PlatformInvite:
    """Return the invitation as its workspace sees it."""
    return PlatformInvite(**_members(row))


def created(row: InviteRow, *, url: str, token: str) -> CreatedPlatformInvite:
    """Return the new invitation with its link."""
    return CreatedPlatformInvite(**_members(row), url=url, token=token)


def _members(row: InviteRow) -> dict[str, Any]:
    return {
        "id": ids.encode("inv", row.id),
        "profile_id": ids.encode("prof", row.profile_id),
        "platforms": row.platforms,
        "label": row.label,
        "email": row.email,
        "message": row.message,
        "redirect_url": row.redirect_url,
        "branding": _branding(row.branding),
        "language": row.language,
        "max_connections": row.max_connections,
        "connections": [
            InviteConnection(
                account_id=ids.encode("acc", connection.account_id),
                platform=connection.platform,
                username=connection.username,
                at=clock.wire(connection.at),
            )
            for connection in row.connections
        ],
        "status": state_of(row, clock.now()),
        "created_by": row.created_by,
        "created_at": clock.wire(row.created_at),
        "expires_at": clock.wire(row.expires_at),
        "revoked_at": clock.wire_or_none(row.revoked_at),
        "last_opened_at": clock.wire_or_none(row.last_opened_at),
    }


def validation(context: AppContext, row: InviteRow) -> InviteValidation:
    """Return what a guest may know of an invitation."""
    status = state_of(row, clock.now())
    connected = {connection.platform for connection in row.connections}
    return InviteValidation(
        valid=status in states.OPEN,
        status=status,
        platforms=[
            InvitedPlatform(platform, connected=platform in connected, available=is_available(context, platform))
            for platform in row.platforms
        ],
        profile_name=row.profile_name,
        workspace_name=row.workspace_name,
        inviter_name=row.inviter_name,
        branding=_branding(row.branding),
        message=row.message,
        expires_at=clock.wire(row.expires_at),
    )


def is_available(context: AppContext, platform: str) -> bool:
    """Return whether this installation can connect a platform."""
    connector = networks.get(platform)
    return connector is not None and not needs_app(context, connector)


def _branding(row: BrandingRow | None) -> Branding | None:
    if row is None:
        return None
    return Branding(name=row.name, logo_url=row.logo_url, color=row.color, hide_powered_by=row.hide_powered_by)
