"""A workspace's name, time zone, redirect addresses and plan."""

import ipaddress
from collections.abc import Iterator
from urllib.parse import urlsplit
from uuid import UUID

from msgspec import UNSET

from signalpost.context import AppContext
from signalpost.identity import roles
from signalpost.identity.caller_cache import CallerCache
from signalpost.identity.queries import WorkspaceRow
from signalpost.identity.schemas import WorkspaceUpdate
from signalpost.kit import problems, zones
from signalpost.kit.db import Db
from signalpost.kit.problems import Issue
from signalpost.web.caller import Caller

_UPDATE = """
update workspace set name = $2, timezone = $3, redirect_urls = $4, zone_chosen = zone_chosen or $5,
    second_factor = $6, updated_at = now()
where id = $1 and deleted_at is null
"""
_REDIRECT_URL = "Enter an https address, or http on loopback, without user and fragment."


async def update_workspace(
    context: AppContext, db: Db, caller: Caller, row: WorkspaceRow, data: WorkspaceUpdate
) -> WorkspaceRow:
    """Change the given fields.

    Raises:
        Forbidden: the caller is not an owner or admin there, or is an API key.
        SecondFactorMissing: that workspace requires a second factor of the caller, who has none.
        InvalidState: the caller would require what they do not have.
        ValidationFailed: an address is neither https nor loopback, or the time zone is invalid.
    """
    if caller.auth != "session" or not roles.may_manage_workspace(row.role):
        raise problems.Forbidden(
            "Only a signed-in owner or admin can change a workspace.",
            remediation="An owner or admin signs in with `POST /auth/login` and sends that access token.",
        )
    require_second_factor(caller, row)
    if not caller.has_second_factor and data.second_factor not in (UNSET, "optional"):
        raise problems.InvalidState(
            "You have no second factor, so you would lock yourself out.",
            remediation="Set one up first: `POST /auth/totp`.",
        )
    if issues := list(_issues(data)):
        raise problems.ValidationFailed(errors=issues)
    if data.timezone is not UNSET:
        row.timezone = data.timezone
    if data.name is not UNSET:
        row.name = data.name
    if data.redirect_urls is not UNSET:
        row.redirect_urls = list(dict.fromkeys(data.redirect_urls))
    if data.second_factor is not UNSET:
        row.second_factor = data.second_factor
    zone_chosen = data.timezone is not UNSET
    await db.execute(_UPDATE, row.id, row.name, row.timezone, row.redirect_urls, zone_chosen, row.second_factor)
    context.state(CallerCache).invalidate(row.id)
    return row


def require_second_factor(caller: Caller, row: WorkspaceRow) -> None:
    """Ensure that the caller has what this workspace requires: it may be another than that of the request.

    Raises:
        SecondFactorMissing: it requires a second factor, which the caller does not have.
    """
    if not caller.has_second_factor and roles.needs_second_factor(row.role, row.second_factor):
        raise problems.SecondFactorMissing("That workspace requires a second factor of you, and you have none.")


def _issues(data: WorkspaceUpdate) -> Iterator[Issue]:
    if data.timezone is not UNSET and zones.zone(data.timezone) is None:
        yield zones.unknown("/timezone", data.timezone)
    for index, url in enumerate(data.redirect_urls or ()):
        if not may_redirect_to(url):
            yield Issue(f"/redirectUrls/{index}", "format", _REDIRECT_URL)


_SET_PLAN = "update workspace set plan = $2, updated_at = now() where id = $1"


async def set_plan(context: AppContext, db: Db, workspace_id: UUID, plan: str) -> None:
    """Move a workspace to another plan. The caller has checked that there is such a plan."""
    await db.execute(_SET_PLAN, workspace_id, plan)
    context.state(CallerCache).invalidate(workspace_id)


def may_redirect_to(url: str) -> bool:
    """Whether a browser may be sent there at the end of an authorization flow."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return False
    if not host or not url.isascii() or not url.isprintable() or " " in url or "\\" in url:
        return False
    if parts.fragment or url.endswith("#") or "@" in parts.netloc:
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and _is_loopback(host))


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
