import asyncpg

from signalpost.accounts import queries
from signalpost.accounts.actions.moves import mark_ready, move
from signalpost.accounts.errors import AccountInUse
from signalpost.accounts.queries import AccountRow
from signalpost.accounts.schemas import AccountUpdate, PlatformAccount
from signalpost.context import AppContext
from signalpost.identity.errors import PlanLimitReached
from signalpost.identity.roles import may_move_accounts
from signalpost.kit import ids, problems
from signalpost.kit.db import Db
from signalpost.profiles import queries as profiles
from signalpost.web.caller import Caller

_MOVE_PROFILE = "update account set profile_id = $3, updated_at = now() where id = $1 and workspace_id = $2"


async def update_account(
    context: AppContext, db: Db, caller: Caller, account: AccountRow, data: AccountUpdate
) -> PlatformAccount:
    """Pause or resume an account, or move it to another profile, or both.

    Raises:
        InvalidState: an account that is not connected cannot be paused; one that needs a person cannot be resumed.
        AccountInUse: posts of its profile wait for it, so it cannot be moved now.
        AlreadyExists: the other profile has this platform account already.
        Forbidden: the role may pause, but not move.
        PlanLimitReached: it was paused by the plan's limit.
    """
    row = await queries.lock(db, caller.workspace_id, account.id)
    if row is None:
        raise problems.NotFound
    if data.profile_id is not None and ids.decode("prof", data.profile_id) != row.profile_id:
        await _move_to(db, caller, row, data.profile_id)
    if data.status == "paused" and row.status != "paused":
        if not await move(db, row.id, "paused", "user_request"):
            raise problems.InvalidState(f"The account is {row.status}; only a working account can be paused.")
    elif data.status == "active":
        await _resume(context, db, row)
    after = await queries.by_id(db, row.id)
    assert after is not None  # noqa: S101 - rows of accounts are never deleted
    return (await queries.shown(db, [after]))[0]


async def _resume(context: AppContext, db: Db, row: AccountRow) -> None:
    if row.status in {"active", "expiring"}:
        return
    if row.status != "paused":
        raise problems.InvalidState(f"The account is {row.status}: connect it again.")
    if row.over_limit:
        raise PlanLimitReached("The plan has no room for this account.")
    await mark_ready(context, db, row)


async def _move_to(db: Db, caller: Caller, row: AccountRow, profile: str) -> None:
    if not may_move_accounts(caller.role):
        raise problems.Forbidden("Only owners and admins move accounts.")
    profile_id = ids.decode("prof", profile)
    seen = profile_id is not None and caller.may_see_profile(profile_id)
    target = await profiles.lock_shared(db, caller.workspace_id, profile_id) if profile_id and seen else None
    if target is None:
        raise problems.invalid("/profileId", "not_found", "There is no such profile here.")
    if target.over_limit:
        raise PlanLimitReached("That profile is over the plan's limit.")
    if row.status == "disconnected":
        raise problems.InvalidState("The account is disconnected; connect it at the other profile instead.")
    if await queries.has_waiting_posts(db, row.id):
        raise AccountInUse("Posts of its present profile wait for this account. Cancel them or wait, then move it.")
    try:
        await db.execute(_MOVE_PROFILE, row.id, caller.workspace_id, target.id)
    except asyncpg.UniqueViolationError:
        raise problems.AlreadyExists("That profile has this platform account already.") from None
