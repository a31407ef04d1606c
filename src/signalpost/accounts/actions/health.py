"""Health: what the last live look at the platform told, kept for five minutes, beside what we know ourselves."""

from datetime import datetime, timedelta
from typing import Any, Literal

import msgspec
from msgspec import Struct

from signalpost import networks
from signalpost.accounts import queries, token_store
from signalpost.accounts.actions.moves import mark_needs_reauth, mark_ready, mark_restricted
from signalpost.accounts.actions.upsert import clean_name, clean_url
from signalpost.accounts.queries import AccountRow
from signalpost.accounts.schemas import AccountHealth, HealthIssue, Permissions, Quota, Recent, TokenHealth
from signalpost.accounts.token_store import NoCredentials
from signalpost.context import AppContext
from signalpost.kit import clock, ids
from signalpost.kit.http import HttpFailure
from signalpost.networks.contract import ApiError, Connector, Health, NeedsReconnect, NetworkSession

FRESH = timedelta(minutes=5)
WINDOW = timedelta(days=7)
REFRESH_MARGIN = timedelta(seconds=60)


class HealthCheck(Struct):
    """What is kept of a live check. `problem`: why it told nothing."""

    valid: bool = True
    can_post: bool = True
    restricted: bool = False
    granted: list[str] = []
    missing: list[str] = []
    message: str | None = None
    problem: str | None = None


_KEEP = """
update account set health = $3, last_checked_at = $4, followers = coalesce($5, followers),
    username = coalesce($6, username), display_name = coalesce($7, display_name),
    token_expires_at = coalesce($8, token_expires_at), avatar_url = coalesce($9, avatar_url)
where id = $1 and secrets_version = $2 and status <> 'disconnected'
"""


async def account_health(context: AppContext, account: AccountRow, *, refresh: bool) -> AccountHealth:
    """Tell how an account is; asks the platform when the last answer is older than five minutes, or on `refresh`."""
    now = clock.now()
    async with context.database.connection() as db:
        kept = await queries.last_check(db, account.id)
    fresh = kept is not None and account.last_checked_at is not None and now - account.last_checked_at < FRESH
    live = False
    look = msgspec.convert(kept, HealthCheck) if kept is not None else HealthCheck()
    if refresh or not fresh:
        found = await _look(context, account, now)
        if found is not None:
            look, live = found, True
    async with context.database.connection() as db:
        row = await queries.by_id(db, account.id) or account
        used = (await queries.posts_today(db, [row.id])).get(row.id, 0)
        recent = await queries.recent(db, row.id, now - WINDOW)
    return _report(row, look, now, used, recent, live=live)


async def _look(context: AppContext, account: AccountRow, now: datetime) -> HealthCheck | None:
    """Ask the platform, and keep what it says; None when there is nobody to ask."""
    connector = networks.get(account.platform)
    if connector is None or connector.check is None or account.status == "disconnected":
        return None
    due = account.token_expires_at is not None and account.token_expires_at <= now + REFRESH_MARGIN
    if due and account.refreshable:
        return None  # renewing is the upkeep job's work, never a request's
    try:
        session = await token_store.open_session(context, account)
    except NoCredentials as error:
        look, health = HealthCheck(valid=False, can_post=False, message=str(error)), None
    else:
        look, health = await _ask(connector, session)
    async with context.database.transaction() as db:
        row = await queries.lock(db, account.workspace_id, account.id)
        if row is None or row.status == "disconnected":
            return look
        await db.execute(_KEEP, row.id, row.secrets_version, look, now, *_profile(health, row))
        version = account.secrets_version
        if look.problem is not None:
            return look
        if not look.valid:
            await mark_needs_reauth(
                db, row.id, look.message or "The platform refuses the token.", secrets_version=version
            )
        elif look.restricted:
            await mark_restricted(
                db, row.id, look.message or "The platform blocks the account.", secrets_version=version
            )
        elif row.status in {"needs_reauth", "restricted"}:
            await mark_ready(context, db, row)
    return look


