"""Asking a network what people wrote under an account's posts. Publishing always goes first."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Final, NamedTuple
from uuid import UUID

from signalpost import networks
from signalpost.accounts import queries as accounts
from signalpost.accounts.queries import AccountRow
from signalpost.accounts.secrets import NoCredentials
from signalpost.accounts.token_store import open_session
from signalpost.comments import queries
from signalpost.comments.actions import plan
from signalpost.comments.actions.store import store
from signalpost.comments.queries import DueTarget
from signalpost.context import AppContext
from signalpost.engine.contract import Lease, LeaseLost
from signalpost.engine.jobs import RunAgain
from signalpost.kit import clock, log
from signalpost.kit.db import Db
from signalpost.kit.http import BadResponse, HttpFailure
from signalpost.kit.problems import Unavailable
from signalpost.networks.contract import ApiError, Comments, Connector, NeedsReconnect, Outcome, Refused, TryLater

CALLS_MAX: Final = 10
"""Of one account in a run; the rest follows after a pause, so that publishing keeps most of the network's quota."""
PAUSE_SECONDS: Final = 60.0
ASK_SECONDS_MAX: Final = 60.0
"""For one call of a connector, however many requests it makes of it."""
BACKOFF_MAX: Final = timedelta(days=1)
_logger = log.get("comments")

# What was removed since, here or at the network, or is in the trash.
_END: Final = """
update comment_source s set next_attempt_at = null from target t join post o on o.id = t.post_id
where t.id = s.target_id and s.account_id = $1 and s.workspace_id = $2 and s.next_attempt_at <= now()
    and (t.status <> 'published' or t.remote_id is null or o.deleted_at is not null)
"""
_NEXT: Final = """
update comment_source set next_attempt_at = $3, failures = 0, read_at = $4, last_error = null
where target_id = $1 and workspace_id = $2
"""
_FAILED: Final = """
update comment_source set next_attempt_at = $3, failures = failures + 1, last_error = $4
where target_id = any($1) and workspace_id = $2
"""
_LEAVE_ALONE: Final = """
update comment_source set next_attempt_at = now() + interval '1 day', last_error = $3
where account_id = $1 and workspace_id = $2 and next_attempt_at <= now()
"""


class _Account(NamedTuple):
    context: AppContext
    lease: Lease
    row: AccountRow
    connector: Connector


async def collect(context: AppContext, lease: Lease, account_id: UUID) -> RunAgain | None:
    """Ask for the comments of what is due on an account, and store them. Repeating it stores nothing twice."""
    async with context.database.connection() as db:
        row = await accounts.by_id(db, account_id)
        connector = networks.get(row.platform) if row else None
        if row is None or connector is None or connector.comments is None:
            return None
        if await queries.publishes_soon(db, account_id):
            return RunAgain(PAUSE_SECONDS)
        await db.execute(_END, account_id, row.workspace_id)
        per_call = connector.facts.comments_per_call
        due = await queries.due(db, account_id, per_call * CALLS_MAX + 1)
    account = _Account(context, lease, row, connector)
    if due and (missing := networks.missing_for_comments(connector, row.scopes)):
        await _leave_alone(account, f"the connection lacks {', '.join(missing)}")
        return None
    for start in range(0, min(len(due), per_call * CALLS_MAX), per_call):
        batch = due[start : start + per_call]
        try:
            again = await _collect(account, batch)
        except HttpFailure as failure:
            await _postpone(account, batch, str(failure))
            return RunAgain(PAUSE_SECONDS)  # what waits for a network that hangs must not hold up other accounts
        if again is not None:
            return again if again.after_seconds else None
    return RunAgain(PAUSE_SECONDS) if len(due) > per_call * CALLS_MAX else None


async def _collect(account: _Account, batch: Sequence[DueTarget]) -> RunAgain | None:
    """Ask for one batch; return when to go on if the network wants a pause, 0 if the account gets none."""
    began_at = clock.now()
    try:
        listed = await _ask(account, batch)
    except (ApiError, NoCredentials) as error:
        outcome = account.connector.explain(error) if isinstance(error, ApiError) else None
        if isinstance(outcome, TryLater):
            await _postpone(account, batch, str(error))
            return RunAgain(max(outcome.after_seconds or 0.0, PAUSE_SECONDS))
        if isinstance(error, NoCredentials) or isinstance(outcome, NeedsReconnect) or _is_not_allowed(outcome):
            await _leave_alone(account, str(error))
            return RunAgain(0)
        await _postpone(account, batch, str(error))
        return None
    for target in batch:
        if target.remote_id not in listed:
            await _postpone(account, [target], "the network did not say")
            continue
        comments = listed[target.remote_id]
        if comments is not None:
            new = await store(account.context, account.lease, account.row, target, comments, began_at=began_at)
            account.lease.count("new" if new else "unchanged")
        async with account.lease.transaction() as db:
            await _set_next(db, account.row, target, is_there=comments is not None)
    return None


def _is_not_allowed(outcome: Outcome | None) -> bool:
    """Return whether a permission is missing: asking for the next post would be refused as well."""
    return isinstance(outcome, Refused) and outcome.code == "permission_missing"


async def _ask(account: _Account, batch: Sequence[DueTarget]) -> Mapping[str, Comments | None]:
    """Ask a connector.

    Raises:
        ApiError, NoCredentials, HttpFailure: it gave no comments.
    """
    function, platform = account.connector.comments, account.row.platform
    if function is None:
        raise LookupError(f"{platform} gives no comments")
    session = await open_session(account.context, account.row, account.context.http.publishing)
    since = min((target.read_at for target in batch if target.read_at), default=None)
    if any(target.read_at is None for target in batch):
        since = None
    try:
        async with asyncio.timeout(ASK_SECONDS_MAX):
            return await function(session, [target.remote_id for target in batch], since)
    except (ApiError, HttpFailure, NoCredentials, LeaseLost, Unavailable):
        raise
    except TimeoutError:
        raise BadResponse(f"the network took longer than {ASK_SECONDS_MAX:.0f} s") from None
    except Exception as error:
        _logger.exception("comments.unexpected_error", platform=platform, account=str(account.row.id))
        raise BadResponse(f"the connector failed: {type(error).__name__}") from None


async def _set_next(db: Db, account: AccountRow, target: DueTarget, *, is_there: bool) -> None:
    now = clock.actual()
    next_at = plan.next_at(target.published_at, now) if is_there else None
    await db.execute(_NEXT, target.target_id, account.workspace_id, next_at, now)


async def _postpone(account: _Account, batch: Sequence[DueTarget], reason: str) -> None:
    """Ask for these posts later, the more often it failed in a row the later."""
    now = clock.actual()
    _logger.warning(
        "comments.not_read", platform=account.row.platform, account=str(account.row.id), reason=reason[:200]
    )
    async with account.lease.transaction() as db:
        for target in batch:
            wait = min(timedelta(minutes=5) * 2 ** min(target.failures, 10), BACKOFF_MAX)
            next_at = plan.next_at(target.published_at, now)
            at = None if next_at is None else max(next_at, now + wait)
            await db.execute(_FAILED, [target.target_id], account.row.workspace_id, at, reason[:500])


async def _leave_alone(account: _Account, why: str) -> None:
    """Ask again in a day: the account has to be connected again, or may not read comments."""
    row, reason = account.row, why[:500]
    _logger.warning("comments.refused", platform=row.platform, account=str(row.id), reason=reason[:200])
    async with account.lease.transaction() as db:
        await db.execute(_LEAVE_ALONE, row.id, row.workspace_id, reason)
