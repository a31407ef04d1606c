"""What a workspace does with its invitations."""

from collections.abc import Iterator
from datetime import timedelta
from uuid import UUID

from signalpost.accounts.actions.authorize import require_listed
from signalpost.accounts.errors import PlatformNotConfigured
from signalpost.accounts.platforms import app_to_register, require_connector
from signalpost.context import AppContext
from signalpost.identity.errors import PlanLimitReached
from signalpost.invites import queries, views
from signalpost.invites.queries import COMPUTED, BrandingRow, InviteRow
from signalpost.invites.schemas import BrandingIn, CreatedPlatformInvite, PlatformInviteCreate
from signalpost.kit import cells, clock, crypto, ids, problems, rows
from signalpost.kit.db import Db
from signalpost.kit.problems import Issue
from signalpost.plans import actions as plans
from signalpost.plans import limits
from signalpost.profiles import queries as profiles
from signalpost.profiles.errors import profile_archived
from signalpost.web.caller import Caller
from signalpost.web.fields import ProfileId

_INSERT = rows.insert("platform_invite", InviteRow, without=COMPUTED)
_REVOKE = """
update platform_invite set status = 'revoked', revoked_at = now()
where workspace_id = $1 and id = $2 and status in ('pending', 'opened', 'partially_connected') and expires_at > now()
"""


async def create_invite(
    context: AppContext, db: Db, caller: Caller, data: PlatformInviteCreate
) -> CreatedPlatformInvite:
    """Create an invitation; its link is in this response and nowhere else.

    Raises:
        ValidationFailed: an unknown profile or platform, a repeated platform, or a `redirectUrl` that is not listed.
        PlatformNotConfigured: this installation cannot connect one of the platforms.
        PlanLimitReached, PlanFeatureUnavailable: too many open invitations, no own branding, a profile over the limit.
        ProfileArchived: the profile is archived.
        TestModeOnlySandbox: a test key invites to a live platform.
    """
    platforms = [
        require_connector(caller, platform, f"/platforms/{index}").facts.key
        for index, platform in enumerate(data.platforms)
    ]
    if issues := list(_repeated(platforms)):
        raise problems.ValidationFailed(errors=issues)
    _require_configured(context, caller, platforms)
    if not await profiles.named(db, caller, [data.profile_id]):
        raise problems.ValidationFailed(errors=[ProfileId.not_found("/profileId")])
    profile = await profiles.lock_shared(db, caller.workspace_id, data.profile_id)
    if profile is None:
        raise problems.ValidationFailed(errors=[ProfileId.not_found("/profileId")])
    if profile.archived_at is not None:
        raise profile_archived()
    if profile.over_limit:
        raise PlanLimitReached("This profile is over the plan's limit: it can only be read and deleted.")
    await require_listed(db, caller, data.redirect_url, path="/redirectUrl")
    if data.branding is not None:
        plans.require_feature(caller, limits.INVITE_BRANDING)
    await plans.require_capacity(db, caller, limits.PLATFORM_INVITES)
    token = cells.with_name(context.keys.cell, crypto.random_token())
    row = _new_row(caller, data, platforms, token)
    await db.execute(_INSERT, *rows.values(row, without=COMPUTED))
    return views.created(row, url=views.page_url(context, token), token=token)


async def revoke_invite(db: Db, invite: InviteRow) -> None:
    """Withdraw an invitation; one that has ended stays as it is. What was connected by it stays connected."""
    await db.execute(_REVOKE, invite.workspace_id, invite.id)


def _repeated(platforms: list[str]) -> Iterator[Issue]:
    for index, platform in enumerate(platforms):
        if platform in platforms[:index]:
            yield Issue(f"/platforms/{index}", "not_unique", f"{platform} is in the list already.")


def _require_configured(context: AppContext, caller: Caller, platforms: list[str]) -> None:
    for platform in platforms:
        if not views.is_available(context, platform):
            connector = require_connector(caller, platform)
            raise PlatformNotConfigured(app_to_register(context, connector))


def _new_row(caller: Caller, data: PlatformInviteCreate, platforms: list[str], token: str) -> InviteRow:
    now = clock.actual()
    return InviteRow(
        id=ids.new_id(),
        workspace_id=caller.workspace_id,
        profile_id=UUID(int=data.profile_id.int),
        token_hash=queries.hash_of(token),
        mode=caller.mode,
        platforms=platforms,
        label=data.label,
        email=data.email,
        message=data.message,
        redirect_url=data.redirect_url,
        branding=_branding(data.branding),
        language=data.language,
        max_connections=data.max_connections or len(platforms),
        status="pending",
        created_by=caller.actor,
        user_id=caller.user_id,
        key_id=caller.key_id,
        created_at=now,
        expires_at=now + timedelta(hours=data.expires_in_hours),
    )


def _branding(data: BrandingIn | None) -> BrandingRow | None:
    if data is None:
        return None
    return BrandingRow(name=data.name, logo_url=data.logo_url, color=data.color, hide_powered_by=data.hide_powered_by)