def _profile(health: Health | None, row: AccountRow) -> tuple[Any, ...]:
    """Return what a check says about the account, in the order of `_KEEP`; None keeps the stored value."""
    if health is None:
        return (None,) * 5
    return (
        health.followers,
        None if health.username is None else clean_name(health.username),
        None if health.display_name is None else clean_name(health.display_name),
        None if row.refreshable else health.token_expires_at,  # a refreshable token's expiry is kept by its renewals
        clean_url(health.avatar_url),
    )


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
        return HealthCheck(problem=f"The platform could not be asked: {failure.detail}."), None
    except NoCredentials as error:
        return HealthCheck(valid=False, can_post=False, message=str(error)), None
    look = HealthCheck(
        valid=health.valid,
        can_post=health.can_post,
        restricted=health.restricted,
        granted=list(health.granted),
        missing=list(health.missing),
        message=health.message,
    )
    return look, health


def _report(
    row: AccountRow, look: HealthCheck, now: datetime, used: int, recent: tuple[int, int], *, live: bool
) -> AccountHealth:
    issues = _issues(row, look)
    errors = {"disconnected", "needs_reauth", "restricted", "cannot_post"}
    status: Literal["healthy", "warning", "error"] = "healthy"
    if issues:
        status = "error" if any(issue.code in errors for issue in issues) else "warning"
    ends = row.token_expires_at
    expired = ends is not None and ends <= now
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    usable = row.status in {"active", "expiring", "paused"}
    return AccountHealth(
        account_id=ids.encode("acc", row.id),
        platform=row.platform,
        status=status,
        account_status=row.status,
        token=TokenHealth(
            valid=usable and look.valid and not (expired and not row.refreshable),
            expires_at=clock.wire_or_none(ends),
            expires_in_seconds=None if ends is None else max(0, int((ends - now).total_seconds())),
            refreshable=row.refreshable,
            last_refreshed_at=clock.wire_or_none(row.last_refreshed_at),
            last_refresh_error=row.last_refresh_error,
        ),
        permissions=Permissions(look.granted, look.missing, usable and look.can_post, can_read_analytics=False),
        quota=Quota(used, row.daily_limit, clock.wire(midnight) if row.daily_limit is not None else None),
        recent=Recent(*recent, window="7d"),
        issues=issues,
        recommendations=[_ADVICE[issue.code] for issue in issues if issue.code in _ADVICE],
        checked_at=clock.wire(row.last_checked_at or now),
        live=live,
    )


_ADVICE = {
    "disconnected": "Connect the account again.",
    "needs_reauth": "Connect the account again; it keeps its id and its waiting posts.",
    "restricted": "HealthCheck at the platform what blocks the account, then check again with refresh=true.",
    "expiring": "Connect the account again before its token ends.",
    "paused": "Resume the account when it shall publish again.",
    "cannot_post": "Connect the account again and grant the missing permissions.",
    "missing_permissions": "Connect the account again and grant the missing permissions.",
}


def _issues(row: AccountRow, look: HealthCheck) -> list[HealthIssue]:
    found: list[HealthIssue] = []
    match row.status:
        case "disconnected":
            found.append(HealthIssue("disconnected", "The account is disconnected."))
        case "needs_reauth" | "restricted":
            found.append(HealthIssue(row.status, row.status_reason or "The platform refuses the account."))
        case "expiring":
            found.append(HealthIssue("expiring", "The token ends within seven days and cannot be renewed."))
        case "paused":
            found.append(HealthIssue("paused", "The account is paused."))
    if row.over_limit:
        found.append(HealthIssue("over_limit", "The plan has no room for this account."))
    if not look.can_post and row.status in {"active", "expiring", "paused"}:
        found.append(HealthIssue("cannot_post", look.message or "The platform does not let this account post."))
    if look.missing:
        found.append(HealthIssue("missing_permissions", f"Not granted: {', '.join(look.missing)}."))
    if row.last_refresh_error:
        found.append(HealthIssue("refresh_failed", f"The last renewal of the token failed: {row.last_refresh_error}."))
    if look.problem:
        found.append(HealthIssue("check_failed", look.problem))
    return found
