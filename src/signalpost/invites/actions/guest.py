"""What a guest does, who has nothing but the link: read what it is about, and begin to connect an account."""

from uuid import UUID

from msgspec.structs import replace

from signalpost import networks
from signalpost.accounts.actions.authorize import begin_flow, find_server
from signalpost.accounts.actions.connect_request import ConnectRequest
from signalpost.accounts.actions.oauth_flows import FlowStarter
from signalpost.accounts.errors import PlatformNotConfigured
from signalpost.accounts.platforms import canonical_slug, oauth_of, start_url
from signalpost.context import AppContext, InvitedAccount
from signalpost.identity.errors import InviteExpired, InviteRevoked, InviteUsed
from signalpost.invites import queries, states, views
from signalpost.invites.queries import ConnectionRow, InviteRow
from signalpost.invites.schemas import ConnectQuery, InviteAuthorization
from signalpost.kit import clock, problems
from signalpost.kit.db import Db
from signalpost.kit.tenant import Tenant, across_workspaces, work_for

_ENDED = {"expired": InviteExpired, "revoked": InviteRevoked, "completed": InviteUsed}
_OPENED = """
update platform_invite set last_opened_at = now(), status = case when status = 'pending' then 'opened' else status end
where workspace_id = $1 and id = $2
"""
_CONNECTED = "update platform_invite set status = $3, connections = $4 where workspace_id = $1 and id = $2"


async def find(context: AppContext, token: str) -> InviteRow:
    """Return the invitation of a link, whatever its state; the request then counts as its workspace's.

    Raises:
        NotFound: there is none.
    """
    with across_workspaces():  # the token tells the workspace
        async with context.database.connection() as db:
            row = await queries.by_token(db, token)
            if row is None:
                raise problems.NotFound("There is no invitation with this link.")
            tenant = await queries.tenant_of(db, row.workspace_id)
    work_for(Tenant(tenant, row.workspace_id))
    return row


async def begin(context: AppContext, token: str, query: ConnectQuery) -> InviteAuthorization:
    """Begin to connect an account of a guest. The link stays as good as it was.

    Raises:
        NotFound: there is no such invitation.
        InviteExpired, InviteRevoked, InviteUsed: it has ended.
        ValidationFailed: it is not for this platform, or the platform needs `instanceUrl`.
        PlatformNotConfigured: this installation cannot connect the platform any more.
        PlatformError, PlatformTimeout: the platform gave no usable response.
    """
    row = await find(context, token)
    _require_open(row)
    platform = _platform(row, query.platform)
    connector = networks.get(platform)
    if connector is None:
        raise PlatformNotConfigured(f"This version has no connector for {platform}.")
    request = ConnectRequest(
        workspace_id=row.workspace_id,
        profile_id=row.profile_id,
        platform=platform,
        via="invite",
        mode=row.mode,
        role="editor",
    )
    by = FlowStarter(
        actor=row.created_by, user_id=row.user_id, key_id=row.key_id, mode=row.mode, via="invite", invite_id=row.id
    )
    server = None if oauth_of(context, connector) is None else await find_server(context, connector, query.instance_url)
    flow = await begin_flow(context, connector, request, by, server=server, redirect_url=row.redirect_url)
    async with context.database.transaction() as db:
        await db.execute(_OPENED, row.workspace_id, row.id)
    return InviteAuthorization(
        auth_url=start_url(context, flow.state),
        state=flow.state,
        platform=platform,
        expires_at=clock.wire(flow.expires_at),
    )


async def require_open_invite(db: Db, workspace_id: UUID, invite_id: UUID) -> None:
    """Answer `context.RequireOpenInvite`: the invitation is locked until the transaction ends."""
    row = await queries.lock(db, workspace_id, invite_id)
    if row is None:
        raise InviteRevoked("This invitation was deleted.")
    _require_open(row)


async def record_invited_account(db: Db, account: InvitedAccount) -> None:
    """Answer `context.RecordInvitedAccount`. The same account again counts once."""
    row = await queries.lock(db, account.workspace_id, account.invite_id)
    if row is None:
        raise InviteRevoked("This invitation was deleted.")
    _require_open(row)
    connection = ConnectionRow(account.account_id, account.platform, account.username, clock.actual())
    others = [other for other in row.connections if other.account_id != account.account_id]
    row = replace(row, connections=[*others, connection])
    status = states.after_connection(len(row.connections), row.max_connections)
    await db.execute(_CONNECTED, row.workspace_id, row.id, status, row.connections)


def _require_open(row: InviteRow) -> None:
    if problem := _ENDED.get(views.state_of(row, clock.actual())):
        raise problem


def _platform(row: InviteRow, platform: str | None) -> str:
    if platform is None and len(row.platforms) == 1:
        return row.platforms[0]
    if platform is None:
        raise problems.invalid("platform", "required", f"Choose one of {', '.join(row.platforms)}.")
    slug = canonical_slug(platform)
    if slug not in row.platforms:
        raise problems.invalid("platform", "not_allowed", f"This invitation is for {', '.join(row.platforms)}.")
    return slug
