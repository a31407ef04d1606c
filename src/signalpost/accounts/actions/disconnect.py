from typing import Literal
from uuid import UUID

from signalpost import events, networks
from signalpost.accounts import queries, token_store
from signalpost.accounts.actions import live_posts
from signalpost.accounts.moves import move
from signalpost.accounts.queries import AccountRow
from signalpost.accounts.schemas import Disconnection
from signalpost.accounts.secrets import NoCredentials
from signalpost.accounts.token_store import Superseded
from signalpost.context import AppContext, DeletedProfile, DisconnectedAccount
from signalpost.events import Actor
from signalpost.identity.errors import TestModeOnlySandbox
from signalpost.identity.roles import may_disconnect_accounts
from signalpost.kit import clock, ids, log, problems
from signalpost.kit.db import Db
from signalpost.kit.http import HttpFailure
from signalpost.networks.contract import ApiError, NetworkSession
from signalpost.web.caller import Caller
from signalpost.web.fields import AccountId
from signalpost.web.inputs import deleted_meanwhile

AFFECTED_NAMED_MAX = 100
Reason = Literal["user_request", "profile_deleted", "platform_deletion_callback"]

_WIPE = """
update account set secrets = null, secrets_version = secrets_version + 1, token_expires_at = null, upkeep_at = null,
    renewing_by = null, renewing_until = null, health = null, disconnected_at = $3, updated_at = $3,
    comments_pushed = false
where id = $1 and workspace_id = $2
"""
_logger = log.get("accounts")


async def disconnect_account(context: AppContext, caller: Caller, account: AccountRow) -> Disconnection:
    """Disconnect an account here, then try to revoke its grant at the platform. Repeating this changes nothing.

    Raises:
        Forbidden: the role may connect accounts, but not disconnect them.
        TestModeOnlySandbox: live posts wait for the account, and the caller is a test key.
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
            raise deleted_meanwhile(AccountId, account.id)
        await live_posts.require_none(db, caller.mode, row)
        affected: list[UUID] = []
        if row.status != "disconnected":
            affected = await _disconnect(context, db, row, reason="user_request", actor=caller.actor, mode=caller.mode)
    revoked = False
    if session is not None and row.status != "disconnected":
        session.refresh_exclusively = None  # the row is wiped: nothing may be renewed any more
        if row.comments_pushed:
            await context.hooks.end_comment_push(context, row.platform, row.remote_id, session)
        revoked = await _revoke(row, session)
    return Disconnection(
        id=ids.encode("acc", row.id), status="disconnected", revoked_at_platform=revoked, affected_posts=len(affected)
    )


async def disconnect_profile(context: AppContext, db: Db, profile: DeletedProfile) -> int:
    """Disconnect every account of a profile that is being deleted; return how many there were.

    Raises:
        TestModeOnlySandbox: one of them is live, and the mode is test.

    No network is called inside a transaction: the grants stay open at the networks, but their tokens are deleted here.
    """
    rows = await queries.lock_of_profile(db, profile.workspace_id, profile.profile_id)
    if profile.mode == "test" and any(row.platform != "sandbox" for row in rows):
        raise TestModeOnlySandbox("This profile has live accounts. Delete it with a live key.")
    for row in rows:
        await _disconnect(context, db, row, reason="profile_deleted", actor=profile.actor, mode=profile.mode)
    return len(rows)


async def _disconnect(
    context: AppContext, db: Db, row: AccountRow, *, reason: Reason, actor: Actor, mode: Literal["live", "test"]
) -> list[UUID]:
    """Fail what waits for the account, delete its secrets, and emit the event; return the ids of the affected posts."""
    now = clock.now()
    affected = await context.hooks.fail_waiting_targets(
        context, db, DisconnectedAccount(row.workspace_id, row.id, actor, now)
    )
    await move(db, row.id, "disconnected", reason)
    await db.execute(_WIPE, row.id, row.workspace_id, now)
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
    event = events.AccountDisconnected(
        workspace_id=row.workspace_id, at=now, profile_id=row.profile_id, mode=mode, data=data
    )
    await context.emit(db, event)
    return affected


async def _revoke(row: AccountRow, session: NetworkSession) -> bool:
    """Revoke the grant at the platform; return whether that worked. The account is disconnected either way."""
    connector = networks.get(row.platform)
    if connector is None or connector.revoke is None:
        return False
    try:
        await connector.revoke(session)
    except (ApiError, HttpFailure, Superseded) as failure:
        _logger.info(
            "account.not_revoked",
            account=ids.encode("acc", row.id),
            platform=row.platform,
            failure=type(failure).__name__,
        )
        return False
    return True
