"""Writing what a network told of an account, new or known, whichever way it was connected."""

import random
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from signalpost import events
from signalpost.accounts import queries, states, token_store
from signalpost.accounts.queries import AccountRow
from signalpost.accounts.schemas import Via
from signalpost.context import AppContext
from signalpost.engine import jobs
from signalpost.identity.errors import PlanLimitReached
from signalpost.identity.queries import plan_in_force
from signalpost.kit import clock, ids, problems
from signalpost.kit.db import Db
from signalpost.networks.contract import Identity
from signalpost.plans import actions as plans
from signalpost.plans import limits
from signalpost.profiles import queries as profiles

UPKEEP = "account.upkeep"
"""Kind of the job that looks after an account's token."""

_LOCK = "select pg_advisory_xact_lock(hashtextextended('accounts:' || $1::text, 0))"
_PLAN = "select plan from workspace where id = $1"
_UPSERT = """
insert into account (id, workspace_id, profile_id, platform, kind, remote_id, username, display_name, avatar_url,
    profile_url, status, connected_via, base_url, scopes, secrets, token_expires_at, refreshable, facts, followers,
    upkeep_at, created_at, updated_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $21)
on conflict (id) do update set kind = excluded.kind, username = excluded.username,
    display_name = excluded.display_name, avatar_url = excluded.avatar_url, profile_url = excluded.profile_url,
    status = excluded.status, status_reason = null, connected_via = excluded.connected_via,
    base_url = excluded.base_url, scopes = excluded.scopes, secrets = excluded.secrets,
    secrets_version = account.secrets_version + 1, token_expires_at = excluded.token_expires_at,
    refreshable = excluded.refreshable, facts = excluded.facts,
    followers = coalesce(excluded.followers, account.followers), upkeep_at = excluded.upkeep_at,
    renewing_by = null, renewing_until = null, last_refresh_error = null, last_checked_at = null, health = null,
    disconnected_at = null, updated_at = excluded.updated_at
"""


@dataclass(frozen=True, kw_only=True)
class ConnectRequest:
    """Who connects what, where to, and how."""

    workspace_id: UUID
    profile_id: UUID
    platform: str
    via: Via
    mode: Literal["live", "test"]
    account_id: UUID | None = None
    """Set when this very account is to be connected again."""


async def upsert_account(db: Db, context: AppContext, request: ConnectRequest, identity: Identity) -> AccountRow:
    """Store an account with its sealed secrets: the same platform account keeps its id and its waiting posts.

    Raises:
        ValidationFailed: the credentials belong to another account than the one to be connected again.
        NotFound: the profile is gone.
        PlanLimitReached: the plan has no room for one more.
    """
    await db.execute(_LOCK, str(request.workspace_id))
    profile = await profiles.lock_shared(db, request.workspace_id, request.profile_id)
    if profile is None:
        raise problems.NotFound("The profile is gone.")
    if profile.over_limit:
        raise PlanLimitReached("This profile is over the plan's limit: it can be read and deleted only.")
    known = await queries.lock_same(db, request.profile_id, request.platform, identity.remote_id)
    if request.account_id is not None and (known is None or known.id != request.account_id):
        raise problems.invalid(
            "/accountId", "not_allowed", f"These credentials open {identity.username}, which is another account."
        )
    if known is None or known.status == "disconnected":
        plan = plan_in_force(context.settings, await db.fetchval(_PLAN, request.workspace_id))
        await plans.check_capacity(db, request.workspace_id, plan, limits.ACCOUNTS, adding=1)
    account_id = known.id if known else ids.new_id()
    upkeep_at = await _write(db, context, request, identity, account_id)
    row = await queries.by_id(db, account_id)
    assert row is not None  # noqa: S101 - written above
    await _tell(context, db, request, row, reconnected=known is not None)
    if upkeep_at is not None:  # after the events: lanes of jobs are woken last
        await schedule_upkeep(db, row, upkeep_at)
    return row


async def schedule_upkeep(db: Db, account: AccountRow, at: datetime) -> None:
    """Have the account's token looked after at that time."""
    await jobs.enqueue(
        db,
        UPKEEP,
        {"accountId": ids.encode("acc", account.id)},
        run_at=at,
        unique_key=f"{UPKEEP}:{account.id}",
        workspace_id=account.workspace_id,
    )


async def _write(
    db: Db, context: AppContext, request: ConnectRequest, identity: Identity, account_id: UUID
) -> datetime | None:
    now, expires_at = clock.now(), identity.token_expires_at
    refreshable = identity.refreshable
    upkeep_at = states.upkeep_at(now, expires_at, refreshable=refreshable, chance=random.random())  # noqa: S311
    values: tuple[Any, ...] = (
        account_id,
        request.workspace_id,
        request.profile_id,
        request.platform,
        identity.kind,
        identity.remote_id,
        clean_name(identity.username),
        clean_name(identity.display_name),
        clean_url(identity.avatar_url),
        clean_url(identity.profile_url),
        states.standing(now, expires_at, refreshable=refreshable),
        request.via,
        identity.base_url,
        list(identity.scopes),
        token_store.seal(context.keys, request.workspace_id, account_id, identity.secrets),
        expires_at,
        refreshable,
        dict(identity.facts),
        identity.followers,
        upkeep_at,
        now,
    )
    await db.execute(_UPSERT, *values)
    return upkeep_at


async def _tell(context: AppContext, db: Db, request: ConnectRequest, row: AccountRow, *, reconnected: bool) -> None:
    if row.status in states.READY:
        ready = events.AccountReady(
            workspace_id=row.workspace_id, at=clock.now(), account_id=row.id, platform=row.platform
        )
        await context.emit(db, ready)
    data = events.AccountData(
        account_id=ids.encode("acc", row.id),
        profile_id=ids.encode("prof", row.profile_id),
        platform=row.platform,
        kind=row.kind,
        username=row.username,
        display_name=row.display_name,
        connected_via=row.connected_via,
        reconnected=reconnected,
    )
    connected = events.AccountConnected(
        workspace_id=row.workspace_id, at=clock.now(), profile_id=row.profile_id, mode=request.mode, data=data
    )
    await context.emit(db, connected)


def clean_name(text: str) -> str:
    """Return a name that a network gave, at most 500 characters, without what a database text cannot hold."""
    return text.replace("\x00", "")[:500].encode("utf-8", "replace").decode()


def clean_url(text: str | None) -> str | None:
    """Return an address that a network gave, or None if a browser must not be sent there."""
    return (
        text if text and len(text) <= 2048 and text.startswith(("https://", "http://")) and "\x00" not in text else None
    )
