import asyncpg
from msgspec import UNSET

from signalpost import networks
from signalpost.accounts import queries, views
from signalpost.accounts.actions import live_posts
from signalpost.accounts.errors import AccountInUse
from signalpost.accounts.moves import mark_ready, move
from signalpost.accounts.queries import AccountRow
from signalpost.accounts.schemas import AccountUpdate, PlatformAccount
from signalpost.context import AppContext
from signalpost.identity.errors import PlanLimitReached
from signalpost.identity.roles import may_move_accounts
from signalpost.kit import problems
from signalpost.kit.db import Db
from signalpost.networks import languages
from signalpost.profiles import queries as profiles
from signalpost.profiles.errors import profile_archived
from signalpost.web.caller import Caller
from signalpost.web.fields import AccountId, ProfileId
from signalpost.web.inputs import deleted_meanwhile

_SET_LANGUAGE = "update account set language = $3, updated_at = now() where id = $1 and workspace_id = $2"
_SET_PROFILE = "update account set profile_id = $3, updated_at = now() where id = $1 and workspace_id = $2"


async def update_account(
    context: AppContext, db: Db, caller: Caller, account: AccountRow, data: AccountUpdate
) -> PlatformAccount:
    """Pause or resume an account, move it to another profile, set the language of its posts, or all of these.

    Raises:
        ValidationFailed: the caller sees no such profile, or posts of the network have no language.
        InvalidState: an account that does not work cannot be paused; one that has to be connected again cannot resume.
        AccountInUse: posts of its profile wait for it, so it cannot be moved now.
        AlreadyExists: the other profile already has this platform account.
        Forbidden: the role may pause accounts, but not move them.
        PlanLimitReached: the plan does not cover the account or the other profile.
        TestModeOnlySandbox: live posts wait for the account, and the caller is a test key.
    """
    row = await queries.lock(db, caller.workspace_id, account.id)
    if row is None:
        raise deleted_meanwhile(AccountId, account.id)
    await live_posts.require_none(db, caller.mode, row)
    if isinstance(data.profile_id, ProfileId) and data.profile_id != row.profile_id:
        await _move_to_profile(db, caller, row, data.profile_id)
    if data.language is not UNSET and data.language != row.language:
        await _set_language(db, caller, row, data.language)
    if data.status == "paused" and row.status != "paused":
        if not await move(db, row.id, "paused", "user_request"):
            raise problems.InvalidState(f"The account is {row.status}; only a working account can be paused.")
    elif data.status == "active":
        await _resume(context, db, row)
    updated = await queries.by_id(db, row.id)
    assert updated is not None  # noqa: S101 - rows of accounts are never deleted
    posts_today = await queries.posts_today(db, [row.id])
    return views.account(updated, posts_today=posts_today.get(row.id, 0))


async def _set_language(db: Db, caller: Caller, row: AccountRow, language: str | None) -> None:
    connector = networks.get(row.platform)
    if language is not None and (connector is None or not languages.options_of(connector.facts, language)):
        message = f"A post at {networks.name_of(row.platform)} has no option that names a language."
        raise problems.invalid("/language", "not_allowed", message)
    await db.execute(_SET_LANGUAGE, row.id, caller.workspace_id, language)


async def _resume(context: AppContext, db: Db, row: AccountRow) -> None:
    if row.status in {"active", "expiring"}:
        return
    if row.status != "paused":
        raise problems.InvalidState(f"The account is {row.status}: connect it again.")
    if row.over_limit:
        raise PlanLimitReached("The plan does not cover this account.")
    await mark_ready(context, db, row)


async def _move_to_profile(db: Db, caller: Caller, row: AccountRow, profile_id: ProfileId) -> None:
    if not may_move_accounts(caller.role):
        raise problems.Forbidden("Only owners and admins move accounts.")
    visible = caller.may_see_profile(profile_id)
    profile = await profiles.lock_shared(db, caller.workspace_id, profile_id) if visible else None
    if profile is None:
        raise problems.ValidationFailed(errors=[ProfileId.not_found("/profileId")])
    if profile.archived_at is not None:
        raise profile_archived()
    if profile.over_limit:
        raise PlanLimitReached("That profile is over the plan's limit.")
    if row.status == "disconnected":
        raise problems.InvalidState("The account is disconnected; connect it to the other profile instead.")
    if await queries.has_waiting_targets(db, row.id):
        raise AccountInUse("Posts of its present profile wait for this account. Cancel them or wait, then move it.")
    try:
        await db.execute(_SET_PROFILE, row.id, caller.workspace_id, profile.id)
    except asyncpg.UniqueViolationError:
        raise problems.AlreadyExists("That profile already has this platform account.") from None
