"""Stores an account that a person connected by form or by authorization, for the first time or again."""

import random
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from msgspec import Struct

from signalpost import events, mail
from signalpost.accounts import queries, states
from signalpost.accounts.actions import live_posts
from signalpost.accounts.actions.connect_request import ConnectRequest
from signalpost.accounts.moves import emit_ready, mark_ready, move, schedule_upkeep
from signalpost.accounts.queries import AccountRow
from signalpost.accounts.schemas import Via
from signalpost.accounts.secrets import NoCredentials, grant_secrets, seal, unseal, with_own
from signalpost.context import AppContext
from signalpost.identity.errors import PlanLimitReached
from signalpost.identity.queries import plan_in_force
from signalpost.identity.roles import may_disconnect_accounts
from signalpost.kit import clock, ids, log, problems, rows
from signalpost.kit.db import Db
from signalpost.networks.contract import Identity
from signalpost.plans import actions as plans
from signalpost.plans import limits
from signalpost.profiles import queries as profiles
from signalpost.profiles.errors import profile_archived

_logger = log.get("accounts")
_SECRETS = "select secrets from account where id = $1 and workspace_id = $2"
_UPDATE = """
update account set secrets = $3, secrets_version = secrets_version + 1, token_expires_at = $4, refreshable = $5,
    upkeep_at = $6, renewing_by = null, renewing_until = null, last_refresh_error = null, updated_at = now()
where id = $1 and workspace_id = $2
"""


class _NewRow(Struct, frozen=True, kw_only=True):
    """The columns that connecting writes."""

    id: UUID
    workspace_id: UUID
    profile_id: UUID
    platform: str
    kind: str
    remote_id: str
    username: str
    display_name: str
    avatar_url: str | None
    profile_url: str | None
    status: states.State
    connected_via: Via
    parent_account_id: UUID | None
    grant_remote_id: str | None
    base_url: str | None
    scopes: list[str]
    secrets: bytes
    token_expires_at: datetime | None
    refreshable: bool
    facts: dict[str, Any]
    followers: int | None
    upkeep_at: datetime | None
    created_at: datetime
    updated_at: datetime


_LOCK = "select pg_advisory_xact_lock(hashtextextended('accounts:' || $1::text, 0))"
_PLAN = "select plan from workspace where id = $1"
_OWNER = """
select w.name, u.email from workspace w join member m on m.workspace_id = w.id and m.role = 'owner'
    and m.status = 'active' join app_user u on u.id = m.user_id
where w.id = $1
"""
# An existing account keeps its status here; `move` changes it afterwards.
_UPSERT = f"""{rows.insert("account", _NewRow)}
on conflict (id) do update set kind = excluded.kind, username = excluded.username,
    display_name = excluded.display_name, avatar_url = excluded.avatar_url, profile_url = excluded.profile_url,
    status_reason = null, connected_via = excluded.connected_via, grant_remote_id = excluded.grant_remote_id,
    parent_account_id = coalesce(account.parent_account_id, excluded.parent_account_id), base_url = excluded.base_url,
    scopes = excluded.scopes, secrets = excluded.secrets, secrets_version = account.secrets_version + 1,
    token_expires_at = excluded.token_expires_at, refreshable = excluded.refreshable, facts = excluded.facts,
    followers = coalesce(excluded.followers, account.followers), upkeep_at = excluded.upkeep_at,
    renewing_by = null, renewing_until = null, last_refresh_error = null, last_checked_at = null, health = null,
    disconnected_at = null, updated_at = excluded.updated_at
"""


