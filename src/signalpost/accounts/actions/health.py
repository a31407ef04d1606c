"""The health of an account: the last live check, cached for five minutes, together with what we store ourselves."""

from datetime import timedelta
from typing import Any, NamedTuple

import msgspec

from signalpost import networks
from signalpost.accounts import queries, token_store, views
from signalpost.accounts.moves import mark_needs_reauth, mark_ready, mark_restricted
from signalpost.accounts.queries import AccountRow, HealthCheck
from signalpost.accounts.schemas import AccountHealth
from signalpost.accounts.secrets import NoCredentials
from signalpost.context import AppContext
from signalpost.kit import clock
from signalpost.kit.db import Db
from signalpost.kit.http import HttpFailure
from signalpost.networks.contract import ApiError, Connector, Health, NeedsReconnect, NetworkSession

FRESH = timedelta(minutes=5)
WINDOW = timedelta(days=7)
REFRESH_MARGIN = timedelta(seconds=60)

_SAVE = """
update account set health = $3, last_checked_at = $4, followers = coalesce($5, followers),
    username = coalesce($6, username), display_name = coalesce($7, display_name),
    token_expires_at = coalesce($8, token_expires_at), avatar_url = coalesce($9, avatar_url)
where id = $1 and secrets_version = $2 and status <> 'disconnected'
"""


class Audience(NamedTuple):
    """What a network said of an account today; None: it does not say this."""

    followers: int | None
    following: int | None
    posts: int | None

    @property
    def is_known(self) -> bool:
        """Whether it said anything."""
        return self != (None, None, None)


async def get_account_health(context: AppContext, account: AccountRow, *, refresh: bool) -> AccountHealth:
    """Report an account's health. Checks at the platform if the last check is older than five minutes or `refresh`."""
    now = clock.now()
    async with context.database.connection() as db:
        check = await queries.last_check(db, account.id)
    fresh = check is not None and account.last_checked_at is not None and now - account.last_checked_at < FRESH
    live_check = await check_account(context, account) if refresh or not fresh else None
    async with context.database.connection() as db:
        row = await queries.by_id(db, account.id) or account
        posts_today = await queries.posts_today(db, [row.id])
        recent = await queries.recent_targets(db, row.id, now - WINDOW)
    return views.account_health(
        row,
        live_check or check or HealthCheck(),
        now=now,
        used_today=posts_today.get(row.id, 0),
        recent=recent,
        live=live_check is not None,
    )


async def check_account(context: AppContext, account: AccountRow, *, may_renew: bool = False) -> HealthCheck | None:
    """Check at the platform, save the result and move the account to the state that follows from it.

    Returns None if there is no platform to ask, or if the token has to be renewed first, which is never the task of a
    request: `may_renew`.
    """
    checked = await _check(context, account, may_renew=may_renew)
    return None if checked is None else checked[0]


async def check_audience(context: AppContext, account: AccountRow) -> Audience | None:
    """Check as `check_account` does; return how many follow the account, or None if the platform gave no answer."""
    checked = await _check(context, account, may_renew=True)
    if checked is None or checked[0].problem is not None:
        return None
    health = checked[1] or Health()
    return Audience(health.followers, health.following, health.posts)


async def _check(
    context: AppContext, account: AccountRow, *, may_renew: bool
) -> tuple[HealthCheck, Health | None] | None:
    connector, now = networks.get(account.platform), clock.now()
    if connector is None or connector.check is None or account.status == "disconnected":
        return None
    due = account.token_expires_at is not None and account.token_expires_at <= now + REFRESH_MARGIN
    if due and account.refreshable and not may_renew:
        return None
    try:
        session = await token_store.open_session(context, account)
    except NoCredentials as error:
        check, health = HealthCheck(valid=False, can_post=False, message=str(error)), None
    else:
        check, health = await _ask(connector, session)
        check = _with_scopes(check, connector, session, account.scopes)
    async with context.database.transaction() as db:
        row = await queries.lock(db, account.workspace_id, account.id)
        if row is not None and row.status != "disconnected":
            await db.execute(_SAVE, row.id, row.secrets_version, check, now, *_details(health, row))
            await _move(context, db, row, check, secrets_version=account.secrets_version)
    return check, health


async def _move(context: AppContext, db: Db, row: AccountRow, check: HealthCheck, *, secrets_version: int) -> None:
    if check.problem is not None:
        return
    if not check.valid:
        reason = check.message or "The platform refuses the token."
        await mark_needs_reauth(db, row.id, reason, secrets_version=secrets_version)
    elif check.restricted:
        reason = check.message or "The platform blocks the account."
        await mark_restricted(db, row.id, reason, secrets_version=secrets_version)
    elif row.status in {"needs_reauth", "restricted"}:
        await mark_ready(context, db, row)


def _details(health: Health | None, row: AccountRow) -> tuple[Any, ...]:
    """Return what a check says about the account, in the order of `_SAVE`; None keeps the stored value."""
    if health is None:
        return (None,) * 5
    return (
        health.followers,
        health.username,
        health.display_name,
        None if row.refreshable else health.token_expires_at,  # a refreshable token's expiry is kept by its renewals
        health.avatar_url,
    )


def _with_scopes(check: HealthCheck, connector: Connector, session: NetworkSession, granted: list[str]) -> HealthCheck:
    """Compare what was granted with what is asked for, where the network's own check does not say."""
    if connector.oauth is None or check.granted or not granted:
        return check
    requested = (session.app.scopes if session.app else ()) or connector.oauth.facts.scopes
    missing = [
        scope
        for scope in requested
        if not {scope, scope.partition(":")[0]} & {*granted, *connector.oauth.facts.push_scopes}
    ]  # read > read:accounts
    return msgspec.structs.replace(check, granted=granted, missing=check.missing or missing)


async def _ask(connector: Connector, session: NetworkSession) -> tuple[HealthCheck, Health | None]:
    assert connector.check is not None  # noqa: S101 - checked by the caller
    try:
        health = await connector.check(session)
    except ApiError as error:
        outcome = connector.explain(error)
        if isinstance(outcome, NeedsReconnect):
            restricted = outcome.restricted
            return HealthCheck(valid=restricted, can_post=False, restricted=restricted, message=outcome.message), None
        return HealthCheck(problem=f"The platform answered with status {error.response.status}."), None
    except HttpFailure as failure:
        return HealthCheck(problem=f"The platform could not be reached: {failure.detail}."), None
    except NoCredentials as error:
        return HealthCheck(valid=False, can_post=False, message=str(error)), None
    check = HealthCheck(
        valid=health.valid,
        can_post=health.can_post,
        restricted=health.restricted,
        granted=list(health.granted),
        missing=list(health.missing),
        message=health.message,
    )
    return check, health
