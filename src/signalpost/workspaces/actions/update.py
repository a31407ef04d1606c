"""Changing a workspace's name, time zone, redirect addresses and second factor."""

from collections.abc import Iterator

from msgspec import UNSET

from signalpost.context import AppContext
from signalpost.identity import roles
from signalpost.identity.actions import workspaces
from signalpost.identity.caller_cache import CallerCache
from signalpost.identity.queries import WorkspaceRow
from signalpost.kit import problems, zones
from signalpost.kit.db import Db
from signalpost.kit.problems import Issue
from signalpost.web.caller import Caller
from signalpost.workspaces.schemas import WorkspaceUpdate

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
    workspaces.require_second_factor(caller, row)
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


def _issues(data: WorkspaceUpdate) -> Iterator[Issue]:
    if data.timezone is not UNSET and zones.zone(data.timezone) is None:
        yield zones.unknown("/timezone", data.timezone)
    for index, url in enumerate(data.redirect_urls or ()):
        if not workspaces.may_redirect_to(url):
            yield Issue(f"/redirectUrls/{index}", "format", _REDIRECT_URL)