async def upsert_account(
    context: AppContext, db: Db, request: ConnectRequest, identity: Identity, *, grant: Identity | None = None
) -> AccountRow:
    """Store an account with its sealed secrets: the same platform account keeps its id and its waiting posts.

    `grant`: the person from whose grant the account was chosen. All accounts that were get the new tokens.

    Raises:
        ValidationFailed: the credentials belong to another account than the one to be connected again.
        NotFound: the profile was deleted.
        Forbidden: the account moves to another server, and whoever connects it may not disconnect accounts.
        PlanLimitReached: the plan does not cover one more account, or the profile is over the plan's limit.
        ProfileArchived: the profile is archived.
        TestModeOnlySandbox: the request is one of test mode, and would change what live posts depend on.
    """
    await db.execute(_LOCK, str(request.workspace_id))
    profile = await profiles.lock_shared(db, request.workspace_id, request.profile_id)
    if profile is None:
        raise problems.NotFound("The profile was deleted.")
    if profile.archived_at is not None:
        raise profile_archived()
    if profile.over_limit:
        raise PlanLimitReached("This profile is over the plan's limit: it can only be read and deleted.")
    existing, sharing = await queries.lock_connected(
        db, request.workspace_id, request.platform, profile_id=request.profile_id, remote_id=identity.remote_id,
        grant_remote_id=None if grant is None else grant.remote_id,
    )  # fmt: skip
    previous_server = await _require_allowed(context, db, request, identity, existing)
    parent_id = parent_of(request, identity, grant, sharing)
    new = _new_row(
        context, request, identity, grant, account_id=existing.id if existing else ids.new_id(), parent_id=parent_id
    )
    await db.execute(_UPSERT, *rows.values(new))
    if existing is not None and existing.status != new.status:
        moved = await move(db, new.id, new.status, None)
        assert moved  # noqa: S101 - every state allows the states of a token, and the row is locked
    row = await queries.by_id(db, new.id)
    assert row is not None  # noqa: S101 - written above
    await _emit_connected(context, db, request, row, reconnected=existing is not None, previous_server=previous_server)
    if previous_server is not None:
        await _mail_owner(db, row, previous_server)
    await pass_on(context, db, [other for other in sharing if other.id != row.id], grant)
    if new.upkeep_at is not None:  # after the events: lanes of jobs are woken last
        await schedule_upkeep(db, row, new.upkeep_at)
    return row


async def _require_allowed(
    context: AppContext, db: Db, request: ConnectRequest, identity: Identity, existing: AccountRow | None
) -> str | None:
    """Ensure that the account may be stored; return the server that it was at, if it is at another one now.

    Raises what `upsert_account` raises.
    """
    if request.account_id is not None and (existing is None or existing.id != request.account_id):
        raise problems.invalid(
            "/accountId", "not_allowed", f"These credentials open {identity.username}, which is another account."
        )
    if existing is not None:
        await live_posts.require_repair(db, request.mode, existing, identity.token_expires_at)
    previous_server = _previous_server(existing, identity)
    if previous_server is not None and not may_disconnect_accounts(request.role):
        raise problems.Forbidden(
            f"This account was at {previous_server}. Only owners and admins connect an account at another server."
        )
    if existing is None or existing.status == "disconnected":
        plan = plan_in_force(context.settings, await db.fetchval(_PLAN, request.workspace_id))
        await plans.check_capacity(db, request.workspace_id, plan, limits.ACCOUNTS, adding=1)
    return previous_server


def _previous_server(existing: AccountRow | None, identity: Identity) -> str | None:
    """Return the server that the account was at, if it is at another one now: its posts will go there."""
    if existing is None or existing.base_url is None or existing.base_url == identity.base_url:
        return None
    return existing.base_url


async def _mail_owner(db: Db, account: AccountRow, previous_server: str) -> None:
    """Tell the owner that what is published as this account goes to another server from now on."""
    _logger.warning("account.server_changed", account=str(account.id), workspace=str(account.workspace_id))
    owner = await db.fetchrow(_OWNER, account.workspace_id)
    if owner is None:
        return
    workspace, email = owner
    values = {
        "workspace": workspace,
        "platform": account.platform,
        "username": account.username,
        "previous": previous_server,
        "server": account.base_url,
    }
    message = mail.Message(to=email, template="account_moved", values=values)
    await mail.enqueue(db, message, workspace_id=account.workspace_id)


def _own_secrets(identity: Identity, grant: Identity) -> dict[str, str]:
    """Return what the account has besides the tokens of the grant."""
    return {name: value for name, value in identity.secrets.items() if grant.secrets.get(name) != value}


