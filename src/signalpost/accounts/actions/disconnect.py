from typing import Literal
from uuid import UUID

from signalpost import events, networks
from signalpost.accounts import queries, token_store
from signalpost.accounts.queries import AccountRow
from signalpost.accounts.schemas import Disconnection
from signalpost.accounts.token_store import NoCredentials, Superseded
from signalpost.context import AppContext, DeletedProfile, DisconnectedAccount
from signalpost.identity.roles import may_disconnect_accounts
from signalpost.kit import clock, ids, log, problems
from signalpost.kit.db import Db
from signalpost.kit.http import HttpFailure
from signalpost.networks.contract import ApiError, NetworkSession
from signalpost.web.caller import Caller

AFFECTED_NAMED_MAX = 100
Reason = Literal["user_request", "profile_deleted", "platform_deletion_callback"]

_WIPE = """
update account set status = 'disconnected', status_reason = $3, secrets = null, secrets_version = secrets_version + 1,
    token_expires_at = null, upkeep_at = null, renewing_by = null, renewing_until = null, health = null,
    disconnected_at = $4, updated_at = $4
where id = $1 and workspace_id = $2
"""
_logger = log.get("accounts")


async def disconnect_account(context: AppContext, caller: Caller, account: AccountRow) -> Disconnection:
    """End an account here, then give its grant back at the platform as well as that goes. A repeat changes nothing.

    Raises:
        Forbidden: the role may connect, but not disconnect.
    """
    if not may_disconnect_accounts(caller.role):
        raise problems.Forbidden("Only owners and admins disconnect accounts.")
    try:
        session = await token_store.open_session(context, account)
    except NoCredentials:
        session = None
    async with context.database.transaction() as db:
        row = await queries.lock(db, caller.workspace_id, account.id)
        if row is None:
            raise problems.NotFound
        affected: list[UUID] = []
        if row.status != "disconnected":
            affected = await _end(context, db, row, "user_request", caller.actor, caller.mode)
    revoked = session is not None and row.status != "disconnected" and await _revoked(row, session)
    return Disconnection(
        id=ids.encode("acc", row.id),
        status="disconnected",
        revoked_at_platform=revoked,
        affected_posts=len(affected),
    )


async def disconnect_profile(context: AppContext, db: Db, profile: DeletedProfile) -> int:
    """Disconnect every account of a profile that is being deleted; return how many there were.

    No network is called inside a transaction: the grants stay open at the networks, but their tokens are deleted here.
    """
    rows = await queries.lock_of_profile(db, profile.workspace_id, profile.profile_id)
    for row in rows:
        await _end(context, db, row, "profile_deleted", profile.actor, "live")
    return len(rows)


async def _end(
    context: AppContext, db: Db, row: AccountRow, reason: Reason, actor: events.Actor, mode: Literal["live", "test"]
) -> list[UUID]:
    now = clock.now()
    disconnected_account = DisconnectedAccount(row.workspace_id, row.id, actor, now)
    affected = await context.hooks.fail_waiting_targets(context, db, disconnected_account)
    await db.execute(_WIPE, row.id, row.workspace_id, reason, now)
    data = events.AccountDisconnectedData(
        account_id=ids.encode("acc", row.id),
        profile_id=ids.encode("prof", row.profile_id),
        platform=row.platform,
        username=row.username,
        display_name=row.display_name,
        reason=reason,
        affected_posts=len(affected),
        affected_post_ids=[ids.encode("pst", post_id) for post_id in affected[:AFFECTED_NAMED_MAX]],
    )
    disconnected = events.AccountDisconnected(
        workspace_id=row.workspace_id, at=now, profile_id=row.profile_id, mode=mode, data=data
    )
    await context.emit(db, disconnected)
    return affected


async def _revoked(row: AccountRow, session: NetworkSession) -> bool:
    """Give the grant back at the platform; the account is gone from here whether or not that works."""
    connector = networks.get(row.platform)
    if connector is None or connector.revoke is None:
        return False
    session.refresh_exclusively = None  # the row is wiped: nothing may be renewed any more
    try:
        await connector.revoke(session)
    except (ApiError, HttpFailure, Superseded) as failure:
        _logger.info("account.not_revoked", account=str(row.id), platform=row.platform, failure=type(failure).__name__)
        return False
    return True