def _new_row(
    context: AppContext,
    request: ConnectRequest,
    identity: Identity,
    grant: Identity | None,
    *,
    account_id: UUID,
    parent_id: UUID | None,
) -> _NewRow:
    holder = grant or identity
    now, expires_at, refreshable = clock.now(), holder.token_expires_at, holder.refreshable
    secrets = identity.secrets if grant is None else with_own(grant.secrets, _own_secrets(identity, grant))
    return _NewRow(
        id=account_id,
        workspace_id=request.workspace_id,
        profile_id=request.profile_id,
        platform=request.platform,
        kind=identity.kind,
        remote_id=identity.remote_id,
        username=identity.username,
        display_name=identity.display_name,
        avatar_url=identity.avatar_url,
        profile_url=identity.profile_url,
        status=states.state_of_token(now, expires_at, refreshable=refreshable),
        connected_via=request.via,
        parent_account_id=parent_id,
        grant_remote_id=None if grant is None else grant.remote_id,
        base_url=identity.base_url or holder.base_url,
        scopes=list(identity.scopes or holder.scopes),
        secrets=seal(context.keys, request.workspace_id, account_id, secrets),
        token_expires_at=expires_at,
        refreshable=refreshable,
        facts=dict(identity.facts),
        followers=identity.followers,
        upkeep_at=states.upkeep_at(now, expires_at, refreshable=refreshable, chance=random.random()),  # noqa: S311
        created_at=now,
        updated_at=now,
    )


async def _emit_connected(
    context: AppContext,
    db: Db,
    request: ConnectRequest,
    row: AccountRow,
    *,
    reconnected: bool,
    previous_server: str | None,
) -> None:
    if row.status in states.READY:
        await emit_ready(context, db, row)
    data = events.AccountData(
        account_id=ids.encode("acc", row.id),
        profile_id=ids.encode("prof", row.profile_id),
        platform=row.platform,
        kind=row.kind,
        username=row.username,
        display_name=row.display_name,
        connected_via=row.connected_via,
        reconnected=reconnected,
        previous_server=previous_server,
    )
    event = events.AccountConnected(
        workspace_id=row.workspace_id, at=clock.now(), profile_id=row.profile_id, mode=request.mode, data=data
    )
    await context.emit(db, event)


def parent_of(
    request: ConnectRequest, identity: Identity, grant: Identity | None, sharing: Sequence[AccountRow]
) -> UUID | None:
    """Return the account that the others of its grant hang on: the person's own, else the first that was chosen."""
    if grant is None or identity.remote_id == grant.remote_id:
        return None
    mine = [row for row in sharing if row.profile_id == request.profile_id and row.remote_id != identity.remote_id]
    own = [row for row in mine if row.remote_id == grant.remote_id]
    first = [row for row in mine if row.parent_account_id is None]
    return next((row.id for row in (*own, *first, *mine)), None)


async def pass_on(context: AppContext, db: Db, others: Sequence[AccountRow], grant: Identity | None) -> None:
    """Give accounts the new tokens of the grant that they share; what only a new grant could repair is repaired."""
    if grant is None:
        return
    now, expires_at, refreshable = clock.now(), grant.token_expires_at, grant.refreshable
    upkeep_at = states.upkeep_at(now, expires_at, refreshable=refreshable, chance=random.random())  # noqa: S311 - jitter
    for other in others:
        sealed = await db.fetchval(_SECRETS, other.id, other.workspace_id)
        try:
            theirs = unseal(context.keys, other.workspace_id, other.id, sealed)
        except NoCredentials:
            theirs = {}  # sealed with a lost key: the tokens of the grant are there again, a page's own are not
        shared = grant_secrets(theirs)
        own = {name: value for name, value in theirs.items() if name not in shared}
        secrets = seal(context.keys, other.workspace_id, other.id, {**grant.secrets, **own})
        await db.execute(_UPDATE, other.id, other.workspace_id, secrets, expires_at, refreshable, upkeep_at)
        renewed = await queries.by_id(db, other.id)
        if renewed is not None and other.status in {"needs_reauth", "expiring"}:
            await mark_ready(context, db, renewed)
